//! Hyperbolic tangents of binary16 and bfloat16 numbers, in the array: the square of the exponential function by
//! factors 1 + 2⁻ⁱ (Walther, 1971, without negative steps), and a quotient.
//!
//! ```text
//!  a ─▶ fixed point ─▶ less halves of ln 2ʲ, of ln (1 + 2⁻ⁱ) ─▶ bits of what is left ─▶ u ∓ 2⁻ᵏ ─▶ n / d ─▶ round ─▶ d
//! ```
//!
//! As of binary32 ([`float_tanh`]), but that there are few bits: behind the first factors half the logarithm of 1 + 2⁻ⁱ
//! is as good as 2⁻ⁱ⁻¹, so that bits of what is left are the other factors, a row and a pass each, and no products are
//! needed. Where u is multiplied by 1 + 2⁻ⁱ the stride is i, and Z the rows of u less i: together they make all passes.
//!
//! How many bits are behind the point says [`hyperbolic`]. Numbers from 5 on count as numbers from 5 to 5.5, of
//! bfloat16 those from 4 on as numbers from 4 to 4.5: their tangents are rounded to the same, and 2⁻ᵏ is not too little
//! to tell the quotient from 1. That of infinity is 1, however it is rounded. T, C and H have the meanings that
//! comments give them.
//!
//! [`float_tanh`]: super::float_tanh

use crate::array::isa::constants::{Table, hyperbolic};
use crate::array::isa::format::{F16, Format};
use crate::array::isa::linear::N;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::further;
use crate::array::isa::ucode::float_ratio::{self as ratio, FLAGS, MODE, SMALL, not_less, operand_instead};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::ucode::float_tanh::{infinite, taken};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The denominator is less than 2; the operand is 8 or more.
const LOW: u8 = FLAGS;
const LARGE: u8 = FLAGS + 1;
/// By how many rows the operand goes down, four rows; then what stages that go up leave, a row each.
const DISTANCE: u8 = FLAGS + 2;
/// What is left of the operand: three bits in front of the point; then the denominator.
const LEFT: i16 = DISTANCE as i16 + 4;
/// The largest power of two that is taken.
const POWERS: u8 = 4;

/// Where things are in a format's rows, and how many.
#[derive(Clone, Copy)]
struct Places {
    format: Format,
    n: i16,
    /// Bits behind the point.
    behind: i16,
    /// Factors that comparisons tell, and all of them.
    factors: i16,
    all: i16,
    /// Stages that the operand goes down by, and that the numerator goes up by.
    down: i16,
    up: i16,
}

impl Places {
    fn new(format: Format) -> Places {
        let (behind, factors) = hyperbolic(format.n());
        let (all, down, up) = if format == F16 { (18, 4, 3) } else { (13, 3, 2) };
        Places { format, n: format.n().into(), behind: behind as i16, factors: factors as i16, all, down, up }
    }

    fn bias(self) -> u8 {
        (1 << (self.format.m() - 1)) - 1
    }

    /// The exponent of the least number that is not its tangent.
    fn least(self) -> u8 {
        self.bias() - if self.format == F16 { 6 } else { 4 }
    }

    /// u, then the numerator, with a 0 above it.
    fn numerator(self) -> i16 {
        LEFT + self.behind + 3
    }

    /// 2⁻ᵏ.
    fn power(self) -> i16 {
        self.numerator() + self.behind + 2
    }

    /// The row of L that holds the highest bit of what is left behind the factors that comparisons tell.
    fn highest(self) -> i16 {
        self.behind - self.factors - 2
    }

    /// The row of the quotient's lowest bit, from the numerator's lowest one.
    fn quotient(self) -> i16 {
        self.behind - self.n + 2
    }
}

/// Scratch rows.
pub(super) fn scratch(format: Format) -> i16 {
    let places = Places::new(format);
    places.power() + places.behind + 1
}

