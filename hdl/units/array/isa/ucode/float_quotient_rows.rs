//! Rows that the quotient of floating-point numbers works on, by name.
//!
//! ```text
//!  scratch: flags, 8 │ distance, remainder at last │ window, n − 2 │ 1        d: exponent, m │ divisor, n − 2
//! ```
//!
//! The dividend is in the window, and every pass leaves the remainder a row further down and a bit of the quotient in
//! the row that it leaves at the top. At the end the window holds the quotient: the bits behind its leading 1, of which
//! the last one is a guard bit. With the row above it, which takes that 1, and one below it, the window is that of
//! sums.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::row::Address;
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::ucode::float_rows::{FRACTION, at, linear};

/// Scratch rows of one bit a column. Most are used for one thing after another.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// Hidden bit of a; then: the exponent's bit m; then: rounding is directed away from zero.
    Away,
    /// Hidden bit of b; then: the exponent's sign; then: rounding is not to nearest.
    Directed,
    /// An operand is NaN; the exponent's lowest bit as it counts, of a; the distance is more than its low bits; then:
    /// what is too large does not become infinite.
    Bounded,
    /// a is finite; then: a is infinite, or b is zero; then: the result is neither finite nor too large.
    Infinite,
    /// b is finite; then: a is zero, or b is infinite.
    Zero,
    /// a is not zero; then: the result is NaN.
    NotANumber,
    /// b is not zero; the exponent's lowest bit as it counts, of b; then: what is too large.
    Overflow,
    /// The result's sign.
    Sign,
}

impl Flag {
    /// Hidden bit of a.
    pub(super) const HIDDEN_A: Flag = Flag::Away;
    /// Hidden bit of b.
    pub(super) const HIDDEN_B: Flag = Flag::Directed;
    /// The exponent's bit m.
    pub(super) const TOP: Flag = Flag::Away;
    /// The exponent is negative.
    pub(super) const NEGATIVE: Flag = Flag::Directed;
    /// An operand is NaN.
    pub(super) const NAN_GIVEN: Flag = Flag::Bounded;
    /// Lowest bit of a's exponent.
    pub(super) const LOWEST_A: Flag = Flag::Bounded;
    /// The remainder is negative.
    pub(super) const BELOW: Flag = Flag::Bounded;
    /// The distance is more than its low bits.
    pub(super) const FAR: Flag = Flag::Bounded;
    /// a is finite.
    pub(super) const FINITE_A: Flag = Flag::Infinite;
    /// b is finite.
    pub(super) const FINITE_B: Flag = Flag::Zero;
    /// a is not zero.
    pub(super) const COUNTS_A: Flag = Flag::NotANumber;
    /// b is not zero.
    pub(super) const COUNTS_B: Flag = Flag::Overflow;
    /// Lowest bit of b's exponent.
    pub(super) const LOWEST_B: Flag = Flag::Overflow;
}

/// Number of flags.
const FLAGS: i16 = Flag::Sign as i16 + 1;

/// Scratch rows.
pub(super) const SCRATCH: Linear = linear(2, Term::None, FLAGS - 1);
/// Bits of a significand, its hidden bit among them.
pub(super) const SIGNIFICAND: Linear = linear(1, Term::None, -2);

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// What stages of the divisor write; then the distance.
pub(super) fn distance(index: Address) -> Address {
    index.plus(FLAGS)
}

/// Rows of the distance by number; before and after it is there, what is true of the columns for a while.
pub(super) fn passing(number: u8) -> Address {
    at(distance(S.j()), number)
}

/// The window from the row below its lowest one.
pub(super) fn window(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS - 1))
}

/// The window from the row above its lowest one: the fraction.
pub(super) fn fraction_rows(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS + 1))
}

/// The window from its lowest row.
pub(super) fn below_fraction(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS))
}

/// Rows from two below the window up: the remainder's next place, for I and J.
pub(super) fn remainder(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS - 2))
}

/// The row of the bit behind those that a pass of two bits begins with, for I and J at its first row.
pub(super) fn next_bit(index: Address) -> Address {
    index.plus(linear(2, Term::None, FLAGS - 4))
}

/// Rows by number from two below the window up.
pub(super) fn low(number: u8) -> Address {
    at(remainder(S.j()), number)
}

/// The window from its top row.
pub(super) fn top(index: Address) -> Address {
    index.plus(linear(2, Term::None, FLAGS - 3))
}

/// The row above the window.
pub(super) fn hidden_row() -> Address {
    at(top(S.j()), 1)
}

/// Where the remainder is at the end.
pub(super) fn rest(index: Address) -> Address {
    index.plus(FLAGS + 2)
}

/// The divisor.
pub(super) fn divisor(index: Address) -> Address {
    index.plus(linear(0, Term::M, 0))
}

/// The divisor from its top row.
pub(super) fn divisor_top(index: Address) -> Address {
    index.plus(linear(1, Term::M, -3))
}

/// The exponents of a and b.
pub(super) fn fields() -> (Address, Address) {
    (A.j().plus(FRACTION), B.j().plus(FRACTION))
}

/// The result's exponent, where it is at the end.
pub(super) fn result_field() -> Address {
    D.j().plus(FRACTION)
}
