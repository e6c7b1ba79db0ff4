//! What is behind the line port of a cache compute system: the line memory and the AXI4 adapter, in lock step with their models, every line
//! that is read compared with plain bytes, natively and with the emitted Verilog; the adapter's bus judged by assertions, and timed.

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::icarus::Icarus;
use super::lint::quiet;
use super::tool::{cache_folder, require};
use super::verilator::{Build, Verilated};
use crate::blocks::ccs::axi_adapter::ccs_axi_adapter;
use crate::blocks::ccs::line_memory::ccs_line_memory;
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::kernel::netlist::Netlist;
use crate::sim::engine::{Engine, engine};
use crate::sim::lockstep::axi_adapter::AxiAdapterLockstep;
use crate::sim::lockstep::line_port::LineMemoryLockstep;
use crate::sim::memory::{AxiMemory, DECODE_ERROR, OKAY, SLAVE_ERROR};
use crate::sim::model::ccs::line_port::{LineAnswers, LineRequests, LineWrite};
use crate::sim::model::memory::core::MemoryInputs;

/// Lines that are not acknowledged, at most.
const UNACKNOWLEDGED: usize = 63;

type Coverage = BTreeMap<&'static str, u64>;

/// What is behind the port, with hardware and model in step.
trait Memory {
    /// One cycle.
    fn cycle(&mut self, requests: &LineRequests) -> LineAnswers;
    /// What a write to the byte at this address answers.
    fn fails(&self, address: u64) -> bool;
    /// Bytes of a transaction: those that fail together.
    fn beat(&self) -> u64;
    /// Stalls and errors change.
    fn weather(&mut self, _rng: &mut ChaCha8Rng) {}
    /// Bytes as they are.
    fn bytes(&self) -> Vec<u8>;
}

struct Lines<E: Engine> {
    unit: LineMemoryLockstep<E>,
    geometry: CcsGeometry,
}

impl<E: Engine> Memory for Lines<E> {
    fn cycle(&mut self, requests: &LineRequests) -> LineAnswers {
        self.unit.cycle(requests).unwrap_or_else(|d| panic!("{d}"))
    }

    fn fails(&self, address: u64) -> bool {
        address >= (self.unit.model.lines.len() * self.geometry.line_bytes()) as u64
    }

    fn beat(&self) -> u64 {
        self.geometry.line_bytes() as u64
    }

    fn bytes(&self) -> Vec<u8> {
        self.unit.compare_memory().unwrap_or_else(|d| panic!("{d}"));
        let elements = self.unit.model.lines.iter().flatten();
        elements.flat_map(|e| e.to_le_bytes()[..self.geometry.element_bytes()].to_vec()).collect()
    }
}

struct Bus<E: Engine> {
    unit: AxiAdapterLockstep<E>,
    memory: AxiMemory,
    geometry: CcsGeometry,
}

impl<E: Engine> Bus<E> {
    fn new(engine: E, geometry: &CcsGeometry, lines: usize, seed: u64) -> Bus<E> {
        let unit = AxiAdapterLockstep::new(engine, geometry, seed);
        let beat = geometry.memory.bus_bits() as u64 / 8;
        let mut memory = AxiMemory::new(0, lines * geometry.line_bytes(), beat, seed);
        ChaCha8Rng::seed_from_u64(seed).fill(&mut memory.bytes[..]);
        Bus { unit, memory, geometry: geometry.clone() }
    }
}

impl<E: Engine> Memory for Bus<E> {
    fn cycle(&mut self, requests: &LineRequests) -> LineAnswers {
        let mut bus = MemoryInputs::default();
        self.memory.drive(&mut bus);
        let (answers, outputs) = self.unit.cycle(requests, &bus).unwrap_or_else(|d| panic!("{d}"));
        self.memory.after(&bus, &outputs);
        answers
    }

    fn fails(&self, address: u64) -> bool {
        self.memory.answers(address) != OKAY
    }

