//! Logarithms of binary32 numbers, in the array: the significand becomes 1 by factors 1 ± 2⁻ⁱ, whose logarithms are
//! summed (Walther, 1971), and the exponent's bits add theirs.
//!
//! ```text
//!  a ─▶ special values ─▶ up, until a 1 is on top ─▶ exponent ─▶ CORDIC steps ─▶ exponent's turns ─▶ up ─▶ round ─▶ d
//! ```
//!
//! The logarithm of 1 ± 2⁻ⁱ is ± artanh 2⁻ⁱ and half that of 1 − 4⁻ⁱ, of which all steps have a constant sum. A bit of
//! the exponent, with the weight 2ʲ, is ± half of that about a constant, too, so that every turn adds a constant or
//! subtracts it, column by column. The sum is kept in the direction of the turn before, which makes the constant the
//! same for all columns ([`Table::BinaryLogarithm`], [`Table::NaturalLogarithm`]). A significand of 1 has 0 for a sum.
//!
//! The significand has 33 bits behind the point and one in front of it, the sum 31 and 2 with a sign, and with the
//! exponent 9 and a sign. The sum's magnitude goes up until a 1 is on top, by 32 rows at first; it is rounded there.
//!
//! The mode's bits are in rows before constants take the key. T, C and H have the meanings that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::F32;
use crate::array::isa::linear::{EXCESS, LOG2, M};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_div::{strides, up};
use crate::array::isa::ucode::float_operation::of_binary32;
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sqrt::{self as sqrt, Flag, flag, packed};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Rows of the direction of rounding.
const MODE: u8 = 7;
/// The direction of a turn: 1 is plus.
const DIRECTION: u8 = 9;
/// It is another one than that of the turn before; and what is passed on before there are turns.
const CHANGED: u8 = 10;
/// The significand is not 1.
const NOT_ONE: u8 = 11;
/// What stages write, six rows.
const STAYS: i16 = 12;
/// Bits of the exponent, ten rows, of which the last one is 0.
const EXPONENT: i16 = 18;
/// The significand's lowest row, of 34.
const PRODUCT: i16 = 28;
/// Rows of the significand below those of the operand.
const BELOW: i16 = 10;
/// The sum's lowest row, of 42.
const SUM: i16 = PRODUCT + 34;
/// The highest row of the sum's magnitude.
const TOP: i16 = 38;
/// Scratch rows.
const SCRATCH: i16 = SUM + 42;
/// Rows of the magnitude less those of a format's window.
const MORE: i16 = TOP + 1 - F32.n() as i16;

/// The significand from its top row.
fn product_top(index: Address) -> Address {
    index.plus(PRODUCT + 33)
}

/// The operand's fraction among the significand's rows; the hidden bit follows.
fn fraction() -> Address {
    S.j().plus(PRODUCT + BELOW)
}

/// The sum.
fn sum(index: Address) -> Address {
    index.plus(SUM)
}

/// The sum from where the fraction of a number with a 1 on top begins.
fn rounded_rows() -> Address {
    S.j().plus(SUM + TOP - 23)
}

/// d ← the binary or natural logarithm of a.
pub(super) fn logarithm(opcode: Opcode) -> Operation {
    let table = if opcode == Opcode::FLog2 { Table::BinaryLogarithm } else { Table::NaturalLogarithm };
    let mut body = sqrt::operand(false, fraction(), false);
    body.extend(significand(table));
    body.extend(steps());
    body.extend(exponent());
    body.extend(magnitude());
    body.extend(result());
    of_binary32(opcode, |_, _| CYCLES, SCRATCH, Program::new(opcode.name(), body).i(1))
}

const CYCLES: i64 = 3_326;

