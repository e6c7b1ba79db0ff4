//! Operands: registers, constants, special registers, addresses, vectors.

use super::call::POINTERS;
use super::cursor::Cursor;
use super::scope::Scope;
use crate::error::{Place, Result};
use crate::ptx::ast::{Axis, Base, Lanes, Operand, RegisterId, Special, Symbol};
use crate::ptx::token::{Kind, Token};
use crate::ptx::types::{Class, Space, Type};

/// What an operand is read for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// The instruction as written.
    pub(super) spelling: &'w str,
    /// Its type at this operand.
    pub(super) ty: Type,
    /// Whether a register may be wider.
    pub(super) wider: bool,
}

/// Bits of a constant of type `ty`.
pub(super) fn constant(cursor: &mut Cursor<'_, '_>, ty: Type) -> Result<u64> {
    let start = cursor.place();
    if cursor.is(Kind::Bits) {
        let token = cursor.next()?;
        let bits = (token.text.len() as u32 - 2) * 4;
        if bits != ty.bits() || !(ty.is_float() || ty.class() == Class::Bits) {
            let reason = format!("{}: a float of {bits} bits, where .{} is expected", token.text, ty.name());
            return Err(cursor.error_before(reason));
        }
        return u64::from_str_radix(&token.text[2..], 16)
            .map_err(|_| cursor.error_before(format!("{}: must be hexadecimal", token.text)));
    }
    let fraction = |cursor: &Cursor<'_, '_>| cursor.is(Kind::Fraction);
    if ty.is_float() {
        let negative = cursor.take(Kind::Minus);
        if !fraction(cursor) {
            let reason = format!("expected a constant of .{}, such as 1.5 or its bits, 0f3FC00000", ty.name());
            return Err(cursor.error(reason));
        }
        let token = cursor.next()?;
        let number: f64 = token.text.parse().map_err(|_| cursor.error_before(format!("{}: no number", token.text)))?;
        let number = if negative { -number } else { number };
        return match ty {
            Type::F32 => Ok(u64::from((number as f32).to_bits())),
            Type::F64 => Ok(number.to_bits()),
            _ => Err(cursor.error_before("16-bit floats have no constants; move their bits by mov.b16".into())),
        };
    }
    if fraction(cursor) {
        return Err(cursor.error(format!("a fraction, where .{} is expected", ty.name())));
    }
    let number = cursor.signed("a constant")?;
    if ty == Type::Pred {
        return Ok(u64::from(number != 0));
    }
    let (low, high) = (-(1_i128 << (ty.bits() - 1)), (1_i128 << ty.bits()) - 1);
    if number < low || number > high {
        let reason = format!("{number}: must be from {low} to {high} to have .{}", ty.name());
        return Err(cursor.error_at(start, reason));
    }
    Ok(number as u64 & ty.mask())
}

/// The special register that begins with this token, with its coordinate.
fn special(cursor: &mut Cursor<'_, '_>, token: Token<'_>) -> Result<Option<Special>> {
    type Make = fn(Axis) -> Special;
    let make: Make = match token.text {
        "%tid" => Special::Tid,
        "%ntid" => Special::Ntid,
        "%ctaid" => Special::Ctaid,
        "%nctaid" => Special::Nctaid,
        "%laneid" => return Ok(Some(Special::Lane)),
        "%warpid" | "%nwarpid" => {
            let reason = format!("{} is not there yet; use %laneid or %tid", token.text);
            return Err(cursor.error_before(reason));
        }
        "%smid" | "%nsmid" | "%gridid" | "%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo"
        | "%globaltimer_hi" | "%envreg0" | "%clusterid" | "%cluster_ctaid" | "%dynamic_smem_size"
        | "%total_smem_size" => {
            return Err(cursor.error_before(format!("{} is refused: the array has no such register", token.text)));
        }
        other => {
            let lanes = other.strip_prefix("%lanemask_").and_then(|name| {
                Lanes::ALL.iter().find(|(other, _)| *other == name).map(|(_, lanes)| Special::Lanes(*lanes))
            });
            return Ok(lanes);
        }
    };
    let axis = cursor.peek().filter(|axis| axis.kind == Kind::Dotted && axis.joined).and_then(|axis| match axis.text {
        ".x" => Some(Axis::X),
        ".y" => Some(Axis::Y),
        ".z" => Some(Axis::Z),
        _ => None,
    });
    let Some(axis) = axis else {
        return Err(cursor.error_before(format!("{}: must be followed by .x, .y or .z", token.text)));
    };
    cursor.next()?;
    Ok(Some(make(axis)))
}

