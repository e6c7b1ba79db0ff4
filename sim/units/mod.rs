//! What belongs to one unit: its machines, what they measure, and what is built upon them.

pub mod array;
pub mod ccs;
pub mod compute_cache;
pub mod duality;
