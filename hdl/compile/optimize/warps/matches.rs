//! `match.sync`: the lanes that bring the same value.
//!
//! `any` puts the value into the thread's word and loads the words of all lanes, one after the other, in a loop that
//! all threads take alike; 64 bits go in two halves. Words of lanes that take no part hold anything: those that do are
//! found before. `all` compares with the word of the lowest lane, and votes.

use super::super::fresh;
use super::super::steps::{Steps, number, read};
use crate::ptx::ast::{Base, Lanes, Operand, RegisterId, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

impl Steps<'_> {
    /// What stands in place of a match.
    pub(super) fn matches(&mut self) {
        let halves = self.halves();
        if self.like.words.has(Word::All) { self.match_all(&halves) } else { self.match_any(&halves) }
    }

    /// The value, 32 bits each.
    fn halves(&mut self) -> Vec<Operand> {
        let value = self.like.operands[1].clone();
        match (self.like.ty().bits(), &value) {
            (32, Operand::Immediate(_)) => vec![self.of(Opcode::Mov, &[], Type::B32, &[&value])],
            (32, _) => vec![value],
            (_, Operand::Immediate(bits)) => {
                let halves = [*bits & u64::from(u32::MAX), *bits >> 32].map(Operand::Immediate);
                halves.iter().map(|half| self.of(Opcode::Mov, &[], Type::B32, &[half])).collect()
            }
            _ => {
                let halves = [(); 2].map(|()| Operand::Register(fresh(self.kernel, Type::B32))).to_vec();
                self.push(Opcode::Mov, &[], Type::B64, vec![Operand::Vector(halves.clone()), value], 1);
                halves
            }
        }
    }

    fn match_all(&mut self, halves: &[Operand]) {
        let named = self.like.operands[2].clone();
        let thread = self.thread();
        let own = self.word(&thread);
        let lowest = self.common(&named);
        let mut same: Option<Operand> = None;
        for half in halves {
            self.store(&own, half);
            let first = Operand::Register(fresh(self.kernel, Type::B32));
            self.load(&lowest, first.clone());
            same = Some(match same {
                None => self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[half, &first]),
                Some(before) => {
                    self.of(Opcode::Setp, &[Word::Eq, Word::And], Type::B32, &[half, &first, &read(&before)])
                }
            });
        }
        let Some(Operand::Register(same)) = same else { unreachable!("a value has a half at least") };
        let (some, against) = (self.ballot_of(same, false), self.ballot_of(same, true));
        let every = self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[&against, &number(0)]);
        let (mask, predicate) = match self.like.operands[0].clone() {
            Operand::Pair(mask, predicate) => (Operand::Register(mask), Some(predicate)),
            other => (other, None),
        };
        self.push(Opcode::Selp, &[], Type::B32, vec![mask, some, number(0), read(&every)], 1);
        // The guard may be the predicate that is written: it is written last.
        if let Some(predicate) = predicate {
            self.push(Opcode::Mov, &[], Type::Pred, vec![Operand::Register(predicate), read(&every)], 1);
        }
    }

    fn match_any(&mut self, halves: &[Operand]) {
        // The loop is for all that are here: the guard is a jump around it.
        let around = self.around();
        let own = self.lanes(Lanes::Own);
        let mut found = self.union(&own);
        for half in halves {
            let same = self.lanes_with(half);
            found = self.logic(Opcode::And, &found, &same);
        }
        let result = self.like.operands[0].clone();
        self.push(Opcode::Mov, &[], Type::B32, vec![result, found], 1);
        around.iter().for_each(|around| self.place(*around));
    }

    /// The lanes whose words hold this value: a bit each.
    fn lanes_with(&mut self, value: &Operand) -> Operand {
        let thread = self.thread();
        let own = self.word(&thread);
        self.store(&own, value);
        let begin = self.logic(Opcode::And, &thread, &number(!(WARP - 1)));
        let Operand::Memory { base: Base::Register(first), .. } = self.word(&begin) else { unreachable!() };
        let [at, bit, all, other] = [(); 4].map(|()| fresh(self.kernel, Type::B32));
        let of = |register: RegisterId| Operand::Register(register);
        for (register, start) in [(at, of(first)), (bit, number(1)), (all, number(0))] {
            self.push(Opcode::Mov, &[], Type::B32, vec![of(register), start], 1);
        }
        let turn = self.label();
        self.place(turn);
        self.load(&Operand::Memory { base: Base::Register(at), offset: 0 }, of(other));
        let same = self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[&of(other), value]);
        let same = self.of(Opcode::Selp, &[], Type::B32, &[&of(bit), &number(0), &read(&same)]);
        for (opcode, ty, register, by) in [
            (Opcode::Or, Type::B32, all, same),
            (Opcode::Add, Type::S32, at, number(4)),
            // Behind the last lane no bit is left.
            (Opcode::Shl, Type::B32, bit, number(1)),
        ] {
            self.push(opcode, &[], ty, vec![of(register), of(register), by], 1);
        }
        let more = self.of(Opcode::Setp, &[Word::Ne], Type::B32, &[&of(bit), &number(0)]);
        self.jump_if(turn, &more);
        of(all)
    }
}
