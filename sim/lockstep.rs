//! The hardware and the cycle model side by side: the same inputs go into both, and after every cycle all registers, all rows and
//! all outputs are compared.
//!
//! The hardware is a netlist on any [`Engine`]: the native one, Verilator or Icarus. Memories hold, at the start, what the seed makes
//! of them, in both.

pub mod axi_adapter;
pub mod board;
pub mod ccs;
pub mod ccs_bridge;
pub mod ccs_top;
pub mod ccs_unit;
pub mod compare;
pub mod compute_cache;
pub mod line_port;
pub mod memory;
pub mod state;
pub mod tmu;
pub mod top;

use std::fmt;

use compare::{Difference, Memories, Registers};

use crate::engine::{Engine, Lookup};
use crate::isa::Command;
use crate::kernel::netlist::NetId;
use crate::model::command_setup::Refusal;
use crate::model::compute_unit::{ComputeUnit, Inputs, Outputs, Stopwatch, Timing};
use crate::model::sequencer::Sequencer;
use crate::params::Params;

/// The first difference between hardware and model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Seed of the run.
    pub seed: u64,
    /// Cycle, counted from the reset.
    pub cycle: u64,
    /// Instance path and signal.
    pub path: String,
    /// What the model says, lowest word first.
    pub expected: Vec<u64>,
    /// What the hardware holds.
    pub actual: Vec<u64>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |words: &[u64]| words.iter().rev().map(|w| format!("{w:016x}")).collect::<Vec<_>>().join("_");
        write!(
            f,
            "hardware and model differ: seed {}, cycle {}, {}: expected {}, actual {}",
            self.seed,
            self.cycle,
            self.path,
            hex(&self.expected),
            hex(&self.actual)
        )
    }
}

impl std::error::Error for Divergence {}

/// Why a command did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The hardware refused it, and the model agrees.
    Refused(Refusal),
    /// Hardware and model differ.
    Diverged(Box<Divergence>),
}

/// Input nets.
#[derive(Debug)]
struct InputNets {
    valid: NetId,
    fields: [NetId; 10],
    beat_valid: NetId,
    beat: NetId,
    take: NetId,
}

/// Hardware and model.
pub struct Lockstep<E: Engine> {
    params: Params,
    seed: u64,
    cycle: u64,
    checked: bool,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: ComputeUnit,
    inputs: InputNets,
    last: Inputs,
    outputs: Vec<(&'static str, NetId)>,
    registers: Registers,
    memories: Memories,
}

/// After so many cycles, and at the end of every command, all rows are compared; else those that were written.
pub(crate) const WHOLE: u64 = 1024;

const OUTPUTS: [&str; 15] = [
    "cmd_ready",
    "s_axis_tready",
    "m_axis_tvalid",
    "m_axis_tdata",
    "m_axis_tlast",
    "busy",
    "queue_level",
    "accepted",
    "finished",
    "issued",
    "started",
    "refused",
    "refused_code",
    "refused_operand",
    "tag_any",
];

impl<E: Engine> Lockstep<E> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(mut engine: E, params: &Params, seed: u64) -> Lockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let fields = ["op", "set", "width", "second", "a", "b", "d", "e", "s", "key"];
        let inputs = InputNets {
            valid: net("cmd_valid"),
            fields: fields.map(|f| net(&format!("cmd_{f}"))),
            beat_valid: net("s_axis_tvalid"),
            beat: net("s_axis_tdata"),
            take: net("m_axis_tready"),
        };
        let memories = Memories::find(design, params, "");
        let outputs = OUTPUTS.iter().map(|&path| (path, net(path))).collect();
        let mut model = ComputeUnit::new(params);
        let registers = Registers::find(design, "", |visit| state::registers(params, &model, visit));
        memories.fill(&mut engine, &mut model, params, seed);
        for input in [inputs.valid, inputs.beat_valid, inputs.take, inputs.beat].into_iter().chain(inputs.fields) {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        let last = Inputs::default();
        let params = params.clone();
        Lockstep { params, seed, cycle: 0, checked: true, engine, model, inputs, last, outputs, registers, memories }
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let (registers, memories) = (self.registers.numbers(), self.memories.numbers());
        let registers = design.registers.iter().enumerate().filter(|(r, _)| !registers.contains(r));
        let unseen = design.memories.iter().enumerate();
        let unseen = unseen.filter(|(m, memory)| memory.contents.is_none() && !memories.contains(m));
        let registers = registers.map(|(_, register)| design.net(register.net).path.as_str());
        registers.chain(unseen.map(|(_, memory)| memory.path.as_str())).collect()
    }

    /// Parameters of the design.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    /// Leaves a register out of the comparison; a path that the design does not have counts for nothing.
    pub fn ignore(&mut self, path: &str) {
        if let Some(register) = self.engine.design().find_register(path) {
            self.registers.ignore(register);
        }
    }

    /// Resets both and fills their memories from another seed: as if new, whatever has happened before.
    pub fn restart(&mut self, seed: u64) {
        (self.seed, self.cycle) = (seed, 0);
        self.engine.set_input(self.inputs.valid, &[0]);
        self.engine.set_input(self.inputs.beat_valid, &[0]);
        self.engine.set_input(self.inputs.take, &[0]);
        self.last = Inputs::default();
        self.engine.tick(true);
        self.model.reset(&self.params);
        self.model.queue.slots.fill(None);
        self.memories.fill(&mut self.engine, &mut self.model, &self.params, seed);
    }

