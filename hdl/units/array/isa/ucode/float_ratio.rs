//! What functions of numbers have in common that are quotients in fixed point, or angles: the look at an
//! operand, the quotient of two numbers with a 1 on top, and the operand in place of the result.

use crate::array::isa::linear::{M, N};
use crate::array::isa::program::{Item, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Row, row};
use crate::array::isa::ucode::float_operation::properties;
use crate::array::isa::ucode::float_round as round;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// Rows of the direction of rounding.
pub(super) const MODE: u8 = 7;
/// The result is the operand.
pub(super) const SMALL: u8 = 9;
/// Rows before these are those of the direction, of [`Flag`] and of [`SMALL`].
pub(super) const FLAGS: u8 = SMALL + 1;
/// C: the exponent, of so many bits, is not less than this one. Rows give its bits and those of the other's negative,
/// added.
pub(super) fn not_less(bits: u8, exponent: u8) -> impl Iterator<Item = Row> {
    let field = A.j().plus(FRACTION);
    (0..bits).map(move |bit| {
        let y = if exponent.wrapping_neg() >> bit & 1 == 1 { Y::NotB } else { Y::Zero };
        chain(row().a(at(field, bit)).x(X::A).y(y))
    })
}

/// What the operand is, where its sign is that of the result; how results are rounded; whether the result is the
/// operand, which is so of exponents below the `least`. Subnormal numbers are zeros if operands or results are flushed.
/// `exponent` changes rows that the exponent less that one comes out of. C is 0 behind it.
pub(super) fn operand(bits: u8, least: u8, exponent: impl Fn(usize, Row) -> Row) -> (Vec<Item>, Vec<Row>) {
    let [finite, sign, nan, counts] = [Flag::Finite, Flag::Hidden, Flag::NotANumber, Flag::NotZero].map(flag);
    let hidden = round::flag(round::Flag::Bounded);
    let bit = || row().x(X::One).steer_x();
    let mut rows = vec![
        tag_out(row()).write(nan),
        // T: subnormal numbers are flushed; then: this is one.
        bit().tag(TagAction::W),
        bit().write(S.at(MODE)),
        bit().write(S.at(MODE + 1)),
        bit().tag(TagAction::Differ),
        row().a(hidden).x(X::NotA).tag(TagAction::And),
        tag_out(row()).not_sum().write(counts),
    ];
    rows.extend(not_less(bits, least).enumerate().map(|(bit, row)| exponent(bit, row)));
    rows.extend([
        row().not_sum().tag(TagAction::W).clear_carry(),
        row().a(counts).x(X::A).tag(TagAction::And),
        tag_out(row()).write(S.at(SMALL)),
    ]);
    (properties([finite, hidden, counts, sign], false), rows)
}

/// The quotient of two numbers with a 1 on top: n + 2 rows of the first from one above `here` on, below a row with 0 in
/// it, and n + 3 rows of the other in d. Of n bits the first one, which is 1 or 0, is in the row n + 3 then, the others
/// below it. I becomes less by n.
pub(super) fn quotient(here: Address) -> Vec<Item> {
    let first = chain(row().b(D.j()).y(Y::BXorT)).write(here).up();
    let next = first.a(here).x(X::A);
    let last = row().a(here).x(X::A).y(Y::BXorT).not_sum().write(here).carry_next(Next::NotSum).tag(TagAction::W);
    vec![
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W).carry_next(Next::One)),
        // As in `float_div`, from one pass before.
        outer(N, vec![once(first), each(N, next), once(next), once(next), once(last.rewind().i(OffsetAction::Down))]),
    ]
}

/// The fraction's bits behind the quotient's leading one, and the next one, in rows of `lower`, from its first one on;
/// `upper` is a row further. T: the quotient's first bit is 1. H: no quotient ends.
pub(super) fn significant(upper: Address, lower: Address) -> [Item; 2] {
    let chosen = row().a(upper).b(lower).y(Y::TSelect).write(lower).up();
    [each(FRACTION, chosen), once(chosen.hold_next(Next::One).rewind())]
}

/// Adds the key's bits, from its bit 1 up, in columns with T = 1. Y sees both ports, where the same row is T alone.
pub(super) fn constant_added(to: Address) -> Row {
    Row { steer_y: true, ..chain(row().a(to).b(to).x(X::A).y(Y::Differ)).write(to).up().key_shift(1) }
}

/// The operand in place of the result, in columns with a 1 in this scratch row.
pub(super) fn operand_instead(small: u8) -> Vec<Item> {
    let chosen = row().a(A.j()).b(D.j()).y(Y::TSelect).write(D.j()).up();
    vec![once(row().a(S.at(small)).tag(TagAction::A).rewind()), each(M, chosen), each(FRACTION, chosen), once(chosen)]
}
