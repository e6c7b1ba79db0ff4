//! Arctangents of binary32 numbers, in the array: CORDIC (Volder, 1959) that only turns as far as the angle goes, and
//! the rest of the angle as a quotient.
//!
//! ```text
//!  a ─▶ (1, a), or in a mirror (a, 1), over 2ᵏ ─▶ 12 steps ─▶ y / x
//!      ─▶ angles of the steps ─▶ mirror ─▶ up ─▶ round ─▶ d
//! ```
//!
//! The vector's slope is a, or with |a| ≥ 1 its reciprocal, which is a power of two over the significand: neither
//! takes a division. Step i turns the vector by arctan 2⁻ⁱ where y is not less than x · 2⁻ⁱ, so that steps
//! which a small angle does not take leave it exact, and its relative error is as small as that of others. Behind step
//! 12 the angle is y / x but for a third of its cube. What a step turns by is added where it has turned: 1 in a row of
//! d for each step. Lengths of vectors have no part in this, so that no gain is taken back.
//!
//! All numbers have 37 bits behind the point. x goes to other rows in every step, y stays. The quotient is that of
//! [`float_div`], and takes rows that y leaves at the top; angles are added there, in as many rows as they may have by
//! then ([`Table::Arctangent`]); that of the mirror comes as rows of the program. Operands below 2⁻¹² are their
//! arctangents; subnormal ones are zeros if operands or results are flushed. T, C and H have the meanings that comments
//! give them.
//!
//! [`float_div`]: super::float_div

use crate::array::isa::constants::Table;
use crate::array::isa::format::F32;
use crate::array::isa::linear::{LOG2, Linear, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, further};
use crate::array::isa::ucode::float_div::bits;
use crate::array::isa::ucode::float_operation::of_binary32;
use crate::array::isa::ucode::float_ratio::{
    self as ratio, FLAGS, MODE, SMALL, constant_added, not_less, operand_instead,
};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The slope is 1 or more.
const STEEP: u8 = FLAGS;
/// By how many rows y goes down, five rows.
const DISTANCE: u8 = FLAGS + 1;
/// Bits behind the point.
const BEHIND: i16 = 37;
/// Steps of CORDIC.
const STEPS: u8 = 12;
/// Rows of x: two in front of the point. y has as many.
const BITS: i16 = BEHIND + 2;
/// Where x is before steps 1, 3, 5 and so on, and before the others; y.
const ODD: i16 = DISTANCE as i16 + 5;
const EVEN: i16 = ODD + BITS;
const SLOPE: i16 = EVEN + BITS;
/// The angle, which begins in the row of the quotient's last bit.
const ANGLE: i16 = SLOPE + 2;
/// Its row of 1: numbers of rows are not more than 127 beside n.
const TOP: Linear = linear(1, Term::None, ANGLE + BEHIND - F32.n() as i16);
/// Scratch rows.
const SCRATCH: Linear = linear(1, Term::None, ANGLE + BEHIND + 1 - F32.n() as i16);
/// Rows of a vector beside those that n less a stride counts.
const MORE: i16 = BITS - F32.n() as i16;
/// Bits of the quotient.
const QUOTIENT: i16 = BEHIND - STEPS as i16;
/// The lowest row that is rounded, by number from the angle's.
const BELOW: u8 = BEHIND as u8 - 24;

fn slope(index: Address) -> Address {
    index.plus(SLOPE)
}

/// d ← the angle whose tangent is a.
pub(super) fn arctangent() -> Operation {
    let mut body = operand();
    body.extend(vector());
    body.push(outer(i16::from(STEPS) / 2, [step(ODD, EVEN), step(EVEN, ODD)].concat()));
    body.extend(bits(Linear::constant(QUOTIENT), S.k().plus(SLOPE - 2 - i16::from(STEPS)), S.j().plus(ODD + 12), N));
    body.extend(sum());
    body.extend(up());
    body.extend(result());
    of_binary32(Opcode::FAtan, |_, _| CYCLES, SCRATCH, Program::new("fatan", body).i(BEHIND - 23).z(QUOTIENT))
}

const CYCLES: i64 = 3_004;

/// What the operand is, whether the vector stands in a mirror, and how far y goes down. L becomes the distance's first
/// row. T: there is no mirror. H: y is too far down.
fn operand() -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let (mut items, mut rows) = ratio::operand(|_, row| row);
    rows.extend(not_less(127));
    rows.extend([row().write(S.at(STEEP)), row().not_sum().tag(TagAction::W)]);
    // The exponent less 127, or its negative.
    let distance = |bit: u8| row().b(at(field, bit)).y(Y::BXorT);
    rows.extend((0..5).map(|bit| chain(distance(bit)).write(S.at(DISTANCE + bit))));
    rows.extend([chain(distance(5)).hold(HoldAction::Differ), distance(6).hold(HoldAction::Differ).clear_carry()]);
    rows[..usize::from(DISTANCE)].iter_mut().for_each(|row| *row = row.l(OuterAction::Up));
    items.extend(rows.into_iter().map(once));
    items
}

