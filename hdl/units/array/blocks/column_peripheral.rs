//! Column peripheral: what stands under every bitline pair. Two sensed bits and the latches go through two operand
//! multiplexers into a full adder; its sum or majority goes back to the row, its results to the latches.
//!
//! ```text
//!  a ─┬────────────┐        ┌─ C ◀─┐
//!  b ─┤ operand x ─┼─▶ full ┤      ├─ next (majority, 1, ¬sum, a·¬y)
//!  H ─┘            │  adder ├─ H ◀─┘
//!  a ─┬────────────┘   │    │
//!  b ─┤ operand y ── + ¬P   └─▶ write-back w (sum, majority, ¬sum, load row) ─▶ T
//!  T ─┘
//! ```
//!
//! With radix 4 there are a second adder ([`SecondAdder`]), rows that choose ([`RowChoice`]) and that gather
//! ([`GatheredBits`]), and latches for them ([`crate::array::isa::second`]). One block serves all columns: column k is
//! bit k of every word. Combinational from `a`, `b`, `load_row` and `control` to `write_data` in the same cycle;
//! latches change at the end of it. All latches are 0 after reset.
//! Sources: Neural Cache, Fig. 1(d), Duality Cache §2.1 (full adder, carry and tag latch); further latches are ours.

use crate::array::blocks::bundles::{LatchSource, LatchStage};
use crate::array::blocks::gathered_bits::GatheredBits;
use crate::array::blocks::row_choice::RowChoice;
use crate::array::blocks::second_adder::SecondAdder;
use crate::array::isa::latch::{self, Present};
use crate::array::isa::uop::*;
use crate::array::isa::word::control::{self, *};
use crate::array::params::{Params, Sensing};
use crate::kernel::prelude::*;

/// Bits of the column control: the low part of the control word, up to `PREDICATED`.
pub const COLUMN_CONTROL: usize = PREDICATED_LSB + PREDICATED_BITS;

hdl_block! {
    /// The column peripheral of all columns.
    pub ColumnPeripheral<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In control: Bits<COLUMN_CONTROL>;
            /// Codes of operands, write-back and latch actions, laid out as the low bits of the control word.
        In a, b: W; /// First sensed bit of every column. Second sensed bit of every column.
        In load_row: W; /// The row that waits at the load port.
        Out write_data: W; /// What goes back to the row, before predication.
        Out tags: W; /// The tag latches.
    } inside {
        Child latches_: LatchStage<W>; // The latches of every column.
        Child adder: Vec<SecondAdder<W>>; // The second adder (radix 4).
        Child choice: Vec<RowChoice<W>>; // One of eight rows (radix 4).
        Child gathered: Vec<GatheredBits<W>>; // What is noted of rows that do not choose (radix 4).
        Local h, d: W;
        Local x_code: Bits<X_BITS>;
        Local y_code: Bits<Y_BITS>;
        Local out_code: Bits<OUT_BITS>;
        Local next_code: Bits<NEXT_BITS>;
        Local c_action: Bits<C_BITS>;
        Local h_action: Bits<H_BITS>;
        Local t_action: Bits<T_BITS>;
        Local d_action: Bits<D_BITS>;
        Local pair, pair_y, x, y, sum, majority, w, latch_data, none: W;
        Local second: Bits<SECOND_BITS>;
        Local chooses: Bit;
        Local bit, held: W;
        Value _two_port, _radix_4: bool;
        Value _adders, _choice: usize; // Whether there is a second adder, and a choice.
        Value _has: Present; // Latches that the design has and its sensing has a use for.
    }
}

