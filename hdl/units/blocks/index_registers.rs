//! Index registers J (inner), I (offset) and L (outer): what each row address takes of them, and how a row leaves them for the next.
//!
//! A row changes them in the cycle with `advance` = 1 in which it leaves the address stage. The first row of a command, still a stage
//! behind, sets them to their start values instead.

use super::types::RowAddress;
use crate::isa::row::{OffsetAction, OuterAction, Step};
use crate::isa::word::IndexCode;
use crate::isa::word::control::{
    A_IMMEDIATE_BITS, A_INDEX_BITS, B_IMMEDIATE_BITS, B_INDEX_BITS, I_BITS, J_BITS, L_BITS, W_IMMEDIATE_BITS,
    W_INDEX_BITS,
};
use crate::kernel::prelude::*;
use crate::params::ROW_ADDRESS_BITS;

const INDEX_J: u64 = IndexCode::J as u64;
const INDEX_K: u64 = IndexCode::K as u64;
const INDEX_L: u64 = IndexCode::L as u64;
const INDEX_I: u64 = IndexCode::I as u64;
const J_UP: u64 = Step::Up as u64;
const J_DOWN: u64 = Step::Down as u64;
const J_UP_TWO: u64 = Step::UpTwo as u64;
const L_UP: u64 = OuterAction::Up as u64;
const L_DOWN: u64 = OuterAction::Down as u64;
const I_UP: u64 = OffsetAction::Up as u64;
const I_DOWN: u64 = OffsetAction::Down as u64;
const I_DOUBLE: u64 = OffsetAction::Double as u64;
const I_HALVE: u64 = OffsetAction::Halve as u64;
const I_WIDTH: u64 = OffsetAction::Width as u64;

/// The index registers.
#[derive(LogicBlock, Default)]
pub struct IndexRegisters {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// The stages move.
    pub advance: Signal<In, Bit>,
    /// The row that comes next is the first of its command.
    pub start: Signal<In, Bit>,
    /// I at the start.
    pub start_i: Signal<In, RowAddress>,
    /// There is a row.
    pub valid: Signal<In, Bit>,
    /// It leaves its inner loop.
    pub exit: Signal<In, Bit>,
    /// It is addressed by the key scanner.
    pub keyed: Signal<In, Bit>,
    /// Key position if keyed, else effective width.
    pub at: Signal<In, RowAddress>,
    /// What J does.
    pub j_action: Signal<In, Bits<J_BITS>>,
    /// J is cleared when the row leaves its loop.
    pub j_zero: Signal<In, Bit>,
    /// What I does when the row leaves its loop.
    pub i_action: Signal<In, Bits<I_BITS>>,
    /// What L does when the row leaves its loop.
    pub l_action: Signal<In, Bits<L_BITS>>,
    /// [`IndexCode`] of row A.
    pub a_code: Signal<In, Bits<A_INDEX_BITS>>,
    /// Its literal index.
    pub a_immediate: Signal<In, Bits<A_IMMEDIATE_BITS>>,
    /// [`IndexCode`] of row B.
    pub b_code: Signal<In, Bits<B_INDEX_BITS>>,
    /// Its literal index.
    pub b_immediate: Signal<In, Bits<B_IMMEDIATE_BITS>>,
    /// [`IndexCode`] of the row written.
    pub write_code: Signal<In, Bits<W_INDEX_BITS>>,
    /// Its literal index.
    pub write_immediate: Signal<In, Bits<W_IMMEDIATE_BITS>>,
    /// Index of row A.
    pub a_index: Signal<Out, RowAddress>,
    /// Index of row B.
    pub b_index: Signal<Out, RowAddress>,
    /// Index of the row written.
    pub write_index: Signal<Out, RowAddress>,
    /// Inner index.
    pub j: Register<RowAddress>,
    /// Offset index.
    pub i: Register<RowAddress>,
    /// Outer index.
    pub l: Register<RowAddress>,
    l_index: Signal<Local, RowAddress>,
    k_index: Signal<Local, RowAddress>,
}

