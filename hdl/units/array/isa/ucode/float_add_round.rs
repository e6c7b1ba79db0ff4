//! Addition of floating-point numbers, second half: the sum is where its exponent wants it; here it is rounded, what is
//! too large or special is set, and the result goes to d.

use crate::array::isa::linear::{EXCESS, LOG2, M, Term};
use crate::array::isa::operation::Context;
use crate::array::isa::program::{Count, Item, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, Report, Row, row};
use crate::array::isa::ucode::float_exceptions::{inexact_too, overflow_keeping, overflow_of};
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// What follows the normalisation.
pub(super) fn rounded(finite_only: bool, cx: Context) -> Vec<Item> {
    let reports = cx.exception_flags;
    let mut items = directions();
    items.extend(result_exponent(finite_only, reports));
    items.extend(round(finite_only, cx));
    items.extend(finish(finite_only, reports));
    items
}

/// What the direction of rounding means in each column, from the key's two bits: low bit (T), high bit. I becomes 3.
fn directions() -> Vec<Item> {
    let bit = || row().x(X::One).steer_x();
    let up = |row: Row| once(row.i(OffsetAction::Up));
    let away = bit().key_shift(0).b(flag(Flag::Sign)).y(Y::BXorT).majority().write(flag(Flag::Away));
    let bounded = row().a(flag(Flag::Directed)).b(flag(Flag::Away)).x(X::A).y(Y::NotB).majority();
    // Infinite operands keep their exponent (P), and have no bit in front of the fraction.
    let carry = row().a(flag(Flag::Finite)).b(carry_row()).x(X::A).y(Y::B).majority().write(carry_row());
    vec![
        up(bit().majority().tag(TagAction::W).clear_carry()),
        up(away.carry_next(Next::One)),
        up(tag_out(bit()).majority().write(flag(Flag::Directed)).clear_carry()),
        once(carry.predicate(PredicateAction::A)),
        once(tag_out(row().a(flag(Flag::Directed)).x(X::A)).write(flag(Flag::Down))),
        once(bounded.write(flag(Flag::Bounded)).carry_next(Next::One)),
    ]
}

/// The exponent less the distance. T: the fraction is killed, because the result is infinite, NaN, too large, or
/// flushed. P: it is not all ones, which goes before.
fn result_exponent(finite_only: bool, reports: bool) -> Vec<Item> {
    let left = chain(row().a(exponent(D.j())).x(X::NotA).y(Y::NotB).gate()).write(exponent(D.j())).up();
    let by = left.b(S.j().plus(DIFFERENCE)).y(Y::B);
    let mut items = vec![once(if finite_only { by.tag(TagAction::W) } else { by })];
    if finite_only {
        items.push(each(LOG2 - 1, by.tag(TagAction::And)));
    } else {
        // Z is how many are left.
        items.extend([once(by.tag(TagAction::W)), each(Count::Triangle, by.tag(TagAction::And))]);
    }
    items.push(each(EXCESS, left.tag(TagAction::And).rewind()));
    items.push(once(row().hold(HoldAction::Zero).clear_carry()));
    let special = once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ));
    if finite_only {
        items.extend([
            once(row().a(carry_row()).x(X::A).tag(TagAction::And)),
            special,
            once(tag_out(row().x(X::One)).write(flag(Flag::Large))),
        ]);
    } else {
        // T: too large, since the exponent is one less than all ones, and the bit in front of the fraction is there.
        let overflow = row().a(lowest()).b(carry_row()).x(X::NotA).y(Y::B).majority();
        if reports {
            items.extend([once(overflow.tag(TagAction::And).report(Report::Overflow)), inexact_too()]);
        } else {
            items.push(once(overflow.tag(TagAction::And)));
        }
        items.extend([once(row().b(flag(Flag::Bounded)).y(Y::NotTB).write(flag(Flag::Large))), special]);
    }
    // A row of the difference, which is used up: the mode flushes subnormal results, and this is one, or zero.
    let tiny = at(S.j().plus(DIFFERENCE), 1);
    if reports {
        let bit = row().x(X::One).steer_x().key_shift(0);
        items.push(once(bit.b(carry_row()).y(Y::NotB).majority().write(tiny)));
    }
    // Results without the bit in front are subnormal; so is what comes of a flushed operand alone.
    let subnormal = row().x(X::Zero).steer_x().b(carry_row()).y(Y::NotB).majority().tag(TagAction::Differ);
    let flushed = row().a(flag(Flag::Flushed)).b(flag(Flag::Hidden)).x(X::NotA).y(Y::NotB).majority();
    let carry = row().a(flag(Flag::Large)).b(carry_row()).x(X::A).y(Y::B).majority().write(carry_row());
    items.extend([
        once(subnormal),
        once(flushed.tag(TagAction::Differ)),
        once(tag_out(row()).write(killed())),
        once(carry.predicate(PredicateAction::A)),
    ]);
    if reports {
        // Subnormal sums are exact unless they are flushed; what comes of flushed operands alone is zero.
        items.extend([
            once(row().tag(TagAction::Zero)),
            each(FRACTION, row().a(window(S.k())).x(X::A).tag(TagAction::Differ).up().rewind()),
            once(row().a(tiny).x(X::A).tag(TagAction::And)),
            once(row().a(flag(Flag::Finite)).x(X::A).tag(TagAction::And)),
            once(row().a(flag(Flag::Flushed)).x(X::NotA).tag(TagAction::And).report(Report::Underflow)),
            inexact_too(),
        ]);
    }
    items
}

