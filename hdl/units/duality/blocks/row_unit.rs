//! Row unit: runs a pass over rows, one micro-operation a cycle. What the passes do is in their table
//! ([`crate::duality::passes`]).
//!
//! `start` = 1 in cycle t, with `busy` = 0, takes the pass. The latches are made ready in t + 1, and row k, from 0 on,
//! is issued in t + 2 + k; a cycle earlier if the pass makes no latches ready. `busy` = 1 from t + 1 to the cycle
//! behind the last row, in which `ends` = 1. A pass that starts in the next cycle reads what this one has written.

use crate::array::blocks::bundles::MicroOperationSource;
use crate::array::blocks::column_peripheral::COLUMN_CONTROL;
use crate::array::blocks::types::RowAddress;
use crate::duality::passes::action::*;
use crate::duality::passes::{PASS_BITS, Pass, Place};
use crate::kernel::prelude::*;

/// An action of a pass.
pub type ActionWord = Word<{ WIDTH }, 1>;
/// Bits of an action's place in the ROM.
const ACTION_BITS: usize = PASS_BITS + 3;
/// Bits of a place's code.
const PLACE_BITS: usize = A_BITS;

numbers! {
    IDLE = 0, LATCHES = 1, ROWS = 2, LAST_WRITE = 3, NOWHERE = Place::Nowhere, FROM = Place::From, TO = Place::To,
    PREPARING = Pass::preparing()
}

hdl_block! {
    /// The row unit.
    pub DualityRowUnit {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A pass begins.
        In pass: Bits<PASS_BITS>; /// Which one.
        In count: Bits<8>; /// Its rows, at least 1.
        In from, to, extra: RowAddress; /// Its first rows, and the row that stays.
        In given: Bits<8>; /// Rows from `from` on that are read; those above them are 0.
        In value: Word<64, 1>; /// The value of a constant.
        Out busy: Bit; /// A pass runs.
        Out ends: Bit; /// This is its last cycle.
        Bus own_: MicroOperationSource; /// What the array does.
    } inside {
        Child table: AsyncRom<ActionWord, Bits<ACTION_BITS>>; // Actions of the passes.
        Register phase: Bits<2>; // What is done in this cycle.
        Register code: Bits<PASS_BITS>; // The pass.
        Register left, own: Bits<8>; // Rows to come, and those of them that `from` has.
        Register from_row, to_row, extra_row: RowAddress; // Rows of this cycle.
        Register bits: Word<64, 1>; // The value's bits to come.
        Local which: Bits<3>; // The action of the pass.
        Local above: Bit; // `from` has no more rows.
        Local action: ActionWord;
        Local place_a, place_b: Bits<PLACE_BITS>;
        Local preparing: Bits<{ Pass::ALL.len() }>; // Passes that make latches ready.
    }
}

impl DualityRowUnit {
    /// A row unit.
    pub fn new() -> Self {
        let words = Pass::words().into_iter().map(ActionWord::from).collect();
        DualityRowUnit { table: AsyncRom::new(words), ..Self::default() }
    }
}

impl Logic for DualityRowUnit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, code, left, own, from_row, to_row, extra_row, bits);
        self.which.next = 0.into();
        if self.phase.q.val() == ROWS {
            self.which.next = 1.into();
            if self.left.q.val() == 1 {
                self.which.next = 3.into();
            }
            if self.bits.q.val().get_bit(0) {
                self.which.next = self.which.val() + 1;
            }
        }
        self.table.address.next =
            (bit_cast::<ACTION_BITS, PASS_BITS>(self.code.q.val()) << 3) | bit_cast::<ACTION_BITS, 3>(self.which.val());
        self.action.next = 0.into();
        if (self.phase.q.val() == LATCHES) | (self.phase.q.val() == ROWS) {
            self.action.next = self.table.data.val();
        }
        self.place_a.next = self.action.val().get_bits::<PLACE_BITS>(A_LSB);
        self.place_b.next = self.action.val().get_bits::<PLACE_BITS>(B_LSB);
        self.own_.column.next = self.action.val().get_bits::<COLUMN_CONTROL>(COLUMN_LSB);
        self.above.next = self.own.q.val() == 0;
        self.own_.a_enable.next = (self.place_a.val() != NOWHERE) & !((self.place_a.val() == FROM) & self.above.val());
        self.own_.b_enable.next = (self.place_b.val() != NOWHERE) & !((self.place_b.val() == FROM) & self.above.val());
        self.own_.a_row.next = self.extra_row.q.val();
        if self.place_a.val() == FROM {
            self.own_.a_row.next = self.from_row.q.val();
        } else if self.place_a.val() == TO {
            self.own_.a_row.next = self.to_row.q.val();
        }
        self.own_.b_row.next = self.extra_row.q.val();
        if self.place_b.val() == FROM {
            self.own_.b_row.next = self.from_row.q.val();
        } else if self.place_b.val() == TO {
            self.own_.b_row.next = self.to_row.q.val();
        }
        self.own_.merge.next = false;
        self.own_.multi.next = 0.into();
        self.own_.multi_rows.next = 0.into();
        self.own_.write_enable.next = self.action.val().get_bit(WRITE_LSB);
        self.own_.write_row.next = self.to_row.q.val();
        self.own_.load.next = self.action.val().get_bit(LOAD_LSB);
        self.own_.store.next = self.action.val().get_bit(STORE_LSB);
        self.busy.next = self.phase.q.val() != IDLE;
        self.ends.next = self.phase.q.val() == LAST_WRITE;
        self.preparing.next = PREPARING.into();
        if self.phase.q.val() == LATCHES {
            self.phase.d.next = ROWS.into();
        } else if self.phase.q.val() == ROWS {
            self.left.d.next = self.left.q.val() - 1;
            if !self.above.val() {
                self.own.d.next = self.own.q.val() - 1;
            }
            self.from_row.d.next = self.from_row.q.val() + 1;
            self.to_row.d.next = self.to_row.q.val() + 1;
            self.bits.d.next = self.bits.q.val() >> 1;
            if self.left.q.val() == 1 {
                self.phase.d.next = LAST_WRITE.into();
            }
        } else if self.phase.q.val() == LAST_WRITE {
            self.phase.d.next = IDLE.into();
        } else if self.start.val() {
            self.phase.d.next = ROWS.into();
            if self.preparing.val().get_bit(self.pass.val().index()) {
                self.phase.d.next = LATCHES.into();
            }
            self.code.d.next = self.pass.val();
            self.left.d.next = self.count.val();
            self.own.d.next = self.given.val();
            self.from_row.d.next = self.from.val();
            self.to_row.d.next = self.to.val();
            self.extra_row.d.next = self.extra.val();
            self.bits.d.next = self.value.val();
        }
    }

    described! {
        "duality_row_unit", "Runs a pass over rows, one micro-operation a cycle."; IDLE, LATCHES, ROWS, LAST_WRITE,
        NOWHERE, FROM, TO, PREPARING, A_LSB, B_LSB, COLUMN_LSB, WRITE_LSB, LOAD_LSB, STORE_LSB
    }
}
