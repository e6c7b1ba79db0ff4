//! Fused multiplication and addition, second part: one window, in which c goes down and the product is added to it as
//! it comes, and what is there before and behind the product.
//!
//! By the exponents one of the product and c is the smaller one. Where it is c, it goes to the window and down, with
//! the complement's bits where it is subtracted. Its lower half lies in the high rows, where the product's first pass
//! begins, and its upper half in the low rows: a pass leaves the lowest bit of the sum there, and before it did so the
//! pass before took a bit of c from that row to its top. Two bits hang over a pass, since c adds to them, so that one
//! of them has a row. Where c is the larger one, the window is 0 at first; the product goes down, and c is added from
//! e, where it lies next to the high rows.
//!
//! Two rows below the product are enough for c, which loses a bit only where it is less than 2 to the power of n − 5,
//! in units of the product's lowest bit. Without subnormal factors a product is at least 2 to the power of 2n − 6, so
//! that what is lost is far below the sum's last bit. With one it is at least 2 to the power of n − 3; the sum's
//! highest 1 is a row lower at most, and the bit behind its last one is in the second row. With two c has the larger
//! exponent.
//!
//! What is less than 0 is one less than its negative's complement: the larger operand less the smaller one is short by
//! one where c went down. It is added where that is not negative, unless bits were lost.

