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
//! addition chooses from the other end. It counts while it does by how many fours the sum is to go up. Four chains lie
//! apart from one another in no way that an index steps, so their rows are named one by one; that is why there is a
//! program for one format, the one in which the papers compute. None is longer than the seven rows of which one is
//! chosen.
//!
//! A smaller operand that does not count, or is 28 or more below the larger one, is taken for zero: less than an eighth
//! of the larger one's last bit rounds to that operand, below a power of two, too. A larger operand of zero needs no
//! case of its own: it counts as if it had its hidden bit, and the exponent of the result, 0 less 1 at least, is
//! negative, where results are flushed. The result's last bit is rounded up wherever the next one is 1, and then
//! becomes 0 where there was nothing behind that.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, each_of, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{CarryAction, HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// n of binary32, and the window's top row: those of the significand are below it.
const WIDTH: i16 = 26;
const TOP: u8 = WIDTH as u8;
/// Bits of the exponent.
const EXPONENT: i16 = 8;
/// The operands' and the result's row of the sign.
const SIGN_BIT: u8 = 31;

/// Flags of this program, in rows that other sums have for theirs. The sum is 0, as it is out of zeros as well.
const CANCELS: Flag = Flag::Equal;
const SMALLER_COUNTS: Flag = Flag::Flushed;
/// The distance has five bits.
const NEAR: Flag = Flag::Hidden;
/// The result is infinite or NaN.
const ONES: Flag = Flag::Directed;
const ALIVE: Flag = Flag::Down;
const TIE: Flag = Flag::Large;

/// Puts the program in front of the one for all modes.
pub(super) fn with_flushed(operation: Operation, name: &'static str, subtract: bool) -> Operation {
    let pieces = [
        smaller(),
        signs(if subtract { Y::NotB } else { Y::B }),
        larger(),
        distance(),
        down_by_fours(),
        sum(),
        up_by_fours(),
        exponent_and_range(),
        rounded(),
    ];
    let when = vec![FLUSHED, Condition::Zero(N - WIDTH)];
    flushed::with_flushed(operation, |_, _| CYCLES, vec![(1, when, Program::new(name, pieces.concat()).i(2))])
}

/// What it takes.
const CYCLES: i64 = 225;

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
    let upper = row().a(digit(two)).predicate(PredicateAction::A).x(X::Choice).clear_carry();
    upper.b(digit(one)).tag(TagAction::Next)
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

/// What was gathered is given away; w goes to P.
fn given_with_predicate(row: Row, which: Second) -> Row {
    flushed::given_to(row.predicate(PredicateAction::A), which)
}

/// The smaller magnitude goes to the window and the rows of the difference. H, T: a, b is the larger one.
fn smaller() -> Vec<Item> {
    let below_sign = linear(1, Term::M, -4);
    let (a, b) = (A.j().plus(below_sign), B.j().plus(below_sign));
    let smaller = row().a(a).b(b).x(X::HSelect).y(Y::TSelect).majority();
    let smaller = smaller.hold(HoldAction::Differ).tag(TagAction::Differ).down();
    // The exponent lies two rows above the place that the fraction's rows would give it: I is 2.
    let to = linear(1, Term::M, FLAGS - 2);
    vec![each(M, smaller.write(S.k().plus(to))), each(FRACTION, smaller.write(S.j().plus(to)).rewind())]
}

/// Whether magnitudes are subtracted, and whether they cancel, by the operands' signs; y is that of b, or its
/// complement. T becomes the latter.
fn signs(y: Y) -> Vec<Item> {
    let sign = A.at(SIGN_BIT);
    let subtract = row().a(sign).b(B.at(SIGN_BIT)).x(X::A).y(y).write(flag(Flag::Subtract));
    // Subtracted, and neither is the larger one.
    let cancels = row().b(flag(Flag::Subtract)).x(X::NotH).y(Y::BXorT).majority().write(flag(CANCELS));
    vec![
        // T: subtracted, and b is the larger one.
        once(subtract.tag(TagAction::And)),
        once(tag_out(row().a(sign).x(X::A)).write(flag(Flag::Sign))),
        once(cancels.tag(TagAction::W)),
    ]
}

