//! In which array a word is done, and what is brought there for it.

use bitline_units::duality::isa::program::MOST_SPECIALS;

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
    pub score: u64,
    /// What full arrays cost.
    pub over: u64,
}

impl Spread<'_, '_> {
    /// The best way to do a word.
    pub(super) fn best(&self, clock: &Clock, own: &[Line], sketch: &Sketch, word: usize) -> Option<Way> {
        let (line, cycles) = (&own[word], sketch.words[word].cycles);
        if let Code::Scalar { .. } = line.code {
            let (begin, score) = clock.times(self.costs, sketch.words[word], 0);
            return Some(Way { array: 0, address: 0, moves: Vec::new(), begin, score, over: 0 });
        }
        let result = sketch.writes[word];
        let brings = matches!(line.code, Code::Memory { start: Start::Rows(..), .. });
        let both = (0..self.arrays).flat_map(|array| [(array, false), (array, true)]).filter(|way| brings || !way.1);
        let ways = both.filter_map(|(array, brings)| {
            let mut way = self.way(clock, &line.code, (array, brings), sketch, word)?;
            way.score += self.noise(line.origin, word, 2 * array + u64::from(brings), cycles);
            if let Some(name) = result.filter(|name| self.homes[*name].is_none()) {
                way.score += self.ahead(own, sketch, word, name, array) * self.policy.lookahead / 100;
            }
            let rows = result.map_or(0, |name| self.rows(name)) + sketch.scratch[word];
            let over = (self.held[array as usize] + rows).saturating_sub(self.policy.full);
            way.over = over * 16;
            way.score += way.over;
            Some(way)
        });
        ways.min_by_key(|way| way.score)
    }

    /// Cycles of moves that words behind this one will need if its result is in this array.
    fn ahead(&self, own: &[Line], sketch: &Sketch, word: usize, name: Name, array: u64) -> u64 {
        let mut cycles = 0;
        for later in sketch.graph.after[word].iter().copied() {
            if !sketch.reads[later].contains(&name) || matches!(own[later].code, Code::Memory { .. }) {
                continue;
            }
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
    fn way(
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
        let mut way = Way { array, address, moves: Vec::new(), begin: 0, score: 0, over: 0 };
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
            let entries = || self.select.specials.iter().map(|one| self.select.arrays[one.1].count_ones()).sum::<u32>();
            return self.homes[name].is_none()
                || self.select.arrays[name] >> array & 1 == 1
                || self.copies.get(name, array).is_some()
                || (entries() as usize) < MOST_SPECIALS;
        }
        self.homes[name].is_none_or(|home| home == array) || self.copies.get(name, array).is_some()
    }
}
