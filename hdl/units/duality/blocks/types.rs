//! Types that several blocks share.

use crate::duality::isa::entry::entry;
use crate::kernel::prelude::*;

/// A word that waits in a window.
pub type WindowEntry = Word<{ entry::WIDTH }, { entry::WIDTH.div_ceil(64) }>;
/// A word of a program.
pub type ProgramWord = Word<{ entry::WORD_BITS }, 2>;
