//! Lists of what the fields of a word may say, and of why a word or an access is refused.

/// Declares a list: variants with code, name and meaning, and how many bits the codes take.
macro_rules! codes {
    ($(#[$doc:meta])* $list:ident {
        $(#[doc = $vdoc:literal] $variant:ident = $code:literal $name:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $list { $(#[doc = $vdoc] $variant = $code),+ }

        impl $list {
            /// Every one, in the order of the codes.
            pub const ALL: &'static [$list] = &[$($list::$variant),+];
            /// Bits of the codes.
            pub const WIDTH: usize = $crate::array::isa::code::bits(&[$($code),+]);
            /// The code.
            pub const fn code(self) -> u64 { self as u64 }
            /// The one with this code.
            pub fn from_code(code: u64) -> Option<$list> {
                match code { $($code => Some($list::$variant),)+ _ => None }
            }
            /// The name in texts.
            pub const fn name(self) -> &'static str {
                match self { $($list::$variant => $name),+ }
            }
            /// The one with this name.
            pub fn named(name: &str) -> Option<$list> {
                $list::ALL.iter().copied().find(|one| one.name() == name)
            }
            /// What it means, in a line.
            pub fn meaning(self) -> &'static str {
                match self { $($list::$variant => $vdoc.trim_ascii()),+ }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

codes! {
    /// What a word is.
    Kind {
        /// An operation of an array, in all threads.
        Compute = 0 "compute",
        /// Rows of one array go to others of the same bank, a row a cycle.
        Move = 1 "move",
        /// A load, a store or an atomic operation of all threads that take part.
        Memory = 2 "memory",
        /// An operation of the scalar unit.
        Scalar = 3 "scalar",
        /// An operation on mask rows, in all arrays.
        Mask = 4 "mask",
        /// A jump, or the beginning of a loop.
        Jump = 5 "jump",
        /// The program ends.
        End = 6 "end",
    }
}

codes! {
    /// Where the second operand of a compute or scalar word, or the address of a memory word, comes from.
    Source {
        /// Rows of the array (compute, memory) or a scalar register (scalar).
        Row = 0 "row",
        /// The word's immediate.
        Immediate = 1 "immediate",
        /// A scalar register, the same for all threads; its number is in the field `b`, of an address in `a`.
        Scalar = 2 "scalar",
        /// Of an address rows of the array and a scalar register, whose number is in the field `modifier`: their sum.
        Indexed = 3 "indexed",
    }
}

codes! {
    /// Which threads a word writes or accesses memory in.
    Predicate {
        /// All of them.
        All = 0 "all",
        /// Those of the active mask.
        Active = 1 "active",
        /// Those where row `e` holds 1.
        Where = 2 "where",
        /// Those where row `e` holds 0.
        Unless = 3 "unless",
    }
}

codes! {
    /// What a memory word does.
    MemoryOp {
        /// d ← memory.
        Load = 0 "ld",
        /// memory ← b.
        Store = 1 "st",
        /// d ← memory; memory ← memory + b.
        Add = 2 "atom.add",
        /// d ← memory; memory ← the smaller of memory and b, unsigned.
        MinU = 3 "atom.min",
        /// d ← memory; memory ← the smaller of memory and b, signed.
        MinS = 4 "atom.min.s",
        /// d ← memory; memory ← the larger of memory and b, unsigned.
        MaxU = 5 "atom.max",
        /// d ← memory; memory ← the larger of memory and b, signed.
        MaxS = 6 "atom.max.s",
        /// d ← memory; memory ← memory · b, bit by bit.
        And = 7 "atom.and",
        /// d ← memory; memory ← memory + b, bit by bit.
        Or = 8 "atom.or",
        /// d ← memory; memory ← memory ⊕ b.
        Xor = 9 "atom.xor",
        /// d ← memory; memory ← b.
        Exchange = 10 "atom.exch",
        /// d ← memory; memory ← s where memory = b.
        Compare = 11 "atom.cas",
        /// d ← memory; memory ← memory + b of binary32 numbers; subnormal ones are flushed, but in the shared window.
        FAdd = 12 "atom.fadd",
    }
}

impl MemoryOp {
    /// Whether it reads and writes memory in one step.
    pub fn is_atomic(self) -> bool {
        !matches!(self, MemoryOp::Load | MemoryOp::Store)
    }

    /// Whether it makes one number of those of many threads, in any order.
    pub fn reduces(self) -> bool {
        use MemoryOp::{Add, And, MaxS, MaxU, MinS, MinU, Or, Xor};
        matches!(self, Add | MinU | MinS | MaxU | MaxS | And | Or | Xor)
    }
}

codes! {
    /// What an address counts in.
    Space {
        /// Memory.
        Global = 0 "global",
        /// The window of a thread's CTA.
        Shared = 1 "shared",
        /// Memory, or from `GENERIC_SHARED` on the window of the thread's CTA.
        Generic = 2 "generic",
        /// Memory that is only read.
        Const = 3 "const",
        /// Rows of the spill area, which move as they are; the immediate is the number of the first.
        Spill = 4 "spill",
        /// Threads of a bank, by the crossbar: `ld` shuffles b, `atom` reduces b of the threads of a segment.
        Bank = 5 "bank",
    }
}

/// Generic addresses from here on are in the shared window.
pub const GENERIC_SHARED: u32 = 0xff00_0000;

codes! {
    /// Bits of an element in memory.
    Element {
        /// A byte.
        B8 = 0 "8",
        /// Two bytes.
        B16 = 1 "16",
        /// Four bytes.
        B32 = 2 "32",
        /// Eight bytes.
        B64 = 3 "64",
    }
}

impl Element {
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }
}

codes! {
    /// What the scalar unit computes, of 32-bit integers. b is a register or the immediate.
    ScalarOp {
        /// d ← b.
        Set = 0 "set",
        /// d ← a + b.
        Add = 1 "add",
        /// d ← a − b.
        Sub = 2 "sub",
        /// d ← a · b, bit by bit.
        And = 3 "and",
        /// d ← a + b, bit by bit.
        Or = 4 "or",
        /// d ← a ⊕ b.
        Xor = 5 "xor",
        /// d ← a · 2ᵇ; 0 where b ≥ 32.
        Shl = 6 "shl",
        /// d ← ⌊a / 2ᵇ⌋; 0 where b ≥ 32.
        Shr = 7 "shr",
        /// d ← ⌊a / 2ᵇ⌋ of signed a; all sign where b ≥ 32.
        Sar = 8 "sar",
        /// d ← a · b, the low 32 bits.
        Mul = 9 "mul",
        /// d ← 1 where a < b, unsigned, else 0.
        LtU = 10 "lt",
        /// d ← 1 where a < b, signed, else 0.
        LtS = 11 "lt.s",
        /// d ← 1 where a = b, else 0.
        Eq = 12 "eq",
        /// d ← the smaller of a and b, unsigned.
        MinU = 13 "min",
        /// d ← the smaller of a and b, signed.
        MinS = 14 "min.s",
        /// d ← the larger of a and b, unsigned.
        MaxU = 15 "max",
        /// d ← the larger of a and b, signed.
        MaxS = 16 "max.s",
        /// d ← a where c is not 0, else b.
        Select = 17 "select",
    }
}

codes! {
    /// What a mask word does. E is the active mask, p row `a` of the array `slot`.
    MaskOp {
        /// E ← the launch mask.
        Open = 0 "open",
        /// E ← row a; row a ← 0. All arrays hold the same there.
        Enter = 1 "enter",
        /// Row d ← row d + E·p, in all arrays.
        Taken = 2 "taken",
        /// Row d ← row d + E·¬p, in all arrays.
        Other = 3 "other",
        /// Row d ← row d + E, in all arrays.
        Join = 4 "join",
        /// Row d ← 0, in all arrays.
        Clear = 5 "clear",
    }
}

codes! {
    /// When a jump is taken.
    Condition {
        /// Always.
        Always = 0 "jump",
        /// Where scalar register a is 0.
        Zero = 1 "jump.zero",
        /// Where scalar register a is not 0.
        NotZero = 2 "jump.not_zero",
        /// Where row a of the array `slot` holds 1 in some thread of the launch mask.
        Any = 3 "jump.any",
        /// Where row a of the array `slot` holds 1 in no thread of the launch mask.
        None = 4 "jump.none",
        /// Never: a loop begins here, and ends before the target. The ring keeps its words while it runs.
        Loop = 5 "loop",
    }
}

codes! {
    /// What a launch writes into rows, a value for each thread.
    Special {
        /// The thread's place in its CTA, x.
        TidX = 0 "tid.x",
        /// The thread's place in its CTA, y.
        TidY = 1 "tid.y",
        /// The thread's place in its CTA, z.
        TidZ = 2 "tid.z",
        /// The CTA's place in the grid, x.
        CtaX = 3 "ctaid.x",
        /// The CTA's place in the grid, y.
        CtaY = 4 "ctaid.y",
        /// The CTA's place in the grid, z.
        CtaZ = 5 "ctaid.z",
        /// The thread's number in the control block.
        Thread = 6 "thread",
    }
}

codes! {
    /// Why a word, or an access of memory, is refused. 0 means no error.
    Trap {
        /// No word is of this kind.
        Kind = 1 "kind",
        /// A field that the kind does not use is not 0.
        Unused = 2 "unused",
        /// An array that a thread does not have.
        Slot = 3 "slot",
        /// A code that its list does not have, or that means nothing here.
        Code = 4 "code",
        /// An operation that this design lacks.
        Missing = 5 "missing",
        /// A width that the operation does not take.
        Width = 6 "width",
        /// Rows beyond the array, or rows of masks.
        Rows = 7 "rows",
        /// Operands that must not share rows do.
        Overlap = 8 "overlap",
        /// A scalar register that is not there.
        Register = 9 "register",
        /// An immediate that does not fit.
        Immediate = 10 "immediate",
        /// A jump out of the program, or back to words that the ring need not hold any more.
        Target = 11 "target",
        /// A loop that the ring cannot hold.
        Loop = 12 "loop",
        /// The address is in no DC-page, or in none that a thread may see.
        Unmapped = 16 "unmapped",
        /// The address is no multiple of the element.
        Misaligned = 17 "misaligned",
        /// The page is only read.
        ReadOnly = 18 "read_only",
        /// The address leaves the shared window, or the spill area.
        Window = 19 "window",
        /// The program goes on behind its last word.
        PastEnd = 20 "past_end",
        /// Memory did not answer, or said that it cannot.
        Bus = 21 "bus",
        /// The host has stopped the program.
        Aborted = 22 "aborted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_codes_are_unique() {
        macro_rules! unique {
            ($($list:ident)+) => {$(
                let names: HashSet<_> = $list::ALL.iter().map(|one| one.name()).collect();
                assert_eq!(names.len(), $list::ALL.len(), stringify!($list));
                for &one in $list::ALL {
                    assert_eq!(($list::from_code(one.code()), $list::named(one.name())), (Some(one), Some(one)));
                    assert!(one.code() < 1 << $list::WIDTH && !one.meaning().is_empty());
                }
                assert_eq!($list::from_code(1 << $list::WIDTH), None);
            )+};
        }
        unique!(Kind Source Predicate MemoryOp Space Element ScalarOp MaskOp Condition Special Trap);
    }
}
