//! Multiplication of floating-point numbers to nearest, with subnormal numbers flushed on both sides, on columns with
//! radix 4: what needs passes of its own on others is noted while rows pass that are read or written anyway
//! (`float_mul_flushed.rs` has the other pieces).
//!
//! ```text
//!  hidden, finite ─▶ product of the significands ─▶ exponent less 1 ─▶ range ─▶ NaN ─▶ round and move by a row ─▶ d
//!                     └ notes 1s in both fractions and below what is rounded ┘
//! ```
//!
//! One pass over the exponents finds what has no hidden bit, in T and H, and what is not finite, in U and V. The
//! product reads all of both fractions: behind it E and F have what NaN needs, V has the sticky bit.

use crate::array::isa::linear::N;
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::program::{Item, Program, once};
use crate::array::isa::row::row;
use crate::array::isa::ucode::float_flushed::{self as flushed, FLUSHED, Known};
use crate::array::isa::ucode::float_mul::product_radix_4;
use crate::array::isa::ucode::float_mul_flushed::{exponent_and_range, numbers_and_zeros, rounded};
use crate::array::isa::ucode::float_mul_radix_4::{Shape, product_cycles};
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_rows::tag_out;
use crate::array::isa::uop::{HoldAction, Next, Second, TagAction, X, Y};

/// Adds the programs for even and for odd numbers of bits, in front of those for all modes.
pub(super) fn with_gathered(operation: Operation) -> Operation {
    let program = |shape: Shape| {
        let product = product_radix_4(shape, true);
        let pieces = [special_values(), product, exponent_and_range(), not_a_number(), sticky(), rounded()];
        Program::new("fmul, flushed", pieces.concat()).i(1).z(shape.z())
    };
    let even = (2, vec![FLUSHED, Condition::Even(N)], program(Shape::Even));
    flushed::with_flushed(operation, cycles, vec![even, (1, vec![FLUSHED], program(Shape::Odd))])
}

fn cycles(n: i64, m: i64) -> i64 {
    product_cycles(n) + n + 3 * m + 29
}

/// What is known of the operands; the range does not use these rows.
fn known() -> Known {
    let hidden = [flag(Flag::HIDDEN_A), flag(Flag::HIDDEN_B)];
    Known { hidden, finite: [passing(3), passing(4)], sign: flag(Flag::Sign) }
}

/// Hidden bits, sign, what is not finite, whether the product is zero. T, H and C are 0 behind it.
fn special_values() -> Vec<Item> {
    let mut items = flushed::gathered(&known(), |row| row);
    items.extend(numbers_and_zeros(&known()));
    items
}

/// Whether an operand is NaN, or infinite where the other one is zero. J is 0 behind it, as T and H are.
fn not_a_number() -> Vec<Item> {
    let Known { hidden: [hidden_a, hidden_b], finite, .. } = known();
    let zeros = row().a(hidden_b).b(hidden_a).x(X::NotA).y(Y::NotB);
    let mut items = vec![flushed::fractions(), once(zeros.tag(TagAction::Differ).hold(HoldAction::Differ))];
    items.extend([
        once(row().a(finite[0]).x(X::NotA).tag(TagAction::And)),
        // C: NaN for b.
        once(row().b(finite[1]).x(X::H).y(Y::NotB).carry_next(Next::Majority).hold(HoldAction::Zero)),
        once(tag_out(row().x(X::One)).majority().write(flag(Flag::NotANumber)).tag(TagAction::Zero).clear_carry()),
    ]);
    items
}

/// H: a 1 below the rows that are rounded. T: the product's top bit.
fn sticky() -> Vec<Item> {
    vec![once(flushed::given_to(row().a(top_bit()).tag(TagAction::A).hold(HoldAction::Load), Second::Top))]
}
