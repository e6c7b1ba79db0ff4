//! d ← a floating-point number a, unpacked (`float_unpacked.rs`). Subnormal numbers are exact, or count as zeros where
//! the mode says so. What is no number has exponent and significand as if it were one: only its flags count.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{M, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_unpacked::{ABOVE, Flag, GUARD, ROWS, exponent, flag};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// The hidden bit, in scratch.
fn hidden() -> Address {
    S.at(0)
}

/// Infinite or NaN.
fn special() -> Address {
    S.at(1)
}

/// It is not flushed.
fn kept() -> Address {
    S.at(2)
}

/// There is a 1 in the fraction, where the rows of the significand need H.
fn fraction() -> Address {
    S.at(3)
}

/// d (n + m + 10 rows) ← a.
pub(super) fn unpack(cx: Context) -> Operation {
    let two_port = cx.two_port();
    let mut body = vec![];
    if !two_port {
        body.push(each(FRACTION, row().a(A.j()).x(X::A).tag(TagAction::Differ).up().rewind()));
        body.push(once(tag_out(row()).write(fraction())));
    }
    body.extend(first_look());
    body.extend(significand(two_port));
    body.extend(infinities(two_port));
    super::float_sum::of_formats(Operation::new(Opcode::FUnpack, |n, m| n + m + 18))
        .source(A, linear(1, Term::M, -2))
        .result(D, ROWS)
        .scratch(4)
        .all_apart()
        .program(Program::new("funpack", body))
}

/// The exponent, and what it says; the flags of signs. T is the sign behind it, and C is 1.
fn first_look() -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let sign = A.row(SIGN);
    vec![
        once(row().x(X::One).tag(TagAction::W)),
        // T: all ones. H: a 1.
        each(M, row().b(field).y(Y::B).tag(TagAction::And).hold(HoldAction::Differ).write(exponent(D)).up().rewind()),
        once(row().x(X::H).write(hidden())),
        once(tag_out(row()).write(special())),
        once(row().a(sign).x(X::A).write(flag(D, Flag::Negative)).tag(TagAction::A)),
        once(row().a(sign).x(X::NotA).write(flag(D, Flag::Positive)).carry_next(Next::One)),
        // The exponent 0 counts as 1.
        once(row().a(at(field, 0)).b(hidden()).x(X::A).y(Y::NotB).majority().write(at(exponent(D), 0))),
        once(row().x(X::Zero).steer_x().b(hidden()).y(Y::B).majority().write(kept())),
    ]
}

/// The significand, with its sign. H: a 1 in the fraction. C is 1 behind it.
fn significand(two_port: bool) -> Vec<Item> {
    let signed = |bit: Option<Address>| chain(tag_out(Row { b: bit, ..row() }));
    let lowest = each(GUARD, row().majority().write(D.j()).up());
    if two_port {
        // Where it is flushed all bits count as 1, and the carry with them: the sum is 0.
        let next = |bit| signed(bit).gate().write(D.j()).up();
        let (bits, last) = (next(Some(A.j().plus(-GUARD))), next(None));
        return vec![
            lowest,
            once(chain(tag_out(row().a(kept()).x(X::NotA))).predicate(PredicateAction::A).hold(HoldAction::Zero)),
            each(FRACTION, bits.hold(HoldAction::Differ)),
            once(next(Some(hidden()))),
            each(ABOVE - 1, last),
            once(last.carry_next(Next::One)),
        ];
    }
    // With `AndNor` sensing it takes two passes: what counts, and its sign.
    let bits = D.j().plus(GUARD);
    let next = |bit| signed(bit).write(bits).up();
    vec![
        lowest,
        once(row().a(kept()).tag(TagAction::A)),
        each(FRACTION, row().b(A.j().plus(-GUARD)).y(Y::TB).majority().write(D.j()).up().rewind()),
        once(chain(row().a(A.row(SIGN)).x(X::A)).tag(TagAction::A)),
        each(FRACTION, next(Some(bits))),
        once(next(Some(hidden()))),
        each(ABOVE - 1, next(None)),
        once(next(None).carry_next(Next::One)),
    ]
}

/// The flags of what is no number: T is one infinity or NaN, then the other one or NaN.
fn infinities(two_port: bool) -> Vec<Item> {
    let any = if two_port { row().x(X::H) } else { row().a(fraction()).x(X::A) };
    let either = |y: Y| once(any.b(A.row(SIGN)).y(y).majority().tag(TagAction::W));
    let is = |which: Flag| once(row().b(special()).y(Y::TB).majority().write(flag(D, which)));
    vec![either(Y::NotB), is(Flag::PlusInfinite), either(Y::B), is(Flag::MinusInfinite)]
}
