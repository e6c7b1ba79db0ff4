//! UART transmitter: bytes to a line, 8 data bits, lowest first, no parity, one stop bit.
//!
//! ```text
//!  byte ─▶ shift register ─▶ txd
//!               ▲ cycle counter
//! ```
//!
//! Timing: a byte taken in cycle t begins on the line in t + 1 and takes ten bits; the next one is taken in the cycle
//! after, so that the stop bit is a cycle longer than the others. The line is a register. High, with nothing under way,
//! after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::SentSink;
use crate::system::blocks::uart_receiver::CYCLES;

const AFTER_START: u64 = 9; // Data bits and stop bit.
const STOP: u64 = 0x100; // The stop bit above the data bits.

hdl_block! {
    /// The transmitter.
    pub UartTransmitter {
        In clock: Domain; /// Clock and reset.
        Bus byte: SentSink; /// What goes.
        Out txd: Bit; /// The line.
    } inside {
        Register active, line: Bit; // A byte is under way. What the line has.
        Pipe cycles: Bits<CYCLES>; // Cycles left of the bit, less one.
        Pipe left: Bits<4>; // Bits to come.
        Pipe bits: Bits<9>; // These bits.
        Value _whole: u64;
    }
}

impl UartTransmitter {
    /// A transmitter for bits of so many cycles.
    pub fn new(cycles_a_bit: u32) -> Self {
        UartTransmitter {
            line: Register::new(true),
            _whole: u64::from(cycles_a_bit).saturating_sub(1),
            ..Self::default()
        }
    }
}

impl Logic for UartTransmitter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, line, cycles, left, bits);
        if !self.active.q.val() {
            self.cycles.d.next = self._whole.into();
            self.left.d.next = AFTER_START.into();
            self.bits.d.next = bit_cast::<9, 8>(self.byte.byte.val()) | STOP;
            self.active.d.next = self.byte.valid.val();
            self.line.d.next = !self.byte.valid.val();
        } else if self.cycles.q.val() != 0 {
            self.cycles.d.next = self.cycles.q.val() - 1;
        } else {
            self.cycles.d.next = self._whole.into();
            self.left.d.next = self.left.q.val() - 1;
            self.bits.d.next = self.bits.q.val() >> 1;
            self.line.d.next = (self.left.q.val() == 0) | self.bits.q.val().get_bit(0);
            self.active.d.next = self.left.q.val() != 0;
        }
        self.byte.ready.next = !self.active.q.val();
        self.txd.next = self.line.q.val();
    }

    described!("uart_transmitter", "Bytes to a UART line."; AFTER_START, STOP; _whole);
}
