//! Model of the memory path with register block and compute unit; and of the whole with an AXI4 master.

use super::Elements;
use super::master::{MasterConstants, MasterInputs, MasterSeen};
use super::path::{Around, MemoryPath, Waiting};
use super::reader::{MemoryReader, ReaderSeen};
use super::writer::{Bytes, MemoryWriter, WriterSeen};
use crate::axil_regs::AxilRegs;
use crate::axil_slave::{Answer, Offer};
use crate::command_index::CommandIndex;
use crate::command_log::{Events, Recorded};
use crate::compute_unit::{ComputeUnit, Outputs};
use crate::seen::{Rules, Source, Tap};
use crate::state::Path;
use bitline_units::array::params::Params;

/// Register block, memory path and compute unit.
#[derive(Clone, Debug)]
pub struct MemoryCore {
    /// Register block.
    pub registers: AxilRegs,
    /// Indices of the unit's commands.
    pub indices: CommandIndex,
    /// Memory path.
    pub path: MemoryPath,
    /// Compute unit.
    pub unit: ComputeUnit,
    /// What the hardware is held to.
    pub rules: Rules,
}

/// An element of the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The element in its low bits.
    pub data: u64,
    /// The transfer's last.
    pub last: bool,
    /// The transfer's first error, 0 for none.
    pub response: u8,
    /// The element that it concerns.
    pub address: u64,
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
    /// What the reader starts with.
    pub read: Option<Elements>,
    /// What the writer starts with.
    pub write: Option<Elements>,
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
            path: MemoryPath::new(params),
            unit: ComputeUnit::with_beats(params, params.columns),
            rules: Rules::default(),
        }
    }

    /// A clock edge with the reset on has passed: registers are clear, memories keep their words. `params` are the
    /// design's.
    pub fn reset(&mut self, params: &Params) {
        self.registers.reset(params);
        self.indices.reset();
        self.path.reset();
        self.unit.reset(params);
        self.rules = Rules::default();
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.path.seen.tap(&Path::TOP.at("core").at("path"), from);
    }

    /// One clock edge.
    pub fn step(&mut self, axil: &Offer, ends: &Ends) -> CoreOutputs {
        let (axil_answer, irq) = (self.registers.answer(), self.registers.line);
        let (busy, error) = (self.registers.log.busy, self.registers.log.error.code != 0);
        let (read, write, out) = (self.path.read(), self.path.write(), self.path.out());
        let (level, ready, path_busy) = (self.path.commands.count, self.path.commands.ready(), self.path.busy());
        let pushed = self.registers.command();
        let entering = pushed.command.zip(pushed.codes).map(|(command, (opcode, set))| {
            let index = self.registers.log.entering.expect("a push has an index");
            Waiting { command, opcode, set, index }
        });
        let mut around = Around {
            entering,
            unit_ready: self.unit.queue.ready(),
            row_ready: !self.unit.loader.full,
            stored: self.unit.storer.beat().map(|(row, _)| row.to_vec()),
            noted: true,
        };
        let (command, index) = self.path.command();
        let unit = self.unit.step_row(&command, self.path.row());
        // What happens in the unit is noted at once, errors of the path when nothing does.
        let refusal = unit.activity.refusal;
        around.noted = refusal.is_none() && !unit.activity.last;
        let own = refusal.map(|r| Recorded { code: r.code, operand: r.operand, index: self.indices.taken, address: 0 });
        let refused = own.or_else(|| self.path.error(ends).filter(|_| around.noted));
        let failed = self.path.step(ends, &around, &mut self.rules);
        self.indices.step(index.filter(|_| unit.command_ready), unit.activity.accepted);
        let (tag_any, finished) = (unit.tag_any, unit.activity.last || failed);
        let events = Events {
            ready,
            busy: path_busy || unit.busy,
            level,
            tag_any,
            finished,
            raised: unit.activity.raised,
            refused,
        };
        self.registers.step(axil, &events);
        CoreOutputs { axil: axil_answer, irq, busy, error, read, write, out, unit }
    }
}

seen! {
    /// What the master shows.
    TopSeen {
        /// The reader.
        reader: ReaderSeen = "reader.";
        /// The writer.
        writer: WriterSeen = "writer.";
        /// The bus.
        bus: MasterSeen = "m_axi_";
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
    /// What the hardware shows.
    pub seen: TopSeen,
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
        MemoryTop {
            core: MemoryCore::new(params),
            reader: MemoryReader::new(beat),
            writer: MemoryWriter::new(beat),
            seen: TopSeen::default(),
        }
    }

    /// A clock edge with the reset on has passed. `params` are the design's.
    pub fn reset(&mut self, params: &Params) {
        self.core.reset(params);
        self.reader.reset();
        self.writer.reset();
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.core.see(from);
        self.seen.tap(&Path::TOP, from);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &MemoryInputs) -> MemoryOutputs {
        let TopSeen { reader, writer, bus } = &self.seen;
        let ReaderSeen { ready, valid, data, last, response, address } = *reader;
        let ends = Ends {
            read_ready: ready,
            word: valid.then_some(Word { data, last, response, address }),
            write_busy: self.writer.busy(),
            write_failed: self.writer.failed,
            out_ready: writer.ready,
        };
        let take = self.core.path.seen.word_ready;
        let core = self.core.step(&inputs.axil, &ends);
        let rules = &mut self.core.rules;
        self.reader.step(core.read.filter(|_| ready), (reader, bus), inputs, take, rules);
        self.writer.step(core.write, (writer, bus), inputs, core.out.map(|out| out.0), rules);
        MemoryOutputs { core, ..bus.outputs() }
    }
}

state! {
    MemoryInputs(self) {
        bus s_axil = self.axil;
        bus m_axi = MasterInputs(self);
    }

    MemoryOutputs(self) {
        with self.core;
        bus m_axi = MasterConstants;
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
        in path = self.path;
    }

    MemoryTop(self, params: &Params) {
        in core = self.core, (params);
        in writer = self.writer;
    }
}
