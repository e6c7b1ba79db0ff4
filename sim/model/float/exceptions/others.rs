//! Exceptions of all other operations, and of any by its opcode.
//!
//! - The product of zero and infinity is invalid, whatever is added to it, as RISC-V has it.
//! - Comparisons for an order (`flt`, `fle`) signal: NaN is invalid. Equality, the question whether there is NaN, and
//!   minimum and maximum are quiet: only a signalling NaN is (IEEE 754-2019, 5.11, 9.6).
//! - Integers: what is no integer of the result's bits is invalid, and then it is not inexact, too (7.2, 7.1).
//! - Infinity has no place in a format without infinities: its conversion is invalid.
//! - Rounding to an integral number says nothing of what it rounds (5.9, all but roundToIntegralExact).
//! - Reciprocal square roots are not correctly rounded; exact are those of even powers of two alone, whose result is a
//!   power of two, and infinity's.

use num_bigint::{BigInt, Sign};

use bitline_units::array::isa::format::{Conversion, Format};
use bitline_units::array::isa::{Opcode, element::Inputs};

use super::super::Function;
use super::{DIVIDE_BY_ZERO, INEXACT, INVALID, OVERFLOW, Operand, Shape, raised, raised_by_root, rounded};

/// Exceptions of an operation of these widths on a column's operands; `None` if it is not said of it.
pub fn raised_in(opcode: Opcode, n: u32, m: u32, key: u64, inputs: &Inputs) -> Option<u8> {
    use Opcode as O;
    let Inputs { a, b, e, .. } = *inputs;
    if let Some(conversion) = opcode.conversion() {
        return Some(match conversion {
            Conversion::ToInteger(format) => to_integer(shape(format), opcode.signed(), n, key, a),
            Conversion::FromInteger(format) => from_integer(shape(format), opcode.signed(), n, key, a),
        });
    }
    let to = Shape { fraction: n.saturating_sub(3), exponent: m };
    if let Some(from) = opcode.source_format() {
        return Some(converted(shape(from), to, key, a));
    }
    let signalling = |numbers: &[u64]| u8::from(numbers.iter().any(|&bits| signals(&to.operand(bits, false))));
    let unordered = |numbers: [u64; 2]| {
        u8::from(numbers.iter().any(|&bits| matches!(to.operand(bits, false), Operand::NotANumber { .. })))
    };
    Some(match opcode {
        O::FAdd => raised(Function::Add, n, m, key, a, b),
        O::FSub => raised(Function::Subtract, n, m, key, a, b),
        O::FMul => raised(Function::Multiply, n, m, key, a, b),
        O::FDiv => raised(Function::Divide, n, m, key, a, b),
        O::FSqrt => raised_by_root(n, m, key, a),
        O::FFma => fused(to, key, [a, b, e]),
        // The quotient of 1, whose exponent is all ones but for its top bit.
        O::FRcp => raised(Function::Divide, n, m, key, ((1 << (m - 1)) - 1) << to.fraction, a),
        O::FRsqrt => reciprocal_root(to, key, a),
        O::FLt | O::FLe => unordered([a, b]),
        O::FEq | O::FUnordered | O::FMin | O::FMax | O::FMinimum | O::FMaximum => signalling(&[a, b]),
        O::FRound => signalling(&[a]),
        O::FNeg | O::FAbs | O::FCopySign | O::FClass => 0,
        // What a sum loses is not looked at, nor what becomes of it in the end.
        O::FUnpack | O::FSum | O::FPack => 0,
        _ => return None,
    })
}

fn shape(format: Format) -> Shape {
    Shape { fraction: format.fraction.into(), exponent: format.exponent.into() }
}

fn signals(operand: &Operand) -> bool {
    matches!(operand, Operand::NotANumber { signals: true })
}

/// a · b + c, the product exact.
fn fused(shape: Shape, key: u64, numbers: [u64; 3]) -> u8 {
    let operands = numbers.map(|bits| shape.operand(bits, key & 1 == 1));
    let zero = BigInt::from(0);
    let sign = |bits: u64| bits >> (shape.fraction + shape.exponent) & 1 == 1;
    let negative = sign(numbers[0]) ^ sign(numbers[1]);
    let no_product = match (&operands[0], &operands[1]) {
        (Operand::Infinite { .. }, Operand::Number(value, _))
        | (Operand::Number(value, _), Operand::Infinite { .. }) => *value == zero,
        _ => false,
    };
    if no_product || operands.iter().any(signals) {
        return INVALID;
    }
    match operands {
        [Operand::NotANumber { .. }, ..] | [_, Operand::NotANumber { .. }, _] | [.., Operand::NotANumber { .. }] => 0,
        [Operand::Infinite { .. }, _, c] | [_, Operand::Infinite { .. }, c] => match c {
            Operand::Infinite { negative: other } if other != negative => INVALID,
            _ => 0,
        },
        [.., Operand::Infinite { .. }] => 0,
        [Operand::Number(a, at), Operand::Number(b, next), Operand::Number(c, last)] => {
            let (product, at) = (a * b, at + next);
            let least = at.min(last);
            let sum = (product << (at - least) as u64) + (c << (last - least) as u64);
            shape.rounding(&sum, least, false, key)
        }
    }
}

/// 1 / √a.
fn reciprocal_root(shape: Shape, key: u64, a: u64) -> u8 {
    match shape.operand(a, key & 1 == 1) {
        Operand::NotANumber { signals } => u8::from(signals),
        Operand::Infinite { negative } => u8::from(negative),
        Operand::Number(value, exponent) => match value.sign() {
            Sign::NoSign => DIVIDE_BY_ZERO,
            Sign::Minus => INVALID,
            Sign::Plus => {
                let zeros = value.trailing_zeros().unwrap_or(0);
                let power = value >> zeros == BigInt::from(1) && (exponent + zeros as i64) % 2 == 0;
                if power { 0 } else { INEXACT }
            }
        },
    }
}

/// A number of another format.
fn converted(from: Shape, to: Shape, key: u64, a: u64) -> u8 {
    match from.operand(a, key & 1 == 1) {
        Operand::NotANumber { signals } => u8::from(signals),
        Operand::Infinite { .. } => u8::from(!to.infinities()),
        Operand::Number(value, exponent) => to.rounding(&value, exponent, false, key),
    }
}

/// A number as an integer of `n` bits.
fn to_integer(from: Shape, signed: bool, n: u32, key: u64, a: u64) -> u8 {
    let Operand::Number(value, exponent) = from.operand(a, key & 1 == 1) else { return INVALID };
    let negative = value.sign() == Sign::Minus;
    let (magnitude, inexact) = rounded(&value.magnitude().clone().into(), -exponent, false, negative, key);
    let result = if negative { -magnitude } else { magnitude };
    let one = BigInt::from(1);
    let (least, behind) = if signed { (-(&one << (n - 1)), &one << (n - 1)) } else { (BigInt::from(0), &one << n) };
    match result < least || result >= behind {
        true => INVALID,
        false if inexact => INEXACT,
        false => 0,
    }
}

/// An integer of `n` bits as a number.
fn from_integer(to: Shape, signed: bool, n: u32, key: u64, a: u64) -> u8 {
    let value = BigInt::from(a);
    let value = if signed && a >> (n - 1) & 1 == 1 { value - (BigInt::from(1) << n) } else { value };
    // No integer is too small to be normal, so that nothing is flushed.
    to.rounding(&value, 0, false, key & 6) & (OVERFLOW | INEXACT)
}
