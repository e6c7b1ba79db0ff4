//! Pieces of a program without jumps, as a schedule sees them: words with their cycles, values with the rows that a
//! move of them takes, and the schedule that the compiler has found, before spill words come between.
//!
//! Whoever looks for better schedules needs no more than this, so that tests can prove how good ours are. A value is
//! what one word leaves, or what there is before the piece: where a word writes a name again, that is another value,
//! and if it leaves some of the old one, or some threads keep it, the old value is one of its sources. Words of the
//! scalar unit have no window and are left out.

use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::code::{Class, Code, Line, Name, Start};
use super::costs::{Clock, Costs};
use super::costs::{MOST_MOVED, moved};
use super::depend::in_memory;
use super::encode::{Anywhere, encode, windows};
use super::select::Select;
use super::sketch::pieces;

use bitline_units::duality::params::{MASK_ROWS, SLOTS};

/// A word of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Cycles for which it holds its windows, by the compiler's tables; of memory those of its passes.
    pub cycles: u64,
    /// Whether it is a word of memory, of which there is one at a time.
    pub memory: bool,
    /// Words of memory that come before it.
    pub behind: Vec<usize>,
    /// Values that it wants in its array.
    pub sources: Vec<usize>,
    /// The value of its address, which may be in another array: the word holds both windows.
    pub address: Option<usize>,
    /// The value that it leaves in its array.
    pub result: Option<usize>,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Cycles of a word that moves all of its rows to other arrays, in the windows of all that take part.
    pub moving: u64,
    /// The launch writes it in every array that wants it.
    pub everywhere: bool,
}

/// What a schedule does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A word in an array, its address in the same or another one.
    Word {
        /// Which.
        word: usize,
        /// The array of its result, or of its data.
        array: usize,
        /// That of its address.
        address: usize,
    },
    /// A value is copied.
    Move {
        /// Which.
        value: usize,
        /// From this array.
        from: usize,
        /// To these, bit k for array k.
        to: u8,
    },
}

/// A piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its words, in the order of the text.
    pub words: Vec<Work>,
    /// Its values: those that there are before the piece, and those that its words leave.
    pub values: Vec<Value>,
    /// What the compiler's schedule does. Windows do their steps in this order, and a step that has several windows
    /// begins when it is the oldest in all of them.
    pub schedule: Vec<Step>,
    /// Cycles of that schedule by the compiler's clock, which also counts what the dispatcher takes to hand words out.
    pub cycles: u64,
    /// The number of its first word in the program.
    pub first: usize,
}

impl Piece {
    /// Cycles below which no schedule of it takes, whatever moves take and rows there are: the longest chain of words
    /// of which each needs the one before, a fourth of what all that compute take, and what the port takes.
    ///
    /// A word of memory has the port when what comes before has ended, and more comes behind it. Were the port taken
    /// from a word as soon as one asks that has more behind it, that would be best (Jackson's preemptive schedule).
    #[must_use]
    pub fn least(&self) -> u64 {
        let (ends, rests) = (self.ends(|_| true), self.rests());
        let words = self.words.iter().zip(&ends).zip(&rests).filter(|((word, _), _)| word.memory);
        let mut asking: Vec<(u64, u64, u64)> =
            words.map(|((word, end), rest)| (end - word.cycles, *rest, word.cycles)).collect();
        // The first one last.
        asking.sort_by(|one, other| other.cmp(one));
        let (mut now, mut waiting, mut least) = (0, BinaryHeap::new(), 0);
        while !asking.is_empty() || !waiting.is_empty() {
            while let Some((_, rest, cycles)) = asking.pop_if(|next| next.0 <= now) {
                waiting.push((rest, cycles));
            }
            let next = asking.last().map_or(u64::MAX, |next| next.0);
            match waiting.pop() {
                None => now = next,
                Some((rest, cycles)) if now + cycles > next => {
                    waiting.push((rest, cycles - (next - now)));
                    now = next;
                }
                Some((rest, cycles)) => {
                    now += cycles;
                    least = least.max(now + rest);
                }
            }
        }
        let longest = ends.into_iter().max().unwrap_or(0);
        least.max(longest).max(self.computing().div_ceil(SLOTS as u64))
    }

