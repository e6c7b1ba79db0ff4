//! Scratch rows of floating-point sums, and short words for the rows of their programs.
//!
//! Flags come first, a row each; then the window of n + 1 rows, then the difference of the exponents, m rows.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, Index, Row};
use crate::array::isa::uop::{Next, Y};

/// Scratch rows of one bit a column. Some are used twice.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// a and b have the same magnitude.
    Equal,
    /// Magnitudes are subtracted.
    Subtract,
    /// Sign of the larger operand.
    Sign,
    /// The larger operand's fraction is 0; then: the result is NaN.
    NotANumber,
    /// The larger operand is a number.
    Finite,
    /// The larger operand's hidden bit.
    Hidden,
    /// The smaller operand is flushed.
    Flushed,
    /// The sticky bit; then: what rounding adds.
    Sticky,
    /// Rounding is directed away from zero.
    Away,
    /// Rounding is not to nearest.
    Directed,
    /// What is too large does not become infinite.
    Bounded,
    /// Rounding is down.
    Down,
    /// The exponent is more than its low bits; then: the fraction is not set to all ones.
    Large,
}

/// Number of flags: the window follows them.
pub(super) const FLAGS: i16 = Flag::Large as i16 + 1;

/// A linear expression.
pub(super) const fn linear(n: i8, term: Term, constant: i16) -> Linear {
    Linear { n, term, constant, shift: 0 }
}

/// Bits of the fraction.
pub(super) const FRACTION: Linear = linear(1, Term::None, -3);
/// Row of the sign.
pub(super) const SIGN: Linear = linear(1, Term::M, -3);
/// First row of the difference of the exponents, which has m rows and is followed by nothing.
pub(super) const DIFFERENCE: Linear = linear(1, Term::None, FLAGS + 1);

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// A row at a literal index from the base of another address.
pub(super) fn at(base: Address, index: u8) -> Address {
    Address { index: Index::Immediate(index), ..base }
}

/// The window from its row 0 up.
pub(super) fn window(index: Address) -> Address {
    index.plus(FLAGS)
}

/// The window's low rows by number.
pub(super) fn low(number: u8) -> Address {
    S.at(FLAGS as u8 + number)
}

/// The window from its row n − 1 up.
pub(super) fn top(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS - 1))
}

/// The window's row n − 1.
pub(super) fn hidden_row() -> Address {
    at(top(S.j()), 0)
}

/// The window's row n.
pub(super) fn carry_row() -> Address {
    at(top(S.j()), 1)
}

/// The larger operand's exponent, then the result's.
pub(super) fn exponent(index: Address) -> Address {
    index.plus(FRACTION)
}

/// The lowest bit of the larger exponent.
pub(super) fn lowest() -> Address {
    at(exponent(D.j()), 0)
}

/// Whether the columns' fractions are killed.
pub(super) fn killed() -> Address {
    at(S.j().plus(DIFFERENCE), 0)
}

/// Adds x and y to the carry.
pub(super) fn chain(row: Row) -> Row {
    row.carry_next(Next::Majority)
}

/// w is T.
pub(super) fn tag_out(row: Row) -> Row {
    row.y(Y::BXorT)
}
