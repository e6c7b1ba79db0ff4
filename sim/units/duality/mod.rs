//! The Duality Cache: kernels by hand, run by the judge, by the control block or by the whole unit, and campaigns of
//! random programs.

pub mod accesses;
pub mod arbiter;
pub mod block;
pub mod cache;
pub mod figures;
pub mod front;
pub mod hardware;
pub mod kernels;
pub mod machine;
pub mod memory_side;
pub mod modes;
mod parts;
pub mod processor;
pub mod ring;
pub mod together;
pub mod unit;
pub mod ways;
pub mod words;

#[cfg(test)]
mod tests;
