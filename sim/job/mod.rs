#![doc = include_str!("format.md")]

mod across;
mod allocate;
mod assembly;
mod design;
mod json;
#[cfg(test)]
mod meaning_tests;
mod plan;
mod report;
mod resolve;
mod run;
mod shown;
mod source;
mod steps;
#[cfg(test)]
mod tests;
mod toml_form;
mod written;

use std::path::Path;

use crate::data::source as source_of;
use crate::error::{Error, Result};

pub use design::DesignSource;
pub use plan::{Plan, plan};
pub use report::{AcrossReport, CommandReport, Outcome, Report};
pub use run::run;
pub use shown::Shown;
pub use source::{Across, Data, Located, Slice, Source, Statement, Target};

/// The documentation of program files.
pub const FORMAT: &str = include_str!("format.md");

/// Reads a program file: assembly (`.bl`) or TOML (`.toml`); `-` is the standard input, in either form.
///
/// # Errors
/// [`Error::File`] when it cannot be read, [`Error::Syntax`] with the line when it cannot be understood.
pub fn read(path: &Path) -> Result<Source> {
    let toml = match path.extension().and_then(|e| e.to_str()) {
        _ if source_of::is_standard(path) => None,
        Some("bl") => Some(false),
        Some("toml") => Some(true),
        _ => return Err(Error::parameter("program file", path.display(), "must end in .bl or .toml, or be -")),
    };
    let text = source_of::text(path)?;
    let text = text.trim_start_matches('\u{feff}');
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let origin = source_of::name(path).display().to_string();
    let source = match toml.unwrap_or_else(|| is_toml(text)) {
        false => parse(&origin, &folder, text)?,
        true => parse_toml(&origin, &folder, text)?,
    };
    Ok(Source { path: path.into(), ..source })
}

/// Reads a program written as assembly. Messages call it `origin`; its files are sought in `folder`.
///
/// # Errors
/// [`Error::Syntax`] with the line when it cannot be understood.
pub fn parse(origin: &str, folder: &Path, text: &str) -> Result<Source> {
    assembly::parse(origin, folder, text)
}

/// The same for a program written as TOML.
///
/// # Errors
/// As [`parse`].
pub fn parse_toml(origin: &str, folder: &Path, text: &str) -> Result<Source> {
    toml_form::parse(origin, folder, text)
}

/// Whether a program without a file name is TOML: its first line that says something is a table or sets a key, which no
/// line of assembly does.
fn is_toml(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let rest = line.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        line.starts_with('[') || rest.trim_start().starts_with('=')
    })
}
