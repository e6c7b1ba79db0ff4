//! Model of the flag register: exceptions since software cleared them.

/// State of the register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagRegister {
    /// Flags, invalid in the lowest bit.
    pub flags: u8,
}

impl FlagRegister {
    /// One clock edge: flags raised in this cycle, and those that software clears.
    pub fn step(&mut self, raised: u8, cleared: u8) {
        self.flags = (self.flags & !cleared) | raised;
    }
}

state! {
    FlagRegister(self) {
        self => flags;
    }
}
