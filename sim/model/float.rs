//! The arithmetic model of floating-point operations: results are those of `rustc_apfloat`, the port of LLVM's APFloat.
//! Nothing is rounded here. What that library leaves open is stated: the code of a NaN, and what becomes of subnormal
//! numbers where they are flushed.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, Round};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// a = b.
    Equal,
    /// a < b.
    Less,
    /// a ≤ b.
    LessOrEqual,
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

/// The smaller or the larger of two numbers, given as for [`evaluate`]: of a number and NaN the number, of zeros the
/// negative one as the smaller.
pub fn choose(larger: bool, n: u32, m: u32, a: u64, b: u64) -> Option<u64> {
    Some(match (n, m) {
        (26, 8) => chosen::<Single>(larger, a, b, 0x7fc0_0000),
        (55, 11) => chosen::<Double>(larger, a, b, 0x7ff8_0000_0000_0000),
        (13, 5) => chosen::<Half>(larger, a, b, 0x7e00),
        (10, 8) => chosen::<BFloat>(larger, a, b, 0x7fc0),
        (5, 5) => chosen::<Float8E5M2>(larger, a, b, 0x7e),
        (6, 4) => chosen::<Float8E4M3FN>(larger, a, b, 0x7f),
        _ => return None,
    })
}

/// The format of a conversion from or to integers.
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

fn chosen<F: Float>(larger: bool, a: u64, b: u64, nan: u64) -> u64 {
    let (x, y) = (F::from_bits(a.into()), F::from_bits(b.into()));
    let less = x < y || x.is_zero() && y.is_zero() && x.is_negative();
    match (x.is_nan(), y.is_nan()) {
        (true, true) => nan,
        (true, false) => b,
        (false, true) => a,
        _ if less != larger => a,
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
    }
}

fn compute<F: Float>(function: Function, mode: Mode, a: u64, b: u64, nan: u64) -> u64 {
    let operand = |bits: u64| flush(F::from_bits(bits.into()), mode.flush_operands);
    let (a, b) = (operand(a), operand(b));
    if function == Function::Multiply {
        return multiply(mode, a, b, nan);
    }
    let b = if function == Function::Subtract { -b } else { b };
    // Without infinities the library takes no notice of the sign when it decides what becomes of numbers that are too
    // large. Sums of negative numbers are those of positive ones in a mirror.
    let mirrored = F::INFINITY.is_nan() && a.is_negative() && b.is_negative();
    let result = if mirrored { -(-a).add_r(-b, mirror(mode.round)).value } else { a.add_r(b, mode.round).value };
    if result.is_nan() { nan } else { flush(result, mode.flush_results).to_bits() as u64 }
}

