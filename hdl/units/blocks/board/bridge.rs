//! Bridge: an AXI4-Lite master that does what a request asks for, a word at a time.
//!
//! ```text
//!  request ─▶ phase, address, words done ─▶ reply
//!  frame buffer ─▶ word ─▶ AW, W, B
//!  frame buffer ◀─ word ◀─ AR, R
//! ```
//!
//! A refused request, and any request while the bus still owes an answer, goes on to the reply as it is. Else the words go to the bus or come from it, until the
//! last, the first that the bus refuses (SLVERR or DECERR), or the time-out: no answer for 2^`log2_timeout` cycles. `reply_valid` = 1 from then until
//! `reply_ready`, which is also `request_ready`. What was offered to the bus stays on offer after a time-out, and `waiting` = 1 until its answer comes,
//! which is dropped. READY of both answers is always 1. Nothing is offered after reset.

use crate::kernel::prelude::*;
use crate::protocol::Status;

/// Bits of the counter that ends waiting.
const TIMEOUT: usize = 25;
const GOOD: u64 = Status::Ok as u64;
const BUS: u64 = Status::Bus as u64;
const SLOW: u64 = Status::Slow as u64;
/// Bytes of a word.
const WORD: u64 = 4;

/// What the bridge does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum BridgePhase {
    /// Waits for a request.
    Idle,
    /// Begins a word.
    Begin,
    /// The word comes from the buffer.
    Fetch,
    /// Waits for the bus.
    Wait,
    /// Has a reply.
    Reply,
}
packed_enum!(BridgePhase: Idle, Begin, Fetch, Wait, Reply);

/// The bridge.
#[derive(LogicBlock)]
pub struct Bridge {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A request is there.
    pub request_valid: Signal<In, Bit>,
    /// It is done with.
    pub request_ready: Signal<Out, Bit>,
    /// Status of a refused one, 0 for others.
    pub request_status: Signal<In, Bits<3>>,
    /// It writes.
    pub request_write: Signal<In, Bit>,
    /// Every word at the same address.
    pub request_fixed: Signal<In, Bit>,
    /// Words: 1 to 256 unless refused.
    pub request_count: Signal<In, Bits<9>>,
    /// Address of the first.
    pub request_address: Signal<In, Bits<32>>,
    /// A word is fetched from the buffer.
    pub fetch: Signal<Out, Bit>,
    /// Its number.
    pub fetch_index: Signal<Out, Bits<8>>,
    /// The word, a cycle later.
    pub fetch_word: Signal<In, Bits<32>>,
    /// A word goes to the buffer.
    pub store: Signal<Out, Bit>,
    /// Its number.
    pub store_index: Signal<Out, Bits<8>>,
    /// The word.
    pub store_word: Signal<Out, Bits<32>>,
    /// A reply is there.
    pub reply_valid: Signal<Out, Bit>,
    /// It is sent.
    pub reply_ready: Signal<In, Bit>,
    /// How the request ended.
    pub reply_status: Signal<Out, Bits<3>>,
    /// Words done.
    pub reply_count: Signal<Out, Bits<9>>,
    /// They follow.
    pub reply_words: Signal<Out, Bit>,
    /// Write address.
    pub m_axil_awaddr: Signal<Out, Bits<32>>,
    /// It is offered.
    pub m_axil_awvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_awready: Signal<In, Bit>,
    /// Write data, all bytes of them.
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    /// They are offered.
    pub m_axil_wvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub m_axil_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axil_bresp: Signal<In, Bits<2>>,
    /// It is offered.
    pub m_axil_bvalid: Signal<In, Bit>,
    /// It is taken if offered: always.
    pub m_axil_bready: Signal<Out, Bit>,
    /// Read address.
    pub m_axil_araddr: Signal<Out, Bits<32>>,
    /// It is offered.
    pub m_axil_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axil_rdata: Signal<In, Bits<32>>,
    /// Read response.
    pub m_axil_rresp: Signal<In, Bits<2>>,
    /// They are offered.
    pub m_axil_rvalid: Signal<In, Bit>,
    /// They are taken if offered: always.
    pub m_axil_rready: Signal<Out, Bit>,
    /// What it does.
    pub phase: Register<BridgePhase>,
    /// Address of the word.
    pub address: Pipe<Bits<32>>,
    /// The word to write.
    pub data: Pipe<Bits<32>>,
    /// Words done.
    pub done: Register<Bits<9>>,
    /// How the request ended.
    pub status: Pipe<Bits<3>>,
    /// A write address is offered.
    pub aw_valid: Register<Bit>,
    /// Write data are offered.
    pub w_valid: Register<Bit>,
    /// A read address is offered.
    pub ar_valid: Register<Bit>,
    /// The bus owes an answer.
    pub waiting: Register<Bit>,
    /// Cycles that it has owed it.
    pub cycles: Pipe<Bits<TIMEOUT>>,
    /// A word goes to the buffer.
    pub storing: Register<Bit>,
    /// The word.
    pub stored: Pipe<Bits<32>>,
    /// Its number.
    pub stored_index: Pipe<Bits<8>>,
    answer: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    following: Signal<Local, Bits<9>>,
    unused_response: Signal<Local, Bit>,
    _log2_timeout: usize,
}

