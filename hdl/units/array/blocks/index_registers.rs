//! Index registers J (inner), I (offset) and L (outer): what each row address takes of them, and how a row leaves them
//! for the next.
//!
//! A row changes them in the cycle with `advance` = 1 in which it leaves the address stage. The first row of a command,
//! still a stage behind, sets them to their start values instead.

use crate::array::blocks::types::RowAddress;
use crate::array::isa::row::{OffsetAction, OuterAction, Step};
use crate::array::isa::word::IndexCode;
use crate::array::isa::word::control::{
    A_IMMEDIATE_BITS, A_INDEX_BITS, B_IMMEDIATE_BITS, B_INDEX_BITS, I_BITS, J_BITS, L_BITS, W_IMMEDIATE_BITS,
    W_INDEX_BITS,
};
use crate::array::params::ROW_ADDRESS_BITS;
use crate::kernel::prelude::*;

numbers! {
    INDEX_J = IndexCode::J, INDEX_K = IndexCode::K, INDEX_L = IndexCode::L, INDEX_I = IndexCode::I, J_UP = Step::Up,
    J_DOWN = Step::Down, J_UP_TWO = Step::UpTwo, L_UP = OuterAction::Up, L_DOWN = OuterAction::Down,
    I_UP = OffsetAction::Up, I_DOWN = OffsetAction::Down, I_DOUBLE = OffsetAction::Double,
    I_HALVE = OffsetAction::Halve, I_WIDTH = OffsetAction::Width, I_LOWER = OffsetAction::Lower
}

hdl_block! {
    /// The index registers.
    pub IndexRegisters {
        In clock: Domain; /// Clock and reset.
        In advance: Bit; /// The stages move.
        In start: Bit; /// The row that comes next is the first of its command.
        In start_i: RowAddress; /// I at the start.
        In valid: Bit; /// There is a row.
        In exit, keyed: Bit; /// It leaves its inner loop. It is addressed by the key scanner.
        In at: RowAddress; /// Key position if keyed, else effective width.
        In j_action: Bits<J_BITS>; /// What J does.
        In j_zero: Bit; /// J is cleared when the row leaves its loop.
        In i_action: Bits<I_BITS>; /// What I does when the row leaves its loop.
        In l_action: Bits<L_BITS>; /// What L does when the row leaves its loop.
        In a_code: Bits<A_INDEX_BITS>; /// [`IndexCode`] of row A.
        In a_immediate: Bits<A_IMMEDIATE_BITS>; /// Its literal index.
        In b_code: Bits<B_INDEX_BITS>; /// [`IndexCode`] of row B.
        In b_immediate: Bits<B_IMMEDIATE_BITS>; /// Its literal index.
        In write_code: Bits<W_INDEX_BITS>; /// [`IndexCode`] of the row written.
        In write_immediate: Bits<W_IMMEDIATE_BITS>; /// Its literal index.
        Out a_index, b_index: RowAddress; /// Index of row A. Index of row B.
        Out write_index: RowAddress; /// Index of the row written.
    } inside {
        Register j, i, l: RowAddress; // Inner index. Offset index. Outer index.
        Local l_index, k_index: RowAddress;
        Value _lower: bool; // There are rows with which J takes I.
    }
}

impl IndexRegisters {
    /// Index registers; `lower` for rows that ask for [`OffsetAction::Lower`].
    pub fn new(lower: bool) -> Self {
        IndexRegisters { _lower: lower, ..Self::default() }
    }
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
                    if self._lower {
                        if self.i_action.val() == I_LOWER {
                            self.i.d.next = self.i.q.val() - 1;
                            self.j.d.next = self.i.q.val() - 1;
                        }
                    }
                }
            }
        }
    }

    described! {
        "index_registers", "Index registers of row addresses."; INDEX_J, INDEX_K, INDEX_L, INDEX_I, J_UP, J_DOWN,
        J_UP_TWO, L_UP, L_DOWN, I_UP, I_DOWN, I_DOUBLE, I_HALVE, I_WIDTH, I_LOWER; _lower
    }
}
