//! What every campaign runs on: hardware and model in lock step, coverage, a source of random choices, and a driver of
//! the command port and both row streams.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::coverage::Coverage;
use super::scoreboard::Scoreboard;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::command::ErrorCode;
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::lockstep::Lockstep;
use crate::model::compute_unit::{Inputs, Outputs};
use crate::model::exception_flags::STARTED;
use crate::model::sequencer::Sequencer;
use crate::params::Params;
use crate::vectors::Stimulus;

/// Hardware, model, coverage, choices.
pub struct Bench<E: Engine> {
    /// Hardware and model.
    pub unit: Lockstep<E>,
    /// What has been seen.
    pub coverage: Coverage,
    /// Source of operands and choices.
    pub stimulus: Stimulus,
    /// Commands that ran.
    pub commands: u64,
    /// Exceptions that each floating-point command of the last stretch of work has raised, in designs with flags.
    pub raised: Vec<u8>,
}

/// A command to send, and what should become of it.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The command.
    pub command: Command,
    /// Opcode and set sent in place of its own.
    pub codes: Option<(u8, u8)>,
    /// The code with which the hardware must refuse it.
    pub refusal: Option<ErrorCode>,
}

/// How often something rests although it could move, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    /// No command is offered.
    pub command: u32,
    /// No beat is offered.
    pub beat: u32,
    /// No beat is taken.
    pub take: u32,
}

/// Commands and stream beats of one stretch of work.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Commands in order.
    pub commands: Vec<Sent>,
    /// Beats for the load port.
    pub beats: VecDeque<u64>,
    /// Beats that the store port must show, and whether each is its command's last.
    pub expected: VecDeque<(u64, bool)>,
    /// Rests.
    pub gaps: Gaps,
}

impl Work {
    /// Adds a command that must run.
    pub fn run(&mut self, command: Command) {
        self.commands.push(Sent { command, codes: None, refusal: None });
    }

    /// Adds a command that must be refused.
    pub fn refuse(&mut self, command: Command, code: ErrorCode) {
        self.commands.push(Sent { command, codes: None, refusal: Some(code) });
    }
}

impl<E: Engine> Bench<E> {
    /// A bench for the design of `params` on `engine`.
    pub fn new(engine: E, params: &Params, seed: u64) -> Bench<E> {
        let unit = Lockstep::new(engine, params, seed);
        let coverage = Coverage::new(params, &unit.model.code);
        Bench { unit, coverage, stimulus: Stimulus::new(seed), commands: 0, raised: vec![] }
    }

    /// Parameters of the design.
    pub fn params(&self) -> &Params {
        self.unit.params()
    }

