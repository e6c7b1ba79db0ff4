//! What products, quotients and roots of floating-point numbers have in common in the mode
//! [`Mode::FLUSHED`](crate::array::isa::format::Mode::FLUSHED): to nearest, with subnormal numbers flushed on both
//! sides, which is what Duality Cache computes with.
//!
//! Operands have a hidden bit or count as zero, so that the result has its highest 1 in one of two rows and no shifter
//! is needed: one pass chooses rows, adds what rounding adds, and writes the fraction. Columns whose result is zero,
//! infinite or NaN are *dead*: P is 0 in them, the last passes write what x says, and C stays 1.

use crate::array::isa::format::Mode;
use crate::array::isa::linear::M;
use crate::array::isa::operation::{Condition, Formula, Operation, Variant};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// A condition: the command's mode.
pub(super) const FLUSHED: Condition = Condition::Mode(Mode::FLUSHED);

/// Puts programs of this mode in front of others, each in front of so many that the operation has already.
pub(super) fn with_flushed(
    mut operation: Operation,
    cycles: Formula,
    programs: Vec<(usize, Vec<Condition>, Program)>,
) -> Operation {
    for (behind, when, program) in programs {
        let place = operation.variants.len() - behind;
        operation.variants.insert(place, Variant { when, program });
    }
    operation.flushed = Some(cycles);
    operation
}

/// Rows of one bit a column that are known of the operands: of a, of b.
pub(super) struct Known {
    /// The operand has a hidden bit; else it counts as zero.
    pub(super) hidden: [Address; 2],
    /// It is neither infinite nor NaN.
    pub(super) finite: [Address; 2],
    /// The signs differ.
    pub(super) sign: Address,
}

/// Looks at both operands at once: T and H take what is found in a and in b.
pub(super) fn look(row: Row) -> Row {
    row.tag(TagAction::Differ).hold(HoldAction::Differ).up()
}

/// Hidden bits, sign, what is not finite. T: NaN, because an operand is one or, where it is not finite, for what
/// `besides` adds to its fraction.
pub(super) fn given(known: &Known, besides: Option<Row>) -> Vec<Item> {
    let exponents = row().a(A.j().plus(FRACTION)).b(B.j().plus(FRACTION));
    let keep = |[tag, hold]: [Address; 2]| {
        let tag = tag_out(row()).write(tag).tag(TagAction::Zero);
        [once(tag), once(row().x(X::H).write(hold).hold(HoldAction::Zero))]
    };
    let mut items = vec![each(M, look(exponents.x(X::A).y(Y::B)).rewind())];
    items.extend(keep(known.hidden));
    items.push(each(M, look(exponents.x(X::NotA).y(Y::NotB))));
    items.push(once(exponents.x(X::A).y(Y::B).write(known.sign).rewind()));
    items.extend(keep(known.finite));
    items.push(each(FRACTION, look(row().a(A.j()).b(B.j()).x(X::A).y(Y::B)).rewind()));
    items.extend(besides.map(once));
    items.extend(not_a_number(known.finite));
    items
}

/// The same on columns that gather, but for NaN: hidden bits, sign, what is not finite. Behind it nothing is gathered,
/// T and H are 0, and C is what the last row makes of it.
pub(super) fn gathered(known: &Known, last: impl Fn(Row) -> Row) -> Vec<Item> {
    let exponents = row().a(A.j().plus(FRACTION)).b(B.j().plus(FRACTION)).x(X::A).y(Y::B);
    let hidden_b = row().x(X::H).write(known.hidden[1]).hold(HoldAction::Load);
    let hidden_a = tag_out(row()).write(known.hidden[0]).tag(TagAction::Next);
    vec![
        // E, F, V and U: 0.
        once(row().x(X::Choice).predicate(PredicateAction::A).clear_carry()),
        each(M, look(exponents).gather()),
        once(exponents.write(known.sign).rewind()),
        once(given_to(hidden_b, Second::Top)),
        once(given_to(hidden_a, Second::Top)),
        once(tag_out(row()).write(known.finite[0]).tag(TagAction::Zero)),
        once(last(row().x(X::H).write(known.finite[1]).hold(HoldAction::Zero))),
    ]
}

/// T and H take what was gathered.
pub(super) fn given_to(row: Row, which: Second) -> Row {
    row.second(which).gather()
}

/// T, H: a 1 was in the fraction of a, of b. C becomes 0.
pub(super) fn fractions() -> Item {
    once(given_to(row().tag(TagAction::Next).hold(HoldAction::Load).clear_carry().rewind(), Second::TopNotQ))
}

/// T: an operand is not finite, and T for a, or H for b, says that it is NaN. C is 0.
pub(super) fn not_a_number([finite_a, finite_b]: [Address; 2]) -> [Item; 3] {
    [
        once(row().a(finite_a).x(X::NotA).tag(TagAction::And)),
        once(row().b(finite_b).x(X::H).y(Y::NotB).hold_next(Next::Majority)),
        once(row().x(X::H).tag(TagAction::Differ)),
    ]
}

/// The fraction: of the rows at a where T is 1, else of those at b. C: rounding adds; then the carry. H becomes NaN,
/// whose fraction has its top bit. J is 0 before and behind it.
pub(super) fn fraction(nan: Address, alive: Address, [upper, lower]: [Address; 2]) -> Vec<Item> {
    let bit = chain(row().a(upper).b(lower).y(Y::TSelect).gate()).write(D.j()).up();
    vec![
        once(row().a(alive).x(X::NotA).y(Y::NotB).carry_next(Next::Majority).predicate(PredicateAction::A)),
        once(row().a(nan).hold_next(Next::AAndNotY)),
        each(FRACTION - 1, bit),
        once(bit.x(X::H).rewind()),
    ]
}

/// The sign, but of NaN. H: that; C: 0.
pub(super) fn sign(sign: Address) -> Item {
    once(row().b(sign).x(X::NotH).y(Y::B).majority().write(D.j().plus(FRACTION)))
}
