//! Types of the memory path.

use crate::kernel::prelude::*;

/// A byte address in memory.
pub type MemoryAddress = Word<64, 1>;
/// What is moved in one cycle inside: 64 bits, whatever the bus has.
pub type Chunk = Word<64, 1>;
/// Elements of a transfer.
pub type Count = Bits<10>;
/// Bytes from an element to the next, two's complement.
pub type Stride = Bits<20>;
