//! Model of the AXI4 adapter. A line that is asked for is a burst, whose beats make it; a line that is written is a
//! burst from the first to the last beat with a lane that is written. Reads wait for writes to their line, and nothing
//! else waits for anything but the bus.

use std::collections::VecDeque;
use std::ops::Range;

use super::line_port::{LineAnswers, LineReply, LineRequests, LineWrite};
use crate::memory::FAILED;
use crate::memory::core::{MemoryInputs, MemoryOutputs};
use crate::memory::master::MasterSeen;
use crate::memory::writer::Bytes;
use crate::seen::{Rules, Source, Tap};
use crate::state::Path;
use bitline_units::ccs::CcsGeometry;

/// Lines whose addresses may be ahead of their data.
const AHEAD: usize = 8;
/// Cycles until the address and the first beat of a line that is written are on offer.
const ADDRESS: u32 = 2;
const DATA: u32 = 3;

/// A beat on offer: its words, and whether it is the last.
pub type Beat = (Vec<Bytes>, bool);

/// The adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxiAdapter {
    element_bits: usize,
    /// Lanes of a line.
    pub lanes: usize,
    line_bytes: usize,
    beats: usize,
    /// A line whose address is on offer.
    pub asked: Option<u32>,
    /// Lines that were asked for and are not complete.
    pub ahead: usize,
    /// What has come of a line, and whether a beat of it had an error.
    comes: (Vec<u32>, bool),
    /// The line on offer.
    pub reply: Option<LineReply>,
    /// Bursts whose addresses are to go out.
    addresses: VecDeque<(u64, u16)>,
    /// Beats to go out.
    data: VecDeque<Beat>,
    /// Lines that were written and for which no response has come.
    unanswered: VecDeque<u32>,
    /// A response has come; whether it was an error.
    pub ack: Option<bool>,
    /// Whether a read is taken if asked for, and the bus.
    seen: (bool, MasterSeen),
    /// What the hardware is held to.
    pub rules: Rules,
}

impl AxiAdapter {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> AxiAdapter {
        AxiAdapter {
            element_bits: geometry.element_bits,
            lanes: geometry.lanes,
            line_bytes: geometry.line_bytes(),
            beats: 8 * geometry.line_bytes() / geometry.memory.bus_bits(),
            ..AxiAdapter::default()
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        let AxiAdapter { element_bits, lanes, line_bytes, beats, .. } = *self;
        *self = AxiAdapter { element_bits, lanes, line_bytes, beats, ..AxiAdapter::default() };
    }

    /// Takes what the hardware shows, an adapter at this path with the bus at the top.
    pub fn see(&mut self, at: &Path<'_>, from: &mut dyn Source) {
        self.seen.0.tap(&at.at("read_ready"), from);
        self.seen.1.tap(&Path::TOP.bus("m_axi"), from);
    }

    /// What it shows on the line port while this line is asked for; without one `ready` means nothing.
    pub fn answers(&self, read: Option<u32>) -> LineAnswers {
        LineAnswers {
            ready: self.seen.0 && read.is_some(),
            reply: self.reply.clone(),
            ack: self.ack,
            ..LineAnswers::default()
        }
    }

    /// Lanes of a beat.
    fn in_beat(&self, beat: usize) -> Range<usize> {
        let lanes = self.lanes / self.beats;
        beat * lanes..(beat + 1) * lanes
    }

    fn words(&self, write: &LineWrite, beat: usize) -> Vec<Bytes> {
        let mut words = vec![Bytes::default(); self.line_bytes / self.beats / 8];
        let bytes = self.element_bits / 8;
        for (place, lane) in self.in_beat(beat).enumerate() {
            let (element, mask) = (write.element(lane, self.element_bits), write.mask(lane, self.element_bits));
            for byte in (0..bytes).filter(|byte| mask >> (8 * byte) & 1 == 1) {
                let at = place * bytes + byte;
                words[at / 8].put(at % 8, (element >> (8 * byte)) as u8);
            }
        }
        words
    }

