//! The compute array with a way to memory.

pub mod memory;
