//! Values to arrays, moves between them, and an order in which windows work at the same time.
//!
//! Pieces of code without jumps are scheduled one by one, those of inner loops first: of the words that may come next
//! the one that leads to the longest rest, in the array in which it ends first, moves included ("bottom-up greedy").
//! What a later word will want is looked at: a result is better where the values are that it will meet. A value has one
//! array for the whole kernel, where it is written. Where another array wants it a move makes a copy, which is good
//! until the value is written again or the piece ends. What the launch writes it can write in several arrays.
//!
//! There are several ways to choose (`policy.rs`), of which each piece may take the one with which it ends first, and a
//! piece in a loop the one with which its turns do; from there on it is changed word by word (`climb.rs`). In which
//! array a word is done, and what is brought there, is in `way.rs`.
//!
//! Windows do their words in the order of the program, so the order that is found here is the schedule.

use std::cmp::Reverse;
use std::collections::HashMap;

use bitline_units::duality::params::{MASK_ROWS, SLOTS};

use super::Rule;
use super::climb::shares;
use super::code::{Class, Code, Line, Name, Part, Row, Start};
use super::costs::{Clock, Costs};
use super::encode::{Anywhere, encode};
use super::estimate::turns;
use super::policy::Policy;
use super::select::Select;
use super::sketch::Sketch;
use super::way::{Chosen, Way, Ways, held};

/// Turns of a loop that a piece in it is looked at for: windows that are free early begin the next one early.
const TURNS: usize = 3;

/// The work on a kernel.
pub struct Spread<'s, 'k> {
    pub(super) select: &'s mut Select<'k>,
    sketches: &'s [Sketch],
    pub(super) costs: &'s Costs,
    pub(super) arrays: u64,
    /// Ways to choose, of which the one is taken in each piece with which it ends first.
    policies: &'s [Policy],
    pub(super) policy: Policy,
    /// Seeds of the words of a piece that have their own.
    pub(super) own: Vec<u64>,
    /// The array of each name.
    pub(super) homes: Vec<Option<u64>>,
    pub(super) special: Vec<bool>,
    /// Copies that are good now.
    pub(super) copies: Copies,
    /// What is known of each word of the piece at work.
    ways: Vec<Ways>,
    /// Rows that values of other pieces have in each array, and those of this one.
    pub(super) held: Vec<u64>,
}

/// A piece that is tried again and again.
pub(super) struct Tries<'a> {
    pub(super) lines: &'a [Line],
    pub(super) sketch: &'a Sketch,
    /// How many of it, one behind the other.
    turns: usize,
    /// Words that are scheduled for changes of it.
    pub(super) changed: u64,
    /// Where values are before it.
    before: (Vec<Option<u64>>, Vec<u8>),
}

/// Copies of values in other arrays.
#[derive(Default)]
pub(super) struct Copies {
    /// By name and array.
    all: Vec<[Option<Name>; SLOTS]>,
    /// Names of which there are some.
    of: Vec<Name>,
}

impl Copies {
    pub(super) fn get(&self, name: Name, array: u64) -> Option<Name> {
        self.all.get(name)?[array as usize]
    }

    fn insert(&mut self, name: Name, array: u64, copy: Name) {
        if self.all.len() <= name {
            self.all.resize(name + 1, [None; SLOTS]);
        }
        self.all[name][array as usize] = Some(copy);
        self.of.push(name);
    }

    fn forget(&mut self, name: Name) {
        if let Some(copies) = self.all.get_mut(name) {
            *copies = [None; SLOTS];
        }
    }

    fn clear(&mut self) {
        while let Some(name) = self.of.pop() {
            self.forget(name);
        }
    }
}

