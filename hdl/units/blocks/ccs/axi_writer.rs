//! Write half of the AXI4 adapter: bursts from lines.
//!
//! ```text
//!                ┌─▶ addresses ─▶ address register ─▶ AW
//!  write_line ───┤
//!  write_lanes   ├─▶ spans, lanes, words ─┐
//!  write_data ───┴─▶ lines ───────────────┴─▶ beat register ─▶ W         B ─▶ ack
//! ```
//!
//! Up to 64 lines wait, more than the line port may have on the way, so that a write is always taken. Their data lie in block RAM, a memory
//! as wide as a beat for each beat of a line (2048 bits: 32 RAMB36); what else belongs to them in LUT RAM. A burst goes from the first
//! beat with a lane that is written to the last such beat: a processor's word is a burst of one beat. A write without lanes is a beat without
//! strobes.
//! A word waits as such, and is repeated over the beat.
//!
//! Timing: a line written in cycle t with nothing before it has its address on offer from t + 2, its first beat from t + 3 on. Addresses and
//! data do not wait for each other, and beats follow each other without a gap, from line to line too. A response in t is the
//! acknowledgement of t + 1, with `ack_error` = 1 unless it is OKAY or EXOKAY. After reset nothing waits.

use super::axi_adapter::Shape;
use crate::kernel::prelude::*;

/// A line's number, its first and last beat.
pub type Place = Word<40, 1>;

/// A word, and whether it is what is written.
pub type WaitingWord = Word<33, 1>;

const LINES: usize = 64;
const WORD_AT: u64 = 32;
const WORD_LSB: usize = WORD_AT as usize;
const FIRST_AT: u64 = 30;
const LAST_AT: u64 = 35;
const FIRST_LSB: usize = FIRST_AT as usize;
const LAST_LSB: usize = LAST_AT as usize;

/// The writer; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiWriter<D: RowWord, S: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A line is written.
    pub write_valid: Signal<In, Bit>,
    /// Its number.
    pub write_line: Signal<In, Bits<30>>,
    /// Lanes to write.
    pub write_lanes: Vec<Signal<In, Bit>>,
    /// Bytes of each 32 bits to write.
    pub write_bytes: Signal<In, Bits<4>>,
    /// `write_value` is written, in the lanes of its word; else `write_data`.
    pub write_word: Signal<In, Bit>,
    /// A word.
    pub write_value: Signal<In, Bits<32>>,
    /// What to write, zeros above the elements.
    pub write_data: Vec<Signal<In, Bits<32>>>,
    /// A write is done.
    pub ack_valid: Signal<Out, Bit>,
    /// The bus has answered with an error.
    pub ack_error: Signal<Out, Bit>,
    /// Write address.
    pub m_axi_awaddr: Signal<Out, Bits<32>>,
    /// Beats less one.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    /// It is offered.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axi_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axi_wdata: Signal<Out, D>,
    /// Bytes of them that count.
    pub m_axi_wstrb: Signal<Out, S>,
    /// They are the burst's last.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// They are offered.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub m_axi_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// It is offered, and taken.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// Where the next line goes.
    pub tail: Register<Bits<6>>,
    /// The next line whose address goes out.
    pub address_at: Register<Bits<6>>,
    /// Lines whose addresses wait.
    pub address_count: Register<Bits<7>>,
    /// The next line to be read for its data.
    pub data_at: Register<Bits<6>>,
    /// Lines that wait for that.
    pub data_count: Register<Bits<7>>,
    /// An address is on offer.
    pub address_valid: Register<Bit>,
    /// The address.
    pub address: Pipe<Bits<32>>,
    /// Its beats less one.
    pub length: Pipe<Bits<8>>,
    /// A line is at the memories' outputs.
    pub there: Register<Bit>,
    /// None of its beats has gone.
    pub fresh: Register<Bit>,
    /// Number of its next beat otherwise.
    pub beat: Pipe<Bits<5>>,
    /// A beat is on offer.
    pub beat_valid: Register<Bit>,
    /// The beat.
    pub data: Pipe<D>,
    /// Its bytes that count.
    pub strobes: Pipe<S>,
    /// It is its burst's last.
    pub last: Pipe<Bit>,
    /// An acknowledgement is there.
    pub acked: Register<Bit>,
    /// It tells of an error.
    pub failed: Pipe<Bit>,
    /// Lines and beats, for addresses.
    pub places: AsyncRam<Place, Bits<6>>,
    /// First and last beats, for data.
    pub spans: Ram<Bits<10>, Bits<6>>,
    /// Lanes.
    pub lanes: Vec<Ram<Bit, Bits<6>>>,
    /// Bytes.
    pub bytes: Ram<Bits<4>, Bits<6>>,
    /// Words, with a bit that says that there is one.
    pub words: Ram<WaitingWord, Bits<6>>,
    /// Data.
    pub lines: Vec<Ram<D, Bits<6>>>,
    numbers: Vec<Constant<Bits<5>>>,
    joined: Vec<Signal<Local, D>>,
    lane: Signal<Local, Bits<32>>,
    any: Vec<Signal<Local, Bit>>,
    first_beat: Signal<Local, Bits<5>>,
    last_beat: Signal<Local, Bits<5>>,
    place: Signal<Local, Place>,
    address_move: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    at: Signal<Local, Bits<5>>,
    chosen: Vec<Signal<Local, Bit>>,
    parts: Vec<Signal<Local, D>>,
    on: Vec<Signal<Local, Bit>>,
    merged: Signal<Local, D>,
    word: Signal<Local, Bits<32>>,
    repeated: Signal<Local, D>,
    mask: Signal<Local, S>,
    unused_response: Signal<Local, Bit>,
    _lanes: usize,
    _beats: usize,
    _in_beat: usize,
    _beat_bytes: usize,
    _bytes: usize,
    _words: usize,
    _element: u64,
    _top: u64,
    _line_shift: u64,
    _beat_shift: u64,
}

