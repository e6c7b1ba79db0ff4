//! Class of a floating-point number: one of ten rows holds 1, in the order of RISC-V's `fclass`. Nothing is flushed,
//! and the mode means nothing.
//!
//! One pass over the exponent tells whether it has a 1 (H) and whether it has a 0 (T), one over the fraction whether
//! that has a 1.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, linear, tag_out};
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Scratch rows of one bit a column.
#[derive(Clone, Copy)]
enum Flag {
    /// Neither infinite nor NaN.
    Finite,
    /// There is a 1 in the fraction.
    Fraction,
    /// There is a 1 in the exponent.
    Exponent,
    /// Infinite.
    Infinite,
    /// A number with a hidden bit.
    Normal,
    /// One without, which is not 0.
    Subnormal,
    /// Zero.
    Zero,
    /// NaN.
    NotANumber,
}

/// Number of flags.
const FLAGS: i16 = Flag::NotANumber as i16 + 1;

fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// d (10 rows) ← class of a.
pub(super) fn class() -> Operation {
    let program = |finite_only: bool| {
        let mut body = properties(finite_only);
        body.extend(kinds(finite_only));
        body.extend(classes(finite_only));
        Program::new("fclass", body)
    };
    Operation::new(Opcode::FClass, |n, m| n + m + if n == i64::from(E4M3.n()) { 16 } else { 15 })
        .formats()
        .source(A, linear(1, Term::M, -2))
        .result(D, 10)
        .scratch(FLAGS)
        .all_apart()
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false))
}

fn properties(finite_only: bool) -> Vec<Item> {
    let bits = A.j().plus(FRACTION);
    let look = row().a(bits).b(bits).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ).hold(HoldAction::Differ);
    let fraction = |x: X| each(FRACTION, row().a(A.j()).x(x).tag(TagAction::Differ).up().rewind());
    let mut items = vec![each(M, look.up().rewind())];
    if finite_only {
        items.push(fraction(X::NotA));
    }
    items.extend([
        once(tag_out(row()).write(flag(Flag::Finite)).tag(TagAction::Zero)),
        fraction(X::A),
        once(tag_out(row()).write(flag(Flag::Fraction))),
        once(row().x(X::H).write(flag(Flag::Exponent))),
    ]);
    items
}

/// What is true of two flags at once: x of the first and y of the second.
fn both(first: Address, x: X, second: Address, y: Y) -> Row {
    row().a(first).b(second).x(x).y(y).majority()
}

fn kinds(finite_only: bool) -> Vec<Item> {
    let [finite, fraction, exponent] = [Flag::Finite, Flag::Fraction, Flag::Exponent].map(flag);
    let mut items = vec![
        once(both(finite, X::A, exponent, Y::B).write(flag(Flag::Normal))),
        once(both(exponent, X::NotA, fraction, Y::B).write(flag(Flag::Subnormal))),
        once(both(exponent, X::NotA, fraction, Y::NotB).write(flag(Flag::Zero))),
    ];
    if !finite_only {
        items.extend([
            once(both(finite, X::NotA, fraction, Y::NotB).write(flag(Flag::Infinite))),
            once(both(finite, X::NotA, fraction, Y::B).write(flag(Flag::NotANumber))),
        ]);
    }
    items
}

/// The rows of d: negative numbers from the largest magnitude, positive ones from the smallest, NaN.
fn classes(finite_only: bool) -> Vec<Item> {
    let magnitudes = [Flag::Infinite, Flag::Normal, Flag::Subnormal, Flag::Zero];
    let negative = magnitudes.map(|kind| (kind, Y::B));
    let positive = magnitudes.map(|kind| (kind, Y::NotB));
    let numbers = negative.into_iter().chain(positive.into_iter().rev()).map(|(kind, sign)| match kind {
        Flag::Infinite if finite_only => row(),
        _ => both(flag(kind), X::A, A.row(SIGN), sign),
    });
    // Without infinities no NaN signals.
    let nans = if finite_only {
        [row(), row().a(flag(Flag::Finite)).x(X::NotA)]
    } else {
        let quiet = A.row(linear(1, Term::None, -4));
        [Y::NotB, Y::B].map(|bit| both(flag(Flag::NotANumber), X::A, quiet, bit))
    };
    (0..).zip(numbers.chain(nans)).map(|(class, row)| once(row.write(D.at(class)))).collect()
}
