//! Comparisons of floating-point numbers, IEEE 754, quiet: false wherever one is NaN. Zeros of both signs are equal; so
//! are subnormal numbers where the mode flushes operands. And the smaller or larger of two numbers, minimumNumber and
//! maximumNumber of IEEE 754-2019: of a number and NaN the number; and minimum and maximum, which are NaN then. −0 is
//! less than +0; the mode means nothing.
//!
//! One pass over the magnitudes from the top tells which is larger, as `min` and `max` do. Further passes look at both
//! operands at once, T at p and H at q: whether there is a 1 in the exponent, in its complement, in the fraction.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, Operand, Report, Row, row};
use crate::array::isa::ucode::float_exceptions::signals_if;
use crate::array::isa::ucode::float_operation::reporting;
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

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

/// Flags of a comparison. The choice of one operand takes one less.
const FLAGS: i16 = Flag::NotZero as i16 + 1;

fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// Row d and T ← a = b, a < b, or a ≤ b: the last is the complement of b < a, but for NaN.
pub(super) fn compare(opcode: Opcode, cx: Context) -> Operation {
    let (first, second) = if opcode == Opcode::FLe { (B, A) } else { (A, B) };
    let program = |finite_only: bool| {
        let mut body = properties(first, second, finite_only, true);
        body.extend(not_zero());
        if cx.exception_flags {
            body.extend(if opcode == Opcode::FEq { signalling(first, second, finite_only) } else { unordered_given() });
        }
        body.extend(verdict(opcode, first, second));
        Program::new(opcode.name(), body)
    };
    let bits = linear(1, Term::M, -2);
    let operation = Operation::new(opcode, if opcode == Opcode::FLe { |n, m| cycles(n, m) + 1 } else { cycles })
        .formats()
        .source(A, bits)
        .source(B, bits)
        .result(D, 1)
        .scratch(FLAGS)
        .apart(A, S)
        .apart(B, S)
        .apart(D, S)
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false));
    reporting(operation, cx)
}

fn cycles(n: i64, m: i64) -> i64 {
    let fraction = n - 3;
    let again = if n == i64::from(E4M3.n()) { fraction } else { 0 };
    3 * m + 2 * fraction + 21 + again
}

/// d ← the smaller or the larger number.
pub(super) fn min_max(opcode: Opcode, cx: Context) -> Operation {
    let program = |finite_only: bool| {
        let mut body = properties(A, B, finite_only, false);
        if cx.exception_flags {
            body.extend(signalling(A, B, finite_only));
        }
        body.extend(choice(opcode, finite_only));
        Program::new(opcode.name(), body)
    };
    let cycles: Formula = match opcode {
        Opcode::FMin => choice_cycles,
        Opcode::FMax => |n, m| choice_cycles(n, m) + 1,
        Opcode::FMinimum => |n, m| choice_cycles(n, m) - 1,
        _ => choice_cycles,
    };
    let bits = linear(1, Term::M, -2);
    let operation = Operation::new(opcode, cycles)
        .formats()
        .source(A, bits)
        .source(B, bits)
        .result(D, bits)
        .scratch(FLAGS - 1)
        .apart_or_same(A, D)
        .apart_or_same(B, D)
        .all_apart()
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false));
    reporting(operation, cx)
}

fn choice_cycles(n: i64, m: i64) -> i64 {
    3 * n + 3 * m + if n == i64::from(E4M3.n()) { 5 } else { 6 }
}

/// Row d and T ← one of a and b is NaN.
pub(super) fn unordered(cx: Context) -> Operation {
    let program = |finite_only: bool| {
        let mut body = nans(A, B, finite_only, !finite_only);
        if cx.exception_flags {
            body.extend(signalling(A, B, finite_only));
        }
        body.extend([
            once(row().a(flag(Flag::FirstNan)).tag(TagAction::A)),
            once(row().a(flag(Flag::SecondNan)).x(X::A).tag(TagAction::Differ)),
            once(tag_out(row()).write(D.row(0))),
        ]);
        Program::new("funordered", body)
    };
    let bits = linear(1, Term::M, -2);
    let operation = Operation::new(Opcode::FUnordered, |n, m| n + m + 4)
        .formats()
        .source(A, bits)
        .source(B, bits)
        .result(D, 1)
        .scratch(FLAGS - 1)
        .apart(A, S)
        .apart(B, S)
        .apart(D, S)
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false));
    reporting(operation, cx)
}

