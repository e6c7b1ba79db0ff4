//! d ← an unpacked number a (`float_unpacked.rs`) as a floating-point number: normalised and rounded, in all
//! directions; subnormal results kept or flushed.
//!
//! ```text
//!  |S| ─▶ window ─▶ up by strides …, 4, 2, 1 ─▶ round ─▶ d
//!  E + 4, what may be used up ─▶ less the distance ──────▶ d
//! ```
//!
//! With the window's top row as its hidden bit a number has the exponent E + 5. Normalisation is that of sums
//! (`float_add.rs`): a stage shifts if the rows on top are 0 and the exponent allows it, as long as what the upper bits
//! of the exponent are worth has not been used (H), and else if its bit of that stride is 1. So subnormal results need
//! nothing of their own. The exponent's field is what is left, plus the hidden bit: that bit and the rounding's carry
//! enter one addition.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::F16;
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, Term, ceil_log2};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::float_round::{self as round, adds, directions};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sum::{by_strides, of_formats};
use crate::array::isa::ucode::float_unpacked::{self as unpacked, BEYOND, ROWS, SIGNIFICAND, exponent, flag, sign};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// Scratch rows of one bit a column, behind those of rounding.
#[derive(Clone, Copy)]
enum Flag {
    /// It is not 0.
    NotZero,
    /// Rounding is down.
    Down,
    /// Rounding adds.
    Adds,
    /// There is no fraction: it is flushed, or the exponent is all ones.
    Killed,
    /// It is not too large for a format that is to hold its largest number then.
    NotLargest,
    /// The exponent is not all ones, or less one of these.
    NotOnes,
    /// The hidden bit of such a number.
    Hidden,
}

/// First rows of the distance and of the window, and the row behind that.
const DISTANCE: i16 = round::FLAGS + Flag::Hidden as i16 + 1;
const WINDOW: i16 = DISTANCE + 5;
const BEHIND: Linear = linear(1, Term::None, WINDOW + BEYOND);

/// Rows of the window below the fraction: those beyond n, and the two that n has there.
const BELOW: u8 = BEYOND as u8 + 2;

fn own(flag: Flag) -> Address {
    S.at(round::FLAGS as u8 + flag as u8)
}

fn window(index: Address) -> Address {
    index.plus(WINDOW)
}

/// The window's top row and, by negative indices, those below it.
fn top(index: Address) -> Address {
    index.plus(BEHIND - 1)
}

/// What may be used up, complemented; then what is left. It is where the exponent's field and the sign will be.
fn left(index: Address) -> Address {
    index.plus(FRACTION)
}

fn distance(index: Address) -> Address {
    index.plus(DISTANCE)
}

fn hidden() -> Address {
    at(top(S.j()), 0)
}

fn plus_infinite() -> Address {
    flag(A, unpacked::Flag::PlusInfinite)
}

fn minus_infinite() -> Address {
    flag(A, unpacked::Flag::MinusInfinite)
}

/// d ← a (n + m + 10 rows).
pub(super) fn pack(cx: Context) -> Operation {
    let program = |longer: bool| {
        let pieces = [
            magnitude(),
            allowed(longer),
            normalise(longer),
            result_exponent(longer),
            kinds(),
            rounded(cx.two_port()),
            finish(),
        ];
        let stride = if longer { Linear::constant(16) } else { SIGNIFICAND.half() };
        Program::new("fpack", pieces.concat()).i(stride).stride(stride)
    };
    let operation = of_formats(Operation::new(Opcode::FPack, cycles))
        .source(A, ROWS)
        .result(D, linear(1, Term::M, -2))
        .scratch(BEHIND)
        .all_apart();
    by_strides(operation, program)
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let longer = if n == i64::from(F16.n()) { 36 } else { 0 };
    3 * n + 3 * m + (stages - 1) * (n + 7) + (1 << stages) + 52 + longer
}

/// The significand without its sign; the directions of rounding. C, H are 0 behind it.
fn magnitude() -> Vec<Item> {
    let bit = chain(tag_out(row().b(A.j()))).write(window(S.j())).hold(HoldAction::Differ);
    let mut items = vec![
        // The key's lowest bit is about operands.
        once(row().a(sign(A)).x(X::A).y(Y::NotTB).carry_next(Next::Majority).tag(TagAction::A).key_shift(1)),
        each(SIGNIFICAND, bit.up().rewind()),
        // C is 0 again: there is no negative zero.
        once(row().x(X::H).write(own(Flag::NotZero)).hold(HoldAction::Zero)),
    ];
    items.extend(directions(Some(sign(A))));
    // T is the lower bit of the direction.
    items.push(once(tag_out(row().a(round::flag(round::Flag::Directed)).x(X::A)).write(own(Flag::Down))));
    items
}

