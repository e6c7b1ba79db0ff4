//! Model of the line timer.

/// The timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTimer {
    /// Cycles since the last byte, up to the time-out.
    pub cycles: u64,
    cycles_a_bit: u64,
    bits: u64,
}

impl LineTimer {
    /// A timer after reset.
    pub fn new(cycles_a_bit: u32, bits: u32) -> LineTimer {
        LineTimer { cycles: 0, cycles_a_bit: cycles_a_bit.into(), bits: bits.into() }
    }

    /// Cycles of the bit, and bits.
    pub fn counters(&self) -> (u64, u64) {
        (self.cycles % self.cycles_a_bit, self.cycles / self.cycles_a_bit)
    }

    /// No byte has come for the time-out.
    pub fn expired(&self) -> bool {
        self.cycles >= self.cycles_a_bit * self.bits
    }

    /// One clock edge.
    pub fn step(&mut self, restart: bool) {
        if restart {
            self.cycles = 0;
        } else if !self.expired() {
            self.cycles += 1;
        }
    }
}
