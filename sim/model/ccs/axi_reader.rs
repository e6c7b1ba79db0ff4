//! Model of the AXI4 adapter's reader.

use super::line_port::LineReply;
use crate::memory::FAILED;
use crate::memory::core::MemoryInputs;
use bitline_units::ccs::CcsGeometry;

/// Lines whose addresses may be ahead of their data.
const AHEAD: u8 = 8;

/// The reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxiReader {
    /// The address on offer.
    pub address: Option<u32>,
    /// Lines that were asked for and are not complete.
    pub ahead: u8,
    /// Number of the next beat.
    pub beat: usize,
    /// The line is on offer.
    pub full: bool,
    /// A beat of it had an error; none before the first.
    pub failed: Option<bool>,
    /// The line; none where nothing has come.
    pub line: Vec<Option<u32>>,
    element_bits: usize,
    line_bytes: usize,
    beats: usize,
}

impl AxiReader {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> AxiReader {
        AxiReader {
            line: vec![None; geometry.lanes],
            element_bits: geometry.element_bits,
            line_bytes: geometry.line_bytes(),
            beats: 8 * geometry.line_bytes() / geometry.memory.bus_bits(),
            ..AxiReader::default()
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        (self.address, self.ahead, self.beat, self.full) = (None, 0, 0, false);
    }

    /// Beats of a line.
    pub fn beats(&self) -> u16 {
        self.beats as u16
    }

    /// The line on offer.
    pub fn reply(&self) -> Option<LineReply> {
        let data = || self.line.iter().map(|element| element.expect("all beats have come")).collect();
        self.full.then(|| LineReply { data: data(), error: self.failed.expect("so has this") })
    }

    /// A read can be taken; `waits`: it must wait for a write.
    pub fn ready(&self, bus: &MemoryInputs, waits: bool) -> bool {
        !waits && self.ahead < AHEAD && (self.address.is_none() || bus.read_address_ready)
    }

    /// Read data are taken; `take`: so is the line on offer.
    pub fn takes(&self, take: bool) -> bool {
        !self.full || take
    }

    /// A clock edge; `read` is taken.
    pub fn step(&mut self, bus: &MemoryInputs, read: Option<u32>, take: bool) {
        let beat_ready = self.takes(take);
        if bus.read_address_ready {
            self.address = None;
        }
        if let Some(line) = read {
            self.address = Some(line.wrapping_mul(self.line_bytes as u32));
            self.ahead += 1;
        }
        if take {
            self.full = false;
        }
        if let Some((data, response)) = bus.read_data.as_ref().filter(|_| beat_ready) {
            let in_beat = self.line.len() / self.beats;
            for lane in 0..in_beat {
                let bit = lane * self.element_bits;
                let element = (data[bit / 64] >> (bit % 64)) as u32 & (u32::MAX >> (32 - self.element_bits));
                self.line[self.beat * in_beat + lane] = Some(element);
            }
            let before = self.beat > 0 && self.failed == Some(true);
            self.failed = Some(before || response & FAILED != 0);
            self.beat += 1;
            if self.beat == self.beats {
                (self.beat, self.full) = (0, true);
                self.ahead -= 1;
            }
        }
    }
}

state! {
    AxiReader(self) {
        address_valid = self.address.is_some();
        self => address, ahead, beat, full, failed;
        line[] = &self.line;
    }
}
