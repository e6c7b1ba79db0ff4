//! Hyperbolic tangents of binary32 numbers, in the array (others: `float_tanh_short.rs`): the square of the exponential
//! function by factors 1 + 2⁻ⁱ (Walther, 1971, without negative steps), what is left by two short products, and a
//! quotient.
//!
//! ```text
//!  a ─▶ fixed point ─▶ less halves of ln 2ʲ, of ln (1 + 2⁻ⁱ) ─▶ n, d = u ∓ 2⁻ᵏ
//!      ─▶ n + d·t, d + n·t ─▶ n / d ─▶ round ─▶ d
//! ```
//!
//! tanh a is (e²ᵃ − 1) / (e²ᵃ + 1). A constant is taken from the operand's magnitude where that is not less, so
//! that what a small operand does not take leaves u at 1 exactly: n is as exact as it is small. Halves of the
//! logarithms of 2¹⁶ to 2¹ tell k, and 2⁻ᵏ is a row of ones among zeros, which goes down as they are told.
//! Halves of those of 1 + 2⁻ⁱ, i from 1 to 12, multiply u. What is left, t, is its own tangent but for a third of
//! its cube, and a tangent of a sum is (n + d·t) / (d + n·t). Both products have as many rows as what is added so
//! far.
//!
//! Numbers have 38 bits behind the point. Numbers from 9.5 on count as numbers from 9.25 to 9.5: their tangents are
//! rounded to the same; that of infinity is 1, however it is rounded. T, C and H have the meanings that comments give
//! them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::{BF16, F16, F32};
use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode::cordic_rows::further;
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_ratio::{
    self as ratio, FLAGS, MODE, SMALL, constant_added, not_less, operand_instead,
};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::ucode::float_tanh_short as short;
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The denominator is less than 2; the operand is 16 or more.
const LOW: u8 = FLAGS;
const LARGE: u8 = FLAGS + 1;
/// By how many rows the operand goes down, four rows.
const DISTANCE: u8 = FLAGS + 2;
/// Bits behind the point.
const BEHIND: i16 = 38;
/// Factors.
const STEPS: i16 = 12;
/// What is left of the operand: four bits in front of the point.
const LEFT: i16 = DISTANCE as i16 + 4;
/// What stages write, four rows, of which L is the last one behind all products.
const STAYS: u8 = (BEHIND - STEPS - 1) as u8 - 3;
/// Of the second product, n·t, with 33 bits behind the point: above what is left behind all steps.
const BELOW: i16 = LEFT + BEHIND - STEPS - 1;
/// Of the denominator, 40 rows, and a row further 2⁻ᵏ.
const DENOMINATOR: i16 = BELOW + 21;
const POWER: i16 = DENOMINATOR + 1;
/// Of u, and of the numerator, with a 0 above it.
const NUMERATOR: i16 = DENOMINATOR + BEHIND + 2;
/// Of the quotient's bits that are rounded, from the lowest one of the fraction.
const ROUNDED: i16 = NUMERATOR + 15;
/// The row of the numerator's 1: numbers of rows are not more than 127 beside n.
const TOP: Linear = linear(1, Term::None, NUMERATOR + BEHIND - F32.n() as i16);
/// Scratch rows.
const SCRATCH: Linear = linear(1, Term::None, NUMERATOR + BEHIND + 2 - F32.n() as i16);
/// Rows of u beside those that n less a stride counts.
const MORE: i16 = BEHIND + 1 - F32.n() as i16;

fn left(index: Address) -> Address {
    index.plus(LEFT)
}

fn numerator(index: Address) -> Address {
    index.plus(NUMERATOR)
}

fn denominator(index: Address) -> Address {
    index.plus(DENOMINATOR)
}

/// d ← the hyperbolic tangent of a.
pub(super) fn hyperbolic_tangent() -> Operation {
    let mut body = operand();
    body.extend(fixed_point());
    body.extend(power());
    body.extend(factors());
    body.extend(products());
    body.extend(fraction());
    body.extend(result());
    let program = Program::new("ftanh", body).i(BEHIND - 20).z(4);
    let scratch = Rows::by_format(|format| match format {
        F32 => SCRATCH.value(F32.n().into(), 0),
        F16 | BF16 => short::scratch(format).into(),
        _ => 0,
    });
    let cycles = by_width!(CYCLES, short::cycles(true), short::cycles(false));
    let of = |format| if format == F32 { program.clone() } else { short::program(format) };
    of_wide_and_short(Opcode::FTanh, cycles, scratch, of)
}

