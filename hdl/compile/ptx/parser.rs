//! The parser: recursive descent over the tokens of a module.
//!
//! ```text
//! module   := directive* (variable | kernel | function)*
//! kernel   := .visible? .entry NAME ( parameters ) limits* { line* }
//! function := .visible? .func ( results ) NAME ( parameters ) limits* ({ line* } | ;)
//! line     := .reg | variable | label: | instruction | { line* }
//! ```
//!
//! Every name is resolved and every operand checked against its instruction's type as it is read, so that what comes
//! behind meets no undeclared register, no label without a place, and no constant that does not fit. Calls of functions
//! are replaced by what they do ([`super::inline`]) when all has been read.

mod call;
mod cursor;
mod function;
mod instruction;
mod operand;
mod scope;
mod variable;

use self::cursor::Cursor;
use super::ast::Module;
use super::inline::{Call, Function, inlined};
use super::token::{Kind, tokens};
use crate::error::Result;

/// What has been read, before functions become part of their kernels.
struct Unit {
    module: Module,
    functions: Vec<Function>,
    /// The calls of each kernel.
    calls: Vec<Vec<Call>>,
}

/// Reads a module.
///
/// `origin` is the file's name, for messages.
///
/// # Errors
///
/// Text that is no PTX, or asks for what is not there: the message has line and column, the instruction, and what to
/// compile with.
///
/// ```
/// let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry nothing() { ret; }";
/// let module = bitline_compile::ptx::parse("nothing.ptx", text)?;
/// assert_eq!(module.kernels[0].name, "nothing");
/// # Ok::<(), bitline_compile::error::Error>(())
/// ```
pub fn parse(origin: &str, text: &str) -> Result<Module> {
    let tokens = tokens(origin, text)?;
    let mut cursor = Cursor::new(origin, &tokens);
    let module = Module {
        origin: origin.to_string(),
        version: (0, 0),
        target: Vec::new(),
        address_size: 0,
        variables: Vec::new(),
        kernels: Vec::new(),
    };
    let mut unit = Unit { module, functions: Vec::new(), calls: Vec::new() };
    while let Some(token) = cursor.peek() {
        match token.text {
            ".version" => version(&mut cursor, &mut unit.module)?,
            ".target" => target(&mut cursor, &mut unit.module)?,
            ".address_size" => address_size(&mut cursor, &mut unit.module)?,
            ".file" => {
                cursor.next()?;
                skip_file(&mut cursor)?;
            }
            ".section" => skip_section(&mut cursor)?,
            _ => {
                complete(&cursor, &unit.module)?;
                item(&mut cursor, &mut unit)?;
            }
        }
    }
    complete(&cursor, &unit.module)?;
    inlined(unit.module, unit.functions, &unit.calls)
}

/// What must stand before all else.
fn complete(cursor: &Cursor<'_, '_>, module: &Module) -> Result<()> {
    let missing = match module {
        Module { version: (0, _), .. } => ".version",
        Module { target, .. } if target.is_empty() => ".target",
        Module { address_size: 0, .. } => ".address_size (32 or 64)",
        _ => return Ok(()),
    };
    Err(cursor.error(format!("a module begins with .version, .target and .address_size; {missing} is missing")))
}

/// `.version 4.2`
fn version(cursor: &mut Cursor<'_, '_>, module: &mut Module) -> Result<()> {
    cursor.next()?;
    if module.version.0 != 0 {
        return Err(cursor.error_before(".version stands twice".into()));
    }
    let token = cursor.expect(Kind::Fraction, "a version such as 4.2")?;
    let numbers = token.text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((major, minor)) if (1..=9).contains(&major) => module.version = (major, minor),
        _ => return Err(cursor.error_before(format!("version {}: must be from 1.0 to 9.9", token.text))),
    }
    Ok(())
}

