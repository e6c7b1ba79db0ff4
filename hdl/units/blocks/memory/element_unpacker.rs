//! Element unpacker: chunks to elements, wherever these start.
//!
//! ```text
//!  chunk ─▶ chunk register ┬─▶ shift by the element's place ─▶ word register ─▶ word
//!            top 7 bytes ──┘ of the chunk before
//! ```
//!
//! `place` is the next element's first byte in the chunk register, from −7 (in the chunk before) to 7. One element a cycle, in the low
//! bits of a word; bits above an element's size are anything. The transfer's last word says whether the bus has reported an error in
//! any of its chunks, which one, and the address of the first element that it concerns. Idle after reset.

use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::kernel::prelude::*;

/// Seven bytes of the chunk before, then the chunk.
pub type Window = Word<120, 2>;

/// The unpacker.
#[derive(LogicBlock, Default)]
pub struct ElementUnpacker {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer starts; only while `idle`.
    pub start: Signal<In, Bit>,
    /// Address of its first element.
    pub start_address: Signal<In, MemoryAddress>,
    /// Number of elements.
    pub start_count: Signal<In, Count>,
    /// log2 of an element's bytes.
    pub start_size: Signal<In, Bits<2>>,
    /// Bytes from an element to the next.
    pub start_stride: Signal<In, Stride>,
    /// Elements follow each other without a gap.
    pub start_dense: Signal<In, Bit>,
    /// No transfer is under way.
    pub idle: Signal<Out, Bit>,
    /// A chunk is offered.
    pub chunk_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub chunk_ready: Signal<Out, Bit>,
    /// The chunk.
    pub chunk_data: Signal<In, Chunk>,
    /// Its response: bit 1 tells of an error, bit 0 that no slave answers there.
    pub chunk_response: Signal<In, Bits<2>>,
    /// A word is there.
    pub word_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub word_ready: Signal<In, Bit>,
    /// An element.
    pub word_data: Signal<Out, Chunk>,
    /// It is the transfer's last.
    pub word_last: Signal<Out, Bit>,
    /// The transfer's first error as a response, 0 for none; with the last word.
    pub word_response: Signal<Out, Bits<2>>,
    /// The element that it concerns.
    pub word_address: Signal<Out, MemoryAddress>,
    /// Elements are left.
    pub active: Register<Bit>,
    /// Address of the next element.
    pub address: Pipe<MemoryAddress>,
    /// Elements after it.
    pub count: Pipe<Count>,
    /// Bytes of an element.
    pub size: Pipe<Bits<4>>,
    /// Bytes from an element to the next.
    pub stride: Pipe<Stride>,
    /// Elements follow each other without a gap.
    pub dense: Pipe<Bit>,
    /// First byte of the next element in the chunk, plus 7.
    pub place: Pipe<Bits<5>>,
    /// There is a chunk.
    pub held: Register<Bit>,
    /// The chunk.
    pub chunk: Pipe<Chunk>,
    /// Its response.
    pub response: Pipe<Bits<2>>,
    /// The highest 7 bytes of the chunk before.
    pub carried: Pipe<Word<56, 1>>,
    /// First error of the transfer.
    pub failed: Register<Bits<2>>,
    /// The element that it concerns.
    pub failed_address: Pipe<MemoryAddress>,
    /// There is a word.
    pub full: Register<Bit>,
    /// The word.
    pub word: Pipe<Chunk>,
    /// It is the last.
    pub last: Pipe<Bit>,
    window: Signal<Local, Window>,
    past: Signal<Local, Bits<5>>,
    fits: Signal<Local, Bit>,
    emit: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    next_past: Signal<Local, Bits<5>>,
    leave: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    none: Signal<Local, MemoryAddress>,
    step: Signal<Local, MemoryAddress>,
    next_address: Signal<Local, MemoryAddress>,
}

/// `place` plus size up to which an element ends in the chunk.
const END: u64 = 15;

impl Logic for ElementUnpacker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, address, count, size, stride, dense, place, held, chunk, response, carried);
        dff_setup!(self, clock, failed, failed_address, full, word, last);
        self.idle.next = !self.active.q.val() & !self.full.q.val();
        self.word_valid.next = self.full.q.val();
        self.word_data.next = self.word.q.val();
        self.word_last.next = self.last.q.val();
        self.word_response.next = self.failed.q.val();
        self.word_address.next = self.failed_address.q.val();
        // An element leaves when the chunk holds its last byte.
        self.window.next =
            (bits_to::<Window, Chunk>(self.chunk.q.val()) << 56) | bits_to::<Window, Word<56, 1>>(self.carried.q.val());
        self.past.next = self.place.q.val() + bit_cast::<5, 4>(self.size.q.val());
        self.fits.next = self.past.val() <= END;
        self.ends.next = self.count.q.val() == 0;
        self.emit.next =
            self.active.q.val() & self.held.q.val() & self.fits.val() & (self.word_ready.val() | !self.full.q.val());
        self.done.next = self.emit.val() & self.ends.val();
        // The chunk leaves with the last element that ends in it, or alone if only a part of one is in it.
        self.next_past.next = self.past.val() + bit_cast::<5, 4>(self.size.q.val());
        self.leave.next = self.held.q.val() & self.active.q.val() & !self.fits.val();
        if self.emit.val() {
            self.leave.next = !self.dense.q.val() | self.ends.val() | (self.next_past.val() > END);
        }
        self.more.next = self.active.q.val() & !self.done.val();
        self.room.next = self.more.val() & (!self.held.q.val() | self.leave.val());
        self.chunk_ready.next = self.room.val();
        self.none.next = 0.into();
        self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val());
        if self.stride.q.val().get_bit(19) {
            self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val()) | (!self.none.val() << 20);
        }
        self.next_address.next = self.address.q.val() + self.step.val();
        if self.word_ready.val() {
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
        if self.room.val() & self.chunk_valid.val() {
            self.held.d.next = true;
            self.chunk.d.next = self.chunk_data.val();
            self.response.d.next = self.chunk_response.val();
        }
        // The first element that is not delivered when a chunk with an error comes has bytes in it.
        if self.held.q.val() & self.active.q.val() & self.response.q.val().get_bit(1) & (self.failed.q.val() == 0) {
            self.failed.d.next = self.response.q.val();
            self.failed_address.d.next = self.address.q.val();
        }
        if self.start.val() {
            self.active.d.next = true;
            self.address.d.next = self.start_address.val();
            self.count.d.next = self.start_count.val() - 1;
            self.stride.d.next = self.start_stride.val();
            self.dense.d.next = self.start_dense.val();
            self.place.d.next = bit_cast::<5, 3>(self.start_address.val().get_bits::<3>(0)) + 7;
            self.failed.d.next = 0.into();
            self.held.d.next = false;
            self.size.d.next = 1.into();
            if self.start_size.val() == 3 {
                self.size.d.next = 8.into();
            } else if self.start_size.val() == 2 {
                self.size.d.next = 4.into();
            } else if self.start_size.val() == 1 {
                self.size.d.next = 2.into();
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("element_unpacker", "Chunks to elements.", constants![END])
    }
}
