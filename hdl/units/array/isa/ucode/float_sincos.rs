//! Sine and cosine of binary32 numbers of any size, in the array: quarter turns by 2/π to as many bits as the exponent
//! asks for (Payne and Hanek, 1983), then CORDIC (Volder, 1959).
//!
//! ```text
//!  a ─▶ bits of 2/π by the exponent ─▶ · significand, mod 4 ─▶ quadrant, angle ─▶ CORDIC ─▶ choose ─▶ round ─▶ d
//! ```
//!
//! Which bits of 2/π count is told by k, the exponent less 103. Constants of 92 bits, one for each 32 values of k, are
//! put into the columns that want them, and go down by as many rows as 31 is more than k's low bits. 60 rows are left:
//! 2/π times a power of two, modulo 4, as exact as a product with 24 bits asks for. That has 35 bits behind the point.
//! Its integer, rounded, is the quadrant, the rest is the angle, with a sign, as part of a quarter turn, and so are
//! CORDIC's constants ([`Table::Turns`]).
//!
//! Steps 1 to 26 turn the vector (1/gain, 0), which has 31 bits behind the point, x without and y with a sign. x goes
//! to other rows in every step, those of d and back; y stays, as it is added to behind x. Odd quadrants exchange sine
//! and cosine, so that both functions are one program: they differ in the carry that it begins with.
//!
//! The sine of an operand below 2⁻⁸ is the operand, which is nearer to it than CORDIC would be. Subnormal operands are
//! zeros if operands or results are flushed. T, C and H have the meanings that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::F32;
use crate::array::isa::linear::{LOG2, M};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_operation::of_binary32;
use crate::array::isa::ucode::float_ratio::operand_instead;
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The direction of a turn: 1 is minus.
const DIRECTION: u8 = 0;
/// It is another one than that of the turn before; then: the result has a sign of its own.
pub(super) const CHANGED: u8 = 1;
/// Rows of the direction of rounding.
pub(super) const MODE: u8 = 7;
/// The operand's sign.
pub(super) const SIGN: u8 = 9;
/// It is a cosine.
const COSINE: u8 = 10;
/// The quadrant's bits: sine and cosine are exchanged; the result is negative.
pub(super) const ODD: u8 = 11;
const NEGATIVE: u8 = 12;
/// k, eight rows; then: what stages write.
pub(super) const K: u8 = 13;
/// The result is the operand.
pub(super) const SMALL: u8 = 21;
/// Rows of x in even steps, before that the bits of 2/π; of y; of the product.
const EVEN: i16 = 22;
pub(super) const SINE: i16 = EVEN + 32;
pub(super) const PRODUCT: i16 = SINE + 32;
/// Bits of the product behind the point.
pub(super) const BEHIND: u8 = 35;
/// Rows of the product.
const TURNS: i16 = BEHIND as i16 + 2;
/// Half as many rows as the constants have bits that are put into columns.
const HALF: i16 = 46;
/// Rows of a vector beside those that two loops of a pass have.
pub(super) const MORE: i16 = 32 - F32.n() as i16;
/// Scratch rows.
pub(super) const SCRATCH: i16 = PRODUCT + TURNS;

pub(super) fn even(index: Address) -> Address {
    index.plus(EVEN)
}

pub(super) fn sine(index: Address) -> Address {
    index.plus(SINE)
}

pub(super) fn product() -> Address {
    S.j().plus(PRODUCT)
}

/// A step's vector is in one of two places.
#[derive(Clone, Copy)]
struct Cosine {
    j: Address,
    k: Address,
}

/// d ← the sine or cosine of a.
pub(super) fn sine_or_cosine(opcode: Opcode) -> Operation {
    let mut body = operand();
    body.extend(bits_of_two_over_pi());
    body.extend(turns());
    body.extend(vector(all(constant().write(even(S.j())).up()).into()));
    body.extend(magnitude());
    body.extend(result());
    let program = Program::new("fsin_fcos", body).i(16).z(i16::from(BEHIND) - 1);
    let program = if opcode == Opcode::FCos { program.with_carry() } else { program };
    of_binary32(opcode, |_, _| CYCLES, SCRATCH, program)
}

const CYCLES: i64 = 4_614;