impl Bridge {
    /// A bridge whose bus may take 2^`log2_timeout` cycles: at most 2^24.
    pub fn new(log2_timeout: usize) -> Self {
        Bridge {
            clock: Signal::default(),
            request_valid: Signal::default(),
            request_ready: Signal::default(),
            request_status: Signal::default(),
            request_write: Signal::default(),
            request_fixed: Signal::default(),
            request_count: Signal::default(),
            request_address: Signal::default(),
            fetch: Signal::default(),
            fetch_index: Signal::default(),
            fetch_word: Signal::default(),
            store: Signal::default(),
            store_index: Signal::default(),
            store_word: Signal::default(),
            reply_valid: Signal::default(),
            reply_ready: Signal::default(),
            reply_status: Signal::default(),
            reply_count: Signal::default(),
            reply_words: Signal::default(),
            m_axil_awaddr: Signal::default(),
            m_axil_awvalid: Signal::default(),
            m_axil_awready: Signal::default(),
            m_axil_wdata: Signal::default(),
            m_axil_wvalid: Signal::default(),
            m_axil_wready: Signal::default(),
            m_axil_bresp: Signal::default(),
            m_axil_bvalid: Signal::default(),
            m_axil_bready: Signal::default(),
            m_axil_araddr: Signal::default(),
            m_axil_arvalid: Signal::default(),
            m_axil_arready: Signal::default(),
            m_axil_rdata: Signal::default(),
            m_axil_rresp: Signal::default(),
            m_axil_rvalid: Signal::default(),
            m_axil_rready: Signal::default(),
            phase: Register::new(BridgePhase::Idle),
            address: Pipe::default(),
            data: Pipe::default(),
            done: Register::default(),
            status: Pipe::default(),
            aw_valid: Register::default(),
            w_valid: Register::default(),
            ar_valid: Register::default(),
            waiting: Register::default(),
            cycles: Pipe::default(),
            storing: Register::default(),
            stored: Pipe::default(),
            stored_index: Pipe::default(),
            answer: Signal::default(),
            refused: Signal::default(),
            following: Signal::default(),
            unused_response: Signal::default(),
            _log2_timeout: log2_timeout.min(TIMEOUT - 1),
        }
    }
}

/// A placeholder until the constructor makes the real one.
impl Default for Bridge {
    fn default() -> Self {
        Bridge::new(0)
    }
}

