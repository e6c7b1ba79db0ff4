//! Functions and their calls.
//!
//! ```text
//! .visible .func (.param .b32 result) name (.param .b32 a, .reg .b32 %b) { … }     or ; in place of the body
//! call.uni (result), name, (a, 5);
//! ```
//!
//! What a function takes and gives is known from where it is declared, before any call of it, so that a call is read as
//! any other instruction: operands against the types of the function.

use super::cursor::Cursor;
use super::function;
use super::operand::{Wanted, register, source};
use super::scope::Scope;
use crate::error::Result;
use crate::ptx::ast::{Module, Operand, Parameter, RegisterId, Symbol, Variable};
use crate::ptx::inline::{Body, Call, Formal, Function, Slot};
use crate::ptx::token::{Kind, Token};
use crate::ptx::types::{Space, Type};

/// What is told of calls whose function is not known before the kernel runs.
pub(super) const POINTERS: &str = "calls through pointers are refused, since functions become part of their kernel: \
    call them by their names, one in each branch of a switch, and leave virtual functions out";

/// `.func`, to the semicolon or the brace that closes it. A body is added to the declaration that there is.
pub(super) fn function(cursor: &mut Cursor<'_, '_>, module: &Module, functions: &mut Vec<Function>) -> Result<()> {
    cursor.next()?;
    let results = if cursor.take(Kind::ParenOpen) { formals(cursor)? } else { Vec::new() };
    let name = cursor.expect(Kind::Name, "a function's name")?;
    let inputs = if cursor.take(Kind::ParenOpen) { formals(cursor)? } else { Vec::new() };
    if results.iter().any(|result| inputs.iter().any(|input| input.name == result.name)) {
        return Err(cursor.error_at(name.place, format!("{}: a result has the name of a parameter", name.text)));
    }
    let known = functions.iter().position(|other| other.name == name.text);
    let this = Function { name: name.text.to_string(), results, inputs, body: None };
    if module.kernels.iter().any(|kernel| kernel.name == name.text) {
        return Err(cursor.error_at(name.place, format!("{} is a kernel already", name.text)));
    }
    let index = match known {
        Some(index) if !functions[index].agrees(&this) => {
            let reason = format!("{} has been declared with other parameters or results", name.text);
            return Err(cursor.error_at(name.place, reason));
        }
        Some(index) => {
            // Its body uses its own names.
            if functions[index].body.is_none() {
                functions[index] = this;
            }
            index
        }
        None => {
            functions.push(this);
            functions.len() - 1
        }
    };
    let mut scope = Scope::new(module, functions, name);
    while [".noreturn", ".noinline"].iter().any(|word| cursor.take_text(word)) {}
    function::limits(cursor, &mut scope.kernel)?;
    if cursor.take(Kind::Semicolon) {
        return Ok(());
    }
    if functions[index].body.is_some() {
        return Err(cursor.error_at(name.place, format!("the function {} stands twice", name.text)));
    }
    let body = body(cursor, scope, &functions[index])?;
    functions[index].body = Some(body);
    Ok(())
}

/// Reads a function's body, with results and parameters in its scope.
fn body(cursor: &mut Cursor<'_, '_>, mut scope: Scope<'_>, this: &Function) -> Result<Body> {
    let mut slots = Vec::new();
    let mut results = 0;
    for (at, formal) in this.results.iter().chain(&this.inputs).enumerate() {
        if formal.register {
            scope.declare(&formal.name, formal.ty);
            slots.push(Slot::Register(scope.register(&formal.name).expect("it has just been declared")));
        } else {
            slots.push(Slot::Variable(scope.kernel.variables.len()));
            scope.add(variable(formal));
        }
        if at < this.results.len() {
            results = scope.kernel.variables.len();
        }
    }
    scope.formal = Some([results, scope.kernel.variables.len()]);
    function::body(cursor, &mut scope)?;
    let inputs = slots.split_off(this.results.len());
    Ok(Body { kernel: scope.kernel, calls: scope.calls, results: slots, inputs })
}

fn variable(formal: &Formal) -> Variable {
    Variable {
        name: formal.name.clone(),
        space: Space::Param,
        element: formal.ty,
        count: Some(formal.count.unwrap_or(1)),
        align: formal.align,
        initial: Vec::new(),
    }
}

/// From behind the parenthesis to the one that closes.
fn formals(cursor: &mut Cursor<'_, '_>) -> Result<Vec<Formal>> {
    let mut found: Vec<Formal> = Vec::new();
    while !cursor.take(Kind::ParenClose) {
        if !found.is_empty() {
            cursor.expect(Kind::Comma, ", or )")?;
        }
        let formal = if cursor.take_text(".reg") {
            let ty = function::register_type(cursor)?;
            let token = cursor.next()?;
            if !matches!(token.kind, Kind::Register | Kind::Name) {
                return Err(cursor.error_before(format!("found {}, expected a register's name", token.text)));
            }
            let align = ty.bytes();
            Formal { name: token.text.to_string(), ty, count: None, align, register: true }
        } else if cursor.take_text(".param") {
            let Parameter { name, ty, count, align, .. } = function::parameter(cursor)?;
            if count.is_some_and(|count| count > 1 << 16) {
                return Err(cursor.error_before(format!("{name}: must have at most 65536 elements")));
            }
            Formal { name, ty, count, align, register: false }
        } else {
            return Err(cursor.error("expected .param or .reg".into()));
        };
        if found.iter().any(|other| other.name == formal.name) {
            return Err(cursor.error_before(format!("the parameter {} stands twice", formal.name)));
        }
        found.push(formal);
    }
    Ok(found)
}

