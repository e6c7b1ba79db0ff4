//! Memory path: what stands between the command port, memory's elements and a compute unit's row ports.
//!
//! ```text
//!  commands ─▶ queue ─▶ dispatch ─┬────────────────────────────────────▶ unit's commands
//!                                 └─▶ transfer stages ─▶ load, store ──▶    "
//!  reader's words ────────────────────▶ transpose memory unit ─▶ rows ─▶ unit's load port
//!  writer's words ◀───────────────────────────────────────────◀ rows ◀── unit's store port
//! ```
//!
//! Words are elements in their lowest bits. The transpose memory unit has a tile's word for every column, so that a
//! slice is a row. Its slices pass to the load port when the transfer stages have decided so, and are dropped if the
//! bus reported an error.
//!
//! `busy` = 1 until the last transfer has ended, responses included; it does not include the compute unit. Nothing is
//! pending after reset.

use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::memory::bundles::{
    ElementSink, PendingSource, ResultSource, RunSource, TransferSource, WriterSource,
};
use crate::array::blocks::memory::dispatch::MemoryDispatch;
use crate::array::blocks::memory::stages::TransferStages;
use crate::array::blocks::memory::types::{Chunk, MemoryAddress};
use crate::array::isa::Opcode;
use crate::array::isa::transfer::widest;
use crate::array::isa::word::COMMAND;
use crate::array::isa::word::command::*;
use crate::array::params::Params;
use crate::kernel::mem::RamStyle;
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;
use crate::parts::tmu::{Tiles, Tmu, TmuParams};

/// A command with its key and its index.
pub type IndexedCommand = Word<{ COMMAND + 32 }, 3>;

numbers! {
    INDEX_AT = COMMAND, SET_AT = SET_LSB, WIDTH_AT = WIDTH_N_LSB, ROW_A_AT = A_LSB, ROW_D_AT = D_LSB,
    ROW_STORE = Opcode::Store
}
/// Decisions that may wait: one for each tile, one for what has left its tile, one more.
const DECISIONS: usize = 4;

