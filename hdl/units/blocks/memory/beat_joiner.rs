//! Beat joiner: chunks of 64 bits to beats of the write channel, with their place in the transfer's bursts.
//!
//! ```text
//!  chunk ─▶ beat register, at its chunk number ─▶ W
//!  burst lengths ─▶ beats so far ─▶ last
//! ```
//!
//! A beat leaves when its last chunk is there or its run of bytes ends; the next one starts in the same cycle. It waits for the length of
//! its burst, which comes from the burst generator, but not for the burst's address to be taken. Idle after reset.

use super::beat_splitter::CHUNK_NUMBER;
use super::types::{Chunk, Stride};
use crate::kernel::prelude::*;

/// The joiner; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct BeatJoiner<D: RowWord, S: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer starts; only while `idle`.
    pub start: Signal<In, Bit>,
    /// Lowest bits of the address of its first element.
    pub start_offset: Signal<In, Bits<6>>,
    /// Bytes from an element to the next.
    pub start_stride: Signal<In, Stride>,
    /// No beat is here.
    pub idle: Signal<Out, Bit>,
    /// A chunk is offered.
    pub chunk_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub chunk_ready: Signal<Out, Bit>,
    /// The chunk.
    pub chunk_data: Signal<In, Chunk>,
    /// Its bytes that count.
    pub chunk_strobes: Signal<In, Bits<8>>,
    /// Its run of bytes ends.
    pub chunk_ends: Signal<In, Bit>,
    /// The length of the next beat's burst is known.
    pub length_valid: Signal<In, Bit>,
    /// Its beats less one.
    pub length: Signal<In, Bits<8>>,
    /// Its last beat leaves.
    pub length_taken: Signal<Out, Bit>,
    /// A beat is there.
    pub beat_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub beat_ready: Signal<In, Bit>,
    /// The beat.
    pub beat_data: Signal<Out, D>,
    /// Its bytes that count.
    pub beat_strobes: Signal<Out, S>,
    /// It is its burst's last.
    pub beat_last: Signal<Out, Bit>,
    /// Number of the next chunk in its beat.
    pub number: Pipe<Bits<CHUNK_NUMBER>>,
    /// Where the run starts: lowest bits of its address.
    pub offset: Pipe<Bits<6>>,
    /// Lowest bits of the bytes from a run to the next.
    pub stride: Pipe<Bits<6>>,
    /// The beat is complete.
    pub full: Register<Bit>,
    /// Its chunks.
    pub chunks: Vec<Register<Chunk>>,
    /// Their bytes that count, none after the beat has left.
    pub strobes: Vec<Register<Bits<8>>>,
    /// Beats of the burst that have left.
    pub beats: Register<Bits<8>>,
    offered: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    chunk: Signal<Local, Chunk>,
    chunk_bytes: Signal<Local, Bits<8>>,
    data: Signal<Local, D>,
    bytes: Signal<Local, S>,
    next_offset: Signal<Local, Bits<6>>,
    unused_stride: Signal<Local, Bits<14>>,
    _chunks: usize,
    _last_number: u64,
    _top: u64,
    _top_byte: u64,
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
        self.chunk_ready.next = !self.full.q.val() | self.leaves.val();
        self.take.next = self.chunk_valid.val() & (!self.full.q.val() | self.leaves.val());
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
                    self.chunks[i].d.next = self.chunk_data.val();
                    self.strobes[i].d.next = self.chunk_strobes.val();
                }
            }
            self.number.d.next = (self.number.q.val() + 1) & self._last_number;
            self.full.d.next = self.chunk_ends.val() | (self.number.q.val() == self._last_number);
            if self.chunk_ends.val() {
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "beat_joiner",
            "Chunks to beats.",
            constants![CHUNK_NUMBER; self._chunks, self._last_number, self._top, self._top_byte],
        )
    }
}
