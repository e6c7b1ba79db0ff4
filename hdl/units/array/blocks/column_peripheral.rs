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
//! One block serves all columns: column k is bit k of every word. Combinational from `a`, `b`, `load_row` and `control`
//! to `write_data` in the same cycle; latches change at the end of it. All latches are 0 after reset.
//!
//! Sources: Neural Cache, Fig. 1(d), Duality Cache §2.1 (full adder, carry and tag latch); the further latches are
//! ours.

use crate::array::isa::uop::*;
use crate::array::isa::word::control::*;
use crate::array::params::{Latch, Params, Sensing};
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
        Register carry, tag, hold, predicate: W; // Carry latches. Tag latches. Hold latches. Predicate latches.
        Register delay: W; // Delay latches.
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
        Value _two_port, _has_hold, _has_predicate, _has_delay: bool;
    }
}

impl<W: RowWord> ColumnPeripheral<W> {
    /// The peripheral with the sensing and latches of `params`.
    pub fn new(params: &Params) -> Self {
        ColumnPeripheral {
            _two_port: params.sensing == Sensing::TwoPort,
            _has_hold: params.has(Latch::Hold),
            _has_predicate: params.has(Latch::Predicate) && params.sensing == Sensing::TwoPort,
            _has_delay: params.has(Latch::Delay) && params.sensing == Sensing::AndNor,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for ColumnPeripheral<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, carry, tag, hold, predicate, delay);
        self.none.next = 0.into();
        // Codes. TwoPort uses the lower half of each list only: a code bit less is a smaller column.
        self.x_code.next = self.control.val().get_bits::<X_BITS>(X_LSB);
        self.y_code.next = self.control.val().get_bits::<Y_BITS>(Y_LSB);
        self.out_code.next = self.control.val().get_bits::<OUT_BITS>(OUT_LSB);
        self.next_code.next = self.control.val().get_bits::<NEXT_BITS>(NEXT_LSB);
        self.h_action.next = self.control.val().get_bits::<H_BITS>(H_LSB);
        if self._two_port {
            self.x_code.next = self.x_code.val() & 7;
            self.y_code.next = self.y_code.val() & 7;
            self.out_code.next = self.out_code.val() & 3;
            self.next_code.next = self.next_code.val() & 3;
            self.h_action.next = self.h_action.val() & 3;
        }
        self.c_action.next = self.control.val().get_bits::<C_BITS>(C_LSB);
        self.t_action.next = self.control.val().get_bits::<T_BITS>(T_LSB);
        // Latches that the design lacks read as 0.
        self.h.next = 0.into();
        if self._has_hold {
            self.h.next = self.hold.q.val();
        }
        self.d.next = 0.into();
        self.d_action.next = 0.into();
        if self._has_delay {
            self.d.next = self.delay.q.val();
            self.d_action.next = self.control.val().get_bits::<D_BITS>(D_LSB);
        }
        // The subtrahend's bit out of two overlapping pairs of rows.
        self.pair.next = 0.into();
        self.pair_y.next = 0.into();
        if !self._two_port {
            self.pair.next =
                ((self.a.val() ^ self.b.val()) & !self.h.val()) | (!(self.a.val() ^ self.b.val()) & self.a.val());
            self.pair_y.next = self.pair.val() ^ !(self.tag.q.val() ^ self.a.val() ^ self.b.val());
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
        // Operand y.
        if self.y_code.val() == Y_B {
            self.y.next = self.b.val();
        } else if self.y_code.val() == Y_NOT_B {
            self.y.next = !self.b.val();
        } else if self.y_code.val() == Y_TB {
            self.y.next = self.tag.q.val() & self.b.val();
        } else if self.y_code.val() == Y_NOT_TB {
            self.y.next = !(self.tag.q.val() & self.b.val());
        } else if self.y_code.val() == Y_B_XOR_T {
            self.y.next = self.b.val() ^ self.tag.q.val();
        } else if self.y_code.val() == Y_T_SELECT {
            self.y.next = (self.tag.q.val() & self.a.val()) | (!self.tag.q.val() & self.b.val());
        } else if self.y_code.val() == Y_DIFFER {
            self.y.next = self.tag.q.val() | (self.a.val() ^ self.b.val());
        } else if self._two_port || (self.y_code.val() == Y_ZERO) {
            self.y.next = 0.into();
        } else if self.y_code.val() == Y_TH_SELECT {
            self.y.next = (self.tag.q.val() & self.h.val()) | (!self.tag.q.val() & self.b.val());
        } else if self.y_code.val() == Y_ONE {
            self.y.next = !self.none.val();
        } else if self.y_code.val() == Y_TB_SELECT {
            self.y.next = (self.tag.q.val() & self.b.val()) | (!self.tag.q.val() & self.h.val());
        } else if self.y_code.val() == Y_H_NOT_T {
            self.y.next = self.h.val() & !self.tag.q.val();
        } else if self.y_code.val() == Y_PAIR {
            self.y.next = self.pair_y.val();
        } else if self.y_code.val() == Y_NOT_PAIR {
            self.y.next = !self.pair_y.val();
        } else if self.y_code.val() == Y_TD {
            self.y.next = self.tag.q.val() & self.d.val();
        } else {
            self.y.next = !(self.tag.q.val() & self.d.val());
        }
        if self._has_predicate {
            if self.control.val().get_bit(GATE_LSB) {
                self.y.next = self.y.val() | !self.predicate.q.val();
            }
            if self.control.val().get_bit(P_LSB) {
                self.predicate.d.next = self.a.val();
            }
        }
        // Full adder and write-back.
        self.sum.next = self.x.val() ^ self.y.val() ^ self.carry.q.val();
        self.majority.next = (self.x.val() & self.y.val()) | (self.carry.q.val() & (self.x.val() | self.y.val()));
        if self.out_code.val() == OUT_SUM {
            self.w.next = self.sum.val();
        } else if self.out_code.val() == OUT_MAJORITY {
            self.w.next = self.majority.val();
        } else if self.out_code.val() == OUT_NOT_SUM {
            self.w.next = !self.sum.val();
        } else if self._two_port || (self.out_code.val() == OUT_LOAD) {
            self.w.next = self.load_row.val();
        } else {
            self.w.next = self.tag.q.val() & self.majority.val();
        }
        self.write_data.next = self.w.val();
        // Latches.
        if self.next_code.val() == NEXT_MAJORITY {
            self.latch_data.next = self.majority.val();
        } else if self.next_code.val() == NEXT_ONE {
            self.latch_data.next = !self.none.val();
        } else if self.next_code.val() == NEXT_NOT_SUM {
            self.latch_data.next = !self.sum.val();
        } else if self._two_port || (self.next_code.val() == NEXT_A_AND_NOT_Y) {
            self.latch_data.next = self.a.val() & !self.y.val();
        } else {
            self.latch_data.next = self.tag.q.val() & self.majority.val();
        }
        // Clearing comes first and keeping second, so that synthesis finds them on the flip-flops' own pins.
        if self.c_action.val() == C_ZERO {
            self.carry.d.next = 0.into();
        } else if self.c_action.val() == C_LOAD {
            self.carry.d.next = self.latch_data.val();
        }
        if self._has_hold {
            if self.h_action.val() == H_ZERO {
                self.hold.d.next = 0.into();
            } else if self.h_action.val() != H_HOLD {
                if !self._two_port & (self.h_action.val() == H_A) {
                    self.hold.d.next = self.a.val();
                } else if self.h_action.val().get_bit(0) {
                    self.hold.d.next = self.hold.q.val() | (self.w.val() ^ self.x.val());
                } else {
                    self.hold.d.next = self.latch_data.val();
                }
            }
        }
        if self.t_action.val() == T_ZERO {
            self.tag.d.next = 0.into();
        } else if self.t_action.val() != T_HOLD {
            // Two bits tell what is left apart: one LUT of T, w, y and a.
            if !self._two_port & (self.t_action.val() == T_XOR) {
                self.tag.d.next = self.a.val() ^ self.b.val();
            } else if self.t_action.val().get_bit(1) {
                if self.t_action.val().get_bit(0) {
                    self.tag.d.next = self.tag.q.val() | (self.w.val() ^ self.y.val());
                } else {
                    self.tag.d.next = self.w.val();
                }
            } else if self.t_action.val().get_bit(0) {
                self.tag.d.next = self.tag.q.val() & self.w.val();
            } else {
                self.tag.d.next = self.a.val();
            }
        }
        if self._has_delay {
            if self.d_action.val() == D_ZERO {
                self.delay.d.next = 0.into();
            } else if self.d_action.val() != D_HOLD {
                if self.d_action.val() == D_A {
                    self.delay.d.next = self.a.val();
                } else {
                    self.delay.d.next = self.delay.q.val() | (self.w.val() ^ self.x.val());
                }
            }
        }
        self.tags.next = self.tag.q.val();
    }

    described! {
        "column_peripheral", "Sense-amplifier logic, full adder and latches of every column; column k is bit k."; X_LSB,
        Y_LSB, GATE_LSB, OUT_LSB, NEXT_LSB, C_LSB, H_LSB, T_LSB, P_LSB, D_LSB, X_A, X_NOT_A, X_ZERO, X_ONE, X_H,
        X_NOT_H, X_H_SELECT, X_B, X_HD, X_NOT_HD, X_D_SELECT, X_PAIR, Y_B, Y_NOT_B, Y_TB, Y_NOT_TB, Y_B_XOR_T,
        Y_T_SELECT, Y_DIFFER, Y_ZERO, Y_TH_SELECT, Y_ONE, Y_TB_SELECT, Y_H_NOT_T, Y_PAIR, Y_NOT_PAIR, Y_TD, OUT_SUM,
        OUT_MAJORITY, OUT_NOT_SUM, OUT_LOAD, NEXT_MAJORITY, NEXT_ONE, NEXT_NOT_SUM, NEXT_A_AND_NOT_Y, C_LOAD, C_ZERO,
        H_ZERO, H_A, T_ZERO, T_XOR, D_A, D_ZERO, H_HOLD, T_HOLD, D_HOLD; _two_port, _has_hold, _has_predicate,
        _has_delay
    }
}
