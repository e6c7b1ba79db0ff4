//! A simulated board: hardware on any engine, with a UART on its pins, bit by bit.

use std::collections::VecDeque;

use super::wire::Wire;
use crate::engine::{Engine, Lookup};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::system::SystemParams;

/// Cycles of reset before the first bit.
const RESET_CYCLES: u32 = 16;
/// Parts of a bit in which the line is looked at.
const LOOKS_A_BIT: u32 = 8;

/// A board's pins, as far as a host sees them. Time is counted in cycles of the design's clock.
pub trait Pins {
    /// What it is, for messages.
    fn name(&self) -> String;

    /// The line to the board.
    fn set_rxd(&mut self, level: bool);

    /// The line from the board.
    fn txd(&mut self) -> bool;

    /// Lets cycles pass.
    fn run(&mut self, cycles: u32);
}

/// Pins of `bl_system` on an engine.
pub struct EnginePins<E: Engine> {
    /// The hardware.
    pub engine: E,
    name: String,
    rxd: NetId,
    txd: NetId,
}

impl<E: Engine> EnginePins<E> {
    /// A board out of reset, switches off, nobody at the buttons.
    ///
    /// # Errors
    /// [`Error::Netlist`] if the design has no such pins.
    pub fn new(mut engine: E, name: &str) -> Result<EnginePins<E>> {
        let find = |pin: &str| {
            let net = engine.design().find_net(pin);
            net.ok_or_else(|| Error::netlist("bl_system", pin, "a board must have this pin"))
        };
        let (rxd, txd) = (find("uart_rxd")?, find("uart_txd")?);
        for input in engine.design().inputs.clone() {
            engine.set_input(input, &[0]);
        }
        engine.set_input(rxd, &[1]);
        (0..RESET_CYCLES).for_each(|_| engine.tick(true));
        Ok(EnginePins { engine, name: name.into(), rxd, txd })
    }
}

impl<E: Engine> Pins for EnginePins<E> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn set_rxd(&mut self, level: bool) {
        self.engine.set_input(self.rxd, &[level.into()]);
    }

    fn txd(&mut self) -> bool {
        self.engine.low(self.txd) == 1
    }

    fn run(&mut self, cycles: u32) {
        self.engine.run(cycles.into());
    }
}

/// A board behind its pins.
pub struct Simulated<P: Pins> {
    /// The pins.
    pub pins: P,
    /// Clock cycles since it was made.
    pub cycles: u64,
    baud: u32,
    cycles_a_bit: u32,
    sent: VecDeque<u8>,
    /// Bits of the byte that goes to the board, lowest first, and how many.
    shift: (u16, u32),
    /// When the next bit begins.
    boundary: u64,
    /// Bits of the byte that comes from the board, and when to look at the next one.
    listen: Option<(u16, u32, u64)>,
    level: bool,
    /// Bytes whose stop bit was wrong.
    pub wrong: u64,
}

impl<P: Pins> Simulated<P> {
    /// The board of `params` behind pins that are out of reset.
    pub fn new(pins: P, params: &SystemParams) -> Simulated<P> {
        Simulated {
            pins,
            cycles: 0,
            baud: params.baud,
            cycles_a_bit: params.cycles_a_bit(),
            sent: VecDeque::new(),
            shift: (0, 0),
            boundary: 0,
            listen: None,
            level: true,
            wrong: 0,
        }
    }

    /// The host's transmitter, at a bit's beginning.
    fn talk(&mut self) {
        if self.shift.1 == 0 {
            let Some(byte) = self.sent.pop_front() else {
                self.boundary = u64::MAX;
                return;
            };
            // Start bit, eight bits, stop bit.
            self.shift = (u16::from(byte) << 1 | 1 << 9, 10);
        }
        self.pins.set_rxd(self.shift.0 & 1 == 1);
        self.shift = (self.shift.0 >> 1, self.shift.1 - 1);
        self.boundary = self.cycles + u64::from(self.cycles_a_bit);
    }

    /// The host's receiver; a byte when one is complete.
    fn hear(&mut self) -> Option<u8> {
        let level = self.pins.txd();
        let falls = self.level && !level;
        self.level = level;
        let bit = u64::from(self.cycles_a_bit);
        match self.listen {
            None if falls => {
                // To the middle of the first bit behind the start bit, from the middle of the look that saw it.
                let late = u64::from(self.slice() / 2);
                self.listen = Some((0, 0, self.cycles + bit + bit / 2 - late));
                None
            }
            Some((bits, 8, due)) if self.cycles >= due => {
                self.listen = None;
                self.wrong += u64::from(!level);
                level.then_some(bits as u8)
            }
            Some((bits, count, due)) if self.cycles >= due => {
                self.listen = Some((bits | u16::from(level) << count, count + 1, due + bit));
                None
            }
            _ => None,
        }
    }

    fn slice(&self) -> u32 {
        (self.cycles_a_bit / LOOKS_A_BIT).max(1)
    }
}

impl<P: Pins> Wire for Simulated<P> {
    fn name(&self) -> String {
        self.pins.name()
    }

    fn baud(&self) -> u32 {
        self.baud
    }

    fn send(&mut self, bytes: &[u8]) {
        if self.sent.is_empty() && self.shift.1 == 0 && self.boundary == u64::MAX {
            self.boundary = self.cycles;
        }
        self.sent.extend(bytes);
    }

    fn unsent(&self) -> usize {
        self.sent.len() + usize::from(self.shift.1 > 0)
    }

    fn pass(&mut self, bits: u64, received: &mut Vec<u8>) {
        let end = self.cycles + bits * u64::from(self.cycles_a_bit);
        while self.cycles < end {
            if self.cycles >= self.boundary {
                self.talk();
            }
            let next = u64::from(self.slice()).min(self.boundary - self.cycles).min(end - self.cycles);
            self.pins.run(next as u32);
            self.cycles += next;
            received.extend(self.hear());
        }
    }

    fn now(&self) -> u64 {
        self.cycles / u64::from(self.cycles_a_bit)
    }
}
