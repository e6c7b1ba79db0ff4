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
        let (bits, compared, fraction) = match like.ty() {
            Type::F64 => (Type::B64, Type::U64, 52),
            _ => (Type::B32, Type::U32, 23),
        };
        let magnitude = bits.mask() >> 1;
        // The smallest normal number, and infinity.
        let (normal, infinite) = (1 << fraction, magnitude & !((1 << fraction) - 1));
        let source = [&like.operands[1], &Operand::Immediate(magnitude)];
        let all = self.of_type(bits, Opcode::And, set(&[]), &[bits], &source);
        let infinite = Operand::Immediate(infinite);
        let asked = [Word::Finite, Word::Infinite, Word::Number, Word::NotANumber, Word::Subnormal];
        let word = like.words.one_of(&asked);
        let mut compare = |how: Word| self.of(Opcode::Setp, &[how], compared, &[&all, &infinite]);
        let value = match word {
            Some(Word::Finite) => compare(Word::Lt),
            Some(Word::Infinite) => compare(Word::Eq),
            Some(Word::Number) => compare(Word::Le),
            Some(Word::NotANumber) => compare(Word::Gt),
            _ => {
                let finite = word.is_none().then(|| compare(Word::Lt));
                // One less than 0 is the largest number: zeros are normal.
                let less = self.of_type(bits, Opcode::Sub, set(&[]), &[compared], &[&all, &number(1)]);
                let last = Operand::Immediate(normal - 1);
                match finite {
                    Some(finite) => {
                        let words = [Word::Ge, Word::And];
                        self.of(Opcode::Setp, &words, compared, &[&less, &last, &read(&finite)])
                    }
                    None => self.of(Opcode::Setp, &[Word::Lt], compared, &[&less, &last]),
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
