//! Row choice: operand x of columns with radix 4 where a row chooses among eight, what a shift by rows leaves nowhere,
//! and the sum and majority of x, y and C in rows that choose or add alone.
//!
//! ```text
//!  a ─┬─▶ M ─▶ G ─▶ K ─▶ E ─▶ F ─▶ V      read in this row and in the six before
//!     └────┴────┴────┴────┴────┴────┴─▶ one of them, or 0, by U, P and T ─▶ · H, ⊕ H ─▶ x
//! ```
//!
//! In a loop over rows from the top one down, a row i that is written with the choice takes row i + 4 · U + 2 · P + T
//! of each column: a shift down by up to six rows, in the time that it takes to write them, where a choice between two
//! rows shifts by one distance only; where the distance is seven it takes 0, and nothing counts as lost. From the
//! lowest row up it is a shift up; a chain of every fourth row shifts by multiples of four. A choice from the other end
//! is among four, by P and T: from the lowest row up, a row i that is written while row i + 3 is read takes row i + 2 ·
//! P + T, a shift down. What is lost of the lowest three rows is noted in the third of them.
//!
//! E and F do not follow then (V takes F all the same), but count with U how many *groups* of rows, as they are
//! written, have begun behind the last 1: the number 4 · U + 2 · F + E becomes 0 where w is 1, else one more in a row
//! whose second code is that of a top row, with which a group begins.
//!
//! One block serves all columns. Combinational: `x` and `lost` follow in the same cycle.
//!
//! Sources: ours; the 4:1 choice over three delay latches is that of the trial of algorithms for radix 4.

use crate::array::isa::latch;
use crate::array::isa::uop::*;
use crate::array::isa::word::control::X_BITS;
use crate::kernel::prelude::*;

hdl_block! {
    /// The choice of all columns.
    pub RowChoice<W: RowWord> {
        In code: Bits<X_BITS>; /// Code of operand x.
        In c_action: Bits<C_BITS>; /// Action of C.
        In second: Bits<SECOND_BITS>; /// What the second adder does elsewhere.
        In alone: Bit; /// The row adds alone.
        In a: W; /// First sensed bit.
        In operand, y: W; /// Operand x of any row, as it is added. Operand y.
        In w: W; /// What goes back to the row.
        In one, two, three: W; /// The bits sensed one, two and three rows before: M, G and K.
        In four, five, six: W; /// Four, five and six rows before: E, F and V.
        In upper, predicate, tag, hold, carry: W; /// Latches U, P, T, H and C.
        Out chooses, reverse: Bit; /// The row chooses: x is for it. It does so from the other end.
        Out adds: Bit; /// It chooses, or adds alone: sum and majority are for it.
        Out x: W; /// Operand x.
        Out sum, majority: W; /// x ⊕ y ⊕ C, and the majority of x, y and C.
        Out one_next, two_next, three_next: W; /// What M, G and K take if it does.
        Out four_next, five_next, six_next: W; /// What E, F and V take if it does.
        Out upper_next: W; /// What U takes if it does so from the other end.
        Out lost: W; /// H, or a 1 is among the rows that a shift takes out: of seven, or from the other end of three.
    } inside {
        Local none, middle, lower, near, far, chosen, first, third, one_more: W;
    }
}

impl<W: RowWord> Logic for RowChoice<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.reverse.next = self.code.val() == X_REVERSE_XOR_H;
        self.chooses.next = self.reverse.val() | (self.code.val() == X_CHOICE) | (self.code.val() == X_CHOICE_AND_H);
        self.middle.next = self.predicate.val();
        self.lower.next = self.tag.val();
        if self.reverse.val() {
            self.middle.next = !self.predicate.val();
            self.lower.next = !self.tag.val();
        }
        self.near.next = (self.middle.val() & self.lower.val() & self.three.val())
            | (self.middle.val() & !self.lower.val() & self.two.val())
            | (!self.middle.val() & self.lower.val() & self.one.val())
            | (!self.middle.val() & !self.lower.val() & self.a.val());
        self.far.next = (self.predicate.val() & !self.tag.val() & self.six.val())
            | (!self.predicate.val() & self.tag.val() & self.five.val())
            | (!self.predicate.val() & !self.tag.val() & self.four.val());
        self.chosen.next = (self.upper.val() & self.far.val()) | (!self.upper.val() & self.near.val());
        self.adds.next = self.chooses.val() | self.alone.val();
        if self.reverse.val() {
            self.x.next = self.near.val() ^ self.hold.val();
        } else if self.code.val() == X_CHOICE_AND_H {
            self.x.next = self.chosen.val() & self.hold.val();
        } else {
            self.x.next = self.chosen.val();
        }
        self.sum.next = self.operand.val() ^ self.y.val() ^ self.carry.val();
        self.majority.next =
            (self.operand.val() & self.y.val()) | (self.carry.val() & (self.operand.val() | self.y.val()));
        // The end of a chain empties it.
        if (self.c_action.val() == C_ZERO) | (self.c_action.val() == C_LAST) {
            self.one_next.next = 0.into();
            self.two_next.next = 0.into();
            self.three_next.next = 0.into();
            self.four_next.next = 0.into();
            self.five_next.next = 0.into();
            self.six_next.next = 0.into();
        } else {
            self.one_next.next = self.a.val();
            self.two_next.next = self.one.val();
            self.three_next.next = self.two.val();
            self.four_next.next = self.three.val();
            self.five_next.next = self.four.val();
            self.six_next.next = self.five.val();
        }
        // Groups of rows behind the last 1.
        self.none.next = 0.into();
        self.one_more.next = 0.into();
        if self.second.val() == SECOND_TOP {
            self.one_more.next = !self.none.val();
        }
        self.upper_next.next =
            !self.w.val() & (self.upper.val() ^ (self.five.val() & self.four.val() & self.one_more.val()));
        if self.reverse.val() {
            self.four_next.next = !self.w.val() & (self.four.val() ^ self.one_more.val());
            self.five_next.next = !self.w.val() & (self.five.val() ^ (self.four.val() & self.one_more.val()));
        }
        // From the other end the lowest row was the first one.
        self.first.next = self.a.val();
        self.third.next = self.two.val();
        if self.reverse.val() {
            self.first.next = self.two.val();
            self.third.next = self.a.val();
        }
        self.lost.next = self.hold.val()
            | (!(self.upper.val() & self.predicate.val() & self.tag.val())
                & (((self.upper.val() | self.predicate.val() | self.tag.val()) & self.first.val())
                    | ((self.upper.val() | self.predicate.val()) & self.one.val())
                    | ((self.upper.val() | (self.predicate.val() & self.tag.val())) & self.third.val())
                    | (self.upper.val() & self.three.val())
                    | (self.upper.val() & (self.predicate.val() | self.tag.val()) & self.four.val())
                    | (self.upper.val() & self.predicate.val() & self.five.val())));
    }

    described! {
        "row_choice", "One of eight rows as operand x of every column (radix 4); column k is bit k."; ; ; ;
        X::CONSTANTS, Second::CONSTANTS, latch::actions()
    }
}
