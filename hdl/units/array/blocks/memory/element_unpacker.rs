//! Element unpacker: chunks to elements, wherever these start.
//!
//! ```text
//!  chunk ─▶ chunk register ┬─▶ shift by the element's place ─▶ word register ─▶ word
//!            top 7 bytes ──┘ of the chunk before
//! ```
//!
//! `place` is the next element's first byte in the chunk register, from −7 (in the chunk before) to 7. One element a
//! cycle, in the low bits of a word; bits above an element's size are anything. The transfer's last word says whether
//! the bus has reported an error in any of its chunks, which one, and the address of the first element that it
//! concerns. Idle after reset.

use crate::array::blocks::memory::bundles::{ElementSource, RunSink};
use crate::array::blocks::memory::types::{Chunk, Count, MemoryAddress, Stride};
use crate::kernel::prelude::*;
use crate::parts::bundles::OfferSink;

/// Seven bytes of the chunk before, then the chunk.
pub type Window = Word<120, 2>;

hdl_block! {
    /// The unpacker.
    pub ElementUnpacker {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A transfer starts; only while `idle`.
        Bus start__: RunSink; /// The transfer.
        Out idle: Bit; /// No transfer is under way.
        Bus chunk__: OfferSink<Chunk>; /// Chunks.
        In chunk_response: Bits<2>; /// Its response: bit 1 tells of an error, bit 0 that no slave answers there.
        Bus word__: ElementSource; /// Elements.
    } inside {
        Register active: Bit; // Elements are left.
        Pipe address: MemoryAddress; // Address of the next element.
        Pipe count: Count; // Elements after it.
        Pipe size: Bits<4>; // Bytes of an element.
        Pipe stride: Stride; // Bytes from an element to the next.
        Pipe dense: Bit; // Elements follow each other without a gap.
        Pipe place: Bits<5>; // First byte of the next element in the chunk, plus 7.
        Register held: Bit; // There is a chunk.
        Pipe chunk: Chunk; // The chunk.
        Pipe response: Bits<2>; // Its response.
        Pipe carried: Word<56, 1>; // The highest 7 bytes of the chunk before.
        Register failed: Bits<2>; // First error of the transfer.
        Pipe failed_address: MemoryAddress; // The element that it concerns.
        Register full: Bit; // There is a word.
        Pipe word: Chunk; // The word.
        Pipe last: Bit; // It is the last.
        Local window: Window;
        Local past: Bits<5>;
        Local fits, emit, ends, done: Bit;
        Local next_past: Bits<5>;
        Local leave, room, more: Bit;
        Local none, step, next_address: MemoryAddress;
    }
}

/// `place` plus size up to which an element ends in the chunk.
const END: u64 = 15;

impl Logic for ElementUnpacker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, address, count, size, stride, dense, place, held, chunk, response, carried);
        dff_setup!(self, clock, failed, failed_address, full, word, last);
        self.idle.next = !self.active.q.val() & !self.full.q.val();
        self.word__.valid.next = self.full.q.val();
        self.word__.data.next = self.word.q.val();
        self.word__.last.next = self.last.q.val();
        self.word__.response.next = self.failed.q.val();
        self.word__.address.next = self.failed_address.q.val();
        // An element leaves when the chunk holds its last byte.
        self.window.next =
            (bits_to::<Window, Chunk>(self.chunk.q.val()) << 56) | bits_to::<Window, Word<56, 1>>(self.carried.q.val());
        self.past.next = self.place.q.val() + bit_cast::<5, 4>(self.size.q.val());
        self.fits.next = self.past.val() <= END;
        self.ends.next = self.count.q.val() == 0;
        self.emit.next =
            self.active.q.val() & self.held.q.val() & self.fits.val() & (self.word__.ready.val() | !self.full.q.val());
        self.done.next = self.emit.val() & self.ends.val();
        // The chunk leaves with the last element that ends in it, or alone if only a part of one is in it.
        self.next_past.next = self.past.val() + bit_cast::<5, 4>(self.size.q.val());
        self.leave.next = self.held.q.val() & self.active.q.val() & !self.fits.val();
        if self.emit.val() {
            self.leave.next = !self.dense.q.val() | self.ends.val() | (self.next_past.val() > END);
        }
        self.more.next = self.active.q.val() & !self.done.val();
        self.room.next = self.more.val() & (!self.held.q.val() | self.leave.val());
        self.chunk__.ready.next = self.room.val();
        self.none.next = 0.into();
        self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val());
        if self.stride.q.val().get_bit(19) {
            self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val()) | (!self.none.val() << 20);
        }
        self.next_address.next = self.address.q.val() + self.step.val();
        if self.word__.ready.val() {
            self.full.d.next = false;
        }
        if self.emit.val() {
            self.full.d.next = true;
            self.word.d.next =
                bits_to::<Chunk, Window>(self.window.val() >> (bit_cast::<7, 5>(self.place.q.val()) << 3));
            self.last.d.next = self.ends.val();
            self.count.d.next = self.count.q.val() - 1;
            self.address.d.next = self.next_address.val();
            self.active.d.next = !self.ends.val();
            self.place.d.next = self.past.val();
            if !self.dense.q.val() {
                self.place.d.next = bit_cast::<5, 3>(self.next_address.val().get_bits::<3>(0)) + 7;
            }
        }
        if self.leave.val() {
            self.held.d.next = false;
            self.carried.d.next = bits_to::<Word<56, 1>, Chunk>(self.chunk.q.val() >> 8);
            if self.dense.q.val() & self.emit.val() {
                self.place.d.next = self.past.val() - 8;
            } else if !self.emit.val() {
                self.place.d.next = self.place.q.val() - 8;
            }
        }
        if self.room.val() & self.chunk__.valid.val() {
            self.held.d.next = true;
            self.chunk.d.next = self.chunk__.data.val();
            self.response.d.next = self.chunk_response.val();
        }
        // The first element that is not delivered when a chunk with an error comes has bytes in it.
        if self.held.q.val() & self.active.q.val() & self.response.q.val().get_bit(1) & (self.failed.q.val() == 0) {
            self.failed.d.next = self.response.q.val();
            self.failed_address.d.next = self.address.q.val();
        }
        if self.start.val() {
            self.active.d.next = true;
            self.address.d.next = self.start__.address.val();
            self.count.d.next = self.start__.count.val() - 1;
            self.stride.d.next = self.start__.stride.val();
            self.dense.d.next = self.start__.dense.val();
            self.place.d.next = bit_cast::<5, 3>(self.start__.address.val().get_bits::<3>(0)) + 7;
            self.failed.d.next = 0.into();
            self.held.d.next = false;
            self.size.d.next = 1.into();
            if self.start__.size.val() == 3 {
                self.size.d.next = 8.into();
            } else if self.start__.size.val() == 2 {
                self.size.d.next = 4.into();
            } else if self.start__.size.val() == 1 {
                self.size.d.next = 2.into();
            }
        }
    }

    described! { "element_unpacker", "Chunks to elements."; END }
}
