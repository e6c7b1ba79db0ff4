//! Reciprocal square roots of floating-point numbers, on `TwoPort` columns as they are. No result is subnormal or too
//! large but those of zeros.
//!
//! ```text
//!  a ─▶ special values ─▶ up, until a 1 is on top ─▶ root, a bit a pass ─▶ quotient of 1 and the root, a bit a pass
//!      ─▶ exponent ─▶ round ─▶ d
//! ```
//!
//! In long formats root, remainder and quotient leave room for nothing that is known of the operand: it is looked at
//! again behind the quotient.
//!
//! The root is that of [`float_sqrt`], cut off one bit behind those that it would be rounded by; the quotient of 1 and
//! that number is rounded as the command says. So the result is within one unit in the last place where rounding is to
//! nearest. The exact remainder of a reciprocal square root has three times as many rows as the operand, and its passes
//! have three terms, which is why results are not correctly rounded.
//!
//! The quotient goes on where the root is no power of two. With the root's biased exponent E and the bias B, the
//! result's is 2B − E, and one less where the root is no power of two: since 2B is all ones less 1, that is the
//! complement of E + 1, or of E + 2.
//!
//! [`float_sqrt`]: super::float_sqrt

use crate::array::isa::format::{E4M3, F32, F64, Format};
use crate::array::isa::linear::{Linear, M, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Report, row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode::float_div::{Remainder, bits, kept, leading, pass};
use crate::array::isa::ucode::float_operation::{exponent_of_operand, of_formats, reporting};
use crate::array::isa::ucode::float_quotient_rows::SIGNIFICAND;
use crate::array::isa::ucode::float_round::{self as round, adds, directions};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{self as sqrt, Flag, REMAINDER, flag, packed};
use crate::array::isa::ucode::float_sqrt_way::Way;
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Bits of the root behind those that it would be rounded by.
const EXTRA: i16 = 1;
/// Bits of the root behind its leading 1.
const BEHIND: Linear = linear(1, Term::None, EXTRA - 2);

/// The root is no power of two.
fn no_power() -> Address {
    round::flag(round::Flag::Directed)
}

/// Where things are.
#[derive(Clone, Copy)]
struct Place {
    /// The root and its remainder.
    root: Way,
    /// The format is long: the remainder of the quotient comes down over the flags, so that what the operand is has to
    /// be looked at again behind it; the last remainder has no rows.
    long: bool,
}

impl Place {
    fn of(format: Format) -> Place {
        let long = format == F32 || format == F64;
        Place { root: if long { Way::divided_by(format) } else { Way::down(EXTRA) }, long }
    }

    /// Scratch rows.
    fn rows() -> Rows {
        let short = i32::from(REMAINDER - 1 + 2 * EXTRA);
        Rows::by_format(|format| 2 * i32::from(format.n()) + if Place::of(format).long { -4 } else { short })
    }

    /// Rows of the remainder in the pass that I counts, from 3 − n − EXTRA down.
    fn remainder(self) -> Address {
        S.k().plus(linear(2, Term::None, if self.long { -7 } else { REMAINDER - 6 + EXTRA }))
    }

    /// The root's bits from the lowest one up.
    fn by(self) -> Address {
        if self.long { D.j() } else { D.j().plus(2) }
    }

    /// The quotient's rows from the one of its last bit up, which is behind the fraction.
    fn quotient(self) -> Address {
        S.j().plus(linear(1, Term::None, if self.long { -2 } else { REMAINDER + EXTRA - 1 }))
    }
}

/// d ← 1 / √a.
pub(super) fn reciprocal_root(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |format: Format| {
        let (place, finite_only) = (Place::of(format), format == E4M3);
        let root = place.root;
        let mut body = if place.long {
            sizes(root, skip)
        } else {
            known(sqrt::operand(finite_only, Some(root.fraction()), reports), finite_only, reports)
        };
        body.extend(sqrt::significand(root, skip));
        body.extend(sqrt::root(root));
        if place.long {
            body.extend(long_quotient(place));
            body.extend(goes_on(place));
            body.extend(known(sqrt::operand(finite_only, None, reports), finite_only, reports));
            body.extend(again(reports));
        } else {
            body.extend(quotient(place, cx, reports));
        }
        body.extend(exponent(root));
        body.extend(directions(None));
        let quotient = place.quotient();
        body.extend(adds(at(quotient, 1), at(quotient, 0)));
        // The fraction from J = 1 on would be a base register less, but the result's begins with 0.
        let fraction = S.j().plus(quotient.offset + 1);
        body.extend(packed(finite_only, [Flag::NotZero, Flag::Finite], fraction, D.j().plus(FRACTION)));
        Program::new("frsqrt", body).i(1).z(1)
    };
    reporting(of_formats(Opcode::FRsqrt, if skip { skipping } else { cycles }, &[A], Place::rows(), program), cx)
}

/// What rows that look at the operand are followed by.
fn known(mut items: Vec<Item>, finite_only: bool, reports: bool) -> Vec<Item> {
    let (zero, nan) = (row().a(flag(Flag::NotZero)).x(X::NotA), flag(Flag::NotANumber));
    if reports {
        items.push(once(zero.tag(TagAction::W).report(Report::DivideByZero)));
    }
    if finite_only {
        // Infinite results are NaN.
        items.extend([
            once(if reports { row().a(nan).x(X::A) } else { zero }.tag(TagAction::Differ)),
            once(tag_out(row()).write(nan)),
        ]);
    }
    items
}

/// The fraction to where the significand will be, the hidden bit, and whether the operand is not zero.
fn sizes(root: Way, skip: bool) -> Vec<Item> {
    let [finite, hidden, counts] = [Flag::Finite, Flag::Hidden, Flag::NotZero].map(flag);
    let copied = row().a(A.j()).x(X::A).write(root.fraction()).up().rewind();
    let mut items = vec![each(FRACTION, if skip { copied.tag(TagAction::Differ) } else { copied })];
    if skip {
        items.push(once(tag_out(row()).write(counts).tag(TagAction::Zero)));
    }
    items.extend(exponent_of_operand([finite, hidden], sqrt::sign(), false));
    if skip {
        // C: subnormal operands count. The key stays for those who ask again.
        items.push(once(row().x(X::One).steer_x().key_shift(0).carry_next(Next::NotSum)));
        items.push(once(row().a(counts).x(X::A).majority().write(counts).clear_carry()));
    }
    items
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 5 } else { 0 };
    (n - 1) * (n + 6) / 2
        + (n - 2) * (n + 1)
        + stages * (n + 1)
        + (1 << stages)
        + 6 * n
        + 4 * m
        + 48
        + special
        + kept(n, m - 2)
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + i64::from(ceil_log2(n as i32)) + 2 + kept(n, 3)
}

