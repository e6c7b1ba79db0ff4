//! Model of the memory reader.

use super::burst_generator::BurstGenerator;
use super::burst_generator::stride;
use super::{Elements, FAILED};
use crate::queue::Queue;

/// Transfers that wait for their data.
pub const AHEAD: usize = 2;

/// Which chunks of 64 bits are to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Address of the run's first byte.
    pub run: Elements,
    /// Number of the next chunk in its beat.
    pub number: u8,
    /// Chunks of the run that are left.
    pub left: u16,
    /// Runs after it.
    pub runs: u16,
}

/// A chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes.
    pub data: u64,
    /// The bus' response.
    pub response: u8,
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReaderInputs {
    /// A transfer is offered.
    pub start: Option<Elements>,
    /// A word is taken if there.
    pub word_ready: bool,
    /// The read address is taken if offered.
    pub address_ready: bool,
    /// Read data and response.
    pub beat: Option<(Vec<u64>, u8)>,
}

/// A word out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The element in its low bits.
    pub data: u64,
    /// The transfer's last.
    pub last: bool,
    /// The transfer's first error, 0 for none.
    pub response: u8,
    /// The element that it concerns.
    pub address: u64,
}

/// The reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryReader {
    chunks_per_beat: u8,
    /// Bursts.
    pub bursts: BurstGenerator,
    /// Transfers that wait for their data.
    pub waiting: Queue<Elements>,
    /// Chunks to come.
    pub chunks: Option<Chunks>,
    /// Elements to come.
    pub elements: Option<Elements>,
    /// First byte of the next element in the chunk that is held; below 0 in the one before.
    pub place: i8,
    /// The chunk that is held.
    pub held: Option<Chunk>,
    /// The chunk before, lowest byte dropped; `None` before the first.
    pub before: Option<u64>,
    /// First error of the transfer, 0 for none.
    pub failed: u8,
    /// The element that it concerns.
    pub failed_address: u64,
    /// The word on offer, and whether it is the last.
    pub word: Option<(u64, bool)>,
}

impl MemoryReader {
    /// A reader for beats of `beat` bytes.
    pub fn new(beat: u64) -> MemoryReader {
        MemoryReader {
            chunks_per_beat: (beat / 8) as u8,
            bursts: BurstGenerator::new(beat),
            waiting: Queue::new(AHEAD),
            chunks: None,
            elements: None,
            place: 0,
            held: None,
            before: None,
            failed: 0,
            failed_address: 0,
            word: None,
        }
    }

    /// Reset: the queue's memory and what needs no reset stay.
    pub fn reset(&mut self) {
        let mut waiting = self.waiting.clone();
        waiting.reset();
        *self = MemoryReader { waiting, before: self.before, ..MemoryReader::new(u64::from(self.chunks_per_beat) * 8) };
    }

    /// A transfer is taken if offered.
    pub fn start_ready(&self) -> bool {
        self.bursts.piece.is_none() && self.waiting.ready()
    }

    /// The word on offer.
    pub fn word(&self) -> Option<Word> {
        let word = |(data, last)| Word { data, last, response: self.failed, address: self.failed_address };
        self.word.map(word)
    }

    /// The next element leaves in this cycle.
    fn emits(&self, word_ready: bool) -> Option<Elements> {
        let fits = |e: &Elements| self.place + e.bytes as i8 <= 8;
        self.elements.filter(fits).filter(|_| self.held.is_some() && (self.word.is_none() || word_ready))
    }

    /// The chunk held leaves in this cycle: nothing that starts or goes on in it is left.
    fn leaves(&self, word_ready: bool) -> bool {
        let Some(elements) = self.elements.filter(|_| self.held.is_some()) else { return false };
        let bytes = elements.bytes as i8;
        if self.emits(word_ready).is_some() {
            !elements.dense() || elements.count == 1 || self.place + 2 * bytes > 8
        } else {
            self.place + bytes > 8
        }
    }

    /// A chunk is taken if the bus has one.
    fn wants_chunk(&self, word_ready: bool) -> bool {
        let Some(elements) = self.elements else { return false };
        let done = elements.count == 1 && self.emits(word_ready).is_some();
        !done && (self.held.is_none() || self.leaves(word_ready))
    }

