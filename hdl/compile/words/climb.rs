//! Schedules that become better by small changes.
//!
//! A piece that is as good as the best of the policies makes it is scheduled again and again, each time with other
//! choices for a few of its words: another array, or another place in the order. What ends no later is kept, and at
//! first what ends a little later, too (simulated annealing), so that what is found in the end may be far from where it
//! began. Choices at random that are made for all words at once, as policies have them, find less in the same time.

use super::policy::{Policy, mixed};
use super::sketch::Sketch;
use super::spread::{Spread, Tries};

/// Words that are scheduled for changes of a kernel, in all its pieces, and words that a change is of at most.
/// In pieces of more than so many a word takes longer, since it has as many more to come before.
pub(super) const CHANGED: u64 = 48000;
const SMALL: u64 = 32;
const AT_ONCE: u64 = 3;
/// One of so many changes is that a word is done as the policy has it.
const BACK: u64 = 4;
/// A piece is changed no further after so many changes in a row without a better one, in percent of what it has.
const PATIENCE: u64 = 25;
/// How much later than the best a piece may end and be changed further at first, in parts of 1024; less and less.
const WORSE: u64 = 20;

/// For how many of so many changes of a kernel each piece is: as many as it takes of the kernel's cycles.
pub(super) fn shares(sketches: &[Sketch], changed: u64, turns: impl Fn(&Sketch) -> u64) -> Vec<u64> {
    let cycles = |sketch: &Sketch| turns(sketch) * sketch.words.iter().map(|word| word.cycles).sum::<u64>();
    let all: Vec<u64> = sketches.iter().map(cycles).collect();
    let sum: u64 = all.iter().sum();
    all.into_iter().map(|own| changed * own / sum.max(1)).collect()
}

impl Spread<'_, '_> {
    /// Changes a piece that ends at `best`, as far as that helps.
    pub(super) fn climb(&mut self, mut best: u64, tries: &Tries<'_>) {
        let words = tries.sketch.range.len();
        if words < 2 {
            return;
        }
        self.own = vec![0; words];
        let (mut now, mut found) = (best, self.own.clone());
        let mut drawn = tries.sketch.range.start as u64;
        let mut draw = || {
            drawn += 1;
            mixed(drawn)
        };
        let rounds = tries.changed * SMALL / (words as u64 * (words as u64).max(SMALL));
        let patient = (rounds * PATIENCE / 100).max(1);
        let mut patience = patient;
        for left in (0..rounds).rev() {
            let kept = self.own.clone();
            for _ in 0..=draw() % AT_ONCE {
                self.own[draw() as usize % words] = if draw() % BACK == 0 { 0 } else { draw() | 1 };
            }
            let worse = best * WORSE / 1024 * left / rounds * (draw() % 256) / 256;
            let end = self.tried(tries, now + worse);
            if end <= now + worse {
                now = end;
            } else {
                self.own = kept;
            }
            patience = if end < best { patient } else { patience - 1 };
            if end <= best {
                best = end;
                found.clone_from(&self.own);
            }
            if patience == 0 {
                break;
            }
        }
        self.own = found;
    }

    /// Cycles by which a word counts as further from the end of its piece than it is.
    pub(super) fn bias(&self, sketch: &Sketch, word: usize) -> u64 {
        let seed = self.own.get(word).copied().unwrap_or(0);
        if seed == 0 { 0 } else { (seed >> 40) % (2 * sketch.words[word].cycles + 1) }
    }

    /// How much worse a way to do a word is made, of so many cycles.
    pub(super) fn noise(&self, line: Option<usize>, word: usize, array: u64, cycles: u64) -> u64 {
        match self.own.get(word).copied().unwrap_or(0) {
            0 => self.policy.noise(line, array, cycles),
            seed => Policy { seed, ..self.policy }.noise(line, array, 4 * cycles),
        }
    }
}