/// `.target sm_50, debug`
fn target(cursor: &mut Cursor<'_, '_>, module: &mut Module) -> Result<()> {
    cursor.next()?;
    if !module.target.is_empty() {
        return Err(cursor.error_before(".target stands twice".into()));
    }
    loop {
        let token = cursor.expect(Kind::Name, "an architecture such as sm_50")?;
        let architecture = is_architecture(token.text);
        if !architecture && (module.target.is_empty() || token.text.starts_with("sm_")) {
            let rule = "must be an architecture such as sm_50: sm_ and two or three digits, with a or f behind them";
            return Err(cursor.error_before(format!("target {}: {rule} perhaps", token.text)));
        }
        let option = ["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"].contains(&token.text);
        if !architecture && (!option || token.text == "map_f64_to_f32") {
            let reason = format!("target option {}: must be debug, texmode_unified or texmode_independent", token.text);
            return Err(cursor.error_before(reason));
        }
        module.target.push(token.text.to_string());
        if !cursor.take(Kind::Comma) {
            return Ok(());
        }
    }
}

/// `sm_50`, `sm_90a`, `sm_100f`: which numbers there are changes with every GPU.
fn is_architecture(text: &str) -> bool {
    let Some(number) = text.strip_prefix("sm_") else { return false };
    let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
    (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0')
}

/// `.address_size 32`
fn address_size(cursor: &mut Cursor<'_, '_>, module: &mut Module) -> Result<()> {
    cursor.next()?;
    if module.address_size != 0 {
        return Err(cursor.error_before(".address_size stands twice".into()));
    }
    module.address_size = match cursor.unsigned("32 or 64")? {
        32 => 32,
        64 => 64,
        other => return Err(cursor.error_before(format!("address_size {other}: must be 32 or 64"))),
    };
    Ok(())
}

/// `.file 1 "k.cu"`, with time and size perhaps.
fn skip_file(cursor: &mut Cursor<'_, '_>) -> Result<()> {
    cursor.unsigned("a number of a file")?;
    cursor.expect(Kind::Text, "a file's name in quotes")?;
    while cursor.take(Kind::Comma) {
        cursor.unsigned("a number")?;
    }
    Ok(())
}

/// `.section .debug_info { … }`: what debuggers read.
fn skip_section(cursor: &mut Cursor<'_, '_>) -> Result<()> {
    cursor.next()?;
    cursor.expect(Kind::Dotted, "the name of a section")?;
    cursor.expect(Kind::BraceOpen, "{")?;
    while !cursor.take(Kind::BraceClose) {
        cursor.next()?;
    }
    Ok(())
}

/// A variable, a kernel or a function.
fn item(cursor: &mut Cursor<'_, '_>, unit: &mut Unit) -> Result<()> {
    let mut external = false;
    while let Some(token) =
        cursor.peek().filter(|token| [".visible", ".extern", ".weak", ".common"].contains(&token.text))
    {
        external |= token.text == ".extern";
        cursor.next()?;
    }
    match cursor.peek().map(|token| token.text) {
        Some(".entry") if external => Err(cursor.error("a kernel that is elsewhere cannot run; give its file".into())),
        Some(".entry") => {
            let (kernel, calls) = function::kernel(cursor, &unit.module, &unit.functions)?;
            if unit.module.kernels.iter().any(|other| other.name == kernel.name) {
                return Err(cursor.error_before(format!("the kernel {} stands twice", kernel.name)));
            }
            if unit.functions.iter().any(|other| other.name == kernel.name) {
                return Err(cursor.error_at(kernel.place, format!("{} is a function already", kernel.name)));
            }
            unit.module.kernels.push(kernel);
            unit.calls.push(calls);
            Ok(())
        }
        Some(".func") => call::function(cursor, &unit.module, &mut unit.functions),
        Some(".global" | ".const" | ".shared") => {
            for variable in variable::variables(cursor, external)? {
                if unit.module.variables.iter().any(|other| other.name == variable.name) {
                    return Err(cursor.error_before(format!("the variable {} stands twice", variable.name)));
                }
                unit.module.variables.push(variable);
            }
            Ok(())
        }
        Some(other) => {
            Err(cursor.error(format!("{other}: expected .entry, .func, or a variable in .global, .const or .shared")))
        }
        None => Err(cursor.error("the text ends here, where a kernel, a function or a variable should be".into())),
    }
}
