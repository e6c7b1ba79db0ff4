//! Resets in the middle of anything: what was under way is gone, and what follows runs as after power-up.

use rand::Rng;

use super::bench::Bench;
use super::random::{chain, shapes};
use super::stream::stretch;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::model::compute_unit::Inputs;
use rand::seq::IndexedRandom;

/// `count` resets at random moments, each followed by work that must be right.
///
/// # Errors
/// The first failure.
pub fn resets<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    let all = shapes(bench, &[1, 2, 3, 4, 5, 6, 8]);
    for _ in 0..count {
        bench.refill();
        let (mut work, _) = stretch(bench, &all)?;
        let mut queue = std::mem::take(&mut work.commands).into_iter();
        let mut inputs = Inputs::default();
        for _ in 0..bench.rng().random_range(0..120) {
            if inputs.command.is_none() {
                inputs.command = queue.next().map(|sent| sent.command);
            }
            if inputs.beat.is_none() {
                inputs.beat = work.beats.pop_front();
            }
            inputs.take = bench.rng().random();
            let outputs = bench.step(&inputs)?;
            inputs.command = inputs.command.filter(|_| !outputs.command_ready);
            inputs.beat = inputs.beat.filter(|_| !outputs.beat_ready);
        }
        // Resets last a cycle or several, with or without something at the ports.
        let last = if bench.rng().random() { inputs } else { Inputs::default() };
        for _ in 0..bench.rng().random_range(1..4) {
            bench.unit.reset(&last).map_err(|d| Failure::Diverged(d, "in reset".into()))?;
        }
        bench.coverage.reset();
        let next: Vec<_> = all.choose_multiple(bench.rng(), 2).copied().collect();
        chain(bench, &next)?;
    }
    Ok(())
}
