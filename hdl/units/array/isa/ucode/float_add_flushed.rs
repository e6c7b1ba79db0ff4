//! Addition and subtraction of binary32 numbers on columns with radix 4, to nearest, with subnormal numbers flushed on
//! both sides (`float_flushed.rs`): shifts are by digits of 0 to 3, by rows that choose among four
//! ([`X::Choice`]).
//!
//! ```text
//!  smaller in the window, larger in d ─▶ down by 4s, 16 ─▶ down by 1s, add ─▶ up by 16, 4s ─▶ up by 1s, round ─▶ d
//! ```
//!
//! A stage goes through the window in *chains* of rows that lie as far from one another as its digit counts: down from
//! the top for a shift down, up for a shift up, so that what a row takes has been read before it is written. The stage
//! of the lowest digit has one chain, and no rows of its own: going up through the window for a shift down, the
//! addition chooses from the other end. Four chains lie apart from one another in no way that an index steps, so their
//! rows are named one by one; that is why there is a program for one format, the one in which the papers compute. Loops
//! of two or three rows are written out, since a program has eight counts.
//!
//! A larger operand of zero needs no case of its own: it counts as if it had its hidden bit, and the exponent of the
//! result, 0 less 1 at least, is negative, where results are flushed. The result's last bit is rounded up wherever the
//! next one is 1, and then becomes 0 where there was nothing behind that.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, each_of, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{CarryAction, HoldAction, Next, PredicateAction, TagAction, X, Y};

/// n of binary32, and the window's top row: those of the significand are below it.
const WIDTH: i16 = 26;
const TOP: u8 = WIDTH as u8;
/// Bits of the fraction and of the exponent.
const BITS: i16 = WIDTH - 3;
const EXPONENT: i16 = 8;

/// Flags of this program, in rows that other sums have for theirs.
const SMALLER_COUNTS: Flag = Flag::Flushed;
const NO_BORROW: Flag = Flag::Hidden;
const ANY_OF_FOUR: Flag = Flag::Away;
const ONES: Flag = Flag::Directed;
const COUNTS: Flag = Flag::Bounded;
const ALIVE: Flag = Flag::Down;
const NO_TIE: Flag = Flag::Large;

/// Puts the program in front of the one for all modes; `find` is its beginning.
pub(super) fn with_flushed(operation: Operation, name: &'static str, find: Vec<Item>) -> Operation {
    let pieces = [
        find,
        special_values(),
        distance(),
        down_by_fours(),
        down_by_sixteen(),
        sum(),
        up_by_sixteen(),
        up_by_fours(),
        exponent_and_range(),
        rounded(),
    ];
    let when = vec![FLUSHED, Condition::Zero(N - WIDTH)];
    flushed::with_flushed(operation, |_, _| CYCLES, vec![(1, when, Program::new(name, pieces.concat()).i(2))])
}

/// What it takes.
const CYCLES: i64 = 324;

/// A bit of the distance, by number.
fn digit(bit: u8) -> Address {
    at(S.j().plus(DIFFERENCE), bit)
}

/// The window from a row up.
fn from(number: i16) -> Address {
    S.j().plus(Linear::constant(FLAGS + number))
}

/// P and T take a digit; a chain begins.
fn choose(two: Option<u8>, one: u8) -> Row {
    let begins = row().b(digit(one)).tag(TagAction::Next).predicate(PredicateAction::A).x(X::Choice).clear_carry();
    if let Some(two) = two { begins.a(digit(two)) } else { begins }
}

/// A row is read, and nothing written.
fn read(number: u8) -> Row {
    row().a(low(number)).x(X::Choice)
}

/// A row takes what it chooses.
fn moves(place: Address) -> Row {
    row().a(place).x(X::Choice).write(place)
}

/// The last row of a chain.
fn ends(row: Row) -> Row {
    row.clear_carry()
}

/// T: the result is NaN, which becomes a flag; T is 0 behind it, and C is 1.
fn special_values() -> Vec<Item> {
    vec![
        once(row().a(flag(Flag::Subtract)).b(flag(Flag::Equal)).x(X::A).y(Y::B).majority().tag(TagAction::W)),
        once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::Differ)),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(flag(Flag::NotANumber)).tag(TagAction::Zero).carry_next(Next::One)),
    ]
}

/// T, or a 1 in either row, where C is 1.
fn any(a: Address, b: Address) -> Item {
    once(row().a(a).b(b).x(X::A).y(Y::Differ).majority().tag(TagAction::W))
}