/// The quotient of 1 and the root. H: it goes on.
fn quotient(place: Place, cx: Context, reports: bool) -> Vec<Item> {
    let by = place.by();
    let mut items = vec![
        once(row().tag(TagAction::Zero).rewind().i(OffsetAction::Up)),
        each(BEHIND, row().a(by).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(tag_out(row()).write(no_power()).hold(HoldAction::Differ).carry_next(Next::One)),
    ];
    if reports {
        // C is 1.
        items.extend(inexact());
    }
    items.extend([
        // Less the root, where it is no power of two, else 0: the row on top is 0 for both.
        each(BEHIND, chain(row().b(by).y(Y::NotB)).write(place.remainder()).up()),
        once(row().majority().write(place.remainder()).rewind().i(OffsetAction::Down)),
    ]);
    items.extend(bits(SIGNIFICAND, place.remainder(), by, BEHIND));
    // With `AndNor` sensing the passes need H.
    let last = if cx.two_port() { row() } else { row().a(no_power()).hold(HoldAction::A) };
    items.push(once(last.clear_carry()));
    items
}

/// Only of powers of two are the results exact. T: the root is none. C is 1.
fn inexact() -> [Item; 3] {
    let also = |flag: Address, x: X| row().a(flag).x(x).majority().tag(TagAction::And);
    [
        once(also(flag(Flag::Finite), X::A)),
        once(also(flag(Flag::NotANumber), X::NotA)),
        once(also(flag(Flag::NotZero), X::A).report(Report::Inexact)),
    ]
}

/// The same of long formats. The lowest bit of a remainder is the root's and has no row, nor has the last remainder.
fn long_quotient(place: Place) -> Vec<Item> {
    let (by, here) = (place.by(), place.remainder());
    let first = chain(row().b(by).y(Y::NotB)).up();
    vec![
        once(row().carry_next(Next::One).rewind().i(OffsetAction::Up)),
        once(first),
        each(SIGNIFICAND, first.write(here)),
        once(row().majority().write(here).rewind().i(OffsetAction::Down)),
        once(leading()),
        outer(FRACTION, pass(here, by, BEHIND, Remainder::WithoutLowest)),
    ]
    .into_iter()
    .chain(pass(here, by, BEHIND, Remainder::Last))
    .collect()
}

/// To a row, whether the root is no power of two. T, C and H are 0 behind it.
fn goes_on(place: Place) -> Vec<Item> {
    vec![
        once(row().tag(TagAction::Zero).clear_carry().hold(HoldAction::Zero)),
        each(BEHIND, row().a(place.by()).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(tag_out(row()).write(no_power()).tag(TagAction::Zero)),
    ]
}

/// The exponent's lowest bit as it counts, which [`sqrt::significand`] has overwritten; H: the quotient goes on. C is 0
/// before and behind it.
fn again(reports: bool) -> Vec<Item> {
    let hidden = flag(Flag::Hidden);
    let lowest = row().a(at(A.j().plus(FRACTION), 0)).b(hidden).x(X::A).y(Y::NotB).majority().write(hidden);
    let mut items = vec![
        once(row().a(no_power()).tag(TagAction::A).carry_next(Next::One)),
        once(lowest),
        once(row().b(no_power()).y(Y::B).majority().hold(HoldAction::Differ)),
    ];
    if reports {
        items.extend(inexact());
    }
    items.push(once(row().clear_carry()));
    items
}

/// The exponent, to its place in d. The row below it is lost.
fn exponent(root: Way) -> Vec<Item> {
    let field = D.j().plus(FRACTION);
    let less = chain(tag_out(row().a(field).x(X::A))).not_sum().write(field).tag(TagAction::Zero).up();
    let mut items = sqrt::exponent(root, D.j().plus(FRACTION - 1));
    items.extend([
        once(row().a(no_power()).tag(TagAction::A).carry_next(Next::One)),
        // T counts in the lowest row alone.
        each(M, less.rewind()),
        once(row().clear_carry()),
    ]);
    items
}
