//! A simulated memory behind AXI4, and a host that drives a compute unit with its way to memory through its registers.

pub mod figures;
pub mod host;

use std::collections::VecDeque;
use std::ops::Range;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::memory::core::{MemoryInputs, MemoryOutputs};

/// Response to an access that succeeds.
pub const OKAY: u8 = 0;
/// Response of a slave that fails.
pub const SLAVE_ERROR: u8 = 2;
/// Response where no slave is.
pub const DECODE_ERROR: u8 = 3;

/// What the bus has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Read bursts.
    pub read_bursts: u64,
    /// Their beats.
    pub read_beats: u64,
    /// Write bursts.
    pub write_bursts: u64,
    /// Their beats.
    pub write_beats: u64,
    /// Responses that told of an error.
    pub errors: u64,
    /// Cycles in which a beat moved or a burst waited for one.
    pub busy_cycles: u64,
}

/// A burst under way.
#[derive(Clone, Copy, Debug)]
struct Burst {
    address: u64,
    beats: u16,
    from: u64,
    failed: u8,
}

/// An AXI4 slave with bytes.
#[derive(Clone, Debug)]
pub struct AxiMemory {
    base: u64,
    /// The bytes from the base up.
    pub bytes: Vec<u8>,
    /// Addresses that answer with an error instead.
    pub faults: Vec<(Range<u64>, u8)>,
    /// Cycles from an address to its first data, and from the last data to the response.
    pub latency: u64,
    /// A channel moves in one cycle of so many, on average; 1: always.
    pub pace: u32,
    /// Serves reads or writes at a time, as a memory with one port does.
    pub one_side: bool,
    /// What it has moved.
    pub traffic: Traffic,
    beat: u64,
    cycle: u64,
    rng: ChaCha8Rng,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    data: VecDeque<(Vec<(u64, u8)>, bool)>,
    responses: VecDeque<(u8, u64)>,
    read_offer: Option<(Vec<u64>, u8)>,
    response_offer: Option<u8>,
}

impl AxiMemory {
    /// `size` zero bytes from `base` up, on a bus with beats of `beat` bytes.
    pub fn new(base: u64, size: usize, beat: u64, seed: u64) -> AxiMemory {
        AxiMemory {
            base,
            bytes: vec![0; size],
            faults: vec![],
            latency: 0,
            pace: 1,
            one_side: false,
            traffic: Traffic::default(),
            beat,
            cycle: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            data: VecDeque::new(),
            responses: VecDeque::new(),
            read_offer: None,
            response_offer: None,
        }
    }

    /// The bus is reset: nothing is outstanding.
    pub fn reset(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.data.clear();
        self.responses.clear();
        (self.read_offer, self.response_offer) = (None, None);
    }

    /// Nothing is outstanding.
    pub fn idle(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.data.is_empty() && self.responses.is_empty()
    }

    /// What an access to the beat with the byte at `address` answers.
    pub fn answers(&self, address: u64) -> u8 {
        self.answer(address / self.beat * self.beat)
    }

    /// What an access to the beat at `address` answers.
    fn answer(&self, address: u64) -> u8 {
        let beat = address..address.saturating_add(self.beat);
        let fault = self.faults.iter().find(|(range, _)| range.start < beat.end && beat.start < range.end);
        let inside = address.checked_sub(self.base).is_some_and(|at| at + self.beat <= self.bytes.len() as u64);
        fault.map_or(if inside { OKAY } else { DECODE_ERROR }, |&(_, response)| response)
    }

    /// Position of an address in the bytes.
    pub fn at(&self, address: u64) -> usize {
        (address - self.base) as usize
    }

    /// The element of `bytes` bytes at `address`.
    pub fn element(&self, address: u64, bytes: u8) -> u64 {
        let at = self.at(address);
        self.bytes[at..at + usize::from(bytes)].iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
    }

    /// Writes an element.
    pub fn set_element(&mut self, address: u64, bytes: u8, value: u64) {
        let at = self.at(address);
        self.bytes[at..at + usize::from(bytes)].copy_from_slice(&value.to_le_bytes()[..bytes.into()]);
    }

    /// The read data on offer are the last of their burst.
    pub fn last_beat(&self) -> bool {
        self.read_offer.is_some() && self.reads.front().is_some_and(|burst| burst.beats == 1)
    }

    fn goes(&mut self) -> bool {
        self.pace == 1 || self.rng.random_range(0..self.pace) == 0
    }

