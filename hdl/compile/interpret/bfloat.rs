//! bfloat16, and binary64 in every direction of rounding: by a crate for floating-point numbers in software, which
//! shares nothing with the array's programs. Square roots, which it has not, are those of whole numbers.

use rustc_apfloat::ieee::{BFloat, Double};
use rustc_apfloat::{Float, FloatConvert};

use super::float::{Operation, Round, extreme};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Word, Words};

/// The NaN of bfloat16 results.
pub(super) const NAN: u64 = 0x7fff;

/// The bit of the sign.
const SIGN: u64 = 0x8000;

fn direction(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
    }
}

/// The number with these bits, which are the upper ones of a binary32 number.
pub(super) fn to_f64(bits: u64) -> f64 {
    f64::from(f32::from_bits((bits as u32) << 16))
}

/// The bits of a number, rounded.
pub(super) fn from_f64(x: f64, round: Round) -> u64 {
    let number: BFloat = Double::from_bits(x.to_bits().into()).convert_r(direction(round), &mut false).value;
    finish(number)
}

fn finish(number: BFloat) -> u64 {
    if number.is_nan() { NAN } else { number.to_bits() as u64 }
}

/// What an operation gives as its suffix has it. None if there is no such.
pub(super) fn computed(opcode: Opcode, words: Words, operands: [u64; 3]) -> Option<u64> {
    let [a, b, c] = operands.map(|bits| BFloat::from_bits(bits.into()));
    let nearest = direction(Round::Nearest);
    let number = match opcode {
        Opcode::Add => (a + b).value,
        Opcode::Sub => (a - b).value,
        Opcode::Mul => (a * b).value,
        Opcode::Fma => a.mul_add_r(b, c, nearest).value,
        // The sign is a bit, of NaN as well.
        Opcode::Abs => return Some(operands[0] & !SIGN),
        Opcode::Neg => return Some(operands[0] ^ SIGN),
        Opcode::Min | Opcode::Max => {
            let [a, b, _] = operands.map(to_f64);
            return Some(from_f64(extreme(a, b, opcode == Opcode::Max, f64::is_sign_negative), Round::Nearest));
        }
        _ => return None,
    };
    Some(relu(words, SIGN, finish(number)))
}

/// 0 in place of a number with a sign, where the suffix asks for that; a NaN that is computed has none.
pub(super) fn relu(words: Words, sign: u64, bits: u64) -> u64 {
    if words.has(Word::Relu) && bits & sign != 0 { 0 } else { bits }
}

/// An operation of binary64 numbers in a direction that is not the nearest.
pub(super) fn directed64(operation: Operation, round: Round, bits: [u64; 3]) -> f64 {
    let [a, b, c] = bits.map(|bits| Double::from_bits(bits.into()));
    let to = direction(round);
    let number = match operation {
        Operation::Add => a.add_r(b, to),
        Operation::Sub => a.sub_r(b, to),
        Operation::Mul => a.mul_r(b, to),
        Operation::Fma => a.mul_add_r(b, c, to),
        Operation::Div => a.div_r(b, to),
        Operation::Sqrt => return root(f64::from_bits(bits[0]), round),
    };
    f64::from_bits(number.value.to_bits() as u64)
}

