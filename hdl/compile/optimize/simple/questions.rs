//! `testp`, and `slct` of or by floating-point numbers, by comparisons. (What chooses between integers by the sign of
//! one is words, which read that sign alone.)
//!
//! Source: PTX ISA 8.7, the description of each.

use super::super::steps::{Steps, number, read, set};
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// Whether it is one of these.
pub(super) fn is(it: &Instruction) -> bool {
    match it.opcode {
        Opcode::Testp => true,
        Opcode::Slct => it.types.iter().any(|ty| ty.is_float()),
        _ => false,
    }
}

impl Steps<'_> {
    /// What a floating-point number is, by its bits without the sign.
    pub(super) fn property(&mut self) {
        let like = self.like.clone();
        let (bits, compared) = if like.ty() == Type::F64 { (Type::B64, Type::U64) } else { (Type::B32, Type::U32) };
        let fraction = if like.ty() == Type::F64 { 52 } else { 23 };
        let [magnitude, hidden] = [bits.mask() >> 1, 1 << fraction].map(Operand::Immediate);
        let infinite = Operand::Immediate(bits.mask() >> 1 & !((1 << fraction) - 1));
        let all = self.of_type(bits, Opcode::And, set(&[]), &[bits], &[&like.operands[1], &magnitude]);
        let asked = [Word::Finite, Word::Infinite, Word::Number, Word::NotANumber, Word::Subnormal];
        let word = like.words.one_of(&asked);
        let value = match word {
            Some(Word::Finite) => self.of(Opcode::Setp, &[Word::Lt], compared, &[&all, &infinite]),
            Some(Word::Infinite) => self.of(Opcode::Setp, &[Word::Eq], compared, &[&all, &infinite]),
            Some(Word::Number) => self.of(Opcode::Setp, &[Word::Le], compared, &[&all, &infinite]),
            Some(Word::NotANumber) => self.of(Opcode::Setp, &[Word::Gt], compared, &[&all, &infinite]),
            _ => {
                // One less than 0 is the largest number: zeros are normal.
                let less = self.of_type(bits, Opcode::Sub, set(&[]), &[compared], &[&all, &number(1)]);
                let Operand::Immediate(hidden) = hidden else { unreachable!("it was just made") };
                let last = Operand::Immediate(hidden - 1);
                if word.is_some() {
                    self.of(Opcode::Setp, &[Word::Lt], compared, &[&less, &last])
                } else {
                    let finite = self.of(Opcode::Setp, &[Word::Lt], compared, &[&all, &infinite]);
                    let words = [Word::Ge, Word::And];
                    self.of(Opcode::Setp, &words, compared, &[&less, &last, &read(&finite)])
                }
            }
        };
        self.finish(&value, Type::Pred);
    }

    /// The first operand where the third is 0 or more, else the second.
    pub(super) fn by_sign(&mut self) {
        let like = self.like.clone();
        let words = like.words.one_of(&[Word::Ftz]).map_or(Words::default(), |ftz| set(&[ftz])).with(Word::Ge);
        let positive =
            self.of_type(Type::Pred, Opcode::Setp, words, &[like.types[1]], &[&like.operands[3], &number(0)]);
        let [d, a, b] = [0, 1, 2].map(|at: usize| like.operands[at].clone());
        self.push_with(Opcode::Selp, Words::default(), &[like.ty()], vec![d, a, b, read(&positive)], 1);
    }
}
