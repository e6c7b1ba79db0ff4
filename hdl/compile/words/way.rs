//! In which array a word is done, and what is brought there for it.

use bitline_units::duality::isa::codes::Kind;
use bitline_units::duality::isa::program::MOST_SPECIALS;
use bitline_units::duality::params::SLOTS;

use super::code::{Code, Line, Name, Start};
use super::costs::{Clock, MOST_MOVED, Timed};
use super::sketch::Sketch;
use super::spread::Spread;

/// A way to do a word.
pub(super) struct Way {
    /// The array of the result, or of the data.
    pub array: u64,
    /// The array of the address.
    pub address: u64,
    /// Values that are brought there, and where to.
    pub moves: Vec<(Name, u64)>,
    /// When it begins, or the first of these moves.
    pub begin: u64,
    /// When it ends, and what it costs besides.
    score: u64,
}

/// The way that is chosen for a word.
pub(super) struct Chosen {
    pub array: u64,
    /// Its address is brought there.
    pub brings: bool,
    pub begin: u64,
    score: u64,
    /// What full arrays cost.
    pub over: u64,
}

/// What is known of a way to do a word, so that it is not found anew in every step of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// It is the one that there is, as long as no name is elsewhere that the word looks at (`Sketch::looks`).
    holds: bool,
    possible: bool,
    begin: u64,
    score: u64,
    /// Whose words it begins behind: of these windows, and of the port.
    waits: u64,
}

/// Ways of a word: in each array, and with its address brought there.
pub(super) type Ways = [Known; 2 * SLOTS];

/// The bit of the port among windows.
const PORT: u64 = 1 << SLOTS;

impl Known {
    /// Whether a word begins as it did, when others have come in these windows.
    fn is_the_same(&self, clock: &Clock, word: Timed, came: u64) -> bool {
        self.holds && (!self.possible || self.waits & came == 0 && clock.leaves_by(word, self.begin))
    }
}

/// Windows and the port, where a word was done in this way.
pub(super) fn held(word: Timed, windows: u64) -> u64 {
    windows | if word.kind == Kind::Memory { PORT } else { 0 }
}

impl Spread<'_, '_> {
    /// The best way to do a word; since it was last asked for, words have come in the windows `came`.
    pub(super) fn best(
        &self,
        clock: &Clock,
        own: &[Line],
        (sketch, word): (&Sketch, usize),
        (ways, came): (&mut Ways, u64),
    ) -> Option<Chosen> {
        let (line, timed) = (&own[word], sketch.words[word]);
        if let Code::Scalar { .. } = line.code {
            let (begin, score) = clock.times(self.costs, timed, 0);
            return Some(Chosen { array: 0, brings: false, begin, score, over: 0 });
        }
        let result = sketch.writes[word];
        let rows = result.map_or(0, |name| self.rows(name)) + sketch.scratch[word];
        let brings = matches!(line.code, Code::Memory { start: Start::Rows(..), .. });
        let mut best: Option<Chosen> = None;
        for (number, known) in ways.iter_mut().enumerate().take(2 * self.arrays as usize) {
            let (array, brought) = (number as u64 / 2, number % 2 == 1);
            if brought && !brings {
                continue;
            }
            if !known.is_the_same(clock, timed, came) {
                *known = self.known(clock, line, (array, brought), sketch, word);
            }
            #[cfg(test)]
            assert_eq!(
                *known,
                self.known(clock, line, (array, brought), sketch, word),
                "a way is not what is known of it"
            );
            if !known.possible {
                continue;
            }
            let over = 16 * (self.held[array as usize] + rows).saturating_sub(self.policy.full);
            let score = known.score + over;
            if best.as_ref().is_none_or(|best| score < best.score) {
                best = Some(Chosen { array, brings: brought, begin: known.begin, score, over });
            }
        }
        best
    }

    /// A way as it is now, without what full arrays cost.
    fn known(&self, clock: &Clock, line: &Line, way: (u64, bool), sketch: &Sketch, word: usize) -> Known {
        let (array, brought) = way;
        let Some(way) = self.way(clock, &line.code, way, sketch, word) else {
            return Known { holds: true, ..Known::default() };
        };
        let timed = sketch.words[word];
        let mut score = way.score + self.noise(line.origin, word, 2 * array + u64::from(brought), timed.cycles);
        if let Some(name) = sketch.writes[word].filter(|name| self.homes[*name].is_none()) {
            score += self.ahead(sketch, word, name, array) * self.policy.lookahead / 100;
        }
        let mut waits = 0;
        self.push(&way, &line.code, timed, |word, windows| waits |= held(word, windows));
        Known { holds: true, possible: true, begin: way.begin, score, waits }
    }

