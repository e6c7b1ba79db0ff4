//! Reciprocals of floating-point numbers, IEEE 754: the quotients of 1, rounded as quotients are ([`float_div`]), on
//! `TwoPort` columns as they are.
//!
//! ```text
//!  a ─▶ special values, hidden bit ─▶ up, until a 1 is on top ─▶ quotient, a bit a pass ─▶ exponent
//!      ─▶ down, if the exponent is not positive ─▶ round ─▶ d
//! ```
//!
//! The dividend needs no rows: it is not less than the divisor where this is a power of two, which leaves no remainder
//! and a quotient of 1. Elsewhere it goes up by one row, beyond the divisor's top one, so that the first remainder is
//! the divisor's negative with a 0 on top. No other quotient of 1 ends, so that it goes on wherever the divisor is no
//! power of two. The exponent of 1 is the bias: ones but for its top bit.
//!
//! [`float_div`]: super::float_div

use crate::array::isa::format::{E4M3, Format};
use crate::array::isa::linear::{EXCESS, LOG2, M, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{OffsetAction, Report, Row, row};
use crate::array::isa::ucode::float_div::{Remainder, all_up, behind_up, kept, leading, less_divisor, pass, subnormal};
use crate::array::isa::ucode::float_div_round::rounded;
use crate::array::isa::ucode::float_operation::{no_number, of_formats, properties, reporting};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rcp_flushed::with_flushed;
use crate::array::isa::ucode::float_round::Bits;
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// d ← 1 / a.
pub(super) fn reciprocal(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |format: Format| {
        let (place, finite_only) = (Place::of(format), format == E4M3);
        let mut body = operand(finite_only, reports);
        body.extend(divisor_up(place, skip));
        if place.long {
            body.extend(quotient(place));
            body.extend(place.give_back());
            body.extend(distance_of_divisor(place));
        } else {
            // The remainder comes down to the distance, and to nothing else.
            body.extend(distance_of_divisor(place));
            body.extend(quotient(place));
        }
        body.extend(exponent(place));
        body.extend(rounded(place, finite_only, Bits::Key, skip, reports));
        Program::new("frcp", body).i(1)
    };
    let formula = if skip { skipping } else { cycles };
    let operation = of_formats(Opcode::FRcp, formula, &[A], Place::scratch(), program);
    // The shorter programs for the mode that flushes report nothing.
    if cx.radix_4() && !reports { with_flushed(operation) } else { reporting(operation, cx) }
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 7 } else { 0 };
    (n - 2) * (n - 1) + stages * (2 * n + 3) + (2 << stages) + 5 * n + 9 * m + 59 + special + kept(n, 8)
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + i64::from(ceil_log2(n as i32)) + 3
}

/// What the operand is; the sign. J is −1 behind it.
fn operand(finite_only: bool, reports: bool) -> Vec<Item> {
    let (hidden, counts, nan) = (flag(Flag::HIDDEN_B), flag(Flag::COUNTS_B), flag(Flag::NotANumber));
    let (finite, zero) = (flag(Flag::FINITE_B), flag(Flag::Zero));
    let mut items = properties([finite, hidden, counts, flag(Flag::Sign)], finite_only);
    items.extend(no_number(nan, reports && !finite_only));
    let infinite = row().a(counts).x(X::NotA).write(flag(Flag::Infinite));
    items.extend([
        // C: subnormal operands count.
        once(row().x(X::One).steer_x().carry_next(Next::NotSum)),
        once(row().a(counts).x(X::A).majority().write(counts).carry_next(Next::One)),
        once(row().a(hidden).b(counts).x(X::A).y(Y::B).majority().write(counts).clear_carry()),
        once(if reports { infinite.tag(TagAction::W).report(Report::DivideByZero) } else { infinite }),
        once(row().a(finite).x(X::NotA).write(zero).down()),
    ]);
    items
}

