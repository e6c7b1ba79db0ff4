//! Model of the memory writer.

use super::burst_generator::stride;
use super::burst_generator::{Burst, BurstGenerator};
use super::{Elements, FAILED};
use crate::queue::Queue;

/// Bursts whose responses may be outstanding.
pub const BURSTS: usize = 16;

/// Bytes that have gathered, with their strobes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The bytes, 0 where there is no strobe.
    pub data: u64,
    /// A bit for each that counts.
    pub strobes: u8,
}

impl Bytes {
    /// The data of a beat of at most 8 chunks.
    pub fn data(chunks: &[Bytes]) -> [u64; 8] {
        std::array::from_fn(|k| chunks.get(k).map_or(0, |chunk| chunk.data))
    }

    /// The strobes of such a beat.
    pub fn strobes(chunks: &[Bytes]) -> u64 {
        chunks.iter().rev().fold(0, |all, chunk| all << 8 | u64::from(chunk.strobes))
    }

    fn add(self, bytes: Bytes) -> Bytes {
        Bytes { data: self.data | bytes.data, strobes: self.strobes | bytes.strobes }
    }
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterInputs {
    /// A transfer starts.
    pub start: Option<Elements>,
    /// A word is offered.
    pub word: Option<u64>,
    /// The write address is taken if offered.
    pub address_ready: bool,
    /// Write data are taken if offered.
    pub data_ready: bool,
    /// Write response.
    pub response: Option<u8>,
}

/// The writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWriter {
    chunks_per_beat: u8,
    /// Bursts.
    pub bursts: BurstGenerator,
    /// The write address on offer.
    pub address: Option<Burst>,
    /// Beats of bursts whose data are to come, less one.
    pub lengths: Queue<u8>,
    /// Addresses of bursts whose responses are to come.
    pub addresses: Queue<u64>,
    /// Elements to come.
    pub elements: Option<Elements>,
    /// What has gathered of a chunk.
    pub gathered: Option<Bytes>,
    /// It leaves next, and ends its run.
    pub flush: bool,
    /// The chunk on its way to its beat, and whether it ends its run.
    pub chunk: Option<(Bytes, bool)>,
    /// Where the run that is joined starts: lowest 6 bits of its address, and what is to be added for the next.
    pub joined: Option<(u8, u8)>,
    /// Number of the next chunk in its beat.
    pub number: u8,
    /// Chunks of the beat.
    pub beat: Vec<Bytes>,
    /// It is complete.
    pub full: bool,
    /// Beats of the burst that have left.
    pub beats: u8,
    /// First error, 0 for none.
    pub failed: u8,
    /// Address of its burst.
    pub failed_address: Option<u64>,
}

impl MemoryWriter {
    /// A writer for beats of `beat` bytes.
    pub fn new(beat: u64) -> MemoryWriter {
        MemoryWriter {
            chunks_per_beat: (beat / 8) as u8,
            bursts: BurstGenerator::new(beat),
            address: None,
            lengths: Queue::new(BURSTS),
            addresses: Queue::new(BURSTS),
            elements: None,
            gathered: None,
            flush: false,
            chunk: None,
            joined: None,
            number: 0,
            beat: vec![Bytes::default(); beat as usize / 8],
            full: false,
            beats: 0,
            failed: 0,
            failed_address: None,
        }
    }

    /// Reset: memories and what needs no reset stay.
    pub fn reset(&mut self) {
        let (mut lengths, mut addresses) = (self.lengths.clone(), self.addresses.clone());
        lengths.reset();
        addresses.reset();
        let clear = MemoryWriter::new(u64::from(self.chunks_per_beat) * 8);
        *self = MemoryWriter {
            lengths,
            addresses,
            joined: self.joined,
            number: self.number,
            failed_address: self.failed_address,
            ..clear
        };
        self.gathered = None;
    }

    /// A transfer is under way.
    pub fn busy(&self) -> bool {
        self.bursts.busy()
            || self.elements.is_some()
            || self.flush
            || self.chunk.is_some()
            || self.full
            || self.addresses.count > 0
    }

    /// Write data on offer: chunks, and whether they are the burst's last.
    pub fn data(&self) -> Option<(&[Bytes], bool)> {
        let length = self.lengths.head().filter(|_| self.full)?;
        Some((&self.beat, self.beats == *length))
    }

    /// The beat leaves if it is taken.
    fn joins(&self, data_ready: bool) -> bool {
        !self.full || (data_ready && self.data().is_some())
    }

