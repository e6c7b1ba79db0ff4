//! Rows that the quotient of floating-point numbers works on, by name.
//!
//! ```text
//!  scratch: flags, 8 │ distance, remainder at last │ window, n − 2 │ 1      d: distance, exponent, m │ divisor, n − 2
//! ```
//!
//! The remainder of long formats comes down over the flags, whose place those take again behind it.
//!
//! The dividend is in the window, and every pass leaves the remainder a row further down and a bit of the quotient in
//! the row that it leaves at the top. At the end the window holds the quotient: the bits behind its leading 1, of which
//! the last one is a guard bit. With the row above it, which takes that 1, and one below it, the window is that of
//! sums.

use crate::array::isa::format::{F32, F64, Format};
use crate::array::isa::linear::{Linear, Term, ceil_log2};
use crate::array::isa::program::{Item, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, at, linear};
use crate::array::isa::uop::{TagAction, X, Y};

/// Scratch rows of one bit a column. Most are used for one thing after another.
#[derive(Clone, Copy, PartialEq, Eq)]
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
}

/// Number of flags.
const FLAGS: i16 = Flag::Sign as i16 + 1;

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

/// Where the window is.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// The format is long: the remainder comes down to the first scratch row but one, over flags, which have other rows
    /// meanwhile.
    pub(super) long: bool,
    /// Bits of the distance, of a long format.
    stages: u8,
}

impl Place {
    /// That of a format.
    pub(super) fn of(format: Format) -> Place {
        let stages = ceil_log2(i32::from(format.n())) as u8;
        Place { long: format == F32 || format == F64, stages }
    }

    /// Above the flags, whatever the format.
    pub(super) fn above_flags() -> Place {
        Place { long: false, stages: 0 }
    }

    /// Scratch rows.
    pub(super) fn scratch() -> Rows {
        Rows::by_format(|format| 2 * i32::from(format.n()) + i32::from(FLAGS - 1 - Place::of(format).lower()))
    }

    /// How much lower it is than where flags keep their rows.
    fn lower(self) -> i16 {
        if self.long { FLAGS + 3 } else { 0 }
    }

    /// Rows from one of those above the flags, and so many times n, up.
    fn from(self, n: i8, row: i16, index: Address) -> Address {
        index.plus(linear(n, Term::None, FLAGS + row - self.lower()))
    }

    /// The window from the row below its lowest one.
    pub(super) fn window(self, index: Address) -> Address {
        self.from(1, -1, index)
    }

    /// The window from the row above its lowest one: the fraction.
    pub(super) fn fraction_rows(self, index: Address) -> Address {
        self.from(1, 1, index)
    }

    /// The window from its lowest row.
    pub(super) fn below_fraction(self, index: Address) -> Address {
        self.from(1, 0, index)
    }

    /// Rows from two below the window up: the remainder's next place, for I and J.
    pub(super) fn remainder(self, index: Address) -> Address {
        self.from(1, -2, index)
    }

    /// The row of the bit behind those that a pass of two bits begins with, for I and J at its first row.
    pub(super) fn next_bit(self, index: Address) -> Address {
        self.from(2, -4, index)
    }

    /// Rows by number from two below the window up.
    pub(super) fn low(self, number: u8) -> Address {
        at(self.remainder(S.j()), number)
    }

    /// The window from its top row.
    pub(super) fn top(self, index: Address) -> Address {
        self.from(2, -3, index)
    }

    /// The row above the window.
    pub(super) fn hidden_row(self) -> Address {
        at(self.top(S.j()), 1)
    }

    /// Where the remainder is at the end, from one row below the second: there is no row of its lowest bit.
    pub(super) fn rest(self, index: Address) -> Address {
        self.from(0, 2, index)
    }

    /// While the remainder is where flags are, a row of d for what is known of the operands, behind the distance and
    /// its sign.
    fn kept(self, flag: Flag) -> Address {
        match flag {
            Flag::HIDDEN_B => D.at(self.stages),
            Flag::Infinite => D.at(self.stages + 1),
            Flag::Zero => D.at(self.stages + 2),
            _ => unreachable!("no row of d is for it"),
        }
    }

    /// The same of what flushed quotients know, whose divisor is in its operand. Each row is read before the result
    /// comes there, or where it does.
    pub(super) fn flushed(self, of: Flag) -> Address {
        match of {
            _ if !self.long => flag(of),
            Flag::Sign => D.row(SIGN),
            Flag::HIDDEN_A => D.at(0),
            Flag::HIDDEN_B => D.at(1),
            Flag::Infinite => D.at(2),
            Flag::Zero => D.at(3),
            Flag::NotANumber => D.at(4),
            // Known behind the quotient.
            Flag::Bounded | Flag::Overflow => flag(of),
        }
    }

    /// What is infinite, zero or NaN, which is both, to rows of d. C is 0 before and behind it; T is lost.
    pub(super) fn keep(self) -> Vec<Item> {
        if !self.long {
            return Vec::new();
        }
        let or_nan = |of: Flag| once(row().a(flag(of)).y(Y::Differ).write(self.kept(of)));
        vec![once(row().a(flag(Flag::NotANumber)).tag(TagAction::A)), or_nan(Flag::Infinite), or_nan(Flag::Zero)]
    }

    /// What stages of a reciprocal's divisor write, for J and for L.
    pub(super) fn stays(self) -> [Address; 2] {
        if self.long { [D.j(), D.l()] } else { [S.j(), S.l()].map(distance) }
    }

    /// A divisor's hidden bit, which a reciprocal keeps in place of the distance's sign.
    pub(super) fn hidden(self) -> Address {
        if self.long { self.kept(Flag::HIDDEN_B) } else { flag(Flag::HIDDEN_B) }
    }

    /// It, to its row. C is 0.
    pub(super) fn keep_hidden(self) -> Option<Item> {
        self.long.then(|| once(row().a(flag(Flag::HIDDEN_B)).x(X::A).write(self.hidden())))
    }

    /// Back to the flags. C is 0 before and behind it.
    pub(super) fn give_back(self) -> Vec<Item> {
        if !self.long {
            return Vec::new();
        }
        let back = |of: Flag| once(row().a(self.kept(of)).x(X::A).write(flag(of)));
        let both = row().a(self.kept(Flag::Infinite)).b(self.kept(Flag::Zero)).x(X::A).y(Y::B).majority();
        vec![back(Flag::Infinite), back(Flag::Zero), once(both.write(flag(Flag::NotANumber)))]
    }
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
