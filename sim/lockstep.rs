//! The hardware and the cycle model side by side: the same inputs go into both, and after every cycle all registers,
//! all rows and all outputs are compared.
//!
//! A model says in its tables ([`crate::model::state`]) where the hardware keeps what it knows; one [`driver`] runs
//! them all.
//!
//! The hardware is a netlist on any [`Engine`](crate::engine::Engine): the native one, Verilator or Icarus. Memories
//! hold, at the start, what the seed makes of them, in both.

pub mod array;
pub mod board;
pub mod ccs;
pub mod compute_cache;
pub mod driver;
pub mod duality;
pub mod line_port;
pub mod places;
pub mod ports;
mod quick;
pub mod tmu;

use std::fmt;

pub use array::Lockstep;

use crate::model::command_setup::Refusal;

/// The first difference between hardware and model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Seed of the run.
    pub seed: u64,
    /// Cycle, counted from the reset.
    pub cycle: u64,
    /// Instance path and signal.
    pub path: String,
    /// What the model says, lowest word first.
    pub expected: Vec<u64>,
    /// What the hardware holds.
    pub actual: Vec<u64>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |words: &[u64]| words.iter().rev().map(|w| format!("{w:016x}")).collect::<Vec<_>>().join("_");
        write!(
            f,
            "hardware and model differ: seed {}, cycle {}, {}: expected {}, actual {}",
            self.seed,
            self.cycle,
            self.path,
            hex(&self.expected),
            hex(&self.actual)
        )
    }
}

impl std::error::Error for Divergence {}

/// Why a command did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The hardware refused it, and the model agrees.
    Refused(Refusal),
    /// Hardware and model differ.
    Diverged(Box<Divergence>),
}

#[cfg(test)]
mod counts;
#[cfg(test)]
mod tests;
