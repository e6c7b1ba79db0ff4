//! The micro-operation: what every column does in one cycle, and the bits that say so.
//!
//! One micro-operation activates up to two rows, senses them, computes in every column and writes one row back.
//! The column works on two sensed bits, *a* and *b*, and its latches: carry C, tag T, hold H, predicate P and
//! delay D (H, P and D are parameters of the array; [`crate::array::isa::latch`] has the table).
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

use crate::array::isa::code::code;
pub use crate::array::isa::latch::*;
pub use crate::array::isa::second::*;
use crate::array::isa::word::control;
use crate::array::params::Columns;
use crate::each_latch;

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
        H = 4 => X_H reads Hold,
        /// Its complement.
        NotH = 5 => X_NOT_H reads Hold,
        /// `H ? b : a` (`TwoPort`).
        HSelect = 6 => X_H_SELECT if TwoPort reads Hold,
        /// The bit sensed on b.
        B = 7 => X_B,
        /// `H · D` (`AndNor`): the second multiplier bit times the delayed multiplicand bit.
        HD = 8 => X_HD if AndNor reads Hold Delay,
        /// Its complement (`AndNor`).
        NotHD = 9 => X_NOT_HD if AndNor reads Hold Delay,
        /// `D ? b : H` (`AndNor`): minimum and maximum, where H keeps the row read before.
        DSelect = 10 => X_D_SELECT if AndNor reads Hold Delay,
        /// One of eight rows (radix 4): U, P and T, as a number, say how many rows before this one it was read on a; 7
        /// is 0.
        Choice = 11 => X_CHOICE if Radix4 reads Predicate Hold,
        /// The subtrahend's bit recovered from two overlapping pairs (`AndNor`): `a ⊕ b ? ¬H : a`.
        Pair = 12 => X_PAIR if AndNor reads Hold,
        /// Its complement (`AndNor`).
        NotPair = 13 => X_NOT_PAIR if AndNor reads Hold,
        /// One of the last four by P and T, from the other end, 0 for the oldest, ⊕ H (radix 4). E and F do not take
        /// rows then, but count them.
        ReverseXorH = 14 => X_REVERSE_XOR_H if Radix4 reads Predicate Hold,
        /// [`X::Choice`] · H (radix 4).
        ChoiceAndH = 15 => X_CHOICE_AND_H if Radix4 reads Predicate Hold,
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
        TSelect = 5 => Y_T_SELECT if TwoPort,
        /// `T + (a ⊕ b)`: T, or the operands differ. With no row read it is T itself.
        Differ = 6 => Y_DIFFER,
        /// Constant 0.
        Zero = 7 => Y_ZERO,
        /// `T ? H : b` (`AndNor`).
        THSelect = 8 => Y_TH_SELECT if AndNor reads Hold,
        /// Constant 1 (`AndNor`).
        One = 9 => Y_ONE if AndNor,
        /// `T ? b : H` (`AndNor`).
        TBSelect = 10 => Y_TB_SELECT if AndNor reads Hold,
        /// `H · ¬T` (`AndNor`).
        HNotT = 11 => Y_H_NOT_T if AndNor reads Hold,
        /// Operand y of the overlapping-pair subtraction (`AndNor`): `p ⊕ ¬(T ⊕ a ⊕ b)`, p being [`X::Pair`].
        Pair = 12 => Y_PAIR if AndNor reads Hold,
        /// Its complement (`AndNor`).
        NotPair = 13 => Y_NOT_PAIR if AndNor reads Hold,
        /// `T · D` (`AndNor`).
        TD = 14 => Y_TD if AndNor reads Delay,
        /// Its complement (`AndNor`).
        NotTD = 15 => Y_NOT_TD if AndNor reads Delay,
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
        TMajority = 4 => OUT_T_MAJORITY if AndNor,
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
        TMajority = 4 => NEXT_T_MAJORITY if AndNor,
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