    /// How many windows compute at a time at most, as what they compute and the cycles that it takes at least: the
    /// longest chain of words of which each needs the one before, those of memory taking no time.
    #[must_use]
    pub fn parallel(&self) -> (u64, u64) {
        (self.computing(), self.ends(|word| !word.memory).into_iter().max().unwrap_or(0))
    }

    /// What all words but those of memory take.
    fn computing(&self) -> u64 {
        self.words.iter().filter(|word| !word.memory).map(|word| word.cycles).sum()
    }

    /// The words that each one needs.
    fn needed(&self) -> impl Iterator<Item = Vec<usize>> {
        let leaves = |value: &usize| self.words.iter().position(|word| word.result == Some(*value));
        let values = move |word: &Work| word.sources.iter().chain(&word.address).filter_map(leaves).collect();
        self.words.iter().enumerate().map(move |(at, word)| {
            let all: Vec<usize> = [values(word), word.behind.clone()].concat();
            all.into_iter().filter(|before| *before < at).collect()
        })
    }

    /// Cycles from the piece's begin to the end of each word at least, of words that count.
    fn ends(&self, counts: impl Fn(&Work) -> bool) -> Vec<u64> {
        let mut ends: Vec<u64> = Vec::new();
        for (word, needed) in self.words.iter().zip(self.needed()) {
            let before = needed.into_iter().map(|before| ends[before]).max().unwrap_or(0);
            ends.push(before + if counts(word) { word.cycles } else { 0 });
        }
        ends
    }

    /// Cycles from the end of each word to that of the piece at least.
    fn rests(&self) -> Vec<u64> {
        let mut rests = vec![0; self.words.len()];
        let needed: Vec<Vec<usize>> = self.needed().collect();
        for (at, needed) in needed.into_iter().enumerate().rev() {
            for before in needed {
                rests[before] = rests[before].max(rests[at] + self.words[at].cycles);
            }
        }
        rests
    }
}

/// The pieces of a program, from the selection in the order of the text, the same with arrays and an order, and the
/// line of the selection that each word of the program is.
pub(super) fn of(text: &Select<'_>, spread: &Select<'_>, origins: &[Option<usize>], costs: &Costs) -> Vec<Piece> {
    let mut found = Vec::new();
    for range in pieces(&text.lines) {
        let (mut piece, before) = Build::new(text).words(&text.lines[range.clone()], costs);
        let lines = own(&spread.lines, &range);
        let windowed = |line: &&Line| !matches!(line.code, Code::Scalar { .. });
        let number = |origin: usize| text.lines[range.start..origin].iter().filter(windowed).count();
        (piece.schedule, piece.cycles) = schedule(&lines, (&piece, before), spread, number, costs);
        let first = |origin: &Option<usize>| origin.is_some_and(|origin| range.contains(&origin));
        piece.first = origins.iter().position(first).unwrap_or(0);
        found.push(piece);
    }
    found
}

/// The lines of a piece among those with arrays; moves stand before the word that wants them.
fn own<'l>(lines: &'l [Line], range: &Range<usize>) -> Vec<&'l Line> {
    let of = |at: &usize| lines[*at].origin.is_some_and(|origin| range.contains(&origin));
    let (Some(first), Some(last)) = ((0..lines.len()).find(of), (0..lines.len()).rfind(of)) else { return Vec::new() };
    let moves = lines[..first].iter().rev().take_while(|line| matches!(line.code, Code::Move { .. })).count();
    lines[first - moves..=last].iter().collect()
}

/// Values while words are read.
struct Build<'s, 'k> {
    select: &'s Select<'k>,
    piece: Piece,
    /// The value that each name has now, and that it has before the piece.
    now: HashMap<Name, usize>,
    before: HashMap<Name, usize>,
}

impl<'s, 'k> Build<'s, 'k> {
    fn new(select: &'s Select<'k>) -> Build<'s, 'k> {
        Build { select, piece: Piece::default(), now: HashMap::new(), before: HashMap::new() }
    }

