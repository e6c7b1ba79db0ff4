//! A module as PTX again: what the parser has understood, in one style. Reading it back gives the same module.

use std::fmt::{Display, Formatter, Result};

use super::ast::{Base, EXCHANGE, Instruction, Kernel, Module, Operand, Symbol, Variable};
use super::table::Opcode;
use super::types::{Class, Type};
use crate::error::Place;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        writeln!(f, ".target {}", self.target.join(", "))?;
        writeln!(f, ".address_size {}", self.address_size)?;
        for each in &self.variables {
            variable(f, each)?;
        }
        self.kernels.iter().try_for_each(|each| kernel(f, self, each))
    }
}

/// Bits of an element as a constant that reads back.
fn constant(ty: Type, bits: u64) -> String {
    match (ty.class(), ty.bits()) {
        (Class::Float, 32) => format!("0f{bits:08X}"),
        (Class::Float, _) => format!("0d{bits:016X}"),
        _ => bits.to_string(),
    }
}

fn variable(f: &mut Formatter<'_>, it: &Variable) -> Result {
    let external = if it.count.is_none() { ".extern " } else { "" };
    write!(f, "{external}.{} .align {} .{} {}", it.space.name(), it.align, it.element.name(), it.name)?;
    match it.count {
        Some(count) => write!(f, "[{count}]")?,
        None => write!(f, "[]")?,
    }
    if !it.initial.is_empty() {
        let values: Vec<String> = it
            .initial
            .chunks(it.element.bytes() as usize)
            .map(|bytes| {
                let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
                constant(it.element, bits)
            })
            .collect();
        write!(f, " = {{{}}}", values.join(", "))?;
    }
    writeln!(f, ";")
}

fn kernel(f: &mut Formatter<'_>, module: &Module, it: &Kernel) -> Result {
    let parameters: Vec<String> = it
        .parameters
        .iter()
        .map(|parameter| {
            let count = parameter.count.map_or(String::new(), |count| format!("[{count}]"));
            let pointer = parameter.space.map_or(String::new(), |space| format!(" .ptr .{}", space.name()));
            let (align, ty) = (parameter.align, parameter.ty.name());
            format!("\n    .param .align {align} .{ty}{pointer} {}{count}", parameter.name)
        })
        .collect();
    write!(f, ".visible .entry {}({})", it.name, parameters.join(","))?;
    for (word, limit) in [(".maxntid", it.most_threads), (".reqntid", it.exact_threads)] {
        if let Some([x, y, z]) = limit {
            write!(f, " {word} {x}, {y}, {z}")?;
        }
    }
    writeln!(f, "\n{{")?;
    for register in &it.registers {
        writeln!(f, "    .reg .{} {};", register.ty.name(), register.name)?;
    }
    let written = it.variables.iter().filter(|each| each.name != EXCHANGE);
    written.into_iter().try_for_each(|each| variable(f, each))?;
    for at in 0..=it.body.len() {
        for (name, _) in it.labels.iter().filter(|(_, place)| *place == at) {
            writeln!(f, "{name}:")?;
        }
        if let Some(each) = it.body.get(at) {
            writeln!(f, "    {}", instruction(module, it, each))?;
        }
    }
    writeln!(f, "}}")
}

/// An instruction as text, with its semicolon.
#[must_use]
pub fn instruction(module: &Module, kernel: &Kernel, it: &Instruction) -> String {
    let name = |register: super::ast::RegisterId| kernel.registers[register.0 as usize].name.as_str();
    let guard = it
        .guard
        .map_or(String::new(), |guard| format!("@{}{} ", if guard.negated { "!" } else { "" }, name(guard.register)));
    let operands: Vec<String> = it.operands.iter().map(|operand| text(module, kernel, it, operand)).collect();
    let gap = if operands.is_empty() { "" } else { " " };
    format!("{guard}{}{gap}{};", it.spelling, operands.join(", "))
}

fn symbol_name<'m>(module: &'m Module, kernel: &'m Kernel, symbol: Symbol) -> &'m str {
    match symbol {
        Symbol::Module(index) => &module.variables[index].name,
        Symbol::Kernel(index) => &kernel.variables[index].name,
        Symbol::Parameter(index) => &kernel.parameters[index].name,
    }
}

fn text(module: &Module, kernel: &Kernel, it: &Instruction, operand: &Operand) -> String {
    let name = |register: &super::ast::RegisterId| kernel.registers[register.0 as usize].name.clone();
    let with = |base: String, offset: i64| match offset {
        0 => base,
        offset => format!("{base}+{offset}"),
    };
    match operand {
        Operand::Register(register) => name(register),
        Operand::Predicate { register, negated } => format!("{}{}", if *negated { "!" } else { "" }, name(register)),
        Operand::Pair(first, second) => format!("{}|{}", name(first), name(second)),
        Operand::Immediate(bits) => constant(constant_type(it, operand), *bits),
        Operand::Special(special) => special.name(),
        Operand::Address(symbol, offset) => with(symbol_name(module, kernel, *symbol).to_string(), *offset),
        Operand::Memory { base, offset } => match base {
            Base::Register(register) => format!("[{}]", with(name(register), *offset)),
            Base::Sum(first, second) => format!("[{}+{}]", name(first), with(name(second), *offset)),
            Base::Symbol(symbol) => format!("[{}]", with(symbol_name(module, kernel, *symbol).to_string(), *offset)),
            Base::Absolute => format!("[{}]", *offset as u64),
        },
        Operand::Vector(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| text(module, kernel, it, part)).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Operand::Nothing => "_".to_string(),
        Operand::Label(label) => kernel.labels[*label].0.clone(),
    }
}

/// The type by which a constant operand was read; of integers any will do.
fn constant_type(it: &Instruction, operand: &Operand) -> Type {
    match it.types[..] {
        [first, second] => {
            // Of `slct` only the last operand has the second type, of all others with two every source.
            let last = it.operands.last().is_some_and(|last| std::ptr::eq(last, operand));
            if it.opcode == Opcode::Slct && !last { first } else { second }
        }
        [first, ..] => first,
        [] => Type::B32,
    }
}

impl Module {
    /// The same without places and names of files: what two texts must have in common to mean the same.
    #[must_use]
    pub fn without_places(&self) -> Module {
        let mut module = self.clone();
        module.origin.clear();
        for kernel in &mut module.kernels {
            kernel.place = Place::default();
            for instruction in &mut kernel.body {
                instruction.place = Place::default();
                instruction.source = None;
            }
        }
        module
    }
}
