//! A model of the whole system that is as fast as counting words: any number of control blocks, slices of cache ways
//! that they share, and memory with a latency and a bandwidth.
//!
//! ```text
//!  launch ─▶ judge ─▶ what each wave executes ─▶ control block 0, 1 … ─▶ memory units ─▶ cache ways ─▶ memory
//! ```
//!
//! What programs compute is what the judge says, wave by wave. When words begin and end follows from contracts of the
//! blocks (an issue window's queue, the steps of a word, the states of the memory unit's sequence) and from the cycles
//! that the sequencer's cycle model takes for each command. Words are taken as a whole: what the hardware does between
//! them cycle by cycle, such as turns at the arbiter, is not here; a word of a program is one request, which holds
//! nobody up. `sim duality --engine system` says how far it is from the hardware.
//!
//! Source: Duality Cache §4, whose model replays traces in the same way.

mod commands;
mod memory_unit;
mod trace;
mod ways;
mod windows;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use bitline_units::duality::isa::Program;
use bitline_units::duality::params::{DualityParams, SCALARS};
use bitline_units::error::Result as Checked;

use super::interpreter::run_watched;
use super::launch::{Launch, Outcome, Stop};
use super::memory::FlatMemory;
use super::watch::Watch;
pub use commands::Commands;
use memory_unit::MemoryUnit;
use trace::{Trace, Wave};
use ways::{ANSWER, Slices};
pub use ways::{Counts, Memory};
use windows::{Meeting, Went, Windows};

/// Words that a launch unit asks for ahead.
const AHEAD: usize = 4;
/// Cycles from a wave's dealing to its filling, and from its scalar registers to the first word that is asked for.
const DEALS: u64 = 2;
const STARTS: u64 = 3;
/// Cycles from the answer that makes a word whole until it can leave the ring.
const ENTERS: u64 = 4;
/// Cycles from the end of a program until the next wave is asked for.
const DRAINS: u64 = 4;
/// Where programs are, in words of 64 bits: behind the windows of all control blocks.
const CODE: u32 = 0xfff0_0000;

/// What the model is of.
#[derive(Clone, Debug)]
pub struct System<'a> {
    /// Control blocks and cache ways; the number of control blocks is below.
    pub params: &'a DualityParams,
    /// Control blocks.
    pub blocks: usize,
    /// Slices, each with the ways of the parameters; control blocks ask that of a line.
    pub slices: usize,
    /// Ways of a slice that serve as a cache, one behind the other.
    pub serving: Range<usize>,
    /// Memory.
    pub memory: Memory,
    /// Words leave in bundles.
    pub lockstep: bool,
    /// Words of memory, programs and the rows that a wave begins with take no time: what is left are the operations
    /// on the critical path.
    pub compute_alone: bool,
}

/// What a launch executes, wave by wave: as often as wanted it can be seen how long a system takes for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traced {
    /// What the judge says.
    pub outcome: Outcome,
    waves: Vec<Wave>,
}

impl Traced {
    /// Runs a program for a grid of threads; seed and limit are the judge's. `beside` hears what is computed.
    ///
    /// # Errors
    /// [`bitline_units::error::Error::Parameter`] for a launch that cannot be; what stopped the program is inside.
    pub fn of(
        params: &DualityParams,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        [seed, limit]: [u64; 2],
        beside: &mut dyn Watch,
    ) -> Checked<Result<Traced, Stop>> {
        let mut trace = Trace::new(&program.words, beside);
        let ran = run_watched(params, program, launch, memory, [seed, limit], &mut trace)?;
        Ok(ran.map(|outcome| Traced { outcome, waves: trace.waves }))
    }
}

/// What a launch takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// What the judge says.
    pub outcome: Outcome,
    /// Cycles from its start to the end of its last wave.
    pub cycles: u64,
    /// Cycles in which words of memory are at work, summed over control blocks.
    pub memory: u64,
    /// Cycles in which commands run, summed over windows.
    pub computing: u64,
    /// Cycles in which control blocks have a wave, summed over them.
    pub busy: u64,
    /// What requests to the cache ways found.
    pub counts: Counts,
}

