//! Square roots of floating-point numbers to nearest, with subnormal operands flushed (`float_flushed.rs`), of binary32
//! and binary64.
//!
//! ```text
//!  a ─▶ significand less 1, doubled if its exponent is even ─▶ special values ─▶ root, a bit a pass ─▶ round
//!      ─▶ exponent, halved ─▶ d
//! ```
//!
//! Passes are those of `float_sqrt.rs`. No root is a tie: its square would have more bits than the operand. So it is
//! rounded up where the bit behind the last one is 1, and there is no sticky bit. None carries beyond its leading 1.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{F32, F64, Format};
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_operation::{LONG_AND_OTHERS, exponent_of_operand};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, root as passes, sign};
use crate::array::isa::ucode::float_sqrt_two_bits as two_bits;
use crate::array::isa::ucode::float_sqrt_way::Way;
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Adds the programs of this mode to `fsqrt`. With radix 4 half of the passes have two bits each
/// (`float_sqrt_two_bits.rs`).
pub(super) fn with_flushed(operation: Operation, cx: Context) -> Operation {
    let program = |format: Format| {
        let way = Way::of(format);
        let (below, root) =
            if cx.radix_4() { (two_bits::cleared(), two_bits::root(way, format)) } else { (row(), root(way)) };
        let pieces = [significand(way, below), special_values(), root, rounded()];
        Program::new("fsqrt, flushed", pieces.concat()).i(1).z(1)
    };
    let only = |format: Format| vec![FLUSHED, Condition::Zero(N - i16::from(format.n()))];
    let programs = [F32, F64].map(|format| (LONG_AND_OTHERS, only(format), program(format)));
    flushed::with_flushed(operation, if cx.radix_4() { two_bits::cycles } else { cycles }, programs.to_vec())
}

fn cycles(n: i64, m: i64) -> i64 {
    (n - 2) * (n + 5) / 2 + 2 * n + 2 * m + 16
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

/// What is known of the operand, behind its significand. H: its fraction is not 0.
fn special_values() -> Vec<Item> {
    let (hidden, nan) = (flag(Flag::Hidden), flag(Flag::NotANumber));
    vec![
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::And)),
        // NaN, too, where it is negative and not zero.
        once(row().a(sign()).b(hidden).x(X::NotA).y(Y::B).majority().tag(TagAction::Differ)),
        once(tag_out(row()).write(nan).hold(HoldAction::Zero)),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(ones())),
        once(row().a(hidden).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).not_sum().write(alive())),
    ]
}

/// The significand less 1 above a zero, which a row writes that is given, doubled where the exponent is even. H: the
/// fraction is not 0.
fn significand(way: Way, zero: Row) -> Vec<Item> {
    let (below, top) = (way.fraction(), way.top(S.j()));
    let to = way.above_zero();
    let doubled = |row: Row| row.y(Y::BXorT).majority();
    let mut items = exponent_of_operand([Flag::Finite, Flag::Hidden].map(flag), sign(), false);
    items.extend([
        once(zero.write(at(below, 0))),
        once(row().a(lowest()).x(X::NotA).tag(TagAction::W)),
        once(row().b(A.at(0)).y(Y::TSelect).write(at(to, 0)).hold(HoldAction::Differ)),
        // I is 1. Columns with T have not seen the top bit behind it.
        each(FRACTION - 1, row().a(A.j()).b(A.k()).y(Y::TSelect).write(to).hold(HoldAction::Differ).up()),
        once(row().b(A.j()).y(Y::B).hold(HoldAction::Differ)),
        once(doubled(row().a(A.j()).x(X::NotA)).write(at(top, 0))),
        once(doubled(row().a(A.j()).x(X::A)).write(at(top, 1)).rewind()),
    ]);
    items
}

/// Bits of the root, in d from its row 2 up. C: the last one, behind the fraction.
fn root(way: Way) -> Vec<Item> {
    // The row that the last pass with bits of the operand may want below them is a zero.
    let behind = D.at(2);
    let mut items = passes(way);
    items.push(once(row().a(behind).b(behind).x(X::A).y(Y::B).carry_next(Next::Majority).rewind()));
    items
}

/// The result. C: the bit behind the fraction, before it. In the exponent, half of the bias is one less than the weight
/// of the second bit from the top.
fn rounded() -> Vec<Item> {
    let fraction = D.j().plus(3);
    let (above, to) = (A.j().plus(linear(1, Term::None, -2)), D.j().plus(FRACTION));
    let half = |row: Row| chain(row.x(X::A).y(Y::B).gate()).write(to).up();
    let mut items = flushed::fraction(flag(Flag::NotANumber), alive(), [fraction, fraction]);
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
