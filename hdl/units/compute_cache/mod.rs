//! The Compute Cache's instructions: geometry, and what makes an instruction legal. Opcodes and errors are those of
//! [`crate::parts::cache_ops`].
//!
//! Source: Compute Caches (HPCA 2017), §4: operations on cache blocks in their ordinary layout, inside the sub-arrays
//! that hold them.
//!
//! An address counts bytes over the whole capacity: the memory is a scratchpad, a way of a cache that is pinned for
//! computing, and has no tags. From its low end an address names a byte in the block, the bank, the sub-array in the
//! bank, the block partition in the sub-array, and the row:
//!
//! ```text
//!  ┌─────┬───────────┬───────────┬──────┬───────────────┐
//!  │ row │ partition │ sub-array │ bank │ byte in block │
//!  └─────┴───────────┴───────────┴──────┴───────────────┘
//! ```
//!
//! Two blocks that agree in the middle three fields share bitlines: operands with the same offset in pages of
//! [`CacheGeometry::page`] bytes do.

pub mod blocks;
mod geometry;
pub mod registers;

pub use crate::parts::cache_ops::{CACHE_OP_BITS, CacheError, CacheOp, LARGEST, RESULTS, control};
pub use geometry::{CACHE_PRESETS, CacheGeometry};

/// Instructions that the table can hold, at most.
pub const MOST_INSTRUCTIONS: usize = 8;
/// Blocks in all, at most.
pub const MOST_BLOCKS: usize = 1 << 18;
/// Blocks of a sub-array, at most.
pub const MOST_LOCAL: usize = 1 << 13;
/// Banks, at most.
pub const MOST_BANKS: usize = 32;

/// A refusal: why, and what address it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheFault {
    /// Why.
    pub code: CacheError,
    /// See [`CacheError`].
    pub address: u32,
}

/// An instruction as it enters the port. Fields that its operation does not use may hold anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheInstruction {
    /// Code of a [`CacheOp`], or any other.
    pub op: u8,
    /// Granularity of a carry-less product: 64 bits times 2 to this power.
    pub grain: u8,
    /// Byte address of the first source.
    pub a: u32,
    /// Byte address of the second source, or of the key.
    pub b: u32,
    /// Byte address of the destination.
    pub d: u32,
    /// Bytes of an operand.
    pub size: u32,
    /// Comes back with the result.
    pub tag: u8,
}

/// The blocks that a legal instruction touches. Operands that it does not use name blocks that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachePlan {
    /// What to compute.
    pub op: CacheOp,
    /// First block of the first source.
    pub a: u32,
    /// First block of the second source, or the key.
    pub b: u32,
    /// First block of the destination.
    pub d: u32,
    /// Blocks of an operand.
    pub blocks: u32,
    /// The operands do not share bitlines.
    pub near: bool,
}

impl CacheInstruction {
    /// An instruction with tag 0.
    pub fn new(op: CacheOp, a: u32, b: u32, d: u32, size: u32) -> CacheInstruction {
        CacheInstruction { op: op as u8, grain: 0, a, b, d, size, tag: 0 }
    }

    /// Which blocks it touches; the rules in the order in which the hardware applies them.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, geometry: &CacheGeometry) -> std::result::Result<CachePlan, CacheFault> {
        let fault = |code, address| Err(CacheFault { code, address });
        let block = geometry.block_bytes as u32;
        let Some(op) = CacheOp::from_code(self.op) else { return fault(CacheError::Opcode, 0) };
        if op.has(control::GRAIN) && (self.grain > 2 || 8 << self.grain > block) {
            return fault(CacheError::Granularity, 0);
        }
        if self.size == 0 || !self.size.is_multiple_of(block) || self.size > op.largest(self.grain) {
            return fault(CacheError::Size, self.size);
        }
        let capacity = geometry.bytes() as u64;
        let used = [
            (op.has(control::A), self.a, self.size),
            (op.has(control::B), self.b, self.size),
            (op.has(control::KEY), self.b, block),
            (op.has(control::D), self.d, self.size),
        ];
        for (_, address, size) in used.into_iter().filter(|operand| operand.0) {
            if !address.is_multiple_of(block) {
                return fault(CacheError::Alignment, address);
            }
            if u64::from(address) + u64::from(size) > capacity {
                return fault(CacheError::Outside, address);
            }
        }
        let crosses = |bit, source: u32| op.has(bit) && source != self.d && source.abs_diff(self.d) < self.size;
        if op.has(control::D) && (crosses(control::A, self.a) || crosses(control::B, self.b)) {
            return fault(CacheError::Overlap, self.d);
        }
        let own = if op.has(control::A) { self.a } else { self.d };
        let second = if op.has(control::B) { self.b } else { own };
        let d = if op.has(control::D) { self.d } else { own };
        let place = |address: u32| address as usize % geometry.page();
        Ok(CachePlan {
            op,
            a: own / block,
            b: if op.has(control::KEY) { self.b } else { second } / block,
            d: d / block,
            blocks: self.size / block,
            near: place(own) != place(second) || place(own) != place(d),
        })
    }
}

#[cfg(test)]
mod tests;
