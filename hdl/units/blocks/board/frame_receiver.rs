//! Frame receiver: requests from bytes, as [`crate::protocol`] has them.
//!
//! ```text
//!  bytes ─┬─▶ header ─▶ judge ─▶ request
//!         ├─▶ words ──▶ frame buffer
//!         ├─▶ checksum
//!         └─▶ line timer
//! ```
//!
//! | phase | what happens | ends with |
//! |---|---|---|
//! | hunt | bytes are dropped | the first byte of a request |
//! | header | ten bytes come | the last of them, or the time-out |
//! | judge, decide | two cycles: the rules | words to come, or an offer |
//! | words | words of a write come, and go to the buffer | the last of them, or the time-out |
//! | tail, compare | their checksum comes; a cycle: is it right | an offer |
//! | offer | `request_valid` = 1, all of the request stays; bytes are dropped | `request_ready` |
//! | drain | after a refused frame: bytes are dropped | the line was quiet for the time-out |
//!
//! A request is offered with `request_status`: anything but 0 is a refusal, of which the tag means something if it has come; it is 0 if not. Bytes with a wrong stop bit are dropped,
//! but the line is not quiet with them. Hunts after reset.

use super::checksum::Checksum;
use super::line_timer::LineTimer;
use crate::kernel::prelude::*;
use crate::protocol::{MAX_WORDS, Operation, REQUEST_BYTES, REQUEST_START, Status};

/// Bytes of a header after the first, with the checksum.
const HEADER: usize = REQUEST_BYTES - 1;
/// Bits of these.
const HEADER_BITS: usize = 8 * HEADER;
/// A header without its first byte.
pub type Header = Word<HEADER_BITS, 2>;
/// Number of the last byte of a header.
const LAST: u64 = HEADER as u64 - 1;
/// Number of the first byte of its checksum.
const SUM: u64 = HEADER as u64 - 2;
/// Where the last byte goes.
const TOP_BYTE: u64 = HEADER_BITS as u64 - 8;
/// Number of the tag.
const TAG: u64 = 1;
const COUNT_LSB: usize = 16;
const ADDRESS_LSB: usize = 32;
const SUM_LSB: usize = 64;
const FIXED_BIT: usize = 7;
const WRITE_BIT: usize = 1;
const START: u64 = REQUEST_START as u64;
const READ: u64 = Operation::Read as u64;
const WRITE: u64 = Operation::Write as u64;
const LOG2_WORDS: u64 = MAX_WORDS.ilog2() as u64;
const GOOD: u64 = Status::Ok as u64;
const CHECKSUM: u64 = Status::Checksum as u64;
const TIMEOUT: u64 = Status::Timeout as u64;
const OPERATION: u64 = Status::Operation as u64;
const COUNT: u64 = Status::Count as u64;
const ALIGNMENT: u64 = Status::Alignment as u64;

/// What the receiver does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ReceiverPhase {
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
packed_enum!(ReceiverPhase: Hunt, Header, Judge, Decide, Words, Tail, Compare, Offer, Drain);

/// The receiver.
#[derive(LogicBlock)]
pub struct FrameReceiver {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A byte is there, for a cycle.
    pub byte_valid: Signal<In, Bit>,
    /// A byte with a wrong stop bit was there, for a cycle.
    pub byte_wrong: Signal<In, Bit>,
    /// The byte.
    pub byte: Signal<In, Bits<8>>,
    /// A word goes to the buffer.
    pub store: Signal<Out, Bit>,
    /// Its number.
    pub store_index: Signal<Out, Bits<8>>,
    /// The word.
    pub store_word: Signal<Out, Bits<32>>,
    /// A request is there.
    pub request_valid: Signal<Out, Bit>,
    /// It is done with.
    pub request_ready: Signal<In, Bit>,
    /// Status of a refused one, 0 for others.
    pub request_status: Signal<Out, Bits<3>>,
    /// It writes.
    pub request_write: Signal<Out, Bit>,
    /// Every word at the same address.
    pub request_fixed: Signal<Out, Bit>,
    /// Its tag.
    pub request_tag: Signal<Out, Bits<8>>,
    /// Words: 1 to 256 unless refused.
    pub request_count: Signal<Out, Bits<9>>,
    /// Address of the first.
    pub request_address: Signal<Out, Bits<32>>,
    /// A frame is under way, up to the end of its reply.
    pub busy: Signal<Out, Bit>,
    /// Sum over the header or the words.
    pub checksum: Checksum,
    /// Time since the last byte.
    pub timer: LineTimer,
    /// What it does.
    pub phase: Register<ReceiverPhase>,
    /// Bytes of the header or the word that came.
    pub position: Pipe<Bits<4>>,
    /// The header.
    pub header: Pipe<Header>,
    /// The tag; 0 until it comes.
    pub tag: Pipe<Bits<8>>,
    /// The word that comes.
    pub word: Pipe<Bits<32>>,
    /// It is complete.
    pub complete: Register<Bit>,
    /// Its number.
    pub index: Pipe<Bits<8>>,
    /// Words to come.
    pub left: Pipe<Bits<9>>,
    /// The header's checksum is wrong.
    pub sum_wrong: Pipe<Bit>,
    /// There is no such operation.
    pub operation_wrong: Pipe<Bit>,
    /// Count is 0 or too large.
    pub count_wrong: Pipe<Bit>,
    /// The address is not one of a word.
    pub alignment_wrong: Pipe<Bit>,
    /// Status of the request.
    pub status: Pipe<Bits<3>>,
    start: Signal<Local, Bit>,
    fields: Signal<Local, Header>,
    code: Signal<Local, Bits<7>>,
    count: Signal<Local, Bits<16>>,
    filling: Signal<Local, Bit>,
}