/// The significand, a 1 on top; the exponent's bits; the mode.
fn significand(table: Table) -> Vec<Item> {
    let (field, to) = (A.j().plus(FRACTION), S.j().plus(EXPONENT));
    let (hidden, stays) = (flag(Flag::Hidden), S.j().plus(STAYS));
    let bit = |at: u8| once(row().x(X::One).steer_x().write(S.at(MODE + at)));
    let copy = |from: Address| row().a(from).x(X::A);
    let mut items = vec![
        once(row().tag(TagAction::Zero).point(table.address(32))),
        bit(0),
        bit(1),
        each(BELOW, row().write(S.j().plus(PRODUCT)).up().rewind()),
        once(copy(hidden).write(at(fraction(), 23))),
        strides(),
    ];
    items.extend(up(product_top, S, S.l().plus(STAYS)));
    items.extend([
        once(row().tag(TagAction::Zero).carry_next(Next::One).l(OuterAction::Up)),
        // T: the significand is not 1.
        each(FRACTION, copy(fraction()).majority().tag(TagAction::Differ).up().rewind()),
        // The exponent, which is 1 where the field is 0, less the rows that the number went up, and 256.
        once(row().a(at(field, 0)).b(hidden).x(X::A).y(Y::NotB).majority().write(S.at(CHANGED))),
        once(chain(row().a(S.at(CHANGED)).b(stays).x(X::A).y(Y::B)).write(to).up()),
        each(LOG2 - 1, chain(row().a(field).b(stays).x(X::A).y(Y::B)).write(to).up()),
        each(EXCESS, chain(row().a(field).x(X::A).y(Y::NotB)).write(to).up().rewind()),
        once(row().write(at(to, 8)).clear_carry()),
        once(row().write(at(to, 9))),
        once(tag_out(row()).write(S.at(NOT_ONE))),
    ]);
    items
}

/// 34 rows of the sum, one row of a pass for each; J goes on.
fn short(row: Row) -> [Item; 3] {
    [each(M, row), each(FRACTION, row), each(EXCESS, row)]
}

/// T and C, and the direction, from a row; then T and C: whether it has changed. The key takes a constant.
fn turn(from: Row) -> Vec<Item> {
    let (direction, changed) = (S.at(DIRECTION), S.at(CHANGED));
    vec![
        once(from.tag(TagAction::A).clear_carry()),
        once(row().b(direction).y(Y::BXorT).write(changed)),
        once(row().x(X::One).y(Y::BXorT).not_sum().write(direction).carry_next(Next::NotSum)),
    ]
}

/// A step by the shift that I and the stride are.
fn step(on: bool) -> Vec<Item> {
    let (here, shifted) = (S.j().plus(PRODUCT), S.k().plus(PRODUCT));
    let less = row().a(here).x(X::A).y(Y::BXorT).carry_next(Next::Majority).write(here).up();
    let mut items = turn(row().a(at(fraction(), 23)));
    items.extend([
        each(M, less.b(shifted)),
        each(Count::StrideRest, less.b(shifted)),
        each(Count::Stride, less.rewind()),
        once(both(S.at(CHANGED)).take()),
    ]);
    let turned = residue(sum(S.j()), sum(S.j()));
    let last = turned.rewind();
    items.extend([each(M, turned), each(FRACTION, turned), each(EXCESS, if on { further(last) } else { last })]);
    items
}

/// Steps 1 to 25, of which 2, 4, 8 and 16 are taken twice. The sum in 42 rows, 0 of a significand of 1. I and the
/// stride become 1.
fn steps() -> Vec<Item> {
    let fill = constant().write(sum(S.j())).up();
    let mut items = vec![once(row().write(S.at(DIRECTION))), once(row().take())];
    items.extend([each(M, fill), each(FRACTION, fill), each(EXCESS, fill.rewind())]);
    items.extend(step(true));
    items.extend(step(false));
    items.push(outer(2, step(true)));
    items.extend(step(false));
    items.push(outer(LOG2 - 1, step(true)));
    items.extend(step(false));
    items.push(outer(M, step(true)));
    items.extend(step(false));
    items.push(outer(10, step(true)));
    items.push(once(row().a(S.at(NOT_ONE)).tag(TagAction::A).clear_carry()));
    items.extend(short(row().b(sum(S.j())).y(Y::TB).write(sum(S.j())).up()));
    items.push(once(row().a(at(sum(S.j()), 33)).tag(TagAction::A)));
    items.push(each(M, tag_out(row()).write(sum(S.j())).up().rewind()));
    items.push(outer(LOG2 - 1, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]));
    items
}

