//! The compute unit with its way to memory, hardware and cycle model side by side.

mod registers;

use super::compare::{Difference, Memories, Registers, compare_words};
use super::tmu::Cells;
use super::{Divergence, WHOLE, state, tmu, top};
use crate::isa::transfer::widest;
use crate::isa::word::COMMAND;
use crate::kernel::netlist::NetId;
use crate::params::Params;
use crate::sim::engine::{Engine, Lookup};
use crate::sim::model::command_queue;
use crate::sim::model::memory::Elements;
use crate::sim::model::memory::core::{MemoryInputs, MemoryOutputs, MemoryTop};
use crate::sim::model::memory::dispatch::Waiting;
use crate::sim::vectors::Rows;

const INPUTS: [&str; 16] = [
    "s_axil_awvalid",
    "s_axil_awaddr",
    "s_axil_wvalid",
    "s_axil_wdata",
    "s_axil_wstrb",
    "s_axil_bready",
    "s_axil_arvalid",
    "s_axil_araddr",
    "s_axil_rready",
    "m_axi_arready",
    "m_axi_rvalid",
    "m_axi_rresp",
    "m_axi_awready",
    "m_axi_wready",
    "m_axi_bvalid",
    "m_axi_bresp",
];

const OUTPUTS: [&str; 23] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_bvalid",
    "s_axil_bresp",
    "s_axil_arready",
    "s_axil_rvalid",
    "s_axil_rdata",
    "s_axil_rresp",
    "irq",
    "busy",
    "error",
    "tag_any",
    "m_axi_arvalid",
    "m_axi_araddr",
    "m_axi_arlen",
    "m_axi_rready",
    "m_axi_awvalid",
    "m_axi_awaddr",
    "m_axi_awlen",
    "m_axi_wvalid",
    "m_axi_wstrb",
    "m_axi_wlast",
    "m_axi_bready",
];

/// The parts of the design that have registers of their own.
const PARTS: usize = 9;

/// Hardware and model.
pub struct MemoryLockstep<E: Engine> {
    params: Params,
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: MemoryTop,
    inputs: [NetId; 16],
    read_data: NetId,
    write_data: NetId,
    outputs: [NetId; 23],
    parts: [Registers; PARTS],
    memories: Memories,
    queues: [usize; 6],
    cells: Cells,
}

/// Visits the registers of a part of the design.
fn visit_part(part: usize, params: &Params, model: &MemoryTop, visit: &mut state::Visit<'_>) {
    let core = &model.core;
    match part {
        0 => {
            top::registers(&core.registers, visit);
            top::indices(&core.indices, visit);
        }
        1 => state::registers(params, &core.unit, visit),
        2 => tmu::registers(&core.tmu, visit),
        3 => registers::path(core, visit),
        4 => registers::stages(&core.stages, visit),
        5 => registers::bursts(&model.reader.bursts, visit),
        6 => registers::reader(&model.reader, visit),
        7 => registers::bursts(&model.writer.bursts, visit),
        _ => registers::writer(&model.writer, visit),
    }
}

/// Where the parts are.
const PREFIXES: [&str; PARTS] = [
    "core.",
    "core.unit.",
    "core.path.tmu.",
    "core.path.",
    "core.path.stages.",
    "reader.bursts.",
    "reader.",
    "writer.bursts.",
    "writer.",
];

const QUEUES: [&str; 6] = [
    "core.indices.waiting.memory",
    "core.path.commands.memory",
    "core.path.decisions.memory",
    "reader.waiting.memory",
    "writer.lengths.memory",
    "writer.addresses.memory",
];

