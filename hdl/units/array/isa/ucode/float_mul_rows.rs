//! Rows that the product of floating-point numbers works on, by name.
//!
//! ```text
//!  scratch: flags │ high rows, n │ distance, 6 │ exponent, m        d: low rows, n + m − 3, and one more
//! ```
//!
//! The product lies in the high rows, top bit in their last one, and goes on in the low rows below them: row n + m − 4
//! of d is next to high row 0. d has as many rows as the barrel shifter's strides add up to, and one: a number's bits
//! are 2 to the power of ⌈log2 n⌉ in every format. A shift by that moves high row j to low row j − 1.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, Operand};
use crate::array::isa::ucode::float_rows::{FRACTION, at, linear};

/// Scratch rows of one bit a column. Most are used for one thing after another.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// The result is NaN.
    NotANumber,
    /// Both operands are numbers.
    Numbers,
    /// The result's sign, but for NaN.
    Sign,
    /// The exponent is negative; then: bits that left the low rows.
    Below,
    /// Hidden bit of a; then: numbers whose exponent is not too large; then: the fraction is not set to all ones.
    InRange,
    /// Hidden bit of b; then: rounding is away from zero.
    Away,
    /// An operand counts as zero; then: the fraction is not killed.
    Zero,
    /// The exponent is more than what is left to shift; then: what is too large does not become infinite.
    Bounded,
}

impl Flag {
    /// Hidden bit of a.
    pub(super) const HIDDEN_A: Flag = Flag::InRange;
    /// Hidden bit of b.
    pub(super) const HIDDEN_B: Flag = Flag::Away;
    /// Neither operand counts as zero.
    pub(super) const NOT_ZERO: Flag = Flag::Zero;
    /// Bits that left the low rows.
    pub(super) const STICKY: Flag = Flag::Below;
    /// The fraction is not set to all ones.
    pub(super) const NOT_ONES: Flag = Flag::InRange;
    /// The fraction is not killed.
    pub(super) const ALIVE: Flag = Flag::Zero;
    /// The exponent is more than what is left to shift.
    pub(super) const LARGE: Flag = Flag::Bounded;
}

/// Number of flags: the high rows follow them.
pub(super) const FLAGS: i16 = Flag::Bounded as i16 + 1;
/// Rows of the distance: stages of the widest format.
const STAGES: i16 = 6;

/// Scratch rows.
pub(super) const SCRATCH: Linear = linear(1, Term::M, FLAGS + STAGES);

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// High rows by number.
pub(super) fn high(number: u8) -> Address {
    S.at(FLAGS as u8 + number)
}

/// High rows from row 1 up.
pub(super) fn high_from_one(index: Address) -> Address {
    high_from(index, 1)
}

/// High rows from a row up.
pub(super) fn high_from(index: Address, first: i16) -> Address {
    index.plus(FLAGS + first)
}

/// High rows by the row of a product and 1, of which the low half has n − 4 rows.
pub(super) fn by_product_row(index: Address) -> Address {
    index.plus(linear(-1, Term::None, FLAGS + 3))
}

/// High rows from the top one, which is n − 1.
pub(super) fn top(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS - 1))
}

/// The product's top bit: the bit in front of the fraction, where the result is normal.
pub(super) fn top_bit() -> Address {
    at(top(S.j()), 0)
}

/// Rows of d from m up.
pub(super) fn low_from_m(index: Address) -> Address {
    index.plus(linear(0, Term::M, 0))
}

/// Rows of d from m + 2 up.
pub(super) fn low_from_m_and_two(index: Address) -> Address {
    index.plus(linear(0, Term::M, 2))
}

/// Low rows from the top one, for an index that is −n there.
pub(super) fn low_top(index: Address) -> Address {
    index.plus(linear(2, Term::M, -4))
}

/// The distance's bits; before and after it is there, what is true of the columns for a while.
pub(super) fn distance(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS))
}

/// Rows of the distance by number.
pub(super) fn passing(number: u8) -> Address {
    at(top(S.j()), number + 1)
}

/// The exponent's bits.
pub(super) fn exponent(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS + STAGES))
}

/// The exponent's bit of the stage whose bit of the distance is row L of the scratch area.
pub(super) fn exponent_of_stage() -> Address {
    S.l().plus(STAGES)
}

/// An operand's exponent.
pub(super) fn field(index: Address) -> Address {
    index.plus(FRACTION)
}

/// The exponents of a and b.
pub(super) fn fields() -> (Address, Address) {
    (field(A.j()), field(B.j()))
}

/// The lowest bit of an operand's exponent.
pub(super) fn lowest(operand: Operand) -> Address {
    at(field(operand.j()), 0)
}

/// The result's exponent.
pub(super) fn result_field() -> Address {
    field(D.j())
}
