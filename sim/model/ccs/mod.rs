//! Models of the cache compute system's blocks.

pub mod arith;
pub mod lane;
pub mod unit;