/// The difference of the exponents, all ones in its low bits if it is larger or the smaller operand counts as zero.
fn distance() -> Vec<Item> {
    let difference = S.j().plus(DIFFERENCE);
    let less = chain(row().a(exponent(D.j())).b(difference).x(X::NotA).y(Y::NotB)).write(difference).up();
    let upper = less.not_sum().tag(TagAction::And);
    let low_bits = S.j().plus(DIFFERENCE - (EXPONENT - 4));
    let mut items: Vec<Item> = (0..EXPONENT as u8 / 2).map(|pair| any(digit(2 * pair), digit(2 * pair + 1))).collect();
    items.extend([
        once(tag_out(row()).majority().write(flag(SMALLER_COUNTS))),
        each(5, less),
        // T: it counts, and no upper bit is 1.
        once(upper),
        once(upper),
        once(upper),
        // C is 1, since the larger exponent is not smaller. T: far away.
        once(tag_out(row()).tag(TagAction::W)),
        // From bit 4 down, since the upper ones are wanted first; J is 8.
        each(5, tag_out(row().a(low_bits).x(X::A)).majority().write(low_bits).down().rewind()),
    ]);
    items
}

/// Down by 0, 4, 8 or 12; H: what leaves the window. The two rows below the fraction are 0.
fn down_by_fours() -> Vec<Item> {
    let mut items = vec![once(choose(Some(3), 2))];
    for top in (TOP - 4..TOP).rev() {
        for number in (0..=top).rev().step_by(4) {
            let from = match number {
                0 | 1 => None,
                _ if number == TOP - 1 => Some(flag(SMALLER_COUNTS)),
                _ => Some(low(number)),
            };
            let row = Row { a: from, ..moves(low(number)) };
            items.push(once(if number < 4 { ends(row).hold(HoldAction::Lost) } else { row }));
        }
    }
    items
}

/// Down by 0 or 16.
fn down_by_sixteen() -> Vec<Item> {
    let last = ends(moves(from(0))).hold(HoldAction::Lost).up();
    vec![once(choose(None, 4)), each_of(WIDTH - 16, vec![moves(from(16)), last]), each(32 - WIDTH, last.rewind())]
}

/// The larger significand plus or minus the window, which moves down by 0 to 3 as it is read; a sticky bit borrows. H
/// is 0 behind it, T is 0, C is 1.
fn sum() -> Vec<Item> {
    let adds = |row: Row| chain(row.x(X::ReverseXorH));
    let (further, larger) = (from(3), D.j().plus(-2));
    let below = once(adds(row().a(further)).write(from(0)).up());
    let above = adds(row().b(larger).y(Y::B)).write(from(0)).up();
    vec![
        once(choose(Some(1), 0)),
        once(read(2)),
        once(read(1)),
        once(ends(read(0)).hold(HoldAction::Lost)),
        // H: something was lost of a number that counts.
        once(
            row()
                .b(flag(SMALLER_COUNTS))
                .x(X::H)
                .y(Y::B)
                .majority()
                .write(flag(Flag::Sticky))
                .hold_next(Next::Majority),
        ),
        once(chain(row().b(flag(Flag::Subtract)).x(X::NotH).y(Y::B))),
        once(row().a(flag(Flag::Subtract)).hold_next(Next::AAndNotY)),
        once(read(0)),
        once(read(1)),
        once(read(2)),
        below.clone(),
        below,
        each(BITS - 2, adds(row().a(further).b(larger).y(Y::B)).write(from(0)).up()),
        once(above),
        once(above.rewind()),
        once(adds(row().y(Y::NotB)).write(hidden_row())),
        once(row().x(X::H).write(carry_row()).carry_next(Next::One).hold(HoldAction::Zero).tag(TagAction::Zero)),
    ]
}

/// Up by 0 or 16: the latter where the upper 16 rows are 0. T is 0 behind it, and C is 1.
fn up_by_sixteen() -> Vec<Item> {
    let last = ends(moves(from(0))).up();
    // From the lowest pair up: the top rows have just been written, and block RAM would wait for them.
    let pairs = (0..8).rev().map(|pair| any(low(TOP - 2 * pair), low(TOP - 2 * pair - 1)));
    let mut items: Vec<Item> = pairs.collect();
    items.extend([
        once(tag_out(row()).write(digit(4)).tag(TagAction::W).predicate(PredicateAction::A).clear_carry()),
        each_of(WIDTH - 15, vec![moves(from(0)), ends(moves(from(16))).up()]),
        each(30 - WIDTH, last),
        once(moves(from(0)).carry_next(Next::One).carry(CarryAction::Last).tag(TagAction::Zero).rewind()),
    ]);
    items
}

