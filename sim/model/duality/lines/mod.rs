//! Models of operations on lines of the cache ways, block by block, from their contracts.

pub mod check;
pub mod operands;
pub mod registers;
pub mod unit;
pub mod walk;

/// A line of a cache way, in words of 64 bits.
pub type Line = [u64; 8];
