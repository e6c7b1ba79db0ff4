//! Conversion of floating-point numbers to another format, in all directions of rounding. The operand's format is the
//! opcode's, the result's is the command's, as n and m: each pair has a program with literal numbers of rows.
//!
//! ```text
//!  as many exponent bits  ─▶ the number without its sign is an integer that is rounded, or gets zeros behind it
//!  more exponent bits     ─▶ up until a 1 is on top (subnormal operands), other bias          (float_widen.rs)
//!  fewer exponent bits    ─▶ other bias, down if that is not positive, too large ones         (float_narrow.rs)
//! ```
//!
//! In every case a carry out of the rounded fraction runs into the exponent. A conversion of a format to itself makes
//! NaN canonical and flushes what the mode says.

use std::cmp::Ordering;

use crate::array::isa::format::{E4M3, FORMATS, Format};
use crate::array::isa::linear::{N, Term, ceil_log2};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, Report, Row, row};
use crate::array::isa::ucode::float_exceptions::{inexact_too, signals_if};
use crate::array::isa::ucode::float_narrow::{self as narrow, narrower};
use crate::array::isa::ucode::float_operation::reporting;
use crate::array::isa::ucode::float_round::{FLAGS, adds, directions, properties};
use crate::array::isa::ucode::float_rows::{chain, linear, tag_out};
use crate::array::isa::ucode::float_widen::{self as widen, first_stride, wider};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Scratch rows of one bit a column, behind those of rounding. Some are used twice.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// The operand is finite; then: what is too large is not bounded.
    Finite,
    /// Its hidden bit; then: the fraction is not killed.
    Hidden,
    /// It is NaN.
    NotANumber,
    /// The fraction is not killed; the exponent's lowest bit as it counts; too large, or not finite.
    Fourth,
    /// The operand is not zero; the exponent is negative.
    Fifth,
}

impl Flag {
    /// The fraction is not killed, where exponents are the same.
    pub(super) const ALIVE: Flag = Flag::Fourth;
    /// The exponent's lowest bit as it counts.
    pub(super) const LOWEST: Flag = Flag::Fourth;
    /// The operand is not zero.
    pub(super) const NOT_ZERO: Flag = Flag::Fifth;
    /// Too large, or not finite.
    pub(super) const OVERFLOW: Flag = Flag::Fourth;
    /// There is a 1 in the fraction, where exponents are the same and exceptions are reported.
    pub(super) const FRACTION: Flag = Flag::Fifth;
    /// The exponent is less than 0.
    pub(super) const NEGATIVE: Flag = Flag::Fifth;
}

/// Rows of flags.
pub(super) const ALL_FLAGS: i16 = FLAGS + Flag::Fifth as i16 + 1;

/// A flag's row.
pub(super) fn flag(flag: Flag) -> Address {
    S.at(FLAGS as u8 + flag as u8)
}

/// A format's number of fraction bits and of exponent bits.
pub(super) fn bits(format: Format) -> (i16, i16) {
    (format.fraction.into(), format.exponent.into())
}

/// The row of the operand's sign.
pub(super) fn sign(from: Format) -> Address {
    A.at(from.fraction + from.exponent)
}

/// A loop; few passes are rows of their own, since there are eight registers for counts.
pub(super) fn times(count: i16, row: Row) -> Vec<Item> {
    if count > 3 {
        return vec![each(count, row)];
    }
    let first = Row { j_zero: false, ..row };
    (1..=count).map(|pass| once(if pass < count { first } else { row })).collect()
}

/// d ← the number a of the format `from`, in the command's format.
pub(super) fn to_float(opcode: Opcode, from: Format, cx: Context) -> Operation {
    let reports = cx.exception_flags;
    let scratch = FORMATS.iter().map(|&to| scratch(from, to)).max().expect("there are formats");
    let operation = Operation::new(opcode, cycles_of(from))
        .formats()
        .source(A, from.bits() as i16)
        .result(D, linear(1, Term::M, -2))
        .scratch(scratch)
        .all_apart();
    let operation = FORMATS.iter().fold(operation, |operation, &to| {
        let program = match to.exponent.cmp(&from.exponent) {
            Ordering::Equal => Program::new(opcode.name(), same(from, to, reports)),
            Ordering::Less => Program::new(opcode.name(), narrower(from, to, reports)).i(1),
            Ordering::Greater => {
                let stride = first_stride(from);
                Program::new(opcode.name(), wider(from, to, reports)).i(stride).stride(stride)
            }
        };
        match FORMATS.last() {
            Some(&last) if last == to => operation.program(program),
            _ => operation.variant(&[Condition::Zero(N - i16::from(to.n()))], program),
        }
    });
    reporting(operation, cx)
}

