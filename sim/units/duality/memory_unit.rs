//! The memory unit alone, beside its model: random words of memory and waves, rows that come at any time, cache ways
//! that wait, answer late and fail, addresses that are refused, and resets; everything is compared in every cycle.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::{MemoryOp, Trap};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::MemoryLockstep;
use crate::model::duality::crossbar::unit::Crossbar;
use crate::model::duality::memory::access::Access;
use crate::model::duality::memory::sequence::Doing;
use crate::model::duality::memory::unit::{MemoryUnit, UnitMemories};

mod around;
mod ways;

use around::Around;

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryCoverage {
    /// Cycles in each state of the sequence.
    pub states: [u64; Doing::COUNT],
    /// Words that were done, by their operation.
    pub words: [u64; MemoryOp::ALL.len()],
    /// Those of spill rows among them: loads and stores.
    pub spills: [u64; 2],
    /// Words that were refused: by window, alignment, page, permission, bus.
    pub traps: [u64; 5],
    /// Waves that were filled.
    pub waves: u64,
    /// Requests: hints, reads, those that lock, and writes; of less than a whole word the last.
    pub requests: [u64; 5],
    /// Cycles in which a request waits.
    pub waits: u64,
    /// Answers that failed.
    pub failed: u64,
    /// Resets.
    pub resets: u64,
    /// Words of the crossbar that were done, by their operation, cycles that it worked, and resets meanwhile.
    pub crossing: [u64; MemoryOp::ALL.len()],
    /// See `crossing`.
    pub crosses: u64,
    /// See `crossing`.
    pub crossing_resets: u64,
}

/// Traps of words of memory, in the order in which they are counted.
const TRAPS: [Trap; 5] = [Trap::Window, Trap::Misaligned, Trap::Unmapped, Trap::ReadOnly, Trap::Bus];

impl MemoryCoverage {
    /// Whether everything has happened, the crossbar apart.
    pub fn all(&self) -> bool {
        let single = [self.waves, self.waits, self.failed, self.resets];
        let counts = [&self.states[..], &self.words, &self.spills, &self.traps, &self.requests, &single];
        counts.concat().iter().all(|&count| count > 0)
    }

    /// Whether every word of the crossbar has been done, and a reset has ended one.
    pub fn all_crossing(&self) -> bool {
        let ops = MemoryOp::ALL.iter().filter(|&&op| op == MemoryOp::Load || op.reduces());
        ops.into_iter().all(|&op| self.crossing[op.code() as usize] > 0) && self.crossing_resets > 0
    }
}

/// What the memories of a unit may hold at first.
pub fn memories(params: &DualityParams, rng: &mut ChaCha8Rng) -> UnitMemories {
    let limbs = params.columns.div_ceil(64);
    let top = u64::MAX >> (64 * limbs - params.columns);
    UnitMemories {
        places: (0..Access::places(params)).map(|_| rng.random::<u64>() >> 29).collect(),
        operands: (0..params.columns).map(|_| rng.random()).collect(),
        buffer: (0..64).map(|_| (0..limbs).map(|_| rng.random::<u64>() & top).collect()).collect(),
        table: (0..256).map(|_| around::entry(rng).into()).collect(),
    }
}

/// Runs so many cycles.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If a word ends with a trap that none of memory has.
pub fn run<E: Engine>(
    engine: E,
    params: &DualityParams,
    seed: u64,
    cycles: u64,
) -> Result<MemoryCoverage, Box<Divergence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let memories = memories(params, &mut rng);
    let mut around = Around::new(params, memories.table.clone(), rng);
    let mut unit = MemoryLockstep::around(engine, MemoryUnit::new(params, memories), (), seed);
    assert_eq!(unit.unseen(), Vec::<&str>::new(), "not compared");
    assert_eq!(unit.counts()[2], unit.engine.design().outputs.len(), "outputs");
    let mut covered = MemoryCoverage::default();
    while unit.cycle_count() < cycles {
        let inputs = around.inputs(&unit.model);
        let crosses = unit.model.crossbar.as_ref().is_some_and(Crossbar::busy);
        covered.crosses += u64::from(crosses);
        // Words of the crossbar take fewer cycles: so that some are reset, more are.
        let apart = if params.crossbar > 0 { 100 } else { 500 };
        if around.rng.random_ratio(1, apart * params.columns as u32) {
            covered.crossing_resets += u64::from(crosses);
            unit.reset(&inputs)?;
            around.reset();
            covered.resets += 1;
            continue;
        }
        covered.states[unit.model.doing() as usize] += 1;
        let shown = unit.cycle(&inputs)?;
        around.take(&inputs, &shown, &mut covered);
    }
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::deep;
    use bitline_units::duality::blocks::duality_memory_unit;

    #[test]
    fn duality_memory_units_do_what_words_say() {
        // The first design meets everything, larger ones what many threads have time for.
        for (columns, banks, cycles, seed) in [(8, 1, 80_000, 1), (16, 3, 60_000, 2), (128, 1, 60_000, 3)] {
            let tiny = DualityParams::preset("tiny").expect("it is there");
            let params = DualityParams { columns, banks, ..tiny };
            println!("{columns} threads in each of {banks} banks: seed {seed}");
            let netlist = duality_memory_unit(&params).expect("legal");
            let covered = run(engine(&netlist), &params, seed, cycles).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            let some = covered.waves > 0 && covered.words.iter().sum::<u64>() > 8 && covered.spills != [0; 2];
            assert!(if columns == 8 { covered.all() } else { some }, "{covered:?}");
        }
    }

    /// Words of the crossbar between those of memory, of a crossbar that takes a row at once, which does every word,
    /// and of others that serve some threads at a time.
    #[test]
    fn duality_memory_units_with_a_crossbar_do_what_words_say() {
        let long = if deep() { 20 } else { 1 };
        for (columns, banks, crossbar, cycles, seed) in
            [(8, 1, 8, 80_000, 11), (8, 2, 1, 60_000, 12), (16, 3, 4, 60_000, 13), (128, 1, 16, 80_000, 14)]
        {
            let tiny = DualityParams::preset("tiny").expect("it is there");
            let params = DualityParams { columns, banks, crossbar, ..tiny };
            println!("{columns} threads in each of {banks} banks, {crossbar} at a time: seed {seed}");
            let netlist = duality_memory_unit(&params).expect("legal");
            let covered = run(engine(&netlist), &params, seed, long * cycles).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            let some = covered.waves > 0 && covered.crosses > 0 && covered.words.iter().sum::<u64>() > 8;
            assert!(if crossbar == 8 { covered.all_crossing() } else { some }, "{covered:?}");
        }
    }
}
