//! Division of floating-point numbers, IEEE 754, on `TwoPort` columns as they are: all directions of rounding,
//! subnormal numbers kept or flushed.
//!
//! ```text
//!  a, b ─▶ special values, hidden bits ─▶ both up, until a 1 is on top ─▶ which one is larger, how much further it is
//!      ─▶ quotient, a bit a pass ─▶ exponent ─▶ down, if it is not positive ─▶ round ─▶ d
//! ```
//!
//! A dividend that is less than the divisor goes up by one row, so that the quotient begins with 1. Then the first
//! remainder is their difference, and each of n − 2 passes takes twice the remainder and adds the divisor, or its
//! complement where the remainder is not negative: non-restoring division. The rows of the remainder are those of the
//! one before, so that doubling is to begin a row further down; the last row of a pass takes the complemented sign,
//! which is a bit of the quotient. At the end the remainder, with the divisor if it is negative, is 0 or sticky. Its
//! rows are those of the flags in long formats, and the exponent waits until it is gone (`float_quotient_rows.rs`).
//!
//! The set `baseline` restores (`float_div_baseline.rs`), but for the format without infinities, and asks what `skip`
//! asks.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{E4M3, F32, Format};
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_div_baseline;
use crate::array::isa::ucode::float_div_flushed::with_flushed;
use crate::array::isa::ucode::float_div_round::rounded;
use crate::array::isa::ucode::float_exceptions::signals;
use crate::array::isa::ucode::float_flushed::look;
use crate::array::isa::ucode::float_operation::{of_formats, wanted};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_round::Bits;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, tag_out};
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, TagAction, X, Y};

/// d ← a / b.
pub(super) fn div(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |format: Format| {
        let (place, finite_only) = (Place::of(format), format == E4M3);
        // Formats without infinities are none of the papers'; who follows these asks what `skip` asks.
        let papers = cx.papers() && !finite_only;
        let skip = skip || papers;
        let mut body = operands(finite_only, reports);
        body.extend(significands(place, skip));
        body.extend(place.keep());
        body.extend(distance_of_both(place, skip));
        body.extend(quotient(place, papers));
        body.extend(sticky(place, papers));
        body.extend(place.give_back());
        body.extend(exponent());
        body.extend(rounded(place, finite_only, Bits::Key, skip, reports));
        Program::new("fdiv", body).i(1)
    };
    let formula = if skip { skipping } else { cycles };
    let mut operation = of_formats(Opcode::FDiv, formula, &[A, B], Place::scratch(), program);
    // The shorter programs for the mode that flushes report nothing, and are no algorithm of the papers.
    let own = !reports && !cx.papers();
    operation.counted = (!own).then_some(cx);
    if cx.two_port() && own { with_flushed(operation, cx) } else { operation }
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let (quotient, shifts) = ((n - 2) * (n - 1), stages * (3 * n + 4) + (3 << stages));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 8 } else { 0 };
    quotient + shifts + 8 * n + 9 * m + 2 * stages + 67 + special + kept(n, 6)
}

/// Cycles of long formats beside those of all.
pub(super) fn kept(n: i64, cycles: i64) -> i64 {
    if n < i64::from(F32.n()) { 0 } else { cycles }
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + 2 * i64::from(ceil_log2(n as i32)) + 5
}