impl<D: RowWord, S: RowWord> CcsAxiWriter<D, S> {
    /// A writer.
    pub fn new(shape: &Shape) -> Self {
        CcsAxiWriter {
            write_lanes: (0..shape.lanes).map(|_| Signal::default()).collect(),
            write_data: (0..shape.lanes).map(|_| Signal::default()).collect(),
            fresh: Register::new(true),
            places: AsyncRam::new(LINES),
            spans: Ram::new(LINES, RamStyle::Distributed),
            lanes: (0..shape.lanes).map(|_| Ram::new(LINES, RamStyle::Distributed)).collect(),
            bytes: Ram::new(LINES, RamStyle::Distributed),
            words: Ram::new(LINES, RamStyle::Distributed),
            lines: (0..shape.beats).map(|_| Ram::new(LINES, RamStyle::Block)).collect(),
            numbers: shape.numbers(),
            joined: (0..shape.beats).map(|_| Signal::default()).collect(),
            any: (0..shape.beats).map(|_| Signal::default()).collect(),
            chosen: (0..shape.beats).map(|_| Signal::default()).collect(),
            parts: (0..shape.beats).map(|_| Signal::default()).collect(),
            on: (0..shape.in_beat).map(|_| Signal::default()).collect(),
            _lanes: shape.lanes,
            _beats: shape.beats,
            _in_beat: shape.in_beat,
            _beat_bytes: S::width(),
            _bytes: shape.element_bits / 8,
            _words: D::width() / 32,
            _element: shape.element_bits as u64,
            _top: (D::width() - shape.element_bits) as u64,
            _line_shift: shape.line_bytes.ilog2().into(),
            _beat_shift: S::width().ilog2().into(),
            ..Self::default()
        }
    }
}