    fn beat(&self) -> u64 {
        self.geometry.memory.bus_bits() as u64 / 8
    }

    fn weather(&mut self, rng: &mut ChaCha8Rng) {
        self.memory.pace = rng.random_range(1..5);
        self.memory.latency = rng.random_range(0..20);
        self.memory.one_side = rng.random_ratio(1, 4);
        self.memory.faults.clear();
        if rng.random_ratio(1, 3) {
            let from = rng.random_range(0..self.memory.bytes.len() as u64);
            let response = if rng.random() { SLAVE_ERROR } else { DECODE_ERROR };
            self.memory.faults.push((from..from + rng.random_range(1..300), response));
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.memory.bytes.clone()
    }
}

/// A master of the line port that knows what every line must hold.
struct Master<M: Memory> {
    memory: M,
    geometry: CcsGeometry,
    lines: usize,
    rng: ChaCha8Rng,
    /// What memory must hold once every write is there.
    expected: Vec<u8>,
    /// Reads on the way: number, and elements with the lanes that count, none where the whole is an error.
    reads: VecDeque<(u32, Option<Vec<u32>>)>,
    /// Writes on the way: number, and whether they fail.
    writes: VecDeque<(u32, bool)>,
    asked: Option<u32>,
    coverage: Coverage,
}

impl<M: Memory> Master<M> {
    fn new(memory: M, geometry: &CcsGeometry, lines: usize, seed: u64) -> Master<M> {
        println!("{} lanes of {} bits, {:?}, seed {seed}", geometry.lanes, geometry.element_bits, geometry.memory);
        Master {
            expected: memory.bytes(),
            memory,
            geometry: geometry.clone(),
            lines,
            rng: ChaCha8Rng::seed_from_u64(seed ^ 0x11e),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            asked: None,
            coverage: Coverage::new(),
        }
    }

    fn count(&mut self, what: &'static str, happened: bool) {
        *self.coverage.entry(what).or_default() += u64::from(happened);
    }

    /// Mostly lines that are there.
    fn line(&mut self) -> u32 {
        let beyond = self.rng.random_ratio(1, 30);
        if beyond {
            self.lines as u32 + self.rng.random_range(0..9)
        } else {
            self.rng.random_range(0..self.lines as u32)
        }
    }

    fn address(&self, line: u32) -> u64 {
        u64::from(line) * self.geometry.line_bytes() as u64
    }

    /// The beats that a line has, by their addresses.
    fn beats(&self, line: u32) -> impl Iterator<Item = u64> + use<M> {
        let (from, beat) = (self.address(line), self.memory.beat());
        (0..self.geometry.line_bytes() as u64 / beat).map(move |number| from + number * beat)
    }

    fn write(&mut self) -> LineWrite {
        let lanes = self.geometry.lanes;
        let (from, to) = (self.rng.random_range(0..lanes), self.rng.random_range(0..lanes));
        let on: Vec<bool> = match self.rng.random_range(0..5) {
            0 => vec![true; lanes],
            1 => (0..lanes).map(|lane| lane == from).collect(),
            2 => (0..lanes).map(|lane| (from..=to).contains(&lane)).collect(),
            3 => (0..lanes).map(|lane| lane % 4 == from % 4).collect(),
            _ => vec![false; lanes],
        };
        let ones = self.geometry.ones();
        let bytes = if self.rng.random() { 15 } else { self.rng.random_range(0..16) };
        let data = (0..lanes).map(|_| self.rng.random::<u32>() & ones).collect();
        let (mut on, mut word) = (on, None);
        if self.rng.random_ratio(1, 3) {
            let place = lanes * self.geometry.element_bits / 32;
            let place = self.rng.random_range(0..place);
            on = (0..lanes).map(|lane| lane * self.geometry.element_bits / 32 == place).collect();
            word = Some(self.rng.random());
        }
        LineWrite { line: self.line(), lanes: on, bytes, word, data }
    }

