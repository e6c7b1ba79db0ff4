//! The model of the system as something that runs launches: with memory behind the unit's own bus, or a named one.

use std::collections::BTreeMap;
use std::ops::Range;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use serde::Deserialize;

use super::hardware::Took;
use super::machine::{Heard, Mode};
use crate::error::{Error, Result};
use crate::model::duality::system::{Memory, System};
use crate::model::duality::{FlatMemory, Launch};

const MEMORIES: &str = include_str!("memories.toml");
/// Bytes a cycle of the unit's bus.
const BUS: f64 = 8.0;
/// Most control blocks and slices of the model: twice those of the paper's server, which has 560 and 28.
pub const MOST_BLOCKS: usize = 1120;
const MOST_SLICES: usize = 56;

/// Numbers of the clock, or of a memory.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Entry {
    Clock {
        value: f64,
        #[serde(rename = "source")]
        _source: String,
    },
    Memory {
        bytes_per_second: f64,
        nanoseconds: f64,
        #[serde(rename = "source")]
        _source: String,
    },
}

fn entries() -> Result<BTreeMap<String, Entry>> {
    toml::from_str(MEMORIES).map_err(|e| Error::Tool { tool: "memories.toml".into(), reason: e.message().to_string() })
}

/// The clock that turns nanoseconds into cycles, in Hz.
///
/// # Errors
/// [`Error::Tool`] if the file of memories has none.
pub fn clock() -> Result<f64> {
    let clock = |entry: &Entry| match entry {
        Entry::Clock { value, .. } => Some(*value),
        Entry::Memory { .. } => None,
    };
    let none = || Error::Tool { tool: "memories.toml".into(), reason: "has no clock".into() };
    entries()?.values().find_map(clock).ok_or_else(none)
}

/// Memory of this name: `bus` is the unit's own with this latency, others are in `memories.toml`.
///
/// # Errors
/// [`Error::Parameter`] if there is none.
pub fn memory(name: &str, latency: u64) -> Result<Memory> {
    if name == "bus" {
        return Ok(Memory { latency, bytes: BUS });
    }
    let (entries, clock) = (entries()?, clock()?);
    match entries.get(name) {
        Some(Entry::Memory { bytes_per_second, nanoseconds, .. }) => {
            Ok(Memory { latency: (nanoseconds * clock / 1e9).round() as u64, bytes: bytes_per_second / clock })
        }
        _ => {
            let names = entries.iter().filter(|(_, entry)| matches!(entry, Entry::Memory { .. }));
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            Err(Error::parameter("memory", name, format!("must be bus or one of {}", names.join(", "))))
        }
    }
}

/// The model.
pub struct SystemMachine {
    params: DualityParams,
    blocks: usize,
    slices: usize,
    serving: Range<usize>,
    memory: Memory,
    seed: u64,
    progress: Option<Heard>,
}

impl SystemMachine {
    /// With so many control blocks, in so many slices, and so many ways of each that serve as a cache, in place of
    /// those of the parameters, which say everything else. Without a number of ways, it is those that are no control
    /// blocks of the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters are not legal, or there are not so many control blocks or slices.
    pub fn new(
        params: &DualityParams,
        counts: [usize; 2],
        ways: Option<usize>,
        memory: Memory,
        seed: u64,
    ) -> Result<SystemMachine> {
        params.check()?;
        for (name, count, most) in [("blocks", counts[0], MOST_BLOCKS), ("slices", counts[1], MOST_SLICES)] {
            if !(1..=most).contains(&count) {
                return Err(Error::parameter(name, count, format!("must be 1 to {most}")));
            }
        }
        let [blocks, slices] = counts;
        let mut params = params.clone();
        let mut serving = params.blocks..params.cache_ways;
        if let Some(ways) = ways {
            (serving, params.cache_ways) = (0..ways, ways);
            params.cache().check()?;
        }
        Ok(SystemMachine { params, blocks, slices, serving, memory, seed, progress: None })
    }

    /// Who hears from now on how many blocks of a launch are done. A block counts half when the model has computed it,
    /// and whole when its control block has ended it.
    pub fn on_progress(&mut self, progress: Heard) {
        self.progress = Some(progress);
    }

