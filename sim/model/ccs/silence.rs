//! Model of what listens to memory: cycles without an answer, after a hard reset and while a soft reset waits.

use bitline_units::ccs::{CcsGeometry, CcsMemory, SILENCE};

/// The block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    lines: bool,
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
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Silence {
        let lines = geometry.memory == CcsMemory::Line;
        Silence { lines, settling: lines, heard: false, cycles: 0, silent: false }
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
        *self = Silence { settling: self.lines, heard: false, cycles: 0, silent: false, ..*self };
    }
}

state! {
    Silence(self) {
        self => heard, cycles;
        unsettled = self.settling;
        spent = self.silent;
    }
}
