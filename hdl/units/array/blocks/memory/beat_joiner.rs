//! Beat joiner: chunks of 64 bits to beats of the write channel, with their place in the transfer's bursts.
//!
//! ```text
//!  chunk ─▶ beat register, at its chunk number ─▶ W
//!  burst lengths ─▶ beats so far ─▶ last
//! ```
//!
//! A beat leaves when its last chunk is there or its run of bytes ends; the next one starts in the same cycle. It waits
//! for the length of its burst, which comes from the burst generator, but not for the burst's address to be taken. Idle
//! after reset.

use crate::array::blocks::memory::beat_splitter::CHUNK_NUMBER;
use crate::array::blocks::memory::bundles::ByteChunkSink;
use crate::array::blocks::memory::types::{Chunk, Stride};
use crate::kernel::prelude::*;

hdl_block! {
    /// The joiner; `D` is a beat, `S` has a bit for each byte of it.
    pub BeatJoiner<D: RowWord, S: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A transfer starts; only while `idle`.
        In start_offset: Bits<6>; /// Lowest bits of the address of its first element.
        In start_stride: Stride; /// Bytes from an element to the next.
        Out idle: Bit; /// No beat is here.
        Bus chunk__: ByteChunkSink; /// Chunks.
        In length_valid: Bit; /// The length of the next beat's burst is known.
        In length: Bits<8>; /// Its beats less one.
        Out length_taken: Bit; /// Its last beat leaves.
        Out beat_valid: Bit; /// A beat is there.
        In beat_ready: Bit; /// It is taken if there.
        Out beat_data: D; /// The beat.
        Out beat_strobes: S; /// Its bytes that count.
        Out beat_last: Bit; /// It is its burst's last.
    } inside {
        Pipe number: Bits<CHUNK_NUMBER>; // Number of the next chunk in its beat.
        Pipe offset: Bits<6>; // Where the run starts: lowest bits of its address.
        Pipe stride: Bits<6>; // Lowest bits of the bytes from a run to the next.
        Register full: Bit; // The beat is complete.
        Child chunks: Vec<Register<Chunk>>; // Its chunks.
        Child strobes: Vec<Register<Bits<8>>>; // Their bytes that count, none after the beat has left.
        Register beats: Bits<8>; // Beats of the burst that have left.
        Local offered, leaves, last, take: Bit;
        Local chunk: Chunk;
        Local chunk_bytes: Bits<8>;
        Local data: D;
        Local bytes: S;
        Local next_offset: Bits<6>;
        Local unused_stride: Bits<14>;
        Value _chunks: usize;
        Value _last_number, _top, _top_byte: u64;
    }
}

impl<D: RowWord, S: RowWord> BeatJoiner<D, S> {
    /// A joiner.
    pub fn new() -> Self {
        let chunks = D::width() / 64;
        BeatJoiner {
            chunks: (0..chunks).map(|_| Register::default()).collect(),
            strobes: (0..chunks).map(|_| Register::default()).collect(),
            _chunks: chunks,
            _last_number: chunks as u64 - 1,
            _top: D::width() as u64 - 64,
            _top_byte: S::width() as u64 - 8,
            ..Self::default()
        }
    }
}

impl<D: RowWord, S: RowWord> Logic for BeatJoiner<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number, offset, stride, full, beats);
        self.idle.next = !self.full.q.val();
        for i in 0..self._chunks {
            self.chunks[i].clock.next = self.clock.val();
            self.strobes[i].clock.next = self.clock.val();
            self.chunks[i].d.next = self.chunks[i].q.val();
            self.strobes[i].d.next = self.strobes[i].q.val();
        }
        self.offered.next = self.full.q.val() & self.length_valid.val();
        self.last.next = self.beats.q.val() == self.length.val();
        self.leaves.next = self.full.q.val() & self.length_valid.val() & self.beat_ready.val();
        self.beat_valid.next = self.offered.val();
        self.data.next = 0.into();
        self.bytes.next = 0.into();
        for i in 0..self._chunks {
            self.chunk.next = self.chunks[i].q.val();
            self.chunk_bytes.next = self.strobes[i].q.val();
            self.data.next = (self.data.val() >> 64) | (bits_to::<D, Chunk>(self.chunk.val()) << self._top);
            self.bytes.next =
                (self.bytes.val() >> 8) | (bits_to::<S, Bits<8>>(self.chunk_bytes.val()) << self._top_byte);
        }
        self.beat_data.next = self.data.val();
        self.beat_strobes.next = self.bytes.val();
        self.beat_last.next = self.last.val();
        self.length_taken.next = self.leaves.val() & self.last.val();
        self.chunk__.ready.next = !self.full.q.val() | self.leaves.val();
        self.take.next = self.chunk__.valid.val() & (!self.full.q.val() | self.leaves.val());
        if self.leaves.val() {
            self.full.d.next = false;
            self.beats.d.next = self.beats.q.val() + 1;
            if self.last.val() {
                self.beats.d.next = 0.into();
            }
            for i in 0..self._chunks {
                self.strobes[i].d.next = 0.into();
            }
        }
        self.next_offset.next = self.offset.q.val() + self.stride.q.val();
        if self.take.val() {
            for i in 0..self._chunks {
                if self.number.q.val().index() == i {
                    self.chunks[i].d.next = self.chunk__.data.val();
                    self.strobes[i].d.next = self.chunk__.strobes.val();
                }
            }
            self.number.d.next = (self.number.q.val() + 1) & self._last_number;
            self.full.d.next = self.chunk__.ends.val() | (self.number.q.val() == self._last_number);
            if self.chunk__.ends.val() {
                self.offset.d.next = self.next_offset.val();
                self.number.d.next = self.next_offset.val().get_bits::<CHUNK_NUMBER>(3) & self._last_number;
            }
        }
        if self.start.val() {
            self.offset.d.next = self.start_offset.val();
            self.number.d.next = self.start_offset.val().get_bits::<CHUNK_NUMBER>(3) & self._last_number;
            self.stride.d.next = self.start_stride.val().get_bits::<6>(0);
        }
        self.unused_stride.next = self.start_stride.val().get_bits::<14>(6);
    }

    described! { "beat_joiner", "Chunks to beats."; CHUNK_NUMBER; _chunks, _last_number, _top, _top_byte }
}