/// Whether rounding adds, then the fraction and the exponent with it. I is 3.
fn round(finite_only: bool, cx: Context) -> Vec<Item> {
    let (two_port, reports) = (cx.two_port(), cx.exception_flags);
    let sticky = |address: Address| once(row().b(address).y(Y::B).hold(HoldAction::Differ));
    // The carry out of: the bit behind the fraction; T; away from zero. T: rest of a number that is not rounded toward
    // zero, or last bit of one that is rounded to nearest.
    let rest = row().b(flag(Flag::Bounded)).x(X::H).y(Y::NotB).majority().tag(TagAction::W);
    let odd = row().a(flag(Flag::Directed)).b(low(3)).x(X::A).y(Y::B).majority().tag(TagAction::Differ);
    let adds = tag_out(row().a(low(2)).x(X::A)).majority().write(flag(Flag::Sticky)).clear_carry();
    // C: rounding adds. T: the fraction is not killed.
    let begin = row().a(flag(Flag::Sticky)).b(killed()).x(X::One).y(Y::B).tag(TagAction::W);
    // H: everything cancels, and an exponent of 0 is left.
    let cancelling = row().a(flag(Flag::Subtract)).b(flag(Flag::Equal));
    let (cancels, cancelled) = (cancelling.y(Y::NotB).hold_next(Next::AAndNotY), flag(Flag::Large));
    // With `AndNor` sensing it is a row, since the fraction needs H.
    let cancels_too = cancelling.x(X::A).y(Y::B).majority().write(cancelled);
    let mut items = vec![sticky(flag(Flag::Sticky)), sticky(low(1)), sticky(low(0))];
    if reports {
        items.extend([
            once(row().x(X::H).tag(TagAction::W)),
            once(row().a(low(2)).x(X::A).tag(TagAction::Differ)),
            once(row().a(flag(Flag::Finite)).x(X::A).tag(TagAction::And).report(Report::Inexact)),
        ]);
    }
    items.extend([
        once(rest),
        once(if two_port { cancels } else { cancels_too }),
        once(odd),
        once(row().a(flag(Flag::Away)).carry_next(Next::AAndNotY)),
        once(adds),
        once(begin.carry_next(Next::AAndNotY)),
        each(FRACTION, chain(row().b(window(S.k())).y(Y::TB).gate().held_without_tag()).write(D.j()).up()),
    ]);
    let last = |row: Row| chain(row).write(D.j()).up();
    if two_port {
        let last = last(row().a(D.j()).x(X::HSelect));
        // T, where it is asked: an exponent of all ones, which comes of rounding.
        let [first, others] = if reports { [TagAction::W, TagAction::And] } else { [TagAction::Hold; 2] };
        items.push(once(last.b(carry_row()).y(Y::B).tag(first)));
        items.push(each(M - 1, if finite_only { last.rewind() } else { last }.tag(others)));
        if reports && !finite_only {
            // What rounds up to that is inexact.
            let [overflow, _] = overflow_of(flag(Flag::Finite));
            items.push(overflow);
        }
    } else {
        // T: it does not. (The majority of a bit, that bit, and C.)
        items.push(once(row().a(cancelled).b(cancelled).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W)));
        let last = last(row().b(D.j()).y(Y::TB));
        items.push(once(row().a(carry_row()).hold(HoldAction::A)));
        items.push(once(last.x(X::H)));
        items.push(each(M - 1, if finite_only { last.rewind() } else { last }));
        if reports && !finite_only {
            items.extend(overflow_above());
        }
    }
    items
}

