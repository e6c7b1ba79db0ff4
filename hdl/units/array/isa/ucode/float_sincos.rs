//! Sine and cosine of binary32, binary16 and bfloat16 numbers of any size, in the array: quarter turns by 2/π to as many bits as the exponent
//! asks for (Payne and Hanek, 1983), then CORDIC (Volder, 1959).
//!
//! ```text
//!  a ─▶ bits of 2/π by the exponent ─▶ · significand, mod 4 ─▶ quadrant, angle ─▶ CORDIC ─▶ choose ─▶ round ─▶ d
//! ```
//!
//! Which bits of 2/π count is told by k, the exponent less 103, or of binary16 the exponent. Constants of 2n + 40 bits,
//! one for each 32 values of k, are put into the columns that want them, and go down by as many rows as 31 is more than
//! k's low bits. 2n + 8 rows are left: 2/π times a power of two, modulo 4, as exact as a product with n − 2 bits asks
//! for. That has n + 9 bits behind the point. Its integer, rounded, is the quadrant, the rest is the angle, with a sign,
//! as part of a quarter turn, and so are CORDIC's constants ([`Table::Turns`]).
//!
//! Steps 1 to n turn the vector (1/gain, 0), which has n + 5 bits behind the point, x without and y with a sign. x goes
//! to other rows in every step, those of d or more scratch rows, and back; y stays, as it is added to behind x. Odd
//! quadrants exchange sine and cosine, so that both functions are one program: they differ in the carry that it begins
//! with.
//!
//! The sine of a small operand ([`Places::least`]) is the operand, which is nearer to it than CORDIC would be. Subnormal
//! operands are zeros if operands or results are flushed. Of binary16 alone results can be subnormal: what has gone up
//! by 15 rows, which is all that stages do, goes down by one again, and its exponent is 0. T, C and H have the meanings
//! that comments give them.

use crate::array::isa::constants::Table;
use crate::array::isa::format::{F16, F32, Format};
use crate::array::isa::linear::{LOG2, Linear, M, Term};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_passes::Passes;
use crate::array::isa::ucode::float_ratio::{not_less, operand_instead};
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
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
/// Bits of k that say how far constants go down.
const DOWN: i16 = 5;
/// Rows of a vector beside those that two loops of a pass have.
pub(super) const MORE: i16 = 6;
/// Whether subnormal results are flushed: of binary16.
const FLUSH: u8 = 14;
/// Scratch rows.
pub(super) const SCRATCH: Linear = linear(1, Term::None, 97);

/// Where things are in a format's rows.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) passes: Passes,
    pub(super) n: i16,
    pub(super) fraction: i16,
    pub(super) exponent: i16,
    /// Stages in which numbers go up.
    pub(super) stages: i16,
    /// Rows of a vector.
    pub(super) rows: i16,
    /// Bits of the product behind the point.
    behind: i16,
    /// Operands of a lower exponent are their sines.
    least: u8,
    /// The result is the operand.
    pub(super) small: u8,
    /// k; then: what stages write. Between that x in odd steps of short formats.
    pub(super) k: u8,
    /// Rows of x in even steps, before that the bits of 2/π; y follows, then the product.
    even: i16,
}

impl Places {
    pub(super) fn new(format: Format) -> Places {
        let (n, m) = (i16::from(format.n()), i16::from(format.m()));
        let (own, least): (&[i16], u8) = match format {
            F32 => (&[6, 12, 37, 46], 119),
            F16 => (&[6, 18, 24, 33], 10),
            _ => (&[6, 5, 21, 30], 123),
        };
        let passes = Passes { format, own };
        let rows = n + MORE;
        let (small, k, even) = if format == F32 { (21, 13, 22) } else { (13, FLUSH + 1, i16::from(FLUSH) + 1 + rows) };
        Places {
            small,
            k,
            even,
            passes,
            n,
            fraction: n - 3,
            exponent: m,
            stages: passes.value(LOG2),
            rows,
            behind: n + 9,
            least,
        }
    }

    pub(super) fn even(self, index: Address) -> Address {
        index.plus(self.even)
    }

    /// The row of y, and that of the product.
    pub(super) fn sine_row(self) -> i16 {
        self.even + self.rows
    }

