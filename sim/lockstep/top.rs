//! The compute unit behind its register block, hardware and cycle model side by side.

use super::compare::{Difference, Memories, Registers, compare_words};
use super::state::{self, Visit};
use super::{Divergence, WHOLE};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::axil_regs::AxilRegs;
use crate::model::command_index::CommandIndex;
use crate::model::compute_top::{ComputeTop, TopInputs, TopOutputs};
use crate::params::Params;
use crate::vectors::Rows;

const INPUTS: [&str; 11] = [
    "s_axil_awvalid",
    "s_axil_awaddr",
    "s_axil_wvalid",
    "s_axil_wdata",
    "s_axil_wstrb",
    "s_axil_bready",
    "s_axil_arvalid",
    "s_axil_araddr",
    "s_axil_rready",
    "s_axis_tvalid",
    "s_axis_tdata",
];

const OUTPUTS: [&str; 16] = [
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
    "s_axis_tready",
    "m_axis_tvalid",
    "m_axis_tdata",
    "m_axis_tlast",
];

/// Hardware and model.
pub struct TopLockstep<E: Engine> {
    params: Params,
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: ComputeTop,
    inputs: [NetId; 11],
    take: NetId,
    outputs: [NetId; 16],
    own: Registers,
    unit: Registers,
    memories: Memories,
    indices: usize,
}

/// Every register of the register block.
pub(super) fn registers(block: &AxilRegs, visit: &mut Visit<'_>) {
    let slave = &block.slave;
    let mut one = |path, value: Option<u64>| visit(path, value.as_ref().map(std::slice::from_ref));
    one("registers.slave.address_held", Some(slave.address.is_some().into()));
    one("registers.slave.address", slave.address.map(u64::from));
    one("registers.slave.data_held", Some(slave.data.is_some().into()));
    one("registers.slave.data", slave.data.map(|d| d.0.into()));
    one("registers.slave.strobes", slave.data.map(|d| d.1.into()));
    one("registers.slave.written", Some(slave.written.into()));
    one("registers.slave.read_held", Some(slave.read_address.is_some().into()));
    one("registers.slave.read_address", slave.read_address.map(u64::from));
    one("registers.slave.read_valid", Some(slave.read_data.is_some().into()));
    one("registers.slave.read_data", slave.read_data.map(u64::from));
    macro_rules! staged {
        ($($register:literal)+) => {$(
            staged!($register: 0 1 2 3);
        )+};
        ($register:literal: $($byte:literal)+) => {$(
            let path = concat!("registers.staged_", $register, ".bytes_", $byte);
            one(path, Some((block.staged[$register] >> (8 * $byte) & 0xff).into()));
        )+};
    }
    staged!(0 1 2 3 4 5);
    one("registers.push", Some(block.push.into()));
    one("registers.done_enable", Some(block.done_enable.into()));
    one("registers.error_enable", Some(block.error_enable.into()));
    one("registers.done", Some(block.done.into()));
    one("registers.error_seen", Some(block.error_seen.into()));
    one("registers.line", Some(block.line.into()));
    let log = &block.log;
    one("registers.log.code", Some(log.error.code));
    one("registers.log.operand", Some(log.error.operand));
    one("registers.log.index", Some(log.error.index.into()));
    one("registers.log.pushes", Some(log.pushes.into()));
    one("registers.log.address", Some(log.error.address));
    one("registers.log.entering", log.entering.map(u64::from));
    one("registers.log.busy", Some(log.busy.into()));
    one("registers.log.was_busy", Some(log.was_busy.into()));
    one("registers.log.finished", Some(log.finished.into()));
    one("registers.log.refused", Some(log.refusal.is_some().into()));
    one("registers.log.refused_code", log.refusal.map(|r| r.code));
    one("registers.log.refused_operand", log.refusal.map(|r| r.operand));
    one("registers.log.refused_index", log.refusal.map(|r| r.index.into()));
    one("registers.log.refused_address", log.refusal.map(|r| r.address));
    one("registers.log.count", Some(log.completed.into()));
    one("registers.log.low", Some(log.cycles & 0xffff_ffff));
    one("registers.log.low_full", Some((log.cycles as u32 == u32::MAX).into()));
    one("registers.log.high", Some(log.cycles >> 32));
    one("registers.log.kept", Some(log.kept.into()));
}

/// Every register of the command index.
pub(super) fn indices(model: &CommandIndex, visit: &mut Visit<'_>) {
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("indices.taken", model.taken.into());
    one("indices.waiting.tail", model.waiting.tail.into());
    one("indices.waiting.front", model.waiting.front.into());
    one("indices.waiting.count", model.waiting.count.into());
}

