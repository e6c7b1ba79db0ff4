//! Addition and subtraction of binary32 numbers on `AndNor` columns, to nearest, with subnormal numbers flushed on both
//! sides (`float_flushed.rs`). Rows that are shifted are written where T is 1 only, a row a cycle.
//!
//! ```text
//!  larger in the window, smaller in d ─▶ down by 16, 8, 4, 2, 1 ─▶ add ─▶ up by 16, 8, 4, 2 ─▶ up by 1 and round ─▶ d
//! ```
//!
//! A bit of both operands takes three cycles, since rows of two operands are not seen apart: H has that of a, and what
//! T and D say of the bits before chooses what goes where. The smaller one is complemented on its way where it is
//! subtracted, so that the addition is one of two rows. What is lost or on top is found by the AND and the OR of two
//! rows at once.
//!
//! Rows of a program are in the order of the pieces below. T, C, H and D have the meanings that comments give them.

use crate::array::isa::linear::{M, N, Term};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, each_of, once};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, Row, row};
use crate::array::isa::ucode::float_add_two_bits::{Flag, TOP, flag, larger_exponent, low, rewound, times, up};
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED};
use crate::array::isa::ucode::float_mul_flushed_and_nor::raised;
use crate::array::isa::ucode::float_rows::{FLAGS, SIGN, at, chain, exponent, linear, tag_out};
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// n of binary32.
const WIDTH: i16 = 26;
/// Guard rows of the smaller operand, below d.
fn guards() -> [Address; 2] {
    [flag(Flag::Add), flag(Flag::First)]
}

/// The exponents' difference is too large, or an operand does not count.
fn far() -> Address {
    up(5)
}

/// Puts the program in front of the one for all modes.
pub(super) fn with_flushed(operation: Operation, name: &'static str, subtract: bool) -> Operation {
    let mut items = [operands(subtract), distance()].concat();
    for bit in (0..5).rev() {
        items.extend(down_by(bit));
    }
    items.extend(sum());
    items.extend(up_by());
    items.extend(exponent_and_range());
    items.extend(rounded());
    let when = vec![FLUSHED, Condition::Zero(N - WIDTH)];
    // Cycles are counted, as of all programs for these columns.
    flushed::with_flushed(operation, |_, _| 0, vec![(1, when, Program::new(name, items).i(2))])
}

/// H takes a bit of a.
fn hold(address: Address) -> Row {
    row().a(address).hold(HoldAction::A)
}

/// The larger magnitude goes to the window and the rows of its exponent, the smaller one to d, where either operand may
/// be; of the latter the exponent is complemented, and the fraction where it is subtracted. Where finite magnitudes of
/// the same exponent are added it does not matter which one is where, and the smaller one goes to the window. All
/// latches but H are 0 behind it. H: a 1 is in the exponent of the smaller one.
fn operands(subtract: bool) -> Vec<Item> {
    let (a, b, d) = (A.j().plus(SIGN), B.j().plus(SIGN), D.j().plus(SIGN));
    // T: a is the larger one; D: b is. Where C is 0 each is the smaller one. Neither: of two bits the majority with C.
    let choose = row().b(b).x(X::DSelect).y(Y::THSelect).majority().tag(TagAction::Differ).delay(DelayAction::Differ);
    let other = row().b(b).y(Y::TBSelect).write(d).down();
    let to = linear(1, Term::M, FLAGS - 1);
    let fraction = |held: Row| [held, choose.write(S.j().plus(to)), other];
    let signs = row().a(a).b(b).x(X::A).y(Y::B).write(flag(Flag::Subtract)).carry_next(Next::One).down();
    let mut items = vec![
        once(if subtract { signs.not_sum() } else { signs }),
        each_of(M, vec![hold(a), choose.write(S.k().plus(to)), other]),
    ];
    // C: no 0 is in the larger exponent, which is not finite. Then: or it is subtracted.
    let all = chain(row().x(X::A)).as_raised();
    items.extend([0, 2, 4, 6].map(|bit| once(all.a(at(larger_exponent(), bit)).b(at(larger_exponent(), bit + 1)))));
    items.extend([
        once(row().not_sum().write(flag(Flag::Finite))),
        once(chain(row().a(flag(Flag::Subtract)).x(X::A).y(Y::One))),
    ]);
    for guard in guards() {
        // Below the lowest bit of the smaller one: C.
        items.extend(fraction(hold(a).write(guard)).map(once));
    }
    items.push(each_of(21, {
        let [held, larger, smaller] = fraction(hold(a));
        vec![held, larger, smaller.rewind()]
    }));
    let ones = row().a(exponent(D.j())).b(exponent(D.k())).x(X::NotA).majority().hold(HoldAction::Differ).up();
    items.extend([
        // C, H: subtracted, and a is not the larger one. Then: and b is not.
        once(tag_out(row()).a(flag(Flag::Subtract)).carry_next(Next::AAndNotY).hold(HoldAction::Load)),
        once(row().a(a).x(X::A).write(d).clear_carry().tag(TagAction::Zero)),
        once(
            row()
                .x(X::DSelect)
                .write(flag(Flag::Cancels))
                .delay(DelayAction::Zero)
                .hold(HoldAction::Zero)
                .i(OffsetAction::Double),
        ),
    ]);
    items.extend(rewound(4, raised(ones)));
    items
}

