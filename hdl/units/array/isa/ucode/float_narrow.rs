//! Conversion of floating-point numbers to formats with fewer exponent bits.
//!
//! ```text
//!  exponent ─▶ with the result's bias ─▶ significand in the window, down if that is not positive ─▶ round ─▶ d
//! ```
//!
//! With m bits in the result's exponent, its bias is smaller by ones in bits m − 1 and up, but the operand's top one.
//! So the low bits of the exponent stay as they are, and the bits above them, plus 1, say by their top bits whether it
//! is negative: z, what is left of them, has to be 0 or 1. The distance down, where the exponent is not positive, is 1
//! less the low bits, all ones if it is more than those tell. A subnormal operand is far below everything.
//!
//! The window has the rows of a sum's: two guard bits, the fraction, the hidden bit. T, C and H have the meanings that
//! comments give them.

use crate::array::isa::format::{E4M3, Format};
use crate::array::isa::linear::ceil_log2;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::inexact_too;
use crate::array::isa::ucode::float_round::{self as round, adds, directions, properties};
use crate::array::isa::ucode::float_rows::{chain, tag_out};
use crate::array::isa::ucode::float_to_float::*;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Rows of the window.
fn rows(to: Format) -> i16 {
    to.n().into()
}

/// Stages that shift the window out.
fn stages(to: Format) -> i16 {
    ceil_log2(to.n().into()) as i16
}

/// The window from a row on.
fn window(index: Address, row: i16) -> Address {
    index.plus(ALL_FLAGS + row)
}

/// The window's rows by number.
fn fixed(number: i16) -> Address {
    S.at((ALL_FLAGS + number) as u8)
}

/// The hidden bit; then: not too large.
fn hidden_row(to: Format) -> Address {
    fixed(rows(to) - 1)
}

/// The distance from a row on; then, in its last row, the top bit of the exponent.
fn distance(to: Format, index: Address, row: i16) -> Address {
    index.plus(ALL_FLAGS + rows(to) + row)
}

/// The exponent's top bit in the result.
fn exponent_top(to: Format) -> Address {
    fixed(rows(to) + i16::from(to.exponent) - 1)
}

/// Scratch rows: flags, the window, the distance.
pub(super) fn scratch(to: Format) -> i16 {
    ALL_FLAGS + rows(to) + i16::from(to.exponent)
}

/// d ← a, for a result with fewer exponent bits.
pub(super) fn narrower(from: Format, to: Format, reports: bool) -> Vec<Item> {
    let mut items = properties(from, flag(Flag::Finite), flag(Flag::Hidden), flag(Flag::NotANumber));
    if reports {
        items.extend(signals(from, to));
    }
    items.extend(exponent(from, to));
    items.extend(how_far(from, to));
    items.extend(significand(from, to));
    items.push(outer(stages(to), down(to)));
    items.extend(rounded(from, to, reports));
    items.extend(exponents_and_sign(from, to, reports));
    items
}

/// Bits of z below its top one.
fn upper(from: Format, to: Format) -> i16 {
    i16::from(from.exponent - to.exponent)
}

/// z to d, with its top bit in the row behind; what is negative, and what is too large.
fn exponent(from: Format, to: Format) -> Vec<Item> {
    let ((fraction, exponent), low) = (bits(from), i16::from(to.exponent) - 1);
    let top = D.at(upper(from, to) as u8);
    let overflow = flag(Flag::OVERFLOW);
    let z = chain(row().a(A.j().plus(fraction + low)).x(X::A)).write(D.j()).up();
    let zero_in = |address: Address| row().x(X::One).b(address).y(Y::NotB).hold(HoldAction::Differ);
    let mut items = vec![once(row().tag(TagAction::Zero).carry_next(Next::One)), once(z)];
    // T: z is 2 or more, if it is not negative.
    items.extend(times(upper(from, to) - 1, z.tag(TagAction::Differ)));
    items.extend([
        once(chain(row().a(A.at((fraction + exponent - 1) as u8)).x(X::A)).write(top).rewind()),
        once(row().write(overflow).clear_carry()),
        once(row().a(top).b(overflow).x(X::NotA).y(Y::NotB).majority().write(flag(Flag::NEGATIVE))),
    ]);
    if to != E4M3 {
        // Exponents of all ones are too large. H: there is a 0.
        items.extend(times(low, zero_in(A.j().plus(fraction)).up().rewind()));
        items.push(once(zero_in(D.at(0))));
        items.push(once(row().x(X::NotH).tag(TagAction::Differ)));
    }
    items.extend([
        once(row().a(top).x(X::A).tag(TagAction::And)),
        once(row().a(overflow).x(X::A).tag(TagAction::Differ).hold(HoldAction::Zero)),
        once(tag_out(row()).write(overflow).tag(TagAction::Zero).carry_next(Next::One)),
    ]);
    items
}