/// What the operand is, how results are rounded, k, and whether the result is the operand. C is the function.
pub(super) fn operand() -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let [finite, hidden, nan, counts] = [Flag::Finite, Flag::Hidden, Flag::NotANumber, Flag::NotZero].map(flag);
    let look = row().a(field).b(field).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ).hold(HoldAction::Differ);
    let bit = || row().x(X::One).steer_x();
    let k = S.j().plus(i16::from(K));
    let sum = chain(constant().b(field).y(Y::B)).write(k).tag(TagAction::Zero).up().rewind();
    let large = |bit: u8| row().a(S.at(K + bit)).x(X::A).majority().tag(TagAction::Differ);
    vec![
        once(row().write(S.at(COSINE)).clear_carry().point(Table::Turns.address(32))),
        // T: a 0 in the exponent. H: a 1.
        each(M, look.up()),
        once(row().a(field).x(X::A).write(S.at(SIGN)).rewind()),
        once(tag_out(row()).write(finite)),
        once(tag_out(row()).not_sum().write(nan)),
        once(row().x(X::H).write(hidden).hold(HoldAction::Zero)),
        // T: subnormal numbers are flushed; then: a sine is 0.
        once(bit().tag(TagAction::W)),
        once(bit().write(S.at(MODE))),
        once(bit().write(S.at(MODE + 1))),
        once(bit().tag(TagAction::Differ)),
        once(row().a(hidden).x(X::NotA).tag(TagAction::And)),
        once(row().a(S.at(COSINE)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).not_sum().write(counts).take()),
        // C: the exponent is not less than 103. T: nor than 119.
        each(M, sum),
        once(large(4)),
        once(large(5)),
        once(large(6)),
        once(large(7).clear_carry()),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
        once(row().a(counts).x(X::A).tag(TagAction::And)),
        once(row().a(S.at(COSINE)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(S.at(SMALL))),
    ]
}

/// 92 constant bits of 2/π to the columns whose k they are for, down to where all columns have the same weights. L
/// becomes −5, I 0.
pub(super) fn bits_of_two_over_pi() -> Vec<Item> {
    let here = even(S.j());
    // T chooses the columns, in which zeros are so far, and the key's second bit says what they get.
    let given = Row { steer_y: true, ..row().y(Y::BXorT).write(here).up().key_shift(1) };
    let mut items = Vec::new();
    for window in 0..5 {
        let when = |bit: u8| if window >> bit & 1 == 1 { X::A } else { X::NotA };
        let is = |bit: u8| row().a(S.at(K + 5 + bit)).x(when(bit));
        items.extend([once(is(0).tag(TagAction::W)), once(is(1).tag(TagAction::And))]);
        if window == 4 {
            // Of numbers below 2⁻²⁴ k is negative: its bits may be these, but the exponent's top bit is not 1.
            items.push(once(row().a(at(A.j().plus(FRACTION), 7)).x(X::A).tag(TagAction::And)));
        }
        items.push(once(is(2).tag(TagAction::And).take()));
        let given = if window > 0 { given.b(here) } else { given };
        items.extend([each(HALF, given), once(row().take()), each(HALF, given.rewind())]);
    }
    // Down by as many rows as the complement of k's low bits says.
    let down = row().a(here).b(even(S.k())).y(Y::TSelect).write(here).up();
    let bit = row().a(S.l().plus(i16::from(K) + 4)).tag(TagAction::A).l(OuterAction::Down);
    let last = down.rewind().i(OffsetAction::Halve);
    items.push(outer(LOG2, vec![once(bit), each(TURNS, down), each(TURNS, down), once(last)]));
    items
}

/// The product with the significand, then the quadrant, and directions. L becomes −28, I 1.
pub(super) fn turns() -> Vec<Item> {
    let (to, from) = (product(), even(S.k()));
    let bit = row().a(A.l().plus(22 + 5)).tag(TagAction::A).l(OuterAction::Down).i(OffsetAction::Up).clear_carry();
    let sum = chain(row().a(to).b(from).x(X::A).y(Y::TB)).write(to).up().rewind();
    let [half, one, two] = [BEHIND - 1, BEHIND, BEHIND + 1].map(|bit| at(to, bit));
    vec![
        // That of the hidden bit. Numbers without one have zeros here.
        each(TURNS, row().b(even(S.j())).y(Y::B).write(to).up().rewind()),
        outer(FRACTION, vec![once(bit), each(TURNS, sum)]),
        once(row().a(S.at(COSINE)).carry_next(Next::AAndNotY)),
        once(chain(row().a(one).b(half).x(X::A).y(Y::B)).write(S.at(ODD))),
        once(row().a(two).x(X::A).write(S.at(NEGATIVE)).clear_carry()),
        // T: the operand's sign, of a sine.
        once(row().a(S.at(SIGN)).tag(TagAction::A)),
        once(row().a(S.at(COSINE)).x(X::NotA).tag(TagAction::And)),
        once(row().a(S.at(NEGATIVE)).x(X::A).y(Y::BXorT).write(S.at(NEGATIVE))),
        // Whether the angle is negative.
        once(row().a(half).tag(TagAction::A)),
        once(tag_out(row()).write(S.at(DIRECTION))),
        once(tag_out(row()).write(S.at(CHANGED)).take()),
        outer(LOG2, vec![once(row().i(OffsetAction::Halve))]),
        once(row().i(OffsetAction::Up)),
    ]
}

/// As many rows of a pass as a vector has.
pub(super) fn all(row: Row) -> [Item; 3] {
    [each(M, row), each(FRACTION, row), once(row.rewind())]
}

