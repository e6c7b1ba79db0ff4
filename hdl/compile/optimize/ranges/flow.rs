//! Between which numbers registers are at each instruction: along all ways, with what branches say.

use std::collections::HashMap;

use super::conditions::{Conditions, limits};
use super::integers::{Known, Read};
use super::range::{ANY, MEMORY, Range, SIGNED, UNSIGNED, WHOLE};
use super::{TELLING, starts};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};

/// After so many rounds what grows at the beginning of a block takes the next limit.
const ROUNDS: usize = 4;
/// After so many nothing is known.
const MOST_ROUNDS: usize = 64;
/// Blocks times registers that are written in several places, of more nothing is known.
const LARGE: usize = 1 << 21;

/// Ranges of registers on a way: those of registers that are written in several places, and of others what branches and
/// accesses have told of them.
type State = HashMap<RegisterId, Range>;

/// What is between a label or a jump and the next one.
struct Block {
    from: usize,
    to: usize,
    /// Blocks behind it; whether they are reached where the guard of the last instruction lets a thread pass.
    next: Vec<(usize, Option<bool>)>,
    /// Blocks before it, and which of their ways that is.
    before: Vec<(usize, usize)>,
}

/// The kernel on its ways.
pub(super) struct Flow<'a> {
    known: Known<'a>,
    conditions: Conditions,
    blocks: Vec<Block>,
    limits: Vec<i128>,
    /// Registers of which a range is asked for.
    asked: Vec<bool>,
    /// Registers that are written in several places.
    several: Vec<bool>,
    /// Ranges of the others.
    single: Vec<Option<Range>>,
    /// At the beginning of each block.
    before: Vec<Option<State>>,
    /// On each way behind it.
    behind: Vec<Vec<Option<State>>>,
    /// Nothing is known.
    lost: bool,
}

