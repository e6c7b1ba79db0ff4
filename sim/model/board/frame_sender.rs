//! Model of the frame sender.

use super::checksum::Checksum;
use bitline_units::system::protocol::{REPLY_START, WORDS_FOLLOW};

/// What the sender does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waits for a reply.
    Idle,
    /// Sends the header.
    Header,
    /// Sends its checksum.
    HeaderSum,
    /// Asks for a word.
    Fetch,
    /// Takes it.
    Load,
    /// Sends it.
    Word,
    /// Sends the words' checksum.
    WordsSum,
    /// Is done.
    Done,
}

/// A reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How the request ended.
    pub status: u8,
    /// Its tag.
    pub tag: u8,
    /// Words done.
    pub count: u16,
    /// They follow.
    pub words: bool,
}

/// The sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSender {
    /// Sum over the header or the words.
    pub checksum: Checksum,
    /// What it does.
    pub phase: Phase,
    /// Bytes to send, the first one at the bottom; above them zeros.
    pub piece: u64,
    /// How many.
    pub left: u8,
    /// Words sent or being sent.
    pub words: u16,
}

impl Default for FrameSender {
    fn default() -> Self {
        FrameSender { checksum: Checksum::default(), phase: Phase::Idle, piece: 0, left: 0, words: 0 }
    }
}

impl FrameSender {
    /// The byte on offer.
    pub fn byte(&self) -> Option<u8> {
        (self.left > 0).then_some(self.piece as u8)
    }

    /// A word is fetched: its number.
    pub fn fetch(&self) -> Option<u8> {
        (self.phase == Phase::Fetch).then_some(self.words as u8)
    }

    /// The reply is sent.
    pub fn done(&self) -> bool {
        self.phase == Phase::Done
    }

    fn send(&mut self, piece: u64, bytes: u8, phase: Phase) {
        (self.piece, self.left, self.phase) = (piece, bytes, phase);
    }

    /// One clock edge: the reply, whether there is one, the word that the buffer shows, and whether the byte on offer
    /// is taken.
    pub fn step(&mut self, answer: &Answer, there: bool, word: u32, taken: bool) {
        let (byte, empty) = (self.piece as u8, self.left == 0);
        let sum = u64::from(self.checksum.0);
        if taken && !empty {
            (self.piece, self.left) = (self.piece >> 8, self.left - 1);
            if matches!(self.phase, Phase::Header | Phase::Word) {
                self.checksum.add(byte);
            }
        }
        match self.phase {
            Phase::Idle => {
                (self.checksum, self.words) = (Checksum::default(), 0);
                if there {
                    let status = answer.status | if answer.words { WORDS_FOLLOW } else { 0 };
                    let [low, high] = answer.count.to_le_bytes();
                    let header = u64::from_le_bytes([REPLY_START, status, answer.tag, low, high, 0, 0, 0]);
                    self.send(header, 5, Phase::Header);
                }
            }
            Phase::Header if empty => self.send(sum, 2, Phase::HeaderSum),
            Phase::HeaderSum => {
                self.checksum = Checksum::default();
                if empty {
                    self.phase = if answer.words { Phase::Fetch } else { Phase::Done };
                }
            }
            Phase::Fetch => self.phase = Phase::Load,
            Phase::Load => {
                self.words += 1;
                self.send(word.into(), 4, Phase::Word);
            }
            Phase::Word if empty && self.words == answer.count => self.send(sum, 2, Phase::WordsSum),
            Phase::Word if empty => self.phase = Phase::Fetch,
            Phase::WordsSum if empty => self.phase = Phase::Done,
            Phase::Done => self.phase = Phase::Idle,
            _ => {}
        }
    }
}

state! {
    FrameSender(self) {
        in checksum {
            state = self.checksum.0;
        }
        phase = self.phase as u8;
        self => piece, left, words;
    }
}