fn left(index: Address) -> Address {
    index.plus(LEFT)
}

/// The program of a format.
pub(super) fn program(format: Format) -> Program {
    let places = Places::new(format);
    let mut body = operand(places);
    body.extend(fixed_point(places));
    body.extend(power(places));
    body.extend(factors(places));
    body.extend(parts(places));
    body.extend(fraction(places));
    body.extend(result(places));
    Program::new("ftanh", body).i(places.behind + 2 - i16::from(format.fraction)).z(places.behind)
}

/// What the operand is, and how far it goes down from where numbers of 4 are: the complement of the low bits of its
/// exponent less that of 8.
fn operand(places: Places) -> Vec<Item> {
    let exponent = places.format.m();
    let (mut items, mut rows) = ratio::operand(exponent, places.least(), |_, row| row);
    let less = not_less(exponent, places.bias() + 3).zip(0..);
    let distance =
        |(row, bit): (Row, u8)| if bit < places.down as u8 { row.not_sum().write(S.at(DISTANCE + bit)) } else { row };
    rows.extend(less.map(distance));
    rows.push(row().write(S.at(LARGE)).clear_carry());
    items.extend(rows.into_iter().map(once));
    items
}

/// The operand's magnitude. u becomes 1, and so does 2⁻ᵏ. I is 1 behind it, L the highest row that is a factor.
fn fixed_point(places: Places) -> Vec<Item> {
    let (to, behind) = (left(S.j()), places.behind as u8);
    let [half, one, two, four] = [behind - 1, behind, behind + 1, behind + 2];
    let zeros = |to: i16, above: usize| {
        let zero = row().write(S.j().plus(to)).up();
        let mut items = vec![each(Count::Triangle, zero)];
        items.extend((1..above).map(|_| once(zero)));
        items.push(once(zero.rewind()));
        items
    };
    let first = row().x(X::One);
    // I becomes 1.
    let halve = |row: Row| row.i(OffsetAction::Halve);
    // Rows above the operand are zeros.
    let kept = row().a(left(S.k())).b(to).y(Y::TSelect).write(to).up();
    let mut items = [zeros(LEFT, 3), zeros(places.numerator(), 2), zeros(places.power(), 1)].concat();
    items.extend([
        each(FRACTION, halve(row().a(A.j()).x(X::A).write(left(S.k())).up().rewind())),
        once(halve(first.write(at(to, four)))),
        once(halve(first.write(at(S.j().plus(places.numerator()), one)))),
        outer(
            places.down,
            vec![
                once(row().a(S.l().plus(i16::from(DISTANCE))).tag(TagAction::A).l(OuterAction::Up)),
                each(Count::Triangle, kept),
                once(kept),
                once(kept),
                once(kept.rewind().i(OffsetAction::Double)),
            ],
        ),
    ]);
    let or = |address: Address| row().a(address).x(X::A).tag(TagAction::Differ);
    let set = |bit: u8| row().b(at(to, bit)).y(Y::Differ).write(at(to, bit));
    let clear = |bit: u8| row().b(at(to, bit)).x(X::B).y(Y::TB).write(at(to, bit));
    let mut rows = vec![first.write(at(S.j().plus(places.power()), one)).point(Table::Hyperbolic.of(places.format))];
    // T: 5 or more; of bfloat16 4 or more.
    if places.format == F16 {
        let both = row().a(at(to, four)).x(X::A).tag(TagAction::And);
        rows.extend([row().a(at(to, two)).tag(TagAction::A), or(at(to, one)), both]);
    } else {
        rows.push(row().a(at(to, four)).tag(TagAction::A));
    }
    let least = if places.format == F16 { set(one) } else { clear(one) };
    rows.extend([or(S.at(LARGE)), set(four), clear(two), least, clear(half)]);
    rows[1..][..places.down as usize].iter_mut().for_each(|row| *row = halve(*row));
    rows[1..][..(places.highest() - places.down) as usize].iter_mut().for_each(|row| *row = row.l(OuterAction::Up));
    items.extend(rows.into_iter().map(once));
    items
}

