//! The binary64 functions against which errors are counted are those of the platform's library, which promises nothing:
//! here they are held against a library of many digits that rounds correctly.

use astro_float_num::{BigFloat, Consts, RoundingMode};
use bitline_units::array::isa::Opcode;

use super::{FUNCTIONS, real};
use crate::vectors::Stimulus;
use bitline_units::array::isa::format::F32;

/// Bits of the library's results.
const BITS: usize = 160;
/// Units in the last place of binary64 by which a reference may be wrong: a thousand-millionth of one of binary32.
const ALLOWED: f64 = 2.0;
const TO_NEAREST: RoundingMode = RoundingMode::ToEven;

fn big(x: f64) -> BigFloat {
    BigFloat::from_f64(x, BITS)
}

/// A function's value with many digits.
fn exact(opcode: Opcode, x: f64, constants: &mut Consts) -> BigFloat {
    let (x, p, near) = (big(x), BITS, TO_NEAREST);
    match opcode {
        Opcode::FRsqrt => big(1.0).div(&x.sqrt(p, near), p, near),
        // The exponent's product has more bits than both factors.
        Opcode::FExp2 => big(2.0).pow(&x, p, near, constants),
        Opcode::FExp => x.exp(p, near, constants),
        Opcode::FLog2 => x.log2(p, near, constants),
        Opcode::FLog => x.ln(p, near, constants),
        Opcode::FSin => x.sin(p, near, constants),
        Opcode::FCos => x.cos(p, near, constants),
        Opcode::FTan => x.tan(p, near, constants),
        Opcode::FTanh => x.tanh(p, near, constants),
        Opcode::FAtan => x.atan(p, near, constants),
        _ => unreachable!("{opcode} is no function that is measured"),
    }
}

/// Of numbers of binary32, some of them structured, the references are as exact as they are taken to be.
#[test]
fn references_are_right() {
    let seed = 12;
    let samples = if std::env::var("BITLINE_DEEP").is_ok() { 100_000 } else { 1_000 };
    println!("seed {seed}");
    let mut constants = Consts::new().expect("memory for constants");
    for measured in &FUNCTIONS {
        let mut stimulus = Stimulus::new(seed);
        let (n, m) = (F32.n().into(), F32.m().into());
        let mut counted = 0;
        while counted < samples {
            let x = real(stimulus.inputs(measured.opcode, n, m, 0).a, F32);
            let host = (measured.exact)(x);
            // What has no value, and what binary64 has with fewer digits, or not at all, is no number of binary32.
            if !x.is_finite() || !host.is_finite() || host.abs() < f64::MIN_POSITIVE {
                continue;
            }
            counted += 1;
            let wanted = exact(measured.opcode, x, &mut constants);
            let error = big(host).sub(&wanted, BITS, TO_NEAREST).abs();
            let allowed = wanted.abs().mul(&big(ALLOWED * f64::EPSILON), BITS, TO_NEAREST);
            assert!(error <= allowed, "{} of {x:e}: {host:e}, not {wanted}", measured.opcode);
        }
    }
}