impl<W: RowWord> ColumnPeripheral<W> {
    /// The peripheral with the sensing and latches of `params`.
    pub fn new(params: &Params) -> Self {
        let radix_4 = params.radix == 4;
        let choice = radix_4 && params.uses(Latch::Predicate) && params.uses(Latch::Hold);
        ColumnPeripheral {
            adder: radix_4.then(SecondAdder::default).into_iter().collect(),
            choice: choice.then(RowChoice::default).into_iter().collect(),
            gathered: choice.then(GatheredBits::default).into_iter().collect(),
            _choice: usize::from(choice),
            _two_port: params.sensing == Sensing::TwoPort,
            _radix_4: radix_4,
            _adders: usize::from(radix_4),
            _has: Present::of(|latch| params.uses(latch)),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for ColumnPeripheral<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, latches_);
        LatchSource::<W>::join(&mut self.latches_.q, &mut self.latches_.d);
        self.none.next = 0.into();
        // Codes. TwoPort uses the lower half of each list only: a code bit less is a smaller column.
        self.x_code.next = self.control.val().get_bits::<X_BITS>(X_LSB);
        self.y_code.next = self.control.val().get_bits::<Y_BITS>(Y_LSB);
        self.out_code.next = self.control.val().get_bits::<OUT_BITS>(OUT_LSB);
        self.next_code.next = self.control.val().get_bits::<NEXT_BITS>(NEXT_LSB);
        self.h_action.next = self.control.val().get_bits::<H_BITS>(H_LSB);
        if self._two_port {
            self.x_code.next = self.x_code.val() & 7;
            self.next_code.next = self.next_code.val() & 3;
            self.y_code.next = self.y_code.val() & 7;
            self.out_code.next = self.out_code.val() & 3;
            self.h_action.next = self.h_action.val() & 3;
        }
        self.c_action.next = self.control.val().get_bits::<C_BITS>(C_LSB);
        self.t_action.next = self.control.val().get_bits::<T_BITS>(T_LSB);
        // Latches that the design lacks read as 0.
        self.h.next = 0.into();
        if self._has.hold {
            self.h.next = self.latches_.q.hold.val();
        }
        self.d.next = 0.into();
        self.d_action.next = 0.into();
        if self._has.delay {
            self.d.next = self.latches_.q.delay.val();
            self.d_action.next = self.control.val().get_bits::<D_BITS>(D_LSB);
        }
        // The subtrahend's bit out of two overlapping pairs of rows.
        self.pair.next = 0.into();
        self.pair_y.next = 0.into();
        if !self._two_port {
            self.pair.next =
                ((self.a.val() ^ self.b.val()) & !self.h.val()) | (!(self.a.val() ^ self.b.val()) & self.a.val());
            self.pair_y.next = self.pair.val() ^ !(self.latches_.q.tag.val() ^ self.a.val() ^ self.b.val());
        }
        // Operand x.
        if self.x_code.val() == X_A {
            self.x.next = self.a.val();
        } else if self.x_code.val() == X_NOT_A {
            self.x.next = !self.a.val();
        } else if self.x_code.val() == X_ZERO {
            self.x.next = 0.into();
        } else if self.x_code.val() == X_ONE {
            self.x.next = !self.none.val();
        } else if self.x_code.val() == X_H {
            self.x.next = self.h.val();
        } else if self.x_code.val() == X_NOT_H {
            self.x.next = !self.h.val();
        } else if self.x_code.val() == X_H_SELECT {
            self.x.next = (self.h.val() & self.b.val()) | (!self.h.val() & self.a.val());
        } else if self._two_port || (self.x_code.val() == X_B) {
            self.x.next = self.b.val();
        } else if self.x_code.val() == X_HD {
            self.x.next = self.h.val() & self.d.val();
        } else if self.x_code.val() == X_NOT_HD {
            self.x.next = !(self.h.val() & self.d.val());
        } else if self.x_code.val() == X_D_SELECT {
            self.x.next = (self.d.val() & self.b.val()) | (!self.d.val() & self.h.val());
        } else if self.x_code.val() == X_PAIR {
            self.x.next = self.pair.val();
        } else {
            self.x.next = !self.pair.val();
        }
        if self.y_code.val() == Y_B {
            self.y.next = self.b.val();
        } else if self.y_code.val() == Y_NOT_B {
            self.y.next = !self.b.val();
        } else if self.y_code.val() == Y_TB {
            self.y.next = self.latches_.q.tag.val() & self.b.val();
        } else if self.y_code.val() == Y_NOT_TB {
            self.y.next = !(self.latches_.q.tag.val() & self.b.val());
        } else if self.y_code.val() == Y_B_XOR_T {
            self.y.next = self.b.val() ^ self.latches_.q.tag.val();
        } else if self.y_code.val() == Y_T_SELECT {
            self.y.next = (self.latches_.q.tag.val() & self.a.val()) | (!self.latches_.q.tag.val() & self.b.val());
        } else if self.y_code.val() == Y_DIFFER {
            self.y.next = self.latches_.q.tag.val() | (self.a.val() ^ self.b.val());
        } else if self._two_port || (self.y_code.val() == Y_ZERO) {
            self.y.next = 0.into();
        } else if self.y_code.val() == Y_TH_SELECT {
            self.y.next = (self.latches_.q.tag.val() & self.h.val()) | (!self.latches_.q.tag.val() & self.b.val());
        } else if self.y_code.val() == Y_ONE {
            self.y.next = !self.none.val();
        } else if self.y_code.val() == Y_TB_SELECT {
            self.y.next = (self.latches_.q.tag.val() & self.b.val()) | (!self.latches_.q.tag.val() & self.h.val());
        } else if self.y_code.val() == Y_H_NOT_T {
            self.y.next = self.h.val() & !self.latches_.q.tag.val();
        } else if self.y_code.val() == Y_PAIR {
            self.y.next = self.pair_y.val();
        } else if self.y_code.val() == Y_NOT_PAIR {
            self.y.next = !self.pair_y.val();
        } else if self.y_code.val() == Y_TD {
            self.y.next = self.latches_.q.tag.val() & self.d.val();
        } else {
            self.y.next = !(self.latches_.q.tag.val() & self.d.val());
        }
        if self._has.predicate {
            if self.control.val().get_bit(GATE_LSB) {
                self.y.next = self.y.val() | !self.latches_.q.predicate.val();
            }
            if self.control.val().get_bit(P_LSB) {
                self.latches_.d.predicate.next = self.a.val();
            }
        }
        self.chooses.next = false;
        // Full adder and write-back.
        self.sum.next = self.x.val() ^ self.y.val() ^ self.latches_.q.carry.val();
        self.majority.next =
            (self.x.val() & self.y.val()) | (self.latches_.q.carry.val() & (self.x.val() | self.y.val()));
        // The second adder, of which a design without it has nothing.
        self.second.next = 0.into();
        for i in 0..self._adders {
            self.second.next = self.control.val().get_bits::<SECOND_BITS>(SECOND_LSB);
            self.adder[i].second.next = self.second.val();
            self.adder[i].x.next = self.x.val();
            self.adder[i].y.next = self.y.val();
            self.adder[i].b.next = self.b.val();
            self.adder[i].gathers.next = self.control.val().get_bit(GATHERS_LSB);
            self.adder[i].alone.next = self.control.val().get_bit(ALONE_LSB);
            self.adder[i].less.next = 0.into();
            self.adder[i].more.next = 0.into();
            self.adder[i].carry.next = self.latches_.q.carry.val();
            self.adder[i].second_carry.next = self.latches_.q.second_carry.val();
            self.adder[i].multiplicand.next = self.latches_.q.multiplicand.val();
            self.adder[i].predicate.next = 0.into();
            if self._has.predicate {
                self.adder[i].predicate.next = self.latches_.q.predicate.val();
            }
            self.adder[i].a.next = self.a.val();
            self.adder[i].c_action.next = self.c_action.val();
            self.adder[i].next_code.next = self.next_code.val();
            self.adder[i].second_hold.next = self.latches_.q.second_hold.val();
            self.latches_.d.second_carry.next = self.adder[i].second_carry_next.val();
            self.latches_.d.multiplicand.next = self.adder[i].multiplicand_next.val();
            self.latches_.d.second_hold.next = self.adder[i].second_hold_next.val();
            self.sum.next = self.adder[i].sum.val();
            self.majority.next = self.adder[i].majority.val();
        }
        for i in 0..self._choice {
            self.choice[i].code.next = self.control.val().get_bits::<X_BITS>(X_LSB);
            self.choice[i].c_action.next = self.c_action.val();
            self.choice[i].second.next = self.second.val();
            self.choice[i].a.next = self.a.val();
            self.choice[i].one.next = self.latches_.q.multiplicand.val();
            self.choice[i].two.next = self.latches_.q.second_hold.val();
            self.choice[i].three.next = self.latches_.q.second_carry.val();
            self.choice[i].four.next = self.latches_.q.four_before.val();
            self.choice[i].five.next = self.latches_.q.five_before.val();
            self.choice[i].six.next = self.latches_.q.six_before.val();
            self.choice[i].upper.next = self.latches_.q.upper.val();
            self.choice[i].predicate.next = self.latches_.q.predicate.val();
            self.choice[i].tag.next = self.latches_.q.tag.val();
            self.choice[i].hold.next = self.h.val();
            self.choice[i].alone.next = self.control.val().get_bit(ALONE_LSB);
            self.choice[i].y.next = self.y.val();
            self.choice[i].carry.next = self.latches_.q.carry.val();
            self.chooses.next = self.choice[i].chooses.val();
            if self.chooses.val() {
                self.x.next = self.choice[i].x.val();
            }
            self.choice[i].operand.next = self.x.val();
            if self.choice[i].adds.val() {
                self.sum.next = self.choice[i].sum.val();
                self.majority.next = self.choice[i].majority.val();
            }
        }
        if self.out_code.val() == OUT_SUM {
            self.w.next = self.sum.val();
        } else if self.out_code.val() == OUT_MAJORITY {
            self.w.next = self.majority.val();
        } else if self.out_code.val() == OUT_NOT_SUM {
            self.w.next = !self.sum.val();
        } else if self._two_port || (self.out_code.val() == OUT_LOAD) {
            self.w.next = self.load_row.val();
        } else {
            self.w.next = self.latches_.q.tag.val() & self.majority.val();
        }
        self.write_data.next = self.w.val();
        if self.next_code.val() == NEXT_MAJORITY {
            self.latch_data.next = self.majority.val();
        } else if self.next_code.val() == NEXT_ONE {
            self.latch_data.next = !self.none.val();
        } else if self.next_code.val() == NEXT_NOT_SUM {
            self.latch_data.next = !self.sum.val();
        } else if self._two_port || (self.next_code.val() == NEXT_A_AND_NOT_Y) {
            self.latch_data.next = self.a.val() & !self.y.val();
        } else {
            self.latch_data.next = self.latches_.q.tag.val() & self.majority.val();
        }
        self.held.next = self.latch_data.val();
        // Clearing comes first and keeping second, so that synthesis finds them on the flip-flops' own pins.
        if self.c_action.val() == C_ZERO {
            self.latches_.d.carry.next = 0.into();
        } else if self.c_action.val() == C_LOAD {
            self.latches_.d.carry.next = self.latch_data.val();
        }
        for i in 0..self._adders {
            if self.c_action.val() == C_LAST {
                self.latches_.d.carry.next = self.latch_data.val();
            }
            self.adder[i].latch_data.next = self.latch_data.val();
            self.held.next = self.adder[i].held.val();
        }
        for i in 0..self._choice {
            self.adder[i].less.next = self.latches_.q.four_before.val();
            self.adder[i].more.next = self.latches_.q.five_before.val();
            self.gathered[i].gathers.next = self.control.val().get_bit(GATHERS_LSB) & !self.chooses.val();
            self.gathered[i].chooses.next = self.chooses.val();
            self.gathered[i].takes.next = self.control.val().get_bit(P_LSB);
            self.gathered[i].second.next = self.second.val();
            self.gathered[i].a.next = self.a.val();
            self.gathered[i].b.next = self.b.val();
            self.gathered[i].w.next = self.w.val();
            self.gathered[i].predicate.next = self.latches_.q.predicate.val();
            self.gathered[i].tag.next = self.latches_.q.tag.val();
            self.gathered[i].multiplier.next = self.latches_.q.four_before.val();
            self.gathered[i].multiplicand.next = self.latches_.q.five_before.val();
            self.gathered[i].rest.next = self.latches_.q.six_before.val();
            self.gathered[i].zero.next = self.latches_.q.upper.val();
            if self.gathered[i].gives.val() {
                self.held.next = self.gathered[i].hold_next.val();
            }
            if self.gathered[i].takes.val() & self.gathered[i].signs.val() {
                self.latches_.d.predicate.next = self.w.val();
            }
        }
        if self._has.hold {
            if self.h_action.val() == H_ZERO {
                self.latches_.d.hold.next = 0.into();
            } else if self.h_action.val() != H_HOLD {
                if !self._two_port & (self.h_action.val() == H_A) {
                    self.latches_.d.hold.next = self.a.val();
                } else if self.h_action.val().get_bit(0) {
                    self.latches_.d.hold.next = self.latches_.q.hold.val() | (self.w.val() ^ self.x.val());
                } else {
                    self.latches_.d.hold.next = self.held.val();
                }
            }
        }
        for i in 0..self._choice {
            self.latches_.d.four_before.next = self.gathered[i].multiplier_next.val();
            self.latches_.d.five_before.next = self.gathered[i].multiplicand_next.val();
            self.latches_.d.six_before.next = self.gathered[i].rest_next.val();
            self.latches_.d.upper.next = self.gathered[i].zero_next.val();
            self.choice[i].w.next = self.w.val();
            if self.chooses.val() {
                self.latches_.d.multiplicand.next = self.choice[i].one_next.val();
                self.latches_.d.second_hold.next = self.choice[i].two_next.val();
                self.latches_.d.second_carry.next = self.choice[i].three_next.val();
                self.latches_.d.four_before.next = self.choice[i].four_next.val();
                self.latches_.d.five_before.next = self.choice[i].five_next.val();
                self.latches_.d.six_before.next = self.choice[i].six_next.val();
            }
            if self.choice[i].reverse.val() {
                self.latches_.d.upper.next = self.choice[i].upper_next.val();
            }
            if self.control.val().get_bits::<H_BITS>(H_LSB) == H_LOST {
                self.latches_.d.hold.next = self.choice[i].lost.val();
            }
        }
        self.bit.next = self.a.val();
        if self._radix_4 & (self.t_action.val() == T_NEXT) {
            self.t_action.next = T_A.into();
            for i in 0..self._adders {
                self.bit.next = self.adder[i].next_bit.val();
            }
            for i in 0..self._choice {
                if self.gathered[i].gives.val() {
                    self.bit.next = self.gathered[i].tag_next.val();
                }
            }
        }
        if self.t_action.val() == T_ZERO {
            self.latches_.d.tag.next = 0.into();
        } else if self.t_action.val() != T_HOLD {
            // Two bits tell what is left apart: one LUT of T, w, y and a.
            if !self._two_port & (self.t_action.val() == T_XOR) {
                self.latches_.d.tag.next = self.a.val() ^ self.b.val();
            } else if self.t_action.val().get_bit(1) {
                if self.t_action.val().get_bit(0) {
                    self.latches_.d.tag.next = self.latches_.q.tag.val() | (self.w.val() ^ self.y.val());
                } else {
                    self.latches_.d.tag.next = self.w.val();
                }
            } else if self.t_action.val().get_bit(0) {
                self.latches_.d.tag.next = self.latches_.q.tag.val() & self.w.val();
            } else {
                self.latches_.d.tag.next = self.bit.val();
            }
        }
        if self._has.delay {
            if self.d_action.val() == D_ZERO {
                self.latches_.d.delay.next = 0.into();
            } else if self.d_action.val() != D_HOLD {
                if self.d_action.val() == D_A {
                    self.latches_.d.delay.next = self.a.val();
                } else {
                    self.latches_.d.delay.next = self.latches_.q.delay.val() | (self.w.val() ^ self.x.val());
                }
            }
        }
        self.tags.next = self.latches_.q.tag.val();
    }

    described! {
        "column_peripheral", "Sense-amplifier logic, full adder and latches of every column; column k is bit k.";
        SECOND_LSB, GATHERS_LSB, ALONE_LSB; _two_port, _radix_4, _adders, _choice; _has;
        control::PLACES, latch::PLACES, X::CONSTANTS, Y::CONSTANTS, WriteBack::CONSTANTS, Next::CONSTANTS,
        latch::actions(), Second::CONSTANTS
    }
}
