//! Compute array: rows, sense amplifiers and column peripheral, with the pipeline of block RAM between them where the memory
//! needs it. One micro-operation a cycle.
//!
//! `Behavioural` memory reads, computes and writes in the cycle of issue. On block RAM a micro-operation issued in cycle t reads
//! its rows in t and t + 1, computes in t + 2 and writes at the end of it; the sequencer keeps a row from being read before it
//! is written. `tag_any` is the wired-OR of the tag latches, a cycle late.
//!
//! Sensing: `TwoPort` columns see both rows; `AndNor` columns see only the AND (bitline) and the OR (complement of the
//! complement bitline) of the rows raised. After reset all latches are 0 and nothing is in the pipeline.

use super::column_peripheral::{COLUMN_CONTROL, ColumnPeripheral};
use super::sram_array::SramArray;
use super::sram_block_ram::SramBlockRam;
use super::types::RowAddress;
use crate::isa::word::control::*;
use crate::kernel::prelude::*;
use crate::params::{Memory, Params, Sensing};

/// The array.
#[derive(LogicBlock, Default)]
pub struct ComputeArray<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// What the columns do; 0 does nothing.
    pub column: Signal<In, Bits<COLUMN_CONTROL>>,
    /// Port A reads.
    pub a_enable: Signal<In, Bit>,
    /// Row on port A.
    pub a_row: Signal<In, RowAddress>,
    /// Port B reads.
    pub b_enable: Signal<In, Bit>,
    /// Row on port B.
    pub b_row: Signal<In, RowAddress>,
    /// Row B is read for the merge only: it takes no part in sensing.
    pub merge: Signal<In, Bit>,
    /// Multi-row sensing on port A.
    pub multi: Signal<In, Bits<2>>,
    /// Rows from row A up that it raises.
    pub multi_rows: Signal<In, Word<64, 1>>,
    /// A row is written.
    pub write_enable: Signal<In, Bit>,
    /// Which one.
    pub write_row: Signal<In, RowAddress>,
    /// It comes from the load port.
    pub load: Signal<In, Bit>,
    /// Row A goes to the store port.
    pub store: Signal<In, Bit>,
    /// The row that waits at the load port.
    pub load_row: Signal<In, W>,
    /// It is written in this cycle.
    pub loaded: Signal<Out, Bit>,
    /// The row for the store port.
    pub store_row: Signal<Out, W>,
    /// It is valid in this cycle.
    pub stored: Signal<Out, Bit>,
    /// Whether any tag was set a cycle ago.
    pub tag_any: Signal<Out, Bit>,
    /// Rows with multi-row sensing (`Behavioural`).
    pub sram: Vec<SramArray<W>>,
    /// Rows in block RAM (`BlockRam`).
    pub block_ram: Vec<SramBlockRam<W>>,
    /// Column peripheral.
    pub peripheral: ColumnPeripheral<W>,
    /// Wired-OR of the tags.
    pub any: Register<Bit>,
    /// Column control, one and two cycles after issue (block RAM only, as all that follow).
    pub column_1: Register<Bits<COLUMN_CONTROL>>,
    /// Two cycles after issue.
    pub column_2: Register<Bits<COLUMN_CONTROL>>,
    /// Row A is sensed.
    pub a_sensed_1: Register<Bit>,
    /// Two cycles after issue.
    pub a_sensed_2: Register<Bit>,
    /// Row B is sensed.
    pub b_sensed_1: Register<Bit>,
    /// Two cycles after issue.
    pub b_sensed_2: Register<Bit>,
    /// Write enable.
    pub write_enable_1: Register<Bit>,
    /// Two cycles after issue.
    pub write_enable_2: Register<Bit>,
    /// Row to write.
    pub write_row_1: Register<RowAddress>,
    /// Two cycles after issue.
    pub write_row_2: Register<RowAddress>,
    /// Load.
    pub load_1: Register<Bit>,
    /// Two cycles after issue.
    pub load_2: Register<Bit>,
    /// Store.
    pub store_1: Register<Bit>,
    /// Two cycles after issue.
    pub store_2: Register<Bit>,
    control: Signal<Local, Bits<COLUMN_CONTROL>>,
    raw_a: Signal<Local, W>,
    raw_b: Signal<Local, W>,
    a_sensed: Signal<Local, Bit>,
    b_sensed: Signal<Local, Bit>,
    sensed_a: Signal<Local, W>,
    sensed_b: Signal<Local, W>,
    written: Signal<Local, W>,
    columns: Signal<Local, W>,
    write: Signal<Local, Bit>,
    row: Signal<Local, RowAddress>,
    none: Signal<Local, W>,
    _two_port: bool,
    _behavioural: usize,
    _block_ram: usize,
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
        self.control.next = self.column.val();
        self.a_sensed.next = self.a_enable.val();
        self.b_sensed.next = self.b_enable.val() & !self.merge.val();
        self.write.next = self.write_enable.val();
        self.row.next = self.write_row.val();
        self.loaded.next = self.load.val();
        self.stored.next = self.store.val();
        self.raw_a.next = 0.into();
        self.raw_b.next = 0.into();
        for i in 0..self._block_ram {
            self.column_1.d.next = self.column.val();
            self.column_2.d.next = self.column_1.q.val();
            self.a_sensed_1.d.next = self.a_sensed.val();
            self.a_sensed_2.d.next = self.a_sensed_1.q.val();
            self.b_sensed_1.d.next = self.b_sensed.val();
            self.b_sensed_2.d.next = self.b_sensed_1.q.val();
            self.write_enable_1.d.next = self.write_enable.val();
            self.write_enable_2.d.next = self.write_enable_1.q.val();
            self.write_row_1.d.next = self.write_row.val();
            self.write_row_2.d.next = self.write_row_1.q.val();
            self.load_1.d.next = self.load.val();
            self.load_2.d.next = self.load_1.q.val();
            self.store_1.d.next = self.store.val();
            self.store_2.d.next = self.store_1.q.val();
            self.block_ram[i].clock.next = self.clock.val();
            self.block_ram[i].a_enable.next = self.a_enable.val();
            self.block_ram[i].a_row.next = self.a_row.val();
            self.block_ram[i].b_enable.next = self.b_enable.val();
            self.block_ram[i].b_row.next = self.b_row.val();
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
            self.sram[i].a_row.next = self.a_row.val();
            self.sram[i].b_row.next = self.b_row.val();
            self.sram[i].multi.next = self.multi.val();
            self.sram[i].multi_rows.next = self.multi_rows.val();
            // A port at rest senses nothing.
            if self.a_enable.val() {
                self.raw_a.next = self.sram[i].a.val();
            }
            if self.b_enable.val() {
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
        // Write-back, in the columns with T = 1 only where the operation is predicated. Block RAM has no write enable for each
        // bit: the row read on port B goes back where T = 0.
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "compute_array",
            "Rows, sense amplifiers and column peripheral: one micro-operation a cycle.",
            constants![PREDICATED_LSB; self._two_port],
        )
    }
}