/// A turn for each bit of the exponent, and one for what they add up to beside it. L becomes 10.
fn exponent() -> Vec<Item> {
    let turned = residue(sum(S.j()), sum(S.j()));
    let mut items = turn(row().a(S.l().plus(EXPONENT)).l(OuterAction::Up));
    items.push(once(both(S.at(CHANGED)).take()));
    items.extend(short(turned));
    items.push(each(M, turned.rewind()));
    vec![outer(10, items)]
}

/// The sign; what is infinite; the magnitude, up until a 1 is on top.
fn magnitude() -> Vec<Item> {
    let (here, sign, stays) = (sum(S.j()), at(sum(S.j()), 41), S.l().plus(STAYS));
    let (top, far) = (S.j().plus(SUM + TOP), S.k().plus(SUM + TOP));
    let (finite, counts) = (flag(Flag::Finite), flag(Flag::NotZero));
    let absolute = chain(row().b(here).y(Y::BXorT)).write(here).up();
    let stage = |moved: Vec<Item>| {
        let fill = row().b(far).y(Y::TB).write(far).down().rewind();
        let mut items = vec![
            once(row().tag(TagAction::Zero)),
            // T: a 1 in the rows on top.
            each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
            once(tag_out(row()).write(stays).l(OuterAction::Down)),
        ];
        items.extend(moved);
        items.push(each(Count::Stride, fill.i(OffsetAction::Halve).stride(StrideAction::Halve)));
        items
    };
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let mut items = vec![
        once(row().clear_carry()),
        once(row().a(sign).tag(TagAction::A)),
        once(row().a(finite).x(X::A).tag(TagAction::And)),
        once(row().a(counts).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(Flag::Hidden))),
        once(row().a(finite).b(counts).x(X::A).y(Y::B).majority().write(finite)),
        once(both(sign)),
        each(M, absolute),
        each(FRACTION, absolute),
        each(M, absolute.rewind()),
        outer(
            LOG2,
            vec![once(row().clear_carry().i(OffsetAction::Double).stride(StrideAction::Double).l(OuterAction::Down))],
        ),
    ];
    // The rows that are left below 32.
    items.extend(stage(vec![each(EXCESS, moved), each(LOG2 - 1, moved)]));
    items.push(outer(LOG2, stage(vec![each(MORE, moved), each(Count::StrideRest, moved)])));
    items
}

/// The exponent, rounding, and the result.
fn result() -> Vec<Item> {
    let (here, field) = (sum(S.j()), D.j().plus(FRACTION));
    let more = chain(row().a(S.j().plus(STAYS)).x(X::A)).write(field).up();
    let below = row().b(here).y(Y::B).hold(HoldAction::Differ).up();
    let mut items = vec![
        // What stages have written is 63 less the distance up; the lowest row is that of 2⁻³¹, and the bias 127.
        each(EXCESS, more.y(Y::NotB)),
        each(EXCESS, more),
        once(chain(row().y(Y::NotB)).write(field).up()),
        once(row().write(field).rewind()),
        once(row().clear_carry()),
        once(row().a(at(here, TOP as u8)).x(X::A).write(flag(Flag::NotZero))),
        each(M, below),
        each(LOG2, below),
        once(below.rewind()),
    ];
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, TOP as u8 - 23), at(here, TOP as u8 - 24)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], rounded_rows(), field));
    items
}
