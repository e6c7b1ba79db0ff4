//! Operands in texts: registers, immediates, scalar registers.
//!
//! ```text
//! 0:10:32       rows 10 to 41 of array 0       123:10:32   the same rows of arrays 1, 2 and 3
//! 0:10:8.s      extended with its sign         0:10:30<<2  shifted up by two rows
//! x  x@1  x{8:4}  x.s  x<<2                    a register; its copy in array 1; four of its rows, from the eighth on
//! 17  -1  0xff  1.5                            an immediate         %3  %count   a scalar register
//! ```
//! Behind immediates and scalars `:16` says how many bits count, `.s` that they are extended with their sign.

use std::collections::HashMap;

use crate::duality::params::{MOST_ROWS, SCALARS, SLOTS};

/// Most rows of a register: those of the widest product.
const MOST_REGISTER: u64 = 128;

/// A message, without its place.
pub type Text<T> = Result<T, String>;

/// Rows of one array or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Arrays, a bit for each.
    pub slots: u64,
    /// First row.
    pub row: u64,
    /// Number of rows: 1 to 128; above 64 only of products.
    pub rows: u64,
    /// Extended with its sign.
    pub signed: bool,
    /// Rows by which it is shifted up.
    pub shift: u64,
}

impl Register {
    /// The one array that it is in.
    ///
    /// # Errors
    /// What is wrong with several.
    pub fn slot(&self) -> Text<u64> {
        if self.slots.count_ones() == 1 {
            return Ok(self.slots.trailing_zeros().into());
        }
        Err("is in several arrays: NAME@ARRAY means one of them".into())
    }
}

/// What stands for a second operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Rows.
    Register(Register),
    /// A number.
    Number {
        /// Its value, if it is a whole number.
        integer: Option<i64>,
        /// Its value as binary32.
        real: Option<f32>,
        /// Bits that count, if they were given.
        bits: Option<u64>,
        /// Extended with its sign.
        signed: bool,
    },
    /// A scalar register.
    Scalar {
        /// Its number.
        number: u64,
        /// Bits that count, if they were given.
        bits: Option<u64>,
        /// Extended with its sign.
        signed: bool,
    },
}

/// Names that a text has given.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Registers.
    pub registers: HashMap<String, Register>,
    /// Scalar registers.
    pub scalars: HashMap<String, u64>,
    /// Constants.
    pub constants: HashMap<String, i64>,
}

/// Refuses registers that only the result of a product may be.
///
/// # Errors
/// What is wrong.
pub fn narrow(text: &str, register: Register) -> Text<Register> {
    if register.rows <= 64 {
        return Ok(register);
    }
    Err(format!("{text:?}: has {} rows: only products have more than 64", register.rows))
}

/// Whether a text is a name: letters, digits and `_`, beginning with none of the digits.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A whole number: decimal, or hexadecimal with `0x`, with a sign.
///
/// # Errors
/// What is wrong with it.
pub fn integer(text: &str) -> Text<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let plain = digits.starts_with(|c: char| c.is_ascii_digit());
    let value = match digits.strip_prefix("0x") {
        Some(digits) if !digits.starts_with(['+', '-']) => i64::from_str_radix(digits, 16).ok(),
        None if plain => digits.parse().ok(),
        _ => None,
    };
    let value = value.ok_or_else(|| format!("{text:?} is no number below 2^63"))?;
    Ok(if negative { -value } else { value })
}

fn below(text: &str, what: &str, least: u64, most: u64) -> Text<u64> {
    let value = integer(text)?;
    u64::try_from(value)
        .ok()
        .filter(|value| (least..=most).contains(value))
        .ok_or_else(|| format!("{what} = {text}: must be {least} to {most}"))
}

/// Arrays, a digit for each.
///
/// # Errors
/// What is wrong.
pub fn slots(text: &str) -> Text<u64> {
    let mut found = 0;
    for c in text.chars() {
        let slot = c.to_digit(10).filter(|&slot| slot < SLOTS as u32 && found >> slot & 1 == 0);
        let rule = || format!("arrays = {text:?}: must be digits 0 to {}, each once at most", SLOTS - 1);
        found |= 1 << slot.ok_or_else(rule)?;
    }
    if found == 0 { Err(format!("arrays = {text:?}: must name one")) } else { Ok(found) }
}

