//! Shifts and rotations by a per-column amount: one stage per amount bit, whose row is fetched into T.
//!
//! Amounts are m bits wide. Shifts follow PTX: an amount of n or more gives 0, or all sign. Only the lowest ⌈log2 n⌉
//! bits need stages; any higher bit clears the result in one further pass (not there when m is at most ⌈log2 n⌉).
//! Shifts by a constant need no operation: rows are renamed.

use crate::array::isa::linear::{EXCESS, N, STAGES};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Count, Item, Program, each, each_of, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Row, StrideAction, Token, row};
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Row order: a shift down works from row 0 up, a shift up from the top row down.
#[derive(Clone, Copy)]
struct Direction {
    up: bool,
    arithmetic: bool,
}

impl Direction {
    /// The row that J points at.
    fn here(self, operand: Operand) -> Address {
        if self.up { operand.j().plus(N - 1) } else { operand.j() }
    }

    /// The row next to it, from which a bit moves here by one.
    fn next(self, operand: Operand) -> Address {
        if self.up { operand.j().plus(N - 2) } else { operand.j().plus(1) }
    }

    /// The row one stride away.
    fn far(self, operand: Operand) -> Address {
        if self.up { operand.k().plus(N - 1) } else { operand.k() }
    }

    fn step(self, row: Row) -> Row {
        if self.up { row.down() } else { row.up() }
    }
}

/// T ← the amount's next bit.
fn fetch(row: Row) -> Row {
    row.a(B.l()).tag(TagAction::A).l(OuterAction::Up)
}

/// Doubles the stride for the stage that follows.
fn wider(row: Row) -> Row {
    row.i(OffsetAction::Double).stride(StrideAction::Double)
}

/// Shift by b (m bits).
pub(super) fn shift(opcode: Opcode, cx: Context) -> Operation {
    let way = Direction { up: opcode == Opcode::Shl, arithmetic: opcode == Opcode::Sar };
    let skip = cx.set == Set::Skip;
    let formula: Formula = match (cx.two_port(), skip, way.arithmetic) {
        (true, false, false) => |n, m| n * stages(n, m) + 1 + beyond(n, m, 0),
        (true, false, true) => |n, m| n * stages(n, m) + 1 + beyond(n, m, -1),
        (false, false, false) => |n, m| n * stages(n, m) + 2 + beyond(n, m, 0),
        (false, false, true) => |n, m| n * stages(n, m) + 2 + beyond(n, m, 1),
        (true, true, false) => |n, m| n * stages(n, m) + 1 + beyond(n, m, 0) + 2 * (stages(n, m) - 1),
        (true, true, true) => |n, m| n * stages(n, m) + 1 + beyond(n, m, -1) + 2 * (stages(n, m) - 1),
        (false, true, false) => |n, m| n * stages(n, m) + 2 + beyond(n, m, 0) + 2 * (stages(n, m) - 1),
        (false, true, true) => |n, m| n * stages(n, m) + 2 + beyond(n, m, 1) + 2 * (stages(n, m) - 1),
    };
    let op = Operation::new(opcode, formula)
        .widths(2, 64)
        .second(1, 64)
        .source(A, N)
        .source(B, crate::array::isa::linear::M)
        .result(D, N)
        .apart_or_same(A, D)
        .apart(B, D);
    let parts = if cx.two_port() { TwoPort::parts(way) } else { AndNor::parts(way) };
    let finish = |items: Vec<Item>| {
        let items = [items, parts.clear.clone()].concat();
        Program::new(opcode.name(), items).i(if way.up { -1 } else { 1 }).stop_if_zero(EXCESS)
    };
    let one = [parts.start.clone(), parts.first(|r| r.may_stop().tag(TagAction::Zero))].concat();
    let rest = if skip {
        // A stage in which no column moves is skipped; what follows it starts with an empty row.
        let test = wider(fetch(row())).token(Token::Branch);
        let mut stage = parts.body.clone();
        stage.extend([each(Count::StrideLessOne, parts.fill), once(parts.fill.rewind())]);
        let stages = outer(STAGES - 1, vec![Item::IfAnyTag(test, stage), once(row().may_stop().tag(TagAction::Zero))]);
        [parts.start.clone(), parts.first(|r| r), vec![stages]].concat()
    } else {
        let last = |r: Row| wider(fetch(r).a_unless_done()).may_stop();
        let mut stage = parts.body.clone();
        stage.extend([each(Count::StrideLessOne, parts.fill), once(last(parts.fill_last).rewind())]);
        let first = parts.first(|r| wider(fetch(r)));
        [parts.start.clone(), first, vec![outer(STAGES - 1, stage)]].concat()
    };
    op.variant(&[Condition::Zero(STAGES - 1)], finish(one)).program(finish(rest))
}

fn stages(n: i64, m: i64) -> i64 {
    i64::from(crate::array::isa::linear::stages(n as i32, m as i32))
}

/// Cycles for amount bits beyond the stages, with `more` if there are any.
fn beyond(n: i64, m: i64, more: i64) -> i64 {
    let excess = m - stages(n, m);
    if excess > 0 { n + excess + 1 + more } else { 0 }
}

/// Pieces of a shift that depend on the sensing mode.
struct ShiftParts {
    /// Before the first stage.
    start: Vec<Item>,
    /// First stage without its last row.
    first_body: Vec<Item>,
    /// First stage's last row.
    first_last: Row,
    /// A later stage without its fill.
    body: Vec<Item>,
    /// Fill row.
    fill: Row,
    /// Last fill row, with port A free.
    fill_last: Row,
    /// Clears (or signs) columns whose amount has a higher bit.
    clear: Vec<Item>,
}

