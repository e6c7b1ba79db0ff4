//! What operations on floating-point numbers have in common: operands, and the first look at one.

use crate::array::isa::format::{BF16, E4M3, F16, F32, F64, Format};
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D};
use crate::array::isa::row::{Address, Operand, Report, Row, Token, row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode::float_rows::{FRACTION, linear, tag_out};
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Rows that only the columns need that have T = 1 behind a row: the set `skip` asks whether there are such columns.
/// What follows has to be right behind rows that have run and behind rows that have not.
pub(super) fn wanted(skip: bool, test: Row, rows: Vec<Item>) -> Vec<Item> {
    if skip { vec![Item::IfAnyTag(test.token(Token::Branch), rows)] } else { rows }
}

/// The same; where rows report exceptions its cycles are counted, since the closed form has no such rows.
pub(super) fn reporting(mut operation: Operation, cx: Context) -> Operation {
    operation.counted = cx.exception_flags.then_some(cx);
    operation
}

/// d ← of numbers of a format, in rows of their own. `program` makes that of formats without infinities, or of others.
pub(super) fn of_numbers(
    opcode: Opcode,
    cycles: Formula,
    sources: &[Operand],
    scratch: impl Into<Rows>,
    program: impl Fn(bool) -> Program,
) -> Operation {
    operands(Operation::new(opcode, cycles).formats(), sources, scratch)
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false))
}

/// The same with programs of their own for the long formats; that of binary16 is for all others.
pub(super) fn of_formats(
    opcode: Opcode,
    cycles: Formula,
    sources: &[Operand],
    scratch: Rows,
    program: impl Fn(Format) -> Program,
) -> Operation {
    let only = |format: Format| Condition::Zero(N - i16::from(format.n()));
    let operation = operands(Operation::new(opcode, cycles).formats(), sources, scratch);
    let own = [E4M3, F32, F64].into_iter();
    own.fold(operation, |operation, format| operation.variant(&[only(format)], program(format))).program(program(F16))
}

/// How many programs of [`of_formats`] those of a mode stand in front of.
pub(super) const LONG_AND_OTHERS: usize = 3;

/// d ← of a number of binary32, binary16 or bfloat16, in rows of its own. `program` makes that of a format.
pub(super) fn of_wide_and_short(
    opcode: Opcode,
    cycles: Formula,
    scratch: impl Into<Rows>,
    program: impl Fn(Format) -> Program,
) -> Operation {
    let only = |format: Format| Condition::Zero(N - i16::from(format.n()));
    let operation = Operation::new(opcode, cycles).formats().widths(BF16.n(), F32.n());
    operands(operation, &[A], scratch)
        .variant(&[only(F32)], program(F32))
        .variant(&[only(F16)], program(F16))
        .program(program(BF16))
}

/// The closed form of a function's cycles: a number for each of the three formats.
macro_rules! by_width {
    ($single:expr, $half:expr, $brain:expr) => {
        |n, _| match n {
            26 => $single,
            13 => $half,
            _ => $brain,
        }
    };
}
pub(super) use by_width;

/// Operands of a format's bits, each in rows of its own.
pub(super) fn operands(operation: Operation, sources: &[Operand], scratch: impl Into<Rows>) -> Operation {
    let bits = linear(1, Term::M, -2);
    let operation = sources.iter().fold(operation, |operation, &source| operation.source(source, bits));
    operation.result(D, bits).scratch(scratch).all_apart()
}

/// Looks at a: whether it is finite, has a hidden bit, and has a 1 in its fraction; its sign. T: it is NaN, behind it.
pub(super) fn properties([finite, hidden, fraction, sign]: [Address; 4], finite_only: bool) -> Vec<Item> {
    let fractions = |x: X| each(FRACTION, row().a(A.j()).x(x).tag(TagAction::Differ).up().rewind());
    let keep_fraction = once(tag_out(row()).write(fraction));
    let mut items = exponent_of_operand([finite, hidden], sign, finite_only);
    if finite_only {
        let keep_finite = once(tag_out(row()).write(finite).tag(TagAction::Zero));
        items.extend([fractions(X::NotA), keep_finite, fractions(X::A), keep_fraction]);
        items.push(once(row().a(finite).x(X::NotA).tag(TagAction::W)));
    } else {
        items.extend([fractions(X::A), keep_fraction]);
        items.push(once(row().a(finite).x(X::NotA).tag(TagAction::And)));
    }
    items
}

/// T, by which a is no number, to a row; with `reports` one that signals is an exception. J is 0 before and behind it.
pub(super) fn no_number(nan: Address, reports: bool) -> Vec<Item> {
    let given = tag_out(row()).write(nan);
    if !reports {
        return vec![once(given)];
    }
    // The quiet bit is below the exponent.
    let signals = row().a(A.j().plus(FRACTION)).x(X::NotA).tag(TagAction::And).report(Report::Invalid);
    vec![once(given.down()), once(signals.up())]
}

/// Looks at the exponent of a: whether there is a 0 in it, and a 1; the sign. T, H and J are 0 behind it; of formats
/// without infinities, where it takes the fraction to say what is finite, T says that there is a 0, and no row.
pub(super) fn exponent_of_operand([finite, hidden]: [Address; 2], sign: Address, finite_only: bool) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    // T: a 0 in the exponent. H: a 1.
    let look = row().a(field).b(field).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ).hold(HoldAction::Differ);
    let mut items = vec![each(M, look.up()), once(row().a(field).x(X::A).write(sign).rewind())];
    if !finite_only {
        items.push(once(tag_out(row()).write(finite).tag(TagAction::Zero)));
    }
    items.push(once(row().x(X::H).write(hidden).hold(HoldAction::Zero)));
    items
}
