//! Bridge: an AXI4-Lite master that does what a request asks for, a word at a time.
//!
//! ```text
//!  request ─▶ phase, address, words done ─▶ reply
//!  frame buffer ─▶ word ─▶ AW, W, B
//!  frame buffer ◀─ word ◀─ AR, R
//! ```
//!
//! A refused request, and any request while the bus still owes an answer, goes on to the reply as it is. Else the words
//! go to the bus or come from it, until the last, the first that the bus refuses (SLVERR or DECERR), or the time-out:
//! no answer for 2^`log2_timeout` cycles. `reply_valid` = 1 from then until `reply_ready`, which is also
//! `request_ready`. What was offered to the bus stays on offer after a time-out, and `waiting` = 1 until its answer
//! comes, which is dropped. READY of both answers is always 1. Nothing is offered after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::{FetchSource, HostMasterPort, ReplySource, RequestSink, StoreSource};
use crate::system::protocol::Status;

const TIMEOUT: usize = 25; // Bits of the counter that ends waiting.
const GOOD: u64 = Status::Ok as u64;
const BUS: u64 = Status::Bus as u64;
const SLOW: u64 = Status::Slow as u64;
const WORD: u64 = 4; // Bytes of a word.

/// What the bridge does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum BridgePhase {
    Idle,  // Waits for a request.
    Begin, // Begins a word.
    Fetch, // The word comes from the buffer.
    Wait,  // Waits for the bus.
    Reply, // Has a reply.
}
packed_enum!(BridgePhase: Idle, Begin, Fetch, Wait, Reply);

hdl_block! {
    pub Bridge {
        In clock: Domain; /// Clock and reset.
        Bus request: RequestSink; /// Requests as the bridge takes them.
        Bus fetch: FetchSource; /// Words that come from the frame buffer.
        In fetch_word: Bits<32>; /// The word fetched.
        Bus store: StoreSource; /// Words that go to the frame buffer.
        Bus reply: ReplySource; /// Replies as the bridge gives them.
        Bus m_axil: HostMasterPort; /// AXI4-Lite of a host that writes whole words, of a slave.
    } inside {
        Register phase: BridgePhase; // What it does.
        Pipe address, data: Bits<32>; // Address of the word. The word to write.
        Register done: Bits<9>; // Words done.
        Pipe status: Bits<3>; // How the request ended.
        Register aw_valid, w_valid: Bit; // A write address is offered. Write data are offered.
        Register ar_valid, waiting: Bit; // A read address is offered. The bus owes an answer.
        Pipe cycles: Bits<TIMEOUT>; // Cycles that it has owed it.
        Register storing: Bit; // A word goes to the buffer.
        Pipe stored: Bits<32>; // The word.
        Pipe stored_index: Bits<8>; // Its number.
        Local answer, refused: Bit;
        Local following: Bits<9>;
        Local unused_response: Bit;
        Value _log2_timeout: usize;
    }
}

impl Bridge {
    /// A bridge whose bus may take 2^`log2_timeout` cycles: at most 2^24.
    pub fn new(log2_timeout: usize) -> Self {
        Bridge { _log2_timeout: log2_timeout.min(TIMEOUT - 1), ..Self::default() }
    }
}

