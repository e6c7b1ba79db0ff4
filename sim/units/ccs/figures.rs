//! The commands of a cache compute system, each checked against plain integers on every simulator, and their cycles.
//!
//! Cycles are those in which a command runs, from the register `cycles_low`: from its start to ready. The processor
//! reads the first lines of the operands before, so that they are in the cache: up to a third of it for each of a, b
//! and r, in places that do not overlap.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::energy::{Constants, Estimate};
use super::host::CcsHost;
use super::machine::{CcsMachine, Launch};
use super::reference::execute;
use super::top_machine::CcsTopMachine;
use crate::ccs::blocks::{ccs, ccs_top};
use crate::ccs::registers::{REG_COMPLETED, REG_CYCLES_LOW, REG_RESULT};
use crate::ccs::{COMMANDS, CcsCommand, CcsGeometry, CcsMemory, Kind, Operands};
use crate::engine::engine;
use crate::error::Result;
use crate::external::tool::{cache_folder, find};
use crate::external::verilator::{Build, Verilated};

/// Elements of the vectors.
pub const SIZES: [u32; 4] = [64, 256, 1024, 4096];
/// Bytes of memory.
const MEMORY: usize = 1 << 18;
/// One command's figures.
#[derive(Clone, Debug, Serialize)]
pub struct CcsFigure {
    /// Its name.
    pub command: &'static str,
    /// Its operands.
    pub operands: &'static str,
    /// Map or reduce.
    pub kind: &'static str,
    /// Memory, result and count of lines are those of plain integers, at all sizes, in every run of the hardware.
    pub correct: bool,
    /// The same for the emitted Verilog under Verilator; nothing if it is not installed.
    pub correct_verilator: Option<bool>,
    /// Steady state, lines in the cache: the outer loop over vectors of two lines each.
    pub cycles_per_line: f64,
    /// Steady state, lines from memory: between 1024 and 4096 elements.
    pub cycles_per_line_streamed: f64,
    /// Cycles of a command on one line in the cache, without that line.
    pub setup_cycles: u32,
    /// Registers that software writes for it.
    pub register_writes: u32,
    /// Cycles at each size.
    pub cycles: BTreeMap<u32, u32>,
    /// Energy and power at 64 and 1024 elements, estimated.
    pub estimates: BTreeMap<u32, Estimate>,
}

/// A command over AXI4.
#[derive(Clone, Debug, Serialize)]
pub struct BusFigure {
    /// Its name.
    pub command: &'static str,
    /// Bits of the bus.
    pub bus_bits: usize,
    /// It was correct.
    pub correct: bool,
    /// Cycles a line in the steady state.
    pub cycles_per_line: f64,
    /// What the bus allows: beats of the lines that it reads, or of those that it writes, if these are more.
    pub bus_cycles_per_line: usize,
}

/// The paper's cycles a line, of commands on two vectors. It prints none: an estimate of ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PaperEstimate {
    /// Map commands.
    pub map: f64,
    /// Reduce commands.
    pub reduce: f64,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct CcsFigures {
    /// The geometry.
    pub geometry: CcsGeometry,
    /// Every command.
    pub commands: Vec<CcsFigure>,
    /// Some over AXI4.
    pub buses: Vec<BusFigure>,
    /// Constants of the estimates.
    pub constants: Constants,
    /// For comparison.
    pub paper_cycles_per_line_estimate: PaperEstimate,
}

impl CcsFigures {
    /// Everything is correct.
    pub fn correct(&self) -> bool {
        self.commands.iter().all(|c| c.correct && c.correct_verilator != Some(false))
            && self.buses.iter().all(|b| b.correct)
    }
}

/// Operands as text.
pub fn operands(command: &CcsCommand) -> &'static str {
    match command.operands {
        Operands::Vv => "VV",
        Operands::Vc => "VC",
        Operands::V => "V",
        Operands::C => "C",
    }
}

