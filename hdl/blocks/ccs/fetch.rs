//! From steps to reads of the store: looks operands up, fetches what is not there, and lets steps go to the unit in order.
//!
//! ```text
//!  step ─▶ look-up, conflicts ─▶ step held: asks memory for a, then b ─┬─▶ waiting steps ─▶ rows of the store, unit
//!                                                                      └──── nothing to fetch, nobody waits ──▶
//! ```
//!
//! A step is looked up in the cycle in which it is taken. If one of its operands may be on its way as an earlier step's result, it waits
//! until no result is. A line that is not in the cache is asked for in one cycle and goes to the next of 32 stream rows of the store;
//! arrivals keep the order of requests. Up to seven steps wait for lines, so that requests run ahead of them. With all lines in the cache a
//! step goes to the unit two cycles after it was taken, one in every cycle; with one line to be fetched one in a cycle, with two one in two.
//!
//! While the processor waits for a line, steps that touch the same row of the cache are not taken, and others one in two cycles; while
//! it `hold`s, none is.

use super::types::{CONSTANT_ROW, FetchNumber, LaneNumber, LineNumber, RowNumber, STREAM_ROWS, WAITING_STEPS};
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// Bits of a place among the waiting steps.
const PLACE: usize = 3;
/// Waiting steps from which on no further one comes; the count is a cycle old.
const FULL: u64 = WAITING_STEPS as u64 - 2;
/// Bits of a waiting step besides its rows: lanes, first, last, waits for a line, waits for two.
const REST: usize = 18;

