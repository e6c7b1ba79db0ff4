//! Types and numbers that the blocks of a cache compute system share.

use crate::kernel::prelude::*;

/// A line's number: its byte address, divided by the bytes of a line.
pub type LineNumber = Bits<30>;
/// A lane's number.
pub type LaneNumber = Bits<7>;
/// A row of the store.
pub type RowNumber = Bits<7>;
/// A fetch's number, modulo the stream rows.
pub type FetchNumber = Bits<5>;

/// First row of lines that are fetched for the unit; the cache's lines are below.
pub const STREAM_ROWS: u64 = 32;
/// The row with the constant in every lane.
pub const CONSTANT_ROW: u64 = 64;
/// Rows of the store.
pub const ROWS: usize = 128;
/// Bit of a byte address that tells registers from memory.
pub const REGISTER_BIT: usize = 31;
/// Steps that may wait for lines that are fetched.
pub const WAITING_STEPS: usize = 8;
/// Result lines that may be on their way.
pub const RESULTS: usize = 32;
/// Writes that memory may still have to acknowledge before the unit stops starting steps.
pub const UNACKNOWLEDGED: u64 = 20;
