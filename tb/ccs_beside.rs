//! A processor at work beside commands of the cache compute system: at registers, at words that the command does not
//! touch, where everything is known, and at words of its own lines, where the order of the two decides. Every byte of
//! memory is one of those that an order gives, and the cache holds what memory does.

use std::collections::BTreeMap;

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several};
use bitline::ccs::registers::*;
use bitline::ccs::{COMMANDS, CcsCommand, Kind, Operands};
use bitline::regmap::Access;
use bitline::sim::model::ccs::arith;
use bitline::sim::units::ccs::machine::Launch;

/// The processor's write to a word: data and strobes.
type Word = (u32, u8);

/// A command that runs, and what the processor has done to memory since it started.
struct Beside {
    command: &'static CcsCommand,
    launch: Launch,
    /// Memory as it was.
    old: Vec<u8>,
    /// Words that the processor has written, each once.
    written: BTreeMap<u32, Word>,
    /// Words whose value nothing changes any more.
    known: BTreeMap<u32, u32>,
    element: u32,
    lanes: u32,
}

fn bytes(value: &[u8]) -> u32 {
    value.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte))
}

impl Beside {
    fn element_at(memory: &[u8], at: u32, size: u32) -> u32 {
        bytes(&memory[at as usize..(at + size) as usize])
    }

    /// An element as it was, and as it is with the processor's write to its word.
    fn versions(&self, at: u32, values: Vec<u32>) -> Vec<u32> {
        let Some(&(data, strobes)) = self.written.get(&(at & !3)) else { return values };
        let merged = |value: u32| {
            let byte = |i: u32| {
                let place = at % 4 + i;
                let from = if strobes >> place & 1 == 1 { data >> (8 * place) } else { value >> (8 * i) };
                (from & 0xff) << (8 * i)
            };
            (0..self.element).map(byte).sum::<u32>()
        };
        let merges: Vec<u32> = values.iter().map(|&value| merged(value)).collect();
        values.into_iter().chain(merges).collect()
    }

    /// Number of the result's element at an address, if the command writes it.
    fn number(&self, at: u32) -> Option<u32> {
        let number = at.checked_sub(self.launch.bases[2])? / self.element;
        let counts = self.launch.mask >> (at / self.element % self.lanes) & 1 == 1;
        (self.command.kind == Kind::Map && number < self.launch.length && counts).then_some(number)
    }

