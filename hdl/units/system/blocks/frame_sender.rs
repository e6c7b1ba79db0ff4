//! Frame sender: replies as bytes, as [`crate::system::protocol`] has them.
//!
//! ```text
//!  reply ─────────┐
//!  checksum ──────┼─▶ bytes to send ─▶ byte
//!  frame buffer ──┘        └─▶ checksum
//! ```
//!
//! A piece of the frame after the other goes into a shift register, from where its bytes are taken: header, its
//! checksum, every word, their checksum. With the last byte taken, `reply_ready` = 1 for a cycle. The reply must stay
//! until then. Idle after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::{FetchSource, SentSource, TaggedReplySink};
use crate::system::blocks::checksum::Checksum;
use crate::system::protocol::{REPLY_BYTES, REPLY_START, WORDS_FOLLOW};

const HEADER: u64 = REPLY_BYTES as u64 - 2; // Bytes of a header without its checksum.
const PIECE: usize = 8 * (REPLY_BYTES - 2); // Bits of these.
pub type Piece = Word<PIECE, 1>; // A piece of a frame.
const STATUS_AT: u64 = 8;
const START: u64 = REPLY_START as u64;
const START_WORDS: u64 = START | (WORDS_FOLLOW as u64) << STATUS_AT; // The same if words follow.
const TAG_AT: u64 = 16;
const COUNT_AT: u64 = 24;
const SUM: u64 = 2; // Bytes of a checksum.
const WORD: u64 = 4; // Bytes of a word.

/// What the sender does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum SenderPhase {
    Idle,      // Waits for a reply.
    Header,    // Sends the header.
    HeaderSum, // Sends its checksum.
    Fetch,     // Asks for a word.
    Load,      // Takes it.
    Word,      // Sends it.
    WordsSum,  // Sends the words' checksum.
    Done,      // Is done.
}
packed_enum!(SenderPhase: Idle, Header, HeaderSum, Fetch, Load, Word, WordsSum, Done);

#[derive(LogicBlock, Default)]
pub struct FrameSender {
    pub clock: Signal<In, Domain>,
    pub reply: TaggedReplySink,
    pub fetch: FetchSource,
    pub fetch_word: Signal<In, Bits<32>>,
    pub byte: SentSource,
    checksum: Checksum,           // Sum over the header or the words.
    phase: Register<SenderPhase>, // What it does.
    piece: Pipe<Piece>,           // Bytes to send, the first one at the bottom.
    left: Register<Bits<3>>,      // How many.
    words: Pipe<Bits<9>>,         // Words sent or being sent.
    taken: Signal<Local, Bit>,
    first: Signal<Local, Piece>,
    empty: Signal<Local, Bit>,
}

impl FrameSender {
    pub fn new() -> Self {
        FrameSender { checksum: Checksum::new(), ..Self::default() }
    }
}

impl Logic for FrameSender {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, checksum);
        dff_setup!(self, clock, phase, piece, left, words);
        self.empty.next = self.left.q.val() == 0;
        self.byte.valid.next = !self.empty.val();
        self.byte.byte.next = self.piece.q.val().get_bits::<8>(0);
        self.taken.next = !self.empty.val() & self.byte.ready.val();
        if self.taken.val() {
            self.piece.d.next = self.piece.q.val() >> 8;
            self.left.d.next = self.left.q.val() - 1;
        }
        self.first.next = START.into();
        if self.reply.done_.words.val() {
            self.first.next = START_WORDS.into();
        }
        self.checksum.byte.next = self.piece.q.val().get_bits::<8>(0);
        self.checksum.add.next = false;
        self.checksum.clear.next = false;
        self.fetch.fetch.next = false;
        self.reply.answer_.ready.next = false;
        match self.phase.q.val() {
            SenderPhase::Idle => {
                self.checksum.clear.next = true;
                self.words.d.next = 0.into();
                if self.reply.answer_.valid.val() {
                    self.piece.d.next = self.first.val()
                        | (bits_to::<Piece, Bits<3>>(self.reply.answer_.status.val()) << STATUS_AT)
                        | (bits_to::<Piece, Bits<8>>(self.reply.tag.val()) << TAG_AT)
                        | (bits_to::<Piece, Bits<9>>(self.reply.done_.count.val()) << COUNT_AT);
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
                    if self.reply.done_.words.val() {
                        self.phase.d.next = SenderPhase::Fetch;
                    }
                }
            }
            SenderPhase::Fetch => {
                self.fetch.fetch.next = true;
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
                    if self.words.q.val() == self.reply.done_.count.val() {
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
                self.reply.answer_.ready.next = true;
                self.phase.d.next = SenderPhase::Idle;
            }
        }
        self.fetch.index.next = self.words.q.val().get_bits::<8>(0);
    }

    described!("frame_sender", "Replies to the host as bytes.";
        HEADER, STATUS_AT, START, START_WORDS, TAG_AT, COUNT_AT, SUM, WORD);
}
