//! Hyperbolic tangents of binary32, binary16 and bfloat16 numbers, in 64-bit integers: every bit of range reduction, of
//! factors, of products and of a quotient. `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! Of binary32: from the operand's magnitude, with 38 bits behind the point, halves of logarithms are taken as long as
//! it is not less: those of 2 to the power of 16, 8, 4, 2 and 1, then those of 1 + 2⁻ⁱ, i from 1 to 12, which multiply
//! what begins with 1. So that is the square of the exponential function, less what is left, t, and a power of two, 2ᵏ,
//! and the tangent is (n + d·t) / (d + n·t) with n and d the square less 2⁻ᵏ and more than it by as much.
//!
//! Of 16 bits: with 22 bits behind the point, of bfloat16 16, and without 2 to the power of 16. Behind factor 8, of
//! bfloat16 6, every bit of what is left is a factor, that of 2⁻ⁱ⁻¹ is 1 + 2⁻ⁱ, up to i = 18, of bfloat16 13; what is
//! below that is nothing, and the tangent is n / d.

use super::{Kind, Parts, convert};

/// Bits behind the point.
const BEHIND: u32 = 38;
/// Steps, from 1.
const STEPS: u32 = 12;
/// Bits of what is left.
const LEFT: u32 = BEHIND - STEPS - 1;

/// Half the logarithm of a number, with so many bits behind the point.
fn half_logarithm(logarithm: f64, behind: u32) -> u64 {
    (logarithm / 2.0 * f64::from(behind).exp2()).round() as u64
}

/// The hyperbolic tangent of a, given as for [`evaluate`](super::evaluate); `None` but for the three formats.
pub fn hyperbolic_tangent(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    if (n, m) != (26, 8) {
        return Some(of_short_number(n, m, key, a, parts));
    }
    let (exponent, fraction, sign) = ((a >> 23 & 0xff) as u32, a & 0x7f_ffff, a & 1 << 31);
    match exponent {
        0xff if fraction > 0 => return Some(0x7fc0_0000),
        0xff => return Some(0x3f80_0000 | sign),
        // Subnormal numbers are zeros if operands are flushed, and if results are.
        0 if key & 9 != 0 => return Some(sign),
        ..115 => return Some(a),
        _ => {}
    }
    // From 9.5 on what is taken for the operand has a result that is rounded as theirs are.
    let significand = (fraction | 1 << 23) << (BEHIND - 20);
    let mut left = if exponent < 130 { significand >> (130 - exponent) } else { significand };
    if exponent > 130 || left >= 19 << (BEHIND - 1) {
        left = 37 << (BEHIND - 2);
    }
    let mut power = 0;
    for j in (0..5).rev() {
        let logarithm = half_logarithm(f64::from(1 << j) * std::f64::consts::LN_2, BEHIND);
        if left >= logarithm {
            left -= logarithm;
            power += 1 << j;
        }
    }
    let mut square = 1 << BEHIND;
    for i in 1..=STEPS {
        let logarithm = half_logarithm((-f64::from(i)).exp2().ln_1p(), BEHIND);
        if left >= logarithm {
            left -= logarithm;
            square += square >> i;
        }
    }
    let (numerator, denominator) = (square - (1 << BEHIND >> power), square + (1 << BEHIND >> power));
    let bits = || (0..LEFT).filter(|bit| left >> bit & 1 == 1);
    // Shares of products with 40 and with 33 bits behind the point.
    let more: u64 = bits().map(|bit| denominator >> (BEHIND - 2 - bit)).sum();
    let below: u64 = bits().filter(|&bit| bit >= 11).map(|bit| numerator >> (BEHIND + 5 - bit)).sum();
    let (value, exponent) = quotient(n, numerator + (more >> 2), denominator + (below << 5));
    // No such tangent ends.
    let number = (2 * value + 1) as f64 * f64::from(exponent - 1).exp2();
    let number = if sign > 0 { -number } else { number };
    Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"))
}

/// The hyperbolic tangent of a number of 16 bits.
fn of_short_number(n: u32, m: u32, key: u64, a: u64, parts: Parts) -> u64 {
    // The exponent of the least number that is not its tangent, bits behind the point, factors.
    let (least, behind, compared, factors) = if n == 13 { (-6, 22, 8, 18) } else { (-4, 16, 6, 13) };
    let (negative, exponent, fraction) = parts.split(a);
    let one = parts.bias() as u64;
    match exponent {
        _ if exponent == parts.ones() && fraction > 0 => return parts.nan(),
        _ if exponent == parts.ones() => return one << parts.fraction | a & parts.sign(),
        // Subnormal numbers are zeros if operands are flushed, and if results are.
        0 if key & 9 != 0 => return a & parts.sign(),
        _ if exponent - parts.bias() < least => return a,
        _ => {}
    }
    let significand = (fraction | 1 << parts.fraction) << (behind - parts.fraction);
    let mut left = match exponent - parts.bias() {
        below @ ..0 => significand >> -below,
        above @ 0..3 => significand << above,
        _ => 8 << behind,
    };
    // From 5 on, or 4, what is taken for the operand has a result that is rounded as theirs are, wherever it is from
    // there to half above.
    left = left.min(if n == 13 { 5 } else { 4 } << behind);
    let mut power = 0;
    for j in (0..4).rev() {
        let logarithm = half_logarithm(f64::from(1 << j) * std::f64::consts::LN_2, behind);
        if left >= logarithm {
            left -= logarithm;
            power += 1 << j;
        }
    }
    let mut square = 1 << behind;
    for i in 1..=factors {
        let logarithm = match i {
            _ if i <= compared => half_logarithm((-f64::from(i)).exp2().ln_1p(), behind),
            _ => 1 << (behind - i - 1),
        };
        if left >= logarithm {
            left -= logarithm;
            square += square >> i;
        }
    }
    assert!(square < 2 << behind, "{a:x}: a factor too many");
    let (value, exponent) = quotient(n, square - (1 << behind >> power), square + (1 << behind >> power));
    // No such tangent ends.
    let number = (2 * value + 1) as f64 * f64::from(exponent - 1).exp2();
    let number = if negative { -number } else { number };
    convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format")
}

/// The quotient of two numbers, n − 1 bits behind its first one, and the exponent of its last one. Both numbers are cut
/// off: n + 2 bits of the first and n + 3 of the other count.
pub(super) fn quotient(n: u32, numerator: u64, denominator: u64) -> (u64, i32) {
    let (n, top) = (n as i32, |number: u64| number.ilog2() as i32);
    let cut = |number: u64, bits: i32| {
        let down = top(number) + 1 - bits;
        if down < 0 { number << -down } else { number >> down }
    };
    let value = (cut(numerator, n + 2) << n) / cut(denominator, n + 3);
    (value, top(numerator) - top(denominator) + 1 - n)
}
