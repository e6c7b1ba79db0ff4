//! Sine and cosine of binary32, binary16 and bfloat16 numbers of any size, in the array: quarter turns by 2/π to as
//! many bits as the exponent asks for (Payne and Hanek, 1983), then CORDIC (Volder, 1959).
//!
//! ```text
//!  a ─▶ bits of 2/π by the exponent ─▶ · significand, mod 4 ─▶ quadrant, angle ─▶ CORDIC ─▶ choose ─▶ round ─▶ d
//! ```
//!
//! The angle is that of [`float_turns`], as part of a quarter turn.
//!
//! Steps 1 to n turn the vector (1/gain, 0), which has n + 5 bits behind the point, x without and y with a sign. x goes
//! to other rows in every step, those of d or more scratch rows, and back; y stays, as it is added to behind x. Odd
//! quadrants exchange sine and cosine, so that both functions are one program: they differ in the carry that it begins
//! with.
//!
//! The sine of a small operand ([`Places::least`]) is the operand, which is nearer to it than CORDIC would be.
//! Subnormal operands are zeros if operands or results are flushed. Of binary16 alone results can be subnormal: what
//! has gone up by 15 rows, which is all that stages do, goes down by one again, and its exponent is 0. T, C and H have
//! the meanings that comments give them.
//!
//! [`float_turns`]: super::float_turns

use crate::array::isa::format::{F16, Format};
use crate::array::isa::linear::LOG2;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::Operation;
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::cordic_rows::{both, constant, further, residue};
use crate::array::isa::ucode::float_operation::{by_width, of_wide_and_short};
use crate::array::isa::ucode::float_ratio::operand_instead;
use crate::array::isa::ucode::float_round::{Bits, adds, directions_of};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::ucode::float_sqrt::{Flag, flag, packed};
use crate::array::isa::ucode::float_turns::{
    CHANGED, Cosine, DIRECTION, DOWN, FLUSH, MODE, MORE, NEGATIVE, ODD, Places, SCRATCH, bits_of_two_over_pi, operand,
    turns,
};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// d ← the sine or cosine of a.
pub(super) fn sine_or_cosine(opcode: Opcode) -> Operation {
    let program = |format: Format| {
        let places = Places::new(format);
        let mut body = operand(places);
        body.extend(bits_of_two_over_pi(places));
        body.extend(turns(places));
        body.extend(vector(places, all(places, constant().write(places.first()).up())));
        body.extend(magnitude(places));
        body.extend(result(places));
        let program = places.program("fsin_fcos", body);
        if opcode == Opcode::FCos { program.with_carry() } else { program }
    };
    of_wide_and_short(opcode, by_width!(4_614, 1_666, 1_502), SCRATCH, program)
}

/// As many rows of a pass as a vector has.
pub(super) fn all(places: Places, row: Row) -> Vec<Item> {
    let mut items = places.passes.times(places.rows - 1, row, |row| row);
    items.push(once(row.rewind()));
    items
}

/// The vector, whose x these rows write, by all steps. I and the stride become n, and x is in the rows of even steps.
pub(super) fn vector(places: Places, first: Vec<Item>) -> Vec<Item> {
    let (one, other) = (Cosine { j: places.even(S.j()), k: places.even(S.k()) }, places.odd());
    let (one, other) = if places.begins_odd() { (other, one) } else { (one, other) };
    let step = |from: Cosine, to: Cosine, last: bool| step(places, from, to, last);
    let two = [step(one, other, false), turn(places), step(other, one, false), turn(places)].concat();
    let mut items = first;
    items.extend(all(places, row().write(places.sine(S.j())).up()));
    items.push(once(both(S.at(DIRECTION))));
    items.push(outer(places.passes.count((places.n - 1) / 2), two));
    if places.begins_odd() {
        items.extend(step(one, other, true));
    } else {
        items.extend([step(one, other, false), turn(places), step(other, one, true)].concat());
    }
    items
}

/// A step, by T and C, which are its direction: x ∓ y shifted, y ± x shifted.
fn step(places: Places, from: Cosine, to: Cosine, last: bool) -> Vec<Item> {
    let (y, shifted) = (places.sine(S.j()), places.sine(S.k()));
    let top = at(y, (places.rows - 1) as u8);
    // What is left of x: the complement of its complement and y.
    let x = chain(row().a(from.j).x(X::NotA).y(Y::BXorT)).not_sum().write(to.j).up();
    let sum = chain(row().a(y).x(X::A).y(Y::BXorT)).write(y).up();
    let pass = |row: Row, below: Address, above: Row| {
        let mut items = vec![each(MORE, row.b(below))];
        if !last {
            items.push(each(Count::StrideRest, row.b(below)));
        }
        items.push(each(Count::Stride, above.rewind()));
        items
    };
    let mut items = pass(x, shifted, x.b(top));
    items.push(once(both(S.at(DIRECTION))));
    // x has no sign.
    items.extend(pass(sum, from.k, sum));
    items
}

/// What is left of the angle, and the next direction: to T, C and flags.
fn turn(places: Places) -> Vec<Item> {
    let product = places.product();
    let (direction, changed) = (S.at(DIRECTION), S.at(CHANGED));
    let top = constant().b(product).y(Y::BXorT).write(product).tag(TagAction::W).clear_carry().rewind();
    let next = row().b(direction).x(X::One).y(Y::BXorT).not_sum().write(direction);
    vec![
        once(both(changed).take()),
        each(Count::Triangle, residue(product, product)),
        once(further(top.z(TriangleAction::Down))),
        once(tag_out(row()).write(changed)),
        once(next.tag(TagAction::W).carry_next(Next::NotSum)),
    ]
}

