//! Rounding to integral numbers of the same format, in all directions.
//!
//! ```text
//!  exponent ─▶ distance of the point ─▶ mask of the bits behind it ─▶ round ─▶ 1 at the point, zeros behind ─▶ d
//! ```
//!
//! The distance of the point from the hidden bit is the exponent less the bias, which is one less than a power of two:
//! exponent and 1, with the top bit complemented, which then tells numbers below 1. The mask has ones for the bits
//! behind the point; it starts with ones for the whole fraction and goes down by the distance. Numbers below 1 keep
//! ones in all rows, infinite and integral ones have none. Where the mask ends is one row that d takes for a while.
//! Rounding adds 1 to the number with ones behind the point, so that the carry finds the point, and the exponent.
//!
//! T, C and H have the meanings that comments give them.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, Term, ceil_log2};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::signals_if;
use crate::array::isa::ucode::float_operation::{of_numbers, reporting};
use crate::array::isa::ucode::float_round::{FLAGS, adds, directions};
use crate::array::isa::ucode::float_rows::{FRACTION, SIGN, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Scratch rows of one bit a column, behind those of rounding. Some are used twice.
#[derive(Clone, Copy)]
enum Flag {
    /// Below 1.
    Small,
    /// The exponent is not all ones.
    Finite,
    /// There is a 1 in the exponent.
    Hidden,
    /// NaN.
    NotANumber,
    /// At least a half, of numbers below 1; then: the bit behind the point; then: what rounding adds.
    Behind,
    /// Bits behind that; then: the bit before the point.
    Before,
}

/// The mask, n rows; behind it the distance, m rows.
const MASK: i16 = FLAGS + Flag::Before as i16 + 1;
/// Row of the quiet bit.
const QUIET: Linear = linear(1, Term::None, -4);

fn flag(flag: Flag) -> Address {
    S.at(FLAGS as u8 + flag as u8)
}

fn mask(row: i16) -> Address {
    S.j().plus(MASK + row)
}

fn distance(index: Address) -> Address {
    index.plus(linear(1, Term::None, MASK))
}

/// d ← a, rounded to an integral number.
pub(super) fn integral(cx: Context) -> Operation {
    let reports = cx.exception_flags;
    let program = |finite_only: bool| {
        let mut body = properties(finite_only, reports);
        body.extend(start());
        body.push(outer(LOG2, stage()));
        body.extend(bits());
        body.extend(directions(Some(A.row(SIGN))));
        body.extend(adds(flag(Flag::Before), flag(Flag::Behind)));
        body.extend(rounded(finite_only));
        Program::new("fround", body).i(1)
    };
    reporting(of_numbers(Opcode::FRound, cycles, &[A], linear(1, Term::M, MASK), program), cx)
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { n - 3 } else { 0 };
    9 * (n - 3) + 6 * m + stages * (n + 1) + 43 + special
}

/// T ← what a row holds, with the other one's help, of the numbers' bits j.
fn collect(row: Row) -> Item {
    each(FRACTION, row.tag(TagAction::Differ).up().rewind())
}

/// The distance, and what the number is. H, T and C are 0 in the end.
fn properties(finite_only: bool, reports: bool) -> Vec<Item> {
    let exponent = A.j().plus(FRACTION);
    let look = row().a(exponent).b(exponent).x(X::A).y(Y::NotB).majority().tag(TagAction::Differ);
    let finite = tag_out(row()).write(flag(Flag::Finite));
    let nan = |row: Row| once(row.write(flag(Flag::NotANumber)).tag(TagAction::Zero).carry_next(Next::One));
    let mut items = vec![each(M, look.hold(HoldAction::Differ).up().rewind())];
    if finite_only {
        items.extend([once(finite), collect(row().a(A.j()).x(X::NotA)), nan(tag_out(row().x(X::One)))]);
    } else {
        let ones = tag_out(row().a(flag(Flag::Finite)).x(X::NotA)).majority();
        items.extend([once(finite.tag(TagAction::Zero)), collect(row().a(A.j()).x(X::A)), nan(ones)]);
    }
    let next = chain(row().a(exponent).x(X::A)).write(distance(S.j())).up();
    items.extend([once(row().x(X::H).majority().write(flag(Flag::Hidden))), each(M, next.rewind().flip_out())]);
    let clear = row().tag(TagAction::Zero).hold(HoldAction::Zero).clear_carry();
    if reports && !finite_only {
        // The quiet bit is below the exponent.
        items.extend([once(clear.down()), once(signals_if(flag(Flag::NotANumber), exponent).up())]);
        items.push(once(row().tag(TagAction::Zero)));
    } else {
        items.push(once(clear));
    }
    items
}

/// The mask before it is shifted, and the distance of numbers that are not below 1. J is 0.
fn start() -> Vec<Item> {
    // Row LOG2 − 1 of the distance, when J is EXCESS: the top one.
    let below_one = S.j().plus(linear(1, Term::Log2, MASK - 1));
    let upper = S.j().plus(linear(1, Term::Log2, MASK));
    let masked = row().b(distance(S.j())).y(Y::TB).write(distance(S.j())).up();
    vec![
        each(EXCESS, row().a(upper).x(X::A).tag(TagAction::Differ).up()),
        once(row().a(below_one).b(flag(Flag::Finite)).x(X::A).y(Y::B).majority().write(flag(Flag::Small))),
        // T: integral, since the point is behind the fraction; or infinite.
        once(row().a(below_one).x(X::NotA).tag(TagAction::And).rewind()),
        once(row().a(flag(Flag::Finite)).x(X::NotA).tag(TagAction::Differ)),
        once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row().x(X::One)).tag(TagAction::W)),
        each(FRACTION, tag_out(row()).write(mask(0)).up()),
        each(3, row().a(flag(Flag::Small)).x(X::A).write(mask(0)).up().rewind()),
        // The exponent is one less than the bias.
        once(row().x(X::One).tag(TagAction::W)),
        each(M, row().a(distance(S.j())).x(X::A).tag(TagAction::And).up().rewind()),
        once(tag_out(row()).write(flag(Flag::Behind))),
        once(row().a(flag(Flag::Small)).x(X::NotA).tag(TagAction::W)),
        each(LOG2, masked.rewind()),
    ]
}

