//! What a Verilator model shows, and how it is compiled.

use super::compiler::Compiler;
use crate::error::Result;

/// What to look at, and how much effort the C++ compiler spends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Build {
    /// Ports, registers and memories: for regressions. The C++ compiler runs with `-O1`.
    #[default]
    State,
    /// Every net too, which keeps Verilator from optimising them away: for finding an error. `-O1`.
    Open,
    /// Ports only, so that Verilator may optimise all else: for benchmarks. `-O3`.
    Fast,
    /// Every net too, and Verilator counts which bits of them change. `-O1`.
    Covered,
}

impl Build {
    /// Whether every net can be looked at.
    pub(super) fn opens(self) -> bool {
        matches!(self, Build::Open | Build::Covered)
    }

    /// What compiles it.
    pub(super) fn compiler(self) -> Result<Compiler> {
        Compiler::new(match self {
            Build::State | Build::Open | Build::Covered => "-O1",
            Build::Fast => "-O3",
        })
    }
}