/// The distance, 0 of positive exponents, with all ones in its low rows if it is more. C is 1 before.
fn how_far(from: Format, to: Format) -> Vec<Item> {
    let ((fraction, _), low) = (bits(from), i16::from(to.exponent) - 1);
    let (top, negative) = (D.at(upper(from, to) as u8), flag(Flag::NEGATIVE));
    let to_row = distance(to, S.j(), 0);
    let far = exponent_top(to);
    let exponent = row().a(A.j().plus(fraction));
    let z = upper(from, to);
    let more = row().b(distance(to, S.j(), stages(to))).y(Y::TB).hold(HoldAction::Differ).up().rewind();
    // 1 less the low bits: the lowest one is complemented, since C is 1, and leaves C as it is.
    let mut items = vec![once(exponent.x(X::A).write(to_row).up())];
    items.extend(times(low - 1, chain(exponent.x(X::NotA)).write(to_row).up().rewind()));
    // H: a 0 in z. A negative exponent is far down then, or where the low bits are 0.
    items.extend(times(z, row().x(X::One).b(D.j()).y(Y::NotB).hold(HoldAction::Differ).up().rewind()));
    items.push(once(row().x(X::H).y(Y::NotB).majority().write(far).clear_carry()));
    items.push(once(row().a(far).b(negative).x(X::A).y(Y::B).majority().write(far).hold(HoldAction::Zero)));
    // T: negative, or 0.
    items.extend(times(low, exponent.x(X::A).tag(TagAction::Differ).up().rewind()));
    items.extend(times(z, row().a(D.j()).x(X::A).tag(TagAction::Differ).up().rewind()));
    items.push(once(row().b(top).x(X::B).y(Y::BXorT).majority().tag(TagAction::W)));
    items.push(once(row().a(negative).x(X::A).tag(TagAction::Differ)));
    items.extend(times(i16::from(to.exponent) - stages(to), more));
    items.push(once(row().a(D.at(0)).b(top).x(X::A).y(Y::B).majority().write(far).carry_next(Next::One)));
    items.extend(times(stages(to), row().b(to_row).x(X::H).y(Y::TB).majority().write(to_row).up().rewind()));
    items.push(once(row().hold(HoldAction::Zero).clear_carry()));
    items
}

/// The significand to the window. H: bits for which there is no row.
fn significand(from: Format, to: Format) -> Vec<Item> {
    let (fraction, _) = bits(from);
    let lost = fraction + 1 - rows(to);
    let copy = row().a(A.j().plus(lost.max(0))).x(X::A).write(window(S.j(), -lost.min(0))).up().rewind();
    let mut items = times(lost, row().a(A.j()).x(X::A).majority().hold(HoldAction::Differ).up().rewind());
    items.extend(times(-lost, row().write(window(S.j(), 0)).up().rewind()));
    items.extend(times(fraction.min(rows(to) - 1), copy));
    items.push(once(row().a(flag(Flag::Hidden)).x(X::A).write(hidden_row(to))));
    items
}

/// Down by the distance: by 1, 2, 4, …. H: sticky.
fn down(to: Format) -> Vec<Item> {
    let (here, far) = (window(S.j(), 0), window(S.k(), 0));
    let fill = row().b(here).x(X::B).y(Y::TB).write(here).up().rewind();
    vec![
        once(row().a(distance(to, S.l(), 0)).tag(TagAction::A).l(OuterAction::Up)),
        each(Count::Stride, row().b(here).y(Y::TB).hold(HoldAction::Differ).up().rewind()),
        each(Count::StrideRest, row().a(far).b(here).y(Y::TSelect).write(here).up()),
        each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
    ]
}

/// Where exceptions are reported: the result is smaller than the smallest normal number. It takes the window's lowest
/// row, of which H knows.
fn tiny() -> Address {
    fixed(0)
}

/// Numbers that are too large before they are rounded; those that are too small, and flushed. H: sticky, without what
/// does not count of the operand. C is 0; T is lost.
fn too_large_or_small(to: Format) -> [Item; 9] {
    let (overflow, finite) = (flag(Flag::OVERFLOW), flag(Flag::Finite));
    let flushed = row().x(X::One).steer_x().key_shift(0);
    [
        once(row().a(overflow).b(finite).x(X::A).y(Y::B).majority().tag(TagAction::W).report(Report::Overflow)),
        inexact_too(),
        once(row().a(hidden_row(to)).x(X::NotA).write(tiny())),
        // T: not zero. Nothing is left of subnormal operands but H.
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)),
        once(row().a(tiny()).x(X::A).tag(TagAction::And)),
        once(row().a(overflow).x(X::NotA).tag(TagAction::And)),
        once(flushed.tag(TagAction::And).report(Report::Underflow)),
        inexact_too(),
    ]
}

