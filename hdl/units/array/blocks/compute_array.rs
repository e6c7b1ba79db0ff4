//! Compute array: rows, sense amplifiers and column peripheral, with the pipeline of block RAM between them where the
//! memory needs it. One micro-operation a cycle.
//!
//! `Behavioural` memory reads, computes and writes in the cycle of issue. On block RAM a micro-operation issued in
//! cycle t reads its rows in t and t + 1, computes in t + 2 and writes at the end of it; the sequencer keeps a row from
//! being read before it is written. `tag_any` is the wired-OR of the tag latches, a cycle late.
//!
//! Sensing: `TwoPort` columns see both rows; `AndNor` columns see only the AND (bitline) and the OR (complement of the
//! complement bitline) of the rows raised. After reset all latches are 0 and nothing is in the pipeline.

use crate::array::blocks::bundles::ArraySink;
use crate::array::blocks::column_peripheral::{COLUMN_CONTROL, ColumnPeripheral};
use crate::array::blocks::sram_array::SramArray;
use crate::array::blocks::sram_block_ram::SramBlockRam;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::word::control::*;
use crate::array::params::{Memory, Params, Sensing};
use crate::kernel::prelude::*;

hdl_block! {
    /// The array.
    pub ComputeArray<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus own_: ArraySink; /// What it does.
        In load_row: W; /// The row that waits at the load port.
        Out loaded: Bit; /// It is written in this cycle.
        Out store_row: W; /// The row for the store port.
        Out stored: Bit; /// It is valid in this cycle.
        Out tag_any: Bit; /// Whether any tag was set a cycle ago.
    } inside {
        Child sram: Vec<SramArray<W>>; // Rows with multi-row sensing (`Behavioural`).
        Child block_ram: Vec<SramBlockRam<W>>; // Rows in block RAM (`BlockRam`).
        Child peripheral: ColumnPeripheral<W>; // Column peripheral.
        Register any: Bit; // Wired-OR of the tags.
        // Block RAM only: what was issued a cycle and two cycles ago.
        Register column_1, column_2: Bits<COLUMN_CONTROL>;
        Register a_sensed_1, a_sensed_2, b_sensed_1, b_sensed_2, write_enable_1, write_enable_2: Bit;
        Register write_row_1, write_row_2: RowAddress;
        Register load_1, load_2, store_1, store_2: Bit;
        Local control: Bits<COLUMN_CONTROL>;
        Local raw_a, raw_b: W;
        Local a_sensed, b_sensed: Bit;
        Local sensed_a, sensed_b, written, columns: W;
        Local write: Bit;
        Local row: RowAddress;
        Local none: W;
        Value _two_port: bool;
        Value _behavioural, _block_ram: usize;
    }
}