    /// Source of choices.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        self.stimulus.rng()
    }

    /// The operation behind an opcode on this design.
    pub fn operation(&self, opcode: Opcode, set: Set) -> Arc<Operation> {
        Operation::of(opcode, Context::of(self.unit.params(), set))
    }

    /// Words of a row.
    pub fn limbs(&self) -> usize {
        self.params().columns.div_ceil(64)
    }

    /// Random words for a row.
    pub fn random_row(&mut self) -> Vec<u64> {
        let (columns, limbs) = (self.params().columns, self.limbs());
        let mut words: Vec<u64> = (0..limbs).map(|_| self.rng().random()).collect();
        if columns % 64 != 0 {
            words[limbs - 1] &= (1 << (columns % 64)) - 1;
        }
        words
    }

    /// Replaces every row and the tags by random words.
    pub fn refill(&mut self) {
        for row in 0..self.params().rows {
            let words = self.random_row();
            self.unit.set_row(row, &words);
        }
        let tags = self.random_row();
        self.unit.set_tags(&tags);
    }

    /// One cycle.
    ///
    /// # Errors
    /// Hardware and model differ.
    pub fn step(&mut self, inputs: &Inputs) -> Result<Outputs> {
        self.coverage.before(&self.unit.model, inputs);
        let outputs = self.unit.cycle(inputs).map_err(|d| Failure::Diverged(d, format!("inputs {inputs:?}")))?;
        self.coverage.after(&outputs);
        Ok(outputs)
    }

    /// Sends the commands and the beats, takes what comes out, until nothing is left to do.
    ///
    /// # Errors
    /// Hardware and model differ, a refusal or a beat is not the expected one, or the work does not end.
    pub fn run(&mut self, work: Work) -> Result {
        let Work { commands, mut beats, mut expected, gaps } = work;
        let describe = || {
            let all: Vec<String> = commands.iter().map(|s| s.command.to_string()).collect();
            all.join("; ")
        };
        let wrong = |what: String| Err(Failure::Wrong(format!("{what}; commands: {}", describe())));
        let mut refusals: VecDeque<ErrorCode> = commands.iter().filter_map(|s| s.refusal).collect();
        let mut left = commands.iter().filter(|s| s.refusal.is_none()).count();
        let mut queue = commands.iter();
        let mut inputs = Inputs::default();
        let mut cycles = 0;
        self.raised.clear();
        // What is raised comes so many cycles behind the row.
        let mut firsts = VecDeque::from(vec![false; Sequencer::tag_latency(self.params().memory)]);
        loop {
            if inputs.command.is_none() && !self.rests(gaps.command) {
                if let Some(sent) = queue.next() {
                    (inputs.command, inputs.codes) = (Some(sent.command), sent.codes);
                }
            }
            if inputs.beat.is_none() && !self.rests(gaps.beat) {
                inputs.beat = beats.pop_front();
            }
            inputs.take = !self.rests(gaps.take);
            let outputs = self.step(&inputs).map_err(|f| match f {
                Failure::Diverged(d, _) => Failure::Diverged(d, format!("commands: {}", describe())),
                other => other,
            })?;
            // A first row that is a loop starts more than once.
            firsts.push_back(outputs.activity.first);
            let first = firsts.pop_front() == Some(true);
            match outputs.activity.raised {
                STARTED if first => self.raised.push(0),
                0 | STARTED => {}
                flags => *self.raised.last_mut().expect("a command has started") |= flags,
            }
            let idle = !outputs.busy && inputs.command.is_none() && inputs.beat.is_none();
            if outputs.command_ready {
                (inputs.command, inputs.codes) = (None, None);
            }
            if outputs.beat_ready {
                inputs.beat = None;
            }
            if let Some(beat) = outputs.beat.filter(|_| inputs.take) {
                let wanted = expected.pop_front();
                if wanted != Some(beat) {
                    return wrong(format!(
                        "cycle {}: stored beat {beat:x?}, expected {wanted:x?}",
                        self.unit.cycle_count()
                    ));
                }
            }
            if let Some(refusal) = outputs.activity.refusal {
                let wanted = refusals.pop_front().map(ErrorCode::code);
                if wanted != Some(refusal.code) {
                    return wrong(format!("refused with {refusal:?}, expected {wanted:?}"));
                }
            }
            if outputs.activity.last {
                let Some(fewer) = left.checked_sub(1) else { return wrong("more commands ran than were sent".into()) };
                left = fewer;
            }
            if idle && queue.len() == 0 && beats.is_empty() && expected.is_empty() {
                self.commands += commands.len() as u64;
                return if left == 0 && refusals.is_empty() {
                    Ok(())
                } else {
                    wrong(format!("{left} commands did not run, not refused: {refusals:?}"))
                };
            }
            cycles += 1;
            if cycles > 2_000 + 40_000 * commands.len() as u64 {
                return wrong("does not end".into());
            }
        }
    }

    /// Compares what is known of rows and tags, and what the last stretch of work has raised.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn compare(&self, board: &Scoreboard) -> std::result::Result<(), String> {
        board.compare(&self.unit)?;
        self.compare_raised(board.raised())
    }

    /// Compares what each floating-point command of the last stretch of work has raised, in designs with flags.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn compare_raised(&self, wanted: &[u8]) -> std::result::Result<(), String> {
        let wanted = if self.params().exception_flags { wanted } else { &[] };
        if self.raised.len() != wanted.len() {
            return Err(format!("{} floating-point commands started, must be {}", self.raised.len(), wanted.len()));
        }
        match self.raised.iter().zip(wanted).position(|(raised, wanted)| raised != wanted) {
            Some(at) => Err(format!(
                "floating-point command {at} raised {:#07b}, must raise {:#07b}",
                self.raised[at], wanted[at]
            )),
            None => Ok(()),
        }
    }

    fn rests(&mut self, percent: u32) -> bool {
        percent > 0 && self.rng().random_range(0..100) < percent
    }
}
