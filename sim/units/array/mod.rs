//! The compute array: many data sets at once, and the way to memory.

pub mod batch;
pub mod memory;
