//! Fused multiplication and addition of floating-point numbers, IEEE 754, with one rounding, on columns as they are:
//! all directions of rounding, subnormal numbers kept or flushed. The third operand is e, called c here.
//!
//! On `TwoPort` columns with radix 2 there is [one window](super::float_fma_one_window). Elsewhere there are two:
//!
//! ```text
//!  a, b, c ─▶ special values, exponents ─▶ product of the significands ─▶ smaller operand in the second window
//!      ─▶ align ─▶ add or subtract ─▶ magnitude ─▶ up, as far as the exponent allows ─▶ round ─▶ d
//! ```
//!
//! The product is exact; which operand is the smaller one is decided by exponents alone, so that a difference may be
//! negative, and its magnitude is taken then. An operand that is subnormal has zeros on top; the windows are as long as
//! a product and three rows, and what leaves the second one below is not needed but as a sticky bit: either the sum has
//! its highest 1 close to the top, or it is subnormal, or nothing has left. c's exponent is at least 1, and the larger
//! of the two exponents is the sum's: no sum needs to go down.
//!
//! Up it goes by a number's bits first, which is 2 to the power of ⌈log2 n⌉ in every format and takes low rows to high
//! ones, and then as products go. The exponent has a bit more than its rows until the distance is subtracted: a product
//! that is too large may come back into range.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, E4M3, E5M2, Format};
use crate::array::isa::linear::{LOG2, Linear, M, N, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, E, S};
use crate::array::isa::row::{OffsetAction, OuterAction, Row, StrideAction, TriangleAction, row};
use crate::array::isa::ucode::float_fma_one_rows::{self as one_rows, Kind};
use crate::array::isa::ucode::float_fma_one_window as one_window;
use crate::array::isa::ucode::float_fma_operands::{addend, exponents, factors, magnitude};
use crate::array::isa::ucode::float_fma_rows::*;
use crate::array::isa::ucode::float_fma_sum::{far_up, sign, sum};
use crate::array::isa::ucode::float_mul::shift_up;
use crate::array::isa::ucode::float_mul_radix_4::{Place, Shape, above, fetch, of_shapes, passes, product_cycles};
use crate::array::isa::ucode::float_mul_round::rounded;
use crate::array::isa::ucode::float_mul_rows::{self, Flag, flag, high, high_from_one, top};
use crate::array::isa::ucode::float_operation::{of_numbers, operands, reporting};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Rows of the significand in the middle of a pass; also its passes between the first and the last.
const MIDDLE: Linear = linear(1, Term::None, -4);

/// d ← a · b + e.
pub(super) fn fma(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    if cx.two_port() && !cx.radix_4() {
        return in_one_window(cx);
    }
    let program = |finite_only: bool, asks: bool, product: Vec<Item>, middle: Count| {
        let places = Places::two_windows();
        let mut body = factors(finite_only, reports, places.hidden_b);
        body.extend(addend(finite_only, reports, places));
        body.extend(exponents(places));
        body.extend(magnitude());
        body.extend(product);
        body.extend(choose());
        body.extend(align(finite_only));
        body.extend(sum(finite_only, asks, cx));
        body.extend(shift_up());
        body.extend(rounded(finite_only, Some(extra(Extra::Upper)), middle, cx, reports));
        Program::new("ffma", body).i(FRACTION)
    };
    let sources = &[A, B, E];
    if cx.radix_4() {
        let cycles = if skip { skipping::<true> } else { cycles::<true> };
        let of = |shape: Shape| {
            let asks = skip && shape != Shape::Three;
            program(shape == Shape::Four, asks, product_radix_4(shape), Count::Triangle).z(shape.z())
        };
        return reporting(of_shapes(Opcode::FFma, cycles, sources, SCRATCH, of), cx);
    }
    let cycles = if skip { skipping::<false> } else { cycles::<false> };
    let of = |finite_only: bool| program(finite_only, skip, product(), MIDDLE.into());
    reporting(of_numbers(Opcode::FFma, cycles, sources, SCRATCH, of), cx)
}

