//! Lines that are fetched (the miss status holding registers, MSHR): a ring of lines in the order in which they missed,
//! asked for over AXI4 in that order, and in it they come.
//!
//! ```text
//!  take ─▶ ring ─▶ AR           R ─▶ fill, a word a cycle ─▶ ends
//! ```
//!
//! A line that is taken has its way; whoever looks for it finds it in the tags, where it waits, so that nothing is
//! searched here. `room` = 1 while one more can be taken. A line is an INCR burst of eight beats; it is on offer from
//! the second cycle after it was taken, once all before it are, unless `waits` says of `next_line` that it must wait. A
//! beat that is taken is word `fill_at` of the ways `fill`; `fill` is none in other cycles. No beat is taken in a cycle
//! with `hold`. With a line's last beat `ends` = 1, and `failed` = 1 if a beat of it had an error. Beats are counted,
//! RLAST is not looked at. `forget` drops the lines that are not on offer yet, and those of the same cycle. `idle`:
//! none is on offer or on its way. Nothing waits after reset.

use super::{LineNumber, WordNumber};
use crate::duality::cache_params::{CacheParams, LINE_WORDS};
use crate::kernel::prelude::*;

/// Bits of a place in the ring, and one more.
const PLACE: usize = 7;
const LAST: u64 = LINE_WORDS as u64 - 1;

hdl_block! {
    /// The fetches.
    pub DualityCacheFetches {
        In clock: Domain; /// Clock and reset.
        In take: Bit; /// A line is to be fetched.
        In take_line: LineNumber; /// Which.
        In take_way: CacheWays; /// Where to.
        Out room: Bit; /// It can be taken.
        In forget: Bit; /// Lines that are not asked for are dropped.
        Out idle: Bit; /// No line is asked for.
        Out next_line: LineNumber; /// The line that would be asked for next.
        In waits: Bit; /// It must not be.
        Out m_axi_araddr: Bits<32>; /// Read address.
        Out m_axi_arvalid: Bit; /// It is offered.
        In m_axi_arready: Bit; /// It is taken if offered.
        In m_axi_rdata: Word<64, 1>; /// Read data.
        In m_axi_rresp: Bits<2>; /// Read response.
        In m_axi_rvalid: Bit; /// They are offered.
        Out m_axi_rready: Bit; /// They are taken if offered.
        In hold: Bit; /// None can be taken.
        Out fill: CacheWays; /// Ways that get a word.
        Out fill_at: WordNumber; /// Which word.
        Out fill_data: Word<64, 1>; /// The word.
        Out ends: Bit; /// It is the line's last.
        Out failed: Bit; /// A word of the line had an error.
    } inside {
        Register tail, asked, head: Bits<PLACE>; // The next line to be taken, asked for, filled.
        Child next: AsyncRam<LineNumber, Bits<PLACE>>; // Lines, for addresses.
        Child lines: AsyncRam<LineNumber, Bits<PLACE>>; // Lines, for data.
        Child homes: AsyncRam<CacheWays, Bits<PLACE>>; // Their ways.
        Register address_valid: Bit; // An address is on offer.
        Pipe address: LineNumber; // The line.
        Register beat: Bits<3>; // Number of the line's next beat.
        Pipe bad: Bit; // A beat before had an error.
        Local ask, beat_take: Bit;
        Local unused_response: Bit;
        Value _entries: u64;
    }
}

impl DualityCacheFetches {
    /// Fetches of a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        DualityCacheFetches {
            next: AsyncRam::new(params.mshr),
            lines: AsyncRam::new(params.mshr),
            homes: AsyncRam::new(params.mshr),
            _entries: params.mshr as u64,
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheFetches {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, next, lines, homes);
        dff_setup!(self, clock, tail, asked, head, address_valid, address, beat, bad);
        // Lines come.
        self.room.next = (self.tail.q.val() - self.head.q.val()) != self._entries;
        self.idle.next = self.asked.q.val() == self.head.q.val();
        self.next.write_address.next = self.tail.q.val();
        self.next.write_enable.next = self.take.val();
        self.next.write_data.next = self.take_line.val();
        self.lines.write_address.next = self.tail.q.val();
        self.lines.write_enable.next = self.take.val();
        self.lines.write_data.next = self.take_line.val();
        self.homes.write_address.next = self.tail.q.val();
        self.homes.write_enable.next = self.take.val();
        self.homes.write_data.next = self.take_way.val();
        if self.take.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        // Addresses.
        self.next.read_address.next = self.asked.q.val();
        self.next_line.next = self.next.read_data.val();
        self.ask.next = (self.asked.q.val() != self.tail.q.val())
            & !self.waits.val()
            & !self.forget.val()
            & (!self.address_valid.q.val() | self.m_axi_arready.val());
        if self.m_axi_arready.val() {
            self.address_valid.d.next = false;
        }
        if self.ask.val() {
            self.address_valid.d.next = true;
            self.address.d.next = self.next.read_data.val();
            self.asked.d.next = self.asked.q.val() + 1;
        }
        if self.forget.val() {
            self.tail.d.next = self.asked.q.val();
        }
        self.m_axi_arvalid.next = self.address_valid.q.val();
        self.m_axi_araddr.next = bits_to::<Bits<32>, LineNumber>(self.address.q.val()) << 6;
        // Beats.
        self.m_axi_rready.next = !self.hold.val();
        self.beat_take.next = self.m_axi_rvalid.val() & !self.hold.val();
        self.lines.read_address.next = self.head.q.val();
        self.homes.read_address.next = self.head.q.val();
        self.fill.next = 0.into();
        if self.beat_take.val() {
            self.fill.next = self.homes.read_data.val();
        }
        self.fill_at.next = (bits_to::<WordNumber, LineNumber>(self.lines.read_data.val()) << 3)
            | bits_to::<WordNumber, Bits<3>>(self.beat.q.val());
        self.fill_data.next = self.m_axi_rdata.val();
        self.ends.next = self.beat_take.val() & (self.beat.q.val() == LAST);
        self.failed.next = self.m_axi_rresp.val().get_bit(1) | ((self.beat.q.val() != 0) & self.bad.q.val());
        self.unused_response.next = self.m_axi_rresp.val().get_bit(0);
        if self.beat_take.val() {
            self.beat.d.next = self.beat.q.val() + 1;
            self.bad.d.next = self.failed.val();
        }
        if self.ends.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_fetches_{}x{}", CacheWays::width(), self._entries),
            "Lines that are fetched.",
            constants![LAST; self._entries],
        )
    }
}
