//! Translation: from what a thread asks to a place in memory, by a table of DC-pages of 64 KiB.
//!
//! An address that is offered in a cycle with `advance` = 1 comes out in the second such cycle behind it. In the
//! shared space, and from `GENERIC_SHARED` on in the generic one, it counts from the CTA's window; anything from
//! `shared_bytes` on is outside. Space and bytes are those of the first such cycle behind it. The table has an entry
//! for each page number's low bits, which holds the high ones: an entry that is not valid, or holds others, maps
//! nothing. What is refused goes out with its trap: first what is outside of the window, then what is not aligned, not
//! mapped, or only read.
//!
//! Entry: bit 31 valid, 30 writable, 29:16 the high bits of the page's number, 15:0 the page in memory. After power-up
//! entries hold anything; the host writes all of them, while nothing is translated.
//!
//! Source: Duality Cache §3.5, DC-pages; ours: permission and tags in the table.

use crate::duality::cache_params::LINE_BITS;
use crate::duality::isa::codes::{GENERIC_SHARED, Space, Trap};
use crate::kernel::prelude::*;

/// Entries of the table.
pub const PAGES: usize = 256;
/// Bits of their numbers.
pub const PAGE_BITS: usize = 8;
const VALID: usize = 31;
const WRITABLE: usize = 30;
const TAG: usize = 16;

numbers! {
    SHARED = Space::Shared, GENERIC = Space::Generic, GENERIC_FROM = GENERIC_SHARED, UNMAPPED = Trap::Unmapped,
    MISALIGNED = Trap::Misaligned, READ_ONLY = Trap::ReadOnly, WINDOW = Trap::Window
}

hdl_block! {
    /// The translation.
    pub DualityTranslate {
        In clock: Domain; /// Clock and reset.
        In page_write: Bit; /// An entry of the table is written.
        In page_number: Bits<PAGE_BITS>; /// Which one.
        In page_entry: Bits<32>; /// What it holds then.
        In space: Bits<3>; /// What addresses count in.
        In element: Bits<2>; /// log2 of an element's bytes.
        In writes: Bit; /// Elements are written.
        In shared_bytes: Bits<32>; /// Bytes of a window.
        In advance: Bit; /// Addresses move on.
        In valid: Bit; /// An address comes.
        In chosen: Bit; /// It is asked for: otherwise it goes through and means nothing.
        In address: Bits<32>; /// The address.
        In window: Bits<32>; /// Where the window of the thread's CTA begins.
        In thread: Bits<12>; /// The thread.
        Out out_valid: Bit; /// One goes out.
        Out out_chosen: Bit; /// It is asked for.
        Out out_window: Bit; /// It counts from the CTA's window.
        Out place: Bits<32>; /// Its place in memory.
        Out page_line: Bits<LINE_BITS>; /// Its line in the space of pages, which is known sooner.
        Out asked: Bits<32>; /// The address.
        Out out_thread: Bits<12>; /// The thread.
        Out refused: Bit; /// It is refused.
        Out trap: Bits<8>; /// Why, or 0.
        Out empty: Bit; /// Nothing is under way.
    } inside {
        Child table: Ram<Bits<32>, Bits<PAGE_BITS>>; // Pages.
        Register first, second: Bit; // Something is in the first stage, in the second.
        Register first_chosen, second_chosen: Bit;
        Register first_asked, second_asked: Bits<32>;
        Register first_thread, second_thread: Bits<12>;
        Register first_from: Bits<32>; // Where the window begins.
        Register second_place: Bits<32>; // Address in the space of pages.
        Register second_outside: Bit; // It is outside of the window.
        Register second_window: Bit; // It counts from there.
        Register second_aligned: Bit; // It is a multiple of an element's bytes.
        Local within, in_pages: Bits<32>;
        Local in_window, aligned: Bit;
        Local entry: Bits<32>;
        Local known, only_read: Bit;
    }
}

impl DualityTranslate {
    /// A translation.
    pub fn new() -> Self {
        DualityTranslate { table: Ram::new(PAGES, RamStyle::Block), ..Self::default() }
    }
}