    /// What the command may write there.
    fn results(&self, number: u32) -> Vec<u32> {
        let operand = |i: usize| {
            let at = self.launch.bases[i] + number * self.element;
            self.versions(at, vec![Self::element_at(&self.old, at, self.element)])
        };
        let bits = 8 * self.element as usize;
        let constant = vec![self.launch.constant & (u32::MAX >> (32 - bits))];
        let a = if self.command.operands == Operands::C { vec![0] } else { operand(0) };
        let b = if self.command.operands == Operands::Vv { operand(1) } else { constant };
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
        let mut all: Vec<u32> =
            pairs.map(|(a, b)| arith::map(self.command.name, self.launch.unsigned, bits, a, b)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What an element may hold while the command runs; after it, if `ended`.
    fn possible(&self, at: u32, ended: bool) -> Vec<u32> {
        let old = self.versions(at, vec![Self::element_at(&self.old, at, self.element)]);
        match self.number(at) {
            // The processor sees its own writes.
            None => old[old.len() - 1..].to_vec(),
            Some(number) if ended => self.versions(at, self.results(number)),
            Some(number) => old.into_iter().chain(self.versions(at, self.results(number))).collect(),
        }
    }

    /// A word that was read, or that memory holds after the command.
    fn check(&self, address: u32, word: u32, ended: bool) {
        if let Some(&known) = self.known.get(&address) {
            assert_eq!(word, known, "{address:#x}, {:?}", self.launch);
        }
        for at in (address..address + 4).step_by(self.element as usize) {
            let element = Self::element_at(&word.to_le_bytes(), at % 4, self.element);
            let possible = self.possible(at, ended);
            let what = (address, &self.launch, self.written.get(&address));
            assert!(possible.contains(&element), "{at:#x}: {element:#x}, not of {possible:x?}: {what:x?}");
        }
    }

    /// A word of the result that is there, beyond doubt, is not written by the command again.
    fn learn(&mut self, address: u32, word: u32) -> bool {
        let elements = (address..address + 4).step_by(self.element as usize);
        let certain = elements.into_iter().any(|at| {
            let Some(number) = self.number(at) else { return false };
            let old = self.versions(at, vec![Self::element_at(&self.old, at, self.element)]);
            let element = Self::element_at(&word.to_le_bytes(), at % 4, self.element);
            !self.written.contains_key(&address) && self.results(number) == [element] && !old.contains(&element)
        });
        if certain {
            self.known.insert(address, word);
        }
        certain
    }
}

/// Somewhere in a vector, or beside all of them.
fn place(bench: &mut Bench, beside: &Beside) -> (u32, &'static str) {
    let vectors = [true, beside.command.operands == Operands::Vv, beside.command.kind == Kind::Map];
    let which = bench.rng.random_range(0..4);
    let bytes = beside.launch.length * beside.element;
    if which < 3 && vectors[which] {
        let at = beside.launch.bases[which] + bench.rng.random_range(0..bytes);
        return (at & !3, ["word of a", "word of b", "word of r"][which]);
    }
    let line = bench.geometry().line_bytes() as u32;
    ((60 * line + bench.rng.random_range(0..4 * line)) & !3, "other word")
}

/// One access of the processor.
fn access(bench: &mut Bench, beside: &mut Beside) {
    if bench.rng.random_range(0..4) == 0 {
        return register(bench);
    }
    let (address, what) = place(bench, beside);
    let reduces = beside.command.kind == Kind::Reduce;
    if bench.rng.random() || beside.written.contains_key(&address) || reduces && what != "other word" {
        let (word, failed) = bench.host.read(address).unwrap_or_else(|e| panic!("{e}"));
        assert!(!failed);
        beside.check(address, word, false);
        let learned = beside.learn(address, word);
        bench.count_if(learned, "result seen while the command runs");
        bench.count_if(!learned, "read");
        if learned && bench.rng.random() {
            write(bench, beside, address, what);
        }
    } else {
        write(bench, beside, address, what);
    }
}

/// The processor writes a word, or bytes of it.
fn write(bench: &mut Bench, beside: &mut Beside, address: u32, what: &'static str) {
    let (data, strobes): Word = (bench.rng.random(), [15, 15, 15, 3, 12, 6, 1][bench.rng.random_range(0..7)]);
    bench.host.write(address, data, strobes).unwrap_or_else(|e| panic!("{e}"));
    beside.written.insert(address, (data, strobes));
    bench.count(what);
    if let Some(known) = beside.known.get_mut(&address) {
        let byte = |i: u32| if strobes >> i & 1 == 1 { data } else { *known } & 0xff << (8 * i);
        *known = (0..4).map(byte).sum();
        bench.count("word over a result that was seen");
    }
}

/// A register that holds what is written to it, or one that counts.
fn register(bench: &mut Bench) {
    let plain = |r: &&bitline::regmap::Register| {
        r.fields.iter().all(|f| f.access == Access::ReadWrite) && !r.name.starts_with("mask")
    };
    let all: Vec<_> = REGISTERS.iter().filter(plain).collect();
    let register = all[bench.rng.random_range(0..all.len())];
    let value: u32 = bench.rng.random();
    bench.set(register.offset, value);
    assert_eq!(bench.get(register.offset), held(register.offset, value), "{}", register.name);
    bench.count("register");
    let cycles = bench.get(REG_CYCLES_LOW);
    let later = bench.get(REG_CYCLES_LOW);
    assert!(later >= cycles);
    bench.count_if(later > cycles, "cycles go on");
}

fn round(bench: &mut Bench) {
    bench.host.set_pace([1, 4, 20][bench.rng.random_range(0..3)], [1, 2, 4][bench.rng.random_range(0..3)]);
    bench.traffic(4);
    let geometry = bench.geometry();
    let (element, line) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32);
    let command = &COMMANDS[bench.rng.random_range(0..COMMANDS.len())];
    let place = bench.rng.random_range(0..geometry.lanes as u32) * element;
    let length = bench.rng.random_range(10..18) * geometry.lanes as u32 + bench.rng.random_range(0..3);
    let mut bases = [0, 20 * line, 40 * line].map(|base| base + place);
    let in_place = command.kind == Kind::Map && bench.rng.random_range(0..3) == 0;
    if in_place {
        bases[2] = bases[0];
        bench.count("in place");
    }
    let mut launch = Launch::new(command.code, bases, length);
    launch.constant = bench.rng.random_range(0..100);
    launch.unsigned = bench.rng.random();
    if bench.rng.random_range(0..4) == 0 {
        launch.mask = bench.rng.random();
    }
    // Some lines are in the cache.
    for _ in 0..3 {
        let address = bases[bench.rng.random_range(0..3)] / line * line + line;
        bench.read(address);
    }
    let outcome = bench.outcome(&launch);
    let (written, known) = (BTreeMap::new(), BTreeMap::new());
    let (old, lanes) = (bench.memory.clone(), geometry.lanes as u32);
    let mut beside = Beside { command, launch, old, written, known, element, lanes };
    bench.start(&launch);
    for _ in 0..bench.rng.random_range(4..40) {
        access(bench, &mut beside);
    }
    let running = bench.get(REG_STATUS) & 1 == 0;
    bench.count_if(running, "command runs to the last access");
    bench.ends_with(None, "beside the processor");
    assert_eq!(bench.get(REG_COMPLETED), outcome.lines, "{launch:?}");
    if let Some(result) = outcome.result {
        assert_eq!(bench.get(REG_RESULT), result, "{launch:?}");
    }
    bench.settle();
    bench.memory = bench.host.bytes().to_vec();
    for address in (0..bench.memory.len() as u32).step_by(4) {
        beside.check(address, bench.word(address), true);
    }
    bench.read_all();
}

#[test]
fn processor_beside_commands() {
    let mut benches = several(410);
    for bench in &mut benches {
        bench.rounds(12).for_each(|_| round(bench));
        bench.any_command_runs();
    }
    let events = [
        "word of a",
        "word of b",
        "word of r",
        "other word",
        "read",
        "register",
        "cycles go on",
        "in place",
        "result seen while the command runs",
        "word over a result that was seen",
        "command runs to the last access",
    ];
    must_have(&benches, 5, &events);
}
