//! A case: one campaign on one preset and engine with one seed; and the record of what it did.

use serde::{Deserialize, Serialize};

use super::campaigns::Mismatch;

/// One run of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Place in the plan, from 0.
    pub number: usize,
    /// Name of the campaign.
    pub campaign: String,
    /// Name of the preset.
    pub preset: String,
    /// Name of the engine.
    pub engine: String,
    /// Seed of all that is random.
    pub seed: u64,
    /// How much it does, in what the campaign counts.
    pub size: u64,
}

impl Case {
    /// What the case belongs to, all but its seed.
    pub fn suite(&self) -> String {
        format!("{} {} {}", self.campaign, self.preset, self.engine)
    }

    /// The command that runs this case alone.
    pub fn replay(&self) -> String {
        format!(
            "sim regress --campaign {} --preset {} --engine {} --seed {} --seeds 1 --size {}",
            self.campaign, self.preset, self.engine, self.seed, self.size
        )
    }
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Hardware, models and plain integers agree.
    Passed,
    /// They do not.
    Failed,
    /// It could not run: a tool is missing or has failed. Not final: the case runs again when the run is resumed.
    Error,
}

/// What a case did: a line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The case's number in the plan.
    pub case: usize,
    /// How it ended.
    pub status: Status,
    /// Commands that ran; 0 unless it passed.
    pub commands: u64,
    /// Clock cycles that were compared; 0 unless it passed.
    pub cycles: u64,
    /// Why it did not pass; empty if it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Cycle of the first difference between hardware and model, if that is what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// Instance path and signal of that difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Record {
    /// The record of a case that did not pass.
    pub fn ended(case: &Case, status: Status, why: Mismatch, seconds: f64) -> Record {
        let Mismatch { message, at } = why;
        let (cycle, path) = at.unzip();
        Record { case: case.number, status, commands: 0, cycles: 0, message, cycle, path, seconds }
    }

    /// Whether both tell the same: the time does not count, nor what a failed tool says.
    pub fn same(&self, other: &Record) -> bool {
        let told = |record: &Record| Record { seconds: 0.0, ..record.clone() };
        told(self) == told(other)
    }

    /// Whether the case needs not run again.
    pub fn is_final(&self) -> bool {
        self.status != Status::Error
    }
}
