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
use std::ops::Range;

use fixedbitset::FixedBitSet;

use bitline_units::duality::isa::codes::Kind;
use bitline_units::duality::isa::program::MOST_SPECIALS;
use bitline_units::duality::isa::{Word, field};
use bitline_units::duality::params::MASK_ROWS;

use super::Rule;
use super::code::{Class, Code, Line, Name, Part, Row, Start};
use super::costs::{Clock, Costs};
use super::depend::Dependences;
use super::encode::{Anywhere, Encoder, encode};
use super::policy::Policy;
use super::select::Select;

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
    clock: Clock,
    begin: u64,
    /// When it ends, and what it costs besides.
    score: u64,
    /// What full arrays cost.
    over: u64,
}

/// The work on a kernel.
pub struct Spread<'s, 'k> {
    select: &'s mut Select<'k>,
    encoder: &'s Encoder,
    costs: &'s Costs,
    arrays: u64,
    /// Ways to choose, of which the one is taken in each piece with which it ends first.
    policies: &'s [Policy],
    policy: Policy,
    /// The array of each name.
    homes: Vec<Option<u64>>,
    special: Vec<bool>,
    /// Lines at which names are needed.
    needed: &'s [FixedBitSet],
    /// Copies that are good now.
    copies: HashMap<(Name, u64), Name>,
    /// Rows that values of other pieces have in each array, and those of this one.
    held: Vec<u64>,
}

impl<'s, 'k> Spread<'s, 'k> {
    /// Spreads a kernel over so many arrays; its words get their order, and moves between them.
    pub fn run(
        select: &'s mut Select<'k>,
        encoder: &'s Encoder,
        costs: &'s Costs,
        arrays: u64,
        policies: &'s [Policy],
        needed: &'s [FixedBitSet],
    ) {
        let mut special = vec![false; select.classes.len()];
        select.specials.iter().for_each(|one| special[one.1] = true);
        let homes = vec![None; select.classes.len()];
        let (copies, held) = (HashMap::new(), vec![0; arrays as usize]);
        let policy = policies[0];
        let mut spread =
            Spread { select, encoder, costs, arrays, policies, policy, homes, special, needed, copies, held };
        spread.kernel();
    }

