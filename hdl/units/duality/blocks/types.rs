//! Types that several blocks share.

use crate::duality::isa::entry::entry;
use crate::kernel::prelude::*;

/// A word that waits in a window.
pub type WindowEntry = Word<{ entry::WIDTH }, { entry::WIDTH.div_ceil(64) }>;
/// A word of a program.
pub type ProgramWord = Word<{ entry::WORD_BITS }, 2>;
/// A number of threads.
pub type ThreadCount = Bits<THREAD_BITS>;
/// A side of the grid.
pub type GridCount = Bits<GRID_BITS>;
/// Bits of a number of threads.
pub const THREAD_BITS: usize = 13;
/// Bits of a side of the grid.
pub const GRID_BITS: usize = 21;