/// The exponent and 4, complemented. H: it is more than its low bits. C is 0.
fn allowed(longer: bool) -> Vec<Item> {
    let field = row().b(exponent(A)).write(left(D.j())).up();
    let more = chain(field.y(Y::B)).not_sum();
    let highest = row().not_sum().write(left(D.j())).clear_carry().rewind();
    let mut items = vec![once(field.y(Y::NotB)), once(field.y(Y::NotB).carry_next(Next::One))];
    if longer {
        items.extend([each(LOG2 - 1, more), once(highest.tag(TagAction::W))]);
    } else {
        // T: no 1 in the upper bits.
        items.extend([
            each(LOG2 - 2, more),
            once(more.tag(TagAction::W)),
            each(EXCESS - 1, more.tag(TagAction::And)),
            once(highest.tag(TagAction::And)),
        ]);
    }
    items.push(once(tag_out(row()).hold_next(Next::NotSum)));
    items
}

/// Shifts the window up until its top row is 1 or the exponent is used up. The rows of the distance take its
/// complement. C is 1 behind it.
fn normalise(longer: bool) -> Vec<Item> {
    let upper = |at: i16| linear(0, Term::Log2, at - 1);
    let by_l = (D.l().plus(linear(1, Term::Log2, -4)), S.l().plus(upper(DISTANCE)));
    let by_number = |number: u8| (at(left(D.j()), number), at(distance(S.j()), number));
    let mut items = vec![];
    if longer {
        items.extend(stage(by_number(4), false, Some(3)));
    }
    items.push(outer(LOG2 - 1, stage(by_l, false, None)));
    items.extend(stage(by_number(0), true, None));
    items
}

/// A stage, by the exponent's bit of its stride and the row that takes the complemented bit of the distance. The last
/// one looks at a single row; of one whose stride is more than n it is told how many rows move.
fn stage((bit, distance): (Address, Address), last: bool, moving: Option<i16>) -> Vec<Item> {
    let (source, to) = (top(S.j()), top(S.k()));
    let moves = row().a(to).b(source).y(Y::TSelect).majority().write(to).down();
    let fill = row().b(to).y(Y::TB).majority().write(to).down().rewind();
    // T: a 1 in the rows on top.
    let look = row().a(source).x(X::A).down();
    let mut items = vec![once(look.tag(TagAction::A).carry_next(Next::One))];
    items.extend((!last).then(|| each(Count::StrideLessOne, look.majority().tag(TagAction::Differ))));
    // w: a column stays, because T is 1 or because the exponent does not allow it to shift as far as this bit of it is
    // worth. H: else no later stage shifts as far as that.
    let stays = tag_out(row().a(bit).x(X::HSelect)).majority().hold(HoldAction::Differ);
    let stays = stays.tag(TagAction::Differ).write(distance);
    // The first stage of all those has an address of its own.
    items.push(once(if moving.is_some() { stays } else { stays.l(OuterAction::Down) }));
    match moving {
        Some(rows) => items.extend((0..rows).map(|_| once(moves))),
        None => items.extend([each(Count::StrideRest, moves), each(BEYOND, moves)]),
    }
    items.push(each(Count::Stride, fill.i(OffsetAction::Halve).stride(StrideAction::Halve)));
    items
}

/// What is left of the exponent. T: with a hidden bit it is too large. C is 1 behind it, and H 0.
fn result_exponent(longer: bool) -> Vec<Item> {
    let rest = chain(row().a(left(D.j())).x(X::NotA).y(Y::NotB)).write(left(D.j())).up();
    let by = rest.b(distance(S.j())).y(Y::B);
    let highest = row().a(left(D.j())).x(X::NotA).not_sum().tag(TagAction::Differ);
    let mut items = vec![once(by), once(by.tag(TagAction::W))];
    if longer {
        items.push(each(LOG2 - 1, by.tag(TagAction::And)));
    } else {
        items.extend([each(LOG2 - 2, by.tag(TagAction::And)), each(EXCESS, rest.tag(TagAction::And))]);
    }
    items.push(once(highest.carry_next(Next::One).hold(HoldAction::Zero).rewind()));
    items
}

