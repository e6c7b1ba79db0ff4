//! A kernel with functions in it as if it had been read so: what lay in `.param` is local memory, registers and labels
//! stand in the order in which the text names them first, and warps have the memory that they need.

use std::collections::HashMap;

use super::{Call, Slot};
use crate::interpret::MOST_THREADS;
use crate::ptx::ast::{Base, EXCHANGE, Instruction, Kernel, Operand, Register, RegisterId, Symbol, Variable, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Makes 0 of registers that are passed and that nobody writes: what lies between the members of a structure, say.
/// `inputs` are written by who calls.
pub(super) fn padding(kernel: &mut Kernel, calls: &[Call], inputs: &[Slot]) {
    let mut written = vec![false; kernel.registers.len()];
    let results = calls.iter().flat_map(|call| &call.results).flat_map(Operand::registers);
    let inputs = inputs.iter().filter_map(|slot| match slot {
        Slot::Register(register) => Some(*register),
        Slot::Variable(_) => None,
    });
    let own = kernel.body.iter().flat_map(Instruction::writes);
    own.chain(results).chain(inputs).for_each(|register| written[register.0 as usize] = true);
    let zero = |operand: &mut Operand| match operand {
        Operand::Register(register) if !written[register.0 as usize] => *operand = Operand::Immediate(0),
        _ => {}
    };
    for it in kernel.body.iter_mut().filter(|it| it.opcode == Opcode::St && it.space == Some(Space::Param)) {
        match &mut it.operands[1] {
            Operand::Vector(parts) => parts.iter_mut().for_each(zero),
            other => zero(other),
        }
    }
}

/// Puts variables for parameters of functions into local memory. What a kernel reads through a register is a parameter
/// of its own.
pub(super) fn parameters_are_local(kernel: &mut Kernel) {
    for variable in kernel.variables.iter_mut().filter(|variable| variable.space == Space::Param) {
        variable.space = Space::Local;
    }
    make_local(kernel, |base| matches!(base, Base::Symbol(Symbol::Kernel(_))));
}

/// In the body of a function every address of a parameter is one of local memory.
pub(super) fn addresses_are_local(function: &mut Kernel) {
    make_local(function, |base| matches!(base, Base::Register(_)));
    for it in function.body.iter_mut().filter(|it| matches!(it.opcode, Opcode::Cvta | Opcode::Isspacep)) {
        it.make_local();
    }
}

fn make_local(kernel: &mut Kernel, is: impl Fn(&Base) -> bool) {
    let own = |operand: &Operand| matches!(operand, Operand::Memory { base, .. } if is(base));
    kernel.body.iter_mut().filter(|it| it.operands.iter().any(own)).for_each(Instruction::make_local);
}

impl Instruction {
    /// Puts local memory in place of parameters.
    fn make_local(&mut self) {
        if self.space == Some(Space::Param) {
            self.space = Some(Space::Local);
            self.spelling = self.spelling.replacen(".param", ".local", 1);
        }
    }
}

/// Numbers as they come.
struct Numbers {
    given: HashMap<usize, usize>,
}

impl Numbers {
    fn of(&mut self, old: usize) -> usize {
        let next = self.given.len();
        *self.given.entry(old).or_insert(next)
    }

    /// The old ones in their new order.
    fn order(self) -> Vec<usize> {
        let mut all: Vec<(usize, usize)> = self.given.into_iter().map(|(old, new)| (new, old)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, old)| old).collect()
    }
}

/// Numbers registers and labels in the order in which they are named; registers that nobody names are left out.
pub(super) fn order(kernel: &mut Kernel) {
    let mut registers = Numbers { given: HashMap::new() };
    let mut labels = Numbers { given: HashMap::new() };
    let mut at_place: HashMap<usize, Vec<usize>> = HashMap::new();
    for (label, (_, place)) in kernel.labels.iter().enumerate() {
        at_place.entry(*place).or_default().push(label);
    }
    let mut body = std::mem::take(&mut kernel.body);
    for at in 0..=body.len() {
        for label in at_place.get(&at).into_iter().flatten() {
            labels.of(*label);
        }
        let Some(Instruction { guard, operands, .. }) = body.get_mut(at) else { break };
        guard.iter_mut().for_each(|guard| number(&mut guard.register, &mut registers));
        operands.iter_mut().for_each(|operand| renumber(operand, &mut registers, &mut labels));
    }
    kernel.body = body;
    let old = std::mem::take(&mut kernel.registers);
    kernel.registers = registers.order().into_iter().map(|index| Register { ..old[index].clone() }).collect();
    let old = std::mem::take(&mut kernel.labels);
    kernel.labels = labels.order().into_iter().map(|index| old[index].clone()).collect();
}

fn number(register: &mut RegisterId, registers: &mut Numbers) {
    register.0 = registers.of(register.0 as usize) as u32;
}

fn renumber(operand: &mut Operand, registers: &mut Numbers, labels: &mut Numbers) {
    match operand {
        Operand::Register(register)
        | Operand::Predicate { register, .. }
        | Operand::Memory { base: Base::Register(register), .. } => number(register, registers),
        Operand::Pair(first, second) => [first, second].into_iter().for_each(|one| number(one, registers)),
        Operand::Vector(parts) => parts.iter_mut().for_each(|part| renumber(part, registers, labels)),
        Operand::Label(label) => *label = labels.of(*label),
        _ => {}
    }
}

/// Gives a kernel whose threads exchange values in warps the memory for that.
pub(super) fn exchange(kernel: &mut Kernel) {
    let is = |it: &Instruction| match it.opcode {
        Opcode::Shfl | Opcode::Vote | Opcode::Redux | Opcode::Match => true,
        Opcode::Bar => it.words.has(Word::Red),
        _ => false,
    };
    if kernel.body.iter().any(is) {
        let product = |size: [u32; 3]| size.iter().try_fold(1_u64, |all, size| all.checked_mul(u64::from(*size)));
        let named = kernel.exact_threads.or(kernel.most_threads).and_then(product).filter(|most| *most <= MOST_THREADS);
        let threads = named.unwrap_or(MOST_THREADS).next_multiple_of(WARP.into());
        let (name, space, element) = (EXCHANGE.to_string(), Space::Shared, Type::B32);
        kernel.variables.push(Variable { name, space, element, count: Some(threads), align: 4, initial: Vec::new() });
    }
}