/// The larger one goes to d, where either operand may be. T, C: 0, 1. Nothing is gathered behind it.
fn larger() -> Vec<Item> {
    let larger = row().a(B.j()).b(A.j()).x(X::HSelect).write(D.j()).up();
    vec![
        // T: they cancel, or a 1 in the fraction; then: and the exponent is all ones, which is NaN.
        each(FRACTION, larger.tag(TagAction::Differ)),
        each(EXPONENT - 1, larger.tag(TagAction::And)),
        once(larger.tag(TagAction::And).rewind().carry_next(Next::One)),
        once(flushed::given_to(
            tag_out(row()).majority().write(flag(Flag::NotANumber)).tag(TagAction::Zero),
            Second::Top,
        )),
    ]
}

/// The difference of the exponents, whose upper digit goes to U, P and T: 7 if the smaller operand does not count, or
/// is far away. H, C: 0. Nothing is gathered behind it.
fn distance() -> Vec<Item> {
    let difference = S.j().plus(DIFFERENCE);
    // It notes whether either exponent has a 1, and whether the larger one has a 0.
    let less = chain(row().a(difference).b(exponent(D.j())).x(X::NotA).y(Y::B)).gather().up();
    let (low, upper) = (less.write(difference), less.not_sum());
    let tag = tag_out(row()).majority();
    // C is 1, since the larger exponent is not smaller.
    let far = |bit: u8| row().a(digit(bit)).b(flag(NEAR)).x(X::A).y(Y::NotTB).majority();
    vec![
        each(5, low),
        // T: no upper bit is 1.
        once(upper.tag(TagAction::W)),
        once(upper.tag(TagAction::And)),
        once(upper.tag(TagAction::And).rewind()),
        // T, H: the smaller, the larger one has a hidden bit.
        once(flushed::given_to(tag.write(flag(NEAR)).tag(TagAction::Next).hold(HoldAction::Load), Second::TopNotQ)),
        // Out of zeros the difference is positive, as where magnitudes cancel.
        once(row().a(flag(Flag::Subtract)).b(flag(CANCELS)).x(X::HSelect).majority().write(flag(CANCELS))),
        // H: the larger one is finite.
        once(flushed::given_to(tag.write(flag(SMALLER_COUNTS)).hold(HoldAction::Load), Second::Top)),
        once(row().x(X::H).majority().write(flag(Flag::Finite)).hold(HoldAction::Zero)),
        once(given_with_predicate(far(4), Second::Top)),
        once(given_with_predicate(far(3), Second::Top)),
        once(far(2).tag(TagAction::W).clear_carry()),
    ]
}

