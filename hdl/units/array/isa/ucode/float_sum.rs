//! d ← a + b of unpacked numbers (`float_unpacked.rs`): neither normalised nor rounded.
//!
//! ```text
//!  the one with the smaller exponent ─▶ window ─▶ down by strides 1, 2, 4, … ─▶ + ─▶ d
//!  the other one, and its exponent   ─▶ d ────────────────────────────────────▶ ┘
//! ```
//!
//! What leaves the window at its low end sets the lowest guard bit: the part that remains is the odd one of the two
//! neighbours of a number that does not fit. Distances are those of the exponents' difference less one, a − b − 1: where
//! it is negative a has the smaller exponent, or none has, and its complement is the distance; else b has it, and goes
//! down by one row as it is copied. So no difference is made positive.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, F16, F32};
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, N, Term, ceil_log2};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, StrideAction, row};
use crate::array::isa::ucode::float_rows::{at, chain, linear};
use crate::array::isa::ucode::float_unpacked::{BELOW_SIGN, BEYOND, FLAGS, ROWS, WITHOUT_FLAGS, exponent, flags};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

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
pub(super) fn sum() -> Operation {
    let program = |longer: bool| {
        let pieces = [smaller_and_larger(), distance(longer), align(longer), add()];
        Program::new("fsum", pieces.concat()).i(1)
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
    let longer = if n == i64::from(F16.n()) { 34 } else { 0 };
    4 * n + 3 * m + (stages - 1) * (n + 6) + (1 << stages) + 34 + longer
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

/// Shifts the window down, strides 1, 2, 4, …; H: something was lost. The last row of a stage would be the sign, which
/// stays; it fetches what the next stage does. C is 0 behind it.
fn align(longer: bool) -> Vec<Item> {
    let (here, far) = (window(S.j()), window(S.k()));
    let leaves = row().b(here).y(Y::TB).majority().hold(HoldAction::Differ);
    let moves = row().a(far).b(here).y(Y::TSelect).majority().write(here).up();
    let fill = row().a(top()).b(here).y(Y::TSelect).majority().write(here).up();
    let next = once(fetch().rewind().i(OffsetAction::Double));
    let stage = vec![
        each(Count::Stride, leaves.up().rewind()),
        each(Count::StrideRest, moves),
        each(BEYOND, moves),
        each(Count::StrideLessOne, fill.stride(StrideAction::Double)),
        next.clone(),
    ];
    let mut items =
        vec![once(leaves), each(BELOW_SIGN, moves.stride(StrideAction::Double)), next, outer(LOG2 - 1, stage)];
    if longer {
        items.push(each(Count::Stride, leaves.up().rewind()));
        // Binary16 has a window of 19 rows, and the stride is 16.
        items.extend((0..3).map(|_| once(moves)));
        items.push(each(Count::StrideLessOne, fill.rewind()));
    }
    items.push(once(row().clear_carry()));
    items
}

/// The sum, and the flags, all of them where it does not fit.
fn add() -> Vec<Item> {
    let bit = chain(row().a(D.j()).b(window(S.j())).x(X::A).y(Y::B)).write(D.j());
    let or = row().a(flags(A)).b(flags(B)).x(X::A).y(Y::Differ).majority().write(flags(D));
    vec![
        // C: what was lost is not in the lowest bit yet.
        once(
            row()
                .b(at(window(S.j()), 0))
                .x(X::H)
                .y(Y::NotB)
                .carry_next(Next::Majority)
                .hold(HoldAction::Zero)
                .tag(TagAction::Zero),
        ),
        each(BELOW_SIGN, bit.up()),
        // T, H: the sign is not that of one of the two, and of the other.
        once(bit.clear_carry().tag(TagAction::Differ).hold(HoldAction::Differ).rewind()),
        once(row().x(X::H).tag(TagAction::And).carry_next(Next::One)),
        each(FLAGS, or.up().rewind()),
    ]
}