    /// What the memory puts on the bus in this cycle; what is offered stays until it is taken.
    pub fn drive(&mut self, inputs: &mut MemoryInputs) {
        if self.read_offer.is_none() && self.goes() {
            if let Some(&burst) = self.reads.front().filter(|burst| burst.from <= self.cycle) {
                let response = self.answer(burst.address);
                let words = (0..self.beat / 8).map(|word| {
                    let address = burst.address + 8 * word;
                    // What comes with an error may be anything.
                    if response == OKAY { self.element(address, 8) } else { address ^ 0x5a5a_5a5a_5a5a_5a5a }
                });
                self.read_offer = Some((words.collect(), response));
            }
        }
        if self.response_offer.is_none() && self.goes() {
            self.response_offer = self.responses.front().filter(|(_, from)| *from <= self.cycle).map(|r| r.0);
        }
        inputs.read_data.clone_from(&self.read_offer);
        inputs.response = self.response_offer;
        // One side at a time: the turns are by cycle, for either may be offered in this one.
        let turn = self.cycle.is_multiple_of(2);
        let reads = !self.one_side || (turn && self.writes.is_empty() && self.responses.is_empty());
        let writes = !self.one_side || (!turn && self.reads.is_empty());
        inputs.read_address_ready = self.goes() && reads;
        inputs.write_address_ready = self.goes() && writes;
        inputs.write_data_ready = self.goes();
    }

    /// What has happened in the cycle.
    ///
    /// # Panics
    /// If the master breaks a rule of AXI4.
    pub fn after(&mut self, inputs: &MemoryInputs, outputs: &MemoryOutputs) {
        let busy = !self.idle() || outputs.write_data.is_some();
        self.traffic.busy_cycles += u64::from(busy);
        if self.read_offer.is_some() && outputs.read_data_ready {
            let (_, response) = self.read_offer.take().expect("just looked");
            self.traffic.read_beats += 1;
            self.traffic.errors += u64::from(response != OKAY);
            let burst = self.reads.front_mut().expect("data belong to a burst");
            (burst.address, burst.beats) = (burst.address.wrapping_add(self.beat), burst.beats - 1);
            if burst.beats == 0 {
                self.reads.pop_front();
            }
        }
        if self.response_offer.is_some() {
            let (response, _) = self.responses.pop_front().expect("just offered");
            self.traffic.errors += u64::from(response != OKAY);
            self.response_offer = None;
        }
        let from = self.cycle + self.latency + 1;
        if let Some((address, beats)) = outputs.read_address.filter(|_| inputs.read_address_ready) {
            self.check(address, beats);
            self.traffic.read_bursts += 1;
            self.reads.push_back(Burst { address, beats, from, failed: OKAY });
        }
        if let Some((address, beats)) = outputs.write_address.filter(|_| inputs.write_address_ready) {
            self.check(address, beats);
            self.traffic.write_bursts += 1;
            self.writes.push_back(Burst { address, beats, from, failed: OKAY });
        }
        if let Some((chunks, last)) = outputs.write_data.as_ref().filter(|_| inputs.write_data_ready) {
            self.traffic.write_beats += 1;
            self.data.push_back((chunks.iter().map(|chunk| (chunk.data, chunk.strobes)).collect(), *last));
        }
        while let (Some(&burst), false) = (self.writes.front(), self.data.is_empty()) {
            let (chunks, last) = self.data.pop_front().expect("just looked");
            self.write(burst, &chunks, last);
        }
        self.cycle += 1;
    }

    fn write(&mut self, burst: Burst, chunks: &[(u64, u8)], last: bool) {
        let answer = self.answer(burst.address);
        let failed = if burst.failed == OKAY { answer } else { burst.failed };
        if answer == OKAY {
            for (number, (data, strobes)) in chunks.iter().enumerate() {
                for byte in (0..8).filter(|byte| strobes >> byte & 1 == 1) {
                    let at = self.at(burst.address) + 8 * number + byte;
                    self.bytes[at] = data.to_le_bytes()[byte];
                }
            }
        }
        assert_eq!(last, burst.beats == 1, "the burst's last beat, and only that, is marked");
        if last {
            self.writes.pop_front();
            self.responses.push_back((failed, self.cycle + self.latency + 1));
        } else {
            let front = self.writes.front_mut().expect("just looked");
            *front = Burst { address: burst.address + self.beat, beats: burst.beats - 1, failed, ..burst };
        }
    }

    fn check(&self, address: u64, beats: u16) {
        assert!((1..=256).contains(&beats), "a burst of {beats} beats");
        assert_eq!(address % self.beat, 0, "a burst at {address:#x}");
        let end = address + (u64::from(beats) * self.beat - 1);
        assert_eq!(address >> 12, end >> 12, "a burst from {address:#x} to {end:#x} crosses 4 KiB");
    }
}