/// I and the stride for stages: n becomes 0, 1, with all stages' doublings a power of two, and half of that. C is 0
/// behind them.
pub(super) fn strides() -> [Item; 4] {
    let halve = row().i(OffsetAction::Halve).stride(StrideAction::Halve);
    [
        outer(LOG2, vec![once(halve)]),
        once(row().i(OffsetAction::Up).stride(StrideAction::Up)),
        outer(LOG2, vec![once(row().i(OffsetAction::Double).stride(StrideAction::Double))]),
        once(halve.clear_carry()),
    ]
}

/// The magnitude in y's rows, up until a 1 is on top, and the sign.
fn magnitude(places: Places) -> Vec<Item> {
    let (here, odd, own) = (places.sine(S.j()), S.at(ODD), S.at(CHANGED));
    let (last, sine_row) = (places.rows - 1, places.sine_row());
    let (top, far) = (S.j().plus(sine_row + last), S.k().plus(sine_row + last));
    let stays = S.l().plus(i16::from(places.k) + places.stages - 1 + DOWN + places.fraction);
    let halve = |row: Row| row.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let moved = row().a(far).b(top).y(Y::TSelect).write(far).down();
    let fill = row().b(far).y(Y::TB).write(far).down().rewind();
    let mut items = vec![
        once(row().clear_carry()),
        // T: it is y, and negative. Zeros have the operand's sign.
        once(row().a(at(here, last as u8)).tag(TagAction::A)),
        once(row().a(odd).x(X::NotA).tag(TagAction::And)),
        once(row().a(flag(Flag::NotZero)).x(X::A).tag(TagAction::And)),
        once(tag_out(row()).write(own)),
        once(row().a(S.at(NEGATIVE)).x(X::A).y(Y::BXorT).write(flag(Flag::Hidden))),
        once(row().a(odd).tag(TagAction::A)),
    ];
    items.extend(all(places, row().a(places.even(S.j())).b(here).y(Y::TSelect).write(here).up()));
    items.push(once(both(own)));
    items.extend(all(places, chain(row().b(here).y(Y::BXorT)).write(here).up()));
    items.extend(strides());
    items.extend([outer(
        LOG2,
        vec![
            once(row().tag(TagAction::Zero)),
            // T: a 1 in the rows on top.
            each(Count::Stride, row().a(top).x(X::A).tag(TagAction::Differ).down()),
            once(tag_out(row()).write(stays).l(OuterAction::Down)),
            each(MORE, moved),
            each(Count::StrideRest, moved),
            each(Count::Stride, halve(fill)),
        ],
    )]);
    if places.passes.format == F16 {
        items.extend(subnormal(places));
    }
    items
}

/// Down by a row where every stage has moved the magnitude. What is below 1 on top then is 0 if results are flushed. I
/// is 0 before it.
fn subnormal(places: Places) -> Vec<Item> {
    let (here, counts, flush) = (places.sine(S.j()), flag(Flag::NotZero), S.at(FLUSH));
    let top = at(here, (places.rows - 1) as u8);
    let moved = row().a(places.sine(S.k())).b(here).y(Y::TSelect).write(here).up();
    let mut items = vec![
        once(row().tag(TagAction::Zero).i(OffsetAction::Up)),
        each(LOG2, row().a(S.j().plus(i16::from(places.k))).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(tag_out(row()).not_sum().tag(TagAction::W)),
    ];
    items.extend(places.passes.back(places.rows - 1, moved));
    items.extend([
        once(row().b(top).x(X::B).y(Y::TB).write(top).carry_next(Next::One)),
        once(row().a(top).b(flush).x(X::A).y(Y::NotB).majority().write(flush).clear_carry()),
        once(row().a(counts).b(flush).x(X::A).y(Y::B).majority().write(counts)),
    ]);
    items
}

/// The exponent, rounding, and the result, or the operand in its place.
fn result(places: Places) -> Vec<Item> {
    let (here, field, counts) = (places.sine(S.j()), D.j().plus(FRACTION), flag(Flag::NotZero));
    let top = at(here, (places.rows - 1) as u8);
    let below = row().b(here).y(Y::B).hold(HoldAction::Differ).up();
    let one = row().x(X::One).write(field).up();
    // What stages have written is all ones less the distance up; the top row is that of 1, whose exponent is the bias.
    let mut items = vec![each(LOG2, row().a(S.j().plus(i16::from(places.k))).x(X::A).write(field).up())];
    items.extend((places.stages..places.exponent - 1).map(|_| once(one)));
    items.push(once(row().write(field).rewind()));
    if places.passes.format != F16 {
        items.push(once(row().a(counts).b(top).x(X::A).y(Y::B).majority().write(counts)));
    }
    items.extend([each(MORE, below), once(below.rewind())]);
    items.extend(directions_of(Some(flag(Flag::Hidden)), Bits::Rows(MODE)));
    items.extend(adds(at(here, 8), at(here, 7)));
    items.extend(packed(false, [Flag::Finite, Flag::NotZero], S.j().plus(places.sine_row() + 8), field));
    items.extend(operand_instead(places.small));
    items
}
