//! Something that executes commands: the cycle model alone, or the hardware in lock step with it.
//!
//! Programs ([`crate::job`]) and the cycle table ([`crate::cycle_table`]) know arrays only through [`Machine`].

mod accesses;
mod waves;

use std::fmt;
use std::str::FromStr;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::array::blocks::{Top, design};
use crate::engine::{Engine as HardwareEngine, Native, engine};
use crate::error::{Error, Result};
use crate::isa::command::ErrorCode;
use crate::isa::{Command, Opcode};
use crate::lockstep::Lockstep;
use crate::model::compute_unit::{ComputeUnit, Inputs, Outputs, Stopwatch};
use crate::model::flag_register::FlagRegister;
use crate::model::sequencer::Sequencer;
use crate::params::Params;
use crate::vectors::Rows;
use crate::wave::{Wave, WaveSignal};

pub use accesses::Accesses;
pub use waves::{Mark, NamedRows, WaveView};
use waves::{Recorder, Recording};

/// How long a command took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Cycles from its first to its last issue, stalls and waits included.
    pub rtl_cycles: u64,
    /// Cycles from its first issue to its last write.
    pub latency_cycles: u64,
}

/// An array with its sequencer. Rows are read and replaced through a back door that takes no cycle; the streams through
/// which rows enter and leave in hardware are not part of it, so that the opcodes `load` and `store` are refused.
pub trait Machine {
    /// Parameters of the design.
    fn params(&self) -> &Params;

    /// The words of a row, column k in bit k.
    fn row(&self, row: usize) -> Vec<u64>;

    /// Replaces a row.
    fn set_row(&mut self, row: usize, bits: &[u64]);

    /// The tag latches, column k in bit k.
    fn tags(&self) -> Vec<u64>;

    /// Runs one command to its end.
    ///
    /// # Errors
    /// [`Error::Command`] when the command is refused, which leaves rows and latches as they were.
    fn execute(&mut self, command: Command) -> Result<Timing>;

    /// Exceptions that commands have raised since the last call; 0 of designs without exception flags.
    fn take_flags(&mut self) -> u8 {
        0
    }

    /// Exceptions of the latest floating-point command alone.
    fn last_flags(&self) -> u8 {
        0
    }

    /// What the last command did to rows and latches; `None` where nobody counts it.
    fn accesses(&self) -> Option<Accesses> {
        None
    }

    /// Clock cycles since the machine was made.
    fn cycle(&self) -> u64;

    /// The signals that a wave of this machine shows.
    fn wave_signals(&self, view: &WaveView) -> Vec<WaveSignal>;

    /// Shows the cycles from now on to `wave`, which was made for [`Machine::wave_signals`] of the same view.
    fn record(&mut self, wave: Wave, view: &WaveView);

    /// What the program says of the command that is executed next: the wave shows it.
    fn mark(&mut self, mark: &Mark);

    /// Ends the wave, if there is one, after a run that may have failed. Returns whether there is a file.
    ///
    /// # Errors
    /// [`Error::File`] when it could not be written, [`Error::Parameter`] if the run has ended before the wave began.
    fn finish_wave(&mut self, failed: bool) -> Result<bool>;
}

/// The rows of a machine, for [`crate::vectors`].
pub struct MachineRows<'a>(pub &'a mut dyn Machine);

impl Rows for MachineRows<'_> {
    fn columns(&self) -> usize {
        self.0.params().columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.0.row(row)
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.0.set_row(row, bits);
    }
}

/// Fills every row from a seed: memories hold anything after power-up, and nothing may depend on it.
pub fn fill_rows(machine: &mut dyn Machine, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, columns) = (machine.params().rows, machine.params().columns);
    for row in 0..rows {
        let mut words: Vec<u64> = (0..columns.div_ceil(64)).map(|_| rng.random()).collect();
        if columns % 64 != 0 {
            *words.last_mut().expect("a row has words") &= (1 << (columns % 64)) - 1;
        }
        machine.set_row(row, &words);
    }
}

/// Which machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The cycle model alone.
    Model,
    /// The hardware's netlist, compared with the cycle model after every cycle.
    Native,
}

impl Engine {
    /// What runs unless something else is asked for.
    pub const DEFAULT: Engine = Engine::Native;

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Model => "model",
            Engine::Native => "native",
        }
    }

    /// A machine for a design, rows filled from `seed`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the parameters break a rule or the engine cannot run the design.
    pub fn machine(self, params: &Params, seed: u64) -> Result<Box<dyn Machine>> {
        params.check()?;
        let mut machine: Box<dyn Machine> = match self {
            Engine::Model => Box::new(ModelMachine::new(params)),
            Engine::Native => Box::new(UnitMachine::native(params, seed)?),
        };
        fill_rows(machine.as_mut(), seed);
        Ok(machine)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Engine> {
        let found = [Engine::Model, Engine::Native].into_iter().find(|e| e.name() == text);
        found.ok_or_else(|| Error::parameter("engine", text, "must be model or native"))
    }
}

/// What a machine clocks: the model alone, or hardware and model together.
pub trait Clocked {
    /// One clock cycle.
    ///
    /// # Errors
    /// [`Error::Tool`] when hardware and model differ.
    fn clock(&mut self, inputs: &Inputs) -> Result<Outputs>;

    /// The model, whose state is the hardware's.
    fn model(&self) -> &ComputeUnit;

    /// Replaces a row.
    fn replace_row(&mut self, row: usize, bits: &[u64]);
}

impl Clocked for ComputeUnit {
    fn clock(&mut self, inputs: &Inputs) -> Result<Outputs> {
        Ok(self.step(inputs))
    }

    fn model(&self) -> &ComputeUnit {
        self
    }

