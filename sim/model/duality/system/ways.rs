//! The cache ways of slices and memory behind them: which lines are there, and when requests are answered.
//!
//! Lines are dealt to the slices in turn. A slice takes a request a cycle, or none while one waits; lines are fetched
//! side by side, and share the bus of all slices. Words of memory are dealt with one by one, each as a whole, while
//! those of other control blocks run at the same time: so ports and bus count what is taken of stretches of time, and
//! whoever comes later gets what is left of an earlier one. Each control block has an MSHR for itself.

use std::collections::VecDeque;
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

/// Bits of a line's tag: it is there, and it was written. Its number is above them.
const THERE: u32 = 1;
const DIRTY: u32 = 2;
const NUMBER: u32 = 2;

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

/// Cycles of a stretch of time in which only the sum of what is done counts, and not the order.
pub(super) const STRETCH: u64 = 64;

/// Something that does one thing at a time, for whoever comes: those who come later may be first in time.
#[derive(Clone, Debug, Default)]
pub(super) struct Server {
    /// Cycles that are taken of each stretch of time.
    taken: Vec<f32>,
    /// Stretches before this one have nothing left.
    full: usize,
}

impl Server {
    /// Takes so many cycles, from `at` on; returns from when on it has them.
    pub(super) fn take(&mut self, at: u64, cycles: f32) -> u64 {
        let mut stretch = self.full.max((at / STRETCH) as usize);
        let (mut begin, mut left) = (None, cycles);
        loop {
            if self.taken.len() <= stretch {
                self.taken.resize(stretch + 1, 0.0);
            }
            let taken = &mut self.taken[stretch];
            let free = STRETCH as f32 - *taken;
            if free > 0.0 {
                begin = begin.or(Some(at.max(stretch as u64 * STRETCH)));
                *taken += free.min(left);
                left -= free;
            }
            if left <= 0.0 {
                break;
            }
            if self.full == stretch {
                self.full += 1;
            }
            stretch += 1;
        }
        begin.unwrap_or(at)
    }
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// When it is taken.
    pub taken: u64,
    /// From when on the next one of the same control block is.
    pub next: u64,
    /// When its line is there.
    pub whole: u64,
}

/// The cache ways of all slices.
#[derive(Clone, Debug)]
pub struct Slices {
    memory: Memory,
    bus: Server,
    all: Vec<Ways>,
    /// Of each control block, when lines that it asked for are there, the latest last.
    flights: Vec<VecDeque<u64>>,
}

impl Slices {
    /// Empty ones, each with the ways of these parameters, of which these serve, for so many control blocks.
    pub fn new(params: &CacheParams, serving: Range<usize>, [blocks, slices]: [usize; 2], memory: Memory) -> Slices {
        let all = vec![Ways::new(params, serving); slices];
        Slices { memory, bus: Server::default(), all, flights: vec![VecDeque::new(); blocks] }
    }

    /// A request of a control block for a word, offered from `at` on.
    pub fn request(&mut self, block: usize, at: u64, word: u32, writes: bool, hint: bool) -> Reply {
        self.any(block, at, word, [writes, hint], false)
    }

    fn any(&mut self, block: usize, at: u64, word: u32, how: [bool; 2], aside: bool) -> Reply {
        let slices = self.all.len() as u32;
        let line = word / WORDS;
        let ways = &mut self.all[(line % slices) as usize];
        let mut fetch = Fetch { memory: &self.memory, bus: &mut self.bus, flights: &mut self.flights[block] };
        ways.request(&mut fetch, at, line / slices, how, aside)
    }

    /// A request beside the others, which holds nobody up: when its line is there.
    pub fn aside(&mut self, block: usize, at: u64, word: u32) -> u64 {
        let reply = self.any(block, at, word, [false; 2], true);
        reply.taken.max(reply.whole)
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

/// The way to memory.
struct Fetch<'a> {
    memory: &'a Memory,
    bus: &'a mut Server,
    flights: &'a mut VecDeque<u64>,
}

impl Fetch<'_> {
    /// A line is asked for: it waits for an entry of the MSHR, of which so many are there, and for the bus.
    fn line(&mut self, entries: usize, at: u64) -> u64 {
        let mut from = at;
        while self.flights.len() >= entries {
            from = from.max(self.flights.pop_front().unwrap_or(0));
        }
        let beats = LINE_BYTES as f64 / self.memory.bytes;
        let begin = self.bus.take(from + self.memory.latency, beats as f32);
        let whole = begin + beats.ceil() as u64;
        self.flights.push_back(whole);
        whole
    }
}

