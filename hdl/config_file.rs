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
/// [`Error::Syntax`] with the line, which is quoted, if it is no TOML, or a key is unknown or has a value of another type.
pub fn keys<T: DeserializeOwned>(text: &str, origin: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let line = line(text, error.span().map_or(text.len(), |span| span.start));
        let source = text.lines().nth(line - 1).unwrap_or_default().trim();
        let reason = format!("`{source}`: {}", rule(error.message()));
        Error::Syntax { origin: origin.into(), line, reason }
    })
}

/// Number of the line at an offset.
pub fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
}

/// What the parser says, with types as a user calls them, on one line.
fn rule(message: &str) -> String {
    let mut rule = message.replace('\n', ", ");
    for unsigned in ["usize", "u32", "u64"] {
        rule = rule.replace(&format!("expected {unsigned}"), "must be a whole number, 0 or more");
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Keys {
        lanes: Option<usize>,
        clock: Option<u32>,
    }

    #[test]
    fn wrong_types_name_line_key_value_and_rule() {
        for (text, line, quoted, rule) in [
            ("lanes = -4\n", 1, "`lanes = -4`", "-4`, must be a whole number, 0 or more"),
            ("\nlanes = 4.5\n", 2, "`lanes = 4.5`", "4.5`, must be a whole number, 0 or more"),
            ("lanes = 4\nclock = \"fast\"\n", 2, "`clock = \"fast\"`", "must be a whole number, 0 or more"),
            ("lanes = 99999999999999999999\n", 1, "`lanes = 99999999999999999999`", ""),
            ("lane = 3\n", 1, "`lane = 3`", "unknown field"),
            ("lanes = \"3", 1, "`lanes = \"3`", ""),
        ] {
            let message = keys::<Keys>(text, "f.toml").expect_err(text).to_string();
            assert!(message.starts_with(&format!("f.toml, line {line}: {quoted}: ")), "{message}");
            assert!(message.contains(rule) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let message = load(Path::new("/nonexistent/x.toml"), |_, _, _| Ok(())).unwrap_err().to_string();
        assert!(message.contains("/nonexistent/x.toml"), "{message}");
    }
}
