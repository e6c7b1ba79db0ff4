//! d ← a + b of unpacked numbers (`float_unpacked.rs`): neither normalised nor rounded.
//!
//! ```text
//!  the one with the smaller exponent ─▶ window ─▶ down by strides 1, 2, 4, … ─▶ + ─▶ d
//!  the other one, and its exponent   ─▶ d ────────────────────────────────────▶ ┘
//! ```
//!
//! What leaves the window at its low end sets the lowest guard bit: the part that remains is the odd one of the two
//! neighbours of a number that does not fit. Distances are those of the exponents' difference less one, a − b − 1:
//! where it is negative a has the smaller exponent, or none has, and its complement is the distance; else b has it, and
//! goes down by one row as it is copied. So no difference is made positive.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, F16, F32};
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, N, Term, ceil_log2};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::float_rows::{at, chain, linear, tag_out};
use crate::array::isa::ucode::float_unpacked::{
    self as unpacked, BELOW_SIGN, BEYOND, FLAGS, Flag, ROWS, SIGNIFICAND, WITHOUT_FLAGS, exponent, flags,
};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// First row of the distance, of m bits, behind the window.
const DISTANCE: Linear = linear(1, Term::None, BEYOND + 1);

/// Formats that there are unpacked numbers of: the significands of the others are too long for a stream's element, or
/// have no room for what the programs count.
pub(super) fn of_formats(operation: Operation) -> Operation {
    operation.formats().widths(BF16.n(), F32.n())
}

/// The two kinds of programs, by whether the distance has as many bits as the strides below n, or one more.
pub(super) fn by_strides(operation: Operation, program: impl Fn(bool) -> Program) -> Operation {
    operation.variant(&[Condition::Zero(N - i16::from(F16.n()))], program(true)).program(program(false))
}

/// d (n + m + 10 rows) ← a + b.
pub(super) fn sum(cx: Context) -> Operation {
    let program = |longer: bool| {
        let ends = match (longer, cx.two_port()) {
            (true, true) => [align(LOG2 - 1), last_and_add(true)].concat(),
            (true, false) => [align(LOG2 - 1), longest(), add()].concat(),
            (false, true) => [align(LOG2 - 2), last_and_add(false)].concat(),
            (false, false) => [align(LOG2 - 1), vec![once(row().clear_carry())], add()].concat(),
        };
        Program::new("fsum", [smaller_and_larger(), distance(longer), ends].concat()).i(1)
    };
    let operation = of_formats(Operation::new(Opcode::FSum, cycles))
        .source(A, ROWS)
        .source(B, ROWS)
        .result(D, ROWS)
        .scratch(linear(1, Term::M, BEYOND + 1))
        .apart_or_same(A, D)
        .apart_or_same(B, D)
        .all_apart();
    by_strides(operation, program)
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let before = 3 * n + 3 * m + 21 + (stages - 2) * (n + 6) + (1 << (stages - 1));
    let stride = 1 << (stages - 1);
    let end = if n == i64::from(F16.n()) { 2 * n + 2 * stride + 27 } else { 2 * n - stride / 2 + 24 };
    before + end
}

/// a goes down; so the distance's complement is what counts.
fn complemented() -> Address {
    S.at(0)
}

fn window(index: Address) -> Address {
    index.plus(1)
}

/// The window's top row, which keeps the sign.
fn top() -> Address {
    at(S.j().plus(linear(1, Term::None, BEYOND)), 0)
}

/// The number with the smaller exponent goes to the window, the other one to d. H: something was lost. T is 0, C is 1.
fn smaller_and_larger() -> Vec<Item> {
    let less = chain(row().a(exponent(A)).b(exponent(B)).x(X::A).y(Y::NotB)).write(S.j().plus(DISTANCE));
    let smaller = |of_b: Address| row().a(of_b).b(A.j()).x(X::HSelect).majority().write(window(S.j()));
    vec![
        // C: a has the larger exponent.
        each(M, less.up().rewind()),
        // H: it has not.
        once(row().not_sum().write(complemented()).hold_next(Next::NotSum).clear_carry()),
        // T: what b loses.
        once(row().b(B.at(0)).x(X::NotH).y(Y::B).majority().tag(TagAction::W).carry_next(Next::One)),
        each(BELOW_SIGN, smaller(B.j().plus(1)).up()),
        once(smaller(B.j()).rewind()),
        each(WITHOUT_FLAGS, row().a(A.j()).b(B.j()).x(X::HSelect).majority().write(D.j()).up().rewind()),
        once(row().y(Y::Differ).hold_next(Next::Majority).tag(TagAction::Zero)),
    ]
}

/// The distance, all ones in its low bits if it is larger; T: the first stage shifts.
fn distance(longer: bool) -> Vec<Item> {
    let bit = |of: Address| row().a(of).b(complemented()).y(Y::Differ).majority();
    let low = S.j().plus(DISTANCE);
    let upper = S.j().plus(linear(1, Term::Log2, BEYOND + 1));
    let mut items = vec![];
    if longer {
        items.push(each(M, bit(low).write(low).up().rewind()));
    } else {
        items.push(each(EXCESS, bit(upper).tag(TagAction::W).up().rewind()));
        items.push(each(LOG2, bit(low).write(low).up().rewind()));
    }
    items.push(once(fetch()));
    items
}

/// T: the next stage shifts.
fn fetch() -> Row {
    row().a(S.l().plus(DISTANCE)).tag(TagAction::A).l(OuterAction::Up)
}

