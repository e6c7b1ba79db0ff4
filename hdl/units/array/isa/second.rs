//! What columns with radix 4 have besides the others: a second adder, which takes another bit of a multiplier, and the
//! latches around it. Its latches have no actions of their own. A row says what becomes of G ([`Second`]); K and M go
//! with C.
//!
//! ```text
//!  P · M ─▶ z ─┐
//!  x, y ───────┴▶ first adder ─▶ + C ─▶ w
//!                     └─ carries ─▶ second adder with K ─▶ majority ─▶ C, its carry ─▶ K
//! ```
//!
//! Rows whose operand x is one of eight ([`X::chooses`]) add x, y and C alone, and use the latches for what was read on
//! a: one row before it is in M, two before in G, three before in K, and three latches have the rows before. Where C is
//! cleared, or takes its last value of a pass, all six become 0. Which one is chosen is a number of three bits in U, P
//! and T. From the other end one of four is chosen; E, F and U count rows then, as the block `row_choice` says.
//!
//! Rows that add *alone* take x, y and C alone, too, and leave M, G and K as they are while C is held or takes the
//! majority: they may stand between rows that choose.
//!
//! In other rows those three and U note what would take passes of its own, and T and H take it in rows that *gather*
//! (the block `gathered_bits` has what). Where the second adder complements, such rows are those of quotients and roots
//! with two bits a pass: the remainder takes z = M ⊕ P, whose digit P complements as T does that of y, while E and F
//! are the carries of twice the new remainder less the divisor, and of twice that and the divisor. Behind the sign one
//! of them is the bit after it: the *next bit*, E where P is 1, else F.
//!
//! M and K are 0 outside of passes, because the last row of a pass clears them with C.

use crate::array::isa::code::code;
use crate::array::isa::latch::{self, Latch};
use crate::array::isa::row::Row;
use crate::array::isa::uop::X;
use crate::array::isa::word::{Field, control};

code! {
    /// What the second adder takes, and what its latches do. Operand z is P · M unless it says otherwise, and q is
    /// P · b, the product that hangs over the top row of a pass.
    Second {
        /// G and M keep.
        Off = 0 => SECOND_OFF,
        /// M takes b. Where a row chooses and P takes a, U takes P.
        Pass = 1 => SECOND_PASS if Radix4 reads Predicate,
        /// M takes b, G takes a: the multiplier's next bit waits in it. H, where it loads, takes G.
        Park = 2 => SECOND_PARK if Radix4 reads Predicate,
        /// Top row of a pass: H, where it loads, takes q ⊕ majority, the first bit above it; G takes the second one. In
        /// rows that gather H takes V, T's next bit is U, P takes w instead of a, and U takes P. The first row of a
        /// group where a row chooses from the other end.
        Top = 3 => SECOND_TOP if Radix4 reads Predicate,
        /// The same with q complemented. In rows that gather H takes F, T's next bit is E, and P takes w.
        TopNotQ = 4 => SECOND_TOP_NOT_Q if Radix4 reads Predicate,
        /// z is complemented; M takes b. In rows that gather, a row of a pass of two bits of a quotient or a root.
        NotPass = 5 => SECOND_NOT_PASS if Radix4 reads Predicate,
        /// z is complemented; else as where a bit waits. In rows that gather, the lowest row of a pass for a quotient.
        NotPark = 6 => SECOND_NOT_PARK if Radix4 reads Predicate,
        /// Top row with z complemented. In rows that gather, the first row of a pass for a root.
        NotTop = 7 => SECOND_NOT_TOP if Radix4 reads Predicate,
    }
}

/// Where [`Second`] stands in the control word of these columns: they have neither D, whose action is there in others,
/// nor writes to some columns only.
pub const SECOND: Field = Field { lsb: latch::D_LSB, bits: Second::WIDTH };
/// The bit of operand x's code by which a row gathers. Else only codes that choose have it.
const GATHERS: u64 = 1 << (GATHERS_LSB - control::X_LSB);
/// Its place in the control word.
pub const GATHERS_LSB: usize = control::X_LSB + 3;

/// The bit of operand y's code by which a row adds alone. Codes of these columns have none there.
const ALONE: u64 = 1 << (ALONE_LSB - control::Y_LSB);
/// Its place in the control word.
pub const ALONE_LSB: usize = control::Y_LSB + 3;

