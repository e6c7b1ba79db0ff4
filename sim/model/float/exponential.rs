//! Exponential functions of binary32, binary16 and bfloat16 numbers, in 64-bit integers: the recurrences of range
//! reduction and of hyperbolic CORDIC, every bit. `rustc_apfloat` rounds what they give; `errors.rs` says what it is
//! worth.
//!
//! What is left of the operand has n + 5 bits behind the point and is kept in the direction of the step before, as in
//! `cordic.rs`. First m + 1 powers of two times the base's logarithm are taken from it, or added, 2ᵐ first; then the
//! arguments at which the function multiplies by 1 ± 2⁻ⁱ, up to a gain, i from 1 to n − 1, 4 and 13 twice.

use super::{Kind, Parts, convert};

/// The base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// 2.
    Two,
    /// e.
    E,
}

/// Bits of a residue, as a number with a sign.
pub(super) fn wrapped(value: i64, bits: u32) -> i64 {
    value << (64 - bits) >> (64 - bits)
}

/// The base to the power of a, given as for [`evaluate`](super::evaluate); `None` but for the three formats.
pub fn exponential(base: Base, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let (negative, exponent, fraction) = parts.split(a);
    if exponent == parts.ones() {
        let infinite = if negative { 0 } else { parts.infinite() };
        return Some(if fraction > 0 { parts.nan() } else { infinite });
    }
    // The operand: what is less than the lowest distance tells is 0, what is 2ᵐ or more is more than 3/4 or 7/8 of it.
    let behind = n + 5;
    let significand =
        if exponent > 0 { fraction | 1 << parts.fraction } else { 0 } << (behind + m - 1 - parts.fraction);
    let distance = parts.bias() + m as i32 - 1 - exponent;
    let ones = if m < 8 { 3 } else { 2 };
    let mut left = match distance {
        ..0 => ((1 << ones) - 1) << (behind + m - ones),
        _ if distance < 1 << parts.stages() => significand >> distance,
        _ => 0,
    } as i64;
    let ln_2 = std::f64::consts::LN_2;
    let fixed = |value: f64| (value * f64::from(behind).exp2()).round() as i64;
    let unit = if base == Base::Two { 1.0 } else { ln_2 };
    let argument = |i: i32| fixed((-f64::from(i)).exp2().atanh() / if base == Base::Two { ln_2 } else { 1.0 });
    let (mut minus, mut changed) = (negative, false);
    let mut turn = |constant: i64, bits: u32, minus: &mut bool| {
        left = wrapped(if changed { -left } else { left } - constant, bits);
        changed = left < 0;
        *minus ^= changed;
    };
    let mut units = 0;
    for j in (0..=m).rev() {
        units += if minus { -1 } else { 1 } << j;
        turn(fixed(unit * f64::from(1 << j)), behind + 3 + j, &mut minus);
    }
    let last = n as i32;
    let steps: Vec<i32> = (1..last).flat_map(|i| if [4, 13].contains(&i) { vec![i; 2] } else { vec![i] }).collect();
    let gain: f64 = steps.iter().chain(&[last]).map(|&i| (1.0 - (-2.0 * f64::from(i)).exp2()).sqrt()).product();
    let mut value = fixed(2.0 / gain);
    for i in steps {
        value += if minus { -(value >> i) } else { value >> i };
        turn(argument(i), behind + 3 - i as u32, &mut minus);
    }
    value += if minus { -(value >> last) } else { value >> last };
    // It is not less than 1/2 but for the errors of the steps. From 1 up it goes down by a bit, which nothing keeps;
    // so does 2, whose next exponent has a leading 1 as well.
    value = value.max(1 << behind);
    let (two, down) = (value >> (behind + 2) & 1, i64::from(value >> (behind + 1) > 0));
    let bits = value >> down & ((1 << behind) - 1) | 1 << behind;
    let number = bits as f64 * f64::from(units + (down + two) as i32 - behind as i32 - 1).exp2();
    Some(convert(Kind::Double, n, m, key & !1, number.to_bits()).expect("a format"))
}
