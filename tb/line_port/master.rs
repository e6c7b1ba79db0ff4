//! A master of the line port that knows what memory must hold, and the two kinds of memory behind it.

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline::ccs::CcsGeometry;
use bitline::sim::engine::Engine;
use bitline::sim::lockstep::line_port::{AxiAdapterLockstep, LineMemoryLockstep};
use bitline::sim::model::ccs::line_port::{LineAnswers, LineRequests, LineWrite};
use bitline::sim::model::memory::core::MemoryInputs;
use bitline::sim::units::array::memory::{AxiMemory, DECODE_ERROR, OKAY, SLAVE_ERROR};

/// Lines that are not acknowledged, at most.
pub(super) const UNACKNOWLEDGED: usize = 63;

pub(super) type Coverage = BTreeMap<&'static str, u64>;

/// What is behind the port, with hardware and model in step.
pub(super) trait Memory {
    /// One cycle.
    fn cycle(&mut self, requests: &LineRequests) -> LineAnswers;
    /// What a write to the byte at this address answers.
    fn fails(&self, address: u64) -> bool;
    /// Bytes of a transaction: those that fail together.
    fn beat(&self) -> u64;
    /// Stalls and errors change.
    fn weather(&mut self, _rng: &mut ChaCha8Rng) {}
    /// Bytes as they are.
    fn bytes(&mut self) -> Vec<u8>;
}

pub(super) struct Lines<E: Engine> {
    pub(super) unit: LineMemoryLockstep<E>,
    pub(super) geometry: CcsGeometry,
    /// What is read on the second port, if there is one.
    pub(super) rng: ChaCha8Rng,
}

impl<E: Engine> Memory for Lines<E> {
    fn cycle(&mut self, requests: &LineRequests) -> LineAnswers {
        let mut requests = requests.clone();
        if self.unit.model.two {
            let lines = self.unit.model.lines.len() as u32;
            requests.more_read = self.rng.random::<bool>().then(|| self.rng.random_range(0..lines + 2));
            requests.more_waits = self.rng.random_range(0..4) == 0;
        }
        self.unit.cycle(&requests).unwrap_or_else(|d| panic!("{d}"))
    }

    fn fails(&self, address: u64) -> bool {
        address >= (self.unit.model.lines.len() * self.geometry.line_bytes()) as u64
    }

    fn beat(&self) -> u64 {
        self.geometry.line_bytes() as u64
    }

    fn bytes(&mut self) -> Vec<u8> {
        self.unit.compare_memory().unwrap_or_else(|d| panic!("{d}"));
        let elements = self.unit.model.lines.iter().flatten();
        elements.flat_map(|e| e.to_le_bytes()[..self.geometry.element_bytes()].to_vec()).collect()
    }
}

pub(super) struct Bus<E: Engine> {
    pub(super) unit: AxiAdapterLockstep<E>,
    pub(super) memory: AxiMemory,
    geometry: CcsGeometry,
}

impl<E: Engine> Bus<E> {
    pub(super) fn new(engine: E, geometry: &CcsGeometry, lines: usize, seed: u64) -> Bus<E> {
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
        let inputs = (requests.clone(), bus);
        let (answers, outputs) = self.unit.cycle(&inputs).unwrap_or_else(|d| panic!("{d}"));
        self.memory.after(&inputs.1, &outputs);
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

    fn bytes(&mut self) -> Vec<u8> {
        self.memory.bytes.clone()
    }
}

/// A master of the line port that knows what every line must hold.
pub(super) struct Master<M: Memory> {
    pub(super) memory: M,
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
    pub(super) coverage: Coverage,
}

impl<M: Memory> Master<M> {
    pub(super) fn new(mut memory: M, geometry: &CcsGeometry, lines: usize, seed: u64) -> Master<M> {
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
        let requests = LineRequests { read: self.asked, take, write, ..LineRequests::default() };
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

    pub(super) fn random(&mut self, rounds: usize, cycles: usize) {
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
