//! Rows in block RAM: two mirrored memories give two reads and one write a cycle.
//!
//! ```text
//!  cycle     t            t + 1                t + 2
//!         address ─▶ RAM ─▶ output latch ─▶ row register ─▶ (columns compute)
//! ```
//!
//! A read returns the row as it was before the edge, also when the same row is written. A row register is 0 in the
//! cycle for which its port did not read. Rows are undefined at power-up.

use crate::array::blocks::types::RowAddress;
use crate::kernel::prelude::*;

hdl_block! {
    /// The rows.
    pub SramBlockRam<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In a_enable: Bit; /// Port A reads.
        In a_row: RowAddress; /// Row on port A.
        In b_enable: Bit; /// Port B reads.
        In b_row: RowAddress; /// Row on port B.
        Out a, b: W; /// Row of port A, two cycles after its address. Row of port B, two cycles after its address.
        In write_row: RowAddress; /// Row to write.
        In write_enable: Bit; /// Writes at the end of the cycle.
        In write_data: W; /// What to write.
    } inside {
        Child rows: Ram<W, RowAddress>; // Rows of port A.
        Child mirror: Ram<W, RowAddress>; // Their mirror, for port B.
        Register row_a, row_b: W; // Row register of port A. Row register of port B.
        Register a_read, b_read: Bit; // Port A read a cycle ago. Port B read a cycle ago.
    }
}

impl<W: RowWord> SramBlockRam<W> {
    /// `rows` rows.
    pub fn new(rows: usize) -> Self {
        SramBlockRam {
            rows: Ram::new(rows, RamStyle::Block),
            mirror: Ram::new(rows, RamStyle::Block),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for SramBlockRam<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, mirror);
        dff_setup!(self, clock, row_a, row_b, a_read, b_read);
        self.rows.read_address.next = self.a_row.val();
        self.rows.read_enable.next = self.a_enable.val();
        self.mirror.read_address.next = self.b_row.val();
        self.mirror.read_enable.next = self.b_enable.val();
        self.rows.write_address.next = self.write_row.val();
        self.rows.write_enable.next = self.write_enable.val();
        self.rows.write_data.next = self.write_data.val();
        self.mirror.write_address.next = self.write_row.val();
        self.mirror.write_enable.next = self.write_enable.val();
        self.mirror.write_data.next = self.write_data.val();
        self.a_read.d.next = self.a_enable.val();
        self.b_read.d.next = self.b_enable.val();
        // A port at rest clears its row register: a synchronous reset, no logic.
        self.row_a.d.next = 0.into();
        if self.a_read.q.val() {
            self.row_a.d.next = self.rows.read_data.val();
        }
        self.row_b.d.next = 0.into();
        if self.b_read.q.val() {
            self.row_b.d.next = self.mirror.read_data.val();
        }
        self.a.next = self.row_a.q.val();
        self.b.next = self.row_b.q.val();
    }

    described! { "sram_block_ram", "Rows in two mirrored block RAMs: two reads and one write a cycle." }
}
