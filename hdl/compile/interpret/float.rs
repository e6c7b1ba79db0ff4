//! Floating point on the host: binary32 in every direction of rounding, binary64 to nearest (`bfloat.rs` has its other
//! directions).
//!
//! To nearest the host computes. Other directions start from a binary64 result `x` and the sign of what is missing from
//! it to the exact value: both sums and products of binary32 numbers are known exactly that way (the error of a sum is
//! itself a binary64 number, a product fits), quotients and roots by their remainder. A NaN that is computed is PTX's
//! canonical one. Approximate functions are those of the arithmetic model, which is integers and shares nothing with
//! the array's programs.

use bitline_units::array::isa::format::Mode;

use super::bfloat;
use crate::ptx::types::{Word, Words};

/// The NaN of binary32 results.
pub(super) const NAN32: u32 = 0x7fff_ffff;

/// The NaN of binary64 results.
pub(super) const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// A direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Round {
    /// The one that a suffix names; nearest, if none.
    pub(super) fn of(words: Words) -> Round {
        match words.one_of(&[Word::Rz, Word::Rm, Word::Rp]) {
            Some(Word::Rz) => Round::Zero,
            Some(Word::Rm) => Round::Down,
            Some(Word::Rp) => Round::Up,
            _ => Round::Nearest,
        }
    }
}

/// Zero of the same sign for a subnormal number.
pub(super) fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// `x` plus something of the sign of `rest`, smaller than half of its last digit, as binary32. `x` is no NaN.
pub(super) fn narrow(x: f64, rest: f64, round: Round) -> f32 {
    let near = x as f32;
    let beside = x - f64::from(near);
    let beyond = if beside == 0.0 || beside.is_nan() { rest } else { beside };
    // What is nearest, or its neighbour on the side of the exact value.
    let toward_zero_is_up = near.is_sign_negative();
    match round {
        _ if beyond == 0.0 => near,
        Round::Nearest => near,
        Round::Up => {
            if beyond > 0.0 {
                near.next_up()
            } else {
                near
            }
        }
        Round::Down => {
            if beyond < 0.0 {
                near.next_down()
            } else {
                near
            }
        }
        Round::Zero if beyond > 0.0 && toward_zero_is_up => near.next_up(),
        Round::Zero if beyond < 0.0 && !toward_zero_is_up => near.next_down(),
        Round::Zero => near,
    }
}

/// A sum of two binary64 numbers, and what is missing.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    let rest = (a - (sum - other)) + (b - other);
    (sum, if rest.is_nan() { 0.0 } else { rest })
}

/// `a + b`, of which each is a binary32 number or a product of two.
fn add(a: f64, b: f64, round: Round) -> f32 {
    let (sum, rest) = two_sum(a, b);
    if sum == 0.0 && rest == 0.0 && round == Round::Down {
        // Numbers that cancel give −0 downwards; two positive zeros do not cancel.
        let positive = a == 0.0 && b == 0.0 && a.is_sign_positive() && b.is_sign_positive();
        return if positive { 0.0 } else { -0.0 };
    }
    narrow(sum, rest, round)
}

/// What an operation of binary32 numbers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
}

/// The operation to nearest, of any of Rust's floating-point types.
macro_rules! nearest {
    ($operation:expr, $a:ident, $b:ident, $c:ident) => {
        match $operation {
            Operation::Add => $a + $b,
            Operation::Sub => $a - $b,
            Operation::Mul => $a * $b,
            Operation::Fma => $a.mul_add($b, $c),
            Operation::Div => $a / $b,
            Operation::Sqrt => $a.sqrt(),
        }
    };
}

/// The operation in a direction. What an operation does not use is ignored.
pub(super) fn binary32(operation: Operation, round: Round, [a, b, c]: [f32; 3]) -> f32 {
    if round == Round::Nearest {
        return nearest!(operation, a, b, c);
    }
    let [x, y, z] = [a, b, c].map(f64::from);
    let (value, rest) = match operation {
        Operation::Add => return if (x + y).is_nan() { f32::NAN } else { add(x, y, round) },
        Operation::Sub => return if (x - y).is_nan() { f32::NAN } else { add(x, -y, round) },
        Operation::Fma => return if (x * y + z).is_nan() { f32::NAN } else { add(x * y, z, round) },
        Operation::Mul => (x * y, 0.0),
        Operation::Div => {
            let quotient = x / y;
            let exact = y == 0.0 || !quotient.is_finite() || !y.is_finite();
            (quotient, if exact { 0.0 } else { (-quotient).mul_add(y, x) * y.signum() })
        }
        Operation::Sqrt => {
            let root = x.sqrt();
            (root, if root.is_finite() { (-root).mul_add(root, x) } else { 0.0 })
        }
    };
    if value.is_nan() || value.is_infinite() { value as f32 } else { narrow(value, rest, round) }
}

