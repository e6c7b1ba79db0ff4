//! What is known of integers behind a branch.

use std::collections::HashMap;

use super::integers::{Known, Read};
use super::range::Range;
use crate::ptx::ast::{Guard, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

/// Predicates of which one is made, looked through on the way to comparisons.
const DEEP: usize = 4;

/// A comparison that holds.
#[derive(Clone, Copy, Debug)]
struct Fact {
    word: Word,
    ty: Type,
    at: usize,
}

/// Predicates that are written once, and where.
pub(super) struct Conditions {
    writes: HashMap<RegisterId, Vec<usize>>,
}

/// Comparisons of integers: as they are written, what they are, and whether of numbers without signs in any case.
const COMPARISONS: [(Word, Word, bool); 10] = [
    (Word::Eq, Word::Eq, false),
    (Word::Ne, Word::Ne, false),
    (Word::Lt, Word::Lt, false),
    (Word::Le, Word::Le, false),
    (Word::Gt, Word::Gt, false),
    (Word::Ge, Word::Ge, false),
    (Word::Lo, Word::Lt, true),
    (Word::Ls, Word::Le, true),
    (Word::Hi, Word::Gt, true),
    (Word::Hs, Word::Ge, true),
];

/// The comparison that holds where another does not.
fn opposite(word: Word) -> Option<Word> {
    Some(match word {
        Word::Eq => Word::Ne,
        Word::Ne => Word::Eq,
        Word::Lt => Word::Ge,
        Word::Ge => Word::Lt,
        Word::Gt => Word::Le,
        Word::Le => Word::Gt,
        _ => return None,
    })
}

/// The same with its sides exchanged.
fn turned(word: Word) -> Word {
    match word {
        Word::Lt => Word::Gt,
        Word::Gt => Word::Lt,
        Word::Le => Word::Ge,
        Word::Ge => Word::Le,
        other => other,
    }
}

/// Whether from one instruction to a later one all are done, one behind the other.
fn straight(kernel: &Kernel, from: usize, to: usize) -> bool {
    let plain = |it: &Instruction| it.goes_on() && it.guard.is_none();
    from < to
        && kernel.body[from..to].iter().all(plain)
        && !kernel.labels.iter().any(|label| (from + 1..=to).contains(&label.1))
}

impl Conditions {
    pub(super) fn of(kernel: &Kernel) -> Conditions {
        let mut writes: HashMap<RegisterId, Vec<usize>> = HashMap::new();
        for (at, it) in kernel.body.iter().enumerate() {
            it.writes().into_iter().for_each(|register| writes.entry(register).or_default().push(at));
        }
        Conditions { writes }
    }

    /// Where a register has been written that the instruction `at` reads, in a block that begins at `block`: there, or
    /// in the only place.
    fn written(&self, kernel: &Kernel, register: RegisterId, (block, at): (usize, usize)) -> Option<usize> {
        let writes = self.writes.get(&register)?;
        let own = writes.iter().rev().find(|write| (block..at).contains(*write));
        let only = writes.first().filter(|_| writes.len() == 1);
        own.or(only).copied().filter(|at| kernel.body[*at].guard.is_none())
    }

    /// Registers and what they can be where the guard lets a thread pass, or where it does not. The branch is the
    /// instruction `branch`, in a block that begins at `block`.
    pub(super) fn behind(
        &self,
        known: Known<'_>,
        read: &Read<'_>,
        (block, branch): (usize, usize),
        (guard, passes): (Guard, bool),
    ) -> Vec<(RegisterId, Range)> {
        let mut facts = Vec::new();
        if let Some(at) = self.written(known.kernel, guard.register, (block, branch)) {
            self.facts(known.kernel, at, passes != guard.negated, DEEP, &mut facts);
        }
        let mut found = Vec::new();
        for fact in facts {
            let it = &known.kernel.body[fact.at];
            for (index, word) in [(1, fact.word), (2, turned(fact.word))] {
                let Operand::Register(register) = it.operands[index] else { continue };
                let holds = |operand: &Operand| self.holds(known.kernel, operand, fact.at, (block, branch));
                if !holds(&it.operands[1]) || !holds(&it.operands[2]) {
                    continue;
                }
                let own = known.operand(read, &it.operands[index], Type::S32);
                let other = known.operand(read, &it.operands[3 - index], fact.ty);
                if let (Some(own), Some(other)) = (own, other)
                    && let Some(range) = met(word, fact.ty, own, other)
                {
                    found.push((register, range));
                }
            }
        }
        found
    }

    /// Whether an operand of the comparison `at` is at the branch what it was there.
    fn holds(&self, kernel: &Kernel, operand: &Operand, at: usize, (block, branch): (usize, usize)) -> bool {
        let Operand::Register(register) = operand else { return true };
        let writes = self.writes.get(register).map(Vec::as_slice).unwrap_or_default();
        if (block..branch).contains(&at) {
            return !writes.iter().any(|write| (at..branch).contains(write));
        }
        // Written before the comparison, with no way from the one to the other that passes only one of them.
        matches!(writes, [write] if straight(kernel, *write, at))
    }

    /// Comparisons that hold where the predicate that the instruction `at` writes does, or does not.
    fn facts(&self, kernel: &Kernel, at: usize, holds: bool, deep: usize, found: &mut Vec<Fact>) {
        let it = &kernel.body[at];
        let mut parts = |both: bool| {
            for operand in it.operands[1..].iter().filter(|_| both == holds && deep > 0) {
                let (register, negated) = match operand {
                    Operand::Predicate { register, negated } => (*register, *negated),
                    Operand::Register(register) => (*register, false),
                    _ => continue,
                };
                // What the two were when the one was made of the other.
                let writes = self.writes.get(&register).map(Vec::as_slice).unwrap_or_default();
                let last = writes.iter().rev().find(|write| **write < at).filter(|last| straight(kernel, **last, at));
                last.into_iter().for_each(|last| self.facts(kernel, *last, holds != negated, deep - 1, found));
            }
        };
        match (it.opcode, it.types.first()) {
            (Opcode::And, Some(Type::Pred)) => parts(true),
            (Opcode::Or, Some(Type::Pred)) => parts(false),
            (Opcode::Setp, Some(&ty)) => {
                let plain = matches!(it.operands[..], [Operand::Register(_), _, _]) && it.types.len() == 1;
                let Some(&(_, word, unsigned)) = COMPARISONS.iter().find(|one| it.words.has(one.0)) else { return };
                let joined = it.words.has(Word::And) || it.words.has(Word::Or) || it.words.has(Word::Xor);
                let word = if holds { Some(word) } else { opposite(word) };
                if let Some(word) = word.filter(|_| plain && !joined && !ty.is_float() && ty.bits() == 32) {
                    let ty = if unsigned { Type::U32 } else { ty };
                    found.push(Fact { word, ty, at });
                }
            }
            _ => {}
        }
    }
}

/// What is left of a signed number that compares so with another one.
fn met(word: Word, ty: Type, own: Range, other: Range) -> Option<Range> {
    let whole = (i128::MIN, i128::MAX);
    let (low, high) = match word {
        Word::Eq => (other.low, other.high),
        Word::Lt => (i128::MIN, other.high - 1),
        Word::Le => (i128::MIN, other.high),
        Word::Gt => (other.low + 1, i128::MAX),
        Word::Ge => (other.low, i128::MAX),
        Word::Ne if other.low == other.high && own.low == other.low => (own.low + 1, i128::MAX),
        Word::Ne if other.low == other.high && own.high == other.high => (i128::MIN, own.high - 1),
        _ => whole,
    };
    if ty.is_signed() || matches!(word, Word::Ne) {
        return own.within(low, high);
    }
    // As unsigned numbers: what is below one without a sign has none.
    if own.low >= 0 {
        return own.within(low, high);
    }
    let below = matches!(word, Word::Lt | Word::Le | Word::Eq) && high <= i32::MAX.into();
    if below { own.within(low.max(0), high) } else { Some(own) }
}

/// Numbers that comparisons are with, and those beside them: where counters end.
pub(super) fn limits(kernel: &Kernel, numbers: &[i128]) -> Vec<i128> {
    let compared = kernel.body.iter().filter(|it| it.opcode == Opcode::Setp);
    let numbers_of = compared.flat_map(|it| &it.operands[1..]).filter_map(|operand| match operand {
        Operand::Immediate(bits) => Some(i128::from(*bits as u32 as i32)),
        _ => None,
    });
    let mut found: Vec<i128> =
        numbers_of.chain(numbers.iter().copied()).flat_map(|number| [number - 1, number, number + 1]).collect();
    found.sort_unstable();
    found.dedup();
    found
}
