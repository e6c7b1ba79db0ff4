//! Macro-operations: what may enter the command port.

use std::fmt;

use crate::array::isa::custom;
pub use crate::array::isa::format::Conversion;
pub use crate::array::isa::set::Set;

macro_rules! opcodes {
    ($(#[doc = $doc:literal] $variant:ident = $value:literal, $name:literal, $signed:literal;)+) => {
        /// What a command computes in every column. n is the command's width, m its second width.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = $doc] $variant = $value,)+
            /// An operation of the library's user ([`crate::array::isa::custom`]).
            Custom0 = 122,
            /// Another one.
            Custom1 = 123,
            /// Another one.
            Custom2 = 124,
            /// Another one.
            Custom3 = 125,
            /// Another one.
            Custom4 = 126,
            /// Another one.
            Custom5 = 127,
        }

        impl Opcode {
            /// Every opcode of the library, in the order of the encoding.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant),+];

            /// The opcode with this encoding.
            pub fn from_code(code: u64) -> Option<Opcode> {
                match code {
                    $($value => Some(Opcode::$variant),)+
                    _ => Opcode::CUSTOM.into_iter().find(|custom| custom.code() == code),
                }
            }

            /// The operation's name without its signedness: the `op` of the cycle tables.
            pub fn name(self) -> &'static str {
                match self {
                    $(Opcode::$variant => $name,)+
                    custom => custom::of(custom).map_or("custom", |custom| custom.name),
                }
            }

            /// What it computes, in a line.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Opcode::$variant => $doc.trim_ascii(),)+
                    custom => custom::of(custom).map_or("nothing that is registered", |custom| custom.meaning),
                }
            }

            /// Whether operands are two's-complement numbers.
            pub fn signed(self) -> bool {
                match self {
                    $(Opcode::$variant => $signed,)+
                    custom => custom::of(custom).is_some_and(|custom| custom.signed),
                }
            }
        }
    };
}