    /// A beat is taken if offered.
    pub fn beat_ready(&self, word_ready: bool) -> bool {
        let last = |c: &Chunks| c.left == 1 || c.number + 1 == self.chunks_per_beat;
        self.wants_chunk(word_ready) && self.chunks.as_ref().is_some_and(last)
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &ReaderInputs) {
        let start = inputs.start.as_ref().filter(|_| self.start_ready());
        let begins = self.waiting.head().copied();
        let begins = begins.filter(|_| self.chunks.is_none() && self.elements.is_none() && self.word.is_none());
        let chunk = match (&inputs.beat, &self.chunks) {
            (Some((data, response)), Some(chunks)) if self.wants_chunk(inputs.word_ready) => {
                Some(Chunk { data: data[usize::from(chunks.number)], response: *response })
            }
            _ => None,
        };
        let (emits, leaves) = (self.emits(inputs.word_ready), self.leaves(inputs.word_ready));
        // The element's error is noted while its chunk is held.
        if let (Some(held), Some(elements), 0) = (self.held, self.elements, self.failed) {
            if held.response & FAILED != 0 {
                (self.failed, self.failed_address) = (held.response, elements.address);
            }
        }
        if inputs.word_ready {
            self.word = None;
        }
        if let Some(element) = emits {
            let held = self.held.expect("an element leaves from a chunk");
            let window = u128::from(held.data) << 56 | u128::from(self.before.unwrap_or(0));
            self.word = Some(((window >> (8 * (self.place + 7))) as u64, element.count == 1));
            self.elements = element.rest();
            let next = element.address.wrapping_add_signed(element.stride.into());
            self.place = if element.dense() { self.place + element.bytes as i8 } else { (next % 8) as i8 };
        }
        if leaves {
            self.before = self.held.take().map(|chunk| chunk.data >> 8);
            if emits.is_none_or(|e| e.dense()) {
                self.place -= 8;
            }
        }
        if let Some(chunk) = chunk {
            self.held = Some(chunk);
            self.chunks = self.chunks.and_then(|c| self.after(c));
        }
        if let Some(elements) = begins {
            let (runs, bytes) = elements.runs();
            self.chunks = Some(self.run(elements, runs - 1, bytes));
            self.elements = Some(elements);
            self.place = (elements.address % 8) as i8;
            (self.held, self.failed) = (None, 0);
        }
        self.waiting.step(start.copied(), begins.is_some());
        self.bursts.step(start, inputs.address_ready);
    }

    /// The chunks of a run of `bytes` bytes.
    fn run(&self, run: Elements, runs: u16, bytes: u16) -> Chunks {
        let number = (run.address / 8 % u64::from(self.chunks_per_beat)) as u8;
        let left = ((run.address % 8) as u16 + bytes).div_ceil(8);
        Chunks { run, number, left, runs }
    }

    /// The chunks after the next.
    fn after(&self, chunks: Chunks) -> Option<Chunks> {
        if chunks.left > 1 {
            let number = (chunks.number + 1) % self.chunks_per_beat;
            return Some(Chunks { number, left: chunks.left - 1, ..chunks });
        }
        let run = chunks.run.rest().filter(|_| chunks.runs > 0)?;
        Some(self.run(run, chunks.runs - 1, run.bytes.into()))
    }
}

state! {
    MemoryReader(self) {
        in bursts = self.bursts;
        in waiting = self.waiting, (Elements::pack);
        in splitter {
            active = self.chunks.is_some();
            when (let Some(chunks) = self.chunks) {
                chunks => number, runs;
                rest = u64::from(chunks.left) - 1;
                offset = chunks.run.address % 64;
                stride = stride(chunks.run.stride) % 64;
                element_rest = u64::from(chunks.run.bytes) - 1;
            }
        }
        in unpacker {
            active = self.elements.is_some();
            when (let Some(elements) = self.elements) {
                elements => address;
                count = u64::from(elements.count) - 1;
                size = elements.bytes;
                stride = stride(elements.stride);
                dense = elements.dense();
                place = (self.place + 7) as u64;
            }
            held = self.held.is_some();
            chunk = self.held.map(|chunk| chunk.data);
            response = self.held.map(|chunk| chunk.response);
            carried = self.before;
            failed = self.failed;
            when (self.failed != 0) {
                failed_address = self.failed_address;
            }
            full = self.word.is_some();
            word = self.word.map(|word| word.0);
            last = self.word.map(|word| word.1);
        }
    }
}