    fn replace_row(&mut self, row: usize, bits: &[u64]) {
        self.array.sram.write(row, bits, None);
    }
}

impl<E: HardwareEngine> Clocked for Lockstep<E> {
    fn clock(&mut self, inputs: &Inputs) -> Result<Outputs> {
        self.cycle(inputs).map_err(|d| Error::Tool { tool: "lock step".into(), reason: d.to_string() })
    }

    fn model(&self) -> &ComputeUnit {
        &self.model
    }

    fn replace_row(&mut self, row: usize, bits: &[u64]) {
        self.set_row(row, bits);
    }
}

/// A compute unit as a machine.
pub struct UnitMachine<C: Clocked> {
    params: Params,
    unit: C,
    cycle: u64,
    /// Of the last command.
    accesses: Accesses,
    /// As the register block keeps them.
    flags: FlagRegister,
    /// Its error is kept until it is finished.
    wave: Option<Recording>,
    /// What the program says of the next command.
    mark: Mark,
}

/// The cycle model as a machine.
pub type ModelMachine = UnitMachine<ComputeUnit>;

impl ModelMachine {
    /// Idle, rows zero.
    pub fn new(params: &Params) -> ModelMachine {
        UnitMachine::around(ComputeUnit::new(params), params)
    }
}

impl UnitMachine<Lockstep<Native>> {
    /// The hardware's netlist on the native engine, in lock step with the model; memories filled from the seed.
    ///
    /// # Errors
    /// [`Error::Netlist`] when the design cannot be elaborated.
    pub fn native(params: &Params, seed: u64) -> Result<UnitMachine<Lockstep<Native>>> {
        let netlist = design(params, Top::ComputeUnit)?;
        Ok(UnitMachine::around(Lockstep::new(engine(&netlist), params, seed), params))
    }
}

impl<C: Clocked> UnitMachine<C> {
    fn around(unit: C, params: &Params) -> UnitMachine<C> {
        let (params, accesses, mark) = (params.clone(), Accesses::default(), Mark::default());
        UnitMachine { params, unit, cycle: 0, accesses, flags: FlagRegister::default(), wave: None, mark }
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Outputs> {
        let outputs = self.unit.clock(inputs)?;
        self.flags.step(outputs.activity.raised, 0);
        if let Some(Ok(wave)) = &mut self.wave {
            let written = wave.sample(self.cycle, self.unit.model(), &outputs.activity);
            if let Err(error) = written {
                self.wave = Some(Err(error));
            }
        }
        self.cycle += 1;
        Ok(outputs)
    }
}

impl<C: Clocked> Machine for UnitMachine<C> {
    fn params(&self) -> &Params {
        &self.params
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.unit.model().array.sram.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.unit.replace_row(row, bits);
        if let Some(Ok(wave)) = &mut self.wave {
            wave.touch(row);
        }
    }

    fn tags(&self) -> Vec<u64> {
        self.unit.model().array.column.t.clone()
    }

    fn execute(&mut self, command: Command) -> Result<Timing> {
        check(&command, &self.params)?;
        let mark = std::mem::take(&mut self.mark);
        if let Some(Ok(wave)) = &mut self.wave {
            wave.runs(&command, &mark);
        }
        let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
        let mut watch = Stopwatch::default();
        self.accesses = Accesses::default();
        loop {
            let outputs = self.step(&inputs)?;
            self.accesses += Accesses::of(&outputs.activity.issue, &self.params);
            let idle = !outputs.busy && inputs.command.is_none();
            if outputs.command_ready {
                inputs.command = None;
            }
            let activity = outputs.activity;
            if let Some(refusal) = activity.refusal {
                let code = ErrorCode::from_code(refusal.code).unwrap_or(ErrorCode::Opcode);
                let reason = format!("refused by the sequencer: {}", code.description());
                return Err(Error::Command { command: command.to_string(), code: code as u8, reason });
            }
            watch.cycle(activity.issued, activity.issue.write.is_some());
            if idle {
                break;
            }
            assert!(watch.cycles() < 1_000_000, "{command} does not end");
        }
        // Cycles from issue to write.
        let timing = watch.timing(Sequencer::tag_latency(self.params.memory) as u64 - 2);
        Ok(Timing { rtl_cycles: timing.issue, latency_cycles: timing.latency })
    }

    fn take_flags(&mut self) -> u8 {
        std::mem::take(&mut self.flags.flags)
    }

    fn last_flags(&self) -> u8 {
        self.flags.last
    }

    fn accesses(&self) -> Option<Accesses> {
        Some(self.accesses)
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn wave_signals(&self, view: &WaveView) -> Vec<WaveSignal> {
        waves::signals(&self.params, view)
    }

    fn record(&mut self, wave: Wave, view: &WaveView) {
        self.wave = Some(Ok(Recorder::new(wave, view, &self.params)));
    }

    fn mark(&mut self, mark: &Mark) {
        if self.wave.is_some() {
            self.mark = mark.clone();
        }
    }

    fn finish_wave(&mut self, failed: bool) -> Result<bool> {
        let cycles = self.cycle;
        self.wave.take().map_or(Ok(false), |wave| wave?.finish(cycles, failed))
    }
}

/// What every machine refuses before it starts: commands that the hardware would refuse, and row streams.
///
/// # Errors
/// [`Error::Command`] with the hardware's code.
pub fn check(command: &Command, params: &Params) -> Result<()> {
    if matches!(command.opcode, Opcode::Load | Opcode::Store) {
        let reason = "rows enter and leave by load and store statements, not by commands".into();
        return Err(Error::Command { command: command.to_string(), code: ErrorCode::Opcode as u8, reason });
    }
    command.check(params).map(|_| ())
}

#[cfg(test)]
mod tests;