    pub(super) fn product_row(self) -> i16 {
        self.even + 2 * self.rows
    }

    /// Rows of the product.
    fn turns(self) -> i16 {
        self.behind + 2
    }

    pub(super) fn sine(self, index: Address) -> Address {
        index.plus(self.sine_row())
    }

    pub(super) fn product(self) -> Address {
        S.j().plus(self.product_row())
    }

    /// Whether x begins where it is in odd steps: it ends where it is in even ones, and takes n steps.
    fn begins_odd(self) -> bool {
        self.n % 2 == 1
    }

    /// Where x is in odd steps: d has too few rows in short formats.
    fn odd(self) -> Cosine {
        let k = i16::from(self.k);
        let short = Cosine { j: S.j().plus(k), k: S.k().plus(k) };
        if self.passes.format == F32 { Cosine { j: D.j(), k: D.k() } } else { short }
    }

    /// A program of these rows.
    pub(super) fn program(self, name: &'static str, body: Vec<Item>) -> Program {
        Program::new(name, body).i(1 << (DOWN - 1)).z(self.behind - 1)
    }

    /// Where x is before the first step.
    pub(super) fn first(self) -> Address {
        if self.begins_odd() { self.odd().j } else { self.even(S.j()) }
    }
}

/// A step's vector is in one of two places.
#[derive(Clone, Copy)]
struct Cosine {
    j: Address,
    k: Address,
}

/// d ← the sine or cosine of a.
pub(super) fn sine_or_cosine(opcode: Opcode) -> Operation {
    let program = |format: Format| {
        let places = Places::new(format);
        let mut body = operand(places);
        body.extend(bits_of_two_over_pi(places));
        body.extend(turns(places));
        body.extend(vector(places, all(places, constant().write(places.first()).up())));
        body.extend(magnitude(places));
        body.extend(result(places));
        let program = places.program("fsin_fcos", body);
        if opcode == Opcode::FCos { program.with_carry() } else { program }
    };
    of_wide_and_short(opcode, by_width!(4_614, 1_666, 1_502), SCRATCH, program)
}

/// What the operand is, how results are rounded, k, and whether the result is the operand. C is the function.
pub(super) fn operand(places: Places) -> Vec<Item> {
    let field = A.j().plus(FRACTION);
    let [finite, hidden, nan, counts] = [Flag::Finite, Flag::Hidden, Flag::NotANumber, Flag::NotZero].map(flag);
    let look = row().a(field).b(field).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ).hold(HoldAction::Differ);
    let bit = || row().x(X::One).steer_x();
    let k = S.j().plus(i16::from(places.k));
    let sum = chain(constant().b(field).y(Y::B)).write(k).tag(TagAction::Zero).up().rewind();
    let large = |bit: u8| row().a(S.at(places.k + bit)).x(X::A).majority().tag(TagAction::Differ);
    let format = places.passes.format;
    let flush = bit().tag(TagAction::Differ);
    let mut items = vec![
        once(row().write(S.at(COSINE)).clear_carry().point(Table::Turns.of(format))),
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
        once(if format == F16 { flush.write(S.at(FLUSH)) } else { flush }),
        once(row().a(hidden).x(X::NotA).tag(TagAction::And)),
        once(row().a(S.at(COSINE)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).not_sum().write(counts).take()),
        // The first exponent of which there is k, or a greater one.
        each(M, sum),
    ];
    if format == F32 {
        // T: k is 16 or more.
        items.extend([4, 5, 6].map(|bit| once(large(bit))));
        items.push(once(large(7).clear_carry()));
        items.push(once(tag_out(row()).not_sum().tag(TagAction::W)));
    } else {
        items.push(once(row().clear_carry()));
        items.extend(not_less(format.m(), places.least).map(once));
        items.push(once(row().not_sum().tag(TagAction::W).clear_carry()));
    }
    items.extend([
        once(row().a(counts).x(X::A).tag(TagAction::And)),
        once(row().a(S.at(COSINE)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(S.at(places.small))),
    ]);
    items
}

