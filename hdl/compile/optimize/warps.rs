//! Exchanges in warps become accesses to shared memory: the words of a program are done by all threads in turn, so that
//! what one has stored all others load.
//!
//! Each thread has a word of its own in [`EXCHANGE`](crate::ptx::ast::EXCHANGE). A shuffle stores the value there and
//! loads the word of the lane that it asks. A vote or reduction takes the word of the lowest lane that takes part: all
//! of them put the neutral element there, all combine what they have with it by an atomic operation, all load the
//! result. Threads that take part in different exchanges have different lowest lanes, so that these may be done by the
//! same words. A match loads the words of all lanes (`matches.rs`). A reduction over a barrier of the block is one by
//! the word of thread 0.
//!
//! With a crossbar, and where warps lie in segments of their own because blocks have whole warps, shuffles stay what
//! they are, of a lane that is known to be there, and so do reductions and votes of all lanes of a warp.
//! Source: PTX ISA 8.7, `shfl.sync` (its pseudocode), `vote.sync`, `redux.sync`, `match.sync`.

mod matches;

use super::steps::{Steps, number, read, rewritten};
use super::{Sizes, fresh};
use crate::ptx::ast::{Axis, Base, Instruction, Kernel, Lanes, Operand, RegisterId, Special, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Puts accesses in place of exchanges, and the threads' numbers in place of those of lanes.
pub fn run(kernel: &mut Kernel, sizes: Option<&Sizes>, crossbar: bool) {
    let lane = |operand: &Operand| matches!(operand, Operand::Special(Special::Lane | Special::Lanes(_)));
    let is = |it: &Instruction| match it.opcode {
        Opcode::Shfl | Opcode::Vote | Opcode::Redux | Opcode::Match => true,
        Opcode::Bar => it.words.has(Word::Warp) || it.words.has(Word::Red),
        _ => it.operands.iter().any(lane),
    };
    let block = sizes.map(|sizes| sizes.block).or(kernel.exact_threads);
    let whole = block.is_some_and(|block| block.iter().product::<u32>().is_multiple_of(WARP));
    rewritten(kernel, block, is, |steps| steps.exchange(crossbar && whole));
}

impl Steps<'_> {
    /// What stands in place of the instruction.
    fn exchange(&mut self, crossbar: bool) {
        let steps = self;
        steps.crossbar = crossbar;
        match steps.like.opcode {
            Opcode::Shfl => steps.shuffle(),
            Opcode::Vote => steps.vote(),
            Opcode::Redux => steps.reduce(),
            Opcode::Match => steps.matches(),
            Opcode::Bar if steps.like.words.has(Word::Red) => steps.reduce_block(),
            Opcode::Bar => {}
            _ => {
                let it = steps.like.clone();
                let own = it.operands.iter().map(|operand| match operand {
                    Operand::Special(Special::Lane) => steps.lane(),
                    Operand::Special(Special::Lanes(lanes)) => steps.lanes(*lanes),
                    other => other.clone(),
                });
                let it = Instruction { operands: own.collect(), ..it };
                steps.steps.push(it);
            }
        }
    }

    /// Whether the crossbar does it: lanes of `named` are all lanes.
    fn crosses(&self, named: &Operand) -> bool {
        self.crossbar && matches!(named, Operand::Immediate(named) if *named as u32 == u32::MAX)
    }

    /// A logical operation on 32 bits; on two numbers it is done at once.
    fn logic(&mut self, opcode: Opcode, a: &Operand, b: &Operand) -> Operand {
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
    pub(super) fn thread(&mut self) -> Operand {
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

    fn lane(&mut self) -> Operand {
        let thread = self.thread();
        self.logic(Opcode::And, &thread, &number(WARP - 1))
    }

    /// A bit for each lane that is so to the thread's own.
    fn lanes(&mut self, lanes: Lanes) -> Operand {
        let lane = self.lane();
        let one = self.of(Opcode::Mov, &[], Type::B32, &[&number(1)]);
        let own = self.of(Opcode::Shl, &[], Type::B32, &[&one, &lane]);
        let below = |steps: &mut Self| steps.of(Opcode::Sub, &[], Type::S32, &[&own, &number(1)]);
        match lanes {
            Lanes::Own => own,
            Lanes::Below => below(self),
            Lanes::From => self.of(Opcode::Neg, &[], Type::S32, &[&own]),
            Lanes::UpTo | Lanes::Above => {
                let below = below(self);
                let most = self.logic(Opcode::Or, &below, &own);
                if lanes == Lanes::UpTo { most } else { self.of(Opcode::Not, &[], Type::B32, &[&most]) }
            }
        }
    }

    /// The memory of a thread's word. Of addresses words use 32 bits.
    fn word(&mut self, thread: &Operand) -> Operand {
        let symbol = self.memory.expect("the parser gives it to kernels with exchanges");
        let base = self.of(Opcode::Mov, &[], Type::B32, &[&Operand::Address(symbol, 0)]);
        let offset = self.of(Opcode::Shl, &[], Type::B32, &[thread, &number(2)]);
        let Operand::Register(at) = self.of(Opcode::Add, &[], Type::S32, &[&offset, &base]) else { unreachable!() };
        Operand::Memory { base: Base::Register(at), offset: 0 }
    }

    /// A load, store or atomic operation on it.
    fn access(&mut self, opcode: Opcode, words: &[Word], ty: Type, operands: Vec<Operand>, results: usize) {
        self.push(opcode, words, ty, operands, results);
        self.steps.last_mut().expect("it is there").space = Some(Space::Shared);
    }

    fn load(&mut self, word: &Operand, into: Operand) {
        self.access(Opcode::Ld, &[], Type::B32, vec![into, word.clone()], 1);
    }

    fn store(&mut self, word: &Operand, value: &Operand) {
        self.access(Opcode::St, &[], Type::B32, vec![word.clone(), value.clone()], 0);
    }

    fn shuffle(&mut self) {
        let [value, b, c] = [1, 2, 3].map(|index| self.like.operands[index].clone());
        let thread = self.thread();
        let lane = self.logic(Opcode::And, &thread, &number(31));
        if !self.crossbar {
            let own = self.word(&thread);
            self.store(&own, &value);
        }
        let b = self.logic(Opcode::And, &b, &number(31));
        let clamp = self.logic(Opcode::And, &c, &number(31));
        let segment = self.logic(Opcode::Shr, &c, &number(8));
        let segment = self.logic(Opcode::And, &segment, &number(31));
        let others = self.logic(Opcode::Xor, &segment, &number(31));
        let first = self.logic(Opcode::And, &lane, &segment);
        let inside = self.logic(Opcode::And, &clamp, &others);
        let last = self.logic(Opcode::Or, &first, &inside);
        let (from, compare) = match self.like.words.one_of(&[Word::Up, Word::Down, Word::Bfly]) {
            Some(Word::Up) => (self.of(Opcode::Sub, &[], Type::S32, &[&lane, &b]), Word::Ge),
            Some(Word::Down) => (self.of(Opcode::Add, &[], Type::S32, &[&lane, &b]), Word::Le),
            Some(_) => (self.logic(Opcode::Xor, &lane, &b), Word::Le),
            None => {
                let within = self.logic(Opcode::And, &b, &others);
                let from = match first {
                    Operand::Immediate(0) => within,
                    _ => self.logic(Opcode::Or, &first, &within),
                };
                let from = match from {
                    Operand::Immediate(_) => self.of(Opcode::Mov, &[], Type::B32, &[&from]),
                    other => other,
                };
                (from, Word::Le)
            }
        };
        let within = self.of(Opcode::Setp, &[compare], Type::S32, &[&from, &last]);
        let from = self.of(Opcode::Selp, &[], Type::B32, &[&from, &lane, &read(&within)]);
        // The guard may be the predicate that is written: it is written last.
        let written = self.like.operands[0].clone();
        let (into, predicate) = match written {
            Operand::Pair(value, predicate) => (Operand::Register(value), Some(predicate)),
            other => (other, None),
        };
        if self.crossbar {
            let operands = vec![into, value, from, number(WARP - 1), number(u32::MAX)];
            self.push(Opcode::Shfl, &[Word::Sync, Word::Idx], Type::B32, operands, 1);
        } else {
            let begin = self.logic(Opcode::And, &thread, &number(!31));
            let other = self.of(Opcode::Add, &[], Type::S32, &[&begin, &from]);
            let word = self.word(&other);
            self.load(&word, into);
        }
        if let Some(predicate) = predicate {
            self.push(Opcode::Mov, &[], Type::Pred, vec![Operand::Register(predicate), read(&within)], 1);
        }
    }

    /// The word that an exchange of the lanes `named` has.
    fn common(&mut self, named: &Operand) -> Operand {
        let lowest = match named {
            Operand::Immediate(named) => number((*named as u32).trailing_zeros() & 31),
            named => {
                // Bits below the lowest that is set.
                let less = self.of(Opcode::Sub, &[], Type::S32, &[named, &number(1)]);
                let same = self.of(Opcode::Not, &[], Type::B32, &[named]);
                let below = self.logic(Opcode::And, &less, &same);
                self.of(Opcode::Popc, &[], Type::B32, &[&below])
            }
        };
        let thread = self.thread();
        let begin = self.logic(Opcode::And, &thread, &number(!31));
        let thread = self.logic(Opcode::Or, &begin, &lowest);
        self.word(&thread)
    }

    /// Puts the neutral element there, combines it with all values, and loads the result.
    fn combine(&mut self, word: &Operand, neutral: u32, with: Word, ty: Type, value: &Operand, into: Operand) {
        self.store(word, &number(neutral));
        self.access(Opcode::Red, &[with], ty, vec![word.clone(), value.clone()], 0);
        self.load(word, into);
    }

    /// Which of the lanes named say so, or the opposite: a bit each.
    fn ballot(&mut self, opposite: bool) -> Operand {
        let Operand::Predicate { register, negated } = self.like.operands[1] else { unreachable!("the form says so") };
        self.ballot_of(register, negated != opposite)
    }

    /// The lanes named in which a predicate holds, or does not.
    fn ballot_of(&mut self, register: RegisterId, opposite: bool) -> Operand {
        let bit = self.lanes(Lanes::Own);
        let vote = Operand::Predicate { register, negated: false };
        let (yes, no) = if opposite { (number(0), bit) } else { (bit, number(0)) };
        let bit = self.of(Opcode::Selp, &[], Type::B32, &[&yes, &no, &vote]);
        self.union(&bit)
    }

    /// The bits of all lanes named.
    fn union(&mut self, bits: &Operand) -> Operand {
        let named = self.like.operands[2].clone();
        let all = Operand::Register(fresh(self.kernel, Type::B32));
        if self.crosses(&named) {
            self.push(Opcode::Redux, &[Word::Sync, Word::Or], Type::B32, vec![all.clone(), bits.clone(), named], 1);
            return all;
        }
        let word = self.common(&named);
        self.combine(&word, 0, Word::Or, Type::B32, bits, all.clone());
        all
    }

    fn vote(&mut self) {
        let result = self.like.operands[0].clone();
        let compare = |steps: &mut Self, word: Word, bits: &Operand| {
            let operands = vec![result.clone(), bits.clone(), number(0)];
            steps.push(Opcode::Setp, &[word], Type::B32, operands, 1);
        };
        match self.like.words.one_of(&[Word::All, Word::Any, Word::Uni]) {
            Some(Word::All | Word::Any) if self.crosses(&self.like.operands[2]) => self.steps.push(self.like.clone()),
            Some(Word::All) => {
                let against = self.ballot(true);
                compare(self, Word::Eq, &against);
            }
            Some(Word::Any) => {
                let some = self.ballot(false);
                compare(self, Word::Ne, &some);
            }
            Some(_) => {
                let (some, against) = (self.ballot(false), self.ballot(true));
                let none = self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[&some, &number(0)]);
                let operands = vec![result, against, number(0), read(&none)];
                self.push(Opcode::Setp, &[Word::Eq, Word::Or], Type::B32, operands, 1);
            }
            None => {
                let some = self.ballot(false);
                self.push(Opcode::Mov, &[], Type::B32, vec![result, some], 1);
            }
        }
    }

    /// A reduction over a barrier: all threads of the block combine what they have in the first one's word.
    fn reduce_block(&mut self) {
        let like = self.like.clone();
        self.push(Opcode::Bar, &[Word::Sync], Type::B32, vec![number(0)], 0);
        let word = self.word(&number(0));
        let all = like.words.has(Word::And);
        let Operand::Predicate { register, negated } = like.operands[2] else { unreachable!("the form says so") };
        let vote = Operand::Predicate { register, negated: negated != all };
        let vote = self.of(Opcode::Selp, &[], Type::B32, &[&number(1), &number(0), &vote]);
        let result = like.operands[0].clone();
        if like.words.has(Word::Popc) {
            return self.combine(&word, 0, Word::Add, Type::U32, &vote, result);
        }
        // All hold where none does not.
        let found = Operand::Register(fresh(self.kernel, Type::B32));
        self.combine(&word, 0, Word::Or, Type::B32, &vote, found.clone());
        self.push(Opcode::Setp, &[if all { Word::Eq } else { Word::Ne }], Type::B32, vec![result, found, number(0)], 1);
    }

    fn reduce(&mut self) {
        let [result, value, named] = [0, 1, 2].map(|index| self.like.operands[index].clone());
        let ty = self.like.ty();
        let with = self.like.words.one_of(&[Word::Add, Word::Min, Word::Max, Word::And, Word::Or, Word::Xor]);
        let with = with.expect("the form says so");
        if self.crosses(&named) {
            return self.steps.push(self.like.clone());
        }
        let neutral = match (with, ty.is_signed()) {
            (Word::Min, true) => i32::MAX as u32,
            (Word::Max, true) => i32::MIN as u32,
            (Word::Min | Word::And, _) => u32::MAX,
            _ => 0,
        };
        let word = self.common(&named);
        self.combine(&word, neutral, with, ty, &value, result);
    }
}