/// Hidden bits, sign, special values.
fn operands(finite_only: bool, reports: bool) -> Vec<Item> {
    let (exponent_a, exponent_b) = fields();
    let exponents = row().a(exponent_a).b(exponent_b);
    let fractions = row().a(A.j()).b(B.j());
    let (finite_a, finite_b) = (flag(Flag::FINITE_A), flag(Flag::FINITE_B));
    let (counts_a, counts_b) = (flag(Flag::COUNTS_A), flag(Flag::COUNTS_B));
    let keep = |tag, hold| {
        let tag = tag_out(row()).write(tag).tag(TagAction::Zero);
        [once(tag), once(row().x(X::H).write(hold).hold(HoldAction::Zero))]
    };
    let both = |one: Address, x: X, other: Address, y: Y| row().a(one).b(other).x(x).y(y).majority();
    let mut items = vec![each(M, look(exponents.x(X::A).y(Y::B)).rewind())];
    items.extend(keep(flag(Flag::HIDDEN_A), flag(Flag::HIDDEN_B)));
    items.push(each(M, look(exponents.x(X::NotA).y(Y::NotB))));
    items.push(once(exponents.x(X::A).y(Y::B).write(flag(Flag::Sign)).rewind()));
    if finite_only {
        items.push(each(FRACTION, look(fractions.x(X::NotA).y(Y::NotB)).rewind()));
    }
    items.extend(keep(finite_a, finite_b));
    items.push(each(FRACTION, look(fractions.x(X::A).y(Y::B)).rewind()));
    items.push(once(tag_out(row()).write(counts_a)));
    items.push(once(row().x(X::H).write(counts_b)));
    // T: NaN is given.
    if finite_only {
        items.push(once(row().a(finite_a).x(X::NotA).tag(TagAction::W)));
        items.push(once(row().a(finite_b).x(X::NotA).tag(TagAction::Differ)));
    } else {
        items.extend([
            once(row().a(finite_a).x(X::NotA).tag(TagAction::And)),
            once(row().b(finite_b).x(X::H).y(Y::NotB).hold_next(Next::Majority)),
            once(row().x(X::H).tag(TagAction::Differ)),
        ]);
    }
    let given = tag_out(row()).write(flag(Flag::NAN_GIVEN));
    if reports && !finite_only {
        items.push(once(given.down()));
        // Quiet bits are below the exponents.
        items.extend(signals(finite_a, exponent_a, counts_a).map(once));
        let [first, last] = signals(finite_b, exponent_b, counts_b);
        items.extend([once(first), once(last.up())]);
    } else {
        items.push(once(given));
    }
    items.extend([
        // C: subnormal operands count.
        once(row().x(X::One).steer_x().carry_next(Next::NotSum)),
        once(row().a(counts_a).x(X::A).majority().write(counts_a)),
        once(row().a(counts_b).x(X::A).majority().write(counts_b).carry_next(Next::One)),
        once(both(flag(Flag::HIDDEN_A), X::A, counts_a, Y::B).write(counts_a)),
        once(both(flag(Flag::HIDDEN_B), X::A, counts_b, Y::B).write(counts_b)),
    ]);
    if reports {
        // A number that is not zero, by zero.
        let numbers = both(counts_b, X::NotA, finite_a, Y::B).tag(TagAction::W);
        let divides = row().a(counts_a).x(X::A).tag(TagAction::And).report(Report::DivideByZero);
        items.extend([once(row().clear_carry()), once(numbers), once(divides.carry_next(Next::One))]);
    }
    items.extend([
        once(both(finite_a, X::NotA, counts_b, Y::NotB).write(flag(Flag::Infinite))),
        once(both(counts_a, X::NotA, finite_b, Y::NotB).write(flag(Flag::Zero)).clear_carry()),
    ]);
    let none = both(flag(Flag::Infinite), X::A, flag(Flag::Zero), Y::B).tag(TagAction::W);
    if reports {
        // Neither zero by zero nor infinity by infinity has a result.
        let given = row().a(flag(Flag::NAN_GIVEN)).x(X::NotA).tag(TagAction::And);
        items.extend([once(none), once(given.report(Report::Invalid))]);
    }
    items.extend([
        once(none),
        once(row().a(flag(Flag::NAN_GIVEN)).x(X::A).tag(TagAction::Differ)),
        once(tag_out(row()).write(flag(Flag::NotANumber)).hold(HoldAction::Zero).down()),
    ]);
    items
}

/// Doubles I and the stride up to the first stage's; L is more by as many rows. C becomes 1.
pub(super) fn strides() -> Item {
    let double = row().i(OffsetAction::Double).stride(StrideAction::Double).carry_next(Next::One);
    outer(LOG2 - 1, vec![once(double.l(OuterAction::Up))])
}

