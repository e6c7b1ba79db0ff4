//! The control block of the Duality Cache, judged by plain integers: a thread-by-thread interpreter of its words, and
//! the flat memory behind it.
//!
//! It shares fields, opcodes and their meaning with what it judges, and nothing else: no issue windows, no cycles, no
//! scratch rows. Words run one after the other; waits say when a word may start, not what it does.
//!
//! Beside it the cycle models of the blocks, one in each file: they step with the hardware, and know nothing of the
//! judge.

mod access;
pub mod cache;
pub mod control_block;
pub mod crossbar;
mod crossing;
pub mod dispatcher;
mod early;
mod entry;
pub mod instruction_ring;
pub mod interpreter;
pub mod launch;
pub mod lines;
pub mod memory;
mod memory_turns;
pub mod modes;
pub mod order;
pub mod row_unit;
pub mod rows;
mod scalar;
pub mod scalar_unit;
pub mod steps;
pub mod system;

pub mod watch;
pub mod window;
mod window_state;

pub use interpreter::run;
pub use launch::{Launch, Outcome, Stop};
pub use memory::FlatMemory;
pub use order::run_unordered;