    /// Runs a program for a grid of threads.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a launch that cannot be, and for what stopped the program.
    pub fn run(&mut self, program: &Program, launch: &Launch, memory: &mut FlatMemory, mode: Mode) -> Result<Took> {
        let system = System {
            params: &self.params,
            blocks: self.blocks,
            slices: self.slices,
            serving: self.serving.clone(),
            memory: self.memory,
            lockstep: mode == Mode::Lockstep,
            compute_alone: false,
        };
        // Whoever asks for cycles has run the program by the judge before, with a limit.
        let (total, progress) = (launch.ctas(), &mut self.progress);
        let mut heard = |done: u64, all: u64| {
            if let Some(progress) = progress {
                progress((u128::from(total) * u128::from(done) / u128::from(all)) as u64, total);
            }
        };
        let ran = system.run_heard(program, launch, memory, [self.seed, u64::MAX], &mut heard)?;
        let taken = ran.map_err(|stop| Error::parameter("program", &program.name, stop.to_string()))?;
        Ok(Took::of_system(&taken))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::units::duality::kernels::{KERNELS, Task};
    use bitline_units::duality::isa::assemble::assemble;

    /// A kernel on `tiny`.
    fn gaussian() -> (DualityParams, Task, Program) {
        let params = DualityParams::preset("tiny").expect("a preset");
        let kernel = KERNELS.iter().find(|kernel| kernel.name == "gaussian").expect("a kernel");
        let (task, program) =
            (kernel.task(&params, 1), assemble(kernel.text, kernel.name, &params).expect("a program"));
        (params, task, program)
    }

    #[test]
    fn memories_have_names() {
        assert_eq!(memory("bus", 7).expect("the bus"), Memory { latency: 7, bytes: 8.0 });
        let (slow, fast) = (memory("ddr4", 0).expect("a memory"), memory("gddr5", 0).expect("a memory"));
        assert!(slow.latency == 251 && (26.0..26.5).contains(&slow.bytes), "{slow:?}");
        assert!(fast.bytes > 8.0 * slow.bytes, "{fast:?}");
        let error = memory("clock", 0).expect_err("no memory").to_string();
        assert_eq!(error, "memory = clock: must be bus or one of ddr4, gddr5");
    }

    /// More control blocks take no longer, and less as long as there are waves for them; memory that gives more bytes
    /// in a cycle takes no longer.
    #[test]
    fn more_of_everything_takes_no_longer() {
        let (params, task, program) = gaussian();
        let cycles = |blocks: usize, slices: usize, bytes: f64| {
            let memory = Memory { latency: 40, bytes };
            let mut machine = SystemMachine::new(&params, [blocks, slices], None, memory, 1).expect("legal");
            let mut data = task.memory.clone();
            let run = |launch| machine.run(&program, launch, &mut data, Mode::Decoupled).expect("it runs").cycles;
            task.launches.iter().map(run).sum::<u64>()
        };
        let of_blocks = [1, 2, 4, 8].map(|blocks| cycles(blocks, 1, 8.0));
        assert!(of_blocks.is_sorted_by(|a, b| a >= b) && of_blocks[0] > 3 * of_blocks[3] / 2, "{of_blocks:?}");
        let of_bytes = [0.25, 1.0, 8.0, 64.0].map(|bytes| cycles(4, 1, bytes));
        assert!(of_bytes.is_sorted_by(|a, b| a >= b) && of_bytes[0] > of_bytes[2], "{of_bytes:?}");
        assert!(cycles(8, 4, 8.0) < of_blocks[3]);
        for blocks in [0, MOST_BLOCKS + 1] {
            let refused = SystemMachine::new(&params, [blocks, 1], None, Memory { latency: 0, bytes: 8.0 }, 1);
            let error = refused.err().expect("not so many").to_string();
            assert_eq!(error, format!("blocks = {blocks}: must be 1 to 1120"));
        }
    }

    /// Whoever hears how far a launch is changes nothing of it: each wave is heard of when it has been computed, and
    /// when it has ended.
    #[test]
    fn blocks_are_told_as_they_end() {
        let (params, task, program) = gaussian();
        let memory = Memory { latency: 40, bytes: 8.0 };
        let ran = |heard: Option<Heard>| {
            let mut machine = SystemMachine::new(&params, [3, 1], None, memory, 1).expect("legal");
            if let Some(heard) = heard {
                machine.on_progress(heard);
            }
            let mut data = task.memory.clone();
            let mut run = |launch| machine.run(&program, launch, &mut data, Mode::Decoupled).expect("it runs").cycles;
            let cycles: Vec<u64> = task.launches.iter().map(&mut run).collect();
            (cycles, data)
        };
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&told);
        assert_eq!(ran(Some(Box::new(move |done, total| hears.lock().expect("alone").push((done, total))))), ran(None));
        let told = told.lock().expect("alone");
        let threads = params.threads(program.arrays) as u64;
        let expected = task.launches.iter().flat_map(|launch| {
            let (total, waves) = (launch.ctas(), launch.ctas().div_ceil(threads / launch.cta()));
            (1..=2 * waves).filter(move |step| *step != waves).map(move |step| (total * step / (2 * waves), total))
        });
        assert_eq!(*told, expected.collect::<Vec<_>>());
        assert!(told.len() > 2 * task.launches.len(), "{told:?}");
    }
}
