//! What a program takes: each launch runs once by the judge, and is replayed on every system that a figure is about.

use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use bitline_units::duality::params::SLOTS;
use serde::Serialize;

use super::Wanted;
use super::operations::{Recorder, Sampled};
use super::program::{Launched, Ran, run};
use super::table::{Program, Server, Table};
use crate::error::Result;
use crate::model::duality::system::{Commands, Memory, System};
use crate::model::duality::watch::Nobody;
use crate::units::duality::hardware::{Counts, Requests, Took};

/// What launches take on a system, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Cycles from the start to the end of each launch.
    pub cycles: u64,
    /// The part of them that is left when words of memory, programs and filling of rows take no time.
    pub compute: u64,
    /// Cycles in which control blocks have a wave, summed over them.
    pub control_blocks: u64,
    /// Cycles in which words of memory are at work, summed over control blocks.
    pub words_of_memory: u64,
    /// Cycles in which arrays compute, summed over them.
    pub arrays: u64,
    /// What was asked of the cache ways.
    #[serde(flatten)]
    pub requests: Requests,
}

impl Cost {
    /// Adds a launch, for threads of so many arrays.
    fn add(&mut self, params: &DualityParams, arrays: usize, took: &Took, compute: u64) {
        let Counts::System { control_block_cycles, word_of_memory_cycles, window_cycles, requests } = took.counts
        else {
            return;
        };
        // A window has the arrays of a slot in each bank, or of several where threads have fewer.
        let of_window = params.banks * SLOTS / arrays;
        self.cycles += took.cycles;
        self.compute += compute;
        self.control_blocks += control_block_cycles;
        self.words_of_memory += word_of_memory_cycles;
        self.arrays += window_cycles * of_window as u64;
        self.requests.hits += requests.hits;
        self.requests.misses += requests.misses;
        self.requests.merges += requests.merges;
        self.requests.written_back += requests.written_back;
    }

    /// Cycles beyond those of compute: as the paper has it, those of memory.
    pub fn memory(&self) -> u64 {
        self.cycles.saturating_sub(self.compute)
    }

    /// Control blocks that have a wave, in the mean over the cycles.
    pub fn at_work(&self) -> f64 {
        self.control_blocks as f64 / self.cycles.max(1) as f64
    }

    /// Requests to the cache ways.
    pub fn asked(&self) -> u64 {
        self.requests.hits + self.requests.misses + self.requests.merges
    }
}

/// A launch in time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The kernel.
    pub kernel: String,
    /// The cycle of the program in which it begins.
    pub begin: u64,
    /// Cycles that it takes.
    pub cycles: u64,
    /// Its CTAs.
    pub ctas: u64,
    /// Its threads.
    pub threads: u64,
    /// Times that a control block is filled with CTAs.
    pub waves: u64,
}

/// Cycles when so many ways of each slice are a cache, and all others control blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Ways of a slice that are a cache.
    pub ways: usize,
    /// Control blocks.
    pub blocks: usize,
    /// What they take.
    pub cost: Cost,
}

/// A program's figures.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The program.
    pub program: String,
    /// Its sizes.
    pub size: String,
    /// Launches.
    pub launches: u64,
    /// Threads of all launches.
    pub threads: u64,
    /// Times that a control block is filled, in all launches, and in the one that has most.
    pub waves: u64,
    /// The most waves of a launch.
    pub most_waves: u64,
    /// Arrays of a thread, in the order in which launches had them first.
    pub arrays: Vec<usize>,
    /// With the server's memory.
    pub cost: Cost,
    /// With fast memory.
    pub fast: Option<Cost>,
    /// By the plain translation, with the server's memory.
    pub simple: Option<Cost>,
    /// Cycles against ways of the cache.
    pub shares: Vec<Share>,
    /// Launches in time, with the server's memory.
    pub launched: Vec<Span>,
    /// Operations with their data.
    #[serde(skip)]
    pub sampled: Vec<Sampled>,
    /// What was run.
    #[serde(skip)]
    pub ran: Option<Ran>,
}

/// Replays launches.
struct Replays<'a> {
    server: &'a Server,
    params: DualityParams,
    commands: Commands,
    memory: Memory,
}

