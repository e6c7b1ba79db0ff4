//! What can be noted of a run of the judge while it goes on.

use bitline_units::duality::isa::codes::MemoryOp;

/// An access of a thread to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The thread's number in its control block.
    pub thread: usize,
    /// What is done.
    pub op: MemoryOp,
    /// Where, behind the CTA's window.
    pub address: u32,
    /// Bytes of the element.
    pub bytes: u32,
    /// It is in a window or in a spill row.
    pub private: bool,
}

/// Somebody who looks on.
pub trait Watch {
    /// A wave begins; the seed of what its rows hold, if nobody can know that.
    fn wave(&mut self) -> Option<u64> {
        None
    }

    /// A word is executed: its number in the program, and what the scalar registers hold.
    fn word(&mut self, _pc: usize, _scalars: &[u32]) {}

    /// An element is accessed that holds `old`; returns what the wave sees of it.
    fn access(&mut self, _access: Access, old: u64) -> u64 {
        old
    }

    /// What the last access writes, or combines with what is there.
    fn operands(&mut self, _b: u64, _s: u64) {}
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Watch for Nobody {}