hdl_block! {
    /// The path; `W` is a row.
    pub MemoryPath<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In cmd_valid: Bit; /// A command is offered.
        Out cmd_ready: Bit; /// It is taken if offered.
        In cmd: CommandWord; /// The command.
        In cmd_index: Bits<32>; /// Its index.
        Out level: Bits<5>; /// Commands that wait.
        Out unit_valid: Bit; /// A command is offered to the compute unit.
        In unit_ready: Bit; /// It is taken if offered.
        Out unit_command: CommandWord; /// The command.
        Out unit_index: Bits<32>; /// Its index.
        Out load_valid: Bit; /// A row for the load port is offered.
        In load_ready: Bit; /// It is taken if offered.
        Out load_row: W; /// The row.
        In store_valid: Bit; /// A row of the store port is offered.
        Out store_ready: Bit; /// It is taken if offered.
        In store_row: W; /// The row.
        Out read_valid: Bit; /// The reader is asked.
        In read_ready: Bit; /// It starts if asked.
        Bus read: RunSource; /// What it reads.
        Bus word: ElementSink; /// Elements of the reader.
        Bus writer_: WriterSource; /// The writer.
        Bus write__: RunSource; /// What it writes.
        Bus out: ResultSource; /// Elements for the writer.
        Out refused: Bit; /// A command is refused or has failed.
        In refused_taken: Bit; /// This is taken note of.
        Out refused_code: Bits<4>; /// Why.
        Out refused_operand: Bits<3>; /// Which operand.
        Out refused_index: Bits<32>; /// Which command.
        Out refused_address: MemoryAddress; /// Where in memory.
        Out load_failed: Bit; /// This is a load's error, and is taken note of.
        Out busy: Bit; /// Something waits or is under way.
    } inside {
        Child commands: Queue<IndexedCommand>; // Commands that wait.
        Child dispatch: MemoryDispatch; // Dispatch.
        Child stages: TransferStages; // Transfers.
        Child tmu: Tmu<W>; // Transpose memory unit.
        Child decisions: Queue<Bit>; // For each load whose rows are to pass: whether they are dropped.
        Register fills_slices: Bit; // The transpose memory unit fills with slices.
        Local command: CommandWord;
        Local index: Bits<32>;
        Local inserted: CommandWord;
        Local slice, drops, unused_room: Bit;
        Local unused_level: Bits<5>;
        Local unused_refused, unused_high: Bit;
        Value _set, _columns: u64;
    }
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
        TransferSource::join(&mut self.dispatch.transfer, &mut self.stages.transfer);
        self.stages.transfer_index.next = self.index.val();
        PendingSource::join(&mut self.stages.first, &mut self.dispatch.first);
        PendingSource::join(&mut self.stages.second, &mut self.dispatch.second);
        self.stages.command_ready.next = self.unit_ready.val();
        // Reader and writer.
        self.read_valid.next = self.stages.read_valid.val();
        self.stages.read_ready.next = self.read_ready.val();
        RunSource::link(&mut self.read, &mut self.stages.read);
        ElementSink::link(&mut self.word, &mut self.stages.word);
        WriterSource::link(&mut self.writer_, &mut self.stages.writer_);
        RunSource::link(&mut self.write__, &mut self.stages.write__);
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
        self.tmu.s_axis.tvalid.next = self.stages.element.valid.val();
        self.tmu.s_axis.tdata.next = bits_to::<W, Chunk>(self.stages.element.data.val());
        if self.fills_slices.q.val() {
            self.tmu.s_axis.tvalid.next = self.store_valid.val();
            self.tmu.s_axis.tdata.next = self.store_row.val();
        }
        // With fewer than 64 columns elements are narrower.
        self.unused_high.next = (self.stages.element.data.val() >> self._columns).any();
        self.stages.element.ready.next = self.tmu.s_axis.tready.val();
        self.store_ready.next = self.tmu.s_axis.tready.val() & self.fills_slices.q.val();
        // The other.
        self.decisions.push_valid.next = self.stages.decide.val();
        self.decisions.push_data.next = self.stages.drop_rows.val();
        self.unused_room.next = self.decisions.push_ready.val();
        self.unused_level.next = self.decisions.level.val();
        self.stages.rows_pending.next = self.decisions.head_valid.val();
        self.slice.next =
            self.tmu.m_axis.tvalid.val() & !self.tmu.m_axis_is_element.val() & self.decisions.head_valid.val();
        self.drops.next = self.decisions.head.val();
        self.load_valid.next = self.slice.val() & !self.drops.val();
        self.load_row.next = self.tmu.m_axis.tdata.val();
        self.out.valid.next = self.tmu.m_axis.tvalid.val() & self.tmu.m_axis_is_element.val();
        self.out.data.next = bits_to::<Chunk, W>(self.tmu.m_axis.tdata.val());
        self.out.last.next = self.tmu.m_axis.tlast.val();
        self.tmu.m_axis.tready.next = self.slice.val() & (self.drops.val() | self.load_ready.val());
        if self.tmu.m_axis_is_element.val() {
            self.tmu.m_axis.tready.next = self.out.ready.val();
        }
        self.decisions.pop.next =
            self.slice.val() & (self.drops.val() | self.load_ready.val()) & self.tmu.m_axis.tlast.val();
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
        self.load_failed.next = self.stages.decide.val() & self.stages.drop_rows.val();
        self.busy.next =
            self.dispatch.busy.val() | self.stages.busy.val() | self.tmu.busy.val() | self.decisions.head_valid.val();
    }

    described! {
        "memory_path", "Commands, elements and rows between memory and a compute unit."; INDEX_AT, SET_AT, WIDTH_AT,
        ROW_A_AT, ROW_D_AT, ROW_STORE; _set, _columns
    }
}
