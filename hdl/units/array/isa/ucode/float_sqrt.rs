//! Square roots of floating-point numbers, IEEE 754, on `TwoPort` columns as they are: all directions of rounding,
//! subnormal operands kept or flushed. No result is subnormal or too large.
//!
//! ```text
//!  a ─▶ special values ─▶ up, until a 1 is on top ─▶ up by one more, if its exponent is even ─▶ root, a bit a pass
//!      ─▶ exponent, halved ─▶ round ─▶ d
//! ```
//!
//! The root S begins with 1, and the remainder with the significand less 1. Pass i takes twice the remainder and
//! subtracts 2S and 2 to the power of −i, or where it is negative adds 2S and three times the half of that, which is
//! one number: the bits of the root, the complement of the last one, and 1, complemented or not. The rows of the
//! remainder are those of the one before, so that doubling is to begin two rows further down and one row of the root,
//! which grows: pass i has i + 3 rows. At the end the remainder, with twice the root and its last place if it is
//! negative, is 0 or sticky.
//!
//! With the biased exponent E, the root's is E and the bias, halved: the bias is odd, and one less than a power of two.
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{E4M3, F32, Format};
use crate::array::isa::linear::{EXCESS, LOG2, M, N, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Report, Row, TriangleAction, row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode::float_div::{all_up, behind_up, subnormal};
use crate::array::isa::ucode::float_operation::{exponent_of_operand, no_number, of_formats};
use crate::array::isa::ucode::float_quotient_rows::SIGNIFICAND;
use crate::array::isa::ucode::float_round::{self as round, adds, directions};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt_flushed::with_flushed;
use crate::array::isa::ucode::float_sqrt_way::Way;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Scratch rows of one bit a column, behind those of rounding. Some are used twice.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// The operand is finite; then: the result is.
    Finite,
    /// Its hidden bit; then: its exponent's lowest bit as it counts; then: its sign.
    Hidden,
    /// The result is NaN.
    NotANumber,
    /// The operand is not zero.
    NotZero,
}

/// What stages write, a row each, for the widest format.
pub(super) const STAGES: i16 = round::FLAGS + Flag::NotZero as i16 + 1;
/// The remainder's lowest row at the end.
pub(super) const REMAINDER: i16 = STAGES + 6;

pub(super) fn flag(flag: Flag) -> Address {
    S.at(round::FLAGS as u8 + flag as u8)
}

/// The operand's sign, before it is known how to round.
pub(super) fn sign() -> Address {
    round::flag(round::Flag::Bounded)
}

/// The remainder's rows from the lowest one that it has at the end; then those of the exponent.
pub(super) fn remainder(index: Address) -> Address {
    index.plus(REMAINDER)
}

/// The row next to the remainder's lowest one, and where the exponent's half begins.
fn remainder_from_one(index: Address) -> Address {
    index.plus(REMAINDER + 1)
}

/// d ← the square root of a.
pub(super) fn sqrt(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |format: Format| {
        let (way, finite_only) = (Way::of(format), format == E4M3);
        let mut body = operand(finite_only, Some(way.fraction()), reports);
        body.extend(significand(way, skip));
        body.extend(root(way));
        body.extend(sticky());
        body.extend(exponent(way, remainder(S.j())));
        body.extend(directions(None));
        if reports {
            body.extend(inexact(D.at(2)));
        }
        body.extend(adds(D.at(3), D.at(2)));
        let exponent = remainder_from_one(S.j());
        body.extend(packed(finite_only, [Flag::Finite, Flag::NotZero], D.j().plus(3), exponent));
        Program::new("fsqrt", body).i(1).z(1)
    };
    let formula = if skip { skipping } else { cycles };
    let rows = Rows::by_format(|format| Way::of(format).rows(format));
    let mut operation = of_formats(Opcode::FSqrt, formula, &[A], rows, program);
    // The shorter programs for the mode that flushes report nothing.
    operation.counted = reports.then_some(cx);
    if cx.two_port() && !reports { with_flushed(operation, cx) } else { operation }
}

/// Columns whose root goes on, in the bit behind the fraction or further (H), report. C is 0; T is lost.
fn inexact(behind: Address) -> Vec<Item> {
    let also = |flag: Address, x: X| row().a(flag).x(x).tag(TagAction::And);
    vec![
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(behind).x(X::A).tag(TagAction::Differ)),
        once(also(flag(Flag::Finite), X::A)),
        once(also(flag(Flag::NotANumber), X::NotA)),
        once(also(flag(Flag::NotZero), X::A).report(Report::Inexact)),
    ]
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 7 } else { 0 };
    // Long formats need two rows of zeros alone.
    let zeros = if n < i64::from(F32.n()) { n } else { 2 };
    (n - 2) * (n + 5) / 2 + stages * (n + 1) + (1 << stages) + 4 * n + zeros + 3 * m + 41 + special
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + i64::from(ceil_log2(n as i32)) + 2
}

