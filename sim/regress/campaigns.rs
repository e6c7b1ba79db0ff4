//! The list of campaigns: what each drives, on what, and how much of it is the usual dose. Programs, documents and
//! tests loop over it.

mod array;
mod ccs;
mod compute_cache;

use crate::campaign::Failure;
use crate::emit::list::any_of;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;
use crate::lockstep::Divergence;

/// What campaigns of one kind run on.
#[derive(Debug)]
pub struct Subject {
    /// Name of the unit, as in `gen --unit`.
    pub name: &'static str,
    /// Names of its presets, smallest first.
    pub presets: fn() -> Vec<&'static str>,
    /// Identifies the parameters of a preset.
    pub hash: fn(&str) -> Result<u64>,
    /// The hardware of a preset.
    pub netlist: fn(&str) -> Result<Netlist>,
    /// The model follows nets of the hardware: simulators must show them all.
    pub open: bool,
}

/// A campaign of the list.
#[derive(Debug)]
pub struct Campaign {
    /// Unit and name, with a dot between.
    pub name: &'static str,
    /// What it runs on.
    pub subject: &'static Subject,
    /// What it drives.
    pub summary: &'static str,
    /// What a case's size counts.
    pub counted: &'static str,
    /// Usual size of a case.
    pub size: u64,
    /// Largest size of a case.
    pub largest: u64,
    /// Runs unless others are asked for.
    pub usual: bool,
    /// Runs one case.
    pub run: Run,
}

/// Runs a case: on this preset and on an engine with its hardware, with this seed, so much of it.
pub type Run = fn(&str, Box<dyn Engine>, u64, u64) -> Outcome;

/// How a case ends.
pub type Outcome = std::result::Result<Done, Mismatch>;

/// What a case that passed has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Commands, or instructions, that ran.
    pub commands: u64,
    /// Clock cycles.
    pub cycles: u64,
}

/// Why a case did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What differs.
    pub message: String,
    /// Cycle and path of the first difference between hardware and model, if it is one.
    pub at: Option<(u64, String)>,
}

impl Mismatch {
    /// What an error says.
    fn said(error: Error) -> Mismatch {
        Mismatch { message: error.to_string(), at: None }
    }
}

impl From<&Divergence> for Mismatch {
    fn from(divergence: &Divergence) -> Mismatch {
        Mismatch { message: divergence.to_string(), at: Some((divergence.cycle, divergence.path.clone())) }
    }
}

impl From<Failure> for Mismatch {
    fn from(failure: Failure) -> Mismatch {
        let message = failure.to_string();
        match failure {
            Failure::Diverged(divergence, _) => Mismatch { message, ..Mismatch::from(&*divergence) },
            Failure::Wrong(_) => Mismatch { message, at: None },
        }
    }
}

/// Every campaign.
pub static CAMPAIGNS: [Campaign; 12] = [
    array::RANDOM,
    array::WIDTHS,
    array::ILLEGAL,
    array::RULES,
    array::BOUNDARY,
    array::STREAMS,
    array::RESETS,
    array::PLACEMENTS,
    array::EXHAUSTIVE,
    compute_cache::RANDOM,
    ccs::RANDOM,
    ccs::QUEUED,
];

/// The small twin comes first: it is the preset of a regression unless others are asked for.
fn smallest_first(mut names: Vec<&'static str>) -> Vec<&'static str> {
    names.sort_by_key(|&name| name != "tiny");
    names
}

impl Campaign {
    /// The campaigns of this name: one, or all of a unit.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn named(name: &str) -> Result<Vec<&'static Campaign>> {
        let found: Vec<_> = CAMPAIGNS.iter().filter(|c| c.name == name || c.subject.name == name).collect();
        if found.is_empty() {
            let mut names: Vec<&str> = CAMPAIGNS.iter().map(|c| c.name).collect();
            let mut units: Vec<&str> = CAMPAIGNS.iter().map(|c| c.subject.name).collect();
            units.dedup();
            names.extend(units);
            return Err(Error::parameter("campaign", name, format!("must be {}", any_of(&names))));
        }
        Ok(found)
    }
}

/// The list for people, as a table in Markdown.
pub fn table() -> String {
    let mut text =
        String::from("| campaign | drives | size counts | usual | largest | presets |\n|---|---|---|--:|--:|---|\n");
    for c in &CAMPAIGNS {
        let presets = (c.subject.presets)().join(", ");
        let usual = if c.usual { String::new() } else { " (only when asked for)".into() };
        let Campaign { name, summary, counted, size, largest, .. } = c;
        text += &format!("| {name} | {summary}{usual} | {counted} | {size} | {largest} | {presets} |\n");
    }
    text
}