use crate::array::isa::linear::{EXCESS, LOG2, M};
use crate::array::isa::operation::Context;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{D, E, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::float_fma_rows::*;
use crate::array::isa::ucode::float_mul_rows::{Flag, flag, high, passing, top, top_bit};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// How far the smaller operand moves: c by one row less than the exponents say, since it begins a row lower. All ones
/// if that is more than its bits can say. T: c is kept. I becomes 1, L the number of the distance's bits.
pub(super) fn distance(places: Places) -> Vec<Item> {
    let bit = row().b(places.difference).y(Y::BXorT).up();
    let all = |bit: Address| row().b(bit).x(X::H).y(Y::B).majority().write(bit);
    vec![
        outer(LOG2, vec![once(row().i(OffsetAction::Halve).l(OuterAction::Up))]),
        once(row().i(OffsetAction::Up)),
        each(LOG2, bit.write(top(S.k()))),
        once(bit.write(far())),
        each(EXCESS, bit.hold(HoldAction::Differ)),
        // A product has no more than that.
        once(row().b(far()).y(Y::TB).hold(HoldAction::Differ).carry_next(Next::One).rewind()),
        each(LOG2, all(top(S.k())).up().rewind()),
        once(all(far()).hold(HoldAction::Zero).clear_carry()),
    ]
}

/// c, where it moves, in the low rows, and in the lowest high one; then by a number's bits down where it goes that far.
/// H: sticky. I becomes half of a number's bits. With radix 4 a count more is needed elsewhere, and Z counts rows here.
pub(super) fn load(kind: Kind, places: Places, radix_4: bool) -> Vec<Item> {
    let hidden = places.hidden_c;
    let stays = |here: Address| row().b(here).x(X::B).y(Y::TB).write(here).up();
    let lost = row().b(E.j()).y(Y::TB).hold(HoldAction::Differ).up();
    let zero = row().write(from_guard(S.j())).up();
    let mut items = vec![
        once(row().a(keeps()).x(X::NotA).tag(TagAction::W).i(OffsetAction::Double)),
        // C: subnormal operands count.
        once(row().x(X::One).steer_x().key_shift(0).carry_next(Next::NotSum).i(OffsetAction::Up)),
        once(row().a(hidden).x(X::A).y(Y::NotB).majority().tag(TagAction::And).clear_carry()),
        each(FRACTION, row().b(E.j()).y(Y::TB).write(low(D.k())).up()),
        once(row().b(E.at(0)).y(Y::TB).write(acc(S.j()))),
        once(row().b(hidden).y(Y::TB).write(low(D.k())).rewind().i(OffsetAction::Halve)),
        once(row().a(far()).x(X::A).tag(TagAction::And)),
    ];
    let double = OffsetAction::Double;
    if kind == Kind::E5M2 {
        let hidden = once(row().b(hidden).y(Y::TB).hold(HoldAction::Differ));
        items.extend([each(FRACTION, lost.rewind()), hidden, outer(LOG2, vec![once(row().i(double))])]);
    } else {
        items.push(outer(LOG2 - 1, vec![once(lost.i(double))]));
        items.push(each(EXCESS, lost.rewind().i(double)));
    }
    items.push(once(row().a(flag(Flag::Bounded)).x(X::A).write(kind.hidden_b())));
    if kind == Kind::E5M2 {
        items.extend([each(FRACTION, zero), once(zero), once(zero)]);
    } else {
        let comes = row().b(above(D.k())).y(Y::TB).write(from_guard(S.j())).up();
        items.push(match kind {
            // One row, and no count register for it.
            Kind::E4M3 | Kind::Bf16 => once(comes),
            _ if radix_4 => each(Count::Triangle, comes),
            _ => each(ROWS_ABOVE, comes),
        });
        items.push(each(M, zero));
    }
    items.push(once(stays(from_guard(S.j()))));
    items.push(each(FRACTION, stays(above(D.j())).rewind().i(OffsetAction::Halve)));
    items
}

/// The stages of c's way down, strides …, 4, 2, 1; in the last one what is subtracted is complemented. Its rows are the
/// high ones from two rows below the product, and then low rows, of which three repeat what is in high ones. I and the
/// stride are 1 in the end, L is 0. C says what is complemented.
pub(super) fn down(kind: Kind, two_port: bool) -> Vec<Item> {
    let here = from_guard(S.j());
    let leaves = row().b(here).y(Y::TB).hold(HoldAction::Differ);
    let moves = |from, here| row().a(from).b(here).y(Y::TSelect).write(here).up();
    let fill = |here| row().b(here).x(X::B).y(Y::TB).write(here).up();
    let fetch = once(row().a(top(S.l())).tag(TagAction::A).l(OuterAction::Down));
    let comes = moves(above(D.k()), here);
    let rows = |comes: Vec<Item>, last: Row| {
        let mut items = vec![each(Count::StrideRest, moves(from_guard(S.k()), here))];
        items.extend(comes);
        items.push(once(row().up()));
        items.push(each(Count::StrideRest, moves(low(D.k()), low(D.j()))));
        items.push(each(Count::Stride, last.rewind()));
        items
    };
    let all = || vec![each(Count::Stride, comes.rewind())];
    let stage = |comes: Vec<Item>| {
        let mut items = vec![fetch.clone(), each(Count::Stride, leaves.up().rewind())];
        items.extend(rows(comes, fill(low(D.j())).i(OffsetAction::Halve).stride(StrideAction::Halve)));
        items
    };
    let mut items = match kind.beyond() {
        0 => vec![outer(LOG2 - 1, stage(all()))],
        beyond => {
            let mut first = vec![each(FRACTION, comes)];
            first.extend((1..beyond).map(|_| once(fill(here))));
            first.push(once(fill(here).rewind()));
            let mut items = stage(first);
            items.push(outer(LOG2 - 2, stage(all())));
            items
        }
    };
    items.extend([fetch, once(leaves)]);
    let complemented = row().a(kind.subtract()).b(keeps()).x(X::A).y(Y::NotB);
    if two_port {
        items.push(once(complemented.carry_next(Next::Majority)));
    }
    items.extend(rows(all(), fill(low(D.j()))));
    if !two_port {
        let turned = |here: Address| row().b(here).y(Y::BXorT).write(here).up();
        let pass = |here| [each(Count::StrideRest, turned(here)), once(turned(here).rewind())];
        items.push(once(complemented.majority().tag(TagAction::W).up()));
        items.extend([pass(low(D.j())), pass(here)].concat());
    }
    items
}

/// The distances of the products that move alone; what c lost, and its rows below the product, to their places. I
/// becomes −1, L 3. H is 0. With radix 4 the stride is 4 in the end.
pub(super) fn between(subtract: Address, radix_4: bool) -> Vec<Item> {
    let doubled = if radix_4 { StrideAction::Double } else { StrideAction::Hold };
    let masked = row().b(top(S.k())).y(Y::TB).write(top(S.k())).up().rewind();
    let next = |row: Row| once(row.i(OffsetAction::Down).l(OuterAction::Up));
    vec![
        once(row().a(keeps()).tag(TagAction::A).clear_carry()),
        each(LOG2, masked),
        next(row().x(X::H).write(lost_of_c()).hold(HoldAction::Zero)),
        next(row().a(high(0)).x(X::A).write(at(low(D.j()), 2))),
        once(row().a(guard()).x(X::A).write(at(low(D.j()), 1)).l(OuterAction::Up).stride(doubled)),
        once(row().a(subtract).b(keeps()).x(X::A).y(Y::NotB).majority().write(above_c()).stride(doubled)),
    ]
}

/// The products that are smaller go down, strides 1, 2, 4, …; H: sticky. The first two stages, in which no bit leaves
/// the rows below a product, complement, so that they make a product 0 that counts as zero. I and the stride become
/// half of a number's bits, L the row of the distance's highest bit.
pub(super) fn product_down(kind: Kind, cx: Context) -> Vec<Item> {
    // With radix 4 Z is n − m − 5; three more in each stage that tells what it loses make it n − 4 in these formats.
    let more = |row: Row| if cx.radix_4() && kind == Kind::Other { row.z(TriangleAction::Up) } else { row };
    let zero = flag(Flag::Zero);
    let next = |row: Row| once(row.l(OuterAction::Up).i(OffsetAction::Up));
    let fetch = row().a(S.l()).tag(TagAction::A).l(OuterAction::Up);
    let leaves = row().b(low(D.j())).y(Y::TB).hold(HoldAction::Differ).up().rewind();
    let moves = |from, here| row().a(from).b(here).y(Y::TSelect).write(here).up();
    let rows = |of: fn(Row) -> Row, fill: Row| {
        let leave = |row: Row| row.rewind().i(OffsetAction::Double).stride(StrideAction::Double);
        [
            each(Count::StrideRest, of(moves(low(D.k()), low(D.j())))),
            each(Count::Stride, of(moves(over(S.k()), low(D.j())))),
            each(Count::StrideRest, of(moves(over(S.k()), over(S.j())))),
            each(Count::Stride, leave(fill.write(over(S.j())).up())),
        ]
    };
    let here = row().b(over(S.j()));
    let mut items = vec![next(row().write(at(low(D.j()), 0)))];
    if cx.two_port() {
        items.extend([
            next(row().a(zero).x(X::NotA).write(zero)),
            once(row().a(zero).predicate(PredicateAction::A).carry_next(Next::One)),
        ]);
        // What is filled with is a 0, and is complemented once less in the second stage.
        for fill in [here, here.a(zero)] {
            items.push(once(fetch));
            items.extend(rows(Row::gate, fill.y(Y::TSelect).gate()));
        }
    } else {
        let masked = |here: Address| row().b(here).y(Y::TB).write(here).up();
        let pass = |here| [each(Count::StrideRest, masked(here)), once(masked(here))];
        items.push(next(row().a(zero).x(X::NotA).tag(TagAction::W)));
        items.extend([pass(low(D.j())), pass(over(S.j()))].concat());
        items.push(once(row().rewind()));
    }
    let mut stage = vec![once(more(fetch.clear_carry())), each(Count::Stride, more(leaves))];
    stage.extend(rows(|row| row, more(here.x(X::B).y(Y::TB))));
    items.push(outer(if cx.two_port() { LOG2 - 2 } else { LOG2 }, stage));
    let below = row().b(at(low(D.j()), 0)).y(Y::B).hold(HoldAction::Differ).l(OuterAction::Down);
    items.extend([
        once(below.i(OffsetAction::Halve).stride(StrideAction::Halve)),
        once(row().b(lost()).y(Y::B).hold(HoldAction::Differ)),
    ]);
    items
}

/// c plus or minus, where it is the larger operand: the product less c, as long as the carry is a borrow's complement.
pub(super) fn add(subtract: Address, places: Places) -> Vec<Item> {
    let (moved, hidden) = (passing(0), places.hidden_c);
    let sum = |c: Address| chain(row().a(acc(S.j())).b(c).x(X::A).y(Y::BXorT).gate()).write(acc(S.j()));
    vec![
        // C: subnormal operands count. T, P: c is added.
        once(row().a(keeps()).tag(TagAction::A).x(X::One).steer_x().carry_next(Next::NotSum)),
        once(row().a(hidden).x(X::A).y(Y::NotB).majority().tag(TagAction::And).carry_next(Next::One)),
        once(tag_out(row()).majority().write(moved)),
        once(row().a(subtract).tag(TagAction::A)),
        // Columns that hold do so with a carry of 1.
        once(row().a(moved).predicate(PredicateAction::A).x(X::NotA).y(Y::BXorT).carry_next(Next::Majority)),
        each(FRACTION, sum(E.j()).up()),
        once(sum(hidden).rewind()),
        once(row().a(top_bit()).x(X::A).y(Y::BXorT).gate().write(top_bit()).clear_carry()),
    ]
}

/// The same of `AndNor` columns, which write the sum where c is added, and before and behind it the complement of what
/// it is subtracted from.
pub(super) fn add_predicated(subtract: Address, places: Places) -> Vec<Item> {
    let (moved, hidden) = (passing(0), places.hidden_c);
    let turned = |here: Address| row().b(here).y(Y::BXorT).write(here);
    let complemented = || {
        let here = turned(acc(S.j())).up();
        [once(row().a(subtract).x(X::A).tag(TagAction::And)), each(FRACTION, here), once(here), once(here.rewind())]
    };
    let sum = |c: Address| chain(row().a(c).b(acc(S.j())).x(X::A).y(Y::B)).write(acc(S.j())).predicated();
    let mut items = vec![
        // C: subnormal operands count. T: c is added.
        once(row().a(keeps()).tag(TagAction::A).x(X::One).steer_x().carry_next(Next::NotSum)),
        once(row().a(hidden).x(X::A).y(Y::NotB).majority().tag(TagAction::And).clear_carry()),
        once(tag_out(row()).write(moved)),
    ];
    items.extend(complemented());
    items.extend([
        once(row().a(moved).tag(TagAction::A)),
        each(FRACTION, sum(E.j()).up()),
        once(sum(hidden).rewind()),
        once(row().b(top_bit()).y(Y::B).write(top_bit()).predicated().clear_carry()),
    ]);
    items.extend(complemented());
    items
}
