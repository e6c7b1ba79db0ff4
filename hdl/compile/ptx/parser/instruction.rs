//! An instruction: guard, words, and operands by the letters of its form.
//!
//! | letter | operand |
//! |---|---|
//! | `d`, `e`, `D`, `U` | result of the first type; in a wider register, too; of twice the width; of 32 bits |
//! | `h`, `H` | result of the first type, or of 32 bits, perhaps with a predicate behind `\|` |
//! | `o`, `x`, `k` | result that may be `_`; what a load writes; register or vector of a `mov` |
//! | `p`, `P`, `q` | predicate written, perhaps with its complement; one for each half; alone |
//! | `g` | result that may be `_`, with a predicate behind `\|` |
//! | `a`, `W`, `u` | source of the first type; of twice the width; of 32 bits |
//! | `s`, `r` | source of the second type; in a wider register, too |
//! | `A`, `v`, `z` | source of a `mov`; register or variable; an address |
//! | `y`, `m`, `c` | what a store writes; `[address]`; predicate read |
//! | `l`, `i`, `b` | label; constant; barrier 0 |

use super::call::{READ_ONLY, call};
use super::cursor::Cursor;
use super::operand::{Wanted, memory, movable, predicate, register, source, vector};
use super::scope::Scope;
use crate::error::{Place, Result};
use crate::ptx::ast::{Base, Guard, Instruction, Operand, Symbol};
use crate::ptx::table::{self, Opcode};
use crate::ptx::token::Kind;
use crate::ptx::types::{Class, Space, Type, Word, Words};

/// What the words of a suffix say.
#[derive(Default)]
struct Suffix {
    words: Words,
    types: Vec<Type>,
    space: Option<Space>,
}

fn suffix(words: &[&str]) -> Suffix {
    let mut found = Suffix::default();
    for word in words {
        if let Some(ty) = Type::from_name(word) {
            found.types.push(ty);
        } else if let Some(space) = Space::from_name(word) {
            found.space = Some(space);
        } else if let Some(word) = Word::from_name(word) {
            found.words = found.words.with(word);
        }
    }
    found
}

/// One instruction, to its semicolon, added to the kernel.
pub(super) fn instruction(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>) -> Result<()> {
    let place = cursor.place();
    let guard = if cursor.take(Kind::At) {
        match predicate(cursor, scope, "@")? {
            Operand::Predicate { register, negated } => Some(Guard { register, negated }),
            _ => None,
        }
    } else {
        None
    };
    let name = cursor.expect(Kind::Name, "an instruction")?;
    let mut spelling = name.text.to_string();
    let mut words = Vec::new();
    while let Some(token) = cursor.peek().filter(|token| token.kind == Kind::Dotted && token.joined) {
        cursor.next()?;
        spelling += token.text;
        words.push(&token.text[1..]);
    }
    let (_, form) = table::find(name.text, &words).map_err(|reason| cursor.error_at(name.place, reason))?;
    let Some(opcode) = Opcode::from_name(name.text) else {
        return Err(cursor.error_at(name.place, format!("`{spelling}` is not there")));
    };
    let suffix = suffix(&words);
    let mut operands = Vec::new();
    let mut results = 0;
    if opcode == Opcode::Call {
        let call = call(cursor, scope, &spelling)?;
        scope.calls.push(call);
    }
    for (at, letter) in form.operands.split(' ').filter(|letter| !letter.is_empty()).enumerate() {
        if at > 0 {
            cursor.expect(Kind::Comma, &format!(", and another operand of `{spelling}`"))?;
        }
        if "deDUhHoxkpPqg".contains(letter) {
            results = 1;
        }
        operands.push(operand(cursor, scope, &spelling, &suffix, letter)?);
    }
    if cursor.is(Kind::Comma) {
        let reason = match opcode {
            Opcode::Bar | Opcode::Barrier => format!("`{spelling}`: a part of a block at a barrier is refused"),
            _ => format!("`{spelling}`: too many operands"),
        };
        return Err(cursor.error(reason));
    }
    cursor.expect(Kind::Semicolon, &format!("; behind `{spelling}`"))?;
    let opcode = match opcode {
        // What stands in memory is the same for both.
        Opcode::Ldu => Opcode::Ld,
        Opcode::Barrier => Opcode::Bar,
        // Memory is seen in order: there is nothing to wait for.
        Opcode::Membar | Opcode::Fence => return Ok(()),
        other => other,
    };
    let Suffix { words, types, space } = suffix;
    let source = scope.source;
    let found = Instruction { opcode, spelling, words, types, space, guard, operands, results, place, source };
    check(cursor, scope, &found, name.place)?;
    scope.kernel.body.push(found);
    Ok(())
}

