//! Population count, leading zeros, search.

use std::collections::VecDeque;

use crate::array::isa::linear::{LOG2, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, each_of, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Row, StrideAction, row};
use crate::array::isa::uop::{HoldAction, Multi, Next, TagAction, X, Y};

/// Number of ones in 1.5n cycles: a tree of additions in which every addition takes one more bit as its carry in. The
/// cycle that loads that carry also writes the carry out of the addition before. Straight-line code for each width.
pub(super) fn popcount() -> Operation {
    let op = Operation::new(Opcode::Popcount, |n, _| 3 * n / 2)
        .powers_of_two()
        .source(A, N)
        .result(D, LOG2 + 1)
        .scratch(N)
        .all_apart();
    let one = Program::new("popcount, one bit", vec![once(row().a(A.row(0)).x(X::A).write(D.row(0)))]);
    let mut op = op.variant(&[Condition::Zero(N - 1)], one);
    for log2 in 1..=6 {
        let program = Program::new("popcount", PopcountTree::new(1 << log2).rows(log2).into_iter().map(once).collect());
        op = op.variant(&[Condition::Zero(N - (1 << log2))], program);
    }
    op
}

/// Builds the rows of a population count.
struct PopcountTree {
    rows: Vec<Row>,
    next_bit: u8,
    free: VecDeque<u8>,
    /// Row that takes the carry of the addition before.
    pending: Option<Address>,
}

impl PopcountTree {
    fn new(scratch_rows: u8) -> PopcountTree {
        PopcountTree { rows: Vec::new(), next_bit: 0, free: (0..scratch_rows).collect(), pending: None }
    }

    fn take_bit(&mut self) -> Address {
        self.next_bit += 1;
        A.at(self.next_bit - 1)
    }

    fn scratch(&mut self) -> Address {
        S.at(self.free.pop_front().expect("a tree of n bits needs fewer than n scratch rows"))
    }

    fn release(&mut self, address: Address) {
        if let (Operand::S, crate::array::isa::row::Index::Immediate(row)) = (address.operand, address.index) {
            self.free.push_back(row);
        }
    }

    fn load_carry(&mut self, bit: Address) {
        let load = row().a(bit).carry_next(Next::AAndNotY);
        self.rows.push(match self.pending.take() {
            Some(pending) => load.write(pending),
            None => load,
        });
    }

    /// All additions of one level after the other, so that a row written is read again as late as possible.
    fn rows(mut self, log2: u8) -> Vec<Row> {
        let mut numbers: VecDeque<Vec<Address>> = (0..1 << (log2 - 1)).map(|_| vec![self.take_bit()]).collect();
        while numbers.len() > 1 {
            let (x, y) = (numbers.pop_front().expect("two are left"), numbers.pop_front().expect("two are left"));
            let bit = self.take_bit();
            self.load_carry(bit);
            let mut sum = Vec::new();
            for (&p, &q) in x.iter().zip(&y) {
                let to = self.scratch();
                self.rows.push(row().a(p).b(q).x(X::A).y(Y::B).carry_next(Next::Majority).write(to));
                sum.push(to);
            }
            let carry = self.scratch();
            self.pending = Some(carry);
            sum.push(carry);
            x.into_iter().chain(y).for_each(|address| self.release(address));
            numbers.push_back(sum);
        }
        let bit = self.take_bit();
        self.load_carry(bit);
        let last = numbers.pop_front().expect("one is left");
        for (i, &p) in (0u8..).zip(&last) {
            self.rows.push(row().a(p).x(X::A).carry_next(Next::Majority).write(D.at(i)));
        }
        self.rows.push(row().write(D.at(log2)));
        self.rows
    }
}

