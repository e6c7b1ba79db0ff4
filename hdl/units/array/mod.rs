//! The compute array: parameters, instruction set, registers and blocks.

pub mod blocks;
#[cfg(test)]
mod isa_of_presets;
pub mod presets;
pub mod registers;

pub use bitline_isa as isa;
pub use bitline_isa::params;
