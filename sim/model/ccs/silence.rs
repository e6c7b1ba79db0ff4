//! Model of what listens to memory: cycles without an answer, after a hard reset and while a soft reset waits.

use bitline_units::ccs::SILENCE;

/// The block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    goes_on: bool,
    /// What arrives was asked for before a hard reset.
    pub settling: bool,
    /// Memory said something, a cycle ago.
    pub heard: bool,
    /// Cycles without an answer.
    pub cycles: u64,
    /// There were enough of them for a soft reset.
    pub silent: bool,
}

impl Silence {
    /// After reset, beside a memory that may go on when the system is reset, or not.
    pub fn new(goes_on: bool) -> Silence {
        Silence { goes_on, settling: goes_on, heard: false, cycles: 0, silent: false }
    }

    /// A clock cycle: memory answers; a soft reset is under way.
    pub fn step(&mut self, answer: bool, resetting: bool) {
        let listens = (self.settling || resetting) && !self.heard;
        let enough = listens && self.cycles + 1 == SILENCE;
        self.cycles = if listens { (self.cycles + 1) % SILENCE } else { 0 };
        self.silent = enough && !self.settling;
        self.settling &= !enough;
        self.heard = answer;
    }

    /// Reset.
    pub fn reset(&mut self) {
        *self = Silence { settling: self.goes_on, heard: false, cycles: 0, silent: false, ..*self };
    }
}

state! {
    Silence(self) {
        self => heard, cycles;
        unsettled = self.settling;
        spent = self.silent;
    }
}
