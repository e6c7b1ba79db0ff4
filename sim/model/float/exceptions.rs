//! Exceptions of floating-point operations, from the exact result in whole numbers: what `rustc_apfloat` says of them
//! is not asked, since its underflow is neither of the standard's two.
//!
//! Tininess is judged before rounding (IEEE 754-2019, 7.5). A subnormal result that is flushed underflows and is
//! inexact; a subnormal operand that is flushed is a zero, and raises nothing.

mod others;
pub use others::raised_in;

use num_bigint::BigInt;

use super::Function;

/// Bit of an operand that signals, or of a result that makes no sense.
pub const INVALID: u8 = 1;
/// Bit of a number divided by zero.
pub const DIVIDE_BY_ZERO: u8 = 2;
/// Bit of a result that is too large.
pub const OVERFLOW: u8 = 4;
/// Bit of a result that is too small, and not exact.
pub const UNDERFLOW: u8 = 8;
/// Bit of a result that is not exact.
pub const INEXACT: u8 = 16;

/// A format by its widths: bits of the fraction and of the exponent.
#[derive(Clone, Copy)]
struct Shape {
    fraction: u32,
    exponent: u32,
}

/// What an operand is.
enum Operand {
    NotANumber {
        signals: bool,
    },
    Infinite {
        negative: bool,
    },
    /// The significand with its sign, times two to the power of the exponent.
    Number(BigInt, i64),
}

impl Shape {
    fn infinities(self) -> bool {
        (self.fraction, self.exponent) != (3, 4)
    }

    /// Exponent of the smallest normal number.
    fn least(self) -> i64 {
        2 - (1 << (self.exponent - 1))
    }

    /// The largest finite number, in units of its last place, and the exponent of that.
    fn largest(self) -> (BigInt, i64) {
        let ones = (BigInt::from(1) << (self.fraction + 1)) - 1;
        let top = (1 << (self.exponent - 1)) - 1;
        // Without infinities the highest exponent is used, and only the last code of it is NaN.
        if self.infinities() {
            (ones, top - i64::from(self.fraction))
        } else {
            (ones - 1, top + 1 - i64::from(self.fraction))
        }
    }

    fn operand(self, bits: u64, flush: bool) -> Operand {
        let fraction = bits & ((1 << self.fraction) - 1);
        let all = (1 << self.exponent) - 1;
        let field = bits >> self.fraction & all;
        let negative = bits >> (self.fraction + self.exponent) & 1 == 1;
        if field == all && self.infinities() {
            let quiet = fraction >> (self.fraction - 1) == 1;
            return match fraction {
                0 => Operand::Infinite { negative },
                _ => Operand::NotANumber { signals: !quiet },
            };
        }
        if field == all && fraction == (1 << self.fraction) - 1 {
            return Operand::NotANumber { signals: false };
        }
        let significand = match field {
            0 if flush => 0,
            0 => fraction,
            _ => fraction | 1 << self.fraction,
        };
        let exponent = self.least() + (field.max(1) as i64 - 1) - i64::from(self.fraction);
        let significand = BigInt::from(significand);
        Operand::Number(if negative { -significand } else { significand }, exponent)
    }

    /// What rounding a number to the format raises: `value` times two to the power of `exponent`, and, if there is a
    /// `rest`, a little more away from zero.
    fn rounding(self, value: &BigInt, exponent: i64, rest: bool, key: u64) -> u8 {
        let zero = BigInt::from(0);
        if *value == zero && !rest {
            return 0;
        }
        let negative = *value < zero;
        let magnitude = if negative { -value } else { value.clone() };
        let top = magnitude.bits() as i64 - 1 + exponent;
        let tiny = top < self.least();
        if tiny && key >> 3 & 1 == 1 {
            return UNDERFLOW | INEXACT;
        }
        // The last place of the result, and what is below it.
        let place = top.max(self.least()) - i64::from(self.fraction);
        let (rounded, inexact) = rounded(&magnitude, place - exponent, rest, negative, key);
        let (most, at) = self.largest();
        let overflows =
            if place >= at { rounded << (place - at) as u64 > most } else { rounded > most << (at - place) as u64 };
        match (overflows, inexact, tiny) {
            (true, ..) => OVERFLOW | INEXACT,
            (_, true, true) => UNDERFLOW | INEXACT,
            (_, true, false) => INEXACT,
            _ => 0,
        }
    }
}