/// The same in one window.
fn in_one_window(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |kind: Kind| {
        let (finite_only, places, subtract) = (kind == Kind::E4M3, kind.places(), kind.subtract());
        let mut body = factors(finite_only, reports, places.hidden_b);
        body.extend(addend(finite_only, reports, places));
        body.extend(exponents(places));
        body.extend(one_window::distance(places));
        body.extend(one_window::load(kind, places));
        body.extend(one_window::down(kind));
        body.extend(one_window::between(subtract));
        body.extend(one_window::product(kind));
        body.extend(one_window::product_down());
        body.extend(one_window::add(subtract, places));
        body.extend(one_window::magnitude(subtract));
        body.extend(sign(subtract, places.upper, Some(flag(Flag::Numbers))));
        body.extend(one_window::rows_below());
        body.extend(far_up(finite_only, skip && kind != Kind::E5M2, places.upper));
        body.extend(shift_up());
        body.extend(rounded(finite_only, Some(places.upper), Count::Triangle, cx, reports));
        Program::new("ffma, one window", body).i(FRACTION).z(MIDDLE).stride(one_rows::STRIDE)
    };
    let of = |format: Format| [Condition::Zero(N - i16::from(format.n()))];
    let cycles = if skip { |n, m| one_window_cycles(n, m) + asked(n) } else { one_window_cycles };
    let operation = operands(Operation::new(Opcode::FFma, cycles).formats(), &[A, B, E], float_mul_rows::SCRATCH)
        .variant(&of(E4M3), program(Kind::E4M3))
        .variant(&of(E5M2), program(Kind::E5M2))
        .variant(&of(BF16), program(Kind::Bf16))
        .program(program(Kind::Other));
    reporting(operation, cx)
}

fn one_window_cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E5M2.n()) { 2 } else { without_infinities(n, m) };
    (n - 1) * (n - 2) + stages * (5 * n + 10) + 17 * n + 21 * m + 78 + special
}

fn cycles<const RADIX_4: bool>(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let product = if RADIX_4 { product_cycles(n) } else { (n - 2) * (n - 2) };
    product + stages * (3 * n + 5) + 26 * n + 20 * m + 69 + without_infinities(n, m)
}

/// What E4M3 takes besides.
fn without_infinities(n: i64, m: i64) -> i64 {
    if n == i64::from(E4M3.n()) { 2 * n + m - 13 } else { 0 }
}

/// What the set `skip` takes at most, besides, for its question.
const ASKED: i64 = 4;

/// The same of columns whose program of E5M2 asks for nothing.
fn asked(n: i64) -> i64 {
    if n == i64::from(E5M2.n()) { 0 } else { ASKED }
}

/// The most that the set `skip` takes.
fn skipping<const RADIX_4: bool>(n: i64, m: i64) -> i64 {
    cycles::<RADIX_4>(n, m) + if RADIX_4 { asked(n) } else { ASKED }
}

/// The product of the significands, a row below the carry's. T: bit of a; H: the pass's carry, the top row of what the
/// next one adds to. I is −1, and 0 in the end.
fn product() -> Vec<Item> {
    let (to, from) = (high_from_one(S.k()), high_from_one(S.j()));
    let hidden = flag(Flag::HIDDEN_B);
    let first = row().b(B.j()).y(Y::TB).up();
    let adds = chain(first.x(X::A)).a(from);
    let lowest = adds.a(high(1));
    let middle = each(MIDDLE, adds.write(to));
    let last = row().b(hidden).y(Y::TB).write(to);
    let carries = last.x(X::H).hold_next(Next::Majority).clear_carry();
    let next = |row: Row| row.l(OuterAction::Up);
    let fetching = |row: Row| next(row.a(A.l()).tag(TagAction::A));
    let mut items = vec![
        once(fetching(row()).i(OffsetAction::Down)),
        once(first.write(low_out())),
        each(MIDDLE, first.write(to)),
        once(fetching(last).rewind()),
        outer(
            MIDDLE,
            vec![once(lowest.write(low_out())), middle.clone(), once(fetching(carries).a_unless_done().rewind())],
        ),
        once(row().a(flag(Flag::HIDDEN_A)).tag(TagAction::A)),
        once(lowest.write(high(0))),
        middle,
        once(next(carries.up())),
        once(next(row().x(X::H).write(to).hold(HoldAction::Zero).rewind())),
    ];
    items.extend(rows_around());
    items
}

