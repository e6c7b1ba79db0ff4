//! Beat splitter: beats of the read channel to chunks of 64 bits, those that hold bytes of the transfer.
//!
//! ```text
//!  R ─▶ chunk number of the beat ─▶ chunk ─▶ element unpacker
//! ```
//!
//! A transfer's runs of bytes are those of the burst generator. A beat is taken together with its last chunk that counts, so that one
//! chunk leaves in every cycle in which the bus has a beat. Idle after reset.

use super::types::{Chunk, Count, Stride};
use crate::kernel::prelude::*;

/// Most chunks in a beat, as bits of their number.
pub const CHUNK_NUMBER: usize = 3;

/// The splitter; `D` is a beat.
#[derive(LogicBlock, Default)]
pub struct BeatSplitter<D: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer starts; only while `idle`.
    pub start: Signal<In, Bit>,
    /// Lowest bits of the address of its first element.
    pub start_offset: Signal<In, Bits<6>>,
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
    /// A beat is offered.
    pub beat_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub beat_ready: Signal<Out, Bit>,
    /// The beat.
    pub beat_data: Signal<In, D>,
    /// A chunk is there.
    pub chunk_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub chunk_ready: Signal<In, Bit>,
    /// The chunk.
    pub chunk_data: Signal<Out, Chunk>,
    /// Chunks are left.
    pub active: Register<Bit>,
    /// Number of the next chunk in its beat.
    pub number: Pipe<Bits<CHUNK_NUMBER>>,
    /// Chunks left of the run, less one.
    pub rest: Pipe<Count>,
    /// Runs after this one.
    pub runs: Pipe<Count>,
    /// Where the run starts: lowest bits of its address.
    pub offset: Pipe<Bits<6>>,
    /// Lowest bits of the bytes from a run to the next.
    pub stride: Pipe<Bits<6>>,
    /// Bytes of an element, less one.
    pub element_rest: Pipe<Bits<3>>,
    aligned: Signal<Local, D>,
    take: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    first_rest: Signal<Local, Bits<3>>,
    bytes: Signal<Local, Bits<13>>,
    last_byte: Signal<Local, Bits<13>>,
    next_offset: Signal<Local, Bits<6>>,
    next_last: Signal<Local, Bits<4>>,
    unused_stride: Signal<Local, Bits<14>>,
    _two: bool,
    _four: bool,
    _eight: bool,
    _last_number: u64,
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
        self.chunk_valid.next = self.active.q.val() & self.beat_valid.val();
        self.take.next = self.active.q.val() & self.beat_valid.val() & self.chunk_ready.val();
        self.ends.next = self.rest.q.val() == 0;
        self.beat_ready.next = self.active.q.val()
            & self.chunk_ready.val()
            & (self.ends.val() | (self.number.q.val() == self._last_number));
        self.aligned.next = self.beat_data.val();
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
        self.chunk_data.next = bits_to::<Chunk, D>(self.aligned.val());
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "beat_splitter",
            "Beats to chunks of 64 bits.",
            constants![CHUNK_NUMBER; self._two, self._four, self._eight, self._last_number],
        )
    }
}
