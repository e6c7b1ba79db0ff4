//! Arctangents of binary32, binary16 and bfloat16 numbers, in the array: CORDIC (Volder, 1959) that only turns as far
//! as the angle goes, and the rest of the angle as a quotient.
//!
//! ```text
//!  a ─▶ (1, a), or in a mirror (a, 1), over 2ᵏ ─▶ s steps ─▶ y / x
//!      ─▶ angles of the steps ─▶ mirror ─▶ up ─▶ round ─▶ d
//! ```
//!
//! The vector's slope is a, or with |a| ≥ 1 its reciprocal, which is a power of two over the significand: neither takes
//! a division. Step i turns the vector by arctan 2⁻ⁱ where y is not less than x · 2⁻ⁱ, so that steps which a small
//! angle does not take leave it exact, and its relative error is as small as that of others. Behind step s, which is
//! 12, 6 or 4, the angle is y / x but for a third of its cube. What a step turns by is added where it has turned: 1 in
//! a row of d for each step. Lengths of vectors have no part in this, so that no gain is taken back.
//!
//! All numbers have n − 1 + s bits behind the point. x goes to other rows in every step, y stays. The quotient is that
//! of
//! [`float_div`], and takes rows that y leaves at the top; angles are added there, in as many rows as they may have by
//! then ([`Table::Arctangent`]); that of the mirror comes as rows of the program. Operands below 2⁻ˢ are their
//! arctangents; subnormal ones are zeros if operands or results are flushed. T, C and H have the meanings that comments
//! give them.
//!
//! [`float_div`]: super::float_div

use crate::array::isa::constants::{Table, arctangent_steps};
use crate::array::isa::format::{F16, F32, Format};
use crate::array::isa::linear::{LOG2, Linear, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, further};
use crate::array::isa::ucode::float_div::bits;
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_passes::Passes;
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
/// Where x is before steps 1, 3, 5 and so on; behind it, where it is before the others, and y.
const ODD: i16 = DISTANCE as i16 + 5;
/// Scratch rows.
const SCRATCH: Linear = linear(3, Term::None, 56);

/// Where things are in a format's rows.
#[derive(Clone, Copy)]
struct Places {
    passes: Passes,
    n: i16,
    fraction: i16,
    exponent: u8,
    /// Steps of CORDIC.
    steps: i16,
    /// Bits behind the point.
    behind: i16,
    /// Rows of x: two in front of the point. y has as many.
    bits: i16,
    even: i16,
    slope: i16,
    /// The angle, which begins in the row of the quotient's last bit.
    angle: i16,
    /// Bits of the quotient.
    quotient: i16,
    /// Stages in which the angle goes up.
    stages: i16,
    /// The lowest row that is rounded, by number from the angle's.
    below: u8,
}

impl Places {
    fn new(format: Format) -> Places {
        let n = i16::from(format.n());
        let steps = arctangent_steps(format.n()) as i16;
        let own: &[i16] = match format {
            F32 => &[4, 6, 13, 25],
            F16 => &[7, 12],
            _ => &[2, 5, 9],
        };
        let (behind, bits) = (n - 1 + steps, n + 1 + steps);
        Places {
            passes: Passes { format, own },
            n,
            fraction: n - 3,
            exponent: format.m(),
            steps,
            behind,
            bits,
            even: ODD + bits,
            slope: ODD + 2 * bits,
            angle: ODD + 2 * bits + 2,
            quotient: n - 1,
            stages: if format == F32 { 4 } else { 3 },
            below: (steps + 1) as u8,
        }
    }

    fn slope(self, index: Address) -> Address {
        index.plus(self.slope)
    }

    /// The angle's row of 1: numbers of rows are not more than 127 beside n.
    fn top(self) -> Linear {
        linear(1, Term::None, self.angle + self.behind - self.n)
    }

    /// Rows of a vector beside those that n less a stride counts.
    fn more(self) -> i16 {
        self.bits - self.n
    }

    /// The exponent of the least number that is not its arctangent.
    fn least(self) -> u8 {
        (1 << (self.exponent - 1)) - 1 - self.steps as u8
    }
}

