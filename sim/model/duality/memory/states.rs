//! What the memory unit does, and how the hardware says it.

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // What the schematic of the block calls them.
pub enum Doing {
    #[default]
    Idle = 0,
    Choose = 1,
    Chosen = 2,
    Address = 3,
    Look = 4,
    Looked = 5,
    Data = 6,
    Keep = 7,
    Second = 8,
    Open = 9,
    Do = 10,
    Done = 11,
    Result = 12,
    Taken = 13,
    Flush = 14,
    End = 15,
    Fill = 16,
    FillOpen = 17,
    FillWalk = 18,
    FillAsk = 19,
    FillTaken = 20,
    SpillLook = 21,
    SpillRows = 22,
    SpillPlace = 23,
    SpillPlaced = 24,
    Direct = 25,
}

impl Doing {
    /// How many there are.
    pub const COUNT: usize = 26;

    /// The state's bits in the hardware: one for what is done, and bit 0 if anything is.
    pub(super) fn bits(self) -> u32 {
        if self == Doing::Idle { 0 } else { 1 << self as u8 | 1 }
    }

    /// Rows of a wave are filled.
    pub fn fills(self) -> bool {
        use Doing::{Fill, FillAsk, FillOpen, FillTaken, FillWalk};
        matches!(self, Fill | FillOpen | FillWalk | FillAsk | FillTaken)
    }
}
