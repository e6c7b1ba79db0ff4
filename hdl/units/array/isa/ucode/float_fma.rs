//! Fused multiplication and addition of floating-point numbers, IEEE 754, with one rounding, on all columns, in as many
//! scratch rows as a product takes: all directions of rounding, subnormal numbers kept or flushed. The third operand is
//! e, called c here.
//!
//! ```text
//!  a, b, c ─▶ special values, exponents ─▶ c in the window, down ─▶ plus the product, pass by pass
//!      ─▶ down, where c has the larger exponent ─▶ plus c there ─▶ magnitude ─▶ up ─▶ round ─▶ d
//! ```
//!
//! The product is exact; which operand is the smaller one is decided by exponents alone, so that a difference may be
//! negative, and its magnitude is taken then. An operand that is subnormal has zeros on top; the window is as long as a
//! product and three rows, and what leaves it below is not needed but as a sticky bit: either the sum has its highest 1
//! close to the top, or it is subnormal, or nothing has left. c's exponent is at least 1, and the larger of the two
//! exponents is the sum's: no sum needs to go down.
//!
//! Up it goes by a number's bits first, which is 2 to the power of ⌈log2 n⌉ in every format and takes low rows to high
//! ones, and then as products go. So small are numbers of E5M2 that none goes up by so much. The exponent has a bit
//! more than its rows until the distance is subtracted: a product that is too large may come back into range.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::{BF16, E4M3, E5M2, Format};
use crate::array::isa::linear::{Linear, N, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Program, once};
use crate::array::isa::row::Operand::{A, B, E};
use crate::array::isa::row::row;
use crate::array::isa::ucode::float_fma_operands::{addend, exponents, factors};
use crate::array::isa::ucode::float_fma_product::{product, product_radix_4};
use crate::array::isa::ucode::float_fma_rows::{Kind, ROWS_ABOVE, STRIDE};
use crate::array::isa::ucode::float_fma_sum::{far_up, magnitude, rows_below, sign};
use crate::array::isa::ucode::float_fma_window::{add, add_predicated, between, distance, down, load, product_down};
use crate::array::isa::ucode::float_mul::shift_up;
use crate::array::isa::ucode::float_mul_radix_4::Shape;
use crate::array::isa::ucode::float_mul_round::rounded;
use crate::array::isa::ucode::float_mul_rows::SCRATCH;
use crate::array::isa::ucode::float_operation::{operands, reporting};
use crate::array::isa::ucode::float_rows::{FRACTION, linear};
use crate::array::isa::uop::Next;

/// Rows of the significand in the middle of a pass; also its passes between the first and the last.
const MIDDLE: Linear = linear(1, Term::None, -4);

/// d ← a · b + e.
pub(super) fn fma(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    let program = |kind: Kind, shape: Shape| {
        let (finite_only, places, subtract) = (kind == Kind::E4M3, kind.places(), kind.subtract());
        let mut body = factors(finite_only, reports, places);
        body.extend(addend(finite_only, reports, places));
        body.extend(exponents(places));
        body.extend(distance(places));
        body.extend(load(kind, places, cx.radix_4()));
        body.extend(down(kind, cx.two_port()));
        body.extend(between(subtract, cx.radix_4()));
        body.extend(if cx.radix_4() { product_radix_4(shape, kind) } else { product(kind) });
        body.extend(product_down(kind, cx));
        body.extend(if cx.two_port() { add(subtract, places) } else { add_predicated(subtract, places) });
        body.extend(magnitude(subtract));
        body.extend(sign(subtract, places.upper));
        body.extend(rows_below());
        body.extend(match kind {
            Kind::E5M2 => vec![once(row().carry_next(Next::One))],
            _ => far_up(finite_only, skip, places.upper),
        });
        body.extend(shift_up());
        body.extend(rounded(finite_only, Some(places.upper), Count::Triangle, cx, reports));
        let z = if cx.radix_4() && kind == Kind::Other { ROWS_ABOVE } else { MIDDLE };
        Program::new("ffma", body).i(FRACTION).z(z).stride(STRIDE)
    };
    let of = |format: Format| [Condition::Zero(N - i16::from(format.n()))];
    let cycles = match (cx.radix_4(), skip) {
        (false, false) => cycles::<false, false>,
        (false, true) => cycles::<false, true>,
        (true, false) => cycles::<true, false>,
        (true, true) => cycles::<true, true>,
    };
    let mut operation = operands(Operation::new(Opcode::FFma, cycles).formats(), &[A, B, E], SCRATCH)
        .variant(&of(E4M3), program(Kind::E4M3, Shape::Four))
        .variant(&of(E5M2), program(Kind::E5M2, Shape::Three))
        .variant(&of(BF16), program(Kind::Bf16, Shape::Even));
    if cx.radix_4() {
        operation = operation.variant(&[Condition::Even(N)], program(Kind::Other, Shape::Even));
    }
    reporting(operation.program(program(Kind::Other, Shape::Odd)), cx)
}

/// Of `TwoPort` columns; the set `skip` takes so many at most, with its question.
fn cycles<const RADIX_4: bool, const SKIP: bool>(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let bits = n - 2;
    let product = if RADIX_4 { bits / 2 * (bits + 3) + bits % 2 * (bits + 1) } else { bits * (bits + 1) };
    let far = 3 * n + 4 * m + if SKIP { 4 } else { 0 };
    let special = if n == i64::from(E5M2.n()) { 3 } else { far + without_infinities(n, m) };
    product + stages * (5 * n + 10) + 14 * n + 17 * m + 78 + special
}

/// What E4M3 takes besides.
fn without_infinities(n: i64, m: i64) -> i64 {
    if n == i64::from(E4M3.n()) { 2 * n + m - 13 } else { 0 }
}
