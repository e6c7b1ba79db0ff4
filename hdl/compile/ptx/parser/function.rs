//! A kernel: its head, limits, and the lines between its braces, which are those of a function as well.

use super::cursor::Cursor;
use super::instruction;
use super::scope::{Names, Scope};
use super::variable::{alignment, memory_type, variables};
use crate::error::Result;
use crate::ptx::ast::{Kernel, Module, Parameter};
use crate::ptx::inline::{Call, Function};
use crate::ptx::token::Kind;
use crate::ptx::types::{Space, Type};

/// Bytes of parameters that a kernel may have.
const MOST_PARAMETER_BYTES: u64 = 4096;

/// `.entry NAME (…) {…}`
pub(super) fn kernel(
    cursor: &mut Cursor<'_, '_>,
    module: &Module,
    functions: &[Function],
) -> Result<(Kernel, Vec<Call>)> {
    cursor.next()?;
    let name = cursor.expect(Kind::Name, "a kernel's name")?;
    let mut scope = Scope::new(module, functions, name);
    if cursor.take(Kind::ParenOpen) {
        scope.kernel.parameters = parameters(cursor)?;
    }
    limits(cursor, &mut scope.kernel)?;
    body(cursor, &mut scope)?;
    Ok((scope.kernel, scope.calls))
}

/// What stands in a kernel's or a function's braces.
pub(super) fn body(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>) -> Result<()> {
    cursor.expect(Kind::BraceOpen, "{")?;
    while !scope.names.is_empty() {
        if cursor.take(Kind::BraceClose) {
            scope.names.pop();
        } else if cursor.take(Kind::BraceOpen) {
            scope.names.push(Names::default());
        } else {
            statement(cursor, scope)?;
        }
    }
    if let Some((label, place)) = scope.asked.iter().find(|(label, _)| scope.kernel.labels[*label].1 == usize::MAX) {
        let reason = format!("the label {} has no place in {}", scope.kernel.labels[*label].0, scope.kernel.name);
        return Err(cursor.error_at(*place, reason));
    }
    Ok(())
}

/// From behind the parenthesis to the one that closes.
fn parameters(cursor: &mut Cursor<'_, '_>) -> Result<Vec<Parameter>> {
    let mut found: Vec<Parameter> = Vec::new();
    let mut offset = 0_u64;
    while !cursor.take(Kind::ParenClose) {
        if !found.is_empty() {
            cursor.expect(Kind::Comma, ", or )")?;
        }
        if !cursor.take_text(".param") {
            return Err(cursor.error("expected .param".into()));
        }
        let parameter = parameter(cursor)?;
        if found.iter().any(|other| other.name == parameter.name) {
            return Err(cursor.error_before(format!("the parameter {} stands twice", parameter.name)));
        }
        let parameter = Parameter { offset: offset.next_multiple_of(parameter.align), ..parameter };
        offset = parameter.offset.saturating_add(parameter.bytes());
        if offset > MOST_PARAMETER_BYTES {
            let reason = format!("parameters end at byte {offset}: they may have {MOST_PARAMETER_BYTES} bytes");
            return Err(cursor.error_before(reason));
        }
        found.push(parameter);
    }
    Ok(found)
}

/// A parameter, from behind `.param` on.
pub(super) fn parameter(cursor: &mut Cursor<'_, '_>) -> Result<Parameter> {
    let (mut ty, mut align, mut space) = (None, None, None);
    while cursor.is(Kind::Dotted) {
        let word = cursor.next()?;
        match word.text {
            ".align" => align = Some(alignment(cursor)?),
            // Launches ask which memory a pointer leads to; the alignment behind it is that of the target.
            ".ptr" => {
                while let Some(named) = pointed(cursor) {
                    space = Some(named);
                }
                if cursor.take_text(".align") {
                    alignment(cursor)?;
                }
            }
            text if ty.is_none() => ty = Some(memory_type(cursor, text)?),
            text => return Err(cursor.error_before(format!("{text}: a parameter has one type"))),
        }
    }
    let Some(ty) = ty else { return Err(cursor.error("expected the type of a parameter".into())) };
    let name = cursor.expect(Kind::Name, "a parameter's name")?.text.to_string();
    let mut count = None;
    if cursor.take(Kind::BracketOpen) {
        count = Some(cursor.unsigned("a number of elements")?);
        cursor.expect(Kind::BracketClose, "]")?;
    }
    Ok(Parameter { name, ty, count, align: align.unwrap_or(ty.bytes()), offset: 0, space })
}

/// The memory that a pointer leads to, if it stands here.
fn pointed(cursor: &mut Cursor<'_, '_>) -> Option<Space> {
    let spaces =
        [(".global", Space::Global), (".shared", Space::Shared), (".const", Space::Const), (".local", Space::Local)];
    spaces.into_iter().find(|(text, _)| cursor.take_text(text)).map(|(_, space)| space)
}

