//! The cache compute system's blocks.

pub mod line_memory;
