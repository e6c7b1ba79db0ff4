//! Addition and subtraction of binary32 numbers on `TwoPort` columns with radix 2, to nearest, with subnormal numbers
//! flushed on both sides (`float_flushed.rs`).
//!
//! ```text
//!  larger in the window, smaller in d ─▶ down by 16 and 1, 8 and 1, 4 and 1 ─▶ add ─▶ up by 16, 8, 4 and 1 ─▶ round
//! ```
//!
//! A row that chooses between two rows by T, and by H as well, adds what it chooses to itself where P is 1: C, which
//! holds the row before, is its sum then. Where P is 0 it keeps what it chooses (the addition's 1 and C, which is 1,
//! are 2). So a pass shifts by two bits of a distance: by as many rows as lie between the two, and by one.
//!
//! Where magnitudes are subtracted the smaller one is complemented as it goes to d, and what shifts fill in is 1 there.
//! So T is free while the sum is written, complemented, and finds whether its upper rows are 0; H finds the same of the
//! next rows while a pass takes the sum up.
//!
//! A larger operand of zero needs no case of its own (`float_add_flushed.rs`). One that is not finite has no hidden
//! bit, and the smaller one is shifted out then: the sum is zero for infinity, else NaN. Infinity less infinity is made
//! to differ from zero by a sticky bit.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, Row, Step, row};
use crate::array::isa::ucode::float_add_two_bits_up::{exponent_and_range, rounded, up_by_4_and_1, up_by_16_and_8};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_rows::{DIFFERENCE, FLAGS, FRACTION, SIGN, chain, exponent, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// n of binary32.
const WIDTH: i16 = 26;
/// The window's row of the carry; the hidden bit is below it, then the fraction, then two guard bits.
pub(super) const TOP: i16 = WIDTH;
/// What it takes.
const CYCLES: i64 = 373;

/// Scratch rows of one bit a column. Some are used twice; the window follows them where it does in other sums.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// Magnitudes are subtracted.
    Subtract,
    /// They are added; then: 1, but in a dead column the lowest bit of its exponent.
    Add,
    /// The same magnitude is subtracted; then: the sticky bit.
    Cancels,
    /// The smaller operand has a hidden bit; then: the sum's third bit; then: the exponent is not negative; then: the
    /// result is neither zero nor infinite nor NaN.
    Hidden,
    /// The larger operand is finite; then: the result is NaN.
    Finite,
    /// It is, and the smaller one has a hidden bit.
    Counts,
    /// A 1 has been lost.
    Lost,
    /// The sum's first bit; then: the result is neither infinite nor NaN.
    First,
    /// How far the sum goes up, from the lowest bit, which is complemented.
    Up,
}

pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// A bit of how far the sum goes up.
pub(super) fn up(bit: u8) -> Address {
    S.at(Flag::Up as u8 + bit)
}

/// The row below the lowest one of the smaller operand, while that goes down.
fn guard() -> Address {
    up(0)
}

/// A bit of the distance. The lower two are complemented; the highest one is where the window begins.
fn digit(bit: u8) -> Address {
    S.at(Flag::Up as u8 + 1 + bit)
}

/// The window's rows by number, of those below the literal ones' end.
pub(super) fn low(number: i16) -> Address {
    S.at((FLAGS + number) as u8)
}

/// The window's row on top, and further ones by J from there; or as many rows below.
pub(super) fn from_top(below: i16) -> Address {
    S.j().plus(FLAGS + TOP - below)
}

/// The window from its row 1 up.
pub(super) fn window(index: Address) -> Address {
    index.plus(FLAGS + 1)
}

/// The larger exponent. Below its first row is the window's carry.
pub(super) fn larger_exponent() -> Address {
    S.j().plus(DIFFERENCE)
}

/// A row `count` times, by loops of as many as others have, since a program has eight counts.
pub(super) fn times(count: i16, row: Row) -> Vec<Item> {
    let loops = [
        (FRACTION.value(WIDTH.into(), 0), FRACTION),
        (22, FRACTION - 1),
        (16, 16.into()),
        (8, M),
        (7, 7.into()),
        (4, 4.into()),
    ];
    let mut items = Vec::new();
    let mut left = i32::from(count);
    while left > 0 {
        match loops.into_iter().find(|&(most, _)| most <= left) {
            Some((most, times)) => {
                items.push(each(times, row));
                left -= most;
            }
            None => {
                items.push(once(row));
                left -= 1;
            }
        }
    }
    items
}

/// The same; J is 0 behind it.
pub(super) fn rewound(count: i16, row: Row) -> Vec<Item> {
    [times(count - 1, row), vec![once(row.rewind())]].concat()
}

/// Puts the program in front of the one for all modes.
pub(super) fn with_flushed(operation: Operation, name: &'static str, subtract: bool) -> Operation {
    let pieces = [
        larger(subtract),
        smaller(),
        distance(),
        down_by_16(),
        down_by(8, 3),
        down_by(4, 2),
        sum(),
        up_by_16_and_8(),
        up_by_4_and_1(),
        exponent_and_range(),
        rounded(),
    ];
    let when = vec![FLUSHED, Condition::Zero(N - WIDTH)];
    flushed::with_flushed(operation, |_, _| CYCLES, vec![(1, when, Program::new(name, pieces.concat()).i(2))])
}

