//! Kernels in PTX, the assembly language that `clang` makes of CUDA without any SDK.
//!
//! ```text
//! k.cu ─ clang ─▶ k.ptx ─▶ ptx: tokens ─▶ parser ─▶ Module
//!                                     └ table of instructions
//! ```
//!
//! [`ptx`] reads text and refuses what is not there, with line and column; its table has every instruction of PTX.

pub mod error;
pub mod ptx;
