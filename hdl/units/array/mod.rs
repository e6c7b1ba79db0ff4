//! The compute array: parameters, instruction set, registers and blocks.

pub mod blocks;
pub mod isa;
pub mod params;
pub mod presets;
pub mod registers;
