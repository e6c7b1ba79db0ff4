//! Hyperbolic tangents of binary32 numbers, in 64-bit integers: every bit of range reduction, of factors, of two
//! products and of a quotient. `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! From the operand's magnitude, with 38 bits behind the point, halves of logarithms are taken as long as it is not
//! less: those of 2 to the power of 16, 8, 4, 2 and 1, then those of 1 + 2⁻ⁱ, i from 1 to 12, which multiply what
//! begins with 1. So that is the square of the exponential function, less what is left, t, and a power of two, 2ᵏ,
//! and the tangent is (n + d·t) / (d + n·t) with n and d the square less 2⁻ᵏ and more than it by as much.

use super::{Kind, convert};

/// Bits behind the point.
const BEHIND: u32 = 38;
/// Steps, from 1.
const STEPS: u32 = 12;
/// Bits of what is left.
const LEFT: u32 = BEHIND - STEPS - 1;

/// The hyperbolic tangent of a, given as for [`evaluate`](super::evaluate); `None` but for binary32.
pub fn hyperbolic_tangent(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    if (n, m) != (26, 8) {
        return None;
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
    let fixed = |value: f64| (value * f64::from(BEHIND).exp2()).round() as u64;
    // From 9.5 on what is taken for the operand has a result that is rounded as theirs are.
    let significand = (fraction | 1 << 23) << (BEHIND - 20);
    let mut left = if exponent < 130 { significand >> (130 - exponent) } else { significand };
    if exponent > 130 || left >= 19 << (BEHIND - 1) {
        left = 37 << (BEHIND - 2);
    }
    let mut power = 0;
    for j in (0..5).rev() {
        let logarithm = fixed(f64::from(1 << j) * std::f64::consts::LN_2 / 2.0);
        if left >= logarithm {
            left -= logarithm;
            power += 1 << j;
        }
    }
    let mut square = 1 << BEHIND;
    for i in 1..=STEPS {
        let logarithm = fixed((-f64::from(i)).exp2().ln_1p() / 2.0);
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