/// The product. Whether it is below the smallest normal number is judged before it is rounded: then, and only then, it
/// is below it when rounded toward zero.
fn multiply<F: Float>(mode: Mode, a: F, b: F, nan: u64) -> u64 {
    // As in sums, the library forgets the sign of what is too large where there are no infinities.
    let negative = a.is_negative() != b.is_negative();
    let mirrored = F::INFINITY.is_nan() && negative;
    let (a, round) = if mirrored { (-a, mirror(mode.round)) } else { (a, mode.round) };
    let sign = |product: F| if mirrored { -product } else { product };
    let result = sign(a.mul_r(b, round).value);
    if result.is_nan() {
        return nan;
    }
    let small = sign(a.mul_r(b, Round::TowardZero).value);
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
mod tests {
    use super::*;
    use crate::vectors::Stimulus;
    use bitline_units::array::isa::Opcode;
    use bitline_units::array::isa::format::{FORMATS, Format, Mode as Coded, Rounding};

    /// The processor rounds to nearest and keeps subnormal numbers.
    #[test]
    fn the_processor_says_the_same() {
        let seed = 3;
        println!("seed {seed}");
        let mut stimulus = Stimulus::new(seed);
        for _ in 0..200_000 {
            let pair = stimulus.inputs(Opcode::FAdd, 26, 8, 0);
            let (x, y) = (f32::from_bits(pair.a as u32), f32::from_bits(pair.b as u32));
            let results = [(Function::Add, x + y), (Function::Subtract, x - y), (Function::Multiply, x * y)];
            for (function, host) in results {
                let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
                assert_eq!(
                    evaluate(function, 26, 8, 0, pair.a, pair.b),
                    Some(wanted.into()),
                    "{function:?} {x:e} {y:e}"
                );
            }
            let pair = stimulus.inputs(Opcode::FAdd, 55, 11, 0);
            let (x, y) = (f64::from_bits(pair.a), f64::from_bits(pair.b));
            let results = [(Function::Add, x + y), (Function::Subtract, x - y), (Function::Multiply, x * y)];
            for (function, host) in results {
                let wanted = if host.is_nan() { 0x7ff8_0000_0000_0000 } else { host.to_bits() };
                assert_eq!(evaluate(function, 55, 11, 0, pair.a, pair.b), Some(wanted), "{function:?} {x:e} {y:e}");
            }
        }
    }

    #[test]
    fn the_processor_compares_as_well() {
        let seed = 4;
        println!("seed {seed}");
        let mut stimulus = Stimulus::new(seed);
        for _ in 0..200_000 {
            let pair = stimulus.inputs(Opcode::FLt, 26, 8, 0);
            let (x, y) = (f32::from_bits(pair.a as u32), f32::from_bits(pair.b as u32));
            let of = |relation| compare(relation, 26, 8, 0, pair.a, pair.b).expect("a format");
            let ours = [Relation::Equal, Relation::Less, Relation::LessOrEqual].map(of);
            assert_eq!(ours, [x == y, x < y, x <= y], "{x:e} {y:e}");
            let numbers = !x.is_nan() && !y.is_nan() && x != y;
            let both = [false, true].map(|larger| choose(larger, 26, 8, pair.a, pair.b).expect("a format"));
            let host = [x.min(y), x.max(y)].map(|chosen| u64::from(chosen.to_bits()));
            assert!(!numbers || both == host, "{x:e} {y:e}");
        }
    }

    /// The processor converts to integers toward zero, and from integers to nearest.
    #[test]
    fn the_processor_converts_as_well() {
        let seed = 5;
        println!("seed {seed}");
        let mut stimulus = Stimulus::new(seed);
        let toward_zero = Coded { rounding: Rounding::TowardZero, ..Coded::default() }.key();
        for _ in 0..100_000 {
            let single = stimulus.inputs(Opcode::F32ToIntS, 32, 0, 0).a;
            let x = f32::from_bits(single as u32);
            let of = |signed, n| to_integer(Kind::Single, signed, n, toward_zero, single);
            assert_eq!(of(true, 32) as u32, x as i32 as u32, "{x:e}");
            assert_eq!(of(false, 16), u64::from(x as u16), "{x:e}");
            let double = stimulus.inputs(Opcode::F64ToIntS, 64, 0, 0).a;
            let x = f64::from_bits(double);
            let of = |signed, n| to_integer(Kind::Double, signed, n, toward_zero, double);
            assert_eq!(of(true, 64), x as i64 as u64, "{x:e}");
            assert_eq!(of(false, 64), x as u64, "{x:e}");
            let i = stimulus.inputs(Opcode::F32FromIntS, 64, 0, 0).a;
            assert_eq!(from_integer(Kind::Single, 0, i.into()), ((i as f32).to_bits().into(), 32), "{i}");
            let signed = i128::from(i as i64);
            assert_eq!(from_integer(Kind::Single, 0, signed), ((i as i64 as f32).to_bits().into(), 32), "{signed}");
            assert_eq!(from_integer(Kind::Double, 0, signed), ((i as i64 as f64).to_bits(), 64), "{signed}");
        }
    }

    /// Codes and widths, which this file has from the documentation, are those of the table.
    #[test]
    fn formats_and_modes_are_those_of_the_table() {
        for format in FORMATS {
            let (n, m) = (format.n().into(), format.m().into());
            assert_eq!(evaluate(Function::Add, n, m, 0, format.nan(), 0), Some(format.nan()), "{format}");
            let one = u64::from(u32::MAX >> (33 - u32::from(format.exponent))) << format.fraction;
            let small = 1;
            let up = Coded { rounding: Rounding::Up, ..Coded::default() };
            let down = Coded { rounding: Rounding::Down, ..Coded::default() };
            let zero = Coded { rounding: Rounding::TowardZero, ..Coded::default() };
            let sum = |mode: Coded| evaluate(Function::Add, n, m, mode.key(), one, small);
            assert_eq!([up, down, zero, Coded::default()].map(sum), [one + 1, one, one, one].map(Some), "{format}");
            let flush = Coded { flush_operands: true, ..up };
            assert_eq!(sum(flush), Some(one), "{format}");
            let kept = evaluate(Function::Add, n, m, 0, small, small);
            let none =
                evaluate(Function::Add, n, m, Coded { flush_results: true, ..Coded::default() }.key(), small, small);
            assert_eq!((kept, none), (Some(2), Some(0)), "{format}");
        }
        assert_eq!(evaluate(Function::Add, 26, 11, 0, 0, 0), None);
    }

    /// Without infinities what is too large becomes NaN, or the largest number where rounding leads there.
    #[test]
    fn a_format_without_infinities() {
        let format = Format::named("e4m3").expect("it is there");
        let (n, m) = (format.n().into(), format.m().into());
        let sum = |rounding, a, b| {
            evaluate(Function::Add, n, m, Coded { rounding, ..Coded::default() }.key(), a, b).expect("a format")
        };
        assert_eq!(sum(Rounding::NearestEven, 0x7e, 0x7e), 0x7f, "448 + 448");
        assert_eq!(sum(Rounding::TowardZero, 0x7e, 0x7e), 0x7e);
        assert_eq!(sum(Rounding::Up, 0xf5, 0xf9), 0xfe, "-496, cut off to what would be the code of NaN");
        assert_eq!(sum(Rounding::Down, 0xfe, 0x81), 0x7f, "-448 less the smallest number, away from zero");
        assert_eq!(sum(Rounding::Down, 0xfe, 0xfe), 0x7f, "NaN has no sign");
        assert_eq!(sum(Rounding::NearestEven, 0x7e, 0x58), 0x7e, "448 + 16 is a tie");
    }
}
