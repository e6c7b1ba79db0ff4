//! Configuration files: TOML, with errors that name file, line, key, value and rule.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::{Error, Result};
use crate::kernel::input;

/// Reads a file and gives its text, its name for messages and its stem to `parse`.
///
/// # Errors
/// [`Error::File`] if it cannot be read; else those of `parse`.
pub fn load<T>(path: &Path, parse: impl FnOnce(&str, &str, &str) -> Result<T>) -> Result<T> {
    let text = input::text(path)?;
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

/// A design's name: what the text gives, or else its file's stem with `_` for all that names do not have, 32
/// characters of it at most.
///
/// # Errors
/// [`Error::Parameter`] if what the text gives breaks the rule.
pub fn name(given: Option<String>, stem: &str) -> Result<String> {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name = given.unwrap_or_else(|| stem.chars().take(32).map(legal).collect());
    if name.is_empty() || name.len() > 32 || name.chars().any(|c| c != legal(c)) {
        return Err(Error::parameter("name", name, "must be 1 to 32 letters, digits, _ and -"));
    }
    Ok(name)
}

/// Keys of a text that messages call `origin`, or those of a table in it.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    text: &'a str,
    origin: &'a str,
    /// The table's name, and the line at which it begins.
    table: Option<(&'a str, usize)>,
}

impl<'a> Keys<'a> {
    /// The keys of a whole text.
    pub fn of(text: &'a str, origin: &'a str) -> Keys<'a> {
        Keys { text, origin, table: None }
    }

    /// The keys of the table that begins at an offset.
    pub fn below(self, table: &'a str, offset: usize) -> Keys<'a> {
        Keys { table: Some((table, line(self.text, offset))), ..self }
    }

    /// The error of a parameter with the line that gives it. Where none does, since its value is a preset's: the line
    /// of the table, or else the file alone.
    pub fn placed(&self, error: Error) -> Error {
        let origin = self.origin;
        let (name, first) = self.table.map_or((String::new(), 1), |(table, first)| (format!("{table}: "), first));
        let reason = format!("{name}{error}");
        let Error::Parameter { parameter, .. } = &error else { return error };
        let gives = |line: &str| {
            line.trim_start().strip_prefix(&parameter[..]).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        // A table ends where the next begins; keys before all tables are those of the text.
        let heads =
            |(at, line): &(usize, &str)| line.trim_start().starts_with('[') && (*at != first || self.table.is_none());
        let lines = (1..).zip(self.text.lines()).skip(first - 1).take_while(|line| !heads(line));
        match (lines.filter(|(_, line)| gives(line)).map(|(at, _)| at).next(), self.table) {
            (Some(line), _) => Error::Syntax { origin: origin.into(), line, reason },
            (None, Some((_, line))) => Error::Syntax { origin: origin.into(), line, reason },
            (None, None) => Error::file(origin, reason),
        }
    }

    /// A key that is missing.
    pub fn missing(&self, key: &str) -> Error {
        let name = self.table.map_or(String::new(), |(table, _)| format!("{table}: "));
        let reason = format!("{name}{key}: missing: give it, or `base` with the name of a preset");
        match self.table {
            Some((_, line)) => Error::Syntax { origin: self.origin.into(), line, reason },
            None => Error::file(self.origin, reason),
        }
    }
}

/// What a key may hold that stands for a unit: the name of a preset, or keys of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// A preset's name.
    Preset(String),
    /// Keys.
    Keys(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Choice<T>, D::Error> {
        struct Either<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Choice<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a preset, or a table of keys")
            }

            fn visit_str<E>(self, name: &str) -> std::result::Result<Choice<T>, E> {
                Ok(Choice::Preset(name.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, keys: A) -> std::result::Result<Choice<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(keys)).map(Choice::Keys)
            }
        }

        from.deserialize_any(Either(PhantomData))
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
    struct File {
        lanes: Option<usize>,
        clock: Option<u32>,
    }

    #[test]
    fn what_is_right_is_read() {
        let read = keys::<File>("clock = 4294967295\n", "f.toml").unwrap();
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
            let message = keys::<File>(text, "f.toml").expect_err(text).to_string();
            assert!(message.starts_with(&format!("f.toml, line {line}: {quoted}: ")), "{message}");
            assert!(message.contains(rule) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn parameters_are_placed_where_the_text_gives_them() {
        let text = "rows_left = 1\n rows= 3\n";
        let said = |keys: Keys, parameter| keys.placed(Error::parameter(parameter, 3, "is odd")).to_string();
        let all = Keys::of(text, "f.toml");
        assert_eq!(said(all, "rows"), "f.toml, line 2: rows = 3: is odd");
        assert_eq!(said(all, "base"), "f.toml: base = 3: is odd");
        // Each table has its own, whatever their order.
        let text = "name = 1\n[ccs]\nrows = 1\n[array]\nname = 2\nrows = 3\n";
        let all = Keys::of(text, "f.toml");
        let array = all.below("array", text.find("[array]").expect("it is there"));
        assert_eq!(said(all, "name"), "f.toml, line 1: name = 3: is odd");
        assert_eq!(said(all, "rows"), "f.toml: rows = 3: is odd");
        assert_eq!(said(array, "rows"), "f.toml, line 6: array: rows = 3: is odd");
        assert_eq!(said(array, "base"), "f.toml, line 4: array: base = 3: is odd");
        assert_eq!(
            array.missing("base").to_string().split(": give").next(),
            Some("f.toml, line 4: array: base: missing")
        );
    }

    #[test]
    fn a_unit_is_a_name_or_keys() {
        #[derive(Debug, serde::Deserialize)]
        struct Units {
            unit: Choice<File>,
        }
        let read = |text: &str| keys::<Units>(text, "f.toml").map(|units| units.unit);
        assert!(read("unit = \"tiny\"").is_ok_and(|unit| matches!(unit, Choice::Preset(name) if name == "tiny")));
        assert!(
            read("[unit]\nlanes = 4").is_ok_and(|unit| matches!(unit, Choice::Keys(file) if file.lanes == Some(4)))
        );
        for (text, wanted) in [
            (
                "\nunit = 3",
                "line 2: `unit = 3`: invalid type: integer `3`, expected the name of a preset, or a table of keys",
            ),
            ("[unit]\nlanes = 4\nlane = 3", "line 3: `lane = 3`: unknown field `lane`, expected `lanes` or `clock`"),
            ("[unit]\n\nlanes = -4", "line 3: `lanes = -4`: invalid value"),
            ("unit = { lanes = \"x\" }", "line 1: "),
        ] {
            let message = read(text).expect_err(text).to_string();
            assert!(message.contains(wanted) && !message.contains("untagged"), "{message}");
        }
    }

    #[test]
    fn designs_are_called_as_their_files() {
        assert_eq!(name(None, "My chip.v2-a").expect("made legal"), "My_chip_v2-a");
        assert_eq!(name(None, &"x".repeat(40)).expect("made shorter"), "x".repeat(32));
        assert_eq!(name(Some("a-B_3".into()), "f").expect("legal"), "a-B_3");
        for wrong in ["", "a b", "ä", &"x".repeat(33)] {
            let message = name(Some(wrong.into()), "f").expect_err(wrong).to_string();
            assert_eq!(message, format!("name = {wrong}: must be 1 to 32 letters, digits, _ and -"));
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let message = load(Path::new("/nonexistent/x.toml"), |_, _, _| Ok(())).unwrap_err().to_string();
        assert!(message.contains("/nonexistent/x.toml"), "{message}");
    }
}
