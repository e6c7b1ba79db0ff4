//! Model of the AXI4 adapter's writer.

use std::ops::Range;

use super::line_port::LineWrite;
use crate::memory::FAILED;
use crate::memory::core::MemoryInputs;
use crate::memory::writer::Bytes;
use bitline_units::ccs::CcsGeometry;

/// Lines that wait, at most.
const LINES: usize = 64;

/// A beat on offer: its words, and whether it is the last.
pub type Beat = (Vec<Bytes>, bool);

/// A line that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What is written.
    pub write: LineWrite,
    /// From the first beat to the last, both counted in.
    pub span: (usize, usize),
}

/// The writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxiWriter {
    /// Lines that came, by their number modulo 64.
    pub slots: Vec<Option<Waiting>>,
    /// Where the next one goes.
    pub tail: usize,
    /// The next one whose address goes out, and how many wait for that.
    pub addresses: (usize, usize),
    /// The next one whose data are read, and how many wait for that.
    pub data: (usize, usize),
    /// The address on offer, with beats less one.
    pub address: Option<(u32, u8)>,
    /// The line at the memories' outputs.
    pub there: Option<Waiting>,
    /// None of its beats has gone.
    pub fresh: bool,
    /// Its next beat; none before the first.
    pub beat: Option<usize>,
    /// The beat on offer.
    pub out: Option<Beat>,
    /// A response has come; whether it was an error.
    pub ack: Option<bool>,
    element_bits: usize,
    line_bytes: usize,
    beats: usize,
}

impl AxiWriter {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> AxiWriter {
        AxiWriter {
            slots: vec![None; LINES],
            fresh: true,
            element_bits: geometry.element_bits,
            line_bytes: geometry.line_bytes(),
            beats: 8 * geometry.line_bytes() / geometry.memory.bus_bits(),
            ..AxiWriter::default()
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        (self.tail, self.addresses, self.data) = (0, (0, 0), (0, 0));
        (self.address, self.there, self.out, self.ack) = (None, None, None, None);
        self.fresh = true;
    }

    /// Lanes of a beat.
    fn lanes(&self, lanes: usize, beat: usize) -> Range<usize> {
        let in_beat = lanes / self.beats;
        beat * in_beat..(beat + 1) * in_beat
    }

    /// First and last beat with a lane that is written; 0 and 0 without one.
    fn span(&self, write: &LineWrite) -> (usize, usize) {
        let any = |beat: &usize| write.lanes[self.lanes(write.lanes.len(), *beat)].contains(&true);
        let mut found = (0..self.beats).filter(any);
        let first = found.next().unwrap_or(0);
        (first, found.next_back().unwrap_or(first))
    }

    fn words(&self, write: &LineWrite, beat: usize) -> Vec<Bytes> {
        let mut words = vec![Bytes::default(); self.line_bytes / self.beats / 8];
        for (place, lane) in self.lanes(write.lanes.len(), beat).enumerate() {
            let bit = place * self.element_bits;
            let word = &mut words[bit / 64];
            word.data |= u64::from(write.element(lane, self.element_bits)) << (bit % 64);
            let mask = write.mask(lane, self.element_bits);
            let strobes = (0..4).filter(|byte| mask >> (8 * byte) & 1 == 1).map(|byte| 1u8 << byte);
            word.strobes |= strobes.sum::<u8>() << (bit % 64 / 8);
        }
        words
    }

    /// A clock edge.
    pub fn step(&mut self, bus: &MemoryInputs, write: Option<&LineWrite>) {
        let address_move = self.addresses.1 > 0 && (self.address.is_none() || bus.write_address_ready);
        if bus.write_address_ready {
            self.address = None;
        }
        if address_move {
            let Waiting { write, span: (first, last) } =
                self.slots[self.addresses.0].as_ref().expect("a line that waits");
            let (line, beat) = (write.line as usize * self.line_bytes, first * self.line_bytes / self.beats);
            self.address = Some(((line + beat) as u32, (last - first) as u8));
            self.addresses = ((self.addresses.0 + 1) % LINES, self.addresses.1 - 1);
        }
        let moves = self.there.is_some() && (self.out.is_none() || bus.write_data_ready);
        if bus.write_data_ready {
            self.out = None;
        }
        let mut ends = false;
        if let Some(Waiting { write, span: (first, last) }) = self.there.as_ref().filter(|_| moves) {
            let at = if self.fresh { *first } else { self.beat.expect("one has gone") };
            ends = at == *last;
            self.out = Some((self.words(write, at), ends));
            (self.beat, self.fresh) = (Some((at + 1) % 32), false);
        }
        if ends {
            self.there = None;
        }
        if self.data.1 > 0 && self.there.is_none() {
            self.there.clone_from(&self.slots[self.data.0]);
            self.fresh = true;
            self.data = ((self.data.0 + 1) % LINES, self.data.1 - 1);
        }
        if let Some(write) = write {
            let span = self.span(write);
            self.slots[self.tail] = Some(Waiting { write: write.clone(), span });
            self.tail = (self.tail + 1) % LINES;
            self.addresses.1 += 1;
            self.data.1 += 1;
        }
        self.ack = bus.response.map(|response| response & FAILED != 0);
    }
}

state! {
    AxiWriter(self) {
        self => tail, fresh, beat;
        address_at = self.addresses.0;
        address_count = self.addresses.1;
        data_at = self.data.0;
        data_count = self.data.1;
        address_valid = self.address.is_some();
        address = self.address.map(|address| address.0);
        length = self.address.map(|address| address.1);
        there = self.there.is_some();
        beat_valid = self.out.is_some();
        when (let Some((words, last)) = &self.out) {
            data = Bytes::data(words);
            strobes = Bytes::strobes(words);
            last = *last;
        }
        acked = self.ack.is_some();
        failed = self.ack;
    }
}
