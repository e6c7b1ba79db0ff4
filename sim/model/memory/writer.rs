//! Model of the memory writer. The bytes of a transfer's elements go out in the beats of its bursts, in order, with a
//! strobe for each of them and for no other; the transfer ends with the last response, and tells the first error.

use std::collections::VecDeque;
use std::ops::Range;

use super::core::MemoryInputs;
use super::master::MasterSeen;
use super::{Burst, Elements, FAILED, SOON};
use crate::seen::Rules;

/// Bursts whose responses may be outstanding.
const BURSTS: usize = 16;

/// Bytes of a beat's 64 bits, with their strobes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The bytes; those without a strobe may be anything.
    pub data: u64,
    /// A bit for each that counts.
    pub strobes: u8,
}

impl Bytes {
    /// Puts a byte in.
    pub fn put(&mut self, place: usize, byte: u8) {
        self.data |= u64::from(byte) << (8 * place);
        self.strobes |= 1 << place;
    }

    /// The same with zeros in place of the bytes that do not count.
    pub fn counted(self) -> Bytes {
        let mask = (0..8).filter(|byte| self.strobes >> byte & 1 == 1).map(|byte| 0xff << (8 * byte)).sum::<u64>();
        Bytes { data: self.data & mask, ..self }
    }
}

seen! {
    /// What the writer shows besides the bus.
    WriterSeen {
        /// A transfer is under way.
        busy: bool = "busy";
        /// An element is taken if offered.
        ready: bool = "word_ready";
    }
}

/// The writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryWriter {
    beat: u64,
    /// Bursts whose addresses are to go out.
    pub addresses: VecDeque<Burst>,
    /// Beats to go out: the bytes that count, and whether it is its burst's last.
    pub beats: VecDeque<(Range<usize>, bool)>,
    /// Bursts whose data have not all gone.
    open: usize,
    /// Addresses of bursts whose responses are to come.
    pub responses: VecDeque<u64>,
    /// Elements to come.
    pub elements: Option<Elements>,
    /// Bytes of those that came.
    bytes: VecDeque<u8>,
    /// First error as a response, and the address of its burst; 0 for none.
    pub failed: (u8, u64),
}

impl MemoryWriter {
    /// A writer for beats of `beat` bytes.
    pub fn new(beat: u64) -> MemoryWriter {
        MemoryWriter { beat, ..MemoryWriter::default() }
    }

    /// A transfer is under way.
    pub fn busy(&self) -> bool {
        !self.responses.is_empty()
    }

    /// The beat that goes out next, if its bytes are here.
    fn next(&self) -> Option<(Vec<Bytes>, bool)> {
        let (lanes, last) = self.beats.front().filter(|beat| beat.0.len() <= self.bytes.len())?;
        let mut words = vec![Bytes::default(); self.beat as usize / 8];
        lanes.clone().zip(&self.bytes).for_each(|(lane, &byte)| words[lane / 8].put(lane % 8, byte));
        Some((words, *last))
    }

    /// A clock edge: the transfer that starts, what the writer and the bus show, and the element on offer.
    pub fn step(
        &mut self,
        start: Option<Elements>,
        (seen, master): (&WriterSeen, &MasterSeen),
        bus: &MemoryInputs,
        word: Option<u64>,
        rules: &mut Rules,
    ) {
        rules.same("the writer is busy", &self.busy(), &seen.busy);
        // Addresses.
        let offered = self.addresses.len();
        let unanswered = self.responses.len() - offered;
        let may = !self.addresses.is_empty() && unanswered < BURSTS;
        rules.moves("a write address goes out", may, master.awvalid, SOON);
        if let Some(Burst { address, beats }) = self.addresses.front().filter(|_| master.awvalid) {
            rules.same("the write burst", &(*address, beats.len()), &(master.awaddr, usize::from(master.awlen) + 1));
            if bus.write_address_ready {
                self.addresses.pop_front();
            }
        }
        // Data.
        let next = self.next();
        // Those of a burst do not wait until its address is taken, but until it is on offer.
        let may = next.is_some() && (self.open > offered || self.open == offered && unanswered < BURSTS);
        rules.moves("a beat goes out when its bytes are here", may, master.wvalid, SOON);
        if let Some(next) = next.filter(|_| master.wvalid) {
            let words = master.words().into_iter().map(Bytes::counted).collect();
            rules.same("the beat and whether it is the last", &next, &(words, master.wlast));
            if bus.write_data_ready {
                let (lanes, last) = self.beats.pop_front().expect("it was there");
                self.bytes.drain(..lanes.len());
                self.open -= usize::from(last);
            }
        }
        let wants = self.elements.is_some();
        rules.holds("only elements of a transfer are taken", wants || !seen.ready);
        let ahead = self.beats.front().is_some_and(|beat| beat.0.len() <= self.bytes.len());
        rules.moves("an element is taken", wants && !ahead, wants && !ahead && seen.ready, SOON);
        if let (Some(word), Some(elements), true) = (word, self.elements, seen.ready) {
            self.bytes.extend(&word.to_le_bytes()[..elements.bytes.into()]);
            self.elements = elements.rest();
        }
        // Responses.
        if let Some(address) = bus.response.and_then(|_| self.responses.pop_front()) {
            let response = bus.response.unwrap_or(0);
            if self.failed.0 == 0 && response & FAILED != 0 {
                self.failed = (response, address);
            }
        }
        if let Some(elements) = start {
            rules.holds("the writer has one transfer at a time", self.responses.is_empty());
            self.failed.0 = 0;
            let bursts = elements.bursts(self.beat);
            self.open = bursts.len();
            self.responses.extend(bursts.iter().map(|burst| burst.address));
            let beats = |burst: &Burst| {
                let last = burst.beats.len() - 1;
                burst.beats.clone().into_iter().enumerate().map(move |(number, lanes)| (lanes, number == last))
            };
            self.beats.extend(bursts.iter().flat_map(beats));
            self.addresses.extend(bursts);
            self.elements = Some(elements);
        }
    }

    /// A reset has passed.
    pub fn reset(&mut self) {
        *self = MemoryWriter::new(self.beat);
    }
}

state! {
    MemoryWriter(self) {
        error = self.failed.0;
        when (self.failed.0 != 0) {
            error_address = self.failed.1;
        }
    }
}
