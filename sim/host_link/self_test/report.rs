//! What a self-test has found.

use std::collections::BTreeSet;
use std::fmt;

use super::{Effort, Outcome};
use crate::host_link::board::{Board, Identity};
use crate::host_link::session::Traffic;

/// One thing tested, over all its cases.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Item {
    /// Part of the test.
    pub part: &'static str,
    /// What.
    pub name: String,
    /// Which forms of it: sets, widths, kinds.
    pub forms: BTreeSet<String>,
    /// Cases.
    pub cases: u64,
    /// Values compared.
    pub elements: u64,
    /// Cases with a wrong result.
    pub failed: u64,
    /// The first of them.
    pub first_failure: Option<String>,
}

/// A self-test's result.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// The board's preset.
    pub preset: String,
    /// The board.
    pub board: Identity,
    /// How much was tested.
    pub effort: Effort,
    /// Seed of all data.
    pub seed: u64,
    /// Whether nothing is wrong.
    pub passed: bool,
    /// Operations of the array that were tested, over all sets: tested and all.
    pub operations: [usize; 2],
    /// Commands of the cache compute system that were tested: tested and all.
    pub commands: [usize; 2],
    /// Kernels of the Duality Cache that were tested, if there is one: tested and all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<[usize; 2]>,
    /// What this design cannot run, and why.
    pub left_out: BTreeSet<String>,
    /// Everything tested.
    pub items: Vec<Item>,
    /// What it took on the line.
    pub traffic: Traffic,
}

impl Report {
    pub(super) fn new(board: &Board, effort: Effort, seed: u64) -> Report {
        Report {
            preset: board.params.name.clone(),
            board: board.identity,
            effort,
            seed,
            passed: true,
            operations: [0; 2],
            commands: [0; 2],
            kernels: None,
            left_out: BTreeSet::new(),
            items: Vec::new(),
            traffic: Traffic::default(),
        }
    }

    pub(super) fn record(&mut self, part: &'static str, name: &str, form: &str, elements: u64, outcome: Outcome) {
        let known = self.items.iter().position(|item| item.part == part && item.name == name);
        let at = known.unwrap_or_else(|| {
            self.items.push(Item {
                part,
                name: name.into(),
                forms: BTreeSet::new(),
                cases: 0,
                elements: 0,
                failed: 0,
                first_failure: None,
            });
            self.items.len() - 1
        });
        let item = &mut self.items[at];
        item.cases += 1;
        item.elements += elements;
        if !form.is_empty() && !item.forms.contains(form) {
            item.forms.insert(form.into());
        }
        if let Err(what) = outcome {
            item.failed += 1;
            item.first_failure.get_or_insert(what);
            self.passed = false;
        }
    }

    pub(super) fn close(&mut self, before: Traffic, after: Traffic) {
        let count = |part: &str| self.items.iter().filter(|item| item.part == part).count();
        (self.operations[0], self.commands[0]) = (count("array"), count("ccs"));
        self.kernels = self.kernels.map(|[_, all]| [count("duality"), all]);
        self.traffic = Traffic {
            requests: after.requests - before.requests,
            repeated: after.repeated - before.repeated,
            bytes_sent: after.bytes_sent - before.bytes_sent,
            bytes_received: after.bytes_received - before.bytes_received,
        };
    }

    /// Lines for each failure.
    pub fn failures(&self) -> Vec<String> {
        let of = |item: &Item| {
            let first = item.first_failure.as_ref()?;
            Some(format!("{}, {}: {} of {} cases; the first: {first}", item.part, item.name, item.failed, item.cases))
        };
        self.items.iter().filter_map(of).collect()
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings always serialise") + "\n"
    }

    /// Every thing tested, a line each.
    pub fn details(&self) -> String {
        let line = |item: &Item| {
            let forms: Vec<&str> = item.forms.iter().map(String::as_str).collect();
            let verdict = if item.failed == 0 { "ok" } else { "FAILED" };
            format!(
                "{:<13} {:<24} {:>6} {:>9}  {verdict:<6} {}\n",
                item.part,
                item.name,
                item.cases,
                item.elements,
                forms.join(", ")
            )
        };
        let head = format!("{:<13} {:<24} {:>6} {:>9}  {:<6} forms\n", "part", "what", "cases", "elements", "");
        head + &self.items.iter().map(line).collect::<String>()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<13} {:>7} {:>7} {:>9} {:>7}", "part", "tested", "cases", "elements", "failed")?;
        let mut parts: Vec<&str> = self.items.iter().map(|item| item.part).collect();
        parts.dedup();
        for part in parts {
            let items: Vec<&Item> = self.items.iter().filter(|item| item.part == part).collect();
            let sum = |of: fn(&Item) -> u64| items.iter().map(|item| of(item)).sum::<u64>();
            let (cases, elements, failed) = (sum(|i| i.cases), sum(|i| i.elements), sum(|i| i.failed));
            writeln!(f, "{part:<13} {:>7} {cases:>7} {elements:>9} {failed:>7}", items.len())?;
        }
        let ([operations, of], [commands, all]) = (self.operations, self.commands);
        writeln!(
            f,
            "operations of the array: {operations} of {of}; commands of the cache compute system: {commands} of {all}"
        )?;
        if let Some([kernels, all]) = self.kernels {
            writeln!(f, "kernels of the Duality Cache: {kernels} of {all}")?;
        }
        for what in &self.left_out {
            writeln!(f, "left out: {what}")?;
        }
        let t = &self.traffic;
        let sent = t.bytes_sent + t.bytes_received;
        let seconds = 10.0 * sent as f64 / f64::from(self.board.baud.max(1));
        let cycles = seconds * f64::from(self.board.clock_hz);
        writeln!(
            f,
            "{} requests, {} repeated, {sent} bytes: {seconds:.3} s on the line, {:.1} million cycles of the board; \
             seed {}",
            t.requests,
            t.repeated,
            cycles / 1e6,
            self.seed
        )?;
        write!(f, "{}", if self.passed { "PASSED" } else { "FAILED" })
    }
}
