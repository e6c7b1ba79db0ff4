//! The sources of a compute word: where they are, and how many rows or bits of them count.

use super::codes::{Source, Trap};
use super::compute::{Rows, idle, refuse};
use super::field::*;
use super::word::{Illegal, Word};
use crate::array::isa::Opcode;
use crate::array::isa::format::{Format, MODE_BITS};
use crate::array::isa::opcode::Conversion;
use crate::duality::params::SCALARS;

/// What the first source of an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// An integer, which may be shifted.
    Shifted,
    /// An integer whose modifier is a mode.
    Integer,
    /// A number of a format.
    Number,
}

impl First {
    /// Of an operation.
    pub(super) fn of(opcode: Opcode) -> First {
        match opcode.conversion() {
            Some(Conversion::FromInteger(_)) => First::Integer,
            _ if opcode.is_float() => First::Number,
            _ => First::Shifted,
        }
    }
}

/// Rows of the first source, and how many of them the operation takes.
#[inline]
pub(super) fn first(word: Word, wanted: Option<u64>, kind: First) -> Result<Option<(Rows, u64)>, Illegal> {
    let modifier = word.get(MODIFIER);
    if kind != First::Shifted && modifier >> MODE_BITS != 0 {
        return refuse(Trap::Code, MODIFIER, modifier, format!("a mode has {MODE_BITS} bits"));
    }
    let Some(wanted) = wanted else {
        let fields = [A, WIDTH_A, SIGN_A];
        idle(word, &fields, "the operation has no operand a")?;
        idle(word, if kind == First::Shifted { &[MODIFIER] } else { &[] }, "the operation has no operand a")?;
        return Ok(None);
    };
    let rows = word.get(WIDTH_A) + 1;
    if rows > wanted || kind == First::Number && rows != wanted {
        let rule = if kind == First::Number { "the format has" } else { "the operation takes at most" };
        return refuse(Trap::Width, WIDTH_A, rows, format!("{rule} {wanted} rows"));
    }
    if kind == First::Shifted && modifier != 0 && modifier >= wanted {
        return refuse(Trap::Code, MODIFIER, modifier, format!("a of {wanted} bits moves up by fewer"));
    }
    if kind == First::Number {
        idle(word, &[SIGN_A], "numbers of a format are not extended")?;
    }
    Ok(Some(((word.get(A), rows), wanted)))
}

/// Rows of the second source, if it is in rows.
#[inline]
pub(super) fn second(
    word: Word,
    opcode: Opcode,
    wanted: Option<u64>,
    format: Option<Format>,
    accumulates: bool,
) -> Result<Option<Rows>, Illegal> {
    let Some(wanted) = wanted else {
        idle(word, &[B, WIDTH_B, SIGN_B, SOURCE, IMMEDIATE], "the operation has no operand b")?;
        return Ok(None);
    };
    let Some(source) = Source::from_code(word.get(SOURCE)).filter(|&source| source != Source::Indexed) else {
        return refuse(Trap::Code, SOURCE, word.get(SOURCE), "must be 0 (rows), 1 (immediate) or 2 (scalar)");
    };
    let bits = word.get(WIDTH_B) + 1;
    let most = if source == Source::Row { wanted } else { wanted.min(32) };
    if bits > most || format.is_some() && bits != wanted {
        let rule = match format {
            Some(_) if wanted > 32 && source != Source::Row => "immediates and scalars have at most 32 bits".into(),
            Some(format) => format!("a number of format {format} has {wanted} bits"),
            None => format!("the operation takes at most {most} bits from there"),
        };
        return refuse(Trap::Width, WIDTH_B, bits, rule);
    }
    if format.is_some() {
        idle(word, &[SIGN_B], "numbers of a format are not extended")?;
    }
    if opcode == Opcode::MulConst && source == Source::Row || accumulates && source != Source::Row {
        let rule = if source == Source::Row { "its factor is no row" } else { "its factors are rows" };
        return refuse(Trap::Code, SOURCE, source, format!("{opcode}: {rule}"));
    }
    match source {
        Source::Row | Source::Indexed => {
            idle(word, if accumulates { &[] } else { &[IMMEDIATE] }, "b is in rows")?;
            Ok(Some((word.get(B), bits)))
        }
        Source::Immediate => {
            idle(word, &[B], "b is the immediate")?;
            let immediate = word.get(IMMEDIATE);
            if immediate >> bits != 0 {
                return refuse(Trap::Immediate, IMMEDIATE, immediate, format!("must be below 2^{bits}, b's bits"));
            }
            Ok(None)
        }
        Source::Scalar => {
            idle(word, &[IMMEDIATE], "b is a scalar")?;
            if word.get(B) >= SCALARS as u64 {
                return refuse(Trap::Register, B, word.get(B), format!("there are {SCALARS} scalar registers"));
            }
            Ok(None)
        }
    }
}
