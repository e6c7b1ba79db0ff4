//! Model of the memory path with register block and compute unit; and of the whole with an AXI4 master.

use super::dispatch::{MemoryDispatch, Waiting};
use super::master::{MasterInputs, MasterOutputs};
use super::reader::{MemoryReader, ReaderInputs, Word};
use super::stages::{Around, Doings, TransferStages};
use super::writer::{Bytes, MemoryWriter, WriterInputs};
use crate::axil_regs::AxilRegs;
use crate::axil_slave::{Answer, Offer};
use crate::command_index::CommandIndex;
use crate::command_log::{Events, Recorded};
use crate::compute_unit::{ComputeUnit, Inputs, Outputs};
use crate::queue::Queue;
use crate::tmu::{Tmu, TmuInputs, Transfer};
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::transfer::widest;
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::{MemoryPort, Params};

/// Decisions on rows that may wait.
const DECISIONS: usize = 4;

/// Register block, memory path and compute unit.
#[derive(Clone, Debug)]
pub struct MemoryCore {
    /// Register block.
    pub registers: AxilRegs,
    /// Indices of the unit's commands.
    pub indices: CommandIndex,
    /// Commands that wait.
    pub commands: Queue<Waiting>,
    /// Dispatch.
    pub dispatch: MemoryDispatch,
    /// Transfers.
    pub stages: TransferStages,
    /// Transpose memory unit.
    pub tmu: Tmu,
    /// Whether the rows of loads are dropped, in order.
    pub decisions: Queue<bool>,
    /// The transpose memory unit fills with slices.
    pub fills_slices: bool,
    /// Compute unit.
    pub unit: ComputeUnit,
    set: u8,
    /// Elements have no addresses: nothing that is about them exists in the hardware.
    pub streams: bool,
}

/// What reader and writer show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The reader starts if asked.
    pub read_ready: bool,
    /// The reader's word.
    pub word: Option<Word>,
    /// The writer is at work.
    pub write_busy: bool,
    /// The writer's first error and where.
    pub write_failed: (u8, u64),
    /// The writer takes a word if offered.
    pub out_ready: bool,
}

/// What the core shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreOutputs {
    /// AXI4-Lite.
    pub axil: Answer,
    /// Interrupt line.
    pub irq: bool,
    /// A command waits or runs.
    pub busy: bool,
    /// An error is recorded.
    pub error: bool,
    /// What the transfer stages do.
    pub doings: Doings,
    /// A word for the writer, and whether it is its transfer's last.
    pub out: Option<(u64, bool)>,
    /// What the unit shows.
    pub unit: Outputs,
}

impl MemoryCore {
    /// After reset, rows zero.
    pub fn new(params: &Params) -> MemoryCore {
        MemoryCore {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            commands: Queue::new(params.command_fifo),
            dispatch: MemoryDispatch::new(params),
            stages: TransferStages::default(),
            tmu: Tmu::new(params.columns as u16, widest(params) as u16),
            decisions: Queue::new(DECISIONS),
            fills_slices: false,
            unit: ComputeUnit::with_beats(params, params.columns),
            set: params.sets[0] as u8,
            streams: params.memory_port == MemoryPort::Stream,
        }
    }

    /// A clock edge with the reset on has passed: registers are clear, memories keep their words. `params` are the
    /// design's.
    pub fn reset(&mut self, params: &Params) {
        let entering = self.registers.log.entering;
        self.registers = AxilRegs::new(params);
        self.registers.log.entering = entering;
        self.indices.reset();
        self.commands.reset();
        self.dispatch.reset();
        self.stages = TransferStages::default();
        self.tmu.reset();
        self.decisions.reset();
        self.fills_slices = false;
        self.unit.reset(params);
    }

    fn around(&self, ends: &Ends) -> Around {
        let filling = self.tmu.filling.is_some();
        Around {
            read_ready: ends.read_ready,
            fill_ready: !filling,
            element_ready: filling && !self.tmu.tiles[self.tmu.entering.0].full,
            command_ready: self.unit.queue.ready(),
            write_busy: ends.write_busy,
            write_failed: ends.write_failed,
            word: ends.word,
            rows_pending: self.decisions.count > 0,
            streams: self.streams,
        }
    }

    /// What is offered to the writer.
    pub fn out(&self) -> Option<(u64, bool)> {
        self.tmu.read.as_ref().filter(|beat| beat.element).map(|beat| (beat.bits[0], beat.last))
    }

    /// Whether a word of the reader is taken in this cycle.
    pub fn word_ready(&self, ends: &Ends) -> bool {
        self.stages.doings(&self.around(ends), true).word_ready
    }

