//! What a regression found: as text, as JUnit XML for other programs, as a page.

mod html;
mod junit;

pub use html::html;
pub use junit::junit;

use serde::Serialize;

use super::case::{Case, Record, Status};
use super::merge::Merged;
use super::plan::{Header, Plan};

/// Failures that the text names.
const MOST_TOLD: usize = 10;

/// Cases that differ in their seeds only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Suite {
    /// Campaign.
    pub campaign: String,
    /// Preset.
    pub preset: String,
    /// Engine.
    pub engine: String,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that could not run.
    pub errors: usize,
    /// Cases that have not run.
    pub missing: usize,
    /// Commands of those that passed.
    pub commands: u64,
    /// Clock cycles of those that passed.
    pub cycles: u64,
    /// Seconds of all, as if one had run after the other.
    pub seconds: f64,
}

/// A case that did not pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trouble {
    /// What it belongs to.
    pub suite: String,
    /// Its seed.
    pub seed: u64,
    /// Failed or error.
    pub status: Status,
    /// Why.
    pub message: String,
    /// Cycle of the first difference.
    pub cycle: Option<u64>,
    /// Path of the first difference.
    pub path: Option<String>,
    /// The command that runs it again.
    pub replay: String,
}

/// A regression's results, ready to be shown.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where they come from.
    pub header: Header,
    /// By campaign, preset and engine, in the order of the plan.
    pub suites: Vec<Suite>,
    /// The sum of all.
    pub total: Suite,
    /// Cases that failed or could not run, in the order of the plan.
    pub troubles: Vec<Trouble>,
    /// Results that were there more than once, and equal.
    pub duplicates: usize,
    /// What is to be told about the files.
    pub notes: Vec<String>,
}

impl Suite {
    fn of(case: &Case) -> Suite {
        let Case { campaign, preset, engine, .. } = case.clone();
        Suite { campaign, preset, engine, ..Suite::default() }
    }

    fn add(&mut self, record: Option<&Record>) {
        let Some(record) = record else {
            self.missing += 1;
            return;
        };
        match record.status {
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Error => self.errors += 1,
        }
        self.commands += record.commands;
        self.cycles += record.cycles;
        self.seconds += record.seconds;
    }

    /// Number of cases.
    pub fn cases(&self) -> usize {
        self.passed + self.failed + self.errors + self.missing
    }
}

impl Report {
    /// The report of some cases of a plan: all, or those of a shard.
    pub fn new<'a>(plan: &Plan, cases: impl Iterator<Item = &'a Case>, merged: &Merged) -> Report {
        let mut report = Report {
            header: plan.header.clone(),
            suites: vec![],
            total: Suite::default(),
            troubles: vec![],
            duplicates: merged.duplicates,
            notes: merged.notes.clone(),
        };
        for case in cases {
            let record = merged.records[case.number].as_ref();
            let last = report.suites.last();
            if last.is_none_or(|s| (&s.campaign, &s.preset, &s.engine) != (&case.campaign, &case.preset, &case.engine))
            {
                report.suites.push(Suite::of(case));
            }
            report.suites.last_mut().expect("there is one").add(record);
            report.total.add(record);
            report.troubles.extend(record.and_then(|record| Trouble::of(case, record)));
        }
        report
    }

    /// Whether every case has passed.
    pub fn passed(&self) -> bool {
        self.total.passed == self.total.cases()
    }

    /// One line with all counts.
    pub fn line(&self) -> String {
        let Suite { passed, failed, errors, missing, commands, cycles, seconds, .. } = self.total;
        let duplicates = if self.duplicates > 0 { format!(" ({} ran twice)", self.duplicates) } else { String::new() };
        format!(
            "{} cases{duplicates}: {passed} passed, {failed} failed, {errors} could not run, {missing} not run; \
             {commands} commands, {cycles} cycles, {seconds:.1} s of work",
            self.total.cases()
        )
    }

    /// A table of all suites, and the first failures with the commands that run them again.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "| campaign | preset | engine | passed | failed | could not run | not run | commands | cycles | s |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for s in &self.suites {
            text += &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2} |\n",
                s.campaign,
                s.preset,
                s.engine,
                s.passed,
                s.failed,
                s.errors,
                s.missing,
                s.commands,
                s.cycles,
                s.seconds
            );
        }
        for note in &self.notes {
            text += &format!("\nnote: {note}\n");
        }
        for trouble in self.troubles.iter().take(MOST_TOLD) {
            text += &format!("\n{trouble}\n");
        }
        if self.troubles.len() > MOST_TOLD {
            text += &format!("\nand {} more\n", self.troubles.len() - MOST_TOLD);
        }
        text + &format!("\n{}\n", self.line())
    }
}

impl Trouble {
    /// What to tell about a case, unless it has passed.
    pub fn of(case: &Case, record: &Record) -> Option<Trouble> {
        (record.status != Status::Passed).then(|| Trouble {
            suite: case.suite(),
            seed: case.seed,
            status: record.status,
            message: record.message.clone(),
            cycle: record.cycle,
            path: record.path.clone(),
            replay: case.replay(),
        })
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = if self.status == Status::Failed { "failed" } else { "could not run" };
        write!(f, "{how}: {}, seed {}: {}\n  again: {}", self.suite, self.seed, self.message, self.replay)
    }
}
