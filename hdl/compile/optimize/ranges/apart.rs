//! Takes instructions apart that are two in one, so that a check can stand between.

use crate::optimize::{fresh, replaced};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word, Words};

/// Products with sums, and accesses far behind a register.
pub(super) fn take(kernel: &mut Kernel, apart: &[bool]) {
    let temporary: Vec<Option<RegisterId>> =
        apart.iter().map(|apart| apart.then(|| fresh(kernel, Type::B64))).collect();
    replaced(kernel, |at, it| {
        let Some(own) = temporary[at] else { return vec![it] };
        let plain = |opcode: Opcode, words: Words, types: Vec<Type>, operands: Vec<Operand>| {
            let (space, like) = (None, it.clone());
            Instruction { opcode, words, types, space, operands, results: 1, ..like }
        };
        let sum = |operands: Vec<Operand>| plain(Opcode::Add, Words::default(), vec![Type::S64], operands);
        if it.opcode == Opcode::Mad {
            let words =
                Word::ALL.iter().filter(|word| it.words.has(**word)).fold(Words::default(), |all, one| all.with(*one));
            let [d, a, b, c] = [0, 1, 2, 3].map(|index| it.operands[index].clone());
            let product = plain(Opcode::Mul, words, it.types.clone(), vec![Operand::Register(own), a, b]);
            return vec![product, sum(vec![d, Operand::Register(own), c])];
        }
        let mut access = it.clone();
        let mut before = Vec::new();
        for operand in &mut access.operands {
            if let Operand::Memory { base: Base::Register(register), offset } = operand {
                let number = Operand::Immediate(*offset as u64);
                before.push(sum(vec![Operand::Register(own), Operand::Register(*register), number]));
                *operand = Operand::Memory { base: Base::Register(own), offset: 0 };
            }
        }
        before.into_iter().chain([access]).collect()
    });
}

/// Accesses so far behind a variable, or behind 0, that they are in no memory of 32 bits, at a register.
pub(super) fn named(kernel: &mut Kernel) {
    let far = |operand: &Operand| match operand {
        Operand::Memory { base: Base::Symbol(_) | Base::Absolute, offset } => i32::try_from(*offset).is_err(),
        _ => false,
    };
    let accesses = |it: &Instruction| it.space != Some(Space::Param) && it.operands.iter().any(far);
    if !kernel.body.iter().any(accesses) {
        return;
    }
    let own = fresh(kernel, Type::B64);
    replaced(kernel, |_, it| {
        if !accesses(&it) {
            return vec![it];
        }
        let mut access = it.clone();
        let mut address = None;
        for operand in access.operands.iter_mut().filter(|operand| far(operand)) {
            address = match operand {
                Operand::Memory { base: Base::Symbol(symbol), offset } => Some(Operand::Address(*symbol, *offset)),
                Operand::Memory { offset, .. } => Some(Operand::Immediate(*offset as u64)),
                _ => None,
            };
            *operand = Operand::Memory { base: Base::Register(own), offset: 0 };
        }
        let (space, words, types) = (None, Words::default(), vec![Type::U64]);
        let operands = [Operand::Register(own)].into_iter().chain(address).collect();
        vec![Instruction { opcode: Opcode::Mov, words, types, space, operands, results: 1, guard: None, ..it }, access]
    });
}
