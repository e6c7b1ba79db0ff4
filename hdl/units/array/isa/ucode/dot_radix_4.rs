//! The accumulating product with two multiplier bits a pass, on columns with a second adder.
//!
//! Passes are those of `mul_radix_4.rs`, but that every row has a row of the accumulator. So a pass goes on for two
//! rows above the multiplicand: there the carries and P · b_(n−1), and H, the carry of the pass before, meet the
//! accumulator, and the next two multiplier rows are fetched. After the last pass the carry runs up to row m − 1.

use crate::array::isa::linear::{Linear, M, N};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{OffsetAction, OuterAction, Row, row};
use crate::array::isa::ucode::mul_radix_4::{fetch_one, fetch_two, passes};
use crate::array::isa::uop::{CarryAction, HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// Cycles, one more of signed products for −2²ⁿ⁻¹ and two more for each row above 2n.
pub(super) fn cycles(signed: bool) -> fn(i64, i64) -> i64 {
    if signed {
        |n, m| passes(n) * (n + 2) + 2 - n % 2 + 2 * (m - 2 * n)
    } else {
        |n, m| passes(n) * (n + 2) + 1 - n % 2 + (m - 2 * n)
    }
}

/// d (m rows) ← d + a · b modulo 2ᵐ. `borrow` adds −2²ⁿ⁻¹ where the product is signed.
pub(super) fn dot(op: Operation, borrow: Option<Item>) -> Operation {
    let name = if borrow.is_some() { "dot signed, radix 4" } else { "dot, radix 4" };
    let program = |rows: Vec<Item>| Program::new(name, borrow.iter().cloned().chain(rows).collect());
    let signed = borrow.is_some();
    op.variant(&[Condition::Zero(N - 1)], Program::new("dot, one bit", one_bit()))
        .variant(&[Condition::AtLeastZero(N.negated() + 3)], program(short(signed)))
        .variant(&[Condition::Even(N)], program(even(signed)))
        .program(program(odd(signed)))
}

/// A row of a pass: T times a row of the multiplicand, added to the accumulator.
fn add() -> Row {
    row().a(D.k()).b(B.j()).x(X::A).y(Y::TB).carry_next(Next::Majority).write(D.k()).up()
}

/// The carry runs up from a row of the accumulator: from the top row of the last pass, and H with it.
fn ripple(from: i16) -> Item {
    let rows = D.j().plus(N.twice() - from);
    let row = row().b(rows).x(X::H).y(Y::B).carry_next(Next::Majority).hold(HoldAction::Zero);
    each(N.twice().below_m() + from, row.write(rows).up())
}

/// A product of one bit is the same with and without a sign.
fn one_bit() -> Vec<Item> {
    let rows = D.j().plus(1);
    let ripple = row().b(rows).y(Y::B).carry_next(Next::Majority).write(rows).up();
    let product = row().a(D.row(0)).b(B.row(0)).x(X::A).y(Y::TB).carry_next(Next::Majority).write(D.row(0));
    vec![once(row().a(A.row(0)).tag(TagAction::A)), once(product), each(M - 1, ripple)]
}

/// Two and three bits, one a pass: they are not worth two programs.
fn short(signed: bool) -> Vec<Item> {
    let pass = |y: Y| if signed { add().y(y).flip_y() } else { add() };
    let fetch = |row: Row| row.a(A.l()).tag(TagAction::A).l(OuterAction::Up);
    let first = if signed { fetch(row()).hold_next(Next::One).clear_carry() } else { fetch(row()) };
    let end = row().b(D.k()).x(X::H).y(Y::B).hold_next(Next::Majority).clear_carry().write(D.k());
    let end = fetch(end.rewind().i(OffsetAction::Up));
    let last = if signed { Y::NotTB } else { Y::TB };
    vec![once(first), outer(N - 1, vec![each(N, pass(Y::TB)), once(end)]), each(N, pass(last).rewind()), ripple(1)]
}

/// The two rows above a pass.
fn ends(signed: bool) -> [Row; 2] {
    let above = row().b(D.k()).y(Y::B).write(D.k());
    let second = if signed { Second::NotPass } else { Second::Off };
    let low = above.x(X::H).carry_next(Next::Majority).carry(CarryAction::Last).second(second);
    [low.i(OffsetAction::Up), above.hold_next(Next::Majority).clear_carry().rewind()]
}

/// The same, fetching multiplier rows L + `ahead` and the one after it.
fn fetching([low, high]: [Row; 2], ahead: i16) -> [Item; 2] {
    let fetch = |row: Row| row.a(A.l().plus(ahead)).l(OuterAction::Up);
    [once(fetch(low).tag(TagAction::A)), once(fetch(high).predicate(PredicateAction::A))]
}

/// Passes in the middle, which fetch, and the last one.
fn rest(signed: bool, middle: Linear, ahead: i16) -> Vec<Item> {
    let pass = add().second(Second::Pass);
    let [low, high] = ends(signed);
    let mut body = vec![each(N, if signed { pass.flip_y() } else { pass })];
    body.extend(fetching([low, high.i(OffsetAction::Up)], ahead));
    let mut items = vec![outer(middle, body)];
    if signed {
        // P is the sign row: its partial products are complemented but for the one with both signs; row 0 has none.
        items.push(once(pass));
        items.push(each(N - 1, add().second(Second::NotPass).flip_y()));
    } else {
        items.push(each(N, pass));
    }
    // The row above the last pass is row 2n − 2, and has H; the carries run on from the one after it.
    let [low, _] = ends(false);
    items.push(once(low.rewind().hold(HoldAction::Zero)));
    items.push(ripple(1));
    items
}

/// 2ⁿ is H's first value.
fn even(signed: bool) -> Vec<Item> {
    let fetch = if signed { fetch_two().hold_next(Next::One).clear_carry() } else { fetch_two() };
    let mut items = vec![once(fetch)];
    items.extend(rest(signed, (N - 2).half(), 2));
    items
}

/// Multiplier row 0 is P of a pass that begins a row lower, without a T; 2ⁿ comes in above it.
fn odd(signed: bool) -> Vec<Item> {
    let [low, high] = ends(signed);
    let high = if signed { high.x(X::One) } else { high };
    let mut items = vec![once(fetch_one()), each(N - 1, add().b(B.j().plus(1)).second(Second::Pass))];
    items.extend(fetching([low, high], 1));
    items.extend(rest(signed, (N - 3).half(), 1));
    items
}
