//! Frame receiver: requests from bytes, as [`crate::system::protocol`] has them.
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
//! A request is offered with `request_status`: anything but 0 is a refusal, of which the tag means something if it has
//! come; it is 0 if not. Bytes with a wrong stop bit are dropped, but the line is not quiet with them. Hunts after
//! reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::{ByteSink, StoreSource, TaggedRequestSource};
use crate::system::blocks::checksum::Checksum;
use crate::system::blocks::line_timer::LineTimer;
use crate::system::protocol::{MAX_WORDS, Operation, REQUEST_BYTES, REQUEST_START, Status};

const HEADER: usize = REQUEST_BYTES - 1; // Bytes of a header after the first, with the checksum.
const HEADER_BITS: usize = 8 * HEADER; // Bits of these.
type Header = Word<HEADER_BITS, 2>; // A header without its first byte.
const LAST: u64 = HEADER as u64 - 1; // Number of the last byte of a header.
const SUM: u64 = HEADER as u64 - 2; // Number of the first byte of its checksum.
const TOP_BYTE: u64 = HEADER_BITS as u64 - 8; // Where the last byte goes.
const TAG: u64 = 1; // Number of the tag.
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
enum ReceiverPhase {
    Hunt,    // Waits for a first byte.
    Header,  // Takes the header.
    Judge,   // Finds what is wrong with it.
    Decide,  // Goes on accordingly.
    Words,   // Takes words.
    Tail,    // Takes their checksum.
    Compare, // Compares it.
    Offer,   // Has a request.
    Drain,   // Waits for a quiet line.
}
packed_enum!(ReceiverPhase: Hunt, Header, Judge, Decide, Words, Tail, Compare, Offer, Drain);

hdl_block! {
    /// The receiver.
    pub FrameReceiver {
        In clock: Domain; /// Clock and reset.
        Bus byte: ByteSink; /// From the UART.
        Bus store: StoreSource; /// To the buffer.
        Bus request: TaggedRequestSource; /// To the bridge.
        Out busy: Bit; /// A frame is under way, up to the end of its reply.
    } inside {
        Child checksum: Checksum; // Sum over the header or the words.
        Child timer: LineTimer; // Time since the last byte.
        Register phase: ReceiverPhase; // What it does.
        Pipe position: Bits<4>; // Bytes of the header or the word that came.
        Pipe header: Header; // The header.
        Pipe tag: Bits<8>; // The tag; 0 until it comes.
        Pipe word: Bits<32>; // The word that comes.
        Register complete: Bit; // It is complete.
        Pipe index: Bits<8>; // Its number.
        Pipe left: Bits<9>; // Words to come.
        Pipe sum_wrong, operation_wrong: Bit; // The header's checksum is wrong. There is no such operation.
        Pipe count_wrong, alignment_wrong: Bit; // Count is 0 or too large. The address is not one of a word.
        Pipe status: Bits<3>; // Status of the request.
        Local start: Bit;
        Local code: Bits<7>;
        Local count: Bits<16>;
        Local filling: Bit;
    }
}

impl FrameReceiver {
    /// A receiver with a time-out of so many bits, of so many cycles each.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32) -> Self {
        FrameReceiver {
            checksum: Checksum::new(),
            timer: LineTimer::new(cycles_a_bit, timeout_bits),
            ..Self::default()
        }
    }
}

impl Logic for FrameReceiver {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, checksum, timer);
        dff_setup!(self, clock, phase, position, header, tag, word, complete, index, left);
        dff_setup!(self, clock, sum_wrong, operation_wrong, count_wrong, alignment_wrong, status);
        self.timer.restart.next = self.byte.valid.val() | self.byte.wrong.val();
        self.start.next = self.byte.valid.val() & (self.byte.byte.val() == START);
        self.checksum.byte.next = self.byte.byte.val();
        self.checksum.add.next = false;
        self.checksum.clear.next = false;
        self.filling.next = false;
        // What is wrong with the header.
        self.code.next = self.header.q.val().get_bits::<7>(0);
        self.count.next = self.header.q.val().get_bits::<16>(COUNT_LSB);
        self.sum_wrong.d.next = self.header.q.val().get_bits::<16>(SUM_LSB) != self.checksum.sum.val();
        self.operation_wrong.d.next = (self.code.val() != READ) & (self.code.val() != WRITE);
        self.count_wrong.d.next = ((self.count.val() - 1) >> LOG2_WORDS) != 0;
        self.alignment_wrong.d.next = self.header.q.val().get_bits::<2>(ADDRESS_LSB) != 0;
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
                if self.byte.valid.val() {
                    self.checksum.add.next = self.position.q.val() < SUM;
                    self.header.d.next =
                        (self.header.q.val() >> 8) | (bits_to::<Header, Bits<8>>(self.byte.byte.val()) << TOP_BYTE);
                    self.position.d.next = self.position.q.val() + 1;
                    if self.position.q.val() == TAG {
                        self.tag.d.next = self.byte.byte.val();
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
                self.checksum.add.next = self.byte.valid.val();
                if self.byte.valid.val() {
                    self.word.d.next = (self.word.q.val() >> 8) | (bit_cast::<32, 8>(self.byte.byte.val()) << 24);
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
                if self.byte.valid.val() {
                    self.word.d.next = (self.word.q.val() >> 8) | (bit_cast::<32, 8>(self.byte.byte.val()) << 24);
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
                if self.request.ask_.ready.val() {
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
        self.store.store.next = self.complete.q.val();
        self.store.index.next = self.index.q.val();
        self.store.word.next = self.word.q.val();
        self.request.ask_.valid.next = self.phase.q.val() == ReceiverPhase::Offer;
        self.request.ask_.status.next = self.status.q.val();
        self.request.ask_.write.next = self.code.val().get_bit(WRITE_BIT);
        self.request.ask_.fixed.next = self.header.q.val().get_bit(FIXED_BIT);
        self.request.tag.next = self.tag.q.val();
        self.request.span_.count.next = self.count.val().get_bits::<9>(0);
        self.request.span_.address.next = self.header.q.val().get_bits::<32>(ADDRESS_LSB);
        self.busy.next = (self.phase.q.val() != ReceiverPhase::Hunt) & (self.phase.q.val() != ReceiverPhase::Drain);
    }

    described!("frame_receiver", "Requests of the host from bytes.";
        LAST, SUM, TOP_BYTE, TAG, COUNT_LSB, ADDRESS_LSB, SUM_LSB, FIXED_BIT, WRITE_BIT, READ, WRITE, LOG2_WORDS, GOOD,
        CHECKSUM, TIMEOUT, OPERATION, COUNT, ALIGNMENT, START);
}