/// The code of operand y in the control word, with the bit of rows that add alone.
pub const fn with_alone(code: u64, alone: bool) -> u64 {
    if alone { code | ALONE } else { code }
}

/// The code of operand y without the bit of rows that add alone, and whether they do.
pub const fn alone(code: u64) -> (u64, bool) {
    (code & !ALONE, code & ALONE != 0)
}

/// The code of operand x in the control word, with the bit of rows that gather.
pub const fn with_gathers(code: u64, gathers: bool) -> u64 {
    if gathers { code | GATHERS } else { code }
}

/// The code of operand x without the bit of rows that gather, and whether they do.
pub fn gathers(code: u64) -> (u64, bool) {
    let chooses = X::from_code(code).is_some_and(X::chooses);
    if code & GATHERS == 0 || chooses { (code, false) } else { (code & !GATHERS, true) }
}

/// Lowest bit of [`SECOND`].
pub const SECOND_LSB: usize = SECOND.lsb;
/// Width of [`SECOND`].
pub const SECOND_BITS: usize = SECOND.bits;

const _: () = assert!(latch::D_LSB + latch::D_BITS == control::PREDICATED_LSB);
const _: () = assert!(SECOND_LSB + SECOND_BITS <= control::PREDICATED_LSB + control::PREDICATED_BITS);

/// Hands the latches of the second adder to a macro, behind whatever the caller has: text, register and letter of each,
/// and the latches without which there is nothing that it could be good for.
#[macro_export]
macro_rules! each_second_latch {
    ($then:ident $($before:tt)*) => {
        $then! {
            $($before)*
            {
                /// Second carry: twice the weight of C.
                second_carry k;
            }
            {
                /// Second hold: the second bit above a pass, or the multiplier's next bit.
                second_hold g;
            }
            {
                /// The multiplicand's bit one row late.
                multiplicand m with Predicate;
            }
            {
                /// What was read on a four rows before, where rows choose; else a 1 was in the multiplier, or a carry.
                four_before e with Predicate with Hold;
            }
            {
                /// What was read on a five rows before, where rows choose; else a 1 in the multiplicand, or a carry.
                five_before f with Predicate with Hold;
            }
            {
                /// What was read on a six rows before, where rows choose; else a 1 in low rows, a 0 on b, or w.
                six_before v with Predicate with Hold;
            }
            {
                /// Upper bit of the number by which rows choose, whose others P and T have; else a 0 on a, or a 1 on b.
                upper u with Predicate with Hold;
            }
        }
    };
}

impl X {
    /// Whether it is one of eight rows, those before this one waiting in M, G, K, E, F and V (radix 4).
    pub fn chooses(self) -> bool {
        matches!(self, X::Choice | X::ReverseXorH | X::ChoiceAndH)
    }
}

impl Second {
    /// Whether G takes the multiplier's next bit.
    pub fn parks(self) -> bool {
        matches!(self, Second::Park | Second::NotPark)
    }

    /// Whether z is complemented; in rows that gather, whether the row is of a pass of two bits.
    pub fn complements(self) -> bool {
        matches!(self, Second::NotPass | Second::NotPark | Second::NotTop)
    }

    /// Whether P takes w in rows that gather.
    pub fn gives_predicate(self) -> bool {
        matches!(self, Second::Top | Second::TopNotQ | Second::NotPass | Second::NotPark)
    }

    /// Whether it is the top row of a pass.
    pub fn is_top(self) -> bool {
        matches!(self, Second::Top | Second::TopNotQ | Second::NotTop)
    }
}

impl Row {
    /// Latches take note of it: E, F, V and U, by what the second adder does (radix 4).
    #[must_use]
    pub fn gather(mut self) -> Row {
        self.column.gathers = true;
        self
    }

    /// It adds x, y and C alone, whatever waits in the second adder's latches (radix 4).
    #[must_use]
    pub fn alone(mut self) -> Row {
        self.column.alone = true;
        self
    }

    /// What the second adder does (radix 4).
    #[must_use]
    pub fn second(mut self, second: Second) -> Row {
        self.column.second = second;
        self
    }
}
