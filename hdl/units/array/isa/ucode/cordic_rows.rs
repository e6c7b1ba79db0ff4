//! What the micro-programs of CORDIC share: flags, and passes over a residue and over shifted operands.
//!
//! A step adds a shifted operand or subtracts it, column by column, by a direction in T; with T also in C the sum with
//! y ⊕ T is the difference. Residues are kept as they are in the step's direction, which makes the constant the same
//! for all columns: a pass adds −angle, from the key, to the residue or, where the direction has changed, to its
//! negative. Row renaming shifts: index K = I + J reads i rows further, of which there are n − i; then the sign's row.

use crate::array::isa::constants::WIDTHS;
use crate::array::isa::linear::{Linear, N, Term};
use crate::array::isa::operation::Condition;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{self, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::float_rows::{at, linear};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// Scratch rows of one bit a column.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// The direction of the step: 1 is minus.
    Direction,
    /// It is another one than that of the step before; then: the latter.
    Changed,
}

/// Number of flags: other scratch rows follow them.
pub(super) const FLAGS: i16 = 2;

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(flag as u8)
}

/// T and C take a row.
pub(super) fn both(address: Address) -> Row {
    row().a(address).y(Y::Zero).carry_next(Next::AAndNotY).tag(TagAction::A)
}

/// The key's bits, from its lowest one up, as operand x.
pub(super) fn constant() -> Row {
    row().x(X::One).steer_x()
}

/// T and C take the next direction, which is another one where T = 1, and so does its flag; C is 0.
pub(super) fn next_direction() -> Row {
    let direction = flag(Flag::Direction);
    let turned = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    turned.tag(TagAction::W).carry_next(Next::NotSum)
}

/// In front of steps whose directions are bits of a residue: the second flag is the direction that this is kept in,
/// that of the step before. T and C are the direction.
pub(super) fn direction_before() -> Row {
    let changed = flag(Flag::Changed);
    row().b(changed).x(X::Zero).y(Y::B).write(changed)
}

/// T and C take a direction from a residue's next bit, from its row `from` down, L; a row may take it, too. A bit says
/// which half of what is left it is in, and so whether the next step adds.
pub(super) fn by_bit(from: Linear, write: Option<Address>) -> Vec<Item> {
    let bit = row().a(S.l().plus(from)).b(flag(Flag::Changed)).x(X::A).y(Y::B).not_sum();
    let bit = Row { w: write, ..bit.tag(TagAction::W).carry_next(Next::NotSum).l(OuterAction::Down) };
    vec![once(row().clear_carry()), once(bit)]
}

/// The same items, the last row of their last pass changed.
pub(super) fn leaving(mut items: Vec<Item>, change: impl Fn(Row) -> Row) -> Vec<Item> {
    if let Some(Item::Each(_, rows)) = items.last_mut() {
        let last = rows.last_mut().expect("a pass has rows");
        *last = change(*last);
    }
    items
}

/// A constant for all columns.
pub(super) fn fill(to: Address) -> Item {
    each(N, constant().write(to).up().rewind())
}

/// A shifted operand: index by K, and its sign's row; without one, zeros follow above.
#[derive(Clone, Copy)]
pub(super) struct Shifted {
    pub(super) rows: Address,
    pub(super) top: Option<Address>,
}

/// The place of a vector's component: index by J, index by K, and its top row.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) j: Address,
    pub(super) k: Address,
    pub(super) top: Address,
}

impl Place {
    /// An operand's rows.
    pub(super) fn operand(operand: Operand) -> Place {
        Place { j: operand.j(), k: operand.k(), top: at(operand.j().plus(N - 1), 0) }
    }

    /// n scratch rows behind the flags and `number` times n others.
    pub(super) fn scratch(number: i8) -> Place {
        Place::scratch_behind(FLAGS, number)
    }

    /// The same behind so many rows in place of the flags.
    pub(super) fn scratch_behind(rows: i16, number: i8) -> Place {
        let first = linear(number, Term::None, rows);
        let top = at(S.j().plus(linear(number + 1, Term::None, rows - 1)), 0);
        Place { j: S.j().plus(first), k: S.k().plus(first), top }
    }

    /// Its number as what is shifted.
    pub(super) fn shifted(self) -> Shifted {
        Shifted { rows: self.k, top: Some(self.top) }
    }
}

/// to ← from + the shifted operand, or from − it with T = C = 1.
pub(super) fn added(to: Address, from: Address, shifted: Shifted) -> Vec<Item> {
    pass(row().a(from).x(X::A).write(to), shifted)
}

/// to ← from − the shifted operand, or from + it with T = C = 1: the complement of from's complement with it added.
pub(super) fn subtracted(to: Address, from: Address, shifted: Shifted) -> Vec<Item> {
    pass(row().a(from).x(X::NotA).not_sum().write(to), shifted)
}

fn pass(row: Row, shifted: Shifted) -> Vec<Item> {
    let row = row.y(Y::BXorT).carry_next(Next::Majority).up();
    let above = if let Some(top) = shifted.top { row.b(top) } else { row };
    vec![each(Count::StrideRest, row.b(shifted.rows)), each(Count::Stride, above.rewind())]
}

/// A constant for columns with T = 0 and one for the others.
pub(super) fn by_tag(to: Address) -> Row {
    // Without rows read, y is T, or with the code next to it 0.
    row().x(X::One).y(Y::BXorT).steer_both().write(to).up().rewind()
}

/// to ← ±from + constant, one row of a pass.
pub(super) fn residue(to: Address, from: Address) -> Row {
    constant().b(from).y(Y::BXorT).carry_next(Next::Majority).write(to).up()
}

/// The next step shifts by one bit more.
pub(super) fn further(row: Row) -> Row {
    row.i(OffsetAction::Up).stride(StrideAction::Up)
}

/// As many steps as each number says, of which the last one shifts no further: that shift is passed twice.
pub(super) fn twice(groups: &[i16], step: impl Fn(bool) -> Vec<Item>) -> Vec<Item> {
    let mut items = Vec::new();
    for &steps in groups {
        if steps > 1 {
            items.push(outer(steps - 1, step(true)));
        }
        items.extend(step(false));
    }
    items
}

/// The width of a variant, from the widths that there are tables for.
pub(super) fn of_width(n: u8) -> Condition {
    Condition::Zero(N - i16::from(n))
}

/// The widths that there are programs for.
pub(super) fn widths() -> impl Iterator<Item = u8> {
    WIDTHS.into_iter()
}
