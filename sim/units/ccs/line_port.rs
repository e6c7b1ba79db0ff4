//! A simulated memory behind the line port of a cache compute system.

use std::collections::VecDeque;
use std::ops::Range;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ccs::CcsGeometry;

/// What the system asks of memory in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRequest {
    /// A line to read.
    pub read: Option<u32>,
    /// The reply offered is taken.
    pub reply_ready: bool,
    /// A line or a word to write.
    pub write: Option<LineWrite>,
    /// A line to read on the second port, where every reply is taken.
    pub more_read: Option<u32>,
}

/// A write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineWrite {
    /// Which line.
    pub line: u32,
    /// Which lanes.
    pub lanes: Vec<bool>,
    /// Which bytes of each 32-bit word.
    pub bytes: u8,
    /// The word, if it is one.
    pub word: Option<u32>,
    /// The lanes' elements, if it is none.
    pub data: Vec<u32>,
}

/// What memory offers in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineReply {
    /// A request to read is taken.
    pub read_ready: bool,
    /// A line, and whether it comes with an error.
    pub reply: Option<(Vec<u32>, bool)>,
    /// The oldest write is done, or has failed.
    pub ack: Option<bool>,
    /// On the second port, a request to read is taken.
    pub more_ready: bool,
    /// A line there, and whether it comes with an error.
    pub more_reply: Option<(Vec<u32>, bool)>,
}

/// The memory.
#[derive(Clone, Debug)]
pub struct LinePort {
    lane_bytes: usize,
    line_bytes: usize,
    /// Its bytes from address 0 on; beyond them, every access fails.
    pub bytes: Vec<u8>,
    /// Addresses that answer with an error.
    pub faults: Vec<Range<u32>>,
    /// Cycles from a request to its reply, at least 1; the same for acknowledgements.
    pub latency: u64,
    /// A channel moves in one cycle of so many, on average; 1: always.
    pub pace: u32,
    /// Lines read.
    pub lines_read: u64,
    /// Lines and words written.
    pub lines_written: u64,
    cycle: u64,
    rng: ChaCha8Rng,
    reads: VecDeque<(Vec<u32>, bool, u64)>,
    more_reads: VecDeque<(Vec<u32>, bool, u64)>,
    acks: VecDeque<(bool, u64)>,
    ready: bool,
    offered: bool,
    ports: usize,
    more_ready: bool,
    more_offered: bool,
}

impl LinePort {
    /// `size` zero bytes.
    pub fn new(geometry: &CcsGeometry, size: usize, seed: u64) -> LinePort {
        LinePort {
            lane_bytes: geometry.element_bytes(),
            line_bytes: geometry.line_bytes(),
            bytes: vec![0; size],
            faults: vec![],
            latency: 1,
            pace: 1,
            lines_read: 0,
            lines_written: 0,
            cycle: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            reads: VecDeque::new(),
            more_reads: VecDeque::new(),
            acks: VecDeque::new(),
            ready: true,
            offered: false,
            ports: geometry.read_ports,
            more_ready: false,
            more_offered: false,
        }
    }

    fn moves(&mut self) -> bool {
        self.pace <= 1 || self.rng.random_range(0..self.pace) == 0
    }

    /// Whether an access to a line fails.
    fn fails(&self, line: u32) -> bool {
        let first = u64::from(line) * self.line_bytes as u64;
        let end = first + self.line_bytes as u64;
        let fault = |r: &Range<u32>| u64::from(r.start) < end && first < u64::from(r.end);
        end > self.bytes.len() as u64 || self.faults.iter().any(fault)
    }

    /// What is offered in this cycle. An offer stays until it is taken.
    pub fn offer(&mut self) -> LineReply {
        self.ready = self.moves();
        let due = self.reads.front().is_some_and(|read| read.2 <= self.cycle);
        self.offered = due && (self.offered || self.moves());
        let acked = self.acks.front().is_some_and(|ack| ack.1 <= self.cycle) && self.moves();
        // A second port, without which chance has less to choose, moves when it will.
        if self.ports > 1 {
            self.more_ready = self.moves();
            let due = self.more_reads.front().is_some_and(|read| read.2 <= self.cycle);
            self.more_offered = due && self.moves();
        }
        let more_reply = self.more_reads.front().filter(|_| self.more_offered);
        LineReply {
            more_ready: self.more_ready,
            more_reply: more_reply.map(|(data, error, _)| (data.clone(), *error)),
            read_ready: self.ready,
            reply: self.reads.front().filter(|_| self.offered).map(|(data, error, _)| (data.clone(), *error)),
            ack: if acked { self.acks.pop_front().map(|ack| ack.0) } else { None },
        }
    }

    /// The end of the cycle, with what was asked.
    pub fn tick(&mut self, request: &LineRequest) {
        if self.offered && request.reply_ready {
            self.reads.pop_front();
            self.offered = false;
        }
        if self.more_offered {
            self.more_reads.pop_front();
            self.more_offered = false;
        }
        if let Some(line) = request.more_read.filter(|_| self.more_ready) {
            let read = self.answer(line);
            self.more_reads.push_back(read);
        }
        if let Some(line) = request.read.filter(|_| self.ready) {
            let read = self.answer(line);
            self.reads.push_back(read);
        }
        if let Some(write) = &request.write {
            let failed = self.fails(write.line);
            if !failed {
                self.write(write);
            }
            self.acks.push_back((failed, self.cycle + self.latency));
            self.lines_written += 1;
        }
        self.cycle += 1;
    }

    /// A line that is asked for: it, whether the read fails, and when it is due.
    fn answer(&mut self, line: u32) -> (Vec<u32>, bool, u64) {
        self.lines_read += 1;
        let failed = self.fails(line);
        let data = if failed { vec![0; self.line_bytes / self.lane_bytes] } else { self.line(line) };
        (data, failed, self.cycle + self.latency)
    }

    /// Nothing is outstanding.
    pub fn idle(&self) -> bool {
        self.reads.is_empty() && self.more_reads.is_empty() && self.acks.is_empty()
    }

    /// Reads and writes that it has not answered.
    pub fn outstanding(&self) -> [usize; 2] {
        [self.reads.len() + self.more_reads.len(), self.acks.len()]
    }

    /// Forgets what it was asked for; writes stay.
    pub fn reset(&mut self) {
        self.reads.clear();
        self.more_reads.clear();
        self.more_offered = false;
        self.acks.clear();
        self.offered = false;
    }

    /// The elements of a line.
    pub fn line(&self, line: u32) -> Vec<u32> {
        let first = line as usize * self.line_bytes;
        let bytes = &self.bytes[first..first + self.line_bytes];
        let element = |lane: &[u8]| lane.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        bytes.chunks(self.lane_bytes).map(element).collect()
    }

    fn write(&mut self, write: &LineWrite) {
        let first = write.line as usize * self.line_bytes;
        for (at, byte) in (0..self.line_bytes).map(|i| (i, first + i)) {
            let (lane, part) = (at / self.lane_bytes, at % self.lane_bytes);
            if write.lanes[lane] && write.bytes >> (at % 4) & 1 == 1 {
                self.bytes[byte] = match write.word {
                    Some(word) => (word >> (8 * (at % 4))) as u8,
                    None => (write.data[lane] >> (8 * part)) as u8,
                };
            }
        }
    }
}
