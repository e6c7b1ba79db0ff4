//! Rows of bit cells with any set of wordlines raised at once, for simulation and ASIC macros: two addressed rows, the
//! AND or NOR over up to 64 rows (multi-row sensing), and a write that reaches the selected columns only.
//!
//! Reads are combinational; the write takes effect at the end of the cycle. Rows are undefined at power-up.
//!
//! Source: Neural Cache, Fig. 1(b); Compute Caches §4 (several wordlines at once); thesis §2.1.

use crate::array::blocks::types::{RowAddress, RowSelect};
use crate::array::isa::uop::*;
use crate::kernel::prelude::*;

hdl_block! {
    /// The rows and their sense amplifiers.
    pub SramArray<W: RowWord> {
        In clock: Domain; /// Clock of the write port.
        In a_row, b_row: RowAddress; /// Row on port A; the first row of a multi-row sensing. Row on port B.
        In multi: Bits<2>; /// Multi-row sensing on port A.
        In multi_rows: Word<64, 1>; /// Which of the 64 rows from row A up it raises.
        Out a, b: W; /// Bits sensed on port A. Bits sensed on port B.
        In write_row: RowAddress; /// Row to write.
        In write_enable: Bit; /// Writes at the end of the cycle.
        In write_columns, write_data: W; /// Columns that take the write. What to write.
    } inside {
        Child rows: SearchRam<W, RowAddress, RowSelect>; // The bit cells.
        Local raised: RowSelect;
    }
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

    described! { "sram_array", "Rows of bit cells with multi-row sensing."; MULTI_OFF, MULTI_AND }
}