/// The difference of the exponents, and whether it is too large or one of the operands does not count. T, H, C: 0; I is
/// 16.
fn distance() -> Vec<Item> {
    let larger = larger_exponent();
    let subtracted = row().a(flag(Flag::Subtract)).delay(DelayAction::A);
    let less = chain(row().a(larger).b(exponent(D.j())).x(X::A).y(Y::B)).up();
    let (finite, counts) = (flag(Flag::Finite), flag(Flag::Counts));
    // T: both count; C is 0 in front of it.
    let both = row().b(finite).x(X::H).y(Y::B).majority().write(counts).tag(TagAction::W);
    let mut items = vec![once(both.carry_next(Next::One).hold(HoldAction::Zero))];
    items.extend((0..5).map(|bit| once(less.write(up(bit)))));
    // T: both count, and no upper bit is 1.
    items.extend(rewound(3, less.not_sum().tag(TagAction::And)));
    items.extend([
        once(tag_out(row()).write(far()).tag(TagAction::Zero).i(OffsetAction::Double)),
        // D: subtracted.
        once(subtracted.x(X::A).write(D.at(23)).clear_carry().i(OffsetAction::Double)),
    ]);
    items
}

/// A row of the smaller operand by its number; below 0 are guard rows.
fn number(number: i16) -> Address {
    if number < 0 { guards()[(number + 2) as usize] } else { D.at(number as u8) }
}

/// Down by as many rows as the bit of the distance is worth, which I is.
fn down_by(bit: u8) -> Vec<Item> {
    let rows = 1 << bit;
    let (subtract, lost) = (flag(Flag::Subtract), flag(Flag::Lost));
    let bits = row().a(up(bit)).b(far()).x(X::B).as_raised();
    let mut items = Vec::new();
    // Guard rows have nothing to lose at first. T: a 0 is lost; H: a 1 is.
    let mut at = if bit == 4 { 0 } else { -2 };
    while at < rows - 2 {
        let look = row().a(number(at)).x(X::NotA).y(Y::B).tag(TagAction::Differ).hold(HoldAction::Differ).as_raised();
        items.push(once(if at + 1 < rows - 2 { look.b(number(at + 1)) } else { look }));
        at += 2;
    }
    items.extend([
        // T: a 1 of the operand is.
        once(row().x(X::DSelect).y(Y::TD).tag(TagAction::W).hold(HoldAction::Zero)),
        once(bits.tag(TagAction::And)),
        once(if bit == 4 { tag_out(row()).write(lost) } else { row().x(X::One).merge(lost).predicated().write(lost) }),
        once(bits.tag(TagAction::W)),
    ]);
    let moves = |from: Address, to: Address| row().a(from).x(X::A).merge(to).predicated().write(to);
    items.extend((-2..0).map(|to| once(moves(number(to + rows), number(to)))));
    items.extend(times(24 - rows, moves(D.k(), D.j()).up()));
    items.extend(times(rows - 1, moves(subtract, D.j()).up()));
    let last = moves(subtract, D.j()).tag(TagAction::Zero).rewind();
    items.push(once(if bit == 0 { last } else { last.i(OffsetAction::Halve) }));
    items
}

