//! Steps that wait for their lines, and go to the unit in order.
//!
//! ```text
//!  step ─┬─▶ ring of 8 ─▶ first one ─┬─▶ rows of the store, unit
//!        └── waits for nothing, nobody is there ──▶
//! ```
//!
//! A step that comes (`enter`) in cycle t goes to the unit in t + 1 (`issue`) if it waits for nothing and there is no
//! other; else it is the first one in t + 1 at the earliest, and one goes in every cycle. A line that arrives in t lets
//! a step go that is with the unit in t + 3. `pause` leaves the next cycle without a step; `stop` drops all that have
//! not gone. `tight` comes a cycle late, when two more have room.

use crate::ccs::blocks::types::{LaneNumber, RowNumber, WAITING_STEPS, describes};
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

/// The block.
#[derive(LogicBlock, Default)]
pub struct CcsWaiting {
    pub(super) clock: Signal<In, Domain>,
    pub(super) enter: Signal<In, Bit>,                       // A step comes.
    pub(super) rows: Array<Signal<In, RowNumber>, 2>,        // Rows of its operands.
    pub(super) low: Signal<In, LaneNumber>,                  // Its first lane.
    pub(super) high: Signal<In, LaneNumber>,                 // Its last lane.
    pub(super) first: Signal<In, Bit>,                       // It is the first of its row.
    pub(super) last: Signal<In, Bit>,                        // It is the last of its row.
    pub(super) waits: Signal<In, Bit>,                       // It waits for a line.
    pub(super) waits_two: Signal<In, Bit>,                   // It waits for two.
    pub(super) tight: Signal<Out, Bit>,                      // No further step may come.
    pub(super) arrive: Signal<In, Bit>,                      // A line that steps wait for is written to the store.
    pub(super) pause: Signal<In, Bit>,                       // No step goes in the next cycle.
    pub(super) stop: Signal<In, Bit>,                        // All are dropped.
    pub(super) busy: Signal<Out, Bit>,                       // There are some.
    pub(super) issue: Signal<Out, Bit>,                      // A step goes to the unit.
    pub(super) issue_rows: Array<Signal<Out, RowNumber>, 2>, // Rows of its operands.
    pub(super) issue_low: Signal<Out, LaneNumber>,           // Its first lane.
    pub(super) issue_high: Signal<Out, LaneNumber>,          // Its last lane.
    pub(super) issue_first: Signal<Out, Bit>,                // It is the first of its row.
    pub(super) issue_last: Signal<Out, Bit>,                 // It is the last of its row.
    ring: AsyncRam<Bits<STEP>, Bits<PLACE>>,                 // Steps behind the first one.
    back: Register<Bits<PLACE>>,                             // Next place to be filled.
    front: Register<Bits<PLACE>>,                            // Place of the oldest one.
    some: Register<Bit>,                                     // There are some.
    many: Register<Bit>,                                     // Nearly as many as fit, a cycle ago.
    valid: Register<Bit>,                                    // There is a first one.
    head: Pipe<Bits<STEP>>,                                  // It.
    came: Register<Bit>,                                     // A line arrived, a cycle ago.
    here: Register<Bits<COUNT>>,                             // Lines that are here for steps that have not gone.
    one: Register<Bit>,                                      // One at least.
    two: Register<Bit>,                                      // Two at least.
    issued: Register<Bit>,                                   // A step goes to the unit.
    out: Pipe<Bits<OUT>>,                                    // It; without one, what would have gone.
    step: Signal<Local, Bits<STEP>>,
    goes: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    pulls: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    ahead: Signal<Local, Bits<PLACE>>,
    depth: Signal<Local, Bits<PLACE>>,
    more: Signal<Local, Bits<COUNT>>,
    rest: Signal<Local, Bits<COUNT>>,
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
        dff_setup!(self, clock, back, front, some, many, valid, head, came, here, one, two, issued);
        dff_setup!(self, clock, out);
        self.step.next = bit_cast::<STEP, 7>(self.rows[0].val())
            | (bit_cast::<STEP, 7>(self.rows[1].val()) << 7)
            | (bit_cast::<STEP, 7>(self.low.val()) << 14)
            | (bit_cast::<STEP, 7>(self.high.val()) << 21)
            | (bits_to::<Bits<STEP>, Bit>(self.first.val()) << 28)
            | (bits_to::<Bits<STEP>, Bit>(self.last.val()) << 29)
            | (bits_to::<Bits<STEP>, Bit>(self.waits.val()) << 30)
            | (bits_to::<Bits<STEP>, Bit>(self.waits_two.val()) << 31);
        // The first one goes when its lines are here.
        self.goes.next = self.valid.q.val()
            & (!self.head.q.val().get_bit(WAITS) | self.one.q.val())
            & (!self.head.q.val().get_bit(WAITS_TWO) | self.two.q.val())
            & !self.pause.val()
            & !self.stop.val();
        // One that waits for nothing passes by.
        self.direct.next = self.enter.val() & !self.valid.q.val() & !self.waits.val() & !self.pause.val();
        self.issued.d.next = self.goes.val() | self.direct.val();
        self.out.d.next = self.step.val().get_bits::<OUT>(0);
        if self.valid.q.val() {
            self.out.d.next = self.head.q.val().get_bits::<OUT>(0);
        }
        // The next one comes after it.
        self.pulls.next = !self.valid.q.val() | self.goes.val();
        self.keeps.next = self.enter.val() & (self.some.q.val() | !self.pulls.val());
        self.ring.write_address.next = self.back.q.val();
        self.ring.write_enable.next = self.keeps.val();
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
        // Lines.
        self.came.d.next = self.arrive.val();
        self.more.next = self.here.q.val() + bits_to::<Bits<COUNT>, Bit>(self.came.q.val());
        self.rest.next = self.more.val();
        if self.goes.val() & self.head.q.val().get_bit(WAITS) {
            self.rest.next = self.more.val() - 1;
            if self.head.q.val().get_bit(WAITS_TWO) {
                self.rest.next = self.more.val() - 2;
            }
        }
        self.here.d.next = self.rest.val();
        self.one.d.next = self.rest.val().any();
        self.two.d.next = (self.rest.val() >> 1).any();
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

    describes!("ccs_waiting", "Steps that wait for lines, in order.", [FULL, LAST, WAITS, WAITS_TWO, STEP, COUNT, OUT]);
}