impl FrameReceiver {
    /// A receiver with a time-out of so many bits, of so many cycles each.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32) -> Self {
        FrameReceiver {
            clock: Signal::default(),
            byte_valid: Signal::default(),
            byte_wrong: Signal::default(),
            byte: Signal::default(),
            store: Signal::default(),
            store_index: Signal::default(),
            store_word: Signal::default(),
            request_valid: Signal::default(),
            request_ready: Signal::default(),
            request_status: Signal::default(),
            request_write: Signal::default(),
            request_fixed: Signal::default(),
            request_tag: Signal::default(),
            request_count: Signal::default(),
            request_address: Signal::default(),
            busy: Signal::default(),
            checksum: Checksum::default(),
            timer: LineTimer::new(cycles_a_bit, timeout_bits),
            phase: Register::new(ReceiverPhase::Hunt),
            position: Pipe::default(),
            header: Pipe::default(),
            tag: Pipe::default(),
            word: Pipe::default(),
            complete: Register::default(),
            index: Pipe::default(),
            left: Pipe::default(),
            sum_wrong: Pipe::default(),
            operation_wrong: Pipe::default(),
            count_wrong: Pipe::default(),
            alignment_wrong: Pipe::default(),
            status: Pipe::default(),
            start: Signal::default(),
            fields: Signal::default(),
            code: Signal::default(),
            count: Signal::default(),
            filling: Signal::default(),
        }
    }
}

/// A placeholder until the constructor makes the real one.
impl Default for FrameReceiver {
    fn default() -> Self {
        FrameReceiver::new(1, 1)
    }
}