    fn kernel(&mut self) {
        let lines = self.select.lines.clone();
        let pieces = pieces(&lines);
        let shape = &self.select.analysis.shape;
        let depth = |block: usize| shape.loops.iter().filter(|one| one.inside[block]).count();
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by_key(|piece| std::cmp::Reverse(depth(lines[pieces[*piece].start].block)));
        let mut found: HashMap<usize, Vec<Line>> = HashMap::new();
        for piece in order {
            let turns = if depth(lines[pieces[piece].start].block) > 0 { TURNS } else { 1 };
            found.insert(pieces[piece].start, self.shortest(&lines, pieces[piece].clone(), turns));
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
    fn shortest(&mut self, lines: &[Line], range: Range<usize>, turns: usize) -> Vec<Line> {
        let names = self.select.classes.len();
        let before = (self.homes.clone(), self.special.clone(), self.select.arrays.clone());
        let mut best = (u64::MAX, self.policies[0]);
        for policy in self.policies.iter().filter(|_| self.policies.len() > 1) {
            self.policy = *policy;
            let end = self.piece(lines, range.clone(), turns).0;
            best = if end < best.0 { (end, *policy) } else { best };
            (self.homes, self.special, self.select.arrays) = before.clone();
            self.select.classes.truncate(names);
        }
        self.policy = best.1;
        self.piece(lines, range, 1).1
    }

    /// Schedules a piece; returns when so many of it, one behind the other, end, full arrays counted.
    fn piece(&mut self, lines: &[Line], range: Range<usize>, turns: usize) -> (u64, Vec<Line>) {
        let own = &lines[range.clone()];
        let without = self.select.without;
        let graph = Dependences::of(own, &self.select.classes, without);
        let words: Vec<Word> = own.iter().map(|line| encode(&line.code, &Anywhere(&[]), MASK_ROWS)).collect();
        let cycles: Vec<u64> = words.iter().map(|word| self.costs.word(*word)).collect();
        let scratch: Vec<u64> = own.iter().map(|line| self.encoder.scratch(&line.code).unwrap_or(0)).collect();
        let longest = graph.longest(&cycles);
        self.copies.clear();
        self.held.fill(0);
        // Names of which nothing is left outside are counted as they come and go.
        let inside = |name: Name| {
            let lines = &self.needed[name];
            lines.count_ones(range.clone()) == lines.count_ones(..)
        };
        let mut uses: HashMap<Name, usize> = HashMap::new();
        for line in own {
            line.reads(&self.select.classes).into_iter().for_each(|name| *uses.entry(name).or_default() += 1);
        }
        for (name, lines) in self.needed.iter().enumerate() {
            if let Some(home) = self.homes.get(name).copied().flatten()
                && !inside(name)
                && lines.count_ones(range.clone()) > 0
            {
                self.held[home as usize] += self.rows(name);
            }
        }
        let local: Vec<bool> = (0..self.needed.len()).map(inside).collect();
        let mut before = graph.before.clone();
        let mut ready: Vec<usize> = (0..own.len()).filter(|word| before[*word] == 0).collect();
        let (mut clock, mut found, mut next, mut over) = (Clock::default(), Vec::new(), 0, 0);
        while !ready.is_empty() {
            let candidates = if self.policy.reorder { ready.clone() } else { vec![next] };
            let ways = candidates.into_iter().filter_map(|word| {
                let way = self.best(&clock, own, &graph, word, (words[word], cycles[word], scratch[word]))?;
                Some((word, way))
            });
            let ways: Vec<(usize, Way)> = ways.collect();
            let first = ways.iter().map(|way| way.1.begin).min().expect("every word has a way");
            let early = ways.into_iter().filter(|way| way.1.begin <= first + self.policy.slack);
            let (word, way) = early.max_by_key(|way| (longest[way.0], std::cmp::Reverse(way.0))).expect("the first");
            ready.retain(|other| *other != word);
            next = word + 1;
            for later in &graph.after[word] {
                before[*later] -= 1;
                ready.extend((before[*later] == 0).then_some(*later));
            }
            clock = way.clock;
            over += way.over;
            let line = &own[word];
            self.take(line, &way, &mut found);
            for name in line.reads(&self.select.classes) {
                let left = uses.entry(name).or_default();
                *left = left.saturating_sub(1);
                if let (0, true, Some(home)) = (*left, local.get(name) == Some(&true), self.homes[name]) {
                    self.held[home as usize] = self.held[home as usize].saturating_sub(self.rows(name));
                }
            }
            if let Some((name, _)) =
                line.writes(&self.select.classes).filter(|_| !matches!(line.code, Code::Scalar { .. }))
            {
                self.held[way.array as usize] += if local[name] { self.rows(name) } else { 0 };
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
    fn best(
        &self,
        clock: &Clock,
        own: &[Line],
        graph: &Dependences,
        word: usize,
        (encoded, cycles, scratch): (Word, u64, u64),
    ) -> Option<Way> {
        let line = &own[word];
        if let Code::Scalar { .. } = line.code {
            let mut clock = *clock;
            let (begin, score) = clock.push_for(self.costs, encoded, cycles, 0);
            return Some(Way { array: 0, address: 0, moves: Vec::new(), clock, begin, score, over: 0 });
        }
        let result = line.code.writes(&self.select.classes).map(|written| written.0);
        let both = (0..self.arrays).flat_map(|array| [(array, false), (array, true)]);
        let ways = both.filter_map(|(array, brings)| {
            let mut way = self.way(clock, &line.code, (array, brings), encoded, cycles)?;
            way.score += self.policy.noise(line.origin, 2 * array + u64::from(brings), cycles);
            if let Some(name) = result.filter(|name| self.homes[*name].is_none()) {
                way.score += self.ahead(own, graph, word, name, array) * self.policy.lookahead / 100;
            }
            let rows = result.map_or(0, |name| self.rows(name)) + scratch;
            let over = (self.held[array as usize] + rows).saturating_sub(self.policy.full);
            way.over = over * 16;
            way.score += way.over;
            Some(way)
        });
        ways.min_by_key(|way| way.score)
    }

    /// Cycles of moves that words behind this one will need if its result is in this array.
    fn ahead(&self, own: &[Line], graph: &Dependences, word: usize, name: Name, array: u64) -> u64 {
        let mut cycles = 0;
        for later in &graph.after[word] {
            let line = &own[*later];
            if !line.code.reads(&self.select.classes).contains(&name) || matches!(line.code, Code::Memory { .. }) {
                continue;
            }
            let target = line.code.writes(&self.select.classes).and_then(|written| self.homes[written.0]);
            let others = line.code.sources().into_iter().filter(|other| *other != name && !self.special[*other]);
            let mut places = others.filter_map(|other| self.homes[other]).chain(target);
            if let Some(place) = target.or_else(|| places.next()).filter(|place| *place != array) {
                cycles += self.rows(name) + if target == Some(place) { 8 } else { 0 };
            }
        }
        cycles
    }

    /// How a word is done in an array, if it can be; of an access, whether its address is brought there.
    fn way(&self, clock: &Clock, code: &Code, (array, brings): (u64, bool), encoded: Word, cycles: u64) -> Option<Way> {
        let written = code.writes(&self.select.classes).map(|written| written.0);
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
        let mut way = Way { array, address, moves: Vec::new(), clock: *clock, begin: 0, score: 0, over: 0 };
        let brought = code.sources().into_iter().chain(far.filter(|_| brings));
        for name in brought.filter(|name| Some(*name) != written) {
            if !self.has(name, array) && !way.moves.contains(&(name, array)) {
                if self.rows(name) > MOST_MOVED {
                    return None;
                }
                way.moves.push((name, array));
                let home = self.homes[name].expect("what is in no array can be anywhere");
                let word = moved(self.rows(name));
                let windows = 1 << home | 1 << array;
                let (begin, end) = way.clock.push_for(self.costs, word, self.costs.word(word), windows);
                // The window that has it could do something else.
                way.score += (end - begin) / 2;
            }
        }
        let windows = 1 << array | 1 << address;
        let (begin, end) = way.clock.push_for(self.costs, encoded, cycles, windows);
        way.begin = begin;
        way.score += end + if address == array { 0 } else { cycles / 4 };
        Some(way)
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

/// Pieces of code in which words may change their order: without labels, jumps and masks.
pub(super) fn pieces(lines: &[Line]) -> Vec<Range<usize>> {
    let free = |line: &Line| matches!(line.code, Code::Compute { .. } | Code::Memory { .. } | Code::Scalar { .. });
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| free(line)) {
        match pieces.last_mut() {
            Some(last) if last.end == at && lines[last.start].block == line.block => last.end += 1,
            _ => pieces.push(at..at + 1),
        }
    }
    pieces
}

/// A move of so many rows.
pub(super) fn moved(rows: u64) -> Word {
    Word::new(Kind::Move).with(field::WIDTH, rows - 1)
}
