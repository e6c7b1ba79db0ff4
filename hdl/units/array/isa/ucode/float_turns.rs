//! What sine, cosine and tangent begin with: the operand, its product with 2/π modulo 4, and from it the quadrant and
//! the angle; and where their rows are.
//!
//! Which bits of 2/π count is told by k, the exponent less 103, or of binary16 the exponent. Constants of 2n + 40 bits,
//! one for each 32 values of k, are put into the columns that want them, and go down by as many rows as 31 is more than
//! k's low bits. 2n + 8 rows are left: 2/π times a power of two, modulo 4, as exact as a product with n − 2 bits asks
//! for. That has n + 9 bits behind the point. Its integer, rounded, is the quadrant, the rest is the angle, with a
//! sign, as part of a quarter turn, and so are CORDIC's constants ([`Table::Turns`]).

use crate::array::isa::constants::Table;
use crate::array::isa::format::{F16, F32, Format};
use crate::array::isa::linear::{LOG2, Linear, M, Term};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, row};
use crate::array::isa::ucode::cordic_rows::constant;
use crate::array::isa::ucode::float_passes::Passes;
use crate::array::isa::ucode::float_ratio::not_less;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// The direction of a turn: 1 is minus.
pub(super) const DIRECTION: u8 = 0;
/// It is another one than that of the turn before; then: the result has a sign of its own.
pub(super) const CHANGED: u8 = 1;
/// Rows of the direction of rounding.
pub(super) const MODE: u8 = 7;
/// The operand's sign.
pub(super) const SIGN: u8 = 9;
/// It is a cosine.
pub(super) const COSINE: u8 = 10;
/// The quadrant's bits: sine and cosine are exchanged; the result is negative.
pub(super) const ODD: u8 = 11;
pub(super) const NEGATIVE: u8 = 12;
/// Bits of k that say how far constants go down.
pub(super) const DOWN: i16 = 5;
/// Rows of a vector beside those that two loops of a pass have.
pub(super) const MORE: i16 = 6;
/// Whether subnormal results are flushed: of binary16.
pub(super) const FLUSH: u8 = 14;
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
    pub(super) fn begins_odd(self) -> bool {
        self.n % 2 == 1
    }

    /// Where x is in odd steps: d has too few rows in short formats.
    pub(super) fn odd(self) -> Cosine {
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
pub(super) struct Cosine {
    pub(super) j: Address,
    pub(super) k: Address,
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

/// The product with the significand, then the quadrant, and directions. L becomes −5 less the bits of the fraction, I
/// 1.
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
