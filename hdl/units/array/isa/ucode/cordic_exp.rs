//! The exponential function of fixed-point numbers by hyperbolic CORDIC (Walther, 1971; Duality Cache, ISCA 2019,
//! §3.1).
//!
//! cosh and sinh turn by the same steps, so their sum, which is the exponential function, takes one addition a step:
//! e ← e ± e·2⁻ⁱ, by the sign of what is left of the exponent. That has n − i rows behind step i: later ones are copies
//! of its sign. d is e; it begins with the reciprocal of the steps' gain, of which the first step makes one of two
//! constants.

use crate::array::isa::constants::Table;
use crate::array::isa::linear::{Linear, M, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Index, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{
    FLAGS, Flag, Shifted, added, both, by_tag, constant, flag, further, of_width,
};
use crate::array::isa::ucode::cordic_rows::{residue, twice, widths};
use crate::array::isa::ucode::float_rows::at;
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// What is left of the exponent, in the direction of the step before.
fn rest(index: Address) -> Address {
    index.plus(FLAGS)
}

/// d ← e to the power of a.
pub(super) fn exp() -> Operation {
    let operation = Operation::new(Opcode::CordicExp, cycles)
        .widths(16, 32)
        .powers_of_two()
        .second(16, N + 1)
        .source(A, N)
        .result(D, N)
        .scratch(N + (FLAGS - 1))
        .all_apart();
    widths().fold(operation, |operation, n| operation.variant(&[of_width(n)], program(n)))
}

fn program(n: u8) -> Program {
    let direction = flag(Flag::Direction);
    let sign = at(A.j().plus(N - 1), 0);
    let mut body = vec![
        once(row().a(sign).x(X::A).write(direction).tag(TagAction::A).point(Table::Exponential.address(n))),
        once(row()),
        once(row().take()),
        each(N, by_tag(D.j())),
        once(both(direction).take()),
    ];
    body.extend(turn(A.j(), true));
    // Steps 2 to 14 in groups: shifts 4 and 13 come twice.
    body.extend(twice(&[3, 10], step));
    body.push(outer(M - 15, step(true)));
    body.extend(added(D.j(), D.j(), SHIFTED));
    Program::new("cordic_exp", body).i(1).z(N - 2)
}

/// e, shifted.
const SHIFTED: Shifted =
    Shifted { rows: Address { operand: D, offset: Linear::constant(0), index: Index::K }, top: None };

/// A step: T and C are its direction, and then that of the next one.
fn step(on: bool) -> Vec<Item> {
    let mut items = added(D.j(), D.j(), SHIFTED);
    items.push(once(both(flag(Flag::Changed)).take()));
    items.extend(turn(rest(S.j()), on));
    items
}

/// The step of what is left of the exponent, by T and C; then these are the next direction.
fn turn(from: Address, on: bool) -> Vec<Item> {
    let (direction, changed) = (flag(Flag::Direction), flag(Flag::Changed));
    let top = constant().b(from).y(Y::BXorT).write(rest(S.j())).tag(TagAction::W).clear_carry().rewind();
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        each(Count::Triangle, residue(rest(S.j()), from)),
        once(if on { further(top).z(TriangleAction::Down) } else { top }),
        once(row().y(Y::BXorT).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

fn cycles(n: i64, m: i64) -> i64 {
    // Shifts of all steps but the first and the last.
    let shifts = m * (m - 1) / 2 - 2 * m + 19;
    3 * n + 5 + (m - 2) * (2 * n + 3) - shifts
}