/// The register that this token names.
fn named(cursor: &Cursor<'_, '_>, scope: &mut Scope<'_>, token: Token<'_>) -> Result<RegisterId> {
    scope
        .register(token.text)
        .ok_or_else(|| cursor.error_at(token.place, format!("{} is not declared in {}", token.text, scope.kernel.name)))
}

/// A register of the wanted type.
pub(super) fn register(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, wanted: Wanted<'_>) -> Result<RegisterId> {
    let token = cursor.next()?;
    if !matches!(token.kind, Kind::Register | Kind::Name) {
        return Err(cursor.error_before(format!("`{}`: found {}, expected a register", wanted.spelling, token.text)));
    }
    let found = named(cursor, scope, token)?;
    check(cursor, scope, wanted, found, token.place)?;
    Ok(found)
}

fn check(
    cursor: &Cursor<'_, '_>,
    scope: &Scope<'_>,
    wanted: Wanted<'_>,
    found: RegisterId,
    place: Place,
) -> Result<()> {
    let own = scope.ty(found);
    if wanted.ty.takes(own, wanted.wider) {
        return Ok(());
    }
    let name = &scope.kernel.registers[found.0 as usize].name;
    let reason = format!("`{}`: {name} is .{}, where .{} is expected", wanted.spelling, own.name(), wanted.ty.name());
    Err(cursor.error_at(place, reason))
}

/// A register, a constant, or a special register.
pub(super) fn source(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, wanted: Wanted<'_>) -> Result<Operand> {
    let Some(token) = cursor.peek() else { return Err(cursor.error("the text ends too early".into())) };
    match token.kind {
        Kind::Register | Kind::Name => {
            cursor.next()?;
            if let Some(special) = special(cursor, token)? {
                if !wanted.ty.takes(Type::U32, false) || wanted.ty == Type::F32 {
                    let reason = format!("`{}`: {} is .u32", wanted.spelling, special.name());
                    return Err(cursor.error_at(token.place, reason));
                }
                return Ok(Operand::Special(special));
            }
            let found = named(cursor, scope, token)?;
            check(cursor, scope, wanted, found, token.place)?;
            Ok(match wanted.ty {
                Type::Pred => Operand::Predicate { register: found, negated: false },
                _ => Operand::Register(found),
            })
        }
        _ => Ok(Operand::Immediate(constant(cursor, wanted.ty)?)),
    }
}

/// A predicate, perhaps its complement.
pub(super) fn predicate(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, spelling: &str) -> Result<Operand> {
    let negated = cursor.take(Kind::Not);
    let register = register(cursor, scope, Wanted { spelling, ty: Type::Pred, wider: false })?;
    Ok(Operand::Predicate { register, negated })
}

/// The offset behind a base: `+8`, `-8`, `+-8`; 0 if there is none.
fn offset(cursor: &mut Cursor<'_, '_>) -> Result<i64> {
    if !cursor.is(Kind::Plus) && !cursor.is(Kind::Minus) {
        return Ok(0);
    }
    cursor.take(Kind::Plus);
    let start = cursor.place();
    let number = cursor.signed("an offset in bytes")?;
    // 32-bit text has offsets such as 4294967292 for -4.
    i64::try_from(number)
        .ok()
        .filter(|offset| offset.unsigned_abs() < 1 << 40)
        .ok_or_else(|| cursor.error_at(start, format!("offset {number}: must be below 2^40")))
}

/// A register, a constant, a special register, or the address of a variable.
pub(super) fn movable(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, wanted: Wanted<'_>) -> Result<Operand> {
    let symbol = cursor.peek().filter(|token| token.kind == Kind::Name).map(|token| (token, scope.symbol(token.text)));
    let Some((token, Some(symbol))) = symbol else {
        let function = |token: Token<'_>| scope.functions.iter().any(|function| function.name == token.text);
        return match symbol {
            Some((token, None)) if function(token) => Err(cursor.error(format!("{}: {POINTERS}", token.text))),
            _ => source(cursor, scope, wanted),
        };
    };
    cursor.next()?;
    // That of a parameter of a function is a place in local memory.
    let passed = matches!(symbol, Symbol::Kernel(own) if !scope.inputs().contains(&own));
    if scope.space(symbol) == Space::Param && passed {
        let reason = format!("{}: what is passed to a function, or comes back from one, has no address", token.text);
        return Err(cursor.error_at(token.place, reason));
    }
    if wanted.ty.bits() != scope.module.address_size || wanted.ty.is_float() {
        let reason = format!("`{}`: an address has {} bits", wanted.spelling, scope.module.address_size);
        return Err(cursor.error_at(token.place, reason));
    }
    Ok(Operand::Address(symbol, offset(cursor)?))
}

