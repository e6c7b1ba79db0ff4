//! The square root, which `rustc_apfloat` does not have: of the format's numbers the largest one whose square is not
//! larger than the operand, and which of that and the next one is nearer. Squares of numbers, and of what lies half way
//! between two, are exact in binary128, so that the library judges both.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{Mode, flush};

/// The square root of a number, given as for [`evaluate`](super::evaluate).
pub fn square_root(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => root::<Single>(mode, a, 0x7fc0_0000),
        (55, 11) => root::<Double>(mode, a, 0x7ff8_0000_0000_0000),
        (13, 5) => root::<Half>(mode, a, 0x7e00),
        (10, 8) => root::<BFloat>(mode, a, 0x7fc0),
        (5, 5) => root::<Float8E5M2>(mode, a, 0x7e),
        (6, 4) => root::<Float8E4M3FN>(mode, a, 0x7f),
        _ => return None,
    })
}

fn root<F: FloatConvert<Quad>>(mode: Mode, a: u64, nan: u64) -> u64 {
    let value = flush(F::from_bits(a.into()), mode.flush_operands);
    if value.is_nan() || value.is_negative() && !value.is_zero() {
        return nan;
    }
    if value.is_zero() || value.is_infinite() {
        return value.to_bits() as u64;
    }
    let exact = |number: F| -> Quad { number.convert(&mut false).value };
    let of = |bits: u64| exact(F::from_bits(bits.into()));
    let square = |number: Quad| number.mul_r(number, Round::TowardZero).value;
    let wanted = exact(value);
    // Codes of positive numbers are in the order of the numbers.
    let (mut low, mut beyond) = (0, F::largest().to_bits() as u64 + 1);
    while beyond - low > 1 {
        let middle = low + (beyond - low) / 2;
        if square(of(middle)) <= wanted {
            low = middle;
        } else {
            beyond = middle;
        }
    }
    let middle = (of(low) + of(low + 1)).value / exact(F::from_u128(2).value);
    let up = match mode.round {
        Round::TowardPositive => square(of(low)) < wanted,
        Round::NearestTiesToEven => square(middle.value) < wanted,
        _ => false,
    };
    low + u64::from(up)
}
