//! What functions that are not correctly rounded are worth: their largest errors, against the library's binary64. Every
//! number of 8 and 16 bits, and a sample of binary32, of ten millions with `BITLINE_DEEP=1`. Numbers that have an
//! infinity or NaN for a result are looked at as well, but are not counted.
//!
//! `scripts/figures.sh function-errors` puts the table that is printed into the manual.

mod reference;

use super::{Trigonometric, arctangent, hyperbolic_tangent, trigonometric};
use crate::arith::{self, Inputs};
use crate::vectors::Stimulus;
use bitline_units::array::isa::Opcode;
use bitline_units::array::isa::format::{BF16, E4M3, E5M2, F16, F32, Format};

/// A function, its value in binary64, the formats it is measured in, and the largest error that is allowed, in units in
/// the last place of the exact value.
struct Measured {
    opcode: Opcode,
    exact: fn(f64) -> f64,
    formats: &'static [Format],
    allowed: f64,
    near: Option<Near>,
}

/// Arguments, or results, for which an absolute error is allowed: results may be as small as they like there, or, where
/// that of their reciprocals is allowed, as large.
struct Near {
    of: fn(f64, f64) -> f64,
    low: f64,
    high: f64,
    /// In units in the last place of 1.
    allowed: f64,
    /// In place of results of more than 1 their reciprocals are looked at.
    turned: bool,
}

const ARGUMENT: fn(f64, f64) -> f64 = |x, _| x;
const RESULT: fn(f64, f64) -> f64 = |_, result| result;

/// What was found: in units in the last place, and where; as an absolute error.
#[derive(Default)]
struct Found {
    units: f64,
    place: f64,
    absolute: f64,
    count: u64,
}

/// Errors in units in the last place of 1.
const LOGARITHM: f64 = 1.0;
const SINE: f64 = 0.5;
/// The same of binary32.
const CLOSE: f64 = SINE * f32::EPSILON as f64;

/// The formats with functions.
const ALL: &[Format] = &[F32, F16, BF16];

const FUNCTIONS: [Measured; 10] = [
    Measured {
        opcode: Opcode::FRsqrt,
        exact: |x| 1.0 / x.sqrt(),
        formats: &[F32, F16, BF16, E5M2, E4M3],
        allowed: 1.0,
        near: None,
    },
    Measured { opcode: Opcode::FExp2, exact: f64::exp2, formats: ALL, allowed: 1.0, near: None },
    Measured { opcode: Opcode::FExp, exact: f64::exp, formats: ALL, allowed: 1.0, near: None },
    Measured {
        opcode: Opcode::FLog2,
        exact: f64::log2,
        formats: ALL,
        allowed: 1.0,
        near: Some(Near { of: ARGUMENT, low: 0.5, high: 2.0, allowed: LOGARITHM, turned: false }),
    },
    Measured {
        opcode: Opcode::FLog,
        exact: f64::ln,
        formats: ALL,
        allowed: 1.0,
        near: Some(Near { of: ARGUMENT, low: 0.367, high: 2.72, allowed: LOGARITHM, turned: false }),
    },
    Measured {
        opcode: Opcode::FSin,
        exact: f64::sin,
        formats: ALL,
        allowed: 1.0,
        near: Some(Near { of: RESULT, low: -0.5, high: 0.5, allowed: SINE, turned: false }),
    },
    Measured {
        opcode: Opcode::FCos,
        exact: f64::cos,
        formats: ALL,
        allowed: 1.0,
        near: Some(Near { of: RESULT, low: -0.5, high: 0.5, allowed: SINE, turned: false }),
    },
    Measured {
        opcode: Opcode::FTan,
        exact: f64::tan,
        formats: ALL,
        allowed: 2.0,
        near: Some(Near { of: RESULT, low: -0.5, high: 0.5, allowed: SINE, turned: true }),
    },
    Measured { opcode: Opcode::FTanh, exact: f64::tanh, formats: ALL, allowed: 1.0, near: None },
    Measured { opcode: Opcode::FAtan, exact: f64::atan, formats: ALL, allowed: 1.0, near: None },
];

