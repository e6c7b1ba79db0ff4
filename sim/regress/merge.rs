//! Merging results: each case counts once, whoever ran it and how often.

use std::path::{Path, PathBuf};

use super::case::{Case, Record, Status};
use super::plan::{Header, Plan};
use super::results::{self, Contents};
use crate::error::{Error, Result};

/// All that is known about a plan's cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// By the case's number; none if it has not run.
    pub records: Vec<Option<Record>>,
    /// Results that were there more than once, and equal.
    pub duplicates: usize,
    /// What is to be told about the files.
    pub notes: Vec<String>,
}

impl Merged {
    /// Nothing has run.
    pub fn new(plan: &Plan) -> Merged {
        Merged { records: vec![None; plan.cases.len()], duplicates: 0, notes: vec![] }
    }

    /// Adds a result. One that is final replaces one that is not.
    ///
    /// # Errors
    /// The result that is there already, if both are final and differ.
    pub fn add(&mut self, record: &Record) -> std::result::Result<(), Record> {
        match &mut self.records[record.case] {
            Some(known) if known.is_final() && record.is_final() => {
                if !known.same(record) {
                    return Err(known.clone());
                }
                self.duplicates += 1;
            }
            Some(known) if known.is_final() => {}
            place => *place = Some(record.clone()),
        }
        Ok(())
    }

    /// Adds what a file holds.
    ///
    /// # Errors
    /// [`Error::File`] if it contradicts what is known.
    pub fn add_file(&mut self, path: &Path, contents: &Contents) -> Result<()> {
        self.notes.extend(contents.note(path));
        if contents.header.is_none() {
            self.notes.push(format!("{}: holds no results yet", path.display()));
        }
        for record in &contents.records {
            self.add(record).map_err(|known| {
                let [here, before] = [record, &known].map(Record::told);
                Error::file(path, format!("case {}: {here}, but another run of it: {before}", record.case))
            })?;
        }
        Ok(())
    }

    /// Cases of a plan without a final result.
    pub fn open<'a>(&self, plan: &'a Plan) -> Vec<&'a Case> {
        let is_open = |case: &&Case| self.records[case.number].as_ref().is_none_or(|record| !record.is_final());
        plan.cases.iter().filter(is_open).collect()
    }

    /// How many cases ended in this way.
    pub fn count(&self, status: Status) -> usize {
        self.records.iter().flatten().filter(|record| record.status == status).count()
    }

    /// Cases that have not run.
    pub fn missing(&self) -> usize {
        self.records.iter().filter(|record| record.is_none()).count()
    }

    /// Whether every case of these has passed.
    pub fn passed<'a>(&self, mut cases: impl Iterator<Item = &'a Case>) -> bool {
        cases.all(|case| self.records[case.number].as_ref().is_some_and(|record| record.status == Status::Passed))
    }

    /// The failed case with the lowest number.
    pub fn first_failure(&self) -> Option<&Record> {
        self.records.iter().flatten().find(|record| record.status == Status::Failed)
    }
}

impl Record {
    /// The result in a few words.
    pub fn told(&self) -> String {
        match self.status {
            Status::Passed => format!("passed with {} commands in {} cycles", self.commands, self.cycles),
            Status::Failed => format!("failed: {}", self.message),
            Status::Error => format!("could not run: {}", self.message),
        }
    }
}

/// Merges results files. The plan is that of `plan`, or else of the first file with a header.
///
/// # Errors
/// [`Error::File`] or [`Error::Syntax`] if a file cannot be read, is of another plan, other parameters or another
/// commit, or contradicts another one.
pub fn merge(plan: Option<Plan>, files: &[PathBuf], commit: &str) -> Result<(Plan, Merged)> {
    let plan = match plan {
        Some(plan) => plan,
        None => {
            let mut header: Option<(Header, &Path)> = None;
            for path in files {
                header = results::read(path)?.header.map(|header| (header, path.as_path()));
                if header.is_some() {
                    break;
                }
            }
            let (header, path) = header.ok_or_else(|| {
                let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
                Error::parameter("files", names.join(" "), "none of them holds results")
            })?;
            Plan::of(&header, path, commit)?
        }
    };
    let mut merged = Merged::new(&plan);
    for path in files {
        merged.add_file(path, &results::read_of(path, &plan)?)?;
    }
    Ok((plan, merged))
}
