//! Sine and cosine of fixed-point numbers by CORDIC (Volder, 1959; Duality Cache, ISCA 2019, §3.1).
//!
//! ```text
//!  x' = x ∓ y·2⁻ⁱ   y' = y ± x·2⁻ⁱ   by the sign of what is left of the angle, z' = z ∓ arctan 2⁻ⁱ
//! ```
//!
//! Both need both, so that a step writes other rows than it reads: two steps a pass lead back to the first ones. Step 0
//! turns the vector (1/gain, 0), which gives constants: in the minus direction y is its complement, a unit less than
//! the negative. Programs of odd and even numbers of steps differ in which of the two places are d and e. The angle
//! left behind step i has n − i rows.

use crate::array::isa::constants::Table;
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, E, S};
use crate::array::isa::row::{Address, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{FLAGS, Flag, Place, added, both, constant, fill, flag, further};
use crate::array::isa::ucode::cordic_rows::{of_width, residue, subtracted, widths};
use crate::array::isa::ucode::float_rows::{at, linear};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// A vector.
#[derive(Clone, Copy)]
struct Vector {
    x: Place,
    y: Place,
}

/// The angle that is left, in the direction of the step before.
fn angle(index: Address) -> Address {
    index.plus(linear(2, Term::None, FLAGS))
}

/// d ← the sine of a, e ← its cosine.
pub(super) fn sin_cos() -> Operation {
    let operation = Operation::new(Opcode::CordicSinCos, cycles)
        .widths(16, 32)
        .powers_of_two()
        .second(4, N)
        .source(A, N)
        .result(D, N)
        .result(E, N)
        .scratch(linear(3, Term::None, FLAGS - 1))
        .all_apart();
    widths().fold(operation, |operation, n| {
        let even = Condition::Even(M);
        operation.variant(&[of_width(n), even], program(n, true)).variant(&[of_width(n)], program(n, false))
    })
}

fn program(n: u8, even: bool) -> Program {
    let result = Vector { x: Place::operand(E), y: Place::operand(D) };
    let other = Vector { x: Place::scratch(0), y: Place::scratch(1) };
    let (one, two) = if even { (other, result) } else { (result, other) };
    let flags = [Flag::Direction, Flag::Changed].map(flag);
    let mut body = vec![
        once(row().a(at(A.j().plus(N - 1), 0)).tag(TagAction::A).point(Table::Rotation.address(n))),
        once(row().y(Y::BXorT).write(flags[0])),
        once(row().y(Y::BXorT).write(flags[1]).take()),
        fill(one.x.j),
        once(row().take()),
        each(N, constant().y(Y::BXorT).write(one.y.j).up().rewind()),
    ];
    body.extend(turn(A.j(), false));
    let step = |from: Vector, to: Vector| [vector(from, to), turn(angle(S.j()), true)].concat();
    let pair = [step(one, two), step(two, one)].concat();
    if even {
        body.push(outer((M - 2).half(), pair));
        body.extend(vector(one, two));
    } else {
        body.push(outer((M - 3).half(), pair));
        body.extend([step(one, two), vector(two, one)].concat());
    }
    Program::new("cordic_sincos", body).i(1).z(N - 1)
}

/// The vector's step: T and C are the direction.
fn vector(from: Vector, to: Vector) -> Vec<Item> {
    let mut items = added(to.y.j, from.y.j, from.x.shifted());
    items.push(once(both(flag(Flag::Direction))));
    items.extend(subtracted(to.x.j, from.x.j, from.y.shifted()));
    items
}

/// The angle's step, and the next direction: to T, C and flags.
fn turn(from: Address, on: bool) -> Vec<Item> {
    let [direction, changed] = [Flag::Direction, Flag::Changed].map(flag);
    let top = constant().b(from).y(Y::BXorT).tag(TagAction::W).clear_carry().rewind().z(TriangleAction::Down);
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        once(both(changed).take()),
        each(Count::Triangle, residue(angle(S.j()), from)),
        once(if on { further(top) } else { top }),
        once(row().y(Y::BXorT).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

fn cycles(n: i64, m: i64) -> i64 {
    let angles = (m - 1) * n - (m - 1) * (m - 2) / 2 + 3 * (m - 1);
    4 + 2 * n + angles + (m - 1) * (2 * n + 1)
}