/// The larger significand plus or minus the smaller one. C and T are 0 behind it.
fn sum() -> Vec<Item> {
    let (subtract, sticky) = (flag(Flag::Subtract), flag(Flag::Cancels));
    let window = S.j().plus(FLAGS + 2);
    let mut items = vec![
        // C: infinity less infinity, where something was lost.
        once(row().a(sticky).b(flag(Flag::Finite)).y(Y::B).carry_next(Next::AAndNotY)),
        once(
            row().a(flag(Flag::Lost)).b(flag(Flag::Counts)).x(X::A).y(Y::B).majority().tag(TagAction::W).clear_carry(),
        ),
        once(tag_out(row()).write(sticky)),
        // C: subtracted, and nothing is sticky.
        once(tag_out(row()).a(subtract).carry_next(Next::AAndNotY)),
    ];
    items.extend((0..).zip(guards()).map(|(to, guard)| once(chain(row().a(guard).x(X::A)).write(low(to)))));
    items.extend(rewound(23, chain(row().a(window).b(D.j()).x(X::A).y(Y::B)).write(window).up()));
    items.extend([
        once(chain(row().a(flag(Flag::Finite)).b(D.at(23)).x(X::A).y(Y::B)).write(low(TOP - 1))),
        once(row().a(subtract).x(X::A).write(low(TOP)).clear_carry().tag(TagAction::Zero)),
    ]);
    items
}

/// Up by 16, 8, 4 and 2. T, H and C: 0; I is 1.
fn up_by() -> Vec<Item> {
    let mut items = Vec::new();
    for bit in (1..5).rev() {
        let rows = 1i16 << bit;
        let from = S.j().plus(FLAGS + TOP - rows);
        let to = S.k().plus(FLAGS + TOP - rows);
        // T: a 1 is on top; then: none is.
        for pair in 0..rows / 2 {
            let look = raised(row().a(low(TOP - 2 * pair)).b(low(TOP - 2 * pair - 1)).x(X::B).tag(TagAction::Differ));
            items.push(once(if bit == 4 && pair < 4 { look.i(OffsetAction::Double) } else { look }));
        }
        items.push(once(tag_out(row()).not_sum().write(up(bit)).tag(TagAction::W)));
        let lowest = if bit == 1 { 0 } else { 1 };
        let moves = row().a(from).x(X::A).merge(to).predicated().write(to).down();
        let moved = TOP - rows - lowest + 1;
        items.extend(times(moved, moves));
        let mut fill = Row { a: None, ..moves };
        if moved < rows {
            // Rows between those that were on top and those that have moved are 0.
            let below = |number: i16| row().merge(low(number)).predicated().write(low(number));
            items.extend((2..=moved).rev().map(|number| once(below(number))));
            fill = below(1);
        } else {
            items.extend(times(rows - 1, fill));
        }
        items.push(once(fill.tag(TagAction::Zero).rewind().i(OffsetAction::Halve)));
    }
    items.push(once(row().a(low(TOP)).x(X::NotA).write(up(0)).carry_next(Next::One)));
    items
}

