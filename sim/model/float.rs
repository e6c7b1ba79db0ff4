//! The arithmetic model of floating-point operations: results are those of `rustc_apfloat`, the port of LLVM's APFloat.
//! Nothing is rounded here. What that library leaves open is stated: the code of a NaN, and what becomes of subnormal
//! numbers where they are flushed.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, Round};

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
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

fn compute<F: Float>(function: Function, mode: Mode, a: u64, b: u64, nan: u64) -> u64 {
    let operand = |bits: u64| flush(F::from_bits(bits.into()), mode.flush_operands);
    let (a, b) = (operand(a), operand(b));
    let b = if function == Function::Subtract { -b } else { b };
    // Without infinities the library takes no notice of the sign when it decides what becomes of numbers that are too
    // large. Sums of negative numbers are those of positive ones in a mirror.
    let mirrored = F::INFINITY.is_nan() && a.is_negative() && b.is_negative();
    let result = if mirrored { -(-a).add_r(-b, mirror(mode.round)).value } else { a.add_r(b, mode.round).value };
    if result.is_nan() { nan } else { flush(result, mode.flush_results).to_bits() as u64 }
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
            for (function, host) in [(Function::Add, x + y), (Function::Subtract, x - y)] {
                let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
                assert_eq!(
                    evaluate(function, 26, 8, 0, pair.a, pair.b),
                    Some(wanted.into()),
                    "{function:?} {x:e} {y:e}"
                );
            }
            let pair = stimulus.inputs(Opcode::FAdd, 55, 11, 0);
            let (x, y) = (f64::from_bits(pair.a), f64::from_bits(pair.b));
            for (function, host) in [(Function::Add, x + y), (Function::Subtract, x - y)] {
                let wanted = if host.is_nan() { 0x7ff8_0000_0000_0000 } else { host.to_bits() };
                assert_eq!(evaluate(function, 55, 11, 0, pair.a, pair.b), Some(wanted), "{function:?} {x:e} {y:e}");
            }
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