/// `{a, b}`, every part of the wanted type. `_` takes what is not wanted, where `sink` allows that.
pub(super) fn vector(
    cursor: &mut Cursor<'_, '_>,
    scope: &mut Scope<'_>,
    wanted: Wanted<'_>,
    written: bool,
) -> Result<Vec<Operand>> {
    cursor.expect(Kind::BraceOpen, "a vector in braces")?;
    let mut parts = Vec::new();
    loop {
        parts.push(match (written, cursor.reads("_")) {
            (true, true) => {
                cursor.next()?;
                Operand::Nothing
            }
            (true, false) => {
                let found = Operand::Register(register(cursor, scope, wanted)?);
                if parts.contains(&found) {
                    return Err(cursor.error_before("a vector writes a register twice".into()));
                }
                found
            }
            (false, _) => source(cursor, scope, wanted)?,
        });
        if !cursor.take(Kind::Comma) {
            break;
        }
    }
    cursor.expect(Kind::BraceClose, "}")?;
    Ok(parts)
}

/// `[base + offset]` for `bytes` bytes in `space`; generic if there is none.
pub(super) fn memory(
    cursor: &mut Cursor<'_, '_>,
    scope: &mut Scope<'_>,
    spelling: &str,
    space: Option<Space>,
    bytes: u64,
) -> Result<Operand> {
    cursor.expect(Kind::BracketOpen, "an address in brackets")?;
    let Some(token) = cursor.peek() else { return Err(cursor.error("the text ends too early".into())) };
    let symbol = if token.kind == Kind::Name { scope.symbol(token.text) } else { None };
    let base = match (token.kind, symbol) {
        (_, Some(symbol)) => {
            cursor.next()?;
            let own = scope.space(symbol);
            let generic = space.is_none() && own == Space::Global;
            if space != Some(own) && !generic {
                let reason = format!("`{spelling}`: {} lies in .{}", token.text, own.name());
                return Err(cursor.error_at(token.place, reason));
            }
            Base::Symbol(symbol)
        }
        (Kind::Register | Kind::Name, None) => {
            let size = scope.module.address_size;
            let ty = if size == 64 { Type::U64 } else { Type::U32 };
            Base::Register(register(cursor, scope, Wanted { spelling, ty, wider: false })?)
        }
        (Kind::Integer, _) => Base::Absolute,
        _ => return Err(cursor.error(format!("found {}, expected a register, a variable or a number", token.text))),
    };
    let offset = match base {
        Base::Absolute => cursor.unsigned("an address")? as i64,
        _ => offset(cursor)?,
    };
    cursor.expect(Kind::BracketClose, "]")?;
    if space == Some(Space::Param) {
        let inside = |own: u64, aligned: bool| {
            let end = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(bytes));
            if end.is_none_or(|end| end > own) {
                let reason = format!("{}+{offset}: {bytes} bytes are not all in its {own}", token.text);
                return Err(cursor.error_at(token.place, reason));
            }
            if !aligned {
                return Err(
                    cursor.error_at(token.place, format!("{}+{offset}: must be aligned to {bytes}", token.text))
                );
            }
            Ok(())
        };
        match base {
            Base::Symbol(Symbol::Parameter(index)) => {
                let parameter = &scope.kernel.parameters[index];
                let at = parameter.offset.wrapping_add(offset as u64);
                inside(parameter.bytes(), at.is_multiple_of(bytes.min(8)))?;
            }
            Base::Symbol(Symbol::Kernel(index)) => {
                let own = &scope.kernel.variables[index];
                inside(own.bytes(), own.align.is_multiple_of(bytes) && (offset as u64).is_multiple_of(bytes))?;
            }
            Base::Register(_) => {}
            _ => return Err(cursor.error_at(token.place, format!("`{spelling}`: parameters have no such address"))),
        }
    }
    Ok(Operand::Memory { base, offset })
}
