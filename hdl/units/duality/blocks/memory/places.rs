//! Fields of words of memory, by their lowest bits, and codes in them; fields of the list of special registers.

use crate::duality::isa::codes::{MemoryOp, Predicate, Source, Space};
use crate::duality::isa::field as at;

/// The array of addresses.
pub const AT_SLOT: usize = at::SLOT.lsb;
/// Rows of data, less 1.
pub const AT_WIDTH: usize = at::WIDTH.lsb;
/// Rows of an address, less 1.
pub const AT_WIDTH_A: usize = at::WIDTH_A.lsb;
/// What is done.
pub const AT_OPERATION: usize = at::MEMORY_OP.lsb;
/// What the address counts in.
pub const AT_SPACE: usize = at::SPACE.lsb;
/// log2 of an element's bytes.
pub const AT_ELEMENT: usize = at::ELEMENT.lsb;
/// Data are extended with their sign.
pub const AT_EXTEND: usize = at::EXTEND.lsb;
/// The array of data.
pub const AT_DATA_SLOT: usize = at::DATA_SLOT.lsb;
/// Where the address comes from.
pub const AT_SOURCE: usize = at::SOURCE.lsb;
/// Threads that take part.
pub const AT_PREDICATE: usize = at::PREDICATE.lsb;
/// The offset of an address.
pub const AT_IMMEDIATE: usize = at::IMMEDIATE.lsb;
/// log2 of the threads of a segment.
pub const AT_SEGMENT: usize = at::S.lsb;

/// Codes of a launch with four arrays a thread, and with two.
pub const FOUR: u64 = 0;
/// See [`FOUR`].
pub const TWO: u64 = 1;
/// What the mask rows of a thread that exists hold.
pub const MASK_BITS: u64 = 3;
/// Pieces of spill rows that a group has at most: four in each of 64.
pub const MOST_PIECES: usize = 256;

/// Operations that are told apart.
pub const LOAD: u64 = MemoryOp::Load as u64;
/// See [`LOAD`].
pub const STORE: u64 = MemoryOp::Store as u64;
/// See [`LOAD`].
pub const COMPARE: u64 = MemoryOp::Compare as u64;
/// Sources of addresses.
pub const BY_ROW: u64 = Source::Row as u64;
/// See [`BY_ROW`].
pub const INDEXED: u64 = Source::Indexed as u64;
/// Choices of threads.
pub const ALL: u64 = Predicate::All as u64;
/// See [`ALL`].
pub const UNLESS: u64 = Predicate::Unless as u64;
/// Spill rows.
pub const SPILL: u64 = Space::Spill as u64;
/// Threads of a bank.
pub const BANK: u64 = Space::Bank as u64;

/// An entry of the list of special registers: bit 31 if there is one, 30:25 its rows less 1, 24:16 the first, 9:8 the
/// array, 2:0 the special register's code.
pub const THERE: usize = 31;
/// See [`THERE`].
pub const SPECIAL_ROWS: usize = 25;
/// See [`THERE`].
pub const SPECIAL_ROW: usize = 16;
/// See [`THERE`].
pub const SPECIAL_SLOT: usize = 8;
