//! Read half of the AXI4 adapter: lines from bursts.
//!
//! ```text
//!  read_line ─▶ address register ─▶ AR        R ─▶ line, a beat at a time ─▶ reply_data
//! ```
//!
//! A line is one INCR burst; it lies on its own size, so that no burst crosses 4 KiB. Addresses run up to [`CCS_AHEAD`]
//! lines ahead of their data: they cover a latency of as many lines as the bus needs cycles for. The line's last beat
//! in cycle t offers the line in t + 1; the first beat of the next one goes in in the cycle in which it is taken, so
//! beats follow each other without a gap as long as lines are taken at once. A response other than OKAY or EXOKAY to
//! any beat makes the line's `reply_error` 1. Beats are counted here, RLAST is not looked at. `waits` = 1 takes no read
//! in that cycle. After reset nothing is under way.

use crate::ccs::blocks::bundles::{ReadSlave, ReplySource};
use crate::ccs::blocks::types::{Shape, beat_numbers, describes};
use crate::kernel::prelude::*;

/// Lines whose addresses may be ahead of their data.
pub const CCS_AHEAD: u64 = 8;

hdl_block! {
    /// The reader; `D` is a beat.
    pub CcsAxiReader<D: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus read: ReadSlave; /// Lines that are asked for.
        In waits: Bit; /// It must wait for a write.
        Bus reply: ReplySource; /// Lines that arrive.
        Out m_axi_araddr: Bits<32>; /// Read address.
        Out m_axi_arvalid: Bit; /// It is offered.
        In m_axi_arready: Bit; /// It is taken if offered.
        In m_axi_rdata: D; /// Read data.
        In m_axi_rresp: Bits<2>; /// Read response.
        In m_axi_rvalid: Bit; /// They are offered.
        Out m_axi_rready: Bit; /// They are taken if offered.
    } inside {
        Register address_valid: Bit; // An address is on offer.
        Pipe address: Bits<32>; // The address.
        Register ahead: Bits<4>; // Lines that were asked for and are not complete.
        Register beat: Bits<5>; // Number of the next beat of a line.
        Register full: Bit; // A line is on offer.
        Pipe failed: Bit; // A beat of it had an error.
        Child line: Array<Pipe<Bits<32>>, LANES>; // The line.
        Child numbers: Vec<Constant<Bits<5>>>;
        Local take, beat_take, ends: Bit;
        Local unused_rest: D;
        Local unused_response: Bit;
        Value _g: Shape;
    }
}

impl<D: RowWord> CcsAxiReader<D> {
    /// A reader.
    pub fn new() -> Self {
        CcsAxiReader { numbers: beat_numbers(), ..Self::default() }
    }
}

impl<D: RowWord> Logic for CcsAxiReader<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address_valid, address, ahead, beat, full, failed, line);
        // Addresses.
        self.read.ready.next = !self.waits.val()
            & (self.ahead.q.val() != CCS_AHEAD)
            & (!self.address_valid.q.val() | self.m_axi_arready.val());
        self.take.next = self.read.valid.val() & self.read.ready.val();
        if self.m_axi_arready.val() {
            self.address_valid.d.next = false;
        }
        if self.take.val() {
            self.address_valid.d.next = true;
            self.address.d.next = bit_cast::<32, 30>(self.read.line.val()) << self._g.line_log;
        }
        self.m_axi_arvalid.next = self.address_valid.q.val();
        self.m_axi_araddr.next = self.address.q.val();
        // Beats.
        self.m_axi_rready.next = !self.full.q.val() | self.reply.ready.val();
        self.beat_take.next = self.m_axi_rvalid.val() & self.m_axi_rready.val();
        self.ends.next = self.beat_take.val() & (self.beat.q.val() == self._g.last_beat);
        if self.reply.ready.val() {
            self.full.d.next = false;
        }
        if self.beat_take.val() {
            self.beat.d.next = self.beat.q.val() + 1;
            self.failed.d.next = self.m_axi_rresp.val().get_bit(1) | (self.failed.q.val() & (self.beat.q.val() != 0));
        }
        if self.ends.val() {
            self.beat.d.next = 0.into();
            self.full.d.next = true;
        }
        if self.take.val() & !self.ends.val() {
            self.ahead.d.next = self.ahead.q.val() + 1;
        }
        if !self.take.val() & self.ends.val() {
            self.ahead.d.next = self.ahead.q.val() - 1;
        }
        self.unused_response.next = self.m_axi_rresp.val().get_bit(0);
        for i in 0..self._g.lanes {
            self.reply.data[i].next = self.line[i].q.val();
        }
        for j in 0..self._g.beats {
            self.unused_rest.next = self.m_axi_rdata.val();
            for i in 0..self._g.in_beat {
                if self.beat_take.val() & (self.beat.q.val() == self.numbers[j].val()) {
                    self.line[self._g.in_beat * j + i].d.next =
                        bits_to::<Bits<32>, D>(self.unused_rest.val()) & self._g.ones;
                }
                self.unused_rest.next = self.unused_rest.val() >> self._g.bits;
            }
        }
        self.reply.valid.next = self.full.q.val();
        self.reply.error.next = self.failed.q.val();
    }

    describes!(block: format!("ccs_axi_reader_{}x{}_{}", block._g.lanes, block._g.bits, D::width()),
        "Lines from AXI4 bursts.", [CCS_AHEAD]);
}