/// Zero with the sign of a result that is subnormal, or would be if exponents had no end when it is rounded; none if it
/// is not.
fn small(operation: Operation, round: Round, numbers: [f32; 3]) -> Option<f32> {
    let [x, y, z] = numbers.map(f64::from);
    let (near, rest) = match operation {
        Operation::Add => two_sum(x, y),
        Operation::Sub => two_sum(x, -y),
        Operation::Mul => (x * y, 0.0),
        Operation::Fma => two_sum(x * y, z),
        Operation::Div => (x / y, (-(x / y)).mul_add(y, x) * y),
        Operation::Sqrt => return None,
    };
    if near == 0.0 || near.is_nan() {
        return None;
    }
    // From where on rounding leaves the smallest normal number or more, and whether right there.
    let least = f64::from(f32::MIN_POSITIVE);
    let (from, there) = match (round, near < 0.0) {
        (Round::Nearest, _) => (least * (1.0 - (-25_f64).exp2()), true),
        (Round::Up, false) | (Round::Down, true) => (least * (1.0 - (-24_f64).exp2()), false),
        _ => (least, true),
    };
    let beyond = near.abs() > from || near.abs() == from && (rest * near > 0.0 || there && rest * near >= 0.0);
    (!beyond).then(|| 0.0_f32.copysign(near as f32))
}

/// An operation as its suffix has it: flushed, rounded, limited to 0 … 1. Whether a result is subnormal is asked of
/// what rounding makes of it with any exponent, as GPUs do.
pub(super) fn rounded32(operation: Operation, words: Words, bits: [u64; 3]) -> u64 {
    let ftz = words.has(Word::Ftz);
    let numbers = bits.map(|bits| f32::from_bits(bits as u32)).map(|x| if ftz { flush(x) } else { x });
    let small = if ftz { small(operation, Round::of(words), numbers) } else { None };
    finish32(small.unwrap_or_else(|| binary32(operation, Round::of(words), numbers)), words)
}

/// The bits of a result: flushed, limited, with the canonical NaN.
pub(super) fn finish32(x: f32, words: Words) -> u64 {
    let x = if words.has(Word::Ftz) { flush(x) } else { x };
    if words.has(Word::Sat) {
        return u64::from(if x.is_nan() || x <= 0.0 { 0.0_f32 } else { x.min(1.0) }.to_bits());
    }
    u64::from(if x.is_nan() { NAN32 } else { x.to_bits() })
}

/// An operation of binary64 numbers as its suffix rounds it.
pub(super) fn rounded64(operation: Operation, words: Words, bits: [u64; 3]) -> u64 {
    let [a, b, c] = bits.map(f64::from_bits);
    match Round::of(words) {
        Round::Nearest => finish64(nearest!(operation, a, b, c)),
        round => finish64(bfloat::directed64(operation, round, bits)),
    }
}

/// The bits of a result, with the canonical NaN.
pub(super) fn finish64(x: f64) -> u64 {
    if x.is_nan() { NAN64 } else { x.to_bits() }
}

/// An approximate function of binary32 as the arithmetic model has it: a key says how it flushes, rounding to nearest.
pub(super) fn modelled(function: impl Fn(u64, u64) -> Option<u64>, words: Words, bits: u64) -> u64 {
    let flush = words.has(Word::Ftz);
    let key = Mode { flush_operands: flush, flush_results: flush, ..Mode::default() }.key();
    let result = function(key, bits).expect("binary32 has these functions");
    finish32(f32::from_bits(result as u32), words)
}

