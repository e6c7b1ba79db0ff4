//! Multiplication of floating-point numbers, second half: the product is where its exponent wants it; here it is
//! rounded, what is too large or special is set, and the result goes to d.

use crate::array::isa::linear::{EXCESS, LOG2, M};
use crate::array::isa::operation::Context;
use crate::array::isa::program::{Count, Item, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, Report, row};
use crate::array::isa::ucode::float_exceptions::{inexact_too, overflow_keeping, overflow_of};
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// What follows the shifts. C: 1; H: sticky; I and J: 0. The exponent may have a bit above its rows. `middle` is n − 4.
/// With `reports` exceptions are reported, but invalid operands.
pub(super) fn rounded(
    finite_only: bool,
    upper: Option<Address>,
    middle: Count,
    cx: Context,
    reports: bool,
) -> Vec<Item> {
    let mut items = Vec::new();
    if !cx.two_port() {
        // Sticky bits are kept where those that left low rows are: the exponent's rows need H.
        let kept = row().b(flag(Flag::STICKY)).x(X::H).y(Y::B).majority().write(flag(Flag::STICKY));
        items.push(once(kept.hold(HoldAction::Zero)));
    }
    items.extend(result_exponent(finite_only, upper));
    items.extend(directions(finite_only));
    items.extend(exceptional(finite_only, reports));
    items.extend(round(reports));
    items.extend(pack(finite_only, middle, reports));
    items
}

/// The result is not in range.
fn outside() -> Address {
    passing(0)
}

/// Rounding is directed.
fn directed() -> Address {
    passing(1)
}

/// What is too large becomes infinite.
fn unbounded() -> Address {
    passing(2)
}

/// The exponent's lowest bit.
fn lowest_bit() -> Address {
    at(exponent(S.j()), 0)
}

/// The exponent less the distance. T: too large, or not a number. I becomes 1, J is m − 1 at the end.
fn result_exponent(finite_only: bool, upper: Option<Address>) -> Vec<Item> {
    let to = exponent(S.j());
    let left = chain(row().a(to).x(X::A).y(Y::NotB)).write(to).up();
    // I is 1: the distance is above the top row.
    let by = left.b(top(S.k()));
    let mut items = vec![once(row().x(X::One).majority().tag(TagAction::W).i(OffsetAction::Up))];
    // T: all ones, or one less with infinities. So much is left of normal numbers alone, and their top bit adds 1.
    if finite_only {
        items.push(each(LOG2, by.tag(TagAction::And)));
    } else {
        items.extend([once(by), each(LOG2 - 1, by.tag(TagAction::And))]);
    }
    items.push(each(EXCESS, left.tag(TagAction::And)));
    let outside_before = row().a(flag(Flag::InRange)).x(X::NotA).tag(TagAction::Differ).down();
    if let Some(upper) = upper {
        // It stays unless the distance borrows from it.
        items.push(once(row().a(upper).x(X::A).majority().tag(TagAction::Differ).clear_carry()));
        items.push(once(outside_before));
    } else {
        items.push(once(outside_before.majority().clear_carry()));
    }
    items.push(once(tag_out(row()).write(outside())));
    items
}

/// What the direction of rounding means in each column, from the key's two bits: low bit (T), high bit.
fn directions(finite_only: bool) -> Vec<Item> {
    let bit = || row().x(X::One).steer_x();
    let away = bit().key_shift(0).b(flag(Flag::Sign)).y(Y::BXorT).majority().write(flag(Flag::Away));
    let mut items = vec![
        once(bit().tag(TagAction::W)),
        once(away.carry_next(Next::One)),
        once(tag_out(bit()).majority().write(directed()).tag(TagAction::W).clear_carry()),
        // The low row that is left is below the lowest of the high rows.
        once(row().b(result_field()).y(Y::B).hold(HoldAction::Differ).rewind()),
        once(row().a(flag(Flag::Away)).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::Numbers)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(flag(Flag::Bounded))),
    ];
    if !finite_only {
        items.push(once(tag_out(row().x(X::One)).write(unbounded())));
    }
    items
}