    /// What a write does to plain bytes; whether it fails.
    fn apply(&mut self, write: &LineWrite) -> bool {
        let bytes = self.geometry.element_bytes();
        let from = self.address(write.line);
        for lane in 0..self.geometry.lanes {
            let mask = write.mask(lane, self.geometry.element_bits);
            for byte in (0..bytes).filter(|byte| mask >> (8 * byte) & 1 == 1) {
                let address = from + (lane * bytes + byte) as u64;
                if !self.memory.fails(address) {
                    self.expected[address as usize] =
                        write.element(lane, self.geometry.element_bits).to_le_bytes()[byte];
                }
            }
        }
        // Beats from the first with a lane to the last with one are on the bus.
        let beat_lanes = self.memory.beat() as usize / bytes;
        let used: Vec<usize> =
            write.lanes.iter().enumerate().filter(|(_, on)| **on).map(|(l, _)| l / beat_lanes).collect();
        let (first, last) = (used.first().copied().unwrap_or(0), used.last().copied().unwrap_or(0));
        (first..=last).any(|beat| self.memory.fails(from + beat as u64 * self.memory.beat()))
    }

    /// What a read taken now must give.
    fn expect(&self, line: u32) -> Option<Vec<u32>> {
        if self.beats(line).any(|address| self.memory.fails(address)) {
            return None;
        }
        let (from, bytes) = (self.address(line) as usize, self.geometry.element_bytes());
        let element = |lane: usize| {
            let at = from + lane * bytes;
            self.expected[at..at + bytes].iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte))
        };
        Some((0..self.geometry.lanes).map(element).collect())
    }

    /// A cycle; `read`, `write`: asks for one, if it may.
    fn cycle(&mut self, read: bool, write: bool, take: bool) {
        if self.asked.is_none() && read {
            self.asked = Some(self.line());
        }
        let write = (write && self.writes.len() < UNACKNOWLEDGED).then(|| self.write());
        // A read on the way may or may not see a later write: leave such writes out.
        let write = write.filter(|w| self.asked != Some(w.line) && self.reads.iter().all(|(line, _)| *line != w.line));
        let requests = LineRequests { read: self.asked, take, write };
        let answers = self.memory.cycle(&requests);
        if let Some(reply) = answers.reply.filter(|_| take) {
            let (line, expected) = self.reads.pop_front().expect("nothing was asked for");
            assert_eq!(reply.error, expected.is_none(), "line {line}");
            if let Some(expected) = expected {
                assert_eq!(reply.data, expected, "line {line}");
            }
            self.count("read error", reply.error);
            self.count("read", true);
        }
        if let Some(error) = answers.ack {
            let (line, expected) = self.writes.pop_front().expect("nothing was written");
            assert_eq!(error, expected, "line {line}");
            self.count("write error", error);
            self.count("write", true);
        }
        if let Some(line) = self.asked {
            let behind = self.writes.iter().any(|(written, _)| *written == line);
            self.count("read behind a write to its line", answers.ready && behind);
            self.count("read waits", !answers.ready);
            if answers.ready {
                self.reads.push_back((line, self.expect(line)));
                self.asked = None;
            }
        }
        if let Some(write) = &requests.write {
            let fails = self.apply(write);
            self.writes.push_back((write.line, fails));
        }
    }

    fn settle(&mut self) {
        for _ in 0..10_000 {
            if self.reads.is_empty() && self.writes.is_empty() && self.asked.is_none() {
                return;
            }
            self.cycle(false, false, true);
        }
        panic!("something is still on the way");
    }

    fn random(&mut self, rounds: usize, cycles: usize) {
        for _ in 0..rounds {
            self.memory.weather(&mut self.rng);
            let paces = [1, 1, 2, 5].map(|_| [1, 2, 5][self.rng.random_range(0..3)]);
            for _ in 0..cycles {
                let [read, write, take] = [0, 1, 2].map(|at| self.rng.random_ratio(1, paces[at]));
                self.cycle(read, write, take);
            }
            self.settle();
            assert!(self.memory.bytes() == self.expected, "memory differs");
        }
    }
}

