//! What a pass takes for granted of parameters: no text has it.

/// Memory of kernels with 64-bit addresses ends below.
pub const MOST: u64 = (1 << 31) - (1 << 27);

/// What a parameter of 64 bits is taken for, of which addresses are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lower {
    /// An address of global memory, or any number below [`MOST`].
    Pointer,
    /// A number of 32 bits with its sign.
    Number,
}

impl Lower {
    /// Whether a parameter is that.
    #[must_use]
    pub fn holds(self, bits: u64) -> bool {
        match self {
            Lower::Pointer => bits < MOST,
            Lower::Number => i32::try_from(bits as i64).is_ok(),
        }
    }
}