/// Down by 0, 4, … or 28; H: what leaves the window. The two rows below the fraction are 0.
fn down_by_fours() -> Vec<Item> {
    let mut items = Vec::new();
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

/// The larger significand plus or minus the window, which moves down by 0 to 3 as it is read; a sticky bit borrows. U,
/// F and E count the fours of rows from the top down that are 0. C is 0 behind it.
fn sum() -> Vec<Item> {
    let (further, larger) = (from(3), D.j().plus(-2));
    let counts = |row: Row| chain(row.x(X::ReverseXorH));
    let below = counts(row().a(further)).write(from(0)).up();
    let both = counts(row().a(further).b(larger).y(Y::B)).write(from(0)).up();
    let above = counts(row().b(larger).y(Y::B)).write(from(0)).up();
    // Fours are those from the top down.
    let begins = |row: Row| row.second(Second::Top);
    vec![
        once(choose(1, 0)),
        once(read(0)),
        once(read(1)),
        // H: something was lost, by the smaller one.
        once(row().a(low(2)).x(X::ReverseXorH).hold(HoldAction::Lost)),
        // C: subtracted, and nothing was lost. The flag: either subtracted or lost, not both.
        once(chain(row().b(flag(Flag::Subtract)).x(X::NotH).y(Y::B)).alone().not_sum().write(flag(Flag::Sticky))),
        once(row().a(flag(Flag::Subtract)).hold_next(Next::AAndNotY)),
        once(below),
        once(below),
        once(both),
        each_of(5, vec![begins(both), both, both, both]),
        once(begins(above)),
        once(above.rewind()),
        once(counts(row().y(Y::NotB)).write(hidden_row())),
        once(ends(row().x(X::ReverseXorH).write(carry_row()))),
    ]
}

/// Up by 0, 4, … or 24, by how many fours of upper rows are 0; then the digit by which the rest is to move, whose upper
/// bit P takes; the sign. C is 1. H: everything cancels.
fn up_by_fours() -> Vec<Item> {
    let mut items = vec![
        once(flushed::given_to(row().tag(TagAction::Next).hold(HoldAction::Load), Second::TopNotQ)),
        once(flushed::given_to(tag_out(row()).write(digit(2)).tag(TagAction::Next), Second::Top)),
        once(row().a(flag(CANCELS)).x(X::H).write(digit(3)).hold_next(Next::AAndNotY)),
        once(given_with_predicate(tag_out(row()).write(digit(4)), Second::Top)),
        once(choose(3, 2).second(Second::Pass)),
    ];
    for lowest in 0..4 {
        for number in (lowest..=TOP).step_by(4) {
            let row = moves(low(number));
            items.push(once(if number + 4 > TOP { ends(row) } else { row }));
        }
    }
    let zeros = row().a(low(TOP)).b(low(TOP - 1)).x(X::NotA).y(Y::NotB).majority();
    let sign = row().a(flag(Flag::Sign)).b(flag(Flag::NotANumber)).x(X::HSelect).y(Y::NotB).majority();
    let one = row().a(low(TOP - 2)).b(low(TOP)).y(Y::TSelect).not_sum().write(digit(0));
    items.extend([
        once(given_with_predicate(zeros.write(digit(1)).tag(TagAction::W), Second::TopNotQ)),
        once(one),
        // Positive where everything cancels, and that of NaN.
        once(sign.write(D.at(SIGN_BIT)).carry_next(Next::One)),
    ]);
    items
}

/// The exponent less 1, its lowest bit complemented; what it says of the result. T: the lower bit of the digit. C is 1.
fn exponent_and_range() -> Vec<Item> {
    let left = chain(row().a(exponent(D.j())).x(X::A).y(Y::NotB)).write(exponent(D.j())).up();
    let by = left.b(S.j().plus(DIFFERENCE));
    vec![
        // T: all ones but the lowest bit.
        once(by.not_sum().tag(TagAction::W)),
        each(4, by.tag(TagAction::And)),
        each(3, left.tag(TagAction::And).rewind()),
        // C: not negative. T: too large. H: zero.
        once(row().x(X::One).not_sum().tag(TagAction::And).hold(HoldAction::Differ).carry_next(Next::One)),
        once(tag_out(row().a(flag(Flag::Finite)).x(X::NotA)).majority().write(flag(ONES)).clear_carry()),
        once(
            row()
                .a(digit(0))
                .b(flag(ONES))
                .x(X::NotH)
                .y(Y::NotB)
                .majority()
                .write(flag(ALIVE))
                .tag(TagAction::A)
                .carry_next(Next::One),
        ),
    ]
}

/// Up by 0 to 3 and rounded, the exponent, the quiet bit of NaN.
fn rounded() -> Vec<Item> {
    let bit = chain(row().a(from(3)).x(X::ChoiceAndH)).write(D.j()).up();
    let field = |row: Row| chain(row.b(exponent(D.j())).gate()).write(exponent(D.j())).up();
    let upper = field(row().y(Y::B));
    let low_bit = |row: Row| row.majority().hold(HoldAction::Differ);
    vec![
        // H: something was lost, as that flag says; then: or a 1 below the bit behind the fraction.
        once(row().a(flag(Flag::Sticky)).b(flag(Flag::Subtract)).x(X::A).y(Y::B).hold_next(Next::NotSum).clear_carry()),
        once(low_bit(read(0))),
        once(low_bit(read(1)).carry_next(Next::One)),
        // C: that bit.
        once(chain(read(2))),
        // In dead columns, too: they have nothing to round.
        once(row().b(flag(ALIVE)).x(X::NotH).y(Y::NotB).alone().majority().write(flag(TIE))),
        once(row().a(flag(ALIVE)).hold_next(Next::AAndNotY)),
        each(FRACTION - 1, bit),
        once(bit.b(flag(Flag::NotANumber)).y(Y::B).carry(CarryAction::Last).rewind()),
        // Dead columns write no 1 but what C adds to all ones: it is 1 for zero, and 0 for all ones.
        once(
            row()
                .a(flag(ALIVE))
                .b(flag(ONES))
                .x(X::NotA)
                .y(Y::NotB)
                .carry_next(Next::NotSum)
                .predicate(PredicateAction::A),
        ),
        once(field(row().x(X::H).y(Y::NotB))),
        each(EXPONENT - 2, upper),
        once(upper.clear_carry()),
        once(row().a(flag(TIE)).b(D.at(0)).x(X::NotA).y(Y::B).majority().write(D.at(0))),
    ]
}
