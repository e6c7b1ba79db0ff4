//! Operations of Compute Caches on cache blocks: opcodes as a table, error codes, limits, and the logic that computes
//! them. The scratchpad and the cache ways of a slice have them in common.
//!
//! Source: Compute Caches (HPCA 2017), §4, table 2.

mod block_logic;

pub use block_logic::{CcLogic, GRAIN_BITS, RowOp, row_op};

/// Operand size of copy, zero and logic at most, in bytes.
pub const LARGEST: u32 = 16 * 1024;
/// Bits that a comparison, a search or a carry-less product gives at most: one for each word.
pub const RESULTS: u32 = 64;
/// Bits of an opcode.
pub const CACHE_OP_BITS: usize = 4;

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
