//! Conversion of floating-point numbers to integers of n bits: all directions of rounding; what is too large becomes
//! the largest or smallest integer, NaN becomes 0.
//!
//! ```text
//!  a ─▶ significand in d, hidden bit on top ─▶ down by the distance ─▶ round, sign ─▶ saturate ─▶ d
//! ```
//!
//! The format is the opcode's, n the integer's bits, 2 to the power of k. With the hidden bit in row n − 1 of d, a
//! number with exponent e has to go down by ¬e − 2ᵐ⁻¹ + 2ᵏ − 1 rows, m being the bits of the exponent: the bias, which
//! is one less than a power of two, complements the exponent's top bit, and the complement's top bit is the sign of
//! what is left. So the constants are a complement, a borrow into row 0, and a 1 added from row k up: a program has
//! them by where its loops begin. A row takes the bit behind the integer's lowest one, H what goes beyond.
//!
//! T, C and H have the meanings that comments give them.

use crate::array::isa::format::Format;
use crate::array::isa::linear::{LOG2, Linear, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_operation::reporting;
use crate::array::isa::ucode::float_round::{FLAGS, adds, by_format, directions, properties};
use crate::array::isa::ucode::float_rows::{at, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Scratch rows of one bit a column, behind those of rounding. Some are used twice.
#[derive(Clone, Copy)]
enum Flag {
    /// The number is finite.
    Finite,
    /// Its hidden bit.
    Hidden,
    /// It is NaN.
    NotANumber,
    /// It is too large, or infinite.
    Overflow,
    /// It is less than a quarter; then: C before the sign is applied; then: low bits of what saturates.
    Far,
    /// The bit behind the integer's lowest one; then: the sum's carry; then: the top bit of what saturates.
    Behind,
}

/// First row of the distance, which has m + k rows.
const DISTANCE: i16 = FLAGS + Flag::Behind as i16 + 1;

fn flag(flag: Flag) -> Address {
    S.at(FLAGS as u8 + flag as u8)
}

/// Where exceptions are reported: bits are lost. It takes the row of what is finite.
fn inexact() -> Address {
    flag(Flag::Finite)
}

/// The distance from row k up.
fn upper(index: Address, row: i16) -> Address {
    index.plus(linear(0, Term::Log2, DISTANCE + row))
}

/// d ← a as an integer.
pub(super) fn to_int(opcode: Opcode, format: Format, cx: Context) -> Operation {
    let reports = cx.exception_flags;
    let operation = Operation::new(opcode, by_format!(cycles, format, opcode.signed()))
        .widths(8, 64)
        .powers_of_two()
        .source(A, format.bits() as i16)
        .result(D, N)
        .scratch(linear(0, Term::Log2, DISTANCE + i16::from(format.exponent)))
        .all_apart();
    let program = |fit: Fit| {
        let mut body = properties(format, flag(Flag::Finite), flag(Flag::Hidden), flag(Flag::NotANumber));
        body.extend(distance(format));
        body.extend(significand(format, fit));
        body.extend(down());
        body.extend(round(format, reports));
        body.extend(saturate(format, opcode.signed(), reports));
        Program::new(opcode.name(), body).i(1)
    };
    // The fraction has the rows below the hidden bit, or there are more of the one or of the other.
    let operation = if format.fraction < 7 {
        operation
    } else {
        let spare = N - (i16::from(format.fraction) + 2);
        operation.variant(&[Condition::AtLeastZero(spare)], program(Fit::RowsLeft))
    };
    let fit = match format.fraction {
        0..7 => Fit::RowsLeft,
        7 => Fit::Same,
        _ => Fit::BitsLeft,
    };
    reporting(operation.program(program(fit)), cx)
}

/// Fraction and rows below the integer's top one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// There are more rows.
    RowsLeft,
    /// There are as many, where n is 8.
    Same,
    /// There are more bits.
    BitsLeft,
}

fn cycles<const FRACTION: i64, const EXPONENT: i64, const SIGNED: bool>(n: i64, _: i64) -> i64 {
    let k = i64::from(n.ilog2());
    let before = FRACTION + 4 * EXPONENT + k + n.max(FRACTION) + 9;
    let shifts = 3 * n + (k - 1) * (n + 2) + 7;
    before + shifts + 2 * n + if SIGNED { 21 } else { 22 }
}

/// The distance, the numbers that are too large, and those that are far below 1.
fn distance(format: Format) -> Vec<Item> {
    let (fraction, exponent) = (i16::from(format.fraction), i16::from(format.exponent));
    let less_one = |row: Row| chain(row.y(Y::NotB)).write(S.j().plus(DISTANCE)).up();
    let upper_row = upper(S.j(), 0);
    let sign = at(upper_row, format.exponent - 1);
    let keep = |which: Flag| once(tag_out(row()).write(flag(which)).tag(TagAction::Zero));
    vec![
        each(exponent - 1, less_one(row().a(A.j().plus(fraction)).x(X::NotA))),
        each(LOG2 + 1, less_one(row().a(A.at(format.fraction + format.exponent - 1)).x(X::A)).rewind()),
        once(row().carry_next(Next::One)),
        each(exponent, chain(row().a(upper_row).x(X::A)).write(upper_row).up().rewind()),
        once(row().a(sign).tag(TagAction::A).clear_carry()),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ)),
        keep(Flag::Overflow),
        // T: not negative, and at least 2 above row k.
        each(exponent - 1, row().a(upper(S.j(), 1)).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(row().a(sign).x(X::NotA).tag(TagAction::And)),
        keep(Flag::Far),
    ]
}