/// The same with two bits of a in a pass, in T and P. I is −2, Z becomes n − 4.
fn product_radix_4(shape: Shape) -> Vec<Item> {
    let (from, to) = (high_from_one(S.j()), high_from_one(S.k()));
    let place = Place { from, to, low: low_out(), low_ends: true, i: OffsetAction::Down, gathers: false };
    let next =
        |row: Row| row.l(OuterAction::Up).z(if shape.long() { TriangleAction::Up } else { TriangleAction::Hold });
    let [second, top] = above(place);
    let mut items = vec![once(fetch(shape).i(OffsetAction::Down))];
    items.extend(passes(shape, place));
    items.extend([once(next(second)), once(next(top).i(OffsetAction::Up))]);
    items.extend(rows_around());
    items
}

/// What is above the product and below it, and whether the result is a number.
fn rows_around() -> [Item; 3] {
    let next = |row: Row| row.l(OuterAction::Up);
    [
        once(next(row().write(at(top(S.j()), 0)))),
        each(M, next(row().write(D.j()).up().rewind())),
        once(next(row().a(flag(Flag::Numbers)).x(X::A).write(flag(Flag::InRange)).i(OffsetAction::Up))),
    ]
}

/// The operand that moves goes to the second window. I becomes 1; L becomes the row of the distance's lowest bit.
fn choose() -> Vec<Item> {
    let next = |row: Row| once(row.l(OuterAction::Up));
    let c = |bit| row().a(window_top(S.j())).b(bit).x(X::A).y(Y::TB).write(window_top(S.j())).down();
    let mut items = vec![
        next(row().a(keeps()).tag(TagAction::A).down().i(OffsetAction::Up)),
        next(row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And)),
    ];
    items.extend(down(|from| row().b(from).y(Y::TB).write(window_top(S.j()))));
    items.extend([
        next(row().a(extra(Extra::CountsC)).tag(TagAction::A).down()),
        next(row().a(keeps()).x(X::NotA).tag(TagAction::And)),
        next(c(extra(Extra::HiddenC))),
        each(FRACTION, c(fraction_top()).rewind()),
    ]);
    items
}

/// Shifts the second window down, strides 1, 2, 4, …, and by a number's bits; H: sticky. The last row of a stage
/// fetches what the next one does. Three rows of the window are 0 before the first stage, which leaves two of them
/// alone. Then what moves leaves the first window, and c enters it where it is kept. J is 1 − n in the end, I and the
/// stride half of a number's bits.
fn align(finite_only: bool) -> Vec<Item> {
    let (here, beyond) = (window(S.j()), window(S.k()));
    let leaves = row().b(here).y(Y::TB).hold(HoldAction::Differ).up().rewind();
    let moves = row().a(beyond).b(here).y(Y::TSelect).write(here).up();
    let fill = row().b(here).x(X::B).y(Y::TB).write(here).up();
    let fetch = |row: Row| row.a(S.l()).tag(TagAction::A).l(OuterAction::Up);
    let last = once(fetch(fill).rewind().i(OffsetAction::Double));
    let mut stage = vec![each(Count::Stride, leaves), each(Count::StrideRest, moves)];
    stage.extend(all_but_one(moves, moves));
    stage.extend([each(Count::StrideLessOne, fill.stride(StrideAction::Double)), last.clone()]);
    // n − m + 1, without a count more than there are.
    let rest = if finite_only { FRACTION } else { linear(1, Term::MinusM, 1) };
    let mut items = vec![
        once(fetch(row()).up_two()),
        each(Count::StrideRest, moves),
        each(FRACTION, moves.stride(StrideAction::Double)),
        last,
        outer(LOG2 - 1, stage),
        once(row().a(extra(Extra::Far)).tag(TagAction::A).l(OuterAction::Down)),
        each(Count::Stride, leaves.l(OuterAction::Down)),
        each(rest, moves),
        each(Count::Stride, fill.rewind()),
    ];
    let halved = row().i(OffsetAction::Halve).stride(StrideAction::Halve);
    items.push(once(halved.a(keeps()).tag(TagAction::A).down()));
    items.extend(down(|here| row().b(here).x(X::B).y(Y::TB).write(here)));
    let high = |bit| row().a(top(S.j())).b(bit).x(X::A).y(Y::TB).write(top(S.j())).down();
    items.extend([
        once(row().a(extra(Extra::CountsC)).x(X::A).tag(TagAction::And).down()),
        once(high(extra(Extra::HiddenC))),
        each(FRACTION, high(fraction_top())),
    ]);
    items
}