opcodes! {
    /// d ← rows from the load port.
    Load = 0, "load", false;
    /// store port ← rows of a.
    Store = 1, "store", false;
    /// d ← a.
    Copy = 2, "copy", false;
    /// d ← 0.
    Zero = 3, "zero", false;
    /// d ← all ones.
    Set = 4, "set", false;
    /// d ← ¬a.
    Not = 5, "not", false;
    /// d ← a · b.
    And = 6, "and", false;
    /// d ← a + b (logical).
    Or = 7, "or", false;
    /// d ← a ⊕ b.
    Xor = 8, "xor", false;
    /// d ← ¬(a · b).
    Nand = 9, "nand", false;
    /// d ← ¬(a + b).
    Nor = 10, "nor", false;
    /// d ← ¬(a ⊕ b).
    Xnor = 11, "xnor", false;
    /// Every row of d ← row a.
    Fill = 12, "fill", false;
    /// T ← row a.
    TagLoad = 13, "tag_load", false;
    /// Row d ← T.
    TagStore = 14, "tag_store", false;
    /// d ← a where row e holds 1, else b; T ← row e.
    Select = 15, "select", false;
    /// d ← a + b.
    Add = 16, "add", false;
    /// d (n + 1 rows) ← a + b with the carry.
    AddCarry = 17, "addc", false;
    /// d ← a − b.
    Sub = 18, "sub", false;
    /// d ← −a.
    Neg = 19, "neg", true;
    /// d ← |a|.
    Abs = 20, "abs", true;
    /// Row d and T ← a = b.
    Eq = 21, "eq", false;
    /// Row d and T ← a ≠ b.
    Ne = 22, "ne", false;
    /// Row d and T ← a < b.
    LtU = 23, "lt", false;
    /// Row d and T ← a < b.
    LtS = 24, "lt", true;
    /// Row d and T ← a ≤ b.
    LeU = 25, "le", false;
    /// Row d and T ← a ≤ b.
    LeS = 26, "le", true;
    /// Row d and T ← a > b.
    GtU = 27, "gt", false;
    /// Row d and T ← a > b.
    GtS = 28, "gt", true;
    /// Row d and T ← a ≥ b.
    GeU = 29, "ge", false;
    /// Row d and T ← a ≥ b.
    GeS = 30, "ge", true;
    /// d ← the smaller of a and b.
    MinU = 31, "min", false;
    /// d ← the smaller of a and b.
    MinS = 32, "min", true;
    /// d ← the larger of a and b.
    MaxU = 33, "max", false;
    /// d ← the larger of a and b.
    MaxS = 34, "max", true;
    /// d (2n rows) ← a · b.
    MulU = 35, "mul", false;
    /// d (2n rows) ← a · b.
    MulS = 36, "mul", true;
    /// d (n rows) ← a · b modulo 2ⁿ.
    MulLow = 37, "mul_low", false;
    /// d (2n rows) ← a · key, the key taken modulo 2ⁿ.
    MulConst = 38, "mul_const", false;
    /// d ← ⌊a / b⌋; all ones where b is 0.
    DivU = 39, "div", false;
    /// d ← a / b toward 0; −1 where b is 0; −2ⁿ⁻¹ / −1 = −2ⁿ⁻¹.
    DivS = 40, "div", true;
    /// d ← a modulo b; a where b is 0.
    RemU = 41, "rem", false;
    /// d ← a − b·(a / b); a where b is 0; 0 for −2ⁿ⁻¹ / −1.
    RemS = 42, "rem", true;
    /// d ← quotient, e ← remainder, as div and rem.
    DivRemU = 43, "divrem", false;
    /// d ← quotient, e ← remainder, as div.s and rem.s.
    DivRemS = 44, "divrem", true;
    /// d ← a · 2ᵇ modulo 2ⁿ, b of m bits; 0 where b ≥ n.
    Shl = 45, "shl", false;
    /// d ← ⌊a / 2ᵇ⌋, b of m bits; 0 where b ≥ n.
    Shr = 46, "shr", false;
    /// d ← ⌊a / 2ᵇ⌋ of signed a, b of m bits; all sign where b ≥ n.
    Sar = 47, "sar", true;
    /// d ← a rotated up by b modulo n, b of m bits.
    Rotl = 48, "rotl", false;
    /// d ← a rotated down by b modulo n, b of m bits.
    Rotr = 49, "rotr", false;
    /// d (log2 n + 1 rows) ← number of ones in a.
    Popcount = 50, "popcount", false;
    /// d (log2 n + 1 rows) ← number of zeros above the highest one of a; n where a is 0.
    Clz = 51, "clz", false;
    /// T ← a equals the key.
    Search = 52, "search", false;
    /// d (m rows) ← d + a · b modulo 2ᵐ, m ≥ 2n.
    DotU = 53, "dot", false;
    /// d (m rows) ← d + a · b modulo 2ᵐ, m ≥ 2n.
    DotS = 54, "dot", true;
    /// d ← a + b of floating-point numbers, rounded.
    FAdd = 55, "fadd", true;
    /// d ← a − b of floating-point numbers, rounded.
    FSub = 56, "fsub", true;
    /// d ← a · b of floating-point numbers, rounded.
    FMul = 57, "fmul", true;
    /// Row d and T ← a = b of floating-point numbers.
    FEq = 58, "feq", true;
    /// Row d and T ← a < b of floating-point numbers.
    FLt = 59, "flt", true;
    /// Row d and T ← a ≤ b of floating-point numbers.
    FLe = 60, "fle", true;
    /// d ← the smaller of floating-point numbers a and b; of a number and NaN the number.
    FMin = 64, "fmin", true;
    /// d ← the larger of floating-point numbers a and b; of a number and NaN the number.
    FMax = 65, "fmax", true;
    /// d ← a floating-point number a with the opposite sign.
    FNeg = 66, "fneg", true;
    /// d ← a floating-point number a without its sign.
    FAbs = 67, "fabs", true;
    /// d ← a floating-point number a with the sign of b.
    FCopySign = 68, "fcopysign", true;
    /// d ← the binary32 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F32ToIntU = 69, "f32_to_int", false;
    /// d ← the binary32 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F32ToIntS = 70, "f32_to_int", true;
    /// d ← the unsigned integer a as a binary32 number, rounded.
    F32FromIntU = 71, "f32_from_int", false;
    /// d ← the signed integer a as a binary32 number, rounded.
    F32FromIntS = 72, "f32_from_int", true;
    /// d ← the binary64 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F64ToIntU = 73, "f64_to_int", false;
    /// d ← the binary64 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F64ToIntS = 74, "f64_to_int", true;
    /// d ← the unsigned integer a as a binary64 number, rounded.
    F64FromIntU = 75, "f64_from_int", false;
    /// d ← the signed integer a as a binary64 number, rounded.
    F64FromIntS = 76, "f64_from_int", true;
    /// d ← the binary16 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F16ToIntU = 77, "f16_to_int", false;
    /// d ← the binary16 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    F16ToIntS = 78, "f16_to_int", true;
    /// d ← the unsigned integer a as a binary16 number, rounded.
    F16FromIntU = 79, "f16_from_int", false;
    /// d ← the signed integer a as a binary16 number, rounded.
    F16FromIntS = 80, "f16_from_int", true;
    /// d ← the bfloat16 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    BF16ToIntU = 81, "bf16_to_int", false;
    /// d ← the bfloat16 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    BF16ToIntS = 82, "bf16_to_int", true;
    /// d ← the unsigned integer a as a bfloat16 number, rounded.
    BF16FromIntU = 83, "bf16_from_int", false;
    /// d ← the signed integer a as a bfloat16 number, rounded.
    BF16FromIntS = 84, "bf16_from_int", true;
    /// d ← the E5M2 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    E5M2ToIntU = 85, "e5m2_to_int", false;
    /// d ← the E5M2 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    E5M2ToIntS = 86, "e5m2_to_int", true;
    /// d ← the unsigned integer a as an E5M2 number, rounded.
    E5M2FromIntU = 87, "e5m2_from_int", false;
    /// d ← the signed integer a as an E5M2 number, rounded.
    E5M2FromIntS = 88, "e5m2_from_int", true;
    /// d ← the E4M3 number a as an unsigned integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    E4M3ToIntU = 89, "e4m3_to_int", false;
    /// d ← the E4M3 number a as a signed integer, rounded; the nearest one where it is beyond all, 0 for NaN.
    E4M3ToIntS = 90, "e4m3_to_int", true;
    /// d ← the unsigned integer a as an E4M3 number, rounded.
    E4M3FromIntU = 91, "e4m3_from_int", false;
    /// d ← the signed integer a as an E4M3 number, rounded.
    E4M3FromIntS = 92, "e4m3_from_int", true;
    /// Row d and T ← a or b is no floating-point number, but NaN.
    FUnordered = 93, "funordered", true;
    /// d ← the smaller of floating-point numbers a and b; NaN where one is NaN.
    FMinimum = 94, "fminimum", true;
    /// d ← the larger of floating-point numbers a and b; NaN where one is NaN.
    FMaximum = 95, "fmaximum", true;
    /// d (10 rows) ← a 1 in the row of the class of the floating-point number a, in RISC-V's order.
    FClass = 96, "fclass", true;
    /// d ← the floating-point number a, rounded to an integral number.
    FRound = 97, "fround", true;
    /// d ← the binary32 number a in the format of the command, rounded.
    F32ToFloat = 98, "f32_to_float", true;
    /// d ← the binary64 number a in the format of the command, rounded.
    F64ToFloat = 99, "f64_to_float", true;
    /// d ← the binary16 number a in the format of the command, rounded.
    F16ToFloat = 100, "f16_to_float", true;
    /// d ← the bfloat16 number a in the format of the command, rounded.
    BF16ToFloat = 101, "bf16_to_float", true;
    /// d ← the E5M2 number a in the format of the command, rounded.
    E5M2ToFloat = 102, "e5m2_to_float", true;
    /// d ← the E4M3 number a in the format of the command, rounded.
    E4M3ToFloat = 103, "e4m3_to_float", true;
    /// d ← a / b of floating-point numbers, rounded.
    FDiv = 104, "fdiv", true;
    /// d ← the square root of a floating-point number a, rounded; NaN of negative numbers.
    FSqrt = 105, "fsqrt", true;
    /// d ← a · b + e of floating-point numbers, rounded once.
    FFma = 106, "ffma", true;
    /// d ← sin a, e ← cos a, by CORDIC in m steps; a in radians, |a| ≤ π/2, all with n − 2 fraction bits.
    CordicSinCos = 107, "cordic_sincos", true;
    /// d ← eᵃ, by CORDIC in m steps; |a| ≤ 1.1, n − 2 fraction bits, d without a sign.
    CordicExp = 108, "cordic_exp", true;
    /// d ← ln a, by CORDIC in m steps; a from 1/2, n − 1 fraction bits, no sign; d has n − 2.
    CordicLog = 109, "cordic_log", true;
    /// d ← the angle of (b, a), e ← 1.6468 times its length, by CORDIC in m steps; b > 0, n − 2 fraction bits.
    CordicAtan = 110, "cordic_atan", true;
    /// d ← 1 / a of a floating-point number a, rounded.
    FRcp = 111, "frcp", true;
    /// d ← 1 / √a of a floating-point number a, within a unit in the last place; NaN of negative numbers.
    FRsqrt = 112, "frsqrt", true;
    /// d ← 2ᵃ of a number a of 32 or 16 bits, within a unit in the last place.
    FExp2 = 113, "fexp2", true;
    /// d ← eᵃ of a number a of 32 or 16 bits, within a unit in the last place.
    FExp = 114, "fexp", true;
    /// d ← the logarithm of a number a of 32 or 16 bits to the base 2; NaN of negative numbers.
    FLog2 = 115, "flog2", true;
    /// d ← the natural logarithm of a number a of 32 or 16 bits; NaN of negative numbers.
    FLog = 116, "flog", true;
    /// d ← the sine of a number a of 32 or 16 bits in radians, within half a unit of 1.
    FSin = 117, "fsin", true;
    /// d ← the cosine of a number a of 32 or 16 bits in radians, within half a unit of 1.
    FCos = 118, "fcos", true;
    /// d ← the tangent of a number a of 32 or 16 bits in radians, the quotient of such a sine and cosine.
    FTan = 119, "ftan", true;
    /// d ← the hyperbolic tangent of a number a of 32 or 16 bits, within a unit in the last place.
    FTanh = 120, "ftanh", true;
    /// d ← the angle in radians whose tangent is a number a of 32 or 16 bits, within a unit in the last place.
    FAtan = 121, "fatan", true;
    /// d (n + m + 10 rows) ← a floating-point number a as an unpacked one.
    FUnpack = 128, "funpack", true;
    /// d ← a + b of unpacked numbers, unpacked (n + m + 10 rows each): neither normalised nor rounded.
    FSum = 129, "fsum", true;
    /// d ← an unpacked number a (n + m + 10 rows) as a floating-point number, rounded.
    FPack = 130, "fpack", true;
    /// d ← √a, by CORDIC in m steps; 0.04 ≤ a < 2.36, both with n − 2 fraction bits and without a sign.
    CordicSqrt = 131, "cordic_sqrt", false;
}

