//! Reciprocal square roots of floating-point numbers, on `TwoPort` columns as they are. No result is subnormal or too
//! large but those of zeros.
//!
//! ```text
//!  a ─▶ special values ─▶ up, until a 1 is on top ─▶ root, a bit a pass ─▶ quotient of 1 and the root, a bit a pass
//!      ─▶ exponent ─▶ round ─▶ d
//! ```
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

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{Linear, M, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, D, S};
use crate::array::isa::row::{Address, OffsetAction, Report, row};
use crate::array::isa::ucode::float_div::bits;
use crate::array::isa::ucode::float_operation::{of_numbers, reporting};
use crate::array::isa::ucode::float_quotient_rows::SIGNIFICAND;
use crate::array::isa::ucode::float_round::{self as round, adds, directions};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::ucode::float_sqrt::{self as sqrt, Flag, REMAINDER, Way, flag, packed};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Bits of the root behind those that it would be rounded by.
const EXTRA: i16 = 1;
/// Bits of the root behind its leading 1.
const BEHIND: Linear = linear(1, Term::None, EXTRA - 2);
/// Scratch rows.
const SCRATCH: Linear = linear(2, Term::None, REMAINDER - 1 + 2 * EXTRA);
/// Where the root's remainder is.
const WAY: Way = Way::down(EXTRA);

/// The root is no power of two.
fn no_power() -> Address {
    round::flag(round::Flag::Directed)
}

/// Rows of the remainder in the pass that I counts, from 3 − n − EXTRA down: the last one begins at [`REMAINDER`].
fn remainder() -> Address {
    S.k().plus(linear(2, Term::None, REMAINDER - 6 + EXTRA))
}

/// The fraction in the quotient's rows.
fn fraction() -> Address {
    S.j().plus(linear(1, Term::None, REMAINDER + EXTRA))
}

/// d ← 1 / √a.
pub(super) fn reciprocal_root(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |finite_only: bool| {
        let mut body = sqrt::operand(finite_only, WAY.fraction(), reports);
        let (zero, nan) = (row().a(flag(Flag::NotZero)).x(X::NotA), flag(Flag::NotANumber));
        if reports {
            body.push(once(zero.tag(TagAction::W).report(Report::DivideByZero)));
        }
        if finite_only {
            // Infinite results are NaN.
            body.extend([
                once(if reports { row().a(nan).x(X::A) } else { zero }.tag(TagAction::Differ)),
                once(tag_out(row()).write(nan)),
            ]);
        }
        body.extend(sqrt::significand(WAY, skip));
        body.extend(sqrt::root(WAY));
        body.extend(quotient(cx, reports));
        body.extend(exponent());
        body.extend(directions(None));
        let near = S.j().plus(linear(1, Term::None, REMAINDER - 4 + EXTRA));
        body.extend(adds(at(near, 4), at(near, 3)));
        body.extend(packed(finite_only, [Flag::NotZero, Flag::Finite], fraction(), D.j().plus(FRACTION)));
        Program::new("frsqrt", body).i(1).z(1)
    };
    reporting(of_numbers(Opcode::FRsqrt, if skip { skipping } else { cycles }, &[A], SCRATCH, program), cx)
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { 2 * n - 5 } else { 0 };
    (n - 1) * (n + 6) / 2 + (n - 2) * (n + 1) + stages * (n + 1) + (1 << stages) + 6 * n + 4 * m + 48 + special
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + i64::from(ceil_log2(n as i32)) + 2
}

/// The quotient of 1 and the root. H: it goes on.
fn quotient(cx: Context, reports: bool) -> Vec<Item> {
    let by = D.j().plus(2);
    let mut items = vec![
        once(row().tag(TagAction::Zero).rewind().i(OffsetAction::Up)),
        each(BEHIND, row().a(by).x(X::A).tag(TagAction::Differ).up().rewind()),
        once(tag_out(row()).write(no_power()).hold(HoldAction::Differ).carry_next(Next::One)),
    ];
    if reports {
        // Only of powers of two are the results exact. C is 1.
        let also = |flag: Address, x: X| row().a(flag).x(x).majority().tag(TagAction::And);
        items.extend([
            once(also(flag(Flag::Finite), X::A)),
            once(also(flag(Flag::NotANumber), X::NotA)),
            once(also(flag(Flag::NotZero), X::A).report(Report::Inexact)),
        ]);
    }
    items.extend([
        // Less the root, where it is no power of two, else 0: the row on top is 0 for both.
        each(BEHIND, chain(row().b(by).y(Y::NotB)).write(remainder()).up()),
        once(row().majority().write(remainder()).rewind().i(OffsetAction::Down)),
    ]);
    items.extend(bits(SIGNIFICAND, remainder(), by, BEHIND));
    // With `AndNor` sensing the passes need H.
    let last = if cx.two_port() { row() } else { row().a(no_power()).hold(HoldAction::A) };
    items.push(once(last.clear_carry()));
    items
}

/// The exponent, to its place in d. The row below it is lost.
fn exponent() -> Vec<Item> {
    let field = D.j().plus(FRACTION);
    let less = chain(tag_out(row().a(field).x(X::A))).not_sum().write(field).tag(TagAction::Zero).up();
    let mut items = sqrt::exponent(D.j().plus(FRACTION - 1));
    items.extend([
        once(row().a(no_power()).tag(TagAction::A).carry_next(Next::One)),
        // T counts in the lowest row alone.
        each(M, less.rewind()),
        once(row().clear_carry()),
    ]);
    items
}
