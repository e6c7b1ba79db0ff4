//! Statements that become compute words.

use super::{Assembler, Options, Reader};
use crate::array::isa::format::{FORMATS, Format};
use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::operation::{Operation, Role};
use crate::array::isa::row::Operand;
use crate::array::isa::{Opcode, Set};
use crate::duality::isa::codes::{Kind, Source};
use crate::duality::isa::compute::{has, names_format};
use crate::duality::isa::field::*;
use crate::duality::isa::operand::{Register, Value};
use crate::duality::isa::source::{Placed, Token, placed};
use crate::duality::isa::word::Word;

/// An operation, a format with its code, and a set.
type Verb = (Opcode, Option<(usize, Format)>, Set);

/// What a statement's first word names.
fn verb(token: Token<'_>) -> Placed<Verb> {
    let mut parts: Vec<&str> = token.text.split('.').collect();
    let mut set = Set::Fast;
    if let Some(named) = parts.last().and_then(|last| Set::ALL.into_iter().find(|set| set.name() == *last)) {
        set = named;
        parts.pop();
    }
    let mut format = None;
    if let Some(at) = parts.last().and_then(|last| FORMATS.iter().position(|format| format.name == *last)) {
        format = Some((at + 1, FORMATS[at]));
        parts.pop();
    }
    let name = parts.join(".");
    let Some(opcode) = Opcode::from_mnemonic(&name).filter(|&opcode| has(opcode)) else {
        let known = "move, ld, st, atom, s, mask, jump, loop, end or an operation of the array";
        return Err((token.column, format!("{:?}: must be {known} (add, mul, fadd.f32 ...)", token.text)));
    };
    match (names_format(opcode), format.is_some()) {
        (true, false) => Err((token.column, format!("{opcode} needs a format: {opcode}.f32"))),
        (false, true) if opcode.is_float() => Err((token.column, format!("{opcode} has its format in its name"))),
        (false, true) => Err((token.column, format!("{opcode} is for integers and has no format"))),
        _ => Ok((opcode, format, set)),
    }
}

/// The width that an operation has if it is not given: from the rows of its result, or from its sources.
pub(in crate::duality::isa) fn default_width(operation: &Operation, d: u64, sources: u64) -> u64 {
    let rows = operation.extent_of(Operand::D);
    let by_result = |rows: Linear| {
        let fits = |n: &u64| rows.value(*n as i32, 0) == d as i32;
        (rows.n != 0 && rows.term == Term::None).then(|| (1..=64).find(fits)).flatten()
    };
    let found = rows.filter(|rows| rows.role != Role::Accumulator).and_then(|extent| by_result(extent.rows.linear()?));
    let sources = if operation.power_of_two { sources.max(1).next_power_of_two() } else { sources };
    found.unwrap_or(sources.max(operation.widths.0.into()))
}

/// The bits of an immediate or a scalar that count unless it is said: as many as the operation takes, 32 at most; of an
/// amount as many as tell all places of n bits apart.
pub(in crate::duality::isa) fn default_bits(operation: &Operation, n: u64, format: Option<Format>) -> u64 {
    match format {
        Some(format) => format.bits().into(),
        None if operation.second.is_some() => u64::from(u64::BITS - n.leading_zeros()),
        None => n.min(32),
    }
}

