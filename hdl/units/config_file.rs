//! Configuration files: TOML, with errors that name file, line, key, value and rule.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Reads a file and gives its text, its name for messages and its stem to `parse`.
///
/// # Errors
/// [`Error::File`] if it cannot be read; else those of `parse`.
pub fn load<T>(path: &Path, parse: impl FnOnce(&str, &str, &str) -> Result<T>) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&text, &path.display().to_string(), &stem)
}

/// The keys in a text that messages call `origin`.
///
/// # Errors
/// [`Error::Syntax`] with the line, which is quoted, if it is no TOML, or a key is unknown or has a value of another
/// type.
pub fn keys<T: DeserializeOwned>(text: &str, origin: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let line = line(text, error.span().map_or(text.len(), |span| span.start));
        let source = text.lines().nth(line - 1).unwrap_or_default().trim();
        let reason = format!("`{source}`: {}", rule(error.message()));
        Error::Syntax { origin: origin.into(), line, reason }
    })
}

/// The error of a parameter with the line that gives it; with the file alone where none does, since its value is a
/// preset's.
pub fn placed(text: &str, origin: &str, error: Error) -> Error {
    let Error::Parameter { parameter, .. } = &error else { return error };
    let gives = |line: &str| {
        line.trim_start().strip_prefix(&parameter[..]).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    match text.lines().position(gives) {
        Some(at) => Error::Syntax { origin: origin.into(), line: at + 1, reason: error.to_string() },
        None => Error::file(origin, error),
    }
}

/// Number of the line at an offset.
fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
}

/// What the parser says, with types as a user calls them, on one line.
fn rule(message: &str) -> String {
    let mut rule = message.replace('\n', ", ").replace(" as i128", "");
    for (unsigned, most) in [("usize", i64::MAX), ("u32", u32::MAX.into())] {
        let whole = format!("must be a whole number from 0 to {most}");
        rule = rule.replace(&format!("expected {unsigned}"), &whole);
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Keys {
        lanes: Option<usize>,
        clock: Option<u32>,
    }

    #[test]
    fn what_is_right_is_read() {
        let read = keys::<Keys>("clock = 4294967295\n", "f.toml").unwrap();
        assert_eq!((read.lanes, read.clock), (None, Some(u32::MAX)));
    }

    #[test]
    fn wrong_types_name_line_key_value_and_rule() {
        for (text, line, quoted, rule) in [
            ("lanes = -4\n", 1, "`lanes = -4`", "-4`, must be a whole number from 0 to 9223372036854775807"),
            ("\nlanes = 4.5\n", 2, "`lanes = 4.5`", "4.5`, must be a whole number from 0 to"),
            ("lanes = 4\nclock = \"fast\"\n", 2, "`clock = \"fast\"`", "must be a whole number from 0 to 4294967295"),
            ("clock = 4294967296\n", 1, "`clock = 4294967296`", "6`, must be a whole number from 0 to 4294967295"),
            ("lanes = 99999999999999999999\n", 1, "`lanes = 99999999999999999999`", "must be a whole number from 0 to"),
            ("lane = 3\n", 1, "`lane = 3`", "unknown field"),
            ("lanes = \"3", 1, "`lanes = \"3`", "invalid basic string"),
        ] {
            let message = keys::<Keys>(text, "f.toml").expect_err(text).to_string();
            assert!(message.starts_with(&format!("f.toml, line {line}: {quoted}: ")), "{message}");
            assert!(message.contains(rule) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn parameters_are_placed_where_the_text_gives_them() {
        let text = "rows_left = 1\n rows= 3\n";
        let said = |parameter| placed(text, "f.toml", Error::parameter(parameter, 3, "is odd")).to_string();
        assert_eq!(
            (said("rows"), said("base")),
            ("f.toml, line 2: rows = 3: is odd".into(), "f.toml: base = 3: is odd".into())
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let message = load(Path::new("/nonexistent/x.toml"), |_, _, _| Ok(())).unwrap_err().to_string();
        assert!(message.contains("/nonexistent/x.toml"), "{message}");
    }
}
