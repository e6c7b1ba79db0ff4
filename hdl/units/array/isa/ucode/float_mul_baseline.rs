//! The product of significands by predicated partial products (Neural Cache, ISCA 2018; Duality Cache, ISCA 2019,
//! §3.1.1 and §3.1.2), in the set `baseline`: a pass adds the multiplicand a row further up in the columns whose bit of
//! a is 1, and is left out if there are none; the first pass and that of the hidden bit always run.
//!
//! ```text
//!  pass p:  T ← bit p of a ─▶ any? ─▶ low rows p … n − 5, high rows 0 … p        the multiplicand's hidden bit
//! ```
//!
//! Rows of the product stay where they are, as on `AndNor` columns ([`float_mul_and_nor`](super::float_mul_and_nor)).
//! The row that ends a pass keeps its carry in H, runs whether the pass does or not, and moves every index on.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, Token, TriangleAction, row};
use crate::array::isa::ucode::float_mul_and_nor::rows_below;
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, linear};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Low rows that the product has; rows of the significand behind its first one.
const LOW: Linear = linear(1, Term::None, -4);

/// Passes between the first and those that have no low rows; the first value of Z, since the first of them has as many.
pub(super) const PASSES: Linear = linear(1, Term::None, -5);
/// First value of the stride: as many high rows are there then.
pub(super) const HIGH: i16 = 2;

/// The product, of formats with more bits than `e4m3`. T: bit of a; H: the pass's carry; I: the pass and 1; L: the
/// pass; Z: low rows of a pass; the stride: its high rows.
pub(super) fn product(two_port: bool) -> Vec<Item> {
    let (low, high) = (low_from_m(D.k()), by_product_row(S.k()));
    let first = row().b(B.j()).y(Y::TB).up();
    let adds = |to: Address| -> Row {
        if two_port {
            return row().a(to).b(B.j()).x(X::A).y(Y::TB).carry_next(Next::Majority).write(to).up();
        }
        row().a(B.j()).b(to).x(X::A).y(Y::B).carry_next(Next::TMajority).predicated().write(to).up()
    };
    let bit = row().a(A.l()).tag(TagAction::A);
    let top = row().b(flag(Flag::HIDDEN_B)).x(X::H).y(Y::TB).hold_next(Next::Majority).clear_carry();
    let top = top.write(high_from_one(S.l())).rewind().i(OffsetAction::Up).l(OuterAction::Up);
    let longer = top.stride(StrideAction::Up);
    let asked = |rows: Vec<Item>| Item::IfAnyTag(bit.token(Token::Branch), rows);
    let mut items = vec![
        once(bit.hold(HoldAction::Zero)),
        each(LOW, first.write(low)),
        once(first.write(high)),
        once(top),
        outer(
            PASSES,
            vec![
                asked(vec![each(Count::Triangle, adds(low)), each(Count::Stride, adds(high))]),
                once(longer.z(TriangleAction::Down)),
            ],
        ),
        asked(vec![once(adds(high)), each(LOW, adds(high))]),
        once(longer),
        once(row().a(flag(Flag::HIDDEN_A)).tag(TagAction::A)),
        each(FRACTION, adds(high)),
        once(longer),
        once(row().x(X::H).write(top_bit()).hold(HoldAction::Zero)),
    ];
    items.extend(rows_below());
    items
}
