//! Exponential functions of binary32 numbers, in 64-bit integers: the recurrences of range reduction and of hyperbolic
//! CORDIC, every bit. `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! What is left of the operand has 31 bits behind the point and is kept in the direction of the step before, as in
//! `cordic.rs`. First nine powers of two times the base's logarithm are taken from it, or added, 2⁸ first; then the
//! arguments at which the function multiplies by 1 ± 2⁻ⁱ, up to a gain, i from 1 to 25, 4 and 13 twice.

use super::{Kind, convert};

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

/// The base to the power of a, given as for [`evaluate`](super::evaluate); `None` but for binary32.
pub fn exponential(base: Base, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    if (n, m) != (26, 8) {
        return None;
    }
    let (negative, exponent, fraction) = (a >> 31 & 1 == 1, (a >> 23 & 0xff) as u32, a & 0x7f_ffff);
    if exponent == 0xff {
        let infinite = if negative { 0 } else { 0x7f80_0000 };
        return Some(if fraction > 0 { 0x7fc0_0000 } else { infinite });
    }
    // The operand: what is less than 2⁻²⁴ is 0, what is 256 or more is more than 192.
    let significand = if exponent > 0 { fraction | 1 << 23 } else { 0 } << 15;
    let mut left = match exponent {
        135.. => 3 << 37,
        103.. => significand >> (134 - exponent),
        _ => 0,
    } as i64;
    let ln_2 = std::f64::consts::LN_2;
    let fixed = |value: f64| (value * f64::from(31).exp2()).round() as i64;
    let unit = if base == Base::Two { 1.0 } else { ln_2 };
    let argument = |i: i32| fixed((-f64::from(i)).exp2().atanh() / if base == Base::Two { ln_2 } else { 1.0 });
    let (mut minus, mut changed) = (negative, false);
    let mut turn = |constant: i64, bits: u32, minus: &mut bool| {
        left = wrapped(if changed { -left } else { left } - constant, bits);
        changed = left < 0;
        *minus ^= changed;
    };
    let mut units = 0;
    for j in (0..9).rev() {
        units += if minus { -1 } else { 1 } << j;
        turn(fixed(unit * f64::from(1 << j)), 34 + j, &mut minus);
    }
    let steps: Vec<i32> = (1..=25).flat_map(|i| if [4, 13].contains(&i) { vec![i; 2] } else { vec![i] }).collect();
    let gain: f64 = steps.iter().chain(&[26]).map(|&i| (1.0 - (-2.0 * f64::from(i)).exp2()).sqrt()).product();
    let mut value = fixed(2.0 / gain);
    for i in steps {
        value += if minus { -(value >> i) } else { value >> i };
        turn(argument(i), (34 - i) as u32, &mut minus);
    }
    value += if minus { -(value >> 26) } else { value >> 26 };
    // It is not less than 1/2 but for the errors of the steps. From 1 up it goes down by a bit, which nothing keeps.
    value = value.max(1 << 31);
    let (two, down) = (value >> 33 & 1, i64::from(value >> 32 > 0));
    let bits = value >> down | two << 31;
    let number = bits as f64 * f64::from(units + (down + two) as i32 - 32).exp2();
    Some(convert(Kind::Double, n, m, key & !1, number.to_bits()).expect("a format"))
}
