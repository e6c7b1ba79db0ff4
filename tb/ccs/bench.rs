//! A processor beside a cache compute system that knows what memory must hold, for benches of what goes wrong and of
//! what happens at once.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline::ccs::blocks::ccs_top;
use bitline::ccs::registers::{REG_COMPLETED, REG_RESULT, REG_START, REG_STATUS};
use bitline::ccs::{CcsError, CcsGeometry, CcsMemory};
use bitline::sim::engine::engine;
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require, some_of};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::units::ccs::host::CcsHost;
use bitline::sim::units::ccs::launches::{random_launch, test_geometry, two_ports};
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};
use bitline::sim::units::ccs::reference::{Outcome, execute, execute_lines};
use bitline::sim::units::ccs::top_machine::CcsTopMachine;

/// Lines of memory.
pub const LINES: usize = 64;

/// The bench.
pub struct Bench {
    /// The system.
    pub host: Box<dyn CcsHost>,
    /// What chooses.
    pub rng: ChaCha8Rng,
    /// What memory must hold.
    pub memory: Vec<u8>,
    /// What has happened, and how often.
    pub coverage: BTreeMap<&'static str, u64>,
    /// Simulators that are slow do one round of so many.
    share: usize,
}

/// A system with a line port, its model beside it.
pub fn with_lines(lanes: usize, element_bits: usize, lines: usize, seed: u64) -> Bench {
    let geometry = test_geometry(lanes, element_bits, lines);
    let machine = CcsMachine::native(&geometry, LINES * geometry.line_bytes(), seed).expect("legal");
    Bench::new(Box::new(machine), seed)
}

/// The same with two read ports.
pub fn with_two_ports(lanes: usize, element_bits: usize, lines: usize, seed: u64) -> Bench {
    let geometry = two_ports(lanes, element_bits, lines);
    let machine = CcsMachine::native(&geometry, LINES * geometry.line_bytes(), seed).expect("legal");
    assert_eq!(machine.system.unseen(), Vec::<&str>::new());
    Bench::new(Box::new(machine), seed)
}

/// A top, with any memory.
pub fn with_bus(lanes: usize, element_bits: usize, lines: usize, memory: CcsMemory, seed: u64) -> Bench {
    let geometry = CcsGeometry { memory, ..test_geometry(lanes, element_bits, lines) };
    let netlist = ccs_top(&geometry).expect("legal");
    let machine = CcsTopMachine::around(engine(&netlist), &geometry, LINES * geometry.line_bytes(), seed);
    let machine = machine.checked(None, seed);
    assert_eq!(machine.unseen(), Vec::<&str>::new());
    Bench::new(Box::new(machine), seed)
}

/// The emitted Verilog of the small top with AXI4, under Verilator and, if `interpreted`, Icarus, if they are there.
fn verilog(seed: u64, interpreted: bool) -> Vec<Bench> {
    let geometry = CcsGeometry { memory: CcsMemory::Axi128, ..test_geometry(4, 32, 4) };
    let netlist = ccs_top(&geometry).expect("legal");
    let size = LINES * geometry.line_bytes();
    let mut all = Vec::new();
    if require("verilator").is_some() {
        let model = Verilated::build_with(&netlist, &cache_folder(), Build::Open).unwrap_or_else(|e| panic!("{e}"));
        let machine = CcsTopMachine::around(model, &geometry, size, seed).checked(None, seed);
        all.push(Bench::new(Box::new(machine), seed));
    }
    if interpreted && require("iverilog").is_some() {
        let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let machine = CcsTopMachine::around(model, &geometry, size, seed + 1).checked(None, seed + 1);
        all.push(Bench { share: 10, ..Bench::new(Box::new(machine), seed + 1) });
    }
    all
}

/// Systems of several geometries and memories; the last one under Verilator, with `BITLINE_DEEP=1` another one in
/// Icarus, which takes as long as all others.
pub fn several(seed: u64) -> Vec<Bench> {
    let mut all = vec![
        with_lines(4, 32, 4, seed),
        with_lines(8, 16, 2, seed + 1),
        with_lines(16, 8, 8, seed + 2),
        with_bus(4, 32, 4, CcsMemory::Line, seed + 3),
        with_bus(8, 32, 4, CcsMemory::Axi128, seed + 4),
        with_bus(32, 8, 2, CcsMemory::Axi256, seed + 5),
        with_two_ports(4, 32, 4, seed + 8),
        with_two_ports(8, 16, 2, seed + 9),
    ];
    all.extend(verilog(seed + 6, deep()));
    all
}

/// What all benches have counted.
pub fn total(benches: &[Bench]) -> BTreeMap<&'static str, u64> {
    let mut all = BTreeMap::new();
    for (&what, &times) in benches.iter().flat_map(|bench| &bench.coverage) {
        *all.entry(what).or_default() += times;
    }
    all
}

/// Everything has happened, and often enough.
pub fn must_have(benches: &[Bench], least: u64, events: &[&str]) {
    let all = total(benches);
    println!("{all:?}");
    for event in events {
        assert!(all.get(event).is_some_and(|&times| times >= least), "{event}: {all:?}");
    }
}

impl Bench {
    fn new(mut host: Box<dyn CcsHost>, seed: u64) -> Bench {
        println!("{:?}, seed {seed}", host.geometry());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        host.bytes().fill_with(|| rng.random());
        let memory = host.bytes().to_vec();
        Bench { host, rng, memory, coverage: BTreeMap::new(), share: 1 }
    }

