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

use crate::duality::cache_params::{AT_BITS, LINE_BITS};
use crate::kernel::prelude::Bits;

pub use ways::DualityCache;

/// A line's number.
pub type LineNumber = Bits<LINE_BITS>;
/// A word's number.
pub type WordNumber = Bits<AT_BITS>;