/// Up until a 1 is on top, strides …, 4, 2, 1. What a stage writes, at L, says that the number stays: these bits are
/// the complemented distance. C is 1 before, so that majorities are what x or y is, and 0 at the end; I and the stride
/// are 1 then.
pub(super) fn up(top: impl Fn(Address) -> Address, operand: Operand, stays: Address) -> Vec<Item> {
    let (source, to) = (top(operand.j()), top(operand.k()));
    let stage = |last: bool| {
        let fill = row().b(to).y(Y::TB).majority().write(to).down().rewind();
        let next = fill.i(OffsetAction::Halve).stride(StrideAction::Halve);
        // T: a 1 in the rows on top.
        let look = row().a(source).x(X::A).majority().down();
        let found = |row: Row| row.write(stays).l(OuterAction::Down);
        let moves = row().a(to).b(source).y(Y::TSelect).majority().write(to).down();
        if last {
            // n − 1 rows in three pieces: what is left beside a stride that halves is known a cycle late.
            let look = once(found(look.tag(TagAction::A)));
            return vec![look, once(moves), each(FRACTION, moves), once(moves), once(fill.clear_carry())];
        }
        let others = found(tag_out(look).tag(TagAction::W)).on_exit();
        vec![
            once(look.tag(TagAction::A)),
            each(Count::StrideLessOne, others),
            each(Count::StrideRest, moves),
            each(Count::Stride, next),
        ]
    };
    let mut items = vec![outer(LOG2 - 1, stage(false))];
    items.extend(stage(true));
    items
}

/// Strides and all stages; then L is −1. The set `skip` leaves them out if no column has T = 1 behind `test`, which
/// then is so of none but zeros; there L is 0 behind them. The rows of what stages write are at J and at L.
pub(super) fn all_up(
    skip: bool,
    test: Row,
    top: impl Fn(Address) -> Address,
    operand: Operand,
    stays: [Address; 2],
) -> Vec<Item> {
    let mut stages = vec![strides()];
    stages.extend(up(top, operand, stays[1]));
    if !skip {
        return stages;
    }
    stages.push(once(row().l(OuterAction::Up)));
    // In two pieces: a reciprocal root has no register left for a count of all rows.
    let one = row().x(X::One).write(stays[0]);
    let mut items = vec![each(LOG2 - 1, one.up()), once(one.rewind())];
    items.extend(wanted(true, test, stages));
    items
}

/// The row behind [`all_up`]: L becomes 0.
pub(super) fn behind_up(skip: bool, row: Row) -> Row {
    if skip { row } else { row.l(OuterAction::Up) }
}

/// T: an operand without a hidden bit that is not zero. C is 0.
pub(super) fn subnormal(hidden: Address, counts: Address) -> Row {
    row().a(hidden).b(counts).x(X::NotA).y(Y::B).majority().tag(TagAction::W)
}

/// Divisor to d, dividend to the window, with two zeros below; both up. J is −1 before.
fn significands(place: Place, skip: bool) -> Vec<Item> {
    let copy = |from: Address, to: Address| row().a(from).x(X::A).write(to);
    let to = divisor(D.j());
    let mut items = vec![
        once(row().write(to).down()),
        once(row().write(to).rewind()),
        each(FRACTION, copy(B.j(), to).up()),
        once(copy(flag(Flag::HIDDEN_B), to).rewind()),
    ];
    let test = subnormal(flag(Flag::HIDDEN_B), flag(Flag::COUNTS_B));
    items.extend(all_up(skip, test, divisor_top, D, [S.j(), S.l()].map(distance)));
    items.extend([
        once(behind_up(skip, row().write(place.low(0)))),
        once(row().write(place.low(1))),
        each(FRACTION, copy(A.j(), place.window(S.k())).up().rewind()),
        once(copy(flag(Flag::HIDDEN_A), at(place.top(S.j()), 0))),
    ]);
    // A zero divided is known by another flag.
    let test = row().a(flag(Flag::HIDDEN_A)).b(flag(Flag::Zero)).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W);
    items.extend(all_up(skip, test, |index| place.top(index), S, [D.j(), D.l()]));
    items
}

