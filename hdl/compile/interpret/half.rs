//! binary16 on the host: as binary64, which has all its numbers, and back in every direction of rounding.
//!
//! Sums and products of two numbers are exact in binary64. A product with something added is a whole number of the
//! smallest steps that it may have, and has 81 bits at most.

use super::bfloat::relu;
use super::float::{Round, extreme};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Word, Words};

/// The NaN of binary16 results.
pub(super) const NAN: u64 = 0x7fff;

/// The code of infinity.
const INFINITY: u64 = 0x7c00;

/// The bit of the sign.
const SIGN: u64 = 0x8000;

/// The code of 1.
const ONE: u64 = 0x3c00;

/// The number with these bits.
pub(super) fn to_f64(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
    let magnitude = match exponent {
        0 => fraction * (-24_f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * (exponent as f64 - 25.0).exp2(),
    };
    if bits >> 15 & 1 == 1 { -magnitude } else { magnitude }
}

/// The bits of a number, rounded.
pub(super) fn from_f64(x: f64, round: Round) -> u64 {
    if x.is_nan() {
        return NAN;
    }
    let (negative, magnitude) = (x.is_sign_negative(), x.abs());
    let sign = u64::from(negative) << 15;
    if magnitude.is_infinite() {
        return sign | INFINITY;
    }
    // Subnormal numbers have the exponent of the smallest normal ones.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let steps = magnitude * f64::from(10 - exponent).exp2();
    let away = matches!((round, negative), (Round::Up, false) | (Round::Down, true));
    let steps = match round {
        Round::Nearest => steps.round_ties_even(),
        _ if away => steps.ceil(),
        _ => steps.floor(),
    };
    // A carry out of the fraction is the next exponent. Above the largest number come infinity, or that number.
    let code = u64::from((exponent + 14) as u32) * 1024 + steps as u64;
    let code = match code < INFINITY {
        true => code,
        false if away || round == Round::Nearest => INFINITY,
        false => INFINITY - 1,
    };
    sign | code
}

/// The number itself, or zero of its sign where it is subnormal and the suffix says so.
pub(super) fn flushed(bits: u64, words: Words) -> u64 {
    if words.has(Word::Ftz) && bits & INFINITY == 0 { bits & SIGN } else { bits }
}

/// The number in steps of 2⁻²⁴; it is finite.
fn steps(bits: u64) -> i128 {
    let (exponent, fraction) = (bits >> 10 & 31, i128::from(bits & 1023));
    let magnitude = if exponent == 0 { fraction } else { (fraction + 1024) << (exponent - 1) };
    if bits & SIGN == 0 { magnitude } else { -magnitude }
}

/// `a · b + c`, rounded once.
fn fused([a, b, c]: [u64; 3]) -> u64 {
    let [x, y, z] = [a, b, c].map(to_f64);
    let near = x * y + z;
    if !near.is_finite() {
        return from_f64(near, Round::Nearest);
    }
    let exact = steps(a) * steps(b) + (steps(c) << 24);
    if exact == 0 {
        // Its sign is that of the sum in binary64, which is exact here.
        return from_f64(near, Round::Nearest);
    }
    // 40 bits are left, the last of them 1 if any below is: this rounds as the whole does.
    let below = (128 - exact.unsigned_abs().leading_zeros()).saturating_sub(40);
    let (kept, lost) = (exact.unsigned_abs() >> below, exact.unsigned_abs() & ((1 << below) - 1));
    let magnitude = (kept | u128::from(lost > 0)) as f64 * f64::from(below as i32 - 48).exp2();
    from_f64(if exact < 0 { -magnitude } else { magnitude }, Round::Nearest)
}

/// What an operation gives as its suffix has it: flushed, rounded, limited to 0 … 1. None if there is no such.
/// Whether a result is subnormal is asked of what rounding makes of it with any exponent, as GPUs do.
pub(super) fn computed(opcode: Opcode, words: Words, operands: [u64; 3]) -> Option<u64> {
    let operands = operands.map(|bits| flushed(bits, words));
    let [a, b, c] = operands.map(to_f64);
    // Numbers as small as these binary64 has exactly.
    let exact = match opcode {
        Opcode::Add => a + b,
        Opcode::Sub => a - b,
        Opcode::Mul => a * b,
        Opcode::Fma => a * b + c,
        _ => 1.0,
    };
    let far = to_f64(from_f64(exact * 1024.0, Round::Nearest));
    let small = words.has(Word::Ftz) && far.abs() < (-4_f64).exp2();
    let result = match opcode {
        _ if small => from_f64(0.0_f64.copysign(exact), Round::Nearest),
        Opcode::Add => from_f64(a + b, Round::Nearest),
        Opcode::Sub => from_f64(a - b, Round::Nearest),
        Opcode::Mul => from_f64(a * b, Round::Nearest),
        Opcode::Fma => fused(operands),
        // The sign is a bit, of NaN as well.
        Opcode::Abs => return Some(operands[0] & !SIGN),
        Opcode::Neg => return Some(operands[0] ^ SIGN),
        Opcode::Min | Opcode::Max => {
            from_f64(extreme(a, b, opcode == Opcode::Max, f64::is_sign_negative), Round::Nearest)
        }
        _ => return None,
    };
    let result = relu(words, SIGN, flushed(result, words));
    Some(match to_f64(result) {
        x if words.has(Word::Sat) && (x.is_nan() || x <= 0.0) => 0,
        x if words.has(Word::Sat) && x > 1.0 => ONE,
        _ => result,
    })
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rustc_apfloat::ieee::Half;
    use rustc_apfloat::{Float, Round as Direction};

    use super::*;

    /// Arithmetic against a crate's, numbers of every size, special ones among them.
    #[test]
    fn arithmetic_is_that_of_apfloat() {
        let seed = 16;
        println!("seed {seed}");
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let special = [0, SIGN, 1, 0x3ff, 0x400, ONE, ONE | SIGN, 0x7bff, 0xfbff, INFINITY, INFINITY | SIGN, NAN];
        let plain = Words::default();
        let number = |bits: u64| Half::from_bits(bits.into());
        let same = |opcode: Opcode, operands: [u64; 3], wanted: Half| {
            let wanted = if wanted.is_nan() { NAN } else { wanted.to_bits() as u64 };
            assert_eq!(computed(opcode, plain, operands), Some(wanted), "{opcode:?} {operands:x?}");
        };
        for case in 0..150_000_u32 {
            let mut draw = |at: u32| match (case >> at) % 4 {
                0 => special[random.random_range(0..special.len())],
                // Sums of these cancel, and their products are near the smallest numbers.
                1 => random.random_range(0x1400..0x1600) | (random.random_range(0..2) * SIGN),
                _ => random.random_range(0..1 << 16),
            };
            let operands = [draw(0), draw(1), draw(2)];
            let [a, b, c] = operands.map(number);
            same(Opcode::Add, operands, (a + b).value);
            same(Opcode::Sub, operands, (a - b).value);
            same(Opcode::Mul, operands, (a * b).value);
            same(Opcode::Fma, operands, a.mul_add_r(b, c, Direction::NearestTiesToEven).value);
        }
    }

    #[test]
    fn suffixes_flush_and_limit() {
        let of = |opcode, word, operands| computed(opcode, Words::default().with(word), operands).expect("it is there");
        assert_eq!(of(Opcode::Add, Word::Ftz, [1, SIGN | 2, 0]), 0);
        assert_eq!(of(Opcode::Mul, Word::Ftz, [0x0400, 0x3800, 0]), 0);
        // As measured on a GPU: products and sums that round to the smallest normal number are flushed before.
        assert_eq!(of(Opcode::Mul, Word::Ftz, [0xbbff, 0x0400, 0]), 0x8000);
        assert_eq!(of(Opcode::Mul, Word::Rn, [0xbbff, 0x0400, 0]), 0x8400);
        assert_eq!(of(Opcode::Fma, Word::Ftz, [0x8400, 0xbbff, 0x8000]), 0);
        // But not where rounding to as many digits makes that number of it, whatever exponents there are.
        assert_eq!(of(Opcode::Fma, Word::Ftz, [0x0800, 0x87ff, 0x0400]), 0x0400);
        assert_eq!(of(Opcode::Mul, Word::Rn, [0x0400, 0x3800, 0]), 0x0200);
        assert_eq!(of(Opcode::Neg, Word::Ftz, [5, 0, 0]), SIGN);
        assert_eq!(of(Opcode::Abs, Word::Rn, [SIGN | 5, 0, 0]), 5);
        assert_eq!(of(Opcode::Add, Word::Sat, [ONE, ONE, 0]), ONE);
        assert_eq!(of(Opcode::Sub, Word::Sat, [0, ONE, 0]), 0);
        assert_eq!(of(Opcode::Add, Word::Sat, [NAN, ONE, 0]), 0);
        assert_eq!(of(Opcode::Min, Word::Rn, [NAN, 0x8000, 0]), 0x8000);
        assert_eq!(of(Opcode::Max, Word::Rn, [0, 0x8000, 0]), 0);
        assert_eq!(of(Opcode::Min, Word::Ftz, [3, 0x8001, 0]), 0x8000);
    }

    const ALL: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

    /// Every number comes back in every direction, and what is between neighbours goes to the right one.
    #[test]
    fn all_numbers_and_what_is_between_them() {
        for bits in 0..1_u64 << 16 {
            let x = to_f64(bits);
            let same = if x.is_nan() { NAN } else { bits };
            assert!(ALL.iter().all(|&round| from_f64(x, round) == same), "{bits:#x}");
            if bits & 0x7fff >= INFINITY - 1 {
                continue;
            }
            let (negative, middle) = (bits >> 15 == 1, (x + to_f64(bits + 1)) / 2.0);
            let even = bits + (bits & 1);
            let inward = if negative { [even, bits, bits + 1, bits] } else { [even, bits, bits, bits + 1] };
            assert_eq!(ALL.map(|round| from_f64(middle, round)), inward, "{bits:#x}");
            let little = x + (to_f64(bits + 1) - x) / 16.0;
            assert_eq!(from_f64(little, Round::Nearest), bits, "{bits:#x}");
        }
        let beyond = [65519.0, 65520.0, -1e300, 1e-300];
        assert_eq!(beyond.map(|x| from_f64(x, Round::Nearest)), [0x7bff, 0x7c00, 0xfc00, 0]);
        assert_eq!(beyond.map(|x| from_f64(x, Round::Zero)), [0x7bff, 0x7bff, 0xfbff, 0]);
        assert_eq!(beyond.map(|x| from_f64(x, Round::Up)), [0x7c00, 0x7c00, 0xfbff, 1]);
    }
}
