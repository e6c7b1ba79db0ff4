//! What a pass has found out of parameters: no text has it.

/// What a parameter is of which an address is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lower {
    /// An address of global memory, as `cvta` says.
    Pointer,
    /// A number that is added, or an address without `cvta`.
    Offset,
    /// A number that is multiplied, alone or in a sum.
    Factor,
}