/// The significand to d, with the hidden bit in its top row. H: bits for which there is no row.
fn significand(format: Format, fit: Fit) -> Vec<Item> {
    let fraction = i16::from(format.fraction);
    let copy = |from: Address| row().a(from).x(X::A).write(D.j()).up();
    // Row n − 2 of d takes the fraction's top bit.
    let from_top = A.j().plus(Linear { n: -1, ..Linear::constant(fraction + 1) });
    let none_behind = once(row().write(flag(Flag::Behind)).rewind());
    let mut items = vec![once(row().a(flag(Flag::Hidden)).x(X::A).write(D.row(N - 1)))];
    items.extend(match fit {
        Fit::RowsLeft => {
            vec![each(N - (fraction + 1), row().write(D.j()).up()), each(fraction, copy(from_top)), none_behind]
        }
        Fit::Same => vec![each(fraction, copy(A.j())), none_behind],
        Fit::BitsLeft => vec![
            each(N.negated() + fraction, row().a(A.j()).x(X::A).majority().hold(HoldAction::Differ).up()),
            once(row().a(A.j()).x(X::A).write(flag(Flag::Behind)).rewind()),
            each(N - 1, copy(from_top).rewind()),
        ],
    });
    items
}

/// Down by the distance: by n where the rows above its low ones say so, then by 1, 2, 4, ….
fn down() -> Vec<Item> {
    let leaves = |row: Row| row.x(X::B).y(Y::TB).hold(HoldAction::Differ);
    let behind = flag(Flag::Behind);
    let behind_leaves = once(leaves(row().b(behind)).write(behind));
    let clear = |row: Row| row.b(D.j()).x(X::B).y(Y::TB).write(D.j());
    let follows = |from: Address| once(row().a(from).b(behind).y(Y::TSelect).write(behind));
    let far = row().a(flag(Flag::Far));
    let stage = |first: bool| {
        let mut items = vec![
            once(row().a(S.l().plus(DISTANCE)).tag(TagAction::A).l(OuterAction::Up)),
            behind_leaves.clone(),
            follows(D.i().plus(-1)),
        ];
        if !first {
            items.push(each(Count::StrideLessOne, row().b(D.j()).y(Y::TB).hold(HoldAction::Differ).up().rewind()));
        }
        let fill = clear(row()).up().rewind();
        items.extend([
            each(Count::StrideRest, row().a(D.k()).b(D.j()).y(Y::TSelect).write(D.j()).up()),
            each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
        ]);
        items
    };
    let mut items = vec![
        once(row().a(at(upper(S.j(), 0), 0)).tag(TagAction::A)),
        once(far.x(X::A).tag(TagAction::Differ)),
        behind_leaves.clone(),
        each(N - 1, leaves(row().b(D.j())).write(D.j()).up()),
        follows(D.j()),
        once(clear(row()).rewind()),
        once(far.tag(TagAction::A)),
        behind_leaves.clone(),
    ];
    items.extend(stage(true));
    items.push(outer(LOG2 - 1, stage(false)));
    items
}

