//! Model of the UART receiver.

/// Number of the stop bit.
const STOP: u8 = 9;

/// What has come in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A byte.
    Byte(u8),
    /// A byte with a wrong stop bit.
    Wrong,
}

/// The receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UartReceiver {
    /// The line, one and two cycles ago.
    pub line: [bool; 2],
    /// Cycles until the line is looked at, and the bit that then comes; nothing without a byte under way.
    pub waits: Option<(u32, u8)>,
    /// The line was low in a stop bit and has not been high since.
    pub broken: bool,
    /// Bits that came, the last one on top.
    pub bits: u8,
    /// A byte has ended: with this stop bit.
    pub ended: Option<bool>,
    cycles_a_bit: u32,
}

impl UartReceiver {
    /// A receiver after reset.
    pub fn new(cycles_a_bit: u32) -> UartReceiver {
        UartReceiver { line: [true; 2], waits: None, broken: false, bits: 0, ended: None, cycles_a_bit }
    }

    /// What has come.
    pub fn heard(&self) -> Option<Heard> {
        self.ended.map(|good| if good { Heard::Byte(self.bits) } else { Heard::Wrong })
    }

    /// One clock edge.
    pub fn step(&mut self, rxd: bool) {
        let line = self.line[1];
        let broken = self.broken;
        self.ended = None;
        self.broken &= !line;
        self.waits = match self.waits {
            None => (!line && !broken).then_some((self.cycles_a_bit / 2 - 1, 0)),
            Some((cycles @ 1.., number)) => Some((cycles - 1, number)),
            // A start bit that is over by its middle is none.
            Some((0, 0)) if line => None,
            Some((0, STOP)) => {
                self.ended = Some(line);
                self.broken = !line;
                None
            }
            Some((0, number)) => {
                if number > 0 {
                    self.bits = self.bits >> 1 | u8::from(line) << 7;
                }
                Some((self.cycles_a_bit - 1, number + 1))
            }
        };
        self.line = [rxd, self.line[0]];
    }
}

state! {
    UartReceiver(self) {
        self => broken, bits;
        first = self.line[0];
        line = self.line[1];
        active = self.waits.is_some();
        cycles = self.waits.map(|waits| waits.0);
        number = self.waits.map(|waits| waits.1);
        good = self.ended == Some(true);
        wrong = self.ended == Some(false);
    }
}