/// Scratch rows of a pair.
fn scratch(from: Format, to: Format) -> i16 {
    match to.exponent.cmp(&from.exponent) {
        Ordering::Equal => FLAGS + Flag::ALIVE as i16 + 1,
        Ordering::Less => narrow::scratch(to),
        Ordering::Greater => widen::scratch(from, to),
    }
}

/// The closed form of the cycles for operands of a format.
fn cycles_of(from: Format) -> Formula {
    match from.fraction {
        2 => cycles::<2, 5>,
        3 => cycles::<3, 4>,
        7 => cycles::<7, 8>,
        10 => cycles::<10, 5>,
        23 => cycles::<23, 8>,
        _ => cycles::<52, 11>,
    }
}

fn cycles<const FRACTION: i64, const EXPONENT: i64>(n: i64, m: i64) -> i64 {
    let (f, e, fraction) = (FRACTION, EXPONENT, n - 3);
    let nan_has_ones = |bits: i64| bits == i64::from(E4M3.fraction);
    let (look, lost) = (e + f + 3, f - fraction);
    if m == e {
        let quiet = if nan_has_ones(f) { 0 } else { 2 };
        let rounds = if lost > 0 { lost + 8 } else { 1 - lost };
        return look + rounds + f.min(fraction) + e + quiet + 7;
    }
    if m > e {
        let stages = i64::from(f.ilog2()) + 1;
        let ups = f + stages * (f + 3) + (1 << stages);
        return look + ups + 2 * m + 10 + if lost > 0 { (1 << (stages - 1)) + f + 7 } else { -lost };
    }
    let stages = i64::from(ceil_log2(n as i32));
    let special = if nan_has_ones(fraction) { n + m + 2 } else { m + 5 };
    let ups = stages * (n + 2) + (1 << stages) - 1;
    look + 3 * (e - m) + 4 * m - stages + (f - n + 1).abs() + f.min(n - 1) + ups + fraction + special + 38
}

/// As many exponent bits: rounded, or zeros behind. What is too large becomes infinite by the carry.
fn same(from: Format, to: Format, reports: bool) -> Vec<Item> {
    let ((fraction, exponent), (result, _)) = (bits(from), bits(to));
    let (lost, canonical) = (fraction - result, from != E4M3);
    let alive = flag(Flag::ALIVE);
    let mut items = properties(from, flag(Flag::Finite), flag(Flag::Hidden), flag(Flag::NotANumber));
    if reports {
        items.extend(fraction_kept(from));
        items.extend(signals(from, to));
    }
    // Subnormal operands count.
    items.push(once(row().x(X::Zero).steer_x().write(alive)));
    if lost > 0 {
        let rest = row().a(A.j()).x(X::A).majority().hold(HoldAction::Differ).up().rewind();
        items.extend(times(lost - 1, rest));
        items.extend(directions(Some(sign(from))));
    } else {
        items.push(once(row().key_shift(2)));
    }
    if reports {
        // Subnormal operands that count, as results that do not.
        let bit = row().x(X::One).steer_x().key_shift(0);
        items.extend([
            once(bit.b(alive).y(Y::B).majority().tag(TagAction::W)),
            once(row().a(flag(Flag::Hidden)).x(X::NotA).tag(TagAction::And)),
            once(row().a(flag(Flag::FRACTION)).x(X::A).tag(TagAction::And).report(Report::Underflow)),
            inexact_too(),
        ]);
    }
    // T: such results count, too, or this is none; and it is a number.
    items.push(once(row().x(X::Zero).steer_x().b(alive).y(Y::B).majority().tag(TagAction::W)));
    items.push(once(row().a(flag(Flag::Hidden)).x(X::A).tag(TagAction::Differ)));
    if canonical {
        items.push(once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::And)));
    }
    items.push(once(tag_out(row()).write(alive)));
    if lost > 0 {
        let behind = A.at(lost as u8 - 1);
        if reports {
            items.extend(inexact_of(behind, row().a(alive).x(X::A), row().a(flag(Flag::Hidden)).x(X::NotA)));
        }
        items.extend(adds(A.at(lost as u8), behind));
    }
    items.push(once(row().a(alive).tag(TagAction::A)));
    if lost > 0 {
        items.push(once(tag_out(row()).carry_next(Next::Majority)));
    } else if lost < 0 {
        items.extend(times(-lost, row().write(D.j()).up().rewind()));
    }
    let kept = row().b(A.j().plus(lost.max(0))).y(Y::TB).write(D.j().plus(-lost.min(0)));
    items.extend(times(fraction.min(result), chain(kept).up().rewind()));
    items.push(each(exponent, chain(row().a(A.j().plus(fraction)).x(X::A)).write(D.j().plus(result)).up().rewind()));
    items.push(once(row().clear_carry()));
    if reports && lost > 0 {
        items.extend(overflow_of_rounding(to, row().a(flag(Flag::Finite)).x(X::A)));
    }
    if canonical {
        items.push(quiet(to));
    }
    items.push(sign_out(from, to));
    items
}

