//! Comparisons of floating-point numbers, IEEE 754, quiet: false wherever one is NaN. Zeros of both signs are equal; so
//! are subnormal numbers where the mode flushes operands.
//!
//! One pass over the magnitudes from the top tells which is larger, as `min` and `max` do. Further passes look at both
//! operands at once, T at a and H at b: whether there is a 1 in the exponent, in its complement, in the fraction.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, Operand, Row, row};
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Scratch rows of one bit a column; p and q are the operands as they are compared.
#[derive(Clone, Copy)]
enum Flag {
    /// |p| > |q|.
    Greater,
    /// |p| < |q|.
    Less,
    /// p has a 1 in the exponent; then: p < q if the signs are equal.
    First,
    /// q has.
    Second,
    /// p has a 0 in the exponent (without infinities: anywhere but in the sign).
    FirstFinite,
    /// q has.
    SecondFinite,
    /// p is NaN.
    FirstNan,
    /// q is NaN.
    SecondNan,
    /// One of them is not zero.
    NotZero,
}

/// Number of flags.
const FLAGS: i16 = Flag::NotZero as i16 + 1;
/// Bits of the fraction.
const FRACTION: Linear = Linear { n: 1, term: Term::None, constant: -3, shift: 0 };
/// Row of the sign, and number of rows below it.
const SIGN: Linear = Linear { n: 1, term: Term::M, constant: -3, shift: 0 };
/// Row below the sign.
const TOP: Linear = Linear { n: 1, term: Term::M, constant: -4, shift: 0 };

fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// Row d and T ← a = b, a < b, or a ≤ b: the last is the complement of b < a, but for NaN.
pub(super) fn compare(opcode: Opcode) -> Operation {
    let (first, second) = if opcode == Opcode::FLe { (B, A) } else { (A, B) };
    let program = |finite_only: bool| {
        let mut body = properties(first, second, finite_only);
        body.extend(verdict(opcode, first, second));
        Program::new(opcode.name(), body)
    };
    let bits = Linear { constant: -2, ..SIGN };
    Operation::new(opcode, if opcode == Opcode::FLe { |n, m| cycles(n, m) + 1 } else { cycles })
        .formats()
        .source(A, bits)
        .source(B, bits)
        .result(D, 1)
        .scratch(FLAGS)
        .apart(A, S)
        .apart(B, S)
        .apart(D, S)
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false))
}

fn cycles(n: i64, m: i64) -> i64 {
    let fraction = n - 3;
    let again = if n == i64::from(E4M3.n()) { fraction } else { 0 };
    3 * m + 2 * fraction + 21 + again
}

/// The flags. T, H: a 1 in p, in q.
fn properties(first: Operand, second: Operand, finite_only: bool) -> Vec<Item> {
    let order = row().a(first.j().plus(TOP)).b(second.j().plus(TOP)).x(X::HSelect).y(Y::TSelect).majority();
    let order = order.tag(TagAction::Differ).hold(HoldAction::Differ).down().rewind();
    let look = |x: X, y: Y, from: Option<Linear>| {
        let at = |operand: Operand| from.map_or(operand.j(), |from| operand.j().plus(from));
        let both = row().a(at(first)).b(at(second)).x(x).y(y);
        both.tag(TagAction::Differ).hold(HoldAction::Differ).up().rewind()
    };
    let exponents = |x: X, y: Y| each(M, look(x, y, Some(FRACTION)));
    let fractions = |x: X, y: Y| each(FRACTION, look(x, y, None));
    let keep = |tag: Flag, hold: Flag| {
        let tag = row().y(Y::BXorT).write(flag(tag)).tag(TagAction::Zero);
        [once(row().x(X::H).write(flag(hold)).hold(HoldAction::Zero)), once(tag)]
    };
    let mut items = vec![each(SIGN, order)];
    items.extend(keep(Flag::Less, Flag::Greater));
    items.push(exponents(X::A, Y::B));
    items.extend(keep(Flag::First, Flag::Second));
    items.push(exponents(X::NotA, Y::NotB));
    if finite_only {
        items.push(fractions(X::NotA, Y::NotB));
    }
    items.extend(keep(Flag::FirstFinite, Flag::SecondFinite));
    items.push(fractions(X::A, Y::B));
    let (nan_first, nan_second) = if finite_only {
        (row().a(flag(Flag::FirstFinite)).x(X::NotA), row().a(flag(Flag::SecondFinite)).x(X::NotA))
    } else {
        let first = row().a(flag(Flag::FirstFinite)).x(X::NotA).y(Y::BXorT).majority();
        (first, row().b(flag(Flag::SecondFinite)).x(X::H).y(Y::NotB).majority())
    };
    let or = |row: Row| once(row.tag(TagAction::Differ));
    items.extend([
        once(nan_first.write(flag(Flag::FirstNan))),
        once(nan_second.write(flag(Flag::SecondNan))),
        or(row().x(X::H)),
        // Fractions do not count where the key's bit flushes operands.
        once(row().x(X::Zero).steer_x().tag(TagAction::And)),
        or(row().a(flag(Flag::First)).x(X::A)),
        or(row().a(flag(Flag::Second)).x(X::A)),
        once(row().y(Y::BXorT).write(flag(Flag::NotZero))),
    ]);
    items
}

/// The result, from the flags and the signs.
fn verdict(opcode: Opcode, first: Operand, second: Operand) -> Vec<Item> {
    let sign = |operand: Operand| operand.row(SIGN);
    let differ = row().a(sign(first)).b(sign(second)).x(X::A).y(Y::B).tag(TagAction::W);
    let mut items = if opcode == Opcode::FEq {
        let or = |which: Flag| once(row().a(flag(which)).x(X::A).tag(TagAction::Differ));
        vec![once(differ), or(Flag::Greater), or(Flag::Less)]
    } else {
        let magnitudes = row().a(flag(Flag::Greater)).b(flag(Flag::Less)).y(Y::TSelect).write(flag(Flag::First));
        vec![
            once(row().a(sign(first)).tag(TagAction::A)),
            once(magnitudes),
            once(differ),
            once(row().a(sign(first)).b(flag(Flag::First)).y(Y::TSelect).tag(TagAction::W)),
        ]
    };
    items.push(once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)));
    if opcode != Opcode::FLt {
        items.push(once(row().x(X::One).y(Y::BXorT).tag(TagAction::W)));
    }
    let number = |which: Flag| once(row().a(flag(which)).x(X::NotA).tag(TagAction::And));
    items.extend([number(Flag::FirstNan), number(Flag::SecondNan)]);
    items.push(once(row().y(Y::BXorT).write(D.row(0))));
    items
}
