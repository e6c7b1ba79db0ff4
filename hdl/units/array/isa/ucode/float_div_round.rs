//! Division of floating-point numbers, second half: the quotient has its leading 1 in front of the window; here it goes
//! down where its exponent is not positive, is rounded, what is too large or special is set, and the result goes to d.

use crate::array::isa::linear::{EXCESS, LOG2, M};
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::{inexact_too, overflow_unless};
use crate::array::isa::ucode::float_operation::wanted;
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Rows by number from one below the window up.
fn from_window(place: Place, number: u8) -> Address {
    at(place.window(S.j()), number - 1)
}

/// What follows the quotient. H: sticky; C, J and L: 0; I and the stride: 1. With `reports` what rounding raises is
/// reported.
pub(super) fn rounded(place: Place, finite_only: bool, bits: Bits, skip: bool, reports: bool) -> Vec<Item> {
    let mut items = too_large(finite_only, reports);
    items.extend(how_far(place));
    // T: not positive. Zeros need not go down.
    let test = row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And);
    items.extend(wanted(skip, test, vec![outer(LOG2, down(place))]));
    items.extend(directions_of(Some(flag(Flag::Sign)), bits));
    items.extend(round(place, finite_only, bits, reports));
    items.extend(exponent(place));
    items.extend(if finite_only { all_ones(reports) } else { special() });
    items
}

/// What is too large, infinite or NaN, and what is special for another reason than its size.
fn too_large(finite_only: bool, reports: bool) -> Vec<Item> {
    let (bit, negative, infinite) = (flag(Flag::TOP), flag(Flag::NEGATIVE), flag(Flag::Infinite));
    let mut items = Vec::new();
    if finite_only {
        items.push(once(row().tag(TagAction::Zero)));
    } else {
        // T: all ones, which are infinite.
        items.push(once(row().x(X::One).tag(TagAction::W)));
        items.push(each(M, row().a(D.j()).x(X::A).tag(TagAction::And).up().rewind()));
    }
    items.extend([
        once(row().a(bit).x(X::A).tag(TagAction::Differ)),
        once(row().a(negative).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And)),
    ]);
    // No quotient rounds up to a power of two, so that these are all; without infinities a result of all ones tells.
    if reports && !finite_only {
        items.push(once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::And)));
        items.extend(overflow_unless(infinite));
    }
    items.extend([
        once(row().a(infinite).x(X::A).tag(TagAction::Differ)),
        once(row().a(flag(Flag::NotANumber)).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(Flag::Overflow)).tag(TagAction::Zero).carry_next(Next::One)),
        once(row().a(infinite).b(flag(Flag::NotANumber)).x(X::A).y(Y::B).majority().write(infinite)),
    ]);
    items
}

