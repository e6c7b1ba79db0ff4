//! Line timer: tells that no byte has come for the time-out.
//!
//! ```text
//!  restart ─▶ cycles of a bit ─▶ bits ─▶ expired
//! ```
//!
//! `expired` = 1 from `bits × cycles a bit` cycles after the last cycle with `restart` = 1, until the cycle after the
//! next one. After reset the time begins.

use crate::kernel::prelude::*;
use crate::system::blocks::uart_receiver::CYCLES;

const COUNT: usize = 25; // Bits of a counter of up to 2^24 bits on the line.

#[derive(LogicBlock, Default)]
pub struct LineTimer {
    pub clock: Signal<In, Domain>,
    pub restart: Signal<In, Bit>,   // A byte has come.
    pub expired: Signal<Out, Bit>,  // None has come for the time-out.
    cycles: Register<Bits<CYCLES>>, // Cycles of the bit.
    bits: Register<Bits<COUNT>>,    // Bits.
    _whole: u64,
    _log2_bits: usize,
}

impl LineTimer {
    /// A timer of so many bits, a power of two up to 2^24, of so many cycles each.
    pub fn new(cycles_a_bit: u32, bits: u32) -> Self {
        LineTimer {
            _whole: u64::from(cycles_a_bit).saturating_sub(1),
            _log2_bits: bits.max(1).ilog2() as usize,
            ..Self::default()
        }
    }
}

impl Logic for LineTimer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, bits);
        self.expired.next = self.bits.q.val().get_bit(self._log2_bits);
        if self.restart.val() {
            self.cycles.d.next = 0.into();
            self.bits.d.next = 0.into();
        } else if !self.expired.val() {
            self.cycles.d.next = self.cycles.q.val() + 1;
            if self.cycles.q.val() == self._whole {
                self.cycles.d.next = 0.into();
                self.bits.d.next = self.bits.q.val() + 1;
            }
        }
    }

    described!("line_timer", "Tells that a line has been quiet for long.";; _whole, _log2_bits);
}
