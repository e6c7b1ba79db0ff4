//! Rows of bit cells with any set of wordlines raised at once, for simulation and ASIC macros: two addressed rows, the AND or
//! NOR over up to 64 rows (multi-row sensing), and a write that reaches the selected columns only.
//!
//! Reads are combinational; the write takes effect at the end of the cycle. Rows are undefined at power-up.
//!
//! Source: Neural Cache, Fig. 1(b); Compute Caches §4 (several wordlines at once); thesis §2.1.

use super::types::{RowAddress, RowSelect};
use crate::isa::uop::*;
use crate::kernel::prelude::*;

/// The rows and their sense amplifiers.
#[derive(LogicBlock, Default)]
pub struct SramArray<W: RowWord> {
    /// Clock of the write port.
    pub clock: Signal<In, Domain>,
    /// Row on port A; the first row of a multi-row sensing.
    pub a_row: Signal<In, RowAddress>,
    /// Row on port B.
    pub b_row: Signal<In, RowAddress>,
    /// Multi-row sensing on port A.
    pub multi: Signal<In, Bits<2>>,
    /// Which of the 64 rows from row A up it raises.
    pub multi_rows: Signal<In, Word<64, 1>>,
    /// Bits sensed on port A.
    pub a: Signal<Out, W>,
    /// Bits sensed on port B.
    pub b: Signal<Out, W>,
    /// Row to write.
    pub write_row: Signal<In, RowAddress>,
    /// Writes at the end of the cycle.
    pub write_enable: Signal<In, Bit>,
    /// Columns that take the write.
    pub write_columns: Signal<In, W>,
    /// What to write.
    pub write_data: Signal<In, W>,
    /// The bit cells.
    pub rows: SearchRam<W, RowAddress, RowSelect>,
    raised: Signal<Local, RowSelect>,
}

impl<W: RowWord> SramArray<W> {
    /// `rows` rows.
    pub fn new(rows: usize) -> Self {
        SramArray { rows: SearchRam::new(rows), ..Self::default() }
    }
}

impl<W: RowWord> Logic for SramArray<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows);
        self.rows.a_address.next = self.a_row.val();
        self.rows.b_address.next = self.b_row.val();
        self.raised.next = 0.into();
        if self.multi.val() != MULTI_OFF {
            self.raised.next = bits_to::<RowSelect, Word<64, 1>>(self.multi_rows.val()) << self.a_row.val();
        }
        self.rows.select.next = self.raised.val();
        if self.multi.val() == MULTI_OFF {
            self.a.next = self.rows.a_data.val();
        } else if self.multi.val() == MULTI_AND {
            self.a.next = self.rows.and_data.val();
        } else {
            self.a.next = self.rows.nor_data.val();
        }
        self.b.next = self.rows.b_data.val();
        self.rows.write_address.next = self.write_row.val();
        self.rows.write_enable.next = self.write_enable.val();
        self.rows.write_mask.next = self.write_columns.val();
        self.rows.write_data.next = self.write_data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("sram_array", "Rows of bit cells with multi-row sensing.", constants![MULTI_OFF, MULTI_AND])
    }
}