/// A control block.
struct Block {
    number: usize,
    unit: MemoryUnit,
    /// The wave, the next of its words, and the windows.
    runs: Option<(usize, usize, Windows)>,
    /// A word of memory that waits.
    meeting: Option<Meeting>,
    /// When words have come, and when they have left for the first time.
    there: Vec<u64>,
    left: Vec<u64>,
    /// When the wave has been dealt.
    begun: u64,
}

impl System<'_> {
    /// Runs a program for a grid of threads; `seed` and `limit` are the judge's.
    ///
    /// # Errors
    /// [`bitline_units::error::Error::Parameter`] for a launch that cannot be; what stopped the program is inside.
    pub fn run(
        &self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        seed: u64,
        limit: u64,
    ) -> Checked<Result<Taken, Stop>> {
        self.run_heard(program, launch, memory, [seed, limit], &mut |_, _| ())
    }

    /// The same; `heard` is told how many of how many steps are done: each wave is two, for it is computed first, and
    /// later the control blocks end it.
    ///
    /// # Errors
    /// As [`System::run`].
    pub fn run_heard(
        &self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        limits: [u64; 2],
        heard: &mut dyn FnMut(u64, u64),
    ) -> Checked<Result<Taken, Stop>> {
        let at_once = self.params.threads(program.arrays) as u64 / launch.cta().max(1);
        let waves = launch.ctas().div_ceil(at_once.max(1));
        let mut computed = Computed { begun: 0, waves, heard };
        let traced = Traced::of(self.params, program, launch, memory, limits, &mut computed)?;
        let mut ended = |ended: u64| heard(waves + ended, 2 * waves);
        Ok(traced.map(|traced| self.replayed(program, &traced, &mut Commands::new(self.params), &mut ended)))
    }

    /// What a launch of this program takes that has been traced; commands are those of the parameters.
    pub fn replay(&self, program: &Program, traced: &Traced, commands: &mut Commands) -> Taken {
        self.replayed(program, traced, commands, &mut |_| ())
    }

    /// The same; `heard` is told how many waves have ended.
    fn replayed(
        &self,
        program: &Program,
        traced: &Traced,
        commands: &mut Commands,
        heard: &mut dyn FnMut(u64),
    ) -> Taken {
        let mut replay = Replay {
            system: self,
            program,
            commands,
            ways: Slices::new(&self.params.cache(), self.serving.clone(), [self.blocks, self.slices], self.memory),
            waves: &traced.waves,
            next: 0,
            ended: 0,
            heard,
            taken: Taken { outcome: traced.outcome.clone(), ..Taken::default() },
        };
        replay.all();
        replay.taken
    }
}

/// The waves of a launch on control blocks.
struct Replay<'a> {
    system: &'a System<'a>,
    program: &'a Program,
    commands: &'a mut Commands,
    ways: Slices,
    waves: &'a [Wave],
    next: usize,
    /// Waves that have ended, and who hears of it.
    ended: u64,
    heard: &'a mut dyn FnMut(u64),
    taken: Taken,
}

/// Counts waves that the judge begins: those before have been computed.
struct Computed<'h> {
    begun: u64,
    waves: u64,
    heard: &'h mut dyn FnMut(u64, u64),
}

impl Watch for Computed<'_> {
    fn wave(&mut self) -> Option<u64> {
        if self.begun > 0 {
            (self.heard)(self.begun, 2 * self.waves);
        }
        self.begun += 1;
        None
    }
}