    fn rows(&self, name: Name) -> Option<u64> {
        if let Class::Rows(rows) = self.select.classes[name] { Some(rows) } else { None }
    }

    fn value(&mut self, rows: u64, everywhere: bool, costs: &Costs) -> usize {
        // A move takes at most as many rows as its field says; what has more goes in several.
        let whole = rows / MOST_MOVED * costs.word(moved(MOST_MOVED));
        let rest = if rows.is_multiple_of(MOST_MOVED) { 0 } else { costs.word(moved(rows % MOST_MOVED)) };
        self.piece.values.push(Value { moving: whole + rest, everywhere });
        self.piece.values.len() - 1
    }

    /// The value that a name has now; without rows, none.
    fn read(&mut self, name: Name, costs: &Costs) -> Option<usize> {
        let rows = self.rows(name)?;
        if let Some(value) = self.now.get(&name) {
            return Some(*value);
        }
        let value = self.value(rows, self.select.specials.iter().any(|one| one.1 == name), costs);
        self.now.insert(name, value);
        self.before.insert(name, value);
        Some(value)
    }

    fn words(mut self, lines: &[Line], costs: &Costs) -> (Piece, HashMap<Name, usize>) {
        let classes = &self.select.classes;
        let mut accesses: Vec<(usize, &Code)> = Vec::new();
        for line in lines.iter().filter(|line| !matches!(line.code, Code::Scalar { .. })) {
            let written = line.code.writes(classes).map(|written| written.0);
            let old = written.filter(|name| line.reads(classes).contains(name));
            let wanted = line.code.sources().into_iter().chain(old);
            let mut sources: Vec<usize> = wanted.filter_map(|name| self.read(name, costs)).collect();
            sources.sort_unstable();
            sources.dedup();
            let address = match &line.code {
                Code::Memory { start: Start::Rows(part, ..), .. } => self.read(part.name, costs),
                _ => None,
            };
            let memory = matches!(line.code, Code::Memory { .. });
            let behind = accesses.iter().filter(|access| in_memory(access.1, &line.code)).map(|access| access.0);
            let behind = behind.collect();
            if memory {
                accesses.push((self.piece.words.len(), &line.code));
            }
            let result = written.and_then(|name| Some((name, self.rows(name)?)));
            let result = result.map(|(name, rows)| {
                let value = self.value(rows, false, costs);
                self.now.insert(name, value);
                value
            });
            let cycles = costs.word(encode(&line.code, &Anywhere(&[]), MASK_ROWS));
            self.piece.words.push(Work { cycles, memory, behind, sources, address, result });
        }
        (self.piece, self.before)
    }
}

/// A schedule as steps, and its cycles by the clock. At first each name holds what there is before the piece.
fn schedule(
    lines: &[&Line],
    (piece, mut now): (&Piece, HashMap<Name, usize>),
    spread: &Select<'_>,
    number: impl Fn(usize) -> usize,
    costs: &Costs,
) -> (Vec<Step>, u64) {
    let places = Anywhere(&spread.arrays);
    let (mut steps, mut clock) = (Vec::new(), Clock::default());
    for line in lines {
        clock.push(costs, encode(&line.code, &places, MASK_ROWS), SLOTS as u64);
        let (first, second) = windows(&line.code, &places);
        match (&line.code, line.origin) {
            (Code::Scalar { .. }, _) => {}
            (Code::Move { from, to }, _) => {
                let Some(&value) = now.get(&from.name) else { continue };
                now.insert(to.name, value);
                steps.push(Step::Move { value, from: first as usize, to: spread.arrays[to.name] });
            }
            (code, Some(origin)) => {
                let word = number(origin);
                steps.push(Step::Word { word, array: second as usize, address: first as usize });
                if let (Some((name, _)), Some(value)) = (code.writes(&spread.classes), piece.words[word].result) {
                    now.insert(name, value);
                }
            }
            _ => {}
        }
    }
    (steps, clock.end())
}
