//! Model of the compute cache: memory, instructions and the processor's words, in their order. Which block a bank works
//! on in a cycle is the hardware's choice; the model follows it, and holds it to what program order allows, by the
//! blocks that instructions have still to read and to write.
//!
//! Blocks are vectors of 64-bit words, results come from plain integer operations on them.

pub mod entry;
pub mod ports;

use std::collections::VecDeque;

use entry::{Entry, sources};
use ports::{BankSeen, PathsSeen};
pub use ports::{CacheInputs, CacheOutputs, CacheResult, WordAccess};

use crate::seen::{Rules, Source, Tap};
use crate::state::{Contents, Path, Touched, Words};
use bitline_units::compute_cache::{CacheGeometry, CacheOp, control};

/// Cycles in which something happens that nothing stands in the way of.
const SOON: u32 = 16;
/// Codes of what banks do besides operations: a block goes out, bytes are written, the key row is.
const READ: u8 = 10;
const MERGE: u8 = 11;
const KEY: u8 = 12;
/// What a block goes out for: codes of the first and the last source of a near-place operation, of a key, of a word.
const NEAR: [u8; 2] = [1, 2];
const FOR_KEY: u8 = 3;
const FOR_WORD: u8 = 4;

/// The rows of all sub-arrays, by block number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// 64-bit words of a block.
    pub words: usize,
    /// All words.
    pub bits: Vec<u64>,
    /// Blocks written since this was last cleared.
    pub written: Vec<u32>,
}

impl Rows {
    /// A block.
    pub fn block(&self, number: u32) -> &[u64] {
        &self.bits[number as usize * self.words..][..self.words]
    }

    /// Writes a block.
    pub fn write(&mut self, number: u32, block: &[u64]) {
        self.bits[number as usize * self.words..][..self.words].copy_from_slice(block);
        self.written.push(number);
    }
}

/// The compute cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputeCache {
    /// Its geometry.
    pub geometry: CacheGeometry,
    /// Instructions whose results were not taken, the oldest first.
    pub entries: VecDeque<Entry>,
    /// The place of the oldest in the table.
    head: usize,
    /// A word access that a bank executes in this cycle.
    word: Option<WordAccess>,
    /// A word was accessed in the cycle before.
    word_before: bool,
    /// Words that were read and not taken.
    reads: VecDeque<u64>,
    /// What the banks hold.
    pub rows: Rows,
    /// Searches whose key was in the key rows.
    pub kept: u64,
    /// What the banks do.
    banks: Vec<BankSeen>,
    /// What the paths and the ports do.
    pub seen: PathsSeen,
    /// What the hardware is held to.
    pub rules: Rules,
}

/// Where a block is: bank, sub-array, number in it.
pub fn place(geometry: &CacheGeometry, block: u32) -> (usize, usize, usize) {
    let (bank, own) = (block as usize % geometry.banks, block as usize / geometry.banks);
    (bank, own % geometry.sub_arrays, own / geometry.sub_arrays)
}

impl ComputeCache {
    /// A compute cache after reset, all rows 0.
    pub fn new(geometry: &CacheGeometry) -> ComputeCache {
        let words = geometry.words();
        ComputeCache {
            geometry: geometry.clone(),
            entries: VecDeque::new(),
            head: 0,
            word: None,
            word_before: false,
            reads: VecDeque::new(),
            rows: Rows { words, bits: vec![0; words * geometry.blocks()], written: vec![] },
            kept: 0,
            banks: vec![BankSeen::default(); geometry.banks],
            seen: PathsSeen::default(),
            rules: Rules::default(),
        }
    }

    /// Reset: rows keep what they hold.
    pub fn reset(&mut self) {
        let rows = std::mem::replace(&mut self.rows, Rows { words: 0, bits: vec![], written: vec![] });
        *self = ComputeCache { rows, ..ComputeCache::new(&self.geometry) };
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.seen.tap(&Path::TOP, from);
        for (number, bank) in self.banks.iter_mut().enumerate() {
            bank.tap(&Path::TOP.nth("banks", number), from);
        }
    }

