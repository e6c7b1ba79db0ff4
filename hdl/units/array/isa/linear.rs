//! Linear expressions of a command's widths: row offsets, operand lengths and loop counts.

use std::fmt;
use std::ops::{Add, Sub};

/// A second quantity that may enter a [`Linear`] expression besides the width n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Term {
    /// Nothing.
    #[default]
    None = 0,
    /// The command's second width m.
    M = 1,
    /// −m.
    MinusM = 2,
    /// Barrel-shifter stages that matter: min(m, ⌈log2 n⌉).
    Stages = 3,
    /// Shift-amount bits beyond those stages: m − min(m, ⌈log2 n⌉).
    Excess = 4,
    /// ⌈log2 n⌉.
    Log2 = 5,
}

impl Term {
    /// The term's value for widths `n` and `m`.
    #[inline]
    pub fn value(self, n: i32, m: i32) -> i32 {
        match self {
            Term::None => 0,
            Term::M => m,
            Term::MinusM => -m,
            Term::Stages => stages(n, m),
            Term::Excess => m - stages(n, m),
            Term::Log2 => ceil_log2(n),
        }
    }
}

/// min(m, ⌈log2 n⌉): how many bits of an m-bit shift amount can move an n-bit value by less than n.
pub fn stages(n: i32, m: i32) -> i32 {
    m.min(ceil_log2(n))
}

/// ⌈log2 n⌉ for n ≥ 1.
#[inline]
pub fn ceil_log2(n: i32) -> i32 {
    (i32::BITS - (n.max(1) - 1).leading_zeros()) as i32
}

/// `(n·N + term + constant) / 2^shift`, rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear {
    /// Coefficient of the width n, −8 to 7.
    pub n: i8,
    /// The second quantity.
    pub term: Term,
    /// The constant, −128 to 127.
    pub constant: i16,
    /// Halvings of the sum, 0 to 3.
    pub shift: u8,
}

/// The width n of the command.
pub const N: Linear = Linear { n: 1, term: Term::None, constant: 0, shift: 0 };
/// The second width m of the command.
pub const M: Linear = Linear { n: 0, term: Term::M, constant: 0, shift: 0 };
/// [`Term::Stages`].
pub const STAGES: Linear = Linear { n: 0, term: Term::Stages, constant: 0, shift: 0 };
/// [`Term::Excess`].
pub const EXCESS: Linear = Linear { n: 0, term: Term::Excess, constant: 0, shift: 0 };

/// [`Term::Log2`].
pub const LOG2: Linear = Linear { n: 0, term: Term::Log2, constant: 0, shift: 0 };

impl Linear {
    /// A constant.
    pub const fn constant(constant: i16) -> Linear {
        Linear { n: 0, term: Term::None, constant, shift: 0 }
    }

    /// Twice this expression, which must have no second term.
    pub fn twice(self) -> Linear {
        assert!(self.term == Term::None && self.shift == 0, "2·({self}) cannot be expressed");
        Linear { n: 2 * self.n, constant: 2 * self.constant, ..self }
    }

    /// Half of this expression, rounded down.
    pub fn half(self) -> Linear {
        Linear { shift: self.shift + 1, ..self }
    }

    /// The negative of this expression, which must have no second term.
    pub fn negated(self) -> Linear {
        assert!(self.term == Term::None && self.shift == 0, "−({self}) cannot be expressed");
        Linear { n: -self.n, constant: -self.constant, ..self }
    }

    /// m minus this expression, which must have no second term.
    pub fn below_m(self) -> Linear {
        assert!(self.term == Term::None && self.shift == 0, "m − ({self}) cannot be expressed");
        Linear { n: -self.n, term: Term::M, constant: -self.constant, shift: 0 }
    }

    /// The value for widths `n` and `m`.
    pub fn value(self, n: i32, m: i32) -> i32 {
        let sum = i32::from(self.n) * n + self.term.value(n, m) + i32::from(self.constant);
        sum >> self.shift
    }
}

impl From<i16> for Linear {
    fn from(constant: i16) -> Linear {
        Linear::constant(constant)
    }
}

impl Add<i16> for Linear {
    type Output = Linear;
    fn add(self, rhs: i16) -> Linear {
        assert!(self.shift == 0, "({self}) + {rhs} cannot be expressed");
        Linear { constant: self.constant + rhs, ..self }
    }
}

impl Sub<i16> for Linear {
    type Output = Linear;
    fn sub(self, rhs: i16) -> Linear {
        self + -rhs
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.n {
            0 => {}
            1 => parts.push("n".to_string()),
            -1 => parts.push("-n".to_string()),
            k => parts.push(format!("{k}n")),
        }
        match self.term {
            Term::None => {}
            Term::M => parts.push("m".into()),
            Term::MinusM => parts.push("-m".into()),
            Term::Stages => parts.push("min(m, log2 n)".into()),
            Term::Excess => parts.push("m-min(m, log2 n)".into()),
            Term::Log2 => parts.push("log2 n".into()),
        }
        if self.constant != 0 || parts.is_empty() {
            parts.push(self.constant.to_string());
        }
        let sum = parts.join("+").replace("+-", "-");
        if self.shift > 0 { write!(f, "({sum})/{}", 1 << self.shift) } else { f.write_str(&sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_cover_every_width() {
        for n in 1..=64 {
            let covered = 1 << ceil_log2(n);
            assert!(covered >= n && (n == 1 || covered / 2 < n), "width {n}");
        }
    }

    #[test]
    fn values_and_names() {
        assert_eq!((N.twice() - 1).value(8, 0), 15);
        assert_eq!((N - 1).half().value(8, 0), 3);
        assert_eq!(N.twice().below_m().value(4, 12), 4);
        assert_eq!((N.twice() - 1).to_string(), "2n-1");
        assert_eq!((N - 1).half().to_string(), "(n-1)/2");
        assert_eq!(Linear::constant(0).to_string(), "0");
    }
}
