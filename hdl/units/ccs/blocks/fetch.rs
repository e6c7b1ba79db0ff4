//! From steps to reads of the store: looks operands up, asks memory for what is not there, and lets steps go on in
//! order.
//!
//! ```text
//!  step ─▶ look-up ─▶ looked up ─▶ conflicts ─▶ held ─┬─▶ waiting steps ─▶ rows of the store, unit
//!                                                      └─▶ requests ─▶ memory
//! ```
//!
//! A step is looked up in the cycle in which it is taken, and its result line is announced (`push`). A cycle later it
//! is known whether one of its operands may be on its way as an earlier step's result; such a step is held until that
//! is written: see [`crate::ccs::blocks::conflicts`]. Lines that are not in the cache are asked for when it leaves: see
//! [`crate::ccs::blocks::requests`] and [`crate::ccs::blocks::waiting`]. A step taken in cycle t, of which all lines
//! are in the cache, goes to the unit (`issue`) in t + 3, one in every cycle; a line to be fetched is asked for in t +
//! 2 and goes to the unit in the cycle after its arrival: with one in a step one goes in a cycle, with two one in two.
//!
//! With two read ports those lines that a needs come over a port of their own (`more_*`), and with two in a step one
//! goes in a cycle, too. The store need not get results, even if their lines are in the cache: so an operand that may
//! be on its way as one is fetched when that is written, whether it is in the cache or not. Without b the second
//! operand is the constant row.
//!
//! While the processor waits for a line, steps that touch the same row of the cache are not taken, and others one in
//! two cycles. While it `hold`s, while memory lags behind and while there is no room for results none is taken;
//! `closed` says so, a cycle later.

