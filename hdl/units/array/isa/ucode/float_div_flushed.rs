//! Division of floating-point numbers to nearest, with subnormal numbers flushed on both sides (`float_flushed.rs`).
//!
//! ```text
//!  a, b ─▶ special values ─▶ difference of the significands ─▶ quotient, a bit a pass ─▶ exponent ─▶ range
//!      ─▶ round and move by a row ─▶ d
//! ```
//!
//! The first difference says whether the quotient begins with 1 or below it, and n − 1 passes give the bits behind
//! that: one more than a quotient has that begins with 1. No quotient of normal numbers is a tie: with a last bit of 1
//! behind those of a significand, its product with the divisor would have more bits than the dividend. So it is rounded
//! up where the bit behind the last one is 1, and there is no sticky bit. None carries beyond its leading 1.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, E5M2, F16, F32, F64, Format};
use crate::array::isa::linear::{M, N};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, S};
use crate::array::isa::row::{Address, OffsetAction, row};
use crate::array::isa::ucode::float_div_two_bits as two_bits;
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED, Known};
use crate::array::isa::ucode::float_operation::LONG_AND_OTHERS;
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Adds the programs of this mode to `fdiv`. With radix 4 passes have two bits each (`float_div_two_bits.rs`); they
/// note what NaN asks of the fractions, and special values wait until the quotient is there. Significands of three bits
/// have passes of one bit there, too.
pub(super) fn with_flushed(operation: Operation, cx: Context) -> Operation {
    let finished = |place: Place, special: Vec<Item>| {
        Program::new("fdiv, flushed", [special, exponent_and_range(place, exponent()), rounded(place)].concat()).i(1)
    };
    let only = |format: Format| vec![FLUSHED, Condition::Zero(N - i16::from(format.n()))];
    if !cx.radix_4() {
        let program = |format: Format| {
            let place = Place::of(format);
            let given = flushed::given(&known(place), None);
            finished(place, [given, special_values(place, None), quotient(place, false)].concat())
        };
        let long = [F32, F64].map(|format| (LONG_AND_OTHERS, only(format), program(format)));
        let all = [&long[..], &[(1, vec![FLUSHED], program(F16))]].concat();
        return flushed::with_flushed(operation, cycles, all);
    }
    let two_bits = |format: Format| {
        let place = Place::of(format);
        let hidden = [Flag::HIDDEN_A, Flag::HIDDEN_B].map(|flag| place.flushed(flag));
        let of = two_bits::Quotient { place, dividend: Some(hidden[0]), divisor: B, hidden: hidden[1] };
        let beginning = flushed::gathered(&known(place), |row| row);
        let special = special_values(place, Some(two_bits::fractions(place)));
        finished(place, [beginning, two_bits::quotient(of, format.n().is_multiple_of(2)), special].concat())
    };
    let place = Place::of(E5M2);
    let beginning = flushed::gathered(&known(place), |row| row.carry_next(Next::One));
    let special = special_values(place, Some(flushed::fractions()));
    let mut one_bit = finished(place, [beginning, quotient(place, true), special].concat());
    one_bit.body = of_format(E5M2, one_bit.body);
    let programs = vec![
        (LONG_AND_OTHERS, only(F32), two_bits(F32)),
        (LONG_AND_OTHERS, only(F64), two_bits(F64)),
        (1, vec![FLUSHED, Condition::Even(N)], two_bits(BF16)),
        (1, vec![FLUSHED, Condition::AtLeastZero(N - 7)], two_bits(F16)),
        (1, only(E5M2), one_bit),
    ];
    flushed::with_flushed(operation, two_bits::cycles, programs)
}

/// The rows of a program for one format: what is a loop of one row there is none.
fn of_format(format: Format, items: Vec<Item>) -> Vec<Item> {
    let single = |count: Count| matches!(count, Count::Linear(l) if l.value(format.n().into(), format.m().into()) == 1);
    let of = |item| match item {
        Item::Each(count, rows) if single(count) => rows.into_iter().map(Item::Once).collect(),
        Item::Outer(count, body) => vec![Item::Outer(count, of_format(format, body))],
        other => vec![other],
    };
    items.into_iter().flat_map(of).collect()
}

fn cycles(n: i64, m: i64) -> i64 {
    (n - 1) * (n - 1) + 3 * n + 4 * m + 24
}

/// The result is infinite or NaN, for another reason than its size.
pub(super) fn infinite(place: Place) -> Address {
    place.flushed(Flag::Infinite)
}

/// Neither is the dividend zero nor the divisor infinite.
pub(super) fn not_zero(place: Place) -> Address {
    place.flushed(Flag::Zero)
}

/// 1, but in columns with a zero result.
fn counts(place: Place) -> Address {
    place.flushed(Flag::Overflow)
}

/// The result is neither zero nor infinite nor NaN.
fn alive(place: Place) -> Address {
    place.flushed(Flag::Bounded)
}

/// What is known of the operands, in rows that say something else later.
fn known(place: Place) -> Known {
    let hidden = [Flag::HIDDEN_A, Flag::HIDDEN_B].map(|flag| place.flushed(flag));
    Known { hidden, finite: [infinite(place), not_zero(place)], sign: place.flushed(Flag::Sign) }
}

