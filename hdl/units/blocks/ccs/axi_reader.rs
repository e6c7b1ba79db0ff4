//! Read half of the AXI4 adapter: lines from bursts.
//!
//! ```text
//!  read_line ─▶ address register ─▶ AR        R ─▶ line, a beat at a time ─▶ reply_data
//! ```
//!
//! A line is one INCR burst; it lies on its own size, so that no burst crosses 4 KiB. Addresses run up to [`CCS_AHEAD`] lines ahead of their data:
//! they cover a latency of as many lines as the bus needs cycles for. The line's last beat in cycle t offers the line in t + 1; the first beat
//! of the next one goes in in the cycle in which it is taken, so beats follow each other without a gap as long as lines are taken at once. A
//! response other than OKAY or EXOKAY to any beat makes the line's `reply_error` 1. Beats are counted here, RLAST is not looked at. `waits`
//! = 1 takes no read in that cycle. After reset nothing is under way.

use super::axi_adapter::Shape;
use crate::kernel::prelude::*;

/// Lines whose addresses may be ahead of their data.
pub const CCS_AHEAD: u64 = 8;

/// The reader; `D` is a beat.
#[derive(LogicBlock, Default)]
pub struct CcsAxiReader<D: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A read is asked for.
    pub read_valid: Signal<In, Bit>,
    /// It is taken if asked for.
    pub read_ready: Signal<Out, Bit>,
    /// Number of the line.
    pub read_line: Signal<In, Bits<30>>,
    /// It must wait for a write.
    pub waits: Signal<In, Bit>,
    /// A line is there.
    pub reply_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub reply_ready: Signal<In, Bit>,
    /// The line, an element in the low bits of each.
    pub reply_data: Vec<Signal<Out, Bits<32>>>,
    /// The bus has answered with an error.
    pub reply_error: Signal<Out, Bit>,
    /// Read address.
    pub m_axi_araddr: Signal<Out, Bits<32>>,
    /// It is offered.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axi_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_rdata: Signal<In, D>,
    /// Read response.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// They are offered.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// They are taken if offered.
    pub m_axi_rready: Signal<Out, Bit>,
    /// An address is on offer.
    pub address_valid: Register<Bit>,
    /// The address.
    pub address: Pipe<Bits<32>>,
    /// Lines that were asked for and are not complete.
    pub ahead: Register<Bits<4>>,
    /// Number of the next beat of a line.
    pub beat: Register<Bits<5>>,
    /// A line is on offer.
    pub full: Register<Bit>,
    /// A beat of it had an error.
    pub failed: Pipe<Bit>,
    /// The line.
    pub line: Vec<Pipe<Bits<32>>>,
    numbers: Vec<Constant<Bits<5>>>,
    ready: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    beat_ready: Signal<Local, Bit>,
    beat_take: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    unused_rest: Signal<Local, D>,
    unused_response: Signal<Local, Bit>,
    _lanes: usize,
    _beats: usize,
    _in_beat: usize,
    _last: u64,
    _element: u64,
    _ones: u64,
    _line_shift: u64,
}

impl<D: RowWord> CcsAxiReader<D> {
    /// A reader.
    pub fn new(shape: &Shape) -> Self {
        CcsAxiReader {
            reply_data: (0..shape.lanes).map(|_| Signal::default()).collect(),
            line: (0..shape.lanes).map(|_| Pipe::default()).collect(),
            numbers: shape.numbers(),
            _lanes: shape.lanes,
            _beats: shape.beats,
            _in_beat: shape.in_beat,
            _last: shape.beats as u64 - 1,
            _element: shape.element_bits as u64,
            _ones: u64::from(shape.ones),
            _line_shift: shape.line_bytes.ilog2().into(),
            ..Self::default()
        }
    }
}

impl<D: RowWord> Logic for CcsAxiReader<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address_valid, address, ahead, beat, full, failed);
        // Addresses.
        self.ready.next = !self.waits.val()
            & (self.ahead.q.val() != CCS_AHEAD)
            & (!self.address_valid.q.val() | self.m_axi_arready.val());
        self.read_ready.next = self.ready.val();
        self.take.next = self.read_valid.val() & self.ready.val();
        if self.m_axi_arready.val() {
            self.address_valid.d.next = false;
        }
        if self.take.val() {
            self.address_valid.d.next = true;
            self.address.d.next = bit_cast::<32, 30>(self.read_line.val()) << self._line_shift;
        }
        self.m_axi_arvalid.next = self.address_valid.q.val();
        self.m_axi_araddr.next = self.address.q.val();
        // Beats.
        self.beat_ready.next = !self.full.q.val() | self.reply_ready.val();
        self.m_axi_rready.next = self.beat_ready.val();
        self.beat_take.next = self.m_axi_rvalid.val() & self.beat_ready.val();
        self.ends.next = self.beat_take.val() & (self.beat.q.val() == self._last);
        if self.reply_ready.val() {
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
        for i in 0..self._lanes {
            self.line[i].clock.next = self.clock.val();
            self.line[i].d.next = self.line[i].q.val();
            self.reply_data[i].next = self.line[i].q.val();
        }
        for j in 0..self._beats {
            self.unused_rest.next = self.m_axi_rdata.val();
            for i in 0..self._in_beat {
                if self.beat_take.val() & (self.beat.q.val() == self.numbers[j].val()) {
                    self.line[self._in_beat * j + i].d.next =
                        bits_to::<Bits<32>, D>(self.unused_rest.val()) & self._ones;
                }
                self.unused_rest.next = self.unused_rest.val() >> self._element;
            }
        }
        self.reply_valid.next = self.full.q.val();
        self.reply_error.next = self.failed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_axi_reader_{}x{}_{}", self._lanes, self._element, D::width()),
            "Lines from AXI4 bursts.",
            constants![CCS_AHEAD; self._lanes, self._beats, self._in_beat, self._last, self._element, self._ones, self._line_shift],
        )
    }
}
