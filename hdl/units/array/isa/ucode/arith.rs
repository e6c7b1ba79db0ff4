//! Addition, subtraction, negation, absolute value.

use crate::array::isa::linear::N;
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Item, Program, each, each_of, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Row, row};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// a + b, and with the carry as a further row (paper: n).
pub(super) fn add(opcode: Opcode) -> Operation {
    let sum = each(N, row().a(A.j()).b(B.j()).x(X::A).y(Y::B).carry_next(Next::Majority).write(D.j()).up());
    if opcode == Opcode::Add {
        Operation::new(opcode, |n, _| n)
            .source(A, N)
            .source(B, N)
            .result(D, N)
            .apart_or_same(A, D)
            .apart_or_same(B, D)
            .program(Program::new("add", vec![sum]).keep_tag())
    } else {
        Operation::new(opcode, |n, _| n + 1)
            .source(A, N)
            .source(B, N)
            .result(D, N + 1)
            .apart_or_same(A, D)
            .apart_or_same(B, D)
            .program(Program::new("addc", vec![sum, once(row().write(D.j()))]).keep_tag())
    }
}

/// a − b. Baseline: the complement of b into scratch rows, then an addition (paper: 2n).
pub(super) fn sub(cx: Context) -> Operation {
    let op = |formula| Operation::new(Opcode::Sub, formula).source(A, N).source(B, N).result(D, N);
    if cx.set == Set::Baseline {
        // With C = 1 the sum of 0 and b is ¬b, and the carry stays for the addition.
        let complement = each(N, row().b(B.j()).y(Y::B).write(S.j()).up().rewind());
        let add = each(N, row().a(A.j()).b(S.j()).x(X::A).y(Y::B).carry_next(Next::Majority).write(D.j()).up());
        return op(|n, _| 2 * n)
            .scratch(N)
            .apart_or_same(A, D)
            .apart_or_same(B, D)
            .apart(A, S)
            .apart_or_same(B, S)
            .apart_or_same(D, S)
            .program(Program::new("sub baseline", vec![complement, add]).with_carry().keep_tag());
    }
    if cx.two_port() {
        let row = row().a(A.j()).b(B.j()).x(X::A).y(Y::NotB).carry_next(Next::Majority).write(D.j()).up();
        return op(|n, _| n)
            .apart_or_same(A, D)
            .apart_or_same(B, D)
            .program(Program::new("sub", vec![each(N, row)]).with_carry().keep_tag());
    }
    // Two bits in three cycles: the pairs (a0, a1), (a1, b0), (b0, b1) overlap, so that each pair's parity and AND give
    // the difference of one bit and the subtrahend's bit where it differs.
    let group = overlapping_pairs(true);
    let last = row().a(A.row(N - 1)).b(B.row(N - 1)).x(X::A).y(Y::B).write(D.row(N - 1));
    op(|n, _| 3 * (n / 2) + n % 2)
        .apart_or_same(A, D)
        .apart(B, D)
        .variant(&[Condition::Even(N)], Program::new("sub", vec![each_of(N.half(), group.clone())]))
        .variant(
            &[Condition::AtLeastZero(N - 3)],
            Program::new("sub, odd width", vec![each_of((N - 1).half(), group), once(last)]),
        )
        .program(Program::new("sub, one bit", vec![once(last)]))
}

/// Rows of a two-bit group of the `AndNor` subtraction: C is the borrow, T and H the parity and AND of the pair before.
pub(super) fn overlapping_pairs(write: bool) -> Vec<Row> {
    let pair = |r: Row| r.tag(TagAction::Xor).hold(HoldAction::A);
    let borrow = |r: Row| pair(r).x(X::Pair).y(Y::Pair).not_sum().carry_next(Next::Majority);
    let first = pair(row().a(A.j()).b(A.j().plus(1)));
    let low = borrow(row().a(A.j().plus(1)).b(B.j()));
    let high = borrow(row().a(B.j()).b(B.j().plus(1))).up_two();
    if write { vec![first, low.write(D.j()), high.write(D.j().plus(1))] } else { vec![first, low, high] }
}

/// −a.
pub(super) fn neg() -> Operation {
    let row = row().b(A.j()).y(Y::NotB).carry_next(Next::Majority).write(D.j()).up();
    Operation::new(Opcode::Neg, |n, _| n)
        .source(A, N)
        .result(D, N)
        .apart_or_same(A, D)
        .program(Program::new("neg", vec![each(N, row)]).with_carry().keep_tag())
}

/// |a|: T takes the sign, then (a ⊕ T) + T.
pub(super) fn abs(cx: Context) -> Operation {
    let op = |formula| Operation::new(Opcode::Abs, formula).source(A, N).result(D, N).apart_or_same(A, D);
    let rest = row().b(A.j()).y(Y::BXorT).carry_next(Next::Majority).write(D.j()).up();
    if cx.two_port() {
        // Sign and lowest bit are read together; the lowest bit never changes, its carry is sign · ¬bit.
        let first =
            row().a(A.row(N - 1)).b(A.row(0)).y(Y::B).carry_next(Next::AAndNotY).tag(TagAction::A).write(D.row(0)).up();
        op(|n, _| n)
            .variant(&[Condition::Zero(N - 1)], Program::new("abs, one bit", vec![once(first)]))
            .program(Program::new("abs", vec![once(first), each(N - 1, rest)]))
    } else {
        op(|n, _| n + 1).program(Program::new("abs", vec![sign_to_tag_and_carry(A), each(N, rest)]))
    }
}

/// T and C ← top row of `operand` (`AndNor`).
pub(super) fn sign_to_tag_and_carry(operand: crate::array::isa::row::Operand) -> Item {
    once(row().a(operand.row(N - 1)).carry_next(Next::AAndNotY).tag(TagAction::A))
}