/// A number as binary64; NaN of the codes of NaN.
fn real(bits: u64, format: Format) -> f64 {
    let (fraction, exponent) = (u32::from(format.fraction), u32::from(format.exponent));
    let field = (bits >> fraction & ((1 << exponent) - 1)) as i32;
    let part = (bits & ((1 << fraction) - 1)) as f64;
    let sign = if bits >> (fraction + exponent) & 1 == 1 { -1.0 } else { 1.0 };
    let bias = (1 << (exponent - 1)) - 1;
    let last = f64::from(field.max(1) - bias - fraction as i32).exp2();
    let hidden = if field > 0 { f64::from(fraction).exp2() } else { 0.0 };
    let (ones, all) = (field == (1 << exponent) - 1, part == f64::from(fraction).exp2() - 1.0);
    match (ones, format.infinities) {
        (true, true) if part == 0.0 => sign * f64::INFINITY,
        (true, true) => f64::NAN,
        (true, false) if all => f64::NAN,
        _ => sign * (hidden + part) * last,
    }
}

/// A unit in the last place of a number of this size.
fn unit(value: f64, format: Format) -> f64 {
    let bias = (1 << (format.exponent - 1)) - 1;
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    f64::from(exponent.max(1 - bias) - i32::from(format.fraction)).exp2()
}

/// Largest errors over the arguments, until so many of them have been counted.
fn worst(measured: &Measured, format: Format, most: u64, arguments: &mut dyn Iterator<Item = u64>) -> Found {
    let (n, m) = (format.n().into(), format.m().into());
    let largest = real((1 << (format.bits() - 1)) - (1 << format.fraction) - 1, format);
    let mut found = Found::default();
    for a in arguments {
        if found.count == most {
            break;
        }
        let (x, inputs) = (real(a, format), Inputs { a, ..Inputs::default() });
        let is = arith::evaluate(measured.opcode, n, m, 0, inputs).d.expect("a result").0 as u64;
        let (is, wanted) = (real(is, format), (measured.exact)(x));
        let what = || format!("{} {format} of {x:e}: {is:e}, not {wanted:e}", measured.opcode);
        // Where reciprocals are looked at, that of what is too large is as good as 0.
        let turned = measured.near.as_ref().is_some_and(|near| near.turned);
        if format.infinities && wanted.abs() > largest && !(turned && wanted.is_finite()) {
            assert!(is.abs() >= largest && is.signum() == wanted.signum(), "{}", what());
        } else if wanted.is_nan() || wanted.is_infinite() {
            // Where there are no infinities their place is NaN's.
            assert!(is.is_nan(), "{}", what());
        } else {
            found.count += 1;
            let error = (is - wanted).abs();
            let seen = |near: &Near, result: f64| if near.turned && wanted.abs() > 1.0 { 1.0 / result } else { result };
            let close = |near: &&Near| (near.low..=near.high).contains(&(near.of)(x, seen(near, wanted)));
            if let Some(near) = measured.near.as_ref().filter(close) {
                let error = (seen(near, is) - seen(near, wanted)).abs();
                assert!(error <= near.allowed * unit(1.0, format), "{}: {error:e}", what());
                found.absolute = found.absolute.max(error);
                continue;
            }
            let units = error / unit(wanted, format);
            assert!(units <= measured.allowed, "{}: {units} units", what());
            if units > found.units {
                (found.units, found.place) = (units, x);
            }
        }
    }
    found
}

