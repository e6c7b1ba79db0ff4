//! Burst generator: the bursts that cover a transfer's bytes.
//!
//! ```text
//!  transfer ─▶ piece: a run of bytes ─▶ up to the next boundary ─▶ burst register ─▶ AR or AW
//!                ▲ all elements, or one if there is a stride        │
//!                └──────────────────────────────────────────────────┘
//! ```
//!
//! A transfer without stride is one run of bytes; with a stride every element is a run of its own. Runs start and end anywhere; a
//! burst's address is that of its first beat, aligned to the bus, and its length is in beats less one. No burst crosses an address
//! that is a multiple of 4 KiB, or of 256 beats if that is less (AMBA AXI4, A3.4.1). One burst a cycle. Idle after reset.

use super::types::{Count, MemoryAddress, Stride};
use crate::kernel::prelude::*;

/// The generator.
#[derive(LogicBlock, Default)]
pub struct BurstGenerator {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer is offered.
    pub start_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub start_ready: Signal<Out, Bit>,
    /// Address of the first element.
    pub start_address: Signal<In, MemoryAddress>,
    /// Number of elements, at least 1.
    pub start_count: Signal<In, Count>,
    /// log2 of an element's bytes.
    pub start_size: Signal<In, Bits<2>>,
    /// Bytes from an element to the next.
    pub start_stride: Signal<In, Stride>,
    /// Elements follow each other without a gap.
    pub start_dense: Signal<In, Bit>,
    /// A burst is there.
    pub burst_valid: Signal<Out, Bit>,
    /// It is taken.
    pub burst_ready: Signal<In, Bit>,
    /// Address of its first beat.
    pub burst_address: Signal<Out, MemoryAddress>,
    /// Beats less one.
    pub burst_length: Signal<Out, Bits<8>>,
    /// Something is left to do, the burst on offer included.
    pub busy: Signal<Out, Bit>,
    /// Bytes are left.
    pub active: Register<Bit>,
    /// Address of the first of them.
    pub address: Pipe<MemoryAddress>,
    /// Bytes left of the run, less one.
    pub rest: Pipe<Bits<13>>,
    /// Start of the run.
    pub base: Pipe<MemoryAddress>,
    /// Runs after this one.
    pub runs: Pipe<Count>,
    /// Bytes of a run with stride, less one.
    pub run_rest: Pipe<Bits<3>>,
    /// Bytes from a run to the next.
    pub stride: Pipe<Stride>,
    /// A burst is on offer.
    pub offered: Register<Bit>,
    /// Its address.
    pub offered_address: Pipe<MemoryAddress>,
    /// Its beats less one.
    pub offered_length: Pipe<Bits<8>>,
    moves: Signal<Local, Bit>,
    offset: Signal<Local, Bits<13>>,
    end: Signal<Local, Bits<13>>,
    crosses: Signal<Local, Bit>,
    last: Signal<Local, Bits<13>>,
    beats: Signal<Local, Bits<13>>,
    none: Signal<Local, MemoryAddress>,
    step: Signal<Local, MemoryAddress>,
    next_run: Signal<Local, MemoryAddress>,
    bytes: Signal<Local, Bits<13>>,
    element_rest: Signal<Local, Bits<3>>,
    _within: u64,
    _log2_window: u64,
    _log2_beat: u64,
}

impl BurstGenerator {
    /// A generator for a bus of `bus_bits` bits of data.
    pub fn new(bus_bits: usize) -> Self {
        let beat = bus_bits as u64 / 8;
        let window = 4096.min(256 * beat);
        BurstGenerator {
            _within: window - 1,
            _log2_window: window.ilog2().into(),
            _log2_beat: beat.ilog2().into(),
            ..Self::default()
        }
    }
}

impl Logic for BurstGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, address, rest, base, runs, run_rest, stride, offered, offered_address);
        dff_setup!(self, clock, offered_length);
        self.start_ready.next = !self.active.q.val();
        self.busy.next = self.active.q.val() | self.offered.q.val();
        self.burst_valid.next = self.offered.q.val();
        self.burst_address.next = self.offered_address.q.val();
        self.burst_length.next = self.offered_length.q.val();
        // Where the burst ends: offsets in a page.
        self.offset.next = bit_cast::<13, 12>(self.address.q.val().get_bits::<12>(0));
        self.end.next = self.offset.val() + self.rest.q.val();
        self.crosses.next = (self.end.val() >> self._log2_window) != (self.offset.val() >> self._log2_window);
        self.last.next = self.end.val();
        if self.crosses.val() {
            self.last.next = self.offset.val() | self._within;
        }
        self.beats.next = (self.last.val() >> self._log2_beat) - (self.offset.val() >> self._log2_beat);
        self.none.next = 0.into();
        self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val());
        if self.stride.q.val().get_bit(19) {
            self.step.next = bits_to::<MemoryAddress, Stride>(self.stride.q.val()) | (!self.none.val() << 20);
        }
        self.next_run.next = self.base.q.val() + self.step.val();
        self.moves.next = self.active.q.val() & (self.burst_ready.val() | !self.offered.q.val());
        if self.burst_ready.val() {
            self.offered.d.next = false;
        }
        if self.moves.val() {
            self.offered.d.next = true;
            self.offered_address.d.next = (self.address.q.val() >> self._log2_beat) << self._log2_beat;
            self.offered_length.d.next = self.beats.val().get_bits::<8>(0);
            if self.crosses.val() {
                self.address.d.next = ((self.address.q.val() >> self._log2_window) + 1) << self._log2_window;
                self.rest.d.next = self.end.val() - self.last.val() - 1;
            } else {
                self.address.d.next = self.next_run.val();
                self.base.d.next = self.next_run.val();
                self.rest.d.next = bit_cast::<13, 3>(self.run_rest.q.val());
                self.runs.d.next = self.runs.q.val() - 1;
                self.active.d.next = self.runs.q.val() != 0;
            }
        }
        self.bytes.next = bit_cast::<13, 10>(self.start_count.val()) << bit_cast::<13, 2>(self.start_size.val());
        self.element_rest.next = 0.into();
        if self.start_size.val() == 3 {
            self.element_rest.next = 7.into();
        } else if self.start_size.val() == 2 {
            self.element_rest.next = 3.into();
        } else if self.start_size.val() == 1 {
            self.element_rest.next = 1.into();
        }
        if self.start_valid.val() & !self.active.q.val() {
            self.active.d.next = true;
            self.address.d.next = self.start_address.val();
            self.base.d.next = self.start_address.val();
            self.stride.d.next = self.start_stride.val();
            self.run_rest.d.next = self.element_rest.val();
            if self.start_dense.val() {
                self.rest.d.next = self.bytes.val() - 1;
                self.runs.d.next = 0.into();
            } else {
                self.rest.d.next = bit_cast::<13, 3>(self.element_rest.val());
                self.runs.d.next = self.start_count.val() - 1;
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "burst_generator",
            "The bursts that cover a transfer's bytes.",
            constants![; self._within, self._log2_window, self._log2_beat],
        )
    }
}
