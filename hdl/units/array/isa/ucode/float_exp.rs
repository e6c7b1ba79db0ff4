//! Exponential functions of binary32, binary16 and bfloat16 numbers, by hyperbolic CORDIC (Walther, 1971) in the array.
//!
//! ```text
//!  a ─▶ special values ─▶ fixed point ─▶ less ± 2ʲ units, j = m … 0 ─▶ CORDIC steps ─▶ exponent ─▶ round ─▶ d
//! ```
//!
//! The unit is 1 for 2ᵃ and ln 2 for eᵃ. Range reduction and CORDIC are one algorithm: a residue becomes 0 by constants
//! that are added or subtracted by its sign. Those of the first m + 1 turns are units times powers of two, and their
//! directions are the bits of the result's exponent; behind them the residue is at most a unit. Those of further turns
//! are the arguments at which a factor 1 ± 2⁻ⁱ stands in the function, and multiply the significand. So both functions
//! are one program with different constants ([`Table::Power`], [`Table::Natural`]), and the significand is between 1/2
//! and 2.
//!
//! Fixed-point numbers have n + 5 bits behind the point and m in front of it, the residue a sign and two rows to spare.
//! Bits below are cut off, and numbers of less than 2⁻ⁿ⁺² count as 0. The significand has n + 6 bits behind the point
//! and 2 in front of it. Numbers from 2ᵐ on are taken for numbers from three quarters of that on, of binary16 from
//! seven eighths, which are as much too large, or too small.
//!
//! Behind the last step the significand, exponent and flags are where those of a quotient are, and so is what follows.
//! The mode's bits are in rows before constants take the key. T, C and H have the meanings that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::{F16, F32, Format};
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_div_round::rounded;
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_passes::{Passes, toward_zero};
use crate::array::isa::ucode::float_quotient_rows::{Flag, Place, distance, flag};
use crate::array::isa::ucode::float_round::Bits;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Where things are in a format's scratch rows.
#[derive(Clone, Copy)]
struct Places {
    passes: Passes,
    /// Bits of the fraction and of the exponent.
    fraction: i16,
    exponent: i16,
    /// Rows of the mode's bits: two of the direction of rounding, and whether subnormal results are flushed.
    mode: u8,
    /// The exponent's bit 0, and above it m + 1 bits that the first turns tell.
    digits: u8,
    /// The significand's lowest row. Its bit n + 5 is where the hidden bit of a quotient is.
    significand: i16,
    /// The residue's lowest row.
    residue: i16,
    /// Bits of the residue in front of and behind the point, without the sign and two rows to spare.
    residue_bits: i16,
}

/// Rows of the significand above those of n.
const MORE: i16 = 8;
/// Scratch rows.
const SCRATCH: Linear = linear(2, Term::None, 51);

impl Places {
    fn new(format: Format) -> Places {
        let (n, m) = (i16::from(format.n()), i16::from(format.m()));
        let own: &[i16] = match format {
            F32 => &[9, 13],
            F16 => &[6, 8, 9],
            _ => &[6, 9, 13],
        };
        // Binary32 has room for bits of the mode and the exponent below the significand, others have it above.
        let above = n + 1 + n + MORE;
        let (mode, residue) = if format == F32 { (13, above) } else { (above as u8, above + 3 + m + 2) };
        Places {
            passes: Passes { format, own },
            fraction: n - 3,
            exponent: m,
            mode,
            digits: mode + 3,
            significand: n + 1,
            residue,
            residue_bits: n + 5 + m,
        }
    }

    /// Where the significand of a number of 2ᵐ⁻¹ and more begins in the residue's rows, and how far up that is.
    fn aligned(self) -> (Address, i16) {
        let up = self.residue_bits - self.fraction - 1;
        (S.j().plus(self.residue + up), up)
    }

    /// An index of the significand's rows, and its bits by number from one below that of the hidden bit.
    fn bit(self, above: i16) -> Address {
        at(S.j().plus(self.significand), (self.fraction + 8 + above) as u8)
    }
}

/// The direction of a turn: 1 is minus.
const DIRECTION: Flag = Flag::Away;
/// It is another one than that of the turn before.
const CHANGED: Flag = Flag::Bounded;