use crate::ccs::blocks::bundles::{ReadMaster, StepSink};
use crate::ccs::blocks::scoreboard::SAME;
use crate::ccs::blocks::types::{CONSTANT_ROW, LaneNumber, LineNumber, MORE, RESULTS, RowNumber, Shape, describes};
use crate::ccs::blocks::{conflicts::CcsConflicts, flight::CcsFlight, requests::CcsRequests, waiting::CcsWaiting};
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsFetch {
        In clock: Domain; /// Clock and reset.
        Bus step: StepSink; /// Steps of the command.
        Bus vectors: Array<Signal<In, Bit>, 3>; /// a, b and r are vectors; stays for the command, as the next two do.
        In store, second_constant: Bit; /// Results of a reduction go to memory. The second operand is the constant row.
        In fresh, map: Bit; /// The steps held are of a command that the unit does not do yet. The one it does is a map.
        Bus hits: Array<Signal<In, Bit>, 3>; /// The step's lines are in the cache.
        Bus same: Array<Signal<In, Bit>, SAME>; /// Places of results on their way that may be a, then b.
        Bus going: Array<Signal<In, Bit>, RESULTS>; /// The place whose result is written in the next cycle.
        Bus gone: Array<Signal<In, Bit>, RESULTS>; /// Places whose results are written in this cycle, or were before.
        In results_room, slow: Bit; /// Another result has room. Memory lags behind.
        In stop, hold: Bit; /// What has not gone to the unit is dropped. No step is taken from the next cycle on.
        In pause, filling: Bit; /// No step goes to the unit in the next cycle. The processor fetches a line.
        In fill_line: LineNumber; /// Which.
        In word_held: Bit; /// A word is still to be written.
        Out push: Bit; /// A result line is announced: the step's r.
        Out push_hit: Bit; /// The one announced a cycle ago is in the cache.
        Bus read: ReadMaster; /// Lines that are asked for.
        In failed: Bit; /// The one that arrives has come with an error.
        In arrive, forget: Bit; /// A line has arrived and is written. Those to come are nobody's.
        Out told: Bit; /// The next line to arrive is a step's.
        Out arrival_row, row_a, row_b: RowNumber; /// To this row. Row of the first operand. Row of the second operand.
        Out issue: Bit; /// A step goes to the unit.
        Out issue_low, issue_high: LaneNumber; /// First lane. Last lane.
        Out issue_first, issue_last: Bit; /// First step of its row. Last step of its row.
        Bus more_read: Array<ReadMaster, MORE>; /// Lines that are asked for on the port of a.
        Bus more_arrive, more_failed: Array<Signal<In, Bit>, MORE>; /// One has arrived and is written. With an error.
        Bus more_told: Array<Signal<Out, Bit>, MORE>; /// The next one to arrive is a step's.
        Bus more_row: Array<Signal<Out, RowNumber>, MORE>; /// To this row.
        In retire, result_valid: Bit; /// A step leaves the lanes. A reduction's result leaves the tree.
        Out dropped: Bit; /// Steps were dropped and none is in the unit: no result is on its way.
        Out shut, busy: Bit; /// No step is taken in this cycle. Something is under way.
        Out front: Bit; /// A step is looked up or held.
        Out lull: Bit; /// The unit's lanes are empty, no step is on its way there, and no word is to be written.
        Out reducing: Bit; /// A reduction is in lanes or tree.
    } inside {
        Child requests: CcsRequests; // Lines that are asked for.
        Child more_requests: Array<CcsRequests, MORE>; // Those on the port of a.
        Child waiting: CcsWaiting; // Steps that wait for lines.
        Child flight: CcsFlight; // Steps in the unit.
        Child conflicts: CcsConflicts; // Results that steps wait for.
        Register spoilt: Bit; // A line came with an error, a cycle ago.
        Child more_spoilt: Array<Register<Bit>, MORE>; // The same on the port of a.
        Register closed, fills: Bit; // No step is taken. The processor fetched a line, a cycle ago.
        Register apart: Bit; // The step has been there for a cycle and touches no row that the processor fetches.
        Register looked: Bit; // A step was looked up.
        Child looked_lines: Array<Pipe<LineNumber>, 2>; // Its lines of a and b.
        Child there: Array<Pipe<Bit>, 3>; // Its lines that are in the cache.
        Pipe looked_low, looked_high: LaneNumber; // First lane. Last lane.
        Pipe looked_first, looked_last: Bit; // First step of its row. Last step of its row.
        Register valid: Bit; // A step is held.
        Child lines: Array<Pipe<LineNumber>, 2>; // Its lines of a and b.
        Child misses: Array<Pipe<Bit>, 2>; // Those that are not in the cache.
        Pipe first_row: RowNumber; // Row of the first operand in the cache.
        Pipe second_row: RowNumber; // Row of the second operand, unless it is a fetched line's.
        Pipe second_comes: Bit; // The second operand is a line to be fetched, b or a.
        Pipe waits: Bit; // A line is to be fetched for it, with two ports one for b.
        Pipe waits_two: Bit; // Two are, with two ports one for a.
        Pipe low, high: LaneNumber; // First lane. Last lane.
        Pipe first, last: Bit; // First step of its row. Last step of its row.
        Register quiet: Bit; // No step was behind the one held, or in the lanes, a cycle ago.
        Local meets, full, outstanding: Bit;
        Child unused_rows: Array<Signal<Local, RowNumber>, MORE>;
        Child unused_more_rows: Array<Signal<Local, RowNumber>, MORE>;
        Child lacks: Array<Signal<Local, Bit>, 2>;
        Local clear, moves, leaves: Bit;
        Value _g: Shape;
    }
}

impl CcsFetch {
    /// The block.
    pub fn new() -> Self {
        CcsFetch { waiting: CcsWaiting::new(), ..Self::default() }
    }
}