/// Up by 0, 4, 8 or 12, by how many fours of upper rows are 0; then the digit by which the rest is to move.
fn up_by_fours() -> Vec<Item> {
    let mut items = vec![
        any(low(TOP), low(TOP - 1)),
        any(low(TOP - 2), low(TOP - 3)),
        once(tag_out(row()).majority().write(flag(ANY_OF_FOUR))),
        any(low(TOP - 4), low(TOP - 5)),
        any(low(TOP - 6), low(TOP - 7)),
        once(tag_out(row()).write(digit(3))),
        any(low(TOP - 8), low(TOP - 9)),
        any(low(TOP - 10), low(TOP - 11)),
        // T: the eight are 0 and the next four are not, or the four are not 0; then the opposite.
        once(row().a(digit(3)).x(X::A).majority().tag(TagAction::And).predicate(PredicateAction::A)),
        once(row().a(flag(ANY_OF_FOUR)).y(Y::Differ).write(digit(2)).tag(TagAction::W).clear_carry()),
    ];
    for lowest in 0..4 {
        for number in (lowest..=TOP).step_by(4) {
            let row = moves(low(number));
            items.push(once(if number + 4 > TOP { ends(row) } else { row }));
        }
    }
    let zeros = |a: u8, b: u8| row().a(low(a)).b(low(b)).x(X::NotA).y(Y::NotB);
    items.extend([
        once(zeros(TOP, TOP - 1).majority().write(digit(1)).tag(TagAction::W)),
        // H: if the rows above are 0 as well, everything is.
        once(zeros(TOP - 2, TOP - 3).hold_next(Next::Majority)),
        once(row().a(low(TOP - 2)).x(X::A).tag(TagAction::And)),
        once(row().a(low(TOP)).x(X::One).y(Y::Differ).write(digit(0)).carry_next(Next::One)),
    ]);
    items
}

/// The exponent less 1, its lowest bit complemented; what it says of the result; the sign.
fn exponent_and_range() -> Vec<Item> {
    let left = chain(row().a(exponent(D.j())).x(X::NotA).y(Y::NotB)).write(exponent(D.j())).up();
    let by = left.b(S.j().plus(DIFFERENCE));
    let sign = flag(Flag::Sign);
    vec![
        // T: all ones but the lowest bit.
        once(by.not_sum().tag(TagAction::W)),
        each(4, by.tag(TagAction::And)),
        once(left.tag(TagAction::And)),
        once(left.tag(TagAction::And)),
        once(left.tag(TagAction::And).rewind()),
        // C: not negative. T: too large.
        once(row().write(flag(NO_BORROW)).tag(TagAction::And).clear_carry()),
        // H: everything cancels.
        once(row().b(digit(1)).x(X::H).y(Y::B).hold_next(Next::Majority)),
        // T: infinite or NaN.
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(ONES))),
        // H: zero out of zeros, or everything cancels: such a difference is positive. T: positive for that, or NaN.
        once(row().a(flag(NO_BORROW)).b(flag(SMALLER_COUNTS)).x(X::NotA).y(Y::B).majority().hold(HoldAction::Differ)),
        once(row().b(flag(Flag::Subtract)).x(X::H).y(Y::B).majority().tag(TagAction::W)),
        once(row().a(flag(Flag::NotANumber)).x(X::A).tag(TagAction::Differ)),
        once(row().a(sign).b(sign).x(X::A).y(Y::TB).write(D.at(WIDTH as u8 + 5))),
        // H: zero.
        once(row().a(flag(NO_BORROW)).x(X::NotA).majority().hold(HoldAction::Differ)),
        once(row().b(flag(ONES)).x(X::NotH).y(Y::NotB).majority().write(flag(ALIVE)).carry_next(Next::One)),
        once(row().b(flag(ONES)).x(X::NotH).y(Y::B).majority().write(flag(COUNTS)).clear_carry()),
    ]
}

/// Up by 0 to 3 and rounded, the exponent, the quiet bit of NaN.
fn rounded() -> Vec<Item> {
    let bit = chain(row().a(from(3)).x(X::ChoiceAndH)).write(D.j()).up();
    let field = chain(row().b(exponent(D.j())).x(X::A).gate()).write(exponent(D.j())).up();
    let quiet = D.at(BITS as u8 - 1);
    vec![
        once(row().a(flag(Flag::Sticky)).hold_next(Next::AAndNotY)),
        once(choose(Some(1), 0)),
        // H: a 1 below the bit behind the fraction; then: or that bit is 0.
        once(read(0).majority().hold(HoldAction::Differ)),
        once(read(1).majority().hold(HoldAction::Differ).carry_next(Next::One)),
        once(ends(read(2)).y(Y::NotB).majority().hold(HoldAction::Differ)),
        once(row().x(X::H).write(flag(NO_TIE))),
        once(row().a(flag(ALIVE)).hold_next(Next::AAndNotY)),
        once(read(0)),
        once(read(1)),
        // C: that bit.
        once(chain(read(2).x(X::ChoiceAndH).y(Y::NotB))),
        each(BITS - 2, bit),
        once(bit),
        once(bit.carry(CarryAction::Last).rewind()),
        // In dead columns C is 1.
        once(chain(row().a(flag(ALIVE)).x(X::NotA).y(Y::NotB)).predicate(PredicateAction::A)),
        once(field.a(flag(COUNTS)).y(Y::NotB)),
        each(EXPONENT - 2, field.a(flag(ONES)).y(Y::B)),
        once(field.a(flag(ONES)).y(Y::B).clear_carry()),
        once(row().a(quiet).b(flag(Flag::NotANumber)).x(X::A).y(Y::B).write(quiet)),
        once(row().a(flag(NO_TIE)).hold_next(Next::AAndNotY)),
        once(row().b(D.at(0)).x(X::H).y(Y::B).majority().write(D.at(0))),
    ]
}
