//! Values to arrays, moves between them, and an order in which windows work at the same time.
//!
//! Pieces of code without jumps are scheduled one by one, those of inner loops first: of the words that may come next
//! the one that leads to the longest rest, in the array in which it ends first, moves included ("bottom-up greedy").
//! What a later word will want is looked at: a result is better where the values are that it will meet. A value has one
//! array for the whole kernel, where it is written. Where another array wants it a move makes a copy, which is good
//! until the value is written again or the piece ends. What the launch writes it can write in several arrays.
//!
//! There are several ways to choose (`policy.rs`), of which each piece may take the one with which it ends first, and a
//! piece in a loop the one with which its turns do.
//!
//! Windows do their words in the order of the program, so the order that is found here is the schedule.

use std::collections::HashMap;

use bitline_units::duality::isa::codes::Kind;
use bitline_units::duality::isa::program::MOST_SPECIALS;
use bitline_units::duality::isa::{Word, field};
use bitline_units::duality::params::MASK_ROWS;

use super::Rule;
use super::code::{Class, Code, Line, Name, Part, Row, Start};
use super::costs::{Clock, Costs};
use super::encode::{Anywhere, encode};
use super::policy::Policy;
use super::select::Select;
use super::sketch::Sketch;

/// Rows that a word takes from array to array. More have only results of which a word that is free to be in the same
/// array copies what is wanted.
pub(super) const MOST_MOVED: u64 = field::WIDTH.most() + 1;

/// Turns of a loop that a piece in it is looked at for: windows that are free early begin the next one early.
const TURNS: usize = 3;

/// A way to do a word.
struct Way {
    /// The array of the result, or of the data.
    array: u64,
    /// The array of the address.
    address: u64,
    /// Values that are brought there, and where to.
    moves: Vec<(Name, u64)>,
    begin: u64,
    /// When it ends, and what it costs besides.
    score: u64,
    /// What full arrays cost.
    over: u64,
}

/// The work on a kernel.
pub struct Spread<'s, 'k> {
    select: &'s mut Select<'k>,
    sketches: &'s [Sketch],
    costs: &'s Costs,
    arrays: u64,
    /// Ways to choose, of which the one is taken in each piece with which it ends first.
    policies: &'s [Policy],
    policy: Policy,
    /// The array of each name.
    homes: Vec<Option<u64>>,
    special: Vec<bool>,
    /// Copies that are good now.
    copies: HashMap<(Name, u64), Name>,
    /// Rows that values of other pieces have in each array, and those of this one.
    held: Vec<u64>,
}

impl<'s, 'k> Spread<'s, 'k> {
    /// Spreads a kernel over so many arrays; its words get their order, and moves between them.
    pub fn run(
        select: &'s mut Select<'k>,
        sketches: &'s [Sketch],
        costs: &'s Costs,
        arrays: u64,
        policies: &'s [Policy],
    ) {
        let mut special = vec![false; select.classes.len()];
        select.specials.iter().for_each(|one| special[one.1] = true);
        let homes = vec![None; select.classes.len()];
        let (copies, held) = (HashMap::new(), vec![0; arrays as usize]);
        let policy = policies[0];
        let mut spread = Spread { select, sketches, costs, arrays, policies, policy, homes, special, copies, held };
        spread.kernel();
    }