impl Logic for CcsFetch {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, requests, waiting, flight, conflicts);
        for i in 0..self._g.more {
            self.more_requests[i].clock.next = self.clock.val();
        }
        dff_setup!(self, clock, spoilt, closed, fills, apart, looked, looked_low, looked_high, looked_first);
        dff_setup!(self, clock, looked_last, valid, first_row, second_row, second_comes, waits);
        dff_setup!(self, clock, waits_two, low, high, first, last, quiet, there);
        dff_setup!(self, clock, looked_lines, lines, misses);
        // The step that is held leaves, or there is none: everything before it moves.
        self.full.next = self.requests.full.val() & self.waits.q.val();
        for i in 0..self._g.more {
            self.full.next = self.full.val() | (self.more_requests[i].full.val() & self.waits_two.q.val());
        }
        self.clear.next =
            !self.conflicts.waits.val() & !self.fresh.val() & !self.waiting.tight.val() & !self.full.val();
        self.moves.next = !self.valid.q.val() | self.clear.val();
        self.leaves.next = self.valid.q.val() & self.clear.val() & !self.stop.val();
        // A step that comes.
        self.closed.d.next = self.hold.val() | self.slow.val() | !self.results_room.val();
        self.fills.d.next = self.filling.val();
        self.step.take.next = self.step.valid.val()
            & self.moves.val()
            & !self.closed.q.val()
            & (!self.fills.q.val() | self.apart.q.val())
            & !self.stop.val();
        self.shut.next = self.closed.q.val();
        self.push.next = self.step.take.val() & (self.vectors[2].val() | (self.store.val() & self.step.last.val()));
        self.push_hit.next = self.there[2].q.val();
        self.meets.next = false;
        for i in 0..3 {
            if self.vectors[i].val()
                & ((self.step.lines[i].val() & self._g.index_mask) == (self.fill_line.val() & self._g.index_mask))
            {
                self.meets.next = true;
            }
        }
        if self.store.val()
            & ((self.step.lines[2].val() & self._g.index_mask) == (self.fill_line.val() & self._g.index_mask))
        {
            self.meets.next = true;
        }
        self.apart.d.next = self.step.valid.val() & !self.step.take.val() & !self.meets.val();
        Array::<Signal<In, Bit>, SAME>::link(&mut self.same, &mut self.conflicts.same);
        Array::<Signal<In, Bit>, RESULTS>::link(&mut self.going, &mut self.conflicts.going);
        Array::<Signal<In, Bit>, RESULTS>::link(&mut self.gone, &mut self.conflicts.gone);
        self.conflicts.moves.next = self.moves.val();
        for i in 0..2 {
            self.conflicts.vectors[i].next = self.vectors[i].val();
            self.lacks[i].next = self.vectors[i].val() & !self.there[i].q.val();
        }
        if self._g.two {
            for i in 0..2 {
                if self.conflicts.suspects[i].val() {
                    self.lacks[i].next = true;
                }
            }
        }
        self.conflicts.asks.next = self.lacks[0].val() | self.lacks[1].val();
        self.conflicts.held_asks.next = self.waits.q.val() | self.waits_two.q.val();
        if self.moves.val() {
            for i in 0..3 {
                self.there[i].d.next = self.hits[i].val();
            }
            for i in 0..2 {
                self.looked_lines[i].d.next = self.step.lines[i].val();
                self.lines[i].d.next = self.looked_lines[i].q.val();
                self.misses[i].d.next = self.lacks[i].val();
            }
            self.looked.d.next = self.step.take.val();
            self.looked_low.d.next = self.step.low.val();
            self.looked_high.d.next = self.step.high.val();
            self.looked_first.d.next = self.step.first.val();
            self.looked_last.d.next = self.step.last.val();
            self.valid.d.next = self.looked.q.val();
            self.first_row.d.next = bit_cast::<7, 30>(self.looked_lines[0].q.val() & self._g.index_mask);
            self.second_row.d.next = bit_cast::<7, 30>(self.looked_lines[0].q.val() & self._g.index_mask);
            self.second_comes.d.next = self.lacks[0].val();
            if self._g.two {
                self.second_row.d.next = CONSTANT_ROW.into();
                self.second_comes.d.next = false;
            }
            if self.vectors[1].val() {
                self.second_row.d.next = bit_cast::<7, 30>(self.looked_lines[1].q.val() & self._g.index_mask);
                self.second_comes.d.next = self.lacks[1].val();
            }
            if self.second_constant.val() {
                self.second_row.d.next = CONSTANT_ROW.into();
                self.second_comes.d.next = false;
            }
            self.waits.d.next = self.lacks[0].val() | self.lacks[1].val();
            self.waits_two.d.next = self.lacks[0].val() & self.lacks[1].val();
            if self._g.two {
                self.waits.d.next = self.lacks[1].val();
                self.waits_two.d.next = self.lacks[0].val();
            }
            self.low.d.next = self.looked_low.q.val();
            self.high.d.next = self.looked_high.q.val();
            self.first.d.next = self.looked_first.q.val();
            self.last.d.next = self.looked_last.q.val();
        }
        if self.stop.val() {
            self.looked.d.next = false;
            self.valid.d.next = false;
        }
        // What it asks for.
        self.requests.push.next = self.leaves.val() & self.waits.q.val();
        ReadMaster::link(&mut self.read, &mut self.requests.read);
        self.requests.arrive.next = self.arrive.val();
        self.requests.forget.next = self.forget.val();
        self.told.next = self.requests.told.val();
        self.arrival_row.next = self.requests.arrival_row.val();
        self.waiting.enter.next = self.leaves.val();
        self.waiting.rows[0].next = self.first_row.q.val();
        self.waiting.rows[1].next = self.second_row.q.val();
        for i in 0..2 {
            self.requests.lines[i].next = self.lines[i].q.val();
            self.requests.needs[i].next = self.misses[i].q.val();
        }
        if self.misses[0].q.val() {
            self.waiting.rows[0].next = self.requests.rows[0].val();
        }
        if self.second_comes.q.val() {
            self.waiting.rows[1].next = self.requests.rows[0].val();
            if self._g.single {
                if self.waits_two.q.val() {
                    self.waiting.rows[1].next = self.requests.rows[1].val();
                }
            }
        }
        self.outstanding.next = self.requests.outstanding.val();
        // The port of a.
        for i in 0..self._g.more {
            self.requests.needs[0].next = false;
            self.more_requests[i].push.next = self.leaves.val() & self.waits_two.q.val();
            for k in 0..2 {
                self.more_requests[i].lines[k].next = self.lines[k].q.val();
            }
            self.more_requests[i].needs[0].next = self.misses[0].q.val();
            self.more_requests[i].needs[1].next = false;
            if self.misses[0].q.val() {
                self.waiting.rows[0].next = self.more_requests[i].rows[0].val();
            }
            self.unused_rows[i].next = self.requests.rows[1].val();
            self.unused_more_rows[i].next = self.more_requests[i].rows[1].val();
            ReadMaster::link(&mut self.more_read[i], &mut self.more_requests[i].read);
            self.more_requests[i].arrive.next = self.more_arrive[i].val();
            self.more_requests[i].forget.next = self.forget.val();
            self.more_told[i].next = self.more_requests[i].told.val();
            self.more_row[i].next = self.more_requests[i].arrival_row.val();
            self.more_spoilt[i].clock.next = self.clock.val();
            self.more_spoilt[i].d.next =
                self.more_arrive[i].val() & self.more_requests[i].told.val() & self.more_failed[i].val();
            self.waiting.more_arrive[i].next = self.more_arrive[i].val()
                & self.more_requests[i].told.val()
                & !self.more_failed[i].val()
                & !self.more_spoilt[i].q.val();
            self.outstanding.next = self.outstanding.val() | self.more_requests[i].outstanding.val();
        }
        self.waiting.low.next = self.low.q.val();
        self.waiting.high.next = self.high.q.val();
        self.waiting.first.next = self.first.q.val();
        self.waiting.last.next = self.last.q.val();
        self.waiting.waits.next = self.waits.q.val();
        self.waiting.waits_two.next = self.waits_two.q.val();
        // A step whose line has failed must not go, nor with the line after it: it is dropped in the cycle after that.
        self.spoilt.d.next = self.arrive.val() & self.requests.told.val() & self.failed.val();
        self.waiting.arrive.next =
            self.arrive.val() & self.requests.told.val() & !self.failed.val() & !self.spoilt.q.val();
        self.waiting.pause.next = self.pause.val();
        self.waiting.stop.next = self.stop.val();
        // To the unit.
        self.row_a.next = self.waiting.issue_rows[0].val();
        self.row_b.next = self.waiting.issue_rows[1].val();
        self.issue.next = self.waiting.issue.val();
        self.issue_low.next = self.waiting.issue_low.val();
        self.issue_high.next = self.waiting.issue_high.val();
        self.issue_first.next = self.waiting.issue_first.val();
        self.issue_last.next = self.waiting.issue_last.val();
        self.flight.issue.next = self.waiting.issue.val();
        self.flight.ends.next = self.waiting.issue_last.val() & !self.map.val();
        self.flight.retire.next = self.retire.val();
        self.flight.result_valid.next = self.result_valid.val();
        // What is under way.
        self.quiet.d.next = !self.leaves.val() & !self.waiting.busy.val() & !self.flight.stepping.val();
        // The constant row is written then: a word in its way would meet the next result of a reduction.
        self.lull.next = self.quiet.q.val() & !self.word_held.val();
        self.reducing.next = self.flight.reducing.val();
        self.front.next = self.looked.q.val() | self.valid.q.val();
        self.dropped.next = self.stop.val() & !self.flight.flying.val();
        self.busy.next = self.looked.q.val()
            | self.valid.q.val()
            | self.waiting.busy.val()
            | self.flight.flying.val()
            | self.outstanding.val();
    }

    describes!(block: "ccs_fetch", "Looks operands up, fetches lines, hands steps to the unit.",
        [CONSTANT_ROW]);
}
