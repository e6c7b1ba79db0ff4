//! The micro-operation: what every column does in one cycle, and the bits that say so.
//!
//! One micro-operation activates up to two rows, senses them, computes in every column and writes one row back.
//! The column works on two sensed bits, *a* and *b*, and its latches: carry C, tag T, hold H, predicate P and
//! delay D (T, H, P and D are parameters of the array; see [`crate::array::params::Latches`]).
//!
//! | sensing | *a* | *b* |
//! |---|---|---|
//! | `TwoPort` | bit of row A, 0 when row A is not read | bit of row B, 0 when row B is not read |
//! | `AndNor` | BL: AND of the rows raised | complement of BLB: OR of the rows raised |
//!
//! Since a·b and a+b have the same sum and the same majority with a third bit as a and b themselves, the full adder
//! (x ⊕ y ⊕ C and its majority) serves both sensing modes unchanged.
//!
//! Sources: Neural Cache, Fig. 1(d); Duality Cache (ISCA 2019) §2.1; the codes are chosen so that operand x is one
//! six-input LUT of (a, b, H), operand y one of (a, b, T).

/// Bits of the largest of some codes, at least one.
const fn bits(codes: &[u64]) -> usize {
    let (mut at, mut all) = (0, 1);
    while at < codes.len() {
        all |= codes[at];
        at += 1;
    }
    (u64::BITS - all.leading_zeros()) as usize
}

