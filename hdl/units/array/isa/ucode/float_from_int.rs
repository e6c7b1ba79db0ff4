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
//! The window is in d where that has room for it: where nothing is rounded its bits lie where the fraction's will, else
//! they move down there. Of 64 bits for binary32 the lower half is in d, and stages are spelled out, for what a stage
//! moves within each half is no count that the sequencer has.
//!
//! T, C and H have the meanings that comments give them.

use crate::array::isa::format::{E4M3, Format};
use crate::array::isa::linear::{LOG2, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::rows::Rows;
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

/// Where the window is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In d, and the fraction with it, which has as many bits below as there are zeros.
    Exact,
    /// In d from its first row on.
    Result,
    /// In scratch rows.
    Scratch,
    /// Of 64 bits, the lower half in d, the upper one in scratch rows.
    Halves,
}

/// Rows of a half.
const HALF: i16 = 32;

/// The window of a program.
#[derive(Clone, Copy)]
struct Window {
    format: Format,
    place: Place,
}

impl Window {
    /// From the row `n`·n + `row` on; of halves n is 64, and the row is in the upper one.
    fn row(self, index: fn(Operand) -> Address, n: i8, row: i16) -> Address {
        let scratch = FLAGS + exponent_rows(self.format);
        match self.place {
            Place::Exact => index(D).plus(linear(n - 1, Term::None, i16::from(self.format.fraction) + 1 + row)),
            Place::Result => index(D).plus(linear(n, Term::None, row)),
            Place::Scratch => index(S).plus(linear(n, Term::None, scratch + row)),
            Place::Halves => index(S).plus(scratch + HALF * i16::from(2 * n - 1) + row),
        }
    }

    /// From its top row.
    fn top(self, index: fn(Operand) -> Address) -> Address {
        self.row(index, 1, -1)
    }

    /// The lower half's rows by the window's from the top one.
    fn lower(index: fn(Operand) -> Address) -> Address {
        index(D).plus(2 * HALF - 1)
    }
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
        .scratch(match (format.bits(), FLAGS + exponent_rows(format)) {
            (64, rows) => Rows::from(rows),
            (32, rows) => Rows::Integers { longest: (HALF + rows) as u8, others: rows as u8 },
            (_, rows) => Rows::from(N + rows),
        })
        .all_apart();
    let sign = opcode.signed().then_some(A.row(N - 1));
    let program = |place: Place, reports: bool| {
        let window = Window { format, place };
        let mut body = magnitude(window, sign);
        match place {
            Place::Halves => body.extend((0..6).flat_map(|at| halves(window, HALF >> at))),
            _ => body.push(outer(LOG2, stage(window))),
        }
        body.extend(if place == Place::Exact { exact(format) } else { rounded(window, sign, reports) });
        body.push(once(row().a(at(window.top(Operand::j), 0)).tag(TagAction::A)));
        body.extend(if format.exponent < WIDE { narrow(format, sign, reports) } else { wide(format, sign) });
        Program::new(opcode.name(), body).i(N.half()).stride(N.half())
    };
    // Integers are rounded if they have bits for which the fraction has none.
    let operation = match format.bits() {
        32 => operation.variant(&[Condition::AtLeastZero(N - 2 * HALF)], program(Place::Halves, reports)),
        _ => operation,
    };
    let place = if format.bits() < 32 { Place::Scratch } else { Place::Result };
    let operation = if format.fraction < 7 {
        operation
    } else {
        let spare = N - (i16::from(format.fraction) + 2);
        operation.variant(&[Condition::AtLeastZero(spare)], program(place, reports))
    };
    // What is not rounded is not too large.
    let others = if format.fraction < 7 { program(place, reports) } else { program(Place::Exact, false) };
    reporting(operation.program(others), cx)
}

fn cycles<const FRACTION: i64, const EXPONENT: i64, const SIGNED: bool>(n: i64, _: i64) -> i64 {
    let k = i64::from(n.ilog2());
    let start = EXPONENT.max(WIDE.into()) + n + if SIGNED { 2 } else { 0 };
    let shifts = k * (n + 2) + n - 1;
    let fraction = if n > FRACTION + 1 { n + 7 } else { FRACTION + 1 - n };
    let end = match (EXPONENT, FRACTION) {
        (8.., _) => EXPONENT + 1,
        (_, 3) => 2 * FRACTION + EXPONENT + 21,
        _ => FRACTION + EXPONENT + 19,
    };
    start + shifts + fraction + 1 + end
}

