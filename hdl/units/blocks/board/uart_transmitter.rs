//! UART transmitter: bytes to a line, 8 data bits, lowest first, no parity, one stop bit.
//!
//! ```text
//!  byte ─▶ shift register ─▶ txd
//!               ▲ cycle counter
//! ```
//!
//! Timing: a byte taken in cycle t begins on the line in t + 1 and takes ten bits; the next one is taken in the cycle after, so that the stop bit is a cycle longer
//! than the others. The line is a register. High, with nothing under way, after reset.

use super::uart_receiver::CYCLES;
use crate::kernel::prelude::*;

/// Data bits and stop bit.
const AFTER_START: u64 = 9;
/// The stop bit above the data bits.
const STOP: u64 = 0x100;

/// The transmitter.
#[derive(LogicBlock)]
pub struct UartTransmitter {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A byte is offered.
    pub byte_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub byte_ready: Signal<Out, Bit>,
    /// The byte.
    pub byte: Signal<In, Bits<8>>,
    /// The line.
    pub txd: Signal<Out, Bit>,
    /// A byte is under way.
    pub active: Register<Bit>,
    /// What the line has.
    pub line: Register<Bit>,
    /// Cycles left of the bit, less one.
    pub cycles: Pipe<Bits<CYCLES>>,
    /// Bits to come.
    pub left: Pipe<Bits<4>>,
    /// These bits.
    pub bits: Pipe<Bits<9>>,
    _whole: u64,
}

impl UartTransmitter {
    /// A transmitter for bits of so many cycles.
    pub fn new(cycles_a_bit: u32) -> Self {
        UartTransmitter { _whole: u64::from(cycles_a_bit).saturating_sub(1), ..Self::default() }
    }
}

/// A placeholder until the constructor makes the real one.
impl Default for UartTransmitter {
    fn default() -> Self {
        UartTransmitter {
            clock: Signal::default(),
            byte_valid: Signal::default(),
            byte_ready: Signal::default(),
            byte: Signal::default(),
            txd: Signal::default(),
            active: Register::default(),
            line: Register::new(true),
            cycles: Pipe::default(),
            left: Pipe::default(),
            bits: Pipe::default(),
            _whole: 0,
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
            self.bits.d.next = bit_cast::<9, 8>(self.byte.val()) | STOP;
            self.active.d.next = self.byte_valid.val();
            self.line.d.next = !self.byte_valid.val();
        } else if self.cycles.q.val() != 0 {
            self.cycles.d.next = self.cycles.q.val() - 1;
        } else {
            self.cycles.d.next = self._whole.into();
            self.left.d.next = self.left.q.val() - 1;
            self.bits.d.next = self.bits.q.val() >> 1;
            self.line.d.next = (self.left.q.val() == 0) | self.bits.q.val().get_bit(0);
            self.active.d.next = self.left.q.val() != 0;
        }
        self.byte_ready.next = !self.active.q.val();
        self.txd.next = self.line.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("uart_transmitter", "Bytes to a UART line.", constants![AFTER_START, STOP; self._whole])
    }
}
