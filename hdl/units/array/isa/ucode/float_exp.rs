//! Exponential functions of binary32 numbers, by hyperbolic CORDIC (Walther, 1971) in the array.
//!
//! ```text
//!  a ─▶ special values ─▶ fixed point ─▶ less ± 2ʲ units, j = 8 … 0 ─▶ CORDIC steps ─▶ exponent ─▶ round ─▶ d
//! ```
//!
//! The unit is 1 for 2ᵃ and ln 2 for eᵃ. Range reduction and CORDIC are one algorithm: a residue becomes 0 by constants
//! that are added or subtracted by its sign. Those of the first nine turns are units times powers of two, and their
//! directions are the bits of the result's exponent; behind them the residue is at most a unit. Those of further turns
//! are the arguments at which a factor 1 ± 2⁻ⁱ stands in the function, and multiply the significand. So both functions
//! are one program with different constants ([`Table::Power`], [`Table::Natural`]), and the significand is between 1/2
//! and 2.
//!
//! Fixed-point numbers have 31 bits behind the point and 8 in front of it, the residue a sign and two rows to spare.
//! Bits below are cut off, and numbers of less than 2⁻²⁴ count as 0. The significand has 32 bits behind the point and 2
//! in front of it. Numbers from 256 on are taken for numbers from 192 on, which are as much too large, or too small.
//!
//! Behind the last step the significand, exponent and flags are where those of a quotient are, and so is what follows.
//! The mode's bits are in rows before constants take the key. T, C and H have the meanings that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::F32;
use crate::array::isa::linear::{EXCESS, LOG2, M, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_div_round::rounded;
use crate::array::isa::ucode::float_operation::of_binary32;
use crate::array::isa::ucode::float_quotient_rows::{Flag, distance, flag};
use crate::array::isa::ucode::float_round::Bits;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Rows of the mode's bits: two of the direction of rounding, and whether subnormal results are flushed.
pub(super) const MODE: u8 = 13;
/// The exponent's bit 0, and above it nine bits that the first turns tell.
const DIGITS: u8 = 16;
/// The significand's lowest row. Its bit 31 is where the hidden bit of a quotient is.
const SIGNIFICAND: i16 = 27;
/// Rows of the significand.
const BITS: i16 = 34;
/// The residue's lowest row.
pub(super) const RESIDUE: i16 = SIGNIFICAND + BITS;
/// Bits of the residue in front of and behind the point, without the sign and two rows to spare.
pub(super) const RESIDUE_BITS: i16 = 39;
/// Scratch rows.
const SCRATCH: i16 = RESIDUE + RESIDUE_BITS + 3;

/// The direction of a turn: 1 is minus.
const DIRECTION: Flag = Flag::Away;
/// It is another one than that of the turn before.
const CHANGED: Flag = Flag::Bounded;

/// Where the significand of a number of 2⁷ and more begins in the residue's rows.
fn aligned() -> Address {
    S.j().plus(RESIDUE + RESIDUE_BITS - 24)
}

/// d ← 2 or e to the power of a.
pub(super) fn exponential(opcode: Opcode) -> Operation {
    let table = if opcode == Opcode::FExp2 { Table::Power } else { Table::Natural };
    let mut body = operand(table);
    body.extend(fixed_point());
    body.extend(digits());
    body.extend(steps());
    body.extend(exponent());
    body.extend(rounded(false, Bits::Rows(MODE), false, false));
    of_binary32(opcode, |_, _| CYCLES, SCRATCH, Program::new(opcode.name(), body).i(1).z(N + 15))
}

const CYCLES: i64 = 2_673;

/// Special values, the mode, the distance down.
fn operand(table: Table) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let sign = at(field, F32.exponent);
    let (finite, nan) = (flag(Flag::Overflow), flag(Flag::NotANumber));
    let special = row().a(finite).b(sign).x(X::NotA).majority();
    let look = row().a(field).b(field).x(X::A).y(Y::NotB).majority();
    let bit = |at: u8| once(row().x(X::One).steer_x().write(S.at(MODE + at)));
    vec![
        once(row().key_shift(1).point(table.address(32))),
        bit(0),
        bit(1),
        bit(2),
        // T: a 0 in the exponent, H: a 1; then T: a 1 in the fraction.
        each(M, look.tag(TagAction::Differ).hold(HoldAction::Differ).up().rewind()),
        once(tag_out(row()).write(finite).tag(TagAction::Zero)),
        once(row().x(X::H).write(flag(Flag::HIDDEN_B)).hold(HoldAction::Zero)),
        each(FRACTION, row().a(A.j()).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(row().a(finite).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(nan).tag(TagAction::Zero)),
        once(special.y(Y::NotB).write(flag(Flag::Infinite))),
        once(special.y(Y::B).write(flag(Flag::Zero))),
        once(row().write(flag(Flag::Sign))),
    ]
}

/// The magnitude with 31 bits behind the point. T is lost.
fn fixed_point() -> Vec<Item> {
    let (field, rows, far) = (A.j().plus(FRACTION), S.j().plus(RESIDUE), S.k().plus(RESIDUE));
    let (top, carry, large) = (flag(Flag::Away), flag(Flag::Bounded), flag(Flag::Bounded));
    // The distance is 134 less the exponent: its complement, 7, and the top bit complemented.
    let complement = chain(row().a(field).x(X::NotA)).up();
    let low = complement.write(distance(S.j()));
    let kept = row().a(far).b(rows).y(Y::TSelect).write(rows).up();
    let fill = row().b(rows).x(X::B).y(Y::TB).write(rows).up().rewind();
    let copied = |from: Address| row().b(from).y(Y::TB);
    let mut items = vec![
        each(EXCESS, low.y(Y::NotB)),
        once(low),
        once(low),
        once(complement.tag(TagAction::Differ)),
        once(complement.tag(TagAction::Differ)),
        once(complement.write(top).rewind()),
        // T: the distance is more than its low bits, so that nothing is left; then: it is not.
        once(row().write(carry).tag(TagAction::Differ).clear_carry()),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
        // Too large: the distance is negative.
        once(row().a(top).b(carry).x(X::NotA).y(Y::NotB).majority().write(large)),
        each(FRACTION, row().write(rows).up().rewind()),
        each(FRACTION, copied(A.j()).write(aligned()).up().rewind()),
        once(copied(flag(Flag::HIDDEN_B)).write(at(aligned(), 23))),
        once(row().write(at(aligned(), 24))),
        once(row().write(at(aligned(), 25))),
        once(row().write(at(aligned(), 26))),
        outer(
            LOG2,
            vec![
                once(row().a(distance(S.l())).tag(TagAction::A).l(OuterAction::Up)),
                each(RESIDUE_BITS - i16::from(F32.n()), kept),
                each(Count::StrideRest, kept),
                each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
            ],
        ),
        once(row().a(large).tag(TagAction::A)),
    ];
    items.extend([22, 23].map(|bit| once(row().b(at(aligned(), bit)).y(Y::Differ).write(at(aligned(), bit)))));
    // I and the stride become 1.
    items.push(outer(LOG2, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]));
    items
}

