//! Address adder: the two pipeline stages between address generator and issue. The first holds base and index of each row address,
//! the second their sums; what else a row says goes along.
//!
//! ```text
//!  address generator ─▶ base, index ─▶ base + index ─▶ issue
//! ```
//!
//! Both stages move in the cycles with `advance` = 1; all outputs are of the second stage, in the same cycle.

use super::column_peripheral::COLUMN_CONTROL;
use super::types::RowAddress;
use crate::isa::word::flow::TOKEN_BITS;
use crate::kernel::prelude::*;

/// The address adder.
#[derive(LogicBlock, Default)]
pub struct AddressAdder {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// The stages move.
    pub advance: Signal<In, Bit>,
    /// A row comes in.
    pub in_valid: Signal<In, Bit>,
    /// What the columns do.
    pub in_column: Signal<In, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub in_merge: Signal<In, Bit>,
    /// Multi-row sensing.
    pub in_multi: Signal<In, Bits<2>>,
    /// Its rows.
    pub in_multi_rows: Signal<In, Word<64, 1>>,
    /// Port A reads.
    pub in_a_enable: Signal<In, Bit>,
    /// Port B reads.
    pub in_b_enable: Signal<In, Bit>,
    /// A row is written.
    pub in_write_enable: Signal<In, Bit>,
    /// From the load port.
    pub in_load: Signal<In, Bit>,
    /// To the store port.
    pub in_store: Signal<In, Bit>,
    /// Token.
    pub in_token: Signal<In, Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub in_first: Signal<In, Bit>,
    /// Last row of its command.
    pub in_last: Signal<In, Bit>,
    /// C starts at 1.
    pub in_carry: Signal<In, Bit>,
    /// T keeps its value.
    pub in_keep_tag: Signal<In, Bit>,
    /// Base of row A.
    pub in_a_base: Signal<In, RowAddress>,
    /// Index of row A.
    pub in_a_index: Signal<In, RowAddress>,
    /// Base of row B.
    pub in_b_base: Signal<In, RowAddress>,
    /// Index of row B.
    pub in_b_index: Signal<In, RowAddress>,
    /// Base of the row written.
    pub in_write_base: Signal<In, RowAddress>,
    /// Index of the row written.
    pub in_write_index: Signal<In, RowAddress>,
    /// Something is in the two stages.
    pub occupied: Signal<Out, Bit>,
    /// There is a row.
    pub valid: Signal<Out, Bit>,
    /// What the columns do.
    pub column: Signal<Out, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub merge: Signal<Out, Bit>,
    /// Multi-row sensing.
    pub multi: Signal<Out, Bits<2>>,
    /// Its rows.
    pub multi_rows: Signal<Out, Word<64, 1>>,
    /// Port A reads.
    pub a_enable: Signal<Out, Bit>,
    /// Port B reads.
    pub b_enable: Signal<Out, Bit>,
    /// A row is written.
    pub write_enable: Signal<Out, Bit>,
    /// From the load port.
    pub load: Signal<Out, Bit>,
    /// To the store port.
    pub store: Signal<Out, Bit>,
    /// Token.
    pub token: Signal<Out, Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub first: Signal<Out, Bit>,
    /// Last row of its command.
    pub last: Signal<Out, Bit>,
    /// C starts at 1.
    pub carry: Signal<Out, Bit>,
    /// T keeps its value.
    pub keep_tag: Signal<Out, Bit>,
    /// Row A.
    pub a_row: Signal<Out, RowAddress>,
    /// Row B.
    pub b_row: Signal<Out, RowAddress>,
    /// The row written.
    pub write_row: Signal<Out, RowAddress>,
    /// First stage: there is a row.
    pub sum_valid: Register<Bit>,
    /// What the columns do.
    pub sum_column: Register<Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub sum_merge: Register<Bit>,
    /// Multi-row sensing.
    pub sum_multi: Register<Bits<2>>,
    /// Its rows.
    pub sum_multi_rows: Register<Word<64, 1>>,
    /// Port A reads.
    pub sum_a_enable: Register<Bit>,
    /// Port B reads.
    pub sum_b_enable: Register<Bit>,
    /// A row is written.
    pub sum_write_enable: Register<Bit>,
    /// From the load port.
    pub sum_load: Register<Bit>,
    /// To the store port.
    pub sum_store: Register<Bit>,
    /// Token.
    pub sum_token: Register<Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub sum_first: Register<Bit>,
    /// Last row of its command.
    pub sum_last: Register<Bit>,
    /// C starts at 1.
    pub sum_carry: Register<Bit>,
    /// T keeps its value.
    pub sum_keep_tag: Register<Bit>,
    /// Base of row A.
    pub sum_a_base: Register<RowAddress>,
    /// Index of row A.
    pub sum_a_index: Register<RowAddress>,
    /// Base of row B.
    pub sum_b_base: Register<RowAddress>,
    /// Index of row B.
    pub sum_b_index: Register<RowAddress>,
    /// Base of the row written.
    pub sum_write_base: Register<RowAddress>,
    /// Index of the row written.
    pub sum_write_index: Register<RowAddress>,
    /// Second stage: there is a row.
    pub row_valid: Register<Bit>,
    /// What the columns do.
    pub row_column: Register<Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub row_merge: Register<Bit>,
    /// Multi-row sensing.
    pub row_multi: Register<Bits<2>>,
    /// Its rows.
    pub row_multi_rows: Register<Word<64, 1>>,
    /// Port A reads.
    pub row_a_enable: Register<Bit>,
    /// Port B reads.
    pub row_b_enable: Register<Bit>,
    /// A row is written.
    pub row_write_enable: Register<Bit>,
    /// From the load port.
    pub row_load: Register<Bit>,
    /// To the store port.
    pub row_store: Register<Bit>,
    /// Token.
    pub row_token: Register<Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub row_first: Register<Bit>,
    /// Last row of its command.
    pub row_last: Register<Bit>,
    /// C starts at 1.
    pub row_carry: Register<Bit>,
    /// T keeps its value.
    pub row_keep_tag: Register<Bit>,
    /// Row A.
    pub row_a: Register<RowAddress>,
    /// Row B.
    pub row_b: Register<RowAddress>,
    /// The row written.
    pub row_write: Register<RowAddress>,
    _multi: bool,
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
        dff_setup!(
            self,
            clock,
            sum_valid,
            sum_column,
            sum_merge,
            sum_multi,
            sum_multi_rows,
            sum_a_enable,
            sum_b_enable,
            sum_write_enable,
            sum_load
        );
        dff_setup!(
            self,
            clock,
            sum_store,
            sum_token,
            sum_first,
            sum_last,
            sum_carry,
            sum_keep_tag,
            sum_a_base,
            sum_a_index,
            sum_b_base
        );
        dff_setup!(
            self,
            clock,
            sum_b_index,
            sum_write_base,
            sum_write_index,
            row_valid,
            row_column,
            row_merge,
            row_multi,
            row_multi_rows,
            row_a_enable
        );
        dff_setup!(
            self,
            clock,
            row_b_enable,
            row_write_enable,
            row_load,
            row_store,
            row_token,
            row_first,
            row_last,
            row_carry,
            row_keep_tag
        );
        dff_setup!(self, clock, row_a, row_b, row_write);
        if self.advance.val() {
            self.sum_valid.d.next = self.in_valid.val();
            self.row_valid.d.next = self.sum_valid.q.val();
            self.sum_column.d.next = self.in_column.val();
            self.row_column.d.next = self.sum_column.q.val();
            self.sum_merge.d.next = self.in_merge.val();
            self.row_merge.d.next = self.sum_merge.q.val();
            self.sum_a_enable.d.next = self.in_a_enable.val();
            self.row_a_enable.d.next = self.sum_a_enable.q.val();
            self.sum_b_enable.d.next = self.in_b_enable.val();
            self.row_b_enable.d.next = self.sum_b_enable.q.val();
            self.sum_write_enable.d.next = self.in_write_enable.val();
            self.row_write_enable.d.next = self.sum_write_enable.q.val();
            self.sum_load.d.next = self.in_load.val();
            self.row_load.d.next = self.sum_load.q.val();
            self.sum_store.d.next = self.in_store.val();
            self.row_store.d.next = self.sum_store.q.val();
            self.sum_token.d.next = self.in_token.val();
            self.row_token.d.next = self.sum_token.q.val();
            self.sum_first.d.next = self.in_first.val();
            self.row_first.d.next = self.sum_first.q.val();
            self.sum_last.d.next = self.in_last.val();
            self.row_last.d.next = self.sum_last.q.val();
            self.sum_carry.d.next = self.in_carry.val();
            self.row_carry.d.next = self.sum_carry.q.val();
            self.sum_keep_tag.d.next = self.in_keep_tag.val();
            self.row_keep_tag.d.next = self.sum_keep_tag.q.val();
            self.sum_a_base.d.next = self.in_a_base.val();
            self.sum_a_index.d.next = self.in_a_index.val();
            self.row_a.d.next = self.sum_a_base.q.val() + self.sum_a_index.q.val();
            self.sum_b_base.d.next = self.in_b_base.val();
            self.sum_b_index.d.next = self.in_b_index.val();
            self.row_b.d.next = self.sum_b_base.q.val() + self.sum_b_index.q.val();
            self.sum_write_base.d.next = self.in_write_base.val();
            self.sum_write_index.d.next = self.in_write_index.val();
            self.row_write.d.next = self.sum_write_base.q.val() + self.sum_write_index.q.val();
            if self._multi {
                self.sum_multi.d.next = self.in_multi.val();
                self.row_multi.d.next = self.sum_multi.q.val();
                self.sum_multi_rows.d.next = self.in_multi_rows.val();
                self.row_multi_rows.d.next = self.sum_multi_rows.q.val();
            }
        }
        self.occupied.next = self.sum_valid.q.val() | self.row_valid.q.val();
        self.valid.next = self.row_valid.q.val();
        self.column.next = self.row_column.q.val();
        self.merge.next = self.row_merge.q.val();
        self.multi.next = 0.into();
        self.multi_rows.next = 0.into();
        if self._multi {
            self.multi.next = self.row_multi.q.val();
            self.multi_rows.next = self.row_multi_rows.q.val();
        }
        self.a_enable.next = self.row_a_enable.q.val();
        self.b_enable.next = self.row_b_enable.q.val();
        self.write_enable.next = self.row_write_enable.q.val();
        self.load.next = self.row_load.q.val();
        self.store.next = self.row_store.q.val();
        self.token.next = self.row_token.q.val();
        self.first.next = self.row_first.q.val();
        self.last.next = self.row_last.q.val();
        self.carry.next = self.row_carry.q.val();
        self.keep_tag.next = self.row_keep_tag.q.val();
        self.a_row.next = self.row_a.q.val();
        self.b_row.next = self.row_b.q.val();
        self.write_row.next = self.row_write.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("address_adder", "Adds base and index of each row address.", constants![; self._multi])
    }
}
