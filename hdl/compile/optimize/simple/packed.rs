//! Two 16-bit numbers in one: the instruction for each half. Functions of 16-bit numbers by way of binary32.

use super::super::steps::{Steps, read, set};
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

impl Steps<'_> {
    /// An instruction on 16-bit numbers, one or two.
    pub(super) fn small(&mut self) {
        let like = self.like.clone();
        if !like.types.iter().any(|ty| ty.is_packed()) {
            let value = self.element(&like, &like.operands[1..]);
            return self.finish(&value, Type::B16);
        }
        // Of two numbers the first one goes to the high half.
        let sources = match like.opcode {
            Opcode::Cvt => [like.operands[2..].to_vec(), like.operands[1..2].to_vec()],
            _ => self.split(&like),
        };
        let found = sources.map(|sources| self.element(&like, &sources));
        match like.operands[0] {
            // The second half may read what the first one writes.
            Operand::Pair(first, second) => {
                for (to, from) in [first, second].into_iter().zip(&found) {
                    self.push(Opcode::Mov, &[], Type::Pred, vec![Operand::Register(to), read(from)], 1);
                }
            }
            _ => {
                let operands = vec![like.operands[0].clone(), Operand::Vector(found.to_vec())];
                self.push(Opcode::Mov, &[], Type::B32, operands, 1);
            }
        }
    }

    /// Sources of both halves; a predicate is one of both.
    fn split(&mut self, like: &Instruction) -> [Vec<Operand>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for operand in &like.operands[1..] {
            let halves = match operand {
                Operand::Predicate { .. } => [operand.clone(), operand.clone()],
                Operand::Immediate(bits) => [bits & 0xffff, bits >> 16 & 0xffff].map(Operand::Immediate),
                _ => self.in_two(operand),
            };
            found.iter_mut().zip(halves).for_each(|(found, half)| found.push(half));
        }
        found
    }

    /// The halves of a register.
    fn in_two(&mut self, whole: &Operand) -> [Operand; 2] {
        let halves = [(); 2].map(|()| Operand::Register(super::fresh(self.kernel, Type::B16)));
        self.push(Opcode::Mov, &[], Type::B32, vec![Operand::Vector(halves.to_vec()), whole.clone()], 1);
        halves
    }

    /// The instruction on single numbers, with a result of its own.
    fn element(&mut self, like: &Instruction, sources: &[Operand]) -> Operand {
        let sources: Vec<&Operand> = sources.iter().collect();
        let types: Vec<Type> = like
            .types
            .iter()
            .map(|ty| match ty.element() {
                // A mask of each half.
                Type::U32 | Type::S32 => Type::U16,
                other => other,
            })
            .collect();
        match like.opcode {
            Opcode::Ex2 | Opcode::Tanh => {
                let single = self.of_type(Type::F32, Opcode::Cvt, set(&[]), &[Type::F32, types[0]], &sources);
                let found = self.of_type(Type::F32, like.opcode, like.words, &[Type::F32], &[&single]);
                self.of_type(Type::B16, Opcode::Cvt, set(&[Word::Rn]), &[types[0], Type::F32], &[&found])
            }
            Opcode::Setp => self.of_type(Type::Pred, Opcode::Setp, like.words, &types, &sources),
            opcode => self.of_type(Type::B16, opcode, like.words, &types, &sources),
        }
    }
}