/// d ← the angle whose tangent is a.
pub(super) fn arctangent() -> Operation {
    let program = |format: Format| {
        let places = Places::new(format);
        let (even, steps) = (places.even, places.steps);
        let mut body = operand(places);
        body.extend(vector(places));
        let two = [step(places, ODD, even), step(places, even, ODD)].concat();
        body.push(outer(places.passes.count(steps / 2), two));
        let here = S.k().plus(places.slope - 2 - steps);
        body.extend(bits(Linear::constant(places.quotient), here, S.j().plus(ODD + steps), N));
        body.extend(sum(places));
        body.extend(up(places));
        body.extend(result(places));
        Program::new("fatan", body).i(places.behind - places.fraction).z(places.quotient)
    };
    of_wide_and_short(Opcode::FAtan, by_width!(3_004, 927, 610), SCRATCH, program)
}

/// What the operand is, whether the vector stands in a mirror, and how far y goes down. L becomes the distance's first
/// row, of binary32. T: there is no mirror. H: y is too far down.
fn operand(places: Places) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let (exponent, stages) = (places.exponent, places.passes.value(LOG2) as u8);
    let (mut items, mut rows) = ratio::operand(exponent, places.least(), |_, row| row);
    rows.extend(not_less(exponent, (1 << (exponent - 1)) - 1));
    rows.extend([row().write(S.at(STEEP)), row().not_sum().tag(TagAction::W)]);
    // The exponent less the bias, or its negative.
    let distance = |bit: u8| row().b(at(field, bit)).y(Y::BXorT);
    rows.extend((0..stages).map(|bit| chain(distance(bit)).write(S.at(DISTANCE + bit))));
    rows.extend((stages..exponent - 1).map(|bit| chain(distance(bit)).hold(HoldAction::Differ)));
    if let Some(last) = rows.last_mut() {
        // The last row of the exponent that counts leaves no carry.
        *last = last.clear_carry();
    }
    if places.passes.format == F32 {
        rows[..usize::from(DISTANCE)].iter_mut().for_each(|row| *row = row.l(OuterAction::Up));
    }
    items.extend(rows.into_iter().map(once));
    items
}

/// The vector. I becomes 1, C 1.
fn vector(places: Places) -> Vec<Item> {
    let (passes, more) = (places.passes, places.more());
    let (x, y) = (S.j().plus(ODD), places.slope(S.j()));
    let zeros = |to: Address| [each(more, row().write(to).up()), once(row().write(to).rewind())];
    let [one, top] = [0, 1].map(|above| places.behind as u8 + above);
    let distance = if passes.format == F32 { S.l() } else { S.l().plus(i16::from(DISTANCE)) };
    let fraction = row().b(A.j()).y(Y::TB);
    // Infinity's reciprocal is 0.
    let lead = row().b(flag(Flag::Finite)).x(X::NotH).y(Y::B).majority().write(at(y, one));
    let kept = row().a(places.slope(S.k())).b(y).y(Y::TSelect).write(y).up();
    let fill = row().b(y).x(X::B).y(Y::TB).write(y).up().rewind();
    let halve = |row: Row| row.i(OffsetAction::Halve);
    let mut items = Vec::from(zeros(x));
    items.extend(zeros(y));
    items.extend([
        each(FRACTION, fraction.write(places.slope(S.k())).up().rewind()),
        each(FRACTION, fraction.x(X::B).write(S.k().plus(ODD)).up().rewind()),
    ]);
    // I, the bits behind the point that are no fraction's, becomes 1.
    let halvings = (places.behind - places.fraction).ilog2() as usize;
    let ends = [lead, row().write(at(y, top)), row().write(at(x, top)), row().x(X::One).write(at(x, one))];
    items.extend(ends.into_iter().enumerate().map(|(end, row)| once(if end < halvings { halve(row) } else { row })));
    items.extend([
        outer(
            LOG2,
            vec![
                once(row().a(distance).tag(TagAction::A).l(OuterAction::Up)),
                each(more, kept),
                each(Count::StrideRest, kept),
                each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
            ],
        ),
        outer(LOG2, vec![once(halve(row().stride(StrideAction::Halve)))]),
        once(row().carry_next(Next::One).point(Table::Arctangent.of(passes.format))),
    ]);
    items
}

/// A step from and to these rows of x. C is 1 before and behind it. Behind step i y has i rows less than x; one more is
/// passed. L counts steps.
fn step(places: Places, from: i16, to: i16) -> Vec<Item> {
    let (x, y, more) = (S.k().plus(from), places.slope(S.j()), places.more());
    let less = chain(row().a(y).x(X::A).y(Y::NotB)).up();
    let longer = chain(row().a(S.j().plus(from)).x(X::A).y(Y::TB)).write(S.j().plus(to)).up();
    let lower = chain(row().a(y).x(X::A).y(Y::NotTB)).write(y).up();
    let shifted = |row: Row, other: Address| [each(more, row.b(other)), each(Count::StrideRest, row.b(other))];
    let mut items = Vec::from(shifted(less, x));
    // T: y is not less.
    let turns = row().a(y).x(X::A).y(Y::NotB).majority().tag(TagAction::W).write(D.l()).l(OuterAction::Up);
    items.push(once(turns.clear_carry().rewind()));
    items.extend(shifted(longer, places.slope(S.k())));
    items.extend([each(Count::Stride, longer.rewind()), once(row().carry_next(Next::One))]);
    items.extend(shifted(lower, x));
    items.push(once(further(lower.rewind())));
    items
}