impl<'s, 'k> Spread<'s, 'k> {
    /// Spreads a kernel over so many arrays; its words get their order, and moves between them. With several policies
    /// its pieces are made better, which schedules so many words.
    pub fn run(
        select: &'s mut Select<'k>,
        sketches: &'s [Sketch],
        costs: &'s Costs,
        arrays: u64,
        (policies, changed): (&'s [Policy], u64),
    ) {
        let mut special = vec![false; select.classes.len()];
        select.specials.iter().for_each(|one| special[one.1] = true);
        let homes = vec![None; select.classes.len()];
        let (own, copies, held) = (Vec::new(), Copies::default(), vec![0; arrays as usize]);
        let (policy, ways) = (policies[0], Vec::new());
        let mut spread =
            Spread { select, sketches, costs, arrays, policies, policy, own, homes, special, copies, ways, held };
        spread.kernel(changed);
    }

    fn kernel(&mut self, changed: u64) {
        let lines = self.select.lines.clone();
        let shape = &self.select.analysis.shape;
        let depth = |sketch: &Sketch| {
            let block = lines[sketch.range.start].block;
            shape.loops.iter().filter(|one| one.inside[block]).count()
        };
        let shares = shares(self.sketches, changed, |sketch| turns(self.select, lines[sketch.range.start].block));
        let mut order: Vec<(&Sketch, u64)> = self.sketches.iter().zip(shares).collect();
        order.sort_by_key(|one| Reverse(depth(one.0)));
        let mut found: HashMap<usize, Vec<Line>> = HashMap::new();
        for (sketch, changed) in order {
            let turns = if depth(sketch) > 0 { TURNS } else { 1 };
            let before = (self.homes.clone(), self.select.arrays.clone());
            let tries = Tries { lines: &lines, sketch, turns, changed, before };
            found.insert(sketch.range.start, self.shortest(tries));
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

    pub(super) fn rows(&self, name: Name) -> u64 {
        if let Class::Rows(rows) = self.select.classes[name] { rows } else { 0 }
    }

    /// Schedules a piece with each policy, changes what is best as far as that helps, and keeps that of which so many,
    /// one behind the other, end first.
    fn shortest(&mut self, tries: Tries<'_>) -> Vec<Line> {
        let mut best = (u64::MAX, self.policies[0]);
        for policy in self.policies.iter().filter(|_| self.policies.len() > 1) {
            self.policy = *policy;
            let end = self.tried(&tries, u64::MAX);
            best = if end < best.0 { (end, *policy) } else { best };
        }
        self.policy = best.1;
        if self.policies.len() > 1 {
            self.climb(best.0, &tries);
        }
        let mut found = Vec::new();
        self.piece(tries.lines, tries.sketch, (1, u64::MAX), Some(&mut found));
        self.own.clear();
        found
    }

    /// When a piece ends as it is chosen now, or any later time if that is behind the limit; nothing is left of it.
    pub(super) fn tried(&mut self, tries: &Tries<'_>, limit: u64) -> u64 {
        let end = self.piece(tries.lines, tries.sketch, (tries.turns, limit), None);
        self.homes.clone_from(&tries.before.0);
        self.select.arrays.clone_from(&tries.before.1);
        end
    }

    /// Schedules a piece; returns when so many of it, one behind the other, end, full arrays counted, and gives up when
    /// that is behind a limit. Its lines come behind `found`.
    fn piece(
        &mut self,
        lines: &[Line],
        sketch: &Sketch,
        (turns, limit): (usize, u64),
        mut found: Option<&mut Vec<Line>>,
    ) -> u64 {
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
        let (mut clock, mut next, mut over) = (Clock::default(), 0, 0);
        let (mut candidates, mut pushed) = (Vec::new(), Vec::new());
        let mut ways = std::mem::take(&mut self.ways);
        ways.clear();
        ways.resize(own.len(), Ways::default());
        let (mut came, mut room) = (0, self.launch_has_room());
        while !ready.is_empty() {
            let those = if self.policy.reorder { &ready[..] } else { &[next] };
            candidates.extend(
                those.iter().filter_map(|word| {
                    Some((*word, self.best(&clock, own, (sketch, *word), (&mut ways[*word], came))?))
                }),
            );
            let first = candidates.iter().map(|way: &(usize, Chosen)| way.1.begin).min().expect("every word has a way");
            let early = candidates.drain(..).filter(|way| way.1.begin <= first + self.policy.slack);
            let longest = |way: &(usize, Chosen)| (sketch.longest[way.0] + self.bias(sketch, way.0), Reverse(way.0));
            let (word, chosen) = early.max_by_key(longest).expect("the first");
            ready.retain(|other| *other != word);
            next = word + 1;
            for later in &sketch.graph.after[word] {
                before[*later] -= 1;
                ready.extend((before[*later] == 0).then_some(*later));
            }
            let line = &own[word];
            let way = self.way(&clock, &line.code, (chosen.array, chosen.brings), sketch, word).expect("it was chosen");
            came = 0;
            self.push(&way, &line.code, sketch.words[word], |word, windows| {
                clock.push_for(self.costs, word, windows);
                pushed.push((word, windows));
                came |= held(word, windows);
            });
            over += chosen.over;
            // What needs this word comes behind it.
            if way.begin.saturating_add(sketch.longest[word]).saturating_add(over) > limit {
                self.ways = ways;
                return u64::MAX;
            }
            let sources = sketch.reads[word].iter().filter(|name| self.homes[**name].is_none() || self.special[**name]);
            let elsewhere = way.moves.iter().map(|one| &one.0).chain(sources).chain(&sketch.writes[word]);
            for other in elsewhere.filter_map(|name| sketch.looks.get(name)).flatten() {
                ways[*other] = Ways::default();
            }
            self.take(line, (sketch, word), &way, found.as_deref_mut());
            if room != self.launch_has_room() {
                room = !room;
                ready.iter().for_each(|other| ways[*other] = Ways::default());
            }
            for name in &sketch.reads[word] {
                uses[*name] -= 1;
                if let (0, true, Some(home)) = (uses[*name], sketch.is_local(*name), self.homes[*name]) {
                    self.held[home as usize] = self.held[home as usize].saturating_sub(self.rows(*name));
                }
            }
            if let Some(name) = sketch.writes[word].filter(|_| !matches!(line.code, Code::Scalar { .. })) {
                self.held[way.array as usize] += if sketch.is_local(name) { self.rows(name) } else { 0 };
                if without != Some(Rule::OldCopies) {
                    self.copies.forget(name);
                }
            }
        }
        self.ways = ways;
        for (word, windows) in std::iter::repeat_n(&pushed, turns - 1).flatten() {
            clock.push_for(self.costs, *word, *windows);
        }
        clock.end() + over
    }

    /// Decides where values are that a word meets which is done in this way; what it becomes comes behind `found`.
    fn take(&mut self, line: &Line, (sketch, word): (&Sketch, usize), way: &Way, mut found: Option<&mut Vec<Line>>) {
        let mut own = found.is_some().then(|| line.clone());
        for (name, array) in &way.moves {
            let mut copy = *name;
            if let Some(found) = &mut found {
                let rows = self.rows(*name);
                copy = self.select.name(Class::Rows(rows));
                self.select.arrays[copy] = 1 << array;
                self.homes.push(Some(*array));
                self.special.push(false);
                let code = Code::Move { from: Part::all(*name, rows), to: Part::all(copy, rows) };
                if self.select.without != Some(Rule::Moves) {
                    found.push(Line { code, keeps: false, origin: None, ..line.clone() });
                }
            }
            self.copies.insert(*name, *array, copy);
        }
        let sources = sketch.sources[word].iter().map(|name| (*name, way.array));
        let address = match &line.code {
            Code::Memory { start: Start::Rows(part, ..), .. } => Some((part.name, way.address)),
            _ => None,
        };
        let written = sketch.writes[word].filter(|name| self.rows(*name) > 0).map(|name| (name, way.array));
        for (name, array) in sources.chain(address).chain(written) {
            match self.homes[name] {
                None => {
                    self.homes[name] = Some(array);
                    self.select.arrays[name] = 1 << array;
                }
                Some(_) => match (self.copies.get(name, array), &mut own) {
                    (Some(copy), Some(own)) => own.code.rename(name, copy),
                    (None, _) if self.special[name] => self.select.arrays[name] |= 1 << array,
                    _ => {}
                },
            }
        }
        if let (Some(found), Some(own)) = (found, own) {
            found.push(own);
        }
    }
}