fn geometry(lanes: usize, element_bits: usize, memory: CcsMemory) -> CcsGeometry {
    CcsGeometry { lanes, element_bits, memory, ..CcsGeometry::preset("vc709").expect("named") }
}

fn memories() -> [CcsGeometry; 3] {
    [(4, 32), (8, 16), (16, 8)].map(|(lanes, bits)| geometry(lanes, bits, CcsMemory::Line))
}

fn buses() -> Vec<CcsGeometry> {
    use CcsMemory::{Axi128, Axi256, Axi512};
    let all = [(4, 32, Axi128), (16, 32, Axi128), (64, 8, Axi256), (16, 16, Axi128), (64, 32, Axi512)];
    all.map(|(lanes, bits, memory)| geometry(lanes, bits, memory)).to_vec()
}

fn line_memory<E: Engine>(engine: E, geometry: &CcsGeometry, lines: usize, seed: u64, rounds: usize) -> Coverage {
    let unit = LineMemoryLockstep::new(engine, geometry, lines, seed);
    let mut master = Master::new(Lines { unit, geometry: geometry.clone() }, geometry, lines, seed);
    for _ in 0..rounds {
        master.random(1, 400);
        master.memory.unit.reset();
    }
    master.coverage
}

fn adapter<E: Engine>(engine: E, geometry: &CcsGeometry, seed: u64, rounds: usize) -> Coverage {
    let mut master = Master::new(Bus::new(engine, geometry, 80, seed), geometry, 80, seed);
    assert_eq!(master.memory.unit.unseen(), Vec::<&str>::new(), "not compared");
    for _ in 0..rounds {
        master.random(1, 300);
        master.memory.unit.reset().unwrap_or_else(|d| panic!("{d}"));
    }
    master.coverage
}

#[test]
fn line_memory_natively() {
    for (seed, geometry) in memories().into_iter().enumerate() {
        let netlist = ccs_line_memory(&geometry, 32).expect("legal");
        let coverage = line_memory(engine(&netlist), &geometry, 32, seed as u64, 10);
        // A memory answers before a write could be in the way.
        let all = coverage.iter().filter(|(what, _)| **what != "read behind a write to its line");
        assert!(all.clone().all(|(_, &times)| times > 0), "{coverage:?}");
    }
}

#[test]
fn axi_adapter_natively() {
    let mut all = Coverage::new();
    for (seed, geometry) in buses().into_iter().enumerate() {
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        for (what, times) in adapter(engine(&netlist), &geometry, seed as u64, 12) {
            *all.entry(what).or_default() += times;
        }
    }
    println!("{all:?}");
    // A read is not taken while a write to its line is on the way.
    assert_eq!(all.remove("read behind a write to its line"), Some(0));
    assert!(all.values().all(|&times| times > 0), "{all:?}");
}

/// Lines one after the other, in both directions at once: cycles of each.
fn stream<E: Engine>(engine: E, geometry: &CcsGeometry, latency: u64) -> f64 {
    const LINES: u32 = 256;
    let mut bus = Bus::new(engine, geometry, 2 * LINES as usize, 1);
    bus.memory.latency = latency;
    let (mut next, mut replies, mut written, mut acks, mut cycles) = (0, 0, 0, 0, 0);
    while replies < LINES || acks < LINES {
        let write = (written < LINES && written - acks < UNACKNOWLEDGED as u32).then(|| LineWrite {
            line: LINES + written,
            lanes: vec![true; geometry.lanes],
            bytes: 15,
            word: None,
            data: vec![written & geometry.ones(); geometry.lanes],
        });
        written += u32::from(write.is_some());
        let requests = LineRequests { read: (next < LINES).then_some(next), take: true, write };
        let answers = bus.cycle(&requests);
        next += u32::from(requests.read.is_some() && answers.ready);
        replies += u32::from(answers.reply.is_some());
        acks += u32::from(answers.ack.is_some());
        cycles += 1;
    }
    f64::from(cycles) / f64::from(LINES)
}

