//! Logarithms of binary32, binary16 and bfloat16 numbers, in the array: the significand becomes 1 by factors 1 ± 2⁻ⁱ,
//! whose logarithms are summed (Walther, 1971), and the exponent's bits add theirs.
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
//! The significand has n + 7 bits behind the point and one in front of it, the sum n + 5 and 2 with a sign, and with
//! the exponent m + 1 and a sign. The sum's magnitude goes up until a 1 is on top, by as many rows at first as a number
//! has bits; it is rounded there.
//!
//! The exponent is in d, and so is how far numbers go up: its result is written last.
//!
//! The mode's bits are in rows before constants take the key. T, C and H have the meanings that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::{F16, F32, Format};
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_div::{strides, up};
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_passes::{Passes, toward_zero};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
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
/// What stages write, six rows of d behind the exponent's.
const STAYS: i16 = 10;
/// The significand's lowest row.
const PRODUCT: i16 = 12;
/// Rows of the significand below those of the operand.
const BELOW: i16 = 10;
/// Rows of the significand, and of the sum of the steps, above those of n.
const MORE: i16 = 8;
/// Rows that are left of the magnitude where it has gone up by as many as a number has bits.
const LEFT: i16 = 7;
/// Scratch rows.
const SCRATCH: Linear = linear(2, Term::M, PRODUCT + 2 * MORE);

/// What a format makes of it.
#[derive(Clone, Copy)]
struct Places {
    passes: Passes,
    n: i16,
    /// Bits of the fraction and of the exponent.
    fraction: u8,
    exponent: i16,
    /// The sum's lowest row.
    sum: i16,
    /// The highest row of the sum's magnitude, by number from there.
    top: i16,
}

impl Places {
    fn new(format: Format) -> Places {
        let (n, m) = (i16::from(format.n()), i16::from(format.m()));
        let own: &[i16] = match format {
            F32 => &[2, 10, 13],
            F16 => &[2, 8],
            _ => &[2, 13],
        };
        let passes = Passes { format, own };
        Places { passes, n, fraction: format.fraction, exponent: m, sum: PRODUCT + n + MORE, top: n + m + 4 }
    }

    /// The sum.
    fn sum(self, index: Address) -> Address {
        index.plus(self.sum)
    }

    /// Rows of the sum while the significand's steps are added.
    fn short(self) -> i16 {
        self.n + MORE
    }

    /// The number, whose rows are those from the lowest one of the operand on, by its leading bit.
    fn lead(self) -> Address {
        at(fraction(), self.fraction)
    }
}

/// The significand from its top row.
fn product_top(index: Address) -> Address {
    index.plus(linear(1, Term::None, PRODUCT + MORE - 1))
}

/// The operand's fraction among the significand's rows; the hidden bit follows.
fn fraction() -> Address {
    S.j().plus(PRODUCT + BELOW)
}

/// d ← the binary or natural logarithm of a.
pub(super) fn logarithm(opcode: Opcode) -> Operation {
    let table = if opcode == Opcode::FLog2 { Table::BinaryLogarithm } else { Table::NaturalLogarithm };
    let program = |format: Format| {
        let places = Places::new(format);
        let mut body = sqrt::operand(false, Some(fraction()), false);
        body.extend(significand(table, places));
        body.extend(steps(places));
        body.push(exponent(places));
        body.extend(magnitude(places));
        body.extend(result(places));
        Program::new(opcode.name(), body).i(1)
    };
    of_wide_and_short(opcode, by_width!(3_326, 1_329, 1_200), SCRATCH, program)
}

/// The significand, a 1 on top; the exponent's bits; the mode.
fn significand(table: Table, places: Places) -> Vec<Item> {
    let top = places.exponent as u8;
    // The exponent is in d, ten rows, of which the last one is 0.
    let (field, to) = (A.j().plus(FRACTION), D.j());
    let (hidden, stays) = (flag(Flag::Hidden), D.j().plus(STAYS));
    let bit = |at: u8| once(row().x(X::One).steer_x().write(S.at(MODE + at)));
    let copy = |from: Address| row().a(from).x(X::A);
    let mut items = vec![once(row().tag(TagAction::Zero).point(table.of(places.passes.format))), bit(0), bit(1)];
    items.extend(places.passes.back(BELOW, row().write(S.j().plus(PRODUCT)).up()));
    items.extend([once(copy(hidden).write(places.lead())), strides()]);
    items.extend(up(product_top, S, D.l().plus(STAYS)));
    items.extend([
        once(row().tag(TagAction::Zero).carry_next(Next::One).l(OuterAction::Up)),
        // T: the significand is not 1.
        each(FRACTION, copy(fraction()).majority().tag(TagAction::Differ).up().rewind()),
        // The exponent, which is 1 where the field is 0, less the rows that the number went up, and 2ᵐ.
        once(row().a(at(field, 0)).b(hidden).x(X::A).y(Y::NotB).majority().write(S.at(CHANGED))),
        once(chain(row().a(S.at(CHANGED)).b(stays).x(X::A).y(Y::B)).write(to).up()),
        each(LOG2 - 1, chain(row().a(field).b(stays).x(X::A).y(Y::B)).write(to).up()),
        each(EXCESS, chain(row().a(field).x(X::A).y(Y::NotB)).write(to).up().rewind()),
        once(row().write(at(to, top)).clear_carry()),
        once(row().write(at(to, top + 1))),
        once(tag_out(row()).write(S.at(NOT_ONE))),
    ]);
    items
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
fn step(places: Places, on: bool) -> Vec<Item> {
    let (here, shifted) = (S.j().plus(PRODUCT), S.k().plus(PRODUCT));
    let less = row().a(here).x(X::A).y(Y::BXorT).carry_next(Next::Majority).write(here).up();
    let mut items = turn(row().a(places.lead()));
    items.extend(places.passes.times(MORE, less.b(shifted), |row| row));
    items.extend([
        each(Count::StrideRest, less.b(shifted)),
        each(Count::Stride, less.rewind()),
        once(both(S.at(CHANGED)).take()),
    ]);
    let turned = residue(places.sum(S.j()), places.sum(S.j()));
    let last = |row: Row| if on { further(row.rewind()) } else { row.rewind() };
    items.extend(places.passes.times(places.short(), turned, last));
    items
}

/// Steps 1 to n − 1, of which 2, 4, 8 and 16 are taken twice. The sum in all its rows, 0 of a significand of 1. I and
/// the stride become 1.
fn steps(places: Places) -> Vec<Item> {
    let (passes, n, sum) = (places.passes, places.n, places.sum(S.j()));
    let mut items = vec![once(row().write(S.at(DIRECTION))), once(row().take())];
    items.extend(passes.back(places.short(), constant().write(sum).up()));
    items.extend(step(places, true));
    items.extend(step(places, false));
    let mut first = 2;
    for twice in [4, 8, 16].into_iter().filter(|&twice| twice < n) {
        items.push(outer(passes.count(twice - first), step(places, true)));
        items.extend(step(places, false));
        first = twice;
    }
    items.push(outer(passes.count(n - first), step(places, true)));
    items.push(once(row().a(S.at(NOT_ONE)).tag(TagAction::A).clear_carry()));
    items.extend(passes.times(places.short(), row().b(sum).y(Y::TB).write(sum).up(), |row| row));
    items.push(once(row().a(at(sum, (places.short() - 1) as u8)).tag(TagAction::A)));
    items.push(each(M, tag_out(row()).write(sum).up().rewind()));
    items.push(outer(LOG2 - 1, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]));
    items
}

