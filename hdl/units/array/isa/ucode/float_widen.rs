//! Conversion of floating-point numbers to formats with more exponent bits. Nothing is too large or subnormal there.
//!
//! Subnormal operands go up until a 1 is on top, in stages whose strides are halved, as sums are normalised. What a
//! stage writes says that the number stays; these bits are the complemented distance, which the exponent loses. The
//! new bias is larger by ones in all bits from the operand's top one up, but the result's top one. With the carry C out
//! of the low bits and the top bit t of the operand's exponent, the bits from there on are C ⊕ t, ¬t, …, ¬t, t.
//!
//! T, C and H have the meanings that comments give them.

use crate::array::isa::format::Format;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::inexact;
use crate::array::isa::ucode::float_round::{adds, directions, properties};
use crate::array::isa::ucode::float_rows::{at, chain, tag_out};
use crate::array::isa::ucode::float_to_float::*;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Stages: with all their strides a number goes up by as many rows as its fraction has, or more.
fn stages(from: Format) -> i16 {
    from.fraction.ilog2() as i16 + 1
}

/// The first stage's stride.
pub(super) fn first_stride(from: Format) -> i16 {
    1 << (stages(from) - 1)
}

/// The row of the scratch area behind flags and what each stage writes.
pub(super) fn behind_stages(from: Format) -> i16 {
    ALL_FLAGS + stages(from)
}

/// Rows below the significand that are 0, for stages to take in.
fn zeros(from: Format) -> i16 {
    first_stride(from)
}

/// Scratch rows: the significand lies in d, where the result has its fraction, unless it has bits to lose.
pub(super) fn scratch(from: Format, to: Format) -> i16 {
    let significand = if to.fraction < from.fraction { zeros(from) + i16::from(from.fraction) + 1 } else { 0 };
    behind_stages(from) + significand
}

/// d ← a, for a result with more exponent bits.
pub(super) fn wider(from: Format, to: Format, reports: bool) -> Vec<Item> {
    let ((fraction, exponent), (result, bits)) = (bits(from), bits(to));
    let lost = fraction - result;
    // A row of the significand from its lowest bit up, and by how much an index goes beyond it.
    let window = |row: i16| {
        if lost > 0 { (S, behind_stages(from) + zeros(from) + row) } else { (D, row - lost) }
    };
    let along = |row: i16| window(row).0.j().plus(window(row).1);
    let ahead = |row: i16| window(row).0.k().plus(window(row).1);
    let below = if lost > 0 { zeros(from) } else { -lost };
    let stays = |index: Address, stage: i16| index.plus(ALL_FLAGS + stage);
    let (exponents, field) = (A.j().plus(fraction), D.j().plus(result));
    let top = row().a(A.at(from.fraction + from.exponent - 1));

    let mut items = properties(from, flag(Flag::Finite), flag(Flag::Hidden), flag(Flag::NotANumber));
    if reports {
        items.extend(signals(from, to));
    }
    items.extend([
        // T: subnormal operands count, or this is none; and it is a number.
        once(row().x(X::Zero).steer_x().tag(TagAction::W)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)),
        once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::And)),
    ]);
    items.extend(times(below, row().write(along(-below)).up().rewind()));
    items.extend(times(fraction, row().b(A.j()).y(Y::TB).write(along(0)).up().rewind()));
    items.push(once(row().a(flag(Flag::Hidden)).x(X::A).write(at(along(fraction), 0))));

    // T: a 1 in the rows on top, so that it stays. I is the stride, which J is negative by then.
    let moves = row().a(ahead(fraction)).b(along(fraction)).y(Y::TSelect).write(ahead(fraction)).down().rewind();
    let stage = vec![
        once(row().tag(TagAction::Zero)),
        each(Count::Stride, row().a(along(fraction)).x(X::A).tag(TagAction::Differ).down()),
        once(tag_out(row()).write(stays(S.l(), stages(from) - 1)).l(OuterAction::Down)),
        each(fraction + 1, moves.i(OffsetAction::Halve).stride(StrideAction::Halve)),
    ];
    items.push(outer(stages(from), stage));

    let lowest = row().a(A.at(from.fraction)).b(flag(Flag::Hidden)).x(X::A).y(Y::NotB).majority();
    let less = |first: Address| chain(row().a(first).x(X::A)).write(field).up();
    items.extend([
        once(row().a(at(along(fraction), 0)).x(X::A).write(flag(Flag::NOT_ZERO)).carry_next(Next::One)),
        // The exponent 0 counts as 1.
        once(lowest.write(flag(Flag::LOWEST))),
        once(less(flag(Flag::LOWEST)).b(stays(S.j(), 0)).y(Y::B)),
    ]);
    items.extend(times(stages(from) - 1, less(exponents).b(stays(S.j(), 0)).y(Y::B)));
    items.extend(times(exponent - 1 - stages(from), less(exponents).y(Y::NotB)));
    items.push(once(top.x(X::A).write(field).up().clear_carry()));
    items.extend(times(bits - exponent - 1, top.x(X::NotA).write(field).up()));
    items.push(once(top.x(X::A).write(field).rewind()));

    if lost > 0 {
        let rest = row().a(along(0)).x(X::A).majority().hold(HoldAction::Differ).up().rewind();
        items.extend(times(lost - 1, rest));
        items.extend(directions(Some(sign(from))));
        let behind = at(along(lost - 1), 0);
        if reports {
            items.extend(inexact(behind));
        }
        items.extend(adds(at(along(lost), 0), behind));
        items.extend(times(result, chain(row().b(along(lost)).y(Y::B)).write(D.j()).up().rewind()));
    }
    // Zeros have no exponent (T), and what is not finite has all ones (P).
    items.push(once(row().a(flag(Flag::Finite)).predicate(PredicateAction::A)));
    items.push(once(row().a(flag(Flag::NOT_ZERO)).tag(TagAction::A)));
    items.push(each(bits, chain(row().b(field).y(Y::TB).gate()).write(field).up().rewind()));
    items.push(once(row().clear_carry()));
    items.push(quiet(to));
    items.push(sign_out(from, to));
    items
}
