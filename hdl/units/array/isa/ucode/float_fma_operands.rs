//! Fused multiplication and addition, first part: what the operands are, their exponents, and which of the product and
//! c keeps its place. I is n − 3: K goes over exponents where J goes over fractions.

use crate::array::isa::linear::{EXCESS, LOG2, M};
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::Operand::{A, B, E, S};
use crate::array::isa::row::{Address, Report, Row, row};
use crate::array::isa::ucode::float_exceptions::signals;
use crate::array::isa::ucode::float_flushed::look;
use crate::array::isa::ucode::float_fma_rows::*;
use crate::array::isa::ucode::float_mul::invalid_factors;
use crate::array::isa::ucode::float_mul_rows::{Flag, exponent, flag, passing};
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Hidden bits, signs, special values of a and b. J is 0 before and after; T and H are lost.
pub(super) fn factors(finite_only: bool, reports: bool, places: Places) -> Vec<Item> {
    let hidden_b = places.hidden_b;
    let exponents = row().a(A.k()).b(B.k());
    let fractions = row().a(A.j()).b(B.j());
    let [finite_a, finite_b, counts_a, counts_b] = [0, 1, 2, 3].map(passing);
    let keep = |tag, hold| {
        let tag = tag_out(row()).write(tag).tag(TagAction::Zero);
        [once(tag), once(row().x(X::H).write(hold).hold(HoldAction::Zero))]
    };
    let mut items = vec![each(M, look(exponents.x(X::A).y(Y::B)).rewind())];
    items.extend(keep(flag(Flag::HIDDEN_A), hidden_b));
    items.push(each(M, look(exponents.x(X::NotA).y(Y::NotB))));
    items.push(once(exponents.x(X::A).y(Y::B).write(flag(Flag::Sign)).rewind()));
    if finite_only {
        items.push(each(FRACTION, look(fractions.x(X::NotA).y(Y::NotB)).rewind()));
    }
    items.extend(keep(finite_a, finite_b));
    items.push(each(FRACTION, look(fractions.x(X::A).y(Y::B)).rewind()));
    let counts = |hidden, counts| row().a(hidden).b(counts).x(X::A).y(Y::B).majority().write(counts);
    let zero = row().a(counts_a).b(counts_b).x(X::NotA).y(Y::NotB).majority().write(flag(Flag::Zero));
    items.extend([
        once(row().a(finite_a).b(finite_b).x(X::A).y(Y::B).majority().write(flag(Flag::Numbers))),
        // C: subnormal operands count. Then the fractions that do, and the operands that are not zero.
        once(row().x(X::One).steer_x().key_shift(0).carry_next(Next::NotSum)),
        once(tag_out(row()).majority().write(counts_a)),
        once(row().x(X::H).majority().write(counts_b).carry_next(Next::One)),
        once(counts(flag(Flag::HIDDEN_A), counts_a)),
        once(counts(hidden_b, counts_b)),
        once(zero.clear_carry()),
    ]);
    if !finite_only {
        if reports {
            items.extend(invalid_factors(A.k(), B.k()));
        }
        // T, H: NaN, if this operand is not finite, for its fraction or because the other one is zero.
        let or_zero = row().a(counts_b).b(counts_a).x(X::NotA).y(Y::NotB);
        items.extend([
            once(or_zero.tag(TagAction::Differ).hold(HoldAction::Differ)),
            once(row().a(finite_a).x(X::NotA).tag(TagAction::And)),
            once(row().b(finite_b).x(X::H).y(Y::NotB).hold_next(Next::Majority)),
            once(row().x(X::H).tag(TagAction::Differ)),
            once(tag_out(row()).write(flag(Flag::NotANumber))),
        ]);
    }
    items.push(once(row().tag(TagAction::Zero).hold(HoldAction::Zero)));
    items
}

