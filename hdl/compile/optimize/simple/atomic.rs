//! Atomic operations that memory does not know: on 16 bits, on two 16-bit numbers, sums of binary64, counters that
//! begin anew (`inc`, `dec`). What is there is loaded, and what it becomes is exchanged for it, until nobody was
//! faster.
//!
//! Of threads that want the same word the lowest one succeeds in each turn, so that they come in order.

use super::super::steps::{Steps, number, read};
use super::fresh;
use crate::ptx::ast::{Base, Instruction, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// The word of an access, and by how many bits it is shifted up there.
struct Place {
    word: Operand,
    shift: Option<Operand>,
}

/// Whether it is one of these.
pub(super) fn is(it: &Instruction) -> bool {
    let counts = it.words.has(Word::Inc) || it.words.has(Word::Dec);
    let other = |ty: Type| ty == Type::F64 || ty.bits() == 16 || ty.is_packed();
    matches!(it.opcode, Opcode::Atom | Opcode::Red) && (counts || other(it.ty()))
}

impl Steps<'_> {
    /// The loop.
    pub(super) fn atomic(&mut self) {
        let around = self.around();
        let like = self.like.clone();
        let (ty, at) = (like.ty(), like.results);
        let value = like.operands[at + 1].clone();
        let place = self.word_of(&like, &like.operands[at]);
        let (turn, end) = (self.label(), self.label());
        self.place(turn);
        let whole = if ty.bits() == 64 { Type::B64 } else { Type::B32 };
        let old = Operand::Register(fresh(self.kernel, whole));
        self.access_like(&like, Opcode::Ld, Words::default(), vec![old.clone(), place.word.clone()]);
        let own = self.part(&old, &place);
        let new = if like.words.has(Word::Inc) || like.words.has(Word::Dec) {
            self.counted(like.words.has(Word::Inc), &own, &value)
        } else if like.words.has(Word::Cas) {
            let other = self.of(Opcode::Setp, &[Word::Ne], Type::B16, &[&own, &value]);
            self.jump_if(end, &other);
            like.operands[at + 2].clone()
        } else {
            let half = if place.shift.is_some() { Type::B16 } else { whole };
            let new = self.of_type(half, Opcode::Add, Words::default(), &[ty], &[&own, &value]);
            self.simplified(new, ty)
        };
        let new = self.within(&old, &new, &place);
        let found = Operand::Register(fresh(self.kernel, whole));
        let operands = vec![found.clone(), place.word.clone(), old.clone(), new];
        self.access_like(&like, Opcode::Atom, Words::default().with(Word::Cas), operands);
        let changed = self.of(Opcode::Setp, &[Word::Ne], whole, &[&found, &old]);
        self.jump_if(turn, &changed);
        self.place(end);
        if let Some(result @ Operand::Register(_)) = like.operands.first().filter(|_| at > 0) {
            let bits = if place.shift.is_some() { Type::B16 } else { whole };
            self.push(Opcode::Mov, &[], bits, vec![result.clone(), own], 1);
        }
        around.iter().for_each(|around| self.place(*around));
    }

    /// One more, and 0 behind the limit; or one less, and the limit below 0 or where the count is above it.
    fn counted(&mut self, up: bool, count: &Operand, limit: &Operand) -> Operand {
        let (opcode, zero) = (if up { Opcode::Add } else { Opcode::Sub }, number(0));
        let next = self.of(opcode, &[], Type::U32, &[count, &number(1)]);
        // One less than 0 is the largest number, which no limit is above.
        let (last, first) = if up { (count, &zero) } else { (&next, limit) };
        let ends = self.of(Opcode::Setp, &[Word::Ge], Type::U32, &[last, limit]);
        self.of(Opcode::Selp, &[], Type::B32, &[first, &next, &read(&ends)])
    }

    /// A sum of two numbers in one is one of each half.
    fn simplified(&mut self, sum: Operand, ty: Type) -> Operand {
        if ty.is_packed() {
            let like = std::mem::replace(&mut self.like, self.steps.pop().expect("it was just written"));
            self.small();
            self.like = like;
        }
        sum
    }

    fn access_like(&mut self, like: &Instruction, opcode: Opcode, words: Words, operands: Vec<Operand>) {
        let ty = if like.ty().bits() == 64 { Type::B64 } else { Type::B32 };
        self.push_with(opcode, words, &[ty], operands, 1);
        self.steps.last_mut().expect("it is there").space = like.space;
    }

    /// Where the word lies. Of addresses words use 32 bits.
    fn word_of(&mut self, like: &Instruction, memory: &Operand) -> Place {
        if like.ty().bits() != 16 {
            return Place { word: memory.clone(), shift: None };
        }
        let Operand::Memory { base, offset } = memory else { unreachable!("the form says so") };
        // Of 64 bits an address stays one, so that it is looked at as any other (`ranges`).
        let wide = |register: &RegisterId| self.kernel.registers[register.0 as usize].ty.bits() == 64;
        let ty = if matches!(base, Base::Register(register) if wide(register)) { Type::B64 } else { Type::B32 };
        let offset = Operand::Immediate(*offset as u64 & ty.mask());
        let sum = |steps: &mut Self, base: &Operand| {
            let sum = if ty == Type::B64 { Type::S64 } else { Type::S32 };
            steps.of_type(ty, Opcode::Add, Words::default(), &[sum], &[base, &offset])
        };
        let at = match base {
            Base::Register(register) => sum(self, &Operand::Register(*register)),
            Base::Symbol(symbol) => {
                let base = self.of(Opcode::Mov, &[], Type::B32, &[&Operand::Address(*symbol, 0)]);
                sum(self, &base)
            }
            Base::Sum(..) => unreachable!("`addresses` comes later"),
            Base::Absolute => self.of(Opcode::Mov, &[], Type::B32, &[&offset]),
        };
        let others = Operand::Immediate(!3 & ty.mask());
        let word = self.of_type(ty, Opcode::And, Words::default(), &[ty], &[&at, &others]);
        let low = match ty {
            Type::B64 => self.of_type(Type::B32, Opcode::Cvt, Words::default(), &[Type::U32, Type::U64], &[&at]),
            _ => at,
        };
        let half = self.of(Opcode::And, &[], Type::B32, &[&low, &Operand::Immediate(2)]);
        let shift = self.of(Opcode::Shl, &[], Type::B32, &[&half, &Operand::Immediate(3)]);
        let Operand::Register(word) = word else { unreachable!("a result is a register") };
        Place { word: Operand::Memory { base: Base::Register(word), offset: 0 }, shift: Some(shift) }
    }

    /// What the access is about, of a word.
    fn part(&mut self, word: &Operand, place: &Place) -> Operand {
        let Some(shift) = &place.shift else { return word.clone() };
        let low = self.of(Opcode::Shr, &[], Type::U32, &[word, shift]);
        self.of_type(Type::B16, Opcode::Cvt, Words::default(), &[Type::U16, Type::U32], &[&low])
    }

    /// The word with another part.
    fn within(&mut self, word: &Operand, part: &Operand, place: &Place) -> Operand {
        let Some(shift) = &place.shift else { return part.clone() };
        let part = match part {
            Operand::Immediate(_) => self.of_type(Type::B16, Opcode::Mov, Words::default(), &[Type::B16], &[part]),
            other => other.clone(),
        };
        let wide = self.of_type(Type::B32, Opcode::Cvt, Words::default(), &[Type::U32, Type::U16], &[&part]);
        let wide = self.of(Opcode::Shl, &[], Type::B32, &[&wide, shift]);
        let ones = self.of(Opcode::Mov, &[], Type::B32, &[&Operand::Immediate(0xffff)]);
        let ones = self.of(Opcode::Shl, &[], Type::B32, &[&ones, shift]);
        let others = self.of(Opcode::Not, &[], Type::B32, &[&ones]);
        let kept = self.of(Opcode::And, &[], Type::B32, &[word, &others]);
        self.of(Opcode::Or, &[], Type::B32, &[&kept, &wide])
    }
}
