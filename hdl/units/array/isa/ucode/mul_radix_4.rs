//! Products with two multiplier bits a pass, on columns with a second adder.
//!
//! A pass adds multiplier rows i (held in T) and i + 1 (held in P) times the multiplicand: row j takes T · b_j and
//! P · b_(j−1), which M has kept. What is above the pass's top row, P · b_(n−1) and the two carries, are two bits.
//! They go to H and G, and the next pass adds them in its two top rows: H in both, which takes G in between. The ports
//! that this leaves idle fetch the next two multiplier rows, of which one waits in G. So a pass takes n cycles.
//!
//! Of an odd number of multiplier rows, the first one is alone: it is P of a pass that begins a row lower, without a T,
//! and whose first row is the cycle that fetches.
//!
//! Signed products are those of `mul.rs`. The rows of the last pass complement P · b_(j−1), and in row 0, where there
//! is none, so add 2ⁿ⁻² too much: 2ⁿ − 2ⁿ⁻² is added by constants in the two top rows of the first pass.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Count, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{OffsetAction, OuterAction, Row, TriangleAction, row};
use crate::array::isa::ucode::mul::{one_bit, two_port_program};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// Passes over n multiplier rows.
pub(super) fn passes(n: i64) -> i64 {
    (n + 1) / 2
}

/// T and P take multiplier rows L and L + 1.
pub(super) fn fetch_two() -> Row {
    row().b(A.l()).a(A.l().plus(1)).tag(TagAction::Next).predicate(PredicateAction::A)
}

/// P takes multiplier row 0, M the multiplicand's: the lowest row of a pass without T, of which nothing is written.
pub(super) fn fetch_one() -> Row {
    row().a(A.row(0)).b(B.row(0)).predicate(PredicateAction::A).carry_next(Next::Majority).second(Second::Pass)
}

/// The partial products of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All as they are.
    Plain,
    /// Those with the multiplicand's sign are complemented.
    SignColumn,
    /// Those of the multiplier's sign row are, but for the one with both signs, and that of T with the sign.
    SignRow,
}

/// A pass's rows below its top two, and these, without their sources.
fn rows(part: Part, x: [X; 3]) -> [Row; 3] {
    let (top, second) = match part {
        Part::Plain => (Y::TB, [Second::Pass, Second::Park, Second::Top]),
        Part::SignColumn => (Y::NotTB, [Second::Pass, Second::Park, Second::TopNotQ]),
        Part::SignRow => (Y::NotTB, [Second::NotPass, Second::NotPark, Second::NotTop]),
    };
    let add = |i: usize, y| row().x(x[i]).y(y).carry_next(Next::Majority).second(second[i]).write(D.k());
    // I moves between the two top rows, and J stays: K is one more in the second.
    let next = add(1, Y::TB).hold(HoldAction::Load).i(OffsetAction::Up);
    [add(0, Y::TB).up(), next, add(2, top).hold(HoldAction::Load).clear_carry().rewind()]
}

/// The two top rows fetch multiplier rows L + `ahead` and the one after it.
fn fetching(row: Row, ahead: i16) -> Row {
    let row = row.a(A.l().plus(ahead)).l(OuterAction::Up);
    if row.column.second == Second::Park { row } else { row.tag(TagAction::Next).predicate(PredicateAction::A) }
}

/// Which passes a program has, besides the first and the last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Middle {
    /// There is one pass in all.
    OnePass,
    /// None.
    None,
    /// As many as n asks for.
    Some,
}

