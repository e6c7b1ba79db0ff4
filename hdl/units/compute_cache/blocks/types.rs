//! Types that the blocks of a compute cache share.

use crate::compute_cache::CACHE_OP_BITS;
use crate::kernel::prelude::*;

/// What a sub-array does in a cycle: the code of a [`crate::compute_cache::CacheOp`], or one of [`row_op`]'s own.
pub type RowOp = Bits<CACHE_OP_BITS>;
/// A block's number. One bit more than memories need, so that differences of two tell which comes first.
pub type BlockNumber = Bits<19>;
pub type LocalNumber = Bits<13>; // A block's number inside its sub-array.
pub type BlockCount = Bits<12>; // Blocks of an operand.
pub type Slot = Bits<3>; // A place in the instruction table.
pub type BankSet = Bits<32>; // A bit for each bank.
pub type BankNumber = Bits<5>; // Number of a bank.

/// Row operations.
pub mod row_op {
    use crate::compute_cache::CacheOp;

    pub const ROW_READ: u64 = 10; // The row goes out over the interconnect.
    pub const ROW_MERGE: u64 = 11; // Bytes that come over the interconnect are written.
    pub const ROW_KEY: u64 = 12; // The key is written to the key row.

    // As their operations.
    pub const ROW_ZERO: u64 = CacheOp::Zero as u64;
    pub const ROW_OR: u64 = CacheOp::Or as u64;
    pub const ROW_XOR: u64 = CacheOp::Xor as u64;
    pub const ROW_NOT: u64 = CacheOp::Not as u64;
    pub const ROW_SEARCH: u64 = CacheOp::Search as u64;
    pub const ROW_CLMUL: u64 = CacheOp::Clmul as u64;
}