fn kind(command: &CcsCommand) -> &'static str {
    if command.kind == Kind::Map { "map" } else { "reduce" }
}

/// The command on vectors of so many elements; those of small ones are in the cache at the same time.
fn launch(geometry: &CcsGeometry, command: &CcsCommand, length: u32) -> Launch {
    let part = (geometry.lines / 3 * geometry.line_bytes()) as u32;
    let apart = (MEMORY / 4) as u32;
    // Lines of a result and of an operand are told apart by their lower bits: not a few lines behind each other, modulo
    // 64.
    let lines = |count: usize| (count * geometry.line_bytes()) as u32;
    let bases = [0, apart + part + lines(16), 2 * (apart + part) + lines(48)];
    Launch { constant: 13, ..Launch::new(command.code, bases, length) }
}

/// A host with random bytes in memory, and what it must hold.
struct Bench<H: CcsHost> {
    host: H,
    memory: Vec<u8>,
}

impl<H: CcsHost> Bench<H> {
    fn new(mut host: H, seed: u64) -> Bench<H> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        host.bytes().fill_with(|| rng.random());
        let memory = host.bytes().to_vec();
        Bench { host, memory }
    }

    /// The operands' first lines into the cache: a third of it for each.
    fn warm(&mut self, launch: &Launch) -> Result<()> {
        let geometry = self.host.geometry().clone();
        let most = (geometry.lines / 3).max(1) * geometry.line_bytes();
        let bytes = (launch.length as usize * geometry.element_bytes()).min(most) as u32;
        for base in launch.bases {
            for at in (base..base + bytes).step_by(geometry.line_bytes()) {
                self.host.read(at)?;
            }
        }
        Ok(())
    }

    /// Cycles of a command that is in order; whether all is as it must be.
    fn run(&mut self, launch: &Launch) -> Result<(u32, bool)> {
        self.warm(launch)?;
        let before = self.host.register(REG_CYCLES_LOW)?;
        let error = self.host.run(launch)?;
        let cycles = self.host.register(REG_CYCLES_LOW)?.wrapping_sub(before);
        let geometry = self.host.geometry().clone();
        let outcome = execute(&mut self.memory, &geometry, launch);
        let mut correct = error == outcome.error && error.is_none();
        if let Some(result) = outcome.result {
            correct &= self.host.register(REG_RESULT)? == result;
        }
        correct &= self.host.register(REG_COMPLETED)? == outcome.lines;
        self.host.idle(64)?;
        Ok((cycles, correct && self.host.bytes() == self.memory))
    }

    /// At every size: cycles, and whether all is correct.
    fn sizes(&mut self, command: &CcsCommand) -> Result<(Vec<u32>, bool)> {
        let geometry = self.host.geometry().clone();
        let mut correct = true;
        let mut cycles = vec![];
        for size in SIZES {
            // Without a sign, too, where that is not the same.
            for unsigned in [false, true].into_iter().filter(|&unsigned| !unsigned || command.has_sign()) {
                let launch = Launch { unsigned, ..launch(&geometry, command, size) };
                let (took, right) = self.run(&launch)?;
                correct &= right;
                if !unsigned {
                    cycles.push(took);
                }
            }
        }
        Ok((cycles, correct))
    }
}

/// Registers that software writes: addresses, a constant, and `launch`, which starts.
fn register_writes(command: &CcsCommand) -> u32 {
    let sources = match command.operands {
        Operands::Vv | Operands::Vc => 2,
        Operands::V | Operands::C => 1,
    };
    sources + u32::from(command.kind == Kind::Map) + 1
}

/// Lines between two sizes.
fn lines_between(geometry: &CcsGeometry, from: u32, to: u32) -> f64 {
    f64::from((to - from) / geometry.lanes as u32)
}

