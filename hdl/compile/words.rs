//! The back end: kernels as words of the control block, and their runs.
//!
//! ```text
//! Kernel ─▶ flow ─▶ divergence: which values are the same for all threads ─▶ masks: who waits where
//!                                      │                                       │
//!                        select: words with names in place of rows ◀───────────┘
//!                                      │
//!                        spread: names to arrays, moves, an order in which windows work at the same time
//!                                      │
//!                        rows: names to rows, by when they live ─▶ Program (.dcp) ─▶ run: the words' interpreter
//!                                                                      └ check: who may have written what is read
//! ```
//!
//! A thread has one array, two or four. Values that are the same in all threads are scalar registers; the others have
//! as many rows as bits. No word waits for another window: what goes from array to array meets both. There is no
//! stack: threads that take another way wait in a mask row of the block where they go on, and blocks are run in an
//! order in which nobody waits for ever (`masks.rs`).

mod bank;
mod bound;
mod carry;
mod check;
mod choice;
mod climb;
mod code;
mod constants;
mod control;
mod convert;
mod costs;
mod depend;
mod divergence;
mod encode;
mod estimate;
mod execute;
mod fill;
mod float;
mod fold;
mod integer;
mod launch;
mod masks;
mod memory;
mod piece;
mod placed;
mod policy;
mod profile;
mod program;
mod rows;
mod run;
mod scalar;
mod select;
mod sketch;
mod spaces;
mod spill;
mod spread;
mod strength;
mod turns;
mod way;
mod widths;

pub use crate::optimize::Sizes;
pub use bound::Bound;
pub use choice::VERSIONS;
pub use constants::{Numbers, arguments};
use divergence::Analysis;
pub(crate) use launch::variables;
pub use launch::{Ran, Runner};
pub use memory::Addresses;
pub use piece::{Piece, Step, Value, Work};
pub use profile::{Executed, Spent, least, parallel, profile};
pub use run::{Compiled, Parameter, Words};

/// A rule of the compiler that tests leave out one at a time, to see that they notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Registers are written in active threads only where another thread may hold a live value there.
    MaskedWrites,
    /// Memory is read and written by active threads only.
    MaskedAccesses,
    /// A value for which a write would need a mask is no scalar register.
    ScalarWrites,
    /// Rows are kept for values of threads that wait.
    WaitingValues,
    /// Values live around loops.
    LoopValues,
    /// Threads that wait at the header of a loop get there before anybody goes on.
    Repeats,
    /// From masked blocks the program goes on where all threads meet, and not at the next block.
    Meetings,
    /// A block in which threads would wait for others is masked, where loops share their beginning.
    Beginnings,
    /// A masked block is entered by jumps only if no other threads come there.
    Entrances,
    /// Only values that are written once are passed on by copies.
    Copies,
    /// A result takes the rows of a source only where that is the last use.
    LastUses,
    /// Scratch rows are those of nobody else.
    Scratch,
    /// What another array wants is moved there.
    Moves,
    /// A copy is good until its value is written again.
    OldCopies,
    /// A value is written again behind those that read it.
    LaterWrites,
    /// What may be of the same place in memory keeps its order.
    AccessOrder,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 16] = [
        Rule::MaskedWrites,
        Rule::MaskedAccesses,
        Rule::ScalarWrites,
        Rule::WaitingValues,
        Rule::LoopValues,
        Rule::Repeats,
        Rule::Meetings,
        Rule::Beginnings,
        Rule::Entrances,
        Rule::Copies,
        Rule::LastUses,
        Rule::Scratch,
        Rule::Moves,
        Rule::OldCopies,
        Rule::LaterWrites,
        Rule::AccessOrder,
    ];

    /// Whether it is about several arrays, or an order that is not that of the text.
    pub fn is_of_schedules(self) -> bool {
        matches!(self, Rule::Moves | Rule::OldCopies | Rule::LaterWrites | Rule::AccessOrder)
    }
}