    /// A block operation of the entry at `by` reads and writes these blocks: nothing older may have to do so still.
    fn ordered(&mut self, by: usize, reads: &[u32], write: Option<u32>) {
        let older = || self.entries.iter().take(by);
        let early = |&block: &u32| older().any(|entry| entry.touches(block)[1]);
        let clash = write.is_some_and(|block| older().any(|entry| entry.touches(block).contains(&true)));
        self.rules.holds("blocks keep the order of instructions", !reads.iter().any(early) && !clash);
    }

    /// A bank executes its part of a wave.
    fn in_place(&mut self, bank: usize, seen: &BankSeen) {
        let current = self.entries.iter().enumerate().find_map(|(by, entry)| Some(by).zip(entry.on(false)));
        self.rules.holds("a bank works for an instruction", current.is_some());
        let Some((by, plan)) = current else { return };
        let entry = &mut self.entries[by];
        if seen.op == KEY {
            let fresh = plan.op == CacheOp::Search && entry.todo.iter().all(|&todo| todo);
            entry.keyed = true;
            return self.rules.holds("a key is written before its search", fresh);
        }
        let block = (seen.a * self.geometry.sub_arrays as u32 + seen.sub) * self.geometry.banks as u32 + bank as u32;
        let at = block.wrapping_sub(plan.a) as usize;
        let first = entry.first().expect("it is not done");
        let fresh = entry.todo.iter().all(|&todo| todo) && !entry.keyed;
        let next = at < plan.blocks as usize && entry.todo[at] && at < first + self.geometry.issue;
        self.rules.holds("a wave has the next blocks", next);
        if !next {
            return;
        }
        let at_block = |first: u32| place(&self.geometry, first + at as u32).2 as u32;
        let (has, search) = (|bit| plan.op.has(bit), plan.op == CacheOp::Search);
        let b = if search { seen.b } else { at_block(plan.b) };
        let d = if has(control::D) { at_block(plan.d) } else { seen.d };
        let grain = if has(control::GRAIN) { entry.instruction.grain } else { seen.grain };
        let expected = (plan.op as u8, grain, b, d, has(control::D), has(control::MASK));
        self.rules.same(
            "the bank's operation",
            &expected,
            &(seen.op, seen.grain, seen.b, seen.d, seen.write, seen.gives),
        );
        self.kept += u64::from(search && fresh);
        let (a, b, d) = (block, if search { plan.b } else { plan.b + at as u32 }, plan.d + at as u32);
        self.ordered(by, &[a, b][..1 + usize::from(has(control::B) || search)], has(control::D).then_some(d));
        let [a, b] = [a, b].map(|block| self.rows.block(block).to_vec());
        let b = if search { self.entries[by].key.get_or_insert(b).clone() } else { b };
        let made = self.entries[by].done(&plan, at, [&a, &b]);
        if has(control::D) {
            self.rows.write(d, &made);
        }
    }