    fn kernel(&mut self) {
        let lines = self.select.lines.clone();
        let shape = &self.select.analysis.shape;
        let depth = |sketch: &Sketch| {
            let block = lines[sketch.range.start].block;
            shape.loops.iter().filter(|one| one.inside[block]).count()
        };
        let mut order: Vec<&Sketch> = self.sketches.iter().collect();
        order.sort_by_key(|sketch| std::cmp::Reverse(depth(sketch)));
        let mut found: HashMap<usize, Vec<Line>> = HashMap::new();
        for sketch in order {
            let turns = if depth(sketch) > 0 { TURNS } else { 1 };
            found.insert(sketch.range.start, self.shortest(&lines, sketch, turns));
        }
        let mut all = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            match found.remove(&at) {
                Some(own) => {
                    at += own.iter().filter(|line| line.origin.is_some()).count();
                    all.extend(own);
                }
                None => {
                    all.push(lines[at].clone());
                    at += 1;
                }
            }
        }
        for (name, home) in self.homes.iter().enumerate().filter(|(name, _)| !self.special[*name]) {
            self.select.arrays[name] = 1 << home.unwrap_or(0);
        }
        self.select.lines = all;
        self.look();
    }

    /// Jumps look at mask rows in the array that is free first.
    fn look(&mut self) {
        let mut clock = Clock::default();
        let mut block = None;
        for at in 0..self.select.lines.len() {
            let line = &mut self.select.lines[at];
            if block.replace(line.block) != Some(line.block) {
                clock = Clock::default();
            }
            if let Code::Jump { on: Some(Row::Mask(_)), array, .. } = &mut line.code {
                *array = (0..self.arrays).min_by_key(|array| clock.free[*array as usize]).unwrap_or(0);
            }
            if !matches!(line.code, Code::Label(_)) {
                let word = encode(&self.select.lines[at].code, &Anywhere(&self.select.arrays), MASK_ROWS);
                clock.push(self.costs, word, self.arrays);
            }
        }
    }

    fn rows(&self, name: Name) -> u64 {
        if let Class::Rows(rows) = self.select.classes[name] { rows } else { 0 }
    }

    /// Schedules a piece with each policy, and keeps that of which so many, one behind the other, end first.
    fn shortest(&mut self, lines: &[Line], sketch: &Sketch, turns: usize) -> Vec<Line> {
        let names = self.select.classes.len();
        let before = (self.homes.clone(), self.special.clone(), self.select.arrays.clone());
        let mut best = (u64::MAX, self.policies[0]);
        for policy in self.policies.iter().filter(|_| self.policies.len() > 1) {
            self.policy = *policy;
            let end = self.piece(lines, sketch, turns).0;
            best = if end < best.0 { (end, *policy) } else { best };
            (self.homes, self.special, self.select.arrays) = before.clone();
            self.select.classes.truncate(names);
        }
        self.policy = best.1;
        self.piece(lines, sketch, 1).1
    }

    /// Schedules a piece; returns when so many of it, one behind the other, end, full arrays counted.
    fn piece(&mut self, lines: &[Line], sketch: &Sketch, turns: usize) -> (u64, Vec<Line>) {
        let own = &lines[sketch.range.clone()];
        let without = self.select.without;
        self.copies.clear();
        self.held.fill(0);
        // Names of which nothing is left outside are counted as they come and go.
        for name in &sketch.outer {
            if let Some(home) = self.homes[*name] {
                self.held[home as usize] += self.rows(*name);
            }
        }
        let mut uses = sketch.uses.clone();
        let mut before = sketch.graph.before.clone();
        let mut ready: Vec<usize> = (0..own.len()).filter(|word| before[*word] == 0).collect();
        let (mut clock, mut found, mut next, mut over) = (Clock::default(), Vec::new(), 0, 0);
        while !ready.is_empty() {
            let candidates = if self.policy.reorder { ready.clone() } else { vec![next] };
            let ways = candidates.into_iter().filter_map(|word| {
                let way = self.best(&clock, own, sketch, word)?;
                Some((word, way))
            });
            let ways: Vec<(usize, Way)> = ways.collect();
            let first = ways.iter().map(|way| way.1.begin).min().expect("every word has a way");
            let early = ways.into_iter().filter(|way| way.1.begin <= first + self.policy.slack);
            let longest = |way: &(usize, Way)| (sketch.longest[way.0], std::cmp::Reverse(way.0));
            let (word, way) = early.max_by_key(longest).expect("the first");
            ready.retain(|other| *other != word);
            next = word + 1;
            for later in &sketch.graph.after[word] {
                before[*later] -= 1;
                ready.extend((before[*later] == 0).then_some(*later));
            }
            let line = &own[word];
            self.push(&mut clock, &way, &line.code, (sketch.words[word], sketch.cycles[word]));
            over += way.over;
            self.take(line, &way, &mut found);
            for name in &sketch.reads[word] {
                uses[*name] -= 1;
                if let (0, true, Some(home)) = (uses[*name], sketch.is_local(*name), self.homes[*name]) {
                    self.held[home as usize] = self.held[home as usize].saturating_sub(self.rows(*name));
                }
            }
            if let Some(name) = sketch.writes[word].filter(|_| !matches!(line.code, Code::Scalar { .. })) {
                self.held[way.array as usize] += if sketch.is_local(name) { self.rows(name) } else { 0 };
                if without != Some(Rule::OldCopies) {
                    self.copies.retain(|(of, _), _| *of != name);
                }
            }
        }
        if turns > 1 {
            let place = |line: &Line| encode(&line.code, &Anywhere(&self.select.arrays), MASK_ROWS);
            let words: Vec<Word> = found.iter().map(place).collect();
            for word in std::iter::repeat_n(&words, turns - 1).flatten() {
                clock.push(self.costs, *word, self.arrays);
            }
        }
        (clock.end() + over, found)
    }

    /// The best way to do a word.
    fn best(&self, clock: &Clock, own: &[Line], sketch: &Sketch, word: usize) -> Option<Way> {
        let (line, encoded, cycles) = (&own[word], sketch.words[word], sketch.cycles[word]);
        if let Code::Scalar { .. } = line.code {
            let mut way = Way { array: 0, address: 0, moves: Vec::new(), begin: 0, score: 0, over: 0 };
            let mut clock = *clock;
            (way.begin, way.score) = self.push(&mut clock, &way, &line.code, (encoded, cycles));
            return Some(way);
        }
        let result = sketch.writes[word];
        let both = (0..self.arrays).flat_map(|array| [(array, false), (array, true)]);
        let ways = both.filter_map(|(array, brings)| {
            let mut way = self.way(clock, &line.code, (array, brings), sketch, word)?;
            way.score += self.policy.noise(line.origin, 2 * array + u64::from(brings), cycles);
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
            Code::Memory { start: Start::Rows(part, _), .. } => Some(part.name).filter(|name| !self.has(*name, array)),
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
                way.score += self.costs.word(moved(self.rows(name))) / 2;
            }
        }
        let mut clock = *clock;
        let (encoded, cycles) = (sketch.words[word], sketch.cycles[word]);
        let (begin, end) = self.push(&mut clock, &way, code, (encoded, cycles));
        way.begin = begin;
        way.score += end + if address == array { 0 } else { cycles / 4 };
        Some(way)
    }

    /// A word comes with its moves, done in this way; returns when it begins, and when it ends.
    fn push(&self, clock: &mut Clock, way: &Way, code: &Code, (word, cycles): (Word, u64)) -> (u64, u64) {
        for (name, array) in &way.moves {
            let home = self.homes[*name].expect("what is in no array can be anywhere");
            let word = moved(self.rows(*name));
            clock.push_for(self.costs, word, self.costs.word(word), 1 << home | 1 << array);
        }
        let windows = if matches!(code, Code::Scalar { .. }) { 0 } else { 1 << way.array | 1 << way.address };
        clock.push_for(self.costs, word, cycles, windows)
    }

    /// Whether a value is in an array, or can be without a word.
    fn has(&self, name: Name, array: u64) -> bool {
        if self.special[name] {
            let entries: u32 = self.select.specials.iter().map(|one| self.select.arrays[one.1].count_ones()).sum();
            return self.homes[name].is_none()
                || self.select.arrays[name] >> array & 1 == 1
                || (entries as usize) < MOST_SPECIALS
                || self.copies.contains_key(&(name, array));
        }
        self.homes[name].is_none_or(|home| home == array) || self.copies.contains_key(&(name, array))
    }

    /// Puts a word there.
    fn take(&mut self, line: &Line, way: &Way, found: &mut Vec<Line>) {
        let mut line = line.clone();
        for (name, array) in &way.moves {
            let rows = self.rows(*name);
            let copy = self.select.name(Class::Rows(rows));
            self.select.arrays[copy] = 1 << array;
            self.homes.push(Some(*array));
            self.special.push(false);
            self.copies.insert((*name, *array), copy);
            let code = Code::Move { from: Part::all(*name, rows), to: Part::all(copy, rows) };
            if self.select.without != Some(Rule::Moves) {
                found.push(Line { code, keeps: false, origin: None, ..line });
            }
        }
        let written = line.code.writes(&self.select.classes).map(|written| written.0);
        let mut names: Vec<(Name, u64)> = line.code.sources().into_iter().map(|name| (name, way.array)).collect();
        if let Code::Memory { start: Start::Rows(part, _), .. } = &line.code {
            names.push((part.name, way.address));
        }
        names.extend(written.filter(|name| self.rows(*name) > 0).map(|name| (name, way.array)));
        for (name, array) in names {
            match self.homes[name] {
                None => {
                    self.homes[name] = Some(array);
                    self.select.arrays[name] = 1 << array;
                }
                Some(_) => match self.copies.get(&(name, array)) {
                    Some(copy) => line.code.rename(name, *copy),
                    None if self.special[name] => self.select.arrays[name] |= 1 << array,
                    None => {}
                },
            }
        }
        found.push(line);
    }
}

/// A move of so many rows.
pub(super) fn moved(rows: u64) -> Word {
    Word::new(Kind::Move).with(field::WIDTH, rows - 1)
}