/// How much further the dividend went up, but that the first row up of a subnormal number does not count, and one more
/// where it is less than the divisor: by so much the exponents' difference is too large. In d, as many rows as stages
/// have, and the sign. T: the dividend is not less. C is 0 behind it, J is −1.
fn distance_of_both(place: Place, skip: bool) -> Vec<Item> {
    let to = D.j();
    let compared = chain(row().a(place.window(S.k())).b(divisor(to)).x(X::A).y(Y::NotB));
    vec![
        once(behind_up(skip, row().carry_next(Next::One))),
        each(SIGNIFICAND, compared.up().rewind()),
        once(row().tag(TagAction::W).carry_next(Next::NotSum)),
        each(LOG2, chain(row().a(distance(S.j())).b(to).x(X::A).y(Y::NotB)).write(to).up()),
        once(row().y(Y::NotB).write(to).clear_carry().rewind()),
        // One more where the dividend has a hidden bit, and where the divisor has none.
        once(row().a(flag(Flag::HIDDEN_B)).x(X::A).carry_next(Next::NotSum)),
        once(chain(row().a(to).b(flag(Flag::HIDDEN_A)).x(X::A).y(Y::B)).write(to).up()),
        each(LOG2, chain(row().a(to).x(X::A)).write(to).up().rewind()),
        once(row().clear_carry().down()),
    ]
}

/// The exponent of the quotient that begins with 1, in d and two flags, from the distance; the sign. T is lost. C and J
/// are 0 before and behind it.
fn exponent() -> Vec<Item> {
    let ((exponent_a, exponent_b), to) = (fields(), D.j());
    let field = chain(row().a(exponent_a).x(X::A)).write(to).up();
    let sign = row().a(exponent_a).b(exponent_b).x(X::A).y(Y::B).write(flag(Flag::Sign));
    let mut items = vec![
        once(row().carry_next(Next::One)),
        each(LOG2, field.b(to).y(Y::NotB)),
        // T: the distance is not negative. With `AndNor` sensing differences need it while H is.
        once(row().a(to).b(to).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W)),
        each(EXCESS, field.y(Y::BXorT)),
        once(chain(tag_out(row())).write(flag(Flag::TOP))),
        once(tag_out(row()).write(flag(Flag::NEGATIVE)).clear_carry()),
        once(sign.rewind()),
    ];
    items.extend(less_divisor(B));
    items
}

/// The second half of the exponent: less that of the divisor. C and J are 0 before and behind it.
pub(super) fn less_divisor(by: Operand) -> Vec<Item> {
    let (to, bit, sign, field) = (D.j(), flag(Flag::TOP), flag(Flag::NEGATIVE), by.j().plus(FRACTION));
    let less = chain(row().a(to).b(field).x(X::A).y(Y::NotB)).write(to).up();
    vec![
        // The bias is one less than the top bit's weight: C is that 1, and the top bit is complemented.
        each(M, less.flip_out()),
        once(chain(row().b(bit).x(X::One).y(Y::B)).write(bit)),
        once(row().b(sign).x(X::One).y(Y::B).write(sign).clear_carry().down()),
        once(row().a(to).x(X::A).carry_next(Next::NotSum).rewind()),
        once(chain(row().b(bit).y(Y::B)).write(bit)),
        once(row().b(sign).y(Y::B).write(sign).clear_carry()),
    ]
}