/// The vector. I becomes 1, C 1.
fn vector() -> Vec<Item> {
    let (x, y) = (S.j().plus(ODD), slope(S.j()));
    let zeros = |to: Address| [each(MORE, row().write(to).up()), once(row().write(to).rewind())];
    let [one, top] = [BEHIND as u8, BEHIND as u8 + 1];
    let fraction = row().b(A.j()).y(Y::TB);
    // Infinity's reciprocal is 0.
    let lead = row().b(flag(Flag::Finite)).x(X::NotH).y(Y::B).majority().write(at(y, one));
    let kept = row().a(slope(S.k())).b(y).y(Y::TSelect).write(y).up();
    let fill = row().b(y).x(X::B).y(Y::TB).write(y).up().rewind();
    let halve = |row: Row| row.i(OffsetAction::Halve);
    let mut items = Vec::from(zeros(x));
    items.extend(zeros(y));
    items.extend([
        each(FRACTION, fraction.write(slope(S.k())).up().rewind()),
        each(FRACTION, fraction.x(X::B).write(S.k().plus(ODD)).up().rewind()),
        // 14 becomes 1.
        once(halve(lead)),
        once(halve(row().write(at(y, top)))),
        once(halve(row().write(at(x, top)))),
        once(row().x(X::One).write(at(x, one))),
        outer(
            LOG2,
            vec![
                once(row().a(S.l()).tag(TagAction::A).l(OuterAction::Up)),
                each(MORE, kept),
                each(Count::StrideRest, kept),
                each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
            ],
        ),
        outer(LOG2, vec![once(halve(row().stride(StrideAction::Halve)))]),
        once(row().carry_next(Next::One).point(Table::Arctangent.address(32))),
    ]);
    items
}

/// A step from and to these rows of x. C is 1 before and behind it. Behind step i y has i rows less than x; one more is
/// passed. L counts steps.
fn step(from: i16, to: i16) -> Vec<Item> {
    let (x, y) = (S.k().plus(from), slope(S.j()));
    let less = chain(row().a(y).x(X::A).y(Y::NotB)).up();
    let longer = chain(row().a(S.j().plus(from)).x(X::A).y(Y::TB)).write(S.j().plus(to)).up();
    let lower = chain(row().a(y).x(X::A).y(Y::NotTB)).write(y).up();
    let shifted = |row: Row, other: Address| [each(MORE, row.b(other)), each(Count::StrideRest, row.b(other))];
    let mut items = Vec::from(shifted(less, x));
    // T: y is not less.
    let turns = row().a(y).x(X::A).y(Y::NotB).majority().tag(TagAction::W).write(D.l()).l(OuterAction::Up);
    items.push(once(turns.clear_carry().rewind()));
    items.extend(shifted(longer, slope(S.k())));
    items.extend([each(Count::Stride, longer.rewind()), once(row().carry_next(Next::One))]);
    items.extend(shifted(lower, x));
    items.push(once(further(lower.rewind())));
    items
}

/// The angles of all steps, the last one first, then that of the mirror less these. A sum is less than the angle that
/// comes next. I and the stride become 8, L 3.
fn sum() -> Vec<Item> {
    let here = S.j().plus(ANGLE);
    let turned = row().a(D.l()).tag(TagAction::A).l(OuterAction::Down).clear_carry().take();
    let carry = row().write(here).rewind().z(TriangleAction::Up);
    let add = each(Count::Triangle, constant_added(here));
    let mut rows = vec![both(S.at(STEEP)).hold_next(Next::AAndNotY)];
    let right = (std::f64::consts::FRAC_PI_2 * (1u64 << BEHIND) as f64).round() as u64;
    rows.extend((0..=BEHIND).map(|bit| {
        let row = row().x(if right >> bit & 1 == 1 { X::H } else { X::Zero }).y(Y::BXorT);
        // The angle is less than 1.
        chain(if bit < BEHIND { row.b(here) } else { row }).write(here).up()
    }));
    rows.push(row().hold_next(Next::One).clear_carry().rewind());
    // I is 13 less the quotient's bits, the stride 13, L the row before the first step's.
    let [i, l] = [usize::from(8 + QUOTIENT as u8 - 13), usize::from(DISTANCE + 4 - 3)];
    rows[..i].iter_mut().for_each(|row| *row = row.i(OffsetAction::Up));
    rows[..l].iter_mut().for_each(|row| *row = row.l(OuterAction::Down));
    rows[..3].iter_mut().for_each(|row| *row = row.stride(StrideAction::Halve));
    rows[3..6].iter_mut().for_each(|row| *row = row.stride(StrideAction::Double));
    let turn = vec![once(turned), add, once(carry)];
    let two = [turn.clone(), turn].concat();
    let mut items = vec![once(row().l(OuterAction::Down)), outer(i16::from(STEPS) / 2, two)];
    items.extend(rows.into_iter().map(once));
    items
}

/// Up until a 1 is on top, by at most 13 rows, and the exponent's bits in d, as 15 less that. C is 0, and I becomes 0.
fn up() -> Vec<Item> {
    let (top, far, field) = (S.j().plus(TOP), S.k().plus(TOP), D.j().plus(FRACTION));
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let one = |bit: u8| once(row().x(X::One).write(at(field, bit)));
    vec![
        outer(
            4,
            vec![
                once(row().tag(TagAction::Zero)),
                // T: a 1 in the rows on top.
                each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
                once(tag_out(row()).write(D.l().plus(FRACTION)).l(OuterAction::Down)),
                // 25 rows are rounded, and come from as far as 5 rows below.
                each(QUOTIENT, moved),
                each(LOG2, moved.rewind().i(OffsetAction::Halve).stride(StrideAction::Halve)),
            ],
        ),
        one(4),
        one(5),
        one(6),
        once(row().write(at(field, 7))),
    ]
}

/// Rounding, and the result, or the operand in its place. H: no such angle ends.
fn result() -> Vec<Item> {
    let here = S.j().plus(ANGLE);
    let mut items = vec![once(row().x(X::One).write(flag(Flag::Finite)))];
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, BELOW + 1), at(here, BELOW)));
    items.extend(packed(
        false,
        [Flag::Finite, Flag::NotZero],
        S.j().plus(ANGLE + i16::from(BELOW) + 1),
        D.j().plus(FRACTION),
    ));
    items.extend(operand_instead(SMALL));
    items
}