/// The cache ways of a slice.
#[derive(Clone, Debug)]
struct Ways {
    params: CacheParams,
    /// Ways that serve.
    serving: Range<usize>,
    /// Of each line, zero if there is none: memory that nobody touches costs nothing.
    tags: Vec<u32>,
    /// When it was asked for, and when its last beat is there.
    asked: Vec<u64>,
    whole: Vec<u64>,
    /// Lines that were written.
    dirty: u64,
    /// A tree for each set: of every node, whether its right half was used less recently.
    trees: Vec<u32>,
    port: Server,
    /// What happened.
    counts: Counts,
}

impl Ways {
    fn new(params: &CacheParams, serving: Range<usize>) -> Ways {
        Ways {
            params: *params,
            serving,
            tags: vec![0; params.ways * params.sets],
            asked: vec![0; params.ways * params.sets],
            whole: vec![0; params.ways * params.sets],
            dirty: 0,
            trees: vec![0; params.sets],
            port: Server::default(),
            counts: Counts::default(),
        }
    }

    /// A request for a line of this number, which writes or is a hint; with `aside` it takes no turn.
    fn request(
        &mut self,
        fetch: &mut Fetch<'_>,
        at: u64,
        number: u32,
        [writes, hint]: [bool; 2],
        aside: bool,
    ) -> Reply {
        let set = number as usize % self.params.sets;
        let ways = self.params.ways;
        let tag = number << NUMBER | THERE;
        let found = self.serving.clone().find(|way| self.tags[set * ways + way] & !DIRTY == tag);
        let taken = if aside { at } else { self.port.take(at, 1.0) };
        let mut next = taken + 1;
        let way = match found {
            Some(way) => {
                let line = set * ways + way;
                // A control block that was dealt with before asks for it later than this one does now: then this one
                // is the first, and the line takes as long from here.
                let early = self.asked[line].saturating_sub(taken + PLACE);
                self.asked[line] -= early;
                self.whole[line] -= early;
                let whole = self.whole[line];
                if whole > taken {
                    self.counts.merges += 1;
                    // Whoever needs the line waits for it, and all behind.
                    if !hint {
                        next = whole + WOKEN;
                    }
                } else {
                    self.counts.hits += 1;
                }
                way
            }
            None => {
                self.counts.misses += 1;
                let way = self.victim(set);
                let line = set * ways + way;
                // The way waits for a line that is on its way to it, unless that is asked for at a later time only. A
                // line that is not there was never fetched.
                let busy = if self.asked[line] > taken { 0 } else { self.whole[line] };
                next = taken.max(busy) + PLACE;
                if self.tags[line] & DIRTY != 0 {
                    self.dirty -= 1;
                    self.counts.written_back += 1;
                    next += EVICT;
                }
                let whole = fetch.line(self.params.mshr, next);
                (self.tags[line], self.asked[line], self.whole[line]) = (tag, next, whole);
                if !hint {
                    next = whole + WOKEN;
                }
                way
            }
        };
        if next > taken + 1 && !aside {
            self.port.take(taken + 1, (next - taken - 1) as f32);
        }
        self.touch(set, way);
        let line = set * ways + way;
        if writes && !hint && self.tags[line] & DIRTY == 0 {
            self.tags[line] |= DIRTY;
            self.dirty += 1;
        }
        Reply { taken, next, whole: self.whole[line] }
    }

    /// The first empty way, or the one that the tree points to.
    fn victim(&self, set: usize) -> usize {
        let ways = self.params.ways;
        if let Some(empty) = self.serving.clone().find(|way| self.tags[set * ways + way] == 0) {
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
        self.counts.written_back += std::mem::take(&mut self.dirty);
        let lines = self.tags.len();
        (self.tags, self.asked, self.whole) = (vec![0; lines], vec![0; lines], vec![0; lines]);
    }
}
