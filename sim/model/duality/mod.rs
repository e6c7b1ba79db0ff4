//! The control block of the Duality Cache, judged by plain integers: a thread-by-thread interpreter of its words, and
//! the flat memory behind it.
//!
//! It shares fields, opcodes and their meaning with what it judges, and nothing else: no issue windows, no cycles, no
//! scratch rows. Words run one after the other; waits say when a word may start, not what it does.

mod access;
pub mod instruction_ring;
pub mod interpreter;
pub mod launch;
pub mod memory;
mod rows;
mod scalar;

pub use interpreter::run;
pub use launch::{Launch, Outcome, Stop};
pub use memory::FlatMemory;
