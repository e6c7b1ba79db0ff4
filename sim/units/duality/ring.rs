//! Random programs with loops through the instruction ring: a host that writes whenever it may, a control block that
//! executes, both at any speed. What runs must be the program, word by word.

use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::RingLockstep;
use crate::model::duality::instruction_ring::RingInputs;

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCoverage {
    /// Words executed.
    pub words: u64,
    /// Cycles in which the host had to keep a word back while a loop was open, and otherwise.
    pub kept_back: [u64; 2],
    /// Cycles in which the control block waited for a word.
    pub empty: u64,
    /// Passes through the end of an outermost loop, and jumps out of the middle of one.
    pub left: [u64; 2],
    /// Beginnings of loops inside of open ones.
    pub nested: u64,
    /// Jumps forward, to words that were not written yet.
    pub beyond: u64,
    /// Cycles with the doorbell on, and off.
    pub doorbell: [u64; 2],
    /// Programs that were given up for another one.
    pub restarts: u64,
}

impl RingCoverage {
    /// Whether everything has happened.
    pub fn all(&self) -> bool {
        let counts = [self.kept_back, self.left, self.doorbell].concat();
        let more = [self.words, self.empty, self.nested, self.beyond, self.restarts];
        counts.iter().chain(&more).all(|&count| count > 0)
    }
}

/// A word of a random program: where it may lead besides the word behind it, and whether it begins a loop.
#[derive(Clone, Copy, Default)]
struct Step {
    /// Back to the word behind the beginning of its loop.
    back: Option<u32>,
    /// Forward.
    forward: Option<u32>,
    /// The loop's end.
    open: Option<u32>,
}

/// A program of loops two deep, none longer than the ring.
fn program(rng: &mut ChaCha8Rng, depth: u32) -> Vec<Step> {
    let length = rng.random_range(3 * depth..6 * depth);
    let mut steps = vec![Step::default(); length as usize];
    let mut at = 0;
    while at + 4 < length {
        match rng.random_range(0..4) {
            0 => {
                // Some loops fill the ring to its last place.
                let most = (length - at).min(depth);
                let size = if rng.random_range(0..3) == 0 { most } else { rng.random_range(3..=most) };
                let end = at + size;
                steps[at as usize].open = Some(end);
                steps[end as usize - 1].back = Some(at + 1);
                if size > 8 {
                    let inner = at + rng.random_range(1..size / 2);
                    let inner_end = rng.random_range(inner + 3..end - 1);
                    steps[inner as usize].open = Some(inner_end);
                    steps[inner_end as usize - 1].back = Some(inner + 1);
                    let exit = rng.random_range(inner + 1..inner_end - 1);
                    steps[exit as usize].forward = Some(end.min(length - 1));
                }
                at = end;
            }
            1 if at + 3 * depth < length => {
                // Over words that nobody will execute.
                steps[at as usize].forward = Some(at + rng.random_range(1..2 * depth));
                at += 2 * depth;
            }
            _ => at += 1,
        }
    }
    steps
}

fn word(number: u32, run: u64) -> u128 {
    u128::from(number) | u128::from(run) << 32 | u128::from(!number) << 96
}

/// What is written with a word: of every third one nothing.
fn kept_beside(number: u32, run: u64) -> u8 {
    ((u64::from(number) + run) % 3) as u8 * 0x55
}

/// Runs programs for so many cycles.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If a word runs that is not the program's.
pub fn run<E: Engine>(
    engine: E,
    params: &DualityParams,
    seed: u64,
    cycles: u64,
) -> Result<RingCoverage, Box<Divergence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ring = RingLockstep::new(engine, params.ring, seed);
    let depth = params.ring as u32;
    let mut covered = RingCoverage::default();
    let (mut run, mut steps) = (0, program(&mut rng, depth));
    let (mut pc, mut given, mut outer) = (0u32, 0u32, None);
    let [mut host, mut block] = [1u32, 1];
    while ring.cycle_count() < cycles {
        if rng.random_range(0..200) == 0 {
            [host, block] = [rng.random_range(0..=4), rng.random_range(0..=4)];
        }
        let restart = pc as usize >= steps.len() || rng.random_range(0..3000) == 0;
        if restart {
            ring.cycle(&RingInputs { restart, ..RingInputs::default() })?;
            covered.restarts += u64::from((pc as usize) < steps.len());
            (pc, given, outer, run, steps) = (0, 0, None, run + 1, program(&mut rng, depth));
            continue;
        }
        let offered = (given as usize) < steps.len() && rng.random_range(0..4) < host;
        let there = ring.model.there;
        let (write, trap) = (offered.then(|| word(given, run)), kept_beside(given, run));
        let mut inputs = RingInputs { write, trap, ..RingInputs::default() };
        if there && rng.random_range(0..4) < block {
            let step = steps[pc as usize];
            let taken = |other: Option<u32>, rng: &mut ChaCha8Rng| other.filter(|_| rng.random_range(0..3) > 0);
            let next = taken(step.back, &mut rng).or_else(|| taken(step.forward, &mut rng)).unwrap_or(pc + 1);
            (inputs.step, inputs.open) = (Some(next), step.open);
            // The word behind may be told as any other.
            inputs.away = next != pc + 1 || rng.random_range(0..8) == 0;
        }
        let shown = ring.cycle(&inputs)?;
        if offered && !shown.ready {
            covered.kept_back[usize::from(outer.is_none())] += 1;
        }
        given += u32::from(offered && shown.ready);
        covered.empty += u64::from(shown.word.is_none());
        covered.doorbell[usize::from(!shown.doorbell)] += 1;
        assert_eq!(shown.pc, pc, "seed {seed}");
        let Some(next) = inputs.step else { continue };
        assert_eq!(shown.word, Some(word(pc, run)), "seed {seed}: word {pc} of program {run}");
        assert_eq!(shown.trap, Some(kept_beside(pc, run)), "seed {seed}: why word {pc} of program {run} may not run");
        covered.words += 1;
        covered.beyond += u64::from(next > given);
        match (outer, inputs.open) {
            (None, Some(end)) => outer = Some((pc, end)),
            (Some(_), Some(_)) => covered.nested += 1,
            (Some((begin, end)), None) if !(begin..end).contains(&next) => {
                covered.left[usize::from(pc + 1 != end)] += 1;
                outer = None;
            }
            _ => {}
        }
        pc = next;
    }
    assert_eq!(ring.unseen(), Vec::<&str>::new(), "not compared");
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use bitline_units::duality::blocks::duality_instruction_ring;

    #[test]
    fn duality_ring_runs_the_program_natively() {
        for (name, seed) in [("tiny", 1), ("small", 2), ("cb", 3)] {
            let params = DualityParams::preset(name).expect("it is there");
            let netlist = duality_instruction_ring(&params).expect("legal");
            println!("{name}: seed {seed}");
            let covered = run(engine(&netlist), &params, seed, 200_000).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            assert!(covered.all(), "{covered:?}");
        }
    }
}
