//! What a row of a micro-program does to indices and counts when it is left, and what becomes of the wired-OR of T.

/// Step of an index register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Step {
    /// Keep.
    #[default]
    Hold = 0,
    /// +1.
    Up = 1,
    /// −1.
    Down = 2,
    /// +2.
    UpTwo = 3,
}

/// What the offset index I does when its row is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OffsetAction {
    /// Keep.
    #[default]
    Hold = 0,
    /// +1.
    Up = 1,
    /// −1.
    Down = 2,
    /// ×2: the next power-of-two stride.
    Double = 3,
    /// Take the effective width found by the scan, less one.
    Width = 4,
    /// ÷2.
    Halve = 5,
    /// −1, and J takes it, too: of loops, rows from J on begin one row lower than before, and those from I + J on two.
    Lower = 6,
}

/// What the outer index L does when its row is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OuterAction {
    /// Keep.
    #[default]
    Hold = 0,
    /// +1.
    Up = 1,
    /// −1.
    Down = 2,
}

/// What the triangular count Z does when its row is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TriangleAction {
    /// Keep.
    #[default]
    Hold = 0,
    /// +1.
    Up = 1,
    /// −1.
    Down = 2,
}

/// What the loop stride does when its row is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StrideAction {
    /// Keep.
    #[default]
    Hold = 0,
    /// ×2.
    Double = 1,
    /// ÷2.
    Halve = 2,
    /// +1.
    Up = 3,
}

/// Which exception the wired-OR of T after this row reports, once it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Report {
    /// None.
    #[default]
    None = 0,
    /// An operand signals, or there is no result that makes sense.
    Invalid = 1,
    /// A finite number other than zero is divided by zero.
    DivideByZero = 2,
    /// The result, rounded as if the exponent had no bounds, is larger than the largest finite number.
    Overflow = 3,
    /// The result, before it is rounded, is not zero but smaller than the smallest normal number, and what is written
    /// differs from it.
    Underflow = 4,
    /// What is written differs from the result before it is rounded.
    Inexact = 5,
}

/// What the first row of a floating-point command says in the place of a [`Report`]: that the command starts.
pub const START: u64 = Report::Inexact as u64 + 1;

/// What becomes of the wired-OR of T after this row, once it reaches the sequencer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Token {
    /// Nothing.
    #[default]
    None = 0,
    /// A branch waits for it.
    Branch = 1,
    /// It tells whether the row scanned (from the top row down) takes part in the effective width.
    Width = 2,
    /// It is shifted into the key, top row first.
    Key = 3,
}