    /// A block goes over the interconnect: for a word, a key, or the near-place path.
    fn access(&mut self, bank: usize, seen: &BankSeen) {
        let merges = seen.op == MERGE;
        let block = (seen.a * self.geometry.sub_arrays as u32 + seen.sub) * self.geometry.banks as u32 + bank as u32;
        self.rules.holds("an access is of one block", !merges || seen.write && seen.d == seen.a);
        if let Some(word) = self.word.take() {
            let expected = (word.address / self.geometry.block_bytes as u32, word.write);
            self.rules.same("the word's access", &expected, &(block, merges));
            return self.access_word(&word);
        }
        if self.seen.purpose == FOR_KEY && !merges {
            let search = self.entries.iter().find_map(|entry| entry.on(false));
            let key = search.is_some_and(|plan| plan.op == CacheOp::Search && plan.b == block);
            return self.rules.holds("the key that is read is that of a search", key);
        }
        // The last block of an instruction is written while the next one reads.
        let mine = |entry: &Entry| entry.on(true).filter(|plan| merges || entry.reads(plan));
        let current = self.entries.iter().enumerate().find_map(|(by, entry)| Some(by).zip(mine(entry)));
        self.rules.holds("an access is for an instruction", current.is_some());
        let Some((by, plan)) = current else { return };
        let (both, writes) = (plan.op.has(control::B), plan.op.has(control::D));
        let entry = &self.entries[by];
        let sources = sources(&plan);
        let at = if merges { entry.first().expect("it is not done") } else { entry.read.0 / sources };
        let ready = if merges { writes && entry.read.1.len() >= sources } else { at < plan.blocks as usize };
        self.rules.holds("blocks are read, then written", ready);
        if !ready {
            return;
        }
        let second = both && entry.read.0 % 2 == 1;
        let first = if merges {
            plan.d
        } else if second {
            plan.b
        } else {
            plan.a
        };
        self.rules.same("the block of the near-place path", &(first + at as u32), &block);
        if merges {
            self.ordered(by, &[], Some(block));
        } else {
            self.rules.same("what it is read for", &NEAR[usize::from(second || !both)], &self.seen.purpose);
            self.ordered(by, &[block], None);
            let data = self.rows.block(block).to_vec();
            let read = &mut self.entries[by].read;
            (read.0, _) = (read.0 + 1, read.1.push_back(data));
        }
        // Without a block to write, an operation is done with its last source.
        if merges || !writes && self.entries[by].read.1.len() == sources {
            let used: Vec<_> = self.entries[by].read.1.drain(..sources).collect();
            let made = self.entries[by].done(&plan, at, [&used[0], &used[sources - 1]]);
            if merges {
                self.rows.write(block, &made);
            }
        }
    }

    fn access_word(&mut self, word: &WordAccess) {
        let (block, at) =
            (word.address / self.geometry.block_bytes as u32, word.address as usize / 8 % self.rows.words);
        let mut data = self.rows.block(block).to_vec();
        if word.write {
            let mut bytes = data[at].to_le_bytes();
            (0..8).filter(|i| word.strobes >> i & 1 == 1).for_each(|i| bytes[i] = word.data.to_le_bytes()[i]);
            data[at] = u64::from_le_bytes(bytes);
            self.rows.write(block, &data);
        } else {
            self.rules.same("what a word is read for", &FOR_WORD, &self.seen.purpose);
            self.reads.push_back(data[at]);
        }
    }

