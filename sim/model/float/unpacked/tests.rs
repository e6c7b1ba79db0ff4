//! What sums of unpacked numbers are worth: two terms give what `fadd` gives, bit for bit, in every mode; more of them
//! stay within the bound of the documentation, in whatever order they are added.

use bitline_units::array::isa::format::{BF16, F16, F32, Format, Mode};
use num_bigint::BigInt;
use rand::Rng;

use super::*;
use crate::float::{Function, evaluate};
use crate::vectors::Stimulus;

const FORMATS: [Format; 3] = [F32, F16, BF16];

fn widths(format: Format) -> (u32, u32) {
    (format.n().into(), format.m().into())
}

fn numbers(stimulus: &mut Stimulus, format: Format) -> [u64; 2] {
    let (n, m) = widths(format);
    let inputs = stimulus.inputs(bitline_units::array::isa::Opcode::FAdd, n, m, 0);
    [inputs.a, inputs.b]
}

#[test]
fn two_terms_are_fadd() {
    let seed = 51;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for format in FORMATS {
        let (n, m) = widths(format);
        for mode in Mode::all() {
            for _ in 0..20_000 {
                let [a, b] = numbers(&mut stimulus, format);
                let key = mode.key();
                let [x, y] = [a, b].map(|number| unpack(n, m, key, number).expect("it has a format"));
                let packed = pack(n, m, key, sum(n, m, x, y).expect("it has a format"));
                assert_eq!(packed, evaluate(Function::Add, n, m, key, a, b), "{format} {mode:?} {a:#x} {b:#x}");
            }
        }
    }
}

/// A number that is packed again is the same, but for NaN, which becomes the one of results, and what is flushed.
#[test]
fn packing_undoes_unpacking() {
    for format in [F16, BF16] {
        let (n, m) = widths(format);
        for mode in Mode::all() {
            for a in 0..1u64 << format.bits() {
                let packed = pack(n, m, mode.key(), unpack(n, m, mode.key(), a).expect("it has a format"));
                let same = evaluate(Function::Add, n, m, mode.key(), a, 1 << (format.bits() - 1));
                // a + −0 is a, but zeros have their own sign here.
                let magnitude = a & ((1 << (format.bits() - 1)) - 1);
                let zero = magnitude == 0 || mode.flush_operands && magnitude < 1 << format.fraction;
                assert_eq!(packed, if zero { Some(a ^ magnitude) } else { same }, "{format} {mode:?} {a:#x}");
            }
        }
    }
}

/// A finite number in units of its format's smallest one, for fractions of them times 8.
fn exact(number: Unpacked) -> BigInt {
    BigInt::from(number.significand) << number.exponent
}

/// Sums of up to 16 terms, in any order: each of the k − 1 sums loses less than a unit of the last guard bit of the
/// largest exponent, which is an eighth of a unit in the last place there.
#[test]
fn sums_stay_within_the_bound() {
    let seed = 52;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for format in FORMATS {
        let (n, m) = widths(format);
        let parts = Parts::of(n, m).expect("it has them");
        let (mut worst, mut inexact) = (0.0f64, 0);
        for round in 0..40_000 {
            let terms = 2 + round % 15;
            let near = stimulus.rng().random_range(0..=n + 6);
            let base =
                stimulus.rng().random_range(1..u64::from(parts.ones() as u32 - near.min(parts.ones() as u32 - 2)));
            let mut all: Vec<u64> = (0..terms)
                .map(|_| {
                    let [a, _] = numbers(&mut stimulus, format);
                    let exponent = base + stimulus.rng().random_range(0..=u64::from(near));
                    let exponent = exponent.min(parts.ones() as u64 - 1);
                    a & !parts.infinite() | exponent << parts.fraction
                })
                .map(|a| unpack(n, m, 0, a).expect("it has a format"))
                .collect();
            let wanted: BigInt = all.iter().map(|&a| exact(parts.taken(a))).sum();
            let largest = all.iter().map(|&a| parts.taken(a).exponent).max().expect("there are terms");
            while all.len() > 1 {
                let a = all.swap_remove(stimulus.rng().random_range(0..all.len()));
                let b = all.swap_remove(stimulus.rng().random_range(0..all.len()));
                all.push(sum(n, m, a, b).expect("it has a format"));
            }
            let result = parts.taken(all[0]);
            assert!(!result.flags[2] && !result.flags[3], "{terms} terms have room");
            assert_eq!(result.exponent, largest);
            let error = exact(result) - wanted;
            let magnitude = BigInt::from(error.magnitude().clone());
            let bound = BigInt::from(terms - 1) << largest;
            assert!(magnitude < bound, "{format}: {terms} terms, seed {seed}");
            inexact += u32::from(magnitude != BigInt::from(0));
            let eighths = ((magnitude * BigInt::from(1000)) >> largest).to_string().parse::<f64>().expect("a number");
            worst = worst.max(eighths / 1000.0 / f64::from(terms - 1));
        }
        println!("{format}: {inexact} inexact, the largest error is {worst:.3} of the bound");
        assert!(inexact > 10_000 && worst > 0.5, "{format}: {inexact}, {worst}");
    }
}

/// What has no room becomes NaN.
#[test]
fn too_many_terms_are_no_number() {
    for format in FORMATS {
        let (n, m) = widths(format);
        let parts = Parts::of(n, m).expect("it has them");
        let largest = parts.infinite() - 1;
        let one = unpack(n, m, 0, largest).expect("it has a format");
        let (mut all, mut terms) = (one, 1);
        while pack(n, m, 0, all) != Some(parts.nan()) {
            all = sum(n, m, all, one).expect("it has a format");
            terms += 1;
        }
        assert_eq!(terms, 17, "{format}");
        let small = unpack(n, m, 0, 1).expect("it has a format");
        assert_eq!(pack(n, m, 0, sum(n, m, all, small).expect("it has a format")), Some(parts.nan()));
    }
}
