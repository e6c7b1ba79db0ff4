//! Address adder: the two pipeline stages between address generator and issue. The first holds base and index of each
//! row address, the second their sums; what else a row says goes along.
//!
//! ```text
//!  address generator ─▶ base, index ─▶ base + index ─▶ issue
//! ```
//!
//! Both stages move in the cycles with `advance` = 1; all outputs are of the second stage, in the same cycle.

use crate::array::blocks::bundles::{ActionSink, ActionSource, ActionStage};
use crate::array::blocks::types::RowAddress;
use crate::kernel::prelude::*;

hdl_block! {
    /// The address adder.
    pub AddressAdder {
        In clock: Domain; /// Clock and reset.
        In advance: Bit; /// The stages move.
        Bus in__: ActionSink; /// A row comes in.
        In in_a_base, in_a_index: RowAddress; /// Base and index of its row A.
        In in_b_base, in_b_index: RowAddress; /// Base and index of its row B.
        In in_write_base, in_write_index: RowAddress; /// Base and index of the row that it writes.
        Out occupied: Bit; /// Something is in the two stages.
        Bus own_: ActionSource; /// The row in the second stage.
        Out a_row, b_row, write_row: RowAddress; /// Its rows A and B, and the row that it writes.
    } inside {
        Child sum: ActionStage; // First stage.
        Register sum_a_base, sum_a_index, sum_b_base, sum_b_index, sum_write_base, sum_write_index: RowAddress;
        Child row: ActionStage; // Second stage.
        Register row_a, row_b, row_write: RowAddress;
        Value _multi: bool;
    }
}

impl AddressAdder {
    /// An address adder; `multi` with multi-row sensing.
    pub fn new(multi: bool) -> Self {
        AddressAdder { _multi: multi, ..Self::default() }
    }
}

impl Logic for AddressAdder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sum, row);
        dff_setup!(self, clock, sum_a_base, sum_a_index, sum_b_base, sum_b_index, sum_write_base, sum_write_index);
        dff_setup!(self, clock, row_a, row_b, row_write);
        ActionSource::join(&mut self.sum.q, &mut self.sum.d);
        ActionSource::join(&mut self.row.q, &mut self.row.d);
        if self.advance.val() {
            ActionSink::link(&mut self.in__, &mut self.sum.d);
            ActionSource::join(&mut self.sum.q, &mut self.row.d);
            self.sum_a_base.d.next = self.in_a_base.val();
            self.sum_a_index.d.next = self.in_a_index.val();
            self.row_a.d.next = self.sum_a_base.q.val() + self.sum_a_index.q.val();
            self.sum_b_base.d.next = self.in_b_base.val();
            self.sum_b_index.d.next = self.in_b_index.val();
            self.row_b.d.next = self.sum_b_base.q.val() + self.sum_b_index.q.val();
            self.sum_write_base.d.next = self.in_write_base.val();
            self.sum_write_index.d.next = self.in_write_index.val();
            self.row_write.d.next = self.sum_write_base.q.val() + self.sum_write_index.q.val();
        }
        self.occupied.next = self.sum.q.valid.val() | self.row.q.valid.val();
        ActionSource::link(&mut self.own_, &mut self.row.q);
        if !self._multi {
            self.own_.multi.next = 0.into();
            self.own_.multi_rows.next = 0.into();
        }
        self.a_row.next = self.row_a.q.val();
        self.b_row.next = self.row_b.q.val();
        self.write_row.next = self.row_write.q.val();
    }

    described! { "address_adder", "Adds base and index of each row address."; ; _multi }
}
