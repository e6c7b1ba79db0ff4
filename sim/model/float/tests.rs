//! The oracle beside the processor, and beside what the formats' table says.

use std::num::FpCategory;

use super::*;
use crate::arith::Inputs;
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
        let results = [
            (Function::Add, x + y),
            (Function::Subtract, x - y),
            (Function::Multiply, x * y),
            (Function::Divide, x / y),
        ];
        for (function, host) in results {
            let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
            assert_eq!(evaluate(function, 26, 8, 0, pair.a, pair.b), Some(wanted.into()), "{function:?} {x:e} {y:e}");
        }
        let pair = stimulus.inputs(Opcode::FAdd, 55, 11, 0);
        let (x, y) = (f64::from_bits(pair.a), f64::from_bits(pair.b));
        let results = [
            (Function::Add, x + y),
            (Function::Subtract, x - y),
            (Function::Multiply, x * y),
            (Function::Divide, x / y),
        ];
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
        let number = |larger| Choice { larger, propagates: false };
        let both = [false, true].map(|larger| choose(number(larger), 26, 8, pair.a, pair.b).expect("a format"));
        let host = [x.min(y), x.max(y)].map(|chosen| u64::from(chosen.to_bits()));
        assert!(!numbers || both == host, "{x:e} {y:e}");
        let unordered = compare(Relation::Unordered, 26, 8, 0, pair.a, pair.b);
        assert_eq!(unordered, Some(x.partial_cmp(&y).is_none()), "{x:e} {y:e}");
        let nan = choose(Choice { larger: true, propagates: true }, 26, 8, pair.a, pair.b);
        assert_eq!(nan == Some(0x7fc0_0000), unordered == Some(true), "{x:e} {y:e}");
        let class = classify(26, 8, pair.a).expect("a format");
        let host = match (x.classify(), x.is_sign_negative()) {
            (FpCategory::Nan, _) => 8 + u32::from(pair.a >> 22 & 1 == 1),
            (FpCategory::Infinite, negative) => {
                if negative {
                    0
                } else {
                    7
                }
            }
            (FpCategory::Normal, negative) => {
                if negative {
                    1
                } else {
                    6
                }
            }
            (FpCategory::Subnormal, negative) => {
                if negative {
                    2
                } else {
                    5
                }
            }
            (FpCategory::Zero, negative) => {
                if negative {
                    3
                } else {
                    4
                }
            }
        };
        assert_eq!(class, 1 << host, "{x:e}");
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
        let none = evaluate(Function::Add, n, m, Coded { flush_results: true, ..Coded::default() }.key(), small, small);
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

/// The processor converts between binary32 and binary64, to nearest.
#[test]
fn the_processor_converts_between_formats() {
    let seed = 6;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for _ in 0..100_000 {
        let double = stimulus.inputs(Opcode::F64ToFloat, 26, 8, 0).a;
        let host = f64::from_bits(double) as f32;
        let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
        assert_eq!(convert(Kind::Double, 26, 8, 0, double), Some(wanted.into()), "{double:x}");
        let single = stimulus.inputs(Opcode::F32ToFloat, 55, 11, 0).a;
        let host = f64::from(f32::from_bits(single as u32));
        let wanted = if host.is_nan() { 0x7ff8_0000_0000_0000 } else { host.to_bits() };
        assert_eq!(convert(Kind::Single, 55, 11, 0, single), Some(wanted), "{single:x}");
    }
}

/// What no number of the format is near to, and what flushing makes of conversions; worked out by hand.
#[test]
fn conversions_at_the_ends() {
    let to = |kind: Kind, format: Format, mode: Coded, a: u64| {
        convert(kind, format.n().into(), format.m().into(), mode.key(), a).expect("a format")
    };
    let round = |rounding| Coded { rounding, ..Coded::default() };
    let [e4m3, e5m2, f16] = ["e4m3", "e5m2", "f16"].map(|name| Format::named(name).expect("a format"));
    let nearest = Coded::default();
    assert_eq!(to(Kind::Single, e4m3, nearest, 0x7f80_0000), 0x7f, "infinity, where there is none");
    assert_eq!(to(Kind::Single, e4m3, round(Rounding::TowardZero), 0xff80_0000), 0x7f);
    assert_eq!(to(Kind::Single, e4m3, nearest, 0x43e8_0000), 0x7e, "464 is a tie of 448 and what would be 480");
    assert_eq!(to(Kind::Single, e4m3, nearest, 0x43e8_0001), 0x7f);
    assert_eq!(to(Kind::Single, e4m3, round(Rounding::Up), 0xc400_0000), 0xfe, "-512 toward zero");
    assert_eq!(to(Kind::Single, e4m3, round(Rounding::Down), 0xc400_0000), 0x7f);
    assert_eq!(to(Kind::Double, f16, round(Rounding::Up), 1), 1, "the smallest number");
    assert_eq!(to(Kind::Double, f16, Coded { flush_operands: true, ..round(Rounding::Up) }, 1), 0);
    assert_eq!(to(Kind::Half, e5m2, nearest, 0x7bff), 0x7c, "65504");
    let flushed = Coded { flush_results: true, ..Coded::default() };
    assert_eq!(to(Kind::Single, f16, flushed, 0x387f_ffff), 0, "rounded it would be the smallest normal number");
    assert_eq!(to(Kind::Single, f16, nearest, 0x387f_ffff), 0x400);
}