/// Exponents of all ones, which come of rounding, where T was in use before. J is the row of the sign before and behind
/// it. C is 0.
fn overflow_above() -> Vec<Item> {
    let [Item::Once(overflow), _] = overflow_of(flag(Flag::Finite)) else { unreachable!("it is a row") };
    vec![
        once(row().x(X::One).tag(TagAction::W).down()),
        each(M, row().a(D.j()).x(X::A).tag(TagAction::And).down()),
        once(overflow.up()),
        each(M, row().up()),
    ]
}

/// NaN and the sign: that of the larger operand; of zeros out of different signs, negative only when rounding down.
fn finish(finite_only: bool, reports: bool) -> Vec<Item> {
    let mut items = Vec::new();
    if finite_only {
        // What was carried beyond the exponent is all ones. T: all ones, which is NaN, or is one too large.
        let ones = row().a(D.j()).x(X::A).write(D.j()).tag(TagAction::And).up();
        let bounded = row().a(flag(Flag::Bounded)).b(flag(Flag::Finite)).x(X::A).y(Y::B).majority();
        let lowest = row().a(D.row(0)).b(flag(Flag::Away)).x(X::A).y(Y::NotTB).majority();
        items.extend([
            once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
            each(SIGN, ones),
            once(row().clear_carry()),
            once(bounded.write(flag(Flag::Away))),
            once(lowest.write(D.row(0))),
        ]);
        if reports {
            items.extend(overflow_keeping(flag(Flag::Finite), low(0)));
        }
        items.extend([
            once(row().a(flag(Flag::Away)).x(X::NotA).tag(TagAction::And)),
            once(tag_out(row()).write(flag(Flag::Directed))),
        ]);
    }
    let flushed = row().a(flag(Flag::Flushed)).b(flag(Flag::Hidden)).x(X::A).y(Y::NotB).majority();
    items.extend([
        once(flushed.tag(TagAction::W)),
        once(row().a(flag(Flag::Equal)).x(X::A).tag(TagAction::Differ)),
        once(row().a(flag(Flag::Subtract)).x(X::A).tag(TagAction::And)),
        once(row().a(flag(Flag::Down)).b(flag(Flag::Sign)).y(Y::TSelect).tag(TagAction::W)),
        once(if finite_only {
            row().a(flag(Flag::Directed)).x(X::NotA).tag(TagAction::And)
        } else {
            // The quiet bit: the fraction of what is not finite is 0.
            let quiet = at(D.j().plus(linear(1, Term::None, -5)), 1);
            row().a(quiet).b(flag(Flag::NotANumber)).x(X::A).y(Y::B).write(quiet)
        }),
        once(tag_out(row().a(flag(Flag::NotANumber)).x(X::NotA)).majority().write(D.j())),
    ]);
    items
}