const CYCLES: i64 = 4_010;

/// What the operand is, and how far it goes down from where numbers of 8 are: the complement of its exponent less 115.
/// L becomes the distance's first row.
fn operand() -> Vec<Item> {
    let distance = |bit: usize, row: Row| if bit < 4 { row.not_sum().write(S.at(DISTANCE + bit as u8)) } else { row };
    let (mut items, mut rows) = ratio::operand(8, 115, distance);
    rows.extend(not_less(8, 131));
    rows.push(row().write(S.at(LARGE)).clear_carry());
    rows[..usize::from(DISTANCE)].iter_mut().for_each(|row| *row = row.l(OuterAction::Up));
    items.extend(rows.into_iter().map(once));
    items
}

/// The operand's magnitude. I and the stride become 1. u becomes 1, and so does 2⁻ᵏ.
fn fixed_point() -> Vec<Item> {
    let to = left(S.j());
    let kept = row().a(left(S.k())).b(to).y(Y::TSelect).write(to).up();
    let fill = row().b(to).x(X::B).y(Y::TB).write(to).up().rewind();
    let halve = |row: Row| once(row.i(OffsetAction::Halve));
    let zeros = |to: Address| [each(MORE, row().write(to).up()), each(N, row().write(to).up().rewind())];
    let one = |to: Address, bit: i16| row().x(X::One).write(at(to, bit as u8));
    let [clear, set] = [row().x(X::B).y(Y::TB), row().y(Y::Differ)];
    let changed = |row: Row, bit: u8| once(row.b(at(to, bit)).write(at(to, bit)));
    let mut items = Vec::from([each(M, row().write(to).up()), each(M, row().write(to).up())]);
    items.extend([once(row().write(to).up()), once(row().write(to).rewind())]);
    items.push(each(FRACTION, row().a(A.j()).x(X::A).write(left(S.k())).up().rewind()));
    items.extend(zeros(numerator(S.j())));
    items.extend(zeros(S.j().plus(POWER)));
    items.extend([
        // 18 becomes 1.
        halve(one(to, 41)),
        halve(one(numerator(S.j()), BEHIND)),
        halve(row().write(at(numerator(S.j()), BEHIND as u8 + 1))),
        halve(one(S.j().plus(POWER), BEHIND)),
        outer(
            4,
            vec![
                once(row().a(S.l()).tag(TagAction::A).l(OuterAction::Up)),
                each(MORE, kept),
                once(kept),
                once(kept),
                once(kept),
                each(Count::StrideRest, kept),
                each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
            ],
        ),
        outer(4, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]),
        // T: 9.5 or more.
        once(row().a(at(to, 38)).tag(TagAction::A).point(Table::Hyperbolic.of(F32))),
        once(row().a(at(to, 37)).x(X::A).tag(TagAction::And)),
        once(row().a(at(to, 39)).x(X::A).tag(TagAction::Differ)),
        once(row().a(at(to, 40)).x(X::A).tag(TagAction::Differ)),
        once(row().a(at(to, 41)).x(X::A).tag(TagAction::And)),
        once(row().a(S.at(LARGE)).x(X::A).tag(TagAction::Differ)),
        changed(set, 41),
        changed(clear, 40),
        changed(clear, 39),
        changed(set, 38),
        changed(clear, 37),
        changed(set, 36),
    ]);
    items
}

/// T: what is left is not less than the constant, in these passes, which is taken from it then. C is 0.
pub(super) fn taken(left: Address, rows: impl Fn(Row) -> Vec<Item>, behind: Vec<Item>) -> Vec<Item> {
    // The key has the constant's negative.
    let less = Row { steer_y: true, ..chain(row().a(left).x(X::A).y(Y::NotB)).up().key_shift(1) };
    let mut items = vec![once(row().take().clear_carry())];
    items.extend(rows(less));
    items.push(once(row().tag(TagAction::W).clear_carry().take()));
    items.extend(behind);
    items.extend(rows(constant_added(left)));
    items
}