/// The larger magnitude goes to the window and the rows of its exponent. The sign is that of the larger operand. T and
/// C are 0; H: b is the larger one.
fn larger(subtract: bool) -> Vec<Item> {
    let (a, b) = (A.j().plus(SIGN), B.j().plus(SIGN));
    // C is 1, so that the majority is x or y.
    let choose = row().a(a).b(b).x(X::HSelect).y(Y::TSelect).majority();
    let choose = choose.hold(HoldAction::Differ).tag(TagAction::Differ).down();
    let to = linear(1, Term::M, FLAGS - 1);
    let signs = row().a(a).b(b).x(X::A).y(if subtract { Y::NotB } else { Y::B }).write(flag(Flag::Subtract));
    vec![
        once(signs.carry_next(Next::One).down()),
        each(M, choose.write(S.k().plus(to))),
        each(FRACTION, choose.write(S.j().plus(to)).rewind()),
        // C: subtracted, and a is not the larger one.
        once(tag_out(row()).a(flag(Flag::Subtract)).carry_next(Next::AAndNotY).i(OffsetAction::Double)),
        once(row().a(a).x(X::A).write(D.j().plus(SIGN))),
        once(row().x(X::NotH).majority().write(flag(Flag::Cancels)).tag(TagAction::Zero).clear_carry()),
        once(row().a(flag(Flag::Subtract)).x(X::NotA).write(flag(Flag::Add)).down()),
    ]
}

/// The smaller one goes to d, where either operand may be, its fraction complemented where it is subtracted. T and H
/// are 0, C is 1.
fn smaller() -> Vec<Item> {
    let exponents = row().a(B.j().plus(SIGN)).b(A.j().plus(SIGN)).x(X::HSelect).write(D.j().plus(SIGN));
    // y is the complement of P.
    let fraction = row().a(B.j()).b(A.j()).x(X::HSelect).gate().write(D.j()).up();
    let mut items = vec![
        each(M, exponents.tag(TagAction::Differ).down().rewind()),
        once(
            tag_out(row())
                .a(flag(Flag::Add))
                .predicate(PredicateAction::A)
                .write(flag(Flag::Hidden))
                .tag(TagAction::Zero),
        ),
    ];
    // T: a 1 is in the lower 14 rows.
    items.extend(times(14, fraction.tag(TagAction::Differ)));
    items.extend(times(8, fraction));
    items.push(once(fraction.rewind()));
    let behind = tag_out(row()).write(flag(Flag::Lost)).tag(TagAction::Zero);
    items.push(once(behind.hold(HoldAction::Zero).carry_next(Next::One)));
    items
}

/// The difference of the exponents, all ones in its upper bits if it is larger or one of the operands does not count.
/// C is 1, before and behind it.
fn distance() -> Vec<Item> {
    let larger = larger_exponent();
    let both = row().a(larger).b(S.k().plus(DIFFERENCE)).x(X::A).y(Y::B);
    let less = chain(row().a(larger).b(exponent(D.j())).x(X::A).y(Y::NotB)).up();
    let mut items = vec![
        // T, H: a 0 is in the larger exponent.
        each(4, both.tag(TagAction::Differ).hold(HoldAction::Differ).up().rewind()),
        once(
            tag_out(row())
                .x(X::H)
                .majority()
                .write(flag(Flag::Finite))
                .tag(TagAction::W)
                .hold(HoldAction::Zero)
                .clear_carry(),
        ),
        once(
            tag_out(row())
                .a(flag(Flag::Hidden))
                .x(X::A)
                .majority()
                .write(flag(Flag::Counts))
                .tag(TagAction::W)
                .carry_next(Next::One),
        ),
    ];
    items.extend((0..2).map(|bit| once(less.not_sum().write(digit(bit)))));
    items.extend((2..5).map(|bit| once(less.write(digit(bit)))));
    // T: both count, and no upper bit is 1.
    items.extend(rewound(3, less.not_sum().tag(TagAction::And)));
    items.push(once(tag_out(row()).tag(TagAction::W).i(OffsetAction::Double)));
    let far = |bit| tag_out(row().a(digit(bit)).x(X::A)).majority().write(digit(bit));
    items.extend([once(far(2)), once(far(3)), once(far(4).i(OffsetAction::Double))]);
    items
}

/// A row of a pass: what is at `there` where the bit of the pass is 1, or else here.
fn moves(here: Address, there: Address) -> Row {
    chain(row().a(here).b(there).x(X::HSelect).y(Y::TSelect).gate()).write(D.j()).up()
}

