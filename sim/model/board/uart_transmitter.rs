//! Model of the UART transmitter.

/// The transmitter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UartTransmitter {
    /// What the line has.
    pub line: bool,
    /// A byte is under way.
    pub active: bool,
    /// Cycles left of the bit, less one.
    pub cycles: u32,
    /// Bits to come.
    pub left: u8,
    /// These bits, the next one at the bottom.
    pub bits: u16,
    cycles_a_bit: u32,
}

impl UartTransmitter {
    /// A transmitter after reset.
    pub fn new(cycles_a_bit: u32) -> UartTransmitter {
        UartTransmitter { line: true, active: false, cycles: 0, left: 0, bits: 0, cycles_a_bit }
    }

    /// A byte would be taken.
    pub fn ready(&self) -> bool {
        !self.active
    }

    /// One clock edge.
    pub fn step(&mut self, byte: Option<u8>) {
        if !self.active {
            (self.cycles, self.left, self.bits) = (self.cycles_a_bit - 1, 9, 0x100 | u16::from(byte.unwrap_or(0)));
            (self.active, self.line) = (byte.is_some(), byte.is_none());
        } else if self.cycles > 0 {
            self.cycles -= 1;
        } else {
            self.cycles = self.cycles_a_bit - 1;
            self.active = self.left > 0;
            self.line = self.left == 0 || self.bits & 1 == 1;
            self.bits >>= 1;
            self.left = self.left.wrapping_sub(1) & 15;
        }
    }
}

state! {
    UartTransmitter(self) {
        self => active, line;
        when (self.active) {
            self => cycles, left, bits;
        }
    }
}
