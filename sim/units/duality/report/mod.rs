//! Figures 6 to 14 of Duality Cache (ISCA 2019), as far as they can be made without its simulator, its server and its
//! GPU: CUDA programs on the model of the system, the same programs on the CPU of this machine, operations on the data
//! that the programs have, and an estimate of energy.
//!
//! ```text
//!  table ─▶ programs, by the judge ─▶ traces of launches ─▶ replays: memories, shares of the cache, …
//!               │           └▶ operands of words ─▶ the array's cycle model, by sets of micro-programs
//!               └▶ launches and data ─▶ C++ on this machine, held against the judge's results
//! ```

pub mod cpu;
pub mod energy;
pub mod expression;
pub mod measure;
pub mod operations;
pub mod plots;
pub mod program;
pub mod table;
#[cfg(test)]
mod tests;
pub mod text;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::units::duality::system;
use cpu::Cpu;
use energy::{Constants, Energy};
use measure::{Measured, measure};
use operations::{Latency, Sampled, latencies};
pub use table::Table;

/// The figures that there are.
pub const FIGURES: std::ops::RangeInclusive<u32> = 6..=14;

/// A figure's number, and what makes it of a report.
type Figure = (u32, fn(&Report) -> String);

/// What is to be measured.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Figures.
    pub figures: BTreeSet<u32>,
    /// Small sizes.
    pub quick: bool,
}

impl Wanted {
    /// These figures, or all if none is named.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number that is none of them.
    pub fn new(figures: &[u32], quick: bool) -> Result<Wanted> {
        if let Some(number) = figures.iter().find(|number| !FIGURES.contains(number)) {
            let rule = format!("must be {} to {}", FIGURES.start(), FIGURES.end());
            return Err(Error::parameter("figure", number, rule));
        }
        let all = || FIGURES.collect();
        Ok(Wanted { figures: if figures.is_empty() { all() } else { figures.iter().copied().collect() }, quick })
    }

    /// Whether a figure is wanted.
    pub fn figure(&self, number: u32) -> bool {
        self.figures.contains(&number)
    }
}

/// A program with all that is said of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    #[serde(flatten)]
    pub measured: Measured,
    /// Milliseconds on the model, at its clock.
    pub milliseconds: f64,
    /// Milliseconds on the CPU of this machine.
    pub cpu_milliseconds: Option<f64>,
    /// The estimate of energy, in mJ.
    pub energy: Energy,
}

/// All figures.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Those that were wanted.
    pub figures: BTreeSet<u32>,
    /// Sizes were small, so that figures say nothing.
    pub quick: bool,
    /// The clock of the model, Hz.
    pub clock: f64,
    /// Control blocks of the server, if every way is one.
    pub control_blocks: usize,
    /// Memory: that of the server, and that of Figure 7.
    pub memories: [String; 2],
    /// The CPU of this machine; nothing if it was not wanted, or has no compiler.
    pub cpu: Option<Cpu>,
    /// The programs.
    pub programs: Vec<Row>,
    /// Operations on their data.
    pub operations: Vec<Latency>,
    /// Constants of the estimate of energy.
    pub constants: Constants,
    /// What the paper says.
    pub paper: Paper,
}

/// Averages of the paper: ours are none of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paper {
    /// Speed-up over a GPU with its copies of memory, of Rodinia and of OpenACC benchmarks (Figure 6).
    pub over_gpu: [f64; 2],
    /// Over the GPU's kernels alone, both with GDDR5 (Figure 7).
    pub over_gpu_kernels: [f64; 2],
    /// Energy efficiency over the GPU (Figure 8).
    pub energy: f64,
    /// Speed-up over the CPU (Figure 10).
    pub over_cpu: [f64; 2],
    /// Speed-up of integer multiplications and of additions of floating-point numbers (Figure 12).
    pub operations: [f64; 2],
    /// Compute and all, compiler over the simple translator; per cent of accesses that it saves (Figure 13).
    pub compiler: [f64; 3],
    /// Speed-up by larger caches (Figure 14).
    pub cache: f64,
}

/// Section 5 of the paper.
pub const PAPER: Paper = Paper {
    over_gpu: [3.6, 4.0],
    over_gpu_kernels: [1.92, 2.39],
    energy: 5.85,
    over_cpu: [72.6, 9.6],
    operations: [13.0, 6.1],
    compiler: [1.52, 1.14, 14.3],
    cache: 3.54,
};

/// Measures programs, on as many threads as the machine has cores; then the CPU, alone. `progress` hears how many
/// programs of all are done.
///
/// # Errors
/// The first of a program, as [`measure()`] has them, or of its run on the CPU.
pub fn report(
    table: &Table,
    names: &[String],
    wanted: &Wanted,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Report> {
    let programs = table.chosen(names)?;
    let clock = system::clock()?;
    let constants = Constants::read()?;
    let cpu = if wanted.figure(10) { Cpu::here() } else { None };
    let found: Vec<Mutex<Option<Result<Measured>>>> = programs.iter().map(|_| Mutex::new(None)).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(programs.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let number = programs.iter().position(|one| one.name == program.name).unwrap_or(0);
                    let measured = measure(table, program, wanted);
                    // Whoever waits for an error need not wait for the others.
                    if measured.is_err() {
                        next.store(programs.len(), Ordering::Relaxed);
                    }
                    *found[number].lock().unwrap_or_else(|e| e.into_inner()) = Some(measured);
                    progress(done.fetch_add(1, Ordering::Relaxed) as u64 + 1, programs.len() as u64);
                }
            });
        }
    });
    let found = found.into_iter().filter_map(|one| one.into_inner().unwrap_or_else(|e| e.into_inner()));
    let measured: Vec<Measured> = found.collect::<Result<_>>()?;
    let mut rows = vec![];
    for (mut measured, program) in measured.into_iter().zip(&programs) {
        let cpu_milliseconds = match (&cpu, measured.ran.take()) {
            (Some(cpu), Some(ran)) => Some(1e3 * cpu.seconds(table, program, &ran)?),
            _ => None,
        };
        let energy = constants.estimate(&measured.cost, clock);
        let milliseconds = 1e3 * measured.cost.cycles as f64 / clock;
        rows.push(Row { measured, milliseconds, cpu_milliseconds, energy });
    }
    let sampled: Vec<&Sampled> = rows.iter().flat_map(|row| &row.measured.sampled).collect();
    let operations = latencies(&sampled)?;
    let banks = [&table.server.memory, &table.server.fast_memory];
    Ok(Report {
        figures: wanted.figures.clone(),
        quick: wanted.quick,
        clock,
        control_blocks: table.server.slices * table.server.ways,
        memories: banks.map(|banks| format!("{} × {}", banks.times, banks.name)),
        cpu,
        programs: rows,
        operations,
        constants,
        paper: PAPER,
    })
}