impl Logic for Bridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, address, data, done, status, aw_valid, w_valid, ar_valid, waiting, cycles);
        dff_setup!(self, clock, storing, stored, stored_index);
        self.m_axil_awaddr.next = self.address.q.val();
        self.m_axil_awvalid.next = self.aw_valid.q.val();
        self.m_axil_wdata.next = self.data.q.val();
        self.m_axil_wvalid.next = self.w_valid.q.val();
        self.m_axil_bready.next = true;
        self.m_axil_araddr.next = self.address.q.val();
        self.m_axil_arvalid.next = self.ar_valid.q.val();
        self.m_axil_rready.next = true;
        self.unused_response.next = self.m_axil_bresp.val().get_bit(0) ^ self.m_axil_rresp.val().get_bit(0);
        if self.m_axil_awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.m_axil_wready.val() {
            self.w_valid.d.next = false;
        }
        if self.m_axil_arready.val() {
            self.ar_valid.d.next = false;
        }
        self.answer.next = self.m_axil_bvalid.val() | self.m_axil_rvalid.val();
        self.refused.next = (self.m_axil_bvalid.val() & self.m_axil_bresp.val().get_bit(1))
            | (self.m_axil_rvalid.val() & self.m_axil_rresp.val().get_bit(1));
        self.cycles.d.next = self.cycles.q.val() + 1;
        self.storing.d.next = false;
        self.stored.d.next = self.m_axil_rdata.val();
        self.stored_index.d.next = self.done.q.val().get_bits::<8>(0);
        self.following.next = self.done.q.val() + 1;
        self.fetch.next = false;
        if self.answer.val() {
            self.waiting.d.next = false;
        }
        match self.phase.q.val() {
            BridgePhase::Idle => {
                if self.request_valid.val() {
                    self.done.d.next = 0.into();
                    self.status.d.next = self.request_status.val();
                    self.phase.d.next = BridgePhase::Reply;
                    if self.request_status.val() == GOOD {
                        if self.waiting.q.val() {
                            self.status.d.next = SLOW.into();
                        } else {
                            self.address.d.next = self.request_address.val();
                            self.phase.d.next = BridgePhase::Begin;
                        }
                    }
                }
            }
            BridgePhase::Begin => {
                self.fetch.next = self.request_write.val();
                self.cycles.d.next = 0.into();
                self.phase.d.next = BridgePhase::Fetch;
            }
            BridgePhase::Fetch => {
                self.data.d.next = self.fetch_word.val();
                self.aw_valid.d.next = self.request_write.val();
                self.w_valid.d.next = self.request_write.val();
                self.ar_valid.d.next = !self.request_write.val();
                self.waiting.d.next = true;
                self.phase.d.next = BridgePhase::Wait;
            }
            BridgePhase::Wait => {
                if self.answer.val() {
                    if self.refused.val() {
                        self.status.d.next = BUS.into();
                        self.phase.d.next = BridgePhase::Reply;
                    } else {
                        self.storing.d.next = !self.request_write.val();
                        self.done.d.next = self.following.val();
                        self.phase.d.next = BridgePhase::Begin;
                        if !self.request_fixed.val() {
                            self.address.d.next = self.address.q.val() + WORD;
                        }
                        if self.following.val() == self.request_count.val() {
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
                if self.reply_ready.val() {
                    self.phase.d.next = BridgePhase::Idle;
                }
            }
        }
        self.fetch_index.next = self.done.q.val().get_bits::<8>(0);
        self.store.next = self.storing.q.val();
        self.store_index.next = self.stored_index.q.val();
        self.store_word.next = self.stored.q.val();
        self.reply_valid.next = self.phase.q.val() == BridgePhase::Reply;
        self.reply_status.next = self.status.q.val();
        self.reply_count.next = self.done.q.val();
        self.reply_words.next = !self.request_write.val() & self.done.q.val().any();
        self.request_ready.next = self.reply_ready.val() & (self.phase.q.val() == BridgePhase::Reply);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "bridge",
            "AXI4-Lite master that does what requests ask for.",
            constants![GOOD, BUS, SLOW, WORD; self._log2_timeout],
        )
    }
}
