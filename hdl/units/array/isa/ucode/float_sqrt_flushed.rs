//! Square roots of floating-point numbers to nearest, with subnormal operands flushed (`float_flushed.rs`), of binary32
//! and binary64.
//!
//! ```text
//!  a ─▶ special values ─▶ significand less 1, doubled if its exponent is even ─▶ root, a bit a pass ─▶ round
//!      ─▶ exponent, halved ─▶ d
//! ```
//!
//! Passes are those of `float_sqrt.rs`. Pass i, from 1 on, changes nothing below row n − 1 − i of d, so that the first
//! 13 leave out n − 14 rows. No root is a tie: its square would have more bits than the operand. So it is rounded up
//! where the bit behind the last one is 1, and there is no sticky bit. None carries beyond its leading 1.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::F32;
use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_operation::properties;
use crate::array::isa::ucode::float_quotient_rows::SIGNIFICAND;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::*;
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Passes that leave out the lower rows.
const SHORT: i16 = 13;
/// Those rows.
const LEFT_OUT: Linear = linear(1, Term::None, -SHORT - 1);

/// Adds the program of this mode to `fsqrt`.
pub(super) fn with_flushed(operation: Operation) -> Operation {
    let pieces = [special_values(), significand(), root(), rounded()];
    let program = Program::new("fsqrt, flushed", pieces.concat()).i(1);
    let when = vec![FLUSHED, Condition::AtLeastZero(N - i16::from(F32.n()))];
    flushed::with_flushed(operation, cycles, vec![(1, when, program)])
}

fn cycles(n: i64, m: i64) -> i64 {
    let short = i64::from(SHORT);
    (n - 2) * (n + 4) - short * (n - short - 1) + 5 * n + 2 * m + 11
}

/// The result is infinite or NaN.
fn ones() -> Address {
    flag(Flag::Finite)
}

/// The result is neither zero nor infinite nor NaN.
fn alive() -> Address {
    flag(Flag::NotZero)
}

/// The exponent's lowest bit.
fn lowest() -> Address {
    at(A.j().plus(FRACTION), 0)
}

/// What is known of the operand. T: its exponent is even.
fn special_values() -> Vec<Item> {
    let (hidden, nan) = (flag(Flag::Hidden), flag(Flag::NotANumber));
    let mut items = properties([flag(Flag::Finite), hidden, flag(Flag::NotZero), sign()], false);
    items.extend([
        // NaN, too, where it is negative and not zero.
        once(row().a(sign()).b(hidden).x(X::NotA).y(Y::B).majority().tag(TagAction::Differ)),
        once(tag_out(row()).write(nan).hold(HoldAction::Zero)),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(ones())),
        once(row().a(hidden).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).not_sum().write(alive())),
        once(row().a(lowest()).x(X::NotA).tag(TagAction::W)),
    ]);
    items
}

/// The significand less 1 above zeros, doubled in columns with T.
fn significand() -> Vec<Item> {
    let to = S.k().plus(linear(1, Term::None, REMAINDER));
    let top = top::<0>(S.j());
    let doubled = |row: Row| row.y(Y::BXorT).majority();
    vec![
        each(N, row().write(remainder(S.j())).up().rewind()),
        once(row().b(A.at(0)).y(Y::TSelect).write(at(to, 0))),
        // I is 1.
        each(FRACTION - 1, row().a(A.j()).b(A.k()).y(Y::TSelect).write(to).up()),
        once(doubled(row().a(A.j()).x(X::NotA)).write(at(top, 0))),
        once(doubled(row().a(A.j()).x(X::A)).write(at(top, 1)).rewind()),
    ]
}

/// Bits of the root, in d from its row 2 up.
fn root() -> Vec<Item> {
    let shorter = S.k().plus(linear(2, Term::None, REMAINDER - 5 - SHORT));
    let one = || row().x(X::One).write(D.j());
    vec![
        // The leading 1 and what the first pass subtracts beside it.
        each(SIGNIFICAND, row().write(D.j()).up()),
        once(one().up()),
        once(row().write(D.j()).up()),
        once(one().tag(TagAction::W).carry_next(Next::One).rewind()),
        outer(SHORT, pass_rows(shorter, D.j().plus(LEFT_OUT), (SHORT + 1).into())),
        outer(SIGNIFICAND - SHORT, pass_rows(pass::<0>(S.k()), D.j(), N.into())),
    ]
}

/// A pass over so many rows of the remainder and of d, and one more.
fn pass_rows(here: Address, by: Address, rows: Count) -> Vec<Item> {
    let bit = D.l().plus(linear(1, Term::None, -1));
    let next = |row: Row| row.write(bit).l(OuterAction::Down);
    let term = chain(row().a(here).b(by).x(X::A).y(Y::BXorT)).write(here).up();
    let sign = row().a(here).x(X::A).y(Y::BXorT).not_sum().carry_next(Next::NotSum).tag(TagAction::W);
    vec![
        // A row of its own, since the last one of a pass cannot lead to loops of either length.
        once(term),
        each(rows, term),
        once(next(sign.rewind().i(OffsetAction::Down))),
        once(next(row().not_sum())),
        once(row().x(X::One).y(Y::NotB).majority().write(bit).l(OuterAction::Up)),
    ]
}

/// The result. In the exponent, half of the bias is one less than the weight of the second bit from the top.
fn rounded() -> Vec<Item> {
    let (behind, fraction) = (D.at(2), D.j().plus(3));
    let (above, to) = (A.j().plus(linear(1, Term::None, -2)), D.j().plus(FRACTION));
    let half = |row: Row| chain(row.x(X::A).y(Y::B).gate()).write(to).up();
    let mut items = vec![once(row().a(behind).b(behind).x(X::A).y(Y::B).carry_next(Next::Majority))];
    items.extend(flushed::fraction(flag(Flag::NotANumber), alive(), [fraction, fraction]));
    items.extend([
        once(row().a(lowest()).x(X::A).y(Y::NotB).carry_next(Next::Majority)),
        // Zeros have no hidden bit.
        each(M - 2, half(row().a(flag(Flag::Hidden)).b(above))),
        once(half(row().a(ones()).b(above))),
        once(half(row().a(ones())).clear_carry()),
        flushed::sign(sign()),
    ]);
    items
}