/// Whether there is a 1 in the fraction, which formats with infinities have in T. T is lost.
fn fraction_kept(from: Format) -> Vec<Item> {
    let mut items = vec![];
    if from == E4M3 {
        items.push(once(row().tag(TagAction::Zero)));
        items.extend(times(from.fraction.into(), row().a(A.j()).x(X::A).tag(TagAction::Differ).up().rewind()));
    }
    items.push(once(tag_out(row()).write(flag(Flag::FRACTION))));
    items
}

/// Operands that signal, and infinite ones where the result's format has no infinities. T is lost.
pub(super) fn signals(from: Format, to: Format) -> Vec<Item> {
    let nan = flag(Flag::NotANumber);
    let infinite = row().a(flag(Flag::Finite)).b(nan).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W);
    match (from, to) {
        (E4M3, _) => vec![],
        (_, E4M3) => vec![once(signals_if(nan, A.at(from.fraction - 1))), once(infinite.report(Report::Invalid))],
        _ => vec![once(signals_if(nan, A.at(from.fraction - 1)))],
    }
}

/// Bits behind the fraction's last one, of which H has all but the first. `alive`, as x: the fraction is not killed;
/// `tiny`: the result is smaller than the smallest normal number. C is 0; T is lost.
pub(super) fn inexact_of(behind: Address, alive: Row, tiny: Row) -> [Item; 4] {
    [
        once(row().x(X::H).tag(TagAction::W)),
        once(row().a(behind).x(X::A).tag(TagAction::Differ)),
        once(alive.tag(TagAction::And).report(Report::Inexact)),
        once(tiny.tag(TagAction::And).report(Report::Underflow)),
    ]
}

/// Numbers whose exponent has become all ones by rounding. `numbers`, as x: which may be. J and C are 0; T is lost.
pub(super) fn overflow_of_rounding(to: Format, numbers: Row) -> Vec<Item> {
    let mut items = vec![once(row().x(X::One).tag(TagAction::W))];
    let field = row().a(D.j().plus(i16::from(to.fraction))).x(X::A);
    items.push(each(i16::from(to.exponent), field.tag(TagAction::And).up().rewind()));
    items.push(once(numbers.tag(TagAction::And).report(Report::Overflow)));
    items
}

/// The quiet bit of NaN, whose fraction is 0 so far. C is 0.
pub(super) fn quiet(to: Format) -> Item {
    let bit = D.at(to.fraction - 1);
    once(row().a(bit).b(flag(Flag::NotANumber)).x(X::A).y(Y::B).write(bit))
}

/// The sign, but of NaN. C is 0.
pub(super) fn sign_out(from: Format, to: Format) -> Item {
    let number = row().a(flag(Flag::NotANumber)).b(sign(from)).x(X::NotA).y(Y::B).majority();
    once(number.write(D.at(to.fraction + to.exponent)))
}