    /// Cycles of moves that words behind this one will need if its result is in this array.
    fn ahead(&self, sketch: &Sketch, word: usize, name: Name, array: u64) -> u64 {
        let mut cycles = 0;
        for later in sketch.behind[word].iter().copied() {
            let target = sketch.writes[later].and_then(|written| self.homes[written]);
            let others = sketch.sources[later].iter().filter(|other| **other != name && !self.special[**other]);
            let mut places = others.filter_map(|other| self.homes[*other]).chain(target);
            if let Some(place) = target.or_else(|| places.next()).filter(|place| *place != array) {
                cycles += self.rows(name) + if target == Some(place) { 8 } else { 0 };
            }
        }
        cycles
    }

    /// How a word is done in an array, if it can be; of an access, whether its address is brought there.
    pub(super) fn way(
        &self,
        clock: &Clock,
        code: &Code,
        (array, brings): (u64, bool),
        sketch: &Sketch,
        word: usize,
    ) -> Option<Way> {
        let written = sketch.writes[word];
        if written.is_some_and(|name| self.homes[name].is_some_and(|home| home != array)) {
            return None;
        }
        let far = match code {
            Code::Memory { start: Start::Rows(part, ..), .. } => Some(part.name).filter(|name| !self.has(*name, array)),
            _ => None,
        };
        let at = far.map_or(array, |name| self.homes[name].expect("what is in no array can be anywhere"));
        let address = if brings { array } else { at };
        if brings && far.is_none() {
            return None;
        }
        let mut way = Way { array, address, moves: Vec::new(), begin: 0, score: 0 };
        let brought = sketch.sources[word].iter().copied().chain(far.filter(|_| brings));
        for name in brought.filter(|name| Some(*name) != written) {
            if !self.has(name, array) && !way.moves.contains(&(name, array)) {
                if self.rows(name) > MOST_MOVED {
                    return None;
                }
                way.moves.push((name, array));
                // The window that has it could do something else.
                way.score += self.costs.moved(self.rows(name)).cycles / 2;
            }
        }
        let timed = sketch.words[word];
        let mut times = (0, 0);
        if way.moves.is_empty() {
            self.push(&way, code, timed, |word, windows| times = clock.times(self.costs, word, windows));
        } else {
            let (mut clock, mut begin) = (*clock, None);
            self.push(&way, code, timed, |word, windows| {
                times = clock.push_for(self.costs, word, windows);
                begin.get_or_insert(times.0);
            });
            times.0 = begin.unwrap_or(times.0);
        }
        way.begin = times.0;
        way.score += times.1 + if address == array { 0 } else { timed.cycles / 4 };
        Some(way)
    }

    /// A word and its moves, done in this way, with their windows, in their order.
    pub(super) fn push(&self, way: &Way, code: &Code, word: Timed, mut to: impl FnMut(Timed, u64)) {
        for (name, array) in &way.moves {
            let home = self.homes[*name].expect("what is in no array can be anywhere");
            to(self.costs.moved(self.rows(*name)), 1 << home | 1 << array);
        }
        to(word, if matches!(code, Code::Scalar { .. }) { 0 } else { 1 << way.array | 1 << way.address });
    }

    /// Whether a value is in an array, or can be without a word.
    fn has(&self, name: Name, array: u64) -> bool {
        if self.special[name] {
            return self.homes[name].is_none()
                || self.select.arrays[name] >> array & 1 == 1
                || self.copies.get(name, array).is_some()
                || self.launch_has_room();
        }
        self.homes[name].is_none_or(|home| home == array) || self.copies.get(name, array).is_some()
    }

    /// Whether what the launch writes may be in one more array, if each special register is in one.
    pub(super) fn launch_has_room(&self) -> bool {
        let entries = self.select.specials.iter().map(|one| self.select.arrays[one.1].count_ones().max(1) as usize);
        entries.sum::<usize>() < MOST_SPECIALS
    }
}

#[cfg(test)]
mod tests {
    use crate::optimize::Sizes;
    use crate::ptx::parse;
    use crate::words::{Addresses, Words};
    use bitline_units::duality::DualityParams;

    /// In all schedules of kernels with loops, special registers and accesses a way that is not found anew is the one
    /// that would be found: `best` asserts that in tests of this module's crate.
    #[test]
    fn ways_are_what_is_known_of_them() {
        let module = parse("trial.ptx", include_str!("../tests/trial/trial.ptx")).expect("it is PTX");
        let params = DualityParams::preset("cb").expect("a preset");
        let sizes = Sizes { grid: [40, 1, 1], block: [16, 16, 1] };
        for name in ["hotspot", "bfs", "pathfinder", "nn"] {
            let kernel = module.kernels.iter().find(|kernel| kernel.name == name).expect("it is there");
            for arrays in [2, 4] {
                let words = Words { arrays: Some(arrays), tries: 3, ..Words::new(&params) };
                let made = words.compile(&module, kernel, &Addresses::default(), Some(&sizes), &[]);
                assert!(made.unwrap_or_else(|error| panic!("{name}: {error}")).rows > 0);
            }
        }
    }
}
