//! The compute unit in lock step with its model: alone, behind its registers, and with its ways to memory.

use super::Stop;
use super::driver::{Driver, Unit};
use crate::engine::{Engine, Lookup};
use crate::isa::Command;
use crate::model::compute_top::{ComputeTop, TopInputs, TopOutputs};
use crate::model::compute_unit::{ComputeUnit, Inputs, Outputs, Stopwatch, Timing};
use crate::model::memory::core::{MemoryInputs, MemoryOutputs, MemoryTop};
use crate::model::memory::stream::{StreamInputs, StreamOutputs, StreamTop};
use crate::model::seen::{Broken, Source};
use crate::model::sequencer::Sequencer;
use crate::model::state::{Path, Walk};
use crate::params::Params;
use crate::vectors::Rows;

/// The compute unit alone.
pub type Lockstep<E> = Driver<E, ComputeUnit>;
/// With its register block.
pub type TopLockstep<E> = Driver<E, ComputeTop>;
/// With its way to memory.
pub type MemoryLockstep<E> = Driver<E, MemoryTop>;
/// With element streams.
pub type StreamLockstep<E> = Driver<E, StreamTop>;

/// A model that has a compute unit in it.
pub trait Array: Unit<Params = Params> {
    /// Where the design has it: nothing, or a path with a dot behind it.
    const UNIT: &str;

    /// The compute unit.
    fn unit(&self) -> &ComputeUnit;

    /// The same, to change it.
    fn unit_mut(&mut self) -> &mut ComputeUnit;
}

/// Implements [`Unit`] and [`Array`] for a model whose inputs and outputs have tables.
macro_rules! array {
    ($(
        $model:ident $inputs:ident $outputs:ident $unit:literal,
        |$me:ident| $part:expr, |$shown:ident| $activity:expr $(, |$follower:ident| $core:expr)?;
    )+) => {$(
        impl Unit for $model {
            type Params = Params;
            type Inputs = $inputs;
            type Outputs = $outputs;

            fn idle(&self) -> $inputs {
                $inputs::default()
            }

            fn inputs<W: Walk>(&self, inputs: &$inputs, to: W) -> W {
                inputs.state(&Path::TOP, to)
            }

            const ALIKE: bool = true;

            fn alike(these: &$inputs, those: &$inputs) -> bool {
                these == those
            }

            fn outputs<W: Walk>(&self, _: &$inputs, outputs: &$outputs, to: W) -> W {
                outputs.state(&Path::TOP, to)
            }

            fn state<W: Walk>(&self, params: &Params, to: W) -> W {
                self.state(params, &Path::TOP, to)
            }

            fn step(&mut self, inputs: &$inputs) -> $outputs {
                self.step(inputs)
            }

            fn reset(&mut self, params: &Params) {
                self.reset(params);
            }

            fn ends($shown: &$outputs) -> bool {
                $activity.last
            }

            $(
                fn see(&mut self, hardware: &mut dyn Source) {
                    self.see(hardware);
                }

                fn broken(&mut self) -> Option<Broken> {
                    let $follower = self;
                    $core.rules.broken()
                }

                fn judged(path: &str) -> bool {
                    JUDGED.iter().any(|block| path.starts_with(block))
                }
            )?

            fn forget(&mut self) {
                self.unit_mut().array.sram.written.fill(0);
            }
        }

        impl Array for $model {
            const UNIT: &str = $unit;

            fn unit(&self) -> &ComputeUnit {
                let $me = self;
                &$part
            }

            fn unit_mut(&mut self) -> &mut ComputeUnit {
                let $me = self;
                &mut $part
            }
        }
    )+};
}

array! {
    ComputeUnit Inputs Outputs "", |unit| *unit, |shown| shown.activity;
    ComputeTop TopInputs TopOutputs "unit.", |top| top.unit, |shown| shown.unit.activity;
    MemoryTop MemoryInputs MemoryOutputs "core.unit.", |top| top.core.unit, |shown| shown.core.unit.activity,
        |top| top.core;
    StreamTop StreamInputs StreamOutputs "core.unit.", |top| top.core.unit, |shown| shown.core.unit.activity,
        |top| top.core;
}

/// Blocks of the memory path that are judged by what leaves them.
const JUDGED: [&str; 4] = ["core.path.dispatch.", "core.path.stages.", "reader.", "writer."];

