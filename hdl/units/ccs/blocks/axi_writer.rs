//! Write half of the AXI4 adapter: bursts from lines.
//!
//! ```text
//!                ┌─▶ addresses ─▶ address register ─▶ AW
//!  write_line ───┤
//!  write_lanes   ├─▶ spans, lanes, words ─┐
//!  write_data ───┴─▶ lines ───────────────┴─▶ beat register ─▶ W         B ─▶ ack
//! ```
//!
//! Up to 64 lines wait, more than the line port may have on the way, so that a write is always taken. Their data lie in
//! block RAM, a memory as wide as a beat for each beat of a line (2048 bits: 32 RAMB36); what else belongs to them in
//! LUT RAM. A burst goes from the first beat with a lane that is written to the last such beat: a processor's word is a
//! burst of one beat. A write without lanes is a beat without strobes. A word waits as such, and is repeated over the
//! beat.
//!
//! Timing: a line written in cycle t with nothing before it has its address on offer from t + 2, its first beat from
//! t + 3 on. Addresses and data do not wait for each other, and beats follow each other without a gap, from line to
//! line too. A response in t is the acknowledgement of t + 1, with `ack_error` = 1 unless it is OKAY or EXOKAY. After
//! reset nothing waits.

use crate::ccs::blocks::bundles::{AckSource, WriteSink};
use crate::ccs::blocks::types::{BEATS, IN_BEAT, Shape, beat_numbers, describes};
use crate::kernel::prelude::*;

/// A line's number, its first and last beat.
pub type Place = Word<40, 1>;

/// A word, and whether it is what is written.
pub type WaitingWord = Word<33, 1>;

const WAITING: usize = 64;
const WORD_AT: u64 = 32;
const WORD_LSB: usize = WORD_AT as usize;
const FIRST_AT: u64 = 30;
const LAST_AT: u64 = 35;
const FIRST_LSB: usize = FIRST_AT as usize;
const LAST_LSB: usize = LAST_AT as usize;

hdl_block! {
    /// The writer; `D` is a beat, `S` has a bit for each byte of it.
    pub CcsAxiWriter<D: RowWord, S: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus write: WriteSink; /// Lines and words that are written.
        Bus ack: AckSource; /// Writes that are done.
        Out m_axi_awaddr: Bits<32>; /// Write address.
        Out m_axi_awlen: Bits<8>; /// Beats less one.
        Out m_axi_awvalid: Bit; /// It is offered.
        In m_axi_awready: Bit; /// It is taken if offered.
        Out m_axi_wdata: D; /// Write data.
        Out m_axi_wstrb: S; /// Bytes of them that count.
        Out m_axi_wlast, m_axi_wvalid: Bit; /// They are the burst's last. They are offered.
        In m_axi_wready: Bit; /// They are taken if offered.
        In m_axi_bresp: Bits<2>; /// Write response.
        In m_axi_bvalid: Bit; /// It is offered, and taken.
    } inside {
        Register tail, address_at: Bits<6>; // Where the next line goes. The next line whose address goes out.
        Register address_count: Bits<7>; // Lines whose addresses wait.
        Register data_at: Bits<6>; // The next line to be read for its data.
        Register data_count: Bits<7>; // Lines that wait for that.
        Register address_valid: Bit; // An address is on offer.
        Pipe address: Bits<32>; // The address.
        Pipe length: Bits<8>; // Its beats less one.
        Register there, fresh: Bit; // A line is at the memories' outputs. None of its beats has gone.
        Pipe beat: Bits<5>; // Number of its next beat otherwise.
        Register beat_valid: Bit; // A beat is on offer.
        Pipe data: D; // The beat.
        Pipe strobes: S; // Its bytes that count.
        Pipe last: Bit; // It is its burst's last.
        Register acked: Bit; // An acknowledgement is there.
        Pipe failed: Bit; // It tells of an error.
        Child places: AsyncRam<Place, Bits<6>>; // Lines and beats, for addresses.
        Child spans: Ram<Bits<10>, Bits<6>>; // First and last beats, for data.
        Child lanes: Vec<Ram<Bit, Bits<6>>>; // Lanes.
        Child bytes: Ram<Bits<4>, Bits<6>>; // Bytes.
        Child words: Ram<WaitingWord, Bits<6>>; // Words, with a bit that says that there is one.
        Child lines: Vec<Ram<D, Bits<6>>>; // Data.
        Child numbers: Vec<Constant<Bits<5>>>;
        Child joined: Array<Signal<Local, D>, BEATS>;
        Local lane: Bits<32>;
        Child any: Array<Signal<Local, Bit>, BEATS>;
        Local first_beat, last_beat: Bits<5>;
        Local place: Place;
        Local address_move, load, moves, ends: Bit;
        Local at: Bits<5>;
        Child chosen: Array<Signal<Local, Bit>, BEATS>;
        Child parts: Array<Signal<Local, D>, BEATS>;
        Child on: Array<Signal<Local, Bit>, IN_BEAT>;
        Local merged: D;
        Local word: Bits<32>;
        Local repeated: D;
        Local mask: S;
        Local unused_response: Bit;
        Value _g: Shape;
    }
}

impl<D: RowWord, S: RowWord> CcsAxiWriter<D, S> {
    /// A writer.
    pub fn new() -> Self {
        let Shape { lanes, beats, .. } = Shape::default();
        CcsAxiWriter {
            fresh: Register::new(true),
            places: AsyncRam::new(WAITING),
            spans: Ram::new(WAITING, RamStyle::Distributed),
            lanes: (0..lanes).map(|_| Ram::new(WAITING, RamStyle::Distributed)).collect(),
            bytes: Ram::new(WAITING, RamStyle::Distributed),
            words: Ram::new(WAITING, RamStyle::Distributed),
            lines: (0..beats).map(|_| Ram::new(WAITING, RamStyle::Block)).collect(),
            numbers: beat_numbers(),
            ..Self::default()
        }
    }
}