/// What becomes of the number: too large, not finite, flushed. C is 0 behind it.
fn kinds() -> Vec<Item> {
    let (bounded, not_largest) = (round::flag(round::Flag::Bounded), own(Flag::NotLargest));
    vec![
        once(row().a(hidden()).x(X::A).majority().tag(TagAction::And)),
        once(row().a(plus_infinite()).b(bounded).x(X::A).y(Y::NotTB).majority().write(not_largest)),
        once(row().a(plus_infinite()).x(X::A).majority().tag(TagAction::Differ)),
        once(row().a(minus_infinite()).x(X::A).majority().tag(TagAction::Differ)),
        once(row().a(not_largest).b(minus_infinite()).x(X::A).y(Y::B).majority().write(not_largest).clear_carry()),
        once(tag_out(row().x(X::One)).write(own(Flag::NotOnes))),
        once(row().a(hidden()).b(hidden()).x(X::A).y(Y::NotTB).majority().write(own(Flag::Hidden))),
        once(row().x(X::Zero).steer_x().b(hidden()).y(Y::NotB).majority().tag(TagAction::Differ)),
        once(tag_out(row()).write(own(Flag::Killed))),
    ]
}

/// Fraction and exponent, rounded. C is 0 behind it.
fn rounded(two_port: bool) -> Vec<Item> {
    let (lowest, behind) = (at(window(S.j()), BELOW), at(window(S.j()), BELOW - 1));
    // H: the rows behind that one.
    let sticky = row().a(window(S.j())).x(X::A).majority().hold(HoldAction::Differ).up();
    let mut items = vec![each(BEYOND, sticky), once(sticky.rewind())];
    let bit_0 = at(left(D.j()), 0);
    if !two_port {
        // The lowest bit as it counts: with `AndNor` sensing there is too little beside the hidden bit.
        items.extend([
            once(row().a(bit_0).b(own(Flag::Hidden)).x(X::A).y(Y::B).majority().write(bit_0)),
            once(row().a(bit_0).b(own(Flag::NotOnes)).x(X::A).y(Y::NotB).write(bit_0)),
        ]);
    }
    items.extend(adds(lowest, behind));
    let bit = |address: Address| row().b(address).y(Y::TB).gate();
    let lowest_bit = if two_port { bit(bit_0) } else { row().b(bit_0).y(Y::B) };
    let begin = row().a(own(Flag::Adds)).b(own(Flag::Killed)).x(X::One).y(Y::B).tag(TagAction::W);
    let fraction = chain(bit(S.j().plus(WINDOW + i16::from(BELOW)))).write(D.j());
    // T: the hidden bit.
    let between = row().a(own(Flag::NotOnes)).b(own(Flag::Hidden)).x(X::B).y(Y::B).majority().tag(TagAction::W);
    let field = |row: Row| chain(row).write(D.j().plus(FRACTION)).up();
    items.extend([
        once(row().write(own(Flag::Adds)).clear_carry()),
        once(row().a(own(Flag::NotLargest)).predicate(PredicateAction::A)),
        once(begin.carry_next(Next::AAndNotY)),
        each(FRACTION, fraction.up().rewind()),
        once(between.predicate(PredicateAction::A)),
        once(field(lowest_bit.a(own(Flag::Hidden)).x(X::A))),
        each(M - 1, field(bit(left(D.j())))),
    ]);
    items
}

/// The largest number, the sign, and NaN. Zero is negative if all terms were, or some were and rounding is down. J is
/// the row of the sign, from the exponent's lowest one.
fn finish() -> Vec<Item> {
    let field = D.j().plus(FRACTION);
    let lowest = row().a(at(field, 0)).b(own(Flag::NotLargest)).x(X::A).y(Y::B).majority().write(at(field, 0));
    let positive = row().a(flag(A, unpacked::Flag::Positive)).x(X::NotA);
    vec![
        once(lowest.carry_next(Next::One)),
        once(positive.b(own(Flag::Down)).y(Y::B).majority().tag(TagAction::W)),
        once(row().a(flag(A, unpacked::Flag::Negative)).x(X::A).majority().tag(TagAction::And)),
        once(row().a(own(Flag::NotZero)).x(X::NotA).majority().tag(TagAction::And)),
        once(row().a(sign(A)).x(X::A).majority().tag(TagAction::Differ)),
        once(row().a(minus_infinite()).x(X::A).majority().tag(TagAction::Differ).clear_carry()),
        once(tag_out(row().a(plus_infinite()).x(X::NotA)).majority().write(field).rewind()),
        once(row().a(plus_infinite()).b(minus_infinite()).x(X::A).y(Y::B).majority().tag(TagAction::W).down()),
        // The quiet bit is below the exponent.
        once(tag_out(row().a(field).x(X::A)).write(field)),
    ]
}
