//! Unpacked numbers: where the bits of a sum lie that is neither normalised nor rounded (Duality Cache, ISCA 2019,
//! §3.1 and §3.4: numbers are packed and unpacked only where a sequence of operations begins and ends).
//!
//! | rows | of binary32 | what |
//! |---|---|---|
//! | 0 to n + 5 | 0 to 31 | S, the significand, in two's complement |
//! | n + 6 to n + m + 5 | 32 to 39 | E, the exponent as the format has it, but 1 for subnormal numbers and zero |
//! | n + m + 6, n + m + 7 | 40, 41 | some term was positive; some term was negative: zeros, too |
//! | n + m + 8, n + m + 9 | 42, 43 | some term was +∞; some term was −∞; both: it is NaN |
//!
//! From row 0 up S has three guard bits, of which the lowest says that it or something below it was 1; the fraction;
//! the hidden bit; four bits for carries; the sign. The number is S · 2^(E − bias − fraction bits − 3). Sixteen terms
//! have room in S, in whatever order they are added; a sum that has none sets the flags of both infinities, so that it
//! becomes NaN and no wrong number.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::row::{Address, Operand};
use crate::array::isa::ucode::float_rows::{at, linear};

/// Bits below the fraction.
pub(super) const GUARD: i16 = 3;
/// Bits for carries above the hidden bit, and the sign.
pub(super) const ABOVE: i16 = 5;
/// Rows of the significand: n has the hidden bit and two bits behind the fraction.
pub(super) const SIGNIFICAND: Linear = linear(1, Term::None, GUARD + ABOVE - 2);
/// Rows of the significand beyond n.
pub(super) const BEYOND: i16 = GUARD + ABOVE - 2;
/// The significand but its sign.
pub(super) const BELOW_SIGN: Linear = linear(1, Term::None, BEYOND - 1);
/// Rows of significand and exponent.
pub(super) const WITHOUT_FLAGS: Linear = linear(1, Term::M, BEYOND);
/// Number of flags.
pub(super) const FLAGS: i16 = 4;
/// All rows of an unpacked number.
pub(super) const ROWS: Linear = linear(1, Term::M, BEYOND + FLAGS);

/// A flag.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// Some term was positive.
    Positive,
    /// Some term was negative.
    Negative,
    /// Some term was +∞.
    PlusInfinite,
    /// Some term was −∞.
    MinusInfinite,
}

/// The exponent of an operand, from its lowest bit up.
pub(super) fn exponent(of: Operand) -> Address {
    of.j().plus(SIGNIFICAND)
}

/// The sign of an operand's significand.
pub(super) fn sign(of: Operand) -> Address {
    at(of.j().plus(BELOW_SIGN), 0)
}

/// The flags of an operand, from the first one up.
pub(super) fn flags(of: Operand) -> Address {
    of.j().plus(WITHOUT_FLAGS)
}

/// One of them.
pub(super) fn flag(of: Operand, flag: Flag) -> Address {
    at(flags(of), flag as u8)
}
