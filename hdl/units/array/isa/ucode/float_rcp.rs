//! Reciprocals of floating-point numbers, IEEE 754: the quotients of 1, rounded as quotients are ([`float_div`]), on
//! `TwoPort` columns as they are.
//!
//! ```text
//!  a ─▶ special values, hidden bit ─▶ up, until a 1 is on top ─▶ exponent ─▶ quotient, a bit a pass
//!      ─▶ down, if the exponent is not positive ─▶ round ─▶ d
//! ```
//!
//! The dividend needs no rows: it is not less than the divisor where this is a power of two, which leaves no remainder
//! and a quotient of 1. Elsewhere it goes up by one row, beyond the divisor's top one, so that the first remainder is
//! the divisor's negative with a 0 on top. No other quotient of 1 ends, so that it goes on wherever the divisor is no
//! power of two. The exponent of 1 is the bias: ones but for its top bit.
//!
//! [`float_div`]: super::float_div

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{EXCESS, LOG2, M, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{OffsetAction, Report, row};
use crate::array::isa::ucode::float_div::{all_up, behind_up, bits, less_divisor, subnormal};
use crate::array::isa::ucode::float_div_round::rounded;
use crate::array::isa::ucode::float_operation::{no_number, of_numbers, properties, reporting};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rcp_flushed::with_flushed;
use crate::array::isa::ucode::float_round::Bits;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// d ← 1 / a.
pub(super) fn reciprocal(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |finite_only: bool| {
        let mut body = operand(finite_only, reports);
        body.extend(divisor_up(skip));
        body.extend(exponent(cx));
        body.extend(quotient(cx));
        body.extend(rounded(finite_only, Bits::Key, skip, reports));
        Program::new("frcp", body).i(1)
    };
    let operation = of_numbers(Opcode::FRcp, if skip { skipping } else { cycles }, &[A], SCRATCH, program);
    // The shorter programs for the mode that flushes report nothing.
    if cx.radix_4() && !reports { with_flushed(operation) } else { reporting(operation, cx) }
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 7 } else { 0 };
    (n - 2) * (n - 1) + stages * (2 * n + 3) + (2 << stages) + 6 * n + 9 * m + 55 + special
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

/// The divisor to d, a 1 on top. C is 1 behind it.
fn divisor_up(skip: bool) -> Vec<Item> {
    let to = divisor(D.j());
    let mut items = vec![
        once(row().write(to).down()),
        once(row().write(to).rewind()),
        each(FRACTION, row().a(A.j()).x(X::A).write(to).up()),
        once(row().a(flag(Flag::HIDDEN_B)).x(X::A).write(to).rewind()),
    ];
    let test = subnormal(flag(Flag::HIDDEN_B), flag(Flag::COUNTS_B));
    items.extend(all_up(skip, test, divisor_top, D, [S.j(), S.l()].map(distance)));
    items.push(once(behind_up(skip, row().carry_next(Next::One))));
    items
}

/// The exponent of the quotient that begins with 1, in d and two flags. H: the divisor is no power of two. J is −1
/// behind it.
fn exponent(cx: Context) -> Vec<Item> {
    let (field, to, apart) = (A.j().plus(FRACTION), D.j(), passing(0));
    let ones = |x: X| chain(row().b(to).x(x).y(Y::NotB)).write(to).up();
    let lowest = row().a(at(field, 0)).b(flag(Flag::HIDDEN_B)).x(X::A).y(Y::NotB).majority();
    let goes_on = tag_out(row()).not_sum().hold(HoldAction::Differ);
    let mut items = vec![
        // The negative of how far the divisor went up.
        each(LOG2, chain(row().a(distance(S.j())).x(X::A)).write(to).up()),
        once(row().not_sum().tag(TagAction::W).clear_carry()),
        each(EXCESS, tag_out(row()).write(to).up().rewind()),
        once(tag_out(row()).write(apart).tag(TagAction::Zero).carry_next(Next::One)),
        // Exponents of subnormal numbers are 1.
        once(lowest.write(flag(Flag::LOWEST_B))),
        // T: a 1 behind the divisor's leading one. C, then: none; where there is, the exponent is one less.
        each(FRACTION, row().a(divisor(to)).x(X::A).majority().tag(TagAction::Differ).up().rewind()),
        once(if cx.two_port() { goes_on } else { goes_on.write(flag(Flag::BELOW)) }),
        once(tag_out(row().x(X::One)).carry_next(Next::NotSum)),
        each(M - 1, ones(X::One)),
        once(ones(X::Zero).rewind()),
    ];
    items.extend(less_divisor(field));
    items
}

/// The bits of the quotient behind its leading 1, to the window. J is −1 before, I and the stride are 1 behind it.
fn quotient(cx: Context) -> Vec<Item> {
    let by = divisor(D.j());
    let mut items = vec![
        once(row().carry_next(Next::One).rewind()),
        each(FRACTION, chain(row().b(by).y(Y::NotB)).write(window(S.k())).up()),
        once(row().majority().write(window(S.k())).rewind()),
    ];
    items.extend(bits(SIGNIFICAND, remainder(S.k()), by, FRACTION));
    items.push(outer(SIGNIFICAND, vec![once(row().i(OffsetAction::Up))]));
    // With `AndNor` sensing the passes need H.
    let last = if cx.two_port() { row() } else { row().a(flag(Flag::BELOW)).hold(HoldAction::A) };
    items.push(once(last.clear_carry()));
    items
}