    /// A word is offered: it waits for instructions that touch its block.
    fn offered(&mut self, word: &WordAccess) -> bool {
        let inside = (word.address as usize) < self.geometry.bytes();
        let block = word.address / self.geometry.block_bytes as u32;
        let clash = |[reads, writes]: [bool; 2]| inside && (writes || word.write && reads);
        let waits = self.entries.iter().any(|entry| clash(entry.touches(block)));
        let room = word.write || self.reads.is_empty();
        let taken = self.seen.word_ready;
        self.rules.holds("a word keeps the order of instructions", !taken || !waits);
        self.rules.holds("a word is read when the one before is gone", !taken || room);
        let reads = |entry: &Entry| entry.on(true).is_some_and(|plan| entry.reads(&plan));
        let others = self.seen.missed != 0 || self.seen.near && self.entries.iter().any(reads);
        self.rules.holds("words take turns with waves and blocks", !(taken && inside && self.word_before && others));
        let idle = self.entries.iter().all(|entry| entry.first().is_none());
        self.rules.moves("a word is taken", room && idle, room && idle && taken, SOON);
        if taken && !inside && !word.write {
            self.reads.push_back(0);
        }
        taken && inside
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &CacheInputs) -> CacheOutputs {
        let room = self.entries.len() < self.geometry.instructions;
        let before = self.entries.front().map(|entry| (entry.first(), entry.read.0, entry.keyed));
        let banks = std::mem::take(&mut self.banks);
        for (number, seen) in banks.iter().enumerate().filter(|(_, seen)| seen.active) {
            if [READ, MERGE].contains(&seen.op) { self.access(number, seen) } else { self.in_place(number, seen) }
        }
        self.banks = banks;
        let after = self.entries.front().map(|entry| (entry.first(), entry.read.0, entry.keyed));
        let works = before.is_some_and(|before| before.0.is_some());
        self.rules.moves("the oldest instruction goes on", works, works && before != after, SOON);
        self.rules.holds("a word goes to its bank", self.word.is_none());
        // What is executed in this cycle is before a word that is taken in it.
        let next = inputs.word.filter(|word| self.offered(word));
        let front = self.entries.front().filter(|entry| entry.first().is_none());
        let result = front.map(|Entry { instruction, plan, mask, .. }| CacheResult {
            tag: instruction.tag,
            mask: *mask,
            fault: plan.err(),
        });
        let PathsSeen { word_ready, result: shown, read, .. } = self.seen;
        self.rules.moves("the oldest instruction has its result", result.is_some(), shown, SOON);
        self.rules.moves("a word that was read is there", !self.reads.is_empty(), read, SOON);
        let outputs = CacheOutputs {
            instruction_ready: room,
            result: result.filter(|_| shown),
            word_ready,
            read: self.reads.front().copied().filter(|_| read),
            busy: !self.entries.is_empty(),
        };
        (self.word, self.word_before) = (next, next.is_some());
        if outputs.read.is_some() && inputs.take_read {
            self.reads.pop_front();
        }
        if outputs.result.is_some() && inputs.take_result {
            self.entries.pop_front();
            self.head = (self.head + 1) % self.geometry.instructions;
        }
        if let Some(instruction) = inputs.instruction.filter(|_| room) {
            self.entries.push_back(Entry::new(instruction, &self.geometry));
        }
        outputs
    }
}

/// A place of the table, with its instruction.
struct Slot<'a>(Option<&'a Entry>);

/// The rows of a bank.
struct BankRows<'a>(&'a CacheGeometry, &'a Rows, usize);

/// The rows of a sub-array.
struct SubArray<'a> {
    bank: &'a BankRows<'a>,
    sub: usize,
}

state! {
    ComputeCache(self) {
        let places = self.geometry.instructions;
        in instructions {
            self => head;
            tail = (self.head + self.entries.len()) % places;
            in entries[] = (0..places).map(|slot| Slot(self.entries.get((slot + places - self.head) % places)));
        }
        in banks[] = (0..self.geometry.banks).map(|bank| BankRows(&self.geometry, &self.rows, bank));
    }

    BankRows<'_>(self) {
        in sub_arrays[] = (0..self.0.sub_arrays).map(|sub| SubArray { bank: self, sub });
    }

    SubArray<'_>(self) {
        let &SubArray { bank: &BankRows(geometry, rows, bank), sub } = self;
        let block = |local: usize| ((local * geometry.sub_arrays + sub) * geometry.banks + bank) as u32;
        let word = |local: usize, to: &mut dyn FnMut(&[u64])| to(rows.block(block(local)));
        let touched = |to: &mut dyn FnMut(usize)| {
            let places = rows.written.iter().map(|&block| place(geometry, block));
            places.filter(|place| (place.0, place.1) == (bank, sub)).for_each(|place| to(place.2));
        };
        memory (rows, mirror) = Contents {
            depth: geometry.rows * geometry.partitions,
            words: Words::Wide(&word),
            touched: Touched::Seldom(&touched),
        };
    }

    Slot<'_>(self) {
        valid = self.0.is_some();
        when (let Some(entry) = self.0) {
            entry.instruction => op, grain, a, b, d, size, tag;
        }
    }
}