/// The processor takes square roots to nearest.
#[test]
fn the_processor_takes_roots_as_well() {
    let seed = 7;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for _ in 0..5_000 {
        let single = stimulus.inputs(Opcode::FSqrt, 26, 8, 0).a & 0x7fff_ffff;
        let host = f32::from_bits(single as u32).sqrt();
        let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
        assert_eq!(square_root(26, 8, 0, single), Some(wanted.into()), "{single:x}");
        let double = stimulus.inputs(Opcode::FSqrt, 55, 11, 0).a & (u64::MAX >> 1);
        let host = f64::from_bits(double).sqrt();
        let wanted = if host.is_nan() { 0x7ff8_0000_0000_0000 } else { host.to_bits() };
        assert_eq!(square_root(55, 11, 0, double), Some(wanted), "{double:x}");
    }
    let up = Coded { rounding: Rounding::Up, ..Coded::default() }.key();
    assert_eq!(square_root(26, 8, up, 0x3f80_0000), Some(0x3f80_0000), "1");
    assert_eq!(square_root(26, 8, up, 0x3f80_0001), Some(0x3f80_0001));
    assert_eq!(square_root(26, 8, 0, 0x8000_0000), Some(0x8000_0000), "-0");
    assert_eq!(square_root(26, 8, 0, 0xbf80_0000), Some(0x7fc0_0000), "-1");
}

/// The processor's fused multiplication and addition, to nearest; and what it cannot be asked.
#[test]
fn the_processor_fuses_as_well() {
    let seed = 8;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    let mut apart = 0;
    for _ in 0..100_000 {
        let Inputs { a, b, e, .. } = stimulus.inputs(Opcode::FFma, 26, 8, 0);
        let [x, y, z] = [a, b, e].map(|bits| f32::from_bits(bits as u32));
        let host = x.mul_add(y, z);
        let wanted = if host.is_nan() { 0x7fc0_0000 } else { host.to_bits() };
        assert_eq!(fused(26, 8, 0, [a, b, e]), Some(wanted.into()), "{x:e} {y:e} {z:e}");
        apart += u32::from(!host.is_nan() && x * y + z != host);
        let Inputs { a, b, e, .. } = stimulus.inputs(Opcode::FFma, 55, 11, 0);
        let [x, y, z] = [a, b, e].map(f64::from_bits);
        let host = x.mul_add(y, z);
        let wanted = if host.is_nan() { 0x7ff8_0000_0000_0000 } else { host.to_bits() };
        assert_eq!(fused(55, 11, 0, [a, b, e]), Some(wanted), "{x:e} {y:e} {z:e}");
    }
    assert!(apart > 10_000, "one rounding and two differ {apart} times");
    let [one, largest] = [0x38, 0x7e];
    let of = |rounding, operands| fused(6, 4, Coded { rounding, ..Coded::default() }.key(), operands);
    assert_eq!(of(Rounding::NearestEven, [largest, one, 0x58]), Some(largest), "448 + 16 is a tie");
    assert_eq!(of(Rounding::NearestEven, [largest, 0x40, 0xfe]), Some(largest), "896 - 448");
    assert_eq!(of(Rounding::Down, [largest, 0xb8, 0x81]), Some(0x7f), "-448 less the smallest number");
    assert_eq!(of(Rounding::Up, [largest, 0xb8, 0x81]), Some(0xfe));
    assert_eq!(of(Rounding::Down, [one, one, 0xb8]), Some(0x80), "1 - 1");
    let flushed = Coded { flush_results: true, ..Coded::default() }.key();
    assert_eq!(
        fused(26, 8, flushed, [0x0080_0000, 0x3f80_0000, 0x8000_0001]),
        Some(0),
        "below the smallest normal one"
    );
}