/// The mask goes down where the distance has this bit.
fn stage() -> Vec<Item> {
    let far = S.k().plus(MASK);
    let fill = row().b(mask(0)).x(X::B).y(Y::TB).write(mask(0)).up().rewind();
    vec![
        once(row().a(distance(S.l())).tag(TagAction::A).l(OuterAction::Up)),
        each(Count::StrideRest, row().a(far).b(mask(0)).y(Y::TSelect).write(mask(0)).up()),
        each(Count::Stride, fill.i(OffsetAction::Double).stride(StrideAction::Double)),
    ]
}

/// The bit before the point, the one behind it, and in H whether there are more.
fn bits() -> Vec<Item> {
    // T: b where a holds 1. The carry of ¬a and b differs from b there.
    let where_one = |a: Address, b: Address| collect(row().a(a).b(b).x(X::NotA).y(Y::B).majority());
    let ends = row().a(mask(0)).b(mask(1)).x(X::A).y(Y::NotB).majority().write(D.j()).up().rewind();
    let (small, half, rest) = (flag(Flag::Small), flag(Flag::Behind), flag(Flag::Before));
    vec![
        once(row().tag(TagAction::Zero)),
        where_one(mask(1), A.j()),
        once(tag_out(row()).write(rest)),
        // T: subnormal numbers count, or this is none.
        once(row().x(X::Zero).steer_x().tag(TagAction::W)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)),
        once(row().b(rest).y(Y::TB).hold(HoldAction::Differ)),
        // Below a half the hidden bit is one of those.
        once(row().a(small).tag(TagAction::A)),
        once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::And)),
        once(row().a(half).x(X::NotA).tag(TagAction::And)),
        once(tag_out(row()).hold(HoldAction::Differ)),
        once(row().tag(TagAction::Zero)),
        each(FRACTION, ends),
        where_one(D.j(), A.j().plus(1)),
        once(tag_out(row()).write(flag(Flag::Before)).tag(TagAction::Zero)),
        where_one(D.j(), A.j()),
        once(row().a(half).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(Flag::Behind))),
    ]
}

/// The sum, without what is behind the point; numbers below 1 become 1 or 0. C: rounding adds.
fn rounded(finite_only: bool) -> Vec<Item> {
    let added = flag(Flag::Behind);
    let nan = flag(Flag::NotANumber);
    let sum = |from: Address| chain(row().a(from).x(X::A)).write(D.j()).up();
    let or = row().a(A.j()).b(mask(0)).x(X::A).y(Y::B).majority();
    let clear = row().a(D.j()).b(mask(0)).x(X::A).y(Y::NotB).majority();
    let one = row().a(added).b(D.j()).y(Y::TSelect).write(D.j()).up();
    let mut items = vec![
        once(row().write(added).clear_carry()),
        once(row().a(flag(Flag::Finite)).b(added).x(X::A).y(Y::B).majority().write(added)),
        once(row().carry_next(Next::One)),
        each(FRACTION, or.write(D.j()).up().rewind()),
        once(row().a(added).carry_next(Next::AAndNotY)),
        each(FRACTION, sum(D.j())),
        each(M, sum(A.j()).rewind()),
        once(row().a(flag(Flag::Small)).tag(TagAction::A).clear_carry()),
        each(FRACTION, clear.write(D.j()).up()),
        // The exponent of 1 is ones below a 0.
        each(M - 1, one),
        once(row().b(D.j()).x(X::B).y(Y::TB).write(D.j()).up()),
    ];
    let sign = row().a(A.row(SIGN)).b(nan).x(X::A).y(Y::NotB).majority().write(D.j()).rewind();
    items.extend(if finite_only {
        // NaN is all ones again.
        vec![
            once(sign),
            once(row().a(nan).tag(TagAction::A)),
            each(FRACTION, row().a(D.j()).y(Y::Differ).write(D.j()).up()),
        ]
    } else {
        let quiet = row().a(nan).b(D.row(QUIET)).x(X::A).y(Y::B).majority().write(D.row(QUIET));
        vec![once(sign.carry_next(Next::One)), once(quiet)]
    });
    items
}