impl<W: RowWord> ComputeArray<W> {
    /// The array that `params` describe.
    pub fn new(params: &Params) -> Self {
        let block_ram = params.memory == Memory::BlockRam;
        ComputeArray {
            sram: (!block_ram).then(|| SramArray::new(params.rows)).into_iter().collect(),
            block_ram: block_ram.then(|| SramBlockRam::new(params.rows)).into_iter().collect(),
            peripheral: ColumnPeripheral::new(params),
            _two_port: params.sensing == Sensing::TwoPort,
            _behavioural: usize::from(!block_ram),
            _block_ram: usize::from(block_ram),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for ComputeArray<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, peripheral);
        dff_setup!(self, clock, any);
        self.none.next = 0.into();
        // Issue stage, or on block RAM the stage in which the columns compute.
        dff_setup!(self, clock, column_1, column_2, a_sensed_1, a_sensed_2, b_sensed_1, b_sensed_2);
        dff_setup!(self, clock, write_enable_1, write_enable_2, write_row_1, write_row_2);
        dff_setup!(self, clock, load_1, load_2, store_1, store_2);
        self.control.next = self.own_.column.val();
        self.a_sensed.next = self.own_.a_enable.val();
        self.b_sensed.next = self.own_.b_enable.val() & !self.own_.merge.val();
        self.write.next = self.own_.write_enable.val();
        self.row.next = self.own_.write_row.val();
        self.loaded.next = self.own_.load.val();
        self.stored.next = self.own_.store.val();
        self.raw_a.next = 0.into();
        self.raw_b.next = 0.into();
        for i in 0..self._block_ram {
            self.column_1.d.next = self.own_.column.val();
            self.column_2.d.next = self.column_1.q.val();
            self.a_sensed_1.d.next = self.a_sensed.val();
            self.a_sensed_2.d.next = self.a_sensed_1.q.val();
            self.b_sensed_1.d.next = self.b_sensed.val();
            self.b_sensed_2.d.next = self.b_sensed_1.q.val();
            self.write_enable_1.d.next = self.own_.write_enable.val();
            self.write_enable_2.d.next = self.write_enable_1.q.val();
            self.write_row_1.d.next = self.own_.write_row.val();
            self.write_row_2.d.next = self.write_row_1.q.val();
            self.load_1.d.next = self.own_.load.val();
            self.load_2.d.next = self.load_1.q.val();
            self.store_1.d.next = self.own_.store.val();
            self.store_2.d.next = self.store_1.q.val();
            self.block_ram[i].clock.next = self.clock.val();
            self.block_ram[i].a_enable.next = self.own_.a_enable.val();
            self.block_ram[i].a_row.next = self.own_.a_row.val();
            self.block_ram[i].b_enable.next = self.own_.b_enable.val();
            self.block_ram[i].b_row.next = self.own_.b_row.val();
            self.control.next = self.column_2.q.val();
            self.a_sensed.next = self.a_sensed_2.q.val();
            self.b_sensed.next = self.b_sensed_2.q.val();
            self.write.next = self.write_enable_2.q.val();
            self.row.next = self.write_row_2.q.val();
            self.loaded.next = self.load_2.q.val();
            self.stored.next = self.store_2.q.val();
            self.raw_a.next = self.block_ram[i].a.val();
            self.raw_b.next = self.block_ram[i].b.val();
        }
        for i in 0..self._behavioural {
            self.sram[i].clock.next = self.clock.val();
            self.sram[i].a_row.next = self.own_.a_row.val();
            self.sram[i].b_row.next = self.own_.b_row.val();
            self.sram[i].multi.next = self.own_.multi.val();
            self.sram[i].multi_rows.next = self.own_.multi_rows.val();
            // A port at rest senses nothing.
            if self.own_.a_enable.val() {
                self.raw_a.next = self.sram[i].a.val();
            }
            if self.own_.b_enable.val() {
                self.raw_b.next = self.sram[i].b.val();
            }
        }
        // Sense amplifiers.
        self.sensed_a.next = self.raw_a.val();
        self.sensed_b.next = self.raw_b.val();
        if !self._two_port {
            if self.a_sensed.val() & self.b_sensed.val() {
                self.sensed_a.next = self.raw_a.val() & self.raw_b.val();
                self.sensed_b.next = self.raw_a.val() | self.raw_b.val();
            } else if self.b_sensed.val() {
                self.sensed_a.next = self.raw_b.val();
            } else {
                self.sensed_b.next = self.raw_a.val();
            }
        }
        self.peripheral.control.next = self.control.val();
        self.peripheral.a.next = self.sensed_a.val();
        self.peripheral.b.next = self.sensed_b.val();
        self.peripheral.load_row.next = self.load_row.val();
        self.store_row.next = self.sensed_a.val();
        // Write-back, in the columns with T = 1 only where the operation is predicated. Block RAM has no write enable
        // for each bit: the row read on port B goes back where T = 0.
        self.written.next = self.peripheral.write_data.val();
        self.columns.next = !self.none.val();
        if !self._two_port {
            if self.control.val().get_bit(PREDICATED_LSB) {
                self.columns.next = self.peripheral.tags.val();
            }
        }
        for i in 0..self._behavioural {
            self.sram[i].write_enable.next = self.write.val();
            self.sram[i].write_row.next = self.row.val();
            self.sram[i].write_columns.next = self.columns.val();
            self.sram[i].write_data.next = self.written.val();
        }
        for i in 0..self._block_ram {
            self.block_ram[i].write_enable.next = self.write.val();
            self.block_ram[i].write_row.next = self.row.val();
            self.block_ram[i].write_data.next = self.written.val();
            if !self._two_port {
                self.block_ram[i].write_data.next =
                    (self.written.val() & self.columns.val()) | (self.raw_b.val() & !self.columns.val());
            }
        }
        self.any.d.next = self.peripheral.tags.val().any();
        self.tag_any.next = self.any.q.val();
    }

    described! {
        "compute_array", "Rows, sense amplifiers and column peripheral: one micro-operation a cycle."; PREDICATED_LSB;
        _two_port
    }
}
