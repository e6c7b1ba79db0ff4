//! Variables in memory: `.shared .align 4 .b8 tile[1024];`, `.const .f32 c[2] = {0f3F800000, 0f40000000};`

use super::cursor::Cursor;
use super::operand::constant;
use crate::error::Result;
use crate::ptx::ast::Variable;
use crate::ptx::token::Kind;
use crate::ptx::types::{Space, Type};

/// Bytes that a variable may have.
const MOST_BYTES: u64 = 1 << 28;

/// A declaration, from its space to the semicolon. With `external` the launch may say the size.
pub(super) fn variables(cursor: &mut Cursor<'_, '_>, external: bool) -> Result<Vec<Variable>> {
    let word = cursor.next()?;
    let space = Space::from_name(&word.text[1..])
        .ok_or_else(|| cursor.error_before(format!("{} is no state space", word.text)))?;
    let mut align = None;
    if cursor.take_text(".align") {
        align = Some(alignment(cursor)?);
    }
    let token = cursor.expect(Kind::Dotted, "a type")?;
    let vector: u64 = match token.text {
        ".v2" => 2,
        ".v4" => 4,
        _ => 1,
    };
    let token = if vector > 1 { cursor.expect(Kind::Dotted, "a type")? } else { token };
    let element = memory_type(cursor, token.text)?;
    let mut found = Vec::new();
    loop {
        let name = cursor.expect(Kind::Name, "a variable's name")?.text.to_string();
        let mut count = Some(vector);
        let mut open = false;
        while cursor.take(Kind::BracketOpen) {
            if cursor.take(Kind::BracketClose) {
                open = true;
                continue;
            }
            let length = cursor.unsigned("a number of elements")?;
            count = count.and_then(|count| count.checked_mul(length));
            cursor.expect(Kind::BracketClose, "]")?;
        }
        let fits = count.and_then(|count| count.checked_mul(element.bytes())).is_some_and(|bytes| bytes <= MOST_BYTES);
        if !fits {
            return Err(cursor.error_before(format!("{name}: must have at most {MOST_BYTES} bytes")));
        }
        let mut initial = Vec::new();
        if cursor.take(Kind::Equals) {
            if !matches!(space, Space::Global | Space::Const) {
                return Err(cursor.error_before(format!("{name}: .{} memory holds nothing at first", space.name())));
            }
            values(cursor, element, &mut initial)?;
        }
        if open && initial.is_empty() {
            if !(external && space == Space::Shared) {
                let reason = format!("{name}[]: only .extern .shared memory gets its size from the launch");
                return Err(cursor.error_before(reason));
            }
            count = None;
        } else if open {
            count = Some(initial.len() as u64 / element.bytes());
        }
        let variable =
            Variable { name, space, element, count, align: align.unwrap_or(element.bytes() * vector), initial };
        if variable.count.is_some() && variable.initial.len() as u64 > variable.bytes() {
            return Err(cursor.error_before(format!("{}: has more values than elements", variable.name)));
        }
        found.push(variable);
        if !cursor.take(Kind::Comma) {
            break;
        }
    }
    cursor.expect(Kind::Semicolon, ";")?;
    Ok(found)
}

/// The number behind `.align`.
pub(super) fn alignment(cursor: &mut Cursor<'_, '_>) -> Result<u64> {
    let align = cursor.unsigned("an alignment in bytes")?;
    if !align.is_power_of_two() || align > 4096 {
        return Err(cursor.error_before(format!("align {align}: must be a power of two up to 4096")));
    }
    Ok(align)
}

/// A type that memory can hold.
pub(super) fn memory_type(cursor: &Cursor<'_, '_>, text: &str) -> Result<Type> {
    match Type::from_name(&text[1..]) {
        Some(Type::Pred) => Err(cursor.error_before("memory holds no .pred".into())),
        Some(ty) => Ok(ty),
        None => Err(cursor.error_before(format!("{text} is no type"))),
    }
}

/// A value or a list of them, nested or not.
fn values(cursor: &mut Cursor<'_, '_>, element: Type, into: &mut Vec<u8>) -> Result<()> {
    let mut depth = 0_usize;
    loop {
        if cursor.take(Kind::BraceOpen) {
            depth += 1;
            continue;
        }
        if cursor.is(Kind::Name) {
            return Err(cursor.error("addresses in variables are not there; pass them as parameters".into()));
        }
        let bits = constant(cursor, element)?;
        into.extend_from_slice(&bits.to_le_bytes()[..element.bytes() as usize]);
        while depth > 0 && cursor.take(Kind::BraceClose) {
            depth -= 1;
        }
        if depth == 0 {
            return Ok(());
        }
        cursor.expect(Kind::Comma, ", or }")?;
    }
}
