//! Element packer: elements to chunks, wherever they are to start, with a strobe for each byte.
//!
//! ```text
//!  word ─▶ rotate by the element's place ─┬─▶ low part, with what has gathered ─▶ chunk register ─▶ chunk
//!                                         └─▶ part beyond the chunk ─▶ gathers
//! ```
//!
//! One element a cycle. A chunk leaves when its last byte is there or when its run of bytes ends (see the burst
//! generator); a part of an element that is left then takes a cycle of its own. Idle after reset.

use crate::array::blocks::memory::bundles::ByteChunkSource;
use crate::array::blocks::memory::types::{Chunk, Count, Stride};
use crate::kernel::prelude::*;
use crate::parts::bundles::OfferSink;

hdl_block! {
    /// The packer.
    pub ElementPacker {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A transfer starts; only while `idle`.
        In start_offset: Bits<3>; /// Lowest bits of the address of its first element.
        In start_count: Count; /// Number of elements.
        In start_size: Bits<2>; /// log2 of an element's bytes.
        In start_stride: Stride; /// Bytes from an element to the next.
        In start_dense: Bit; /// Elements follow each other without a gap.
        Out idle: Bit; /// No transfer is under way.
        Bus word: OfferSink<Chunk>; /// Elements, zeros above them.
        Bus chunk__: ByteChunkSource; /// Chunks.
    } inside {
        Register active: Bit; // Elements are left.
        Pipe count: Count; // Elements after the next.
        Pipe bytes: Bits<8>; // A one for each byte of an element.
        Pipe stride: Bits<3>; // Lowest bits of the bytes from an element to the next.
        Pipe dense: Bit; // Elements follow each other without a gap.
        Pipe place: Bits<3>; // First byte of the next element in its chunk.
        Pipe gathered: Chunk; // What has gathered.
        Register strobes: Bits<8>; // Bytes that have.
        Register flush, full: Bit; // It is the end of a run, and leaves next. There is a chunk.
        Pipe chunk: Chunk; // The chunk.
        Pipe chunk_bytes: Bits<8>; // Its bytes.
        Pipe ends: Bit; // Its run ends.
        Local free, take: Bit;
        Local shift, unshift: Bits<7>;
        Local rotated: Chunk;
        Local reached: Bits<16>;
        Local low, high: Bits<8>;
        Local low_mask, merged: Chunk;
        Local run_ends, complete: Bit;
        Local unused_stride: Bits<17>;
    }
}

impl Logic for ElementPacker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, count, bytes, stride, dense, place, gathered, strobes, flush, full, chunk);
        dff_setup!(self, clock, chunk_bytes, ends);
        self.idle.next = !self.active.q.val() & !self.flush.q.val() & !self.full.q.val();
        self.chunk__.valid.next = self.full.q.val();
        self.chunk__.data.next = self.chunk.q.val();
        self.chunk__.strobes.next = self.chunk_bytes.q.val();
        self.chunk__.ends.next = self.ends.q.val();
        self.free.next = self.chunk__.ready.val() | !self.full.q.val();
        self.word.ready.next = self.active.q.val() & self.free.val() & !self.flush.q.val();
        self.take.next = self.word.valid.val() & self.active.q.val() & self.free.val() & !self.flush.q.val();
        // The element at its place: the rotated word holds both parts.
        self.shift.next = bit_cast::<7, 3>(self.place.q.val()) << 3;
        self.unshift.next = 64.into();
        self.unshift.next = self.unshift.val() - self.shift.val();
        self.rotated.next = (self.word.data.val() << self.shift.val()) | (self.word.data.val() >> self.unshift.val());
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
        if self.chunk__.ready.val() {
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

    described! { "element_packer", "Elements to chunks." }
}
