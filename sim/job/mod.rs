#![doc = include_str!("format.md")]

mod allocate;
mod assembly;
mod design;
mod plan;
mod report;
mod resolve;
mod run;
mod source;
#[cfg(test)]
mod tests;
mod toml_form;

use std::path::Path;

use crate::error::{Error, Result};

pub use design::DesignSource;
pub use plan::{Plan, plan};
pub use report::{CommandReport, Outcome, Report};
pub use run::run;
pub use source::{Data, Located, Slice, Source, Statement, Target};

/// The documentation of program files.
pub const FORMAT: &str = include_str!("format.md");

/// Reads a program file: assembly (`.bl`) or TOML (`.toml`).
///
/// # Errors
/// [`Error::File`] when it cannot be read, [`Error::Syntax`] with the line when it cannot be understood.
pub fn read(path: &Path) -> Result<Source> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let text = text.trim_start_matches('\u{feff}');
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let origin = path.display().to_string();
    match path.extension().and_then(|e| e.to_str()) {
        Some("bl") => assembly::parse(&origin, &folder, text),
        Some("toml") => toml_form::parse(&origin, &folder, text),
        _ => Err(Error::parameter("program file", path.display(), "must end in .bl or .toml")),
    }
}
