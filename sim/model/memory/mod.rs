//! Models of the way between memory and the array.

pub mod burst_generator;
pub mod core;
pub mod dispatch;
pub mod master;
pub mod reader;
pub mod stages;
pub mod stream;
pub mod writer;

/// A transfer as it goes to reader and writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Address of the first.
    pub address: u64,
    /// How many.
    pub count: u16,
    /// Bytes of one.
    pub bytes: u8,
    /// Bytes from one to the next.
    pub stride: i32,
}

impl Elements {
    /// They follow each other without a gap.
    pub fn dense(&self) -> bool {
        self.stride == i32::from(self.bytes)
    }

    /// Runs of bytes without a gap, as number of runs and bytes of each.
    pub fn runs(&self) -> (u16, u16) {
        if self.dense() { (1, self.count * u16::from(self.bytes)) } else { (self.count, self.bytes.into()) }
    }

    /// Those after the first.
    pub fn rest(self) -> Option<Elements> {
        let address = self.address.wrapping_add_signed(self.stride.into());
        (self.count > 1).then_some(Elements { address, count: self.count - 1, ..self })
    }
}

/// The word and response channels' codes.
pub const OKAY: u8 = 0;
/// Bit that tells a response of an error.
pub const FAILED: u8 = 2;

impl Elements {
    /// The word in which the reader's queue keeps them.
    pub fn pack(&self) -> [u64; 2] {
        let (size, dense) = (u64::from(self.bytes.ilog2()), u64::from(self.dense()));
        [self.address, u64::from(self.count) | size << 10 | burst_generator::stride(self.stride) << 12 | dense << 32]
    }
}
