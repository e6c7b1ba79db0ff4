//! Lines that are written back: up to 64 wait in block RAM, or for their answer.
//!
//! ```text
//!  word ─▶ words of the next line       note ─▶ AW
//!                     └──────────────────────▶ W           B ─▶ written, failed
//! ```
//!
//! `word` = 1 writes word `number` of the line that will be noted next; `note` = 1, with the last of them or after it,
//! makes it a line that is written back: an INCR burst of eight full beats. Both only while `room` is 1. Its address is
//! on offer from the second cycle after, its first beat too; addresses and data do not wait for each other, and beats
//! follow each other without a gap. An answer is taken at once: `written` = 1 in its cycle, with `failed` = 1 if it
//! tells of an error. `waits` is about fetches ([`DualityCacheOrder`]). `idle`: every line is answered. Nothing waits
//! after reset.

use super::LineNumber;
use super::order::DualityCacheOrder;
use crate::duality::cache_params::LINE_WORDS;
use crate::kernel::prelude::*;

/// Lines that can wait: their words fill a block RAM.
const LINES: u64 = 64;
const LAST: u64 = LINE_WORDS as u64 - 1;

hdl_block! {
    /// The write-backs.
    pub DualityCacheWriteBacks {
        In clock: Domain; /// Clock and reset.
        Out room: Bit; /// A line can come.
        In word: Bit; /// A word of it comes.
        In number: Bits<3>; /// Which one.
        In data: Word<64, 1>; /// The word.
        In note: Bit; /// The line is complete.
        In note_line: LineNumber; /// Which line it is.
        Out idle: Bit; /// No line waits.
        In read_line: LineNumber; /// A line that is to be fetched.
        Out waits: Bit; /// Not yet.
        Out written, failed: Bit; /// A line is in memory, or is not because of an error. It is not.
        Out m_axi_awaddr: Bits<32>; /// Write address.
        Out m_axi_awvalid: Bit; /// It is offered.
        In m_axi_awready: Bit; /// It is taken if offered.
        Out m_axi_wdata: Word<64, 1>; /// Write data.
        Out m_axi_wlast, m_axi_wvalid: Bit; /// They are the burst's last. They are offered.
        In m_axi_wready: Bit; /// They are taken if offered.
        In m_axi_bresp: Bits<2>; /// Write response.
        In m_axi_bvalid: Bit; /// It is offered, and taken.
    } inside {
        Child order: DualityCacheOrder; // Which fetches wait.
        Register tail: Bits<7>; // The next line that comes.
        Register address_at, data_at, oldest: Bits<7>; // The next: its address goes; its data; it is answered.
        Child lines: AsyncRam<LineNumber, Bits<7>>; // Lines.
        Child words: Ram<Word<64, 1>, Bits<10>>; // Their words.
        Register address_valid: Bit; // An address is on offer.
        Pipe address: LineNumber; // The line.
        Register beat: Bits<3>; // Number of the beat that is read next.
        Register beat_valid, last: Bit; // A beat is on offer. It is its burst's last.
        Local ask, load: Bit;
        Local unused_response: Bit;
    }
}

impl DualityCacheWriteBacks {
    /// The write-backs.
    pub fn new() -> Self {
        DualityCacheWriteBacks {
            order: DualityCacheOrder::new(),
            lines: AsyncRam::new(LINES as usize),
            words: Ram::new(LINES as usize * LINE_WORDS, RamStyle::Block),
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheWriteBacks {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, order, lines, words);
        dff_setup!(self, clock, tail, address_at, data_at, oldest, address_valid, address, beat, beat_valid, last);
        // Lines come.
        self.room.next = (self.tail.q.val() - self.oldest.q.val()) != LINES;
        self.idle.next = self.tail.q.val() == self.oldest.q.val();
        self.words.write_address.next =
            (bits_to::<Bits<10>, Bits<7>>(self.tail.q.val()) << 3) | bits_to::<Bits<10>, Bits<3>>(self.number.val());
        self.words.write_enable.next = self.word.val();
        self.words.write_data.next = self.data.val();
        self.lines.write_address.next = self.tail.q.val();
        self.lines.write_enable.next = self.note.val();
        self.lines.write_data.next = self.note_line.val();
        if self.note.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.order.newest.next = self.tail.q.val();
        self.order.oldest.next = self.oldest.q.val();
        self.order.note.next = self.note.val();
        self.order.note_line.next = self.note_line.val();
        self.order.read_line.next = self.read_line.val();
        self.waits.next = self.order.waits.val();
        // Addresses.
        self.lines.read_address.next = self.address_at.q.val();
        self.ask.next =
            (self.address_at.q.val() != self.tail.q.val()) & (!self.address_valid.q.val() | self.m_axi_awready.val());
        if self.m_axi_awready.val() {
            self.address_valid.d.next = false;
        }
        if self.ask.val() {
            self.address_valid.d.next = true;
            self.address.d.next = self.lines.read_data.val();
            self.address_at.d.next = self.address_at.q.val() + 1;
        }
        self.m_axi_awvalid.next = self.address_valid.q.val();
        self.m_axi_awaddr.next = bits_to::<Bits<32>, LineNumber>(self.address.q.val()) << 6;
        // Beats: the memory's output is the beat on offer.
        self.load.next =
            (self.data_at.q.val() != self.tail.q.val()) & (!self.beat_valid.q.val() | self.m_axi_wready.val());
        self.words.read_address.next =
            (bits_to::<Bits<10>, Bits<7>>(self.data_at.q.val()) << 3) | bits_to::<Bits<10>, Bits<3>>(self.beat.q.val());
        self.words.read_enable.next = self.load.val();
        if self.m_axi_wready.val() {
            self.beat_valid.d.next = false;
        }
        if self.load.val() {
            self.beat_valid.d.next = true;
            self.last.d.next = self.beat.q.val() == LAST;
            self.beat.d.next = self.beat.q.val() + 1;
            if self.beat.q.val() == LAST {
                self.data_at.d.next = self.data_at.q.val() + 1;
            }
        }
        self.m_axi_wvalid.next = self.beat_valid.q.val();
        self.m_axi_wdata.next = self.words.read_data.val();
        self.m_axi_wlast.next = self.last.q.val();
        // Answers.
        self.written.next = self.m_axi_bvalid.val();
        self.failed.next = self.m_axi_bvalid.val() & self.m_axi_bresp.val().get_bit(1);
        self.unused_response.next = self.m_axi_bresp.val().get_bit(0);
        if self.m_axi_bvalid.val() {
            self.oldest.d.next = self.oldest.q.val() + 1;
        }
    }

    described! { "duality_cache_write_backs", "Lines that are written back."; LINES, LAST }
}
