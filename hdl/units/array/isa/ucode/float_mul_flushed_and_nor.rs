//! What is before and behind a product of floating-point numbers on `AndNor` columns, to nearest, with subnormal
//! numbers flushed on both sides (`float_mul_flushed.rs`), of formats with exponents of 8 bits; and the product itself,
//! whose first two passes are one.
//!
//! Two rows of one operand raised at once say by their OR whether a 1 is among them, and by their AND whether a 0 is.
//! The last pass writes a fraction's bit in a cycle: H has the row before, and of it and of the row that is read D and
//! T let one through, or none in a dead column.
//!
//! Rows of a program are in the order of the pieces below. T, C, H and D have the meanings that comments give them.

use crate::array::isa::linear::{LOG2, M, N};
use crate::array::isa::program::{Item, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{OffsetAction, Operand, OuterAction, Row, row};
use crate::array::isa::ucode::float_flushed::{Known, not_a_number};
use crate::array::isa::ucode::float_mul::to_carry;
use crate::array::isa::ucode::float_mul_and_nor::{LOW, STRIDE, carries, fetching, last_passes, pass};
use crate::array::isa::ucode::float_mul_flushed::{alive, counts, numbers_and_zeros, ones};
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, chain, tag_out};
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// Two rows of which a and b are the AND and the OR; D, which nobody needs, says that the row is for such columns.
pub(super) fn raised(row: Row) -> Row {
    row.delay(DelayAction::Zero)
}

/// What is known of the operands. T and H are 0 behind it. I is 1.
pub(super) fn special_values() -> Vec<Item> {
    let hidden = [flag(Flag::HIDDEN_A), flag(Flag::HIDDEN_B)];
    let known = Known { hidden, finite: [passing(0), passing(1)], sign: flag(Flag::Sign) };
    let mut items = Vec::new();
    for (at, operand) in [A, B].into_iter().enumerate() {
        let pair = row().a(field(operand.j())).b(field(operand.k())).x(X::NotA).y(Y::B);
        // T: a 0; H: a 1.
        items.push(each(M.half(), raised(pair.tag(TagAction::Differ).hold(HoldAction::Differ)).up_two()));
        let signs = row().a(field(A.j())).b(field(B.j())).x(X::A).y(Y::B).write(known.sign);
        items.extend([
            once(signs.rewind()),
            once(tag_out(row()).write(known.finite[at]).tag(TagAction::Zero)),
            once(row().x(X::H).write(known.hidden[at]).hold(HoldAction::Zero)),
        ]);
    }
    // T, H: a 1 in the fraction of a, of b.
    let first = |operand: Operand| row().a(operand.j());
    let both = |operand: Operand| row().a(operand.j()).b(operand.k());
    let of_a = |row: Row| raised(row.x(X::B).tag(TagAction::Differ));
    let of_b = |row: Row| raised(row.y(Y::B).hold(HoldAction::Differ));
    let pairs = (N - 4).half();
    items.extend([
        once(of_a(first(A)).up()),
        each(pairs, of_a(both(A)).up_two().rewind()),
        once(of_b(first(B)).up()),
        each(pairs, of_b(both(B)).up_two().rewind()),
    ]);
    // An infinite operand gives NaN where the other one is zero.
    let zeros = row().a(hidden[1]).b(hidden[0]).x(X::NotA).y(Y::NotB);
    items.push(once(zeros.tag(TagAction::Differ).hold(HoldAction::Differ)));
    items.extend(not_a_number(known.finite));
    items.push(once(tag_out(row()).write(flag(Flag::NotANumber)).tag(TagAction::Zero).hold(HoldAction::Zero)));
    items.extend(numbers_and_zeros(&known));
    items
}

/// The product of the significands. Its first two passes are one, in which D has the multiplicand's bit before. C: the
/// top bit; I is 1.
pub(super) fn product() -> Vec<Item> {
    let (low, high) = (low_from_m(D.k()), by_product_row(S.k()));
    let both = chain(row().x(X::HD).y(Y::TB)).delay(DelayAction::A);
    let first = row().a(A.l()).tag(TagAction::A).delay(DelayAction::Zero).clear_carry();
    let behind = carries(row()).x(X::HD).write(high).rewind();
    let mut items = vec![
        once(first.l(OuterAction::Up)),
        once(row().a(A.l()).hold(HoldAction::A).l(OuterAction::Up)),
        each(LOW, both.b(B.j()).write(low).up()),
        once(both.b(B.j()).write(high).up()),
        once(both.b(flag(Flag::HIDDEN_B)).write(high).i(OffsetAction::Up)),
        // The next pass's bit of a.
        fetching(behind.i(OffsetAction::Up)),
    ];
    items.push(outer(N - STRIDE - 1, pass()));
    items.extend(last_passes());
    items.push(outer(LOG2 - 1, vec![once(row().i(OffsetAction::Halve))]));
    items.push(once(to_carry(row().x(X::H).write(top_bit()).hold(HoldAction::Zero))));
    items
}

/// T: the product's top bit; H: a 1 below the rows that are rounded. J is m − 1 before, I is 1.
pub(super) fn sticky() -> Vec<Item> {
    let pair = row().a(low_from_m(D.k())).b(low_from_m_and_two(D.j())).x(X::B);
    vec![
        once(row().a(result_field()).x(X::A).tag(TagAction::Differ).rewind()),
        each((N - 4).half(), raised(pair.tag(TagAction::Differ)).up_two().rewind()),
        once(tag_out(row()).hold(HoldAction::Differ)),
        once(row().a(top_bit()).tag(TagAction::A)),
    ]
}

/// The significand is in the rows from the third one up where the product's top bit is 1, else a row below.
pub(super) fn rounded() -> Vec<Item> {
    let bit = chain(row().a(high_from(S.j(), 2)).x(X::HD).y(Y::TB)).hold(HoldAction::A).write(D.j());
    let exponents = chain(row().b(exponent(S.j())).x(X::H).y(Y::TB)).write(result_field()).up();
    let nan = flag(Flag::NotANumber);
    vec![
        // T, D: alive, and the top bit is 1, or 0.
        once(row().a(alive()).x(X::A).y(Y::TB).majority().tag(TagAction::W).delay(DelayAction::Differ)),
        once(row().b(high(0)).y(Y::TB).hold(HoldAction::Differ)),
        once(row().a(high(2)).b(high(1)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(row().x(X::H).y(Y::TSelect).a(high(1)).b(high(0)).carry_next(Next::Majority)),
        // C: rounding adds, of columns that are alive.
        once(row().a(alive()).x(X::A).carry_next(Next::Majority)),
        once(row().a(high(1)).hold(HoldAction::A)),
        each(FRACTION - 1, bit.up()),
        once(bit),
        // The quiet bit; H has no use any more.
        once(row().a(D.j()).b(nan).x(X::B).y(Y::B).majority().write(D.j()).hold(HoldAction::A).rewind()),
        once(row().a(alive()).tag(TagAction::A)),
        once(row().a(counts()).hold(HoldAction::A)),
        once(exponents),
        once(row().a(ones()).hold(HoldAction::A)),
        each(M - 1, exponents),
        once(row().a(nan).hold(HoldAction::A).clear_carry()),
        once(row().b(flag(Flag::Sign)).x(X::NotH).y(Y::B).majority().write(result_field())),
    ]
}
