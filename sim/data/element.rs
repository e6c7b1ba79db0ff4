//! Numbers as people write them, and elements as the array holds them.

use std::fmt;

use num_bigint::BigUint;

use super::real;
use crate::isa::format::Format;

/// An integer as written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Below zero.
    pub negative: bool,
    /// Absolute value.
    pub magnitude: u128,
}

impl Number {
    /// Reads a decimal, hexadecimal (`0x`) or binary (`0b`) integer with an optional sign; digits may be grouped by
    /// `_`.
    pub fn parse(text: &str) -> Option<Number> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (radix, digits) = if let Some(rest) = digits.strip_prefix("0x") {
            (16, rest)
        } else if let Some(rest) = digits.strip_prefix("0b") {
            (2, rest)
        } else {
            (10, digits)
        };
        // A sign behind the prefix would be taken by from_str_radix.
        if !digits.starts_with(|c: char| c.is_digit(radix)) {
            return None;
        }
        let magnitude = u128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
        Some(Number { negative: negative && magnitude != 0, magnitude })
    }

    /// The number as another type, unless it is negative or too large.
    pub fn whole<T: TryFrom<u128>>(self) -> Option<T> {
        if self.negative { None } else { T::try_from(self.magnitude).ok() }
    }

    /// Reads a decimal fraction and multiplies it by `scale`, as that is written in decimal: exactly, then rounded to
    /// the nearest integer, halves away from zero. Nothing for what is no number, or is 2¹²⁸ and more.
    pub fn parse_scaled(text: &str, scale: f64) -> Option<Number> {
        let (a, b) = (Decimal::parse(text)?, Decimal::parse(&scale.to_string())?);
        let (digits, exponent) = (a.digits * b.digits, a.exponent + b.exponent);
        let power = BigUint::from(10u8).pow(exponent.unsigned_abs());
        let rounded = if exponent < 0 { (digits * 2u8 + &power) / (power * 2u8) } else { digits * power };
        let magnitude = u128::try_from(rounded).ok()?;
        Some(Number { negative: a.negative != b.negative && magnitude != 0, magnitude })
    }
}

/// Values that arguments have.
pub trait Whole: TryFrom<u128> + Into<u128> {
    /// The largest.
    const MOST: Self;
}

macro_rules! whole {
    ($($kind:ty),+) => { $(impl Whole for $kind { const MOST: $kind = <$kind>::MAX; })+ };
}

whole!(u8, u16, u32, u64);

/// An argument that is a number, in any form that [`Number::parse`] reads.
///
/// # Errors
/// The rule, in words.
pub fn whole<T: Whole>(text: &str) -> Result<T, String> {
    within(text, 0, T::MOST.into())
}

/// An argument that is a number between bounds, inclusive.
///
/// # Errors
/// The rule, in words.
pub fn within<T: Whole>(text: &str, least: u128, most: u128) -> Result<T, String> {
    let number = Number::parse(text).and_then(Number::whole::<u128>).filter(|n| (least..=most).contains(n));
    let found = number.and_then(|number| T::try_from(number).ok());
    found.ok_or_else(|| format!("must be a whole number from {least} to {most}"))
}

/// `digits` · 10^`exponent`.
struct Decimal {
    negative: bool,
    digits: BigUint,
    exponent: i32,
}

impl Decimal {
    /// Digits, with one dot and an exponent at most.
    fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        // No sign where a digit belongs, and nothing that would take long.
        if digits.is_empty()
            || !digits.bytes().all(|b| b.is_ascii_digit())
            || digits.len() > 1000
            || exponent.abs() > 1000
        {
            return None;
        }
        Some(Decimal { negative, digits: digits.parse().ok()?, exponent: exponent - fraction.len() as i32 })
    }
}

impl From<u128> for Number {
    fn from(magnitude: u128) -> Number {
        Number { negative: false, magnitude }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number { negative: value < 0, magnitude: value.unsigned_abs().into() }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(!self.negative, "", &self.magnitude.to_string())
    }
}

/// What a vector's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Bits, 1 to 128.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
    /// Floating-point numbers of this format, which has as many bits.
    pub format: Option<Format>,
}

/// An element as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// An integer.
    Whole(Number),
    /// A number that only floating-point numbers hold.
    Real(String),
}

impl Literal {
    /// Reads an integer, or a decimal number, `inf` or `nan`.
    pub fn parse(text: &str) -> Option<Literal> {
        let whole = Number::parse(text).filter(|_| text != "-0");
        whole.map(Literal::Whole).or_else(|| real::is_real(text).then(|| Literal::Real(text.into())))
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Whole(number) => number.fmt(f),
            Literal::Real(text) => f.write_str(text),
        }
    }
}

