//! What a run has cost and what it leaves behind.

use std::fmt;
use std::path::PathBuf;

use super::plan::Plan;
use super::shown::Shown;
use super::steps::{Reader, Use};
use crate::params::Params;

/// Cycles of one command of the program, over all chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandReport {
    /// Its line.
    pub line: usize,
    /// As written.
    pub text: String,
    /// How often it ran.
    pub runs: u64,
    /// Sum of the cycles from first to last issue.
    pub rtl_cycles: u64,
    /// Sum of the cycles from first issue to last write.
    pub latency_cycles: u64,
}

/// What one `sum`, `min`, `max` or `count` of the program has cost, over all chunks: no command runs for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcrossReport {
    /// Its line.
    pub line: usize,
    /// As a statement.
    pub text: String,
    /// How often rows were read for it.
    pub runs: u64,
    /// How many, in all.
    pub rows: u64,
    /// Its number among the plan's readers.
    pub(super) reader: usize,
}

/// Cycles of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The array.
    pub params: Params,
    /// Number of elements.
    pub elements: usize,
    /// How often the program ran.
    pub chunks: usize,
    /// Commands in order.
    pub commands: Vec<CommandReport>,
    /// Values across columns and chunks, in order.
    pub across: Vec<AcrossReport>,
    /// Clock cycles in all, with the time between commands.
    pub clock_cycles: u64,
    /// Rows put into the array by `load`.
    pub rows_in: u64,
    /// Rows taken out of it by `print`, `store` and `expect`.
    pub rows_out: u64,
}

/// Everything that a run leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Cycles.
    pub report: Report,
    /// What it prints, in order.
    pub printed: Vec<Shown>,
    /// Files to write.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Expectations that did not hold.
    pub failures: Vec<String>,
}

impl Report {
    pub(super) fn new(plan: &Plan) -> Report {
        let command = |(line, text): &(usize, String)| CommandReport {
            line: *line,
            text: text.clone(),
            runs: 0,
            rtl_cycles: 0,
            latency_cycles: 0,
        };
        let across = |(index, reader): (usize, &Reader)| match &reader.what {
            Use::Across(across, _) => {
                let text = format!("{} {}", across.name(), reader.name);
                Some(AcrossReport { line: reader.line, text, runs: 0, rows: 0, reader: index })
            }
            _ => None,
        };
        Report {
            across: plan.readers.iter().enumerate().filter_map(across).collect(),
            params: plan.params.clone(),
            elements: plan.elements,
            chunks: plan.chunks(),
            commands: plan.commands.iter().map(command).collect(),
            clock_cycles: 0,
            rows_in: 0,
            rows_out: 0,
        }
    }

    /// Sum of all commands' cycles from first to last issue.
    pub fn rtl_cycles(&self) -> u64 {
        self.commands.iter().map(|c| c.rtl_cycles).sum()
    }

    /// Sum of all commands' cycles from first issue to last write.
    pub fn latency_cycles(&self) -> u64 {
        self.commands.iter().map(|c| c.latency_cycles).sum()
    }

    /// Beats that the rows in and out take on the row streams.
    pub fn beats(&self) -> u64 {
        self.beats_of(self.rows_in + self.rows_out)
    }

    /// Beats that so many rows take on a row stream; each is a cycle, if nothing waits.
    pub fn beats_of(&self, rows: u64) -> u64 {
        rows * (self.params.columns / self.params.beat_bits()) as u64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.params;
        let times = if self.chunks == 1 { "chunk" } else { "chunks" };
        writeln!(f, "design {}: {} rows × {} columns, {}, {}", p.name, p.rows, p.columns, p.sensing, p.memory)?;
        writeln!(f, "{} elements in {} {times}", self.elements, self.chunks)?;
        let width = self.commands.iter().map(|c| c.text.chars().count()).max().unwrap_or(0).max(7);
        writeln!(f, "line  {:width$}  {:>8}  {:>12}  {:>14}", "command", "runs", "rtl_cycles", "latency_cycles")?;
        for c in &self.commands {
            let (line, text) = (c.line, &c.text);
            writeln!(f, "{line:4}  {text:width$}  {:8}  {:12}  {:14}", c.runs, c.rtl_cycles, c.latency_cycles)?;
        }
        let runs: u64 = self.commands.iter().map(|c| c.runs).sum();
        writeln!(f, "      {:width$}  {runs:8}  {:12}  {:14}", "total", self.rtl_cycles(), self.latency_cycles())?;
        if !self.across.is_empty() {
            let heading = "across columns and chunks, by the host";
            let width = self.across.iter().map(|a| a.text.chars().count()).max().unwrap_or(0).max(heading.len());
            writeln!(f, "line  {heading:width$}  {:>8}  {:>8}  {:>13}", "runs", "rows out", "stream cycles")?;
            for a in &self.across {
                let beats = self.beats_of(a.rows);
                writeln!(f, "{:4}  {:width$}  {:8}  {:8}  {beats:13}", a.line, a.text, a.runs, a.rows)?;
            }
        }
        writeln!(f, "clock cycles, with the time between commands: {}", self.clock_cycles)?;
        let (beats, bits) = (self.beats(), p.beat_bits());
        write!(
            f,
            "rows in {}, rows out {}: {beats} beats of {bits} bits on the row streams",
            self.rows_in, self.rows_out
        )
    }
}
