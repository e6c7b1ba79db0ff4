//! What the hardware is: parameters, presets, instruction sets, registers and blocks of every unit.
//!
//! This crate only builds syntax trees, and is compiled without optimisation; what is simulated or printed is the netlist that
//! [`kernel`] makes of them.

pub mod blocks;
pub mod board;
pub mod boards;
pub mod cache;
pub mod ccs;
pub mod config_file;
pub mod isa;
pub mod params;
pub mod presets;
pub mod protocol;
pub mod registers;
pub mod system;

pub use bitline_kernel as kernel;
pub use bitline_kernel::error;
