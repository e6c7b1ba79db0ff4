//! Sines, cosines and tangents of binary32, binary16 and bfloat16 numbers, in 64-bit integers: the product with bits of
//! 2/π, and CORDIC's recurrences, every bit. `rustc_apfloat` rounds what they give; `errors.rs` says what it is worth.
//!
//! The operand is an integer of n − 2 bits times a power of two. As many bits of 2/π count as make the product right
//! modulo 4, and 2n + 6 behind the point; of each bit's share of the product n + 9 are kept. It is quarter turns: the
//! nearest integer is the quadrant. What is left of the angle is kept in the direction of the step before, as in
//! `cordic.rs`.

use super::exponential::wrapped;
use super::hyperbolic::quotient;
use super::{Kind, Parts, convert};

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigonometric {
    /// The sine.
    Sine,
    /// The cosine.
    Cosine,
    /// The tangent, which is the quotient of both.
    Tangent,
}

/// A number below 4 as words of 32 bits, the first of which are its integer.
type Long = [u32; 8];

/// The number divided by a small one.
fn divided(number: Long, by: u64) -> Long {
    let mut rest = 0;
    number.map(|word| {
        let value = rest << 32 | u64::from(word);
        rest = value % by;
        (value / by) as u32
    })
}

/// The sum, or with `minus` the difference, of two numbers.
fn sum(one: Long, other: Long, minus: bool) -> Long {
    let mut carry = i64::from(minus);
    let mut found = one;
    for (word, &other) in found.iter_mut().zip(&other).rev() {
        let value = i64::from(*word) + i64::from(if minus { !other } else { other }) + carry;
        (*word, carry) = (value as u32, value >> 32);
    }
    found
}

/// π, as Machin has it: 16 arctan 1/5 − 4 arctan 1/239.
fn pi() -> Long {
    let mut total = Long::default();
    for (factor, x, negative) in [(16, 5, false), (4, 239, true)] {
        let mut power = [factor, 0, 0, 0, 0, 0, 0, 0];
        power = divided(power, x);
        for odd in 0..60 {
            total = sum(total, divided(power, 2 * odd + 1), (odd % 2 == 1) != negative);
            power = divided(power, x * x);
        }
    }
    total
}

/// 192 bits of 2/π behind the point, the first one on top.
fn two_over_pi() -> [u64; 3] {
    let (pi, mut rest, mut bits) = (pi(), Long::default(), [0; 3]);
    rest[0] = 2;
    for at in 0..192 {
        rest = sum(rest, rest, false);
        if rest >= pi {
            rest = sum(rest, pi, true);
            bits[at / 64] |= 1 << (63 - at % 64);
        }
    }
    bits
}

/// The sine, cosine or tangent of a, given as for [`evaluate`](super::evaluate); `None` but for the three formats.
pub fn trigonometric(function: Trigonometric, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let (negative, exponent, fraction) = parts.split(a);
    let is_odd = function != Trigonometric::Cosine;
    // Numbers of an exponent below the first are no part of a turn; below the second they are their sines.
    let (first, least) = match n {
        26 => (103, 119),
        13 => (0, 10),
        _ => (103, 123),
    };
    match exponent {
        _ if exponent == parts.ones() => return Some(parts.nan()),
        // Subnormal numbers are zeros if operands are flushed, and if results are.
        0 if is_odd && key & 9 != 0 => return Some(a & parts.sign()),
        _ if is_odd && exponent < least => return Some(a),
        _ => {}
    }
    let behind = n + 9;
    let significand = if exponent > 0 { fraction | 1 << parts.fraction } else { fraction };
    let turns = if exponent < first { 0 } else { product(parts, significand, exponent) };
    let angle = wrapped(turns as i64, behind);
    let quadrant = (turns >> behind) + (turns >> (behind - 1) & 1) + u64::from(!is_odd);
    if function == Trigonometric::Tangent {
        // Both are multiplied by the same number, here and by the steps.
        let [x, y] = turned(n, angle, 3 << (n + 3));
        let minus = (y < 0) ^ (quadrant & 1 == 1) ^ negative;
        // What is 0 is not: it is as close to 0 as numbers are, or where exponents are short, as they allow.
        let (x, y) = (x as u64, y.unsigned_abs());
        let y = match m {
            5 if y < 1 << (n - 9) => y | 1 << (n - 9),
            5 => y,
            _ => y | 1,
        };
        let (value, exponent) = if quadrant & 1 == 1 { quotient(n, x, y) } else { quotient(n, y, x) };
        let number = (2 * value + 1) as f64 * f64::from(exponent - 1).exp2();
        let number = if minus { -number } else { number };
        return Some(convert(Kind::Double, n, m, key & !9, number.to_bits()).expect("a format"));
    }
    let gain: f64 = (1..=n).map(|i| (1.0 + (-2.0 * f64::from(i)).exp2()).sqrt()).product();
    let unit = f64::from(n + 5).exp2();
    let [x, y] = turned(n, angle, (unit / gain).round() as i64);
    let value = if quadrant & 1 == 1 { x } else { y };
    let value = if (quadrant >> 1 & 1 == 1) != (negative && is_odd) { -(value as f64) } else { value as f64 };
    let number = value / unit;
    Some(convert(Kind::Double, n, m, key & !1, number.to_bits()).expect("a format"))
}

/// A number in quarter turns, modulo 4, with n + 9 bits behind the point.
fn product(parts: Parts, significand: u64, exponent: i32) -> u64 {
    let behind = parts.fraction as i32 + 12;
    // 2/π by the power of two, modulo 4: two bits in front of the point, others behind it.
    let (last, rows) = (exponent - parts.bias() + behind, behind + parts.fraction as i32 + 2);
    let bits = two_over_pi();
    let bit = |at: i32| if at < 1 { 0 } else { bits[(at - 1) as usize / 64] >> (63 - (at - 1) % 64) & 1 };
    let part = (last + 1 - rows..=last).fold(0, |part, at| part << 1 | bit(at));
    let shares = (0..=parts.fraction).filter(|i| significand >> i & 1 == 1).map(|i| part >> (parts.fraction - i));
    shares.sum::<u64>() & ((1 << (behind + 2)) - 1)
}

/// Cosine and sine of an angle of at most half a quarter turn, times the first cosine and what all n steps multiply by.
fn turned(n: u32, angle: i64, first: i64) -> [i64; 2] {
    let behind = n + 9;
    let (mut x, mut y, mut left) = (first, 0, angle);
    let (mut minus, mut changed) = (left < 0, left < 0);
    for i in 1..=n {
        (x, y) = if minus { (x + (y >> i), y - (x >> i)) } else { (x - (y >> i), y + (x >> i)) };
        let arctangent = (-f64::from(i)).exp2().atan() / std::f64::consts::FRAC_PI_2;
        let constant = (arctangent * f64::from(behind).exp2()).round() as i64;
        left = wrapped(if changed { -left } else { left } - constant, behind + 1 - i);
        changed = left < 0;
        minus ^= changed;
    }
    [x, y]
}