impl Logic for DualityTranslate {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, table);
        dff_setup!(self, clock, first, second, first_chosen, second_chosen, first_asked, second_asked, first_thread);
        dff_setup!(self, clock, second_thread, first_from, second_place, second_outside, second_window);
        dff_setup!(self, clock, second_aligned);
        self.table.write_enable.next = self.page_write.val();
        self.table.write_address.next = self.page_number.val();
        self.table.write_data.next = self.page_entry.val();
        self.within.next = self.first_asked.q.val();
        self.in_window.next = self.space.val() == SHARED;
        if (self.space.val() == GENERIC) & (self.first_asked.q.val() >= GENERIC_FROM) {
            self.in_window.next = true;
            self.within.next = self.first_asked.q.val() - GENERIC_FROM;
        }
        self.in_pages.next = self.first_asked.q.val();
        if self.in_window.val() {
            self.in_pages.next = self.first_from.q.val() + self.within.val();
        }
        self.aligned.next = true;
        if self.element.val() == 1 {
            self.aligned.next = self.in_pages.val().get_bits::<1>(0) == 0;
        } else if self.element.val() == 2 {
            self.aligned.next = self.in_pages.val().get_bits::<2>(0) == 0;
        } else if self.element.val() == 3 {
            self.aligned.next = self.in_pages.val().get_bits::<3>(0) == 0;
        }
        self.table.read_enable.next = self.advance.val();
        self.table.read_address.next = self.in_pages.val().get_bits::<PAGE_BITS>(16);
        if self.advance.val() {
            self.first.d.next = self.valid.val();
            self.first_chosen.d.next = self.chosen.val();
            self.first_asked.d.next = self.address.val();
            self.first_thread.d.next = self.thread.val();
            self.first_from.d.next = self.window.val();
            self.second.d.next = self.first.q.val();
            self.second_chosen.d.next = self.first_chosen.q.val();
            self.second_asked.d.next = self.first_asked.q.val();
            self.second_thread.d.next = self.first_thread.q.val();
            self.second_place.d.next = self.in_pages.val();
            self.second_outside.d.next = self.in_window.val() & (self.within.val() >= self.shared_bytes.val());
            self.second_window.d.next = self.in_window.val();
            self.second_aligned.d.next = self.aligned.val();
        }
        self.entry.next = self.table.read_data.val();
        self.known.next = self.entry.val().get_bit(VALID)
            & (self.entry.val().get_bits::<8>(TAG) == self.second_place.q.val().get_bits::<8>(24))
            & (self.entry.val().get_bits::<6>(TAG + 8) == 0);
        self.only_read.next = self.writes.val() & !self.entry.val().get_bit(WRITABLE);
        self.refused.next =
            self.second_outside.q.val() | !self.second_aligned.q.val() | !self.known.val() | self.only_read.val();
        self.trap.next = 0.into();
        if self.second_outside.q.val() {
            self.trap.next = WINDOW.into();
        } else if !self.second_aligned.q.val() {
            self.trap.next = MISALIGNED.into();
        } else if !self.known.val() {
            self.trap.next = UNMAPPED.into();
        } else if self.only_read.val() {
            self.trap.next = READ_ONLY.into();
        }
        self.out_valid.next = self.second.q.val();
        self.out_chosen.next = self.second_chosen.q.val();
        self.out_window.next = self.second_window.q.val();
        self.place.next = (bit_cast::<32, 16>(self.entry.val().get_bits::<16>(0)) << 16)
            | bit_cast::<32, 16>(self.second_place.q.val().get_bits::<16>(0));
        self.page_line.next = self.second_place.q.val().get_bits::<LINE_BITS>(6);
        self.asked.next = self.second_asked.q.val();
        self.out_thread.next = self.second_thread.q.val();
        self.empty.next = !self.first.q.val() & !self.second.q.val();
    }

    described! {
        "duality_translate", "From what a thread asks to a place in memory."; VALID, WRITABLE, TAG, SHARED, GENERIC,
        GENERIC_FROM, UNMAPPED, MISALIGNED, READ_ONLY, WINDOW, LINE_BITS
    }
}
