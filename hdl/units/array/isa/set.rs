//! Sets of micro-programs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of micro-programs for the same operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Set {
    /// Fewest cycles that do not depend on the data.
    #[default]
    Fast = 0,
    /// Skips work that a wired-OR shows to be void: cycles depend on the data.
    Skip = 1,
    /// The algorithms of the papers (Neural Cache; Duality Cache, Table 1 and Algorithm 1). Cycles of floating-point
    /// sums, products and quotients depend on the data.
    Baseline = 2,
}

impl Set {
    /// Every set.
    pub const ALL: [Set; 3] = [Set::Fast, Set::Skip, Set::Baseline];

    /// The set's name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Set::Fast => "fast",
            Set::Skip => "skip",
            Set::Baseline => "baseline",
        }
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
