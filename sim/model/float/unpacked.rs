//! Unpacked numbers and their sums, in exact integers: what `isa/ucode/float_unpacked.rs` says of them.
//!
//! An unpacked number is S · 2^(E − bias − fraction bits − 3). A sum moves the significand with the smaller exponent
//! down and keeps what is lost of it as an odd lowest bit, so that it is the exact sum rounded to odd where the larger
//! one is even. Packing rounds once, by the library that the other operations are held against.

use rustc_apfloat::ieee::{BFloat, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert};

use super::{Mode, Parts};

/// Guard bits below the fraction.
const GUARD: u32 = 3;
/// Bits for carries above the hidden bit.
const CARRIES: u32 = 4;

/// An unpacked number in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unpacked {
    significand: i64,
    exponent: u64,
    /// Some term was positive; negative; +∞; −∞.
    flags: [bool; 4],
}

impl Parts {
    /// Bits of an unpacked significand: sign, room for carries, hidden bit, fraction, guard bits.
    fn significand(self) -> u32 {
        1 + CARRIES + 1 + self.fraction + GUARD
    }

    fn taken(self, bits: u64) -> Unpacked {
        let width = self.significand();
        let exponent = bits >> width & ((1 << self.exponent) - 1);
        let flag = |number: u32| bits >> (width + self.exponent + number) & 1 == 1;
        let significand = (bits << (64 - width)) as i64 >> (64 - width);
        Unpacked { significand, exponent, flags: [0, 1, 2, 3].map(flag) }
    }

    fn given(self, number: Unpacked) -> u64 {
        let width = self.significand();
        let low = number.significand as u64 & ((1 << width) - 1);
        let flags = (0..).zip(number.flags).map(|(place, flag)| u64::from(flag) << place).sum::<u64>();
        low | number.exponent << width | flags << (width + self.exponent)
    }
}

/// A number, given as for [`evaluate`](super::evaluate), unpacked; `None` of formats that have none.
pub fn unpack(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let (negative, field, fraction) = parts.split(a);
    let hidden = field != 0;
    let magnitude = if hidden {
        fraction | 1 << parts.fraction
    } else if Mode::of(key).flush_operands {
        0
    } else {
        fraction
    };
    let shifted = (magnitude << GUARD) as i64;
    let (special, nan) = (field == parts.ones(), fraction != 0);
    Some(parts.given(Unpacked {
        significand: if negative { -shifted } else { shifted },
        exponent: field.max(1) as u64,
        flags: [!negative, negative, special && (nan || !negative), special && (nan || negative)],
    }))
}

/// The sum of two unpacked numbers.
pub fn sum(n: u32, m: u32, a: u64, b: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let (a, b) = (parts.taken(a), parts.taken(b));
    let (larger, smaller) = if a.exponent > b.exponent { (a, b) } else { (b, a) };
    let distance = (larger.exponent - smaller.exponent).min(63);
    let moved = smaller.significand >> distance;
    let lost = moved << distance != smaller.significand;
    let exact = larger.significand + (moved | i64::from(lost));
    let width = parts.significand();
    let fits = exact >> (width - 1) == 0 || exact >> (width - 1) == -1;
    // Two infinities are no number.
    let either = |k: usize| a.flags[k] || b.flags[k] || k >= 2 && !fits;
    let flags = [0, 1, 2, 3].map(either);
    Some(parts.given(Unpacked { significand: exact, exponent: larger.exponent, flags }))
}

/// An unpacked number as a number, rounded.
pub fn pack(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let parts = Parts::of(n, m)?;
    let (number, mode) = (parts.taken(a), Mode::of(key));
    Some(match (n, m) {
        (26, 8) => packed::<Single>(parts, mode, number),
        (13, 5) => packed::<Half>(parts, mode, number),
        _ => packed::<BFloat>(parts, mode, number),
    })
}

fn packed<F: Float>(parts: Parts, mode: Mode, number: Unpacked) -> u64
where
    Quad: FloatConvert<F>,
{
    let [positive, negative, plus, minus] = number.flags;
    match (plus, minus) {
        (true, true) => return parts.nan(),
        (true, false) => return parts.infinite(),
        (false, true) => return parts.infinite() | parts.sign(),
        (false, false) => {}
    }
    if number.significand == 0 {
        let down = mode.round == rustc_apfloat::Round::TowardNegative;
        return if negative && (!positive || down) { parts.sign() } else { 0 };
    }
    let scale = number.exponent as i32 - parts.bias() - (parts.fraction + GUARD) as i32;
    let exact = Quad::from_i128(number.significand.into()).value.scalbn(scale);
    let to = |round| -> F { exact.convert_r(round, &mut false).value };
    // Whether it is below the smallest normal number is judged before it is rounded, as of products.
    let small = to(rustc_apfloat::Round::TowardZero);
    let result = to(mode.round);
    let flushed = mode.flush_results && (small.is_denormal() || small.is_zero());
    (if flushed { F::ZERO.copy_sign(result) } else { result }).to_bits() as u64
}

#[cfg(test)]
mod tests;
