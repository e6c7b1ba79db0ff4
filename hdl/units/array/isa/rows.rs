//! How many rows an operand has.

use std::fmt;
use std::ops::Add;

use crate::array::isa::format::{FORMATS, Format};
use crate::array::isa::linear::Linear;

/// Number of an operand's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// By the command's widths.
    Linear(Linear),
    /// Of numbers of each of [`FORMATS`], in their order, where no expression of the widths says it of all of them.
    Formats([u8; FORMATS.len()]),
    /// Of integers of 64 bits, and of shorter ones.
    Integers {
        /// Of 64 bits.
        longest: u8,
        /// Of fewer.
        others: u8,
    },
}

/// Width of the longest integers.
pub(crate) const LONGEST: i16 = 64;

impl Rows {
    /// Of numbers of each format as `rows` says.
    ///
    /// # Panics
    /// If it says more than 255.
    pub(crate) fn by_format(rows: impl Fn(Format) -> i32) -> Rows {
        Rows::Formats(FORMATS.map(|format| u8::try_from(rows(format)).expect("as many rows as there may be")))
    }

    /// The value for widths `n` and `m`; 0 where a format is asked for, and they are of none.
    pub fn value(self, n: i32, m: i32) -> i32 {
        match self {
            Rows::Linear(linear) => linear.value(n, m),
            Rows::Formats(rows) => {
                let position =
                    FORMATS.iter().position(|format| (i32::from(format.n()), i32::from(format.m())) == (n, m));
                position.map_or(0, |position| rows[position].into())
            }
            Rows::Integers { longest, others } => (if n == i32::from(LONGEST) { longest } else { others }).into(),
        }
    }

    /// Rows of numbers of a format, if formats have numbers of their own.
    pub fn of_format(self, format: Format) -> Option<i32> {
        matches!(self, Rows::Formats(_)).then(|| self.value(format.n().into(), format.m().into()))
    }

    /// The expression of the widths, if it is one.
    pub fn linear(self) -> Option<Linear> {
        match self {
            Rows::Linear(linear) => Some(linear),
            Rows::Formats(_) | Rows::Integers { .. } => None,
        }
    }
}

impl<L: Into<Linear>> From<L> for Rows {
    fn from(linear: L) -> Rows {
        Rows::Linear(linear.into())
    }
}

impl PartialEq<Linear> for Rows {
    fn eq(&self, other: &Linear) -> bool {
        self.linear() == Some(*other)
    }
}

impl Add<i16> for Rows {
    type Output = Rows;
    fn add(self, rhs: i16) -> Rows {
        match self {
            Rows::Linear(linear) => Rows::Linear(linear + rhs),
            Rows::Formats(rows) => Rows::Formats(rows.map(|rows| rows.wrapping_add_signed(rhs as i8))),
            Rows::Integers { longest, others } => {
                let [longest, others] = [longest, others].map(|rows| rows.wrapping_add_signed(rhs as i8));
                Rows::Integers { longest, others }
            }
        }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rows::Linear(linear) => linear.fmt(f),
            Rows::Formats(rows) => {
                // None are those of formats that the operation does not take.
                let each = FORMATS.iter().zip(rows).filter(|&(_, &rows)| rows > 0);
                let each = each.map(|(format, rows)| format!("{format} {rows}"));
                f.write_str(&each.collect::<Vec<_>>().join("; "))
            }
            Rows::Integers { longest, others } => write!(f, "n={LONGEST} {longest}; else {others}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::format::{E5M2, F16, F32};
    use crate::array::isa::linear::N;

    #[test]
    fn numbers_of_formats_are_those_of_both_widths() {
        let rows = Rows::by_format(|format| i32::from(format.n()) + 1);
        let of = |format: Format| rows.value(format.n().into(), format.m().into());
        assert_eq!([F32, F16, E5M2].map(of), [27, 14, 6]);
        assert_eq!([rows.value(26, 11), rows.value(25, 8)], [0, 0]);
        assert_eq!((rows.of_format(F32), rows.linear(), (rows + 1).value(26, 8)), (Some(27), None, 28));
        assert_eq!(rows.to_string(), "f32 27; f64 56; f16 14; bf16 11; e5m2 6; e4m3 7");
        let long = Rows::by_format(|format| if format == F32 { 142 } else { 0 });
        assert_eq!(long.to_string(), "f32 142");
    }

    #[test]
    fn integers_of_64_bits_have_a_number_of_their_own() {
        let rows = Rows::Integers { longest: 43, others: 11 };
        assert_eq!([64, 32, 8].map(|n| rows.value(n, 0)), [43, 11, 11]);
        assert_eq!((rows.of_format(F32), rows.linear(), (rows + 1).value(64, 0)), (None, None, 44));
        assert_eq!(rows.to_string(), "n=64 43; else 11");
    }

    #[test]
    fn expressions_are_of_the_widths() {
        let rows = Rows::from(N + 1);
        assert_eq!((rows.value(9, 0), rows.of_format(F32), rows.linear()), (10, None, Some(N + 1)));
        assert!(rows == N + 1 && rows != N && rows + 1 == N + 2);
        assert_eq!(rows.to_string(), "n+1");
    }
}