/// The block.
#[derive(LogicBlock, Default)]
pub struct CcsFetch {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A step is there.
    pub step_valid: Signal<In, Bit>,
    /// It is taken.
    pub step_take: Signal<Out, Bit>,
    /// Lines of a, b and r.
    pub step_lines: [Signal<In, LineNumber>; 3],
    /// First lane.
    pub step_low: Signal<In, LaneNumber>,
    /// Last lane.
    pub step_high: Signal<In, LaneNumber>,
    /// First step of its row.
    pub step_first: Signal<In, Bit>,
    /// Last step of its row.
    pub step_last: Signal<In, Bit>,
    /// Place of the row's result.
    pub step_place: Signal<In, LaneNumber>,
    /// Whether a, b and r are vectors; stays for the command.
    pub vectors: [Signal<In, Bit>; 3],
    /// Results of a reduction go to memory.
    pub store: Signal<In, Bit>,
    /// The second operand is the constant row.
    pub second_constant: Signal<In, Bit>,
    /// Its lines are in the cache.
    pub hits: [Signal<In, Bit>; 3],
    /// One of its operands may be on its way.
    pub conflict: Signal<In, Bit>,
    /// No result is on its way.
    pub results_empty: Signal<In, Bit>,
    /// Another one has room.
    pub results_room: Signal<In, Bit>,
    /// Memory lags behind: no step is taken.
    pub slow: Signal<In, Bit>,
    /// What has not gone to the unit is dropped.
    pub stop: Signal<In, Bit>,
    /// No step is taken.
    pub hold: Signal<In, Bit>,
    /// The processor fetches a line.
    pub filling: Signal<In, Bit>,
    /// Which.
    pub fill_line: Signal<In, LineNumber>,
    /// A result line is announced.
    pub push: Signal<Out, Bit>,
    /// Its number.
    pub push_line: Signal<Out, LineNumber>,
    /// It is in the cache.
    pub push_hit: Signal<Out, Bit>,
    /// Place in it.
    pub push_place: Signal<Out, LaneNumber>,
    /// A line is asked for.
    pub read_valid: Signal<Out, Bit>,
    /// The request is taken.
    pub read_ready: Signal<In, Bit>,
    /// Which.
    pub read_line: Signal<Out, LineNumber>,
    /// A line has arrived and is written.
    pub arrive: Signal<In, Bit>,
    /// To this row.
    pub arrival_row: Signal<Out, RowNumber>,
    /// Row of the first operand.
    pub row_a: Signal<Out, RowNumber>,
    /// Row of the second operand.
    pub row_b: Signal<Out, RowNumber>,
    /// A step goes to the unit.
    pub issue: Signal<Out, Bit>,
    /// First lane.
    pub issue_low: Signal<Out, LaneNumber>,
    /// Last lane.
    pub issue_high: Signal<Out, LaneNumber>,
    /// First step of its row.
    pub issue_first: Signal<Out, Bit>,
    /// Last step of its row.
    pub issue_last: Signal<Out, Bit>,
    /// A step leaves the lanes.
    pub retire: Signal<In, Bit>,
    /// A reduction's result leaves the tree.
    pub result_valid: Signal<In, Bit>,
    /// Steps were dropped, and none is in the lanes any more: no result is on its way.
    pub dropped: Signal<Out, Bit>,
    /// Something is under way.
    pub busy: Signal<Out, Bit>,
    /// The step that is there has been there for a cycle and touches no row that the processor fetches.
    pub apart: Register<Bit>,
    /// A step is held.
    pub valid: Register<Bit>,
    /// Its lines.
    pub lines: [Pipe<LineNumber>; 3],
    /// Row of the first operand.
    pub first_row: Pipe<RowNumber>,
    /// Row of the second operand.
    pub second_row: Pipe<RowNumber>,
    /// The second operand is the first one.
    pub same: Pipe<Bit>,
    /// a is in the cache, or no vector.
    pub there_a: Pipe<Bit>,
    /// b is in the cache, or no vector.
    pub there_b: Pipe<Bit>,
    /// a has been asked for.
    pub asked_a: Pipe<Bit>,
    /// b has been asked for.
    pub asked_b: Pipe<Bit>,
    /// An operand may be on its way.
    pub conflicts: Pipe<Bit>,
    /// It has a result line.
    pub writes: Pipe<Bit>,
    /// Which is in the cache.
    pub hit: Pipe<Bit>,
    /// First lane.
    pub low: Pipe<LaneNumber>,
    /// Last lane.
    pub high: Pipe<LaneNumber>,
    /// First step of its row.
    pub first: Pipe<Bit>,
    /// Last step of its row.
    pub last: Pipe<Bit>,
    /// Place of the row's result.
    pub place: Pipe<LaneNumber>,
    /// Fetches asked for.
    pub asked: Register<FetchNumber>,
    /// Fetches that have arrived.
    pub arrived: Register<FetchNumber>,
    /// A line was asked for a cycle ago, or had not arrived then.
    pub outstanding: Register<Bit>,
    /// The same, a cycle old.
    pub there: Register<FetchNumber>,
    /// Fetched lines that steps have taken.
    pub used: Register<FetchNumber>,
    /// Rows of the waiting steps.
    pub rows: AsyncRam<Bits<14>, Bits<PLACE>>,
    /// The rest of them.
    pub rest: AsyncRam<Bits<REST>, Bits<PLACE>>,
    /// Next place to be filled.
    pub back: Register<Bits<PLACE>>,
    /// First waiting step.
    pub front: Register<Bits<PLACE>>,
    /// Steps wait.
    pub some: Register<Bit>,
    /// Nearly as many as fit, a cycle ago.
    pub tight: Register<Bit>,
    /// A step goes to the unit.
    pub issued: Register<Bit>,
    /// Its row of the first operand.
    pub out_a: Pipe<RowNumber>,
    /// Of the second operand.
    pub out_b: Pipe<RowNumber>,
    /// First lane.
    pub out_low: Pipe<LaneNumber>,
    /// Last lane.
    pub out_high: Pipe<LaneNumber>,
    /// First step of its row.
    pub out_first: Pipe<Bit>,
    /// Last step of its row.
    pub out_last: Pipe<Bit>,
    /// Steps in the lanes.
    pub flight: Register<Bits<5>>,
    /// Rows of a reduction in the lanes and in the tree.
    pub reductions: Register<Bits<6>>,
    meets: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    miss_a: Signal<Local, Bit>,
    miss_b: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    waits_two: Signal<Local, Bit>,
    fetch_a: Signal<Local, Bit>,
    fetch_b: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    request: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    fetched: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    issues: Signal<Local, Bit>,
    reduces: Signal<Local, Bit>,
    stream_row: Signal<Local, RowNumber>,
    now_a: Signal<Local, RowNumber>,
    now_b: Signal<Local, RowNumber>,
    one_there: Signal<Local, Bit>,
    both_there: Signal<Local, Bit>,
    rest_in: Signal<Local, Bits<REST>>,
    empty: Signal<Local, Bit>,
    flying: Signal<Local, Bit>,
    ahead: Signal<Local, Bits<PLACE>>,
    depth: Signal<Local, Bits<PLACE>>,
    _index_mask: u64,
}

