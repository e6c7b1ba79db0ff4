//! What runs launches one after the other: the control block beside its model, with software behind its port to memory;
//! the whole unit, which is launched by its registers and has memory behind its bus; the model of the system; or the
//! unit on a board, at the other end of a line.

use std::ops::AddAssign;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use serde::Serialize;

use super::launching::{self, Ended};
use super::machine::{Heard, Machine, Mode};
use super::memory_side::Timing;
use super::system::SystemMachine;
use super::unit::{How, UnitMachine};
use crate::engine::Native;
use crate::error::{Error, Result};
use crate::host_link::duality::BoardUnit;
use crate::model::duality::system::Taken;
use crate::model::duality::{FlatMemory, Launch};

/// The hardware.
pub enum Hardware {
    /// The control block, compared with its model in every cycle.
    Block(Box<Machine>, Timing),
    /// The whole unit, and how many cycles memory takes from a burst's address to its first beat.
    Unit(Box<UnitMachine<Native>>, u64),
    /// The model of the system.
    System(SystemMachine),
    /// The whole unit on a board.
    Board(Box<BoardUnit>),
}

/// What launches took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Took {
    /// Cycles: on the control block from the start of each wave to its end, on the unit of whole launches.
    pub cycles: u64,
    /// What the hardware counts besides.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What was asked of the cache ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// Requests that found their line.
    pub hits: u64,
    /// Requests for whose line memory was asked.
    pub misses: u64,
    /// Requests whose line was being fetched.
    pub merges: u64,
    /// Lines that were written back, those of the flush at the end included.
    pub written_back: u64,
}

impl Requests {
    fn all(&mut self) -> [&mut u64; 4] {
        [&mut self.hits, &mut self.misses, &mut self.merges, &mut self.written_back]
    }
}

/// What the hardware counts.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Counts {
    /// The control block.
    Block {
        /// Cycles in which windows were at work and memory was not.
        compute_cycles: u64,
        /// Cycles in which memory was at work and windows were not.
        memory_cycles: u64,
        /// Cycles in which both were.
        overlapped_cycles: u64,
        /// Cycles in which neither was: words came, scalars, jumps.
        other_cycles: u64,
        /// Cycles in which a compute word ran in some window; moves, masks and words of memory are none.
        computing_cycles: u64,
        /// The same summed over windows.
        window_cycles: u64,
        /// Accesses of single threads.
        #[serde(skip)]
        accesses: u64,
    },
    /// The whole unit.
    Unit {
        /// Cycles in which a word of memory was at work.
        word_of_memory_cycles: u64,
        /// What was asked of the cache ways.
        #[serde(flatten)]
        requests: Requests,
    },
    /// The model of the system.
    System {
        /// Cycles in which control blocks had a wave, summed over them.
        control_block_cycles: u64,
        /// Cycles in which a word of memory was at work, summed over control blocks.
        word_of_memory_cycles: u64,
        /// Cycles in which a compute word ran, summed over windows.
        window_cycles: u64,
        /// What was asked of the cache ways.
        #[serde(flatten)]
        requests: Requests,
    },
}

impl Counts {
    /// All of them, in their order.
    fn all(&mut self) -> Vec<&mut u64> {
        match self {
            Counts::Block {
                compute_cycles,
                memory_cycles,
                overlapped_cycles,
                other_cycles,
                computing_cycles,
                window_cycles,
                accesses,
            } => vec![
                compute_cycles,
                memory_cycles,
                overlapped_cycles,
                other_cycles,
                computing_cycles,
                window_cycles,
                accesses,
            ],
            Counts::Unit { word_of_memory_cycles, requests } => {
                [word_of_memory_cycles].into_iter().chain(requests.all()).collect()
            }
            Counts::System { control_block_cycles, word_of_memory_cycles, window_cycles, requests } => {
                let cycles = [control_block_cycles, word_of_memory_cycles, window_cycles];
                cycles.into_iter().chain(requests.all()).collect()
            }
        }
    }
}

