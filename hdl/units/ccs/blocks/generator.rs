//! From descriptors to steps: rows of the outer loop, and their lines.
//!
//! ```text
//!  addresses, steps ─▶ next row ─▶ row: lines, first and last lane ─▶ step
//! ```
//!
//! A step is a line of every operand. `load` brings a command; rows go on while `run` is 1 and `extent`, the number of
//! elements after a row's first one, is right. The first step is there two cycles after the first cycle with `run`;
//! then one in every cycle in which the one before is taken, across rows too. `outside` = 1 when a row's operand would
//! end beyond the address space: neither this row's steps nor later ones come. `stop` drops everything.
//!
//! With `quick` the command's only row, which has a, goes around the row stage: its first step is there in the cycle
//! after `load`. Where it ends is looked at in that cycle; if that is outside, `strays` says so two cycles later, when
//! the first step is held before the unit: what was taken of it until then must be dropped, nothing is taken in this
//! cycle, and `outside` follows.

use crate::ccs::blocks::bundles::StepSource;
use crate::ccs::blocks::types::{LaneNumber, LineNumber, Shape, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The generator.
    pub CcsGenerator {
        In clock: Domain; /// Clock and reset.
        In load, quick: Bit; /// A command comes. With its first step.
        In length: Bits<32>; /// Elements of its row; `quick` needs it.
        Bus bases: Array<Signal<In, Bits<32>>, 3>; /// Its byte addresses: a, b, r.
        Bus steps: Array<Signal<In, Bits<32>>, 3>; /// Steps from row to row, in bytes.
        In count: Bits<32>; /// Rows; not 0.
        Bus vectors: Array<Signal<In, Bit>, 3>; /// Operands that are vectors; stays for the command.
        In store: Bit; /// A result for each row goes to r; stays for the command.
        In extent: Bits<32>; /// Elements of a row after the first, skipped ones included.
        In run, stop: Bit; /// It is right. What is under way is dropped.
        Bus step: StepSource; /// Steps of the command.
        Out step_place: LaneNumber; /// Where in its line the row's result goes, in elements.
        Out outside, busy: Bit; /// A row is not in the address space. Something is to come.
        Out strays: Bit; /// Steps were taken of a row that is not in the address space.
    } inside {
        Register pending: Bit; // A row waits to be cut into lines.
        Child rows, strides: Array<Pipe<Bits<32>>, 3>; // Its addresses. Steps.
        Pipe rows_left: Bits<32>; // Rows that are not cut.
        Register row_valid: Bit; // A row is cut.
        Child row_lines: Array<Pipe<LineNumber>, 3>; // Its first lines.
        Pipe row_low, row_high: LaneNumber; // First lane. Last lane of its last line.
        Pipe row_left: LineNumber; // Lines after the first.
        Pipe row_place: LaneNumber; // Place of its result.
        // Operands a, b, r that end outside the address space; a result that is outside.
        Child row_over: Array<Pipe<Bit>, 4>;
        Register valid: Bit; // A step is there.
        Child lines: Array<Pipe<LineNumber>, 3>; // Its lines.
        Pipe low, last_high: LaneNumber; // First lane. Last lane of the row's last line.
        Pipe left: LineNumber; // Lines after it.
        Pipe loaded_left: LineNumber; // The same of a command's first row; `left` has it a cycle later.
        // Of its length and place: no sum of two lines or more; a sum that ends in the first line, or with a line.
        Pipe loaded_below, loaded_short: Bit;
        Pipe first, last: Bit; // First of its row. Last of its row.
        Pipe place: LaneNumber; // Place of its row's result.
        Register young, judged: Bit; // The first step has come with its command, a cycle ago; two cycles ago.
        Register strayed: Bit; // Its row was not in the address space, a cycle ago.
        Child first_lines: Array<Signal<Local, Bits<32>>, 3>;
        Child elements, ends: Array<Signal<Local, Bits<33>>, 3>;
        Local lines_left: LineNumber;
        Local finishes: Bit; // The step is its row's last.
        Local row_comes, last_if_taken, last_if_not: Bit;
        Local wide, lead, reach: Bits<33>;
        Local row_outside, row_take, next_take, free: Bit;
        Local unused_reach: Bits<33>;
        Child loaded_lines: Array<Signal<Local, Bits<32>>, 3>;
        Child loaded: Array<Signal<Local, Bits<33>>, 2>;
        Local loaded_lead, tail: Bits<33>;
        Local short: Bits<32>;
        Value _g: Shape;
    }
}

