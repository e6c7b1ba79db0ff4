//! Fused multiplication and addition, last part: the window becomes the magnitude of the sum, with its sign; then it
//! goes up by a number's bits where so many rows on top are 0 and the exponent allows it.

use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, Term};
use crate::array::isa::program::{Count, Item, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_fma_rows::*;
use crate::array::isa::ucode::float_mul_rows::{
    Flag, exponent, flag, high, high_from_one, low_top, passing, top, top_bit,
};
use crate::array::isa::ucode::float_operation::wanted;
use crate::array::isa::ucode::float_rows::{FRACTION, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The magnitude. T: it was negative; of what is no number, c is kept and has another sign. H: it is not zero, or bits
/// were lost.
pub(super) fn magnitude(subtract: Address) -> Vec<Item> {
    let turned = |here: Address| chain(row().b(here).y(Y::BXorT)).write(here).hold(HoldAction::Differ).up();
    let short = passing(0);
    vec![
        once(row().a(flag(Flag::Numbers)).tag(TagAction::A)),
        once(row().a(top_bit()).b(keeps()).y(Y::TSelect).tag(TagAction::W)),
        once(row().a(subtract).x(X::A).tag(TagAction::And)),
        // Where c was added a negative is one more than its complement, else what is not negative is short by one: but
        // for what was lost.
        once(row().b(keeps()).y(Y::BXorT).write(short)),
        once(row().x(X::NotH).b(short).y(Y::NotB).majority().write(short)),
        once(row().x(X::H).write(flag(Flag::STICKY))),
        once(row().a(short).b(subtract).x(X::A).y(Y::B).carry_next(Next::Majority).up()),
        each(Count::StrideRest, turned(low(D.j()))),
        each(Count::StrideLessOne, turned(low(D.j()))),
        each(Count::StrideRest, turned(over(S.j()))),
        each(Count::StrideLessOne, turned(over(S.j()))),
        once(turned(over(S.j())).clear_carry().rewind()),
    ]
}

/// Low rows that nothing is in, and whether the result is a number.
pub(super) fn rows_below() -> [Item; 2] {
    let none: Linear = linear(0, Term::M, -2);
    [
        each(none, row().write(D.j()).up().rewind()),
        once(row().a(flag(Flag::Numbers)).x(X::A).write(flag(Flag::InRange))),
    ]
}

/// The sign, negative only when rounding down where numbers cancel; an exponent of 0 for zero. H: the exponent has a
/// bit that is worth at least a number's bits.
pub(super) fn sign(subtract: Address, upper: Address) -> Vec<Item> {
    let sign = flag(Flag::Sign);
    let masked = row().b(exponent(S.j())).y(Y::TB).write(exponent(S.j())).up();
    // The key's two bits say that rounding is down: 0 and 1.
    let is_down = row().x(X::Zero).y(Y::NotB).steer_both().key_shift(0).majority().write(passing(0));
    vec![
        once(tag_out(row().a(sign).x(X::A)).write(sign).rewind()),
        once(is_down),
        once(row().x(X::NotH).write(flag(Flag::Zero)).tag(TagAction::W)),
        once(row().a(subtract).x(X::A).tag(TagAction::And)),
        once(row().a(flag(Flag::Numbers)).x(X::A).tag(TagAction::And)),
        once(row().a(passing(0)).b(sign).y(Y::TSelect).write(sign)),
        once(row().x(X::H).tag(TagAction::W).hold(HoldAction::Zero)),
        each(LOG2, masked),
        each(EXCESS, masked.hold(HoldAction::Differ).rewind()),
        once(row().b(upper).y(Y::TB).write(upper).hold(HoldAction::Differ)),
        once(row().x(X::H).write(flag(Flag::LARGE)).tag(TagAction::Zero).hold(HoldAction::Zero)),
    ]
}

/// T: stays, because of a 1 in the rows on top or because the exponent does not allow it. A shift by a number's bits
/// moves low row j − 1 to high row j. The set `skip` asks whether there are columns that do not stay.
pub(super) fn far_up(finite_only: bool, skip: bool, upper: Address) -> Vec<Item> {
    let look = |address: Address| row().a(address).x(X::A).tag(TagAction::Differ).down();
    let high_rows = look(top(S.j()));
    let low_rows = look(low_top(D.j())).rewind();
    let stays = |address: Address| row().b(address).y(Y::TB).write(address);
    let moves = row().a(high_from_one(S.j())).b(D.j()).y(Y::TSelect).write(high_from_one(S.j())).up();
    let last = row().x(X::H).write(flag(Flag::LARGE)).hold(HoldAction::Zero);
    let last = if skip { last } else { last.tag(TagAction::Zero).carry_next(Next::One) };
    let mut items = vec![once(high_rows)];
    items.extend(all_but_one(high_rows, high_rows));
    if finite_only {
        items.extend([once(look(low_top(D.j()))), once(low_rows)]);
    } else {
        items.push(each(linear(0, Term::M, -2), low_rows));
    }
    items.push(once(row().a(flag(Flag::LARGE)).x(X::NotA).tag(TagAction::Differ)));
    // What is no number asks for nothing.
    items.extend(skip.then(|| once(row().a(flag(Flag::Numbers)).x(X::NotA).tag(TagAction::Differ))));
    let turned = tag_out(row().x(X::One)).tag(TagAction::W);
    let mut rows = if skip { vec![once(turned)] } else { vec![] };
    rows.extend(all_but_one(moves, moves.rewind()));
    let less: fn(Row) -> Row = |row| tag_out(row.x(X::A));
    let left = row().b(exponent(S.j())).y(Y::B).hold(HoldAction::Differ).up().rewind();
    rows.extend([
        once(stays(high(0))),
        each(FRACTION, stays(D.j()).up()),
        each(M, stays(D.j()).up().rewind()),
        // T: shifted. Ones in all bits are −1.
        once(turned),
        each(LOG2, row().up()),
        each(EXCESS, chain(less(row().a(exponent(S.j())))).write(exponent(S.j())).up().rewind()),
        once(less(row().a(upper)).write(upper).clear_carry()),
        // H: the exponent is more than what is left to shift.
        each(LOG2, row().up()),
        each(EXCESS, left),
        once(row().b(upper).y(Y::B).hold(HoldAction::Differ)),
        once(last),
    ]);
    items.extend(wanted(skip, turned, rows));
    items.extend(skip.then(|| once(row().tag(TagAction::Zero).carry_next(Next::One))));
    items
}
