//! Instructions on lines of the cache ways: what makes one legal. Operations, codes and limits are those of
//! [`crate::parts::cache_ops`].
//!
//! Source: Compute Caches (HPCA 2017), §4, table 2.

use crate::duality::cache_params::LINE_BYTES;
use crate::kernel::prelude::Bits;
use crate::parts::cache_ops::{CacheError, CacheOp, control};

/// Lines of an operand: up to 256.
pub type LineCount = Bits<9>;
/// Code of an instruction that a bus error has ended; those before it are [`CacheError`]'s.
pub const LINE_BUS: u64 = 7;
/// What it means.
pub const LINE_BUS_MEANING: &str = "a line could not be fetched; lines before it are done";

/// An instruction as it is in the registers. Fields that its operation does not use may hold anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineInstruction {
    /// Code of a [`CacheOp`], or any other.
    pub op: u8,
    /// Granularity of a carry-less product: 64 bits times 2 to this power.
    pub grain: u8,
    /// Physical byte address of the first source.
    pub a: u32,
    /// That of the second source, or of the key, which is one line.
    pub b: u32,
    /// That of the destination.
    pub d: u32,
    /// Bytes of an operand.
    pub size: u32,
}

impl LineInstruction {
    /// The operation, and lines of an operand; the rules in the order in which the hardware applies them. An operand
    /// may not go beyond 4 GiB, and the destination is a source or has no line in common with it.
    ///
    /// # Errors
    /// The first rule that it breaks, and the value that breaks it, or 0.
    pub fn check(&self) -> Result<(CacheOp, u32), (CacheError, u32)> {
        let line = LINE_BYTES as u32;
        let Some(op) = CacheOp::from_code(self.op) else { return Err((CacheError::Opcode, 0)) };
        if op.has(control::GRAIN) && self.grain > 2 {
            return Err((CacheError::Granularity, 0));
        }
        if self.size == 0 || !self.size.is_multiple_of(line) || self.size > op.largest(self.grain) {
            return Err((CacheError::Size, self.size));
        }
        let used = [
            (op.has(control::A), self.a, self.size),
            (op.has(control::B), self.b, self.size),
            (op.has(control::KEY), self.b, line),
            (op.has(control::D), self.d, self.size),
        ];
        for (_, address, size) in used.into_iter().filter(|operand| operand.0) {
            if !address.is_multiple_of(line) {
                return Err((CacheError::Alignment, address));
            }
            if u64::from(address) + u64::from(size) > 1 << 32 {
                return Err((CacheError::Outside, address));
            }
        }
        let crosses = |bit, source: u32| op.has(bit) && source != self.d && source.abs_diff(self.d) < self.size;
        if op.has(control::D) && (crosses(control::A, self.a) || crosses(control::B, self.b)) {
            return Err((CacheError::Overlap, self.d));
        }
        Ok((op, self.size / line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_in_order() {
        let and = LineInstruction { op: CacheOp::And as u8, grain: 0, a: 0x1000, b: 0x2000, d: 0x3000, size: 16 << 10 };
        let size = 0x1000;
        let search = LineInstruction { op: CacheOp::Search as u8, b: u32::MAX - 63, size: 512, ..and };
        assert_eq!(LineInstruction { size, ..and }.check(), Ok((CacheOp::And, 64)));
        assert_eq!(search.check(), Ok((CacheOp::Search, 8)), "the key is one line");
        assert_eq!(LineInstruction { d: 0x1000, size, ..and }.check(), Ok((CacheOp::And, 64)), "in place");
        let clmul = LineInstruction { op: CacheOp::Clmul as u8, grain: 2, size: 2048, ..and };
        assert_eq!(clmul.check(), Ok((CacheOp::Clmul, 32)));
        for (instruction, error) in [
            (LineInstruction { op: 0, size: 0, ..and }, (CacheError::Opcode, 0)),
            (LineInstruction { grain: 3, size: 0, ..clmul }, (CacheError::Granularity, 0)),
            (LineInstruction { size: 0, a: 1, ..and }, (CacheError::Size, 0)),
            (LineInstruction { size: 96, ..and }, (CacheError::Size, 96)),
            (LineInstruction { size: 257 * 64, ..and }, (CacheError::Size, 257 * 64)),
            (LineInstruction { size: 576, ..search }, (CacheError::Size, 576)),
            (LineInstruction { a: 0x1020, b: 1, ..and }, (CacheError::Alignment, 0x1020)),
            (LineInstruction { a: u32::MAX - 63, b: 1, ..and }, (CacheError::Outside, u32::MAX - 63)),
            (LineInstruction { b: 8, d: 4, ..and }, (CacheError::Alignment, 8)),
            (LineInstruction { d: 4, ..and }, (CacheError::Alignment, 4)),
            (and, (CacheError::Overlap, 0x3000)),
            (LineInstruction { d: 0x1040, size: 128, ..and }, (CacheError::Overlap, 0x1040)),
        ] {
            assert_eq!(instruction.check(), Err(error), "{instruction:?}");
        }
    }
}