/// Operands that signal, of formats with infinities: T is lost.
fn signalling(first: Operand, second: Operand, finite_only: bool) -> Vec<Item> {
    let quiet = |operand: Operand| operand.row(linear(1, Term::None, -4));
    let all = [(Flag::FirstNan, first), (Flag::SecondNan, second)];
    let of = |(nan, operand)| once(signals_if(flag(nan), quiet(operand)));
    if finite_only { vec![] } else { all.map(of).into() }
}

/// Operands that are NaN, for comparisons that signal. T is lost.
fn unordered_given() -> Vec<Item> {
    vec![
        once(row().a(flag(Flag::FirstNan)).tag(TagAction::A)),
        once(row().a(flag(Flag::SecondNan)).x(X::A).tag(TagAction::Differ).report(Report::Invalid)),
    ]
}

/// Looks at both operands at once: T and H take what is found in the first and in the second.
fn look(row: Row) -> Row {
    row.tag(TagAction::Differ).hold(HoldAction::Differ).up().rewind()
}

/// T and H to flags; they become 0.
fn keep(tag: Flag, hold: Flag) -> [Item; 2] {
    let tag = tag_out(row()).write(flag(tag)).tag(TagAction::Zero);
    [once(row().x(X::H).write(flag(hold)).hold(HoldAction::Zero)), once(tag)]
}

/// The flags, but for the last; those of exponents if they are asked for. T, H: a 1 in p's, in q's fraction.
fn properties(first: Operand, second: Operand, finite_only: bool, exponents_too: bool) -> Vec<Item> {
    let below_sign = linear(1, Term::M, -4);
    let order = row().a(first.j().plus(below_sign)).b(second.j().plus(below_sign)).x(X::HSelect).y(Y::TSelect);
    let order = order.majority().tag(TagAction::Differ).hold(HoldAction::Differ).down().rewind();
    let exponents = row().a(first.j().plus(FRACTION)).b(second.j().plus(FRACTION));
    let mut items = vec![each(SIGN, order)];
    items.extend(keep(Flag::Less, Flag::Greater));
    if exponents_too {
        items.push(each(M, look(exponents.x(X::A).y(Y::B))));
        items.extend(keep(Flag::First, Flag::Second));
    }
    items.extend(nans(first, second, finite_only, exponents_too || !finite_only));
    items
}

/// Whether the operands are NaN. T, H: a 1 in p's, in q's fraction, if these are asked for.
fn nans(first: Operand, second: Operand, finite_only: bool, fractions_too: bool) -> Vec<Item> {
    let exponents = row().a(first.j().plus(FRACTION)).b(second.j().plus(FRACTION));
    let fractions = row().a(first.j()).b(second.j());
    let mut items = vec![each(M, look(exponents.x(X::NotA).y(Y::NotB)))];
    if finite_only {
        items.push(each(FRACTION, look(fractions.x(X::NotA).y(Y::NotB))));
    }
    items.extend(keep(Flag::FirstFinite, Flag::SecondFinite));
    if fractions_too {
        items.push(each(FRACTION, look(fractions.x(X::A).y(Y::B))));
    }
    let (nan_first, nan_second) = if finite_only {
        (row().a(flag(Flag::FirstFinite)).x(X::NotA), row().a(flag(Flag::SecondFinite)).x(X::NotA))
    } else {
        let first = row().a(flag(Flag::FirstFinite)).x(X::NotA).y(Y::BXorT).majority();
        (first, row().b(flag(Flag::SecondFinite)).x(X::H).y(Y::NotB).majority())
    };
    items.extend([once(nan_first.write(flag(Flag::FirstNan))), once(nan_second.write(flag(Flag::SecondNan)))]);
    items
}