impl Opcode {
    /// Those of the library's user.
    pub const CUSTOM: [Opcode; 6] =
        [Opcode::Custom0, Opcode::Custom1, Opcode::Custom2, Opcode::Custom3, Opcode::Custom4, Opcode::Custom5];

    /// Whether it is one of the library's user.
    pub const fn is_custom(self) -> bool {
        self as u8 >= Opcode::Custom0 as u8 && self as u8 <= Opcode::Custom5 as u8
    }

    /// The encoding.
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// Whether operands are floating-point numbers: all codes from the first one up but for some.
    pub const fn is_float(self) -> bool {
        float_code(self as u8)
    }

    /// Whether it has unpacked numbers, which only designs with the parameter `unpacked` know.
    pub const fn is_unpacked(self) -> bool {
        self as u8 >= Opcode::FUnpack as u8 && self as u8 <= Opcode::FPack as u8
    }

    /// Whether T is a result.
    pub fn gives_tag(self) -> bool {
        self.meaning().contains("T ←")
    }

    /// The mnemonic of program files: the name, with `.s` where a signed and an unsigned form exist.
    pub fn mnemonic(self) -> String {
        let twin = Opcode::ALL.iter().any(|&o| o != self && o.name() == self.name());
        if twin && self.signed() { format!("{}.s", self.name()) } else { self.name().to_string() }
    }

