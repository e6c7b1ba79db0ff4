//! Copy, constants, logic, tags and selection. Logic is n cycles, as in Compute Caches and Duality Cache (paper: n).

use crate::array::isa::linear::N;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Program, each, each_of, once};
use crate::array::isa::row::Operand::{A, B, D, E};
use crate::array::isa::row::row;
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Operations with at most one source: each cycle reads one row and writes one.
pub(super) fn one_row(opcode: Opcode) -> Operation {
    let op = Operation::new(opcode, |n, _| n);
    let copy = |x| each(N, row().a(A.j()).x(x).write(D.j()).up());
    let constant = |x| each(N, row().x(x).write(D.j()).up());
    match opcode {
        Opcode::Load => op.result(D, N).program(Program::new("load", vec![each(N, row().load(D.j()).up())]).keep_tag()),
        Opcode::Store => {
            op.source(A, N).program(Program::new("store", vec![each(N, row().store(A.j()).up())]).keep_tag())
        }
        Opcode::Zero => op.result(D, N).program(Program::new("zero", vec![constant(X::Zero)]).keep_tag()),
        Opcode::Set => op.result(D, N).program(Program::new("set", vec![constant(X::One)]).keep_tag()),
        Opcode::Fill => op
            .source(A, 1)
            .result(D, N)
            .apart_or_same(A, D)
            .program(Program::new("fill", vec![each(N, row().a(A.row(0)).x(X::A).write(D.j()).up())]).keep_tag()),
        Opcode::Copy | Opcode::Not => {
            let (name, x) = if opcode == Opcode::Copy { ("copy", X::A) } else { ("not", X::NotA) };
            op.source(A, N).result(D, N).apart_or_same(A, D).program(Program::new(name, vec![copy(x)]).keep_tag())
        }
        _ => unreachable!("{opcode} is not of this family"),
    }
}

/// Bitwise operations: the majority with a constant carry is AND or OR, the sum is XOR.
pub(super) fn two_rows(opcode: Opcode) -> Operation {
    let pair = row().a(A.j()).b(B.j()).write(D.j()).up();
    let plain = pair.x(X::A).y(Y::B);
    let inverted = pair.x(X::NotA).y(Y::NotB);
    let (name, row, carry) = match opcode {
        Opcode::And => ("and", plain.majority(), false),
        Opcode::Or => ("or", plain.majority(), true),
        Opcode::Xor => ("xor", plain, false),
        Opcode::Nand => ("nand", inverted.majority(), true),
        Opcode::Nor => ("nor", inverted.majority(), false),
        Opcode::Xnor => ("xnor", plain.not_sum(), false),
        _ => unreachable!("{opcode} is not of this family"),
    };
    let program = Program::new(name, vec![each(N, row)]).keep_tag();
    let program = if carry { program.with_carry() } else { program };
    Operation::new(opcode, |n, _| n)
        .source(A, N)
        .source(B, N)
        .result(D, N)
        .apart_or_same(A, D)
        .apart_or_same(B, D)
        .program(program)
}

/// Tag latch from and to a row.
pub(super) fn tag(opcode: Opcode) -> Operation {
    let op = Operation::new(opcode, |_, _| 1).widths(1, 1);
    if opcode == Opcode::TagLoad {
        op.source(A, 1).program(Program::new("tag_load", vec![once(row().a(A.row(0)).tag(TagAction::A))]))
    } else {
        let store = row().y(Y::Differ).write(D.row(0));
        op.result(D, 1).program(Program::new("tag_store", vec![once(store)]).keep_tag())
    }
}

/// d ← tag row e ? a : b. T holds the tag afterwards.
pub(super) fn select(cx: Context) -> Operation {
    let tag = once(row().a(E.row(0)).tag(TagAction::A));
    let op = Operation::new(Opcode::Select, if cx.two_port() { |n, _| n + 1 } else { |n, _| 2 * n + 1 })
        .source(A, N)
        .source(B, N)
        .source(E, 1)
        .result(D, N)
        .apart_or_same(A, D)
        .apart_or_same(B, D);
    let body = if cx.two_port() {
        each(N, row().a(A.j()).b(B.j()).y(Y::TSelect).write(D.j()).up())
    } else {
        each_of(N, vec![row().a(A.j()).hold(HoldAction::A), row().b(B.j()).y(Y::THSelect).write(D.j()).up()])
    };
    op.program(Program::new("select", vec![tag, body]))
}
