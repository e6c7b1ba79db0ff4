//! The judge: a kernel run thread by thread, on plain integers and the host's floating-point numbers.
//!
//! It shares the parser with the compiler and nothing else: no graph, no masks, no widths. What a launch means is what
//! happens here. Every access is checked against the memory it may touch, every register against having been written.
//!
//! | left open by PTX | here |
//! |---|---|
//! | order of threads | by number, each to the next barrier; atomic operations in that order |
//! | division by zero | all ones; the remainder is the dividend |
//! | carry of a difference | set where nothing is borrowed |
//! | `ex2`, `lg2`, `rsqrt`, `sin`, `cos`, `tanh` | what the array computes, by its arithmetic model |
//! | functions of 16-bit floats | those of binary32, rounded |
//! | NaN | 0x7fff, 0x7fffffff, 0x7ff8000000000000 |
//! | flushing (`.ftz`) | operands, and results that are subnormal when rounded with any exponent, to signed zero |
//! | flushing by `cvt` | the same, but of what is rounded to the type |

mod atomic;
mod bfloat;
mod compute;
mod convert;
mod float;
mod half;
mod integer;
mod launch;
mod memory;
mod packed;
mod parameters;
mod rare;
mod thread;
mod warp;

pub(crate) use launch::check;
pub use launch::{Counts, LIMIT, Launch, MOST_LOCAL, MOST_SHARED, MOST_THREADS, run};
pub(crate) use launch::{check_constants, dynamic_from, initial};
pub use memory::{Global, Region};