/// The column control of a table of latches.
#[doc(hidden)]
#[macro_export]
macro_rules! column_control {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+) => {
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
            $(#[doc = $doc] pub $letter: $action,)+
            /// What the second adder does (radix 4).
            pub second: Second,
            /// Further latches take note of the row, by what the second adder does (radix 4).
            pub gathers: bool,
            /// The row adds x, y and C alone, and K, M and G keep what they have for it (radix 4).
            pub alone: bool,
            /// Only columns with T = 1 take the write (`AndNor`).
            pub predicated: bool,
        }

        impl ColumnControl {
            /// As the low bits of a control word.
            #[inline]
            pub fn encode(&self) -> u64 {
                $crate::second::with_gathers(self.x.code(), self.gathers) << control::X_LSB
                    | $crate::second::with_alone(self.y.code(), self.alone) << control::Y_LSB
                    | (self.gate as u64) << control::GATE_LSB
                    | self.out.code() << control::OUT_LSB
                    | self.next.code() << control::NEXT_LSB
                    $(| self.$letter.code() << $lsb)+
                    | self.second.code() << SECOND_LSB
                    | (self.predicated as u64) << control::PREDICATED_LSB
            }

            /// What the low bits of a control word say to such columns; `None` if one of its codes means nothing.
            #[inline]
            pub fn decode(word: u64, columns: Columns) -> Option<ColumnControl> {
                let place = if columns == Columns::Radix4 { $crate::latch::mask(SECOND) } else { 0 };
                let second = word & place;
                let word = word & !second;
                let field = |lsb: usize, bits: usize| word >> lsb & ((1 << bits) - 1);
                let x = field(control::X_LSB, X::WIDTH);
                let (x, gathers) = if columns == Columns::Radix4 { $crate::second::gathers(x) } else { (x, false) };
                let y = field(control::Y_LSB, Y::WIDTH);
                let (y, alone) = if columns == Columns::Radix4 { $crate::second::alone(y) } else { (y, false) };
                Some(ColumnControl {
                    x: X::from_code(x)?,
                    y: Y::from_code(y)?,
                    gate: field(control::GATE_LSB, 1) == 1,
                    out: WriteBack::from_code(field(control::OUT_LSB, WriteBack::WIDTH))?,
                    next: Next::from_code(field(control::NEXT_LSB, Next::WIDTH))?,
                    $($letter: $action::from_code(field($lsb, $width))?,)+
                    second: Second::from_code(second >> SECOND_LSB)?,
                    gathers,
                    alone,
                    predicated: field(control::PREDICATED_LSB, 1) == 1,
                })
            }

            /// Whether the columns need a latch for it: an operand reads it, or it changes.
            #[inline]
            pub fn needs(&self, latch: Latch) -> bool {
                let gated = self.gate && latch == Latch::Predicate
                    || self.gathers && matches!(latch, Latch::Predicate | Latch::Hold);
                let changed = match latch { $($(Latch::$latch => self.$letter != $action::default(),)?)+ };
                gated || changed || self.x.reads(latch) || self.y.reads(latch) || self.second.reads(latch)
            }

            /// Whether it means something to such columns: its codes, and the latches that it needs.
            pub fn suits(&self, columns: Columns) -> bool {
                let codes = [
                    self.x.columns(), self.y.columns(), self.out.columns(), self.next.columns(),
                    self.second.columns(), $(self.$letter.columns(),)+
                ];
                let more = (self.gathers || self.alone).then_some(Columns::Radix4);
                codes.into_iter().chain([more]).flatten().all(|asked| columns.meet(asked))
                    && Latch::ALL.iter().all(|&latch| latch.suits(columns.sensing()) || !self.needs(latch))
            }

            /// Clears the latches for which `which` holds, of those that may be cleared when a command starts.
            pub fn clear(&mut self, which: impl Fn(&Entry) -> bool) {
                $($(if which(&$field) { self.$letter = $action::$clear; })?)+
            }
        }
    };
}
#[doc(hidden)]
pub use column_control;
each_latch!(column_control);