impl<E: Engine> TopLockstep<E> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(mut engine: E, params: &Params, seed: u64) -> TopLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let (inputs, take, outputs) = (INPUTS.map(net), net("m_axis_tready"), OUTPUTS.map(net));
        let mut model = ComputeTop::new(params);
        let own = Registers::find(design, "", |visit| {
            registers(&model.registers, visit);
            indices(&model.indices, visit);
        });
        let unit = Registers::find(design, "unit.", |visit| state::registers(params, &model.unit, visit));
        let memories = Memories::find(design, params, "unit.");
        let indices = design.find_memory("indices.waiting.memory").expect("the design has the index memory");
        memories.fill(&mut engine, &mut model.unit, params, seed);
        for input in inputs.into_iter().chain([take]) {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        let params = params.clone();
        TopLockstep { params, seed, cycle: 0, engine, model, inputs, take, outputs, own, unit, memories, indices }
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let seen: Vec<usize> = self.own.numbers().iter().chain(self.unit.numbers()).copied().collect();
        let memories: Vec<usize> = self.memories.numbers().into_iter().chain([self.indices]).collect();
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

    /// Sets the count of busy cycles, in both.
    pub fn set_cycles(&mut self, cycles: u64) {
        self.model.registers.log.cycles = cycles;
        for (path, value) in [
            ("registers.log.low", cycles & 0xffff_ffff),
            ("registers.log.low_full", u64::from(cycles as u32 == u32::MAX)),
            ("registers.log.high", cycles >> 32),
        ] {
            let register = self.engine.design().find_register(path).expect("found before");
            self.engine.set_register(register, &[value]);
        }
    }

    /// Replaces the tag latches, in both.
    pub fn set_tags(&mut self, tags: &[u64]) {
        self.model.unit.array.column.t.copy_from_slice(tags);
        let register = self.engine.design().find_register("unit.array.peripheral.tag");
        self.engine.set_register(register.expect("every design has tag latches"), tags);
    }

    fn drive(&mut self, inputs: &TopInputs) {
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
            Some(inputs.beat.is_some().into()),
            inputs.beat,
        ];
        for (net, value) in self.inputs.iter().zip(values) {
            if let Some(value) = value {
                self.engine.set_input(*net, &[value]);
            }
        }
        self.engine.set_input(self.take, &[inputs.take.into()]);
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &TopInputs) -> Result<TopOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        self.compare_outputs(&outputs).map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        self.compare_state(outputs.unit.activity.last)?;
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on. Memories keep their words.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &TopInputs) -> Result<(), Box<Divergence>> {
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

    fn compare_outputs(&mut self, outputs: &TopOutputs) -> Result<(), Box<Difference>> {
        let (axil, unit) = (&outputs.axil, &outputs.unit);
        let values = [
            Some(axil.write_address_ready.into()),
            Some(axil.write_data_ready.into()),
            Some(axil.response.into()),
            Some(0),
            Some(axil.read_address_ready.into()),
            Some(axil.data.is_some().into()),
            axil.data.map(u64::from),
            Some(0),
            Some(outputs.irq.into()),
            Some(outputs.busy.into()),
            Some(outputs.error.into()),
            Some(unit.tag_any.into()),
            Some(unit.beat_ready.into()),
            Some(unit.beat.is_some().into()),
            unit.beat.map(|(beat, _)| beat),
            unit.beat.map(|(_, last)| last.into()),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &[expected], [actual])));
            }
        }
        Ok(())
    }

    fn compare_state(&mut self, whole: bool) -> Result<(), Box<Divergence>> {
        let (engine, model) = (&mut self.engine, &mut self.model);
        let whole = whole || self.cycle.is_multiple_of(WHOLE);
        let waiting = model.indices.waiting.slots.iter().map(|index| index.map(|i| [u64::from(i)]));
        let compared = self
            .own
            .compare(engine, |visit| {
                registers(&model.registers, visit);
                indices(&model.indices, visit);
            })
            .and_then(|()| self.unit.compare(engine, |visit| state::registers(&self.params, &model.unit, visit)))
            .and_then(|()| self.memories.compare(engine, &mut model.unit, whole))
            .and_then(|()| compare_words(engine, self.indices, waiting));
        compared.map_err(|d| self.diverged(*d))
    }
}

impl<E: Engine> Rows for TopLockstep<E> {
    fn columns(&self) -> usize {
        self.params.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.model.unit.array.sram.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.model.unit.array.sram.write(row, bits, None);
        for memory in self.memories.rows() {
            self.engine.set_word(memory, row, bits);
        }
    }
}