/// The fraction to where the significand will be, if it is to go there; what the operand is; the sign. J is 0 before
/// and behind it, T and H before it.
pub(super) fn operand(finite_only: bool, to: Option<Address>, reports: bool) -> Vec<Item> {
    let [finite, hidden, nan, counts] = [Flag::Finite, Flag::Hidden, Flag::NotANumber, Flag::NotZero].map(flag);
    let fractions = |row: Row| row.a(A.j()).tag(TagAction::Differ).up().rewind();
    let copied = each(FRACTION, fractions(Row { w: to, ..row().x(X::A) }));
    let keep = |flag: Address| once(tag_out(row()).write(flag).tag(TagAction::Zero));
    let mut items = vec![copied.clone(), keep(counts)];
    if finite_only {
        items = exponent_of_operand([finite, hidden], sign(), true);
        items.extend([each(FRACTION, fractions(row().x(X::NotA))), keep(finite), copied, keep(counts)]);
        items.push(once(row().a(finite).x(X::NotA).tag(TagAction::W)));
    } else {
        items.extend(exponent_of_operand([finite, hidden], sign(), false));
        items.push(once(row().a(counts).b(finite).x(X::A).y(Y::NotB).majority().tag(TagAction::W)));
    }
    let both = |one: Address, other: Address| row().a(one).b(other).x(X::A).y(Y::B).majority();
    items.extend(no_number(nan, reports && !finite_only));
    items.extend([
        // C: subnormal operands count.
        once(row().x(X::One).steer_x().carry_next(Next::NotSum)),
        once(row().a(counts).x(X::A).majority().write(counts).carry_next(Next::One)),
        once(both(hidden, counts).write(counts).clear_carry()),
        // T: negative and not zero, or NaN.
        once(both(sign(), counts).tag(TagAction::W)),
    ]);
    if reports {
        items.push(once(row().a(nan).x(X::NotA).tag(TagAction::And).report(Report::Invalid)));
    }
    items.extend([
        once(row().a(nan).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).write(nan).hold(HoldAction::Zero)),
    ]);
    items
}

/// Zeros below the fraction, the hidden bit above it; up until a 1 is on top, doubled if the exponent is even; then 1
/// is subtracted. I stays 1.
pub(super) fn significand(way: Way, skip: bool) -> Vec<Item> {
    let hidden = flag(Flag::Hidden);
    let (source, above) = (way.top(S.j()), way.top(S.k()));
    let lowest = at(A.j().plus(FRACTION), 0);
    let second = at(way.fraction(), 1);
    let doubled = row().a(source).b(above).y(Y::TSelect).write(above).down();
    let mut items = match (way.again, way.extra) {
        // Two rows below the fraction are those that a stage and a pass look at.
        (Some(_), _) => [1, 0].map(|number| once(row().write(way.zeros(number)))).to_vec(),
        (None, 0) => vec![each(N, row().write(remainder(S.j())).up().rewind())],
        // Programs with more rows than a rounded root takes have a base register less: zeros begin with the stages.
        (None, extra) => vec![each(N + (6 + 2 * extra), row().write(way.stays()[0]).up().rewind())],
    };
    items.push(once(row().a(hidden).x(X::A).write(at(source, 0))));
    let test = subnormal(hidden, flag(Flag::NotZero));
    items.extend(all_up(skip, test, |index| way.top(index), S, way.stays()));
    items.extend([
        once(behind_up(skip, row().write(at(source, 1)).carry_next(Next::One))),
        // T: the exponent, which is 1 where the field is 0, is even.
        once(row().a(lowest).b(hidden).x(X::A).y(Y::NotB).majority().write(hidden).tag(TagAction::W).clear_carry()),
        once(tag_out(row().a(at(way.stays()[0], 0)).x(X::A)).tag(TagAction::W)),
        each(FRACTION, doubled),
        once(doubled.rewind()),
        once(row().b(second).x(X::B).y(Y::TB).write(second)),
        once(chain(row().a(at(source, 0)).x(X::A).y(Y::NotB)).write(at(source, 0))),
        once(row().a(at(source, 1)).x(X::A).y(Y::NotB).write(at(source, 1)).clear_carry()),
    ]);
    items
}

/// Bits of the root, in d from its row 2 up. T: the last one. C is 0 before and behind it; I falls from 1, J is left
/// as it is.
pub(super) fn root(way: Way) -> Vec<Item> {
    let below = |to: Address| pass(way, [way.remainder(0), to], false);
    let mut items = vec![once(leading(way))];
    match way.again {
        None => items.push(outer(SIGNIFICAND + way.extra, pass(way, [way.remainder(0); 2], true))),
        Some(again) => {
            // Those that have bits of the operand.
            let first = way.passes / 2;
            items.push(outer(first, pass(way, [way.remainder(0); 2], true)));
            items.push(outer(again - 1 - first, below(way.remainder(0))));
            items.extend(below(way.above()));
            items.push(outer(way.behind, pass(way, [way.above(); 2], false)));
        }
    }
    items
}

/// The leading 1, behind which the first pass is as behind a bit that is 1.
pub(super) fn leading(way: Way) -> Row {
    row().x(X::One).write(at(bit(way), 2)).tag(TagAction::W).up()
}