impl CcsFetch {
    /// The block for this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsFetch {
            rows: AsyncRam::new(WAITING_STEPS),
            rest: AsyncRam::new(WAITING_STEPS),
            _index_mask: geometry.lines as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcsFetch {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, rest);
        dff_setup!(
            self, clock, apart, valid, first_row, second_row, same, there_a, there_b, asked_a, asked_b, conflicts,
            writes, hit
        );
        dff_setup!(self, clock, low, high, first, last, place, asked, arrived, there, used, back, front, some, tight);
        dff_setup!(
            self,
            clock,
            outstanding,
            issued,
            out_a,
            out_b,
            out_low,
            out_high,
            out_first,
            out_last,
            flight,
            reductions
        );
        self.meets.next = false;
        self.own.next = false;
        for i in 0..3 {
            self.lines[i].clock.next = self.clock.val();
            self.lines[i].d.next = self.lines[i].q.val();
            if self.vectors[i].val()
                & ((self.step_lines[i].val() & self._index_mask) == (self.fill_line.val() & self._index_mask))
            {
                self.meets.next = true;
            }
        }
        if self.store.val()
            & ((self.step_lines[2].val() & self._index_mask) == (self.fill_line.val() & self._index_mask))
        {
            self.meets.next = true;
        }
        for i in 0..2 {
            if self.vectors[i].val() & self.writes.q.val() & (self.step_lines[i].val() == self.lines[2].q.val()) {
                self.own.next = self.valid.q.val();
            }
        }
        // The step that is held.
        self.miss_a.next = !self.there_a.q.val();
        self.miss_b.next = !self.there_b.q.val();
        self.waits.next = self.miss_a.val() | self.miss_b.val();
        self.waits_two.next = self.miss_a.val() & self.miss_b.val();
        self.fetch_a.next = self.miss_a.val() & !self.asked_a.q.val();
        self.fetch_b.next = self.miss_b.val() & !self.asked_b.q.val();
        self.clear.next = self.valid.q.val() & (!self.conflicts.q.val() | self.results_empty.val());
        self.request.next = self.clear.val() & (self.fetch_a.val() | self.fetch_b.val());
        self.read_valid.next = self.request.val();
        self.read_line.next = self.lines[1].q.val();
        if self.fetch_a.val() {
            self.read_line.next = self.lines[0].q.val();
        }
        self.accepted.next = self.request.val() & self.read_ready.val();
        self.fetched.next = (!self.fetch_a.val() & !self.fetch_b.val())
            | (self.accepted.val() & !(self.fetch_a.val() & self.fetch_b.val()));
        self.leaves.next = self.clear.val()
            & self.fetched.val()
            & !self.tight.q.val()
            & (self.results_room.val() | !self.writes.q.val());
        self.push.next = self.leaves.val() & self.writes.q.val() & !self.stop.val();
        self.push_line.next = self.lines[2].q.val();
        self.push_hit.next = self.hit.q.val();
        self.push_place.next = self.place.q.val();
        self.stream_row.next = bit_cast::<7, 5>(self.asked.q.val()) | STREAM_ROWS;
        self.now_a.next = self.first_row.q.val();
        self.now_b.next = self.second_row.q.val();
        if self.accepted.val() {
            self.asked.d.next = self.asked.q.val() + 1;
            if self.fetch_a.val() {
                self.now_a.next = self.stream_row.val();
                self.first_row.d.next = self.stream_row.val();
                self.asked_a.d.next = true;
            } else {
                self.now_b.next = self.stream_row.val();
                self.second_row.d.next = self.stream_row.val();
                self.asked_b.d.next = true;
            }
        }
        if self.same.q.val() {
            self.now_b.next = self.now_a.val();
        }
        if self.leaves.val() | self.stop.val() {
            self.valid.d.next = false;
        }
        // The next one.
        self.free.next = !self.valid.q.val() | self.leaves.val();
        self.take.next = self.step_valid.val()
            & self.free.val()
            & !self.hold.val()
            & (!self.filling.val() | self.apart.q.val())
            & !self.slow.val()
            & !self.stop.val();
        self.step_take.next = self.take.val();
        self.apart.d.next = self.step_valid.val() & !self.take.val() & !self.meets.val();
        if self.take.val() {
            self.valid.d.next = true;
            for i in 0..3 {
                self.lines[i].d.next = self.step_lines[i].val();
            }
            self.first_row.d.next = bit_cast::<7, 30>(self.step_lines[0].val() & self._index_mask);
            self.second_row.d.next = bit_cast::<7, 30>(self.step_lines[1].val() & self._index_mask);
            if self.second_constant.val() {
                self.second_row.d.next = CONSTANT_ROW.into();
            }
            self.same.d.next = !self.vectors[1].val() & !self.second_constant.val();
            self.there_a.d.next = self.hits[0].val() | !self.vectors[0].val();
            self.there_b.d.next = self.hits[1].val() | !self.vectors[1].val();
            self.asked_a.d.next = false;
            self.asked_b.d.next = false;
            self.conflicts.d.next = self.conflict.val() | self.own.val();
            self.writes.d.next = self.vectors[2].val() | (self.store.val() & self.step_last.val());
            self.hit.d.next = self.hits[2].val();
            self.low.d.next = self.step_low.val();
            self.high.d.next = self.step_high.val();
            self.first.d.next = self.step_first.val();
            self.last.d.next = self.step_last.val();
            self.place.d.next = self.step_place.val();
        }
        // Waiting steps.
        self.empty.next = !self.some.q.val();
        self.ahead.next = self.front.q.val() + 1;
        self.depth.next = self.back.q.val() - self.front.q.val();
        self.direct.next = self.clear.val()
            & self.empty.val()
            & !self.waits.val()
            & !self.tight.q.val()
            & (self.results_room.val() | !self.writes.q.val())
            & !self.stop.val();
        self.enters.next = self.leaves.val() & !self.direct.val() & !self.stop.val();
        self.rows.write_address.next = self.back.q.val();
        self.rows.write_enable.next = self.enters.val();
        self.rows.write_data.next = bit_cast::<14, 7>(self.now_a.val()) | (bit_cast::<14, 7>(self.now_b.val()) << 7);
        self.rows.read_address.next = self.front.q.val();
        self.rest_in.next = bit_cast::<REST, 7>(self.low.q.val())
            | (bit_cast::<REST, 7>(self.high.q.val()) << 7)
            | (bits_to::<Bits<REST>, Bit>(self.first.q.val()) << 14)
            | (bits_to::<Bits<REST>, Bit>(self.last.q.val()) << 15)
            | (bits_to::<Bits<REST>, Bit>(self.waits.val()) << 16)
            | (bits_to::<Bits<REST>, Bit>(self.waits_two.val()) << 17);
        self.rest.write_address.next = self.back.q.val();
        self.rest.write_enable.next = self.enters.val();
        self.rest.write_data.next = self.rest_in.val();
        self.rest.read_address.next = self.front.q.val();
        self.one_there.next = self.there.q.val() != self.used.q.val();
        self.both_there.next = self.one_there.val() & (self.there.q.val() != (self.used.q.val() + 1));
        self.goes.next = !self.empty.val()
            & (!self.rest.read_data.val().get_bit(16) | self.one_there.val())
            & (!self.rest.read_data.val().get_bit(17) | self.both_there.val())
            & !self.stop.val();
        if self.enters.val() {
            self.back.d.next = self.back.q.val() + 1;
        }
        if self.goes.val() {
            self.front.d.next = self.front.q.val() + 1;
        }
        self.some.d.next =
            self.enters.val() | (self.some.q.val() & !(self.goes.val() & (self.ahead.val() == self.back.q.val())));
        self.tight.d.next = self.depth.val() >= FULL;
        if self.stop.val() {
            self.front.d.next = self.back.q.val();
            self.some.d.next = false;
        }
        // To the unit, a cycle later.
        self.issues.next = self.direct.val() | self.goes.val();
        self.issued.d.next = self.issues.val();
        self.issue.next = self.issued.q.val();
        self.out_a.d.next = self.rows.read_data.val().get_bits::<7>(0);
        self.out_b.d.next = self.rows.read_data.val().get_bits::<7>(7);
        self.out_low.d.next = self.rest.read_data.val().get_bits::<7>(0);
        self.out_high.d.next = self.rest.read_data.val().get_bits::<7>(7);
        self.out_first.d.next = self.rest.read_data.val().get_bit(14);
        self.out_last.d.next = self.rest.read_data.val().get_bit(15);
        if self.empty.val() {
            self.out_a.d.next = self.first_row.q.val();
            self.out_b.d.next = self.second_row.q.val();
            if self.same.q.val() {
                self.out_b.d.next = self.first_row.q.val();
            }
            self.out_low.d.next = self.low.q.val();
            self.out_high.d.next = self.high.q.val();
            self.out_first.d.next = self.first.q.val();
            self.out_last.d.next = self.last.q.val();
        }
        self.row_a.next = self.out_a.q.val();
        self.row_b.next = self.out_b.q.val();
        self.issue_low.next = self.out_low.q.val();
        self.issue_high.next = self.out_high.q.val();
        self.issue_first.next = self.out_first.q.val();
        self.issue_last.next = self.out_last.q.val();
        self.reduces.next = self.issued.q.val() & self.out_last.q.val() & !self.vectors[2].val();
        // What is under way.
        if self.arrive.val() {
            self.arrived.d.next = self.arrived.q.val() + 1;
        }
        self.there.d.next = self.arrived.q.val();
        // Lines that steps have taken; what a dropped step has asked for counts for nobody.
        if self.goes.val() & self.rest.read_data.val().get_bit(16) {
            self.used.d.next = self.used.q.val() + 1;
            if self.rest.read_data.val().get_bit(17) {
                self.used.d.next = self.used.q.val() + 2;
            }
        }
        if self.stop.val() {
            self.used.d.next = self.arrived.q.val();
        }
        self.arrival_row.next = bit_cast::<7, 5>(self.arrived.q.val()) | STREAM_ROWS;
        if self.issued.q.val() & !self.retire.val() {
            self.flight.d.next = self.flight.q.val() + 1;
        }
        if self.retire.val() & !self.issued.q.val() {
            self.flight.d.next = self.flight.q.val() - 1;
        }
        if self.reduces.val() & !self.result_valid.val() {
            self.reductions.d.next = self.reductions.q.val() + 1;
        }
        if self.result_valid.val() & !self.reduces.val() {
            self.reductions.d.next = self.reductions.q.val() - 1;
        }
        self.flying.next = self.issued.q.val() | self.flight.q.val().any() | self.reductions.q.val().any();
        self.dropped.next = self.stop.val() & !self.flying.val();
        self.busy.next = self.valid.q.val() | !self.empty.val() | self.flying.val() | self.outstanding.q.val();
        self.outstanding.d.next = self.accepted.val() | (self.asked.q.val() != self.arrived.q.val());
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "ccs_fetch",
            "Looks operands up, fetches lines, hands steps to the unit.",
            constants![FULL, STREAM_ROWS, CONSTANT_ROW, REST; self._index_mask],
        )
    }
}