/// Less halves of the logarithms of powers of two: 2⁻ᵏ. L becomes 0.
fn power() -> Vec<Item> {
    let mut items = Vec::new();
    let mut downs = i16::from(DISTANCE) + 4;
    for j in (0..5).rev() {
        // As many rows as it may have.
        let passes = |row: Row| {
            let mut items = vec![each(if j == 0 { STEPS } else { MORE }, row), each(N, row)];
            items.extend((1..j).map(|_| once(row)));
            if let Some(Item::Each(_, rows)) = items.last_mut() {
                rows[0] = rows[0].rewind();
            }
            if let Some(Item::Once(last)) = items.last_mut() {
                *last = last.rewind();
            }
            items
        };
        // Ones are in rows that all constants before tell apart.
        let ones = (0..32).step_by(2 << j).flat_map(|power: u8| {
            let row_of = |power: u8| at(denominator(S.j()), BEHIND as u8 + 1 - power);
            let here = row().b(row_of(power)).y(Y::TB);
            [here.write(row_of(power + (1 << j))), here.x(X::B).write(row_of(power))]
        });
        let ones = ones.map(|row| {
            downs -= 1;
            once(if downs >= 0 { row.l(OuterAction::Down) } else { row })
        });
        items.extend(taken(left(S.j()), passes, ones.collect()));
    }
    items
}

/// Less halves of the logarithms of factors, which multiply u. I and the stride become 13.
fn factors() -> Vec<Item> {
    let (here, shifted) = (numerator(S.j()), numerator(S.k()));
    let passes = |row: Row| vec![each(STEPS, row), each(Count::StrideRest, row.rewind())];
    let sum = chain(row().a(here).x(X::A).y(Y::TB)).write(here).up();
    let mut items = taken(left(S.j()), passes, vec![]);
    items.extend([
        once(row().clear_carry()),
        each(MORE, sum.b(shifted)),
        each(Count::StrideRest, sum.b(shifted)),
        each(Count::Stride, further(sum.rewind())),
    ]);
    vec![outer(STEPS, items)]
}

/// n = u − 2⁻ᵏ and d = n + 2·2⁻ᵏ; n + d·t and d + n·t. I becomes 10, the stride 8, L 25.
fn products() -> Vec<Item> {
    let (n, d, more, below) = (numerator(S.j()), denominator(S.j()), D.j(), S.j().plus(BELOW));
    let minus = chain(row().a(n).b(S.j().plus(POWER)).x(X::A).y(Y::NotB)).write(n).up();
    let plus = chain(row().a(n).b(d).x(X::A).y(Y::B)).write(d).up();
    let zeros = |to: Address, rows: u8| (0..rows).map(move |bit| once(row().write(at(to, bit))));
    let share = |to: Address, of: Address| chain(row().a(to).b(of).x(X::A).y(Y::TB)).write(to).up();
    let carry = |to: Address| row().write(to).clear_carry().rewind();
    let bit = once(row().a(left(S.l())).tag(TagAction::A).l(OuterAction::Up));
    let first = vec![bit, each(Count::Triangle, share(more, denominator(S.k())))];
    let first_carry = carry(more).z(TriangleAction::Up);
    let second = each(Count::Stride, share(below, S.k().plus(NUMERATOR + 7)));
    let second_carry = carry(below).stride(StrideAction::Up).i(OffsetAction::Down);
    let numerators = chain(row().a(n).x(X::A).y(Y::B)).write(n).up();
    let denominators = chain(row().a(denominator(S.k())).x(X::A).y(Y::B)).write(denominator(S.k())).up();
    let both = |row: Row| once(row.i(OffsetAction::Halve).stride(StrideAction::Halve));
    let mut items = vec![
        once(row().carry_next(Next::One)),
        // I: 6, 7, 8, 9, 18, 36. The stride: 6, 7.
        each(MORE, minus.i(OffsetAction::Halve).stride(StrideAction::Halve)),
        each(N, minus.i(OffsetAction::Up).stride(StrideAction::Up).rewind()),
        once(row().clear_carry()),
        once(chain(row().a(n).x(X::A)).write(d).up().i(OffsetAction::Up)),
        each(STEPS, plus.i(OffsetAction::Up)),
        each(N, plus.i(OffsetAction::Double)),
        once(row().b(d).y(Y::B).write(d).clear_carry().rewind().i(OffsetAction::Double)),
    ];
    items.extend(zeros(more, 4));
    items.extend(zeros(below, 7));
    items.push(outer(11, [first.clone(), vec![once(first_carry.i(OffsetAction::Down))]].concat()));
    items.push(outer(14, [first, vec![once(first_carry), second, once(second_carry)]].concat()));
    items.extend([
        // I: 11, 5, 2, 4, 5, 10; the stride: 21, 10, 5, 2, 4, 8.
        both(row()),
        both(row()),
        each(N, numerators.b(D.k()).stride(StrideAction::Halve)),
        once(numerators.b(D.k()).stride(StrideAction::Double)),
        each(STEPS, numerators.rewind().i(OffsetAction::Double).stride(StrideAction::Double)),
        once(row().i(OffsetAction::Up).clear_carry()),
        each(14, denominators.b(below)),
    ]);
    items.extend((0..7).map(|_| once(denominators.b(below))));
    items.push(each(14, denominators.rewind().i(OffsetAction::Double)));
    items
}