    /// What goes into the compute unit: an inserted command for rows, or the one that passes.
    fn command(&self, doings: &Doings, passes: bool) -> Inputs {
        if let Some((store, width, row)) = doings.command {
            let opcode = if store { Opcode::Store } else { Opcode::Load };
            let command = Command { a: row, d: row, ..Command::new(opcode, width) };
            return Inputs { command: Some(command), codes: Some((opcode as u8, self.set)), ..Inputs::default() };
        }
        let head = self.commands.head().filter(|_| passes);
        head.map_or(Inputs::default(), |head| Inputs {
            command: Some(head.command),
            codes: Some((head.opcode, head.set)),
            ..Inputs::default()
        })
    }

    /// One clock edge.
    pub fn step(&mut self, axil: &Offer, ends: &Ends) -> CoreOutputs {
        let (answer, irq) = (self.registers.answer(), self.registers.line);
        let (busy, error) = (self.registers.log.busy, self.registers.log.error.code != 0);
        let out = self.out();
        let around = self.around(ends);
        let pending = self.stages.pending();
        let passes = self.dispatch.passes(self.commands.head(), !pending.is_empty());
        let path_busy = self.commands.count > 0
            || self.stages.busy()
            || self.tmu.filling.is_some()
            || self.tmu.tiles.iter().any(|tile| tile.full)
            || self.tmu.read.is_some()
            || self.decisions.count > 0;
        let (level, ready) = (self.commands.count, self.commands.ready());
        // The compute unit; rows out of the transpose memory unit and into it.
        let before = self.stages.doings(&around, false);
        let slice = self.tmu.read.clone().filter(|beat| !beat.element);
        let decision = self.decisions.head().copied().filter(|_| slice.is_some());
        let slice_leaves = decision.is_some_and(|drop| drop || !self.unit.loader.full);
        let row = slice.as_ref().filter(|_| decision == Some(false)).map(|beat| &beat.bits[..]);
        let stored = self.unit.storer.beat().map(|(row, _)| row.to_vec());
        let row_taken = self.fills_slices && around.element_ready;
        let mut command = self.command(&before, passes);
        command.take = row_taken;
        let index = self.commands.head().map_or(0, |head| head.index);
        let inserted = before.command.and(self.stages.second).map(|second| second.ranged.index);
        let unit = self.unit.step_row(&command, row);
        let enters = (command.command.is_some() && unit.command_ready).then_some(inserted.unwrap_or(index));
        // Errors: the unit's at once, others when it has none.
        let noted = unit.activity.refusal.is_none();
        let doings = self.stages.doings(&around, noted);
        let own = self.dispatch.refused();
        let refused = match (unit.activity.refusal, doings.refused, own) {
            (Some(r), ..) => Some(Recorded { code: r.code, operand: r.operand, index: self.indices.taken, address: 0 }),
            (None, Some(failed), _) => Some(failed),
            (None, None, Some((code, operand))) => {
                let about = u64::from(code) == ErrorCode::Address.code();
                let address = self.commands.head().filter(|_| about).map_or(0, |head| head.command.key);
                Some(Recorded { code: code.into(), operand: operand.into(), index, address })
            }
            (None, None, None) => None,
        };
        let own_noted = noted && doings.refused.is_none();
        // The transpose memory unit.
        let loads = self.stages.second.is_some_and(|s| !s.ranged.transfer.store && s.fills && s.filled.is_none());
        let limbs = self.unit.loader.data.len();
        let beat = if self.fills_slices {
            stored
        } else {
            around.word.filter(|_| loads).map(|word| {
                let mut bits = vec![0; limbs];
                bits[0] = word.data & (u64::MAX >> (64 - self.tmu.bits().min(64)));
                bits
            })
        };
        let start = doings.fill.map(|(store, width, count)| Transfer { store, width, count });
        let take = if out.is_some() { ends.out_ready } else { slice_leaves };
        if let Some(start) = start.filter(|_| around.fill_ready) {
            self.fills_slices = start.store;
        }
        let last = slice.is_some_and(|beat| beat.last);
        self.decisions.step(doings.decision, slice_leaves && last);
        self.tmu.step(&TmuInputs { start, beat, take });
        // Commands.
        let offered = self.dispatch.offered(self.commands.head());
        let stages_take = self.stages.first.is_none();
        let passed = passes && inserted.is_none() && unit.command_ready;
        let taken = passed || (offered.is_some() && stages_take) || (own.is_some() && own_noted);
        let (unit_takes, head) = (unit.command_ready && inserted.is_none(), self.commands.head().copied());
        self.dispatch.step(head.as_ref(), &pending, unit_takes, stages_take, own_noted);
        self.stages.step(offered, &around, noted);
        self.indices.step(enters, unit.activity.accepted);
        let pushed = self.registers.command();
        let entering = pushed.command.zip(pushed.codes).map(|(command, (opcode, set))| {
            let index = self.registers.log.entering.expect("a push has an index");
            Waiting { command, opcode, set, index }
        });
        self.commands.step(entering, taken);
        let events = Events {
            ready,
            busy: path_busy || unit.busy,
            level,
            tag_any: unit.tag_any,
            finished: unit.activity.last,
            refused,
        };
        self.registers.step(axil, &events);
        CoreOutputs { axil: answer, irq, busy, error, doings, out, unit }
    }
}

