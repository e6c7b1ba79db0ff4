//! The arithmetic model of floating-point operations: results are those of `rustc_apfloat`, the port of LLVM's APFloat,
//! which rounds. What it leaves open is stated: the code of a NaN, and what becomes of subnormal numbers when flushed.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Category, Float, FloatConvert, Round, StatusAnd};

mod arctangent;
pub use arctangent::arctangent;
pub mod exceptions;
mod exponential;
pub use exponential::{Base, exponential};
mod fused;
pub use fused::fused;
mod hyperbolic;
pub use hyperbolic::hyperbolic_tangent;
mod logarithm;
pub use logarithm::logarithm;
pub mod questions;
mod reciprocal;
pub use reciprocal::{reciprocal, reciprocal_root};
mod root;
pub use root::square_root;
mod trigonometric;
mod unpacked;
pub use trigonometric::{Trigonometric, trigonometric};
pub use unpacked::{pack, sum, unpack};

/// The parts of a number for which there are functions: of binary32, binary16 and bfloat16.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// Bits of the fraction and of the exponent.
    fraction: u32,
    exponent: u32,
}

impl Parts {
    /// Of the format with these widths of a command; `None` if it has no functions.
    fn of(n: u32, m: u32) -> Option<Parts> {
        [(26, 8), (13, 5), (10, 8)].contains(&(n, m)).then(|| Parts { fraction: n - 3, exponent: m })
    }

    /// Sign, exponent, fraction.
    fn split(self, a: u64) -> (bool, i32, u64) {
        let exponent = a >> self.fraction & ((1 << self.exponent) - 1);
        (a & self.sign() != 0, exponent as i32, a & ((1 << self.fraction) - 1))
    }

    fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    /// The exponent of 1.
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of what is no number.
    fn ones(self) -> i32 {
        (1 << self.exponent) - 1
    }

    fn infinite(self) -> u64 {
        (self.ones() as u64) << self.fraction
    }

    fn nan(self) -> u64 {
        self.infinite() | 1 << (self.fraction - 1)
    }

    /// Stages in which a number of n rows goes up or down: ⌈log2 n⌉.
    fn stages(self) -> u32 {
        (self.fraction + 2).ilog2() + 1
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// a = b.
    Equal,
    /// a < b.
    Less,
    /// a ≤ b.
    LessOrEqual,
    /// One of them is NaN.
    Unordered,
}

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a · b.
    Multiply,
    /// a / b.
    Divide,
}

/// Direction of rounding and treatment of subnormal numbers.
#[derive(Clone, Copy, Debug)]
struct Mode {
    round: Round,
    flush_operands: bool,
    flush_results: bool,
}

impl Mode {
    /// What the low bits of a command's key say.
    fn of(key: u64) -> Mode {
        let rounds = [Round::NearestTiesToEven, Round::TowardZero, Round::TowardNegative, Round::TowardPositive];
        Mode { round: rounds[(key >> 1 & 3) as usize], flush_operands: key & 1 == 1, flush_results: key & 8 == 8 }
    }
}

/// Number and result of one column, as bit patterns, for a command's widths n (fraction bits and 3) and m (exponent
/// bits). `None` if no format has them.
pub fn evaluate(function: Function, n: u32, m: u32, key: u64, a: u64, b: u64) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => compute::<Single>(function, mode, a, b, 0x7fc0_0000),
        (55, 11) => compute::<Double>(function, mode, a, b, 0x7ff8_0000_0000_0000),
        (13, 5) => compute::<Half>(function, mode, a, b, 0x7e00),
        (10, 8) => compute::<BFloat>(function, mode, a, b, 0x7fc0),
        (5, 5) => compute::<Float8E5M2>(function, mode, a, b, 0x7e),
        (6, 4) => compute::<Float8E4M3FN>(function, mode, a, b, 0x7f),
        _ => return None,
    })
}