impl Replays<'_> {
    /// All cycles, and those of compute, with so many control blocks and ways.
    fn both(&mut self, launched: &Launched<'_>, parted: (usize, usize)) -> (Took, u64) {
        let took = self.one(launched, parted, self.memory, false);
        (took, self.one(launched, parted, self.memory, true).cycles)
    }

    fn one(
        &mut self,
        launched: &Launched<'_>,
        (blocks, ways): (usize, usize),
        memory: Memory,
        compute_alone: bool,
    ) -> Took {
        let params = DualityParams { cache_ways: ways, ..self.params.clone() };
        let slices = self.server.slices;
        let (lockstep, serving) = (false, 0..ways);
        let system = System { params: &params, blocks, slices, serving, memory, lockstep, compute_alone };
        Took::of_system(&system.replay(launched.coded, launched.traced, &mut self.commands))
    }
}

/// Seed of what rows hold at power-up.
pub(super) const SEED: u64 = 1;

/// Measures a program.
///
/// # Errors
/// As [`run`].
pub fn measure(table: &Table, program: &Program, wanted: &Wanted) -> Result<Measured> {
    let server = &table.server;
    let params = server.params()?;
    let (commands, memory) = (Commands::new(&params), server.memory.memory()?);
    let mut replays = Replays { server, params: params.clone(), commands, memory };
    let fast_memory = server.fast_memory.memory()?;
    let words = Words { seed: SEED, blocks: server.most() as u64, ..Words::new(&params) };
    let sizes = program.sizes(wanted.quick);
    let mut measured = Measured {
        program: program.name.clone(),
        size: sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "),
        launches: 0,
        threads: 0,
        waves: 0,
        most_waves: 0,
        arrays: vec![],
        cost: Cost::default(),
        fast: wanted.figure(7).then(Cost::default),
        simple: None,
        shares: vec![],
        launched: vec![],
        sampled: vec![],
        ran: None,
    };
    let mut recorder = Recorder::new(wanted.figure(12));
    let ran = run(table, program, wanted.quick, &words, &mut recorder, &mut |launched| {
        let (arrays, outcome) = (launched.coded.arrays, &launched.traced.outcome);
        let parted = server.parted(outcome.waves);
        let (took, compute) = replays.both(launched, parted);
        let begin = measured.cost.cycles;
        measured.cost.add(&params, arrays, &took, compute);
        if let Some(fast) = &mut measured.fast {
            fast.add(&params, arrays, &replays.one(launched, parted, fast_memory, false), compute);
        }
        // As in the paper, of programs that have waves for half of the control blocks.
        if measured.launches == 0 && wanted.figure(14) && outcome.waves as usize >= server.most().div_ceil(2) {
            let share =
                |&ways: &usize| Share { ways, blocks: server.slices * (server.ways - ways), cost: Cost::default() };
            measured.shares = server.shares.iter().map(share).collect();
        }
        for share in &mut measured.shares {
            let own = (share.blocks, share.ways);
            let (took, compute) = if own == parted { (took, compute) } else { replays.both(launched, own) };
            share.cost.add(&params, arrays, &took, compute);
        }
        measured.launches += 1;
        measured.threads += outcome.threads;
        measured.waves += outcome.waves;
        measured.most_waves = measured.most_waves.max(outcome.waves);
        if !measured.arrays.contains(&arrays) {
            measured.arrays.push(arrays);
        }
        let (kernel, ctas) = (launched.kernel.to_string(), launched.ctas);
        let (threads, waves) = (outcome.threads, outcome.waves);
        measured.launched.push(Span { kernel, begin, cycles: took.cycles, ctas, threads, waves });
        Ok(())
    })?;
    measured.ran = Some(ran);
    measured.sampled = recorder.sampled();
    if wanted.figure(13) {
        let simple = Words { arrays: Some(1), simple: true, ..words };
        let mut sum = Cost::default();
        run(table, program, wanted.quick, &simple, &mut Nobody, &mut |launched| {
            let parted = server.parted(launched.traced.outcome.waves);
            let (took, compute) = replays.both(launched, parted);
            sum.add(&params, launched.coded.arrays, &took, compute);
            Ok(())
        })?;
        measured.simple = Some(sum);
    }
    Ok(measured)
}