/// Energy and power of a command at two sizes; the machine has a model that counts. With whether all was correct.
fn estimates(
    bench: &mut Bench<CcsMachine>,
    constants: &Constants,
    command: &CcsCommand,
) -> Result<(BTreeMap<u32, Estimate>, bool)> {
    let geometry = bench.host.geometry().clone();
    let (mut all, mut correct) = (BTreeMap::new(), true);
    for size in [SIZES[0], SIZES[2]] {
        let launch = launch(&geometry, command, size);
        // Its lines are there before, so that what the processor fetches is not counted.
        bench.warm(&launch)?;
        let before = bench.host.events();
        let (cycles, right) = bench.run(&launch)?;
        let events = bench.host.events().since(&before);
        all.insert(size, constants.estimate(&geometry, &events, cycles));
        correct &= right;
    }
    Ok((all, correct))
}

/// Measures every command, natively and under Verilator if it is there; `progress` hears how many are done.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the geometry breaks a rule; [`crate::error::Error::Tool`] if the hardware does
/// not answer or Verilator fails.
pub fn figures(geometry: &CcsGeometry, seed: u64, progress: &mut dyn FnMut(u64, u64)) -> Result<CcsFigures> {
    let line = CcsGeometry { memory: CcsMemory::Line, ..geometry.clone() };
    let netlist = ccs(&line)?;
    let mut native = Bench::new(CcsMachine::around(engine(&netlist), &line, MEMORY, seed), seed);
    let mut verilated = match find("verilator") {
        None => None,
        Some(_) => {
            let model = Verilated::build_with(&netlist, &cache_folder(), Build::State)?;
            Some(Bench::new(CcsMachine::around(model, &line, MEMORY, seed), seed))
        }
    };
    let constants = Constants::read()?;
    let total = COMMANDS.len() as u64 + 3;
    let mut all = vec![];
    for command in &COMMANDS {
        progress(command.code.into(), total);
        let (cycles, mut correct) = native.sizes(command)?;
        // Two lines, again and again.
        let rows = |count| Launch { count, ..launch(&line, command, 2 * line.lanes as u32) };
        let few = native.run(&rows(64))?;
        let many = native.run(&rows(320))?;
        let single = native.run(&launch(&line, command, line.lanes as u32))?;
        let (estimates, counted) = estimates(&mut native, &constants, command)?;
        correct &= few.1 && many.1 && single.1 && counted;
        let correct_verilator = match &mut verilated {
            None => None,
            Some(bench) => {
                let (same, right) = bench.sizes(command)?;
                Some(right && same == cycles)
            }
        };
        all.push(CcsFigure {
            command: command.name,
            operands: operands(command),
            kind: kind(command),
            correct,
            correct_verilator,
            cycles_per_line: f64::from(many.0 - few.0) / 512.0,
            cycles_per_line_streamed: f64::from(cycles[3] - cycles[2]) / lines_between(&line, SIZES[2], SIZES[3]),
            setup_cycles: single.0 - 1,
            register_writes: register_writes(command),
            cycles: SIZES.into_iter().zip(cycles).collect(),
            estimates,
        });
    }
    let mut buses = vec![];
    for (i, memory) in [CcsMemory::Axi128, CcsMemory::Axi256, CcsMemory::Axi512].into_iter().enumerate() {
        progress(COMMANDS.len() as u64 + i as u64, total);
        if memory.bus_bits() <= 8 * line.line_bytes() {
            buses.extend(bus(&CcsGeometry { memory, ..line.clone() }, seed)?);
        }
    }
    let paper_cycles_per_line_estimate = PaperEstimate { map: 3.0, reduce: 2.0 };
    Ok(CcsFigures { geometry: line, commands: all, buses, constants, paper_cycles_per_line_estimate })
}

