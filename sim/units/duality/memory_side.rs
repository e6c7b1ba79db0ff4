//! What is behind a control block's port to memory, as long as there is no hardware for it: takes the rows of addresses
//! and data, does the accesses on flat memory as the judge does, and gives the rows of the result.
//!
//! Rows pass through ports of their own width: with one port a control block a row of each bank takes a cycle, with one
//! port a bank a row of all banks. Memory itself answers after so many cycles, whatever is asked. As of the memory unit
//! the next step is asked for in the cycle behind the one in which the last row has passed, the end of a word in that
//! one, unless the row comes in it. The first word asks for the launch mask, too, which must be what the launch says.

use std::rc::Rc;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::{MemoryOp, Predicate, Space};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{ACTIVE_ROW, SLOTS};
use bitline_units::duality::passes::MemoryStep;

use super::block::place;
use crate::model::duality::control_block::{BlockInputs, BlockOutputs, MemoryRows};
use crate::model::duality::interpreter::{Refused, access};
use crate::model::duality::rows::Rows;
use crate::model::duality::{FlatMemory, Launch};

/// How long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Each bank has a port of its own.
    pub port_a_bank: bool,
    /// Cycles from the last address to the first data.
    pub latency: u64,
}

/// Where a word of memory is.
#[derive(Clone, Debug)]
enum Phase {
    /// Nothing is asked.
    Idle,
    /// Steps that are still to be asked for; the next one first.
    Asks(Vec<MemoryStep>),
    /// A step is asked for, so many of its rows are to come, and others behind it.
    Rows(MemoryStep, u64, Vec<MemoryStep>),
    /// The port, or memory, is at work for so many cycles, one at least.
    Waits(u64, Vec<MemoryStep>),
}

impl Phase {
    /// Asks for steps when the port is free.
    fn waits(cycles: u64, steps: Vec<MemoryStep>) -> Phase {
        if cycles == 0 { Phase::Asks(steps) } else { Phase::Waits(cycles, steps) }
    }
}

/// The way to memory.
#[derive(Clone, Debug)]
pub struct MemorySide {
    params: DualityParams,
    arrays: usize,
    timing: Timing,
    phase: Phase,
    word: Word,
    scalar: u32,
    rows: Rows,
    /// Rows of the result, the next one first, for all arrays.
    result: Vec<Rc<MemoryRows>>,
    trap: u8,
    got: u64,
    /// The launch mask was asked for.
    asked: bool,
    /// The launch mask that was sent.
    there: Option<Vec<Vec<u64>>>,
    /// The first access that could not be.
    pub refused: Option<Refused>,
    /// Accesses of threads.
    pub accesses: u64,
    /// Cycles in which rows passed, or memory was waited for.
    pub cycles: u64,
}

impl MemorySide {
    /// For a launch that gives each thread so many arrays.
    pub fn new(params: &DualityParams, arrays: usize, timing: Timing) -> MemorySide {
        MemorySide {
            params: params.clone(),
            arrays,
            timing,
            phase: Phase::Idle,
            word: Word::default(),
            scalar: 0,
            rows: Rows::new(params.threads(arrays), SLOTS, 0),
            result: vec![],
            trap: 0,
            got: 0,
            asked: false,
            there: None,
            refused: None,
            accesses: 0,
            cycles: 0,
        }
    }

    /// Adds to the inputs of a cycle what is asked in it.
    pub fn ask(&self, inputs: &mut BlockInputs) {
        if let Phase::Asks(steps) = &self.phase {
            inputs.memory = steps.first().copied();
            inputs.memory_trap = self.trap;
        }
        inputs.memory_rows = self.result.first().cloned();
    }

