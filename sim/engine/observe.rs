//! Watches a run: which leaves and nodes change in which cycles.

use super::code::Slot;

/// Cycles that an observation takes.
pub(super) const WINDOW: usize = 1024;
/// Cycles before the first observation; each later one waits eight times as long.
const FIRST: u64 = 2048;

/// Different values that are counted.
const MANY: usize = 48;

/// The cycles of an observation in which something changed.
pub(super) type Cycles = [u64; WINDOW / 64];

/// What a run is doing with regard to observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Running.
    Idle,
    /// The next cycle is the first of an observation.
    Begin,
    /// A cycle of an observation is done.
    Watch,
}

/// Counts cycles and, at times, changes.
#[derive(Debug)]
pub(super) struct Observer {
    /// Cycles to the next phase.
    left: u64,
    pause: u64,
    seen: Vec<u64>,
    /// What is watched: places in the state.
    places: Vec<(Slot, usize)>,
    changes: Vec<Cycles>,
    /// Registers whose values are counted: their places, and the values as far as they are few.
    counted: Vec<(Slot, Vec<(u64, u32)>)>,
    cycle: usize,
}

impl Default for Observer {
    fn default() -> Observer {
        Observer { left: FIRST, pause: FIRST, seen: vec![], places: vec![], changes: vec![], counted: vec![], cycle: 0 }
    }
}

impl Observer {
    /// Counts a cycle.
    #[inline]
    pub fn count(&mut self) -> Phase {
        self.left -= 1;
        if self.left > 0 {
            return Phase::Idle;
        }
        self.left = 1;
        if self.places.is_empty() { Phase::Begin } else { Phase::Watch }
    }

    /// Counts cycles up to the next phase, `most` at most; returns how many.
    pub fn quiet(&mut self, most: u64) -> u64 {
        let quiet = most.min(self.left - 1);
        self.left -= quiet;
        quiet
    }

    /// Begins an observation of these places; the values at `counted` are counted.
    pub fn begin(&mut self, places: Vec<(Slot, usize)>, counted: Vec<Slot>, state: &[u64]) {
        self.counted = counted.into_iter().map(|slot| (slot, vec![])).collect();
        self.seen = state.to_vec();
        self.changes = vec![[0; WINDOW / 64]; places.len()];
        self.places = places;
        self.cycle = 0;
    }

    /// The values counted in the last observation, in the order of the places; none where there were too many.
    pub fn values(&mut self) -> Vec<Vec<(u64, u32)>> {
        let few = |(_, values): (Slot, Vec<_>)| if values.len() > MANY { vec![] } else { values };
        std::mem::take(&mut self.counted).into_iter().map(few).collect()
    }

    /// Looks at the state after a cycle; at the end returns for each place the cycles that changed it.
    pub fn watch(&mut self, state: &[u64]) -> Option<Vec<Cycles>> {
        for (&(at, limbs), changes) in self.places.iter().zip(&mut self.changes) {
            let range = at as usize..at as usize + limbs;
            if state[range.clone()] != self.seen[range] {
                changes[self.cycle / 64] |= 1 << (self.cycle % 64);
            }
        }
        for (slot, values) in &mut self.counted {
            let value = state[*slot as usize];
            match values.iter().position(|(known, _)| *known == value) {
                Some(at) => values[at].1 += 1,
                // One more than are of use tells that there are too many.
                None if values.len() <= MANY => values.push((value, 1)),
                None => {}
            }
        }
        // The state may have grown.
        let n = self.seen.len();
        self.seen.copy_from_slice(&state[..n]);
        self.cycle += 1;
        (self.cycle == WINDOW).then(|| {
            self.pause = self.pause.saturating_mul(8);
            self.left = self.pause;
            self.places.clear();
            std::mem::take(&mut self.changes)
        })
    }
}
