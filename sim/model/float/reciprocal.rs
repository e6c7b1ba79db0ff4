//! Reciprocals, which are quotients of 1, and reciprocal square roots: quotients of 1 and a root that is cut off. The
//! root is an integer's, and `rustc_apfloat` rounds the quotient, once, from more bits than any format has.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};

use super::{Function, Mode, evaluate, flush};

/// 1 / a, given as for [`evaluate`].
pub fn reciprocal(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    // The exponent of 1 is all ones but for its top bit.
    let one = ((1u64 << m.clamp(1, 16).saturating_sub(1)) - 1) << n.clamp(3, 60).saturating_sub(3);
    evaluate(Function::Divide, n, m, key, one, a)
}

/// 1 / √a, given as for [`evaluate`]: the root has n − 1 bits behind its leading one, n − 3 being those of a fraction.
pub fn reciprocal_root(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => inverse::<Single>(mode, n, a, 0x7fc0_0000),
        (55, 11) => inverse::<Double>(mode, n, a, 0x7ff8_0000_0000_0000),
        (13, 5) => inverse::<Half>(mode, n, a, 0x7e00),
        (10, 8) => inverse::<BFloat>(mode, n, a, 0x7fc0),
        (5, 5) => inverse::<Float8E5M2>(mode, n, a, 0x7e),
        (6, 4) => inverse::<Float8E4M3FN>(mode, n, a, 0x7f),
        _ => return None,
    })
}

fn inverse<F: Float>(mode: Mode, n: u32, a: u64, nan: u64) -> u64 {
    let value = flush(F::from_bits(a.into()), mode.flush_operands);
    if value.is_nan() || value.is_negative() && !value.is_zero() {
        return nan;
    }
    if value.is_zero() {
        let infinite = F::INFINITY.copy_sign(value);
        return if infinite.is_nan() { nan } else { infinite.to_bits() as u64 };
    }
    if value.is_infinite() {
        return 0;
    }
    // The operand is a significand of 1 to 4 times an even power of two.
    let exponent = value.ilogb();
    let half = exponent.div_euclid(2);
    let fraction = n as i32 - 3;
    let significand = value.scalbn(fraction - exponent).to_u128(64).value << exponent.rem_euclid(2);
    let root = (significand << (2 * (n as i32 - 1) - fraction)).isqrt();
    // 1 / √a with 60 bits behind the point, and whether it goes on.
    let dividend = 1u128 << (n + 59);
    let (quotient, goes_on) = (dividend / root, !dividend.is_multiple_of(root));
    // As many of these as have room in every format, and more than are rounded to.
    let drop = 128 - quotient.leading_zeros() - (F::PRECISION as u32 + 3);
    let lost = goes_on || quotient & ((1 << drop) - 1) > 0;
    let rounded = F::from_u128_r(quotient >> drop | u128::from(lost), mode.round).value;
    rounded.scalbn(drop as i32 - 60 - half).to_bits() as u64
}