/// d ← 2 or e to the power of a.
pub(super) fn exponential(opcode: Opcode) -> Operation {
    let table = if opcode == Opcode::FExp2 { Table::Power } else { Table::Natural };
    let program = |format: Format| {
        let places = Places::new(format);
        let mut body = operand(table, places);
        body.extend(fixed_point(places));
        body.extend(digits(places));
        body.extend(steps(places));
        body.extend(exponent(places));
        body.extend(rounded(Place::above_flags(), false, Bits::Rows(places.mode), false, false));
        Program::new(opcode.name(), body).i(1).z(places.residue_bits + 2)
    };
    of_wide_and_short(opcode, by_width!(2_673, 1_074, 977), SCRATCH, program)
}

/// Special values, the mode, the distance down.
fn operand(table: Table, places: Places) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let sign = at(field, places.exponent as u8);
    let (finite, nan) = (flag(Flag::Overflow), flag(Flag::NotANumber));
    let special = row().a(finite).b(sign).x(X::NotA).majority();
    let look = row().a(field).b(field).x(X::A).y(Y::NotB).majority();
    let bit = |at: u8| once(row().x(X::One).steer_x().write(S.at(places.mode + at)));
    vec![
        once(row().key_shift(1).point(table.of(places.passes.format))),
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

/// The magnitude with n + 5 bits behind the point. T is lost.
fn fixed_point(places: Places) -> Vec<Item> {
    let Places { passes, fraction, exponent, residue, residue_bits, .. } = places;
    let (field, rows, far) = (A.j().plus(FRACTION), S.j().plus(residue), S.k().plus(residue));
    let (top, carry, large) = (flag(Flag::Away), flag(Flag::Bounded), flag(Flag::Bounded));
    let (aligned, up) = places.aligned();
    // The distance is 2ᵐ⁻¹ + m − 2 less the exponent: its complement, m − 1, and the top bit complemented.
    let complement = chain(row().a(field).x(X::NotA)).up();
    let stages = passes.value(LOG2);
    let low = |bit: i16| {
        let low = complement.write(distance(S.j()));
        if (exponent - 1) >> bit & 1 == 1 { low.y(Y::NotB) } else { low }
    };
    let kept = row().a(far).b(rows).y(Y::TSelect).write(rows).up();
    let fill = row().b(rows).x(X::B).y(Y::TB).write(rows).up().rewind();
    let copied = |from: Address| row().b(from).y(Y::TB);
    // Rows below the fraction; those of it are written twice where one loop passes them anyway.
    let below = if up <= fraction { fraction } else { up };
    let mut items = if passes.format == F32 {
        vec![each(EXCESS, low(0)), once(low(3)), once(low(4))]
    } else {
        (0..stages).map(|bit| once(low(bit))).collect()
    };
    items.extend((stages..exponent - 1).map(|_| once(complement.tag(TagAction::Differ))));
    items.extend([
        once(complement.write(top).rewind()),
        // T: the distance is more than its low bits, so that nothing is left; then: it is not.
        once(row().write(carry).tag(TagAction::Differ).clear_carry()),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
        // Too large: the distance is negative.
        once(row().a(top).b(carry).x(X::NotA).y(Y::NotB).majority().write(large)),
    ]);
    items.extend(passes.back(below, row().write(rows).up()));
    items.extend([
        each(FRACTION, copied(A.j()).write(aligned).up().rewind()),
        once(copied(flag(Flag::HIDDEN_B)).write(at(aligned, fraction as u8))),
    ]);
    items.extend((1..4).map(|above| once(row().write(at(aligned, fraction as u8 + above)))));
    let mut stage = vec![once(row().a(distance(S.l())).tag(TagAction::A).l(OuterAction::Up))];
    stage.extend(passes.times(residue_bits - i16::from(passes.format.n()), kept, |row| row));
    stage.extend([
        each(Count::StrideRest, kept),
        each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
    ]);
    items.extend([outer(LOG2, stage), once(row().a(large).tag(TagAction::A))]);
    // More of them of short exponents, whose powers of 2 are not beyond all numbers by much.
    let first = if exponent < 8 { fraction - 2 } else { fraction - 1 } as u8;
    let ones = first..=fraction as u8;
    items.extend(ones.map(|bit| once(row().b(at(aligned, bit)).y(Y::Differ).write(at(aligned, bit)))));
    // I and the stride become 1.
    items.push(outer(LOG2, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]));
    items
}

