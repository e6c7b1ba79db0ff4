//! The Duality Cache's control block: kernels by hand, run by the judge or by the hardware, and campaigns of random
//! programs.

pub mod block;
pub mod figures;
pub mod kernels;
pub mod machine;
pub mod memory_side;
pub mod ring;
pub mod words;

#[cfg(test)]
mod tests;