/// A turn of the residue, by T and C, which are whether the direction has changed; then these are the next direction.
fn turn(on: bool, shift: bool) -> Vec<Item> {
    let (direction, changed, rows) = (flag(DIRECTION), flag(CHANGED), S.j().plus(RESIDUE));
    let top = constant().b(rows).y(Y::BXorT).write(rows).tag(TagAction::W).clear_carry().rewind();
    let top = if on { top.z(TriangleAction::Down) } else { top };
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        once(both(changed).take()),
        each(Count::Triangle, residue(rows, rows)),
        once(if shift { further(top) } else { top }),
        once(row().y(Y::BXorT).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

/// The turns by powers of two, from which the exponent's bits are. L is 5 before and −4 behind it.
fn digits() -> Vec<Item> {
    let direction = flag(DIRECTION);
    let sign = at(A.j().plus(FRACTION), F32.exponent);
    // T and C are the direction, and cancel.
    let record = tag_out(row().a(direction).x(X::NotA)).write(S.l().plus(i16::from(DIGITS) + 4));
    vec![
        once(row().a(sign).x(X::A).write(direction)),
        once(row().write(flag(CHANGED))),
        once(both(direction)),
        outer(9, [vec![once(record.l(OuterAction::Down))], turn(true, false)].concat()),
    ]
}

/// A step of the significand, by T and C: more or less itself, shifted.
fn step(last: bool) -> Vec<Item> {
    let (here, shifted) = (S.j().plus(SIGNIFICAND), S.k().plus(SIGNIFICAND));
    let sum = row().a(here).x(X::A).y(Y::BXorT).carry_next(Next::Majority).write(here).up();
    let mut items = vec![each(M, sum.b(shifted))];
    if !last {
        items.push(each(Count::StrideRest, sum.b(shifted)));
    }
    items.push(each(Count::Stride, sum.rewind()));
    items
}

/// The significand: a constant, then steps 1 to 26, of which 4 and 13 are taken twice. I and the stride become 26.
fn steps() -> Vec<Item> {
    let to = S.j().plus(SIGNIFICAND);
    // T and C are the direction, and cancel.
    let first = constant().y(Y::BXorT).write(to).up();
    let one = |on: bool| [step(false), turn(on, on)].concat();
    let mut items = vec![once(row().take()), each(M, first), each(FRACTION, first), each(EXCESS, first.rewind())];
    items.push(outer(EXCESS, one(true)));
    items.extend(one(false));
    items.push(outer(9, one(true)));
    items.extend(one(false));
    items.push(outer(RESIDUE_BITS - i16::from(F32.n()), one(true)));
    items.extend(step(true));
    items
}

/// The significand from 1 up, and its exponent. H: there are bits below the window. L becomes 0.
fn exponent() -> Vec<Item> {
    let (here, next) = (S.j().plus(SIGNIFICAND), S.k().plus(SIGNIFICAND));
    let (one, two, large) = (at(here, 32), at(here, 33), S.at(DIGITS));
    let down = row().a(next).b(here).y(Y::TSelect).majority().write(here).up();
    let below = row().b(here).y(Y::B).majority().hold(HoldAction::Differ).up();
    let digit = |at: Address| chain(row().a(at).x(X::A));
    let digits = digit(S.j().plus(i16::from(DIGITS))).write(D.j()).up();
    vec![
        once(row().tag(TagAction::Zero).clear_carry()),
        outer(LOG2 - 1, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve).l(OuterAction::Up))]),
        // T: it is 1 or more, and goes down by a row; 2 does so, too, and has the next exponent.
        once(row().a(one).tag(TagAction::A)),
        once(row().a(two).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).write(large).carry_next(Next::One)),
        // C: it is 1/2 or more. What is less, by the errors of the steps, becomes 1/2.
        once(chain(tag_out(row().a(at(here, 31)).x(X::A)))),
        each(FRACTION, down),
        each(M, down.rewind()),
        each(EXCESS, below),
        each(LOG2 - 1, below.rewind()),
        // Twice the digits, 126 and the bias of a sum of nine powers of two with signs, which is 511, and these two.
        once(row().a(two).carry_next(Next::AAndNotY)),
        each(EXCESS, digits.y(Y::NotB)),
        each(LOG2 - 1, digits.y(Y::NotB)),
        once(digits.rewind()),
        once(digit(S.at(DIGITS + 8)).write(flag(Flag::TOP))),
        once(digit(S.at(DIGITS + 9)).y(Y::NotB).write(flag(Flag::NEGATIVE))),
        once(row().clear_carry()),
    ]
}
