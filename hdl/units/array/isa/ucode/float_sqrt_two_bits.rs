//! Square roots of floating-point numbers with two bits a pass, on columns with radix 4, to nearest, with subnormal
//! operands flushed; what stands around them is in `float_sqrt_flushed.rs`.
//!
//! ```text
//!  passes of one bit, while the operand has bits ─▶ one whose carries give the next bit, too ─▶ passes of two bits
//! ```
//!
//! With R the remainder and Q the root so far, a pass of one bit is 4R plus two bits of the operand and (Q, ¬T, 1), all
//! complemented but for the last two where T, the root's last bit, is 1; these are 11 in any case (`float_sqrt.rs`).
//! The lowest row is the complement of the operand's bit there: it stays as it is, and the next pass complements it as
//! it reads it. Q's last bit is T, so that the lowest row which reads Q would add 0.
//!
//! A pass of two bits is 16R and (Q, 1, 1, 0, 0), complemented by P, and (Q, 0, 1, 1), complemented by T, the root's
//! next bit, of which the former is z: what it reads lies a row lower. E and F take the carries of what may follow: 4R
//! and (Q, T, 0, 1, 1), complemented or not (`gathered_bits.rs`). Where the operand has no more bits, the three lowest
//! rows are 1 and need not be there.
//!
//! The pass in front of those has one bit: its term is (Q, 1, 1) with T complemented less twice that, P being the
//! root's last bit and T its complement, and 1 where that is 1. So it takes part in E and F as the others do.

use crate::array::isa::format::{F32, Format};
use crate::array::isa::linear::{N, Term};
use crate::array::isa::program::{Count, Item, each, once, outer};
use crate::array::isa::row::Operand::D;
use crate::array::isa::row::{Address, OffsetAction, Row, TriangleAction, row};
use crate::array::isa::ucode::float_rows::{at, chain, linear};
use crate::array::isa::ucode::float_sqrt::{bit, leading};
use crate::array::isa::ucode::float_sqrt_way::Way;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// Bits behind the leading one that passes of one bit give; the one that is first behind those has E and F.
fn singles(n: i64) -> i64 {
    (n - 2) / 2
}

/// Passes of two bits.
fn pairs(n: i64) -> i64 {
    (n - 2 - singles(n) - 1) / 2
}

/// Cycles of the flushed root with radix 4.
pub(super) fn cycles(n: i64, m: i64) -> i64 {
    let (singles, pairs) = (singles(n), pairs(n));
    // The first pass of two bits has as many rows as the root has then, and two.
    let passes = singles * (singles + 5) / 2 + singles + 3 + pairs * (singles + 4 + pairs - 1);
    passes + 2 * n + 2 * m + 16
}

/// A row that writes 0. P: 0. E: 1, F and V: 0.
pub(super) fn cleared() -> Row {
    first(row().majority(), Second::NotPark).predicate(PredicateAction::A)
}

/// Bits of the root, in d from its row 3 up. C: the one behind those. Before it, P, E, F and V are as [`cleared`]
/// leaves them. I is 1 and C is 0 before; J is 0 behind it.
pub(super) fn root(way: Way, format: Format) -> Vec<Item> {
    let n = i16::from(format.n());
    let (singles, pairs) = (singles(n.into()) as i16, pairs(n.into()) as i16);
    // The pair in which the remainder goes up again, behind others of which the first one is a pair of its own.
    let again = (way.again.expect("it is brought up") - (singles + 2)) / 2;
    let (here, above) = (way.remainder(0), way.above());
    let mut items = vec![once(leading(way).carry_next(Next::One))];
    items.extend(single(way, Which::First));
    items.push(outer((N - 6).half(), single(way, Which::Other)));
    items.extend(single(way, Which::Last));
    items.extend(ahead(way));
    items.extend(pair(way, [here; 2], true));
    // Of binary32 it is the second one.
    if again > 1 {
        items.push(outer(again - 1, pair(way, [here; 2], false)));
    }
    items.extend(pair(way, [here, above], false));
    items.push(outer(pairs - 1 - again, pair(way, [above; 2], false)));
    // The last bit is that of the last sign, or the next one.
    let last = first(row().x(X::NotA), Second::NotTop).carry_next(Next::NotSum);
    items.push(once(if format == F32 { last } else { row() }.rewind()));
    items
}