macro_rules! code {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal => $const:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { #[default] $($(#[$vdoc])* $variant = $value),+ }
        impl $name {
            /// Every code, in the order of the encoding.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Bits of the encoding: as many as the largest code has.
            pub const WIDTH: usize = bits(&[$($value),+]);
            /// The code's encoding.
            pub const fn code(self) -> u64 { self as u64 }
            /// The code with this encoding.
            pub fn from_code(code: u64) -> Option<$name> {
                match code { $($value => Some($name::$variant),)+ _ => None }
            }
        }
        $($(#[$vdoc])* pub const $const: u64 = $value;)+
    };
}

code! {
    /// Operand x of the column's adder. Codes that differ in the lowest bit are complements where flips are used.
    X {
        /// The bit sensed on a.
        A = 0 => X_A,
        /// Its complement.
        NotA = 1 => X_NOT_A,
        /// Constant 0.
        Zero = 2 => X_ZERO,
        /// Constant 1.
        One = 3 => X_ONE,
        /// The hold latch.
        H = 4 => X_H,
        /// Its complement.
        NotH = 5 => X_NOT_H,
        /// `H ? b : a` (`TwoPort`).
        HSelect = 6 => X_H_SELECT,
        /// The bit sensed on b.
        B = 7 => X_B,
        /// `H · D` (`AndNor`): the second multiplier bit times the delayed multiplicand bit.
        HD = 8 => X_HD,
        /// Its complement (`AndNor`).
        NotHD = 9 => X_NOT_HD,
        /// `D ? b : H` (`AndNor`): minimum and maximum, where H keeps the row read before.
        DSelect = 10 => X_D_SELECT,
        /// The subtrahend's bit recovered from two overlapping pairs (`AndNor`): `a ⊕ b ? ¬H : a`.
        Pair = 12 => X_PAIR,
        /// Its complement (`AndNor`).
        NotPair = 13 => X_NOT_PAIR,
    }
}

code! {
    /// Operand y of the column's adder.
    Y {
        /// The bit sensed on b.
        B = 0 => Y_B,
        /// Its complement.
        NotB = 1 => Y_NOT_B,
        /// `T · b`: a partial product.
        TB = 2 => Y_TB,
        /// Its complement.
        NotTB = 3 => Y_NOT_TB,
        /// `b ⊕ T`: conditional complement.
        BXorT = 4 => Y_B_XOR_T,
        /// `T ? a : b` (`TwoPort`).
        TSelect = 5 => Y_T_SELECT,
        /// `T + (a ⊕ b)`: T, or the operands differ. With no row read it is T itself.
        Differ = 6 => Y_DIFFER,
        /// Constant 0.
        Zero = 7 => Y_ZERO,
        /// `T ? H : b` (`AndNor`).
        THSelect = 8 => Y_TH_SELECT,
        /// Constant 1 (`AndNor`).
        One = 9 => Y_ONE,
        /// `T ? b : H` (`AndNor`).
        TBSelect = 10 => Y_TB_SELECT,
        /// `H · ¬T` (`AndNor`).
        HNotT = 11 => Y_H_NOT_T,
        /// Operand y of the overlapping-pair subtraction (`AndNor`): `p ⊕ ¬(T ⊕ a ⊕ b)`, p being [`X::Pair`].
        Pair = 12 => Y_PAIR,
        /// Its complement (`AndNor`).
        NotPair = 13 => Y_NOT_PAIR,
        /// `T · D` (`AndNor`).
        TD = 14 => Y_TD,
        /// Its complement (`AndNor`).
        NotTD = 15 => Y_NOT_TD,
    }
}

code! {
    /// What is written back, called w below.
    WriteBack {
        /// x ⊕ y ⊕ C.
        Sum = 0 => OUT_SUM,
        /// Majority of x, y and C.
        Majority = 1 => OUT_MAJORITY,
        /// ¬(x ⊕ y ⊕ C).
        NotSum = 2 => OUT_NOT_SUM,
        /// The row that waits at the load port.
        Load = 3 => OUT_LOAD,
        /// T · majority (`AndNor`).
        TMajority = 4 => OUT_T_MAJORITY,
    }
}

code! {
    /// The value that C and H share as their data input.
    Next {
        /// Majority of x, y and C.
        Majority = 0 => NEXT_MAJORITY,
        /// Constant 1.
        One = 1 => NEXT_ONE,
        /// ¬(x ⊕ y ⊕ C).
        NotSum = 2 => NEXT_NOT_SUM,
        /// a · ¬y.
        AAndNotY = 3 => NEXT_A_AND_NOT_Y,
        /// T · majority (`AndNor`).
        TMajority = 4 => NEXT_T_MAJORITY,
    }
}

code! {
    /// What the carry latch does at the end of the cycle.
    CarryAction {
        /// Keep.
        Hold = 0 => C_HOLD,
        /// Clear.
        Zero = 1 => C_ZERO,
        /// Take the value chosen by [`Next`].
        Load = 2 => C_LOAD,
    }
}

code! {
    /// What the hold latch does at the end of the cycle.
    HoldAction {
        /// Keep.
        Hold = 0 => H_HOLD,
        /// Clear.
        Zero = 1 => H_ZERO,
        /// Take the value chosen by [`Next`].
        Load = 2 => H_LOAD,
        /// `H + (w ⊕ x)`: x lost the comparison.
        Differ = 3 => H_DIFFER,
        /// Take a (`AndNor`).
        A = 4 => H_A,
    }
}

code! {
    /// What the tag latch does at the end of the cycle.
    TagAction {
        /// Keep.
        Hold = 0 => T_HOLD,
        /// Clear.
        Zero = 1 => T_ZERO,
        /// Take w.
        W = 2 => T_W,
        /// `T + (w ⊕ y)`: y lost the comparison.
        Differ = 3 => T_DIFFER,
        /// Take a.
        A = 4 => T_A,
        /// `T · w`: search.
        And = 5 => T_AND,
        /// Take a ⊕ b (`AndNor`).
        Xor = 6 => T_XOR,
    }
}

code! {
    /// What the predicate latch does at the end of the cycle.
    PredicateAction {
        /// Keep.
        Hold = 0 => P_HOLD,
        /// Take a.
        A = 1 => P_A,
    }
}

code! {
    /// What the delay latch (`AndNor`) does at the end of the cycle.
    DelayAction {
        /// Keep.
        Hold = 0 => D_HOLD,
        /// Clear.
        Zero = 1 => D_ZERO,
        /// Take a.
        A = 2 => D_A,
        /// `D + (w ⊕ x)`: x lost the comparison.
        Differ = 3 => D_DIFFER,
    }
}

code! {
    /// Which rows are raised besides the one or two addressed ones (`Behavioural` memory only).
    Multi {
        /// None: at most two rows.
        Off = 0 => MULTI_OFF,
        /// a is the AND over the rows of operand A selected by the key's 1 bits.
        And = 1 => MULTI_AND,
        /// a is the NOR over the rows of operand A selected by the key's 1 bits.
        Nor = 2 => MULTI_NOR,
        /// a is the NOR over the rows of operand A selected by the key's 0 bits.
        NorOfZeros = 3 => MULTI_NOR_OF_ZEROS,
    }
}

/// The part of a control word that the array sees: the column's codes and how the memory is read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColumnControl {
    /// Operand x.
    pub x: X,
    /// Operand y.
    pub y: Y,
    /// Operand y becomes `y + ¬P`: columns with P = 0 hold their row and a carry of 1 (`TwoPort`).
    pub gate: bool,
    /// What is written back.
    pub out: WriteBack,
    /// Data input of C and H.
    pub next: Next,
    /// Carry latch.
    pub c: CarryAction,
    /// Hold latch.
    pub h: HoldAction,
    /// Tag latch.
    pub t: TagAction,
    /// Predicate latch.
    pub p: PredicateAction,
    /// Delay latch.
    pub d: DelayAction,
    /// Only columns with T = 1 take the write (`AndNor`).
    pub predicated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    code! {
        /// Operand x with one code more than four bits hold.
        Wider {
            /// First.
            A = 0 => WIDER_A,
            /// Last of four bits.
            B = 15 => WIDER_B,
            /// One more.
            C = 16 => WIDER_C,
        }
    }

    /// A code is added in one place: the field follows its list.
    #[test]
    fn fields_are_as_wide_as_their_lists() {
        use crate::array::isa::word::control;
        assert_eq!((X::WIDTH, control::X_BITS, control::X.bits), (4, 4, 4));
        assert_eq!((Wider::WIDTH, WIDER_C, WIDER_A, WIDER_B), (5, 16, 0, 15));
        assert_eq!(Wider::from_code(16), Some(Wider::C));
        assert_eq!(Wider::ALL.last().map(|code| code.code()), Some(16));
        assert_eq!((bits(&[0]), bits(&[1]), bits(&[2]), bits(&[3, 4])), (1, 1, 2, 3));
        assert_eq!(control::Y.lsb, control::X.lsb + X::WIDTH);
    }
}
