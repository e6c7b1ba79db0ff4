//! Watches a run: which leaves change in which cycles.

use super::layout::Slot;

/// Cycles that an observation takes.
pub(super) const WINDOW: usize = 1024;
/// Cycles before the observation.
const FIRST: u64 = 4096;

/// The cycles of an observation in which something changed.
pub(super) type Cycles = [u64; WINDOW / 64];

/// Counts cycles and, once in a run, changes.
#[derive(Debug)]
pub(super) struct Observer {
    /// Cycles up to the observation.
    left: u64,
    seen: Vec<u64>,
    changes: Vec<Cycles>,
    cycle: usize,
}

impl Default for Observer {
    fn default() -> Observer {
        Observer { left: FIRST, seen: vec![], changes: vec![], cycle: 0 }
    }
}

impl Observer {
    /// How many of these cycles nobody need watch.
    pub fn quiet(&mut self, most: u64) -> u64 {
        if self.cycle == WINDOW {
            return most;
        }
        let quiet = most.min(self.left);
        self.left -= quiet;
        quiet
    }

    /// Looks at these places and their words after a cycle; at the end tells which cycles changed each.
    pub fn watch(&mut self, places: impl Iterator<Item = (Slot, usize)>, state: &[u64]) -> Option<Vec<Cycles>> {
        if self.seen.is_empty() {
            self.seen = state.to_vec();
        }
        for (number, (at, limbs)) in places.enumerate() {
            if self.changes.len() <= number {
                self.changes.push([0; WINDOW / 64]);
            }
            let range = at as usize..at as usize + limbs;
            if state[range.clone()] != self.seen[range.clone()] {
                self.seen[range.clone()].copy_from_slice(&state[range]);
                self.changes[number][self.cycle / 64] |= 1 << (self.cycle % 64);
            }
        }
        self.cycle += 1;
        (self.cycle == WINDOW).then(|| {
            self.seen = vec![];
            std::mem::take(&mut self.changes)
        })
    }
}