    /// Switches the comparison of registers, memories and outputs on or off; both sides run either way.
    pub fn set_checked(&mut self, checked: bool) {
        self.checked = checked;
    }

    fn drive(&mut self, inputs: &Inputs) {
        if *inputs == self.last {
            return;
        }
        let nets = &self.inputs;
        self.engine.set_input(nets.valid, &[inputs.command.is_some().into()]);
        let sent = |i: &Inputs| (i.command, i.codes);
        if let Some(c) = inputs.command.filter(|_| sent(inputs) != sent(&self.last)) {
            let rows = [c.a, c.b, c.d, c.e, c.s].map(|row| u64::from(row) & 0x3ff);
            let (opcode, set) = inputs.codes.unwrap_or((c.opcode as u8, c.set as u8));
            let codes = [opcode.into(), set.into(), (c.width & 0x7f).into(), (c.second & 0x7f).into()];
            for (net, value) in nets.fields.iter().zip(codes.into_iter().chain(rows).chain([c.key])) {
                self.engine.set_input(*net, &[value]);
            }
        }
        self.engine.set_input(nets.beat_valid, &[inputs.beat.is_some().into()]);
        if let Some(beat) = inputs.beat {
            self.engine.set_input(nets.beat, &[beat]);
        }
        self.engine.set_input(nets.take, &[inputs.take.into()]);
        self.last = *inputs;
    }

    /// One clock cycle of both.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &Inputs) -> Result<Outputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        if self.checked {
            self.compare_outputs(&outputs)?;
        }
        self.engine.tick(false);
        self.cycle += 1;
        if self.checked {
            self.compare_registers()?;
            self.compare_memories(outputs.activity.last)?;
        }
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &Inputs) -> Result<(), Box<Divergence>> {
        self.drive(inputs);
        self.model.step(inputs);
        self.model.reset(&self.params);
        self.engine.tick(true);
        self.cycle += 1;
        if self.checked {
            self.compare_registers()?;
            self.compare_memories(true)?;
        }
        Ok(())
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &Outputs) -> Result<(), Box<Divergence>> {
        let activity = &outputs.activity;
        let refusal = activity.refusal;
        let values: [Option<u64>; 15] = [
            Some(outputs.command_ready.into()),
            Some(outputs.beat_ready.into()),
            Some(outputs.beat.is_some().into()),
            outputs.beat.map(|(beat, _)| beat),
            outputs.beat.map(|(_, last)| last.into()),
            Some(outputs.busy.into()),
            Some(outputs.level.into()),
            Some(activity.accepted.into()),
            Some(activity.last.into()),
            Some(activity.issued.into()),
            Some(activity.first.into()),
            Some(refusal.is_some().into()),
            refusal.map(|r| r.code),
            refusal.map(|r| r.operand),
            Some(outputs.tag_any.into()),
        ];
        for ((path, net), expected) in self.outputs.iter().zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(*net);
            if actual != expected {
                return Err(self.diverged(Difference::new(*path, &[expected], [actual])));
            }
        }
        Ok(())
    }

    fn compare_registers(&self) -> Result<(), Box<Divergence>> {
        let compared = self.registers.compare(&self.engine, |visit| state::registers(&self.params, &self.model, visit));
        compared.map_err(|d| self.diverged(*d))
    }

    fn compare_memories(&mut self, whole: bool) -> Result<(), Box<Divergence>> {
        let compared =
            self.memories.compare(&mut self.engine, &mut self.model, whole || self.cycle.is_multiple_of(WHOLE));
        compared.map_err(|d| self.diverged(*d))
    }

    /// Words of a row.
    pub fn row(&self, row: usize) -> &[u64] {
        self.model.array.sram.row(row)
    }

    /// Replaces a row, in both.
    pub fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.model.array.sram.write(row, bits, None);
        for memory in self.memories.rows() {
            self.engine.set_word(memory, row, bits);
        }
    }

    /// Replaces the tag latches, in both.
    ///
    /// # Panics
    /// If the design has no tag latches.
    pub fn set_tags(&mut self, tags: &[u64]) {
        self.model.array.column.t.copy_from_slice(tags);
        let register =
            self.engine.design().find_register("array.peripheral.tag").expect("every design has tag latches");
        self.engine.set_register(register, tags);
    }

    /// Runs one command to its end, without row traffic.
    ///
    /// # Errors
    /// See [`Stop`].
    pub fn run(&mut self, command: Command) -> Result<Timing, Stop> {
        let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
        let mut watch = Stopwatch::default();
        let mut refusal = None;
        loop {
            let outputs = self.cycle(&inputs).map_err(Stop::Diverged)?;
            let idle = !outputs.busy && inputs.command.is_none();
            if outputs.command_ready {
                inputs.command = None;
            }
            let activity = outputs.activity;
            refusal = refusal.or(activity.refusal);
            watch.cycle(activity.issued, activity.issue.write.is_some());
            assert!(watch.cycles() < 200_000, "{command} does not end");
            if idle {
                if self.checked {
                    self.compare_memories(true).map_err(Stop::Diverged)?;
                }
                let delay = Sequencer::tag_latency(self.params.memory) as u64 - 2;
                return refusal.map_or(Ok(watch.timing(delay)), |r| Err(Stop::Refused(r)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
