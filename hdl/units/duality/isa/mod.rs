//! The control block's words, 128 bits each, and the programs made of them.
//!
//! Everything here is data, or reads it: [`codes`] are the lists of what a field may say, [`field`] the one table of
//! fields, from which [`word`] encodes and decodes and all texts are made; [`compute`] says what a compute word asks of
//! its array, [`class`] what a window knows of operations, [`legal`] which words may run. [`assemble`] and
//! [`disassemble`] are text, [`program`] the binary file.

pub mod assemble;
pub mod class;
pub mod codes;
pub mod compute;
pub mod disassemble;
pub mod entry;
pub mod field;
pub mod legal;
pub mod operand;
pub mod program;
pub mod reference;
pub mod source;
pub mod word;
mod word_sources;

pub use codes::Kind;
pub use field::Field;
pub use program::Program;
pub use word::Word;

#[cfg(test)]
mod tests;