pub(super) fn compute(
    assembler: &Assembler<'_>,
    first: Token<'_>,
    reader: &mut Reader<'_, '_>,
    options: &mut Options<'_>,
) -> Placed<Word> {
    let (opcode, format, set) = verb(first)?;
    let rules = assembler.rules.as_ref().expect("known before statements are read");
    let operation = rules.operations().operation(opcode, set);
    let role = |operand| operation.extent_of(operand).map(|extent| extent.role);
    let d_at = reader.next("the result")?;
    let d = placed(d_at, reader.declared.names.register(d_at.text))?;
    if d.shift != 0 {
        return Err((d_at.column, format!("{:?}: only first sources are shifted", d_at.text)));
    }
    let slot = placed(d_at, d.slot())?;
    let one = |token: Token<'_>, register: Register| {
        if register.slots >> slot & 1 == 1 {
            return Ok(register);
        }
        Err((token.column, format!("{:?} is not in array {slot}, which computes", token.text)))
    };
    let mut e = None;
    if role(Operand::E) == Some(Role::Result) {
        let (token, register) = reader.plain("the second result")?;
        e = Some((token, one(token, register)?));
    }
    let mut a = None;
    if role(Operand::A).is_some() {
        let token = reader.next("the first source")?;
        a = Some(one(token, reader.declared.read(token)?)?);
    }
    let takes_b = role(Operand::B).is_some() || opcode == Opcode::MulConst;
    let b = if takes_b { Some(reader.next("the second source")?) } else { None };
    let b_value = b.map(|token| placed(token, reader.declared.names.value(token.text))).transpose()?;
    if role(Operand::E) == Some(Role::Source) {
        let what = if opcode == Opcode::FFma { "the third source" } else { "the row that chooses" };
        let (token, register) = reader.plain(what)?;
        e = Some((token, one(token, register)?));
    }
    let rows_of_b = match b_value {
        Some(Value::Register(register)) => register.rows,
        _ => 0,
    };
    let shifts = operation.second.is_some() && role(Operand::D) != Some(Role::Accumulator);
    let sources = a.map_or(0, |a| a.rows + a.shift).max(if shifts { 0 } else { rows_of_b });
    let n = match (format, options.width()) {
        (Some((_, format)), _) => format.bits().into(),
        (None, Some(width)) => width,
        (None, None) => default_width(&operation, d.rows, sources),
    };
    if !(1..=64).contains(&n) {
        return Err((first.column, format!("n = {n}: must be 1 to 64")));
    }
    let mut word = Word::new(Kind::Compute).with(SLOT, slot).with(OPCODE, opcode.code()).with(SET, set as u64);
    word = word.with(FORMAT, format.map_or(0, |(number, _)| number as u64)).with(WIDTH, n - 1).with(D, d.row);
    if opcode.is_float() {
        word = word.with(MODIFIER, options.mode().key());
    }
    if let Some(a) = a {
        word = word.with(A, a.row).with(WIDTH_A, a.rows - 1).with(SIGN_A, a.signed.into());
        if !opcode.is_float() {
            word = word.with(MODIFIER, a.shift);
        } else if a.shift != 0 {
            return Err((first.column, format!("{opcode} does not shift its source")));
        }
    }
    if let Some((_, e)) = e {
        word = word.with(E, e.row);
    }
    if let (Some(token), Some(value)) = (b, b_value) {
        let bits = default_bits(&operation, n, format.map(|format| format.1));
        word = match value {
            Value::Register(register) => {
                let register = one(token, register)?;
                if register.shift != 0 {
                    return Err((token.column, format!("{:?}: only first sources are shifted", token.text)));
                }
                word.with(B, register.row).with(WIDTH_B, register.rows - 1).with(SIGN_B, register.signed.into())
            }
            Value::Scalar { number, bits: given, signed } => {
                let bits = given.unwrap_or(bits).min(32);
                let word = word.with(SOURCE, Source::Scalar.code()).with(B, number);
                word.with(WIDTH_B, bits - 1).with(SIGN_B, signed.into())
            }
            Value::Number { integer, real, bits: given, signed } => {
                let real_wanted = format.is_some_and(|(_, format)| format.name == "f32");
                let exact = given.is_some() || token.text.contains("0x");
                let bits = given.unwrap_or(bits).min(32);
                let (value, negative) = match (real.filter(|_| real_wanted && !exact), integer) {
                    (Some(real), _) => (u64::from(real.to_bits()), false),
                    (None, Some(integer)) => (immediate(token, integer, bits)?, integer < 0),
                    (None, None) => {
                        let rule = "numbers with a point are for format f32";
                        return Err((token.column, format!("{:?}: {rule}", token.text)));
                    }
                };
                // A negative number goes on with its sign where the operation has more bits.
                let signed = signed || negative && n > bits && format.is_none();
                let word = word.with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, value);
                word.with(WIDTH_B, bits - 1).with(SIGN_B, signed.into())
            }
        };
    }
    if role(Operand::D) == Some(Role::Accumulator) {
        word = word.with(IMMEDIATE, d.rows);
    }
    word = options.predicate(word, 1 << slot)?;
    let given = options.scratch();
    if let Some(row) = given {
        word = word.with(S, row);
    }
    let fault = |illegal: crate::duality::isa::word::Illegal| (first.column, illegal.to_string());
    // Scratch rows that nobody has named are behind all registers, if there are any.
    let free = reader.declared.free[slot as usize];
    let shape = match (given, rules.shape(word.with(S, free.min(S.most())))) {
        (Some(_), _) => rules.shape(word).map_err(fault)?,
        (None, Ok(shape)) => {
            word = word.with(S, free.min(S.most()));
            shape
        }
        (None, Err(_)) => rules.shape(word).map_err(|illegal| {
            // What is wrong with the scratch rows is the better message where there must be some.
            let better = rules.shape(word.with(S, free.min(S.most()))).err();
            let scratch_is_not_idle = better.filter(|better| better.code != crate::duality::isa::codes::Trap::Unused);
            fault(scratch_is_not_idle.unwrap_or(illegal))
        })?,
    };
    if shape.d.1 != d.rows {
        let reason = format!("the result has {} rows, {:?} has {}", shape.d.1, d_at.text, d.rows);
        return Err((d_at.column, reason));
    }
    if let (Some((token, register)), Some((_, rows))) = (e, shape.e) {
        if register.rows != rows {
            let reason = format!("{:?}: must have {rows} rows, not {}", token.text, register.rows);
            return Err((token.column, reason));
        }
    }
    Ok(word)
}

/// A number as the low bits of the immediate.
fn immediate(token: Token<'_>, value: i64, bits: u64) -> Placed<u64> {
    let (least, most) = (-(1i64 << (bits - 1)), (1i64 << bits) - 1);
    if !(least..=most).contains(&value) {
        return Err((token.column, format!("immediate = {value}: must be {least} to {most}, {bits} bits")));
    }
    Ok(value as u64 & ((1 << bits) - 1))
}