impl<E: Engine, U: Array> Driver<E, U> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    fn filled(engine: E, mut model: U, params: &Params, seed: u64) -> Driver<E, U> {
        model.unit_mut().fill(seed);
        Driver::around(engine, model, params.clone(), seed)
    }

    /// Replaces the tag latches, in both.
    ///
    /// # Panics
    /// If the design has no tag latches.
    pub fn set_tags(&mut self, tags: &[u64]) {
        self.model.unit_mut().array.column.t.copy_from_slice(tags);
        let register = self.engine.design().find_register(&format!("{}array.peripheral.tag", U::UNIT));
        self.engine.set_register(register.expect("every design has tag latches"), tags);
    }

    /// Memories that hold the array's rows.
    pub fn row_memories(&self) -> Vec<usize> {
        let memories = ["sram_0.rows", "block_ram_0.rows", "block_ram_0.mirror"];
        let design = self.engine.design();
        memories.iter().filter_map(|memory| design.find_memory(&format!("{}array.{memory}", U::UNIT))).collect()
    }

    /// Replaces a row, in both.
    pub fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.model.unit_mut().array.sram.write(row, bits, None);
        for memory in self.row_memories() {
            self.engine.set_word(memory, row, bits);
        }
    }
}

impl<E: Engine, U: Array> Rows for Driver<E, U> {
    fn columns(&self) -> usize {
        self.params.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.model.unit().array.sram.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.set_row(row, bits);
    }
}

impl<E: Engine> Driver<E, ComputeUnit> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(engine: E, params: &Params, seed: u64) -> Lockstep<E> {
        Driver::filled(engine, ComputeUnit::new(params), params, seed)
    }

    /// Leaves a register out of the comparison; a path that the design does not have counts for nothing.
    pub fn ignore(&mut self, path: &str) {
        if let Some(register) = self.engine.design().find_register(path) {
            self.places.ignore(register);
        }
    }

    /// Switches the comparison of registers, memories and outputs on or off; both sides run either way.
    pub fn set_checked(&mut self, checked: bool) {
        self.checked = checked;
    }

    /// Resets both and fills their memories from another seed: as if new, whatever has happened before.
    pub fn restart(&mut self, seed: u64) {
        (self.seed, self.cycle) = (seed, 0);
        self.quiet();
        self.engine.tick(true);
        self.model.reset(&self.params);
        self.model.queue.slots.fill(None);
        self.model.fill(seed);
        self.settle(false);
    }

    /// Words of a row.
    pub fn row(&self, row: usize) -> &[u64] {
        self.model.array.sram.row(row)
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
                self.compare_memory().map_err(Stop::Diverged)?;
                let delay = Sequencer::tag_latency(self.params.memory) as u64 - 2;
                return refusal.map_or(Ok(watch.timing(delay)), |r| Err(Stop::Refused(r)));
            }
        }
    }
}

impl<E: Engine> Driver<E, ComputeTop> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(engine: E, params: &Params, seed: u64) -> TopLockstep<E> {
        Driver::filled(engine, ComputeTop::new(params), params, seed)
    }

    /// Sets the count of busy cycles, in both.
    pub fn set_cycles(&mut self, cycles: u64) {
        self.model.registers.log.cycles = cycles;
        let full = u64::from(cycles as u32 == u32::MAX);
        for (path, value) in [("low", cycles & 0xffff_ffff), ("low_full", full), ("high", cycles >> 32)] {
            let register = self.engine.design().find_register(&format!("registers.log.{path}")).expect("found before");
            self.engine.set_register(register, &[value]);
        }
    }
}

impl<E: Engine> Driver<E, MemoryTop> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(engine: E, params: &Params, seed: u64) -> MemoryLockstep<E> {
        let mut model = MemoryTop::new(params);
        model.core.path.tmu.tiling = super::tmu::tiling(engine.design(), "core.path.tmu.");
        Driver::filled(engine, model, params, seed)
    }
}

impl<E: Engine> Driver<E, StreamTop> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(engine: E, params: &Params, seed: u64) -> StreamLockstep<E> {
        let mut model = StreamTop::new(params);
        model.core.path.tmu.tiling = super::tmu::tiling(engine.design(), "core.path.tmu.");
        Driver::filled(engine, model, params, seed)
    }
}