impl<E: Engine> MemoryLockstep<E> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(mut engine: E, params: &Params, seed: u64) -> MemoryLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let (inputs, outputs) = (INPUTS.map(net), OUTPUTS.map(net));
        let (read_data, write_data, unread) = (net("m_axi_rdata"), net("m_axi_wdata"), net("m_axi_rlast"));
        let mut model = MemoryTop::new(params);
        let mut part = 0..PARTS;
        let parts = PREFIXES.map(|prefix| {
            let part = part.next().expect("as many as prefixes");
            Registers::find(design, prefix, |visit| visit_part(part, params, &model, visit))
        });
        let memories = Memories::find(design, params, "core.unit.");
        let queues =
            QUEUES.map(|path| design.find_memory(path).unwrap_or_else(|| panic!("the design has no memory {path}")));
        let cells = Cells::find(design, "core.path.tmu.", params.columns as u16, widest(params) as u16);
        memories.fill(&mut engine, &mut model.core.unit, params, seed);
        for input in inputs.into_iter().chain([read_data, unread]) {
            engine.set_input(input, &[0; 8]);
        }
        engine.tick(true);
        let params = params.clone();
        MemoryLockstep {
            params,
            seed,
            cycle: 0,
            engine,
            model,
            inputs,
            read_data,
            write_data,
            outputs,
            parts,
            memories,
            queues,
            cells,
        }
    }

    /// Parameters of the design.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let mut seen: Vec<usize> = self.parts.iter().flat_map(|part| part.numbers()).copied().collect();
        seen.extend(self.cells.registers());
        let mut memories = self.memories.numbers();
        memories.extend(self.queues);
        memories.extend(self.cells.memories());
        let registers = design.registers.iter().enumerate().filter(|(r, _)| !seen.contains(r));
        let unseen = design.memories.iter().enumerate();
        let unseen = unseen.filter(|(m, memory)| memory.contents.is_none() && !memories.contains(m));
        let registers = registers.map(|(_, register)| design.net(register.net).path.as_str());
        registers.chain(unseen.map(|(_, memory)| memory.path.as_str())).collect()
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, inputs: &MemoryInputs) {
        let axil = &inputs.axil;
        let data = axil.write_data;
        let values = [
            Some(axil.write_address.is_some().into()),
            axil.write_address.map(u64::from),
            Some(data.is_some().into()),
            data.map(|d| d.0.into()),
            data.map(|d| d.1.into()),
            Some(axil.take_response.into()),
            Some(axil.read_address.is_some().into()),
            axil.read_address.map(u64::from),
            Some(axil.take_data.into()),
            Some(inputs.read_address_ready.into()),
            Some(inputs.read_data.is_some().into()),
            inputs.read_data.as_ref().map(|(_, response)| (*response).into()),
            Some(inputs.write_address_ready.into()),
            Some(inputs.write_data_ready.into()),
            Some(inputs.response.is_some().into()),
            inputs.response.map(u64::from),
        ];
        for (net, value) in self.inputs.iter().zip(values) {
            if let Some(value) = value {
                self.engine.set_input(*net, &[value]);
            }
        }
        if let Some((data, _)) = &inputs.read_data {
            self.engine.set_input(self.read_data, data);
        }
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &MemoryInputs) -> Result<MemoryOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        self.compare_outputs(&outputs).map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        self.compare_state(outputs.core.unit.activity.last)?;
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on. Memories keep their words.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &MemoryInputs) -> Result<(), Box<Divergence>> {
        self.drive(inputs);
        self.model.step(inputs);
        self.model.reset(&self.params);
        self.engine.tick(true);
        self.cycle += 1;
        self.compare_state(true)
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &MemoryOutputs) -> Result<(), Box<Difference>> {
        let (axil, core) = (&outputs.core.axil, &outputs.core);
        let strobes = |chunks: &[crate::sim::model::memory::writer::Bytes]| {
            chunks.iter().rev().fold(0, |all, chunk| all << 8 | u64::from(chunk.strobes))
        };
        let values = [
            Some(axil.write_address_ready.into()),
            Some(axil.write_data_ready.into()),
            Some(axil.response.into()),
            Some(0),
            Some(axil.read_address_ready.into()),
            Some(axil.data.is_some().into()),
            axil.data.map(u64::from),
            Some(0),
            Some(core.irq.into()),
            Some(core.busy.into()),
            Some(core.error.into()),
            Some(core.unit.tag_any.into()),
            Some(outputs.read_address.is_some().into()),
            outputs.read_address.map(|(address, _)| address),
            outputs.read_address.map(|(_, beats)| u64::from(beats) - 1),
            Some(outputs.read_data_ready.into()),
            Some(outputs.write_address.is_some().into()),
            outputs.write_address.map(|(address, _)| address),
            outputs.write_address.map(|(_, beats)| u64::from(beats) - 1),
            Some(outputs.write_data.is_some().into()),
            outputs.write_data.as_ref().map(|(chunks, _)| strobes(chunks)),
            outputs.write_data.as_ref().map(|(_, last)| (*last).into()),
            Some(1),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &[expected], &[actual])));
            }
        }
        if let Some((chunks, _)) = &outputs.write_data {
            let expected: Vec<u64> = chunks.iter().map(|chunk| chunk.data).collect();
            let actual = self.engine.value(self.write_data);
            if actual != expected {
                return Err(Box::new(Difference::new("m_axi_wdata", &expected, &actual)));
            }
        }
        Ok(())
    }

    fn compare_state(&mut self, whole: bool) -> Result<(), Box<Divergence>> {
        let whole = whole || self.cycle.is_multiple_of(WHOLE);
        let compared = self.compare_parts(whole);
        compared.map_err(|d| self.diverged(*d))
    }

    fn compare_parts(&mut self, whole: bool) -> Result<(), Box<Difference>> {
        let (engine, model) = (&mut self.engine, &mut self.model);
        for (part, registers) in self.parts.iter().enumerate() {
            registers.compare(engine, |visit| visit_part(part, &self.params, model, visit))?;
        }
        let [indices, commands, decisions, waiting, lengths, addresses] = self.queues;
        let one = |word: &Option<u64>| word.map(|word| [word]);
        let core = &model.core;
        let words: Vec<Option<u64>> = core.indices.waiting.slots.iter().map(|i| i.map(u64::from)).collect();
        compare_words(engine, indices, words.iter().map(one))?;
        compare_words(engine, commands, core.commands.slots.iter().map(|slot| slot.as_ref().map(pack_command)))?;
        let words: Vec<Option<u64>> = core.decisions.slots.iter().map(|d| d.map(u64::from)).collect();
        compare_words(engine, decisions, words.iter().map(one))?;
        compare_words(engine, waiting, model.reader.waiting.slots.iter().map(|slot| slot.as_ref().map(pack_transfer)))?;
        let words: Vec<Option<u64>> = model.writer.lengths.slots.iter().map(|l| l.map(u64::from)).collect();
        compare_words(engine, lengths, words.iter().map(one))?;
        compare_words(engine, addresses, model.writer.addresses.slots.iter().map(one))?;
        self.cells.compare_last(engine, &core.tmu)?;
        // Tiles are large: in full at the end of commands, and now and then.
        if whole {
            self.cells.compare(engine, &core.tmu)?;
        }
        self.memories.compare(engine, &mut model.core.unit, whole)
    }
}

/// A command with its index, as it waits in the queue.
fn pack_command(waiting: &Waiting) -> [u64; 3] {
    let Waiting { command, opcode, set, index } = *waiting;
    let mut limbs = state::pack_command(&command_queue::Waiting { command, opcode, set });
    limbs[COMMAND / 64] |= u64::from(index) << (COMMAND % 64);
    limbs
}

/// A transfer as it waits in the reader.
fn pack_transfer(elements: &Elements) -> [u64; 2] {
    let stride = u64::from(elements.stride as u32 & 0xf_ffff);
    let size = u64::from(elements.bytes.ilog2());
    [elements.address, u64::from(elements.count) | size << 10 | stride << 12 | u64::from(elements.dense()) << 32]
}

impl<E: Engine> Rows for MemoryLockstep<E> {
    fn columns(&self) -> usize {
        self.params.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.model.core.unit.array.sram.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.model.core.unit.array.sram.write(row, bits, None);
        for memory in self.memories.rows() {
            self.engine.set_word(memory, row, bits);
        }
    }
}
