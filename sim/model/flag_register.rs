//! Model of the flag register: exceptions since software cleared them, and those of the latest command.

use super::exception_flags::STARTED;

/// State of the register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagRegister {
    /// Flags, invalid in the lowest bit.
    pub flags: u8,
    /// The same of the command that has started last.
    pub last: u8,
}

impl FlagRegister {
    /// One clock edge: flags raised in this cycle, or that a command starts; and those that software clears.
    pub fn step(&mut self, raised: u8, cleared: u8) {
        let now = raised & !STARTED;
        self.flags = (self.flags & !cleared) | now;
        self.last = if raised & STARTED != 0 { 0 } else { self.last | now };
    }

    /// What software reads.
    pub fn value(self) -> u32 {
        u32::from(self.flags) | u32::from(self.last) << 16
    }
}

state! {
    FlagRegister(self) {
        self => flags, last;
    }
}
