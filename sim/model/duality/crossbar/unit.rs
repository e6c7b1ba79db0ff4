//! Model of the crossbar, from its contract: what it asks of the control block, and rows of its results.
//!
//! Rows of a group are kept as they come; when the result can be known, it is what the words mean, number by number.
//! How many cycles lie between follows from the sequence's contract. What the word is, threads that take part, those
//! that are named, and what is done are compared with registers where the contracts say what these hold; all else is
//! judged by what leaves the crossbar, and when.

use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{MemoryOp, Predicate, Source};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::DualityParams;
use bitline_units::duality::passes::MemoryStep;

use super::Bits;

mod registers;

/// Threads of a row that comes in words of 64 bits.
pub fn bits(row: &[u64], columns: usize) -> Bits {
    (0..columns).map(|thread| row[thread / 64] >> (thread % 64) & 1 == 1).collect()
}

/// A row in words of 64 bits.
pub fn limbs(row: &[bool]) -> Vec<u64> {
    row.chunks(64).map(|bits| bits.iter().rfold(0, |all, bit| all << 1 | u64::from(*bit))).collect()
}

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doing {
    /// Nothing.
    #[default]
    Nothing,
    /// A step is asked for.
    Asks(MemoryStep),
    /// So many rows of a step are still to come, or to be taken.
    Rows(MemoryStep, u64),
    /// So many cycles pass, and then a step is asked for.
    Works(u64, MemoryStep),
}

/// The crossbar.
#[derive(Clone, Debug)]
pub struct Crossbar {
    columns: usize,
    outputs: usize,
    doing: Doing,
    word: Word,
    scalar: u32,
    group: u64,
    /// Threads that there are, and those that take part.
    there: Bits,
    taking: Bits,
    /// Numbers of threads whose bits have come: addresses, data.
    addresses: Vec<u64>,
    data: Vec<u64>,
    /// Of the result, and rows of it that were taken.
    results: Vec<u64>,
    taken: u64,
}

/// What it gets in a cycle.
#[derive(Clone, Debug, Default)]
pub struct CrossbarInputs {
    /// A word of memory waits for its steps, with what the scalar register holds that it names.
    pub word: Option<(Word, u32)>,
    /// Groups of threads.
    pub groups: u64,
    /// A row comes.
    pub sent: Option<Bits>,
    /// One is taken.
    pub taken: bool,
}

/// What it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossbarOutputs {
    /// The word at the port is the crossbar's.
    pub mine: bool,
    /// It does a word.
    pub busy: bool,
    /// The step that is asked for.
    pub asked: Option<MemoryStep>,
    /// While rows come or are taken: the group and the array of its threads.
    pub rows: Option<(u64, u64)>,
    /// While rows are taken: the next one, and threads that get it.
    pub offered: Option<(Bits, Bits)>,
}

impl Crossbar {
    /// That of a control block with these parameters.
    pub fn new(params: &DualityParams) -> Crossbar {
        let columns = params.columns;
        Crossbar {
            columns,
            outputs: params.crossbar,
            doing: Doing::Nothing,
            word: Word::default(),
            scalar: 0,
            group: 0,
            there: vec![false; columns],
            taking: vec![false; columns],
            addresses: vec![0; columns],
            data: vec![0; columns],
            results: vec![0; columns],
            taken: 0,
        }
    }

    fn op(&self) -> MemoryOp {
        MemoryOp::from_code(self.word.get(MEMORY_OP)).expect("the word is legal")
    }

    fn width(&self) -> u64 {
        self.word.get(WIDTH) + 1
    }

    /// What is shown in this cycle.
    pub fn shown(&self, inputs: &CrossbarInputs) -> CrossbarOutputs {
        let slot = |step| if step == MemoryStep::Address { SLOT } else { DATA_SLOT };
        let result = |thread: usize| self.results[thread] >> self.taken & 1 == 1;
        CrossbarOutputs {
            mine: inputs.word.is_some_and(|(word, _)| word.crosses()),
            busy: self.doing != Doing::Nothing,
            asked: match self.doing {
                Doing::Asks(step) => Some(step),
                _ => None,
            },
            rows: match self.doing {
                Doing::Rows(step, _) => Some((self.group, self.word.get(slot(step)))),
                _ => None,
            },
            offered: match self.doing {
                Doing::Rows(MemoryStep::Result, _) => {
                    Some(((0..self.columns).map(result).collect(), self.taking.clone()))
                }
                _ => None,
            },
        }
    }

    /// A word is under way.
    pub fn busy(&self) -> bool {
        self.doing != Doing::Nothing
    }

    /// The group whose rows are wanted or offered.
    pub fn group(&self) -> u8 {
        self.group as u8
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        (self.doing, self.group) = (Doing::Nothing, 0);
        self.taking.fill(false);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &CrossbarInputs) {
        self.doing = match self.doing {
            Doing::Nothing => match inputs.word.filter(|(word, _)| word.crosses()) {
                Some(word) => {
                    (self.word, self.scalar) = word;
                    self.group = 0;
                    Doing::Asks(MemoryStep::Launch)
                }
                None => Doing::Nothing,
            },
            Doing::Asks(MemoryStep::End) if inputs.word.is_some() => Doing::Nothing,
            Doing::Asks(step) if inputs.word.is_some() => Doing::Rows(step, self.count(step)),
            Doing::Asks(step) => Doing::Asks(step),
            Doing::Rows(step, left) => match (&inputs.sent, inputs.taken) {
                (Some(row), false) if step != MemoryStep::Result => self.row(step, left, row),
                (_, true) if step == MemoryStep::Result => {
                    self.taken += 1;
                    match left {
                        1 if self.group + 1 == inputs.groups => Doing::Asks(MemoryStep::End),
                        1 => {
                            self.group += 1;
                            Doing::Asks(MemoryStep::Launch)
                        }
                        _ => Doing::Rows(step, left - 1),
                    }
                }
                _ => self.doing,
            },
            Doing::Works(1, step) => Doing::Asks(step),
            Doing::Works(left, step) => Doing::Works(left - 1, step),
        };
    }

