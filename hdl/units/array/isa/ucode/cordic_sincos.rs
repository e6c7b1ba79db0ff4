//! Sine and cosine of fixed-point numbers by CORDIC (Volder, 1959; Duality Cache, ISCA 2019, §3.1).
//!
//! ```text
//!  x' = x ∓ y·2⁻ⁱ   y' = y ± x·2⁻ⁱ   by the sign of what is left of the angle, z' = z ∓ arctan 2⁻ⁱ
//! ```
//!
//! Both need both: y goes to other rows than it is read from, and x, behind it, stays in its own. Steps 0 and 1 turn
//! the vector (1/gain, 0), which gives one of two constants each, by whether they have the same direction; of a number
//! below zero y is the complement, a unit less than the negative. The angle left behind step i has n − i rows. Of 32
//! bits, behind the first steps, angles are their tangents but for less than a unit, and the other directions are the
//! bits of what is left (Timmermann, Hahn, Hosticka: Modified CORDIC algorithm with reduced iterations, 1989): a row
//! each, and no sums. Programs of odd and even numbers of steps differ in which of y's two places is d.

use crate::array::isa::constants::{Table, first_by_bits};
use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, E, S};
use crate::array::isa::row::{Address, Row, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{FLAGS, Flag, Place, added, both, by_bit, by_tag, constant, flag, further};
use crate::array::isa::ucode::cordic_rows::{
    direction_before, leaving, next_direction, of_width, residue, subtracted, widths,
};
use crate::array::isa::ucode::float_rows::{at, linear};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The angle that is left, in the direction of the step before.
fn angle(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS))
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
        .scratch(linear(2, Term::None, FLAGS - 1))
        .all_apart();
    widths().fold(operation, |operation, n| {
        let (many, even) = (Condition::AtLeastZero(M - (first_by_bits(n) + 2)), Condition::Even(M));
        let operation = if n < LONG {
            operation
        } else {
            let long = operation.variant(&[of_width(n), many, even], program(n, true, true));
            long.variant(&[of_width(n), many], program(n, true, false))
        };
        operation
            .variant(&[of_width(n), even], program(n, false, true))
            .variant(&[of_width(n)], program(n, false, false))
    })
}

/// The least width at which it pays to take directions from bits: micro-programs of their own take ROM.
const LONG: u8 = 32;

/// With many steps of a long number some directions are bits.
fn program(n: u8, many: bool, even: bool) -> Program {
    let [direction, changed] = [Flag::Direction, Flag::Changed].map(flag);
    let (result, other) = (Place::operand(D), Place::scratch(0));
    let (one, two) = if even { (result, other) } else { (other, result) };
    let sign = at(A.j().plus(N - 1), 0);
    let mut body = vec![
        once(row().a(sign).x(X::A).write(direction).tag(TagAction::A).point(Table::Rotation.address(n))),
        once(row()),
    ];
    body.extend(turn(A.j(), both(direction)));
    // C is the direction of step 1, which is another one than that of step 0 where T = 1.
    body.extend([
        once(row().a(changed).tag(TagAction::A).clear_carry().take()),
        each(N, by_tag(E.j())),
        once(row().a(direction).y(Y::Zero).carry_next(Next::AAndNotY).take()),
        each(N, by_tag(one.j)),
    ]);
    let turn = || turn(angle(S.j()), further(both(changed)));
    let step = |from: Place, to: Place| [turn(), vector(from, to)].concat();
    let pair = [step(one, two), step(two, one)].concat();
    if many {
        let first = first_by_bits(n);
        body.push(outer((first - 2) / 2, pair));
        body.extend(turn());
        body.push(once(direction_before()));
        let bits = linear(2, Term::None, FLAGS - 2 - first);
        let step =
            |from: Place, to: Place| [leaving(vector(from, to), further), by_bit(bits, Some(direction))].concat();
        // Behind the last step of an even number is a bit that nobody needs.
        let pair = [step(one, two), step(two, one)].concat();
        body.push(outer(if even { (M - first).half() } else { (M - (first + 1)).half() }, pair));
        if !even {
            body.extend(vector(one, two));
        }
    } else if even {
        body.push(outer((M - 2).half(), pair));
    } else {
        body.push(outer((M - 3).half(), pair));
        body.extend(step(one, two));
    }
    Program::new("cordic_sincos", body).i(1).z(N - 1)
}

/// The vector's step: T and C are the direction.
fn vector(from: Place, to: Place) -> Vec<Item> {
    let x = Place::operand(E);
    let mut items = added(to.j, from.j, x.shifted());
    items.push(once(both(flag(Flag::Direction))));
    items.extend(subtracted(x.j, x.j, from.shifted()));
    items
}

/// The angle's step, and the next direction: to T, C and flags. The first row brings T and C.
fn turn(from: Address, first: Row) -> Vec<Item> {
    let top = constant().b(from).y(Y::BXorT).tag(TagAction::W).write(flag(Flag::Changed)).clear_carry().rewind();
    vec![
        once(first.take()),
        each(Count::Triangle, residue(angle(S.j()), from)),
        once(top.z(TriangleAction::Down)),
        once(next_direction()),
    ]
}

fn cycles(n: i64, m: i64) -> i64 {
    let first = first_by_bits(n as u8).into();
    // Steps by sums, in pairs, and steps by bits.
    let by_sums = n < LONG.into() || m < first + 2;
    let (turns, bits) = if by_sums { (m - 1, 0) } else { (first, 1 + (m - first) / 2 * 4) };
    2 + turns * (n + 2) - turns * (turns - 1) / 2 + 2 * (n + 1) + (m - 2) * (2 * n + 1) + bits
}