/// As many cycles a line as it has beats, reads and writes at once, whatever the latency up to what the addresses ahead cover.
#[test]
fn lines_follow_each_other_without_a_gap() {
    for memory in [CcsMemory::Axi128, CcsMemory::Axi256, CcsMemory::Axi512] {
        let geometry = geometry(64, 32, memory);
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        let beats = 2048 / memory.bus_bits();
        for latency in [0, 20] {
            let measured = stream(engine(&netlist), &geometry, latency);
            println!("{memory:?}: {measured:.2} cycles a line of {beats} beats, both ways, latency {latency}");
            assert!(measured < beats as f64 + 0.3, "{measured}");
        }
    }
}

/// The adapter under Verilator with assertions bound to its bus.
fn judged(netlist: &Netlist, geometry: &CcsGeometry) -> Verilated {
    let bytes = geometry.memory.bus_bits() / 8;
    let ports = |names: &[&str]| names.iter().map(|n| format!(".{n}(m_axi_{n})")).collect::<Vec<_>>().join(", ");
    let read = ports(&["arlen", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"]);
    let write = ports(&[
        "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready",
    ]);
    let top = &netlist.top().name;
    let bound = format!(
        "bind {top} axi4_read_checker #(.BYTES({bytes})) reads (.clk(clk), .rst(rst), .araddr({{32'd0, m_axi_araddr}}), {read});\n\
         bind {top} axi4_write_checker #(.BYTES({bytes})) writes (.clk(clk), .rst(rst), .awaddr({{32'd0, m_axi_awaddr}}), {write});\n"
    );
    let watchers = [
        ("axi4_read_checker.sv", include_str!("axi4/axi4_read_checker.sv")),
        ("axi4_write_checker.sv", include_str!("axi4/axi4_write_checker.sv")),
        ("bind.sv", bound.as_str()),
    ];
    Verilated::watched(netlist, &cache_folder(), Build::State, &watchers).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn with_verilator_and_icarus() {
    for (number, geometry) in buses().into_iter().enumerate().filter(|(number, _)| [1, 2].contains(number)) {
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        if require("verilator").is_some() {
            let mut master = Master::new(Bus::new(judged(&netlist, &geometry), &geometry, 80, 31), &geometry, 80, 31);
            master.random(12, 300);
            let variable = |judge, name| {
                let model = &master.memory.unit.engine;
                model.variable(judge, name).unwrap_or_else(|e| panic!("{e}"))
            };
            for judge in ["reads", "writes"] {
                let [violations, bursts, errors] = ["violations", "bursts", "errors"].map(|name| variable(judge, name));
                println!("{judge}: {bursts} bursts, {errors} errors, {violations} violations");
                assert!(violations == 0 && bursts > 100 && errors > 0);
            }
        }
        if require("iverilog").is_some() && number == 1 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            let mut master = Master::new(Bus::new(model, &geometry, 80, 32), &geometry, 80, 32);
            master.random(1, 60);
        }
    }
    let geometry = &memories()[1];
    let netlist = ccs_line_memory(geometry, 32).expect("legal");
    if require("verilator").is_some() {
        let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        line_memory(model, geometry, 32, 33, 2);
    }
    if require("iverilog").is_some() {
        let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let unit = LineMemoryLockstep::new(model, geometry, 32, 34);
        Master::new(Lines { unit, geometry: geometry.clone() }, geometry, 32, 34).random(1, 60);
    }
}

#[test]
fn tools_are_quiet() {
    for geometry in memories() {
        quiet(&ccs_line_memory(&geometry, 32).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
    for geometry in buses() {
        quiet(&ccs_axi_adapter(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
