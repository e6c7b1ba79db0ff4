//! What goes wrong with what a user gives: a text, a parameter, a file, a program that runs.

use std::path::PathBuf;

/// An error of this crate. Messages name what is wrong, its value and the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A text cannot be read, or asks for what is not there.
    #[error("{origin}, line {}, column {}: {reason}", place.line, place.column)]
    Source {
        /// File name or description of the text.
        origin: String,
        /// Where it is.
        place: Place,
        /// Why.
        reason: String,
    },
    /// A parameter breaks a rule.
    #[error("{parameter} = {value}: {rule}")]
    Parameter {
        /// The parameter's name as the user writes it.
        parameter: String,
        /// The value given.
        value: String,
        /// The rule it breaks.
        rule: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A thread did what no thread may do.
    #[error("{origin}, line {}: block {}, thread {}: {reason}", place.line, triple(*block), triple(*thread))]
    Run {
        /// The PTX file.
        origin: String,
        /// The instruction.
        place: Place,
        /// `%ctaid`: x, y, z.
        block: [u32; 3],
        /// `%tid`: x, y, z.
        thread: [u32; 3],
        /// Why.
        reason: String,
    },
}

/// The crate's result type.
pub type Result<T> = std::result::Result<T, Error>;

/// A place in a text; line and column count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

fn triple(numbers: [u32; 3]) -> String {
    format!("({}, {}, {})", numbers[0], numbers[1], numbers[2])
}

impl Error {
    /// A parameter that breaks a rule.
    pub fn parameter(name: impl Into<String>, value: impl ToString, rule: impl Into<String>) -> Error {
        Error::Parameter { parameter: name.into(), value: value.to_string(), rule: rule.into() }
    }

    /// A text that breaks one.
    pub fn source(origin: impl Into<String>, place: Place, reason: impl Into<String>) -> Error {
        Error::Source { origin: origin.into(), place, reason: reason.into() }
    }

    /// A file that cannot be read or written.
    pub fn file(path: impl Into<PathBuf>, reason: impl ToString) -> Error {
        Error::File { path: path.into(), reason: reason.to_string() }
    }
}

/// An error of the control block's crates among those of this one.
pub(crate) fn of_units(error: bitline_units::error::Error) -> Error {
    match error {
        bitline_units::error::Error::Parameter { parameter, value, rule } => {
            Error::Parameter { parameter, value, rule }
        }
        other => Error::parameter("program", "words", other.to_string()),
    }
}