/// A call, from behind its suffix to its semicolon, which stays.
pub(super) fn call(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, spelling: &str) -> Result<Call> {
    let mut written = Vec::new();
    if cursor.take(Kind::ParenOpen) {
        while !cursor.is(Kind::ParenClose) {
            if !written.is_empty() {
                cursor.expect(Kind::Comma, ", or )")?;
            }
            written.push(cursor.fork());
            cursor.next()?;
        }
        cursor.next()?;
        cursor.expect(Kind::Comma, ", and the function")?;
    }
    let name = cursor.next()?;
    if name.kind == Kind::Register {
        return Err(cursor.error_before(format!("`{spelling}`: {POINTERS}")));
    }
    let functions = scope.functions;
    let Some(index) = functions.iter().position(|function| function.name == name.text) else {
        return Err(cursor.error_before(unknown(scope, spelling, name)));
    };
    let function = &functions[index];
    let mut count = (written.len(), 0);
    let mut results = Vec::new();
    for (mut place, formal) in written.into_iter().zip(&function.results) {
        results.push(if place.reads("_") { Operand::Nothing } else { result(&mut place, scope, spelling, formal)? });
    }
    let mut inputs = Vec::new();
    if cursor.take(Kind::Comma) {
        if !cursor.take(Kind::ParenOpen) {
            return Err(cursor.error(format!("`{spelling}`: expected the parameters in parentheses")));
        }
        while !cursor.take(Kind::ParenClose) {
            if count.1 > 0 {
                cursor.expect(Kind::Comma, ", or )")?;
            }
            match function.inputs.get(count.1) {
                Some(formal) => inputs.push(actual(cursor, scope, spelling, formal)?),
                None => cursor.next().map(|_| ())?,
            }
            count.1 += 1;
        }
    }
    if cursor.is(Kind::Comma) {
        return Err(cursor.error(format!("`{spelling}`: {POINTERS}")));
    }
    for (what, found, wanted) in
        [("results", count.0, function.results.len()), ("parameters", count.1, function.inputs.len())]
    {
        if found != wanted {
            let reason = format!("`{spelling}`: {found} {what}, and {} has {wanted}", function.name);
            return Err(cursor.error_at(name.place, reason));
        }
    }
    let both = |result: &Operand| matches!(result, Operand::Address(..)) && inputs.contains(result);
    if results.iter().any(both) {
        let reason = format!("`{spelling}`: a variable is result and parameter at once; use two");
        return Err(cursor.error_at(name.place, reason));
    }
    Ok(Call { at: scope.kernel.body.len(), function: index, results, inputs })
}

/// Why there is no function of this name.
fn unknown(scope: &Scope<'_>, spelling: &str, name: Token<'_>) -> String {
    match scope.module.kernels.iter().any(|kernel| kernel.name == name.text) || scope.kernel.name == name.text {
        true => format!("`{spelling}`: {} is a kernel; kernels are launched by the host", name.text),
        false => format!("`{spelling}`: {} is not declared; a function stands before its calls", name.text),
    }
}

/// The variable for parameters that this token names.
fn parameter_variable(cursor: &Cursor<'_, '_>, scope: &Scope<'_>) -> Option<usize> {
    let token = cursor.peek().filter(|token| token.kind == Kind::Name)?;
    match scope.symbol(token.text)? {
        symbol @ Symbol::Kernel(index) if scope.space(symbol) == Space::Param => Some(index),
        _ => None,
    }
}

/// A variable in place of a parameter or result.
fn passed(
    cursor: &mut Cursor<'_, '_>,
    scope: &Scope<'_>,
    spelling: &str,
    formal: &Formal,
    own: usize,
) -> Result<Operand> {
    let token = cursor.next()?;
    let bytes = scope.kernel.variables[own].bytes();
    if bytes != formal.bytes() {
        let reason =
            format!("`{spelling}`: {} has {bytes} bytes, where {} has {}", token.text, formal.name, formal.bytes());
        return Err(cursor.error_before(reason));
    }
    Ok(Operand::Address(Symbol::Kernel(own), 0))
}

fn structure(cursor: &Cursor<'_, '_>, spelling: &str, formal: &Formal) -> Result<()> {
    match formal.count {
        None => Ok(()),
        Some(_) => {
            let reason =
                format!("`{spelling}`: {} is {} bytes in .param, and so is its place", formal.name, formal.bytes());
            Err(cursor.error(reason))
        }
    }
}

/// What is passed for a parameter.
fn actual(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, spelling: &str, formal: &Formal) -> Result<Operand> {
    if let Some(own) = parameter_variable(cursor, scope) {
        return passed(cursor, scope, spelling, formal, own);
    }
    structure(cursor, spelling, formal)?;
    source(cursor, scope, Wanted { spelling, ty: formal.ty, wider: !formal.register })
}

/// Where a result goes.
fn result(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>, spelling: &str, formal: &Formal) -> Result<Operand> {
    if let Some(own) = parameter_variable(cursor, scope) {
        if scope.inputs().contains(&own) {
            return Err(cursor.error(format!("`{spelling}`: {} of {}", READ_ONLY, scope.kernel.name)));
        }
        return passed(cursor, scope, spelling, formal, own);
    }
    structure(cursor, spelling, formal)?;
    let found: RegisterId = register(
        cursor,
        scope,
        Wanted { spelling, ty: formal.ty, wider: !formal.register && formal.ty != Type::Pred },
    )?;
    Ok(Operand::Register(found))
}

/// What is told of who writes a parameter.
pub(super) const READ_ONLY: &str = "a parameter is read only";
