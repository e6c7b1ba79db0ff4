//! Element packer: elements to chunks, wherever they are to start, with a strobe for each byte.
//!
//! ```text
//!  word ─▶ rotate by the element's place ─┬─▶ low part, with what has gathered ─▶ chunk register ─▶ chunk
//!                                         └─▶ part beyond the chunk ─▶ gathers
//! ```
//!
//! One element a cycle. A chunk leaves when its last byte is there or when its run of bytes ends (see the burst generator); a part of an
//! element that is left then takes a cycle of its own. Idle after reset.

use super::types::{Chunk, Count, Stride};
use crate::kernel::prelude::*;

/// The packer.
#[derive(LogicBlock, Default)]
pub struct ElementPacker {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer starts; only while `idle`.
    pub start: Signal<In, Bit>,
    /// Lowest bits of the address of its first element.
    pub start_offset: Signal<In, Bits<3>>,
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
    /// A word is offered.
    pub word_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub word_ready: Signal<Out, Bit>,
    /// An element, zeros above it.
    pub word_data: Signal<In, Chunk>,
    /// A chunk is there.
    pub chunk_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub chunk_ready: Signal<In, Bit>,
    /// The chunk.
    pub chunk_data: Signal<Out, Chunk>,
    /// Its bytes that count.
    pub chunk_strobes: Signal<Out, Bits<8>>,
    /// Its run of bytes ends.
    pub chunk_ends: Signal<Out, Bit>,
    /// Elements are left.
    pub active: Register<Bit>,
    /// Elements after the next.
    pub count: Pipe<Count>,
    /// A one for each byte of an element.
    pub bytes: Pipe<Bits<8>>,
    /// Lowest bits of the bytes from an element to the next.
    pub stride: Pipe<Bits<3>>,
    /// Elements follow each other without a gap.
    pub dense: Pipe<Bit>,
    /// First byte of the next element in its chunk.
    pub place: Pipe<Bits<3>>,
    /// What has gathered.
    pub gathered: Pipe<Chunk>,
    /// Bytes that have.
    pub strobes: Register<Bits<8>>,
    /// It is the end of a run, and leaves next.
    pub flush: Register<Bit>,
    /// There is a chunk.
    pub full: Register<Bit>,
    /// The chunk.
    pub chunk: Pipe<Chunk>,
    /// Its bytes.
    pub chunk_bytes: Pipe<Bits<8>>,
    /// Its run ends.
    pub ends: Pipe<Bit>,
    free: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    shift: Signal<Local, Bits<7>>,
    unshift: Signal<Local, Bits<7>>,
    rotated: Signal<Local, Chunk>,
    reached: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<8>>,
    high: Signal<Local, Bits<8>>,
    low_mask: Signal<Local, Chunk>,
    merged: Signal<Local, Chunk>,
    run_ends: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    unused_stride: Signal<Local, Bits<17>>,
}

impl Logic for ElementPacker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, count, bytes, stride, dense, place, gathered, strobes, flush, full, chunk);
        dff_setup!(self, clock, chunk_bytes, ends);
        self.idle.next = !self.active.q.val() & !self.flush.q.val() & !self.full.q.val();
        self.chunk_valid.next = self.full.q.val();
        self.chunk_data.next = self.chunk.q.val();
        self.chunk_strobes.next = self.chunk_bytes.q.val();
        self.chunk_ends.next = self.ends.q.val();
        self.free.next = self.chunk_ready.val() | !self.full.q.val();
        self.word_ready.next = self.active.q.val() & self.free.val() & !self.flush.q.val();
        self.take.next = self.word_valid.val() & self.active.q.val() & self.free.val() & !self.flush.q.val();
        // The element at its place: the rotated word holds both parts.
        self.shift.next = bit_cast::<7, 3>(self.place.q.val()) << 3;
        self.unshift.next = 64.into();
        self.unshift.next = self.unshift.val() - self.shift.val();
        self.rotated.next = (self.word_data.val() << self.shift.val()) | (self.word_data.val() >> self.unshift.val());
        self.reached.next = bit_cast::<16, 8>(self.bytes.q.val()) << bit_cast::<16, 3>(self.place.q.val());
        self.low.next = self.reached.val().get_bits::<8>(0);
        self.high.next = self.reached.val().get_bits::<8>(8);
        self.low_mask.next = 0.into();
        for i in 0..8 {
            for j in 0..8 {
                self.low_mask.next = self.low_mask.val().replace_bit(8 * i + j, self.low.val().get_bit(i));
            }
        }
        self.merged.next = (self.rotated.val() & self.low_mask.val()) | self.gathered.q.val();
        self.run_ends.next = !self.dense.q.val() | (self.count.q.val() == 0);
        self.complete.next = self.run_ends.val() | self.reached.val().get_bit(7) | self.high.val().any();
        if self.chunk_ready.val() {
            self.full.d.next = false;
        }
        if self.flush.q.val() & self.free.val() {
            self.flush.d.next = false;
            self.full.d.next = true;
            self.chunk.d.next = self.gathered.q.val();
            self.chunk_bytes.d.next = self.strobes.q.val();
            self.ends.d.next = true;
            self.gathered.d.next = 0.into();
            self.strobes.d.next = 0.into();
        }
        if self.take.val() {
            self.count.d.next = self.count.q.val() - 1;
            self.active.d.next = self.count.q.val() != 0;
            self.place.d.next = self.place.q.val() + self.stride.q.val();
            if self.complete.val() {
                self.full.d.next = true;
                self.chunk.d.next = self.merged.val();
                self.chunk_bytes.d.next = self.strobes.q.val() | self.low.val();
                self.ends.d.next = self.run_ends.val() & !self.high.val().any();
                self.flush.d.next = self.run_ends.val() & self.high.val().any();
                self.gathered.d.next = 0.into();
                if self.high.val().any() {
                    self.gathered.d.next = self.rotated.val() & !self.low_mask.val();
                }
                self.strobes.d.next = self.high.val();
            } else {
                self.gathered.d.next = self.merged.val();
                self.strobes.d.next = self.strobes.q.val() | self.low.val();
            }
        }
        if self.start.val() {
            self.active.d.next = true;
            self.count.d.next = self.start_count.val() - 1;
            self.dense.d.next = self.start_dense.val();
            self.place.d.next = self.start_offset.val();
            self.stride.d.next = self.start_stride.val().get_bits::<3>(0);
            self.gathered.d.next = 0.into();
            self.strobes.d.next = 0.into();
            self.bytes.d.next = 1.into();
            if self.start_size.val() == 3 {
                self.bytes.d.next = 255.into();
            } else if self.start_size.val() == 2 {
                self.bytes.d.next = 15.into();
            } else if self.start_size.val() == 1 {
                self.bytes.d.next = 3.into();
            }
        }
        self.unused_stride.next = self.start_stride.val().get_bits::<17>(3);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("element_packer", "Elements to chunks.", constants![])
    }
}
