//! Data files: elements out of CSV, raw and PGM files, results into them.
//!
//! Readers return the bit patterns of elements of a given type; a value that the type cannot hold is an error that
//! names file, line or element, value and rule. Everything is read before a program starts, up to limits, and written
//! after it has ended.

pub mod csv;
pub mod element;
pub mod output;
pub mod pgm;
pub mod raw;
pub mod real;
pub mod source;

/// Largest number of elements of a vector, and of pixels of an image.
pub const MAX_ELEMENTS: usize = 1 << 26;

pub use element::{ElementType, Literal, Number};