    /// Takes what the control block has shown in that cycle.
    pub fn take(&mut self, shown: &BlockOutputs, launch: &Launch, cta: &[Option<u32>], memory: &mut FlatMemory) {
        self.cycles += u64::from(!matches!(self.phase, Phase::Idle));
        if shown.memory_taken {
            self.result.remove(0);
        }
        self.phase = match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => match shown.memory {
                Some((word, scalar)) => {
                    (self.word, self.scalar, self.trap) = (Word(word), scalar.unwrap_or_default(), 0);
                    let steps = self.steps();
                    let at_once = steps[0] >= MemoryStep::Result;
                    if at_once { self.accesses(0, steps, launch, cta, memory) } else { Phase::Asks(steps) }
                }
                None => Phase::Idle,
            },
            Phase::Asks(mut steps) if shown.memory.is_some() => match steps.remove(0) {
                MemoryStep::End => Phase::Idle,
                step => {
                    self.got = 0;
                    Phase::Rows(step, self.count(step), steps)
                }
            },
            Phase::Asks(steps) => Phase::Asks(steps),
            Phase::Rows(step, left, steps) => {
                let here = match &shown.memory_sent {
                    Some(rows) if step != MemoryStep::Result => {
                        self.note(step, rows);
                        true
                    }
                    _ => shown.memory_taken,
                };
                match left - u64::from(here) {
                    0 => self.behind(step, steps, launch, cta, memory),
                    left => Phase::Rows(step, left, steps),
                }
            }
            Phase::Waits(left, steps) => Phase::waits(left - 1, steps),
        };
    }

    /// What follows the last row of a step: the port passes it on, and behind the last row that is sent comes memory.
    fn behind(
        &mut self,
        step: MemoryStep,
        steps: Vec<MemoryStep>,
        launch: &Launch,
        cta: &[Option<u32>],
        memory: &mut FlatMemory,
    ) -> Phase {
        if let Some(sent) = self.there.take() {
            for (thread, cta) in cta.iter().enumerate() {
                let (member, column) = place(&self.params, self.arrays, thread, self.word.get(DATA_SLOT) as usize);
                let there = sent[member][column / 64] >> (column % 64) & 1 == 1;
                assert_eq!(there, cta.is_some(), "launch mask, thread {thread}");
            }
        }
        let others = if self.timing.port_a_bank { 0 } else { self.params.banks as u64 - 1 };
        let wait = self.count(step) * others;
        if step != MemoryStep::Result && steps.first().is_none_or(|&next| next >= MemoryStep::Result) {
            return self.accesses(wait, steps, launch, cta, memory);
        }
        // The end is asked for while the last row passes.
        Phase::waits(wait - u64::from(wait > 0 && steps == [MemoryStep::End]), steps)
    }

    /// Memory does what the word says when the port has been at work for so many cycles more.
    fn accesses(
        &mut self,
        wait: u64,
        steps: Vec<MemoryStep>,
        launch: &Launch,
        cta: &[Option<u32>],
        memory: &mut FlatMemory,
    ) -> Phase {
        let wait = wait + self.timing.latency;
        match access(self.word, launch, cta, &mut self.rows, self.scalar, memory) {
            Ok(accesses) => self.accesses += accesses,
            Err(refused) => {
                self.trap = refused.0 as u8;
                self.refused = self.refused.or(Some(refused));
                return Phase::waits(wait, vec![MemoryStep::End]);
            }
        }
        if steps.first() == Some(&MemoryStep::Result) {
            self.result = self.results(cta);
        }
        Phase::waits(wait - u64::from(wait > 0 && steps == [MemoryStep::End]), steps)
    }

    /// The steps of the word.
    fn steps(&mut self) -> Vec<MemoryStep> {
        let op = MemoryOp::from_code(self.word.get(MEMORY_OP)).expect("the control block has looked at it");
        let mut steps = vec![];
        let asks = [
            (!std::mem::replace(&mut self.asked, true), MemoryStep::Launch),
            (self.word.get(PREDICATE) != Predicate::All.code(), MemoryStep::Chooser),
            (self.word.address_in_rows(), MemoryStep::Address),
            (op != MemoryOp::Load || self.word.crosses(), MemoryStep::Data),
            (op == MemoryOp::Compare, MemoryStep::Second),
            (op != MemoryOp::Store, MemoryStep::Result),
        ];
        steps.extend(asks.into_iter().filter(|ask| ask.0).map(|ask| ask.1));
        steps.push(MemoryStep::End);
        steps
    }

    /// Rows of a step.
    fn count(&self, step: MemoryStep) -> u64 {
        match step {
            MemoryStep::Address => self.word.get(WIDTH_A) + 1,
            MemoryStep::Data | MemoryStep::Second | MemoryStep::Result => self.word.get(WIDTH) + 1,
            MemoryStep::Launch | MemoryStep::Chooser | MemoryStep::End => 1,
        }
    }

    /// A row that was sent goes where the judge looks for it.
    fn note(&mut self, step: MemoryStep, sent: &[Vec<u64>]) {
        let data = self.word.get(DATA_SLOT);
        let (slot, row) = match step {
            MemoryStep::Chooser if self.word.get(PREDICATE) == Predicate::Active.code() => (data, ACTIVE_ROW),
            MemoryStep::Chooser => (data, self.word.get(E)),
            MemoryStep::Address => (self.word.get(SLOT), self.word.get(A) + self.got),
            MemoryStep::Data => (data, self.word.get(B) + self.got),
            _ => (data, self.word.get(S) + self.got),
        };
        self.got += 1;
        if step == MemoryStep::Launch {
            self.there = Some(sent.to_vec());
            return;
        }
        for thread in 0..self.params.threads(self.arrays) {
            let (member, column) = place(&self.params, self.arrays, thread, slot as usize);
            self.rows.set(thread, slot, row, 1, (sent[member][column / 64] >> (column % 64) & 1).into());
        }
    }

    /// The rows of the result.
    fn results(&self, cta: &[Option<u32>]) -> Vec<Rc<MemoryRows>> {
        let slot = self.word.get(DATA_SLOT);
        let limbs = self.params.columns.div_ceil(64);
        let empty = vec![vec![0; limbs]; SLOTS * self.params.banks];
        let chosen = |thread: usize| match Predicate::from_code(self.word.get(PREDICATE)) {
            Some(Predicate::Active) => self.rows.bit(thread, slot, ACTIVE_ROW),
            Some(Predicate::Where) => self.rows.bit(thread, slot, self.word.get(E)),
            Some(Predicate::Unless) => !self.rows.bit(thread, slot, self.word.get(E)),
            _ => true,
        };
        let spill = self.word.get(SPACE) == Space::Spill.code();
        let row = |k: u64| {
            let mut rows = MemoryRows { data: empty.clone(), places: empty.clone() };
            for thread in 0..self.params.threads(self.arrays) {
                let (member, column) = place(&self.params, self.arrays, thread, slot as usize);
                let bit = |value: bool| u64::from(value) << (column % 64);
                let there = spill || cta[thread].is_some() && chosen(thread);
                rows.places[member][column / 64] |= bit(there);
                rows.data[member][column / 64] |= bit(self.rows.bit(thread, slot, self.word.get(D) + k));
            }
            Rc::new(rows)
        };
        (0..self.count(MemoryStep::Result)).map(row).collect()
    }
}
