//! Tangents of binary32 numbers of any size, in the array: sine and cosine as [`float_sincos`] has them, and their
//! quotient.
//!
//! ```text
//!  a ─▶ sine, cosine, quadrant ─▶ sine up ─▶ sine / cosine, or in odd quadrants cosine / sine
//!      ─▶ exponent ─▶ round ─▶ d
//! ```
//!
//! The angle is at most an eighth of a turn, so that the cosine has a 1 in the same row always, and the sine goes up
//! until it has. Which of them is the divisor, in d, is the quadrant's last bit, and the exponent is that of the sine's
//! distance or its negative. The vector begins as (3/4, 0): a quotient needs no gain. A sine of 0 becomes the least
//! number that is not, since the angle has that error at least, and a divisor is not 0.
//!
//! The tangent of an operand below 2⁻⁸ is the operand. T, C and H have the meanings that comments give them.
//!
//! [`float_sincos`]: super::float_sincos

use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{OffsetAction, Row, StrideAction, row};
use crate::array::isa::ucode::cordic_rows::both;
use crate::array::isa::ucode::float_operation::of_binary32;
use crate::array::isa::ucode::float_ratio::{operand_instead, quotient, significant};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sincos::{
    BEHIND, CHANGED, K, MODE, MORE, ODD, PRODUCT, SCRATCH, SIGN, SINE, SMALL, all, bits_of_two_over_pi, even, operand,
    product, sine, strides, turns, vector,
};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The row, of 32, in which sine and cosine have a 1 on top.
const TOP: u8 = 30;
/// The row below the dividend, which begins where the product did.
const BELOW: i16 = PRODUCT - 1;
/// The quotient's first bit, by number from there.
const FIRST: u8 = 28;
/// The quotient's bits from the lowest one of the fraction.
const ROUNDED: i16 = BELOW + 5;

/// d ← the tangent of a.
pub(super) fn tangent() -> Operation {
    let mut body = operand();
    body.extend(bits_of_two_over_pi());
    body.extend(turns());
    let mut first = Vec::from(all(row().write(even(S.j())).up()));
    first.extend([TOP, TOP - 1].map(|bit| once(row().x(X::One).write(at(even(S.j()), bit)))));
    body.extend(vector(first));
    body.extend(magnitude());
    body.extend(operands());
    body.extend(result());
    let program = Program::new("ftan", body).i(16).z(i16::from(BEHIND) - 1);
    of_binary32(Opcode::FTan, |_, _| CYCLES, SCRATCH, program)
}

const CYCLES: i64 = 5_443;

/// The sign, and the sine's magnitude up until a 1 is on top. What stages write is 31 less the distance. I and the
/// stride become 0.
fn magnitude() -> Vec<Item> {
    let (here, own) = (sine(S.j()), S.at(CHANGED));
    let (top, far) = (S.j().plus(SINE + i16::from(TOP)), S.k().plus(SINE + i16::from(TOP)));
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    // The cosine's top row, which is 0, is passed as well.
    let fill = row().b(far).y(Y::TB).write(far).down().rewind();
    let mut items = vec![
        once(row().clear_carry()),
        once(row().a(at(here, 31)).tag(TagAction::A)),
        // Zeros have the operand's sign.
        once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(own)),
        once(row().a(S.at(ODD)).b(S.at(SIGN)).x(X::A).y(Y::BXorT).write(flag(Flag::Hidden))),
        once(both(own)),
    ];
    items.extend(all(chain(row().b(here).y(Y::BXorT)).write(here).up()));
    items.extend(strides());
    items.push(once(row().x(X::One).write(at(here, 0))));
    for stage in (0..5).rev() {
        items.extend([
            once(row().tag(TagAction::Zero)),
            // T: a 1 in the rows on top.
            each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
            once(tag_out(row()).write(S.at(K + stage))),
            each(MORE, moved),
            each(Count::StrideRest, moved),
            each(Count::Stride, halve(fill)),
        ]);
    }
    items
}

/// Divisor and dividend, and the quotient. I becomes −25.
fn operands() -> Vec<Item> {
    let (x, y) = (even(S.k()), sine(S.k()));
    let divisor = row().a(y).b(x).y(Y::TSelect).write(D.j()).up();
    let dividend = row().a(x).b(y).y(Y::TSelect).write(product()).up();
    let mut items = vec![
        once(row().a(S.at(ODD)).tag(TagAction::A).i(OffsetAction::Up)),
        once(row().i(OffsetAction::Up)),
        each(FRACTION, divisor),
        each(MORE, divisor.rewind().i(OffsetAction::Up)),
        // With a 0 above it.
        each(FRACTION, dividend),
        each(MORE, dividend.rewind().i(OffsetAction::Halve)),
    ];
    items.extend(quotient(S.k().plus(BELOW - 1)));
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result() -> Vec<Item> {
    let (odd, first, field) = (S.at(ODD), at(product(), FIRST), D.j().plus(FRACTION));
    let (here, below) = (S.j().plus(ROUNDED), S.j().plus(ROUNDED - 1));
    let mut items =
        vec![once(row().a(odd).tag(TagAction::A).clear_carry()), once(row().a(odd).x(X::A).carry_next(Next::NotSum))];
    // 127 less the distance, or more by it; less one where the quotient is less than 1.
    items.extend((0..8).map(|bit| {
        let exponent = match bit {
            0 => row().a(first).b(S.at(K)).x(X::A).y(Y::BXorT),
            1..5 => row().b(S.at(K + bit)).x(X::One).y(Y::BXorT),
            5..7 => row().a(odd).x(X::NotA).y(Y::NotB),
            _ => row().a(odd).x(X::A).y(Y::NotB),
        };
        once(chain(exponent).write(at(field, bit)))
    }));
    items.push(once(row().a(first).tag(TagAction::A).clear_carry()));
    items.extend(significant(here, below));
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 0), at(below, 0)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], here, field));
    items.extend(operand_instead(SMALL));
    items
}
