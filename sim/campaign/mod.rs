//! Test campaigns: what drives the hardware and the cycle model side by side, and holds the results against the
//! arithmetic model.
//!
//! A campaign runs on a [`Bench`], which is generic over the engine: the same campaigns with the same seeds run
//! natively, under Verilator and under Icarus. The bench feeds [`Coverage`], which knows what a full set of campaigns
//! must have seen.
//!
//! | campaign | what it drives |
//! |---|---|
//! | [`random`] | every operation and set on random operands and placements, several commands queued back to back |
//! | [`exhaustive`] | every operand pair and tag of short elements; every pair of 8-bit elements |
//! | [`float`] | every floating-point operation in every format and mode, on operands at the edges |
//! | [`numbers`] | the same without a model beside them: all binary16 numbers, all pairs of them, millions of others |
//! | [`illegal`] | every rule of every operation broken, alone and between commands that run |
//! | [`boundary`] | commands on both sides of every rule, whose operands touch and share rows in every way |
//! | [`stream`] | rows in and out over the streams, with gaps on both |
//! | [`restart`] | resets in the middle of all this |

pub mod alike;
pub mod bench;
pub mod boundary;
pub mod coverage;
pub mod exhaustive;
pub mod float;
pub mod illegal;
pub mod numbers;
pub mod place;
pub mod random;
pub mod restart;
pub mod scoreboard;
pub mod stream;
#[cfg(test)]
pub(crate) mod tests;

use std::fmt;

pub use bench::{Bench, Work};
pub use coverage::Coverage;

use crate::engine::Engine;
use crate::external::tool::deep;
use crate::isa::Set;
use crate::lockstep::Divergence;
use crate::params::{Columns, Latch, Memory, MemoryPort, Params, Sensing};

/// Why a campaign stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Hardware and cycle model differ.
    Diverged(Box<Divergence>, String),
    /// Both agree, on something wrong.
    Wrong(String),
}

/// A campaign's result.
pub type Result<T = ()> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Diverged(divergence, during) => write!(f, "{divergence}; {during}"),
            Failure::Wrong(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Failure {}

/// How much a campaign does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few commands of each campaign: for Icarus, for mutants, for each of many designs.
    Sample,
    /// What reaches everything that [`Coverage`] asks for.
    Full,
}

/// The standard set of campaigns, one after the other on one bench.
///
/// # Errors
/// The first failure.
pub fn standard<E: Engine>(bench: &mut Bench<E>, effort: Effort) -> Result {
    match effort {
        Effort::Sample => {
            random::sample(bench, 40)?;
            illegal::sample(bench, 40)?;
            stream::rows(bench, 3)?;
            restart::resets(bench, 3)?;
            boundary::random(bench, 20)?;
        }
        Effort::Full => {
            random::every_width(bench, &random::widths(bench.params().rows))?;
            illegal::every_rule(bench)?;
            illegal::unknown_codes(bench)?;
            illegal::anything(bench, 2000)?;
            stream::rows(bench, 60)?;
            restart::resets(bench, 60)?;
            random::sample(bench, 200)?;
            boundary::random(bench, 1500)?;
        }
    }
    Ok(())
}

/// Parameters of a design with every latch, every set and every operation that its columns can do, for tests. Floating
/// point on `AndNor` columns, whose programs are made of those for others, is in them with `BITLINE_DEEP=1`.
pub fn params(kind: impl Into<Columns>, memory: Memory, rows: usize, columns: usize) -> Params {
    let kind = kind.into();
    let sensing = kind.sensing();
    Params {
        name: "campaign".into(),
        rows,
        columns,
        sensing,
        memory,
        latches: if kind == Columns::Radix4 { Latch::of(sensing) } else { Latch::ALL.to_vec() },
        sets: Set::ALL.to_vec(),
        command_fifo: 4,
        memory_port: MemoryPort::None,
        float: sensing == Sensing::TwoPort || deep(),
        radix: kind.radix(),
        custom: Vec::new(),
        exception_flags: false,
        unpacked: sensing == Sensing::TwoPort || deep(),
    }
}