/// The quotient: the denominator to d, down by one if it is 2 or more; the numerator up until a 1 is on top. I becomes
/// 0 before it. What stages write is 15 less the distance up.
fn fraction() -> Vec<Item> {
    let low = row().a(S.k().plus(POWER)).b(denominator(S.k())).y(Y::TSelect).write(D.j()).up();
    let (top, far) = (S.j().plus(TOP), S.k().plus(TOP));
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let mut stage = vec![
        once(row().tag(TagAction::Zero)),
        // T: a 1 in the rows on top.
        each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(S.l()).l(OuterAction::Down)),
        // 28 rows count, and come from as far as 3 rows below.
        each(N, moved),
    ];
    stage.extend([once(moved), once(moved), once(moved), once(moved)]);
    stage.push(once(moved.rewind().i(OffsetAction::Halve).stride(StrideAction::Halve)));
    let mut items = vec![
        once(row().a(at(denominator(S.j()), BEHIND as u8 + 1)).tag(TagAction::A).clear_carry()),
        once(tag_out(row()).not_sum().write(S.at(LOW))),
        each(N, low),
        once(low),
        once(low),
        once(low.rewind().i(OffsetAction::Down)),
        once(row().i(OffsetAction::Down)),
        outer(4, stage),
    ];
    items.extend(ratio::quotient(S.k().plus(NUMERATOR + 10)));
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result() -> Vec<Item> {
    let field = D.j().plus(FRACTION);
    let (here, below) = (S.j().plus(ROUNDED), at(numerator(S.j()), 14));
    let first = at(numerator(S.j()), BEHIND as u8 + 1);
    let mut items = vec![
        // T: the quotient is not less than 1.
        once(row().a(first).tag(TagAction::A).i(OffsetAction::Up)),
        once(row().a(S.at(LOW)).y(Y::Zero).carry_next(Next::AAndNotY).i(OffsetAction::Up)),
    ];
    // 127 less the distance, less one where the quotient is less, and one where the denominator was not low.
    items.extend((0..8).map(|bit| {
        let exponent = match bit {
            0 => row().a(S.at(STAYS)).b(first).x(X::A).y(Y::B),
            1..4 => row().a(S.at(STAYS + bit)).x(X::A).y(Y::NotB),
            4..7 => row().x(X::One).y(Y::NotB),
            _ => row().y(Y::NotB),
        };
        once(chain(exponent).write(at(field, bit)))
    }));
    items.push(once(row().clear_carry()));
    items.extend(ratio::significant(here, S.k().plus(TOP)));
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 0), below));
    items.extend(infinite());
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], here, field));
    items.extend(operand_instead(SMALL));
    items
}

/// The tangent of infinity is 1: nothing is added to it, and it is finite.
pub(super) fn infinite() -> [Item; 2] {
    let finite = flag(Flag::Finite);
    [
        once(row().a(finite).x(X::NotA).y(Y::NotB).carry_next(Next::Majority)),
        once(row().x(X::One).y(Y::NotB).majority().write(finite)),
    ]
}
