//! Ways that become control blocks and caches again, at any time, with flushes between: hardware beside its model, with
//! a stand-in for cache and control blocks that may do whatever their contracts allow. No way leaves the cache while a
//! line may be in it, and no wave is left without a cache.

use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::ModesLockstep;
use crate::model::duality::modes::ModesInputs;

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModesCoverage {
    /// Ways that were drained and became control blocks, and those that were empty as they were.
    pub became: [u64; 2],
    /// Control blocks that became a cache: at once, behind a wave, and behind one that was cut off.
    pub closed: [u64; 3],
    /// Control blocks that were wanted again while they closed, and ways that were no more while they waited.
    pub returned: [u64; 2],
    /// Flushes.
    pub flushes: u64,
    /// Cycles in which a control block waits because its way alone serves.
    pub last: u64,
    /// Resets.
    pub resets: u64,
}

impl ModesCoverage {
    /// Whether everything has happened.
    pub fn all(&self) -> bool {
        let counts = [&self.became[..], &self.closed, &self.returned, &[self.flushes, self.last, self.resets]];
        counts.concat().iter().all(|&count| count > 0)
    }
}

/// The cache and the control blocks around the modes.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Ways that are drained, and cycles until they are.
    draining: Option<(u32, u32)>,
    /// Ways that were drained and have not been disabled since.
    gone: u32,
    /// Ways in which a line may be.
    held: u32,
    /// A request may be under way.
    asked: bool,
    /// Control blocks with a wave; those that close with one; those whose wave was cut off.
    works: u32,
    waited: u32,
    cut: u32,
}

/// Runs so many cycles.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If a way leaves the cache with a line, or a wave is left without a cache.
pub fn run<E: Engine>(
    engine: E,
    params: &DualityParams,
    seed: u64,
    cycles: u64,
) -> Result<ModesCoverage, Box<Divergence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut modes = ModesLockstep::new(engine, params, seed);
    let (blocks, all) = (params.blocks, (1u32 << params.cache_ways) - 1);
    let mut covered = ModesCoverage::default();
    let mut around = Around::default();
    let (mut before, mut wanted, mut pace) = (0, 0, 20);
    while modes.cycle_count() < cycles {
        if rng.random_range(0..500) == 0 {
            pace = [4, 20, 80][rng.random_range(0..3)];
        }
        if rng.random_range(0..2000) == 0 {
            modes.reset(&ModesInputs::default())?;
            (around, before, wanted) = (Around::default(), 0, 0);
            covered.resets += 1;
            continue;
        }
        let mut inputs = ModesInputs { works: around.works, ..ModesInputs::default() };
        let shown = modes.model.clone().step(&inputs);
        if rng.random_range(0..pace) == 0 {
            wanted = rng.random::<u32>() & 15;
            let cut = if rng.random() { rng.random::<u32>() & 15 } else { 0 };
            inputs.modes = Some(rng.random::<u32>() & !0xf0f | wanted | cut << 8);
        } else if !shown.used && !shown.flushing && around.works == 0 && rng.random_range(0..10) == 0 {
            // As the register block has it.
            let few = rng.random::<u32>() & rng.random::<u32>();
            inputs.ways = Some(if rng.random() { few } else { rng.random() });
        }
        inputs.flush = !shown.flushing && around.works == 0 && rng.random_range(0..2 * pace) == 0;
        inputs.asked = rng.random_range(0..pace) == 0;
        inputs.drain_ready = around.draining.is_none() && rng.random_range(0..4) == 0;
        inputs.drained = around.draining.is_some_and(|draining| draining.1 == 0);
        let shown = modes.cycle(&inputs)?;
        let left = (0..blocks).filter(|k| shown.states >> (2 * k + 1) & 1 == 1).fold(0, |ways, k| ways | 1 << k);
        let told = || format!("seed {seed}, cycle {}: {shown:?}, {around:?}", modes.cycle_count());
        assert_eq!(around.held & left, 0, "a line is lost: {}", told());
        assert_eq!(shown.enabled & left, 0, "a control block serves: {}", told());
        assert_eq!(shown.ready & !left, 0, "a wave for a cache: {}", told());
        // The cache: a line may come wherever it serves, from the cycle behind its request on.
        let serving = shown.enabled & !around.gone;
        assert!(around.works == 0 || serving != 0, "a wave without a cache: {}", told());
        if around.asked {
            around.held |= serving;
        }
        around.asked |= inputs.asked;
        around.gone &= shown.enabled;
        match &mut around.draining {
            Some((ways, 0)) => {
                around.held &= !*ways;
                around.gone |= *ways;
                if *ways == all {
                    around.asked = false;
                    covered.flushes += 1;
                } else {
                    covered.became[0] += 1;
                }
                around.draining = None;
            }
            Some((ways, rest)) => {
                around.gone |= *ways;
                *rest -= 1;
            }
            None => {}
        }
        if let Some(ways) = shown.drain.filter(|_| inputs.drain_ready) {
            around.gone |= ways;
            around.draining = Some((ways, rng.random_range(0..30)));
        }
        // Control blocks. A launch begins while some way serves and nothing is flushed.
        let launches = serving != 0 && !shown.flushing && !inputs.flush && inputs.ways.is_none();
        for k in 0..blocks {
            let is = |word: u32| word >> k & 1 == 1;
            let (old, new) = (before >> (2 * k) & 3, shown.states >> (2 * k) & 3);
            let drains = around.draining.is_some_and(|draining| is(draining.0));
            let waits = new == 1 && is(wanted) && !drains && shown.drain.is_none();
            covered.last += u64::from(waits && shown.enabled & !(1 << k) == 0);
            match (old, new) {
                (1, 2) if !shown.used => covered.became[1] += 1,
                (3, 2) => covered.returned[0] += 1,
                (1, 0) => covered.returned[1] += 1,
                (3, 0) => covered.closed[usize::from(is(around.waited)) + usize::from(is(around.cut))] += 1,
                _ => {}
            }
            let closes = u32::from(new == 3 && is(around.works)) << k;
            around.waited = if new == 3 { around.waited | closes } else { around.waited & !(1 << k) };
            around.cut = if new == 3 { around.cut | shown.cut & closes } else { around.cut & !(1 << k) };
            if is(around.works) {
                let soon = if is(around.cut) { 3 } else { 60 };
                around.works &= !(u32::from(rng.random_range(0..soon) == 0) << k);
            } else if is(shown.ready) && launches && rng.random_range(0..20) == 0 {
                around.works |= 1 << k;
            }
        }
        before = shown.states;
    }
    assert_eq!(modes.unseen(), Vec::<&str>::new(), "not compared");
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use bitline_units::duality::blocks::duality_modes;

    #[test]
    fn duality_ways_change_without_losing_a_line() {
        for (name, seed) in [("tiny", 1), ("pair", 2), ("slice", 3)] {
            let params = DualityParams::preset(name).expect("it is there");
            println!("{name}: seed {seed}");
            let netlist = duality_modes(&params).expect("legal");
            let covered = run(engine(&netlist), &params, seed, 100_000).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            assert!(covered.all(), "{covered:?}");
        }
    }
}