impl Logic for FrameReceiver {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, checksum, timer);
        dff_setup!(self, clock, phase, position, header, tag, word, complete, index, left);
        dff_setup!(self, clock, sum_wrong, operation_wrong, count_wrong, alignment_wrong, status);
        self.timer.restart.next = self.byte_valid.val() | self.byte_wrong.val();
        self.start.next = self.byte_valid.val() & (self.byte.val() == START);
        self.checksum.byte.next = self.byte.val();
        self.checksum.add.next = false;
        self.checksum.clear.next = false;
        self.filling.next = false;
        // What is wrong with the header.
        self.fields.next = self.header.q.val();
        self.code.next = self.fields.val().get_bits::<7>(0);
        self.count.next = self.fields.val().get_bits::<16>(COUNT_LSB);
        self.sum_wrong.d.next = self.fields.val().get_bits::<16>(SUM_LSB) != self.checksum.sum.val();
        self.operation_wrong.d.next = (self.code.val() != READ) & (self.code.val() != WRITE);
        self.count_wrong.d.next = ((self.count.val() - 1) >> LOG2_WORDS) != 0;
        self.alignment_wrong.d.next = self.fields.val().get_bits::<2>(ADDRESS_LSB) != 0;
        // Words.
        self.complete.d.next = false;
        if self.complete.q.val() {
            self.index.d.next = self.index.q.val() + 1;
        }
        match self.phase.q.val() {
            ReceiverPhase::Hunt => {
                self.position.d.next = 0.into();
                self.checksum.clear.next = true;
                self.checksum.add.next = self.start.val();
                if self.start.val() {
                    self.tag.d.next = 0.into();
                    self.phase.d.next = ReceiverPhase::Header;
                }
            }
            ReceiverPhase::Header => {
                self.filling.next = true;
                if self.byte_valid.val() {
                    self.checksum.add.next = self.position.q.val() < SUM;
                    self.header.d.next =
                        (self.fields.val() >> 8) | (bits_to::<Header, Bits<8>>(self.byte.val()) << TOP_BYTE);
                    self.position.d.next = self.position.q.val() + 1;
                    if self.position.q.val() == TAG {
                        self.tag.d.next = self.byte.val();
                    }
                    if self.position.q.val() == LAST {
                        self.phase.d.next = ReceiverPhase::Judge;
                    }
                }
            }
            ReceiverPhase::Judge => self.phase.d.next = ReceiverPhase::Decide,
            ReceiverPhase::Decide => {
                self.checksum.clear.next = true;
                self.position.d.next = 0.into();
                self.index.d.next = 0.into();
                self.left.d.next = self.count.val().get_bits::<9>(0);
                self.phase.d.next = ReceiverPhase::Offer;
                if self.sum_wrong.q.val() {
                    self.status.d.next = CHECKSUM.into();
                } else if self.operation_wrong.q.val() {
                    self.status.d.next = OPERATION.into();
                } else if self.count_wrong.q.val() {
                    self.status.d.next = COUNT.into();
                } else if self.alignment_wrong.q.val() {
                    self.status.d.next = ALIGNMENT.into();
                } else {
                    self.status.d.next = GOOD.into();
                    if self.code.val().get_bit(WRITE_BIT) {
                        self.phase.d.next = ReceiverPhase::Words;
                    }
                }
            }
            ReceiverPhase::Words => {
                self.filling.next = true;
                self.checksum.add.next = self.byte_valid.val();
                if self.byte_valid.val() {
                    self.word.d.next = (self.word.q.val() >> 8) | (bit_cast::<32, 8>(self.byte.val()) << 24);
                    self.position.d.next = self.position.q.val() + 1;
                    if self.position.q.val() == 3 {
                        self.position.d.next = 0.into();
                        self.complete.d.next = true;
                        self.left.d.next = self.left.q.val() - 1;
                        if self.left.q.val() == 1 {
                            self.phase.d.next = ReceiverPhase::Tail;
                        }
                    }
                }
            }
            ReceiverPhase::Tail => {
                self.filling.next = true;
                if self.byte_valid.val() {
                    self.word.d.next = (self.word.q.val() >> 8) | (bit_cast::<32, 8>(self.byte.val()) << 24);
                    self.position.d.next = self.position.q.val() + 1;
                    if self.position.q.val() == 1 {
                        self.phase.d.next = ReceiverPhase::Compare;
                    }
                }
            }
            ReceiverPhase::Compare => {
                self.phase.d.next = ReceiverPhase::Offer;
                if self.word.q.val().get_bits::<16>(16) != self.checksum.sum.val() {
                    self.status.d.next = CHECKSUM.into();
                }
            }
            ReceiverPhase::Offer => {
                self.checksum.clear.next = true;
                if self.request_ready.val() {
                    self.phase.d.next = ReceiverPhase::Hunt;
                    if self.status.q.val() != GOOD {
                        self.phase.d.next = ReceiverPhase::Drain;
                    }
                }
            }
            ReceiverPhase::Drain => {
                self.checksum.clear.next = true;
                if self.timer.expired.val() {
                    self.phase.d.next = ReceiverPhase::Hunt;
                }
            }
        }
        if self.filling.val() & self.timer.expired.val() {
            self.phase.d.next = ReceiverPhase::Offer;
            self.status.d.next = TIMEOUT.into();
        }
        self.store.next = self.complete.q.val();
        self.store_index.next = self.index.q.val();
        self.store_word.next = self.word.q.val();
        self.request_valid.next = self.phase.q.val() == ReceiverPhase::Offer;
        self.request_status.next = self.status.q.val();
        self.request_write.next = self.code.val().get_bit(WRITE_BIT);
        self.request_fixed.next = self.fields.val().get_bit(FIXED_BIT);
        self.request_tag.next = self.tag.q.val();
        self.request_count.next = self.count.val().get_bits::<9>(0);
        self.request_address.next = self.fields.val().get_bits::<32>(ADDRESS_LSB);
        self.busy.next = (self.phase.q.val() != ReceiverPhase::Hunt) & (self.phase.q.val() != ReceiverPhase::Drain);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "frame_receiver",
            "Requests of the host from bytes.",
            constants![
                LAST,
                SUM,
                TOP_BYTE,
                TAG,
                COUNT_LSB,
                ADDRESS_LSB,
                SUM_LSB,
                FIXED_BIT,
                WRITE_BIT,
                READ,
                WRITE,
                LOG2_WORDS,
                GOOD,
                CHECKSUM,
                TIMEOUT,
                OPERATION,
                COUNT,
                ALIGNMENT,
                START
            ],
        )
    }
}