impl Logic for Bridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, address, data, done, status, aw_valid, w_valid, ar_valid, waiting, cycles);
        dff_setup!(self, clock, storing, stored, stored_index);
        self.m_axil.awaddr.next = self.address.q.val();
        self.m_axil.awvalid.next = self.aw_valid.q.val();
        self.m_axil.wdata.next = self.data.q.val();
        self.m_axil.wvalid.next = self.w_valid.q.val();
        self.m_axil.bready.next = true;
        self.m_axil.araddr.next = self.address.q.val();
        self.m_axil.arvalid.next = self.ar_valid.q.val();
        self.m_axil.rready.next = true;
        self.unused_response.next = self.m_axil.bresp.val().get_bit(0) ^ self.m_axil.rresp.val().get_bit(0);
        if self.m_axil.awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.m_axil.wready.val() {
            self.w_valid.d.next = false;
        }
        if self.m_axil.arready.val() {
            self.ar_valid.d.next = false;
        }
        self.answer.next = self.m_axil.bvalid.val() | self.m_axil.rvalid.val();
        self.refused.next = (self.m_axil.bvalid.val() & self.m_axil.bresp.val().get_bit(1))
            | (self.m_axil.rvalid.val() & self.m_axil.rresp.val().get_bit(1));
        self.cycles.d.next = self.cycles.q.val() + 1;
        self.storing.d.next = false;
        self.stored.d.next = self.m_axil.rdata.val();
        self.stored_index.d.next = self.done.q.val().get_bits::<8>(0);
        self.following.next = self.done.q.val() + 1;
        self.fetch.fetch.next = false;
        if self.answer.val() {
            self.waiting.d.next = false;
        }
        match self.phase.q.val() {
            BridgePhase::Idle => {
                if self.request.ask_.valid.val() {
                    self.done.d.next = 0.into();
                    self.status.d.next = self.request.ask_.status.val();
                    self.phase.d.next = BridgePhase::Reply;
                    if self.request.ask_.status.val() == GOOD {
                        if self.waiting.q.val() {
                            self.status.d.next = SLOW.into();
                        } else {
                            self.address.d.next = self.request.span_.address.val();
                            self.phase.d.next = BridgePhase::Begin;
                        }
                    }
                }
            }
            BridgePhase::Begin => {
                self.fetch.fetch.next = self.request.ask_.write.val();
                self.cycles.d.next = 0.into();
                self.phase.d.next = BridgePhase::Fetch;
            }
            BridgePhase::Fetch => {
                self.data.d.next = self.fetch_word.val();
                self.aw_valid.d.next = self.request.ask_.write.val();
                self.w_valid.d.next = self.request.ask_.write.val();
                self.ar_valid.d.next = !self.request.ask_.write.val();
                self.waiting.d.next = true;
                self.phase.d.next = BridgePhase::Wait;
            }
            BridgePhase::Wait => {
                if self.answer.val() {
                    if self.refused.val() {
                        self.status.d.next = BUS.into();
                        self.phase.d.next = BridgePhase::Reply;
                    } else {
                        self.storing.d.next = !self.request.ask_.write.val();
                        self.done.d.next = self.following.val();
                        self.phase.d.next = BridgePhase::Begin;
                        if !self.request.ask_.fixed.val() {
                            self.address.d.next = self.address.q.val() + WORD;
                        }
                        if self.following.val() == self.request.span_.count.val() {
                            self.status.d.next = GOOD.into();
                            self.phase.d.next = BridgePhase::Reply;
                        }
                    }
                } else if self.cycles.q.val().get_bit(self._log2_timeout) {
                    self.status.d.next = SLOW.into();
                    self.phase.d.next = BridgePhase::Reply;
                }
            }
            BridgePhase::Reply => {
                if self.reply.answer_.ready.val() {
                    self.phase.d.next = BridgePhase::Idle;
                }
            }
        }
        self.fetch.index.next = self.done.q.val().get_bits::<8>(0);
        self.store.store.next = self.storing.q.val();
        self.store.index.next = self.stored_index.q.val();
        self.store.word.next = self.stored.q.val();
        self.reply.answer_.valid.next = self.phase.q.val() == BridgePhase::Reply;
        self.reply.answer_.status.next = self.status.q.val();
        self.reply.done_.count.next = self.done.q.val();
        self.reply.done_.words.next = !self.request.ask_.write.val() & self.done.q.val().any();
        self.request.ask_.ready.next = self.reply.answer_.ready.val() & (self.phase.q.val() == BridgePhase::Reply);
    }

    described!("bridge", "AXI4-Lite master that does what requests ask for."; GOOD, BUS, SLOW, WORD; _log2_timeout);
}
