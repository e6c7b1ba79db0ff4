//! Which variables may become registers, and the accesses to them.

use super::{Place, Value, address, base, result};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::Space;

/// An access to a variable that becomes registers.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub variable: usize,
    /// Byte of the variable at which it begins.
    pub offset: u64,
    /// Bytes of an element, and how many there are.
    pub size: u64,
    pub count: u64,
    pub store: bool,
}

/// All of them, by the instruction.
pub struct Accesses {
    by_instruction: Vec<Option<Access>>,
}

impl Accesses {
    pub fn at(&self, at: usize) -> Option<Access> {
        self.by_instruction[at]
    }

    /// Those that there are.
    pub fn all(&self) -> impl Iterator<Item = Access> + '_ {
        self.by_instruction.iter().copied().flatten()
    }
}

/// Accesses to variables whose addresses go nowhere else; none if there are none.
pub fn of(kernel: &Kernel, values: &[Value]) -> Option<Accesses> {
    let mut stays: Vec<bool> = kernel.variables.iter().map(|variable| variable.space != Space::Local).collect();
    let mut found: Vec<Option<Access>> = Vec::new();
    for it in &kernel.body {
        let access = access(kernel, it, values);
        found.push(access);
        // An address that makes an address is known behind it, too.
        let tracked = matches!(result(kernel, it, values, Space::Local), Value::Known(_))
            && it.writes().iter().all(|register| matches!(values[register.0 as usize], Value::Known(_)));
        for (index, operand) in it.operands.iter().enumerate().skip(it.results) {
            let known = access.is_some() && base(operand).is_some();
            if !(known || tracked && index > 0) {
                named(kernel, operand, values).into_iter().for_each(|variable| stays[variable] = true);
            }
        }
    }
    let goes = |access: &mut Option<Access>| {
        if access.is_some_and(|access| stays[access.variable]) {
            *access = None;
        }
    };
    found.iter_mut().for_each(goes);
    found.iter().any(Option::is_some).then_some(Accesses { by_instruction: found })
}

/// Variables of which an operand has an address.
fn named(kernel: &Kernel, operand: &Operand, values: &[Value]) -> Vec<usize> {
    if let Operand::Memory { base: Base::Symbol(Symbol::Kernel(variable)), .. } = operand {
        return vec![*variable];
    }
    let registers = operand.registers().into_iter().map(Operand::Register);
    let all = registers.chain([operand.clone()]);
    all.filter_map(|operand| match address(kernel, &operand, values, Space::Local) {
        Value::Known(place) => Some(place.variable),
        _ => None,
    })
    .collect()
}

/// A load or store at a place that is known, all of it in its variable.
fn access(kernel: &Kernel, it: &Instruction, values: &[Value]) -> Option<Access> {
    let (store, at, value) = match it.opcode {
        Opcode::Ld => (false, 1, 0),
        Opcode::St => (true, 0, 1),
        _ => return None,
    };
    let Operand::Memory { base, offset } = &it.operands[at] else { return None };
    let place = match base {
        Base::Register(register) => match values[register.0 as usize] {
            Value::Known(place) => place,
            _ => return None,
        },
        Base::Symbol(Symbol::Kernel(variable)) if it.space == Some(Space::Local) => {
            Place { variable: *variable, offset: 0, generic: false }
        }
        _ => return None,
    };
    let space = if place.generic { None } else { Some(Space::Local) };
    let count = match &it.operands[value] {
        Operand::Vector(parts) => parts.len() as u64,
        _ => 1,
    };
    let size = it.ty().bytes();
    let offset = u64::try_from(place.offset.checked_add(*offset)?).ok()?;
    let inside = offset.checked_add(size * count)? <= kernel.variables[place.variable].bytes();
    let fits = it.space == space && inside && offset.is_multiple_of(size);
    fits.then_some(Access { variable: place.variable, offset, size, count, store })
}
