//! Addition and subtraction of binary32 numbers on columns with radix 4, to nearest, with subnormal numbers flushed on
//! both sides (`float_flushed.rs`): shifts are by digits of 0 to 7 and of 0 to 3, by rows that choose among eight
//! ([`X::Choice`]).
//!
//! ```text
//!  smaller in the window, larger in d ─▶ down by 4s ─▶ down by 1s, add ─▶ up by 4s ─▶ up by 1s, round ─▶ d
//! ```
//!
//! A stage goes through the window in *chains* of rows that lie as far from one another as its digit counts: down from
//! the top for a shift down, up for a shift up, so that what a row takes has been read before it is written. The stage
//! of the lowest digit has one chain, and no rows of its own: going up through the window for a shift down, the
//! addition chooses from the other end. Four chains lie apart from one another in no way that an index steps, so their
//! rows are named one by one; that is why there is a program for one format, the one in which the papers compute. None
//! is longer than the seven rows of which one is chosen. Loops of two or three rows are written out, since a program
//! has eight counts.
//!
//! A larger operand of zero needs no case of its own: it counts as if it had its hidden bit, and the exponent of the
//! result, 0 less 1 at least, is negative, where results are flushed. The result's last bit is rounded up wherever the
//! next one is 1, and then becomes 0 where there was nothing behind that.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{CarryAction, HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// n of binary32, and the window's top row: those of the significand are below it.
const WIDTH: i16 = 26;
const TOP: u8 = WIDTH as u8;
/// Bits of the fraction and of the exponent.
const BITS: i16 = WIDTH - 3;
const EXPONENT: i16 = 8;

/// Flags of this program, in rows that other sums have for theirs.
const SMALLER_COUNTS: Flag = Flag::Flushed;
const NO_BORROW: Flag = Flag::Hidden;
const ONES: Flag = Flag::Directed;
const COUNTS: Flag = Flag::Bounded;
const ALIVE: Flag = Flag::Down;
const NO_TIE: Flag = Flag::Large;
/// A 1 is among the upper four rows, the upper eight, …; rows that become flags later.
const ONE_ABOVE: [Flag; 5] = [NO_BORROW, Flag::Away, ONES, COUNTS, ALIVE];

/// Puts the program in front of the one for all modes; `find` is its beginning.
pub(super) fn with_flushed(operation: Operation, name: &'static str, find: Vec<Item>) -> Operation {
    let pieces =
        [find, special_values(), distance(), down_by_fours(), sum(), up_by_fours(), exponent_and_range(), rounded()];
    let when = vec![FLUSHED, Condition::Zero(N - WIDTH)];
    flushed::with_flushed(operation, |_, _| CYCLES, vec![(1, when, Program::new(name, pieces.concat()).i(2))])
}

/// What it takes.
const CYCLES: i64 = 267;

/// A bit of the distance, by number.
fn digit(bit: u8) -> Address {
    at(S.j().plus(DIFFERENCE), bit)
}

/// The window from a row up.
fn from(number: i16) -> Address {
    S.j().plus(Linear::constant(FLAGS + number))
}

/// P and T take a digit of 0 to 3; a chain begins.
fn choose(two: u8, one: u8) -> Row {
    upper(two).b(digit(one)).tag(TagAction::Next)
}

/// P takes a bit; a chain begins.
fn upper(bit: u8) -> Row {
    row().a(digit(bit)).predicate(PredicateAction::A).x(X::Choice).clear_carry()
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

/// T: the result is NaN, which becomes a flag; T is 0 behind it, and C is 1. Nothing is gathered behind it.
fn special_values() -> Vec<Item> {
    vec![
        once(row().a(flag(Flag::Subtract)).b(flag(Flag::Equal)).x(X::A).y(Y::B).majority().tag(TagAction::W)),
        once(flushed::given_to(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::Differ), Second::Top)),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(flag(Flag::NotANumber)).tag(TagAction::Zero).carry_next(Next::One)),
    ]
}