/// A square root: that of a whole number of 105 or 106 bits, whose last digit is moved up where one is missing.
fn root(x: f64, round: Round) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        // Zeros, infinity, NaN and what has no root are the same in all directions.
        return x.sqrt();
    }
    // x = significand · 2^exponent, the significand of 53 bits, the exponent even behind the shift.
    let (biased, fraction) = ((x.to_bits() >> 52) as i32, x.to_bits() & ((1 << 52) - 1));
    let (significand, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let up = significand.leading_zeros() as i32 - 11;
    let (significand, exponent) = (u128::from(significand) << up, exponent - up);
    let shift = 52 + exponent.rem_euclid(2);
    let whole = significand << shift;
    let root = whole.isqrt();
    let more = round == Round::Up && root * root != whole;
    // A root has half the exponent, so that it is never subnormal.
    (root + u128::from(more)) as f64 * f64::from((exponent - shift) / 2).exp2()
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};

    use super::*;

    const ALL: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

    /// Sums and products of bfloat16 are those of binary64, rounded: that has them exactly, or rounds them so far
    /// behind the last digit that is kept that it decides nothing.
    #[test]
    fn arithmetic_is_that_of_binary64_rounded() {
        let seed = 21;
        println!("seed {seed}");
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..60_000 {
            let mut any = |near: u64| random.random_range(0..1 << 16) & !(near << 7) | (near & 0x7f) << 7;
            let near = if any(0) & 1 == 0 { 0 } else { 0x7f };
            let [a, b] = [any(near), any(near)];
            let plain = |opcode| computed(opcode, Words::default(), [a, b, 0]).expect("it is there");
            let [x, y] = [a, b].map(to_f64);
            assert_eq!(plain(Opcode::Mul), nearest(x * y), "{a:x} {b:x}");
            // Exponents are at most 2·128 apart: of sums that binary64 has exactly.
            if x == 0.0 || y == 0.0 || (x / y).abs().log2().abs() < 40.0 {
                assert_eq!(plain(Opcode::Add), nearest(x + y), "{a:x} {b:x}");
                assert_eq!(plain(Opcode::Sub), nearest(x - y), "{a:x} {b:x}");
            }
        }
    }

    /// The nearest bfloat16 of an exact number: one of its two neighbours.
    fn nearest(exact: f64) -> u64 {
        if exact.is_nan() {
            return NAN;
        }
        let sign = u64::from(exact.is_sign_negative()) << 15;
        let larger = |bits: u64| to_f64(bits) > exact.abs();
        let mut below = 0;
        for bit in (0..15).rev().map(|bit| 1 << bit) {
            if below + bit < 0x7f80 && !larger(below + bit) {
                below += bit;
            }
        }
        if below == 0x7f7f {
            // Behind the largest number half a step is left.
            return sign | if exact.abs() - to_f64(below) < to_f64(0x7f00) / 256.0 { below } else { 0x7f80 };
        }
        let (low, high) = (exact.abs() - to_f64(below), to_f64(below + 1) - exact.abs());
        sign | if low < high || low == high && below & 1 == 0 { below } else { below + 1 }
    }

    #[test]
    fn known_results() {
        let of = |opcode, words, operands| computed(opcode, words, operands).expect("it is there");
        let plain = Words::default();
        assert_eq!(of(Opcode::Add, plain, [0x3f80, 0x3b80, 0]), 0x3f80);
        assert_eq!(of(Opcode::Fma, plain, [0x3f81, 0x3f81, 0xbf82]), 0x3880);
        assert_eq!(of(Opcode::Fma, plain.with(Word::Relu), [0x3f80, 0xbf80, 0]), 0);
        assert_eq!(of(Opcode::Fma, plain.with(Word::Relu), [0x7f80, 0, 0]), NAN);
        assert_eq!(of(Opcode::Neg, plain, [1, 0, 0]), 0x8001);
        assert_eq!(of(Opcode::Min, plain, [0x7fc0, 0x8000, 0]), 0x8000);
        assert_eq!(of(Opcode::Mul, plain, [0x0080, 0x3f00, 0]), 0x0040);
        assert_eq!(ALL.map(|round| from_f64(1.0 + 1.0 / 256.0, round)), [0x3f80, 0x3f80, 0x3f80, 0x3f81]);
        assert_eq!(ALL.map(|round| from_f64(-1e39, round)), [0xff80, 0xff7f, 0xff80, 0xff7f]);
    }

    /// Directions enclose the exact result: down and up are neighbours, what the host rounds to is one of them.
    #[test]
    fn directions_of_binary64() {
        let seed = 22;
        println!("seed {seed}");
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let special = [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN, 3.0, 0.1];
        for case in 0..20_000 {
            let mut number = |at: usize| match (case + at) % 4 {
                0 => special[random.random_range(0..special.len())],
                1 => random.random_range(-8.0..8.0),
                _ => f64::from_bits(random.random()),
            };
            let numbers: [f64; 3] = [number(0), number(1), number(2)];
            let [a, b, c] = numbers;
            for (operation, near) in [
                (Operation::Add, a + b),
                (Operation::Sub, a - b),
                (Operation::Mul, a * b),
                (Operation::Fma, a.mul_add(b, c)),
                (Operation::Div, a / b),
                (Operation::Sqrt, a.sqrt()),
            ] {
                let of = |round| directed64(operation, round, numbers.map(f64::to_bits));
                let [zero, down, up] = [Round::Zero, Round::Down, Round::Up].map(of);
                if near.is_nan() {
                    assert!(zero.is_nan() && down.is_nan() && up.is_nan(), "{operation:?} {numbers:?}");
                    continue;
                }
                assert!(near == down || near == up, "{operation:?} {numbers:?}: {down:e} {near:e} {up:e}");
                assert!(down == up || down.next_up() == up, "{operation:?} {numbers:?}: {down:e} {up:e}");
                let inner = if down.abs() < up.abs() { down } else { up };
                assert!(zero == inner || down == up, "{operation:?} {numbers:?}: {zero:e} of {down:e} {up:e}");
                if operation == Operation::Sqrt && a > 0.0 && a.is_finite() {
                    // A remainder is exact, and has the sign of what is missing.
                    assert!((-down).mul_add(down, a) >= 0.0 && (-up).mul_add(up, a) <= 0.0 || a < 1e-290, "{a:e}");
                }
            }
        }
    }
}
