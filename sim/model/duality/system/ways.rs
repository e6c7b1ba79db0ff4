//! The cache ways of slices and memory behind them: which lines are there, exactly; when requests are answered, nearly.
//!
//! Lines are dealt to the slices in turn. A slice takes a request a cycle, and decides in the order in which they come.
//! Lines are fetched side by side, and share the bus of all slices.

use std::ops::Range;

use bitline_units::duality::cache_params::{CacheParams, LINE_BYTES, LINE_WORDS};

/// Words of 64 bits of a line.
const WORDS: u32 = LINE_WORDS as u32;
/// Cycles from a request for a line that is not there until it is asked for, and the next request is taken.
const PLACE: u64 = 7;
/// More, if the line that was there is written back.
const EVICT: u64 = 10;
/// Cycles from a line's last beat until a request that has waited for it lets the next one in.
const WOKEN: u64 = 3;
/// Cycles from a request to its answer, if its line is there.
pub const ANSWER: u64 = 3;

/// Memory behind the cache ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Cycles from a line's address to its first beat.
    pub latency: u64,
    /// Bytes a cycle: 8 at most through one bus of 64 bits.
    pub bytes: f64,
}

/// A way's line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    number: u32,
    there: bool,
    dirty: bool,
    /// When its last beat is there.
    whole: u64,
}

/// How many requests found what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Their line.
    pub hits: u64,
    /// Nothing: memory was asked.
    pub misses: u64,
    /// Their line on its way.
    pub merges: u64,
    /// Lines that were written back.
    pub written_back: u64,
}

/// The cache ways of all slices.
#[derive(Clone, Debug)]
pub struct Slices {
    memory: Memory,
    /// When the bus has nothing to do, in cycles.
    bus: f64,
    all: Vec<Ways>,
}

impl Slices {
    /// Empty ones, each with the ways of these parameters, of which these serve.
    pub fn new(params: &CacheParams, serving: Range<usize>, slices: usize, memory: Memory) -> Slices {
        Slices { memory, bus: 0.0, all: vec![Ways::new(params, serving); slices] }
    }

    /// A request for a word, offered from `at` on. Returns when it is taken, and when its line is there.
    pub fn request(&mut self, at: u64, word: u32, writes: bool, hint: bool) -> (u64, u64) {
        let slices = self.all.len() as u32;
        let line = word / WORDS;
        let way = &mut self.all[(line % slices) as usize];
        way.request((&self.memory, &mut self.bus), at, line / slices, writes, hint)
    }

    /// A request beside the others, which does not hold them up: when its line is there.
    pub fn aside(&mut self, at: u64, word: u32) -> u64 {
        let home = (word / WORDS) as usize % self.all.len();
        let takes = std::mem::replace(&mut self.all[home].takes, at);
        let (taken, whole) = self.request(at, word, false, false);
        self.all[home].takes = takes;
        taken.max(whole)
    }

    /// All lines that were written go to memory.
    pub fn flush(&mut self) {
        self.all.iter_mut().for_each(Ways::flush);
    }

    /// What happened.
    pub fn counts(&self) -> Counts {
        self.all.iter().fold(Counts::default(), |sum, ways| Counts {
            hits: sum.hits + ways.counts.hits,
            misses: sum.misses + ways.counts.misses,
            merges: sum.merges + ways.counts.merges,
            written_back: sum.written_back + ways.counts.written_back,
        })
    }
}

/// The cache ways of a slice.
#[derive(Clone, Debug)]
struct Ways {
    params: CacheParams,
    /// Ways that serve.
    serving: Range<usize>,
    lines: Vec<Line>,
    /// A tree for each set: of every node, whether its right half was used less recently.
    trees: Vec<u32>,
    /// From when on the next request is taken.
    takes: u64,
    /// When lines that were asked for are there, the latest last.
    flights: std::collections::VecDeque<u64>,
    /// What happened.
    counts: Counts,
}

impl Ways {
    fn new(params: &CacheParams, serving: Range<usize>) -> Ways {
        Ways {
            params: *params,
            serving,
            lines: vec![Line::default(); params.ways * params.sets],
            trees: vec![0; params.sets],
            takes: 0,
            flights: Default::default(),
            counts: Counts::default(),
        }
    }

    /// A request for a line of this number.
    fn request(&mut self, bus: (&Memory, &mut f64), at: u64, number: u32, writes: bool, hint: bool) -> (u64, u64) {
        let set = number as usize % self.params.sets;
        let taken = at.max(self.takes);
        let ways = self.params.ways;
        let found = self.serving.clone().find(|way| {
            let line = &self.lines[set * ways + way];
            line.there && line.number == number
        });
        let way = match found {
            Some(way) => {
                let whole = self.lines[set * ways + way].whole;
                if whole > taken {
                    self.counts.merges += 1;
                    // Whoever needs the line waits for it, and all behind.
                    self.takes = if hint { taken + 1 } else { whole + WOKEN };
                } else {
                    self.counts.hits += 1;
                    self.takes = taken + 1;
                }
                way
            }
            None => {
                self.counts.misses += 1;
                let way = self.victim(set);
                let old = self.lines[set * ways + way];
                let mut ready = taken.max(if old.there { old.whole } else { 0 }) + PLACE;
                if old.there && old.dirty {
                    self.counts.written_back += 1;
                    ready += EVICT;
                }
                let whole = self.fetch(bus, ready);
                self.lines[set * ways + way] = Line { number, there: true, dirty: false, whole };
                self.takes = if hint { ready } else { whole + WOKEN };
                way
            }
        };
        self.touch(set, way);
        let line = &mut self.lines[set * ways + way];
        line.dirty |= writes && !hint;
        (taken, line.whole)
    }

    /// A line is asked for: it waits for an entry of the MSHR, and for the bus.
    fn fetch(&mut self, (memory, bus): (&Memory, &mut f64), at: u64) -> u64 {
        let mut from = at;
        while self.flights.len() >= self.params.mshr {
            from = from.max(self.flights.pop_front().unwrap_or(0));
        }
        *bus = bus.max((from + memory.latency) as f64) + LINE_BYTES as f64 / memory.bytes;
        let whole = bus.ceil() as u64;
        self.flights.push_back(whole);
        whole
    }

    /// The first empty way, or the one that the tree points to.
    fn victim(&self, set: usize) -> usize {
        let ways = self.params.ways;
        if let Some(empty) = self.serving.clone().find(|way| !self.lines[set * ways + way].there) {
            return empty;
        }
        let leaves = self.params.leaves();
        let (mut node, mut first, mut size) = (0, 0, leaves);
        while size > 1 {
            size /= 2;
            // A half without a way that serves is never taken.
            let halves = [self.serving.start < first + size, self.serving.end > first + size];
            let right = self.trees[set] >> node & 1 == 1 && halves[1] || !halves[0];
            node = 2 * node + 1 + usize::from(right);
            first += if right { size } else { 0 };
        }
        first
    }

    fn touch(&mut self, set: usize, way: usize) {
        let (mut node, mut first, mut size) = (0, 0, self.params.leaves());
        while size > 1 {
            size /= 2;
            let right = way >= first + size;
            let bit = 1 << node;
            self.trees[set] = if right { self.trees[set] & !bit } else { self.trees[set] | bit };
            node = 2 * node + 1 + usize::from(right);
            first += if right { size } else { 0 };
        }
    }

    fn flush(&mut self) {
        let dirty = self.lines.iter_mut().filter(|line| line.there && line.dirty);
        self.counts.written_back += dirty.count() as u64;
        self.lines.fill(Line::default());
    }
}