/// Outside of the range the exponent becomes all ones, or one less where it is bounded, without the bit in front of the
/// fraction. P: the fraction is not set to all ones.
fn exceptional(finite_only: bool, reports: bool) -> Vec<Item> {
    let not_ones = flag(Flag::NOT_ONES);
    let mut items = vec![once(row().a(outside()).tag(TagAction::A))];
    // Without infinities a result of all ones tells, too.
    if reports && !finite_only {
        items.extend(overflow_of(flag(Flag::Numbers)));
        items.push(once(row().a(outside()).tag(TagAction::A)));
    }
    items.push(once(row().b(top_bit()).x(X::B).y(Y::TB).write(top_bit())));
    if finite_only {
        items.extend([
            once(tag_out(row().x(X::One)).write(not_ones)),
            once(row().a(lowest_bit()).y(Y::Differ).write(lowest_bit())),
        ]);
    } else {
        items.extend([
            once(row().b(flag(Flag::Bounded)).y(Y::NotTB).write(not_ones)),
            once(row().a(unbounded()).b(lowest_bit()).y(Y::TSelect).write(lowest_bit())),
        ]);
    }
    // T: the fraction is killed, because of that, or because the result is zero, or flushed.
    let flushed = row().x(X::Zero).steer_x().b(top_bit()).y(Y::NotB).majority().tag(TagAction::Differ);
    if reports {
        let bit = row().x(X::One).steer_x().key_shift(0);
        items.extend([
            once(bit.b(top_bit()).y(Y::NotB).majority().tag(TagAction::W)),
            once(row().a(outside()).x(X::NotA).tag(TagAction::And)),
            once(row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And).report(Report::Underflow)),
            inexact_too(),
            once(row().a(outside()).tag(TagAction::A)),
        ]);
    }
    items.extend([
        once(row().a(flag(Flag::Zero)).x(X::A).tag(TagAction::Differ)),
        once(flushed),
        once(tag_out(row().a(not_ones).x(X::One)).write(flag(Flag::ALIVE)).predicate(PredicateAction::A)),
    ]);
    items
}

/// C: rounding adds, and the fraction is alive. T: the fraction is alive.
fn round(reports: bool) -> Vec<Item> {
    let sticky = |address: Address| once(row().b(address).y(Y::B).hold(HoldAction::Differ));
    // The carry out of: the bit behind the fraction; T; away from zero. T: rest of a number that is not rounded toward
    // zero, or last bit of one that is rounded to nearest.
    let rest = row().b(flag(Flag::Bounded)).x(X::H).y(Y::NotB).majority().tag(TagAction::W);
    let odd = row().a(directed()).b(high(2)).x(X::A).y(Y::B).majority().tag(TagAction::Differ);
    let mut items = vec![sticky(flag(Flag::STICKY)), sticky(high(0))];
    if reports {
        items.extend([
            once(row().x(X::H).tag(TagAction::W)),
            once(row().a(high(1)).x(X::A).tag(TagAction::Differ)),
            once(row().a(flag(Flag::ALIVE)).x(X::A).tag(TagAction::And).report(Report::Inexact)),
            once(row().a(top_bit()).x(X::NotA).tag(TagAction::And).report(Report::Underflow)),
        ]);
    }
    items.extend([
        once(rest),
        once(odd),
        once(row().a(flag(Flag::Away)).carry_next(Next::AAndNotY)),
        once(chain(tag_out(row().a(high(1)).x(X::A)))),
        once(chain(row().a(flag(Flag::ALIVE)).x(X::A)).tag(TagAction::A)),
    ]);
    items
}

/// Fraction, exponent and sign to d.
fn pack(finite_only: bool, middle: Count, reports: bool) -> Vec<Item> {
    let fraction = chain(row().b(high_from_one(S.k())).y(Y::TB).gate().held_without_tag()).write(D.j()).up();
    let exponents = row().a(exponent(S.j())).write(result_field()).up();
    let ones = chain(exponents.y(Y::Differ));
    let mut items = if finite_only {
        vec![each(FRACTION, fraction.rewind())]
    } else {
        // NaN is quiet: the fraction of what is not finite is 0 otherwise.
        let quiet = fraction.a(flag(Flag::NotANumber)).x(X::A);
        vec![each(middle, fraction), once(quiet.rewind())]
    };
    items.extend([
        once(row().a(outside()).tag(TagAction::A)),
        once(chain(exponents.b(top_bit()).x(X::A).y(Y::B))),
        each(LOG2 - 1, ones),
        each(EXCESS, if finite_only { ones.rewind() } else { ones }),
    ]);
    if !finite_only {
        let sign = row().a(flag(Flag::NotANumber)).b(flag(Flag::Sign)).x(X::NotA).y(Y::B).majority();
        if reports {
            // T: an exponent of all ones, which comes of rounding.
            items.extend([
                once(sign.write(result_field()).rewind()),
                once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
                each(M, row().a(result_field()).x(X::A).tag(TagAction::And).up()),
            ]);
            // What rounds up to that is inexact.
            let [overflow, _] = overflow_of(flag(Flag::Numbers));
            items.extend([overflow, once(row()), once(row())]);
        } else {
            items.push(once(sign.write(result_field())));
        }
        return items;
    }
    // What was carried beyond the exponent is all ones. T: all ones, which is NaN, or is one too large.
    let all = row().a(D.j()).x(X::A).write(D.j()).tag(TagAction::And).up();
    items.extend([
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        each(SIGN, all),
        once(row().clear_carry()),
        once(row().a(D.at(0)).b(flag(Flag::Bounded)).x(X::A).y(Y::NotTB).majority().write(D.at(0))),
    ]);
    if reports {
        items.extend(overflow_keeping(flag(Flag::Numbers), passing(4)));
    }
    items.extend([
        once(row().a(flag(Flag::Bounded)).x(X::NotA).tag(TagAction::And)),
        once(row().b(flag(Flag::Sign)).x(X::B).y(Y::TB).write(D.j())),
    ]);
    items
}
