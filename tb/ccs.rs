//! The cache compute system against plain integers: random commands with the processor at work beside them.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::icarus::Icarus;
use super::lint::quiet;
use super::tool::{cache_folder, require};
use super::verilator::Verilated;
use crate::blocks::ccs::ccs;
use crate::ccs::registers;
use crate::ccs::{COMMANDS, CcsCommand, CcsError, CcsGeometry, CcsMemory, Kind};
use crate::sim::ccs::machine::{CcsMachine, Launch};
use crate::sim::ccs::reference::execute;
use crate::sim::engine::{Engine, engine};

type Coverage = BTreeMap<String, u64>;

struct Host<E: Engine> {
    machine: CcsMachine<E>,
    rng: ChaCha8Rng,
    /// What memory must hold.
    memory: Vec<u8>,
    coverage: Coverage,
    last: u32,
}

fn geometry(lanes: usize, element_bits: usize, lines: usize) -> CcsGeometry {
    CcsGeometry { name: format!("test_{lanes}_{element_bits}"), lanes, element_bits, lines, memory: CcsMemory::Line }
}

impl<E: Engine> Host<E> {
    fn new(engine: E, geometry: &CcsGeometry, seed: u64) -> Host<E> {
        println!("{geometry:?}, seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = geometry.line_bytes() * 64;
        let mut machine = CcsMachine::around(engine, geometry, size, seed);
        machine.memory.bytes.fill_with(|| rng.random());
        let memory = machine.memory.bytes.clone();
        Host { machine, rng, memory, coverage: Coverage::new(), last: 0 }
    }

    fn count(&mut self, what: impl Into<String>) {
        *self.coverage.entry(what.into()).or_default() += 1;
    }

    /// Bytes of elements, at a random place; vectors agree in their place of a line.
    fn random_launch(&mut self) -> Launch {
        let geometry = self.machine.geometry.clone();
        let (element, line, lanes) =
            (geometry.element_bytes() as u32, geometry.line_bytes() as u32, geometry.lanes as u32);
        let command = COMMANDS[self.rng.random_range(0..COMMANDS.len())];
        let stride =
            1 << if self.rng.random_range(0..3) == 0 { self.rng.random_range(0..geometry.lanes.ilog2()) } else { 0 };
        let count = if self.rng.random_range(0..3) == 0 { self.rng.random_range(2..6) } else { 1 };
        let most = if count == 1 { 24 * lanes / stride } else { 4 * lanes / stride };
        let length = self.rng.random_range(1..=most.max(1));
        let place = if self.rng.random() { 0 } else { self.rng.random_range(0..lanes) * element };
        let span = ((length - 1) * stride + 1) * element;
        let size = self.memory.len() as u32;
        let step_place = if self.rng.random() { 0 } else { self.rng.random_range(0..lanes) * element };
        let reduce = command.kind == Kind::Reduce;
        let mut bases = [0; 3];
        let mut steps = [0; 3];
        for i in 0..3 {
            let (at, step_at) = if i == 2 && reduce {
                (self.rng.random_range(0..lanes) * element, self.rng.random_range(0..lanes) * element)
            } else {
                (place, step_place)
            };
            let lines_step = if count > 1 { self.rng.random_range(0..4) } else { 0 };
            steps[i] = lines_step * line + step_at;
            let taken = steps[i] * (count - 1) + span + at;
            let most = (size - taken.min(size)) / line;
            bases[i] = self.rng.random_range(0..=most) * line + at;
        }
        // In place, or a line further, so that lines depend on each other.
        match self.rng.random_range(0..4) {
            0 if !reduce => (bases[2], steps[2]) = (bases[0], steps[0]),
            1 if !reduce && bases[0] + line + span + steps[0] * (count - 1) < size => {
                (bases[2], steps[2]) = (bases[0] + line, steps[0]);
            }
            _ => {}
        }
        // Lanes that are multiples of the stride, seen from the first element; now and then any lanes.
        let first = bases[if matches!(command.operands, crate::ccs::Operands::C) { 2 } else { 0 }] / element % lanes;
        let mut mask = (0..lanes).filter(|k| (k + lanes - first) % stride == 0).fold(0, |m, k| m | 1u128 << k);
        if count > 1 && stride > 1 || self.rng.random_range(0..8) == 0 {
            mask = self.rng.random();
        }
        let constant = if self.rng.random() { self.rng.random() } else { self.rng.random_range(0..40) };
        let (unsigned, store) = (self.rng.random(), self.rng.random());
        Launch {
            code: command.code,
            unsigned,
            store,
            bases,
            length,
            constant,
            stride: stride as u8,
            mask,
            count,
            steps,
        }
    }

    /// Something that is wrong.
    fn spoil(&mut self, launch: &mut Launch) {
        let geometry = &self.machine.geometry;
        match self.rng.random_range(0..10) {
            0 => launch.code = self.rng.random_range(48..64),
            1 => launch.length = 0,
            2 => launch.count = 0,
            3 => launch.stride = [0, 3, geometry.lanes as u8, 255][self.rng.random_range(0..4)],
            4 if geometry.element_bits > 8 => launch.bases[self.rng.random_range(0..3)] += 1,
            5 => launch.bases[1] ^= geometry.element_bytes() as u32,
            6 => launch.length = self.rng.random_range(1 << 31..=u32::MAX),
            // Rows that leave the address space at its lower end, most of them after some that do not.
            8 => {
                launch.count = 6;
                launch.steps = [0u32.wrapping_sub(geometry.line_bytes() as u32); 3];
            }
            7 => launch.bases[self.rng.random_range(0..3)] |= 1 << 31,
            _ => launch.bases[2] ^= geometry.element_bytes() as u32,
        }
    }

    fn word(&self, address: u32) -> u32 {
        let at = address as usize & !3;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"))
    }

    fn compare(&mut self, what: &str) {
        // Writes that are posted.
        for _ in 0..64 {
            self.machine.cycle(None).unwrap_or_else(|e| panic!("{e}"));
        }
        if let Some(at) = (0..self.memory.len()).find(|&i| self.memory[i] != self.machine.memory.bytes[i]) {
            panic!("{what}: byte {at:#x}: {:#x}, must be {:#x}", self.machine.memory.bytes[at], self.memory[at]);
        }
    }

    /// One command, with reads and writes of words that it does not touch beside it.
    fn command(&mut self, launch: &Launch) {
        let outcome = execute(&mut self.memory, &self.machine.geometry, launch);
        let name = COMMANDS.get(usize::from(launch.code)).map_or("none", |c| c.name);
        self.count(outcome.error.map_or(name, CcsError::name));
        for (offset, value) in launch.writes() {
            self.machine.set_register(offset, value).expect("an answer");
        }
        self.machine.set_register(registers::REG_START, 0).expect("an answer");
        // Words that the command does not write hold what they did.
        let element = self.machine.geometry.element_bytes() as u32;
        let map = COMMANDS.get(usize::from(launch.code)).is_some_and(|c| c.kind == Kind::Map);
        let span =
            if map { (launch.length.wrapping_sub(1)).wrapping_mul(launch.stride.into()).wrapping_add(1) } else { 1 };
        let rows = |row: u32| launch.bases[2].wrapping_add(launch.steps[2].wrapping_mul(row));
        let writes = |address: u32| {
            (0..launch.count).any(|row| rows(row) < address + 4 && address < rows(row) + span.wrapping_mul(element))
        };
        for _ in 0..self.rng.random_range(0..6) {
            let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
            if outcome.error.is_none() && writes(address) {
                continue;
            }
            let (value, failed) = self.machine.read(address).expect("an answer");
            assert!(!failed);
            assert_eq!(value, self.word(address), "{launch:?}: word {address:#x} while it runs");
            self.count("read beside a command");
        }
        let waited = self.machine.register(registers::REG_WAIT).expect("an answer");
        assert_eq!(CcsError::from_code(waited as u8), outcome.error, "{launch:?}");
        if let Some(result) = outcome.result.filter(|_| outcome.error.is_none()) {
            self.last = result;
            let read = self.machine.register(registers::REG_RESULT).expect("an answer");
            assert_eq!(read, result, "{name} {launch:?}");
        }
        let lines = self.machine.register(registers::REG_COMPLETED).expect("an answer");
        if outcome.error.is_none_or(|e| e == CcsError::Address) {
            assert_eq!(lines, outcome.lines, "{launch:?}");
        }
    }

    /// The processor alone: reads and writes of words and bytes.
    fn traffic(&mut self) {
        for _ in 0..self.rng.random_range(0..12) {
            let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
            if self.rng.random() {
                let (data, strobes): (u32, u8) =
                    (self.rng.random(), [15, 15, 3, 12, 1, 8, 6, 0][self.rng.random_range(0..8)]);
                self.machine.write(address, data, strobes).expect("an answer");
                for i in (0..4).filter(|i| strobes >> i & 1 == 1) {
                    self.memory[address as usize + i] = data.to_le_bytes()[i];
                }
                self.count("write");
            } else {
                let (value, failed) = self.machine.read(address).expect("an answer");
                assert!(!failed);
                assert_eq!(value, self.word(address), "word {address:#x}");
                self.count("read");
            }
        }
    }

    /// The reset in the middle of a command that writes nothing.
    fn reset(&mut self) {
        let sum = CcsCommand::named("SUMV").expect("a command").code;
        for (offset, value) in Launch::new(sum, [0; 3], 64).writes() {
            self.machine.set_register(offset, value).expect("an answer");
        }
        self.machine.set_register(registers::REG_START, 0).expect("an answer");
        for _ in 0..self.rng.random_range(0..20) {
            self.machine.cycle(None).unwrap_or_else(|e| panic!("{e}"));
        }
        self.machine.reset().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(self.machine.register(registers::REG_STATUS).expect("an answer"), 1);
        assert_eq!(self.machine.register(registers::REG_LENGTH).expect("an answer"), 0);
    }

    fn random(&mut self, commands: usize) {
        for number in 0..commands {
            if self.rng.random_range(0..8) == 0 {
                self.machine.memory.pace = [1, 1, 2, 5][self.rng.random_range(0..4)];
                self.machine.memory.latency = [1, 1, 3, 20][self.rng.random_range(0..4)];
            }
            let mut launch = self.random_launch();
            if self.rng.random_range(0..6) == 0 {
                self.spoil(&mut launch);
            }
            self.traffic();
            self.command(&launch);
            self.traffic();
            self.compare(&format!("command {number}, {launch:?}"));
        }
    }
}

fn campaign<E: Engine>(engine: E, geometry: &CcsGeometry, seed: u64, commands: usize) -> Coverage {
    let mut host = Host::new(engine, geometry, seed);
    assert_eq!(host.machine.system.unseen(), Vec::<&str>::new());
    host.random(commands);
    host.reset();
    host.random(2);
    let events = host.machine.events();
    let [hits, misses] = [events.hits, events.misses];
    let counts = [
        ("hit of a", hits[0]),
        ("hit of b", hits[1]),
        ("hit of r", hits[2]),
        ("miss of a", misses[0]),
        ("miss of b", misses[1]),
        ("miss of r", misses[2]),
        ("conflict", events.conflicts),
        ("both fetched", events.two_fetches),
        ("line for the processor beside a command", events.fills_beside),
        ("line dropped", events.drops),
    ];
    host.coverage.extend(counts.map(|(what, times)| (what.to_string(), times)));
    host.coverage
}

#[test]
fn random_commands_natively() {
    let mut all = Coverage::new();
    for (i, (lanes, bits, lines)) in
        [(4, 32, 4), (8, 16, 2), (16, 8, 8), (4, 8, 4), (16, 32, 16)].into_iter().enumerate()
    {
        let geometry = geometry(lanes, bits, lines);
        for (what, times) in campaign(engine(&ccs(&geometry).expect("legal")), &geometry, 21 + i as u64, 120) {
            *all.entry(what).or_default() += times;
        }
    }
    for command in &COMMANDS {
        assert!(all.contains_key(command.name), "{}: {all:?}", command.name);
    }
    for (what, times) in &all {
        assert!(*times > 0, "{what}: {all:?}");
    }
}

#[test]
fn verilator_and_icarus() {
    for (lanes, element_bits, lines) in [(4, 32, 4), (8, 16, 2)] {
        let geometry = geometry(lanes, element_bits, lines);
        let netlist = ccs(&geometry).expect("legal");
        if require("verilator").is_some() {
            let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 31, 30);
        }
        if require("iverilog").is_some() && lanes == 4 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 32, 6);
        }
    }
}

#[test]
fn tools_are_quiet() {
    for (lanes, element_bits, lines) in [(4, 8, 4), (4, 16, 2), (8, 32, 8)] {
        let geometry = geometry(lanes, element_bits, lines);
        quiet(&ccs(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