/// The row of d that pass i writes, with I at 2 − i.
pub(super) fn bit(way: Way) -> Address {
    D.i().plus(linear(1, Term::None, way.extra - 2 - way.lower))
}

/// A pass, i + 3 rows, from rows to others. J begins at I. Its lowest two rows have bits of the operand, or are the
/// first ones below it, which count as 0 and need not have been written.
pub(super) fn pass(way: Way, [here, to]: [Address; 2], operand: bool) -> Vec<Item> {
    let by = D.j().plus(linear(1, Term::None, way.extra - 3 - way.lower));
    let term = |row: Row| chain(row.a(here).x(X::A)).write(to).up();
    let sign = row().a(here).x(X::A).y(Y::BXorT).not_sum().write(bit(way)).tag(TagAction::W).clear_carry();
    let lowest = row().y(Y::NotB);
    let lowest = if operand { term(lowest) } else { lowest.write(to).up() };
    // Two rows of their own, and no loop of two, as wherever these programs would want a ninth count.
    vec![
        // Below the root stand 1 and the complement of T, complemented where T is 1, and the carry is T: the sum is
        // that of a 1 in both rows.
        once(lowest),
        once(lowest),
        each(Count::Triangle, term(row().b(by).y(Y::BXorT))),
        once(sign.i(OffsetAction::Lower).z(TriangleAction::Up)),
    ]
}

/// H: the root goes on.
fn sticky() -> Vec<Item> {
    let below = round::flag(round::Flag::Away);
    // Where the remainder is negative (P), the root is added; elsewhere all ones and C, which is 0. J is 1 in the first
    // row: a base register less.
    let sum = chain(row().a(remainder(S.j())).b(D.j()).x(X::A).y(Y::B).gate());
    vec![
        once(tag_out(row()).not_sum().write(below).rewind()),
        // The root's last place, half of what the sum has of it, below the root.
        once(tag_out(row()).not_sum().write(D.at(1)).up()),
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        once(row().a(below).predicate(PredicateAction::A)),
        // T: only zeros.
        each(N, sum.not_sum().tag(TagAction::And).up().rewind()),
        once(row().clear_carry()),
        once(tag_out(row()).hold_next(Next::NotSum)),
    ]
}

/// The exponent and the bias, whose half is the root's exponent, m + 1 rows. The sign to where it stays.
pub(super) fn exponent(way: Way, to: Address) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let hidden = flag(Flag::Hidden);
    let less = |from: Address| chain(row().a(from).b(way.stays()[0]).x(X::A).y(Y::B)).write(to).up();
    vec![
        once(less(hidden)),
        each(LOG2 - 1, less(field)),
        // The bias is one less than the top bit's weight, and its low ones are the borrow: the top bit is complemented.
        each(EXCESS, chain(row().a(field).x(X::A).y(Y::NotB)).write(to).up().flip_out()),
        once(row().down()),
        once(row().a(to).x(X::A).tag(TagAction::W).clear_carry().up()),
        once(tag_out(row()).write(to).rewind()),
        once(row().a(sign()).x(X::A).write(hidden)),
    ]
}

/// Fraction, exponent and sign to d, from their rows. C: rounding adds. The first flag says that the result is finite,
/// the second one that it is not zero.
pub(super) fn packed(finite_only: bool, flags: [Flag; 2], fraction: Address, exponent: Address) -> Vec<Item> {
    let ([finite, counts], [negative, nan]) = (flags.map(flag), [Flag::Hidden, Flag::NotANumber].map(flag));
    let to = D.j().plus(FRACTION);
    // A row's majority with itself does not depend on the carry.
    let and = |address: Address| row().a(address).b(address).x(X::A).y(Y::B).majority().tag(TagAction::And);
    let not = row().a(nan).b(nan).x(X::NotA).y(Y::NotB).majority();
    let mut items = vec![
        // C: rounding adds, to a finite number. T: that.
        once(row().a(finite).tag(TagAction::A)),
        once(not.tag(TagAction::And)),
        once(and(counts)),
        once(tag_out(row()).carry_next(Next::Majority)),
        each(FRACTION, chain(row().b(fraction).y(Y::TB)).write(D.j()).up().rewind()),
        // P: not all ones.
        once(not.tag(TagAction::W)),
        once(and(finite)),
        once(row().a(finite).b(finite).x(X::A).y(Y::TB).majority().write(finite)),
        once(row().a(finite).predicate(PredicateAction::A)),
        once(row().a(counts).tag(TagAction::A)),
        each(M, chain(row().b(exponent).y(Y::TB).gate()).write(to).up()),
        once(row().clear_carry()),
        once(row().a(nan).b(negative).x(X::NotA).y(Y::B).majority().write(to).rewind()),
    ];
    if finite_only {
        items.push(once(row().a(nan).tag(TagAction::A)));
        items.push(each(FRACTION, row().a(nan).b(D.j()).y(Y::TSelect).write(D.j()).up()));
    } else {
        items.push(once(row().down()));
        items.push(once(row().a(to).b(nan).x(X::A).y(Y::B).write(to)));
    }
    items
}