/// One operand.
fn operand(
    cursor: &mut Cursor<'_, '_>,
    scope: &mut Scope<'_>,
    spelling: &str,
    suffix: &Suffix,
    letter: &str,
) -> Result<Operand> {
    let first = suffix.types.first().copied().unwrap_or(Type::B32);
    let second = suffix.types.get(1).copied().unwrap_or(first);
    let of = |ty: Type| Wanted { spelling, ty, wider: false };
    let wide = |ty: Type| Wanted { spelling, ty, wider: true };
    let doubled = || of(first.doubled().unwrap_or(first));
    let address = if scope.module.address_size == 64 { Type::U64 } else { Type::U32 };
    let vector_length = match (suffix.words.has(Word::V2), suffix.words.has(Word::V4)) {
        (true, _) => 2,
        (_, true) => 4,
        _ => 1,
    };
    let written = |cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, wanted| {
        register(cursor, scope, wanted).map(Operand::Register)
    };
    match letter {
        "d" => written(cursor, scope, of(first)),
        "e" => written(cursor, scope, wide(first)),
        "D" => written(cursor, scope, doubled()),
        "U" => written(cursor, scope, of(Type::U32)),
        "q" => written(cursor, scope, of(Type::Pred)),
        "o" if cursor.take_text("_") => Ok(Operand::Nothing),
        "o" => written(cursor, scope, of(first)),
        "h" | "H" => {
            let found = register(cursor, scope, of(if letter == "h" { first } else { Type::U32 }))?;
            if !cursor.take(Kind::Bar) {
                return Ok(Operand::Register(found));
            }
            Ok(Operand::Pair(found, register(cursor, scope, of(Type::Pred))?))
        }
        "g" => {
            let found = if cursor.take_text("_") { scope.sink(first) } else { register(cursor, scope, of(first))? };
            cursor.expect(Kind::Bar, "| and a predicate")?;
            Ok(Operand::Pair(found, register(cursor, scope, of(Type::Pred))?))
        }
        "p" | "P" => {
            let found = register(cursor, scope, of(Type::Pred))?;
            if letter == "P" && !cursor.is(Kind::Bar) {
                return Err(cursor.error(format!("`{spelling}` writes a predicate for each half: expected |")));
            }
            if !cursor.take(Kind::Bar) {
                return Ok(Operand::Register(found));
            }
            let other = register(cursor, scope, of(Type::Pred))?;
            if other == found {
                return Err(cursor.error_before(format!("`{spelling}` writes a predicate twice")));
            }
            Ok(Operand::Pair(found, other))
        }
        "x" | "y" if vector_length > 1 => {
            let parts = vector(cursor, scope, wide(first), letter == "x")?;
            if parts.len() != vector_length {
                let reason = format!("`{spelling}`: {} parts, must be {vector_length}", parts.len());
                return Err(cursor.error_before(reason));
            }
            Ok(Operand::Vector(parts))
        }
        "x" => written(cursor, scope, wide(first)),
        "y" => source(cursor, scope, wide(first)),
        "k" | "A" if cursor.is(Kind::BraceOpen) => parts(cursor, scope, spelling, first, letter == "k"),
        "k" => written(cursor, scope, of(first)),
        "A" => movable(cursor, scope, of(first)),
        "v" => movable(cursor, scope, of(first)),
        "a" => source(cursor, scope, of(first)),
        "W" => source(cursor, scope, doubled()),
        "u" => source(cursor, scope, of(Type::U32)),
        "s" => source(cursor, scope, of(second)),
        "r" => source(cursor, scope, wide(second)),
        "z" => source(cursor, scope, of(address)),
        "c" => predicate(cursor, scope, spelling),
        "m" => memory(cursor, scope, spelling, suffix.space, first.bytes() * vector_length as u64),
        "l" => {
            let token = cursor.expect(Kind::Name, "a label")?;
            Ok(Operand::Label(scope.label(token.text, token.place)))
        }
        "i" => source(cursor, scope, of(Type::U32)),
        "b" => match cursor.unsigned("a barrier's number")? {
            0 => Ok(Operand::Immediate(0)),
            other => Err(cursor.error_before(format!("barrier {other}: there is barrier 0 only; use __syncthreads()"))),
        },
        other => unreachable!("the table has no operand {other}"),
    }
}