/// Whether a relation holds between two numbers, given as for [`evaluate`]. It does not where one is NaN.
pub fn compare(relation: Relation, n: u32, m: u32, key: u64, a: u64, b: u64) -> Option<bool> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => holds::<Single>(relation, mode, a, b),
        (55, 11) => holds::<Double>(relation, mode, a, b),
        (13, 5) => holds::<Half>(relation, mode, a, b),
        (10, 8) => holds::<BFloat>(relation, mode, a, b),
        (5, 5) => holds::<Float8E5M2>(relation, mode, a, b),
        (6, 4) => holds::<Float8E4M3FN>(relation, mode, a, b),
        _ => return None,
    })
}

/// Which of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The larger one.
    pub larger: bool,
    /// Of a number and NaN, NaN and not the number.
    pub propagates: bool,
}

/// The smaller or the larger of two numbers, given as for [`evaluate`]; of zeros the negative one as the smaller.
pub fn choose(choice: Choice, n: u32, m: u32, a: u64, b: u64) -> Option<u64> {
    Some(match (n, m) {
        (26, 8) => chosen::<Single>(choice, a, b, 0x7fc0_0000),
        (55, 11) => chosen::<Double>(choice, a, b, 0x7ff8_0000_0000_0000),
        (13, 5) => chosen::<Half>(choice, a, b, 0x7e00),
        (10, 8) => chosen::<BFloat>(choice, a, b, 0x7fc0),
        (5, 5) => chosen::<Float8E5M2>(choice, a, b, 0x7e),
        (6, 4) => chosen::<Float8E4M3FN>(choice, a, b, 0x7f),
        _ => return None,
    })
}

/// The class of a number, given as for [`evaluate`]: a 1 for −∞, negative normal, negative subnormal, −0, +0 and so on
/// up to +∞, signalling NaN, quiet NaN, from bit 0 up. Without infinities NaN does not signal.
pub fn classify(n: u32, m: u32, a: u64) -> Option<u64> {
    Some(match (n, m) {
        (26, 8) => class::<Single>(a),
        (55, 11) => class::<Double>(a),
        (13, 5) => class::<Half>(a),
        (10, 8) => class::<BFloat>(a),
        (5, 5) => class::<Float8E5M2>(a),
        (6, 4) => class::<Float8E4M3FN>(a),
        _ => return None,
    })
}

/// A number, given as for [`evaluate`], rounded to an integral one.
pub fn integral(n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => rounded::<Single>(mode, a, 0x7fc0_0000),
        (55, 11) => rounded::<Double>(mode, a, 0x7ff8_0000_0000_0000),
        (13, 5) => rounded::<Half>(mode, a, 0x7e00),
        (10, 8) => rounded::<BFloat>(mode, a, 0x7fc0),
        (5, 5) => rounded::<Float8E5M2>(mode, a, 0x7e),
        (6, 4) => rounded::<Float8E4M3FN>(mode, a, 0x7f),
        _ => return None,
    })
}

fn rounded<F: Float>(mode: Mode, a: u64, nan: u64) -> u64 {
    let value = flush(F::from_bits(a.into()), mode.flush_operands);
    let result = value.round_to_integral(mode.round).value;
    if result.is_nan() { nan } else { result.to_bits() as u64 }
}

fn class<F: Float>(a: u64) -> u64 {
    let value = F::from_bits(a.into());
    if value.is_nan() {
        let signals = value.is_signaling() && !F::INFINITY.is_nan();
        return if signals { 1 << 8 } else { 1 << 9 };
    }
    let magnitude = match value.category() {
        Category::Infinity => 0,
        Category::Zero => 3,
        _ if value.is_denormal() => 2,
        _ => 1,
    };
    1 << if value.is_negative() { magnitude } else { 7 - magnitude }
}

/// The format of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// binary32.
    Single,
    /// binary64.
    Double,
    /// binary16.
    Half,
    /// bfloat16.
    Brain,
    /// Five exponent bits, two of the fraction.
    E5M2,
    /// Four exponent bits, three of the fraction.
    E4M3,
}