/// The magnitude to the window; no exponent so far.
fn magnitude(window: Window, sign: Option<Address>) -> Vec<Item> {
    let to = window.row(Operand::j, 0, 0);
    let mut items = vec![each(exponent_rows(window.format), row().write(exponent(S.j())).up().rewind())];
    // Negative integers: the complement, and 1.
    items.extend(
        sign.into_iter()
            .flat_map(|sign| [once(row().a(sign).tag(TagAction::A)), once(row().a(sign).carry_next(Next::AAndNotY))]),
    );
    let bit = if sign.is_some() { chain(row().b(A.j()).y(Y::BXorT)) } else { row().a(A.j()).x(X::A) }.up();
    match window.place {
        Place::Halves => items.extend([each(HALF, bit.write(D.j())), each(HALF, bit.write(to).rewind())]),
        _ => items.push(each(N, bit.write(to).rewind())),
    }
    items
}

/// Up by the stride where the rows on top are 0. T: it stays.
fn stage(window: Window) -> Vec<Item> {
    let [source, to] = [Operand::j, Operand::k].map(|index| window.top(index));
    stage_of(source, to, vec![each(Count::StrideRest, moves(source, to))])
}

/// A row of the window, from a lower one or as it is.
fn moves(source: Address, to: Address) -> Row {
    row().a(to).b(source).y(Y::TSelect).write(to).down()
}

/// A stage that moves rows so; the lowest ones become 0. `source` has the rows on top.
fn stage_of(source: Address, lowest: Address, moved: Vec<Item>) -> Vec<Item> {
    let stays = S.l().plus(linear(0, Term::Log2, FLAGS - 1));
    let fill = row().b(lowest).y(Y::TB).write(lowest).down().rewind();
    let mut items = vec![
        once(row().tag(TagAction::Zero).clear_carry()),
        each(Count::Stride, row().a(source).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(stays).l(OuterAction::Down)),
    ];
    items.extend(moved);
    items.push(each(Count::Stride, fill.i(OffsetAction::Halve).stride(StrideAction::Halve)));
    items
}

/// The stage by `stride` of a window in halves.
fn halves(window: Window, stride: i16) -> Vec<Item> {
    let [source, to] = [Operand::j, Operand::k].map(|index| window.top(index));
    let [lower_source, lower_to] = [Operand::j, Operand::k].map(Window::lower);
    // As many as the stride where it is half of these: there are no more counts.
    let within = |row: Row| match HALF - stride {
        0 => None,
        rest if rest == stride => Some(each(Count::Stride, row)),
        rest => Some(each(rest, row)),
    };
    let mut moved: Vec<Item> = within(moves(source, to)).into_iter().collect();
    moved.push(each(Count::Stride, moves(lower_source, to)));
    moved.extend(within(moves(lower_source, lower_to)));
    stage_of(source, lower_to, moved)
}

/// The fraction, rounded, to d. C: its carry.
fn rounded(window: Window, sign: Option<Address>, reports: bool) -> Vec<Item> {
    let fraction = i16::from(window.format.fraction);
    let from = |row: i16| window.row(Operand::j, 1, row - fraction);
    let rest = |from: Address| row().a(from).x(X::A).majority().hold(HoldAction::Differ).up();
    let here = window.row(Operand::j, 0, 0);
    let mut items = match window.place {
        Place::Halves => vec![each(HALF, rest(D.j())), each(HALF - (fraction + 2), rest(here).rewind())],
        _ => vec![each(N - (fraction + 2), rest(here).rewind())],
    };
    // The first bit of the mode means nothing here.
    items.push(once(row().key_shift(1)));
    items.extend(directions(sign));
    let behind = at(from(-2), 0);
    if reports {
        items.extend(inexact(behind));
    }
    items.extend(adds(at(from(-1), 0), behind));
    items.push(each(fraction, chain(row().b(from(-1)).y(Y::B)).write(D.j()).up().rewind()));
    items
}

/// The same where no bit is left over: it is there but for zeros below it.
fn exact(format: Format) -> Vec<Item> {
    // bf16 has as many bits as an integer of 8 bits has below its top one.
    if format.fraction == 7 {
        return vec![];
    }
    let zeros = N.negated() + (i16::from(format.fraction) + 1);
    vec![each(zeros, row().write(D.j()).up().rewind())]
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