/// A row that begins a pass, or stands in front of one.
fn first(row: Row, second: Second) -> Row {
    row.second(second).gather()
}

/// A row of a pass whose carries E and F take.
fn step(row: Row) -> Row {
    row.second(Second::NotPass).gather()
}

/// The row with the sign: its complement is a bit of the root.
fn sign(way: Way, here: Address) -> Row {
    row().a(here).x(X::A).y(Y::BXorT).not_sum().write(bit(way)).i(OffsetAction::Lower)
}

/// The root's rows in a pass.
fn by() -> Address {
    D.j().plus(linear(1, Term::None, -3))
}

/// Which pass of one bit.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    /// The first one: the root has no bits but the leading one.
    First,
    /// One between those.
    Other,
    /// The last one that has bits of the operand. P takes what T does, and C becomes 0.
    Last,
}

/// A pass of one bit, T: i + 2 rows. C is 1 before and, but for the last one, behind it.
fn single(way: Way, which: Which) -> Vec<Item> {
    let (here, next) = (way.remainder(0), way.remainder(1));
    let two = chain(row().a(here).b(next).x(X::A).y(Y::B)).write(next).up_two();
    let is_first = which == Which::First;
    // The remainder before the first pass has no row that is complemented.
    let lowest = chain(row().a(here).x(if is_first { X::A } else { X::NotA })).write(here).up();
    let term = chain(row().a(here).b(by()).x(X::A).y(Y::BXorT)).write(here).up();
    let sign = sign(way, here).tag(TagAction::W);
    let sign = if which == Which::Last {
        step(sign).predicate(PredicateAction::A).clear_carry().z(TriangleAction::Up)
    } else {
        let sign = sign.carry_next(Next::One);
        if is_first { sign } else { sign.z(TriangleAction::Up) }
    };
    let mut items = vec![once(two), once(lowest)];
    items.extend((!is_first).then(|| each(Count::Triangle, term)));
    items.push(once(sign));
    items
}

/// A pass of one bit whose two lowest rows are 1, and have a carry.
fn ahead(way: Way) -> Vec<Item> {
    let here = way.remainder(0);
    let adds = |row: Row| step(chain(row.a(here).b(by()))).write(here).up();
    vec![
        // T: its complement. C: 1. V: 1, E and F: 0. The leading bit is 1; with E at 1 and F at 0, z is 0.
        once(
            first(row().b(at(bit(way), 2)).y(Y::NotTB), Second::NotPark)
                .tag(TagAction::W)
                .carry_next(Next::One)
                .up_two(),
        ),
        once(adds(row().x(X::NotA).y(Y::NotB))),
        each(Count::Triangle, adds(row().x(X::A).y(Y::BXorT))),
        once(known(sign(way, here)).z(TriangleAction::Down)),
    ]
}

/// P and C take the bit.
fn known(sign: Row) -> Row {
    step(sign).predicate(PredicateAction::A).carry_next(Next::NotSum)
}

/// A pass of two bits, i + 2 rows if the root has i bits, from rows to others. C, as P, is the last one before and
/// behind it.
fn pair(way: Way, [here, to]: [Address; 2], is_first: bool) -> Vec<Item> {
    let adds = |row: Row| step(chain(row.b(by()).y(Y::BXorT))).write(to).up();
    let (one, old) = (adds(row().x(X::NotA)), adds(row().a(here).x(X::A)));
    let counts = |row: Row| if is_first { row } else { row.z(TriangleAction::Up) };
    // T, and its row: the next bit. H: P. C: 0. V: 1.
    let next = first(row().write(bit(way)), Second::NotTop).tag(TagAction::W).hold(HoldAction::Load).clear_carry();
    let mut items = vec![
        once(counts(next.i(OffsetAction::Down).up_two())),
        // z is P here, and the sum of both 1.
        once(adds(row().x(X::NotH))),
        once(one),
        once(one),
    ];
    // Behind a pass of two bits the third row is 1, too.
    items.extend((!is_first).then(|| once(one)));
    items.extend([each(Count::Triangle, old), once(counts(known(sign(way, here))))]);
    items
}