/// Less halves of the logarithms of powers of two: 2⁻ᵏ.
fn power(places: Places) -> Vec<Item> {
    let power = S.j().plus(places.power());
    let mut items = Vec::new();
    for j in (0..POWERS).rev() {
        // As many rows as it may have.
        let passes = |row: Row| match j {
            0 => vec![each(Count::Triangle, row.rewind())],
            _ => {
                let more = (1..j).map(|_| once(row)).chain([once(row.rewind())]);
                [each(Count::Triangle, row)].into_iter().chain(more).collect()
            }
        };
        // Ones are in rows that all constants before tell apart.
        let ones = (0..1 << POWERS).step_by(2 << j).flat_map(|k: u8| {
            let row_of = |k: u8| at(power, places.behind as u8 - k);
            let here = row().b(row_of(k)).y(Y::TB);
            [here.write(row_of(k + (1 << j))), here.x(X::B).write(row_of(k))]
        });
        items.extend(taken(left(S.j()), passes, ones.map(once).collect()));
    }
    items
}

/// Factors that multiply u: those whose halves of logarithms are taken, then those that are bits of what is left.
fn factors(places: Places) -> Vec<Item> {
    let (here, shifted) = (S.j().plus(places.numerator()), S.k().plus(places.numerator()));
    let sum = chain(row().a(here).x(X::A).y(Y::TB)).write(here).up();
    let product =
        [each(Count::Triangle, sum.b(shifted)), each(Count::Stride, further(sum.rewind()).z(TriangleAction::Down))];
    let mut compared = taken(left(S.j()), |row| vec![each(Count::Triangle, row.rewind())], vec![]);
    compared.push(once(row().clear_carry()));
    compared.extend(product.clone());
    let bit = row().a(left(S.l())).tag(TagAction::A).clear_carry().l(OuterAction::Down);
    let bits = [vec![once(bit)], product.into()].concat();
    vec![outer(places.factors, compared), outer(places.all - places.factors, bits)]
}

/// d = u + 2⁻ᵏ, in the place of what is left, and n = u − 2⁻ᵏ. C is 0 before it.
fn parts(places: Places) -> Vec<Item> {
    let (u, power) = (S.j().plus(places.numerator()), S.j().plus(places.power()));
    let part = |y: Y, to: Address| chain(row().a(u).b(power).x(X::A).y(y)).write(to).up();
    let (plus, minus) = (part(Y::B, left(S.j())), part(Y::NotB, u));
    vec![
        once(row().clear_carry()),
        each(Count::Triangle, plus),
        each(Count::Stride, plus),
        once(row().write(left(S.j())).carry_next(Next::One).rewind()),
        each(Count::Triangle, minus),
        each(Count::Stride, minus.rewind()),
    ]
}

