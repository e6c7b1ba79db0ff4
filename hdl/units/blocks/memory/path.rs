//! Memory path: what stands between the command port, memory's elements and a compute unit's row ports.
//!
//! ```text
//!  commands ─▶ queue ─▶ dispatch ─┬────────────────────────────────────▶ unit's commands
//!                                 └─▶ transfer stages ─▶ load, store ──▶    "
//!  reader's words ────────────────────▶ transpose memory unit ─▶ rows ─▶ unit's load port
//!  writer's words ◀───────────────────────────────────────────◀ rows ◀── unit's store port
//! ```
//!
//! Words are elements in their lowest bits. The transpose memory unit has a tile's word for every column, so that a slice is a row. Its slices
//! pass to the load port when the transfer stages have decided so, and are dropped if the bus reported an error.
//!
//! `busy` = 1 until the last transfer has ended, responses included; it does not include the compute unit. Nothing is pending after reset.

use super::dispatch::MemoryDispatch;
use super::stages::TransferStages;
use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::blocks::command_setup::CommandWord;
use crate::blocks::queue::Queue;
use crate::blocks::tmu::{Tiles, Tmu, TmuParams};
use crate::isa::Opcode;
use crate::isa::transfer::widest;
use crate::isa::word::COMMAND;
use crate::isa::word::command::*;
use crate::kernel::mem::RamStyle;
use crate::kernel::prelude::*;
use crate::params::Params;

/// A command with its key and its index.
pub type IndexedCommand = Word<{ COMMAND + 32 }, 3>;

const INDEX_AT: u64 = COMMAND as u64;
const SET_AT: u64 = SET_LSB as u64;
const WIDTH_AT: u64 = WIDTH_N_LSB as u64;
const ROW_A_AT: u64 = A_LSB as u64;
const ROW_D_AT: u64 = D_LSB as u64;
const ROW_STORE: u64 = Opcode::Store as u64;
/// Decisions that may wait: one for each tile, one for what has left its tile, one more.
const DECISIONS: usize = 4;

/// The path; `W` is a row.
#[derive(LogicBlock, Default)]
pub struct MemoryPath<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command is offered.
    pub cmd_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub cmd_ready: Signal<Out, Bit>,
    /// The command.
    pub cmd: Signal<In, CommandWord>,
    /// Its index.
    pub cmd_index: Signal<In, Bits<32>>,
    /// Commands that wait.
    pub level: Signal<Out, Bits<5>>,
    /// A command is offered to the compute unit.
    pub unit_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub unit_ready: Signal<In, Bit>,
    /// The command.
    pub unit_command: Signal<Out, CommandWord>,
    /// Its index.
    pub unit_index: Signal<Out, Bits<32>>,
    /// A row for the load port is offered.
    pub load_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub load_ready: Signal<In, Bit>,
    /// The row.
    pub load_row: Signal<Out, W>,
    /// A row of the store port is offered.
    pub store_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub store_ready: Signal<Out, Bit>,
    /// The row.
    pub store_row: Signal<In, W>,
    /// The reader is asked.
    pub read_valid: Signal<Out, Bit>,
    /// It starts if asked.
    pub read_ready: Signal<In, Bit>,
    /// Address of the first element.
    pub read_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub read_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub read_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub read_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub read_dense: Signal<Out, Bit>,
    /// An element is there.
    pub word_valid: Signal<In, Bit>,
    /// It is taken if there.
    pub word_ready: Signal<Out, Bit>,
    /// The element.
    pub word_data: Signal<In, Chunk>,
    /// It is its transfer's last.
    pub word_last: Signal<In, Bit>,
    /// The transfer's first error as a response, 0 for none.
    pub word_response: Signal<In, Bits<2>>,
    /// The element that it concerns.
    pub word_address: Signal<In, MemoryAddress>,
    /// The writer starts.
    pub write: Signal<Out, Bit>,
    /// It is at work.
    pub write_busy: Signal<In, Bit>,
    /// Its first error as a response, 0 for none.
    pub write_failed: Signal<In, Bits<2>>,
    /// The address.
    pub write_failed_address: Signal<In, MemoryAddress>,
    /// Address of the first element.
    pub write_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub write_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub write_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub write_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub write_dense: Signal<Out, Bit>,
    /// An element for the writer is offered.
    pub out_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub out_ready: Signal<In, Bit>,
    /// The element.
    pub out_data: Signal<Out, Chunk>,
    /// It is the transfer's last.
    pub out_last: Signal<Out, Bit>,
    /// A command is refused or has failed.
    pub refused: Signal<Out, Bit>,
    /// This is taken note of.
    pub refused_taken: Signal<In, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<4>>,
    /// Which operand.
    pub refused_operand: Signal<Out, Bits<3>>,
    /// Which command.
    pub refused_index: Signal<Out, Bits<32>>,
    /// Where in memory.
    pub refused_address: Signal<Out, MemoryAddress>,
    /// Something waits or is under way.
    pub busy: Signal<Out, Bit>,
    /// Commands that wait.
    pub commands: Queue<IndexedCommand>,
    /// Dispatch.
    pub dispatch: MemoryDispatch,
    /// Transfers.
    pub stages: TransferStages,
    /// Transpose memory unit.
    pub tmu: Tmu<W>,
    /// For each load whose rows are to pass: whether they are dropped.
    pub decisions: Queue<Bit>,
    /// The transpose memory unit fills with slices.
    pub fills_slices: Register<Bit>,
    command: Signal<Local, CommandWord>,
    index: Signal<Local, Bits<32>>,
    inserted: Signal<Local, CommandWord>,
    slice: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    unused_room: Signal<Local, Bit>,
    unused_level: Signal<Local, Bits<5>>,
    unused_refused: Signal<Local, Bit>,
    unused_high: Signal<Local, Bit>,
    _set: u64,
    _columns: u64,
}

