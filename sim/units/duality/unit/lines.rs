//! Operations on lines of a page of their own through the whole unit's registers, while launches run, a processor reads
//! and writes, and ways change, against flat memory.

use std::collections::BTreeMap;

use bitline_units::duality::lines::LineInstruction;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PAGE, UnitMachine};
use crate::engine::Engine;
use crate::units::duality::lines::{Flat, begin, ended, judged, some};

/// Lines of the page that are used: few enough that some stay, and too many for all to stay.
const LINES: u32 = 96;

/// Whoever asks for the operations.
pub(super) struct Lines {
    seed: u64,
    rng: ChaCha8Rng,
    /// Where its page is.
    base: u32,
    /// What the page holds.
    flat: Flat,
    /// The operation that is under way.
    made: Option<LineInstruction>,
    /// Operations that were done, and illegal ones.
    counts: [u64; 2],
}

impl<E: Engine> UnitMachine<E> {
    /// From now on operations are done on lines of a page that no launch has, while launches run, in a design that has
    /// such operations.
    pub fn operate_on_lines(&mut self, seed: u64) {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        self.lines = Some(Lines { seed, rng, base: 0, flat: Flat::default(), made: None, counts: [0; 2] });
    }

    /// Operations that were done, and illegal ones.
    pub fn operated(&self) -> [u64; 2] {
        self.lines.as_ref().map_or([0; 2], |lines| lines.counts)
    }

    /// A launch begins whose pages and program lie there: the page is the last that is free.
    pub(super) fn lines_begin(&mut self, places: &BTreeMap<u32, u32>, code_at: u32) {
        let Some(lines) = &mut self.lines else { return };
        let code = code_at / PAGE;
        let free = |&page: &u32| !(code..code + 16).contains(&page) && places.values().all(|&place| place != page);
        lines.base = PAGE * (0..1 << 16).rev().find(free).expect("memory is not full");
        lines.flat = Flat::default();
        for word in 0..8 * LINES {
            let value = if lines.rng.random() { lines.rng.random_range(0..2) } else { lines.rng.random() };
            lines.flat.0.insert(lines.base / 8 + word, value);
            self.words.insert(lines.base / 8 + word, value);
        }
    }

    /// The next operation begins, or the one that is under way is looked at; whether one still is.
    ///
    /// # Panics
    /// If one is refused, or its result is not flat memory's.
    pub(super) fn lines_go_on(&mut self, more: bool) -> bool {
        let Some(mut lines) = self.lines.take() else { return false };
        match lines.made {
            None if more => {
                let made = some(&mut lines.rng, lines.base, LINES);
                assert!(begin(self, &made, false), "seed {}: {made:x?} is refused", lines.seed);
                lines.made = Some(made);
            }
            None => {}
            Some(made) => {
                if let Some(found) = ended(self) {
                    let expected = judged(made, &mut lines.flat);
                    assert_eq!(found, expected, "seed {}: {made:x?}", lines.seed);
                    lines.counts[usize::from(expected.0 != 0)] += 1;
                    lines.made = None;
                }
            }
        }
        let under_way = lines.made.is_some();
        self.lines = Some(lines);
        under_way
    }

    /// The ways are flushed: memory is what the operations have made of it.
    pub(super) fn lines_are_in_memory(&self) {
        let Some(lines) = &self.lines else { return };
        for (&word, &value) in &lines.flat.0 {
            let found = self.words.get(&word).copied().unwrap_or(0);
            assert_eq!(found, value, "seed {}: word {word:#x} of operations on lines", lines.seed);
        }
    }
}