/// The core with an AXI4 master.
#[derive(Clone, Debug)]
pub struct MemoryTop {
    /// Register block, memory path and compute unit.
    pub core: MemoryCore,
    /// Reader.
    pub reader: MemoryReader,
    /// Writer.
    pub writer: MemoryWriter,
}

/// What enters in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryInputs {
    /// AXI4-Lite.
    pub axil: Offer,
    /// The read address is taken if offered.
    pub read_address_ready: bool,
    /// Read data and response.
    pub read_data: Option<(Vec<u64>, u8)>,
    /// The write address is taken if offered.
    pub write_address_ready: bool,
    /// Write data are taken if offered.
    pub write_data_ready: bool,
    /// Write response.
    pub response: Option<u8>,
}

/// What is shown in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOutputs {
    /// What the core shows.
    pub core: CoreOutputs,
    /// Read address: of the first beat, and beats.
    pub read_address: Option<(u64, u16)>,
    /// Read data are taken if offered.
    pub read_data_ready: bool,
    /// Write address: of the first beat, and beats.
    pub write_address: Option<(u64, u16)>,
    /// Write data, and whether they are the burst's last.
    pub write_data: Option<(Vec<Bytes>, bool)>,
}

impl MemoryTop {
    /// After reset, rows zero.
    pub fn new(params: &Params) -> MemoryTop {
        let beat = params.memory_port.bus_bits() as u64 / 8;
        MemoryTop { core: MemoryCore::new(params), reader: MemoryReader::new(beat), writer: MemoryWriter::new(beat) }
    }

    /// A clock edge with the reset on has passed. `params` are the design's.
    pub fn reset(&mut self, params: &Params) {
        self.core.reset(params);
        self.reader.reset();
        self.writer.reset();
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &MemoryInputs) -> MemoryOutputs {
        let ends = Ends {
            read_ready: self.reader.start_ready(),
            word: self.reader.word(),
            write_busy: self.writer.busy(),
            write_failed: (self.writer.failed, self.writer.failed_address.unwrap_or(0)),
            out_ready: self.writer.word_ready(inputs.write_data_ready),
        };
        let word_ready = self.core.word_ready(&ends);
        let (read_address, write_address) = (self.reader.bursts.offered, self.writer.address);
        let write_data = self.writer.data().map(|(chunks, last)| (chunks.to_vec(), last));
        let read_data_ready = self.reader.beat_ready(word_ready);
        let core = self.core.step(&inputs.axil, &ends);
        self.reader.step(&ReaderInputs {
            start: core.doings.read,
            word_ready,
            address_ready: inputs.read_address_ready,
            beat: inputs.read_data.clone(),
        });
        self.writer.step(&WriterInputs {
            start: core.doings.write,
            word: core.out.map(|(word, _)| word),
            address_ready: inputs.write_address_ready,
            data_ready: inputs.write_data_ready,
            response: inputs.response,
        });
        MemoryOutputs {
            core,
            read_address: read_address.map(|burst| (burst.address, burst.beats)),
            read_data_ready,
            write_address: write_address.map(|burst| (burst.address, burst.beats)),
            write_data,
        }
    }
}

state! {
    MemoryInputs(self) {
        bus s_axil = self.axil;
        bus m_axi = MasterInputs(self);
    }

    MemoryOutputs(self) {
        with self.core;
        bus m_axi = MasterOutputs(self);
    }

    CoreOutputs(self) {
        bus s_axil = self.axil;
        self => irq, busy, error;
        self.unit => tag_any;
    }

    MemoryCore(self, params: &Params) {
        in registers = self.registers;
        in indices = self.indices;
        in unit = self.unit, (params);
        in path {
            in commands = self.commands, (Waiting::pack);
            in decisions = self.decisions, (|&drop| [drop.into()]);
            self => fills_slices;
            in dispatch = self.dispatch, (self.commands.head(), self.streams);
            in stages = self.stages, (self.streams);
            in tmu = self.tmu;
        }
    }

    MemoryTop(self, params: &Params) {
        in core = self.core, (params);
        in reader = self.reader;
        in writer = self.writer;
    }
}