#[test]
fn errors_of_functions() {
    let seed = 9;
    let samples = if std::env::var("BITLINE_DEEP").is_ok() { 10_000_000 } else { 100_000 };
    println!("seed {seed}");
    let units = "largest error, units in the last place";
    println!("| function | format | arguments | {units} | at | absolute error of small results |");
    println!("|---|---|--:|--:|--:|--:|");
    for measured in &FUNCTIONS {
        for &format in measured.formats {
            let mut stimulus = Stimulus::new(seed);
            let (n, m) = (format.n().into(), format.m().into());
            let mut draw = std::iter::repeat_with(|| stimulus.inputs(measured.opcode, n, m, 0).a);
            let found = if format.bits() <= 16 {
                worst(measured, format, u64::MAX, &mut (0..1 << format.bits()))
            } else {
                worst(measured, format, samples, &mut draw)
            };
            let near = measured.near.as_ref().map(|near| {
                let of = match (near.turned, (near.of)(0.0, 1.0) == 0.0) {
                    (true, _) => "results, or their reciprocals, ",
                    (false, true) => "",
                    (false, false) => "results ",
                };
                format!("{:.2e}, {of}from {} to {}", found.absolute, near.low, near.high)
            });
            let Found { units, place, count, .. } = found;
            let near = near.unwrap_or_default();
            println!("| `{}` | `{format}` | {count} | {units:.4} | {place:e} | {near} |", measured.opcode);
            assert!(units > 0.3, "rounding alone has errors of a half");
        }
    }
}

/// Where tangents are largest, what is none, small numbers, and the largest ones.
#[test]
fn ends_of_tangents() {
    let tangent =
        |key: u64, a: u32| trigonometric(Trigonometric::Tangent, 26, 8, key, a.into()).expect("a format") as u32;
    let of = |a: f32| f64::from(f32::from_bits(tangent(0, a.to_bits())));
    // Closest to a multiple of π/2, and to π/2.
    for close in [f32::from_bits(0x6f79_be45), std::f32::consts::FRAC_PI_2, -std::f32::consts::FRAC_PI_2] {
        assert!((of(close).recip() - f64::from(close).tan().recip()).abs() < CLOSE, "{close}: {}", of(close));
    }
    let hyperbolic = |key: u64, a: u32| hyperbolic_tangent(26, 8, key, a.into()).expect("a format") as u32;
    let angle = |key: u64, a: u32| arctangent(26, 8, key, a.into()).expect("a format") as u32;
    for (of, ends) in [
        (&tangent as &dyn Fn(u64, u32) -> u32, [f32::NAN; 2]),
        (&hyperbolic, [1.0, -1.0]),
        (&angle, [std::f32::consts::FRAC_PI_2, -std::f32::consts::FRAC_PI_2]),
    ] {
        assert_eq!(
            [0x7f80_0000, 0xff80_0000].map(|a| of(0, a)),
            ends.map(|end| if end.is_nan() { 0x7fc0_0000 } else { end.to_bits() })
        );
        assert_eq!([of(0, 0x7f80_0001), of(14, 0xffff_ffff)], [0x7fc0_0000; 2]);
        for small in [0, 1, 0x8000_0000, 0x8000_0001, 0x007f_ffff] {
            assert_eq!([0, 1, 8].map(|key| of(key, small)), [small, small & 1 << 31, small & 1 << 31]);
        }
    }
    // Not beyond 1, and as it is with infinity, however results are rounded but for the least one.
    for key in [0, 2, 4, 6] {
        let large = [9.4_f32, 9.5, 9.6, 12.0, 16.0, 1e4, f32::MAX].map(|a| hyperbolic(key, a.to_bits()));
        let one = if [2, 4].contains(&key) { 0x3f7f_ffff } else { 0x3f80_0000 };
        assert_eq!((large, hyperbolic(key, 0x7f80_0000)), ([one; 7], 0x3f80_0000), "{key}");
    }
}

