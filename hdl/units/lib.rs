//! What the hardware is: parameters, presets, instruction sets, registers and blocks of every unit.
//!
//! This crate only builds syntax trees, and is compiled without optimisation; what is simulated or printed is the
//! netlist that [`kernel`] makes of them. The instruction set of the array computes, and is a crate of its own.

pub mod array;
pub mod boards;
pub mod ccs;
pub mod compute_cache;
pub mod config_file;
pub mod duality;
pub mod parts;
pub mod regmap;
pub mod system;

pub use bitline_isa::{each_latch, each_second_latch};
pub use bitline_kernel as kernel;
pub use bitline_kernel::error;
