//! The library's error type. Every message names the parameter, its value and the rule.

use std::path::PathBuf;

/// What went wrong with something a user gave.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
    /// A command cannot run on the array.
    #[error("{command}: {reason}")]
    Command {
        /// The command, as written.
        command: String,
        /// The code that the hardware would raise, as the registers show it.
        code: u8,
        /// Why, with names and values.
        reason: String,
    },
    /// A block cannot be turned into a netlist.
    #[error("{path}: {signal}: {rule}")]
    Netlist {
        /// Instance path.
        path: String,
        /// The signal or construct.
        signal: String,
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
    /// A text cannot be understood.
    #[error("{origin}, line {line}: {reason}")]
    Syntax {
        /// File name or description of the text.
        origin: String,
        /// Line number from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// An external tool is missing or failed.
    #[error("{tool}: {reason}")]
    Tool {
        /// The program.
        tool: String,
        /// Why.
        reason: String,
    },
}

/// The library's result type.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A parameter that breaks a rule. A value of several lines is told in one.
    pub fn parameter(name: impl Into<String>, value: impl ToString, rule: impl Into<String>) -> Error {
        Error::Parameter { parameter: name.into(), value: value.to_string().replace('\n', "\\n"), rule: rule.into() }
    }

    /// The same about a parameter that the user calls by this name.
    pub fn about(self, name: &str) -> Error {
        match self {
            Error::Parameter { value, rule, .. } => Error::parameter(name, value, rule),
            other => other,
        }
    }

    /// A file that cannot be read or written.
    pub fn file(path: impl Into<PathBuf>, reason: impl ToString) -> Error {
        Error::File { path: path.into(), reason: reason.to_string() }
    }

    /// A netlist rule broken at `path`.
    pub fn netlist(path: impl Into<String>, signal: impl Into<String>, rule: impl Into<String>) -> Error {
        Error::Netlist { path: path.into(), signal: signal.into(), rule: rule.into() }
    }
}

/// A message as a terminal may have it: what a file or an argument has brought in cannot move the cursor or change
/// colours. Control characters but the ends of lines are written out.
pub fn visible(message: &str) -> String {
    let shown = |c: char| match c {
        '\n' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    message.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::{Error, visible};

    #[test]
    fn values_of_several_lines_are_told_in_one() {
        assert_eq!(Error::parameter("base", "a\n", "none such").to_string(), "base = a\\n: none such");
    }

    #[test]
    fn messages_do_not_steer_terminals() {
        assert_eq!(visible("a \u{1b}[31mred\u{7}\r\u{9b}b\nä"), "a \\u{1b}[31mred\\u{7}\\r\\u{9b}b\nä");
    }
}