/// Tangents of numbers of 16 bits as `tanh.approx.f16` and `.bf16` promise them (PTX ISA, 9.7.4): absolute errors of
/// every number. None is beyond 1, in any mode; signs are the operands', and what is none, small and infinite is as of
/// binary32.
#[test]
fn short_hyperbolic_tangents_are_at_least_as_exact_as_ptx() {
    for (format, promised) in [(F16, (-10.987_f64).exp2()), (BF16, (-8.0_f64).exp2())] {
        let (n, m) = (format.n().into(), format.m().into());
        let of = |key: u64, a: u64| hyperbolic_tangent(n, m, key, a).expect("a format");
        let sign = 1 << (format.bits() - 1);
        let one = ((1 << (format.exponent - 1)) - 1) << format.fraction;
        let infinite = ((1 << format.exponent) - 1) << format.fraction;
        let mut worst: f64 = 0.0;
        for a in 0..infinite {
            let x = real(a, format);
            worst = worst.max((real(of(0, a), format) - x.tanh()).abs());
            for key in 0..16 {
                let (is, mirror) = (of(key, a), of(if key & 4 == 4 { key ^ 2 } else { key }, a | sign));
                assert!(is <= one && mirror == is | sign, "{format} {x:e}, mode {key}: {is:x}, {mirror:x}");
            }
            // Toward zero and down are below it, but for what is taken as it is; up and to nearest 1 is not exceeded.
            if x >= 5.0 {
                let below = [2, 4].map(|key| of(key, a));
                assert_eq!((of(0, a), of(6, a), below), (one, one, [one - 1; 2]), "{format} {x:e}");
            }
        }
        for key in 0..16 {
            assert_eq!([of(key, infinite), of(key, infinite | sign)], [one, one | sign]);
            assert_eq!([of(key, infinite + 1), of(key, sign | (sign - 1))], [format.nan(); 2]);
        }
        for small in [0, 1, sign, sign | 1, (1 << format.fraction) - 1] {
            assert_eq!([0, 1, 8].map(|key| of(key, small)), [small, small & sign, small & sign], "{format}");
        }
        println!("{format}: 2^{:.2}", worst.log2());
        assert!(worst < promised, "{format}: {worst:e}");
    }
}

/// The processor's reciprocals, to nearest, and what there is to say of zeros and infinities.
#[test]
fn the_processor_has_reciprocals_as_well() {
    let seed = 10;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for _ in 0..100_000 {
        let a = stimulus.inputs(Opcode::FRcp, 26, 8, 0).a;
        let host = 1.0 / f32::from_bits(a as u32);
        let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
        assert_eq!(super::reciprocal(26, 8, 0, a), Some(wanted.into()), "{a:x}");
    }
    let root = |a: u32| super::reciprocal_root(26, 8, 0, a.into()).expect("a format") as u32;
    let ends = [0x7f80_0000, 0, 0x8000_0000, 0xff80_0000, 0xbf80_0000, 0x3f80_0000, 0x4080_0000, 1];
    let wanted = [0, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7fc0_0000, 0x3f80_0000, 0x3f00_0000, 0x64b5_04f3];
    assert_eq!(ends.map(root), wanted);
}

/// Of 16367173 · 2⁷², which is closer to a multiple of π/2 than every other number (Muller, Elementary Functions), the
/// largest number, and what is none.
#[test]
fn far_numbers_have_sines() {
    let of = |function, key, a: u32| trigonometric(function, 26, 8, key, a.into()).expect("a format") as u32;
    let [sine, cosine] = [Trigonometric::Sine, Trigonometric::Cosine]
        .map(|function| move |a: f32| f32::from_bits(of(function, 0, a.to_bits())));
    let close = f32::from_bits(0x6f79_be45);
    assert_eq!(f64::from(close), 16_367_173.0 * f64::from(72).exp2());
    assert!(sine(close) == 1.0 && (f64::from(cosine(close)) + 1.6147698e-9).abs() < CLOSE, "{}", cosine(close));
    assert!((f64::from(sine(f32::MAX)) - f64::from(f32::MAX).sin()).abs() < CLOSE);
    assert!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].iter().all(|&x| sine(x).is_nan() && cosine(x).is_nan()));
    // Small numbers, flushed if operands or results are.
    let small = f32::from_bits(0x8000_0001);
    let keys = [0, 1, 8].map(|key| of(Trigonometric::Sine, key, small.to_bits()));
    assert_eq!(keys, [0x8000_0001, 0x8000_0000, 0x8000_0000]);
    assert_eq!([cosine(small), cosine(0.0), sine(-0.0)].map(f32::to_bits), [1.0, 1.0, -0.0].map(f32::to_bits));
}
