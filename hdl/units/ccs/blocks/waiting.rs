//! Steps that wait for their lines, and go to the unit in order.
//!
//! ```text
//!  step ─┬─▶ ring of 8 ─▶ first one ─┬─▶ rows of the store, unit
//!        └── waits for nothing, nobody is there ──▶
//! ```
//!
//! A step that comes (`enter`) in cycle t goes to the unit in t + 1 (`issue`) if it waits for nothing and there is no
//! other; else it is the first one in t + 1 at the earliest, and one goes in every cycle. A line that arrives in t lets
//! a step go that is with the unit in t + 1. `pause` leaves the next cycle without a step; `stop` drops all that have
//! not gone. `tight` comes a cycle late, when two more have room.
//!
//! With two read ports a step waits for a line of each at most: `waits` is for b's, `waits_two` for a's, and
//! `more_arrive` tells of these.

use crate::ccs::blocks::types::{LaneNumber, MORE, RowNumber, Shape, WAITING_STEPS, describes};
use crate::kernel::prelude::*;

/// Bits of a place in the ring.
const PLACE: usize = 3;
/// Waiting steps from which on no further one comes; the count is a cycle old.
const FULL: u64 = WAITING_STEPS as u64 - 2;
/// Bits of a step: rows of a and b, first and last lane, first, last, waits for a line, waits for two.
const STEP: usize = 32;
/// Bits of it that the unit gets.
const OUT: usize = 30;
const LAST: usize = 29;
const WAITS: usize = 30;
const WAITS_TWO: usize = 31;
/// Bits of a number of lines.
const COUNT: usize = 6;

hdl_block! {
    /// The block.
    pub CcsWaiting {
        In clock: Domain; /// Clock and reset.
        In enter: Bit; /// A step comes.
        Bus rows: Array<Signal<In, RowNumber>, 2>; /// Rows of its operands.
        In low, high: LaneNumber; /// Its first lane. Its last lane.
        In first, last, waits: Bit; /// It is the first of its row. It is the last of its row. It waits for a line.
        In waits_two: Bit; /// It waits for two.
        Out tight: Bit; /// No further step may come.
        In arrive, pause: Bit; /// A line that steps wait for is written to the store. No step goes in the next cycle.
        Bus more_arrive: Array<Signal<In, Bit>, MORE>; /// One of the port of a.
        In stop: Bit; /// All are dropped.
        Out busy, issue: Bit; /// There are some. A step goes to the unit.
        Bus issue_rows: Array<Signal<Out, RowNumber>, 2>; /// Rows of its operands.
        Out issue_low, issue_high: LaneNumber; /// Its first lane. Its last lane.
        Out issue_first, issue_last: Bit; /// It is the first of its row. It is the last of its row.
    } inside {
        Child ring: AsyncRam<Bits<STEP>, Bits<PLACE>>; // Steps behind the first one.
        Register back, front: Bits<PLACE>; // Next place to be filled. Place of the oldest one.
        Register some, many, valid: Bit; // There are some. Nearly as many as fit, a cycle ago. There is a first one.
        Pipe head: Bits<STEP>; // It.
        Register here: Bits<COUNT>; // Lines that are here for steps that have not gone.
        Child more_here: Array<Register<Bits<COUNT>>, MORE>; // The same of the port of a.
        Register one, two: Bit; // One at least. Two at least; with two ports, one of the port of a.
        Register issued: Bit; // A step goes to the unit.
        Local other: Bit;
        Child more_more, more_left: Array<Signal<Local, Bits<COUNT>>, MORE>;
        Pipe out: Bits<OUT>; // It; without one, what would have gone.
        Value _g: Shape;
        Local step: Bits<STEP>;
        Local goes, direct, pulls, keeps: Bit;
        Local ahead, depth: Bits<PLACE>;
        Local more, left, left_more: Bits<COUNT>;
    }
}

impl CcsWaiting {
    /// The block.
    pub fn new() -> Self {
        CcsWaiting { ring: AsyncRam::new(WAITING_STEPS), ..Self::default() }
    }
}

