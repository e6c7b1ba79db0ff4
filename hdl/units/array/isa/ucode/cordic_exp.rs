//! The exponential function of fixed-point numbers by hyperbolic CORDIC (Walther, 1971; Duality Cache, ISCA 2019,
//! §3.1).
//!
//! cosh and sinh turn by the same steps, so their sum, which is the exponential function, takes one addition a step: e
//! ← e ± e·2⁻ⁱ, rounded, by the sign of what is left of the exponent. That has n − i rows behind step i: later ones are
//! copies of its sign. d is e; it begins with the reciprocal of the steps' gain, of which the first step makes one of
//! two constants. Behind the first steps hyperbolic angles are their tangents but for less than a unit, and the other
//! directions are the bits of what is left, as of sines; the step in front of them is taken twice, since steps before
//! it may leave a bit more than it turns by.

use crate::array::isa::constants::{Table, first_by_bits};
use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Index, Row, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{
    FLAGS, Flag, Shifted, added, both, by_bit, by_tag, constant, flag, further, leaving, of_width,
};
use crate::array::isa::ucode::cordic_rows::{direction_before, next_direction, residue, widths};
use crate::array::isa::ucode::float_rows::{at, linear};
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
        .scratch(N + (FLAGS - 2))
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
    ];
    body.extend(turn(A.j(), direction, Behind::Further));
    // Shift 4 comes twice, and so does the one that bits begin with.
    let first = first_by_bits(n);
    body.push(outer(2, step(Behind::Further)));
    body.extend(step(Behind::Again));
    body.push(outer(first - 4, step(Behind::Further)));
    body.extend(step(Behind::Bits));
    body.push(once(direction_before()));
    let mut bits = leaving(sum(), further);
    bits.extend(by_bit(linear(1, Term::None, FLAGS - 2 - first), None));
    body.push(outer(M - (first + 2), bits));
    body.extend(sum());
    Program::new("cordic_exp", body).i(1).z(N - 2)
}

/// e, shifted.
const SHIFTED: Shifted =
    Shifted { rows: Address { operand: D, offset: Linear::constant(0), index: Index::K }, top: None };

/// e's step: T and C are the direction. The highest of the bits that are shifted out rounds.
fn sum() -> Vec<Item> {
    let mut items = vec![once(row().b(D.i().plus(-1)).x(X::One).y(Y::B).carry_next(Next::NotSum))];
    items.extend(added(D.j(), D.j(), SHIFTED));
    items
}

/// What comes behind a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A step that shifts by one bit more.
    Further,
    /// One that shifts by as many.
    Again,
    /// One that shifts by as many, and others by bits of what is left.
    Bits,
}

/// A step: T and C are its direction, and then that of the next one.
fn step(behind: Behind) -> Vec<Item> {
    [sum(), turn(rest(S.j()), flag(Flag::Changed), behind)].concat()
}

/// The step of what is left of the exponent, in another direction than before where the flag is 1; then T and C are the
/// next direction.
fn turn(from: Address, other: Address, behind: Behind) -> Vec<Item> {
    let changed = flag(Flag::Changed);
    let top = constant().b(from).y(Y::BXorT).tag(TagAction::W).clear_carry().rewind();
    let on = |row: Row| if behind == Behind::Further { further(row) } else { row };
    let mut items = vec![once(on(both(other)).take()), each(Count::Triangle, residue(rest(S.j()), from))];
    match behind {
        Behind::Further => items.push(once(top.write(changed).z(TriangleAction::Down))),
        // A step with as many rows reads the top one.
        Behind::Again => items.extend([once(top.write(rest(S.j()))), once(row().y(Y::BXorT).write(changed))]),
        Behind::Bits => items.push(once(top.write(changed))),
    }
    items.push(once(next_direction()));
    items
}

fn cycles(n: i64, m: i64) -> i64 {
    let first: i64 = first_by_bits(n as u8).into();
    let turns = (first + 1) * (n + 2) - first * (first + 1) / 2 - 3;
    3 + n + turns + (m - 1) * (n + 1) + 1 + 2 * (m - first - 2)
}
