//! The Duality Cache: kernels by hand, run by the judge, by the control block, by the whole unit or by the model of
//! the system, and campaigns of random programs.

pub mod accesses;
pub mod arbiter;
pub mod block;
pub mod cache;
pub mod crossbar;
pub mod figures;
pub mod front;
pub mod hardware;
pub mod kernel_errors;
pub mod kernels;
pub mod launching;
pub mod lines;
pub mod machine;
pub mod memory_side;
pub mod memory_unit;
pub mod modes;
mod parts;
pub mod processor;
pub mod report;
pub mod ring;
pub mod system;
pub mod together;
pub mod unit;
pub mod ways;
pub mod words;

#[cfg(test)]
mod line_parts;
#[cfg(test)]
mod memory_parts;
#[cfg(test)]
mod tests;
