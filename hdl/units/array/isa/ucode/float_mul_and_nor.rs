//! The product of significands on `AndNor` columns, where the sum of two rows can be written to some columns only, but
//! no row of a sum can be seen beside another one: rows of the product stay where they are, and a pass adds the
//! multiplicand a row further up, where its bit of a is 1.
//!
//! ```text
//!  pass p:   low rows p … n − 5 │ high rows 0 … p │ the multiplicand's hidden bit, in D: plus the carry before
//! ```
//!
//! The row of the hidden bit reads none of these, and so fetches the next bit of a.

use crate::array::isa::format::E5M2;
use crate::array::isa::linear::{EXCESS, LOG2, Linear, N, Term};
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, linear};
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// Low rows that the product has; rows of the significand behind its first one.
pub(super) const LOW: Linear = linear(1, Term::None, -4);
/// First value of the stride: the first pass but one has as many low rows as n less the stride.
pub(super) const STRIDE: i16 = 5;
/// First value of Z: as many high rows are there then.
pub(super) const HIGH: i16 = 2;

/// Passes behind the first one that have low rows: n − 5.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// `e5m2`.
    None,
    /// `e4m3`.
    One,
    /// Any other format.
    Many,
}

/// 0 for formats in which only the first pass has low rows.
pub(super) fn behind_first() -> Linear {
    N - i16::from(E5M2.n())
}

/// Rows below the product become 0. I is n − 1 before, so is the stride, or that and 1; both are 1 behind it, C is 1.
pub(super) fn rows_below() -> [Item; 4] {
    let below = row().write(D.j()).up();
    let last = row().write(D.j()).rewind().carry_next(Next::One).l(OuterAction::Up);
    let halving = below.i(OffsetAction::Halve).stride(StrideAction::Halve);
    [outer(LOG2 - 1, vec![once(halving)]), each(EXCESS, below), once(below), once(last)]
}

/// The multiplicand is added to a row of the product.
fn adds(to: Address) -> Row {
    row().a(B.j()).b(to).x(X::A).y(Y::B).carry_next(Next::TMajority).predicated().write(to).up()
}

/// The row of the multiplicand's hidden bit.
fn hidden() -> Row {
    row().y(Y::TD).write(by_product_row(S.k())).rewind().i(OffsetAction::Up)
}

/// The same of a pass that adds, with the carry of the one before.
pub(super) fn carries(row: Row) -> Row {
    row.x(X::H).hold_next(Next::Majority).clear_carry()
}

/// T takes the next bit of a.
pub(super) fn fetching(row: Row) -> Item {
    once(row.a(A.l()).tag(TagAction::A).l(OuterAction::Up))
}

/// A pass.
pub(super) fn pass() -> Vec<Item> {
    vec![
        each(Count::StrideRest, adds(low_from_m(D.k())).stride(StrideAction::Up)),
        each(Count::Triangle, adds(by_product_row(S.k()))),
        fetching(carries(hidden()).z(TriangleAction::Up)),
    ]
}

/// The last two passes, which have no low rows.
pub(super) fn last_passes() -> [Item; 5] {
    let (adds, carries) = (adds(by_product_row(S.k())), carries(hidden()));
    [
        once(adds),
        each(LOW, adds),
        once(carries.a(flag(Flag::HIDDEN_A)).tag(TagAction::A).l(OuterAction::Up)),
        each(FRACTION, adds),
        once(carries),
    ]
}

/// The product. T: bit of a; H: the pass's carry; I: the pass and 1.
pub(super) fn product(passes: Passes) -> Vec<Item> {
    let first = row().b(B.j()).y(Y::TB).up();
    let mut items = vec![
        fetching(row().hold(HoldAction::Zero)),
        once(row().a(flag(Flag::HIDDEN_B)).delay(DelayAction::A)),
        each(LOW, first.write(low_from_m(D.k()))),
        once(first.write(by_product_row(S.k()))),
        fetching(hidden()),
    ];
    match passes {
        Passes::None => {}
        Passes::One => items.extend(pass()),
        Passes::Many => items.push(outer(N - STRIDE, pass())),
    }
    items.extend(last_passes());
    items.push(once(row().x(X::H).write(top_bit()).hold(HoldAction::Zero)));
    items.extend(rows_below());
    items
}
