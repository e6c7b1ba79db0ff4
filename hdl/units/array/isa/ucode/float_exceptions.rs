//! Rows of floating-point operations that report exceptions, in designs with `exception_flags`. They lie between the
//! rows that compute, where what they tell is at hand; those change nothing but T, and rows that are free there.
//!
//! Tininess is judged before rounding (IEEE 754-2019, 7.5): it is the same question as whether a result is flushed.

use crate::array::isa::linear::M;
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::Operand::{A, S};
use crate::array::isa::row::{Address, Operand, Report, Row, row};
use crate::array::isa::ucode::float_flushed::look;
use crate::array::isa::ucode::float_rows::{FRACTION, tag_out};
use crate::array::isa::uop::{HoldAction, TagAction, X, Y};

/// Signalling operands, a and another one, of formats with infinities: exponent of all ones, quiet bit 0, a 1 in the
/// fraction. Takes the first two scratch rows. J, T, H and C are 0 before and behind it.
pub(super) fn signalling(other: Operand) -> Vec<Item> {
    let [seen_a, seen_b] = [0, 1].map(|number| S.at(number));
    let both = row().a(A.j()).b(other.j());
    vec![
        each(FRACTION, look(both.x(X::A).y(Y::B))),
        once(tag_out(row()).write(seen_a).tag(TagAction::Zero).down()),
        once(row().x(X::H).write(seen_b).hold(HoldAction::Zero)),
        // T, H: quiet, or finite.
        once(look(both.x(X::A).y(Y::B))),
        each(M, look(both.x(X::NotA).y(Y::NotB)).rewind()),
        once(row().b(seen_a).x(X::B).y(Y::TB).write(seen_a)),
        once(row().b(seen_b).x(X::NotH).y(Y::B).majority().tag(TagAction::W).hold(HoldAction::Zero)),
        once(row().a(seen_a).x(X::A).tag(TagAction::Differ).report(Report::Invalid)),
        once(row().tag(TagAction::Zero)),
    ]
}

/// An operand of which is known whether it is finite, its quiet bit, and whether there is a 1 in its fraction: it
/// reports if it signals. C is 0; T is lost.
pub(super) fn signals(finite: Address, quiet: Address, fraction: Address) -> [Row; 2] {
    [
        row().a(finite).b(quiet).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W),
        row().a(fraction).x(X::A).tag(TagAction::And).report(Report::Invalid),
    ]
}

/// A NaN reports if it signals. C is 0; T is lost.
pub(super) fn signals_if(nan: Address, quiet: Address) -> Row {
    row().a(nan).b(quiet).x(X::A).y(Y::NotB).majority().tag(TagAction::W).report(Report::Invalid)
}

/// Columns report with a 1 in the bit behind the last one that is kept, or further (H). C is 0; T is that behind it.
pub(super) fn inexact(behind: Address) -> [Item; 2] {
    [
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(behind).x(X::A).tag(TagAction::Differ).report(Report::Inexact)),
    ]
}

/// T has it already: a result that is too large, or too small, is inexact, too. C is 0.
pub(super) fn inexact_too() -> Item {
    once(row().report(Report::Inexact))
}

/// Columns with T = 1 report, of those whose operands are numbers. C is 0; T is lost.
pub(super) fn overflow_of(numbers: Address) -> [Item; 2] {
    [once(row().a(numbers).x(X::A).tag(TagAction::And).report(Report::Overflow)), inexact_too()]
}

/// Columns with T = 1 report, but those whose result is not a number for another reason. C is 0; T is lost.
pub(super) fn overflow_unless(special: Address) -> [Item; 2] {
    [once(row().a(special).x(X::NotA).tag(TagAction::And).report(Report::Overflow)), inexact_too()]
}

/// The same where T is needed behind it: a free row keeps it.
pub(super) fn overflow_keeping(numbers: Address, free: Address) -> Vec<Item> {
    let mut items = vec![once(tag_out(row()).write(free))];
    items.extend(overflow_of(numbers));
    items.push(once(row().a(free).tag(TagAction::A)));
    items
}