impl<D: RowWord, S: RowWord> Logic for CcsAxiWriter<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, places, spans, bytes, words);
        dff_setup!(self, clock, tail, address_at, address_count, data_at, data_count, address_valid, address);
        dff_setup!(self, clock, length, there, fresh, beat, beat_valid, data, strobes, last, acked, failed);
        // Lines come in.
        self.first_beat.next = 0.into();
        self.last_beat.next = 0.into();
        for j in 0..self._beats {
            self.joined[j].next = 0.into();
            self.any[j].next = false;
            for i in 0..self._in_beat {
                self.lane.next = self.write_data[self._in_beat * j + i].val();
                self.joined[j].next =
                    (self.joined[j].val() >> self._element) | (bits_to::<D, Bits<32>>(self.lane.val()) << self._top);
                self.any[j].next = self.any[j].val() | self.write_lanes[self._in_beat * j + i].val();
            }
            if self.any[j].val() {
                self.last_beat.next = self.numbers[j].val();
            }
            self.lines[j].clock.next = self.clock.val();
            self.lines[j].write_address.next = self.tail.q.val();
            self.lines[j].write_enable.next = self.write_valid.val();
            self.lines[j].write_data.next = self.joined[j].val();
        }
        for j in 0..self._beats {
            if self.any[self._beats - 1 - j].val() {
                self.first_beat.next = self.numbers[self._beats - 1 - j].val();
            }
        }
        for i in 0..self._lanes {
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].write_address.next = self.tail.q.val();
            self.lanes[i].write_enable.next = self.write_valid.val();
            self.lanes[i].write_data.next = self.write_lanes[i].val();
        }
        self.words.write_address.next = self.tail.q.val();
        self.words.write_enable.next = self.write_valid.val();
        self.words.write_data.next = bits_to::<WaitingWord, Bits<32>>(self.write_value.val())
            | (bits_to::<WaitingWord, Bit>(self.write_word.val()) << WORD_AT);
        self.bytes.write_address.next = self.tail.q.val();
        self.bytes.write_enable.next = self.write_valid.val();
        self.bytes.write_data.next = self.write_bytes.val();
        self.spans.write_address.next = self.tail.q.val();
        self.spans.write_enable.next = self.write_valid.val();
        self.spans.write_data.next =
            bit_cast::<10, 5>(self.first_beat.val()) | (bit_cast::<10, 5>(self.last_beat.val()) << 5);
        self.places.write_address.next = self.tail.q.val();
        self.places.write_enable.next = self.write_valid.val();
        self.places.write_data.next = bits_to::<Place, Bits<30>>(self.write_line.val())
            | (bits_to::<Place, Bits<5>>(self.first_beat.val()) << FIRST_AT)
            | (bits_to::<Place, Bits<5>>(self.last_beat.val()) << LAST_AT);
        if self.write_valid.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        // Addresses.
        self.places.read_address.next = self.address_at.q.val();
        self.place.next = self.places.read_data.val();
        self.address_move.next =
            (self.address_count.q.val() != 0) & (!self.address_valid.q.val() | self.m_axi_awready.val());
        if self.m_axi_awready.val() {
            self.address_valid.d.next = false;
        }
        if self.address_move.val() {
            self.address_valid.d.next = true;
            self.address_at.d.next = self.address_at.q.val() + 1;
            self.address.d.next = (bit_cast::<32, 30>(self.place.val().get_bits::<30>(0)) << self._line_shift)
                | (bit_cast::<32, 5>(self.place.val().get_bits::<5>(FIRST_LSB)) << self._beat_shift);
            self.length.d.next =
                bit_cast::<8, 5>(self.place.val().get_bits::<5>(LAST_LSB) - self.place.val().get_bits::<5>(FIRST_LSB));
        }
        if self.write_valid.val() & !self.address_move.val() {
            self.address_count.d.next = self.address_count.q.val() + 1;
        }
        if !self.write_valid.val() & self.address_move.val() {
            self.address_count.d.next = self.address_count.q.val() - 1;
        }
        self.m_axi_awvalid.next = self.address_valid.q.val();
        self.m_axi_awaddr.next = self.address.q.val();
        self.m_axi_awlen.next = self.length.q.val();
        // Data: from the memories to the beat register.
        self.at.next = self.beat.q.val();
        if self.fresh.q.val() {
            self.at.next = self.spans.read_data.val().get_bits::<5>(0);
        }
        self.moves.next = self.there.q.val() & (!self.beat_valid.q.val() | self.m_axi_wready.val());
        self.ends.next = self.at.val() == self.spans.read_data.val().get_bits::<5>(5);
        self.load.next = (self.data_count.q.val() != 0) & (!self.there.q.val() | (self.moves.val() & self.ends.val()));
        if self.m_axi_wready.val() {
            self.beat_valid.d.next = false;
        }
        self.merged.next = 0.into();
        for j in 0..self._beats {
            self.chosen[j].next = self.at.val() == self.numbers[j].val();
            self.parts[j].next = 0.into();
            if self.chosen[j].val() {
                self.parts[j].next = self.lines[j].read_data.val();
            }
            self.merged.next = self.merged.val() | self.parts[j].val();
            self.lines[j].read_address.next = self.data_at.q.val();
            self.lines[j].read_enable.next = self.load.val();
        }
        self.mask.next = 0.into();
        for i in 0..self._in_beat {
            self.on[i].next = false;
            for j in 0..self._beats {
                self.on[i].next =
                    self.on[i].val() | (self.chosen[j].val() & self.lanes[self._in_beat * j + i].read_data.val());
            }
        }
        for i in 0..self._beat_bytes {
            self.mask.next = self
                .mask
                .val()
                .replace_bit(i, self.on[i / self._bytes].val() & self.bytes.read_data.val().get_bit(i & 3));
        }
        for i in 0..self._lanes {
            self.lanes[i].read_address.next = self.data_at.q.val();
            self.lanes[i].read_enable.next = self.load.val();
        }
        self.words.read_address.next = self.data_at.q.val();
        self.words.read_enable.next = self.load.val();
        self.word.next = self.words.read_data.val().get_bits::<32>(0);
        self.repeated.next = bits_to::<D, Bits<32>>(self.word.val());
        for _i in 1..self._words {
            self.repeated.next = (self.repeated.val() << 32) | bits_to::<D, Bits<32>>(self.word.val());
        }
        if self.words.read_data.val().get_bit(WORD_LSB) {
            self.merged.next = self.repeated.val();
        }
        self.bytes.read_address.next = self.data_at.q.val();
        self.bytes.read_enable.next = self.load.val();
        self.spans.read_address.next = self.data_at.q.val();
        self.spans.read_enable.next = self.load.val();
        if self.moves.val() {
            self.beat_valid.d.next = true;
            self.data.d.next = self.merged.val();
            self.strobes.d.next = self.mask.val();
            self.last.d.next = self.ends.val();
            self.beat.d.next = self.at.val() + 1;
            self.fresh.d.next = false;
            if self.ends.val() {
                self.there.d.next = false;
            }
        }
        if self.load.val() {
            self.there.d.next = true;
            self.fresh.d.next = true;
            self.data_at.d.next = self.data_at.q.val() + 1;
        }
        if self.write_valid.val() & !self.load.val() {
            self.data_count.d.next = self.data_count.q.val() + 1;
        }
        if !self.write_valid.val() & self.load.val() {
            self.data_count.d.next = self.data_count.q.val() - 1;
        }
        self.m_axi_wvalid.next = self.beat_valid.q.val();
        self.m_axi_wdata.next = self.data.q.val();
        self.m_axi_wstrb.next = self.strobes.q.val();
        self.m_axi_wlast.next = self.last.q.val();
        // Responses.
        self.acked.d.next = self.m_axi_bvalid.val();
        self.failed.d.next = self.m_axi_bresp.val().get_bit(1);
        self.unused_response.next = self.m_axi_bresp.val().get_bit(0);
        self.ack_valid.next = self.acked.q.val();
        self.ack_error.next = self.failed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_axi_writer_{}x{}_{}", self._lanes, self._element, D::width()),
            "AXI4 bursts from lines.",
            constants![FIRST_AT, LAST_AT, FIRST_LSB, LAST_LSB, WORD_AT, WORD_LSB; self._words, self._lanes, self._beats, self._in_beat, self._beat_bytes, self._bytes, self._element, self._top, self._line_shift, self._beat_shift],
        )
    }
}
