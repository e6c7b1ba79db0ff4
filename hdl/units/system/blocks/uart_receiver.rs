//! UART receiver: bytes from a line, 8 data bits, lowest first, no parity, one stop bit.
//!
//! ```text
//!  rxd ─▶ two registers ─▶ bit in its middle ─▶ shift register ─▶ byte
//!                    └─▶ falling edge ─▶ cycle counter ─┘
//! ```
//!
//! Timing: the line is looked at in the middle of every bit, `cycles a bit / 2` cycles after its start. A start bit
//! that is high in its middle is none. In the cycle after the middle of the stop bit, `byte_valid` = 1 if it was high,
//! else `byte_wrong` = 1; `byte` holds until the next bit comes. A byte may follow at once: half a bit before its start
//! the receiver waits for it. After a wrong stop bit it waits for a high line, so that a break is one wrong byte. Idle
//! after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::ByteSource;

/// Bits of a counter of cycles in a bit: 1200 bits a second at 400 MHz.
pub const CYCLES: usize = 19;
const STOP: u64 = 9; // Number of the stop bit; that of the start bit is 0.

hdl_block! {
    /// The receiver.
    pub UartReceiver {
        In clock: Domain; /// Clock and reset.
        In rxd: Bit; /// The line; need not be in step with the clock.
        Bus byte: ByteSource; /// What came.
    } inside {
        Register first, line: Bit; // The line, a cycle late: may be between levels. The line, two cycles late.
        Register active: Bit; // A byte is under way.
        Register broken: Bit; // The line was low in a stop bit and has not been high since.
        Pipe cycles: Bits<CYCLES>; // Cycles until the line is looked at.
        Pipe number: Bits<4>; // Which bit then comes.
        Pipe bits: Bits<8>; // Bits that came, the last one on top.
        Register good, wrong: Bit; // A byte is there. A byte with a wrong stop bit was there.
        Value _half, _whole: u64;
    }
}

impl UartReceiver {
    /// A receiver for bits of so many cycles: 4 or more.
    pub fn new(cycles_a_bit: u32) -> Self {
        UartReceiver {
            first: Register::new(true),
            line: Register::new(true),
            _half: u64::from(cycles_a_bit / 2).saturating_sub(1),
            _whole: u64::from(cycles_a_bit).saturating_sub(1),
            ..Self::default()
        }
    }
}

impl Logic for UartReceiver {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, line, active, broken, cycles, number, bits, good, wrong);
        self.first.d.next = self.rxd.val();
        self.line.d.next = self.first.q.val();
        self.good.d.next = false;
        self.wrong.d.next = false;
        if self.line.q.val() {
            self.broken.d.next = false;
        }
        if !self.active.q.val() {
            self.cycles.d.next = self._half.into();
            self.number.d.next = 0.into();
            self.active.d.next = !self.line.q.val() & !self.broken.q.val();
        } else if self.cycles.q.val() != 0 {
            self.cycles.d.next = self.cycles.q.val() - 1;
        } else {
            self.cycles.d.next = self._whole.into();
            self.number.d.next = self.number.q.val() + 1;
            if self.number.q.val() == 0 {
                self.active.d.next = !self.line.q.val();
            } else if self.number.q.val() == STOP {
                self.active.d.next = false;
                self.good.d.next = self.line.q.val();
                self.wrong.d.next = !self.line.q.val();
                self.broken.d.next = !self.line.q.val();
            } else {
                self.bits.d.next = (self.bits.q.val() >> 1) | (bits_to::<Bits<8>, Bit>(self.line.q.val()) << 7);
            }
        }
        self.byte.valid.next = self.good.q.val();
        self.byte.wrong.next = self.wrong.q.val();
        self.byte.byte.next = self.bits.q.val();
    }

    described!("uart_receiver", "Bytes from a UART line."; STOP; _half, _whole);
}
