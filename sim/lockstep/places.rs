//! Places of a design that a model's table passes: found once by their names, then compared, copied or driven by
//! their order.

use std::collections::HashMap;
use std::ops::Range;

use super::Divergence;
use super::quick::{Memo, Memories};
use crate::engine::{self, Engine};
use crate::kernel::flat::Flat;
use crate::model::sram_array::each_one;
use crate::model::state::{Bank, Contents, Path, Touched, Visit, Walk, Words};

/// A register, port or memory word that is not what the model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Instance path and signal.
    pub path: String,
    /// What the model says, lowest word first.
    pub expected: Vec<u64>,
    /// What the hardware holds.
    pub actual: Vec<u64>,
}

impl Difference {
    /// A difference.
    pub fn new(path: impl Into<String>, expected: &[u64], actual: impl AsRef<[u64]>) -> Difference {
        Difference { path: path.into(), expected: expected.to_vec(), actual: actual.as_ref().to_vec() }
    }

    /// The same with where it was found.
    pub fn at(self, seed: u64, cycle: u64) -> Box<Divergence> {
        let Difference { path, expected, actual } = self;
        Box::new(Divergence { seed, cycle, path, expected, actual })
    }
}

/// Whether two numbers are the same; limbs that one of them lacks are 0.
pub(super) fn same(expected: &[u64], actual: &[u64]) -> bool {
    if let ([expected], [actual]) = (expected, actual) {
        return expected == actual;
    }
    let limb = |number: &[u64], at: usize| number.get(at).copied().unwrap_or(0);
    (0..expected.len().max(actual.len())).all(|at| limb(expected, at) == limb(actual, at))
}

/// A model's table, with what it depends on.
pub trait Table {
    /// Passes all places with their values.
    fn pass<W: Walk>(&self, to: W) -> W;
}

/// Registers and memories in the order in which a table passes them.
#[derive(Debug, Default)]
pub struct Places {
    registers: Vec<usize>,
    /// Registers that are left out of comparisons.
    ignored: Vec<usize>,
    memories: Vec<usize>,
    /// What the cycles before have shown.
    memo: Memo,
}

impl Places {
    /// Finds what a walk passes.
    ///
    /// # Panics
    /// If the design lacks something.
    pub fn find(design: &Flat, walk: impl FnOnce(&mut dyn Visit) -> &mut dyn Visit) -> Places {
        let registers =
            design.registers.iter().enumerate().map(|(i, r)| (design.net(r.net).path.as_str(), i)).collect();
        let memories = design.memories.iter().enumerate().map(|(i, memory)| (memory.path.as_str(), i)).collect();
        let mut find = Find { registers, memories, places: Places::default(), missing: vec![] };
        walk(&mut find);
        assert!(find.missing.is_empty(), "the design does not have {:?}", find.missing);
        find.places
    }

    /// How many registers and memories are compared.
    pub fn counts(&self) -> [usize; 2] {
        [self.registers.len(), self.memories.len()]
    }

    /// Leaves a register out of comparisons.
    pub fn ignore(&mut self, register: usize) {
        self.ignored.push(register);
    }

    /// Registers and memories of a design that are not among these, besides those that are `judged` by what leaves
    /// their block. Contents of ROMs cannot change.
    pub fn unseen<'a>(&self, design: &'a Flat, judged: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let (mut registers, mut memories) = (vec![false; design.registers.len()], vec![false; design.memories.len()]);
        self.registers.iter().for_each(|&register| registers[register] = true);
        self.memories.iter().for_each(|&memory| memories[memory] = true);
        let registers = design.registers.iter().zip(registers).filter(|(_, seen)| !seen);
        let memories = design.memories.iter().zip(memories);
        let memories = memories.filter(|(memory, seen)| memory.contents.is_none() && !seen);
        let registers = registers.map(|(register, _)| design.net(register.net).path.as_str());
        registers.chain(memories.map(|(memory, _)| memory.path.as_str())).filter(|path| !judged(path)).collect()
    }

    /// Compares them with the values of a walk: all words of memories if `whole`, else those that either side may
    /// have written.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(
        &mut self,
        engine: &mut E,
        whole: bool,
        table: &impl Table,
    ) -> Result<(), Box<Difference>> {
        let wrong = self.first_difference(engine, whole, table);
        engine.forget_written();
        wrong.map_or(Ok(()), Err)
    }

    fn first_difference<E: Engine>(&mut self, engine: &E, whole: bool, table: &impl Table) -> Option<Box<Difference>> {
        let Places { registers, ignored, memories, memo } = self;
        let compare = || Compare { engine, registers, ignored, memories, whole, register: 0, memory: 0, wrong: None };
        if let Some(kept) = engine.kept() {
            memo.fit(&kept, registers);
            let mut words = compare();
            memo.walk(table, &mut words, whole);
            if words.wrong.is_none() && memo.same(&kept) {
                return None;
            }
        }
        // Which place it is, this walk tells.
        let mut compare = compare();
        table.pass(&mut compare as &mut dyn Visit);
        compare.wrong
    }

    /// Gives the hardware the values of a walk: its memories', and its registers' too if `registers`.
    pub fn settle<E: Engine>(
        &self,
        engine: &mut E,
        registers: bool,
        walk: impl FnOnce(&mut dyn Visit) -> &mut dyn Visit,
    ) {
        let numbers = (self.registers.iter(), self.memories.iter());
        walk(&mut Settle { engine, registers, numbers });
    }
}