impl Names {
    /// Rows, by name or by place.
    ///
    /// # Errors
    /// What is wrong.
    pub fn register(&self, text: &str) -> Text<Register> {
        let (text, shift) = match text.split_once("<<") {
            Some((text, shift)) => (text, below(shift, "shift", 0, 31)?),
            None => (text, 0),
        };
        let (text, signed) = text.strip_suffix(".s").map_or((text, false), |text| (text, true));
        let (text, part) = match text.strip_suffix('}').and_then(|text| text.split_once('{')) {
            Some((text, part)) => (text, Some(part)),
            None => (text, None),
        };
        let mut register = if text.starts_with(|c: char| c.is_ascii_digit()) {
            let mut parts = text.split(':');
            let mut next = || parts.next().ok_or_else(|| format!("{text:?}: rows are ARRAYS:ROW:ROWS"));
            let (which, row, rows) = (slots(next()?)?, next()?, next()?);
            if parts.next().is_some() {
                return Err(format!("{text:?}: rows are ARRAYS:ROW:ROWS"));
            }
            let row = below(row, "row", 0, MOST_ROWS as u64 - 1)?;
            Register { slots: which, row, rows: below(rows, "rows", 1, MOST_REGISTER)?, signed: false, shift: 0 }
        } else {
            self.named(text)?
        };
        if let Some(part) = part {
            let (from, rows) = part.split_once(':').unwrap_or((part, "1"));
            let from = below(from, "row of the register", 0, register.rows - 1)?;
            let rows = below(rows, "rows", 1, register.rows - from)?;
            (register.row, register.rows) = (register.row + from, rows);
            if register.row >= MOST_ROWS as u64 {
                return Err(format!("{text}{{{part}}}: row = {}: must be 0 to {}", register.row, MOST_ROWS - 1));
            }
        }
        Ok(Register { signed: signed || register.signed && part.is_none(), shift, ..register })
    }

    fn named(&self, text: &str) -> Text<Register> {
        let (name, slot) = match text.split_once('@') {
            Some((name, slot)) => (name, Some(slots(slot)?)),
            None => (text, None),
        };
        let register = *self.registers.get(name).ok_or_else(|| format!("{name:?} is no register"))?;
        match slot {
            Some(slot) if slot & register.slots == slot => Ok(Register { slots: slot, ..register }),
            Some(_) => Err(format!("{text:?}: the register is not in that array")),
            None => Ok(register),
        }
    }

    /// The number of a scalar register, by `%NUMBER` or `%NAME`.
    ///
    /// # Errors
    /// What is wrong.
    pub fn scalar(&self, text: &str) -> Text<u64> {
        let name = text.strip_prefix('%').ok_or_else(|| format!("{text:?} is no scalar register: %NUMBER or %NAME"))?;
        if let Some(&number) = self.scalars.get(name) {
            return Ok(number);
        }
        if is_name(name) || name.is_empty() {
            return Err(format!("{text:?} is no scalar register"));
        }
        below(name, "scalar register", 0, SCALARS as u64 - 1)
    }

    /// A number, by itself or by a constant's name.
    ///
    /// # Errors
    /// What is wrong.
    pub fn number(&self, text: &str) -> Text<i64> {
        self.constants.get(text).map_or_else(|| integer(text), |&value| Ok(value))
    }

    /// A second operand.
    ///
    /// # Errors
    /// What is wrong.
    pub fn value(&self, text: &str) -> Text<Value> {
        let name = text.split(['@', '{', '.', '<']).next().unwrap_or(text);
        if self.registers.contains_key(name) || text.matches(':').count() >= 2 {
            return Ok(Value::Register(narrow(text, self.register(text)?)?));
        }
        let (bare, signed) = text.strip_suffix(".s").map_or((text, false), |text| (text, true));
        let (bare, bits) = match bare.split_once(':') {
            Some((bare, bits)) if !bits.contains(':') => (bare, Some(below(bits, "bits", 1, 32)?)),
            _ => (bare, None),
        };
        if text.starts_with('%') {
            return Ok(Value::Scalar { number: self.scalar(bare)?, bits, signed });
        }
        let integer = self.number(bare);
        if let Ok(integer) = integer {
            return Ok(Value::Number { integer: Some(integer), real: Some(integer as f32), bits, signed });
        }
        let real: Option<f32> =
            text.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        if let Some(real) = real {
            return Ok(Value::Number { integer: None, real: Some(real), bits: None, signed: false });
        }
        Err(format!("{text:?} is no register, number or scalar register"))
    }
}