/// The vector, whose x these rows write, by all steps. I and the stride become 26, and x is in the rows of even steps.
pub(super) fn vector(first: Vec<Item>) -> Vec<Item> {
    let one = Cosine { j: even(S.j()), k: even(S.k()) };
    let other = Cosine { j: D.j(), k: D.k() };
    let mut items = first;
    items.extend(all(row().write(sine(S.j())).up()));
    items.push(once(both(S.at(DIRECTION))));
    items.push(outer(12, [step(one, other, false), turn(), step(other, one, false), turn()].concat()));
    items.extend([step(one, other, false), turn(), step(other, one, true)].concat());
    items
}

/// A step, by T and C, which are its direction: x ∓ y shifted, y ± x shifted.
fn step(from: Cosine, to: Cosine, last: bool) -> Vec<Item> {
    let (y, shifted, top) = (sine(S.j()), sine(S.k()), at(sine(S.j()), 31));
    // What is left of x: the complement of its complement and y.
    let x = chain(row().a(from.j).x(X::NotA).y(Y::BXorT)).not_sum().write(to.j).up();
    let sum = chain(row().a(y).x(X::A).y(Y::BXorT)).write(y).up();
    let pass = |row: Row, below: Address, above: Row| {
        let mut items = vec![each(MORE, row.b(below))];
        if !last {
            items.push(each(Count::StrideRest, row.b(below)));
        }
        items.push(each(Count::Stride, above.rewind()));
        items
    };
    let mut items = pass(x, shifted, x.b(top));
    items.push(once(both(S.at(DIRECTION))));
    // x has no sign.
    items.extend(pass(sum, from.k, sum));
    items
}

/// What is left of the angle, and the next direction: to T, C and flags.
fn turn() -> Vec<Item> {
    let (direction, changed) = (S.at(DIRECTION), S.at(CHANGED));
    let top = constant().b(product()).y(Y::BXorT).write(product()).tag(TagAction::W).clear_carry().rewind();
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        once(both(changed).take()),
        each(Count::Triangle, residue(product(), product())),
        once(further(top.z(TriangleAction::Down))),
        once(tag_out(row()).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

/// I and the stride for stages: 26 becomes 0, 1, 32 and 16. C is 0 behind them.
pub(super) fn strides() -> [Item; 4] {
    let halve = row().i(OffsetAction::Halve).stride(StrideAction::Halve);
    [
        outer(LOG2, vec![once(halve)]),
        once(row().i(OffsetAction::Up).stride(StrideAction::Up)),
        outer(LOG2, vec![once(row().i(OffsetAction::Double).stride(StrideAction::Double))]),
        once(halve.clear_carry()),
    ]
}

/// The magnitude in y's rows, up until a 1 is on top, and the sign.
fn magnitude() -> Vec<Item> {
    let (here, odd, own) = (sine(S.j()), S.at(ODD), S.at(CHANGED));
    let (top, far, stays) = (S.j().plus(SINE + 31), S.k().plus(SINE + 31), S.l().plus(i16::from(K) + 4 + 28));
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let fill = row().b(far).y(Y::TB).write(far).down().rewind();
    let mut items = vec![
        once(row().clear_carry()),
        // T: it is y, and negative. Zeros have the operand's sign.
        once(row().a(at(here, 31)).tag(TagAction::A)),
        once(row().a(odd).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(own)),
        once(row().a(S.at(NEGATIVE)).x(X::A).y(Y::BXorT).write(flag(Flag::Hidden))),
        once(row().a(odd).tag(TagAction::A)),
    ];
    items.extend(all(row().a(even(S.j())).b(here).y(Y::TSelect).write(here).up()));
    items.push(once(both(own)));
    items.extend(all(chain(row().b(here).y(Y::BXorT)).write(here).up()));
    items.extend(strides());
    items.extend([outer(
        LOG2,
        vec![
            once(row().tag(TagAction::Zero)),
            // T: a 1 in the rows on top.
            each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
            once(tag_out(row()).write(stays).l(OuterAction::Down)),
            each(MORE, moved),
            each(Count::StrideRest, moved),
            each(Count::Stride, halve(fill)),
        ],
    )]);
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result() -> Vec<Item> {
    let (here, field, counts) = (sine(S.j()), D.j().plus(FRACTION), flag(Flag::NotZero));
    let below = row().b(here).y(Y::B).hold(HoldAction::Differ).up();
    let one = row().x(X::One).write(field).up();
    let mut items = vec![
        // What stages have written is 31 less the distance up; the top row is that of 1, whose exponent is 127.
        each(LOG2, row().a(S.j().plus(i16::from(K))).x(X::A).write(field).up()),
        once(one),
        once(one),
        once(row().write(field).rewind()),
        once(row().a(counts).b(at(here, 31)).x(X::A).y(Y::B).majority().write(counts)),
        each(MORE, below),
        once(below.rewind()),
    ];
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 8), at(here, 7)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], S.j().plus(SINE + 8), field));
    items.extend(operand_instead(SMALL));
    items
}
