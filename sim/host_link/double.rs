//! A board in plain Rust: the protocol's rules, the address map, registers, memories, and commands that take no time.
//!
//! It shares nothing with the hardware but tables and models, and has its faults when tests want them:
//! [`Double::broken`]. What it leaves out: time within the design, so that the array is never busy and counts no
//! cycles, and a queue that overflows only within one request; a command of the cache compute system that leaves its
//! memory changes nothing.

mod array;
mod bus;
mod ccs;
mod duality;

use std::collections::VecDeque;

use super::wire::Wire;
use crate::error::Result;
use crate::system::SystemParams;
use crate::system::protocol::{
    FIXED_ADDRESS, MAX_WORDS, Operation, REQUEST_BYTES, REQUEST_START, Reply, Status, checksum,
};
use bus::Bus;

pub use bus::Broken;

/// Bits of a byte on the line.
const BYTE: u64 = 10;

/// What the bridge does with the next byte.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Waits for a first byte.
    Hunt,
    /// Has so much of a frame.
    Frame(Vec<u8>),
    /// Drops bytes until the line is quiet.
    Drain,
}

/// The board.
pub struct Double {
    params: SystemParams,
    bus: Bus,
    phase: Phase,
    /// Bytes on their way to the board, and from it.
    sent: VecDeque<u8>,
    replies: VecDeque<u8>,
    now: u64,
    /// When the last byte came.
    last: u64,
}

/// The header's fields.
struct Header {
    operation: u8,
    tag: u8,
    count: usize,
    address: u32,
}

fn header(bytes: &[u8]) -> Header {
    Header {
        operation: bytes[1],
        tag: bytes[2],
        count: usize::from(u16::from_le_bytes([bytes[3], bytes[4]])),
        address: u32::from_le_bytes([bytes[5], bytes[6], bytes[7], bytes[8]]),
    }
}

impl Double {
    /// A board after reset, memories filled from the seed.
    ///
    /// # Errors
    /// [`crate::error::Error::Parameter`] if the parameters break a rule.
    pub fn new(params: &SystemParams, seed: u64) -> Result<Double> {
        params.check()?;
        Ok(Double {
            bus: Bus::new(params, seed),
            params: params.clone(),
            phase: Phase::Hunt,
            sent: VecDeque::new(),
            replies: VecDeque::new(),
            now: 0,
            last: 0,
        })
    }

    /// Something that is wrong with it from now on.
    pub fn broken(mut self, how: Broken) -> Double {
        self.bus.broken = Some(how);
        self
    }

    /// A byte has come.
    fn byte(&mut self, byte: u8) {
        self.last = self.now;
        match &mut self.phase {
            // While it answers, bytes are dropped.
            Phase::Hunt if byte == REQUEST_START && self.replies.is_empty() => self.phase = Phase::Frame(vec![byte]),
            Phase::Hunt | Phase::Drain => {}
            Phase::Frame(bytes) => {
                bytes.push(byte);
                let bytes = bytes.clone();
                self.frame(&bytes);
            }
        }
    }

    /// Looks at a frame that has grown by a byte.
    fn frame(&mut self, bytes: &[u8]) {
        if bytes.len() < REQUEST_BYTES {
            return;
        }
        let head = header(bytes);
        let read = head.operation & !FIXED_ADDRESS == Operation::Read as u8;
        let write = head.operation & !FIXED_ADDRESS == Operation::Write as u8;
        let sum = |data: &[u8], at: usize| checksum(data).to_le_bytes() == bytes[at..at + 2];
        let status = if !sum(&bytes[..REQUEST_BYTES - 2], REQUEST_BYTES - 2) {
            Status::Checksum
        } else if !read && !write {
            Status::Operation
        } else if !(1..=MAX_WORDS).contains(&head.count) {
            Status::Count
        } else if !head.address.is_multiple_of(4) {
            Status::Alignment
        } else {
            Status::Ok
        };
        if status != Status::Ok {
            self.refuse(status, head.tag);
            return;
        }
        let end = REQUEST_BYTES + 4 * head.count;
        if write && bytes.len() < end + 2 {
            return;
        }
        if write && !sum(&bytes[REQUEST_BYTES..end], end) {
            self.refuse(Status::Checksum, head.tag);
            return;
        }
        self.phase = Phase::Hunt;
        let fixed = head.operation & FIXED_ADDRESS != 0;
        let address = |i: usize| head.address.wrapping_add(if fixed { 0 } else { 4 * i as u32 });
        self.bus.begin();
        let mut reply = Reply { status: Status::Ok, tag: head.tag, count: 0, words: Vec::new() };
        for i in 0..head.count {
            let at = REQUEST_BYTES + 4 * i;
            let done = if write {
                let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                self.bus.write(address(i), word)
            } else {
                self.bus.read(address(i)).map(|word| reply.words.push(word))
            };
            if done.is_none() {
                reply.status = Status::Bus;
                break;
            }
            reply.count += 1;
        }
        self.answer(&reply);
    }

    fn refuse(&mut self, status: Status, tag: u8) {
        self.answer(&Reply { status, tag, count: 0, words: Vec::new() });
        self.phase = Phase::Drain;
    }

    fn answer(&mut self, reply: &Reply) {
        self.bus.count(reply.status);
        self.replies.extend(reply.encode());
    }

    fn quiet(&mut self) {
        let Phase::Frame(bytes) = &self.phase else {
            self.phase = Phase::Hunt;
            return;
        };
        let tag = bytes.get(2).copied().unwrap_or(0);
        self.refuse(Status::Timeout, tag);
        self.phase = Phase::Hunt;
    }
}

impl Wire for Double {
    fn name(&self) -> String {
        format!("software double of board {}", self.params.name)
    }

    fn baud(&self) -> u32 {
        self.params.baud
    }

    fn send(&mut self, bytes: &[u8]) {
        self.sent.extend(bytes);
    }

    fn unsent(&self) -> usize {
        self.sent.len()
    }

    fn pass(&mut self, bits: u64, received: &mut Vec<u8>) {
        let end = self.now + bits;
        while self.now + BYTE <= end && !(self.sent.is_empty() && self.replies.is_empty()) {
            self.now += BYTE;
            received.extend(self.replies.pop_front());
            if let Some(byte) = self.sent.pop_front() {
                self.byte(byte);
            }
        }
        self.now = end;
        if self.phase != Phase::Hunt && self.now - self.last >= u64::from(self.params.timeout_bits) {
            self.quiet();
        }
    }

    fn now(&self) -> u64 {
        self.now
    }
}