/// The exponent less 1; what it says of the result; the sign. T: the first row has a 1; C: 0.
fn exponent_and_range() -> Vec<Item> {
    let left = chain(row().a(larger_exponent()).x(X::A).y(Y::NotB)).write(exponent(D.j())).up();
    let (subtract, finite, not_negative) = (flag(Flag::Subtract), flag(Flag::Finite), flag(Flag::Hidden));
    let ones = flag(Flag::First);
    let sign = D.j().plus(SIGN);
    let mut items = vec![once(left.b(up(0))), once(left.b(up(1)).tag(TagAction::W))];
    items.extend((2..5).map(|bit| once(left.b(up(bit)).tag(TagAction::And))));
    items.extend(rewound(3, left.tag(TagAction::And)));
    items.extend([
        // T: too large.
        once(row().write(not_negative).tag(TagAction::And).clear_carry()),
        // H: everything cancels.
        once(row().a(up(0)).b(low(TOP - 1)).y(Y::B).hold_next(Next::AAndNotY)),
        once(row().a(finite).x(X::NotA).tag(TagAction::Differ)),
        once(tag_out(row()).write(ones)),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
        once(row().b(finite).x(X::NotH).y(Y::NotB).majority().write(finite)),
        // H: zero out of zeros, too. T: a difference that is positive for that.
        once(row().a(not_negative).b(flag(Flag::Counts)).x(X::NotA).y(Y::B).majority().hold(HoldAction::Differ)),
        once(row().b(subtract).x(X::H).y(Y::B).majority().tag(TagAction::And)),
        once(row().b(sign).x(X::B).y(Y::TB).write(sign)),
        // H: zero.
        once(row().a(not_negative).x(X::NotA).majority().hold(HoldAction::Differ)),
        once(row().b(ones).x(X::NotH).y(Y::NotB).majority().write(flag(Flag::Hidden)).carry_next(Next::One)),
        once(row().b(ones).x(X::NotH).y(Y::B).majority().write(flag(Flag::Add)).clear_carry()),
        once(row().a(low(TOP)).tag(TagAction::A)),
    ]);
    items
}

/// Rounded, of rows from the third one up where the first row has a 1, else from the second.
fn rounded() -> Vec<Item> {
    let (alive, nan) = (flag(Flag::Hidden), flag(Flag::Finite));
    let bit = chain(row().a(S.k().plus(FLAGS + 2)).x(X::HD).y(Y::TB)).hold(HoldAction::A).write(D.j());
    let field = chain(row().b(exponent(D.j())).x(X::H).y(Y::TB)).write(exponent(D.j())).up();
    let mut items = vec![
        // H: a 1 below the bit behind the fraction, or the last bit, for ties.
        once(row().a(flag(Flag::Cancels)).hold_next(Next::AAndNotY)),
        // T, D: alive, and the first row has a 1, or a 0.
        once(row().delay(DelayAction::Zero)),
        once(row().a(alive).x(X::A).y(Y::TB).majority().tag(TagAction::W).delay(DelayAction::Differ)),
        once(row().b(low(0)).y(Y::B).hold(HoldAction::Differ)),
        once(row().b(low(1)).y(Y::TB).hold(HoldAction::Differ)),
        once(row().a(low(3)).b(low(2)).y(Y::TSelect).hold(HoldAction::Differ)),
        once(row().a(low(2)).b(low(1)).x(X::H).y(Y::TSelect).carry_next(Next::Majority)),
        once(row().a(alive).x(X::A).carry_next(Next::Majority)),
        once(row().a(low(2)).hold(HoldAction::A)),
    ];
    items.extend(times(22, bit.up()));
    items.extend([
        once(bit),
        // The quiet bit; H has no use any more.
        once(row().a(D.j()).b(nan).x(X::B).y(Y::B).majority().write(D.j()).hold(HoldAction::A).rewind()),
        once(row().a(alive).tag(TagAction::A)),
        once(hold(flag(Flag::Add))),
        once(field),
        once(hold(flag(Flag::First))),
    ]);
    items.extend(times(7, field));
    items.extend([once(hold(nan).clear_carry()), flushed::sign(exponent(D.j()))]);
    items
}