/// Looks for the places of a walk.
struct Find<'a> {
    registers: HashMap<&'a str, usize>,
    memories: HashMap<&'a str, usize>,
    places: Places,
    missing: Vec<String>,
}

impl Visit for Find<'_> {
    fn register(&mut self, at: &Path<'_>, _: Option<&[u64]>) {
        let path = at.to_string();
        match self.registers.get(&path[..]) {
            Some(&register) => self.places.registers.push(register),
            None => self.missing.push(path),
        }
    }

    fn bits(&mut self, at: &Path<'_>, _: bool, _: &dyn Fn(usize) -> Option<bool>) {
        self.register(at, None);
    }

    fn memory(&mut self, copies: &[Path<'_>], _: &Contents<'_>) {
        for path in copies.iter().map(Path::to_string) {
            match self.memories.get(&path[..]) {
                Some(&memory) => self.places.memories.push(memory),
                None => self.missing.push(path),
            }
        }
    }
}

/// A memory of the hardware.
struct Held<'a> {
    number: usize,
    /// All of its words, each so many limbs.
    words: &'a [u64],
    limbs: usize,
}

/// Compares what a walk passes.
struct Compare<'a, E: Engine> {
    engine: &'a E,
    registers: &'a [usize],
    ignored: &'a [usize],
    memories: &'a [usize],
    whole: bool,
    /// Numbers of the register and the memory that come next.
    register: usize,
    memory: usize,
    wrong: Option<Box<Difference>>,
}

impl<E: Engine> Compare<'_, E> {
    fn differs(&mut self, path: impl Into<String>, expected: &[u64], actual: &[u64]) {
        self.wrong.get_or_insert_with(|| Box::new(Difference::new(path, expected, actual)));
    }

    fn path(&self, register: usize) -> String {
        let design = self.engine.design();
        design.net(design.registers[register].net).path.clone()
    }

    /// Compares a word of a memory.
    fn word(&mut self, memory: &Held<'_>, number: usize, words: &Words<'_>) {
        let actual = &memory.words[number * memory.limbs..][..memory.limbs];
        let mut compare = |expected: &[u64]| {
            if !same(expected, actual) {
                let path = &self.engine.design().memories[memory.number].path;
                self.differs(format!("{path}[{number}]"), expected, actual);
            }
        };
        match words {
            Words::Flat(all) => compare(&all[number * memory.limbs..][..memory.limbs]),
            Words::Narrow(word) => {
                if let Some(word) = word(number) {
                    compare(&[word]);
                }
            }
            Words::Wide(word) => word(number, &mut compare),
        }
    }

    /// Compares the words of a memory that are to be compared in this cycle.
    fn words(&mut self, memory: &Held<'_>, contents: &Contents<'_>) {
        let written = self.engine.written(memory.number);
        let (touched, always) = match contents.touched {
            Touched::Always => (None, true),
            Touched::These(touched) => (Some(touched), written.is_none()),
            Touched::Seldom(touched) => (Some(touched), false),
        };
        if self.whole || always {
            return self.all(memory, contents);
        }
        // What both have written, which is most, is compared once.
        let mut last = None;
        if let Some(touched) = touched {
            touched(&mut |number| {
                self.word(memory, number, &contents.words);
                last = Some(number);
            });
        }
        each_one(written.unwrap_or(&[]), |number| {
            if number < contents.depth && Some(number) != last {
                self.word(memory, number, &contents.words);
            }
        });
    }

    /// The same of a memory and its copies, from the table's memory `first` up.
    fn compare_copies(&mut self, first: usize, copies: usize, contents: &Contents<'_>) {
        let mut last: Option<&[u64]> = None;
        let (engine, memories) = (self.engine, self.memories);
        for &number in &memories[first..][..copies] {
            let words = engine.memory(number);
            // Engines may keep memories with the same writes once.
            if !last.replace(words).is_some_and(|last| std::ptr::eq(last, words)) {
                let limbs = engine.design().memories[number].width.div_ceil(64) as usize;
                self.words(&Held { number, words, limbs }, contents);
            }
        }
    }

    /// The number of the register that the walk passes now.
    fn next(&mut self) -> usize {
        self.register += 1;
        self.registers[self.register - 1]
    }

    fn all(&mut self, memory: &Held<'_>, contents: &Contents<'_>) {
        let actual = memory.words;
        let same = match contents.words {
            Words::Flat(expected) => expected == actual,
            // Most memories are what they must be: one pass without a branch says so.
            Words::Narrow(word) => {
                let wrong = |(number, actual): (usize, &u64)| word(number).map_or(0, |expected| expected ^ actual);
                memory.limbs == 1
                    && actual[..contents.depth].iter().enumerate().map(wrong).fold(0, |all, wrong| all | wrong) == 0
            }
            Words::Wide(_) => false,
        };
        if !same {
            (0..contents.depth).for_each(|number| self.word(memory, number, &contents.words));
        }
    }
}