/// Some commands with memory behind AXI4.
fn bus(geometry: &CcsGeometry, seed: u64) -> Result<Vec<BusFigure>> {
    let top = CcsTopMachine::around(engine(&ccs_top(geometry)?), geometry, MEMORY, seed);
    let mut bench = Bench::new(top, seed);
    let beats = 8 * geometry.line_bytes() / geometry.memory.bus_bits();
    let mut all = vec![];
    for command in ["ADDVV", "ADDVC", "IPVV", "SUMV"].iter().filter_map(|name| CcsCommand::named(name)) {
        let (few, first) = bench.run(&launch(geometry, command, SIZES[2]))?;
        let (many, second) = bench.run(&launch(geometry, command, SIZES[3]))?;
        let reads = if command.operands == Operands::Vv { 2 } else { 1 };
        all.push(BusFigure {
            command: command.name,
            bus_bits: geometry.memory.bus_bits(),
            correct: first && second,
            cycles_per_line: f64::from(many - few) / lines_between(geometry, SIZES[2], SIZES[3]),
            bus_cycles_per_line: reads * beats,
        });
    }
    Ok(all)
}

/// All of it as Markdown.
pub fn markdown(figures: &CcsFigures) -> String {
    let geometry = &figures.geometry;
    let right = figures.commands.iter().filter(|c| c.correct).count();
    let verilated = figures.commands.iter().filter(|c| c.correct_verilator == Some(true)).count();
    let known = figures.commands.iter().any(|c| c.correct_verilator.is_some());
    let of = figures.commands.len();
    let verilator = if known { format!("{verilated} of {of}") } else { "SKIPPED, not installed".into() };
    let mut text = format!(
        "Cache compute system `{}`: {} lanes of {} bits, {} lines, memory behind a port as wide as a line.\n\
         Correct against plain integers: {right} of {of} on the native engine, beside the cycle model, whose state was \
         the same in every cycle; under Verilator: {verilator}.\n\n\
         | command | kind | operands | correct | Verilator | cycles a line, in the cache | cycles a line, from memory \
         | setup cycles | \
         register writes | 64 | 256 | 1024 | 4096 | nJ at 64, estimate | nJ at 1024 | mW at 1024 | nJ of the paper's \
         power at 1024 |\n\
         |---|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        geometry.name, geometry.lanes, geometry.element_bits, geometry.lines
    );
    let word = |right: bool| if right { "yes" } else { "NO" };
    for f in &figures.commands {
        text += &format!(
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {} | {} |",
            f.command,
            f.kind,
            f.operands,
            word(f.correct),
            f.correct_verilator.map_or("–", word),
            f.cycles_per_line,
            f.cycles_per_line_streamed,
            f.setup_cycles,
            f.register_writes
        );
        f.cycles.values().for_each(|cycles| text += &format!(" {cycles} |"));
        if let (Some(small), Some(large)) = (f.estimates.get(&SIZES[0]), f.estimates.get(&SIZES[2])) {
            let paper = figures.constants.paper_nj(large.cycles);
            text += &format!(" {:.0} | {:.0} | {:.0} | {paper:.0} |", small.fpga_nj, large.fpga_nj, large.fpga_mw);
        }
        text.push('\n');
    }
    let PaperEstimate { map, reduce } = figures.paper_cycles_per_line_estimate;
    text += &format!(
        "\nIn the cache: the outer loop over vectors of two lines, between 64 and 320 rows. From memory: between 1024 \
         and 4096 elements; the \
         port reads one line a cycle.\nThe paper prints no cycles a line: our estimate of its hardware is {map:.0} for \
         a map and {reduce:.0} for \
         a reduction of two vectors.\nVerilator: yes if it is correct and takes the same cycles.\n\n{}\n\
         | command over AXI4 | bus bits | correct | cycles a line | the bus allows |\n|---|--:|---|--:|--:|\n",
        figures.constants.text()
    );
    for b in &figures.buses {
        text += &format!(
            "| {} | {} | {} | {:.2} | {} |\n",
            b.command,
            b.bus_bits,
            word(b.correct),
            b.cycles_per_line,
            b.bus_cycles_per_line
        );
    }
    text
}
