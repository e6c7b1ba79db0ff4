//! Formats of floating-point numbers, as data: a row of the table for each, from which encoder, setup ROM, models,
//! program files and documents take what they know of it.
//!
//! A command carries a format as its two widths. n is the number of rows that the working significand takes: the
//! fraction, the hidden bit in front of it and two guard bits behind it. m is the number of exponent bits.
//! Micro-programs take every loop count from these two, so that a format is no new program.

use std::fmt;

use crate::array::isa::opcode::Opcode;

/// A format of floating-point numbers: sign, exponent, fraction, from the highest bit down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Name in program files and tables.
    pub name: &'static str,
    /// Bits of the exponent.
    pub exponent: u8,
    /// Bits of the fraction.
    pub fraction: u8,
    /// Whether exponents of all ones mean infinities and NaN (IEEE 754). Otherwise they are numbers like others, there
    /// are no infinities, and the only NaN has all ones in the fraction, too.
    pub infinities: bool,
}

/// Every format. No two have the same fraction.
pub const FORMATS: [Format; 6] = [F32, F64, F16, BF16, E5M2, E4M3];

/// binary32.
pub const F32: Format = Format { name: "f32", exponent: 8, fraction: 23, infinities: true };
/// binary64.
pub const F64: Format = Format { name: "f64", exponent: 11, fraction: 52, infinities: true };
/// binary16.
pub const F16: Format = Format { name: "f16", exponent: 5, fraction: 10, infinities: true };
/// bfloat16.
pub const BF16: Format = Format { name: "bf16", exponent: 8, fraction: 7, infinities: true };
/// E5M2.
pub const E5M2: Format = Format { name: "e5m2", exponent: 5, fraction: 2, infinities: true };
/// E4M3, the one without infinities.
pub const E4M3: Format = Format { name: "e4m3", exponent: 4, fraction: 3, infinities: false };

impl Format {
    /// The format with this name.
    pub fn named(name: &str) -> Option<Format> {
        FORMATS.into_iter().find(|format| format.name == name)
    }

    /// The format with these widths of a command.
    pub fn of_widths(n: u32, m: u32) -> Option<Format> {
        FORMATS.into_iter().find(|format| (u32::from(format.n()), u32::from(format.m())) == (n, m))
    }

    /// The command's width n: rows of the working significand.
    #[inline]
    pub const fn n(self) -> u8 {
        self.fraction + 3
    }

    /// The command's second width m: bits of the exponent.
    #[inline]
    pub const fn m(self) -> u8 {
        self.exponent
    }

    /// Bits of a number.
    #[inline]
    pub const fn bits(self) -> u32 {
        1 + self.exponent as u32 + self.fraction as u32
    }

    /// The NaN that operations give: positive and quiet, all further fraction bits 0, as RISC-V has it; without
    /// infinities the positive one of the two codes.
    pub const fn nan(self) -> u64 {
        let ones = (1 << (self.exponent + self.fraction)) - 1;
        if self.infinities { ones ^ ((1 << (self.fraction - 1)) - 1) } else { ones }
    }
}

/// A conversion between integers of n bits and numbers of a format, which is the opcode's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Number to integer.
    ToInteger(Format),
    /// Integer to number.
    FromInteger(Format),
}

impl Conversion {
    /// The numbers' format.
    pub const fn format(self) -> Format {
        match self {
            Conversion::ToInteger(format) | Conversion::FromInteger(format) => format,
        }
    }
}

impl Opcode {
    /// Which conversion from or to integers it is, if so.
    pub const fn conversion(self) -> Option<Conversion> {
        use Conversion::{FromInteger, ToInteger};
        use Opcode as O;
        Some(match self {
            O::F32ToIntU | O::F32ToIntS => ToInteger(F32),
            O::F32FromIntU | O::F32FromIntS => FromInteger(F32),
            O::F64ToIntU | O::F64ToIntS => ToInteger(F64),
            O::F64FromIntU | O::F64FromIntS => FromInteger(F64),
            O::F16ToIntU | O::F16ToIntS => ToInteger(F16),
            O::F16FromIntU | O::F16FromIntS => FromInteger(F16),
            O::BF16ToIntU | O::BF16ToIntS => ToInteger(BF16),
            O::BF16FromIntU | O::BF16FromIntS => FromInteger(BF16),
            O::E5M2ToIntU | O::E5M2ToIntS => ToInteger(E5M2),
            O::E5M2FromIntU | O::E5M2FromIntS => FromInteger(E5M2),
            O::E4M3ToIntU | O::E4M3ToIntS => ToInteger(E4M3),
            O::E4M3FromIntU | O::E4M3FromIntS => FromInteger(E4M3),
            _ => return None,
        })
    }

