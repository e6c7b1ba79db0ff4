//! The square root of fixed-point numbers by hyperbolic CORDIC (Walther, 1971; Duality Cache, ISCA 2019, §3.1).
//!
//! ```text
//!  x' = x ∓ y·2⁻ⁱ   y' = y ∓ x·2⁻ⁱ   by the sign of y, which becomes 0; x begins as a + c, y as a − c
//! ```
//!
//! Steps leave x² − y², which is 4·a·c, but for their gain K, so that x becomes 2K·√(a·c). With c = 1 / (4K²) that is
//! √a: the gain costs no multiplication. y goes to other rows than it is read from, and x, behind it, stays in its own,
//! as of angles; d is x. With y < 0, T = C = 1 turn differences into sums. Behind a step y is less than 2⁻ⁱ·x, and x
//! differs from what it becomes by less than 4⁻ⁱ of it: half of the steps, and one, are all that it takes, and the last
//! one is x's alone. Step 4 comes twice. Programs of odd and even halves differ in where y is in the end.

use crate::array::isa::constants::Table;
use crate::array::isa::linear::{M, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D};
use crate::array::isa::row::{Address, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{Place, Shifted, both, constant, further, of_width, subtracted, widths};
use crate::array::isa::uop::{Next, X, Y};

/// d ← the square root of a.
pub(super) fn sqrt() -> Operation {
    let operation = Operation::new(Opcode::CordicSqrt, cycles)
        .widths(16, 32)
        .powers_of_two()
        .second(16, N + 1)
        .source(A, N)
        .result(D, N)
        .scratch(N.twice())
        .all_apart();
    widths().fold(operation, |operation, n| {
        let even = Condition::Even(M.half());
        operation.variant(&[of_width(n), even], program(n, true)).variant(&[of_width(n)], program(n, false))
    })
}

fn program(n: u8, even: bool) -> Program {
    // No row is for flags.
    let (one, two) = (Place::scratch_behind(0, 0), Place::scratch_behind(0, 1));
    let from = |to: Address| each(N, constant().b(A.j()).y(Y::B).carry_next(Next::Majority).write(to).up().rewind());
    let mut body = vec![
        once(row().point(Table::Root.address(n))),
        once(row()),
        once(row().take()),
        from(one.j),
        once(row().take().clear_carry()),
        from(D.j()),
    ];
    body.extend([step(one, two, true), step(two, one, true), step(one, two, true), step(two, one, false)].concat());
    let pair = [step(one, two, true), step(two, one, true)].concat();
    body.push(outer((M - 8).half().half(), pair));
    if even {
        body.extend(length(one, false));
    } else {
        body.extend(step(one, two, true));
        body.extend(length(two, false));
    }
    Program::new("cordic_sqrt", body).i(1).z(1)
}

/// A step: y, then x. The next one shifts by one bit more, or by as many.
fn step(from: Place, to: Place, on: bool) -> Vec<Item> {
    let mut items = vec![once(both(from.top))];
    items.extend(subtracted(to.j, from.j, Shifted { rows: D.k(), top: None }));
    items.extend(length(from, on));
    items
}

/// x's part of a step. The next pass counts by the stride, which is late: Z is the stride, and counts the rows behind
/// the one in which the stride changes.
fn length(from: Place, on: bool) -> Vec<Item> {
    let sum = row().a(D.j()).x(X::NotA).not_sum().write(D.j()).y(Y::BXorT).carry_next(Next::Majority).up();
    let (low, high) = (sum.b(from.k), sum.b(from.top).rewind());
    let (low, high) = if on { (further(low), high.z(TriangleAction::Up)) } else { (low, high) };
    vec![once(both(from.top)), each(Count::StrideRest, low), each(Count::Triangle, high)]
}

fn cycles(n: i64, m: i64) -> i64 {
    4 + 2 * n + m / 2 * (2 * n + 2) + 1 + n
}
