//! Comparisons, minimum and maximum.

use crate::array::isa::linear::N;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Program, each, each_of, once};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{Operand, Row, row};
use crate::array::isa::ucode::arith::overlapping_pairs;
use crate::array::isa::uop::{CarryAction, DelayAction, HoldAction, Next, TagAction, X, Y};

/// a = b and a ≠ b: T collects "differs so far"; the last cycle writes it, complemented for equality.
pub(super) fn equal(opcode: Opcode) -> Operation {
    let row = row().a(A.j()).b(B.j()).y(Y::Differ).tag(TagAction::W).write(D.row(0)).on_exit().up();
    let (name, row) = if opcode == Opcode::Eq { ("eq", row.flip_out()) } else { ("ne", row) };
    Operation::new(opcode, |n, _| n)
        .source(A, N)
        .source(B, N)
        .result(D, 1)
        .program(Program::new(name, vec![each(N, row)]))
}

/// a < b, a ≤ b, a > b, a ≥ b. The result row is written last, so it may be any row.
pub(super) fn order(opcode: Opcode, cx: Context) -> Operation {
    use Opcode as O;
    // a > b is b < a, a ≤ b is b ≥ a.
    let swapped = matches!(opcode, O::GtU | O::GtS | O::LeU | O::LeS);
    let at_least = matches!(opcode, O::GeU | O::GeS | O::LeU | O::LeS);
    let op = |formula| Operation::new(opcode, formula).source(A, N).source(B, N).result(D, 1);
    let name = opcode.name();
    let start = |program: Program| {
        if at_least { program.with_carry() } else { program }
    };
    if cx.two_port() {
        let (p, q) = if swapped { (B, A) } else { (A, B) };
        let row = row().a(p.j()).b(q.j()).majority().carry_next(Next::Majority).tag(TagAction::W);
        // C is the borrow of p − q, or the carry of p + ¬q + 1. The sign row's roles are exchanged.
        let row = if at_least { row.x(X::A).y(Y::NotB) } else { row.x(X::NotA).y(Y::B) };
        let row = row.write(D.row(0)).on_exit().up();
        let row = if opcode.signed() { row.flip_x().flip_y() } else { row };
        return op(|n, _| n).program(start(Program::new(name, vec![each(N, row)])));
    }
    let group = |last: bool| -> Vec<Row> {
        let rows = overlapping_pairs(false).into_iter().map(|r| exchange(r, swapped));
        let mut rows: Vec<Row> = rows.map(|r| pair_polarity(r, at_least)).collect();
        if last {
            rows[2] = finish(pair_polarity(rows[2], opcode.signed()));
        }
        rows
    };
    // A single last bit: the pair (a, a) makes parity 0 and AND a.
    let single = || {
        let first = exchange(row().a(A.row(N - 1)).tag(TagAction::Xor).hold(HoldAction::A), swapped);
        let second = row().a(A.row(N - 1)).b(B.row(N - 1)).x(X::Pair).y(Y::Pair).carry_next(Next::Majority);
        [once(first), once(finish(pair_polarity(exchange(second, swapped), at_least ^ opcode.signed())))]
    };
    let whole = |mut items: Vec<_>, tail: Vec<_>| {
        items.extend(tail);
        start(Program::new(name, items))
    };
    let last_group = || group(true).into_iter().map(once).collect::<Vec<_>>();
    op(|n, _| n + (n + 1) / 2)
        .variant(&[Condition::Zero(N - 1)], whole(vec![], single().into()))
        .variant(&[Condition::Zero(N - 2)], whole(vec![], last_group()))
        .variant(&[Condition::Even(N)], whole(vec![each_of((N - 2).half(), group(false))], last_group()))
        .program(whole(vec![each_of((N - 1).half(), group(false))], single().into()))
}

/// Exchanges operands A and B in a row.
fn exchange(mut row: Row, yes: bool) -> Row {
    let swap = |operand| match operand {
        Operand::A => Operand::B,
        Operand::B => Operand::A,
        other => other,
    };
    if yes {
        for address in [&mut row.a, &mut row.b].into_iter().flatten() {
            address.operand = swap(address.operand);
        }
    }
    row
}

/// Complements the bit that the overlapping-pair borrow takes over.
fn pair_polarity(mut row: Row, complement: bool) -> Row {
    if complement {
        (row.column.x, row.column.y) = match (row.column.x, row.column.y) {
            (X::Pair, Y::Pair) => (X::NotPair, Y::NotPair),
            (X::NotPair, Y::NotPair) => (X::Pair, Y::Pair),
            other => other,
        };
    }
    row
}

/// The last row of a comparison: the carry goes to the result row and to T.
fn finish(row: Row) -> Row {
    row.majority().tag(TagAction::W).write(D.row(0))
}

/// Minimum and maximum, most significant row first. Two flags say which operand has won; while neither has, equal bits
/// are written as they are and different ones decide: their AND is the minimum's bit, their OR the maximum's.
pub(super) fn min_max(opcode: Opcode, cx: Context) -> Operation {
    let maximum = matches!(opcode, Opcode::MaxU | Opcode::MaxS);
    let (a, b, d) = (A.j().plus(N - 1), B.j().plus(N - 1), D.j().plus(N - 1));
    let rows: Vec<Row> = if cx.two_port() {
        vec![
            row()
                .a(a)
                .b(b)
                .x(X::HSelect)
                .y(Y::TSelect)
                .majority()
                .hold(HoldAction::Differ)
                .tag(TagAction::Differ)
                .write(d)
                .down(),
        ]
    } else {
        let second = row().b(b).x(X::DSelect).y(Y::THSelect).majority().tag(TagAction::Differ);
        vec![row().a(a).hold(HoldAction::A), second.delay(DelayAction::Differ).write(d).down()]
    };
    let op = Operation::new(opcode, if cx.two_port() { |n, _| n } else { |n, _| 2 * n })
        .source(A, N)
        .source(B, N)
        .result(D, N)
        .apart_or_same(A, D)
        .apart_or_same(B, D);
    let start = |carry: bool, program: Program| if carry { program.with_carry() } else { program };
    if !opcode.signed() {
        return op.program(start(maximum, Program::new(opcode.name(), vec![each_of(N, rows)])));
    }
    // The larger sign bit is the smaller number: the first row runs with the other carry.
    let mut first = rows.clone();
    let last = first.last_mut().expect("there are rows");
    *last = if maximum { last.carry_next(Next::One) } else { last.clear_carry() };
    debug_assert!(last.column.c != CarryAction::Hold);
    let first: Vec<_> = first.into_iter().map(once).collect();
    let mut all = first.clone();
    all.push(each_of(N - 1, rows));
    op.variant(&[Condition::Zero(N - 1)], start(!maximum, Program::new(opcode.name(), first)))
        .program(start(!maximum, Program::new(opcode.name(), all)))
}
