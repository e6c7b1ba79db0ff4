//! Watches a run now and then: which leaves change in which cycles.

use super::layout::Slot;

/// Cycles that an observation takes.
pub(super) const WINDOW: usize = 1024;
/// Cycles before the first observation.
const FIRST: u64 = 4096;
/// Each pause is so many times as long as the one before: what a design does changes, and an observation costs time.
const LONGER: u64 = 2;

const NOBODY: u32 = u32::MAX;

/// The cycles of an observation in which something changed.
pub(super) type Cycles = [u64; WINDOW / 64];

/// Counts cycles and, now and then, changes.
#[derive(Debug)]
pub(super) struct Observer {
    /// Cycles up to the next observation, and from the last one to there.
    left: u64,
    pause: u64,
    seen: Vec<u64>,
    /// Leaf of each word, or `NOBODY`.
    owner: Vec<u32>,
    changes: Vec<Cycles>,
    cycle: usize,
}

impl Default for Observer {
    fn default() -> Observer {
        Observer { left: FIRST, pause: FIRST, seen: vec![], owner: vec![], changes: vec![], cycle: 0 }
    }
}

impl Observer {
    /// How many of these cycles nobody need watch.
    pub fn quiet(&mut self, most: u64) -> u64 {
        let quiet = most.min(self.left);
        self.left -= quiet;
        quiet
    }

    /// Looks at these places and their words after a cycle; at the end tells which cycles changed each. `state` has
    /// no more words than they have: all of it is looked at.
    pub fn watch(&mut self, places: impl Iterator<Item = (Slot, usize)>, state: &[u64]) -> Option<Vec<Cycles>> {
        if self.seen.is_empty() {
            (self.seen, self.owner) = (state.to_vec(), vec![NOBODY; state.len()]);
            for (number, (at, limbs)) in places.enumerate() {
                self.changes.push([0; WINDOW / 64]);
                self.owner[at as usize..][..limbs].fill(number as u32);
            }
        }
        let (word, bit) = (self.cycle / 64, 1 << (self.cycle % 64));
        for ((new, old), &owner) in state.iter().zip(&mut self.seen).zip(&self.owner) {
            if *new != *old {
                *old = *new;
                if owner != NOBODY {
                    self.changes[owner as usize][word] |= bit;
                }
            }
        }
        self.cycle += 1;
        (self.cycle == WINDOW).then(|| {
            self.pause = self.pause.saturating_mul(LONGER);
            (self.left, self.cycle) = (self.pause, 0);
            (self.seen, self.owner) = (vec![], vec![]);
            std::mem::take(&mut self.changes)
        })
    }
}
