//! Quotients of floating-point numbers with two bits a pass, on columns with radix 4, to nearest, with subnormal
//! numbers flushed on both sides; what stands around them is in `float_div_flushed.rs` and, for reciprocals,
//! `float_rcp_flushed.rs`.
//!
//! ```text
//!  a − b ─▶ pass: 4R ∓ 2b ∓ b ─▶ … ─▶ quotient        R: remainder
//!   └ sign, and by E, F that of 2R ∓ b ┘
//! ```
//!
//! A remainder that is not negative gives a 1 and has the divisor subtracted next, another one gives a 0 and has it
//! added. A pass does that for two bits, of which the first one is known by the sign of the last remainder, and the
//! second one by the carries of both that may follow it, which E and F have taken while that remainder was written
//! (`gathered_bits.rs`). P has the first one, whose product of the divisor is z, T the second one, whose product is y.
//!
//! The lowest row of a remainder is that of the divisor, whatever is added: there is nothing to write, and the row in
//! which it would be writes the second bit instead. Both complements begin with a carry: with b₀ in that row, T · ¬b₀
//! and P go to the next one, in H and C. The first difference is a + b − 2b, so that E and F take part in it.
//!
//! What NaN asks of the fractions is noted on the way: T collects the dividend's 1s in the difference, U the divisor's
//! in every pass, and H keeps those of the last one. A dividend of 1 has no rows.

use crate::array::isa::linear::N;
use crate::array::isa::program::{Item, each, once, outer};
use crate::array::isa::row::Operand::{A, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, Row, row};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// Cycles of the flushed quotient with radix 4.
pub(super) fn cycles(n: i64, m: i64) -> i64 {
    // Those of three bits are by passes of one bit.
    let quotient = if n == 5 { (n - 1) * (n - 1) - 3 } else { (n - 1) / 2 * (n - 1) };
    quotient + 2 * n + 3 * m + 32
}

/// What is divided by what.
#[derive(Clone, Copy)]
pub(super) struct Quotient {
    /// Where the quotient will be.
    pub(super) place: Place,
    /// The hidden bit of the dividend, whose fraction is in operand a; or it is 1.
    pub(super) dividend: Option<Address>,
    /// The operand that has the divisor.
    pub(super) divisor: Operand,
    /// Its hidden bit.
    pub(super) hidden: Address,
}

/// The quotient, of n bits, its first one above the window. `even`: n is. J and C are 0 before and behind it, I is 1
/// before. H: the divisor's fraction is not 0.
pub(super) fn quotient(of: Quotient, even: bool) -> Vec<Item> {
    let difference = step(chain(row().y(Y::B))).up();
    let fraction = difference.b(of.divisor.j()).write(of.place.window(S.k()));
    let (fraction, hidden) = match of.dividend {
        Some(hidden) => (fraction.a(A.j()).x(X::A).tag(TagAction::Next), difference.a(hidden).x(X::A)),
        None => (fraction, difference.x(X::NotA)),
    };
    let mut items = vec![
        // P and C: 1. E: 1, F and V: 0.
        once(lowest(row().x(X::NotA).y(Y::NotB).majority()).predicate(PredicateAction::A).carry_next(Next::One)),
        each(FRACTION, fraction),
        once(hidden.b(of.hidden)),
        once(sign(row()).write(of.place.hidden_row()).rewind()),
    ];
    // With the quotient's first bit, which is in C.
    items.extend(of.dividend.map(|_| once(tag_out(row()).write(fraction_a(of.place)))));
    items.extend(pass(of, Which::First));
    if of.place.long && !even {
        // There are no rows for the remainder that the last pass would write.
        items.push(outer((N - 5).half(), pass(of, Which::Other)));
        items.extend(pass(of, Which::Last));
    } else {
        items.push(outer((N - 3).half(), pass(of, Which::Other)));
    }
    // The last one of an even number has no pass to begin.
    let last = if even { next(of.place, row()) } else { row() };
    items.push(once(last.clear_carry()));
    items
}

/// T, H: a 1 is in the fraction of a, of b. C is 0.
pub(super) fn fractions(place: Place) -> Item {
    once(row().a(fraction_a(place)).b(place.hidden_row()).x(X::A).y(Y::B).tag(TagAction::W))
}

/// The dividend's fraction is not 0, ⊕ the quotient's first bit.
fn fraction_a(place: Place) -> Address {
    place.flushed(Flag::NotANumber)
}

/// A row of a pass.
fn step(row: Row) -> Row {
    row.second(Second::NotPass).gather()
}

/// The lowest row of a pass.
fn lowest(row: Row) -> Row {
    row.second(Second::NotPark).gather()
}

/// The row with the sign: its complement is a bit of the quotient, which P and C take.
fn sign(row: Row) -> Row {
    step(row.not_sum()).carry_next(Next::NotSum).predicate(PredicateAction::A)
}

/// T takes the next bit, as its row does; C has the one before.
fn next(place: Place, row: Row) -> Row {
    lowest(row.tag(TagAction::W)).write(place.next_bit(S.k()))
}

/// Which pass.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    /// The first one: the difference that it reads has a lowest bit of its own.
    First,
    /// Any other one.
    Other,
    /// One that writes no remainder.
    Last,
}

/// A pass of n − 1 rows. J is 0 before and behind it, I falls by 2.
fn pass(of: Quotient, which: Which) -> Vec<Item> {
    let (here, divisor) = (of.place.remainder(S.k()), of.divisor);
    let adds = |row: Row| step(chain(row.y(Y::BXorT)));
    let written = |row: Row| if which == Which::Last { row } else { row.write(here) };
    let term = written(adds(row().a(here).b(divisor.j()).x(X::A))).up();
    // Behind the first pass the remainder's lowest row is the divisor's.
    let third = if which == Which::First { term } else { Row { a: Some(divisor.at(0)), ..term } };
    vec![
        once(next(of.place, row().b(divisor.j())).hold(HoldAction::Load).i(OffsetAction::Down).up()),
        once(written(adds(row().b(divisor.j()).x(X::H))).up()),
        once(third),
        each(N - 6, term),
        // The row below the sign is none that another pass reads. H: a 1 in the divisor's fraction.
        once(adds(row().a(here).b(of.hidden).x(X::A)).hold(HoldAction::Load).up()),
        once(sign(row().a(here).x(X::A).y(Y::BXorT)).write(here).rewind().i(OffsetAction::Down)),
    ]
}
