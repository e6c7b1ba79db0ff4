//! What can be noted of a run of the judge while it goes on.

use bitline_units::array::isa::Opcode;
use bitline_units::duality::isa::codes::MemoryOp;

use crate::arith::Inputs;

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

/// An operation of arrays, as the arithmetic model takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Computed {
    /// What is computed.
    pub op: Opcode,
    /// Width of the elements, or bits of an exponent.
    pub n: u32,
    /// Second width.
    pub m: u32,
}

/// Somebody who looks on.
pub trait Watch {
    /// A wave begins; the seed of what its rows hold, if nobody can know that.
    fn wave(&mut self) -> Option<u64> {
        None
    }

    /// A word is executed: its number in the program, and what the scalar registers hold.
    fn word(&mut self, _pc: usize, _scalars: &[u32]) {}

    /// A compute word is executed; whether its operands are to be told.
    fn computes(&mut self, _computed: Computed) -> bool {
        false
    }

    /// Operands of a thread, whether it is active or not: arrays compute in all columns.
    fn inputs(&mut self, _inputs: Inputs) {}

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