impl Took {
    /// What the model of the system says.
    pub fn of_system(taken: &Taken) -> Took {
        let counts = Counts::System {
            control_block_cycles: taken.busy,
            word_of_memory_cycles: taken.memory,
            window_cycles: taken.computing,
            requests: Requests {
                hits: taken.counts.hits,
                misses: taken.counts.misses,
                merges: taken.counts.merges,
                written_back: taken.counts.written_back,
            },
        };
        Took { cycles: taken.cycles, counts }
    }
}

impl AddAssign for Took {
    fn add_assign(&mut self, mut other: Took) {
        self.cycles += other.cycles;
        let same = std::mem::discriminant(&self.counts) == std::mem::discriminant(&other.counts);
        assert!(same, "launches that are summed run on one kind of hardware");
        self.counts.all().into_iter().zip(other.counts.all()).for_each(|(sum, count)| *sum += *count);
    }
}

impl Hardware {
    /// The control block; rows hold random bits of the seed at power-up.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters are not legal.
    pub fn block(params: &DualityParams, seed: u64, timing: Timing) -> Result<Hardware> {
        Ok(Hardware::Block(Box::new(Machine::new(params, seed)?), timing))
    }

    /// The whole unit; its memories hold random bits of the seed at power-up.
    ///
    /// # Errors
    /// As [`Self::block`].
    pub fn unit(params: &DualityParams, seed: u64, latency: u64) -> Result<Hardware> {
        Ok(Hardware::Unit(Box::new(UnitMachine::native(params, seed)?), latency))
    }

    /// Whether a control block by itself compares registers and rows with the model's in every cycle, or behind each
    /// wave, which is faster. Others compare what they compare.
    pub fn compare_every_cycle(&mut self, every: bool) {
        if let Hardware::Block(machine, _) = self {
            machine.compare_every_cycle(every);
        }
    }

    /// Who hears how many blocks of a launch are done, without anything being asked of the hardware for it: a board,
    /// which could only be asked over its line, does not tell.
    pub fn on_progress(&mut self, progress: Heard) {
        match self {
            Hardware::Block(machine, _) => machine.on_progress(progress),
            Hardware::Unit(machine, _) => machine.on_progress(progress),
            Hardware::System(machine) => machine.on_progress(progress),
            Hardware::Board(_) => {}
        }
    }

    /// What `--engine` calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Hardware::Block(..) => "rtl",
            Hardware::Unit(..) => "unit",
            Hardware::System(..) => "system",
            Hardware::Board(..) => "board",
        }
    }

    /// Runs a program for a grid of threads.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a launch that cannot be, for what stopped the program, and for a difference between
    /// control block and model.
    pub fn run(&mut self, program: &Program, launch: &Launch, memory: &mut FlatMemory, mode: Mode) -> Result<Took> {
        match self {
            Hardware::Block(machine, timing) => {
                let cycles = machine.run(program, launch, memory, mode, *timing)?;
                let counts = Counts::Block {
                    compute_cycles: cycles.compute,
                    memory_cycles: cycles.memory,
                    overlapped_cycles: cycles.both,
                    other_cycles: cycles.other,
                    computing_cycles: cycles.computing[0],
                    window_cycles: cycles.computing[1],
                    accesses: cycles.accesses,
                };
                Ok(Took { cycles: cycles.all, counts })
            }
            Hardware::System(machine) => machine.run(program, launch, memory, mode),
            Hardware::Unit(machine, latency) => {
                let how = How { mode, host_fed: false, latency: *latency, stalls: false };
                of_unit(program, machine.run(program, launch, memory, how)?)
            }
            Hardware::Board(board) => of_unit(program, board.run(program, launch, memory, mode)?),
        }
    }
}

/// What a launch of the whole unit took, if it ended by itself.
fn of_unit(program: &Program, (ended, counts): (Ended, launching::Counts)) -> Result<Took> {
    if let Ended::Stopped(stop) = ended {
        return Err(Error::parameter("program", &program.name, stop.to_string()));
    }
    let [hits, misses, merges] = counts.requests;
    let requests = Requests { hits, misses, merges, written_back: counts.written_back };
    Ok(Took { cycles: counts.cycles, counts: Counts::Unit { word_of_memory_cycles: counts.memory, requests } })
}