impl Logic for IndexRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, j, i, l);
        self.l_index.next = self.l.q.val();
        if self.keyed.val() {
            self.l_index.next = self.at.val();
        }
        self.k_index.next = self.i.q.val() + self.j.q.val();
        if self.a_code.val() == INDEX_J {
            self.a_index.next = self.j.q.val();
        } else if self.a_code.val() == INDEX_K {
            self.a_index.next = self.k_index.val();
        } else if self.a_code.val() == INDEX_L {
            self.a_index.next = self.l_index.val();
        } else if self.a_code.val() == INDEX_I {
            self.a_index.next = self.i.q.val();
        } else {
            self.a_index.next = bit_cast::<ROW_ADDRESS_BITS, A_IMMEDIATE_BITS>(self.a_immediate.val());
        }
        if self.b_code.val() == INDEX_J {
            self.b_index.next = self.j.q.val();
        } else if self.b_code.val() == INDEX_K {
            self.b_index.next = self.k_index.val();
        } else if self.b_code.val() == INDEX_L {
            self.b_index.next = self.l_index.val();
        } else if self.b_code.val() == INDEX_I {
            self.b_index.next = self.i.q.val();
        } else {
            self.b_index.next = bit_cast::<ROW_ADDRESS_BITS, B_IMMEDIATE_BITS>(self.b_immediate.val());
        }
        if self.write_code.val() == INDEX_J {
            self.write_index.next = self.j.q.val();
        } else if self.write_code.val() == INDEX_K {
            self.write_index.next = self.k_index.val();
        } else if self.write_code.val() == INDEX_L {
            self.write_index.next = self.l_index.val();
        } else if self.write_code.val() == INDEX_I {
            self.write_index.next = self.i.q.val();
        } else {
            self.write_index.next = bit_cast::<ROW_ADDRESS_BITS, W_IMMEDIATE_BITS>(self.write_immediate.val());
        }
        if self.advance.val() {
            if self.start.val() {
                self.j.d.next = 0.into();
                self.i.d.next = self.start_i.val();
                self.l.d.next = 0.into();
            } else if self.valid.val() {
                if self.j_action.val() == J_UP {
                    self.j.d.next = self.j.q.val() + 1;
                } else if self.j_action.val() == J_DOWN {
                    self.j.d.next = self.j.q.val() - 1;
                } else if self.j_action.val() == J_UP_TWO {
                    self.j.d.next = self.j.q.val() + 2;
                }
                if self.exit.val() {
                    if self.j_zero.val() {
                        self.j.d.next = 0.into();
                    }
                    if self.l_action.val() == L_UP {
                        self.l.d.next = self.l.q.val() + 1;
                    } else if self.l_action.val() == L_DOWN {
                        self.l.d.next = self.l.q.val() - 1;
                    }
                    if self.keyed.val() {
                        self.i.d.next = self.at.val();
                    } else if self.i_action.val() == I_UP {
                        self.i.d.next = self.i.q.val() + 1;
                    } else if self.i_action.val() == I_DOWN {
                        self.i.d.next = self.i.q.val() - 1;
                    } else if self.i_action.val() == I_DOUBLE {
                        self.i.d.next = self.i.q.val() << 1;
                    } else if self.i_action.val() == I_HALVE {
                        self.i.d.next = self.i.q.val() >> 1;
                    } else if self.i_action.val() == I_WIDTH {
                        self.i.d.next = self.at.val() - 1;
                    }
                }
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "index_registers",
            "Index registers of row addresses.",
            constants![
                INDEX_J, INDEX_K, INDEX_L, INDEX_I, J_UP, J_DOWN, J_UP_TWO, L_UP, L_DOWN, I_UP, I_DOWN, I_DOUBLE,
                I_HALVE, I_WIDTH
            ],
        )
    }
}
