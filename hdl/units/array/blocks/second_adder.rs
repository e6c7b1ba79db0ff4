//! The second adder of columns with radix 4: x, y, a third addend z and the carries, with what hangs over the top row
//! of a pass.
//!
//! ```text
//!  P · M ─▶ z ─┐
//!  x, y ───────┴▶ first adder ─▶ + C ─▶ sum
//!                     └─ carries ─▶ second adder with K ─▶ majority, high
//! ```
//!
//! z is P · M or its complement, as the code says; in rows that gather and complement, those of a quotient's or a
//! root's passes, it is M ⊕ P, and in the first row of such a pass P ⊕ the next bit, which is E where P is 1, else F.
//! The majority is the lower bit of k₁ + k₂ + K, k₁ being the majority
//! of x, y and z, and k₂ = (x ⊕ y ⊕ z) · C; *high* is the upper one. *Over* is P · b or its complement: what P adds
//! above the top row of a pass.
//!
//! - Rows that add alone take x, y and C alone, which is not done here, and K keeps what it has.
//! - K and M become 0 where C is cleared, or takes anything but the majority; M also in the last row of a pass.
//!   Otherwise K takes high where C loads, and M takes b, as the code says.
//! - What hangs over, in the top row of a pass, is over + majority + 2 · high: G takes the upper bit, and H, where it
//!   loads, the lower one. Where a row parks a bit, G takes a, and H what G had.
//! - The multiplier's next bit is G in the top row of a pass, else b.
//! - Rows that gather by the code of a top row, q complemented or not, are none: M and G become 0.
//!
//! One block serves all columns. Combinational: outputs follow in the same cycle.
//!
//! Sources: ours; radix 4 by two adders in a column is the idea of the trial of algorithms for it.

use crate::array::isa::latch;
use crate::array::isa::uop::*;
use crate::array::isa::word::control::NEXT_BITS;
use crate::kernel::prelude::*;

hdl_block! {
    /// The second adder of all columns.
    pub SecondAdder<W: RowWord> {
        In second: Bits<SECOND_BITS>; /// What it does.
        In gathers, alone: Bit; /// The row gathers. It adds alone.
        In c_action: Bits<C_BITS>; /// Action of C.
        In next_code: Bits<NEXT_BITS>; /// What C takes, where it loads.
        In x, y: W; /// Operands x and y.
        In a, b: W; /// The sensed bits.
        In carry, second_carry, second_hold, predicate, multiplicand: W; /// Latches C, K, G, P and M.
        In less, more: W; /// Latches E and F: the next bit where P is 1, and where it is 0.
        In latch_data: W; /// What C and H share as their data input.
        Out sum, majority: W; /// Bits of the sum with the weights 1 and 2.
        Out held, next_bit: W; /// What H takes where it loads. What T takes as the multiplier's next bit.
        Out second_carry_next, multiplicand_next, second_hold_next: W; /// What K, M and G take.
    } inside {
        Local given, top, park: Bit;
        Local over: W;
        Local none, z, first_sum, first_carry, high, not_z, not_over: W;
    }
}

impl<W: RowWord> Logic for SecondAdder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.none.next = 0.into();
        self.top.next = (self.second.val() == SECOND_TOP)
            | (self.second.val() == SECOND_TOP_NOT_Q)
            | (self.second.val() == SECOND_NOT_TOP);
        self.given.next =
            self.gathers.val() & ((self.second.val() == SECOND_TOP) | (self.second.val() == SECOND_TOP_NOT_Q));
        self.park.next = (self.second.val() == SECOND_PARK) | (self.second.val() == SECOND_NOT_PARK);
        self.not_z.next = 0.into();
        if (self.second.val() == SECOND_NOT_PASS)
            | (self.second.val() == SECOND_NOT_PARK)
            | (self.second.val() == SECOND_NOT_TOP)
        {
            self.not_z.next = !self.none.val();
        }
        self.not_over.next = 0.into();
        if self.second.val() == SECOND_TOP_NOT_Q {
            self.not_over.next = !self.none.val();
        }
        self.z.next = (self.predicate.val() & self.multiplicand.val()) ^ self.not_z.val();
        if self.gathers.val() {
            if self.second.val() == SECOND_NOT_PASS {
                self.z.next = self.predicate.val() ^ self.multiplicand.val();
            } else if (self.second.val() == SECOND_NOT_PARK) | (self.second.val() == SECOND_NOT_TOP) {
                self.z.next = (self.predicate.val() & !self.less.val()) | (!self.predicate.val() & self.more.val());
            }
        }
        self.first_sum.next = self.x.val() ^ self.y.val() ^ self.z.val();
        self.first_carry.next = (self.x.val() & self.y.val()) | (self.z.val() & (self.x.val() | self.y.val()));
        self.sum.next = self.first_sum.val() ^ self.carry.val();
        self.majority.next =
            self.first_carry.val() ^ (self.first_sum.val() & self.carry.val()) ^ self.second_carry.val();
        self.high.next = (self.first_carry.val()
            & ((self.first_sum.val() & self.carry.val()) | self.second_carry.val()))
            | (self.first_sum.val() & self.carry.val() & self.second_carry.val());
        self.over.next = (self.predicate.val() & self.b.val()) ^ self.not_over.val();
        self.second_carry_next.next = self.second_carry.val();
        self.multiplicand_next.next = self.multiplicand.val();
        if (self.c_action.val() == C_ZERO) | ((self.c_action.val() != C_HOLD) & (self.next_code.val() != NEXT_MAJORITY))
        {
            self.second_carry_next.next = 0.into();
            self.multiplicand_next.next = 0.into();
        } else {
            if (self.c_action.val() != C_HOLD) & !self.alone.val() {
                self.second_carry_next.next = self.high.val();
            }
            if (self.c_action.val() == C_LAST) | self.given.val() {
                self.multiplicand_next.next = 0.into();
            } else if self.second.val() != SECOND_OFF {
                self.multiplicand_next.next = self.b.val();
            }
        }
        self.second_hold_next.next = self.second_hold.val();
        if self.park.val() {
            self.second_hold_next.next = self.a.val();
        } else if self.given.val() {
            self.second_hold_next.next = 0.into();
        } else if self.top.val() {
            self.second_hold_next.next = (self.over.val() & self.majority.val()) ^ self.high.val();
        }
        self.held.next = self.latch_data.val();
        self.next_bit.next = self.b.val();
        if self.park.val() {
            self.held.next = self.second_hold.val();
        } else if self.top.val() {
            self.held.next = self.latch_data.val() ^ self.over.val();
            self.next_bit.next = self.second_hold.val();
        }
    }

    described! {
        "second_adder", "The second adder of every column (radix 4); column k is bit k."; ; ; ;
        Second::CONSTANTS, Next::CONSTANTS, latch::actions()
    }
}
