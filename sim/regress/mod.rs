//! Regressions: campaigns × presets × engines × seeds, on the cores of one machine or in shards on many.
//!
//! ```text
//! request ─▶ plan ─▶ shard 1 ─▶ results file ─┐
//!                ├─▶ shard 2 ─▶ results file ─┼▶ merge ─▶ report: text, JUnit XML, HTML
//!                └─▶ shard n ─▶ results file ─┘
//! ```
//!
//! A [`plan`] numbers the cases; a shard takes every n-th of them and appends each finished one to its file of
//! [`results`]; a [`mod@merge`] of any files counts each case once. What a case did depends on nothing but the
//! case and the program, so that a case which ran twice must have the same result twice.

pub mod campaigns;
pub mod case;
pub mod choice;
pub mod designs;
pub mod merge;
pub mod plan;
pub mod report;
pub mod results;
pub mod run;
pub mod slurm;
#[cfg(test)]
mod tests;

pub use campaigns::{CAMPAIGNS, Campaign};
pub use case::{Case, Record, Status};
pub use merge::{Merged, merge};
pub use plan::{Plan, Request, Shard};
