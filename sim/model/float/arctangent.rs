//! Arctangents of binary32 numbers, in 64-bit integers: CORDIC's recurrences, every bit, and a quotient.
//! `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! A vector with 37 bits behind the point is turned toward the axis by arctan 2⁻ⁱ, i from 1 to 12, or left where
//! that would be too far. What is left of its angle is its slope, of which 25 bits are kept. Slopes of more than 1 are
//! those of the vector in a mirror, whose angle is what is missing from a quarter turn.

use super::{Kind, convert};

/// Bits behind the point.
const BEHIND: u32 = 37;
/// Steps, from 1.
const STEPS: u32 = 12;

/// The angle in radians whose tangent is a, given as for [`evaluate`](super::evaluate); `None` but for binary32.
pub fn arctangent(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    if (n, m) != (26, 8) {
        return None;
    }
    let (exponent, fraction, negative) = ((a >> 23 & 0xff) as u32, a & 0x7f_ffff, a >> 31 & 1 == 1);
    match exponent {
        0xff if fraction > 0 => return Some(0x7fc0_0000),
        // Subnormal numbers are zeros if operands are flushed, and if results are.
        0 if key & 9 != 0 => return Some(a & 1 << 31),
        ..115 => return Some(a),
        _ => {}
    }
    let fixed = |value: f64| (value * f64::from(BEHIND).exp2()).round() as u64;
    let (significand, one) = ((fraction | 1 << 23) << (BEHIND - 23), 1 << BEHIND);
    let steep = exponent >= 127;
    let (mut x, mut y) = match exponent {
        ..127 => (one, significand >> (127 - exponent)),
        // The slope of 2⁻³² and less is 0.
        127..159 => (significand, one >> (exponent - 127)),
        _ => (significand, 0),
    };
    let mut angle = 0;
    for i in 1..=STEPS {
        if y >= x >> i {
            (x, y) = (x + (y >> i), y - (x >> i));
            angle += fixed((-f64::from(i)).exp2().atan());
        }
    }
    angle += (y << (BEHIND - STEPS)) / (x >> STEPS);
    if steep {
        angle = fixed(std::f64::consts::FRAC_PI_2) - angle;
    }
    // No such angle ends.
    let number = (2 * angle + 1) as f64 * (-f64::from(BEHIND + 1)).exp2();
    let number = if negative { -number } else { number };
    Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"))
}