impl ShiftParts {
    fn first(&self, last: impl Fn(Row) -> Row) -> Vec<Item> {
        [self.first_body.clone(), vec![once(last(self.first_last).rewind())]].concat()
    }
}

/// T |= each amount bit beyond the stages.
fn collect_high_bits() -> Item {
    let or = row().a(B.j().plus(STAGES)).x(X::A).tag(TagAction::Differ);
    each(EXCESS, or.up().rewind())
}

struct TwoPort;

impl TwoPort {
    fn parts(way: Direction) -> ShiftParts {
        let here = way.here(D);
        let choose = |far: Address, here: Address, to: Address| way.step(row().a(far).b(here).y(Y::TSelect).write(to));
        // b · ¬T: the sum of b and T·b.
        let clear = |from: Address| way.step(row().b(from).x(X::B).y(Y::TB).write(here));
        let sign = way.step(row().a(D.row(N - 1)).b(here).y(Y::TSelect).write(here));
        // The sign row keeps its bit in an arithmetic shift, so its cycle has both ports free.
        let first_last =
            if way.arithmetic { row().b(A.row(N - 1)).y(Y::B).write(D.row(N - 1)) } else { clear(way.here(A)) };
        let high = if way.arithmetic { each(N - 1, sign) } else { each(N, clear(here)) };
        ShiftParts {
            start: vec![once(fetch(row()))],
            first_body: vec![each(N - 1, choose(way.next(A), way.here(A), here))],
            first_last,
            body: vec![each(Count::StrideRest, choose(way.far(D), here, here))],
            fill: if way.arithmetic { sign } else { clear(here) },
            fill_last: if way.arithmetic { row() } else { clear(here) },
            clear: vec![once(row()), collect_high_bits(), high],
        }
    }
}

struct AndNor;

impl AndNor {
    fn parts(way: Direction) -> ShiftParts {
        let here = way.here(D);
        let value = if way.arithmetic { X::H } else { X::Zero };
        // H keeps the row read before: the one that stays where T = 0.
        let choose = row().a(way.next(A)).y(Y::TBSelect).hold(HoldAction::A).write(here);
        let move_far = row().a(way.far(D)).x(X::A).hold(HoldAction::A).merge(here).predicated().write(here);
        let fill = way.step(row().x(value).merge(here).predicated().write(here));
        let last = if way.arithmetic { row().x(X::H) } else { row().y(Y::HNotT) };
        let mut clear = vec![once(row()), collect_high_bits()];
        if way.arithmetic {
            clear.push(once(row().a(D.row(N - 1)).hold(HoldAction::A)));
        }
        clear.push(each(N, fill));
        ShiftParts {
            start: vec![once(fetch(row())), once(row().a(way.here(A)).hold(HoldAction::A))],
            first_body: vec![each(N - 1, way.step(choose))],
            first_last: last.write(here),
            body: vec![each(Count::StrideRest, way.step(move_far))],
            fill,
            fill_last: fill,
            clear,
        }
    }
}

/// Rotation by b modulo n: each stage copies between two buffers.
pub(super) fn rotate(opcode: Opcode, cx: Context) -> Operation {
    let up = opcode == Opcode::Rotl;
    let op = Operation::new(
        opcode,
        if cx.two_port() { |n, m| stages(n, m) * (n + 1) } else { |n, m| stages(n, m) * (2 * n + 1) },
    );
    let op = op
        .powers_of_two()
        .second(1, 64)
        .source(A, N)
        .source(B, crate::array::isa::linear::M)
        .result(D, N)
        .scratch(N)
        .all_apart();
    let stage = |from: Operand, to: Operand| -> Vec<Item> {
        let choose = |far: Address| -> Vec<Row> {
            if cx.two_port() {
                vec![row().a(far).b(from.j()).y(Y::TSelect).write(to.j()).up()]
            } else {
                let held = row().a(from.j()).hold(HoldAction::A);
                vec![held, row().a(far).y(Y::TBSelect).write(to.j()).up()]
            }
        };
        let leave = |mut rows: Vec<Row>| {
            let last = rows.last_mut().expect("there are rows");
            *last = wider(last.rewind());
            rows
        };
        let (near, wrapped) = (from.k(), from.k().plus(if up { N } else { N.negated() }));
        let parts = if up {
            [each_of(Count::Stride, choose(wrapped)), each_of(Count::StrideRest, leave(choose(near)))]
        } else {
            [each_of(Count::StrideRest, choose(near)), each_of(Count::Stride, leave(choose(wrapped)))]
        };
        let mut items = vec![once(fetch(row()))];
        items.extend(parts);
        items
    };
    let finish = |items: Vec<Item>| Program::new(opcode.name(), items).i(if up { -1 } else { 1 });
    let to_result = stage(A, D);
    let by_scratch = [stage(A, S), stage(S, D)].concat();
    let there_and_back = |count| outer(count, [stage(D, S), stage(S, D)].concat());
    let copy = each(N, row().a(A.j()).x(X::A).write(D.j()).up());
    op.variant(&[Condition::Zero(N - 1)], finish(vec![copy]))
        .variant(&[Condition::Zero(STAGES - 1)], finish(to_result.clone()))
        .variant(&[Condition::Zero(STAGES - 2)], finish(by_scratch.clone()))
        .variant(&[Condition::Even(STAGES)], finish([by_scratch, vec![there_and_back((STAGES - 2).half())]].concat()))
        .program(finish([to_result, vec![there_and_back((STAGES - 1).half())]].concat()))
}
