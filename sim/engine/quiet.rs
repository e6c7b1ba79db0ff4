//! Watches a run for leaves that seldom change.

/// Levels of quietness: 0 is the quietest. Leaves of this level are not quiet.
pub(super) const LEVELS: u8 = 3;

/// Cycles that an observation takes.
const WINDOW: usize = 1024;
/// Cycles of an observation in which leaves of each level, and of those before it, may change.
const RESTLESS: [u32; LEVELS as usize] = [16, 100, 300];
/// Cycles before the first observation; each later one waits eight times as long.
const FIRST: u64 = 2048;

/// Counts cycles and, at times, changes.
#[derive(Debug)]
pub(super) struct Observer {
    /// Cycles to the next look.
    left: u64,
    pause: u64,
    seen: Vec<u64>,
    /// The cycles in which each leaf changed.
    changes: Vec<[u64; WINDOW / 64]>,
    cycle: usize,
}

impl Default for Observer {
    fn default() -> Observer {
        Observer { left: FIRST, pause: FIRST, seen: vec![], changes: vec![], cycle: 0 }
    }
}

impl Observer {
    /// Counts a cycle; whether to look.
    #[inline]
    pub fn due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// Looks at the state after a cycle: leaves and the words where each of them is. After an observation: the level of each.
    pub fn look(
        &mut self,
        state: &[u64],
        leaves: usize,
        place: impl Fn(usize) -> (usize, usize),
    ) -> Option<Vec<u8>> {
        self.left = 1;
        if self.seen.is_empty() {
            self.seen = state.to_vec();
            self.changes = vec![[0; WINDOW / 64]; leaves];
            self.cycle = 0;
            return None;
        }
        for (leaf, changes) in self.changes.iter_mut().enumerate() {
            let (at, n) = place(leaf);
            if state[at..at + n] != self.seen[at..at + n] {
                changes[self.cycle / 64] |= 1 << (self.cycle % 64);
                self.seen[at..at + n].copy_from_slice(&state[at..at + n]);
            }
        }
        self.cycle += 1;
        if self.cycle < WINDOW {
            return None;
        }
        self.pause = self.pause.saturating_mul(8);
        self.left = self.pause;
        self.seen.clear();
        Some(choose(&self.changes))
    }
}

/// Puts leaves on levels, the quietest first: each level takes what it can without changing in too many cycles.
fn choose(changes: &[[u64; WINDOW / 64]]) -> Vec<u8> {
    let count = |c: &[u64; WINDOW / 64]| c.iter().map(|w| w.count_ones()).sum::<u32>();
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|&leaf| count(&changes[leaf]));
    let (mut any, mut levels) = ([0; WINDOW / 64], vec![LEVELS; changes.len()]);
    for (level, &restless) in (0..).zip(&RESTLESS) {
        order.retain(|&leaf| {
            let mut with = any;
            with.iter_mut().zip(&changes[leaf]).for_each(|(a, c)| *a |= c);
            let fits = count(&with) <= restless;
            if fits {
                (any, levels[leaf]) = (with, level);
            }
            !fits
        });
    }
    levels
}
