//! Burst generator: the bursts that cover a transfer's bytes.
//!
//! ```text
//!  transfer ─▶ piece: a run of bytes ─▶ up to the next boundary ─▶ burst register ─▶ AR or AW
//!                ▲ all elements, or one if there is a stride        │
//!                └──────────────────────────────────────────────────┘
//! ```
//!
//! A transfer without stride is one run of bytes; with a stride every element is a run of its own. Runs start and end
//! anywhere; a burst's address is that of its first beat, aligned to the bus, and its length is in beats less one. No
//! burst crosses an address that is a multiple of 4 KiB, or of 256 beats if that is less (AMBA AXI4, A3.4.1). One burst
//! a cycle. Idle after reset.

use crate::array::blocks::memory::bundles::RunSink;
use crate::array::blocks::memory::types::{Count, MemoryAddress, Stride};
use crate::kernel::prelude::*;

hdl_block! {
    /// The generator.
    pub BurstGenerator {
        In clock: Domain; /// Clock and reset.
        In start_valid: Bit; /// A transfer is offered.
        Out start_ready: Bit; /// It is taken if offered.
        Bus start: RunSink; /// The transfer.
        Out burst_valid: Bit; /// A burst is there.
        In burst_ready: Bit; /// It is taken.
        Out burst_address: MemoryAddress; /// Address of its first beat.
        Out burst_length: Bits<8>; /// Beats less one.
        Out busy: Bit; /// Something is left to do, the burst on offer included.
    } inside {
        Register active: Bit; // Bytes are left.
        Pipe address: MemoryAddress; // Address of the first of them.
        Pipe rest: Bits<13>; // Bytes left of the run, less one.
        Pipe base: MemoryAddress; // Start of the run.
        Pipe runs: Count; // Runs after this one.
        Pipe run_rest: Bits<3>; // Bytes of a run with stride, less one.
        Pipe stride: Stride; // Bytes from a run to the next.
        Register offered: Bit; // A burst is on offer.
        Pipe offered_address: MemoryAddress; // Its address.
        Pipe offered_length: Bits<8>; // Its beats less one.
        Local moves: Bit;
        Local offset, end: Bits<13>;
        Local crosses: Bit;
        Local last, beats: Bits<13>;
        Local none, step, next_run: MemoryAddress;
        Local bytes: Bits<13>;
        Local element_rest: Bits<3>;
        Value _within, _log2_window, _log2_beat: u64;
    }
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
        self.bytes.next = bit_cast::<13, 10>(self.start.count.val()) << bit_cast::<13, 2>(self.start.size.val());
        self.element_rest.next = 0.into();
        if self.start.size.val() == 3 {
            self.element_rest.next = 7.into();
        } else if self.start.size.val() == 2 {
            self.element_rest.next = 3.into();
        } else if self.start.size.val() == 1 {
            self.element_rest.next = 1.into();
        }
        if self.start_valid.val() & !self.active.q.val() {
            self.active.d.next = true;
            self.address.d.next = self.start.address.val();
            self.base.d.next = self.start.address.val();
            self.stride.d.next = self.start.stride.val();
            self.run_rest.d.next = self.element_rest.val();
            if self.start.dense.val() {
                self.rest.d.next = self.bytes.val() - 1;
                self.runs.d.next = 0.into();
            } else {
                self.rest.d.next = bit_cast::<13, 3>(self.element_rest.val());
                self.runs.d.next = self.start.count.val() - 1;
            }
        }
    }

    described! { "burst_generator", "The bursts that cover a transfer's bytes."; ; _within, _log2_window, _log2_beat }
}
