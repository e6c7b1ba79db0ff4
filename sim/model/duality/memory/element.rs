//! Elements in words of memory, as plain integers.

use crate::duality::rows::extend;

/// An element's bytes of a value of so many bits, which is extended with its sign or with zeros, at their place in a
/// word of 8 bytes, and which of its bytes they are.
pub fn placed(value: u64, bits: u64, signed: bool, log_bytes: u8, address: u32) -> (u64, u8) {
    let bytes = 1u32 << log_bytes;
    let from = address % 8;
    let strobes = ((1u16 << bytes) - 1) << from;
    (extend(value, bits, signed) << (8 * from), strobes as u8)
}

/// An element in a word of 8 bytes, extended with its sign or with zeros.
pub fn taken(word: u64, signed: bool, log_bytes: u8, address: u32) -> u64 {
    extend(word >> (8 * (address % 8)), 8 << log_bytes, signed)
}
