//! When the memory unit has done a word of memory, or has filled the rows of a wave: states of its sequence, as long
//! as its contract has them, and the cache ways that its threads ask.

use bitline_units::duality::cache_params::LINE_WORDS;
use bitline_units::duality::isa::codes::{MemoryOp, Predicate, Space};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{DualityParams, SLOTS};

use super::trace::Touch;
use super::ways::{ANSWER, Slices};

/// Cycles until the row that chooses threads has come.
const CHOSEN: u64 = 4;
/// Cycles beside one a row until rows of addresses are elements, those of data are, and a result is in its rows: one of
/// reads, which is asked for before it is there, one of other operations, and one of spill rows.
const ADDRESSES: u64 = 4;
const DATA: u64 = 2;
const RESULT: u64 = 0;
const OLD: u64 = 2;
const SPILLED: u64 = 3;
/// Cycles until the last address is translated, and until the last access is done.
const LOOKED: u64 = 3;
const DONE: u64 = 5;
/// Cycles of an atomic operation besides those of its two accesses, and of a sum of floating-point numbers.
const ATOMIC: u64 = 2;
const SUM: u64 = 8;
/// Cycles of a row group of a wave's filling, beside its threads and rows.
const FILLS: u64 = 5;
/// Cycles of the crossbar from a step that is asked for to its first row, and from the result to its own.
const ASKED: u64 = 3;
const TAKEN: u64 = 2;
/// Threads of a piece of a spill row.
const PIECE: u32 = 64;
/// How far apart windows and spill rows of two control blocks are, in words of 64 bits: 16 MiB, and a line, so that
/// they do not meet in the same sets.
const APART: u32 = (1 << 21) + 8;

/// Requests of a word of memory, one after the other: threads that need none have their turns while one waits.
struct Asks<'a> {
    ways: &'a mut Slices,
    block: usize,
    /// From when on the ways take the next one.
    free: u64,
}

impl Asks<'_> {
    /// A turn with a request: when the next thread has its own.
    fn ask(&mut self, at: u64, word: u32, writes: bool, hint: bool) -> u64 {
        let reply = self.ways.request(self.block, at.max(self.free), word, writes, hint);
        self.free = reply.next;
        reply.taken + 1
    }

    /// A turn that reads a line, or gives a hint of it: none is asked for twice in a row.
    fn line(&mut self, last: &mut Option<u32>, at: u64, word: u32, hint: bool) -> u64 {
        let line = word / LINE_WORDS as u32;
        match last.replace(line) == Some(line) {
            true => at + 1,
            false => self.ask(at, word, false, hint),
        }
    }
}

/// The memory unit of a control block.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUnit {
    /// Groups of threads, and threads of each.
    groups: u64,
    columns: u64,
    /// The number of its control block.
    number: usize,
    /// Turns that the crossbar takes for a row.
    turns: u64,
}

impl MemoryUnit {
    /// That of a control block of this number, when threads have so many arrays.
    pub fn new(params: &DualityParams, arrays: usize, number: usize) -> MemoryUnit {
        let groups = (params.banks * SLOTS / arrays) as u64;
        let turns = (params.columns / params.crossbar.max(1)) as u64;
        MemoryUnit { groups, columns: params.columns as u64, number, turns }
    }

    /// Cycles in which the rows of a wave are filled, for special registers of so many rows.
    pub fn filling(&self, specials: impl Iterator<Item = u64>) -> u64 {
        let entry = |rows: u64| 1 + self.groups * (self.columns + rows + FILLS);
        1 + entry(2) + specials.map(entry).sum::<u64>()
    }