/// The quotient: the denominator to d, down by one if it is 2 or more; the numerator up until a 1 is on top. I becomes
/// 0 before it. What stages write is how much less than all of them the distance is.
fn fraction(places: Places) -> Vec<Item> {
    let (n, behind, numerator) = (places.n, places.behind, places.numerator());
    let upper = S.j().plus(LEFT + behind - n - 1);
    let low = row().a(upper).b(S.j().plus(LEFT + behind - n - 2)).y(Y::TSelect).write(D.j()).up();
    let mut rows = [
        row().a(at(left(S.j()), behind as u8 + 1)).tag(TagAction::A).clear_carry(),
        tag_out(row()).not_sum().write(S.at(LOW)),
        low,
        low,
        low,
        low.rewind(),
    ];
    // I and the stride are those of a factor more; they become those of the first stage.
    let (mut shift, first) = (places.all + 1, 1 << (places.up - 1));
    for row in &mut rows {
        *row = match shift {
            _ if shift > first => row.i(OffsetAction::Halve).stride(StrideAction::Halve),
            _ if shift < first => row.i(OffsetAction::Double).stride(StrideAction::Double),
            _ => *row,
        };
        shift = if shift > first { shift / 2 } else { shift + shift.min(first - shift) };
    }
    let [down, is_low, many, others @ ..] = rows;
    let (top, far) = (S.j().plus(numerator + behind), S.k().plus(numerator + behind));
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    // L is the lowest row that was a factor, less one.
    let stays = i16::from(DISTANCE) + places.up - 1 - (places.highest() - (places.all - places.factors));
    let stage = vec![
        once(row().tag(TagAction::Zero)),
        // T: a 1 in the rows on top.
        each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(S.l().plus(stays)).l(OuterAction::Down)),
        // n + 2 rows count, and come from as far as a row below.
        each(N, moved),
        once(moved),
        once(moved),
        once(moved.rewind().i(OffsetAction::Halve).stride(StrideAction::Halve)),
    ];
    let mut items = vec![once(down), once(is_low), each(N, many)];
    items.extend(others.map(once));
    items.push(outer(places.up, stage));
    items.extend(ratio::quotient(S.k().plus(numerator + behind - n - 2)));
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result(places: Places) -> Vec<Item> {
    let (exponent, field) = (places.format.m(), D.j().plus(FRACTION));
    let numerator = S.j().plus(places.numerator());
    // I is n below 0, and goes up by two.
    let lower = S.k().plus(places.numerator() + places.behind);
    let here = S.j().plus(places.numerator() + places.quotient() + 1);
    let first = at(numerator, places.behind as u8 + 1);
    // The bias less all stages, less one where the quotient is less than 1, and one where the denominator was not low.
    let least = places.bias() - ((1 << places.up) - 1) - 2;
    let mut items = vec![
        // T: the quotient is not less than 1.
        once(row().a(first).tag(TagAction::A).i(OffsetAction::Up)),
        once(row().a(S.at(LOW)).y(Y::Zero).carry_next(Next::AAndNotY).i(OffsetAction::Up)),
    ];
    items.extend((0..exponent).map(|bit| {
        let stays = if bit < places.up as u8 { row().a(S.at(DISTANCE + bit)).x(X::A) } else { row() };
        let sum = match bit {
            0 => stays.b(first).y(Y::B),
            _ if least >> bit & 1 == 1 => stays.y(Y::NotB),
            _ => stays,
        };
        once(chain(sum).write(at(field, bit)))
    }));
    items.push(once(row().clear_carry()));
    items.extend(ratio::significant(here, lower));
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 0), at(numerator, places.quotient() as u8)));
    items.extend(infinite());
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], here, field));
    items.extend(operand_instead(SMALL));
    items
}

/// The closed form of the cycles.
pub(super) const fn cycles(half: bool) -> i64 {
    let (n, m, behind) = if half { (13, 5, 22) } else { (10, 8, 16) };
    let (factors, all, down, up) = if half { (8, 18, 4, 3) } else { (6, 13, 3, 2) };
    // Passes of the comparisons have Z rows, from those behind the point down.
    let compared = factors * behind - factors * (factors - 1) / 2;
    let operand = 3 * m + n + 13;
    let fixed = 3 * behind + 6 + (n - 3) + 2 + down * (behind + 4) + if half { 9 } else { 7 };
    let powers = 4 * (2 + 2 * behind) + 2 * (3 + 2 + 1) + 30;
    let steps = 2 * compared + 3 * factors + all * (behind + 1) + (all - factors);
    let parts = 2 * (behind + 1) + 2;
    let quotient = (n + 5) + up * (n + 5) + ((1 << up) - 1) + 1 + n * (n + 4);
    operand + fixed + powers + steps + parts + quotient + 3 * (m + n) + 20
}