/// Whether there is a 1 in an exponent, or in a fraction that counts.
fn not_zero() -> [Item; 5] {
    let or = |row: Row| once(row.tag(TagAction::Differ));
    [
        or(row().x(X::H)),
        // Fractions do not count where the key's bit flushes operands.
        once(row().x(X::Zero).steer_x().tag(TagAction::And)),
        or(row().a(flag(Flag::First)).x(X::A)),
        or(row().a(flag(Flag::Second)).x(X::A)),
        once(tag_out(row()).write(flag(Flag::NotZero))),
    ]
}

/// T: p < q, of numbers that are not both zero.
fn less(first: Operand, second: Operand) -> [Item; 4] {
    let (p, q) = (first.row(SIGN), second.row(SIGN));
    let magnitudes = row().a(flag(Flag::Greater)).b(flag(Flag::Less)).y(Y::TSelect).write(flag(Flag::First));
    [
        once(row().a(p).tag(TagAction::A)),
        once(magnitudes),
        once(row().a(p).b(q).x(X::A).y(Y::B).tag(TagAction::W)),
        once(row().a(p).b(flag(Flag::First)).y(Y::TSelect).tag(TagAction::W)),
    ]
}

fn invert_tag() -> Item {
    once(tag_out(row().x(X::One)).tag(TagAction::W))
}

/// T becomes 0 where the flag is 1.
fn unless(which: Flag) -> Item {
    once(row().a(flag(which)).x(X::NotA).tag(TagAction::And))
}

/// The result of a comparison, from the flags and the signs.
fn verdict(opcode: Opcode, first: Operand, second: Operand) -> Vec<Item> {
    let mut items: Vec<Item> = if opcode == Opcode::FEq {
        let differ = row().a(first.row(SIGN)).b(second.row(SIGN)).x(X::A).y(Y::B).tag(TagAction::W);
        let or = |which: Flag| once(row().a(flag(which)).x(X::A).tag(TagAction::Differ));
        vec![once(differ), or(Flag::Greater), or(Flag::Less)]
    } else {
        less(first, second).into()
    };
    items.push(once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)));
    if opcode != Opcode::FLt {
        items.push(invert_tag());
    }
    items.extend([unless(Flag::FirstNan), unless(Flag::SecondNan), once(tag_out(row()).write(D.row(0)))]);
    items
}

/// The smaller or the larger operand. T: it is a. H: the result is the NaN that all operations give, because both
/// operands are, or where NaN propagates, one.
fn choice(opcode: Opcode, finite_only: bool) -> Vec<Item> {
    let nan = row().a(flag(Flag::FirstNan)).b(flag(Flag::SecondNan)).x(X::A).y(Y::B).hold_next(Next::Majority);
    let chosen = row().a(A.j()).b(B.j()).y(Y::TSelect).write(D.j()).up();
    let mut items: Vec<Item> = less(A, B).into();
    if matches!(opcode, Opcode::FMax | Opcode::FMaximum) {
        items.push(invert_tag());
    }
    if matches!(opcode, Opcode::FMinimum | Opcode::FMaximum) {
        // Of NaN all ones but in the fraction's low bits, whichever operand is chosen.
        let ones = chosen.x(X::H).majority();
        items.push(once(row().carry_next(Next::One)));
        if finite_only {
            items.extend([once(nan), each(SIGN - 1, ones)]);
        } else {
            items.extend([
                once(nan.clear_carry()),
                each(linear(1, Term::None, -4), chosen.x(X::NotH).majority()),
                once(row().carry_next(Next::One)),
                each(M, ones),
            ]);
        }
        items.extend([once(ones.clear_carry()), once(chosen.x(X::NotH).majority())]);
        return items;
    }
    items.extend([
        unless(Flag::FirstNan),
        once(row().a(flag(Flag::SecondNan)).x(X::A).tag(TagAction::Differ)),
        once(nan),
    ]);
    if finite_only {
        items.push(each(SIGN, chosen));
    } else {
        let quiet = chosen.x(X::H).majority().clear_carry();
        items.extend([
            each(linear(1, Term::None, -4), chosen.x(X::NotH).majority()),
            once(row().carry_next(Next::One)),
            once(quiet),
            each(M, chosen),
        ]);
    }
    items.push(once(chosen.x(X::NotH).majority()));
    items
}
