//! Types that the blocks of a compute cache share.

use crate::kernel::prelude::*;

pub use crate::parts::cache_ops::{RowOp, row_op};

/// A block's number. One bit more than memories need, so that differences of two tell which comes first.
pub type BlockNumber = Bits<19>;
pub type LocalNumber = Bits<13>; // A block's number inside its sub-array.
pub type BlockCount = Bits<12>; // Blocks of an operand.
pub type Slot = Bits<3>; // A place in the instruction table.
pub type BankSet = Bits<32>; // A bit for each bank.
pub type BankNumber = Bits<5>; // Number of a bank.