impl<W: RowWord> MemoryPath<W> {
    /// The path of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        let tmu = TmuParams {
            words: params.columns,
            bits: widest(params),
            tiles: Tiles::Rotated,
            style: RamStyle::Distributed,
        };
        MemoryPath {
            commands: Queue::new(params.command_fifo),
            dispatch: MemoryDispatch::new(params),
            stages: TransferStages::new(params),
            tmu: Tmu::new(&tmu),
            decisions: Queue::new(DECISIONS),
            _set: params.sets[0] as u64,
            _columns: params.columns as u64,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for MemoryPath<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, commands, dispatch, stages, tmu, decisions);
        dff_setup!(self, clock, fills_slices);
        // Commands.
        self.commands.push_valid.next = self.cmd_valid.val();
        self.cmd_ready.next = self.commands.push_ready.val();
        self.commands.push_data.next = bits_to::<IndexedCommand, CommandWord>(self.cmd.val())
            | (bits_to::<IndexedCommand, Bits<32>>(self.cmd_index.val()) << INDEX_AT);
        self.level.next = self.commands.level.val();
        self.command.next = bits_to::<CommandWord, IndexedCommand>(self.commands.head.val());
        self.index.next = bits_to::<Bits<32>, IndexedCommand>(self.commands.head.val() >> INDEX_AT);
        self.dispatch.command_valid.next = self.commands.head_valid.val();
        self.dispatch.command.next = self.command.val();
        self.commands.pop.next = self.dispatch.command_taken.val();
        self.dispatch.unit_ready.next = self.unit_ready.val() & !self.stages.command_valid.val();
        self.inserted.next = (bits_to::<CommandWord, Bits<7>>(self.stages.command_width.val()) << WIDTH_AT)
            | (bits_to::<CommandWord, Bits<10>>(self.stages.command_row.val()) << ROW_A_AT)
            | (bits_to::<CommandWord, Bits<10>>(self.stages.command_row.val()) << ROW_D_AT);
        self.inserted.next = self.inserted.val() | (self._set << SET_AT).into();
        if self.stages.command_store.val() {
            self.inserted.next = self.inserted.val() | ROW_STORE.into();
        }
        self.unit_valid.next = self.dispatch.unit_valid.val() | self.stages.command_valid.val();
        self.unit_command.next = self.command.val();
        self.unit_index.next = self.index.val();
        if self.stages.command_valid.val() {
            self.unit_command.next = self.inserted.val();
            self.unit_index.next = self.stages.command_index.val();
        }
        // Transfers.
        self.stages.transfer_valid.next = self.dispatch.transfer_valid.val();
        self.dispatch.transfer_ready.next = self.stages.transfer_ready.val();
        self.stages.transfer_store.next = self.dispatch.transfer_store.val();
        self.stages.transfer_width.next = self.dispatch.transfer_width.val();
        self.stages.transfer_row.next = self.dispatch.transfer_row.val();
        self.stages.transfer_end.next = self.dispatch.transfer_end.val();
        self.stages.transfer_count.next = self.dispatch.transfer_count.val();
        self.stages.transfer_address.next = self.dispatch.transfer_address.val();
        self.stages.transfer_size.next = self.dispatch.transfer_size.val();
        self.stages.transfer_stride.next = self.dispatch.transfer_stride.val();
        self.stages.transfer_dense.next = self.dispatch.transfer_dense.val();
        self.stages.transfer_low.next = self.dispatch.transfer_low.val();
        self.stages.transfer_high.next = self.dispatch.transfer_high.val();
        self.stages.transfer_index.next = self.index.val();
        self.dispatch.first_valid.next = self.stages.first_valid.val();
        self.dispatch.first_row.next = self.stages.first_row.val();
        self.dispatch.first_end.next = self.stages.first_end.val();
        self.dispatch.second_valid.next = self.stages.second_valid.val();
        self.dispatch.second_row.next = self.stages.second_row.val();
        self.dispatch.second_end.next = self.stages.second_end.val();
        self.stages.command_ready.next = self.unit_ready.val();
        // Reader and writer.
        self.read_valid.next = self.stages.read_valid.val();
        self.stages.read_ready.next = self.read_ready.val();
        self.read_address.next = self.stages.read_address.val();
        self.read_count.next = self.stages.read_count.val();
        self.read_size.next = self.stages.read_size.val();
        self.read_stride.next = self.stages.read_stride.val();
        self.read_dense.next = self.stages.read_dense.val();
        self.stages.word_valid.next = self.word_valid.val();
        self.word_ready.next = self.stages.word_ready.val();
        self.stages.word_data.next = self.word_data.val();
        self.stages.word_last.next = self.word_last.val();
        self.stages.word_response.next = self.word_response.val();
        self.stages.word_address.next = self.word_address.val();
        self.write.next = self.stages.write.val();
        self.stages.write_busy.next = self.write_busy.val();
        self.stages.write_failed.next = self.write_failed.val();
        self.stages.write_failed_address.next = self.write_failed_address.val();
        self.write_address.next = self.stages.write_address.val();
        self.write_count.next = self.stages.write_count.val();
        self.write_size.next = self.stages.write_size.val();
        self.write_stride.next = self.stages.write_stride.val();
        self.write_dense.next = self.stages.write_dense.val();
        // Transpose memory unit: one side.
        self.tmu.start_valid.next = self.stages.fill_valid.val();
        self.stages.fill_ready.next = self.tmu.start_ready.val();
        self.tmu.start_store.next = self.stages.fill_store.val();
        self.tmu.start_width.next = self.stages.fill_width.val();
        self.tmu.start_count.next = bit_cast::<16, 10>(self.stages.fill_count.val());
        self.unused_refused.next = self.tmu.refused.val();
        if self.stages.fill_valid.val() & self.tmu.start_ready.val() {
            self.fills_slices.d.next = self.stages.fill_store.val();
        }
        self.tmu.s_axis_tvalid.next = self.stages.element_valid.val();
        self.tmu.s_axis_tdata.next = bits_to::<W, Chunk>(self.stages.element_data.val());
        if self.fills_slices.q.val() {
            self.tmu.s_axis_tvalid.next = self.store_valid.val();
            self.tmu.s_axis_tdata.next = self.store_row.val();
        }
        // With fewer than 64 columns elements are narrower.
        self.unused_high.next = (self.stages.element_data.val() >> self._columns).any();
        self.stages.element_ready.next = self.tmu.s_axis_tready.val();
        self.store_ready.next = self.tmu.s_axis_tready.val() & self.fills_slices.q.val();
        // The other.
        self.decisions.push_valid.next = self.stages.decide.val();
        self.decisions.push_data.next = self.stages.drop_rows.val();
        self.unused_room.next = self.decisions.push_ready.val();
        self.unused_level.next = self.decisions.level.val();
        self.stages.rows_pending.next = self.decisions.head_valid.val();
        self.slice.next =
            self.tmu.m_axis_tvalid.val() & !self.tmu.m_axis_is_element.val() & self.decisions.head_valid.val();
        self.drops.next = self.decisions.head.val();
        self.load_valid.next = self.slice.val() & !self.drops.val();
        self.load_row.next = self.tmu.m_axis_tdata.val();
        self.out_valid.next = self.tmu.m_axis_tvalid.val() & self.tmu.m_axis_is_element.val();
        self.out_data.next = bits_to::<Chunk, W>(self.tmu.m_axis_tdata.val());
        self.out_last.next = self.tmu.m_axis_tlast.val();
        self.tmu.m_axis_tready.next = self.slice.val() & (self.drops.val() | self.load_ready.val());
        if self.tmu.m_axis_is_element.val() {
            self.tmu.m_axis_tready.next = self.out_ready.val();
        }
        self.decisions.pop.next =
            self.slice.val() & (self.drops.val() | self.load_ready.val()) & self.tmu.m_axis_tlast.val();
        // Errors.
        self.refused.next = self.stages.refused.val() | self.dispatch.refused.val();
        self.stages.refused_taken.next = self.refused_taken.val();
        self.dispatch.refused_taken.next = self.refused_taken.val() & !self.stages.refused.val();
        self.refused_code.next = self.dispatch.refused_code.val();
        self.refused_operand.next = self.dispatch.refused_operand.val();
        self.refused_index.next = self.index.val();
        self.refused_address.next = self.dispatch.refused_address.val();
        if self.stages.refused.val() {
            self.refused_code.next = self.stages.refused_code.val();
            self.refused_operand.next = 0.into();
            self.refused_index.next = self.stages.refused_index.val();
            self.refused_address.next = self.stages.refused_address.val();
        }
        self.busy.next =
            self.dispatch.busy.val() | self.stages.busy.val() | self.tmu.busy.val() | self.decisions.head_valid.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "memory_path",
            "Commands, elements and rows between memory and a compute unit.",
            constants![INDEX_AT, SET_AT, WIDTH_AT, ROW_A_AT, ROW_D_AT, ROW_STORE; self._set, self._columns],
        )
    }
}
