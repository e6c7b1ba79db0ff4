//! A kernel: its head, registers, variables, labels.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::instruction;
use super::variable::{alignment, memory_type, variables};
use crate::error::{Place, Result};
use crate::interpret::MOST_THREADS;
use crate::ptx::ast::{EXCHANGE, Kernel, Module, Parameter, Register, RegisterId, Symbol, Variable, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::token::Kind;
use crate::ptx::types::{Space, Type};

/// Bytes of parameters that a kernel may have.
const MOST_PARAMETER_BYTES: u64 = 4096;

/// What is known while a kernel is read.
pub(super) struct Scope<'m> {
    pub(super) module: &'m Module,
    pub(super) kernel: Kernel,
    /// Declared registers: those of a family share the name before their number.
    families: HashMap<String, (u64, Type)>,
    single: HashMap<String, Type>,
    known: HashMap<String, RegisterId>,
    labels: HashMap<String, usize>,
    /// Where a label was asked for that has no place yet.
    asked: Vec<(usize, Place)>,
    pub(super) source: Option<(u32, u32)>,
}

impl Scope<'_> {
    /// The register of this name; none if it was not declared.
    pub(super) fn register(&mut self, name: &str) -> Option<RegisterId> {
        if let Some(found) = self.known.get(name) {
            return Some(*found);
        }
        let ty = self.single.get(name).copied().or_else(|| {
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            // A family's own name may end in digits: `%rd<10>`, `%r1_<4>`.
            (1..=digits).find_map(|digits| {
                let (family, number) = name.split_at(name.len() - digits);
                let (count, ty) = self.families.get(family)?;
                let plain = number == "0" || !number.starts_with('0');
                (plain && number.parse::<u64>().ok()? < *count).then_some(*ty)
            })
        })?;
        let id = RegisterId(self.kernel.registers.len() as u32);
        self.kernel.registers.push(Register { name: name.to_string(), ty });
        self.known.insert(name.to_string(), id);
        Some(id)
    }

    /// The label of this name, which may get its place later.
    pub(super) fn label(&mut self, name: &str, place: Place) -> usize {
        let next = self.kernel.labels.len();
        let label = *self.labels.entry(name.to_string()).or_insert(next);
        if label == next {
            self.kernel.labels.push((name.to_string(), usize::MAX));
        }
        self.asked.push((label, place));
        label
    }

    /// The variable or parameter of this name.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        let own = self.kernel.variables.iter().position(|variable| variable.name == name).map(Symbol::Kernel);
        let parameter = || self.kernel.parameters.iter().position(|p| p.name == name).map(Symbol::Parameter);
        let outside = || self.module.variables.iter().position(|v| v.name == name).map(Symbol::Module);
        own.or_else(parameter).or_else(outside)
    }

    /// The type of a register.
    pub(super) fn ty(&self, register: RegisterId) -> Type {
        self.kernel.registers[register.0 as usize].ty
    }
}

/// `.entry NAME (…) {…}`
pub(super) fn kernel(cursor: &mut Cursor<'_, '_>, module: &Module) -> Result<Kernel> {
    cursor.next()?;
    let name = cursor.expect(Kind::Name, "a kernel's name")?;
    let kernel = Kernel {
        name: name.text.to_string(),
        parameters: if cursor.take(Kind::ParenOpen) { parameters(cursor)? } else { Vec::new() },
        registers: Vec::new(),
        variables: Vec::new(),
        most_threads: None,
        exact_threads: None,
        body: Vec::new(),
        labels: Vec::new(),
        place: name.place,
    };
    let mut scope = Scope {
        module,
        kernel,
        families: HashMap::new(),
        single: HashMap::new(),
        known: HashMap::new(),
        labels: HashMap::new(),
        asked: Vec::new(),
        source: None,
    };
    limits(cursor, &mut scope.kernel)?;
    cursor.expect(Kind::BraceOpen, "{")?;
    while !cursor.take(Kind::BraceClose) {
        statement(cursor, &mut scope)?;
    }
    if let Some((label, place)) = scope.asked.iter().find(|(label, _)| scope.kernel.labels[*label].1 == usize::MAX) {
        let reason = format!("the label {} has no place in {}", scope.kernel.labels[*label].0, scope.kernel.name);
        return Err(cursor.error_at(*place, reason));
    }
    exchange(&mut scope.kernel);
    Ok(scope.kernel)
}