/// Constant bits of 2/π to the columns whose k they are for, down to where all columns have the same weights. L
/// becomes −5, I 0.
pub(super) fn bits_of_two_over_pi(places: Places) -> Vec<Item> {
    let (here, half, turns) = (places.even(S.j()), places.n + 20, places.turns());
    // T chooses the columns, in which zeros are so far, and the key's second bit says what they get.
    let given = Row { steer_y: true, ..row().y(Y::BXorT).write(here).up().key_shift(1) };
    let mut items = Vec::new();
    if places.exponent < 8 {
        // All values of k are in one window.
        let all = row().x(X::One).tag(TagAction::W);
        items.extend([
            once(all),
            once(row().take()),
            each(half, given),
            once(row().take()),
            each(half, given.rewind()),
        ]);
    }
    for window in 0..if places.exponent < 8 { 0 } else { 5 } {
        let when = |bit: u8| if window >> bit & 1 == 1 { X::A } else { X::NotA };
        let is = |bit: u8| row().a(S.at(places.k + 5 + bit)).x(when(bit));
        items.extend([once(is(0).tag(TagAction::W)), once(is(1).tag(TagAction::And))]);
        if window == 4 {
            // Of numbers below 2⁻²⁴ k is negative: its bits may be these, but the exponent's top bit is not 1.
            items.push(once(row().a(at(A.j().plus(FRACTION), 7)).x(X::A).tag(TagAction::And)));
        }
        items.push(once(is(2).tag(TagAction::And).take()));
        let given = if window > 0 { given.b(here) } else { given };
        items.extend([each(half, given), once(row().take()), each(half, given.rewind())]);
    }
    // Down by as many rows as the complement of k's low bits says.
    let down = row().a(here).b(places.even(S.k())).y(Y::TSelect).write(here).up();
    let bit = row().a(S.l().plus(i16::from(places.k) + 4)).tag(TagAction::A).l(OuterAction::Down);
    let last = down.rewind().i(OffsetAction::Halve);
    items.push(outer(places.passes.count(DOWN), vec![once(bit), each(turns, down), each(turns, down), once(last)]));
    items
}