/// The distance down: 1 less the exponent where that is not positive, else 0; all ones if it is more than those rows
/// tell. The exponent to its place in d, or 0. C is 1 before.
fn how_far(place: Place) -> Vec<Item> {
    let (bit, far, to) = (flag(Flag::TOP), flag(Flag::FAR), distance(S.j()));
    let exponent = row().a(D.j());
    let next = chain(exponent.x(X::NotA)).up();
    vec![
        // The lowest bit is complemented, since C is 1, and leaves C as it is.
        once(exponent.x(X::A).write(to).up()),
        each(LOG2 - 1, next.write(to)),
        each(EXCESS, next.tag(TagAction::Differ).rewind()),
        once(row().a(bit).x(X::NotA).tag(TagAction::Differ).clear_carry()),
        once(tag_out(row()).write(far).tag(TagAction::Zero)),
        // T: 0, or negative.
        each(M, exponent.x(X::A).tag(TagAction::Differ).up()),
        once(row().a(bit).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
        once(row().a(flag(Flag::NEGATIVE)).x(X::A).tag(TagAction::Differ).down()),
        each(M, row().b(D.j()).x(X::B).y(Y::TB).write(result_field()).down().rewind()),
        once(row().b(far).y(Y::TB).write(far).carry_next(Next::One)),
        each(LOG2, row().a(far).b(to).x(X::A).y(Y::TB).majority().write(to).up().rewind()),
        once(row().x(X::One).y(Y::NotB).majority().write(place.hidden_row()).clear_carry()),
        once(row().write(from_window(place, 1))),
    ]
}

/// Down by the distance: by 1, 2, 4, …. H: sticky.
fn down(place: Place) -> Vec<Item> {
    let (here, far) = (place.window(S.j()), place.window(S.k()));
    let fill = row().b(here).x(X::B).y(Y::TB).write(here).up().rewind();
    vec![
        once(row().a(distance(S.l())).tag(TagAction::A).l(OuterAction::Up)),
        each(Count::Stride, row().b(here).y(Y::TB).hold(HoldAction::Differ).up().rewind()),
        each(Count::StrideRest, row().a(far).b(here).y(Y::TSelect).write(here).up()),
        each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
    ]
}

/// The fraction, rounded, to d. C: its carry.
fn round(place: Place, finite_only: bool, bits: Bits, reports: bool) -> Vec<Item> {
    let (bounded, overflow, alive, unbounded) = (flag(Flag::Bounded), flag(Flag::Overflow), passing(0), passing(1));
    // T, where it is asked: smaller than the smallest normal number.
    let tiny = passing(2);
    let mut items = vec![once(row().a(bounded).b(flag(Flag::Infinite)).x(X::A).y(Y::NotB).majority().write(bounded))];
    if reports {
        items.extend([
            once(row().a(place.hidden_row()).x(X::NotA).write(tiny)),
            once(bits.flushed().tag(TagAction::W)),
            once(row().a(tiny).x(X::A).tag(TagAction::And)),
            once(row().a(overflow).x(X::NotA).tag(TagAction::And)),
            once(row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And).report(Report::Underflow)),
            inexact_too(),
        ]);
    }
    items.extend([
        // T: subnormal results count, or this is none; and it is neither too large nor zero.
        once(bits.kept().tag(TagAction::W)),
        once(row().a(place.hidden_row()).x(X::A).tag(TagAction::Differ)),
        once(row().a(overflow).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(alive)),
        once(row().a(overflow).x(X::NotA).write(place.hidden_row())),
    ]);
    // P: the fraction is not all ones.
    if finite_only {
        items.push(once(row().a(place.hidden_row()).predicate(PredicateAction::A)));
    } else {
        items.extend([
            once(row().a(overflow).b(bounded).x(X::A).y(Y::B).majority().write(unbounded)),
            once(row().a(unbounded).x(X::NotA).write(unbounded)),
            once(row().a(unbounded).predicate(PredicateAction::A)),
        ]);
    }
    items.push(once(row().a(from_window(place, 1)).x(X::A).majority().hold(HoldAction::Differ)));
    if reports {
        items.extend([
            once(row().x(X::H).tag(TagAction::W)),
            once(row().a(from_window(place, 2)).x(X::A).tag(TagAction::Differ)),
            once(row().a(alive).x(X::A).tag(TagAction::And).report(Report::Inexact)),
            once(row().a(tiny).x(X::A).tag(TagAction::And).report(Report::Underflow)),
        ]);
    }
    items.extend(adds(from_window(place, 3), from_window(place, 2)));
    // C: rounding adds, and the fraction is alive.
    items.push(once(row().a(alive).tag(TagAction::A)));
    items.push(once(tag_out(row()).carry_next(Next::Majority)));
    let fraction = place.fraction_rows(S.j());
    let bit = chain(row().b(fraction).y(Y::TB).gate().held_without_tag());
    items.push(each(FRACTION, bit.write(D.j()).up().rewind()));
    items
}

/// The exponent, all ones of what is too large (P), 0 of zeros (T). J is m at its end.
fn exponent(place: Place) -> Vec<Item> {
    let (zero, to) = (flag(Flag::Zero), result_field());
    vec![
        once(row().a(place.hidden_row()).predicate(PredicateAction::A)),
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        // C stays, since both terms are the same.
        once(row().a(zero).b(zero).x(X::NotA).y(Y::NotB).majority().tag(TagAction::And)),
        each(M, chain(row().b(to).y(Y::TB).gate()).write(to).up()),
    ]
}

/// The sign; one less in the exponent of what is too large and bounded; the quiet bit.
fn special() -> Vec<Item> {
    let (nan, to) = (flag(Flag::NotANumber), result_field());
    let lowest = at(to, 0);
    vec![
        once(row().clear_carry()),
        once(row().a(nan).b(flag(Flag::Sign)).x(X::NotA).y(Y::B).majority().write(to).rewind()),
        once(row().a(lowest).b(passing(1)).x(X::A).y(Y::B).majority().write(lowest).down()),
        once(row().a(to).b(nan).x(X::A).y(Y::B).write(to)),
    ]
}

/// Without infinities: what was carried beyond the exponent is all ones. T: all ones, which is NaN, or one too large.
fn all_ones(reports: bool) -> Vec<Item> {
    let bounded = flag(Flag::Bounded);
    let mut items = vec![
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W).rewind()),
        each(SIGN, row().a(D.j()).x(X::A).write(D.j()).tag(TagAction::And).up()),
        once(row().clear_carry()),
        once(row().a(D.at(0)).b(bounded).x(X::A).y(Y::NotTB).majority().write(D.at(0))),
    ];
    if reports {
        items.push(once(tag_out(row()).write(passing(3))));
        items.extend(overflow_unless(flag(Flag::Infinite)));
        items.push(once(row().a(passing(3)).tag(TagAction::A)));
    }
    items.extend([
        once(row().a(bounded).x(X::NotA).tag(TagAction::And)),
        once(row().b(flag(Flag::Sign)).x(X::B).y(Y::TB).write(D.j())),
    ]);
    items
}
