//! The cache ways of a slice, block by block.

mod data;
mod drain;
mod fetches;
mod memory;
mod order;
mod replacement;
mod tags;
mod ways;
mod write_backs;

use crate::duality::cache_params::{AT_BITS, CacheParams, LINE_BITS, LINE_WORDS};
use crate::kernel::prelude::{Bits, LANES, Sizes};

pub use ways::DualityCache;

/// Ports for lines that are written as a whole: one or none.
const LINES: usize = LANES - 1;
/// Their words.
const WORDS_OF_LINES: usize = LANES - 2;

/// Sizes of the arrays of a cache with these parameters.
pub(super) fn sizes(params: &CacheParams) -> Sizes {
    let lines = usize::from(params.lines);
    Sizes::set(&[2 * params.leaves() - 1, lines, LINE_WORDS * lines])
}

/// What the names of modules end in that have such ports.
fn lines_name(lines: usize) -> &'static str {
    if lines > 0 { "_lines" } else { "" }
}

/// A line's number.
pub type LineNumber = Bits<LINE_BITS>;
/// A word's number.
pub type WordNumber = Bits<AT_BITS>;