/// The parts of a register: `mov.b64 {%r1, %r2}, %rd1`.
fn parts(
    cursor: &mut Cursor<'_, '_>,
    scope: &mut Scope<'_>,
    spelling: &str,
    whole: Type,
    written: bool,
) -> Result<Operand> {
    let start = cursor.place();
    // The width of the parts follows from the first one's register.
    let first = cursor.peek_second().and_then(|name| scope.register(name));
    let bits = first.map_or(whole.bits() / 2, |register| scope.ty(register).bits());
    let ty = match (whole.bits(), bits) {
        (64, 32) => Type::B32,
        (64 | 32, 16) => Type::B16,
        _ => {
            let reason = format!("`{spelling}`: parts must have 16 bits, or 32 of 64");
            return Err(cursor.error_at(start, reason));
        }
    };
    let found = vector(cursor, scope, Wanted { spelling, ty, wider: false }, written)?;
    if found.len() as u32 * ty.bits() != whole.bits() {
        let reason = format!("`{spelling}`: {} parts of {} bits are not {}", found.len(), ty.bits(), whole.bits());
        return Err(cursor.error_at(start, reason));
    }
    Ok(Operand::Vector(found))
}

/// What a form alone does not say.
fn check(cursor: &Cursor<'_, '_>, scope: &Scope<'_>, found: &Instruction, place: Place) -> Result<()> {
    let spelling = &found.spelling;
    let refuse = |reason: String| Err(cursor.error_at(place, format!("`{spelling}`: {reason}")));
    match found.opcode {
        Opcode::St if found.space == Some(Space::Param) => match &found.operands[0] {
            Operand::Memory { base: Base::Symbol(Symbol::Kernel(own)), .. } if !scope.inputs().contains(own) => Ok(()),
            _ => refuse(READ_ONLY.into()),
        },
        Opcode::Cvta if found.ty().bits() != scope.module.address_size => {
            refuse(format!("an address has {} bits", scope.module.address_size))
        }
        Opcode::Cvta => match found.operands[1] {
            Operand::Address(symbol, _) => {
                let own = scope.space(symbol);
                if found.space == Some(own) && !found.words.has(Word::To) {
                    Ok(())
                } else {
                    refuse(format!("the variable lies in .{}", own.name()))
                }
            }
            _ => Ok(()),
        },
        Opcode::Mov => match (&found.operands[0], &found.operands[1]) {
            (Operand::Vector(_), Operand::Vector(_)) => refuse("parts stand on one side only".into()),
            (Operand::Vector(_), _) | (_, Operand::Vector(_)) if !matches!(found.ty(), Type::B32 | Type::B64) => {
                refuse("parts are moved by mov.b32 or mov.b64".into())
            }
            _ => Ok(()),
        },
        // Conversions that lose digits or a fraction say how they round; those that cannot must not.
        Opcode::Cvt => {
            let (to, from) = (found.types[0], found.types[1]);
            let directed = found.words.one_of(&[Word::Rn, Word::Rz, Word::Rm, Word::Rp]).is_some();
            let exact = from == Type::F32 && to == Type::F32;
            if exact && directed { refuse("rounds nothing; leave the rounding out".into()) } else { Ok(()) }
        }
        Opcode::Setp | Opcode::Set => {
            let ty = found.types[found.types.len() - 1];
            let plain = found.words.one_of(&[Word::Eq, Word::Ne]).is_some();
            let unsigned = found.words.one_of(&[Word::Lo, Word::Ls, Word::Hi, Word::Hs]).is_some();
            match ty.class() {
                Class::Bits if !plain => refuse("bits are equal or not; compare numbers, such as .u32".into()),
                Class::Signed if unsigned => refuse("lo, ls, hi and hs compare unsigned numbers".into()),
                _ => Ok(()),
            }
        }
        Opcode::Lop3 => match found.operands[4] {
            Operand::Immediate(table) if table < 256 => Ok(()),
            _ => refuse("the table must be a constant from 0 to 255".into()),
        },
        _ => Ok(()),
    }
}
