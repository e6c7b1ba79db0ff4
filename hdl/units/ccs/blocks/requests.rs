//! Lines that the unit's steps ask memory for: who asks next, and the rows that they go to.
//!
//! ```text
//!  step's lines ─▶ next step ─▶ first step: a, then b ─▶ read_valid, read_line        arrive ─▶ arrival_row
//! ```
//!
//! A step whose lines are not all there puts them behind (`push`, only while not `full`), and may go on: arrivals keep
//! the order of requests, so that the rows they go to, the next of 32 in the store, are known then: `rows` for the
//! first and the second of its lines. Its first request is offered at once if none is before it; requests follow each
//! other without a gap, with one line in a step or with two. What is offered stays until it is taken, even if its step
//! is dropped. Lines that are on their way when `forget` says so are nobody's: they arrive without being told
//! (`told`). After reset nothing is asked for.

use crate::ccs::blocks::bundles::ReadMaster;
use crate::ccs::blocks::types::{FetchNumber, LineNumber, RowNumber, STREAM_ROWS, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsRequests {
        In clock: Domain; /// Clock and reset.
        In push: Bit; /// A step's lines come; only while not `full`.
        Bus lines: Array<Signal<In, LineNumber>, 2>; /// Lines of a and b.
        Bus needs: Array<Signal<In, Bit>, 2>; /// Those that are not there; one at least.
        Bus rows: Array<Signal<Out, RowNumber>, 2>; /// Rows for the first and for the second line that comes.
        Out full: Bit; /// No further step's lines may come.
        Bus read: ReadMaster; /// Lines that are asked for.
        In arrive, forget: Bit; /// A line has arrived and is written. Those to come are nobody's.
        Out told: Bit; /// The next line to arrive is a step's.
        Out arrival_row: RowNumber; /// To this row.
        Out outstanding: Bit; /// A line was to arrive, a cycle ago.
    } inside {
        Child first_needs: Array<Register<Bit>, 2>; // Lines of the first step that are still to be asked for.
        Child first_lines: Array<Pipe<LineNumber>, 2>; // Its lines.
        Register waits: Bit; // There is a step behind it.
        Child next_needs: Array<Pipe<Bit>, 2>; // Its lines that are to be asked for.
        Child next_lines: Array<Pipe<LineNumber>, 2>; // Its lines.
        Register asked, arrived: FetchNumber; // Lines that have come. Lines that have arrived.
        Register missing: Bit; // A line was to arrive, a cycle ago.
        Register stale: FetchNumber; // Lines to arrive that are nobody's.
        Local empty, both, free: Bit;
        Child needed: Array<Signal<Local, Bit>, 2>;
        Child offered: Array<Signal<Local, LineNumber>, 2>;
        Local after: FetchNumber;
    }
}

impl Logic for CcsRequests {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, asked, arrived, missing, stale, first_needs, first_lines, next_needs);
        dff_setup!(self, clock, next_lines);
        // The first step's lines, one after the other.
        self.empty.next = !self.first_needs[0].q.val() & !self.first_needs[1].q.val();
        for i in 0..2 {
            self.needed[i].next = self.first_needs[i].q.val();
            self.offered[i].next = self.first_lines[i].q.val();
            if self.empty.val() {
                self.needed[i].next = self.push.val() & self.needs[i].val();
                self.offered[i].next = self.lines[i].val();
            }
        }
        self.both.next = self.needed[0].val() & self.needed[1].val();
        self.free.next = (!self.needed[0].val() & !self.needed[1].val()) | (self.read.ready.val() & !self.both.val());
        self.read.valid.next = self.needed[0].val() | self.needed[1].val();
        self.read.line.next = self.offered[1].val();
        if self.needed[0].val() {
            self.read.line.next = self.offered[0].val();
        }
        for i in 0..2 {
            self.first_needs[i].d.next = self.needed[i].val();
            self.first_lines[i].d.next = self.offered[i].val();
            if self.free.val() {
                self.first_needs[i].d.next = self.push.val() & self.needs[i].val() & !self.empty.val();
                self.first_lines[i].d.next = self.lines[i].val();
                if self.waits.q.val() {
                    self.first_needs[i].d.next = self.next_needs[i].q.val();
                    self.first_lines[i].d.next = self.next_lines[i].q.val();
                }
            }
            if self.push.val() {
                self.next_needs[i].d.next = self.needs[i].val();
                self.next_lines[i].d.next = self.lines[i].val();
            }
        }
        if self.read.ready.val() & self.both.val() {
            self.first_needs[0].d.next = false;
        }
        self.waits.d.next = !self.free.val() & (self.waits.q.val() | (self.push.val() & !self.empty.val()));
        self.full.next = self.waits.q.val();
        // Rows, in the order of requests.
        self.after.next = self.asked.q.val() + 1;
        self.rows[0].next = bit_cast::<7, 5>(self.asked.q.val()) | STREAM_ROWS;
        self.rows[1].next = bit_cast::<7, 5>(self.after.val()) | STREAM_ROWS;
        if self.push.val() {
            self.asked.d.next = self.after.val();
            if self.needs[0].val() & self.needs[1].val() {
                self.asked.d.next = self.asked.q.val() + 2;
            }
        }
        if self.arrive.val() {
            self.arrived.d.next = self.arrived.q.val() + 1;
            if self.stale.q.val().any() {
                self.stale.d.next = self.stale.q.val() - 1;
            }
        }
        if self.forget.val() {
            self.stale.d.next = self.asked.q.val() - self.arrived.q.val();
            if self.arrive.val() {
                self.stale.d.next = self.asked.q.val() - self.arrived.q.val() - 1;
            }
        }
        self.told.next = !self.stale.q.val().any();
        self.arrival_row.next = bit_cast::<7, 5>(self.arrived.q.val()) | STREAM_ROWS;
        self.missing.d.next = self.push.val() | (self.asked.q.val() != self.arrived.q.val());
        self.outstanding.next = self.missing.q.val();
    }

    describes!("ccs_requests", "Lines that are asked of memory for the unit.", [STREAM_ROWS]);
}