/// The integer's bits: of negative numbers the complement, plus 1 less what rounding adds. T: the sign. C: the carry.
fn round(format: Format, reports: bool) -> Vec<Item> {
    let sign = A.at(format.fraction + format.exponent);
    let carry = flag(Flag::Far);
    let sum = chain(row().b(D.j()).y(Y::BXorT)).write(D.j());
    let mut items = vec![
        // T: subnormal numbers count, or this is none. Otherwise nothing of it is left in H.
        once(row().x(X::Zero).steer_x().tag(TagAction::W)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row().x(X::H)).majority().hold_next(Next::Majority)),
    ];
    items.extend(directions(Some(sign)));
    if reports {
        items.extend([
            once(row().x(X::H).tag(TagAction::W)),
            once(row().a(flag(Flag::Behind)).x(X::A).tag(TagAction::Differ)),
            once(tag_out(row()).write(inexact())),
        ]);
    }
    items.extend(adds(D.row(0), flag(Flag::Behind)));
    items.extend([
        once(row().a(sign).tag(TagAction::A)),
        once(tag_out(row()).write(carry)),
        once(row().a(carry).carry_next(Next::AAndNotY)),
        each(N - 1, sum.up()),
        once(sum.rewind()),
    ]);
    items
}

/// The largest or the smallest integer in place of what is beyond it.
fn saturate(format: Format, signed: bool, reports: bool) -> Vec<Item> {
    let sign = A.at(format.fraction + format.exponent);
    let (low, top) = (flag(Flag::Far), flag(Flag::Behind));
    let or = |which: Address| once(row().a(which).x(X::A).tag(TagAction::Differ));
    let not = |which: Address| once(row().a(which).x(X::NotA).tag(TagAction::And));
    let chosen = |by: Address| row().a(by).b(D.j()).y(Y::TSelect).write(D.j());
    let (overflow, nan) = (flag(Flag::Overflow), flag(Flag::NotANumber));
    // Where T is 0.
    let not_exact = once(row().a(inexact()).b(inexact()).x(X::A).y(Y::TB).tag(TagAction::W).report(Report::Inexact));
    if !signed {
        let mut items = vec![once(row().write(top).clear_carry())];
        if reports {
            // A positive number has no carry; a negative one has, if it has become 0.
            let beyond = row().a(sign).b(top).x(X::A).y(Y::B).tag(TagAction::W);
            let invalid = row().a(overflow).x(X::A).tag(TagAction::Differ).report(Report::Invalid);
            items.extend([once(beyond), once(invalid), not_exact]);
        }
        items.extend([
            once(row().a(top).tag(TagAction::A)),
            or(overflow),
            not(sign),
            not(nan),
            once(tag_out(row()).write(low)),
            // Negative numbers and NaN become 0.
            or(sign),
            or(nan),
            each(N - 1, chosen(low).up()),
            once(chosen(low)),
        ]);
        return items;
    }
    let is = |x: X| row().a(sign).b(nan).x(x).y(Y::NotB).majority();
    let mut items = vec![
        // A positive number has neither carry nor top bit; a negative one has either, since it may be 0.
        once(row().write(top).carry_next(Next::One)),
        once(row().a(top).b(D.row(N - 1)).x(X::A).y(Y::B).majority().write(top).clear_carry()),
        once(row().b(top).y(Y::BXorT).tag(TagAction::W)),
        or(overflow),
    ];
    let or_nan = row().a(nan).x(X::A).tag(TagAction::Differ);
    if reports {
        items.extend([
            once(or_nan.report(Report::Invalid)),
            once(tag_out(row()).write(low)),
            not_exact,
            once(row().a(low).tag(TagAction::A)),
        ]);
    } else {
        items.push(once(or_nan));
    }
    items.extend([
        once(is(X::NotA).write(low)),
        once(is(X::A).write(top)),
        each(N - 1, chosen(low).up()),
        once(chosen(top)),
    ]);
    items
}