/// A turn for each bit of the exponent, and one for what they add up to beside it. L becomes m + 2.
fn exponent(places: Places) -> Item {
    let sum = places.sum(S.j());
    let turned = residue(sum, sum);
    let mut items = turn(row().a(D.l()).l(OuterAction::Up));
    items.push(once(both(S.at(CHANGED)).take()));
    items.extend(places.passes.times(places.short(), turned, |row| row));
    items.push(each(M, turned.rewind()));
    outer(places.passes.count(places.exponent + 2), items)
}

/// The sign; what is infinite; the magnitude, up until a 1 is on top.
fn magnitude(places: Places) -> Vec<Item> {
    let Places { passes, n, exponent, .. } = places;
    let (here, stays) = (places.sum(S.j()), D.l().plus(STAYS));
    let sign = at(here, (places.short() + exponent - 1) as u8);
    let (top, far) = (S.j().plus(places.sum + places.top), S.k().plus(places.sum + places.top));
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
    // L is that of the first stage behind it.
    let stages = passes.value(LOG2);
    let mut counted = toward_zero(exponent + 2 - 2 * stages);
    let mut items = vec![
        counted(row().clear_carry()),
        counted(row().a(sign).tag(TagAction::A)),
        counted(row().a(finite).x(X::A).tag(TagAction::And)),
        once(row().a(counts).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(Flag::Hidden))),
        once(row().a(finite).b(counts).x(X::A).y(Y::B).majority().write(finite)),
        once(both(sign)),
    ];
    items.extend(passes.back(places.top + 1, absolute));
    items.push(outer(
        LOG2,
        vec![once(row().clear_carry().i(OffsetAction::Double).stride(StrideAction::Double).l(OuterAction::Down))],
    ));
    items.extend(stage(passes.times(LEFT, moved, |row| row)));
    let mut rows = passes.times(places.top + 1 - n, moved, |row| row);
    rows.push(each(Count::StrideRest, moved));
    items.push(outer(LOG2, stage(rows)));
    items
}

/// The exponent, rounding, and the result.
fn result(places: Places) -> Vec<Item> {
    let Places { passes, fraction, exponent, top, .. } = places;
    let (here, field) = (places.sum(S.j()), D.j().plus(FRACTION));
    let more = chain(row().a(D.j().plus(STAYS)).x(X::A)).write(field).up();
    let below = row().b(here).y(Y::B).hold(HoldAction::Differ).up();
    let lowest = (top - i16::from(fraction)) as u8;
    // What stages have written is 2ᵏ − 1 less the distance up, with k stages; the top row has the weight 2ᵐ⁻¹.
    let stages = passes.value(LOG2) + 1;
    let bias = (1 << (exponent - 1)) - 1;
    let constant = bias + exponent - 1 - ((1 << stages) - 1);
    let mut items = if passes.format == F32 {
        vec![
            each(EXCESS, more.y(Y::NotB)),
            each(EXCESS, more),
            once(chain(row().y(Y::NotB)).write(field).up()),
            once(row().write(field).rewind()),
        ]
    } else {
        let bit = |at: i16| {
            let from = if at < stages { more } else { chain(row()).write(field).up() };
            if constant >> at & 1 == 1 { from.y(Y::NotB) } else { from }
        };
        let rows = (0..exponent).map(|at| if at == exponent - 1 { bit(at).rewind() } else { bit(at) });
        rows.map(once).collect()
    };
    items.extend([once(row().clear_carry()), once(row().a(at(here, top as u8)).x(X::A).write(flag(Flag::NotZero)))]);
    items.extend(passes.times(i16::from(lowest) - 2, below, |row| row));
    items.push(once(below.rewind()));
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, lowest), at(here, lowest - 1)));
    let rounded = S.j().plus(places.sum + i16::from(lowest));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], rounded, field));
    items
}
