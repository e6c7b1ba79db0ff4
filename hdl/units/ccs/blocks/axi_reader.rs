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

/// The reader; `D` is a beat.
#[derive(LogicBlock, Default)]
pub struct CcsAxiReader<D: RowWord> {
    pub(super) clock: Signal<In, Domain>,
    pub(super) read: ReadSlave,                     // Lines that are asked for.
    pub(super) waits: Signal<In, Bit>,              // It must wait for a write.
    pub(super) reply: ReplySource,                  // Lines that arrive.
    pub(super) m_axi_araddr: Signal<Out, Bits<32>>, // Read address.
    pub(super) m_axi_arvalid: Signal<Out, Bit>,     // It is offered.
    pub(super) m_axi_arready: Signal<In, Bit>,      // It is taken if offered.
    pub(super) m_axi_rdata: Signal<In, D>,          // Read data.
    pub(super) m_axi_rresp: Signal<In, Bits<2>>,    // Read response.
    pub(super) m_axi_rvalid: Signal<In, Bit>,       // They are offered.
    pub(super) m_axi_rready: Signal<Out, Bit>,      // They are taken if offered.
    address_valid: Register<Bit>,                   // An address is on offer.
    address: Pipe<Bits<32>>,                        // The address.
    ahead: Register<Bits<4>>,                       // Lines that were asked for and are not complete.
    beat: Register<Bits<5>>,                        // Number of the next beat of a line.
    full: Register<Bit>,                            // A line is on offer.
    failed: Pipe<Bit>,                              // A beat of it had an error.
    line: Array<Pipe<Bits<32>>, LANES>,             // The line.
    numbers: Vec<Constant<Bits<5>>>,
    take: Signal<Local, Bit>,
    beat_take: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    unused_rest: Signal<Local, D>,
    unused_response: Signal<Local, Bit>,
    _g: Shape,
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
