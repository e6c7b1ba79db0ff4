//! Fused multiplication and addition, third part: the product of the significands, added to what is in the window.

use crate::array::isa::linear::N;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::float_fma_rows::*;
use crate::array::isa::ucode::float_mul_radix_4::Shape;
use crate::array::isa::ucode::float_mul_rows::{Flag, flag, high, top_bit};
use crate::array::isa::ucode::float_rows::{FRACTION, chain};
use crate::array::isa::uop::{CarryAction, HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// Adds the product of the significands. T: bit of a; H: the upper one of two bits above the pass. L becomes n + 6.
pub(super) fn product(kind: Kind) -> Vec<Item> {
    let adds = |b: Address| chain(row().a(acc(S.j())).b(b).x(X::A).y(Y::TB)).up();
    let over =
        |c: Address| row().x(X::H).b(c).y(Y::B).hold_next(Next::Majority).clear_carry().write(acc(S.k())).rewind();
    let next = |row: Row| once(row.l(OuterAction::Up));
    let fetch = |row: Row| row.a(multiplier(A.l())).tag(TagAction::A);
    let middle = each(Count::Triangle, adds(B.j()).write(acc(S.k())));
    let hidden = adds(kind.hidden_b()).write(acc(S.k()));
    vec![
        once(fetch(row())),
        outer(
            FRACTION,
            vec![next(adds(B.j()).write(low(D.l()))), middle.clone(), once(hidden), once(fetch(over(low(D.l()))))],
        ),
        next(row().a(flag(Flag::HIDDEN_A)).tag(TagAction::A)),
        next(adds(B.j()).write(high(0))),
        middle,
        next(hidden),
        next(over(above_c())),
        next(row().a(lost_of_c()).x(X::A).write(lost())),
        next(row().x(X::H).b(above_c()).y(Y::B).write(top_bit()).hold(HoldAction::Zero)),
    ]
}

/// The same with two bits of a in a pass, in T and P. Of three rows above the significand's two add bits of c, and the
/// last one moves the second bit of the sum from the lowest high row to the low rows, where one of these bits was. The
/// stride is 4 before and 1 behind it. Where Z has counted rows of c it goes down by 4.
pub(super) fn product_radix_4(shape: Shape, kind: Kind) -> Vec<Item> {
    let next = |row: Row| row.l(OuterAction::Up);
    let less = |row: Row| if kind == Kind::Other { next(row.z(TriangleAction::Down)) } else { next(row) };
    let adds = |b: Address| chain(row().a(acc(S.j())).b(b).x(X::A).y(Y::TB)).up();
    let lowest = next(adds(B.j()).write(low(D.l())));
    let [middle, hidden] = [B.j(), kind.hidden_b()].map(|b| adds(b).write(acc(S.k())));
    let over = |c: Address| row().b(c).y(Y::B).hold_next(Next::Majority).clear_carry().write(acc(S.k()));
    let pass = |lower: Row, upper: Row| {
        let two = |row: Row| row.second(Second::Pass);
        // What hangs over the hidden bit is added in the first row, behind which M is 0.
        let first = chain(next(lower.b(low(D.l())).x(X::H).y(Y::B))).carry(CarryAction::Last).write(acc(S.k())).up();
        vec![once(two(lowest)), each(Count::StrideRest, two(middle)), once(two(hidden)), once(first), once(upper)]
    };
    let fetch = |p: Address| row().a(p).predicate(PredicateAction::A);
    let both = |p: Address| {
        let upper = over(low(D.l())).a(p).predicate(PredicateAction::A).up().l(OuterAction::Down);
        let mut items = pass(row().a(multiplier_of_two(A.l())).tag(TagAction::A), upper);
        items.push(once(next(row().b(high(0)).y(Y::B).write(low(D.l())).rewind())));
        items
    };
    let top = flag(Flag::HIDDEN_A);
    let first = |p: Address| fetch(p).b(A.row(0)).tag(TagAction::Next);
    let mut items = Vec::new();
    if shape.odd() {
        let single = over(low(D.l())).x(X::H).a(A.at(1)).tag(TagAction::A).rewind().i(OffsetAction::Down);
        items.push(once(first(if shape.long() { A.at(2) } else { top })));
        items.extend([once(lowest), each(Count::StrideRest, middle), once(hidden), once(single)]);
    } else {
        items.push(once(first(A.at(1)).i(OffsetAction::Down)));
    }
    if shape.long() {
        items.push(outer((N - 6).half(), both(multiplier_of_two(A.l()))));
    }
    if shape != Shape::Three {
        items.extend(both(top));
    }
    items.extend(pass(row(), next(over(above_c()).rewind().i(OffsetAction::Up))));
    let halves = |row: Row| once(less(row.stride(StrideAction::Halve)));
    items.extend([
        halves(row().a(lost_of_c()).x(X::A).write(lost())),
        halves(row().x(X::H).b(above_c()).y(Y::B).write(top_bit()).hold(HoldAction::Zero)),
        // L is the same as with radix 2.
        once(less(row())),
        once(less(row())),
    ]);
    items
}