    /// As many rounds as this simulator does of so many; all with `BITLINE_DEEP=1` alone.
    pub fn rounds(&self, all: usize) -> std::ops::Range<usize> {
        0..some_of(all, 2).div_ceil(self.share)
    }

    /// The geometry.
    pub fn geometry(&self) -> CcsGeometry {
        self.host.geometry().clone()
    }

    /// Counts an event.
    pub fn count(&mut self, what: &'static str) {
        *self.coverage.entry(what).or_default() += 1;
    }

    /// Counts an event if it was one.
    pub fn count_if(&mut self, happened: bool, what: &'static str) {
        if happened {
            self.count(what);
        }
    }

    /// Memory is as fast or slow as chance has it.
    pub fn random_pace(&mut self) {
        let (latency, pace) = ([1, 1, 3, 20][self.rng.random_range(0..4)], [1, 1, 2, 5][self.rng.random_range(0..4)]);
        self.host.set_pace(latency, pace);
    }

    /// A legal command.
    pub fn launch(&mut self) -> Launch {
        let geometry = self.geometry();
        random_launch(&mut self.rng, &geometry, self.memory.len() as u32)
    }

    /// Reads a register.
    pub fn get(&mut self, offset: u64) -> u32 {
        self.host.register(offset).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Writes a register.
    pub fn set(&mut self, offset: u64, value: u32) {
        self.host.set_register(offset, value).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Cycles without an access.
    pub fn idle(&mut self, cycles: u64) {
        self.host.idle(cycles).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Starts a command.
    pub fn start(&mut self, launch: &Launch) {
        launch.writes().into_iter().for_each(|(offset, value)| self.set(offset, value));
        self.set(REG_START, 0);
    }

    /// What memory holds after so many result lines of a command.
    pub fn after_lines(&self, launch: &Launch, lines: u32) -> Vec<u8> {
        let mut memory = self.memory.clone();
        execute_lines(&mut memory, self.host.geometry(), launch, lines);
        memory
    }

    /// What a command gives if nothing goes wrong.
    pub fn outcome(&self, launch: &Launch) -> Outcome {
        execute(&mut self.memory.clone(), self.host.geometry(), launch)
    }

    /// The word at an address.
    pub fn word(&self, address: u32) -> u32 {
        let at = address as usize & !3;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"))
    }

    /// The address of some word.
    pub fn address(&mut self) -> u32 {
        self.rng.random_range(0..self.memory.len() as u32) & !3
    }

    /// A word, read, is what memory must hold.
    pub fn read(&mut self, address: u32) {
        let read = self.host.read(address).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read, (self.word(address), false), "{address:#x}");
    }

    /// Writes a word.
    pub fn write(&mut self, address: u32, data: u32, strobes: u8) {
        self.host.write(address, data, strobes).unwrap_or_else(|e| panic!("{e}"));
        let bytes = data.to_le_bytes();
        (0..4).filter(|i| strobes >> i & 1 == 1).for_each(|i| self.memory[address as usize + i] = bytes[i]);
    }

    /// Some reads and writes.
    pub fn traffic(&mut self, most: u32) {
        for _ in 0..self.rng.random_range(0..=most) {
            let address = self.address();
            if self.rng.random() {
                self.read(address);
            } else {
                let (data, strobes) = (self.rng.random(), [15, 15, 3, 12, 1, 8][self.rng.random_range(0..6)]);
                self.write(address, data, strobes);
            }
        }
    }

    /// Every word, as the processor sees it, is what memory must hold, and so is memory.
    pub fn read_all(&mut self) {
        (0..self.memory.len() as u32).step_by(4).for_each(|address| self.read(address));
        assert!(self.host.bytes() == self.memory, "memory differs");
    }

    /// A command runs and leaves what it must.
    pub fn runs(&mut self, launch: &Launch) {
        let geometry = self.geometry();
        let outcome = execute(&mut self.memory, &geometry, launch);
        let error = self.host.run(launch).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(error, outcome.error, "{launch:?}");
        assert_eq!(self.get(REG_COMPLETED), outcome.lines, "{launch:?}");
        if let Some(result) = outcome.result.filter(|_| error.is_none()) {
            assert_eq!(self.get(REG_RESULT), result, "{launch:?}");
        }
        assert_eq!(self.get(REG_STATUS), 1 | u32::from(error.is_some()) << 1, "{launch:?}");
        self.settle();
        assert!(self.host.bytes() == self.memory, "memory differs after {launch:?}");
    }

    /// A legal command runs and leaves what it must.
    pub fn any_command_runs(&mut self) {
        let launch = self.launch();
        self.runs(&launch);
    }

    /// Waits for posted writes, also those that have yet to reach a slow bus.
    pub fn settle(&mut self) {
        self.idle(40);
        for _ in 0..4000 {
            if self.host.settled() {
                return;
            }
            self.idle(1);
        }
        panic!("the bus does not come to rest");
    }

    /// A command that was started ends with this error, and the system is ready.
    pub fn ends_with(&mut self, error: Option<CcsError>, what: &str) {
        let code = self.get(bitline::ccs::registers::REG_WAIT);
        assert_eq!(CcsError::from_code(code as u8), error, "{what}");
        assert_eq!(self.get(REG_STATUS), 1 | u32::from(error.is_some()) << 1, "{what}");
    }
}
