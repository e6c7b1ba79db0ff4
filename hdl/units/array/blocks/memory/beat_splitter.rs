//! Beat splitter: beats of the read channel to chunks of 64 bits, those that hold bytes of the transfer.
//!
//! ```text
//!  R ─▶ chunk number of the beat ─▶ chunk ─▶ element unpacker
//! ```
//!
//! A transfer's runs of bytes are those of the burst generator. A beat is taken together with its last chunk that
//! counts, so that one chunk leaves in every cycle in which the bus has a beat. Idle after reset.

use crate::array::blocks::memory::types::{Chunk, Count, Stride};
use crate::kernel::prelude::*;
use crate::parts::bundles::{OfferSink, OfferSource};

/// Most chunks in a beat, as bits of their number.
pub const CHUNK_NUMBER: usize = 3;

hdl_block! {
    /// The splitter; `D` is a beat.
    pub BeatSplitter<D: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A transfer starts; only while `idle`.
        In start_offset: Bits<6>; /// Lowest bits of the address of its first element.
        In start_count: Count; /// Number of elements.
        In start_size: Bits<2>; /// log2 of an element's bytes.
        In start_stride: Stride; /// Bytes from an element to the next.
        In start_dense: Bit; /// Elements follow each other without a gap.
        Out idle: Bit; /// No transfer is under way.
        Bus beat: OfferSink<D>; /// Beats.
        Bus chunk: OfferSource<Chunk>; /// Chunks.
    } inside {
        Register active: Bit; // Chunks are left.
        Pipe number: Bits<CHUNK_NUMBER>; // Number of the next chunk in its beat.
        Pipe rest, runs: Count; // Chunks left of the run, less one. Runs after this one.
        Pipe offset: Bits<6>; // Where the run starts: lowest bits of its address.
        Pipe stride: Bits<6>; // Lowest bits of the bytes from a run to the next.
        Pipe element_rest: Bits<3>; // Bytes of an element, less one.
        Local aligned: D;
        Local take, ends: Bit;
        Local first_rest: Bits<3>;
        Local bytes, last_byte: Bits<13>;
        Local next_offset: Bits<6>;
        Local next_last: Bits<4>;
        Local unused_stride: Bits<14>;
        Value _two, _four, _eight: bool;
        Value _last_number: u64;
    }
}

impl<D: RowWord> BeatSplitter<D> {
    /// A splitter.
    pub fn new() -> Self {
        let chunks = D::width() / 64;
        BeatSplitter {
            _two: chunks > 1,
            _four: chunks > 2,
            _eight: chunks > 4,
            _last_number: chunks as u64 - 1,
            ..Self::default()
        }
    }
}

impl<D: RowWord> Logic for BeatSplitter<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, number, rest, runs, offset, stride, element_rest);
        self.idle.next = !self.active.q.val();
        self.chunk.valid.next = self.active.q.val() & self.beat.valid.val();
        self.take.next = self.active.q.val() & self.beat.valid.val() & self.chunk.ready.val();
        self.ends.next = self.rest.q.val() == 0;
        self.beat.ready.next = self.active.q.val()
            & self.chunk.ready.val()
            & (self.ends.val() | (self.number.q.val() == self._last_number));
        self.aligned.next = self.beat.data.val();
        if self._eight {
            if self.number.q.val().get_bit(2) {
                self.aligned.next = self.aligned.val() >> 256;
            }
        }
        if self._four {
            if self.number.q.val().get_bit(1) {
                self.aligned.next = self.aligned.val() >> 128;
            }
        }
        if self._two {
            if self.number.q.val().get_bit(0) {
                self.aligned.next = self.aligned.val() >> 64;
            }
        }
        self.chunk.data.next = bits_to::<Chunk, D>(self.aligned.val());
        self.next_offset.next = self.offset.q.val() + self.stride.q.val();
        self.next_last.next =
            bit_cast::<4, 3>(self.next_offset.val().get_bits::<3>(0)) + bit_cast::<4, 3>(self.element_rest.q.val());
        if self.take.val() {
            self.number.d.next = (self.number.q.val() + 1) & self._last_number;
            self.rest.d.next = self.rest.q.val() - 1;
            if self.ends.val() {
                self.offset.d.next = self.next_offset.val();
                self.number.d.next = self.next_offset.val().get_bits::<CHUNK_NUMBER>(3) & self._last_number;
                self.rest.d.next = bit_cast::<10, 1>(self.next_last.val().get_bits::<1>(3));
                self.runs.d.next = self.runs.q.val() - 1;
                self.active.d.next = self.runs.q.val() != 0;
            }
        }
        // Bytes of the first run, counted from the start of its first chunk.
        self.unused_stride.next = self.start_stride.val().get_bits::<14>(6);
        self.first_rest.next = 0.into();
        if self.start_size.val() == 3 {
            self.first_rest.next = 7.into();
        } else if self.start_size.val() == 2 {
            self.first_rest.next = 3.into();
        } else if self.start_size.val() == 1 {
            self.first_rest.next = 1.into();
        }
        self.bytes.next = bit_cast::<13, 3>(self.first_rest.val());
        if self.start_dense.val() {
            self.bytes.next =
                (bit_cast::<13, 10>(self.start_count.val()) << bit_cast::<13, 2>(self.start_size.val())) - 1;
        }
        self.last_byte.next = self.bytes.val() + bit_cast::<13, 3>(self.start_offset.val().get_bits::<3>(0));
        if self.start.val() {
            self.active.d.next = true;
            self.offset.d.next = self.start_offset.val();
            self.number.d.next = self.start_offset.val().get_bits::<CHUNK_NUMBER>(3) & self._last_number;
            self.rest.d.next = self.last_byte.val().get_bits::<10>(3);
            self.stride.d.next = self.start_stride.val().get_bits::<6>(0);
            self.element_rest.d.next = self.first_rest.val();
            self.runs.d.next = self.start_count.val() - 1;
            if self.start_dense.val() {
                self.runs.d.next = 0.into();
            }
        }
    }

    described! { "beat_splitter", "Beats to chunks of 64 bits."; CHUNK_NUMBER; _two, _four, _eight, _last_number }
}
