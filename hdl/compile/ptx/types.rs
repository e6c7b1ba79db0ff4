//! Types, state spaces, and the words that make an instruction's suffix.
//!
//! Each list is written once: the macro makes the enum, its names and the way back from a name.

/// An enum whose variants are words of PTX.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant),*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word, as PTX has it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text),*
                }
            }

            /// The one that is written so.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(super) use words;

words! {
    /// A type of PTX.
    Type {
        Pred = "pred", B8 = "b8", U8 = "u8", S8 = "s8", B16 = "b16", U16 = "u16", S16 = "s16", F16 = "f16",
        BF16 = "bf16", F16x2 = "f16x2", BF16x2 = "bf16x2",
        B32 = "b32", U32 = "u32", S32 = "s32", F32 = "f32", B64 = "b64", U64 = "u64", S64 = "s64", F64 = "f64",
    }
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One bit, true or false.
    Pred,
    /// Bits without a meaning.
    Bits,
    /// Numbers from 0.
    Unsigned,
    /// Two's complement.
    Signed,
    /// IEEE 754, or bfloat16.
    Float,
    /// Two 16-bit floating-point numbers, the first in the low half.
    Packed,
}

impl Type {
    /// Width in bits; 1 for predicates.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::B8 | Type::U8 | Type::S8 => 8,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::BF16 => 16,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::F16x2 | Type::BF16x2 => 32,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => 64,
        }
    }

    /// Bytes in memory; predicates have none.
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    /// What its bits mean.
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Type::Pred => Class::Pred,
            Type::B8 | Type::B16 | Type::B32 | Type::B64 => Class::Bits,
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => Class::Unsigned,
            Type::S8 | Type::S16 | Type::S32 | Type::S64 => Class::Signed,
            Type::F16 | Type::BF16 | Type::F32 | Type::F64 => Class::Float,
            Type::F16x2 | Type::BF16x2 => Class::Packed,
        }
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.class() == Class::Float
    }

    /// Of two numbers in one the type of each, of others the type itself.
    #[must_use]
    pub fn element(self) -> Type {
        match self {
            Type::F16x2 => Type::F16,
            Type::BF16x2 => Type::BF16,
            other => other,
        }
    }

    /// Whether it is two numbers in one.
    #[must_use]
    pub fn is_packed(self) -> bool {
        self.class() == Class::Packed
    }

    /// Whether it is two's complement.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.class() == Class::Signed
    }

    /// The integer type of twice the width and the same sign: the result of `mul.wide`.
    #[must_use]
    pub fn doubled(self) -> Option<Type> {
        Some(match self {
            Type::U16 => Type::U32,
            Type::S16 => Type::S32,
            Type::U32 => Type::U64,
            Type::S32 => Type::S64,
            _ => return None,
        })
    }

    /// All ones in its width.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Whether a register of type `register` may stand where an instruction has this type: the same width, and no
    /// floating-point register for integers or the other way round. With `wider` a register may be wider than an
    /// integer, as in loads, stores and conversions.
    #[must_use]
    pub fn takes(self, register: Type, wider: bool) -> bool {
        let (own, other) = (self.class(), register.class());
        if own == Class::Pred || other == Class::Pred {
            return own == other;
        }
        let kind = |class: Class| if matches!(class, Class::Float | Class::Packed) { class } else { Class::Bits };
        if register.bits() != self.bits() {
            return wider && register.bits() > self.bits() && [own, other].map(kind) == [Class::Bits; 2];
        }
        own == Class::Bits || other == Class::Bits || kind(own) == kind(other)
    }
}

words! {
    /// A state space.
    Space { Reg = "reg", Global = "global", Shared = "shared", Const = "const", Local = "local", Param = "param" }
}

words! {
    /// A word of a suffix that is neither type nor space.
    Word {
        // Rounding to the type's precision, and to integers.
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
        Ftz = "ftz", Sat = "sat", Approx = "approx", Full = "full",
        // Halves of a product; `lo` and `hi` are comparisons of unsigned numbers, too.
        Lo = "lo", Hi = "hi", Wide = "wide",
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Ls = "ls", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Nan = "nan",
        // How a comparison is joined with a predicate; what an atomic operation does.
        And = "and", Or = "or", Xor = "xor", Add = "add", Min = "min", Max = "max", Exch = "exch", Cas = "cas",
        Inc = "inc", Dec = "dec",
        // `testp`.
        Finite = "finite", Infinite = "infinite", Number = "number", NotANumber = "notanumber", Normal = "normal",
        Subnormal = "subnormal",
        // `shf`, `bfind`, `prmt`.
        L = "l", R = "r", Clamp = "clamp", Wrap = "wrap", ShiftAmount = "shiftamt",
        F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16",
        // Memory: vectors, hints that change no value, scopes and orders that hold anyway when threads run in turn.
        V2 = "v2", V4 = "v4", Volatile = "volatile", Weak = "weak", Relaxed = "relaxed", Acquire = "acquire",
        Release = "release", AcqRel = "acq_rel", Sc = "sc", Cta = "cta", Gpu = "gpu", Sys = "sys", Gl = "gl",
        Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt", Nc = "nc",
        To = "to", Uni = "uni", Sync = "sync", Aligned = "aligned",
        // Warps: whom a shuffle reads from, what a vote asks.
        Warp = "warp", Up = "up", Down = "down", Bfly = "bfly", Idx = "idx",
        All = "all", Any = "any", Ballot = "ballot",
        // Carries, reductions over a barrier, 16-bit floats.
        Cc = "cc", Red = "red", Popc = "popc", Relu = "relu", NoFtz = "noftz",
    }
}

/// The words of one suffix, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Words(u128);

impl Words {
    /// With one more.
    #[must_use]
    pub fn with(self, word: Word) -> Words {
        Words(self.0 | 1 << word as u32)
    }

    /// Whether it is there.
    #[must_use]
    pub fn has(self, word: Word) -> bool {
        self.0 >> word as u32 & 1 == 1
    }

    /// The first of these that is there.
    #[must_use]
    pub fn one_of(self, words: &[Word]) -> Option<Word> {
        words.iter().copied().find(|word| self.has(*word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fit_the_set_and_find_back() {
        assert!(Word::ALL.len() <= 128, "{} words", Word::ALL.len());
        for word in Word::ALL {
            assert_eq!(Word::from_name(word.name()), Some(*word));
            let alone = Words::default().with(*word);
            assert!(Word::ALL.iter().all(|other| alone.has(*other) == (other == word)));
        }
    }

    #[test]
    fn registers_stand_for_types_of_their_width_and_kind() {
        assert!(Type::S32.takes(Type::B32, false) && Type::S32.takes(Type::U32, false));
        assert!(Type::B32.takes(Type::F32, false) && Type::F32.takes(Type::B32, false));
        assert!(!Type::S32.takes(Type::F32, false) && !Type::F32.takes(Type::S32, true));
        assert!(Type::F16x2.takes(Type::B32, false) && Type::B16.takes(Type::BF16, true));
        assert!(!Type::F16x2.takes(Type::F32, false) && !Type::F32.takes(Type::F16x2, false));
        assert!(!Type::U32.takes(Type::F16x2, false) && !Type::U16.takes(Type::F16x2, true));
        assert!(Type::U8.takes(Type::B16, true) && !Type::U8.takes(Type::B16, false));
        assert!(!Type::U32.takes(Type::B16, true) && !Type::F32.takes(Type::B64, true));
        assert!(Type::Pred.takes(Type::Pred, false) && !Type::B8.takes(Type::Pred, true));
    }
}