/// The product with the significand, then the quadrant, and directions. L becomes −5 less the bits of the fraction, I 1.
pub(super) fn turns(places: Places) -> Vec<Item> {
    let (to, from) = (places.product(), places.even(S.k()));
    let bit = row()
        .a(A.l().plus(places.fraction - 1 + DOWN))
        .tag(TagAction::A)
        .l(OuterAction::Down)
        .i(OffsetAction::Up)
        .clear_carry();
    let sum = chain(row().a(to).b(from).x(X::A).y(Y::TB)).write(to).up().rewind();
    let [half, one, two] = [-1, 0, 1].map(|bit| at(to, (places.behind + bit) as u8));
    vec![
        // That of the hidden bit. Numbers without one have zeros here.
        each(places.turns(), row().b(places.even(S.j())).y(Y::B).write(to).up().rewind()),
        outer(FRACTION, vec![once(bit), each(places.turns(), sum)]),
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
pub(super) fn all(places: Places, row: Row) -> Vec<Item> {
    let mut items = places.passes.times(places.rows - 1, row, |row| row);
    items.push(once(row.rewind()));
    items
}

/// The vector, whose x these rows write, by all steps. I and the stride become n, and x is in the rows of even steps.
pub(super) fn vector(places: Places, first: Vec<Item>) -> Vec<Item> {
    let (one, other) = (Cosine { j: places.even(S.j()), k: places.even(S.k()) }, places.odd());
    let (one, other) = if places.begins_odd() { (other, one) } else { (one, other) };
    let step = |from: Cosine, to: Cosine, last: bool| step(places, from, to, last);
    let two = [step(one, other, false), turn(places), step(other, one, false), turn(places)].concat();
    let mut items = first;
    items.extend(all(places, row().write(places.sine(S.j())).up()));
    items.push(once(both(S.at(DIRECTION))));
    items.push(outer(places.passes.count((places.n - 1) / 2), two));
    if places.begins_odd() {
        items.extend(step(one, other, true));
    } else {
        items.extend([step(one, other, false), turn(places), step(other, one, true)].concat());
    }
    items
}

/// A step, by T and C, which are its direction: x ∓ y shifted, y ± x shifted.
fn step(places: Places, from: Cosine, to: Cosine, last: bool) -> Vec<Item> {
    let (y, shifted) = (places.sine(S.j()), places.sine(S.k()));
    let top = at(y, (places.rows - 1) as u8);
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
fn turn(places: Places) -> Vec<Item> {
    let product = places.product();
    let (direction, changed) = (S.at(DIRECTION), S.at(CHANGED));
    let top = constant().b(product).y(Y::BXorT).write(product).tag(TagAction::W).clear_carry().rewind();
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        once(both(changed).take()),
        each(Count::Triangle, residue(product, product)),
        once(further(top.z(TriangleAction::Down))),
        once(tag_out(row()).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

/// I and the stride for stages: n becomes 0, 1, with all stages' doublings a power of two, and half of that. C is 0 behind
/// them.
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
fn magnitude(places: Places) -> Vec<Item> {
    let (here, odd, own) = (places.sine(S.j()), S.at(ODD), S.at(CHANGED));
    let (last, sine_row) = (places.rows - 1, places.sine_row());
    let (top, far) = (S.j().plus(sine_row + last), S.k().plus(sine_row + last));
    let stays = S.l().plus(i16::from(places.k) + places.stages - 1 + DOWN + places.fraction);
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let fill = row().b(far).y(Y::TB).write(far).down().rewind();
    let mut items = vec![
        once(row().clear_carry()),
        // T: it is y, and negative. Zeros have the operand's sign.
        once(row().a(at(here, last as u8)).tag(TagAction::A)),
        once(row().a(odd).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(own)),
        once(row().a(S.at(NEGATIVE)).x(X::A).y(Y::BXorT).write(flag(Flag::Hidden))),
        once(row().a(odd).tag(TagAction::A)),
    ];
    items.extend(all(places, row().a(places.even(S.j())).b(here).y(Y::TSelect).write(here).up()));
    items.push(once(both(own)));
    items.extend(all(places, chain(row().b(here).y(Y::BXorT)).write(here).up()));
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
    if places.passes.format == F16 {
        items.extend(subnormal(places));
    }
    items
}

/// Down by a row where every stage has moved the magnitude. What is below 1 on top then is 0 if results are flushed. I
/// is 0 before it.
fn subnormal(places: Places) -> Vec<Item> {
    let (here, counts, flush) = (places.sine(S.j()), flag(Flag::NotZero), S.at(FLUSH));
    let top = at(here, (places.rows - 1) as u8);
    let moved = row().a(places.sine(S.k())).b(here).y(Y::TSelect).write(here).up();
    let mut items = vec![
        once(row().tag(TagAction::Zero).i(OffsetAction::Up)),
        each(LOG2, row().a(S.j().plus(i16::from(places.k))).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
    ];
    items.extend(places.passes.back(places.rows - 1, moved));
    items.extend([
        once(row().b(top).x(X::B).y(Y::TB).write(top).carry_next(Next::One)),
        once(row().a(top).b(flush).x(X::A).y(Y::NotB).majority().write(flush).clear_carry()),
        once(row().a(counts).b(flush).x(X::A).y(Y::B).majority().write(counts)),
    ]);
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result(places: Places) -> Vec<Item> {
    let (here, field, counts) = (places.sine(S.j()), D.j().plus(FRACTION), flag(Flag::NotZero));
    let top = at(here, (places.rows - 1) as u8);
    let below = row().b(here).y(Y::B).hold(HoldAction::Differ).up();
    let one = row().x(X::One).write(field).up();
    // What stages have written is all ones less the distance up; the top row is that of 1, whose exponent is the bias.
    let mut items = vec![each(LOG2, row().a(S.j().plus(i16::from(places.k))).x(X::A).write(field).up())];
    items.extend((places.stages..places.exponent - 1).map(|_| once(one)));
    items.push(once(row().write(field).rewind()));
    if places.passes.format != F16 {
        items.push(once(row().a(counts).b(top).x(X::A).y(Y::B).majority().write(counts)));
    }
    items.extend([each(MORE, below), once(below.rewind())]);
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 8), at(here, 7)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], S.j().plus(places.sine_row() + 8), field));
    items.extend(operand_instead(places.small));
    items
}