/// The smaller or larger number: a number rather than a NaN, −0 below +0.
pub(super) fn extreme<F: Copy + PartialOrd>(a: F, b: F, larger: bool, negative: fn(F) -> bool) -> F {
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    let (a_nan, b_nan) = (a != a, b != b);
    let below = if a == b { negative(a) && !negative(b) } else { a < b };
    match (a_nan, b_nan) {
        (true, _) => b,
        (_, true) => a,
        _ => {
            if below == larger {
                b
            } else {
                a
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

    /// Around a result that binary32 has exactly all directions agree; otherwise down and up are neighbours, nearest is
    /// one of them, and zero the one with the smaller magnitude.
    fn around(operation: Operation, numbers: [f32; 3]) {
        let [near, zero, down, up] = ALL.map(|round| binary32(operation, round, numbers));
        if near.is_nan() {
            assert!(zero.is_nan() && down.is_nan() && up.is_nan(), "{operation:?} {numbers:?}");
            return;
        }
        assert!(down <= near && near <= up, "{operation:?} {numbers:?}: {down:e} {near:e} {up:e}");
        assert!(down == up || down.next_up() == up, "{operation:?} {numbers:?}: {down:e} {up:e}");
        let expected = if down.abs() < up.abs() { down } else { up };
        assert!(zero == expected || down == up, "{operation:?} {numbers:?}: {zero:e} of {down:e} {up:e}");
    }

    #[test]
    fn directions_enclose_the_exact_result() {
        use rand::{Rng, SeedableRng};
        let seed = 7;
        println!("seed {seed}");
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let special = [0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN_POSITIVE, 1.0e-45, f32::INFINITY, f32::NAN, 3.0, 0.1];
        for case in 0..40_000 {
            let mut number = |at: usize| match (case + at) % 4 {
                0 => special[random.random_range(0..special.len())],
                1 => random.random_range(-8.0..8.0),
                _ => f32::from_bits(random.random()),
            };
            let numbers = [number(0), number(1), number(2)];
            for operation in [Operation::Add, Operation::Sub, Operation::Mul, Operation::Fma, Operation::Div] {
                around(operation, numbers);
            }
            around(Operation::Sqrt, numbers);
        }
    }

    #[test]
    fn known_results() {
        let up = |operation, a, b, c| binary32(operation, Round::Up, [a, b, c]);
        assert_eq!(up(Operation::Add, 1.0, 1.0e-30, 0.0), 1.0 + f32::EPSILON);
        assert_eq!(up(Operation::Div, 1.0, 3.0, 0.0), (1.0_f32 / 3.0).max(0.333_333_34));
        assert_eq!(binary32(Operation::Div, Round::Down, [1.0, 3.0, 0.0]), 0.333_333_3);
        assert_eq!(binary32(Operation::Mul, Round::Zero, [f32::MAX, 2.0, 0.0]), f32::MAX);
        assert_eq!(binary32(Operation::Mul, Round::Up, [f32::MAX, -2.0, 0.0]), -f32::MAX);
        assert_eq!(up(Operation::Mul, 1.0e-30, 1.0e-30, 0.0), f32::from_bits(1));
        assert!(binary32(Operation::Add, Round::Down, [1.0, -1.0, 0.0]).is_sign_negative());
        assert!(binary32(Operation::Add, Round::Down, [0.0, 0.0, 0.0]).is_sign_positive());
        assert!(up(Operation::Add, 1.0, -1.0, 0.0).is_sign_positive());
        // The product's lower half decides: a product rounded before the sum gives 0.
        let x = 1.0 + f32::EPSILON;
        assert_eq!(up(Operation::Fma, x, x, -(x * x)), f32::EPSILON * f32::EPSILON);
    }

    /// As measured on a GPU: subnormal is what rounding with any exponent leaves below the smallest normal number.
    #[test]
    fn small_results_are_flushed() {
        let of = |operation, word, [a, b, c]: [u32; 3]| {
            rounded32(operation, Words::default().with(Word::Ftz).with(word), [a, b, c].map(u64::from))
        };
        let least = 0x0080_0000_u32;
        assert_eq!(of(Operation::Mul, Word::Rn, [0x3f7f_ffff, least, 0]), 0);
        assert_eq!(of(Operation::Mul, Word::Rp, [0xbf7f_ffff, least, 0]), 0x8000_0000);
        assert_eq!(of(Operation::Div, Word::Rn, [0x00ff_ffff, 0x4000_0000, 0]), 0);
        // 1 − 2⁻²⁶ of the smallest one: nearest and up it has as many digits, and down it has not.
        let digits = [0x3f7f_f800, 0x0080_0400, 0];
        let expected = [(Word::Rn, least), (Word::Rp, least), (Word::Rm, 0), (Word::Rz, 0)];
        assert!(expected.iter().all(|(word, bits)| of(Operation::Mul, *word, digits) == u64::from(*bits)));
        // The smallest number less 2⁻¹⁵¹, and less a little more.
        assert_eq!(of(Operation::Fma, Word::Rn, [0x0100_0000, 0xb280_0000, least]), u64::from(least));
        assert_eq!(of(Operation::Fma, Word::Rn, [0x0100_0001, 0xb280_0000, least]), 0);
        assert_eq!(of(Operation::Add, Word::Rn, [least + 1, least | 1 << 31, 0]), 0);
    }

    #[test]
    fn extremes_prefer_numbers_and_order_zeros() {
        let least = |a, b| extreme(a, b, false, f32::is_sign_negative);
        assert!(least(f32::NAN, 1.0) == 1.0 && least(1.0, f32::NAN) == 1.0 && least(f32::NAN, f32::NAN).is_nan());
        assert!(least(0.0, -0.0).is_sign_negative() && least(-0.0, 0.0).is_sign_negative());
        let most = |a, b| extreme(a, b, true, f32::is_sign_negative);
        assert!(most(0.0, -0.0).is_sign_positive() && most(-0.0, 0.0).is_sign_positive() && most(2.0, 3.0) == 3.0);
    }
}
