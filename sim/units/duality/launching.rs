//! A launch of the whole unit as its registers have it: what software writes before it starts, and what it reads when
//! the launch has ended.

use std::collections::HashSet;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::SLOTS;
use bitline_units::duality::registers::*;

use super::machine::Mode;
use crate::error::{Error, Result};
use crate::model::duality::{FlatMemory, Launch, Stop};

/// Bytes of a page.
pub const PAGE: u32 = 1 << PAGE_LOG;

/// What a run ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All waves have ended; the first code that is not 0.
    Code(u64),
    /// It was stopped.
    Stopped(Stop),
}

impl Ended {
    /// What registers `result`, `trap_pc`, `trap_thread` and `trap_address` say.
    pub fn of([result, pc, thread, address]: [u32; 4]) -> Ended {
        let code = u64::from(result >> RESULT_CODE_LSB & 0xff);
        if result >> RESULT_OUTCOME_LSB & 3 == 1 {
            return Ended::Code(code);
        }
        let trap = Trap::from_code(code);
        let told = trap.is_some_and(|trap| (Trap::Unmapped.code()..=Trap::Window.code()).contains(&trap.code()));
        Ended::Stopped(Stop {
            trap,
            pc: pc as usize,
            thread: (told && result >> RESULT_THREAD_LSB & 1 == 1).then_some(thread as usize),
            address: (told && result >> RESULT_ADDRESS_LSB & 1 == 1).then_some(address),
        })
    }
}

/// What the counters say after a run and its flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cycles of the launch.
    pub cycles: u64,
    /// Waves.
    pub waves: u64,
    /// Cycles in which a word of memory was at work.
    pub memory: u64,
    /// Requests that found their line; for whose line memory was asked; whose line was being fetched.
    pub requests: [u64; 3],
    /// Lines written back.
    pub written_back: u64,
}

impl Counts {
    /// What registers `waves` to `written_back` say of a launch of so many cycles.
    pub fn of(cycles: u64, counters: [u32; 6]) -> Counts {
        let [waves, memory, hits, misses, merges, written_back] = counters.map(u64::from);
        Counts { cycles, waves, memory, requests: [hits, misses, merges], written_back }
    }
}

/// A launch with all that it does not say itself.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    /// The unit.
    pub params: &'a DualityParams,
    /// The program.
    pub program: &'a Program,
    /// The launch.
    pub launch: &'a Launch,
    /// How words leave.
    pub mode: Mode,
    /// The host pushes the program's words.
    pub host_fed: bool,
    /// Physical address of the program.
    pub code: u32,
    /// Bytes from the shared windows and from the spill rows of a control block to those of the next.
    pub steps: [u32; 2],
}

impl Prepared<'_> {
    /// Registers and what they get, in ascending order; the page table, `way_modes` and the start are left.
    pub fn writes(&self) -> Vec<(u64, u32)> {
        let Prepared { params, program, launch, .. } = *self;
        let mode = (SLOTS / program.arrays).ilog2() << MODE_ARRAYS_LSB
            | u32::from(self.mode == Mode::Lockstep) << MODE_LOCKSTEP_LSB
            | u32::from(self.host_fed) << MODE_HOST_FED_LSB;
        let counts = launch.parameters.len() << COUNTS_PARAMETERS_LSB | program.specials.len() << COUNTS_SPECIALS_LSB;
        let mut writes = vec![(REG_MODE, mode), (REG_CODE, self.code), (REG_WORDS, program.words.len() as u32)];
        let sizes = launch.block.into_iter().chain(launch.grid);
        writes.extend((REG_BLOCK_X..).step_by(4).zip(sizes));
        writes.extend([
            (REG_AT_ONCE, at_once(params, program, launch)),
            (REG_SHARED_BASE, launch.shared_base),
            (REG_SHARED_BYTES, launch.shared_bytes),
            (REG_SPILL_BASE, launch.spill_base),
            (REG_SPILL_ROWS, launch.spill_rows),
            (REG_SHARED_STEP, self.steps[0]),
            (REG_SPILL_STEP, self.steps[1]),
            (REG_COUNTS, counts as u32),
        ]);
        writes.extend((PARAMETERS..).step_by(4).zip(launch.parameters.iter().copied()));
        let words =
            program.specials.iter().map(|&(special, slot, row, rows)| special_word(special.code(), slot, row, rows));
        writes.extend((SPECIALS..).step_by(4).zip(words));
        writes
    }
}

/// CTAs that a control block has at once.
fn at_once(params: &DualityParams, program: &Program, launch: &Launch) -> u32 {
    (params.threads(program.arrays) as u64 / launch.cta()) as u32
}

/// Maps shared windows and spill rows of every control block but the first, and says how far they are apart.
///
/// # Errors
/// [`Error::Parameter`] if there are not enough pages.
pub fn apart(params: &DualityParams, program: &Program, launch: &Launch, memory: &mut FlatMemory) -> Result<[u32; 2]> {
    let windows = at_once(params, program, launch) * launch.shared_bytes;
    let rows = params.threads(program.arrays) as u32 / 8 * launch.spill_rows;
    Ok([step(params, memory, launch.shared_base, windows)?, step(params, memory, launch.spill_base, rows)?])
}

/// Maps pages for what each control block but the first has of so many bytes, and says how far they are apart.
fn step(params: &DualityParams, memory: &mut FlatMemory, base: u32, bytes: u32) -> Result<u32> {
    let others = 1..if bytes == 0 { 1 } else { params.blocks as u32 };
    if others.is_empty() {
        return Ok(0);
    }
    let entries: HashSet<u32> = memory.pages().map(|(page, _)| page % MOST_PAGES as u32).collect();
    let free = |step: u32| {
        let mut seen = entries.clone();
        let mut pages = others.clone().flat_map(|k| {
            let first = base.wrapping_add(k.wrapping_mul(step));
            first / PAGE..=first.saturating_add(bytes - 1) / PAGE
        });
        pages.all(|page| seen.insert(page % MOST_PAGES as u32))
    };
    let most = MOST_PAGES as u32;
    let step = (bytes.div_ceil(PAGE)..most).map(|pages| (pages + 1) * PAGE).find(|&step| free(step));
    let rule = "there are not as many pages free as control blocks need for it";
    let step = step.ok_or_else(|| Error::parameter("base", base, rule))?;
    others.for_each(|k| memory.map(base.wrapping_add(k.wrapping_mul(step)), bytes, true));
    Ok(step)
}

/// The page table for pages that lie at these places: page of the address space, page of memory, whether it is written.
///
/// # Errors
/// [`Error::Parameter`] for two pages that have the same entry.
pub fn page_table(places: impl IntoIterator<Item = (u32, u16, bool)>) -> Result<Vec<u32>> {
    let mut entries = vec![0; MOST_PAGES];
    for (page, place, writable) in places {
        let entry = &mut entries[page as usize % MOST_PAGES];
        if *entry != 0 {
            let rule = format!("no two pages may be the same modulo {MOST_PAGES}");
            return Err(Error::parameter("page", page, rule));
        }
        *entry = page_word(page, place, writable);
    }
    Ok(entries)
}