impl Logic for CcsWaiting {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring);
        dff_setup!(self, clock, back, front, some, many, valid, head, here, one, two, issued);
        dff_setup!(self, clock, out);
        for i in 0..self._g.more {
            self.more_here[i].clock.next = self.clock.val();
            self.more_here[i].d.next = self.more_here[i].q.val();
        }
        self.step.next = bit_cast::<STEP, 7>(self.rows[0].val())
            | (bit_cast::<STEP, 7>(self.rows[1].val()) << 7)
            | (bit_cast::<STEP, 7>(self.low.val()) << 14)
            | (bit_cast::<STEP, 7>(self.high.val()) << 21)
            | (bits_to::<Bits<STEP>, Bit>(self.first.val()) << 28)
            | (bits_to::<Bits<STEP>, Bit>(self.last.val()) << 29)
            | (bits_to::<Bits<STEP>, Bit>(self.waits.val()) << 30)
            | (bits_to::<Bits<STEP>, Bit>(self.waits_two.val()) << 31);
        // The first one goes when its lines are here.
        self.other.next = self.two.q.val() | (self.one.q.val() & self.arrive.val());
        for i in 0..self._g.more {
            self.other.next = self.two.q.val() | self.more_arrive[i].val();
        }
        self.goes.next = self.valid.q.val()
            & (!self.head.q.val().get_bit(WAITS) | self.one.q.val() | self.arrive.val())
            & (!self.head.q.val().get_bit(WAITS_TWO) | self.other.val())
            & !self.pause.val()
            & !self.stop.val();
        // One that waits for nothing passes by.
        self.direct.next =
            self.enter.val() & !self.valid.q.val() & !self.waits.val() & !self.waits_two.val() & !self.pause.val();
        self.issued.d.next = self.goes.val() | self.direct.val();
        self.out.d.next = self.step.val().get_bits::<OUT>(0);
        if self.valid.q.val() {
            self.out.d.next = self.head.q.val().get_bits::<OUT>(0);
        }
        // The next one comes after it.
        self.pulls.next = !self.valid.q.val() | self.goes.val();
        self.keeps.next = self.enter.val() & (self.some.q.val() | !self.pulls.val());
        // The place is free in every cycle: what is written there counts only if the step is kept, which is late.
        self.ring.write_address.next = self.back.q.val();
        self.ring.write_enable.next = true;
        self.ring.write_data.next = self.step.val();
        self.ring.read_address.next = self.front.q.val();
        self.ahead.next = self.front.q.val() + 1;
        self.depth.next = self.back.q.val() - self.front.q.val();
        if self.pulls.val() {
            self.valid.d.next = self.some.q.val() | (self.enter.val() & !self.direct.val());
            self.head.d.next = self.step.val();
            if self.some.q.val() {
                self.head.d.next = self.ring.read_data.val();
                self.front.d.next = self.ahead.val();
            }
        }
        if self.keeps.val() {
            self.back.d.next = self.back.q.val() + 1;
        }
        self.some.d.next =
            self.keeps.val() | (self.some.q.val() & !(self.pulls.val() & (self.ahead.val() == self.back.q.val())));
        self.many.d.next = self.depth.val() >= FULL;
        self.tight.next = self.many.q.val();
        // Lines. What an arrival or a step that goes makes of the number is there before it is known whether there is
        // one: both are late.
        self.more.next = self.here.q.val() + 1;
        self.left.next = self.here.q.val();
        self.left_more.next = self.more.val();
        if self.head.q.val().get_bit(WAITS) {
            self.left.next = self.here.q.val() - 1;
            self.left_more.next = self.here.q.val();
        }
        if self._g.single {
            if self.head.q.val().get_bit(WAITS_TWO) {
                self.left.next = self.here.q.val() - 2;
                self.left_more.next = self.here.q.val() - 1;
            }
        }
        if self.goes.val() {
            self.here.d.next = self.left.val();
            self.one.d.next = self.left.val().any();
            self.two.d.next = (self.left.val() >> 1).any();
            if self.arrive.val() {
                self.here.d.next = self.left_more.val();
                self.one.d.next = self.left_more.val().any();
                self.two.d.next = (self.left_more.val() >> 1).any();
            }
        } else {
            if self.arrive.val() {
                self.here.d.next = self.more.val();
                self.one.d.next = true;
                self.two.d.next = self.one.q.val();
            }
        }
        for i in 0..self._g.more {
            self.more_more[i].next = self.more_here[i].q.val() + 1;
            self.more_left[i].next = self.more_here[i].q.val() - 1;
            self.two.d.next = self.two.q.val();
            if self.goes.val() & self.head.q.val().get_bit(WAITS_TWO) {
                if !self.more_arrive[i].val() {
                    self.more_here[i].d.next = self.more_left[i].val();
                    self.two.d.next = self.more_left[i].val().any();
                }
            } else {
                if self.more_arrive[i].val() {
                    self.more_here[i].d.next = self.more_more[i].val();
                    self.two.d.next = true;
                }
            }
            if self.stop.val() {
                self.more_here[i].d.next = 0.into();
            }
        }
        if self.stop.val() {
            self.front.d.next = self.back.q.val();
            self.some.d.next = false;
            self.valid.d.next = false;
            // What a dropped step has asked for is here for nobody.
            self.here.d.next = 0.into();
            self.one.d.next = false;
            self.two.d.next = false;
        }
        self.busy.next = self.valid.q.val() | self.some.q.val();
        // To the unit.
        self.issue.next = self.issued.q.val();
        self.issue_rows[0].next = self.out.q.val().get_bits::<7>(0);
        self.issue_rows[1].next = self.out.q.val().get_bits::<7>(7);
        self.issue_low.next = self.out.q.val().get_bits::<7>(14);
        self.issue_high.next = self.out.q.val().get_bits::<7>(21);
        self.issue_first.next = self.out.q.val().get_bit(28);
        self.issue_last.next = self.out.q.val().get_bit(LAST);
    }

    describes!(
        block: "ccs_waiting", "Steps that wait for lines, in order.", [FULL, LAST, WAITS, WAITS_TWO, STEP, COUNT, OUT]
    );
}