/// The same of c, and whether its sign is not the product's. T and H are 0 before and after; C is 1 after.
pub(super) fn addend(finite_only: bool, reports: bool, places: Places) -> Vec<Item> {
    let Places { finite, hidden_c, subtract, .. } = places;
    // T: a 0 in the exponent. H: a 1.
    let exponent = row().a(E.k()).b(E.k()).x(X::A).y(Y::NotB).majority();
    let fraction = |x: X| each(FRACTION, row().a(E.j()).x(x).tag(TagAction::Differ).up().rewind());
    let keep = once(tag_out(row()).write(finite).tag(TagAction::Zero));
    let mut items = vec![
        each(M, exponent.tag(TagAction::Differ).hold(HoldAction::Differ).up()),
        once(row().a(flag(Flag::Sign)).b(E.k()).x(X::A).y(Y::B).write(subtract).rewind()),
        once(row().x(X::H).write(hidden_c)),
    ];
    if finite_only {
        items.extend([fraction(X::NotA), keep]);
    } else {
        // NaN, if c is not finite, for its fraction or because the product is infinite with the other sign.
        let opposite = row().a(subtract).b(flag(Flag::Numbers)).x(X::A).y(Y::NotB);
        items.extend([keep, fraction(X::A)]);
        let opposite = once(opposite.hold_next(Next::Majority));
        items.extend(if reports { invalid_sum(opposite, finite) } else { vec![opposite] });
        items.extend([
            once(row().x(X::H).tag(TagAction::Differ)),
            once(row().a(finite).x(X::NotA).tag(TagAction::And)),
            once(row().a(flag(Flag::NotANumber)).x(X::A).tag(TagAction::Differ)),
            once(tag_out(row()).write(flag(Flag::NotANumber))),
        ]);
    }
    items.push(once(row().tag(TagAction::Zero).hold(HoldAction::Zero).carry_next(Next::One)));
    items
}

/// A signalling c, and infinity less infinity, where `opposite` takes to H that the product is not finite and its sign
/// is not that of c. T: a 1 in the fraction of c, before and behind it. J is 0, and so is C.
fn invalid_sum(opposite: Item, finite: Address) -> Vec<Item> {
    let seen = passing(1);
    let mut items = vec![once(tag_out(row()).write(seen).down())];
    items.extend(signals(finite, E.k(), seen).map(once));
    items.extend([
        opposite,
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(finite).x(X::NotA).tag(TagAction::And)),
        once(row().a(seen).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::And).report(Report::Invalid)),
        once(row().a(seen).tag(TagAction::A).up()),
    ]);
    items
}

/// The product's exponent less that of c and 1, then the larger one. C is 1 before and 0 after. T: c is kept.
pub(super) fn exponents(places: Places) -> Vec<Item> {
    let Places { finite, hidden_b, hidden_c, upper, product, difference, patched: [low_a, low_b, low_c], .. } = places;
    let patch = |field: Address, hidden| row().a(field).b(hidden).x(X::A).y(Y::NotB).majority();
    let sum = |row: Row| chain(row.x(X::A).y(Y::B)).write(product).up();
    let fields = sum(row().a(A.k()).b(B.k()));
    let less = |row: Row| chain(row.a(product).x(X::A).y(Y::NotB)).up();
    let field_c = less(row().b(E.k())).write(difference);
    let below = LOG2 - 1;
    let mut items = vec![
        // Exponents of subnormal numbers are 1.
        once(patch(A.k(), flag(Flag::HIDDEN_A)).write(low_a)),
        once(patch(B.k(), hidden_b).write(low_b)),
        once(patch(E.k(), hidden_c).write(low_c)),
        // One less than the exponent at the product's top bit, in two's complement of m + 2 bits. The bias is one less
        // than the top bit's weight: C is that 1. T: the top bit is 0, and that weight borrows from the carry.
        once(sum(row().a(low_a).b(low_b))),
        each(below, fields),
        each(EXCESS, fields.flip_out().tag(TagAction::W)),
        once(tag_out(row()).write(product).clear_carry()),
        once(row().b(product).y(Y::TB).tag(TagAction::W).up()),
        once(tag_out(row()).write(product).carry_next(Next::One).rewind()),
        once(less(row().b(low_c)).write(difference)),
        each(below, field_c),
        each(EXCESS, field_c),
        once(less(row()).write(difference)),
        once(less(row()).tag(TagAction::W).clear_carry().rewind()),
        // T: c is larger, or the product is zero; one that is infinite stays where it is.
        once(row().a(flag(Flag::Zero)).x(X::A).tag(TagAction::Differ)),
        once(row().a(finite).x(X::NotA).tag(TagAction::Differ)),
        once(row().a(flag(Flag::Numbers)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(keeps())),
        once(row().a(finite).b(flag(Flag::Numbers)).x(X::A).y(Y::B).majority().write(flag(Flag::Numbers))),
        once(tag_out(row()).carry_next(Next::NotSum)),
    ];
    let larger = |row: Row| chain(row.b(product).y(Y::TSelect)).up();
    let of_c = larger(row().a(E.k())).write(exponent(S.j()));
    items.extend([
        once(larger(row().a(low_c)).write(exponent(S.j()))),
        each(below, of_c),
        each(EXCESS, of_c),
        once(row().b(product).y(Y::TSelect).write(upper).clear_carry().rewind()),
    ]);
    items
}