/// A number as an integer of `n` bits; the nearest one where it is beyond all, 0 for NaN.
pub fn to_integer(kind: Kind, signed: bool, n: u32, key: u64, a: u64) -> u64 {
    let mode = Mode::of(key);
    match kind {
        Kind::Single => integer::<Single>(signed, n, mode, a),
        Kind::Double => integer::<Double>(signed, n, mode, a),
        Kind::Half => integer::<Half>(signed, n, mode, a),
        Kind::Brain => integer::<BFloat>(signed, n, mode, a),
        Kind::E5M2 => integer::<Float8E5M2>(signed, n, mode, a),
        Kind::E4M3 => integer::<Float8E4M3FN>(signed, n, mode, a),
    }
}

/// An integer as a number, and the bits that this has.
pub fn from_integer(kind: Kind, key: u64, value: i128) -> (u64, u32) {
    let round = Mode::of(key).round;
    match kind {
        Kind::Single => (of_integer::<Single>(round, value, 0x7fc0_0000), 32),
        Kind::Double => (of_integer::<Double>(round, value, 0x7ff8_0000_0000_0000), 64),
        Kind::Half => (of_integer::<Half>(round, value, 0x7e00), 16),
        Kind::Brain => (of_integer::<BFloat>(round, value, 0x7fc0), 16),
        Kind::E5M2 => (of_integer::<Float8E5M2>(round, value, 0x7e), 8),
        Kind::E4M3 => (of_integer::<Float8E4M3FN>(round, value, 0x7f), 8),
    }
}

/// A number of a format in the format of the widths n and m, given as for [`evaluate`].
pub fn convert(from: Kind, n: u32, m: u32, key: u64, a: u64) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match from {
        Kind::Single => converted::<Single>(n, m, mode, a)?,
        Kind::Double => converted::<Double>(n, m, mode, a)?,
        Kind::Half => converted::<Half>(n, m, mode, a)?,
        Kind::Brain => converted::<BFloat>(n, m, mode, a)?,
        Kind::E5M2 => converted::<Float8E5M2>(n, m, mode, a)?,
        Kind::E4M3 => converted::<Float8E4M3FN>(n, m, mode, a)?,
    })
}

fn converted<F>(n: u32, m: u32, mode: Mode, a: u64) -> Option<u64>
where
    F: FloatConvert<Single> + FloatConvert<Double> + FloatConvert<Half>,
    F: FloatConvert<BFloat> + FloatConvert<Float8E5M2> + FloatConvert<Float8E4M3FN>,
{
    Some(match (n, m) {
        (26, 8) => between::<F, Single>(mode, a, 0x7fc0_0000),
        (55, 11) => between::<F, Double>(mode, a, 0x7ff8_0000_0000_0000),
        (13, 5) => between::<F, Half>(mode, a, 0x7e00),
        (10, 8) => between::<F, BFloat>(mode, a, 0x7fc0),
        (5, 5) => between::<F, Float8E5M2>(mode, a, 0x7e),
        (6, 4) => between::<F, Float8E4M3FN>(mode, a, 0x7f),
        _ => return None,
    })
}

/// Whether a result is below the smallest normal number is judged before it is rounded, as of products.
fn between<F: FloatConvert<G>, G: Float>(mode: Mode, a: u64, nan: u64) -> u64 {
    let value = flush(F::from_bits(a.into()), mode.flush_operands);
    // As in sums, the library forgets the sign of what is too large where there are no infinities.
    let mirrored = G::INFINITY.is_nan() && value.is_negative();
    let (value, round) = if mirrored { (-value, mirror(mode.round)) } else { (value, mode.round) };
    let to = |round: Round| {
        let result: G = value.convert_r(round, &mut false).value;
        if mirrored { -result } else { result }
    };
    let result = to(round);
    if value.is_nan() || result.is_nan() {
        return nan;
    }
    let small = to(Round::TowardZero);
    let small = small.is_denormal() || small.is_zero();
    let result = if mode.flush_results && small { G::ZERO.copy_sign(result) } else { result };
    result.to_bits() as u64
}