/// A turn of the residue, by T and C, which are whether the direction has changed; then these are the next direction.
fn turn(places: Places, on: bool, shift: bool) -> Vec<Item> {
    let (direction, changed, rows) = (flag(DIRECTION), flag(CHANGED), S.j().plus(places.residue));
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

/// The turns by powers of two, from which the exponent's bits are. L is that of the stages before, and less by m + 1
/// behind it.
fn digits(places: Places) -> Vec<Item> {
    let direction = flag(DIRECTION);
    let sign = at(A.j().plus(FRACTION), places.exponent as u8);
    let (turns, first) = (places.exponent + 1, i16::from(places.digits) + places.exponent + 1);
    // T and C are the direction, and cancel.
    let record = tag_out(row().a(direction).x(X::NotA)).write(S.l().plus(first - places.passes.value(LOG2)));
    vec![
        once(row().a(sign).x(X::A).write(direction)),
        once(row().write(flag(CHANGED))),
        once(both(direction)),
        outer(turns, [vec![once(record.l(OuterAction::Down))], turn(places, true, false)].concat()),
    ]
}

/// A step of the significand, by T and C: more or less itself, shifted.
fn step(places: Places, last: bool) -> Vec<Item> {
    let (here, shifted) = (S.j().plus(places.significand), S.k().plus(places.significand));
    let sum = row().a(here).x(X::A).y(Y::BXorT).carry_next(Next::Majority).write(here).up();
    let mut items = places.passes.times(MORE, sum.b(shifted), |row| row);
    if !last {
        items.push(each(Count::StrideRest, sum.b(shifted)));
    }
    items.push(each(Count::Stride, sum.rewind()));
    items
}

/// The significand: a constant, then steps 1 to n, of which 4 and 13 are taken twice where another one follows them. I
/// and the stride become n.
fn steps(places: Places) -> Vec<Item> {
    let (passes, n) = (places.passes, i16::from(places.passes.format.n()));
    let to = S.j().plus(places.significand);
    // T and C are the direction, and cancel.
    let first = constant().y(Y::BXorT).write(to).up();
    let one = |on: bool| [step(places, false), turn(places, on, on)].concat();
    let mut items = vec![once(row().take())];
    items.extend(passes.back(n + MORE, first));
    items.push(outer(passes.count(3), one(true)));
    items.extend(one(false));
    if n > 14 {
        items.push(outer(passes.count(9), one(true)));
        items.extend(one(false));
        items.push(outer(passes.count(n - 13), one(true)));
    } else {
        items.push(outer(passes.count(n - 4), one(true)));
    }
    items.extend(step(places, true));
    items
}

/// The significand from 1 up, and its exponent. H: there are bits below the window. L becomes 0.
fn exponent(places: Places) -> Vec<Item> {
    let Places { passes, fraction, exponent, digits, significand, .. } = places;
    let (here, next) = (S.j().plus(significand), S.k().plus(significand));
    let (half, one, two, large) = (places.bit(0), places.bit(1), places.bit(2), S.at(digits));
    let down = row().a(next).b(here).y(Y::TSelect).majority().write(here).up();
    let below = row().b(here).y(Y::B).majority().hold(HoldAction::Differ).up();
    let digit = |at: Address| chain(row().a(at).x(X::A));
    let sums = digit(S.j().plus(i16::from(digits))).write(D.j()).up();
    // Halvings of n to 1, behind which L is 0.
    let (stages, turns) = (passes.value(LOG2), exponent + 1);
    let mut counted = toward_zero(stages - turns + stages - 1);
    let mut items = vec![
        once(row().tag(TagAction::Zero).clear_carry()),
        outer(LOG2 - 1, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve).l(OuterAction::Up))]),
        // T: it is 1 or more, and goes down by a row; 2 does so, too, and has the next exponent.
        counted(row().a(one).tag(TagAction::A)),
        counted(row().a(two).x(X::A).tag(TagAction::Differ)),
        counted(tag_out(row()).write(large).carry_next(Next::One)),
        // C: it is 1/2 or more. What is less, by the errors of the steps, becomes 1/2.
        once(chain(tag_out(row().a(half).x(X::A)))),
    ];
    items.extend(passes.back(fraction + MORE, down));
    items.extend(passes.back(MORE - 1, below));
    // Twice the digits, half of the bias, and less what a sum of m + 1 powers of two with signs is too much, and these
    // two.
    items.extend([
        once(row().a(two).carry_next(Next::AAndNotY)),
        each(EXCESS, sums.y(Y::NotB)),
        each(LOG2 - 1, sums.y(Y::NotB)),
        once(sums.rewind()),
        once(digit(S.at(digits + exponent as u8)).write(flag(Flag::TOP))),
        once(digit(S.at(digits + exponent as u8 + 1)).y(Y::NotB).write(flag(Flag::NEGATIVE))),
        once(row().clear_carry()),
    ]);
    items
}