/// The fraction, rounded, to d. C: its carry.
fn rounded(from: Format, to: Format, reports: bool) -> Vec<Item> {
    let bounded = round::flag(round::Flag::Bounded);
    let (alive, unbounded, overflow) = (flag(Flag::Hidden), flag(Flag::Finite), flag(Flag::OVERFLOW));
    let counts = || row().x(X::Zero).steer_x();
    // T: subnormal operands count, or this is none. Otherwise nothing of it is left in H.
    let mut items = vec![
        once(counts().tag(TagAction::W)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row().x(X::H)).majority().hold_next(Next::Majority)),
    ];
    items.extend(directions(Some(sign(from))));
    let sticky = once(row().a(fixed(0)).x(X::A).majority().hold(HoldAction::Differ));
    if reports {
        items.push(sticky.clone());
        items.extend(too_large_or_small(to));
    }
    items.extend([
        once(row().a(bounded).b(flag(Flag::Finite)).x(X::A).y(Y::B).majority().write(bounded)),
        // T: subnormal results count, or this is none; and it is not too large.
        once(counts().tag(TagAction::W)),
        once(row().a(hidden_row(to)).x(X::A).tag(TagAction::Differ)),
        once(row().a(overflow).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).write(alive)),
        once(row().a(overflow).b(bounded).x(X::A).y(Y::B).majority().write(unbounded)),
        once(row().a(unbounded).x(X::NotA).write(unbounded)),
        once(row().a(overflow).x(X::NotA).write(hidden_row(to))),
        // P: the fraction is not all ones.
        once(row().a(if to == E4M3 { hidden_row(to) } else { unbounded }).predicate(PredicateAction::A)),
    ]);
    if reports {
        items.extend(inexact_of(fixed(1), row().a(alive).x(X::A), row().a(tiny()).x(X::A)));
    } else {
        items.push(sticky);
    }
    items.extend(adds(fixed(2), fixed(1)));
    // C: rounding adds, and the fraction is alive.
    items.push(once(row().a(alive).tag(TagAction::A)));
    items.push(once(tag_out(row()).carry_next(Next::Majority)));
    let fraction = chain(row().b(window(S.j(), 2)).y(Y::TB).gate().held_without_tag()).write(D.j());
    items.extend(times(to.fraction.into(), fraction.up().rewind()));
    items
}

/// The exponent, the fraction's carry in it, and the sign.
fn exponents_and_sign(from: Format, to: Format, reports: bool) -> Vec<Item> {
    let ((fraction, _), (result, exponent)) = (bits(from), bits(to));
    let field = |row: Row| chain(row.gate());
    let negative = flag(Flag::NEGATIVE);
    let low = row().b(A.j().plus(fraction)).y(Y::TB).write(D.j().plus(result)).up().rewind();
    let mut items = vec![
        // P: not too large. T: not negative; C stays, since both terms are the same.
        once(row().a(hidden_row(to)).predicate(PredicateAction::A)),
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        once(row().a(negative).b(negative).x(X::NotA).y(Y::NotB).majority().tag(TagAction::And)),
    ];
    items.extend(times(exponent - 1, field(low)));
    items.push(once(field(row().b(exponent_top(to)).y(Y::B)).write(D.at(to.fraction + to.exponent - 1))));
    // Only what loses bits can become too large by rounding.
    let (rounds, fits) = (fraction > result, row().a(flag(Flag::OVERFLOW)).x(X::NotA));
    if to != E4M3 {
        let lowest = D.at(to.fraction);
        items.push(once(row().clear_carry()));
        if reports && rounds {
            items.extend(overflow_of_rounding(to, fits));
        }
        items.extend([
            // What is too large and bounded has an exponent of one less than all ones.
            once(row().a(lowest).b(flag(Flag::Finite)).x(X::A).y(Y::B).majority().write(lowest)),
            quiet(to),
            sign_out(from, to),
        ]);
        return items;
    }
    // What was carried beyond the exponent is all ones. T: all ones, which is NaN, or is one too large.
    let bounded = round::flag(round::Flag::Bounded);
    let all = row().a(D.j()).x(X::A).write(D.j()).tag(TagAction::And).up().rewind();
    items.extend([
        once(row().x(X::One).y(Y::NotB).majority().tag(TagAction::W)),
        each(result + exponent, all),
        once(row().clear_carry()),
        once(row().a(D.at(0)).b(bounded).x(X::A).y(Y::NotTB).majority().write(D.at(0))),
    ]);
    if reports && rounds {
        // The row of the window is free by now.
        items.extend([
            once(tag_out(row()).write(tiny())),
            once(fits.tag(TagAction::And).report(Report::Overflow)),
            inexact_too(),
            once(row().a(tiny()).tag(TagAction::A)),
        ]);
    }
    items.extend([
        once(row().a(bounded).x(X::NotA).tag(TagAction::And)),
        once(row().b(sign(from)).x(X::B).y(Y::TB).write(D.at(to.fraction + to.exponent))),
    ]);
    items
}
