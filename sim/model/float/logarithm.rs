//! Logarithms of binary32, binary16 and bfloat16 numbers, in 64-bit integers: the recurrences, every bit.
//! `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! The significand, with n + 7 bits behind the point, becomes 1 by factors 1 ± 2⁻ⁱ, i from 1 to n − 1, 2, 4, 8 and 16
//! twice; the sum of their logarithms has n + 5 bits behind the point and is kept in the direction of the step before.
//! So are the logarithms of 2ʲ for the bits of the exponent, each half of that more or less than a constant.

use super::exponential::{Base, wrapped};
use super::{Kind, Parts, convert};

/// The logarithm of a, given as for [`evaluate`](super::evaluate); `None` but for the three formats.
pub fn logarithm(base: Base, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let magnitude = a & !parts.sign();
    // Bit 0 of the mode: subnormal operands count as zeros.
    let zero = magnitude == 0 || magnitude >> parts.fraction == 0 && key & 1 == 1;
    match magnitude {
        _ if magnitude > parts.infinite() => return Some(parts.nan()),
        _ if zero => return Some(parts.infinite() | parts.sign()),
        _ if a & parts.sign() > 0 => return Some(parts.nan()),
        _ if magnitude == parts.infinite() => return Some(magnitude),
        _ => {}
    }
    let (behind, hidden) = (n + 5, 1 << parts.fraction);
    let up = i64::from(parts.fraction) - i64::from(magnitude.ilog2());
    let (significand, exponent) = match magnitude >> parts.fraction {
        0 => (magnitude << up, 1 - up),
        field => (magnitude & (hidden - 1) | hidden, field as i64),
    };
    let ln_2 = std::f64::consts::LN_2;
    let fixed = |value: f64| (value * f64::from(behind).exp2()).round() as i64;
    let (unit, divisor) = if base == Base::Two { (1.0, ln_2) } else { (ln_2, 1.0) };
    let twice = |i: i32| if [2, 4, 8, 16].contains(&i) { vec![i; 2] } else { vec![i] };
    let shifts: Vec<i32> = (1..n as i32).flat_map(twice).collect();
    let gain: f64 = shifts.iter().map(|&i| 0.5 * (-(-2.0 * f64::from(i)).exp2()).ln_1p()).sum();
    let (mut product, mut sum, mut plus) = (significand << 10, fixed(-gain / divisor), false);
    let turn = |sum: i64, plus: &mut bool, more: bool, constant: i64, bits: u32| {
        let turned = wrapped(if more != *plus { -sum } else { sum } - constant, bits);
        *plus = more;
        turned
    };
    for i in shifts {
        let large = product >> (n + 7) == 1;
        product = if large { product - (product >> i) } else { product + (product >> i) };
        sum = turn(sum, &mut plus, large, fixed((-f64::from(i)).exp2().atanh() / divisor), behind + 3);
    }
    if significand == hidden {
        sum = 0;
    }
    let halves: Vec<i64> = (0..=m).map(|j| fixed(unit * f64::from(1 << j) / 2.0)).collect();
    let bits = exponent + (1 << m);
    for (j, &half) in halves.iter().enumerate() {
        sum = turn(sum, &mut plus, bits >> j & 1 == 1, half, behind + 3 + m);
    }
    // The exponent of 1 is the bias.
    let one = i64::from(parts.bias()) + (1 << m);
    let beside: i64 = halves.iter().enumerate().map(|(j, &half)| if one >> j & 1 == 1 { half } else { -half }).sum();
    sum = turn(sum, &mut plus, false, beside, behind + 3 + m);
    let number = sum as f64 * (-f64::from(behind)).exp2();
    Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"))
}
