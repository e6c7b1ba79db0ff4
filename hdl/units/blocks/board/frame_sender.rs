//! Frame sender: replies as bytes, as [`crate::protocol`] has them.
//!
//! ```text
//!  reply ─────────┐
//!  checksum ──────┼─▶ bytes to send ─▶ byte
//!  frame buffer ──┘        └─▶ checksum
//! ```
//!
//! A piece of the frame after the other goes into a shift register, from where its bytes are taken: header, its checksum, every word, their checksum. With
//! the last byte taken, `reply_ready` = 1 for a cycle. The reply must stay until then. Idle after reset.

use super::checksum::Checksum;
use crate::kernel::prelude::*;
use crate::protocol::{REPLY_BYTES, REPLY_START, WORDS_FOLLOW};

/// Bytes of a header without its checksum.
const HEADER: u64 = REPLY_BYTES as u64 - 2;
/// Bits of these.
const PIECE: usize = 8 * (REPLY_BYTES - 2);
/// A piece of a frame.
pub type Piece = Word<PIECE, 1>;
const STATUS_AT: u64 = 8;
const START: u64 = REPLY_START as u64;
/// The same if words follow.
const START_WORDS: u64 = START | (WORDS_FOLLOW as u64) << STATUS_AT;
const TAG_AT: u64 = 16;
const COUNT_AT: u64 = 24;
/// Bytes of a checksum.
const SUM: u64 = 2;
/// Bytes of a word.
const WORD: u64 = 4;

/// What the sender does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum SenderPhase {
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
packed_enum!(SenderPhase: Idle, Header, HeaderSum, Fetch, Load, Word, WordsSum, Done);

/// The sender.
#[derive(LogicBlock)]
pub struct FrameSender {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A reply is there.
    pub reply_valid: Signal<In, Bit>,
    /// It is sent.
    pub reply_ready: Signal<Out, Bit>,
    /// How the request ended.
    pub reply_status: Signal<In, Bits<3>>,
    /// The request's tag.
    pub reply_tag: Signal<In, Bits<8>>,
    /// Words done.
    pub reply_count: Signal<In, Bits<9>>,
    /// They follow.
    pub reply_words: Signal<In, Bit>,
    /// A word is fetched from the buffer.
    pub fetch: Signal<Out, Bit>,
    /// Its number.
    pub fetch_index: Signal<Out, Bits<8>>,
    /// The word, a cycle later.
    pub fetch_word: Signal<In, Bits<32>>,
    /// A byte is offered.
    pub byte_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub byte_ready: Signal<In, Bit>,
    /// The byte.
    pub byte: Signal<Out, Bits<8>>,
    /// Sum over the header or the words.
    pub checksum: Checksum,
    /// What it does.
    pub phase: Register<SenderPhase>,
    /// Bytes to send, the first one at the bottom.
    pub piece: Pipe<Piece>,
    /// How many.
    pub left: Register<Bits<3>>,
    /// Words sent or being sent.
    pub words: Pipe<Bits<9>>,
    taken: Signal<Local, Bit>,
    first: Signal<Local, Piece>,
    empty: Signal<Local, Bit>,
}

impl Default for FrameSender {
    fn default() -> Self {
        FrameSender {
            clock: Signal::default(),
            reply_valid: Signal::default(),
            reply_ready: Signal::default(),
            reply_status: Signal::default(),
            reply_tag: Signal::default(),
            reply_count: Signal::default(),
            reply_words: Signal::default(),
            fetch: Signal::default(),
            fetch_index: Signal::default(),
            fetch_word: Signal::default(),
            byte_valid: Signal::default(),
            byte_ready: Signal::default(),
            byte: Signal::default(),
            checksum: Checksum::default(),
            phase: Register::new(SenderPhase::Idle),
            piece: Pipe::default(),
            left: Register::default(),
            words: Pipe::default(),
            taken: Signal::default(),
            first: Signal::default(),
            empty: Signal::default(),
        }
    }
}

impl Logic for FrameSender {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, checksum);
        dff_setup!(self, clock, phase, piece, left, words);
        self.empty.next = self.left.q.val() == 0;
        self.byte_valid.next = !self.empty.val();
        self.byte.next = self.piece.q.val().get_bits::<8>(0);
        self.taken.next = !self.empty.val() & self.byte_ready.val();
        if self.taken.val() {
            self.piece.d.next = self.piece.q.val() >> 8;
            self.left.d.next = self.left.q.val() - 1;
        }
        self.first.next = START.into();
        if self.reply_words.val() {
            self.first.next = START_WORDS.into();
        }
        self.checksum.byte.next = self.piece.q.val().get_bits::<8>(0);
        self.checksum.add.next = false;
        self.checksum.clear.next = false;
        self.fetch.next = false;
        self.reply_ready.next = false;
        match self.phase.q.val() {
            SenderPhase::Idle => {
                self.checksum.clear.next = true;
                self.words.d.next = 0.into();
                if self.reply_valid.val() {
                    self.piece.d.next = self.first.val()
                        | (bits_to::<Piece, Bits<3>>(self.reply_status.val()) << STATUS_AT)
                        | (bits_to::<Piece, Bits<8>>(self.reply_tag.val()) << TAG_AT)
                        | (bits_to::<Piece, Bits<9>>(self.reply_count.val()) << COUNT_AT);
                    self.left.d.next = HEADER.into();
                    self.phase.d.next = SenderPhase::Header;
                }
            }
            SenderPhase::Header => {
                self.checksum.add.next = self.taken.val();
                if self.empty.val() {
                    self.piece.d.next = bits_to::<Piece, Bits<16>>(self.checksum.sum.val());
                    self.left.d.next = SUM.into();
                    self.phase.d.next = SenderPhase::HeaderSum;
                }
            }
            SenderPhase::HeaderSum => {
                self.checksum.clear.next = true;
                if self.empty.val() {
                    self.phase.d.next = SenderPhase::Done;
                    if self.reply_words.val() {
                        self.phase.d.next = SenderPhase::Fetch;
                    }
                }
            }
            SenderPhase::Fetch => {
                self.fetch.next = true;
                self.phase.d.next = SenderPhase::Load;
            }
            SenderPhase::Load => {
                self.piece.d.next = bits_to::<Piece, Bits<32>>(self.fetch_word.val());
                self.left.d.next = WORD.into();
                self.words.d.next = self.words.q.val() + 1;
                self.phase.d.next = SenderPhase::Word;
            }
            SenderPhase::Word => {
                self.checksum.add.next = self.taken.val();
                if self.empty.val() {
                    self.phase.d.next = SenderPhase::Fetch;
                    if self.words.q.val() == self.reply_count.val() {
                        self.piece.d.next = bits_to::<Piece, Bits<16>>(self.checksum.sum.val());
                        self.left.d.next = SUM.into();
                        self.phase.d.next = SenderPhase::WordsSum;
                    }
                }
            }
            SenderPhase::WordsSum => {
                if self.empty.val() {
                    self.phase.d.next = SenderPhase::Done;
                }
            }
            SenderPhase::Done => {
                self.reply_ready.next = true;
                self.phase.d.next = SenderPhase::Idle;
            }
        }
        self.fetch_index.next = self.words.q.val().get_bits::<8>(0);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "frame_sender",
            "Replies to the host as bytes.",
            constants![HEADER, STATUS_AT, START, START_WORDS, TAG_AT, COUNT_AT, SUM, WORD],
        )
    }
}
