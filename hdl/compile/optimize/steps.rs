//! Instructions that a pass puts in place of another one.

use super::fresh;
use crate::ptx::ast::{Axis, Instruction, Kernel, Operand, Special, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// What stands in place of an instruction.
pub(super) struct Steps<'k> {
    pub kernel: &'k mut Kernel,
    /// The instruction that they stand for.
    pub like: Instruction,
    pub steps: Vec<Instruction>,
    /// Where its labels are, and the index of the first.
    pub labels: Vec<usize>,
    pub first_label: usize,
    /// Threads of a block, if that is known.
    pub block: Option<[u32; 3]>,
    /// Where warps exchange values.
    pub memory: Option<Symbol>,
}

/// A number.
pub(super) fn number(value: u32) -> Operand {
    Operand::Immediate(value.into())
}

impl<'k> Steps<'k> {
    /// None so far; they have the place and the guard of `like`.
    pub fn new(kernel: &'k mut Kernel, like: Instruction, block: Option<[u32; 3]>) -> Steps<'k> {
        Steps { kernel, like, steps: Vec::new(), labels: Vec::new(), first_label: 0, block, memory: None }
    }

    pub fn push(&mut self, opcode: Opcode, words: &[Word], ty: Type, operands: Vec<Operand>, results: usize) {
        let words = words.iter().fold(Words::default(), |words, word| words.with(*word));
        let like = self.like.clone();
        self.steps.push(Instruction { opcode, words, types: vec![ty], space: None, operands, results, ..like });
    }

    /// An operation with a result of its own.
    pub fn of(&mut self, opcode: Opcode, words: &[Word], ty: Type, sources: &[&Operand]) -> Operand {
        let result = if opcode == Opcode::Setp { Type::Pred } else { Type::B32 };
        let d = Operand::Register(fresh(self.kernel, result));
        let operands = std::iter::once(&d).chain(sources.iter().copied()).cloned().collect();
        self.push(opcode, words, ty, operands, 1);
        d
    }

    /// A logical operation on 32 bits; on two numbers it is done at once.
    pub fn logic(&mut self, opcode: Opcode, a: &Operand, b: &Operand) -> Operand {
        if let (Operand::Immediate(a), Operand::Immediate(b)) = (a, b) {
            return Operand::Immediate(match opcode {
                Opcode::And => a & b,
                Opcode::Or => a | b,
                Opcode::Xor => a ^ b,
                _ => a >> b,
            });
        }
        match (opcode, b) {
            (Opcode::Or, Operand::Immediate(0)) => a.clone(),
            (Opcode::And, Operand::Immediate(0)) => number(0),
            (Opcode::Shr, _) => self.of(opcode, &[], Type::U32, &[a, b]),
            _ => self.of(opcode, &[], Type::B32, &[a, b]),
        }
    }

    /// The thread's number in its block, x first.
    pub fn thread(&mut self) -> Operand {
        let tid = |axis| Operand::Special(Special::Tid(axis));
        let ntid = |axis| Operand::Special(Special::Ntid(axis));
        let more = |axis: Axis| self.block.is_none_or(|block| block[axis as usize] > 1);
        let [second, third] = [Axis::Y, Axis::Z].map(more);
        let mut number = tid(Axis::X);
        if second || third {
            let mut row = tid(Axis::Y);
            if third {
                row = self.of(Opcode::Mad, &[Word::Lo], Type::U32, &[&tid(Axis::Z), &ntid(Axis::Y), &row]);
            }
            number = self.of(Opcode::Mad, &[Word::Lo], Type::U32, &[&row, &ntid(Axis::X), &number]);
        }
        number
    }
}
