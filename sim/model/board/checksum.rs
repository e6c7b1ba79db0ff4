//! Model of the checksum: polynomial division, a bit at a time, as the checksum's definition has it.

use bitline_units::system::protocol::{CHECKSUM_POLYNOMIAL, CHECKSUM_START};

/// A sum over bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(pub u16);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(CHECKSUM_START)
    }
}

impl Checksum {
    /// Puts a byte in.
    pub fn add(&mut self, byte: u8) {
        for bit in (0..8).rev() {
            let out = self.0 >> 15 ^ u16::from(byte >> bit & 1);
            self.0 = self.0 << 1 ^ if out == 1 { CHECKSUM_POLYNOMIAL } else { 0 };
        }
    }
}