/// A magnitude without so many of its lowest bits, rounded; whether it is another number then.
fn rounded(magnitude: &BigInt, below: i64, rest: bool, negative: bool, key: u64) -> (BigInt, bool) {
    let (zero, one) = (BigInt::from(0), BigInt::from(1));
    let (whole, left, half) = if below > 0 {
        let whole = magnitude >> below as u64;
        let left = magnitude - (&whole << below as u64);
        (whole, left, &one << (below - 1) as u64)
    } else {
        (magnitude << (-below) as u64, zero.clone(), one)
    };
    let inexact = left != zero || rest;
    let odd = &whole % 2 != zero;
    let adds = match key >> 1 & 3 {
        0 if below > 0 => left > half || left == half && (rest || odd),
        0 | 1 => false,
        2 => inexact && negative,
        _ => inexact && !negative,
    };
    (if adds { whole + 1 } else { whole }, inexact)
}

/// Exceptions of the square root of a number, given as for [`evaluate`](super::evaluate): bits as above.
pub fn raised_by_root(n: u32, m: u32, key: u64, a: u64) -> u8 {
    let shape = Shape { fraction: n - 3, exponent: m };
    let zero = BigInt::from(0);
    match shape.operand(a, key & 1 == 1) {
        Operand::NotANumber { signals } => u8::from(signals),
        Operand::Infinite { negative } => u8::from(negative),
        Operand::Number(value, _) if value < zero => INVALID,
        Operand::Number(value, exponent) => {
            // Twice as many bits as the result has, and an even exponent.
            let more = 2 * i64::from(shape.fraction + 4) + exponent.rem_euclid(2);
            let value = value << more as u64;
            let root = value.sqrt();
            let rest = &root * &root != value;
            shape.rounding(&root, (exponent - more) / 2, rest, key)
        }
    }
}

/// Exceptions of an operation on two numbers, given as for [`evaluate`](super::evaluate): bits as above.
pub fn raised(function: Function, n: u32, m: u32, key: u64, a: u64, b: u64) -> u8 {
    let shape = Shape { fraction: n - 3, exponent: m };
    let flush = key & 1 == 1;
    let b = if function == Function::Subtract { b ^ 1 << (shape.fraction + m) } else { b };
    let zero = BigInt::from(0);
    match (shape.operand(a, flush), shape.operand(b, flush)) {
        (Operand::NotANumber { signals }, Operand::NotANumber { signals: other }) => u8::from(signals || other),
        (Operand::NotANumber { signals }, _) | (_, Operand::NotANumber { signals }) => u8::from(signals),
        (Operand::Infinite { negative }, Operand::Infinite { negative: other }) => match function {
            Function::Add | Function::Subtract if negative != other => INVALID,
            Function::Divide => INVALID,
            _ => 0,
        },
        (Operand::Infinite { .. }, Operand::Number(value, _))
        | (Operand::Number(value, _), Operand::Infinite { .. }) => {
            if function == Function::Multiply && value == zero {
                INVALID
            } else {
                0
            }
        }
        (Operand::Number(a, at), Operand::Number(b, other)) => match function {
            Function::Add | Function::Subtract => {
                let least = at.min(other);
                let sum = (a << (at - least) as u64) + (b << (other - least) as u64);
                shape.rounding(&sum, least, false, key)
            }
            Function::Multiply => shape.rounding(&(a * b), at + other, false, key),
            Function::Divide if b == zero => {
                if a == zero {
                    INVALID
                } else {
                    DIVIDE_BY_ZERO
                }
            }
            Function::Divide => {
                // So many bits that at least two follow the last place of any quotient.
                let more = 3 * u64::from(shape.fraction + 4);
                let dividend = a << more;
                let (quotient, rest) = (&dividend / &b, &dividend % &b);
                shape.rounding(&quotient, at - other - more as i64, rest != zero, key)
            }
        },
    }
}