impl Logic for CcsGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pending, rows_left, row_valid, row_low, row_high, row_left, row_place);
        dff_setup!(self, clock, valid, low, last_high, left, first, last, place, rows, strides);
        dff_setup!(self, clock, young, judged, strayed, loaded_left, loaded_below, loaded_short);
        dff_setup!(self, clock, row_lines, lines, row_over);
        self.finishes.next = self.last.q.val();
        if self.young.q.val() {
            self.finishes.next = self.loaded_below.q.val() & self.loaded_short.q.val();
        }
        self.step.valid.next = self.valid.q.val();
        self.step.low.next = self.low.q.val();
        self.step.high.next = self._g.last_lane.into();
        if self.finishes.val() {
            self.step.high.next = self.last_high.q.val();
        }
        self.step.first.next = self.first.q.val();
        self.step.last.next = self.finishes.val();
        self.step_place.next = self.place.q.val();
        for i in 0..3 {
            self.step.lines[i].next = self.lines[i].q.val();
        }
        self.row_outside.next =
            self.row_over[0].q.val() | self.row_over[1].q.val() | self.row_over[2].q.val() | self.row_over[3].q.val();
        self.outside.next = self.row_valid.q.val() & self.row_outside.val();
        self.busy.next = self.pending.q.val() | self.row_valid.q.val() | self.valid.q.val();
        // Who moves.
        self.free.next = !self.valid.q.val() | (self.step.take.val() & self.finishes.val());
        self.row_take.next = self.row_valid.q.val() & !self.row_outside.val() & self.free.val();
        self.next_take.next = self.pending.q.val() & self.run.val() & (!self.row_valid.q.val() | self.row_take.val());
        // Steps.
        self.lines_left.next = self.left.q.val();
        if self.young.q.val() {
            self.lines_left.next = self.loaded_left.q.val();
        }
        self.left.d.next = self.lines_left.val();
        if self.step.take.val() {
            // A reduction's result stays where it is.
            for i in 0..3 {
                if self.vectors[i].val() {
                    self.lines[i].d.next = (self.lines[i].q.val() + 1) & self._g.space_mask;
                }
            }
            self.left.d.next = self.lines_left.val() - 1;
            self.low.d.next = 0.into();
            self.first.d.next = false;
            if self.finishes.val() {
                self.valid.d.next = false;
            }
        }
        if self.row_take.val() {
            self.valid.d.next = true;
            for i in 0..3 {
                self.lines[i].d.next = self.row_lines[i].q.val();
            }
            self.low.d.next = self.row_low.q.val();
            self.last_high.d.next = self.row_high.q.val();
            self.left.d.next = self.row_left.q.val();
            self.first.d.next = true;
            self.place.d.next = self.row_place.q.val();
            self.row_valid.d.next = false;
        }
        // Whether it is the row's last: known for a step that is taken and for one that is not, before that is.
        self.row_comes.next = self.row_valid.q.val() & !self.row_outside.val();
        self.last_if_taken.next = self.lines_left.val() == 1;
        if self.row_comes.val() & (!self.valid.q.val() | self.finishes.val()) {
            self.last_if_taken.next = !self.row_left.q.val().any();
        }
        self.last_if_not.next = self.finishes.val();
        if self.row_comes.val() & !self.valid.q.val() {
            self.last_if_not.next = !self.row_left.q.val().any();
        }
        self.last.d.next = self.last_if_not.val();
        if self.step.take.val() {
            self.last.d.next = self.last_if_taken.val();
        }
        // A row: where it ends.
        self.wide.next = bit_cast::<33, 32>(self.extent.val());
        self.elements[0].next = bit_cast::<33, 32>(self.rows[0].q.val() >> self._g.bytes_log);
        self.elements[1].next = bit_cast::<33, 32>(self.rows[1].q.val() >> self._g.bytes_log);
        self.elements[2].next = bit_cast::<33, 32>(self.rows[2].q.val() >> self._g.bytes_log);
        for i in 0..3 {
            self.first_lines[i].next = self.rows[i].q.val() >> self._g.line_log;
            self.ends[i].next = self.elements[i].val() + self.wide.val();
        }
        self.lead.next = self.elements[2].val() & self._g.last_lane;
        if self.vectors[0].val() {
            self.lead.next = self.elements[0].val() & self._g.last_lane;
        }
        self.reach.next = self.lead.val() + self.wide.val();
        self.unused_reach.next = self.reach.val();
        if self.next_take.val() {
            self.row_valid.d.next = true;
            for i in 0..3 {
                self.row_lines[i].d.next = self.first_lines[i].val().get_bits::<30>(0) & self._g.space_mask;
                self.rows[i].d.next = self.rows[i].q.val() + self.strides[i].q.val();
            }
            self.row_low.d.next = bit_cast::<7, 33>(self.lead.val());
            self.row_high.d.next = bit_cast::<7, 33>(self.reach.val() & self._g.last_lane);
            self.row_left.d.next = bit_cast::<30, 33>(self.reach.val() >> self._g.lanes_log);
            self.row_place.d.next = bit_cast::<7, 33>(self.elements[2].val() & self._g.last_lane);
            self.rows_left.d.next = self.rows_left.q.val() - 1;
            self.pending.d.next = self.rows_left.q.val() != 1;
        }
        self.young.d.next = self.load.val() & self.quick.val();
        self.judged.d.next = self.young.q.val();
        if self.next_take.val() | self.young.q.val() {
            for i in 0..3 {
                self.row_over[i].d.next = self.vectors[i].val() & (self.ends[i].val() >> self._g.limit_log).any();
            }
            self.row_over[3].d.next = self.store.val() & (self.elements[2].val() >> self._g.limit_log).any();
        }
        self.strayed.d.next = self.judged.q.val() & self.row_outside.val() & !self.stop.val();
        self.strays.next = self.strayed.q.val();
        if self.strayed.q.val() {
            self.valid.d.next = false;
            self.row_valid.d.next = true;
        }
        // The first step of a quick command.
        for i in 0..3 {
            self.loaded_lines[i].next = self.bases[i].val() >> self._g.line_log;
        }
        self.loaded[0].next = bit_cast::<33, 32>(self.bases[0].val() >> self._g.bytes_log);
        self.loaded[1].next = bit_cast::<33, 32>(self.bases[2].val() >> self._g.bytes_log);
        self.loaded_lead.next = self.loaded[0].val() & self._g.last_lane;
        self.tail.next = bit_cast::<33, 32>(self.length.val()) + self.loaded_lead.val() - 1;
        // Whether the row is in one line: what is above two lines, and a short sum, tell sooner than the whole one.
        self.short.next = (self.length.val() & self._g.below_two_lines) + bit_cast::<32, 33>(self.loaded_lead.val());
        if self.load.val() {
            for i in 0..3 {
                self.lines[i].d.next = self.loaded_lines[i].val().get_bits::<30>(0) & self._g.space_mask;
            }
            self.low.d.next = bit_cast::<7, 33>(self.loaded_lead.val());
            self.last_high.d.next = bit_cast::<7, 33>(self.tail.val() & self._g.last_lane);
            // A sum of 33 bits that goes into its register without a choice behind it.
            self.loaded_left.d.next = bit_cast::<30, 33>(self.tail.val() >> self._g.lanes_log);
            self.first.d.next = true;
            self.loaded_below.d.next = !(self.length.val() >> self._g.two_lines_log).any()
                & !(self.short.val() >> self._g.two_lines_log).any();
            self.loaded_short.d.next =
                !(self.short.val() >> self._g.lanes_log).any() | !(self.short.val() & self._g.last_lane).any();
            self.place.d.next = bit_cast::<7, 33>(self.loaded[1].val() & self._g.last_lane);
            self.valid.d.next = self.quick.val();
            self.pending.d.next = !self.quick.val();
            for i in 0..3 {
                self.rows[i].d.next = self.bases[i].val();
                self.strides[i].d.next = self.steps[i].val();
            }
            self.rows_left.d.next = self.count.val();
        }
        if self.stop.val() {
            self.pending.d.next = false;
            self.row_valid.d.next = false;
            self.valid.d.next = false;
        }
    }

    describes!(block: format!("ccs_generator_{}_{}", block._g.last_lane + 1, block._g.bits),
        "Cuts vectors into rows and lines.", []);
}
