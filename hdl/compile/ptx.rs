//! PTX: tokens, the table of instructions, the parser, and what it hands on.

pub mod ast;
pub(crate) mod inline;
mod kernels;
pub mod lower;
mod parser;
pub mod print;
pub mod table;
mod token;
pub mod types;

pub use parser::parse;