    /// Of a shuffle whose results have come with this step: threads that got their own number since there is no such
    /// place, and threads that got another's.
    pub fn names(&self, after: &Crossbar) -> Option<[u64; 2]> {
        let results = matches!(after.doing, Doing::Works(_, MemoryStep::Result));
        if after.op() != MemoryOp::Load || !results || matches!(self.doing, Doing::Works(..)) {
            return None;
        }
        let found = (0..self.columns).filter(|&thread| after.named(thread).is_some()).count() as u64;
        Some([self.columns as u64 - found, found])
    }

    fn count(&self, step: MemoryStep) -> u64 {
        match step {
            MemoryStep::Address => self.word.get(WIDTH_A) + 1,
            MemoryStep::Data | MemoryStep::Result => self.width(),
            _ => 1,
        }
    }

    /// A row of a step comes, of which so many are to come.
    fn row(&mut self, step: MemoryStep, left: u64, row: &Bits) -> Doing {
        let at = self.count(step) - left;
        let put = |numbers: &mut Vec<u64>| {
            numbers.iter_mut().zip(row).for_each(|(number, bit)| *number |= u64::from(*bit) << at);
        };
        match step {
            MemoryStep::Launch => {
                self.there.clone_from(row);
                self.taking.clone_from(row);
                self.addresses.fill(0);
                self.data.fill(0);
                self.taken = 0;
                match self.op() {
                    MemoryOp::Load if self.word.address_in_rows() => Doing::Asks(MemoryStep::Address),
                    MemoryOp::Load => Doing::Works(1 + self.settling(0), self.next()),
                    _ => Doing::Asks(self.next()),
                }
            }
            MemoryStep::Chooser => {
                let unless = self.word.get(PREDICATE) == Predicate::Unless.code();
                self.taking.iter_mut().zip(row).for_each(|(taking, bit)| *taking &= *bit != unless);
                Doing::Asks(MemoryStep::Data)
            }
            MemoryStep::Address => {
                put(&mut self.addresses);
                match left {
                    1 => Doing::Works(self.settling(self.count(step)), self.next()),
                    left => Doing::Rows(step, left - 1),
                }
            }
            _ => {
                put(&mut self.data);
                match left {
                    1 => {
                        self.results = (0..self.columns).map(|thread| self.result(thread)).collect();
                        Doing::Works(self.working(), MemoryStep::Result)
                    }
                    left => Doing::Rows(step, left - 1),
                }
            }
        }
    }

    /// What is asked for when it is known which threads are named.
    fn next(&self) -> MemoryStep {
        let all = self.word.get(PREDICATE) == Predicate::All.code();
        if all { MemoryStep::Data } else { MemoryStep::Chooser }
    }

    /// Cycles behind so many rows of addresses: bits that they lack, a look, the settling, turns of the row that says
    /// which threads there are, if there are any, and one in which those are left out.
    fn settling(&self, rows: u64) -> u64 {
        let turns = (self.columns / self.outputs) as u64;
        self.word.get(S).saturating_sub(rows) + 3 + if turns > 1 { turns } else { 0 }
    }

    /// Cycles between the last row of data and the result.
    fn working(&self) -> u64 {
        let turns = (self.columns / self.outputs) as u64;
        match self.op() {
            MemoryOp::Load if turns == 1 => 2,
            MemoryOp::Load => 3 + turns * self.width(),
            MemoryOp::MinU | MemoryOp::MinS | MemoryOp::MaxU | MemoryOp::MaxS => 2 + 2 * self.width(),
            _ => 3,
        }
    }

    /// What addresses are counted from.
    fn offset(&self) -> u32 {
        let scalar = [Source::Scalar.code(), Source::Indexed.code()].contains(&self.word.get(SOURCE));
        (self.word.get(IMMEDIATE) as u32).wrapping_add(if scalar { self.scalar } else { 0 })
    }

    /// The thread that a thread names, if its segment has such a place.
    fn named(&self, thread: usize) -> Option<usize> {
        let threads = 1 << self.word.get(S);
        let place = (self.addresses[thread] as u32).wrapping_add(self.offset()) as usize;
        Some(thread / threads * threads + place).filter(|&named| place < threads && self.there[named])
    }

    /// What a thread gets that takes part.
    fn result(&self, thread: usize) -> u64 {
        let threads = 1 << self.word.get(S);
        let first = thread / threads * threads;
        let bits = self.width();
        if self.op() == MemoryOp::Load {
            return self.data[self.named(thread).unwrap_or(thread)];
        }
        let all = (first..first + threads).filter(|&other| self.taking[other]).map(|other| self.data[other]);
        let mask = u64::MAX >> (64 - bits);
        // The order of signed numbers is that of unsigned ones whose sign is turned.
        let turned = |number: &u64| number ^ 1 << (bits - 1);
        match self.op() {
            MemoryOp::Add => all.fold(0, u64::wrapping_add) & mask,
            MemoryOp::And => all.fold(mask, |one, other| one & other),
            MemoryOp::Or => all.fold(0, |one, other| one | other),
            MemoryOp::Xor => all.fold(0, |one, other| one ^ other),
            MemoryOp::MinU => all.min().unwrap_or_default(),
            MemoryOp::MinS => all.min_by_key(turned).unwrap_or_default(),
            MemoryOp::MaxU => all.max().unwrap_or_default(),
            _ => all.max_by_key(turned).unwrap_or_default(),
        }
    }
}
