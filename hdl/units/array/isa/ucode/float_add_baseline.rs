//! Addition of floating-point numbers by the algorithm of Duality Cache (ISCA 2019, Algorithm 1), in the set
//! `baseline`: what shifts, and by how much, is searched for; what no column has is left out.
//!
//! ```text
//!  for each k:  columns with the difference k? ─▶ any? ─▶ their window down by k rows     align
//!  for each z:  columns with z zeros on top?   ─▶ any? ─▶ their window up by z rows       normalise
//! ```
//!
//! The paper searches a difference for k in two cycles, by rows that are all raised at once; columns here take the
//! difference less one in ⌈log2 n⌉ cycles, and a borrow is a hit. It finds the largest difference by a search for
//! leading zeros; here it is asked after about a quarter and a half of n whether any column is left. A wired-OR is
//! waited for each time. The shift is that of the paper: row j of the window takes what is k rows further, in columns
//! with T = 1. One addition behind all shifts takes the place of one with each.
//!
//! The paper swaps operands where the difference is negative and leaves the sum in two's complement; the swap here is
//! by magnitudes, which makes no sum negative, and so it has the sign and the magnitude that rounding asks for. The
//! paper neither rounds nor keeps subnormal numbers: sticky bit, limit by the exponent and what follows are those of
//! [`float_add`](super::float_add), and so are the results.

use crate::array::isa::linear::{LOG2, Linear, M, Term};
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, Row, StrideAction, Token, row};
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The column has not been found yet.
const LEFT: Flag = Flag::Away;
/// There is a 1 in the window's rows below k.
const LOST: Flag = Flag::Directed;

/// What comes before the operands are told apart, and the row by which it is known whether magnitudes are subtracted;
/// `signs` is that of a sum. The first carry says whether it is a difference, so that both are one program in the ROM.
pub(super) fn begins(signals: Vec<Item>, signs: Row) -> (Vec<Item>, Row) {
    let differs = signs.clear_carry();
    if signals.is_empty() {
        return (signals, differs);
    }
    // Who signals is asked in the first scratch rows, where no carry may be left.
    let kept = flag(Flag::Down);
    let copy = Row { w: signs.w, ..row().a(kept).x(X::A) };
    ([vec![once(differs.write(kept))], signals].concat(), copy)
}

/// How many k, and z, are searched for before it is asked whether any column is left: n − 1 all in all.
fn searches() -> [Linear; 3] {
    let quarter = |constant| Linear { shift: 2, ..linear(1, Term::None, constant) };
    [quarter(0), quarter(2), linear(1, Term::None, -1).half()]
}

/// Searches, and behind them, as long as any column is left, further ones; at last `rest`. `again` is in front of all
/// searches but the first ones.
fn in_turn(counts: &[Linear], search: &[Item], again: &[Item], rest: &[Item]) -> Vec<Item> {
    let Some((&first, others)) = counts.split_first() else { return rest.to_vec() };
    let asks = row().a(flag(LEFT)).tag(TagAction::A).clear_carry().token(Token::Branch);
    let behind = in_turn(others, search, again, rest);
    let mut items = vec![outer(first, search.to_vec())];
    if !behind.is_empty() {
        let again = if others.is_empty() { &[] } else { again };
        items.push(Item::IfAnyTag(asks, [again, &behind].concat()));
    }
    items
}

