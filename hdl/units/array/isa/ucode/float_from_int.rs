//! Conversion of integers of n bits to floating-point numbers, in all directions of rounding.
//!
//! ```text
//!  a ─▶ magnitude in the window ─▶ up, until a 1 is on top ─▶ round ─▶ exponent ─▶ d
//! ```
//!
//! The format is the opcode's, n the integer's bits, 2 to the power of k. A stage of the shifter writes whether the
//! window stays; these k bits are n − 1 less the distance, which is the exponent without its bias. The bias is ones in
//! all rows of the exponent but the top one: T, which is 0 for the integer 0, adds it. Formats with few exponent bits
//! can overflow: their exponent has eight rows until it is known which columns do.
//!
//! T, C and H have the meanings that comments give them.

use crate::array::isa::format::{E4M3, Format};
use crate::array::isa::linear::{LOG2, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::inexact;
use crate::array::isa::ucode::float_operation::reporting;
use crate::array::isa::ucode::float_round::{FLAGS, Flag, adds, by_format, directions, flag};
use crate::array::isa::ucode::float_rows::{at, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Exponent bits from which on no integer of 64 bits is too large.
const WIDE: u8 = 8;

/// Rows of the exponent while it is worked on.
fn exponent_rows(format: Format) -> i16 {
    format.exponent.max(WIDE).into()
}

/// The exponent's row of this index.
fn exponent(index: Address) -> Address {
    index.plus(FLAGS)
}

/// The window from a row on.
fn window(format: Format, index: Address, n: i8, row: i16) -> Address {
    index.plus(linear(n, Term::None, FLAGS + exponent_rows(format) + row))
}

/// The window from its top row.
fn top(format: Format, index: Address) -> Address {
    window(format, index, 1, -1)
}

/// The exponent in the result.
fn field(format: Format) -> Address {
    D.j().plus(i16::from(format.fraction))
}

/// d ← the integer a as a number.
pub(super) fn from_int(opcode: Opcode, format: Format, cx: Context) -> Operation {
    let reports = cx.exception_flags;
    let operation = Operation::new(opcode, by_format!(cycles, format, opcode.signed()))
        .widths(8, 64)
        .powers_of_two()
        .source(A, N)
        .result(D, format.bits() as i16)
        .scratch(N + FLAGS + exponent_rows(format))
        .all_apart();
    let sign = opcode.signed().then_some(A.row(N - 1));
    let program = |fraction: Vec<Item>, reports: bool| {
        let mut body = magnitude(format, sign);
        body.push(outer(LOG2, stage(format)));
        body.extend(fraction);
        body.push(once(row().a(at(top(format, S.j()), 0)).tag(TagAction::A)));
        body.extend(if format.exponent < WIDE { narrow(format, sign, reports) } else { wide(format, sign) });
        Program::new(opcode.name(), body).i(N.half()).stride(N.half())
    };
    // Integers are rounded if they have bits for which the fraction has none.
    let operation = if format.fraction < 7 {
        operation
    } else {
        let spare = N - (i16::from(format.fraction) + 2);
        operation.variant(&[Condition::AtLeastZero(spare)], program(rounded(format, sign, reports), reports))
    };
    // What is not rounded is not too large.
    let others = match format.fraction {
        0..7 => program(rounded(format, sign, reports), reports),
        _ => program(exact(format), false),
    };
    reporting(operation.program(others), cx)
}

fn cycles<const FRACTION: i64, const EXPONENT: i64, const SIGNED: bool>(n: i64, _: i64) -> i64 {
    let k = i64::from(n.ilog2());
    let start = EXPONENT.max(WIDE.into()) + n + if SIGNED { 2 } else { 0 };
    let shifts = k * (n + 2) + n - 1;
    let fraction = if n > FRACTION + 1 { n + 7 } else { FRACTION };
    let end = match (EXPONENT, FRACTION) {
        (8.., _) => EXPONENT + 1,
        (_, 3) => 2 * FRACTION + EXPONENT + 21,
        _ => FRACTION + EXPONENT + 19,
    };
    start + shifts + fraction + 1 + end
}

/// The magnitude to the window; no exponent so far.
fn magnitude(format: Format, sign: Option<Address>) -> Vec<Item> {
    let to = window(format, S.j(), 0, 0);
    let mut items = vec![each(exponent_rows(format), row().write(exponent(S.j())).up().rewind())];
    if let Some(sign) = sign {
        // Negative integers: the complement, and 1.
        items.extend([once(row().a(sign).tag(TagAction::A)), once(row().a(sign).carry_next(Next::AAndNotY))]);
        items.push(each(N, chain(row().b(A.j()).y(Y::BXorT)).write(to).up().rewind()));
    } else {
        items.push(each(N, row().a(A.j()).x(X::A).write(to).up().rewind()));
    }
    items
}

/// Up by the stride where the rows on top are 0. T: it stays.
fn stage(format: Format) -> Vec<Item> {
    let (source, to) = (top(format, S.j()), top(format, S.k()));
    let stays = S.l().plus(linear(0, Term::Log2, FLAGS - 1));
    let fill = row().b(to).y(Y::TB).write(to).down().rewind();
    vec![
        once(row().tag(TagAction::Zero).clear_carry()),
        each(Count::Stride, row().a(source).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(stays).l(OuterAction::Down)),
        each(Count::StrideRest, row().a(to).b(source).y(Y::TSelect).write(to).down()),
        each(Count::Stride, fill.i(OffsetAction::Halve).stride(StrideAction::Halve)),
    ]
}

/// The fraction, rounded, to d. C: its carry.
fn rounded(format: Format, sign: Option<Address>, reports: bool) -> Vec<Item> {
    let fraction = i16::from(format.fraction);
    let from = |index: Address, row: i16| window(format, index, 1, row - fraction);
    let rest = row().a(window(format, S.j(), 0, 0)).x(X::A).majority().hold(HoldAction::Differ);
    // The first bit of the mode means nothing here.
    let mut items = vec![each(N - (fraction + 2), rest.up().rewind()), once(row().key_shift(1))];
    items.extend(directions(sign));
    let behind = at(from(S.j(), -2), 0);
    if reports {
        items.extend(inexact(behind));
    }
    items.extend(adds(at(from(S.j(), -1), 0), behind));
    items.push(each(fraction, chain(row().b(from(S.j(), -1)).y(Y::B)).write(D.j()).up().rewind()));
    items
}

/// The same where no bit is left over: zeros follow.
fn exact(format: Format) -> Vec<Item> {
    let copy = row().a(window(format, S.j(), 0, 0)).x(X::A).up().rewind();
    // bf16 has as many bits as an integer of 8 bits has below its top one.
    if format.fraction == 7 {
        return vec![each(N - 1, copy.write(D.j()))];
    }
    let zeros = N.negated() + (i16::from(format.fraction) + 1);
    vec![each(zeros, row().write(D.j()).up().rewind()), each(N - 1, copy.write(D.j().plus(zeros)))]
}

/// The row of the sign.
fn sign_row(format: Format) -> Address {
    D.at(format.fraction + format.exponent)
}

fn sign_out(format: Format, sign: Option<Address>) -> Item {
    once(sign.map_or(row(), |sign| row().a(sign).x(X::A)).write(sign_row(format)))
}

/// Adds the bias, from T, to the exponent and the fraction's carry.
fn biased(row: Row) -> Row {
    chain(tag_out(row.a(exponent(S.j())).x(X::A)))
}

/// Exponent and sign where nothing is too large.
fn wide(format: Format, sign: Option<Address>) -> Vec<Item> {
    let to = field(format);
    vec![
        each(i16::from(format.exponent) - 1, biased(row()).write(to).up()),
        once(row().write(to).clear_carry()),
        sign_out(format, sign),
    ]
}

/// Exponent and sign where numbers may be too large: infinite, NaN without infinities, or the largest number where
/// rounding is toward zero.
fn narrow(format: Format, sign: Option<Address>, reports: bool) -> Vec<Item> {
    let (fraction, bits) = (i16::from(format.fraction), i16::from(format.exponent));
    let (rows, to) = (exponent(S.j()), field(format));
    // What is too large is not bounded.
    let unbounded = flag(Flag::Away);
    let all = |count: i16, address: Address| each(count, row().a(address).x(X::A).tag(TagAction::And).up().rewind());
    let mut items = vec![
        each(bits - 1, biased(row()).write(rows).up()),
        each(9 - bits, chain(row().a(rows).x(X::A)).write(rows).up().rewind()),
        // T: all ones, or more than the exponent has room for.
        once(row().x(X::One).tag(TagAction::W)),
        all(bits, rows),
    ];
    if format == E4M3 {
        items.push(all(fraction, D.j()));
    }
    let more = row().a(S.j().plus(FLAGS + bits)).x(X::A).tag(TagAction::Differ);
    let [overflow, too] = if reports { [Report::Overflow, Report::Inexact] } else { [Report::None; 2] };
    let keep = row().a(flag(Flag::Bounded)).x(X::NotA).write(unbounded);
    items.extend([each(8 - bits, more.report(overflow).up().rewind()), once(keep.report(too))]);
    let ones = |from: Address, to: Address| row().a(from).y(Y::Differ).write(to).up();
    if format == E4M3 {
        // The largest number has a 0 in the lowest bit; NaN has no sign.
        let signed = sign.map_or(row(), |sign| row().b(sign).x(X::B).y(Y::TB));
        items.extend([
            each(fraction, ones(D.j(), D.j()).rewind()),
            once(row().a(unbounded).b(D.at(0)).y(Y::TSelect).write(D.at(0))),
            each(bits, ones(rows, to).rewind()),
            once(row().a(unbounded).x(X::A).tag(TagAction::And)),
            once(signed.write(sign_row(format))),
        ]);
    } else {
        items.extend([
            each(fraction, row().a(flag(Flag::Bounded)).b(D.j()).y(Y::TSelect).write(D.j()).up().rewind()),
            once(row().a(unbounded).b(at(rows, 0)).y(Y::TSelect).write(to).up()),
            each(bits - 1, ones(rows, to).rewind()),
            sign_out(format, sign),
        ]);
    }
    items
}
