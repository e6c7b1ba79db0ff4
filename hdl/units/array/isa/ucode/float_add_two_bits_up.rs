//! Addition of binary32 numbers on columns with radix 2, second half (`float_add_two_bits.rs`): the sum goes up until
//! its first 1 is on top, whatever its exponent, since what is subnormal becomes 0; then it is rounded.
//!
//! The window lies in rows by their distance from the top. The last of the passes takes the sum up by 4 and by 1, as
//! the first passes take the smaller operand down: what is read goes a row further up, or, where P is 1, to where it
//! is. By the two rows that are left then the rounding chooses.

use crate::array::isa::program::{Item, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Row, row};
use crate::array::isa::ucode::float_add_two_bits::*;
use crate::array::isa::ucode::float_flushed as flushed;
use crate::array::isa::ucode::float_rows::{SIGN, chain, exponent, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Up by 16 where T is 1, then by 8. The lowest row is 0 where it would move. H: a 1 is in the upper 4 rows; C is 0.
pub(super) fn up_by_16_and_8() -> Vec<Item> {
    let (here, notes) = (from_top(0), HoldAction::Differ);
    let moves = |below: i16| row().a(from_top(below)).b(here).y(Y::TSelect).write(here).down();
    let mut items = vec![once(tag_out(row()).write(up(4)).hold(HoldAction::Zero))];
    items.extend(times(8, moves(16).not_sum().hold(notes)));
    items.extend(times(2, moves(16).not_sum()));
    items.extend(rewound(16, row().a(here).y(Y::Differ).not_sum().write(here).down()));
    items.push(once(row().x(X::NotH).write(up(3)).tag(TagAction::W).hold(HoldAction::Zero)));
    items.extend(times(4, moves(8).hold(notes)));
    items.extend(times(14, moves(8)));
    items.extend(rewound(8, Row { a: None, ..moves(8) }));
    items
}

/// Up by 4 and 1; the number of twos that are left. C is 1 behind it.
pub(super) fn up_by_4_and_1() -> Vec<Item> {
    let upper = |number: i16| row().a(low(number - 4)).b(low(number)).y(Y::TSelect);
    let (first, third) = (flag(Flag::First), flag(Flag::Hidden));
    // What is read goes a row further, or where it is, a row later.
    let reads = |row: Row| chain(row.b(from_top(0)).x(X::HSelect).y(Y::TSelect).gate()).down();
    let to = larger_exponent();
    let mut items = vec![
        once(row().x(X::NotH).write(up(2)).tag(TagAction::W).hold(HoldAction::Zero)),
        once(upper(TOP).write(first).hold(HoldAction::Differ)),
        once(upper(TOP - 1).hold(HoldAction::Differ)),
        once(upper(TOP - 2).write(third)),
        // H: a 1 is in the upper two rows.
        once(row().a(third).b(first).x(X::HSelect).write(up(0))),
        once(row().x(X::NotH).write(up(1)).carry_next(Next::One)),
        once(tag_out(row().a(up(0)).x(X::One)).predicate(PredicateAction::A).hold_next(Next::NotSum)),
        once(reads(row().a(from_top(4)))),
    ];
    items.extend(times(22, reads(row().a(from_top(4))).write(to)));
    items.extend(times(3, reads(row()).write(to)));
    items.push(once(reads(row()).write(to).carry_next(Next::One).rewind()));
    items
}

/// The exponent less 1; what it says of the result; the sign. T: two rows further up; C: 0.
pub(super) fn exponent_and_range() -> Vec<Item> {
    let left = chain(row().a(larger_exponent()).x(X::A).y(Y::NotB)).write(exponent(D.j())).up();
    let (subtract, finite, not_negative, bounded) =
        (flag(Flag::Subtract), flag(Flag::Finite), flag(Flag::Hidden), flag(Flag::First));
    let sign = D.j().plus(SIGN);
    let mut items = vec![once(left.b(up(0)).y(Y::B)), once(left.b(up(1)).tag(TagAction::W))];
    items.extend((2..5).map(|bit| once(left.b(up(bit)).tag(TagAction::And))));
    items.extend(rewound(3, left.tag(TagAction::And)));
    items.extend([
        // T: too large.
        once(row().write(not_negative).tag(TagAction::And).clear_carry()),
        // H: everything cancels.
        once(row().a(up(1)).b(low(TOP - 2)).y(Y::B).hold_next(Next::AAndNotY)),
        once(row().a(finite).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).not_sum().write(bounded).tag(TagAction::W)),
        once(row().b(finite).x(X::NotH).y(Y::NotB).majority().write(finite)),
        // H: zero out of zeros, too. T: a difference that is positive for that.
        once(row().a(not_negative).b(flag(Flag::Counts)).x(X::NotA).y(Y::B).majority().hold(HoldAction::Differ)),
        once(row().b(subtract).x(X::H).y(Y::B).majority().tag(TagAction::And)),
        once(row().a(sign).b(sign).x(X::A).y(Y::TB).write(sign)),
        // H: zero.
        once(row().a(not_negative).x(X::NotA).majority().hold(HoldAction::Differ)),
        once(row().b(bounded).x(X::NotH).y(Y::B).majority().write(flag(Flag::Hidden)).carry_next(Next::One)),
        once(
            row()
                .a(up(1))
                .b(bounded)
                .x(X::NotH)
                .y(Y::NotB)
                .majority()
                .write(flag(Flag::Add))
                .tag(TagAction::A)
                .clear_carry(),
        ),
    ]);
    items
}

/// Rounded, of rows that lie two apart, by T.
pub(super) fn rounded() -> Vec<Item> {
    let field = chain(row().b(exponent(D.j())).y(Y::B).gate()).write(exponent(D.j())).up();
    let upper = field.a(flag(Flag::First)).x(X::NotA);
    let mut items = vec![
        // H: a 1 below the bit behind the fraction, or the last bit, for ties.
        once(row().a(flag(Flag::Cancels)).hold_next(Next::AAndNotY)),
        once(row().b(low(1)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(row().b(low(0)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(row().a(low(1)).b(low(3)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(chain(row().a(low(0)).b(low(2)).x(X::H).y(Y::TSelect))),
    ];
    items.extend(flushed::fraction(flag(Flag::Finite), flag(Flag::Hidden), [window(S.j()), window(S.k())]));
    items.push(once(field.a(flag(Flag::Add)).x(X::A)));
    items.extend(times(6, upper));
    items.extend([once(upper.clear_carry()), flushed::sign(exponent(D.j()))]);
    items
}
