//! Tangents of binary32, binary16 and bfloat16 numbers of any size, in the array: sine and cosine as [`float_sincos`]
//! has them, and their quotient.
//!
//! ```text
//!  a ─▶ sine, cosine, quadrant ─▶ sine up ─▶ sine / cosine, or in odd quadrants cosine / sine
//!      ─▶ exponent ─▶ round ─▶ d
//! ```
//!
//! The angle is at most an eighth of a turn, so that the cosine has a 1 in the same row always, and the sine goes up
//! until it has. Which of them is the divisor, in d, is the quadrant's last bit, and the exponent is that of the sine's
//! distance or its negative. The vector begins as (3/4, 0): a quotient needs no gain. A sine of 0 becomes the least
//! number that is not, since the angle has that error at least, and a divisor is not 0; of binary16, whose exponents
//! would be too small or too large, it becomes 2⁻¹³.
//!
//! The tangent of a small operand is the operand. T, C and H have the meanings that comments give them.
//!
//! [`float_sincos`]: super::float_sincos

use crate::array::isa::format::{F16, Format};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{OffsetAction, Row, StrideAction, row};
use crate::array::isa::ucode::cordic_rows::both;
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_ratio::{operand_instead, quotient, significant};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sincos::{all, strides, vector};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::ucode::float_turns::{
    CHANGED, MODE, MORE, ODD, Places, SCRATCH, SIGN, bits_of_two_over_pi, operand, turns,
};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The quotient's bits from the lowest one of the fraction, from the row below the dividend, which begins where the
/// product did.
const ROUNDED: i16 = 5;

/// The row of the sine in which it and the cosine have a 1 on top.
fn top_row(places: Places) -> i16 {
    places.rows - 2
}

/// d ← the tangent of a.
pub(super) fn tangent() -> Operation {
    let program = |format: Format| {
        let places = Places::new(format);
        let mut body = operand(places);
        body.extend(bits_of_two_over_pi(places));
        body.extend(turns(places));
        let (x, top) = (places.first(), top_row(places) as u8);
        let mut first = all(places, row().write(x).up());
        first.extend([top, top - 1].map(|bit| once(row().x(X::One).write(at(x, bit)))));
        body.extend(vector(places, first));
        body.extend(magnitude(places));
        body.extend(operands(places));
        body.extend(result(places));
        places.program("ftan", body)
    };
    of_wide_and_short(Opcode::FTan, by_width!(5_443, 1_900, 1_659), SCRATCH, program)
}

/// The sign, and the sine's magnitude up until a 1 is on top. What stages write is all ones less the
/// distance. I and the
/// stride become 0.
fn magnitude(places: Places) -> Vec<Item> {
    let (here, own) = (places.sine(S.j()), S.at(CHANGED));
    let first = places.sine_row() + top_row(places);
    let (top, far) = (S.j().plus(first), S.k().plus(first));
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    // The cosine's top row, which is 0, is passed as well.
    let fill = row().b(far).y(Y::TB).write(far).down().rewind();
    let mut items = vec![
        once(row().clear_carry()),
        once(row().a(at(here, places.rows as u8 - 1)).tag(TagAction::A)),
        // Zeros have the operand's sign.
        once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(own)),
        once(row().a(S.at(ODD)).b(S.at(SIGN)).x(X::A).y(Y::BXorT).write(flag(Flag::Hidden))),
        once(both(own)),
    ];
    items.extend(all(places, chain(row().b(here).y(Y::BXorT)).write(here).up()));
    items.extend(strides());
    if places.passes.format == F16 {
        // T: nothing in 14 rows on top.
        let least = at(here, (top_row(places) - 13) as u8);
        items.push(once(row().tag(TagAction::Zero)));
        let last = |row: Row| row.rewind();
        items.extend(places.passes.times(14, row().a(top).x(X::A).tag(TagAction::Differ).down(), last));
        items.push(once(tag_out(row()).not_sum().tag(TagAction::W)));
        items.push(once(row().b(least).y(Y::Differ).write(least)));
    } else {
        items.push(once(row().x(X::One).write(at(here, 0))));
    }
    for stage in (0..places.stages as u8).rev() {
        items.extend([
            once(row().tag(TagAction::Zero)),
            // T: a 1 in the rows on top.
            each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
            once(tag_out(row()).write(S.at(places.k + stage))),
            each(MORE, moved),
            each(Count::StrideRest, moved),
            each(Count::Stride, halve(fill)),
        ]);
    }
    items
}

/// Divisor and dividend, and the quotient. I becomes 1 − n.
fn operands(places: Places) -> Vec<Item> {
    let (x, y, product) = (places.even(S.k()), places.sine(S.k()), places.product());
    let divisor = row().a(y).b(x).y(Y::TSelect).write(D.j()).up();
    let dividend = row().a(x).b(y).y(Y::TSelect).write(product).up();
    let rows = places.n + 3;
    let mut items =
        vec![once(row().a(S.at(ODD)).tag(TagAction::A).i(OffsetAction::Up)), once(row().i(OffsetAction::Up))];
    items.extend(places.passes.times(rows, divisor, |row| row.rewind().i(OffsetAction::Up)));
    // With a 0 above it.
    items.extend(places.passes.times(rows, dividend, |row| row.rewind().i(OffsetAction::Halve)));
    items.extend(quotient(S.k().plus(places.product_row() - 2)));
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result(places: Places) -> Vec<Item> {
    let (odd, first) = (S.at(ODD), at(places.product(), (places.n + 2) as u8));
    let (field, rounded) = (D.j().plus(FRACTION), places.product_row() - 1 + ROUNDED);
    let (here, below) = (S.j().plus(rounded), S.j().plus(rounded - 1));
    let (bits, stages) = (places.exponent as u8, places.stages as u8);
    let mut items =
        vec![once(row().a(odd).tag(TagAction::A).clear_carry()), once(row().a(odd).x(X::A).carry_next(Next::NotSum))];
    // The bias less the distance, or more by it; less one where the quotient is less than 1.
    items.extend((0..bits).map(|bit| {
        let exponent = match bit {
            0 => row().a(first).b(S.at(places.k)).x(X::A).y(Y::BXorT),
            _ if bit < stages => row().b(S.at(places.k + bit)).x(X::One).y(Y::BXorT),
            _ if bit < bits - 1 => row().a(odd).x(X::NotA).y(Y::NotB),
            _ => row().a(odd).x(X::A).y(Y::NotB),
        };
        once(chain(exponent).write(at(field, bit)))
    }));
    items.push(once(row().a(first).tag(TagAction::A).clear_carry()));
    items.extend(significant(here, below));
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 0), at(below, 0)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], here, field));
    items.extend(operand_instead(places.small));
    items
}