    /// The opcode with this mnemonic.
    pub fn from_mnemonic(text: &str) -> Option<Opcode> {
        Opcode::ALL.iter().copied().chain(custom::registered()).find(|o| o.mnemonic() == text)
    }
}

/// Whether operations of this code have floating-point numbers.
const fn float_code(code: u8) -> bool {
    code >= Opcode::FAdd as u8 && code <= Opcode::FLe as u8
        || code >= Opcode::FMin as u8 && code <= Opcode::FFma as u8
        || code >= Opcode::FRcp as u8 && code < Opcode::Custom0 as u8
        || code >= Opcode::FUnpack as u8 && code <= Opcode::FPack as u8
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.mnemonic())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::transfer;
    use std::collections::HashSet;

    #[test]
    fn encodings_and_mnemonics_are_unique() {
        let mut seen = HashSet::new();
        assert!(Opcode::ALL.is_sorted_by_key(|op| op.code()) && Opcode::ALL[0].code() == 0);
        for &op in Opcode::ALL {
            assert!(transfer::OPCODES.iter().all(|other| u64::from(other.1) != op.code()), "{op}: a transfer's code");
            assert!(seen.insert(op.code().to_string()), "{op}: the code of another one");
            assert!(seen.insert(op.mnemonic()), "{op} twice");
            assert_eq!(Opcode::from_mnemonic(&op.mnemonic()), Some(op));
            assert_eq!(Opcode::from_code(op.code()), Some(op));
        }
    }

    /// An operation of integers may have any code that is free below those of floating-point numbers.
    #[test]
    fn a_code_that_is_free_is_no_floating_point_operation_s() {
        let free: Vec<u8> = (0..64).filter(|&code| Opcode::from_code(code.into()).is_none()).collect();
        assert!(free.contains(&61), "the tutorial's: {free:?}");
        assert!(!free.into_iter().any(float_code));
    }
}
