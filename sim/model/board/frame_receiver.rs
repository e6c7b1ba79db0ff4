//! Model of the frame receiver.

use super::checksum::Checksum;
use super::line_timer::LineTimer;
use super::uart_receiver::Heard;
use bitline_units::system::protocol::{MAX_WORDS, REQUEST_START, Status};

/// What the receiver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waits for a first byte.
    Hunt,
    /// Takes the header.
    Header,
    /// Finds what is wrong with it.
    Judge,
    /// Goes on accordingly.
    Decide,
    /// Takes words.
    Words,
    /// Takes their checksum.
    Tail,
    /// Compares it.
    Compare,
    /// Has a request.
    Offer,
    /// Waits for a quiet line.
    Drain,
}

/// A request, as far as it matters to the bridge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Status of a refused one, 0 for others.
    pub status: u8,
    /// It writes.
    pub write: bool,
    /// Every word at the same address.
    pub fixed: bool,
    /// Words.
    pub count: u16,
    /// Address of the first.
    pub address: u32,
}

/// The receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameReceiver {
    /// Sum over the header or the words.
    pub checksum: Checksum,
    /// Time since the last byte.
    pub timer: LineTimer,
    /// What it does.
    pub phase: Phase,
    /// Bytes of the header or the word that came.
    pub position: u8,
    /// The last ten bytes of headers, the last one on top.
    pub header: [u8; 10],
    /// The tag.
    pub tag: u8,
    /// The last four bytes of words, the last one on top.
    pub word: u32,
    /// They are a word.
    pub complete: bool,
    /// Its number.
    pub index: u8,
    /// Words to come.
    pub left: u16,
    /// What is wrong with the header: checksum, operation, count, alignment.
    pub wrong: [bool; 4],
    /// Status of the request.
    pub status: u8,
}

impl FrameReceiver {
    /// A receiver after reset.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32) -> FrameReceiver {
        FrameReceiver {
            checksum: Checksum::default(),
            timer: LineTimer::new(cycles_a_bit, timeout_bits),
            phase: Phase::Hunt,
            position: 0,
            header: [0; 10],
            tag: 0,
            word: 0,
            complete: false,
            index: 0,
            left: 0,
            wrong: [false; 4],
            status: 0,
        }
    }

    fn count(&self) -> u16 {
        u16::from_le_bytes([self.header[2], self.header[3]])
    }

    /// The request's fields, whether there is one or not.
    pub fn asked(&self) -> Asked {
        let [operation, _, _, _, a, b, c, d, ..] = self.header;
        Asked {
            status: self.status,
            write: operation & 2 != 0,
            fixed: operation & 0x80 != 0,
            count: self.count() & 0x1ff,
            address: u32::from_le_bytes([a, b, c, d]),
        }
    }

    /// A request is there.
    pub fn offers(&self) -> bool {
        self.phase == Phase::Offer
    }

    /// A frame is under way.
    pub fn busy(&self) -> bool {
        !matches!(self.phase, Phase::Hunt | Phase::Drain)
    }

    /// A word for the buffer, and its number.
    pub fn store(&self) -> Option<(u8, u32)> {
        self.complete.then_some((self.index, self.word))
    }

    fn judge(&self) -> [bool; 4] {
        let sum = u16::from_le_bytes([self.header[8], self.header[9]]);
        [
            sum != self.checksum.0,
            !matches!(self.header[0] & 0x7f, 1 | 2),
            !(1..=MAX_WORDS).contains(&self.count().into()),
            self.header[4] & 3 != 0,
        ]
    }

    fn take_word_byte(&mut self, byte: u8) {
        self.word = self.word >> 8 | u32::from(byte) << 24;
    }

    /// One clock edge: what the line has brought, and whether the request is done with.
    pub fn step(&mut self, heard: Option<Heard>, done: bool) {
        let expired = self.timer.expired();
        let filling = matches!(self.phase, Phase::Header | Phase::Words | Phase::Tail);
        let byte = match heard {
            Some(Heard::Byte(byte)) => Some(byte),
            _ => None,
        };
        let (position, judged) = (self.position, self.judge());
        if std::mem::take(&mut self.complete) {
            self.index = self.index.wrapping_add(1);
        }
        if matches!(self.phase, Phase::Offer | Phase::Drain) {
            self.checksum = Checksum::default();
        }
        match (self.phase, byte) {
            (Phase::Hunt, byte) => {
                (self.position, self.checksum) = (0, Checksum::default());
                if byte == Some(REQUEST_START) {
                    self.checksum.add(REQUEST_START);
                    (self.tag, self.phase) = (0, Phase::Header);
                }
            }
            (Phase::Header, Some(byte)) => {
                if position < 8 {
                    self.checksum.add(byte);
                }
                self.header.rotate_left(1);
                self.header[9] = byte;
                self.position += 1;
                match position {
                    1 => self.tag = byte,
                    9 => self.phase = Phase::Judge,
                    _ => {}
                }
            }
            (Phase::Judge, _) => self.phase = Phase::Decide,
            (Phase::Decide, _) => {
                self.checksum = Checksum::default();
                (self.position, self.index, self.left) = (0, 0, self.count() & 0x1ff);
                let rules = [Status::Checksum, Status::Operation, Status::Count, Status::Alignment];
                let broken = rules.into_iter().zip(self.wrong).find(|rule| rule.1);
                self.status = broken.map_or(Status::Ok, |rule| rule.0) as u8;
                let words = broken.is_none() && self.asked().write;
                self.phase = if words { Phase::Words } else { Phase::Offer };
            }
            (Phase::Words, Some(byte)) => {
                self.checksum.add(byte);
                self.take_word_byte(byte);
                self.position = (position + 1) % 4;
                if position == 3 {
                    self.complete = true;
                    self.left -= 1;
                    if self.left == 0 {
                        self.phase = Phase::Tail;
                    }
                }
            }
            (Phase::Tail, Some(byte)) => {
                self.take_word_byte(byte);
                self.position += 1;
                if position == 1 {
                    self.phase = Phase::Compare;
                }
            }
            (Phase::Compare, _) => {
                self.phase = Phase::Offer;
                if self.word >> 16 != u32::from(self.checksum.0) {
                    self.status = Status::Checksum as u8;
                }
            }
            (Phase::Offer, _) if done => {
                self.phase = if self.status == Status::Ok as u8 { Phase::Hunt } else { Phase::Drain };
            }
            (Phase::Drain, _) if expired => self.phase = Phase::Hunt,
            _ => {}
        }
        if filling && expired {
            (self.phase, self.status) = (Phase::Offer, Status::Timeout as u8);
        }
        self.wrong = judged;
        self.timer.step(heard.is_some());
    }
}

state! {
    FrameReceiver(self) {
        header = self.header.iter().rev().fold(0u128, |header, &byte| header << 8 | u128::from(byte));
        in checksum {
            state = self.checksum.0;
        }
        in timer {
            cycles = self.timer.counters().0;
            bits = self.timer.counters().1;
        }
        phase = self.phase as u8;
        self => position, tag, word, complete, index, left, status;
        sum_wrong = self.wrong[0];
        operation_wrong = self.wrong[1];
        count_wrong = self.wrong[2];
        alignment_wrong = self.wrong[3];
    }
}