/// The bits of the quotient behind its leading 1, to the window. C: the remainder is not negative. I becomes 3 − n. J
/// is −1 before it and 0 behind it.
fn quotient(place: Place, papers: bool) -> Vec<Item> {
    let (source, to) = (place.top(S.j()), place.top(S.k()));
    let (by, here) = (divisor(D.j()), place.remainder(S.k()));
    let first_difference = chain(row().a(place.window(S.k())).b(by).x(X::A).y(Y::NotB)).write(place.window(S.k()));
    let mut items = vec![
        // Up by one, where the dividend is less.
        each(FRACTION, row().a(to).b(source).y(Y::TSelect).write(to).down().rewind()),
        once(row().b(place.low(2)).y(Y::TB).write(place.low(2)).carry_next(Next::One)),
        each(SIGNIFICAND, first_difference.up().rewind()),
    ];
    if papers {
        items.extend(float_div_baseline::bits(place));
    } else {
        items.push(once(leading()));
        // The first difference has a lowest bit of its own.
        items.extend(pass(here, by, FRACTION, Remainder::First));
        items.push(outer(FRACTION, pass(here, by, FRACTION, Remainder::WithoutLowest)));
    }
    items
}

/// As many bits of a quotient behind its leading 1 as `passes` says, by a divisor of one bit more than `below`. The
/// remainder is in the rows from one above `here` on, and where I counts it goes down; a bit of the quotient takes the
/// row that it leaves.
pub(super) fn bits(passes: Linear, here: Address, by: Address, below: Linear) -> Vec<Item> {
    vec![once(leading()), outer(passes, pass(here, by, below, Remainder::All))]
}

/// T, C: the leading 1 of the quotient.
pub(super) fn leading() -> Row {
    row().x(X::One).y(Y::NotB).majority().tag(TagAction::W).carry_next(Next::One)
}

/// Which rows of a remainder there are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Remainder {
    /// All.
    All,
    /// All of the one that a pass reads.
    First,
    /// The lowest bit of every other one is the divisor's, since a 0 comes in below the others: it has no row.
    WithoutLowest,
    /// Of the one that the pass would write there are none.
    Last,
}

/// A pass, by a divisor of one bit more than `below`.
pub(super) fn pass(here: Address, by: Address, below: Linear, rows: Remainder) -> Vec<Item> {
    let carry = chain(row().b(by).y(Y::BXorT)).up();
    let term = if rows == Remainder::Last { carry } else { carry.write(here) }.x(X::A);
    let last = row().a(here).x(X::A).y(Y::BXorT).not_sum().write(here).carry_next(Next::NotSum).tag(TagAction::W);
    let mut items = vec![once(if rows == Remainder::All { carry.write(here) } else { carry })];
    if matches!(rows, Remainder::All | Remainder::First) {
        items.push(each(below, term.a(here)));
    } else {
        items.extend([once(term.a(at(by, 0))), each(below - 1, term.a(here))]);
    }
    items.push(once(last.rewind().i(OffsetAction::Down)));
    items
}

/// H: the quotient goes on. I becomes 1. C and J are 0 behind it.
fn sticky(place: Place, papers: bool) -> Vec<Item> {
    let (by, rest) = (divisor(D.j()), place.rest(S.j()));
    // The last bit of the quotient is 0 where the remainder is negative.
    let last = at(place.window(S.j()), 1);
    let complement = row().a(last).b(last).x(X::NotA).y(Y::NotB).majority().write(last);
    // Where the remainder is negative (P), the divisor is added; elsewhere all ones and C, which is 1.
    let sum = chain(row().b(by).x(X::A).y(Y::B).gate()).not_sum().tag(TagAction::And).up().i(OffsetAction::Up);
    if papers {
        let some = row().x(X::A).tag(TagAction::Differ).up().i(OffsetAction::Up);
        return vec![
            once(row().clear_carry().tag(TagAction::Zero).rewind()),
            once(some.a(float_div_baseline::lowest(place))),
            outer(FRACTION, vec![once(some.a(rest))]),
            once(tag_out(row().x(X::One)).hold_next(Next::NotSum).rewind()),
        ];
    }
    vec![
        once(row().not_sum().write(last)),
        once(row().a(last).x(X::One).y(Y::NotB).majority().tag(TagAction::W).predicate(PredicateAction::A)),
        // T: only zeros. The remainder's lowest bit is the divisor's.
        once(sum.a(at(by, 0))),
        outer(FRACTION, vec![once(sum.a(rest))]),
        once(complement.clear_carry().rewind()),
        once(tag_out(row()).hold_next(Next::NotSum)),
    ]
}