/// What a stage does: H takes what leaves the window, rows take those further up, the sign comes in at the top.
fn leaves() -> Row {
    row().b(window(S.j())).y(Y::TB).majority().hold(HoldAction::Differ)
}

fn moves() -> Row {
    row().a(window(S.k())).b(window(S.j())).y(Y::TSelect).majority().write(window(S.j())).up()
}

fn fill() -> Row {
    row().a(top()).b(window(S.j())).y(Y::TSelect).majority().write(window(S.j())).up()
}

/// Shifts the window down, stride 1, then so many ones more; H: something was lost. The last row of a stage would be
/// the sign, which stays; it fetches what the next stage does, so that T is that behind it.
fn align(more: Linear) -> Vec<Item> {
    let next = once(fetch().rewind().i(OffsetAction::Double));
    let stage = vec![
        each(Count::Stride, leaves().up().rewind()),
        each(Count::StrideRest, moves()),
        each(BEYOND, moves()),
        each(Count::StrideLessOne, fill().stride(StrideAction::Double)),
        next.clone(),
    ];
    vec![once(leaves()), each(BELOW_SIGN, moves().stride(StrideAction::Double)), next, outer(more, stage)]
}

/// The last stage of binary16, whose window has 19 rows, and the stride is 16. C is 0 behind it.
fn longest() -> Vec<Item> {
    let mut items = vec![each(Count::Stride, leaves().up().rewind())];
    items.extend((0..3).map(|_| once(moves())));
    items.push(each(Count::StrideLessOne, fill().rewind()));
    items.push(once(row().clear_carry()));
    items
}

/// A row of the sum.
fn bit() -> Row {
    chain(row().a(D.j()).b(window(S.j())).x(X::A).y(Y::B)).write(D.j())
}

/// C: what was lost is not in the lowest bit yet. H is 0 behind it.
fn odd() -> Row {
    let lowest = at(window(S.j()), 0);
    row().b(lowest).x(X::H).y(Y::NotB).carry_next(Next::Majority).hold(HoldAction::Zero)
}

/// A flag of either, or T.
fn or(of: fn(Operand) -> Address) -> Row {
    row().a(of(A)).b(of(B)).x(X::A).y(Y::Differ).majority().write(of(D))
}

/// The sum, and the flags: both infinities where it does not fit.
fn add() -> Vec<Item> {
    let either = or(flags).y(Y::B);
    vec![
        once(odd().tag(TagAction::Zero)),
        each(BELOW_SIGN, bit().up()),
        // T, H: the sign is not that of one of the two, and of the other.
        once(bit().clear_carry().tag(TagAction::Differ).hold(HoldAction::Differ).rewind()),
        once(row().x(X::H).tag(TagAction::And).carry_next(Next::One)),
        each(FLAGS / 2, either.up()),
        each(FLAGS / 2, or(flags).up().rewind()),
    ]
}

/// The last stage, of a stride of half of the window or, in binary16, of 16 of its 19 rows: what has rows above it
/// moves, and as many rows as the stride has become the sign as they are added.
fn last_and_add(longer: bool) -> Vec<Item> {
    let lower = |row: Row, last: Row| {
        if longer {
            return vec![once(row), once(row), once(last)];
        }
        vec![each(Count::StrideRest, row), each(BEYOND, last)]
    };
    let pairs = if longer { Linear::constant(7) } else { (SIGNIFICAND - 4).half().half() };
    let stays = at(S.j().plus(DISTANCE), 0);
    let pair = row().a(window(S.j())).b(S.j().plus(2)).x(X::A);
    let upper = bit().y(Y::TB).gate();
    let [positive, negative, plus, minus] = [Flag::Positive, Flag::Negative, Flag::PlusInfinite, Flag::MinusInfinite]
        .map(|which| move |of: Operand| unpacked::flag(of, which));
    let either =
        |of: &dyn Fn(Operand) -> Address, y: Y| once(row().a(of(A)).b(of(B)).x(X::A).y(y).majority().write(of(D)));
    let mut items = vec![
        // The upper half does not become 1: for P. And whether the stage shifts, for T.
        once(row().b(top()).y(Y::NotTB).majority().write(complemented())),
        once(tag_out(row()).majority().write(stays)),
        // T: a 1 leaves the window.
        once(pair.y(Y::B).majority().tag(TagAction::W).up_two()),
        each(pairs, pair.y(Y::Differ).majority().tag(TagAction::W).up_two().rewind()),
        once(row().b(stays).y(Y::TB).majority().hold(HoldAction::Differ)),
        once(row().a(stays).tag(TagAction::A)),
    ];
    items.extend(lower(moves(), moves().rewind()));
    items.extend([
        // T: it does not shift.
        once(row().a(stays).x(X::NotA).majority().tag(TagAction::W).clear_carry()),
        once(odd().a(complemented()).predicate(PredicateAction::A)),
    ]);
    items.extend(lower(bit().up(), bit().up()));
    items.extend([
        each(Count::StrideLessOne, upper.up()),
        // H: the sign is not that of the larger one; T: nor that of the other one.
        once(bit().carry_next(Next::One).hold(HoldAction::Differ)),
        either(&positive, Y::B),
        either(&negative, Y::B),
        once(row().a(D.j()).b(window(S.j())).x(X::A).y(Y::B).not_sum().tag(TagAction::W)),
        once(row().x(X::H).majority().tag(TagAction::And)),
        either(&plus, Y::Differ),
        either(&minus, Y::Differ),
    ]);
    items
}
