//! What conversions have in common: what an operand is; what the direction of rounding means in each column, and
//! whether rounding adds. Three flags are in the first rows of the scratch area.

use crate::array::isa::format::{E4M3, Format};
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::Operand::{A, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_rows::{chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The closed form of a conversion's cycles, which are a function for each number of bits of fraction and exponent, and
/// for integers with and without a sign.
macro_rules! by_format {
    ($cycles:ident, $format:expr, $signed:expr) => {
        match ($format.fraction, $signed) {
            (2, false) => $cycles::<2, 5, false>,
            (2, true) => $cycles::<2, 5, true>,
            (3, false) => $cycles::<3, 4, false>,
            (3, true) => $cycles::<3, 4, true>,
            (7, false) => $cycles::<7, 8, false>,
            (7, true) => $cycles::<7, 8, true>,
            (10, false) => $cycles::<10, 5, false>,
            (10, true) => $cycles::<10, 5, true>,
            (23, false) => $cycles::<23, 8, false>,
            (23, true) => $cycles::<23, 8, true>,
            (_, false) => $cycles::<52, 11, false>,
            (_, true) => $cycles::<52, 11, true>,
        }
    };
}
pub(super) use by_format;

/// Scratch rows of one bit a column.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// Rounding is directed away from zero.
    Away,
    /// Rounding is not to nearest.
    Directed,
    /// Rounding is toward zero.
    Bounded,
}

/// Number of flags.
pub(super) const FLAGS: i16 = Flag::Bounded as i16 + 1;

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// Whether a is finite, has a hidden bit, is NaN. T and H are lost.
pub(super) fn properties(format: Format, finite: Address, hidden: Address, nan: Address) -> Vec<Item> {
    let (fraction, exponent) = (i16::from(format.fraction), i16::from(format.exponent));
    let bits = A.j().plus(fraction);
    // T: a 0 in the exponent. H: a 1.
    let look = row().a(bits).b(bits).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ).hold(HoldAction::Differ);
    let hidden = once(row().x(X::H).write(hidden).hold(HoldAction::Zero));
    let keep_finite = once(tag_out(row()).write(finite).tag(TagAction::Zero));
    let fractions = |x: X| each(fraction, row().a(A.j()).x(x).tag(TagAction::Differ).up().rewind());
    let not_finite = row().a(finite).x(X::NotA).write(nan);
    let mut items = vec![each(exponent, look.up().rewind())];
    if format == E4M3 {
        items.extend([hidden, fractions(X::NotA), keep_finite, once(not_finite)]);
    } else {
        items.extend([keep_finite, hidden, fractions(X::A), once(tag_out(not_finite).majority())]);
    }
    items
}

/// Where the bits of the mode are that say how to round, and whether subnormal results are flushed.
#[derive(Clone, Copy)]
pub(super) enum Bits {
    /// The key's next ones.
    Key,
    /// Scratch rows from this one on: constants have taken the key.
    Rows(u8),
}

impl Bits {
    /// A bit of the direction, as operand x. The key goes on to the next one.
    fn direction(self, at: u8) -> Row {
        match self {
            Bits::Key => row().x(X::One).steer_x(),
            Bits::Rows(first) => row().a(S.at(first + at)).x(X::A),
        }
    }

    /// Subnormal results are flushed, as operand x. The key stays.
    pub(super) fn flushed(self) -> Row {
        match self {
            Bits::Key => row().x(X::One).steer_x().key_shift(0),
            Bits::Rows(first) => row().a(S.at(first + 2)).x(X::A),
        }
    }

    /// Subnormal results count, as operand x.
    pub(super) fn kept(self) -> Row {
        match self {
            Bits::Key => row().x(X::Zero).steer_x(),
            Bits::Rows(first) => row().a(S.at(first + 2)).x(X::NotA),
        }
    }
}

/// The flags, from the key's next two bits and the sign; numbers without one are positive. T is lost, C is 0 before and
/// after.
pub(super) fn directions(sign: Option<Address>) -> Vec<Item> {
    directions_of(sign, Bits::Key)
}

/// The same, from bits that may be elsewhere.
pub(super) fn directions_of(sign: Option<Address>, bits: Bits) -> Vec<Item> {
    let away = tag_out(bits.direction(1)).key_shift(0);
    let away = sign.map_or(away, |sign| away.b(sign)).majority().write(flag(Flag::Away));
    let bounded = row().a(flag(Flag::Directed)).b(flag(Flag::Away)).x(X::A).y(Y::NotB).majority();
    vec![
        once(bits.direction(0).tag(TagAction::W)),
        once(away.carry_next(Next::One)),
        once(tag_out(bits.direction(1)).majority().write(flag(Flag::Directed)).clear_carry()),
        once(bounded.write(flag(Flag::Bounded))),
    ]
}

/// C: rounding adds, to a magnitude with this lowest bit and this bit behind it. H: there are more ones behind. T is
/// lost.
pub(super) fn adds(lowest: Address, behind: Address) -> Vec<Item> {
    // The carry out of: the bit behind; T; away from zero. T: rest of a number that is not rounded toward zero, or last
    // bit of one that is rounded to nearest.
    let rest = row().b(flag(Flag::Bounded)).x(X::H).y(Y::NotB).majority().tag(TagAction::W);
    let odd = row().a(flag(Flag::Directed)).b(lowest).x(X::A).y(Y::B).majority().tag(TagAction::Differ);
    vec![
        once(rest),
        once(odd),
        once(row().a(flag(Flag::Away)).carry_next(Next::AAndNotY)),
        once(chain(tag_out(row().a(behind).x(X::A)))),
    ]
}