/// T: there was one before, or a 1 is in either row, where C is 1.
fn ones(a: Address, b: Address) -> Row {
    row().a(a).b(b).x(X::A).y(Y::Differ).majority().tag(TagAction::W)
}

/// The same as a row of its own.
fn any(a: Address, b: Address) -> Item {
    once(ones(a, b))
}

/// The difference of the exponents, all ones in its low bits if it is larger or the smaller operand counts as zero.
fn distance() -> Vec<Item> {
    let difference = S.j().plus(DIFFERENCE);
    // It notes whether the smaller exponent has a 1.
    let less = chain(row().a(exponent(D.j())).b(difference).x(X::NotA).y(Y::NotB)).write(difference).gather().up();
    let upper = less.not_sum();
    let low_bits = S.j().plus(DIFFERENCE - (EXPONENT - 4));
    vec![
        each(5, less),
        // T: no upper bit is 1.
        once(upper.tag(TagAction::W)),
        once(upper.tag(TagAction::And)),
        once(upper.tag(TagAction::And)),
        // C is 1, since the larger exponent is not smaller. T: the smaller one counts, too.
        once(flushed::given_to(row().hold(HoldAction::Load), Second::TopNotQ)),
        once(row().x(X::H).not_sum().write(flag(SMALLER_COUNTS)).tag(TagAction::And)),
        // T: far away.
        once(tag_out(row()).tag(TagAction::W).hold(HoldAction::Zero)),
        // From bit 4 down, since the upper ones are wanted first; J is 8.
        each(5, tag_out(row().a(low_bits).x(X::A)).majority().write(low_bits).down().rewind()),
    ]
}

/// Down by 0, 4, … or 28; H: what leaves the window. The two rows below the fraction are 0.
fn down_by_fours() -> Vec<Item> {
    let mut items = vec![once(upper(4)), once(choose(3, 2).second(Second::Pass))];
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

/// The larger significand plus or minus the window, which moves down by 0 to 3 as it is read; a sticky bit borrows. H
/// is 0 behind it, T is 0, C is 1.
fn sum() -> Vec<Item> {
    let adds = |row: Row| chain(row.x(X::ReverseXorH));
    let (further, larger) = (from(3), D.j().plus(-2));
    let below = once(adds(row().a(further)).write(from(0)).up());
    let above = adds(row().b(larger).y(Y::B)).write(from(0)).up();
    vec![
        once(choose(1, 0)),
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

/// Up by 0, 4, … or 24, by how many fours of upper rows are 0; then the digit by which the rest is to move.
fn up_by_fours() -> Vec<Item> {
    let mut items = Vec::new();
    for four in 0..6 {
        let top = TOP - 4 * four;
        // The second row is what has just been written, and block RAM would wait for the first one.
        items.push(any(low(top - 2), low(top - 3)));
        let is_one = ones(low(top), low(top - 1));
        items.push(once(ONE_ABOVE.get(usize::from(four)).map_or(is_one, |above| is_one.write(flag(*above)))));
    }
    let [four, eight, twelve, sixteen, twenty] = ONE_ABOVE.map(flag);
    let differ = |a: Address, b: Address| row().a(a).b(b).x(X::A).y(Y::BXorT);
    items.extend([
        // T: a 1 is among the upper 24. Fours are 0 from the top on, so how many are is in the parities: of those above
        // of which there is none, every fourth, every second, every one.
        once(row().a(sixteen).x(X::NotA).majority().write(digit(4))),
        once(differ(eight, sixteen).write(digit(3))),
        once(differ(four, eight).tag(TagAction::W)),
        once(differ(twelve, sixteen).tag(TagAction::W)),
        once(
            row()
                .a(digit(4))
                .b(twenty)
                .x(X::Zero)
                .y(Y::BXorT)
                .not_sum()
                .write(digit(2))
                .tag(TagAction::W)
                .predicate(PredicateAction::A),
        ),
        once(upper(3).second(Second::Pass)),
    ]);
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
        once(choose(1, 0)),
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
