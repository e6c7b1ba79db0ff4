//! A sub-array: rows of cache blocks in their ordinary layout, whose two wordlines can be raised together.
//!
//! ```text
//!  a_row ─▶ wordline ─▶ ┌──────┐
//!  b_row ─▶ wordline ─▶ │ rows │─▶ sense ─▶ logic ─▶ results
//!   key  ─▶ key row  ─▶ └──────┘                └─▶ d_row
//! ```
//!
//! One row operation a cycle: in a cycle with `enable` = 1, rows are sensed, `results` and `sensed` are valid, and row
//! d is written at its end. A row's number has the block partition in its low bits: the partition's bitlines are what
//! the operands share. Search senses row a together with the key row, which has a cell on every bitline and is written
//! with `load_key`.
//!
//! The rows are two mirrored memories with one write port and a combinational read each, which is a cell with two
//! wordlines without the circuit: LUT RAM on an FPGA, 2 × columns × ⌈blocks / 64⌉ LUT (1,000 for 64 rows of 512 bits,
//! in RAM64M), and the macro itself on an ASIC. Block RAM would hold 8 times as much in a slice of the chip, and read a
//! cycle before the logic computes; an instruction that follows another on the same rows would then wait a cycle.

use crate::compute_cache::blocks::types::{LocalNumber, RowOp, row_op::ROW_READ};
use crate::kernel::prelude::*;
use crate::parts::bundles::MaskedSink;
use crate::parts::cache_ops::{CcLogic, GRAIN_BITS};

hdl_block! {
    pub CcSubArray<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In enable: Bit; /// Works in this cycle.
        In op: RowOp; /// What to do.
        In grain: Bits<GRAIN_BITS>; /// Granularity.
        In write, use_key, load_key: Bit; /// Writes row d. Raises the key row in place of row b. Writes the key row.
        In a_row, b_row, d_row: LocalNumber; /// First row. Second row. Row to write.
        Bus masked_: MaskedSink<W>; /// An ordinary write.
        In key: W; /// What the key row takes.
        Out sensed: W; /// The row that was read; 0 unless one is.
        Out results: Bits<8>; /// A bit for each word; 0 without `enable`.
    } inside {
        Child rows, mirror: AsyncRam<W, LocalNumber>; // Rows on the first wordlines. The same rows on the second.
        Pipe key_row: W; // The key row.
        Child logic: CcLogic<W>; // What is made of the rows.
    }
}

impl<W: RowWord> CcSubArray<W> {
    /// With room for `blocks` blocks.
    pub fn new(blocks: usize) -> Self {
        CcSubArray {
            rows: AsyncRam::new(blocks),
            mirror: AsyncRam::new(blocks),
            logic: CcLogic::new(),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for CcSubArray<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, mirror);
        dff_setup!(self, clock, key_row);
        self.rows.read_address.next = self.a_row.val();
        self.mirror.read_address.next = self.b_row.val();
        self.logic.op.next = self.op.val();
        self.logic.grain.next = self.grain.val();
        self.logic.a.next = self.rows.read_data.val();
        self.logic.b.next = self.mirror.read_data.val();
        if self.use_key.val() {
            self.logic.b.next = self.key_row.q.val();
        }
        MaskedSink::<W>::link(&mut self.masked_, &mut self.logic.masked_);
        self.rows.write_address.next = self.d_row.val();
        self.rows.write_enable.next = self.enable.val() & self.write.val();
        self.rows.write_data.next = self.logic.value.val();
        self.mirror.write_address.next = self.d_row.val();
        self.mirror.write_enable.next = self.enable.val() & self.write.val();
        self.mirror.write_data.next = self.logic.value.val();
        if self.load_key.val() {
            self.key_row.d.next = self.key.val();
        }
        self.sensed.next = 0.into();
        self.results.next = 0.into();
        if self.enable.val() {
            self.results.next = self.logic.results.val();
            if self.op.val() == ROW_READ {
                self.sensed.next = self.logic.value.val();
            }
        }
    }

    described!("cc_sub_array", "Rows of cache blocks, two wordlines raised together."; ROW_READ);
}