impl<D: RowWord, S: RowWord> Logic for CcsAxiWriter<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, places, spans, bytes, words);
        dff_setup!(self, clock, tail, address_at, address_count, data_at, data_count, address_valid);
        dff_setup!(self, clock, address, length, there, fresh, beat, beat_valid, data, strobes, last);
        dff_setup!(self, clock, acked, failed);
        // Lines come in.
        self.first_beat.next = 0.into();
        self.last_beat.next = 0.into();
        for j in 0..self._g.beats {
            self.joined[j].next = 0.into();
            self.any[j].next = false;
            for i in 0..self._g.in_beat {
                self.lane.next = self.write.data[self._g.in_beat * j + i].val();
                self.joined[j].next = (self.joined[j].val() >> self._g.bits)
                    | (bits_to::<D, Bits<32>>(self.lane.val()) << self._g.last_element);
                self.any[j].next = self.any[j].val() | self.write.lanes[self._g.in_beat * j + i].val();
            }
            if self.any[j].val() {
                self.last_beat.next = self.numbers[j].val();
            }
            self.lines[j].clock.next = self.clock.val();
            self.lines[j].write_address.next = self.tail.q.val();
            self.lines[j].write_enable.next = self.write.valid.val();
            self.lines[j].write_data.next = self.joined[j].val();
        }
        for j in 0..self._g.beats {
            if self.any[self._g.beats - 1 - j].val() {
                self.first_beat.next = self.numbers[self._g.beats - 1 - j].val();
            }
        }
        for i in 0..self._g.lanes {
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].write_address.next = self.tail.q.val();
            self.lanes[i].write_enable.next = self.write.valid.val();
            self.lanes[i].write_data.next = self.write.lanes[i].val();
        }
        self.words.write_address.next = self.tail.q.val();
        self.words.write_enable.next = self.write.valid.val();
        self.words.write_data.next = bits_to::<WaitingWord, Bits<32>>(self.write.value.val())
            | (bits_to::<WaitingWord, Bit>(self.write.word.val()) << WORD_AT);
        self.bytes.write_address.next = self.tail.q.val();
        self.bytes.write_enable.next = self.write.valid.val();
        self.bytes.write_data.next = self.write.bytes.val();
        self.spans.write_address.next = self.tail.q.val();
        self.spans.write_enable.next = self.write.valid.val();
        self.spans.write_data.next =
            bit_cast::<10, 5>(self.first_beat.val()) | (bit_cast::<10, 5>(self.last_beat.val()) << 5);
        self.places.write_address.next = self.tail.q.val();
        self.places.write_enable.next = self.write.valid.val();
        self.places.write_data.next = bits_to::<Place, Bits<30>>(self.write.line.val())
            | (bits_to::<Place, Bits<5>>(self.first_beat.val()) << FIRST_AT)
            | (bits_to::<Place, Bits<5>>(self.last_beat.val()) << LAST_AT);
        if self.write.valid.val() {
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
            self.address.d.next = (bit_cast::<32, 30>(self.place.val().get_bits::<30>(0)) << self._g.line_log)
                | (bit_cast::<32, 5>(self.place.val().get_bits::<5>(FIRST_LSB)) << self._g.bus_log);
            self.length.d.next =
                bit_cast::<8, 5>(self.place.val().get_bits::<5>(LAST_LSB) - self.place.val().get_bits::<5>(FIRST_LSB));
        }
        if self.write.valid.val() & !self.address_move.val() {
            self.address_count.d.next = self.address_count.q.val() + 1;
        }
        if !self.write.valid.val() & self.address_move.val() {
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
        for j in 0..self._g.beats {
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
        for i in 0..self._g.in_beat {
            self.on[i].next = false;
            for j in 0..self._g.beats {
                self.on[i].next =
                    self.on[i].val() | (self.chosen[j].val() & self.lanes[self._g.in_beat * j + i].read_data.val());
            }
        }
        for i in 0..self._g.bus_bytes {
            self.mask.next = self
                .mask
                .val()
                .replace_bit(i, self.on[i / self._g.bytes].val() & self.bytes.read_data.val().get_bit(i & 3));
        }
        for i in 0..self._g.lanes {
            self.lanes[i].read_address.next = self.data_at.q.val();
            self.lanes[i].read_enable.next = self.load.val();
        }
        self.words.read_address.next = self.data_at.q.val();
        self.words.read_enable.next = self.load.val();
        self.word.next = self.words.read_data.val().get_bits::<32>(0);
        self.repeated.next = bits_to::<D, Bits<32>>(self.word.val());
        for _i in 1..self._g.bus_words {
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
        if self.write.valid.val() & !self.load.val() {
            self.data_count.d.next = self.data_count.q.val() + 1;
        }
        if !self.write.valid.val() & self.load.val() {
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
        self.ack.valid.next = self.acked.q.val();
        self.ack.error.next = self.failed.q.val();
    }

    describes!(block: format!("ccs_axi_writer_{}x{}_{}", block._g.lanes, block._g.bits, D::width()),
        "AXI4 bursts from lines.", [FIRST_AT, LAST_AT, FIRST_LSB, LAST_LSB, WORD_AT, WORD_LSB]);
}
