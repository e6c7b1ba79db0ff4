//! What an operation reads and writes in one column.

/// What one column holds before a command. Values are unsigned bit patterns; bits beyond an operand's width are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// First source, n bits (a number's bits for floating point, one bit for `fill` and `tag_load`).
    pub a: u64,
    /// Second source, n bits, or a shift amount of m bits.
    pub b: u64,
    /// The accumulator of `dot`, m bits.
    pub d: u128,
    /// The tag row of `select`, one bit; the third source of `ffma`.
    pub e: u64,
    /// The tag latch.
    pub tag: bool,
}

/// What the column holds afterwards. `None`: the operation says nothing about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Destination: value and number of rows.
    pub d: Option<(u128, u32)>,
    /// Second destination: value and number of rows.
    pub e: Option<(u128, u32)>,
    /// Tag latch.
    pub tag: Option<bool>,
}