/// Leading zeros by halving: T = the upper half holds a 1; the half that decides moves down; ¬T is a digit of the
/// count. In the end one bit is left, whose complement is added. C is 1 throughout.
pub(super) fn clz(cx: Context) -> Operation {
    let op = Operation::new(Opcode::Clz, if cx.two_port() { |n, _| clz_cycles(n, 1) } else { |n, _| clz_cycles(n, 2) });
    let op = op.powers_of_two().source(A, N).result(D, LOG2 + 1).scratch(N).all_apart();
    let choose = |near: Address, far: Address, to: Address| -> Vec<Row> {
        if cx.two_port() {
            vec![row().a(far).b(near).x(X::One).y(Y::TSelect).write(to)]
        } else {
            vec![row().a(near).hold(HoldAction::A), row().a(far).x(X::One).y(Y::TBSelect).write(to)]
        }
    };
    // T |= two rows of the upper half.
    let any = |from: Operand| {
        row().a(from.k()).b(from.k().plus(1)).x(X::A).y(Y::Differ).majority().tag(TagAction::W).up_two().rewind()
    };
    let halve = |r: Row| r.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let digit =
        || once(halve(row().y(Y::Differ).tag(TagAction::Zero).l(OuterAction::Down)).write(D.l().plus(LOG2 - 1)));
    let level = |from: Operand| {
        let mut rows = choose(from.j(), from.k(), S.j());
        let last = rows.last_mut().expect("there are rows");
        *last = last.up().rewind();
        vec![each(Count::HalfStride, any(from)), each_of(Count::Stride, rows), digit()]
    };
    let last_level = |from: Operand| {
        let mut items = vec![once(row().a(from.row(1)).tag(TagAction::A))];
        items.extend(choose(from.row(0), from.row(1), S.row(0)).into_iter().map(once));
        items.push(digit());
        items
    };
    let finish = |levels: Vec<Item>| {
        let mut items = levels;
        // C ← ¬(the bit left), added to the digits.
        items.push(once(row().a(S.row(0)).x(X::NotA).carry_next(Next::Majority)));
        items.push(each(LOG2, row().b(D.j()).y(Y::B).carry_next(Next::Majority).write(D.j()).up()));
        items.push(once(row().write(D.j())));
        Program::new("clz", items).with_carry().i(N.half()).stride(N.half())
    };
    let one = Program::new("clz, one bit", vec![once(row().a(A.row(0)).x(X::NotA).write(D.row(0)))]);
    op.variant(&[Condition::Zero(N - 1)], one)
        .variant(&[Condition::Zero(N - 2)], finish(last_level(A)))
        .variant(&[Condition::Zero(N - 4)], finish([level(A), last_level(S)].concat()))
        .program(finish([level(A), vec![outer(LOG2 - 2, level(S))], last_level(S)].concat()))
}

/// Rows to move per bit: one with `TwoPort`, two with `AndNor`.
fn clz_cycles(n: i64, moves: i64) -> i64 {
    if n == 1 {
        return 1;
    }
    let levels = i64::from(n.ilog2());
    let halves: i64 = (0..levels).map(|level| 1 << level).sum();
    let tests: i64 = (0..levels).map(|level| 1.max((1 << level) / 2)).sum();
    halves * moves + tests + levels + 1 + levels + 1
}

/// T ← element equals the key. Multi-row search (Duality Cache §3.1.1): AND over the rows of the key's ones, NOR over
/// the rows of its zeros: 2 cycles. On block RAM one row, or with `TwoPort` two rows, a cycle.
pub(super) fn search(cx: Context) -> Operation {
    let op = |formula| Operation::new(Opcode::Search, formula).source(A, N);
    if cx.multi_row() {
        let ones = row().a(A.row(0)).multi(Multi::And).tag(TagAction::A);
        let zeros = row().a(A.row(0)).multi(Multi::NorOfZeros).x(X::A).tag(TagAction::And);
        return op(|_, _| 2).program(Program::new("search", vec![once(ones), once(zeros)]));
    }
    let single = row().a(A.j()).x(X::A).steer_x().up();
    if !cx.two_port() {
        return op(|n, _| n)
            .variant(&[Condition::Zero(N - 1)], Program::new("search", vec![once(single.tag(TagAction::W))]))
            .program(Program::new(
                "search",
                vec![once(single.tag(TagAction::W)), each(N - 1, single.tag(TagAction::And))],
            ));
    }
    let pair = row().a(A.j()).b(A.j().plus(1)).x(X::A).y(Y::B).majority().steer_both().up_two();
    let last = row().a(A.row(N - 1)).x(X::A).steer_x().tag(TagAction::And);
    let program = |items: Vec<Item>| Program::new("search", items);
    let (first, more) = (once(pair.tag(TagAction::W)), pair.tag(TagAction::And));
    op(|n, _| (n + 1) / 2)
        .variant(&[Condition::Zero(N - 1)], program(vec![once(last.tag(TagAction::W))]))
        .variant(&[Condition::Zero(N - 2)], program(vec![first.clone()]))
        .variant(&[Condition::Zero(N - 3)], program(vec![first.clone(), once(last)]))
        .variant(&[Condition::Even(N)], program(vec![first.clone(), each((N - 2).half(), more)]))
        .program(program(vec![first, each((N - 3).half(), more), once(last)]))
}