impl Replay<'_> {
    /// Whoever is the first to have something to do with others does it.
    fn all(&mut self) {
        let params = self.system.params;
        let mut blocks: Vec<Block> = (0..self.system.blocks)
            .map(|number| Block {
                number,
                unit: MemoryUnit::new(params, self.program.arrays, number),
                runs: None,
                meeting: None,
                there: vec![],
                left: vec![],
                begun: 0,
            })
            .collect();
        let mut open: BinaryHeap<Reverse<(u64, usize)>> = (0..blocks.len()).map(|k| Reverse((k as u64, k))).collect();
        while let Some(Reverse((at, k))) = open.pop() {
            let block = &mut blocks[k];
            if block.runs.is_none() {
                if self.next == self.waves.len() {
                    continue;
                }
                self.deal(block, at);
            }
            if let Some(then) = self.go(block, at) {
                open.push(Reverse((then, k)));
            }
        }
        self.ways.flush();
        self.taken.counts = self.ways.counts();
    }

    /// A control block gets the next wave.
    fn deal(&mut self, block: &mut Block, at: u64) {
        let system = self.system;
        let filling = block.unit.filling(self.program.specials.iter().map(|special| special.3)) + SCALARS as u64;
        let begin = at + DEALS + if system.compute_alone { 0 } else { filling };
        let windows = Windows::new(begin, self.program.arrays as u64, system.params.window, system.lockstep);
        block.runs = Some((self.next, 0, windows));
        block.begun = at;
        (block.there, block.left) = (vec![], vec![]);
        block.there.push(begin + STARTS);
        self.next += 1;
    }

    /// Words of a wave, up to one that others see. Returns when there is something to do again.
    fn go(&mut self, block: &mut Block, at: u64) -> Option<u64> {
        let (number, mut place, mut windows) = block.runs.take()?;
        let wave = &self.waves[number];
        if let Some(meeting) = block.meeting.take() {
            let word = self.program.words[wave.words[place].pc as usize];
            let end = match self.system.compute_alone {
                true => at,
                false => block.unit.word(&mut self.ways, word, wave.touches(place), at),
            };
            self.taken.memory += end - at;
            windows.memory(meeting, end);
            place += 1;
        }
        while let Some(executed) = wave.words.get(place) {
            let pc = executed.pc as usize;
            let there = self.there(block, pc);
            let went = windows.word(self.commands, (self.program.words[pc], *executed), there);
            if block.left.len() <= pc {
                block.left.resize(pc + 1, windows.next());
            }
            match went {
                Went::On => place += 1,
                Went::Meets(meeting) => {
                    block.meeting = Some(meeting);
                    block.runs = Some((number, place, windows));
                    return Some(meeting.from);
                }
                Went::Ends(end) => {
                    self.taken.computing += windows.computing;
                    self.taken.busy += end - block.begun;
                    self.taken.cycles = self.taken.cycles.max(end + DRAINS);
                    self.ended += 1;
                    (self.heard)(self.ended);
                    return Some(end + DRAINS);
                }
            }
        }
        None
    }

    /// When a word of the program can leave the ring: words are asked for in their order, a few ahead, as far as the
    /// ring has room.
    fn there(&mut self, block: &mut Block, pc: usize) -> u64 {
        if self.system.compute_alone {
            return 0;
        }
        while block.there.len() <= pc + 1 {
            // `there` has the place before the first word's, from which on words are asked for.
            let number = block.there.len() - 1;
            let room = number.checked_sub(self.system.params.ring).and_then(|old| block.left.get(old).copied());
            let ahead = number.checked_sub(AHEAD).map(|old| block.there[old + 1] - ENTERS);
            let from = block.there[0] + 2 * number as u64;
            let at = from.max(room.unwrap_or(0)).max(ahead.unwrap_or(0));
            let whole = self.ways.aside(block.number, at, CODE + 2 * number as u32);
            let last = block.there[number];
            block.there.push((whole.max(at) + 1 + ANSWER + ENTERS).max(if number > 0 { last + 1 } else { 0 }));
        }
        block.there[pc + 1]
    }
}

#[cfg(test)]
mod tests;
