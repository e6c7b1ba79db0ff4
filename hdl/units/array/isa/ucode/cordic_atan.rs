//! The angle and the length of vectors of fixed-point numbers by CORDIC (Volder, 1959).
//!
//! ```text
//!  x' = x ± y·2⁻ⁱ   y' = y ∓ x·2⁻ⁱ   by the sign of y, which becomes 0, z' = z ± arctan 2⁻ⁱ
//! ```
//!
//! y goes to other rows than it is read from, and x, behind it, stays in its own, as of sines. Step 0 reads the
//! operands, and leaves a constant as the angle. d is the angle, as it is in the direction of the step: 1 is minus,
//! which goes with y ≥ 0. With y < 0, T = C = 1 turn the vector's sums into differences and its differences into sums.

use crate::array::isa::constants::Table;
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, E};
use crate::array::isa::row::{Address, row};
use crate::array::isa::ucode::cordic_rows::{FLAGS, Flag, Place, added, both, fill, flag, further, of_width, residue};
use crate::array::isa::ucode::cordic_rows::{subtracted, widths};
use crate::array::isa::ucode::float_rows::linear;
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// d ← the angle of (b, a), e ← its length times the gain.
pub(super) fn atan() -> Operation {
    let operation = Operation::new(Opcode::CordicAtan, cycles)
        .widths(16, 32)
        .powers_of_two()
        .second(4, N)
        .source(A, N)
        .source(B, N)
        .result(D, N)
        .result(E, N)
        .scratch(linear(2, Term::None, FLAGS))
        .all_apart();
    widths().fold(operation, |operation, n| {
        let even = Condition::Even(M);
        operation.variant(&[of_width(n), even], program(n, true)).variant(&[of_width(n)], program(n, false))
    })
}

fn program(n: u8, even: bool) -> Program {
    let (one, two) = (Place::scratch(0), Place::scratch(1));
    let direction = flag(Flag::Direction);
    let sign = Place::operand(A).top;
    let sum =
        |from: Address, shifted: Address| row().a(from).b(shifted).y(Y::BXorT).carry_next(Next::Majority).up().rewind();
    let mut body = vec![
        once(row().a(sign).tag(TagAction::A).point(Table::Rotation.address(n))),
        once(row().x(X::One).y(Y::BXorT).write(direction).carry_next(Next::NotSum)),
        each(N, sum(B.j(), A.j()).x(X::A).write(E.j())),
        once(both(sign).take()),
        each(N, sum(A.j(), B.j()).x(X::NotA).not_sum().write(one.j)),
        once(row().clear_carry().point(Table::Rotation.address(n) + 3)),
        fill(D.j()),
    ];
    body.push(outer(if even { (M - 2).half() } else { (M - 1).half() }, [step(one, two), step(two, one)].concat()));
    if even {
        body.extend(step(one, two));
    }
    body.push(once(both(direction)));
    body.push(each(N, row().b(D.j()).y(Y::BXorT).carry_next(Next::Majority).write(D.j()).up()));
    Program::new("cordic_atan", body).i(1)
}

/// A step, by what y is.
fn step(from: Place, to: Place) -> Vec<Item> {
    let ([direction, changed], x) = ([Flag::Direction, Flag::Changed].map(flag), Place::operand(E));
    let mut items = vec![
        once(row().a(from.top).tag(TagAction::A).clear_carry()),
        // The direction is the complement of T.
        once(row().b(direction).x(X::One).y(Y::BXorT).write(changed)),
        once(row().x(X::One).y(Y::BXorT).write(direction).carry_next(Next::NotSum)),
    ];
    items.extend(subtracted(to.j, from.j, x.shifted()));
    items.push(once(both(from.top)));
    items.extend(added(x.j, x.j, from.shifted()));
    items.extend([once(both(changed).take()), each(N, further(residue(D.j(), D.j()).rewind()))]);
    items
}

fn cycles(n: i64, m: i64) -> i64 {
    4 * n + 5 + (m - 1) * (3 * n + 5)
}
