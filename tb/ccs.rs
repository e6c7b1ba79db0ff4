//! The cache compute system against plain integers: random commands with the processor at work beside them.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lint::quiet;
use bitline::ccs::blocks::ccs;
use bitline::ccs::registers;
use bitline::ccs::{COMMANDS, CcsCommand, CcsError, CcsGeometry, Kind};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};
use bitline::sim::units::ccs::reference::execute;

pub(super) mod bench;
pub(super) mod launches;

use launches::{random_launch, spoil, test_geometry};

type Coverage = BTreeMap<String, u64>;

struct Host<E: Engine> {
    machine: CcsMachine<E>,
    rng: ChaCha8Rng,
    /// What memory must hold.
    memory: Vec<u8>,
    coverage: Coverage,
    last: u32,
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

    /// One command, with reads of words that it does not write beside it; writes beside a command are in `ccs_beside`.
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
            self.pause();
            let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
            if outcome.error.is_none_or(|e| e == CcsError::Address) && writes(address) {
                continue;
            }
            let (value, failed) = self.machine.read(address).expect("an answer");
            assert!(!failed);
            assert_eq!(value, self.word(address), "{launch:?}: word {address:#x} while it runs");
            self.count("read beside a command");
        }
        self.pause();
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

    /// Now and then, cycles in which the processor wants nothing: it comes at other moments then.
    fn pause(&mut self) {
        if self.rng.random_range(0..4) == 0 {
            for _ in 0..self.rng.random_range(1..16) {
                self.machine.cycle(None).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }

    /// The processor alone: reads and writes of words and bytes.
    fn traffic(&mut self) {
        for _ in 0..self.rng.random_range(0..12) {
            self.pause();
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
            let (geometry, size) = (self.machine.geometry.clone(), self.memory.len() as u32);
            let mut launch = random_launch(&mut self.rng, &geometry, size);
            if self.rng.random_range(0..6) == 0 {
                spoil(&mut self.rng, &geometry, &mut launch);
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
        [(4, 32, 4), (8, 16, 2), (16, 8, 8), (4, 8, 4), (16, 32, 16), (128, 8, 2)].into_iter().enumerate()
    {
        let geometry = test_geometry(lanes, bits, lines);
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
        let geometry = test_geometry(lanes, element_bits, lines);
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
        let geometry = test_geometry(lanes, element_bits, lines);
        quiet(&ccs(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