/// The angles of all steps, the last one first, then that of the mirror less these. A sum is less than the angle that
/// comes next. I and the stride become those of the first stage, L its number.
fn sum(places: Places) -> Vec<Item> {
    let (behind, stages) = (places.behind, places.stages);
    let here = S.j().plus(places.angle);
    let turned = row().a(D.l()).tag(TagAction::A).l(OuterAction::Down).clear_carry().take();
    let carry = row().write(here).rewind().z(TriangleAction::Up);
    let add = each(Count::Triangle, constant_added(here));
    let mut rows = vec![both(S.at(STEEP)).hold_next(Next::AAndNotY)];
    let right = (std::f64::consts::FRAC_PI_2 * (1u64 << behind) as f64).round() as u64;
    rows.extend((0..=behind).map(|bit| {
        let row = row().x(if right >> bit & 1 == 1 { X::H } else { X::Zero }).y(Y::BXorT);
        // The angle is less than 1.
        chain(if bit < behind { row.b(here) } else { row }).write(here).up()
    }));
    rows.push(row().hold_next(Next::One).clear_carry().rewind());
    // I is the next step less the quotient's bits, the stride the next step, L the row before the first step's.
    let next = places.steps + 1;
    let before = places.passes.value(LOG2) - 1 + if places.passes.format == F32 { i16::from(DISTANCE) } else { 0 };
    let i = ((1 << (stages - 1)) + places.quotient - next) as usize;
    let (l, down) = ((before - (stages - 1)) as usize, next.ilog2() as usize);
    rows[..i].iter_mut().for_each(|row| *row = row.i(OffsetAction::Up));
    rows[..l].iter_mut().for_each(|row| *row = row.l(OuterAction::Down));
    rows[..down].iter_mut().for_each(|row| *row = row.stride(StrideAction::Halve));
    rows[down..down + stages as usize - 1].iter_mut().for_each(|row| *row = row.stride(StrideAction::Double));
    let turn = vec![once(turned), add, once(carry)];
    let two = [turn.clone(), turn].concat();
    let mut items = vec![once(row().l(OuterAction::Down)), outer(places.passes.count(places.steps / 2), two)];
    items.extend(rows.into_iter().map(once));
    items
}

/// Up until a 1 is on top, by at most s + 1 rows, and the exponent's bits in d, as the bias less that. C is 0, and I
/// becomes 0.
fn up(places: Places) -> Vec<Item> {
    let Places { passes, stages, exponent, .. } = places;
    let (top, far, field) = (S.j().plus(places.top()), S.k().plus(places.top()), D.j().plus(FRACTION));
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    // As many rows are rounded as the quotient has bits, and come from as far below as all stages but the first go.
    let more = if passes.format == F32 { 5 } else { 3 };
    let mut stage = vec![
        once(row().tag(TagAction::Zero)),
        // T: a 1 in the rows on top.
        each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(D.l().plus(FRACTION)).l(OuterAction::Down)),
    ];
    stage.push(each(places.quotient, moved));
    let last = |row: Row| row.rewind().i(OffsetAction::Halve).stride(StrideAction::Halve);
    stage.extend(passes.times(more, moved, last));
    let mut items = vec![outer(passes.count(stages), stage)];
    items.extend((stages as u8..exponent - 1).map(|bit| once(row().x(X::One).write(at(field, bit)))));
    items.push(once(row().write(at(field, exponent - 1))));
    items
}

/// Rounding, and the result, or the operand in its place. H: no such angle ends.
fn result(places: Places) -> Vec<Item> {
    let (here, below) = (S.j().plus(places.angle), places.below);
    let mut items = vec![once(row().x(X::One).write(flag(Flag::Finite)))];
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, below + 1), at(here, below)));
    let rounded = S.j().plus(places.angle + i16::from(below) + 1);
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], rounded, D.j().plus(FRACTION)));
    items.extend(operand_instead(SMALL));
    items
}