    /// A word is taken if offered.
    pub fn word_ready(&self, data_ready: bool) -> bool {
        self.elements.is_some() && !self.flush && (self.chunk.is_none() || self.joins(data_ready))
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &WriterInputs) {
        let word = inputs.word.filter(|_| self.word_ready(inputs.data_ready));
        let (joins, last) = (self.joins(inputs.data_ready), self.data().map(|(_, last)| last));
        let leaves = last.filter(|_| inputs.data_ready);
        // Beats.
        if let Some(last) = leaves {
            self.full = false;
            self.beats = if last { 0 } else { self.beats + 1 };
            self.beat.iter_mut().for_each(|chunk| chunk.strobes = 0);
        }
        let chunk = self.chunk.filter(|_| joins);
        if let (Some((bytes, ends)), Some((offset, step))) = (chunk, self.joined) {
            self.beat[usize::from(self.number)] = bytes;
            self.number = (self.number + 1) % self.chunks_per_beat;
            self.full = ends || self.number == 0;
            if ends {
                let next = (offset + step) % 64;
                self.joined = Some((next, step));
                self.number = next / 8 % self.chunks_per_beat;
            }
        }
        // Chunks.
        if joins {
            self.chunk = None;
        }
        if self.flush && self.chunk.is_none() {
            self.chunk = self.gathered.map(|bytes| (bytes, true));
            (self.gathered, self.flush) = (Some(Bytes::default()), false);
        }
        if let (Some(word), Some(elements)) = (word, self.elements) {
            let place = elements.address % 8;
            let strobes = ((1u32 << elements.bytes) - 1) << place;
            let data = u128::from(word) << (8 * place);
            let low = Bytes { data: data as u64, strobes: strobes as u8 };
            let high = Bytes { data: (data >> 64) as u64, strobes: (strobes >> 8) as u8 };
            let all = self.gathered.unwrap_or_default().add(low);
            let ends = !elements.dense() || elements.count == 1;
            let spills = high.strobes != 0;
            if ends || spills || all.strobes & 0x80 != 0 {
                self.chunk = Some((all, ends && !spills));
                (self.gathered, self.flush) = (Some(high), ends && spills);
            } else {
                self.gathered = Some(all);
            }
            self.elements = elements.rest();
        }
        // Responses.
        if inputs.start.is_some() {
            self.failed = 0;
        } else if let (Some(response), 0) = (inputs.response, self.failed) {
            if response & FAILED != 0 && self.addresses.count > 0 {
                (self.failed, self.failed_address) = (response, self.addresses.head().copied());
            }
        }
        // Addresses.
        let room = self.lengths.ready() && self.addresses.ready();
        let moves = self.bursts.offered.filter(|_| room && (self.address.is_none() || inputs.address_ready));
        if inputs.address_ready {
            self.address = None;
        }
        self.address = moves.or(self.address);
        let answered = inputs.response.is_some() && self.addresses.count > 0;
        self.lengths.step(moves.map(|burst| (burst.beats - 1) as u8), leaves == Some(true));
        self.addresses.step(moves.map(|burst| burst.address), answered);
        self.bursts.step(inputs.start.as_ref(), moves.is_some());
        if let Some(start) = inputs.start {
            self.elements = Some(start);
            self.gathered = Some(Bytes::default());
            self.joined = Some(((start.address % 64) as u8, (start.stride & 63) as u8));
            self.number = (start.address / 8 % u64::from(self.chunks_per_beat)) as u8;
        }
    }
}

state! {
    MemoryWriter(self) {
        in bursts = self.bursts;
        in lengths = self.lengths, (|&length| [length.into()]);
        in addresses = self.addresses, (|&address| [address]);
        address_valid = self.address.is_some();
        address = self.address.map(|burst| burst.address);
        length = self.address.map(|burst| u64::from(burst.beats) - 1);
        error = self.failed;
        when (self.failed != 0) {
            error_address = self.failed_address;
        }
        in packer {
            active = self.elements.is_some();
            when (let Some(elements) = self.elements) {
                count = u64::from(elements.count) - 1;
                bytes = (1u64 << elements.bytes) - 1;
                stride = stride(elements.stride) % 8;
                dense = elements.dense();
                place = elements.address % 8;
            }
            gathered = self.gathered.map(|bytes| bytes.data);
            strobes = self.gathered.map_or(0, |bytes| bytes.strobes);
            flush = self.flush;
            full = self.chunk.is_some();
            when (let Some((bytes, ends)) = self.chunk) {
                chunk = bytes.data;
                chunk_bytes = bytes.strobes;
                ends = ends;
            }
        }
        in joiner {
            number = self.joined.map(|_| self.number);
            if (self.beat.len() > 1) {
                offset = self.joined.map(|joined| joined.0);
                stride = self.joined.map(|joined| joined.1);
            }
            self => full, beats;
            chunks[] = self.beat.iter().map(|chunk| chunk.data);
            strobes[] = self.beat.iter().map(|chunk| chunk.strobes);
        }
    }
}