impl<E: Engine> Memories for Compare<'_, E> {
    fn copies(&mut self, first: usize, copies: usize, contents: &Contents<'_>) {
        self.compare_copies(first, copies, contents);
    }

    fn noted(&self, numbers: Range<usize>) -> Option<Range<usize>> {
        self.engine.written_at(&self.memories[numbers])
    }

    fn untouched(&self, noted: Range<usize>) -> bool {
        !self.engine.any_written(noted)
    }

    fn bank(&self, numbers: Range<usize>) -> Option<engine::Bank> {
        self.engine.bank(&self.memories[numbers])
    }

    fn same<F: Fn(usize, usize) -> u64>(&self, held: &engine::Bank, bank: &Bank<'_, F>) -> bool {
        let touched = match bank.touched {
            Touched::Always => return false,
            Touched::These(touched) | Touched::Seldom(touched) => touched,
        };
        let (words, mut wrong) = (self.engine.words(), 0);
        held.each_written(words, touched, |word| {
            let differs = |(number, held): (usize, u64)| held ^ (bank.word)(number, word);
            wrong |= held.words(words, word).enumerate().map(differs).fold(0, |wrong, differs| wrong | differs);
        });
        wrong == 0
    }
}

impl<E: Engine> Visit for Compare<'_, E> {
    fn register(&mut self, _: &Path<'_>, value: Option<&[u64]>) {
        let register = self.next();
        let Some(expected) = value else { return };
        let actual = self.engine.register(register);
        if !same(expected, &actual) && !self.ignored.contains(&register) {
            self.differs(self.path(register), expected, &actual);
        }
    }

    fn bits(&mut self, _: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) {
        let register = self.next();
        if !often && !self.whole {
            return;
        }
        let design = self.engine.design();
        let actual = self.engine.register(register);
        for number in 0..design.net(design.registers[register].net).width as usize {
            let held = actual[number / 64] >> (number % 64) & 1;
            if let Some(expected) = bit(number).map(u64::from).filter(|&expected| expected != held) {
                self.differs(format!("{}, bit {number}", self.path(register)), &[expected], &[held]);
            }
        }
    }

    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>) {
        self.compare_copies(self.memory, copies.len(), contents);
        self.memory += copies.len();
    }
}

/// Copies values of a walk to the hardware.
struct Settle<'a, E: Engine> {
    engine: &'a mut E,
    registers: bool,
    numbers: (std::slice::Iter<'a, usize>, std::slice::Iter<'a, usize>),
}

impl<E: Engine> Visit for Settle<'_, E> {
    fn register(&mut self, _: &Path<'_>, value: Option<&[u64]>) {
        let register = *self.numbers.0.next().expect("as many as were found");
        if self.registers {
            let limbs = self.engine.register(register).len();
            let value = value.unwrap_or(&[]);
            let value: Vec<u64> = (0..limbs).map(|limb| value.get(limb).copied().unwrap_or(0)).collect();
            self.engine.set_register(register, &value);
        }
    }

    fn bits(&mut self, at: &Path<'_>, _: bool, _: &dyn Fn(usize) -> Option<bool>) {
        self.register(at, None);
    }

    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>) {
        for _ in copies {
            let memory = *self.numbers.1.next().expect("as many as were found");
            let limbs = self.engine.design().memories[memory].width.div_ceil(64) as usize;
            let engine = &mut *self.engine;
            let mut set = |number: usize, word: &[u64]| {
                let word: Vec<u64> = (0..limbs).map(|limb| word.get(limb).copied().unwrap_or(0)).collect();
                engine.set_word(memory, number, &word);
            };
            for number in 0..contents.depth {
                match contents.words {
                    Words::Flat(all) => set(number, &all[number * limbs..][..limbs]),
                    Words::Narrow(word) => word(number).into_iter().for_each(|word| set(number, &[word])),
                    Words::Wide(word) => word(number, &mut |word| set(number, word)),
                }
            }
        }
    }
}
