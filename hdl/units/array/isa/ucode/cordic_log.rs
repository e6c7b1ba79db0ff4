//! The natural logarithm of fixed-point numbers by CORDIC: a becomes 1 by factors 1 ± 2⁻ⁱ, whose logarithms are summed
//! (Walther, 1971; Duality Cache, ISCA 2019, §3.1).
//!
//! The logarithm of 1 ± 2⁻ⁱ is ± artanh 2⁻ⁱ and half that of 1 − 4⁻ⁱ; the sum of the latter is the constant that d
//! begins with, of which the first step makes one of two constants. A column's direction is the top row of what a has
//! become: whether that is 1 or more. Half of the steps bring it so close to 1 that its logarithm is what it differs
//! by, but for half of the square of that: one addition takes the place of the other half.

use crate::array::isa::constants::Table;
use crate::array::isa::linear::{M, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, row};
use crate::array::isa::ucode::cordic_rows::{
    FLAGS, Flag, Shifted, added, both, by_tag, flag, further, of_width, residue,
};
use crate::array::isa::ucode::cordic_rows::{twice, widths};
use crate::array::isa::ucode::float_rows::at;
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// What a has become.
fn product(index: Address) -> Address {
    index.plus(FLAGS)
}

/// d ← the natural logarithm of a.
pub(super) fn log() -> Operation {
    let operation = Operation::new(Opcode::CordicLog, cycles)
        .widths(16, 32)
        .powers_of_two()
        .second(16, N + 1)
        .source(A, N)
        .result(D, N)
        .scratch(N + FLAGS)
        .all_apart();
    widths().fold(operation, |operation, n| operation.variant(&[of_width(n)], program(n)))
}

fn program(n: u8) -> Program {
    let direction = flag(Flag::Direction);
    let top = at(A.j().plus(N - 1), 0);
    let mut body = vec![
        once(row().a(top).x(X::A).write(direction).tag(TagAction::A).point(Table::Logarithm.address(n))),
        once(row().x(X::One).y(Y::BXorT).carry_next(Next::NotSum)),
    ];
    body.extend(added(product(S.j()), A.j(), Shifted { rows: A.k(), top: None }));
    body.extend([once(row().take().clear_carry()), each(N, further(by_tag(D.j())))]);
    // Steps behind the first one in groups: shifts 2, 4 and 7 come twice.
    body.extend(twice(&[1, 3, 4], step));
    body.push(outer((M - 14).half(), step(true)));
    body.push(once(both(direction)));
    // What a has become, less 1, halved.
    let sum = row().b(D.j()).y(Y::BXorT).carry_next(Next::Majority).write(D.j()).up();
    body.extend([each(N - 2, sum.a(S.j().plus(FLAGS + 1)).x(X::A)), each(2, sum.a(one()).x(X::NotA))]);
    Program::new("cordic_log", body).i(1)
}

/// The row of what a has become that counts ones.
fn one() -> Address {
    at(S.j().plus(N + (FLAGS - 1)), 0)
}

/// A step.
fn step(on: bool) -> Vec<Item> {
    let (direction, changed) = (flag(Flag::Direction), flag(Flag::Changed));
    let mut items = vec![
        once(row().a(one()).tag(TagAction::A).clear_carry()),
        once(row().b(direction).y(Y::BXorT).write(changed)),
        once(row().x(X::One).y(Y::BXorT).not_sum().write(direction).carry_next(Next::NotSum)),
    ];
    items.extend(added(product(S.j()), product(S.j()), Shifted { rows: product(S.k()), top: None }));
    let sum = residue(D.j(), D.j()).rewind();
    items.extend([once(both(changed).take()), each(N, if on { further(sum) } else { sum })]);
    items
}

fn cycles(n: i64, m: i64) -> i64 {
    let steps = (m + 4) / 2;
    3 + 2 * n + (steps - 1) * (2 * n + 4) + 1 + n
}