/// What that says of the result. Before it T says which column has NaN, or T and H will behind the item that is given,
/// if columns have gathered. C is 1 behind it.
fn special_values(place: Place, fractions: Option<Item>) -> Vec<Item> {
    let Known { hidden: [hidden_a, hidden_b], finite: [finite_a, finite_b], .. } = known(place);
    // T, where neither a nor b holds.
    let neither = |a: Address, b: Address| once(row().a(a).b(b).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ));
    let or_not = |a: Address| row().a(a).x(X::NotA).tag(TagAction::Differ);
    let mut items = Vec::new();
    if let Some(fractions) = fractions {
        items.push(fractions);
        items.extend(flushed::not_a_number([finite_a, finite_b]));
    }
    items.extend([
        neither(hidden_a, hidden_b),
        neither(finite_a, finite_b),
        once(tag_out(row()).write(place.flushed(Flag::NotANumber))),
        once(or_not(finite_a)),
        once(or_not(hidden_b)),
        once(tag_out(row()).write(infinite(place))),
        once(row().a(hidden_a).b(finite_b).x(X::A).y(Y::B).majority().write(not_zero(place)).carry_next(Next::One)),
    ]);
    items
}

/// The quotient, its first bit above the window. C is 1 before. The last remainder of long formats has no rows, nor has
/// the lowest bit of those behind the first one, which is the divisor's (`float_div.rs`).
fn quotient(place: Place, gathers: bool) -> Vec<Item> {
    let [hidden_a, hidden_b] = known(place).hidden;
    let difference = chain(row().x(X::A).y(Y::NotB)).write(place.window(S.k()));
    let here = place.remainder(S.k());
    let carry = chain(row().b(B.j()).y(Y::BXorT)).up();
    let sign = row().a(here).x(X::A).y(Y::BXorT).not_sum().write(here).carry_next(Next::NotSum).tag(TagAction::W);
    let fractions = difference.a(A.j()).b(B.j()).up();
    let pass = |first: bool, last: bool| {
        let step = if last { carry } else { carry.write(here) };
        let above = step.a(here).x(X::A);
        let mut rows = vec![once(if place.long { carry } else { step })];
        if place.long && !first {
            rows.extend([once(above.a(B.at(0))), each(FRACTION - 2, above)]);
        } else {
            rows.push(each(FRACTION - 1, above));
        }
        rows.extend([once(above.b(hidden_b)), once(sign.rewind().i(OffsetAction::Down))]);
        rows
    };
    let mut items = vec![
        each(FRACTION, if gathers { fractions.gather() } else { fractions }),
        once(difference.a(hidden_a).b(hidden_b).rewind()),
        // T, C: the bit of the quotient that is known last.
        once(row().write(place.hidden_row()).tag(TagAction::W)),
    ];
    if place.long {
        items.extend(pass(true, false));
        items.push(outer(FRACTION, pass(false, false)));
        items.extend(pass(false, true));
    } else {
        items.push(outer(N - 1, pass(false, false)));
    }
    items
}

/// The complement of one more than the exponent, in its place. T: zeros above the lowest bit. The top bit has the
/// weight of the bias and 1: it is complemented.
fn exponent() -> Vec<Item> {
    let (exponent_a, exponent_b) = fields();
    let less = chain(row().a(exponent_a).b(exponent_b).x(X::A).y(Y::NotB)).not_sum().write(result_field()).up();
    vec![once(less), each(M - 1, less.tag(TagAction::And).flip_out())]
}

/// The rows that are given, in front of which C has what the quotient adds and T is 1; then what the exponent says of
/// the result. C is 0 behind it; T is the quotient's first bit, J is 0.
pub(super) fn exponent_and_range(place: Place, exponent: Vec<Item>) -> Vec<Item> {
    let to = result_field();
    let first = row().a(place.hidden_row());
    let begins = [
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W).clear_carry()),
        once(first.x(X::A).y(Y::NotB).carry_next(Next::Majority)),
    ];
    let range = [
        // H: the carry. Without it, the exponent is not positive where the top bit is 0 too, and those below it.
        once(row().y(Y::NotB).hold_next(Next::Majority).clear_carry().down()),
        once(row().a(to).x(X::NotA).tag(TagAction::Differ)),
        once(row().x(X::NotH).tag(TagAction::And)),
        // H: too large, infinite or NaN. T: zero.
        once(row().b(to).x(X::H).y(Y::B).hold_next(Next::Majority).rewind()),
        once(row().b(infinite(place)).y(Y::B).hold(HoldAction::Differ)),
        once(row().a(not_zero(place)).x(X::NotA).tag(TagAction::Differ)),
        once(row().x(X::NotH).tag(TagAction::And)),
        once(tag_out(row()).not_sum().write(counts(place))),
        once(row().x(X::H).tag(TagAction::Differ)),
        once(tag_out(first).not_sum().write(alive(place)).tag(TagAction::A)),
    ];
    [begins.to_vec(), exponent, range.to_vec()].concat()
}

/// The bit behind the last one is the row above the window's lowest one where the quotient begins with 1 (T).
pub(super) fn rounded(place: Place) -> Vec<Item> {
    let [upper, lower] = [place.fraction_rows(S.j()), place.below_fraction(S.j())];
    let behind = row().a(at(lower, 0)).b(at(place.window(S.j()), 0)).x(X::One).y(Y::TSelect);
    let exponents =
        chain(row().a(counts(place)).b(result_field()).x(X::A).y(Y::NotB).gate()).write(result_field()).up();
    let mut items = vec![once(behind.carry_next(Next::Majority))];
    items.extend(flushed::fraction(place.flushed(Flag::NotANumber), alive(place), [upper, lower]));
    items.extend([each(M - 1, exponents), once(exponents.clear_carry()), flushed::sign(place.flushed(Flag::Sign))]);
    items
}
