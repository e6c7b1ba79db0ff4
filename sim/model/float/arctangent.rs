//! Arctangents of binary32, binary16 and bfloat16 numbers, in 64-bit integers: CORDIC's recurrences, every bit, and a
//! quotient. `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! A vector with n − 1 + s bits behind the point is turned toward the axis by arctan 2⁻ⁱ, i from 1 to s, or left where
//! that would be too far; s is 12, of binary16 6 and of bfloat16 4. What is left of its angle is its slope, of which n
//! − 1 bits are kept. Slopes of more than 1 are those of the vector in a mirror, whose angle is what is missing from a
//! quarter turn.

use super::{Kind, Parts, convert};

/// The angle in radians whose tangent is a, given as for [`evaluate`](super::evaluate); `None` but for the three
/// formats.
pub fn arctangent(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let steps = match n {
        26 => 12,
        13 => 6,
        _ => 4,
    };
    let (behind, bias) = (n - 1 + steps, parts.bias());
    let (negative, exponent, fraction) = parts.split(a);
    match exponent {
        _ if exponent == parts.ones() && fraction > 0 => return Some(parts.nan()),
        // Subnormal numbers are zeros if operands are flushed, and if results are.
        0 if key & 9 != 0 => return Some(a & parts.sign()),
        _ if exponent < bias - steps as i32 => return Some(a),
        _ => {}
    }
    let fixed = |value: f64| (value * f64::from(behind).exp2()).round() as u64;
    let (significand, one) = ((fraction | 1 << parts.fraction) << (behind - parts.fraction), 1 << behind);
    let (steep, far) = (exponent >= bias, 1 << parts.stages());
    let (mut x, mut y) = match exponent - bias {
        below @ ..0 => (one, significand >> -below),
        // The slope of what is larger is 0.
        above if above < far && exponent < parts.ones() => (significand, one >> above),
        _ => (significand, 0),
    };
    let mut angle = 0;
    for i in 1..=steps {
        if y >= x >> i {
            (x, y) = (x + (y >> i), y - (x >> i));
            // Less than the tangent, and so is what is rounded.
            angle += fixed((-f64::from(i)).exp2().atan()).min((1 << (behind - i)) - 1);
        }
    }
    angle += (y << (behind - steps)) / (x >> steps);
    if steep {
        angle = fixed(std::f64::consts::FRAC_PI_2) - angle;
    }
    // No such angle ends.
    let number = (2 * angle + 1) as f64 * (-f64::from(behind + 1)).exp2();
    let number = if negative { -number } else { number };
    Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"))
}