/// A product's program for even or odd n. Without `below`, the first pass has no rows below the top ones.
fn program(signed: bool, odd: bool, below: bool, middle: Middle) -> Program {
    let name = if signed { "mul signed, radix 4" } else { "mul, radix 4" };
    let ahead = if odd { 1 } else { 2 };
    let last_part = if signed { Part::SignRow } else { Part::Plain };
    let part = match middle {
        Middle::OnePass => last_part,
        _ if signed => Part::SignColumn,
        _ => Part::Plain,
    };
    let constant = if signed { X::One } else { X::Zero };
    let [low, next, top] = rows(part, [X::Zero, constant, constant]);
    let (low, mut next, mut top) = (low.b(B.j()), next.b(B.j()), top.b(B.j().plus(1)).i(OffsetAction::Up));
    let fetch = match (odd, signed && middle == Middle::OnePass) {
        (true, _) => fetch_one(),
        (false, false) => fetch_two(),
        // Of one pass, rows 0 and 1 are the top rows: C is the fourth quarter of the constant.
        (false, true) => fetch_two().carry_next(Next::One),
    };
    let mut body = vec![once(fetch)];
    if odd {
        // T is 0, so that y is a second constant where it is complemented.
        let y = if signed { Y::NotTB } else { Y::TB };
        (next, top) = (next.b(B.j().plus(1)).y(y), top.b(B.j().plus(2)).i(OffsetAction::Hold));
        body.extend(below.then(|| each(N - 3, low.b(B.j().plus(1)))));
    } else {
        body.extend(below.then(|| each(N - 2, low)));
    }
    if middle == Middle::OnePass {
        let next = Row { column: rows(last_part, [constant; 3])[0].column, ..next };
        body.extend([once(next.second(Second::Pass)), once(top)]);
    } else {
        body.extend([once(fetching(next, ahead)), once(fetching(top, ahead))]);
        let pass = |part, fetches: bool| {
            let [low, next, top] = rows(part, [X::A, X::H, X::H]);
            let (next, top) = (next.b(B.j()), top.b(B.j().plus(1)).i(OffsetAction::Up));
            let fetched = |row| if fetches { fetching(row, ahead) } else { row };
            vec![each(N - 2, low.a(D.k()).b(B.j())), once(fetched(next)), once(fetched(top))]
        };
        let count = if odd { (N - 3).half() } else { (N - 4).half() };
        body.extend((middle == Middle::Some).then(|| outer(count, pass(part, true))));
        body.extend(pass(last_part, false));
    }
    let top = if signed { X::NotH } else { X::H };
    let next = row().x(X::H).hold(HoldAction::Load).second(Second::Park);
    body.push(once(next.write(D.i().plus(N - 2))));
    body.push(once(row().x(top).write(D.i().plus(N - 1))));
    Program::new(name, body)
}

/// The cycles of [`mul`].
pub(super) fn mul_cycles(n: i64, _: i64) -> i64 {
    passes(n) * n + 3 - n % 2
}

/// d (2n rows) ← a · b.
pub(super) fn mul(op: Operation, signed: bool) -> Operation {
    let of = |n: i16| [Condition::Zero(N - n)];
    let op = one_bit(op);
    let op = if signed {
        op.variant(&of(2), program(true, false, false, Middle::OnePass))
            .variant(&of(3), program(true, true, false, Middle::None))
    } else {
        // Two and three bits are not worth programs of their own.
        op.variant(&[Condition::AtLeastZero(N.negated() + 3)], two_port_program())
    };
    op.variant(&of(4), program(signed, false, true, Middle::None))
        .variant(&[Condition::Even(N)], program(signed, false, true, Middle::Some))
        .program(program(signed, true, true, Middle::Some))
}

/// The cycles of [`mul_low`].
pub(super) fn mul_low_cycles(n: i64, _: i64) -> i64 {
    passes(n) * (n - passes(n) + 2)
}

/// d (n rows) ← a · b modulo 2ⁿ: a pass is two rows shorter than the one before. It takes its multiplier rows
/// first, so that no bit of it is left in a latch. The last row of an odd number has a pass of one row.
pub(super) fn mul_low(op: Operation) -> Operation {
    let low = row().b(B.j()).y(Y::TB).carry_next(Next::Majority).second(Second::Pass).up().rewind();
    let leave = |row: Row| row.i(OffsetAction::Up).l(OuterAction::Up);
    let fetch = fetch_two().clear_carry().l(OuterAction::Up);
    let program = |middle: Option<Linear>, odd: bool| {
        let mut body = vec![once(fetch), each(N, leave(low.write(D.j())))];
        body.extend(middle.map(|count| {
            let pass = leave(low.a(D.k()).x(X::A).write(D.k())).z(TriangleAction::Down);
            let fetch = fetch.i(OffsetAction::Up).z(TriangleAction::Down);
            outer(count, vec![once(fetch), each(Count::Triangle, pass)])
        }));
        if odd {
            let top = D.row(N - 1);
            body.push(once(row().a(A.row(N - 1)).tag(TagAction::A).clear_carry()));
            body.push(once(row().a(top).b(B.row(0)).x(X::A).y(Y::TB).write(top)));
        }
        Program::new("mul_low, radix 4", body).z(N - 2)
    };
    op.variant(&[Condition::Zero(N - 2)], program(None, false))
        .variant(&[Condition::Zero(N - 3)], program(None, true))
        .variant(&[Condition::Even(N)], program(Some((N - 2).half()), false))
        .program(program(Some((N - 3).half()), true))
}