/// `.maxntid 256, 1, 1` and the like.
pub(super) fn limits(cursor: &mut Cursor<'_, '_>, kernel: &mut Kernel) -> Result<()> {
    while cursor.is(Kind::Dotted) {
        let word = cursor.next()?;
        let most = match word.text {
            ".maxntid" | ".reqntid" => 3,
            ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => 1,
            ".pragma" => {
                pragma(cursor)?;
                continue;
            }
            text => {
                let known = ".maxntid, .reqntid, .minnctapersm, .maxnctapersm, .maxnreg and .pragma";
                return Err(cursor.error_before(format!("{text}: behind a kernel's head stand {known}")));
            }
        };
        let mut numbers = vec![small(cursor)?];
        while numbers.len() < most && cursor.take(Kind::Comma) {
            numbers.push(small(cursor)?);
        }
        numbers.resize(3, 1);
        let numbers = [numbers[0], numbers[1], numbers[2]];
        match word.text {
            ".maxntid" => kernel.most_threads = Some(numbers),
            ".reqntid" => kernel.exact_threads = Some(numbers),
            // Hints to another machine's allocation of registers and multiprocessors.
            _ => {}
        }
    }
    Ok(())
}

fn small(cursor: &mut Cursor<'_, '_>) -> Result<u32> {
    let number = cursor.unsigned("a number")?;
    u32::try_from(number).map_err(|_| cursor.error_before(format!("{number}: must be at most {}", u32::MAX)))
}

/// `.pragma "nounroll";`
fn pragma(cursor: &mut Cursor<'_, '_>) -> Result<()> {
    cursor.expect(Kind::Text, "a text in quotes")?;
    cursor.expect(Kind::Semicolon, ";")?;
    Ok(())
}

/// One line of a kernel's body.
fn statement(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>) -> Result<()> {
    let Some(token) = cursor.peek() else {
        return Err(cursor.error(format!("the text ends before {} does: expected }}", scope.kernel.name)));
    };
    match token.text {
        ".reg" => registers(cursor, scope),
        ".shared" | ".local" | ".param" => {
            for variable in variables(cursor, false)? {
                let name = variable.name.clone();
                if !scope.add(variable) {
                    return Err(cursor.error_before(format!("the variable {name} stands twice")));
                }
            }
            Ok(())
        }
        ".pragma" => {
            cursor.next()?;
            pragma(cursor)
        }
        ".loc" => {
            cursor.next()?;
            let file = small(cursor)?;
            let line = small(cursor)?;
            small(cursor)?;
            // `, function_name …, inlined_at …`: where the line was inlined.
            while cursor.take(Kind::Comma) || cursor.reads("inlined_at") || cursor.is(Kind::Integer) {
                while cursor.take(Kind::Name) || cursor.take(Kind::Integer) || cursor.take(Kind::Plus) {}
            }
            scope.source = Some((file, line));
            Ok(())
        }
        _ if token.kind == Kind::Name && cursor.second() == Some(Kind::Colon) => {
            cursor.next()?;
            cursor.next()?;
            if [".callprototype", ".calltargets", ".branchtargets"].iter().any(|word| cursor.reads(word)) {
                return Err(cursor.error(super::call::POINTERS.into()));
            }
            let label = scope.label(token.text, token.place);
            if scope.kernel.labels[label].1 != usize::MAX {
                return Err(cursor.error_at(token.place, format!("the label {} stands twice", token.text)));
            }
            scope.kernel.labels[label].1 = scope.kernel.body.len();
            Ok(())
        }
        _ if matches!(token.kind, Kind::Name | Kind::At) => instruction::instruction(cursor, scope),
        text => Err(cursor.error(format!("found {text}, expected an instruction, a label or a declaration"))),
    }
}

/// The type of registers.
pub(super) fn register_type(cursor: &mut Cursor<'_, '_>) -> Result<Type> {
    let word = cursor.expect(Kind::Dotted, "a type")?;
    match Type::from_name(&word.text[1..]) {
        None => Err(cursor.error_before(format!("{}: registers have no such type; use 32-bit floats", word.text))),
        Some(ty) if ty.bits() == 8 => {
            Err(cursor.error_before(format!("{}: registers have 16 bits at least", word.text)))
        }
        Some(ty) => Ok(ty),
    }
}

/// `.reg .b32 %r<12>, %a;`
fn registers(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>) -> Result<()> {
    cursor.next()?;
    let ty = register_type(cursor)?;
    loop {
        let token = cursor.next()?;
        if !matches!(token.kind, Kind::Register | Kind::Name) {
            return Err(cursor.error_before(format!("found {}, expected a register's name", token.text)));
        }
        let name = token.text.to_string();
        let twice = if cursor.take(Kind::Less) {
            let count = cursor.unsigned("a number of registers")?;
            cursor.expect(Kind::Greater, ">")?;
            scope.innermost().families.insert(name, (count, ty)).is_some()
        } else {
            !scope.declare(&name, ty)
        };
        if twice {
            return Err(cursor.error_at(token.place, format!("the register {} is declared twice", token.text)));
        }
        if !cursor.take(Kind::Comma) {
            break;
        }
    }
    cursor.expect(Kind::Semicolon, ";")?;
    Ok(())
}
