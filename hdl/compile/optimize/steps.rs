//! Several instructions in place of one: what passes write them with.

use super::{fresh, replaced};
use crate::ptx::ast::{Guard, Instruction, Kernel, Operand, RegisterId, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// What stands in place of an instruction.
pub(super) struct Steps<'k> {
    pub(super) kernel: &'k mut Kernel,
    /// The instruction.
    pub(super) like: Instruction,
    pub(super) steps: Vec<Instruction>,
    /// Where its labels are, and the index of the first.
    labels: Vec<usize>,
    first_label: usize,
    /// Threads of a block, if that is known.
    pub(super) block: Option<[u32; 3]>,
    /// What warps exchange values through.
    pub(super) memory: Option<Symbol>,
    /// Whether they do so by a crossbar.
    pub(super) crossbar: bool,
}

/// Puts what `with` writes in place of each instruction for which `is` holds; labels move along.
pub(super) fn rewritten(
    kernel: &mut Kernel,
    block: Option<[u32; 3]>,
    is: impl Fn(&Instruction) -> bool,
    mut with: impl FnMut(&mut Steps<'_>),
) {
    if !kernel.body.iter().any(&is) {
        return;
    }
    let memory = kernel.exchange();
    let mut found: Vec<Vec<Instruction>> = Vec::new();
    // Labels within what is put there, and their places.
    let mut labels = Vec::new();
    let mut start = 0;
    for like in kernel.body.clone() {
        start += found.last().map_or(0, Vec::len);
        if !is(&like) {
            found.push(vec![like]);
            continue;
        }
        let first_label = kernel.labels.len() + labels.len();
        let mut steps =
            Steps { kernel, like, steps: Vec::new(), labels: Vec::new(), first_label, block, memory, crossbar: false };
        with(&mut steps);
        labels.extend(steps.labels.into_iter().map(|at| start + at));
        found.push(steps.steps);
    }
    let first = kernel.labels.len();
    replaced(kernel, |at, _| std::mem::take(&mut found[at]));
    kernel.labels.extend(labels.into_iter().zip(first..).map(|(at, label)| (format!("%own{label}"), at)));
}

/// A number.
pub(super) fn number(value: u32) -> Operand {
    Operand::Immediate(value.into())
}

/// A predicate, read.
pub(super) fn read(predicate: &Operand) -> Operand {
    match predicate {
        Operand::Register(register) => Operand::Predicate { register: *register, negated: false },
        other => other.clone(),
    }
}

/// Words as a set.
pub(super) fn set(words: &[Word]) -> Words {
    words.iter().fold(Words::default(), |words, word| words.with(*word))
}

impl<'k> Steps<'k> {
    /// None so far, with the place and the guard of `like`, for who needs no labels.
    pub(super) fn alone(kernel: &'k mut Kernel, like: Instruction, block: Option<[u32; 3]>) -> Steps<'k> {
        Steps {
            kernel,
            like,
            steps: Vec::new(),
            labels: Vec::new(),
            first_label: 0,
            block,
            memory: None,
            crossbar: false,
        }
    }

    pub(super) fn push(&mut self, opcode: Opcode, words: &[Word], ty: Type, operands: Vec<Operand>, results: usize) {
        self.push_with(opcode, set(words), &[ty], operands, results);
    }

    /// An instruction of several types.
    pub(super) fn push_with(
        &mut self,
        opcode: Opcode,
        words: Words,
        types: &[Type],
        operands: Vec<Operand>,
        results: usize,
    ) {
        let (types, like) = (types.to_vec(), self.like.clone());
        self.steps.push(Instruction { opcode, words, types, space: None, operands, results, ..like });
    }

    /// An operation with a result of its own, of 32 bits or a predicate.
    pub(super) fn of(&mut self, opcode: Opcode, words: &[Word], ty: Type, sources: &[&Operand]) -> Operand {
        let result = if opcode == Opcode::Setp { Type::Pred } else { Type::B32 };
        self.of_type(result, opcode, set(words), &[ty], sources)
    }

    /// An operation with a result of its own.
    pub(super) fn of_type(
        &mut self,
        result: Type,
        opcode: Opcode,
        words: Words,
        types: &[Type],
        sources: &[&Operand],
    ) -> Operand {
        let d = Operand::Register(fresh(self.kernel, result));
        let operands = std::iter::once(&d).chain(sources.iter().copied()).cloned().collect();
        self.push_with(opcode, words, types, operands, 1);
        d
    }

    /// Makes a value the instruction's result, by the last step itself where that has just written it.
    pub(super) fn finish(&mut self, value: &Operand, ty: Type) {
        let result = self.like.operands[0].clone();
        match self.steps.last_mut().filter(|last| last.results > 0 && last.operands[0] == *value) {
            Some(last) => last.operands[0] = result,
            None => self.push(Opcode::Mov, &[], ty, vec![result, value.clone()], 1),
        }
    }

    /// A new label.
    pub(super) fn label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.first_label + self.labels.len() - 1
    }

    /// Puts a label here.
    pub(super) fn place(&mut self, label: usize) {
        self.labels[label - self.first_label] = self.steps.len();
    }

    pub(super) fn jump(&mut self, label: usize, guard: Option<Guard>) {
        self.push_with(Opcode::Bra, Words::default(), &[], vec![Operand::Label(label)], 0);
        self.steps.last_mut().expect("it is there").guard = guard;
    }

    /// A jump where a predicate holds.
    pub(super) fn jump_if(&mut self, label: usize, predicate: &Operand) {
        let register = register(predicate);
        self.jump(label, Some(Guard { register, negated: false }));
    }

    /// Takes the guard away, and puts a jump around what comes in its place; its label is to be put at the end.
    pub(super) fn around(&mut self) -> Option<usize> {
        let guard = self.like.guard.take()?;
        let label = self.label();
        self.jump(label, Some(Guard { negated: !guard.negated, ..guard }));
        Some(label)
    }
}

/// The register of a result.
fn register(operand: &Operand) -> RegisterId {
    match operand {
        Operand::Register(register) => *register,
        _ => unreachable!("a result is a register"),
    }
}