/// The divisor to d, a 1 on top. C is 0 behind it.
fn divisor_up(place: Place, skip: bool) -> Vec<Item> {
    let to = divisor(D.j());
    let mut items = vec![
        once(row().write(to).down()),
        once(row().write(to).rewind()),
        each(FRACTION, row().a(A.j()).x(X::A).write(to).up()),
        once(row().a(flag(Flag::HIDDEN_B)).x(X::A).write(to).rewind()),
    ];
    let test = subnormal(flag(Flag::HIDDEN_B), flag(Flag::COUNTS_B));
    items.extend(all_up(skip, test, divisor_top, D, place.stays()));
    items.push(once(behind_up(skip, row())));
    items.extend(place.keep_hidden());
    items.extend(place.keep());
    items
}

/// The bits of the quotient behind its leading 1, to the window. C is 0 before it. J is 0 before and behind it, and I
/// becomes 3 − n.
fn quotient(place: Place) -> Vec<Item> {
    let by = divisor(D.j());
    let mut items = vec![
        once(row().carry_next(Next::One)),
        each(FRACTION, chain(row().b(by).y(Y::NotB)).write(place.window(S.k())).up()),
        once(row().majority().write(place.window(S.k())).rewind()),
    ];
    // The lowest bit of the first remainder is the divisor's, too.
    let pass = pass(place.remainder(S.k()), by, FRACTION, Remainder::WithoutLowest);
    items.extend([once(leading()), outer(SIGNIFICAND, pass)]);
    items.push(once(row().clear_carry().i(OffsetAction::Up)));
    items
}

/// The negative of how far the divisor went up, but that the first row up of a subnormal one does not count, in d and
/// two flags. T, C and J are 0 behind it.
fn distance_of_divisor(place: Place) -> Vec<Item> {
    let to = D.j();
    let negative = |row: Row| chain(row.a(place.stays()[0]).x(X::A)).write(to).up();
    vec![
        once(row().carry_next(Next::One)),
        once(negative(row().b(place.hidden()).y(Y::NotB))),
        each(LOG2 - 1, negative(row())),
        once(row().not_sum().tag(TagAction::W).clear_carry()),
        each(EXCESS, tag_out(row()).write(to).up().rewind()),
        once(tag_out(row()).write(flag(Flag::TOP))),
        once(tag_out(row()).write(flag(Flag::NEGATIVE)).tag(TagAction::Zero)),
    ]
}

/// The exponent of the quotient that begins with 1, in d and two flags. H: the divisor is no power of two. C and J are
/// 0 before and behind it; I becomes 1.
fn exponent(place: Place) -> Vec<Item> {
    let (to, bit, sign) = (D.j(), flag(Flag::TOP), flag(Flag::NEGATIVE));
    let ones = chain(row().b(to).x(X::One).y(Y::NotB)).write(to).up();
    let behind = row().a(divisor(to)).x(X::A).majority().tag(TagAction::Differ).up();
    let mut items = vec![
        once(row().tag(TagAction::Zero).carry_next(Next::One)),
        // T: a 1 behind the divisor's leading one. C, then: none; where there is, the exponent is one less.
        outer(FRACTION, vec![once(behind.i(OffsetAction::Up))]),
        once(tag_out(row()).hold_next(Next::NotSum).rewind()),
        once(tag_out(row().x(X::One)).carry_next(Next::NotSum)),
        each(M, ones.flip_x()),
        once(chain(row().b(bit).y(Y::NotB)).write(bit)),
        once(row().b(sign).y(Y::NotB).write(sign).clear_carry().rewind()),
    ];
    if place.long {
        // The sign, where J is m.
        let sign = A.j().plus(FRACTION);
        let copied = row().a(sign).b(sign).x(X::A).y(Y::B).majority().write(flag(Flag::Sign));
        items.insert(items.len() - 1, once(copied));
    }
    items.extend(less_divisor(A));
    items
}