impl ElementType {
    fn mask(self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// The bit pattern of `number`, if it fits.
    pub fn encode(self, number: Number) -> Option<u128> {
        let half = 1u128 << (self.width - 1);
        let fits = match (self.signed, number.negative) {
            (false, false) => number.magnitude <= self.mask(),
            (false, true) => false,
            (true, false) => number.magnitude < half,
            (true, true) => number.magnitude <= half,
        };
        let bits = if number.negative { number.magnitude.wrapping_neg() } else { number.magnitude };
        fits.then_some(bits & self.mask())
    }

    /// The bit pattern of an element as written, if it fits.
    pub fn read(self, literal: &Literal) -> Option<u128> {
        match (self.format, literal) {
            (Some(format), literal) => real::parse(&literal.to_string(), format).map(u128::from),
            (None, Literal::Whole(number)) => self.encode(*number),
            (None, Literal::Real(text)) => Number::parse(text).and_then(|number| self.encode(number)),
        }
    }

    /// The element with this bit pattern, as it is read.
    pub fn show(self, bits: u128) -> String {
        match self.format {
            Some(format) => real::show(bits as u64, format),
            None => self.decode(bits).to_string(),
        }
    }

    /// The number with this bit pattern.
    pub fn decode(self, bits: u128) -> Number {
        if self.signed && bits >> (self.width - 1) & 1 == 1 {
            Number { negative: true, magnitude: bits.wrapping_neg() & self.mask() }
        } else {
            Number::from(bits & self.mask())
        }
    }

    /// The bit pattern extended to 128 bits.
    pub fn extend(self, bits: u128) -> u128 {
        let number = self.decode(bits);
        if number.negative { number.magnitude.wrapping_neg() } else { number.magnitude }
    }
}

impl fmt::Display for ElementType {
    /// The rule for values: their range.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(format) = self.format {
            return write!(f, "a number within the range of {format}");
        }
        let (low, high) = if self.signed {
            (self.decode(1 << (self.width - 1)), self.decode(self.mask() >> 1))
        } else {
            (Number::from(0u128), Number::from(self.mask()))
        };
        let sign = if self.signed { "signed" } else { "unsigned" };
        write!(f, "{low} to {high} ({} bits, {sign})", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: ElementType = ElementType { width: 8, signed: false, format: None };
    const SIGNED: ElementType = ElementType { width: 8, signed: true, format: None };

    #[test]
    fn numbers() {
        for (text, value) in
            [("0", 0i64), ("-0", 0), ("+17", 17), ("-5", -5), ("0xff", 255), ("-0b101", -5), ("1_000", 1000)]
        {
            assert_eq!(Number::parse(text), Some(Number::from(value)), "{text}");
        }
        for text in ["", "-", "0x", "abc", "1.5", "--1", "0x-1", "1 2", "_1", "340282366920938463463374607431768211456"]
        {
            assert_eq!(Number::parse(text), None, "{text}");
        }
        assert_eq!(Number::parse_scaled("14.23", 100.0), Some(Number::from(1423u128)));
        assert_eq!(Number::parse_scaled("-0.004", 100.0), Some(Number::from(0u128)));
        assert_eq!(Number::parse_scaled("-0.006", 100.0), Some(Number::from(-1i64)));
        for (text, exact) in
            [("1.005", 101), ("0.285", 29), ("0.145", 15), ("2.675", 268), ("-0.285", -29), ("1.5e1", 1500)]
        {
            assert_eq!(Number::parse_scaled(text, 100.0), Some(Number::from(i64::from(exact))), "{text}");
        }
        assert_eq!(Number::parse_scaled("18446744073709551617", 1.0), Some(Number::from((1u128 << 64) + 1)));
        for text in ["nan", "inf", "x", "1e300"] {
            assert_eq!(Number::parse_scaled(text, 1.0), None, "{text}");
        }
    }

    #[test]
    fn arguments() {
        assert_eq!((whole::<u32>("0xff"), whole::<u8>("255"), within::<u64>("1_0", 4, 10)), (Ok(255), Ok(255), Ok(10)));
        for text in ["x", "-1", "256", "", "1.5"] {
            assert_eq!(whole::<u8>(text), Err("must be a whole number from 0 to 255".into()), "{text}");
        }
        assert_eq!(within::<u64>("3", 4, 10), Err("must be a whole number from 4 to 10".into()));
    }

    #[test]
    fn ranges() {
        let encode = |kind: ElementType, value: i64| kind.encode(Number::from(value));
        assert_eq!([0, 255, 256, -1].map(|v| encode(BYTE, v)), [Some(0), Some(255), None, None]);
        assert_eq!(
            [-128, 127, 128, -129, -1].map(|v| encode(SIGNED, v)),
            [Some(128), Some(127), None, None, Some(255)]
        );
        for kind in [BYTE, SIGNED] {
            for bits in 0..256 {
                assert_eq!(kind.encode(kind.decode(bits)), Some(bits));
                assert_eq!(kind.extend(bits) & 255, bits);
            }
        }
        let widest = ElementType { width: 128, signed: false, format: None };
        assert_eq!(widest.encode(u128::MAX.into()), Some(u128::MAX));
        assert_eq!(ElementType { signed: true, ..widest }.decode(u128::MAX), Number::from(-1i64));
        assert_eq!(SIGNED.to_string(), "-128 to 127 (8 bits, signed)");
        assert_eq!(SIGNED.extend(0x80), (-128i128) as u128);
    }
}