    /// The format of a, where that is not the command's: of conversions between formats.
    pub const fn source_format(self) -> Option<Format> {
        use Opcode as O;
        Some(match self {
            O::F32ToFloat => F32,
            O::F64ToFloat => F64,
            O::F16ToFloat => F16,
            O::BF16ToFloat => BF16,
            O::E5M2ToFloat => E5M2,
            O::E4M3ToFloat => E4M3,
            _ => return None,
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// The direction in which results that cannot be represented are rounded. Codes are those of RISC-V.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rounding {
    /// To the nearest number, of two equally near ones to the even one.
    #[default]
    NearestEven = 0,
    /// Toward zero.
    TowardZero = 1,
    /// Toward negative infinity.
    Down = 2,
    /// Toward positive infinity.
    Up = 3,
}

impl Rounding {
    /// Every direction.
    pub const ALL: [Rounding; 4] = [Rounding::NearestEven, Rounding::TowardZero, Rounding::Down, Rounding::Up];

    /// The name in program files.
    pub fn name(self) -> &'static str {
        match self {
            Rounding::NearestEven => "nearest",
            Rounding::TowardZero => "zero",
            Rounding::Down => "down",
            Rounding::Up => "up",
        }
    }
}

/// How a command rounds and what it does with subnormal numbers. It is in the low bits of the command's key, which
/// steer rows of the micro-program; every code means something, and bits above them mean nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Direction of rounding.
    pub rounding: Rounding,
    /// Subnormal operands count as zeros of their sign.
    pub flush_operands: bool,
    /// Subnormal results become zeros of their sign.
    pub flush_results: bool,
}

/// Bits of a [`Mode`] in the key.
pub const MODE_BITS: u32 = 4;

impl Mode {
    /// To nearest, subnormal numbers flushed on both sides: what the papers compute with, and PTX's `.ftz`. Some
    /// operations have shorter micro-programs for it.
    pub const FLUSHED: Mode = Mode { rounding: Rounding::NearestEven, flush_operands: true, flush_results: true };

    /// Every mode.
    pub fn all() -> impl Iterator<Item = Mode> {
        (0..1 << MODE_BITS).map(Mode::of_key)
    }

    /// As the key of a command.
    pub const fn key(self) -> u64 {
        self.flush_operands as u64 | (self.rounding as u64) << 1 | (self.flush_results as u64) << 3
    }

    /// What a key says.
    pub fn of_key(key: u64) -> Mode {
        Mode {
            rounding: Rounding::ALL[(key >> 1 & 3) as usize],
            flush_operands: key & 1 == 1,
            flush_results: key >> 3 & 1 == 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::linear::ceil_log2;

    #[test]
    fn formats_are_told_apart_by_the_first_width() {
        for (at, format) in FORMATS.into_iter().enumerate() {
            assert!(FORMATS[..at].iter().all(|other| other.n() != format.n()), "{format}");
            assert_eq!(Format::of_widths(format.n().into(), format.m().into()), Some(format));
            assert_eq!(Format::named(format.name), Some(format));
            assert!(u32::from(format.n()) > MODE_BITS, "{format}");
            // Shifts by the bits of a number are shifts by twice the longest stride (`ucode/float_mul.rs`).
            assert_eq!(format.bits(), 1 << ceil_log2(format.n().into()), "{format}");
        }
        assert_eq!(Format::of_widths(26, 9), None);
    }

    #[test]
    fn canonical_nans() {
        let nan = |name| Format::named(name).map(Format::nan);
        assert_eq!(nan("f32"), Some(u64::from(0x7fc0_0000u32)));
        assert_eq!(nan("f64"), Some(0x7ff8_0000_0000_0000));
        assert_eq!([nan("f16"), nan("bf16")], [Some(0x7e00), Some(0x7fc0)]);
        assert_eq!([nan("e5m2"), nan("e4m3")], [Some(0x7e), Some(0x7f)]);
    }

    #[test]
    fn modes_and_keys() {
        for (key, mode) in (0..).zip(Mode::all()) {
            assert_eq!((mode.key(), Mode::of_key(key | 0xff0)), (key, mode));
        }
        assert_eq!(Mode::default().key(), 0);
    }
}