/// Shifts the window down by the difference; H: sticky. I and the stride are k, and C is 0 behind it.
pub(super) fn align() -> Vec<Item> {
    let (here, far, difference) = (window(S.j()), window(S.k()), S.j().plus(DIFFERENCE));
    let (left, lost) = (flag(LEFT), flag(LOST));
    // C: it was not 0.
    let less = each(LOG2, chain(row().a(difference).x(X::A).y(Y::NotB)).write(difference).up().rewind());
    let hit = row().not_sum().tag(TagAction::W).carry_next(Next::One).token(Token::Branch);
    let moved = vec![
        once(row().b(lost).y(Y::TB).majority().hold(HoldAction::Differ)),
        each(Count::StrideRest, row().a(far).b(here).y(Y::TSelect).majority().write(here).up()),
        each(Count::Stride, row().b(here).x(X::B).y(Y::TB).not_sum().write(here).up().rewind()),
        once(row().a(left).b(left).x(X::A).y(Y::NotTB).write(left)),
    ];
    let loses = row().a(lost).b(window(S.i())).x(X::A).y(Y::B).majority().write(lost).clear_carry();
    let search = [less.clone(), Item::IfAnyTag(hit, moved), once(loses.i(OffsetAction::Up).stride(StrideAction::Up))];
    // Those that are left have nothing in the window; the stride is n.
    let gone = [
        once(row().b(lost).y(Y::TB).hold(HoldAction::Differ)),
        each(Count::Stride, row().b(here).x(X::B).y(Y::TB).write(here).up().rewind()),
    ];
    let mut items = vec![
        once(row().majority().write(low(1)).clear_carry()),
        once(row().write(lost)),
        less,
        once(row().write(left).clear_carry()),
    ];
    items.extend(in_turn(&searches(), &search, &[], &gone));
    items
}

/// The window by its distance from row n.
fn from_top(index: Address) -> Address {
    index.plus(linear(1, Term::None, FLAGS))
}

/// Shifts the window up until its row n is 1 or the exponent is used up, which becomes less by as much. I is −z, the
/// stride z. C is 1 before and behind it, and I is 0 behind it, and the distance that is left to take from the
/// exponent.
pub(super) fn normalise(two_port: bool, reports: bool) -> Vec<Item> {
    let (here, source, left) = (from_top(S.j()), from_top(S.k()), flag(LEFT));
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    // With `AndNor` sensing the sticky bit is there.
    let sticky = if two_port { row().x(X::H).majority().write(flag(Flag::Sticky)) } else { row() };
    let cancels_not = row().a(flag(Flag::Subtract)).b(flag(Flag::Equal)).x(X::NotA).y(Y::NotB).majority();
    // C: the exponent becomes less by 1. T is 1.
    let take = row().a(left).x(X::One).tag(TagAction::W).carry_next(Next::AAndNotY);
    let next = take.i(OffsetAction::Down).stride(StrideAction::Up);
    let mut items = vec![
        // Six halvings make 0 of every k.
        each(LOG2, halve(row().x(X::One).majority().write(S.j().plus(DIFFERENCE)).up().rewind())),
        once(halve(sticky)),
        once(halve(cancels_not.tag(TagAction::W))),
    ];
    if reports {
        // What is flushed keeps a fraction though it cancels, until it is killed. Where it is it would look inexact.
        items.push(once(row().a(flag(Flag::Flushed)).x(X::A).majority().tag(TagAction::Differ)));
    }
    items.extend([
        once(halve(row().a(flag(Flag::Finite)).x(X::A).majority().tag(TagAction::And))),
        once(halve(row().a(carry_row()).x(X::NotA).majority().tag(TagAction::And))),
        once(halve(tag_out(row()).majority().write(left).clear_carry())),
        once(next),
    ]);
    let moves = row().a(source).b(here).y(Y::TSelect).write(here).down();
    let moved = vec![
        each(Count::StrideRest, moves),
        once(moves),
        each(Count::Stride, row().b(here).x(X::B).y(Y::TB).write(here).down().rewind()),
        once(tag_out(row().a(left).x(X::A)).write(left)),
    ];
    let exponent = exponent(D.j());
    let search = [
        // T: the exponent is used up; or a 1.
        each(M, chain(row().a(exponent).x(X::A)).write(exponent).tag(TagAction::And).up().rewind()),
        once(row().a(from_top(S.i())).x(X::A).tag(TagAction::Differ)),
        Item::IfAnyTag(row().a(left).x(X::A).tag(TagAction::And).token(Token::Branch), moved),
        once(next),
    ];
    items.extend(in_turn(&searches(), &search, &[once(take)], &[]));
    // I has ten bits, and may be negative.
    items.extend(vec![once(row().i(OffsetAction::Halve)); 9]);
    items.push(once(row().i(OffsetAction::Halve).carry_next(Next::One)));
    items
}