fn integer<F: Float>(signed: bool, n: u32, mode: Mode, a: u64) -> u64 {
    let value = flush(F::from_bits(a.into()), mode.flush_operands);
    let mut exact = false;
    match (signed, value.is_negative()) {
        (true, _) => value.to_i128_r(n as usize, mode.round, &mut exact).value as u64,
        (false, true) => 0,
        (false, false) => value.to_u128_r(n as usize, mode.round, &mut exact).value as u64,
    }
}

fn of_integer<F: Float>(round: Round, value: i128, nan: u64) -> u64 {
    let result = F::from_i128_r(value, round).value;
    if result.is_nan() { nan } else { result.to_bits() as u64 }
}

fn chosen<F: Float>(choice: Choice, a: u64, b: u64, nan: u64) -> u64 {
    let (x, y) = (F::from_bits(a.into()), F::from_bits(b.into()));
    let less = x < y || x.is_zero() && y.is_zero() && x.is_negative();
    match (x.is_nan(), y.is_nan()) {
        (true, true) => nan,
        (true, false) | (false, true) if choice.propagates => nan,
        (true, false) => b,
        (false, true) => a,
        _ if less != choice.larger => a,
        _ => b,
    }
}

fn holds<F: Float>(relation: Relation, mode: Mode, a: u64, b: u64) -> bool {
    let operand = |bits: u64| flush(F::from_bits(bits.into()), mode.flush_operands);
    let (a, b) = (operand(a), operand(b));
    match relation {
        Relation::Equal => a == b,
        Relation::Less => a < b,
        Relation::LessOrEqual => a <= b,
        Relation::Unordered => a.is_nan() || b.is_nan(),
    }
}

fn compute<F: Float>(function: Function, mode: Mode, a: u64, b: u64, nan: u64) -> u64 {
    let operand = |bits: u64| flush(F::from_bits(bits.into()), mode.flush_operands);
    let (a, b) = (operand(a), operand(b));
    match function {
        Function::Multiply => return scaled(F::mul_r, mode, a, b, nan),
        Function::Divide => return scaled(F::div_r, mode, a, b, nan),
        Function::Add | Function::Subtract => {}
    }
    let b = if function == Function::Subtract { -b } else { b };
    // Without infinities the library takes no notice of the sign when it decides what becomes of numbers that are too
    // large. Sums of negative numbers are those of positive ones in a mirror.
    let mirrored = F::INFINITY.is_nan() && a.is_negative() && b.is_negative();
    let result = if mirrored { -(-a).add_r(-b, mirror(mode.round)).value } else { a.add_r(b, mode.round).value };
    if result.is_nan() { nan } else { flush(result, mode.flush_results).to_bits() as u64 }
}

/// A product or a quotient. Whether it is below the smallest normal number is judged before it is rounded: then, and
/// only then, it is below it when rounded toward zero.
fn scaled<F: Float>(of: fn(F, F, Round) -> StatusAnd<F>, mode: Mode, a: F, b: F, nan: u64) -> u64 {
    // As in sums, the library forgets the sign of what is too large where there are no infinities.
    let negative = a.is_negative() != b.is_negative();
    let mirrored = F::INFINITY.is_nan() && negative;
    let (a, round) = if mirrored { (-a, mirror(mode.round)) } else { (a, mode.round) };
    let sign = |result: F| if mirrored { -result } else { result };
    let result = sign(of(a, b, round).value);
    if result.is_nan() {
        return nan;
    }
    let small = sign(of(a, b, Round::TowardZero).value);
    let small = small.is_denormal() || small.is_zero();
    let result = if mode.flush_results && small { F::ZERO.copy_sign(result) } else { result };
    result.to_bits() as u64
}

/// The direction for numbers with all signs changed.
fn mirror(round: Round) -> Round {
    match round {
        Round::TowardPositive => Round::TowardNegative,
        Round::TowardNegative => Round::TowardPositive,
        other => other,
    }
}

/// Zero with its sign in place of a subnormal number.
fn flush<F: Float>(value: F, flushed: bool) -> F {
    if flushed && value.is_denormal() { F::ZERO.copy_sign(value) } else { value }
}

#[cfg(test)]
mod errors;
#[cfg(test)]
mod tests;