/// T: the bit of the pass is 0; H: it is 1; P: the lower bit is 0. Then the row below the lowest one; C takes what that
/// is shifted from, unless the lower bit is 1. C is 1 before.
fn begin(bit: u8, lower: u8, rows: u8, below: Address) -> Vec<Item> {
    let bits = row().a(digit(lower)).b(digit(bit)).x(X::B).tag(TagAction::W).hold_next(Next::NotSum);
    let here = |here, row| moves(here, D.at(rows - row));
    vec![
        once(bits.predicate(PredicateAction::A)),
        once(Row { w: None, j: Step::Hold, ..here(flag(Flag::Subtract), 2) }),
        once(Row { w: Some(guard()), j: Step::Hold, ..here(below, 1) }),
    ]
}

/// Down by 16 and 1. T, H: 0; C is 1 before.
fn down_by_16() -> Vec<Item> {
    let (zeros, hidden) = (flag(Flag::Subtract), flag(Flag::Add));
    let mut items = vec![
        // T: what is lost of the row on top where that leaves, too.
        once(row().a(D.at(14)).b(hidden).x(X::A).y(Y::B).tag(TagAction::W)),
        once(row().a(digit(0)).x(X::A).tag(TagAction::And)),
        once(tag_out(row().a(flag(Flag::Lost)).x(X::A)).majority().tag(TagAction::W)),
        once(row().b(digit(4)).y(Y::TB).majority().write(flag(Flag::Lost))),
    ];
    items.extend(begin(4, 0, 16, zeros));
    items.extend(times(7, moves(D.j(), D.k())));
    items.push(once(moves(D.j(), hidden)));
    items.extend(times(15, moves(D.j(), zeros)));
    items.push(once(moves(hidden, zeros)));
    items.push(once(moves(zeros, zeros).rewind().i(OffsetAction::Halve)));
    items
}

/// Down by 8 or 4, which I is, and 1.
fn down_by(rows: u8, bit: u8) -> Vec<Item> {
    let zeros = flag(Flag::Subtract);
    let look = |address: Address| row().a(address).x(X::A).tag(TagAction::Differ);
    let mut items = vec![
        // C: what zeros are.
        once(row().a(zeros).carry_next(Next::AAndNotY).hold(HoldAction::Zero)),
        once(row().a(D.at(rows - 2)).x(X::A).tag(TagAction::W)),
        once(row().a(digit(1)).b(digit(1)).x(X::NotA).y(Y::NotB).majority().tag(TagAction::And)),
    ];
    let pair = |number: u8| look(D.at(number)).b(D.at(number + 1)).y(Y::B).hold(HoldAction::Differ);
    items.extend((0..rows - 2).step_by(2).map(|number| once(pair(number))));
    items.extend([
        once(look(guard()).carry_next(Next::One)),
        once(tag_out(row().x(X::H)).majority().tag(TagAction::W)),
        once(row().a(flag(Flag::Lost)).b(digit(bit)).x(X::A).y(Y::TB).majority().write(flag(Flag::Lost))),
    ]);
    items.extend(begin(bit, 1, rows, guard()));
    // Rows that the number has.
    let size = if rows == 8 { 25 } else { 26 };
    items.extend(times(size - i16::from(rows), moves(D.j(), D.k())));
    items.extend(times(rows.into(), moves(D.j(), zeros)));
    items.push(once(moves(zeros, zeros).rewind().i(OffsetAction::Halve)));
    items
}

/// The larger significand plus or minus the smaller one, complemented but for the lowest row. T: the upper 16 rows are
/// 0. C is 0 behind it; I is 2.
fn sum() -> Vec<Item> {
    let (subtract, counts) = (flag(Flag::Subtract), flag(Flag::Counts));
    let adds = chain(row().b(D.k()).y(Y::B)).write(window(S.j())).up();
    let both = adds.a(window(S.j())).x(X::A).not_sum();
    let mut items = vec![
        // C: infinity less infinity, where something was lost.
        once(row().a(flag(Flag::Cancels)).b(flag(Flag::Finite)).y(Y::B).carry_next(Next::AAndNotY)),
        once(row().a(flag(Flag::Lost)).b(counts).x(X::A).y(Y::B).majority().tag(TagAction::W)),
        once(row().a(subtract).carry_next(Next::AAndNotY)),
        once(row().a(D.at(0)).x(X::A).tag(TagAction::Differ)),
        once(row().a(guard()).x(X::A).tag(TagAction::Differ)),
        // C: subtracted, and nothing is sticky.
        once(tag_out(row().a(subtract).x(X::A)).write(flag(Flag::Cancels)).carry_next(Next::AAndNotY).down()),
        once(adds),
        once(adds.not_sum()),
    ];
    items.extend(times(9, both));
    items.push(once(both.tag(TagAction::W)));
    items.extend(times(13, both.tag(TagAction::And)));
    let hidden = adds.a(flag(Flag::Finite)).x(X::A).not_sum().tag(TagAction::And);
    let carry = row().b(subtract).y(Y::B).not_sum().write(low(TOP)).tag(TagAction::And);
    items.extend([once(hidden), once(carry.clear_carry().rewind())]);
    items
}
