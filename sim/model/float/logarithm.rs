//! Logarithms of binary32 numbers, in 64-bit integers: the recurrences, every bit. `rustc_apfloat` rounds what they
//! give; `errors.rs` says what it is worth.
//!
//! The significand, with 33 bits behind the point, becomes 1 by factors 1 ± 2⁻ⁱ, i from 1 to 25, 2, 4, 8 and 16 twice;
//! the sum of their logarithms has 31 bits behind the point and is kept in the direction of the step before. So are the
//! logarithms of 2ʲ for the bits of the exponent, each half of that more or less than a constant.

use super::exponential::{Base, wrapped};
use super::{Kind, convert};

/// The logarithm of a, given as for [`evaluate`](super::evaluate); `None` but for binary32.
pub fn logarithm(base: Base, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    if (n, m) != (26, 8) {
        return None;
    }
    let (nan, infinite, minus_infinite) = (0x7fc0_0000, 0x7f80_0000, 0xff80_0000);
    let magnitude = a & 0x7fff_ffff;
    // Bit 0 of the mode: subnormal operands count as zeros.
    let zero = magnitude == 0 || magnitude >> 23 == 0 && key & 1 == 1;
    match magnitude {
        _ if magnitude > infinite => return Some(nan),
        _ if zero => return Some(minus_infinite),
        _ if a >> 31 & 1 == 1 => return Some(nan),
        _ if magnitude == infinite => return Some(infinite),
        _ => {}
    }
    let up = magnitude.leading_zeros() as i64 - 40;
    let (significand, exponent) = match magnitude >> 23 {
        0 => (magnitude << up, 1 - up),
        field => (magnitude & 0x7f_ffff | 1 << 23, field as i64),
    };
    let ln_2 = std::f64::consts::LN_2;
    let fixed = |value: f64| (value * f64::from(31).exp2()).round() as i64;
    let (unit, divisor) = if base == Base::Two { (1.0, ln_2) } else { (ln_2, 1.0) };
    let shifts: Vec<i32> =
        (1..=25).flat_map(|i| if [2, 4, 8, 16].contains(&i) { vec![i; 2] } else { vec![i] }).collect();
    let gain: f64 = shifts.iter().map(|&i| 0.5 * (-(-2.0 * f64::from(i)).exp2()).ln_1p()).sum();
    let (mut product, mut sum, mut plus) = (significand << 10, fixed(-gain / divisor), false);
    let turn = |sum: i64, plus: &mut bool, more: bool, constant: i64, bits: u32| {
        let turned = wrapped(if more != *plus { -sum } else { sum } - constant, bits);
        *plus = more;
        turned
    };
    for i in shifts {
        let large = product >> 33 == 1;
        product = if large { product - (product >> i) } else { product + (product >> i) };
        sum = turn(sum, &mut plus, large, fixed((-f64::from(i)).exp2().atanh() / divisor), 34);
    }
    if significand == 1 << 23 {
        sum = 0;
    }
    let halves: Vec<i64> = (0..9).map(|j| fixed(unit * f64::from(1 << j) / 2.0)).collect();
    let bits = exponent + 256;
    for (j, &half) in halves.iter().enumerate() {
        sum = turn(sum, &mut plus, bits >> j & 1 == 1, half, 42);
    }
    // The exponent of 1 is 127.
    let beside: i64 = halves.iter().enumerate().map(|(j, &half)| if 383 >> j & 1 == 1 { half } else { -half }).sum();
    sum = turn(sum, &mut plus, false, beside, 42);
    let number = sum as f64 * f64::from(-31).exp2();
    Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"))
}
