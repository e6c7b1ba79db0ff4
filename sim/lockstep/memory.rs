//! The compute unit with its way to memory, hardware and cycle model side by side.

mod core;
mod registers;
pub mod stream;

use core::{CoreState, compare_queue};

use super::compare::{Difference, Registers};
use super::{Divergence, WHOLE, state};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::memory::Elements;
use crate::model::memory::core::{MemoryInputs, MemoryOutputs, MemoryTop};
use crate::params::Params;
use crate::vectors::Rows;

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
    core: CoreState,
    parts: [Registers; 4],
    queues: [usize; 3],
}

/// Registers of reader and writer.
fn visit_part(part: usize, model: &MemoryTop, visit: &mut state::Visit<'_>) {
    match part {
        0 => registers::bursts(&model.reader.bursts, visit),
        1 => registers::reader(&model.reader, visit),
        2 => registers::bursts(&model.writer.bursts, visit),
        _ => registers::writer(&model.writer, visit),
    }
}

/// Where they are.
const PARTS: [&str; 4] = ["reader.bursts.", "reader.", "writer.bursts.", "writer."];
const QUEUES: [&str; 3] = ["reader.waiting.memory", "writer.lengths.memory", "writer.addresses.memory"];

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
        let mut part = 0..PARTS.len();
        let parts = PARTS.map(|prefix| {
            let part = part.next().expect("as many as prefixes");
            Registers::find(design, prefix, |visit| visit_part(part, &model, visit))
        });
        let queues =
            QUEUES.map(|path| design.find_memory(path).unwrap_or_else(|| panic!("the design has no memory {path}")));
        let core = CoreState::find(design, params, &model.core);
        core.memories.fill(&mut engine, &mut model.core.unit, params, seed);
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
            core,
            parts,
            queues,
        }
    }

    /// Parameters of the design.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let (mut seen, mut memories) = self.core.numbers();
        seen.extend(self.parts.iter().flat_map(Registers::numbers));
        memories.extend(self.queues);
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
        let strobes = |chunks: &[crate::model::memory::writer::Bytes]| {
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
                return Err(Box::new(Difference::new(*path, &[expected], [actual])));
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
            registers.compare(engine, |visit| visit_part(part, model, visit))?;
        }
        let [waiting, lengths, addresses] = self.queues;
        compare_queue(engine, waiting, &model.reader.waiting, pack_transfer)?;
        compare_queue(engine, lengths, &model.writer.lengths, |&length| [length.into()])?;
        compare_queue(engine, addresses, &model.writer.addresses, |&address| [address])?;
        self.core.compare(engine, &self.params, &mut model.core, whole)
    }
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
        for memory in self.core.memories.rows() {
            self.engine.set_word(memory, row, bits);
        }
    }
}
