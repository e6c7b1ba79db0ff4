//! Reciprocals of floating-point numbers to nearest, with subnormal numbers flushed on both sides, on columns with
//! radix 4: quotients of 1 with two bits a pass (`float_div_two_bits.rs`), and the other pieces of quotients
//! (`float_div_flushed.rs`).
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, F16, F32, F64, Format};
use crate::array::isa::linear::{M, N};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::A;
use crate::array::isa::row::row;
use crate::array::isa::ucode::float_div_flushed::{exponent_and_range, infinite, not_zero, rounded};
use crate::array::isa::ucode::float_div_two_bits::{Quotient, quotient as quotient_of};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_operation::{LONG_AND_OTHERS, exponent_of_operand};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// Adds the programs of this mode to `frcp`, for long formats and for even and odd numbers of bits from seven on.
pub(super) fn with_flushed(operation: Operation) -> Operation {
    let program = |format: Format| {
        let place = Place::of(format);
        let [hidden, sign] = [Flag::HIDDEN_B, Flag::Sign].map(|flag| place.flushed(flag));
        let known = exponent_of_operand([not_zero(place), hidden], sign, false);
        let quotient = Quotient { place, dividend: None, divisor: A, hidden };
        let quotient = quotient_of(quotient, format.n().is_multiple_of(2));
        let pieces = [known, quotient, special_values(place), exponent_and_range(place, exponent()), rounded(place)];
        Program::new("frcp, flushed", pieces.concat()).i(1)
    };
    let only = |format: Format| vec![FLUSHED, Condition::Zero(N - i16::from(format.n()))];
    let programs = vec![
        (LONG_AND_OTHERS, only(F32), program(F32)),
        (LONG_AND_OTHERS, only(F64), program(F64)),
        (1, vec![FLUSHED, Condition::Even(N)], program(BF16)),
        (1, vec![FLUSHED, Condition::AtLeastZero(N - 7)], program(F16)),
    ];
    flushed::with_flushed(operation, cycles, programs)
}

fn cycles(n: i64, m: i64) -> i64 {
    (n - 1) / 2 * (n - 1) + 2 * n + 3 * m + 22
}

/// What is known of the operand: it is finite where the result is not zero. H: its fraction is not 0. C is 1 behind it.
fn special_values(place: Place) -> Vec<Item> {
    vec![
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(not_zero(place)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(place.flushed(Flag::NotANumber))),
        once(row().a(place.flushed(Flag::HIDDEN_B)).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(infinite(place)).carry_next(Next::One)),
    ]
}

/// The exponent: the bias, which is ones below a 0, less the divisor's.
fn exponent() -> Vec<Item> {
    let less = chain(row().b(A.j().plus(FRACTION)).y(Y::NotB)).write(result_field()).up();
    let ones = less.x(X::One).not_sum();
    vec![once(ones), each(M - 2, ones.tag(TagAction::And)), once(less.tag(TagAction::And))]
}
