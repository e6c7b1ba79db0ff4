//! What a plan is made of: rows with a meaning, what is put into them, and what becomes of what is read.

use std::path::PathBuf;

use super::source::{Across, Flags, PrintOptions};
use crate::data::{ElementType, Number};
use crate::isa::Command;

/// Rows with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub row: usize,
    pub kind: ElementType,
}

/// What is put into rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// One for each element.
    Elements(Vec<u128>),
    /// The same in every column.
    Value(u128),
    /// The words of each row.
    Rows(Vec<Vec<u64>>),
}

impl Contents {
    /// The element with a number, which is in `column`.
    pub fn element(&self, index: usize, column: usize) -> u128 {
        match self {
            Contents::Elements(elements) => elements[index],
            Contents::Value(value) => *value,
            Contents::Rows(rows) => rows
                .iter()
                .enumerate()
                .fold(0, |element, (bit, words)| element | u128::from(words[column / 64] >> (column % 64) & 1) << bit),
        }
    }
}

/// One step of a chunk.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Load(Place, Contents),
    /// The command and its number among [`Plan::commands`].
    Execute(Command, usize),
    /// Reads elements for the use with this number.
    Read(Place, usize),
    /// The same of exceptions.
    Flags(Flags, usize),
}

/// What becomes of elements read.
#[derive(Clone, Debug)]
pub(super) enum Use {
    Print(PrintOptions),
    /// One value out of all elements, and what it must be.
    Across(Across, Option<Number>),
    Expect(Contents),
    /// Exceptions of all chunks, and what they must be.
    Flags(Option<u8>),
    Csv(PathBuf, String),
    Raw(PathBuf, usize),
    Pgm(PathBuf, usize),
}

/// A use with its place in the program.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub line: usize,
    pub name: String,
    pub kind: ElementType,
    pub what: Use,
}