    /// A word that waits from `at` on: when it has ended.
    pub fn word(&self, ways: &mut Slices, word: Word, touches: &[Touch], at: u64) -> u64 {
        let op = MemoryOp::from_code(word.get(MEMORY_OP)).unwrap_or(MemoryOp::Load);
        if word.get(SPACE) == Space::Spill.code() {
            return self.spill(ways, word, op, touches, at);
        }
        if word.crosses() {
            return at + 1 + self.groups * self.crossing(word, op) + 1;
        }
        let (data, addresses) = (word.get(WIDTH) + 1, word.get(WIDTH_A) + 1);
        let chooser = if word.get(PREDICATE) == Predicate::All.code() { 0 } else { CHOSEN };
        let by_row = word.address_in_rows();
        let group = |group: u64| {
            let of = |end: u64| touches.partition_point(|touch| u64::from(touch.thread) < end * self.columns);
            &touches[of(group)..of(group + 1)]
        };
        let loads = op == MemoryOp::Load;
        // Every group is looked at; a load reads those of the last one at once.
        let mut now = at;
        let mut asks = Asks { ways, block: self.number, free: 0 };
        let mut hinted = None;
        for number in 0..self.groups {
            // The first group has a cycle in which the word comes, and asks for addresses in rows of all threads in it.
            let comes = u64::from(number == 0 && (chooser > 0 || !by_row));
            now += comes + chooser + if by_row { addresses + ADDRESSES } else { 1 };
            let direct = loads && number + 1 == self.groups;
            let mut read = None;
            let last = if direct { &mut read } else { &mut hinted };
            now = self.turns(group(number), now + u64::from(direct && !by_row), |at, word| {
                asks.line(last, at, word, !direct)
            });
        }
        if loads {
            now = now.max(asks.free);
            now += DONE + 2 + data + RESULT;
        } else {
            now += LOOKED;
        }
        for number in 0..self.groups - u64::from(loads) {
            now += 2;
            if !loads {
                now += data + DATA;
            }
            if op == MemoryOp::Compare {
                now += self.columns + data + DATA + 2;
            }
            let (mut read, mut held) = (None, None);
            now = self.turns(group(number), now, |at, word| match op {
                MemoryOp::Load => asks.line(&mut read, at, word, false),
                // A word is written when a thread comes that writes another one.
                MemoryOp::Store => match held.replace(word).filter(|&held| held != word) {
                    Some(held) => asks.ask(at, held, true, false),
                    None => at + 1,
                },
                _ => {
                    let first = asks.ways.request(self.number, at.max(asks.free), word, false, false);
                    let read = first.taken.max(first.whole) + ANSWER + ATOMIC;
                    let read = read + if op == MemoryOp::FAdd { SUM } else { 0 };
                    asks.ways.request(self.number, read, word, true, false).taken + ANSWER + ATOMIC
                }
            });
            if let Some(held) = held {
                now = asks.ask(now, held, true, false);
            }
            now = now.max(asks.free) + DONE;
            if op != MemoryOp::Store {
                now += data + if loads { RESULT } else { OLD };
            }
        }
        now
    }

    /// A word of the crossbar in a group of threads: rows that are asked for, and what is done between them.
    fn crossing(&self, word: Word, op: MemoryOp) -> u64 {
        let (rows, segment) = (word.get(WIDTH) + 1, word.get(S));
        let turns = if self.turns > 1 { self.turns } else { 0 };
        let chooser = if word.get(PREDICATE) == Predicate::All.code() { 0 } else { ASKED + 1 };
        let asked = ASKED + 1 + chooser + ASKED + rows + TAKEN + rows;
        asked
            + match op {
                MemoryOp::Load => {
                    let addresses = if word.address_in_rows() { word.get(WIDTH_A) + 1 } else { 0 };
                    let come = if addresses > 0 { ASKED + addresses } else { 1 };
                    let named = segment.saturating_sub(addresses) + 3 + turns;
                    come + named + if turns > 0 { 3 + turns * rows } else { 2 }
                }
                MemoryOp::MinU | MemoryOp::MinS | MemoryOp::MaxU | MemoryOp::MaxS => 2 + 2 * rows,
                _ => 3,
            }
    }

    /// The turns of a group's threads.
    fn turns(&self, touches: &[Touch], from: u64, mut access: impl FnMut(u64, u32) -> u64) -> u64 {
        let now = touches.iter().fold(from, |now, touch| access(now, self.place(touch)));
        now + self.columns - touches.len() as u64
    }

    /// Pieces of spill rows are looked at, all of them; then those of each group are moved.
    fn spill(&self, ways: &mut Slices, word: Word, op: MemoryOp, touches: &[Touch], at: u64) -> u64 {
        let rows = word.get(WIDTH) + 1;
        let mut now = at + 2;
        let mut asks = Asks { ways, block: self.number, free: 0 };
        let mut hinted = None;
        for touch in touches {
            now = asks.line(&mut hinted, now, self.place(touch), true);
        }
        now += LOOKED;
        let piece = PIECE.min(self.columns as u32);
        for number in 0..self.groups {
            let first = (number * self.columns) as u32;
            let own = |touch: &&Touch| {
                touch.thread / piece * piece >= first / piece * piece
                    && u64::from(touch.thread / piece * piece) < u64::from(first) + self.columns
            };
            let loads = op == MemoryOp::Load;
            let pieces: Vec<u32> = touches.iter().filter(own).map(|touch| self.place(touch)).collect();
            now += 1 + pieces.len() as u64 + LOOKED + if loads { 1 } else { rows + SPILLED };
            let mut read = None;
            for place in pieces {
                now = match loads {
                    true => asks.line(&mut read, now, place, false),
                    false => asks.ask(now, place, true, false),
                };
            }
            now = now.max(asks.free);
            now += DONE + if loads { 0 } else { 1 };
            now += if loads { rows + SPILLED } else { 0 };
        }
        now
    }

    /// Where an access goes: windows and spill rows are apart.
    pub fn place(&self, touch: &Touch) -> u32 {
        touch.at + if touch.private { APART * self.number as u32 } else { 0 }
    }
}
