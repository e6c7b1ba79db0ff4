//! Results files: JSON lines, a header first, then a line for every finished case.
//!
//! A line is appended whole, in one write, as soon as its case has finished. Whatever ends the run, finished cases are
//! in the file; at most its last line is torn, and that one is dropped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::case::Record;
use super::plan::{Header, Plan};
use crate::data::output::target;
use crate::error::{Error, Result};

/// What a results file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Its header; none if the file ends before.
    pub header: Option<Header>,
    /// Its records, in the order of the file.
    pub records: Vec<Record>,
    /// Bytes of whole lines.
    pub whole: u64,
    /// Bytes behind them: a line that was not finished.
    pub torn: u64,
}

impl Contents {
    /// What to tell about a torn line.
    pub fn note(&self, path: &Path) -> Option<String> {
        let what = format!("{}: its last line was not finished and is dropped", path.display());
        (self.torn > 0).then_some(what)
    }
}

/// Reads a results file.
///
/// # Errors
/// [`Error::File`] if it cannot be read, [`Error::Syntax`] with the line that is no record.
pub fn read(path: &Path) -> Result<Contents> {
    let bytes = std::fs::read(target(path)?).map_err(|e| Error::file(path, e))?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut contents =
        Contents { header: None, records: vec![], whole: whole as u64, torn: (bytes.len() - whole) as u64 };
    for (at, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let wrong = |what: &str, e: serde_json::Error| {
            let reason = format!("is no {what} of a regression's results: {e}");
            Error::Syntax { origin: path.display().to_string(), line: at + 1, reason }
        };
        if at == 0 {
            contents.header = Some(serde_json::from_slice(line).map_err(|e| wrong("header", e))?);
        } else {
            contents.records.push(serde_json::from_slice(line).map_err(|e| wrong("case", e))?);
        }
    }
    Ok(contents)
}

/// Reads a results file that must belong to a plan.
///
/// # Errors
/// As [`read`]; [`Error::File`] if it is of another plan, or has no case of this number.
pub fn read_of(path: &Path, plan: &Plan) -> Result<Contents> {
    let contents = read(path)?;
    if let Some(header) = &contents.header {
        plan.header.agrees(header, path)?;
    }
    let beyond = contents.records.iter().find(|record| record.case >= plan.cases.len());
    match beyond {
        Some(record) => {
            let reason = format!("has a result of case {}, and the plan has {} cases", record.case, plan.cases.len());
            Err(Error::file(path, reason))
        }
        None => Ok(contents),
    }
}

/// A results file that grows.
#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines in the file.
    length: u64,
    synced: Instant,
}

impl Appender {
    /// Opens a results file, or begins one. Returns what it holds already.
    ///
    /// # Errors
    /// As [`read_of`]; [`Error::File`] if another run is writing it, or it cannot be written.
    pub fn open(path: &Path, plan: &Plan) -> Result<(Appender, Contents)> {
        let fail = |e: std::io::Error| Error::file(path, e);
        // Devices and folders are refused before they are opened.
        let target = target(path)?;
        let file = OpenOptions::new().create(true).append(true).open(&target).map_err(fail)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Error::file(path, "is being written by another run")),
            // A file system without locks: two runs on one file are then the user's to avoid.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let contents = read_of(path, plan)?;
        file.set_len(contents.whole).map_err(fail)?;
        let mut appender = Appender { path: path.into(), file, length: contents.whole, synced: Instant::now() };
        if contents.header.is_none() {
            appender.line(&serde_json::to_string(&plan.header).expect("numbers and strings always serialise"))?;
            appender.sync()?;
        }
        Ok((appender, contents))
    }

    /// Adds a finished case.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written, for example on a full disk; the lines before stay as they are.
    pub fn append(&mut self, record: &Record) -> Result<()> {
        self.line(&serde_json::to_string(record).expect("numbers and strings always serialise"))?;
        // What the operating system holds is lost with power only: once a second is enough.
        if self.synced.elapsed() > Duration::from_secs(1) {
            self.sync()?;
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<()> {
        let line = format!("{text}\n");
        if let Err(e) = self.file.write_all(line.as_bytes()) {
            // If this fails too, the next reader drops the torn line.
            let _ = self.file.set_len(self.length);
            let reason = format!("{e}; what was written before is kept, and the run can go on from it");
            return Err(Error::file(&self.path, reason));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Waits until all is on disk.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|e| Error::file(&self.path, e))
    }
}
