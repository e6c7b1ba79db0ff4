//! A copy of a function, in place of a call.

use super::{Call, Formal, Function, Slot};
use crate::ptx::ast::{Base, Guard, Instruction, Kernel, Operand, Register, RegisterId, Symbol, Variable};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Words};

/// A copy of a function that is being made.
pub(super) struct Copy<'c> {
    /// The kernel or function that it becomes part of, without its body.
    pub(super) kernel: &'c mut Kernel,
    pub(super) body: &'c mut Vec<Instruction>,
    /// The call that it stands for.
    pub(super) call: &'c Instruction,
    pub(super) prefix: String,
}

/// A variable in place of an operand.
fn variable(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::Address(Symbol::Kernel(index), 0) => Some(*index),
        _ => None,
    }
}

impl Copy<'_> {
    /// Copies `whole`, which is the body of `function` with all that it calls.
    pub(super) fn function(&mut self, whole: &Kernel, function: &Function, call: &Call) {
        let Some(own) = &function.body else { return };
        let formals = function.results.iter().zip(&own.results).zip(&call.results);
        let results = formals.map(|((formal, slot), actual)| (formal, *slot, actual));
        let formals = function.inputs.iter().zip(&own.inputs).zip(&call.inputs);
        let inputs = formals.map(|((formal, slot), actual)| (formal, *slot, actual));
        let registers = self.kernel.registers.len() as u32;
        let named = |name: &String| match name.strip_prefix('%') {
            Some(name) => format!("%{}{name}", self.prefix),
            None => format!("{}{name}", self.prefix),
        };
        let added = whole.registers.iter().map(|own| Register { name: named(&own.name), ty: own.ty });
        self.kernel.registers.extend(added);
        // What both sides have in `.param` is one variable.
        let mut variables: Vec<Option<usize>> = vec![None; whole.variables.len()];
        for (formal, slot, actual) in results.clone().chain(inputs.clone()) {
            if let (Slot::Variable(own), Some(other)) = (slot, variable(actual)) {
                variables[own] = Some(other);
                let align = &mut self.kernel.variables[other].align;
                *align = formal.align.max(*align);
            }
        }
        let variables: Vec<usize> = variables
            .into_iter()
            .zip(&whole.variables)
            .map(|(known, own)| {
                known.unwrap_or_else(|| {
                    self.kernel.variables.push(Variable { name: named(&own.name), ..own.clone() });
                    self.kernel.variables.len() - 1
                })
            })
            .collect();
        let labels = self.kernel.labels.len();
        let added: Vec<(String, usize)> = whole.labels.iter().map(|(name, _)| (named(name), 0)).collect();
        self.kernel.labels.extend(added);
        let around = self.call.guard.map(|guard| {
            let around = self.label("around");
            let mut jump = self.jump(around);
            jump.guard = Some(Guard { negated: !guard.negated, ..guard });
            self.body.push(jump);
            around
        });
        let place = |slot| match slot {
            Slot::Register(register) => Slot::Register(RegisterId(register.0 + registers)),
            Slot::Variable(own) => Slot::Variable(variables[own]),
        };
        for (formal, slot, actual) in inputs {
            self.pass(formal, place(slot), actual);
        }
        let mut back = None;
        let mut starts = Vec::new();
        for (at, it) in whole.body.iter().enumerate() {
            starts.push(self.body.len());
            let mut it = it.clone();
            it.guard.iter_mut().for_each(|guard| guard.register.0 += registers);
            it.operands.iter_mut().for_each(|operand| renamed(operand, registers, &variables, labels));
            if it.opcode == Opcode::Ret {
                if at + 1 == whole.body.len() && it.guard.is_none() {
                    continue;
                }
                let back = *back.get_or_insert_with(|| self.label("back"));
                it = Instruction {
                    opcode: Opcode::Bra,
                    spelling: it.spelling.replacen("ret", "bra", 1),
                    operands: vec![Operand::Label(back)],
                    ..it
                };
            }
            self.body.push(it);
        }
        starts.push(self.body.len());
        for (index, (_, at)) in whole.labels.iter().enumerate() {
            self.kernel.labels[labels + index].1 = starts[*at];
        }
        back.iter().for_each(|back: &usize| self.kernel.labels[*back].1 = self.body.len());
        for (formal, slot, actual) in results {
            self.give(formal, place(slot), actual);
        }
        around.iter().for_each(|around: &usize| self.kernel.labels[*around].1 = self.body.len());
    }

    fn label(&mut self, name: &str) -> usize {
        self.kernel.labels.push((format!("{}${name}", self.prefix), usize::MAX));
        self.kernel.labels.len() - 1
    }

    /// An instruction at the place of the call.
    fn like(&self, opcode: Opcode, spelling: String, types: Vec<Type>, operands: Vec<Operand>) -> Instruction {
        let (words, space, guard, results) = (Words::default(), None, None, 0);
        Instruction { opcode, spelling, words, types, space, guard, operands, results, ..self.call.clone() }
    }

    fn jump(&self, label: usize) -> Instruction {
        self.like(Opcode::Bra, "bra".into(), Vec::new(), vec![Operand::Label(label)])
    }

    fn moved(&mut self, ty: Type, to: RegisterId, from: Operand) {
        let it = self.like(Opcode::Mov, format!("mov.{}", ty.name()), vec![ty], vec![Operand::Register(to), from]);
        self.body.push(Instruction { results: 1, ..it });
    }

    /// Between a register and a variable.
    fn access(&mut self, opcode: Opcode, ty: Type, own: usize, value: Operand) {
        let memory = Operand::Memory { base: Base::Symbol(Symbol::Kernel(own)), offset: 0 };
        let (name, operands, results) = match opcode {
            Opcode::Ld => ("ld", vec![value, memory], 1),
            _ => ("st", vec![memory, value], 0),
        };
        let it = self.like(opcode, format!("{name}.param.{}", ty.name()), vec![ty], operands);
        self.body.push(Instruction { results, space: Some(Space::Param), ..it });
    }

    /// Puts what is passed where the function reads it.
    fn pass(&mut self, formal: &Formal, slot: Slot, actual: &Operand) {
        match (slot, variable(actual)) {
            (Slot::Variable(_), Some(_)) => {}
            (Slot::Variable(own), None) => self.access(Opcode::St, formal.ty, own, actual.clone()),
            (Slot::Register(to), None) => self.moved(formal.ty, to, actual.clone()),
            (Slot::Register(to), Some(own)) => self.access(Opcode::Ld, formal.ty, own, Operand::Register(to)),
        }
    }

    /// Puts a result where the call wants it.
    fn give(&mut self, formal: &Formal, slot: Slot, actual: &Operand) {
        match (slot, variable(actual), actual) {
            (_, None, Operand::Register(to)) => match slot {
                Slot::Variable(own) => self.access(Opcode::Ld, formal.ty, own, Operand::Register(*to)),
                Slot::Register(from) => self.moved(formal.ty, *to, read(formal.ty, from)),
            },
            (Slot::Register(from), Some(own), _) => self.access(Opcode::St, formal.ty, own, read(formal.ty, from)),
            _ => {}
        }
    }
}

/// A register as a source.
fn read(ty: Type, register: RegisterId) -> Operand {
    match ty {
        Type::Pred => Operand::Predicate { register, negated: false },
        _ => Operand::Register(register),
    }
}

/// The operand in a copy.
fn renamed(operand: &mut Operand, registers: u32, variables: &[usize], labels: usize) {
    match operand {
        Operand::Register(register)
        | Operand::Predicate { register, .. }
        | Operand::Memory { base: Base::Register(register), .. } => register.0 += registers,
        Operand::Pair(first, second) => [first, second].into_iter().for_each(|one| one.0 += registers),
        Operand::Address(Symbol::Kernel(own), _) | Operand::Memory { base: Base::Symbol(Symbol::Kernel(own)), .. } => {
            *own = variables[*own]
        }
        Operand::Vector(parts) => parts.iter_mut().for_each(|part| renamed(part, registers, variables, labels)),
        Operand::Label(label) => *label += labels,
        _ => {}
    }
}