    /// A line is written.
    fn write(&mut self, write: &LineWrite) {
        let mut any = (0..self.beats).filter(|&beat| write.lanes[self.in_beat(beat)].contains(&true));
        let first = any.next().unwrap_or(0);
        let last = any.next_back().unwrap_or(first);
        let address = write.line as usize * self.line_bytes + first * self.line_bytes / self.beats;
        self.addresses.push_back((address as u32 as u64, (last - first) as u16 + 1));
        let beats: Vec<_> = (first..=last).map(|beat| (self.words(write, beat), beat == last)).collect();
        self.data.extend(beats);
        self.unanswered.push_back(write.line);
    }

    /// A beat has come.
    fn beat(&mut self, data: &[u64], response: u8) {
        let (ones, bits) = (u32::MAX >> (32 - self.element_bits), self.element_bits);
        let element = |lane: usize| (data[lane * bits / 64] >> (lane * bits % 64)) as u32 & ones;
        self.comes.0.extend((0..self.lanes / self.beats).map(element));
        self.comes.1 |= response & FAILED != 0;
        if self.comes.0.len() == self.lanes {
            let (data, error) = std::mem::take(&mut self.comes);
            self.reply = Some(LineReply { data, error });
            self.ahead -= 1;
        }
    }

    /// One clock edge: the line port and the bus.
    pub fn step(&mut self, inputs: &LineRequests, bus: &MemoryInputs) -> (LineAnswers, MemoryOutputs) {
        let (answers, shown) = (self.answers(inputs.read), self.seen.1.outputs());
        let (ready, mut rules) = (answers.ready, std::mem::take(&mut self.rules));
        // Reads.
        let room = self.ahead < AHEAD && (self.asked.is_none() || bus.read_address_ready);
        let read = inputs.read.filter(|_| ready);
        let waits = |line: u32| self.unanswered.contains(&line);
        rules.holds("a read has room and waits for writes to its line", read.is_none_or(|line| room && !waits(line)));
        let must = room && inputs.read.is_some() && self.unanswered.is_empty();
        rules.holds("a read is taken when all writes are answered", !must || ready);
        let burst = self.asked.map(|line| (u64::from(line.wrapping_mul(self.line_bytes as u32)), self.beats as u16));
        rules.same("the burst that is read", &burst, &shown.read_address);
        let takes = self.reply.is_none() || inputs.take;
        rules.same("read data are taken", &takes, &shown.read_data_ready);
        if bus.read_address_ready {
            self.asked = None;
        }
        if read.is_some() {
            (self.asked, self.ahead) = (read, self.ahead + 1);
        }
        if inputs.take {
            self.reply = None;
        }
        if let Some((data, response)) = bus.read_data.as_ref().filter(|_| takes) {
            rules.holds("beats come that were asked for", self.ahead > 0);
            self.beat(data, *response);
        }
        // Writes.
        rules.moves("an address goes out", !self.addresses.is_empty(), shown.write_address.is_some(), ADDRESS);
        if let Some(address) = shown.write_address {
            rules.same("the burst that is written", &self.addresses.front(), &Some(&address));
            self.addresses.drain(..usize::from(bus.write_address_ready).min(self.addresses.len()));
        }
        rules.moves("a beat goes out", !self.data.is_empty(), shown.write_data.is_some(), DATA);
        if let Some((words, last)) = &shown.write_data {
            let words = words.iter().copied().map(Bytes::counted).collect();
            rules.same("the beat and whether it is the last", &self.data.front(), &Some(&(words, *last)));
            self.data.drain(..usize::from(bus.write_data_ready).min(self.data.len()));
        }
        self.ack = bus.response.map(|response| response & FAILED != 0);
        if self.ack.is_some() {
            self.unanswered.pop_front();
        }
        if let Some(write) = &inputs.write {
            self.write(write);
        }
        self.rules = rules;
        (answers, shown)
    }
}
