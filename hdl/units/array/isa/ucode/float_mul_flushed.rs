//! Multiplication of floating-point numbers to nearest, with subnormal numbers flushed on both sides
//! (`float_flushed.rs`).
//!
//! ```text
//!  a, b ─▶ special values ─▶ product of the significands ─▶ exponent less 1 ─▶ range ─▶ round and move by a row ─▶ d
//! ```
//!
//! The exponent is that of the product's top bit less 1, which is negative exactly where the result is flushed.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{M, N};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED, Known, given};
use crate::array::isa::ucode::float_mul::product;
use crate::array::isa::ucode::float_mul_and_nor as and_nor;
use crate::array::isa::ucode::float_mul_flushed_and_nor as own;
use crate::array::isa::ucode::float_mul_gathered::with_gathered;
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::{chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Adds the programs of this mode to `fmul`.
pub(super) fn with_flushed(operation: Operation, cx: Context) -> Operation {
    if cx.radix_4() {
        return with_gathered(operation);
    }
    let program = |pieces: [Vec<Item>; 5]| Program::new("fmul, flushed", pieces.concat()).i(1);
    // E5M2 has no two low rows.
    let wide = Condition::AtLeastZero(N - 7);
    if !cx.two_port() {
        let pieces = [own::special_values(), own::product(), exponent_and_range(), own::sticky(), own::rounded()];
        let all = program(pieces).stride(and_nor::STRIDE + 1).z(and_nor::HIGH + 1);
        let when = vec![FLUSHED, Condition::Zero(M - 8), wide];
        return flushed::with_flushed(operation, cycles, vec![(1, when, all)]);
    }
    let all = program([special_values(), product(true), exponent_and_range(), sticky(), rounded()]);
    let when = vec![FLUSHED, wide];
    flushed::with_flushed(operation, cycles, vec![(1, when, all)])
}

fn cycles(n: i64, m: i64) -> i64 {
    (n - 2) * (n - 2) + 2 * n + (n - 4) / 2 + 4 * m + 27
}

/// The result is infinite or NaN.
pub(super) fn ones() -> Address {
    passing(0)
}

/// 1, but in a dead column the lowest bit of its exponent.
pub(super) fn counts() -> Address {
    passing(1)
}

/// The result is neither zero nor infinite nor NaN.
pub(super) fn alive() -> Address {
    passing(2)
}

/// What is known of the operands. T and H are 0 behind it.
fn special_values() -> Vec<Item> {
    let hidden = [flag(Flag::HIDDEN_A), flag(Flag::HIDDEN_B)];
    let known = Known { hidden, finite: [passing(0), passing(1)], sign: flag(Flag::Sign) };
    // An infinite operand gives NaN where the other one is zero.
    let zeros = row().a(hidden[1]).b(hidden[0]).x(X::NotA).y(Y::NotB);
    let mut items = given(&known, Some(zeros.tag(TagAction::Differ).hold(HoldAction::Differ)));
    items.push(once(tag_out(row()).write(flag(Flag::NotANumber)).tag(TagAction::Zero).hold(HoldAction::Zero)));
    items.extend(numbers_and_zeros(&known));
    items
}

/// Both operands are numbers; neither counts as zero.
pub(super) fn numbers_and_zeros(known: &Known) -> [Item; 2] {
    let both = |[a, b]: [Address; 2]| row().a(a).b(b).x(X::A).y(Y::B).majority();
    [once(both(known.finite).write(flag(Flag::Numbers))), once(both(known.hidden).write(flag(Flag::NOT_ZERO)))]
}

/// The exponent at the product's top bit, less 1; then what it says of the result. C: the product's top bit. T, H and C
/// are 0 behind it, and J is m − 1.
pub(super) fn exponent_and_range() -> Vec<Item> {
    let (exponent_a, exponent_b) = fields();
    let upper = exponent(S.j());
    let zero = row().a(flag(Flag::NOT_ZERO)).b(flag(Flag::Numbers)).x(X::NotA).y(Y::NotB);
    let neither = row().b(ones()).x(X::NotH).y(Y::NotB).majority();
    let sum = chain(row().a(exponent_a).b(exponent_b).x(X::A).y(Y::B)).write(upper).up();
    vec![
        // T: all ones above the lowest bit.
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        once(sum),
        // The bias is one less than the top bit's weight, and so is this exponent: the top bit is complemented.
        each(M - 1, sum.tag(TagAction::And).flip_out()),
        // H: the carry. With it the exponent is too large unless its complemented top bit is 1 and another one 0.
        once(row().y(Y::NotB).hold_next(Next::Majority).clear_carry().down()),
        once(row().a(upper).x(X::NotA).tag(TagAction::Differ)),
        once(row().x(X::H).tag(TagAction::And)),
        // H: negative, or a product of numbers one of which counts as zero.
        once(row().b(upper).x(X::NotH).y(Y::B).hold_next(Next::Majority)),
        once(zero.majority().hold(HoldAction::Differ).carry_next(Next::One)),
        // Too large, infinite or NaN.
        once(tag_out(row().a(flag(Flag::Numbers)).x(X::NotA)).majority().write(ones())),
        once(row().x(X::NotH).majority().write(counts()).clear_carry()),
        once(neither.write(alive()).tag(TagAction::Zero).hold(HoldAction::Zero)),
    ]
}

/// H: a 1 below the rows that are rounded. T: the product's top bit. J is m − 1 before, I is 1.
fn sticky() -> Vec<Item> {
    // The lowest bit of the product is in row m + 1 of d; the one below the high rows, which may have no partner, is
    // where the result's exponent has its top bit.
    let pair = row().a(low_from_m(D.k())).b(low_from_m_and_two(D.j())).x(X::A).y(Y::B);
    vec![
        once(row().a(result_field()).x(X::A).tag(TagAction::Differ).rewind()),
        each((N - 4).half(), pair.tag(TagAction::Differ).hold(HoldAction::Differ).up_two().rewind()),
        once(tag_out(row().a(top_bit())).hold(HoldAction::Differ).tag(TagAction::A)),
    ]
}

/// The significand is in the rows from the third one up where the product's top bit is 1, else a row below.
pub(super) fn rounded() -> Vec<Item> {
    let exponents = chain(row().b(exponent(S.j())).x(X::A).y(Y::B).gate()).write(result_field()).up();
    let mut items = vec![
        once(row().b(high(0)).y(Y::TB).hold(HoldAction::Differ)),
        // The last bit, for ties.
        once(row().a(high(2)).b(high(1)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(row().x(X::H).y(Y::TSelect).a(high(1)).b(high(0)).carry_next(Next::Majority)),
    ];
    items.extend(flushed::fraction(flag(Flag::NotANumber), alive(), [high_from(S.j(), 2), high_from_one(S.j())]));
    items.extend([
        once(exponents.a(counts())),
        each(M - 2, exponents.a(ones())),
        once(exponents.a(ones()).clear_carry()),
        flushed::sign(flag(Flag::Sign)),
    ]);
    items
}
