//! The Compute Cache's instruction set: opcodes as a table, error codes, geometry, and what makes an instruction legal.
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

pub use geometry::{CACHE_PRESETS, CacheGeometry};

/// Operand size of copy, zero and logic at most, in bytes.
pub const LARGEST: u32 = 16 * 1024;
/// Bits that a comparison, a search or a carry-less product gives at most: one for each word.
pub const RESULTS: u32 = 64;
/// Bits of an opcode.
pub const CACHE_OP_BITS: usize = 4;
/// Instructions that the table can hold, at most.
pub const MOST_INSTRUCTIONS: usize = 8;
/// Blocks in all, at most.
pub const MOST_BLOCKS: usize = 1 << 18;
/// Blocks of a sub-array, at most.
pub const MOST_LOCAL: usize = 1 << 13;
/// Banks, at most.
pub const MOST_BANKS: usize = 32;

/// Bits of a word of [`CacheOp::control`].
pub mod control {
    /// The opcode exists.
    pub const LEGAL: usize = 0;
    /// Operand a is read.
    pub const A: usize = 1;
    /// Operand b is read, block by block.
    pub const B: usize = 2;
    /// Operand b is a key of one block.
    pub const KEY: usize = 3;
    /// Operand d is written.
    pub const D: usize = 4;
    /// Gives a bit for each word.
    pub const MASK: usize = 5;
    /// Words have a granularity.
    pub const GRAIN: usize = 6;
    /// Bits of a control word.
    pub const BITS: usize = 7;
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal $name:literal: $($field:ident)|+;)+) => {
        /// What an instruction computes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CacheOp {
            $($(#[doc = $doc])+ $variant = $code,)+
        }

        impl CacheOp {
            /// Every operation, in the order of their codes.
            pub const ALL: [CacheOp; [$($code),+].len()] = [$(CacheOp::$variant),+];

            /// The name in tables, headers and on command lines.
            pub fn name(self) -> &'static str {
                match self { $(CacheOp::$variant => $name),+ }
            }

            /// What it computes, for headers and register maps.
            pub fn description(self) -> &'static str {
                match self { $(CacheOp::$variant => concat!($($doc),+)),+ }
            }

            /// What the hardware must know about it: bits of [`control`].
            pub fn control(self) -> u64 {
                1 << control::LEGAL | match self { $(CacheOp::$variant => 0 $(| 1 << control::$field)+),+ }
            }
        }
    };
}

operations! {
    /// d = a.
    Copy = 1 "cc_copy": A | D;
    /// d = 0; nothing is read.
    Zero = 2 "cc_buz": D;
    /// d = a AND b.
    And = 3 "cc_and": A | B | D;
    /// d = a OR b.
    Or = 4 "cc_or": A | B | D;
    /// d = a XOR b.
    Xor = 5 "cc_xor": A | B | D;
    /// d = NOT a.
    Not = 6 "cc_not": A | D;
    /// Bit i of the result: 64-bit words i of a and b are equal.
    Compare = 7 "cc_cmp": A | B | MASK;
    /// Bit i of the result: 64-bit word i of a is equal to the word at its place in the key, one block at address b.
    Search = 8 "cc_search": A | KEY | MASK;
    /// Bit i of the result: parity of the AND of words i of a and b, at 64, 128 or 256 bits.
    Clmul = 9 "cc_clmul": A | B | MASK | GRAIN;
}

impl CacheOp {
    /// The operation with this code.
    pub fn from_code(code: u8) -> Option<CacheOp> {
        CacheOp::ALL.into_iter().find(|op| *op as u8 == code)
    }

    /// Whether a bit of its [`CacheOp::control`] is 1.
    pub fn has(self, bit: usize) -> bool {
        self.control() >> bit & 1 == 1
    }

    /// Operand size at most, in bytes; `grain` counts for [`CacheOp::Clmul`] only.
    pub fn largest(self, grain: u8) -> u32 {
        match self {
            op if op.has(control::GRAIN) => (RESULTS * 8) << grain.min(2),
            op if op.has(control::MASK) => RESULTS * 8,
            _ => LARGEST,
        }
    }
}

/// Why an instruction is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheError {
    /// No such opcode. The address is 0.
    Opcode = 1,
    /// No such granularity, or wider than a block. The address is 0.
    Granularity = 2,
    /// The size is 0, no multiple of the block, or above the operation's limit. The address is the size.
    Size = 3,
    /// An operand does not begin with a block. The address is the operand's.
    Alignment = 4,
    /// An operand is not all inside the memory. The address is the operand's.
    Outside = 5,
    /// Destination and source overlap without being the same. The address is the destination's.
    Overlap = 6,
}

impl CacheError {
    /// Every code.
    pub const ALL: [CacheError; 6] = [
        CacheError::Opcode,
        CacheError::Granularity,
        CacheError::Size,
        CacheError::Alignment,
        CacheError::Outside,
        CacheError::Overlap,
    ];

    /// The name in headers and tables.
    pub fn name(self) -> &'static str {
        match self {
            CacheError::Opcode => "opcode",
            CacheError::Granularity => "granularity",
            CacheError::Size => "size",
            CacheError::Alignment => "alignment",
            CacheError::Outside => "outside",
            CacheError::Overlap => "overlap",
        }
    }

    /// What it means.
    pub fn description(self) -> &'static str {
        match self {
            CacheError::Opcode => "no such opcode",
            CacheError::Granularity => "no such granularity, or wider than a block",
            CacheError::Size => {
                "size 0, no multiple of the block, or above the operation's limit; the address is the size"
            }
            CacheError::Alignment => "an operand does not begin with a block",
            CacheError::Outside => "an operand is not all inside the memory",
            CacheError::Overlap => "the destination overlaps a source without being the same",
        }
    }
}

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