/// What an instruction gives, and what is known of registers behind it.
pub(super) trait Step {
    /// The range of the one register that it writes; none if an operand has none yet.
    fn result(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Range>;
    /// Registers that are between two numbers where the instruction has been done, which is in a block that begins at
    /// `block`.
    fn met(&self, block: usize, at: usize, read: &Read<'_>) -> Vec<(RegisterId, Range)>;
}

fn blocks(kernel: &Kernel) -> Vec<Block> {
    let starts = starts(kernel);
    let count = kernel.body.len();
    let begins: Vec<usize> = (0..count).filter(|at| starts[*at]).collect();
    let mut number = vec![begins.len(); count + 1];
    begins.iter().enumerate().for_each(|(block, at)| number[*at] = block);
    let ends = begins.iter().skip(1).copied().chain([count]);
    let mut blocks: Vec<Block> = begins
        .iter()
        .zip(ends)
        .map(|(&from, to)| {
            let last = &kernel.body[to - 1];
            let mut next = Vec::new();
            let guarded = last.guard.is_some() && !last.goes_on();
            if last.goes_on() || guarded {
                next.push((number[to], guarded.then_some(false)));
            }
            if let Some(label) = last.target() {
                next.push((number[kernel.labels[label].1], guarded.then_some(true)));
            }
            next.retain(|next| next.0 < begins.len());
            Block { from, to, next, before: Vec::new() }
        })
        .collect();
    for block in 0..blocks.len() {
        for index in 0..blocks[block].next.len() {
            let to = blocks[block].next[index].0;
            blocks[to].before.push((block, index));
        }
    }
    blocks
}

impl<'a> Flow<'a> {
    /// Of a kernel, of whose registers these are asked for.
    pub(super) fn of(known: Known<'a>, asked: Vec<bool>) -> Flow<'a> {
        let kernel = known.kernel;
        let count = kernel.registers.len();
        let mut writes = vec![0_usize; count];
        for it in &kernel.body {
            it.writes().iter().for_each(|register| writes[register.0 as usize] += 1 + usize::from(it.guard.is_some()));
        }
        let several: Vec<bool> = writes.iter().zip(&asked).map(|(writes, asked)| *asked && *writes > 1).collect();
        let blocks = blocks(kernel);
        let lost = blocks.len() * several.iter().filter(|several| **several).count() > LARGE;
        let words: Vec<i128> = known.numbers.iter().map(|number| i128::from(number.1 as i32)).collect();
        let mut limits = limits(kernel, &words);
        limits.extend([0, MEMORY.high, SIGNED.low, SIGNED.high, UNSIGNED.high, TELLING.low, -ANY, ANY]);
        let before = vec![None; blocks.len()];
        let behind = blocks.iter().map(|block| vec![None; block.next.len()]).collect();
        let conditions = Conditions::of(kernel);
        Flow { known, conditions, blocks, limits, asked, several, single: vec![None; count], before, behind, lost }
    }

    /// Goes along all ways until nothing changes.
    pub(super) fn settle(&mut self, step: &dyn Step) {
        self.single.iter_mut().for_each(|range| *range = None);
        self.before.iter_mut().chain(self.behind.iter_mut().flatten()).for_each(|state| *state = None);
        for round in 0.. {
            if self.lost || round > MOST_ROUNDS {
                self.lost = true;
                return;
            }
            if !self.round(step, round) {
                return;
            }
        }
    }

    /// Once through the text; tells whether anything has changed.
    fn round(&mut self, step: &dyn Step, round: usize) -> bool {
        let mut changed = false;
        for block in 0..self.blocks.len() {
            let begin = (block == 0).then(State::new);
            let ways_in =
                self.blocks[block].before.iter().filter_map(|(from, index)| self.behind[*from][*index].clone());
            let Some(mut state) = begin.into_iter().chain(ways_in).reduce(|one, other| self.joined(&one, &other))
            else {
                continue;
            };
            let repeats = self.blocks[block].before.iter().any(|(from, _)| *from >= block);
            if let Some(old) = self.before[block].as_ref().filter(|_| repeats && round >= ROUNDS) {
                for (register, range) in &mut state {
                    if let Some(from) = old.get(register) {
                        *range = range.widened(*from, &self.limits);
                    }
                }
            }
            if self.before[block].as_ref() != Some(&state) {
                self.before[block] = Some(state.clone());
                changed = true;
            }
            let (from, to) = (self.blocks[block].from, self.blocks[block].to);
            for at in from..to {
                changed |= self.step(step, from, at, &mut state);
            }
            let behind = self.blocks[block].next.iter().map(|next| Some(self.passed(&state, (from, to - 1), next.1)));
            let behind: Vec<_> = behind.collect();
            // A block before this one in the text may be the only one that asks.
            changed |= self.behind[block] != behind;
            self.behind[block] = behind;
        }
        changed
    }

    /// What is known behind a block on one of the ways from there.
    fn passed(&self, state: &State, (from, last): (usize, usize), passes: Option<bool>) -> State {
        let mut behind = state.clone();
        if let (Some(guard), Some(passes)) = (self.known.kernel.body[last].guard, passes) {
            let read = |register| self.read(state, register);
            let found = self.conditions.behind(self.known, &read, (from, last), (guard, passes));
            for (register, range) in found.into_iter().filter(|one| self.asked[one.0.0 as usize]) {
                let own = behind.get(&register).map_or(Some(range), |own| own.within(range.low, range.high));
                behind.insert(register, own.unwrap_or(range));
            }
        }
        behind
    }

    /// What is known where two ways meet: of registers that are written on one of them only, what that one says.
    fn joined(&self, one: &State, other: &State) -> State {
        let several = |register: &RegisterId| self.several[register.0 as usize];
        let mut all: State = one.iter().filter(|own| several(own.0)).map(|(own, range)| (*own, *range)).collect();
        for (register, range) in other {
            match one.get(register) {
                Some(own) => {
                    all.insert(*register, own.joined(*range));
                }
                None if several(register) => {
                    all.insert(*register, *range);
                }
                None => {}
            }
        }
        all
    }

    /// All that a register can hold.
    fn unknown(&self, register: RegisterId) -> Range {
        if self.known.kernel.registers[register.0 as usize].ty.bits() > 32 { WHOLE } else { SIGNED }
    }

    fn read(&self, state: &State, register: RegisterId) -> Option<Range> {
        if self.lost || !self.asked[register.0 as usize] {
            return Some(self.unknown(register));
        }
        state.get(&register).copied().or(self.single[register.0 as usize])
    }

    /// One instruction; tells whether a register has another range now.
    fn step(&mut self, step: &dyn Step, block: usize, at: usize, state: &mut State) -> bool {
        let it = &self.known.kernel.body[at];
        let mut changed = false;
        if it.guard.is_none() {
            let met = step.met(block, at, &|register| self.read(state, register));
            for (register, range) in met {
                let own = self.read(state, register).and_then(|own| own.within(range.low, range.high));
                own.into_iter().for_each(|own| {
                    state.insert(register, own);
                });
            }
        }
        for register in it.writes().into_iter().filter(|register| self.asked[register.0 as usize]) {
            let one = it.results == 1 && matches!(it.operands[0], Operand::Register(_));
            let found = if one {
                step.result(it, register, &|register| self.read(state, register))
            } else {
                Some(self.unknown(register))
            };
            let old = state.remove(&register);
            if self.several[register.0 as usize] {
                let kept = old.filter(|_| it.guard.is_some());
                let all = [found, kept].into_iter().flatten().reduce(Range::joined);
                all.into_iter().for_each(|all| {
                    state.insert(register, all);
                });
            } else if self.single[register.0 as usize] != found {
                self.single[register.0 as usize] = found;
                changed = true;
            }
        }
        changed
    }

    /// Goes through the text, with what registers are before each instruction.
    pub(super) fn visit(&mut self, step: &dyn Step, mut look: impl FnMut(usize, &Instruction, &Read<'_>)) {
        for block in 0..self.blocks.len() {
            let mut state = self.before[block].clone().unwrap_or_default();
            for at in self.blocks[block].from..self.blocks[block].to {
                let read = |one| Some(self.read(&state, one).unwrap_or(self.unknown(one)));
                look(at, &self.known.kernel.body[at], &read);
                self.step(step, self.blocks[block].from, at, &mut state);
            }
        }
    }
}