/// Gives a kernel whose threads exchange values in warps the memory for that.
fn exchange(kernel: &mut Kernel) {
    if kernel.body.iter().any(|it| matches!(it.opcode, Opcode::Shfl | Opcode::Vote | Opcode::Redux)) {
        let product = |size: [u32; 3]| size.iter().try_fold(1_u64, |all, size| all.checked_mul(u64::from(*size)));
        let named = kernel.exact_threads.or(kernel.most_threads).and_then(product).filter(|most| *most <= MOST_THREADS);
        let threads = named.unwrap_or(MOST_THREADS).next_multiple_of(WARP.into());
        let (name, space, element) = (EXCHANGE.to_string(), Space::Shared, Type::B32);
        kernel.variables.push(Variable { name, space, element, count: Some(threads), align: 4, initial: Vec::new() });
    }
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
        let (mut ty, mut align) = (None, None);
        while cursor.is(Kind::Dotted) {
            let word = cursor.next()?;
            match word.text {
                ".align" => align = Some(alignment(cursor)?),
                // What a pointer leads to changes nothing; the alignment behind it is that of the target.
                ".ptr" => {
                    while [".global", ".shared", ".const", ".local"].iter().any(|space| cursor.take_text(space)) {}
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
        if found.iter().any(|other| other.name == name) {
            return Err(cursor.error_before(format!("the parameter {name} stands twice")));
        }
        let mut count = None;
        if cursor.take(Kind::BracketOpen) {
            count = Some(cursor.unsigned("a number of elements")?);
            cursor.expect(Kind::BracketClose, "]")?;
        }
        let align = align.unwrap_or(ty.bytes());
        let at = offset.next_multiple_of(align);
        let parameter = Parameter { name, ty, count, align, offset: at };
        offset = at.saturating_add(parameter.bytes());
        if offset > MOST_PARAMETER_BYTES {
            let reason = format!("parameters end at byte {offset}: they may have {MOST_PARAMETER_BYTES} bytes");
            return Err(cursor.error_before(reason));
        }
        found.push(parameter);
    }
    Ok(found)
}

/// `.maxntid 256, 1, 1` and the like.
fn limits(cursor: &mut Cursor<'_, '_>, kernel: &mut Kernel) -> Result<()> {
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
        ".shared" | ".local" => {
            for variable in variables(cursor, false)? {
                if scope.symbol(&variable.name).is_some_and(|other| !matches!(other, Symbol::Module(_))) {
                    return Err(cursor.error_before(format!("the variable {} stands twice", variable.name)));
                }
                scope.kernel.variables.push(variable);
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
            let label = scope.label(token.text, token.place);
            if scope.kernel.labels[label].1 != usize::MAX {
                return Err(cursor.error_at(token.place, format!("the label {} stands twice", token.text)));
            }
            scope.kernel.labels[label].1 = scope.kernel.body.len();
            Ok(())
        }
        _ if matches!(token.kind, Kind::Name | Kind::At) => instruction::instruction(cursor, scope),
        "{" => Err(cursor.error(format!("a scope of its own, as calls have: {}", super::NO_FUNCTIONS))),
        text => Err(cursor.error(format!("found {text}, expected an instruction, a label or a declaration"))),
    }
}

/// `.reg .b32 %r<12>, %a;`
fn registers(cursor: &mut Cursor<'_, '_>, scope: &mut Scope<'_>) -> Result<()> {
    cursor.next()?;
    let word = cursor.expect(Kind::Dotted, "a type")?;
    let ty = match Type::from_name(&word.text[1..]) {
        Some(Type::F16) | None => {
            return Err(cursor.error_before(format!("{}: registers have no such type; use 32-bit floats", word.text)));
        }
        Some(ty) if ty.bits() == 8 => {
            return Err(cursor.error_before(format!("{}: registers have 16 bits at least", word.text)));
        }
        Some(ty) => ty,
    };
    loop {
        let token = cursor.next()?;
        if !matches!(token.kind, Kind::Register | Kind::Name) {
            return Err(cursor.error_before(format!("found {}, expected a register's name", token.text)));
        }
        let name = token.text.to_string();
        let twice = if cursor.take(Kind::Less) {
            let count = cursor.unsigned("a number of registers")?;
            cursor.expect(Kind::Greater, ">")?;
            scope.families.insert(name, (count, ty)).is_some()
        } else {
            scope.single.insert(name, ty).is_some()
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

/// Whether a symbol's memory is that of an instruction's space.
pub(super) fn space_of(scope: &Scope<'_>, symbol: Symbol) -> Space {
    scope.module.variable(&scope.kernel, symbol).map_or(Space::Param, |variable| variable.space)
}
