//! Model of an issue window, from its contract: the words that wait, the steps of the oldest one, and the commands that
//! the sequencer has.
//!
//! What a compute word asks comes from the words' own description ([`Operations::shape`]), not from the hardware's way
//! to find it. Of words that may not run the model takes those whose command the array refuses.

use std::rc::Rc;

use bitline_units::array::isa::Command;
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::params::Params;
use bitline_units::duality::isa::codes::{Kind, MaskOp};
use bitline_units::duality::isa::compute::{Operations, Shape};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::{LAUNCH_ROW, SLOTS};
use bitline_units::duality::passes::{MemoryStep, Pass};

use super::early::{Early, EarlyInputs};
pub use super::entry::Entry;
use super::row_unit::{RowPass, RowUnit};
use super::steps::{Step, alone, command, compute, memory, one, row, shared};
pub use super::window_state::State;
use crate::command_queue::Waiting;
use crate::compute_array::Issue;
use crate::head_queue::HeadQueue;
use crate::sequencer::Sequencer;

/// The window.
#[derive(Clone)]
pub struct Window {
    slot: u64,
    operations: Rc<Operations>,
    code: Rc<Microcode>,
    /// Words that wait.
    pub words: HeadQueue<Entry>,
    /// Passes.
    pub rows: RowUnit,
    /// Commands.
    pub sequencer: Sequencer,
    /// What is done.
    pub state: State,
    /// What is done early of the next word that computes.
    early: Early,
    /// Steps of the oldest word that are to come, the next one first.
    steps: Vec<Step>,
    /// Commands that the sequencer has.
    pub flying: u8,
    /// Words that have ended.
    pub ended: u16,
    /// The first command that was refused: why, and the number of its word.
    pub refused: Option<(u64, u32)>,
    /// The number of the word whose command came last.
    last_pc: u32,
    /// What the port to memory did in the cycle before: see [`Window::memory_port`].
    ported: Option<bool>,
    /// The command of the oldest word was refused.
    dropped: bool,
    /// What the oldest word waits for had ended in the cycle before, in which it was the oldest.
    cleared: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowInputs {
    /// A program begins: a refusal is forgotten.
    pub start: bool,
    /// A word comes.
    pub push: Option<Entry>,
    /// Words that have ended, of each window.
    pub ended: [u16; SLOTS],
    /// A word of several windows begins.
    pub go: bool,
    /// A step of the word of memory is asked for.
    pub memory: Option<MemoryStep>,
    /// Words of memory that have ended.
    pub memory_ended: u16,
    /// Wired-OR of the tags, a cycle late.
    pub tag_any: bool,
}

impl Window {
    /// An idle window of this slot, with room for `depth` words.
    pub fn new(slot: usize, depth: usize, operations: Rc<Operations>, code: Rc<Microcode>) -> Window {
        let sequencer = Sequencer::new(operations.array());
        Window {
            slot: slot as u64,
            operations,
            code,
            words: HeadQueue::new(depth),
            rows: RowUnit::default(),
            sequencer,
            state: State::Ready,
            early: Early::Nothing,
            steps: vec![],
            flying: 0,
            ended: 0,
            refused: None,
            last_pc: 0,
            ported: None,
            dropped: false,
            cleared: false,
        }
    }

    /// Nothing runs on the arrays.
    fn free(&self) -> bool {
        let held = self.early == Early::Held;
        let rests = if held { self.sequencer.rests() } else { self.sequencer.idle() };
        rests && self.flying == u8::from(held) && !self.rows.busy()
    }

    /// The next word that computes, if it is the oldest or the one behind that, and whether another is before it.
    fn next(&self) -> Option<(&Entry, bool)> {
        let computes = |entry: &&Entry| entry.word.get(KIND) == Kind::Compute.code();
        let head = self.words.head()?;
        if computes(&head) {
            return Some((head, false));
        }
        self.words.second().filter(computes).map(|entry| (entry, true))
    }

    /// Nothing waits or runs.
    pub fn idle(&self) -> bool {
        self.words.count == 0 && self.sequencer.idle() && self.flying == 0
    }

    /// A word of several windows that can begin: where rows come from, and the windows that get them, of those that the
    /// launch uses.
    pub fn meets(&self, in_use: u64) -> Option<(u64, u64)> {
        let word = self.words.head().filter(|_| self.state == State::Meets && self.free())?.word;
        if word.get(KIND) == Kind::Memory.code() {
            return None;
        }
        let mask = word.get(KIND) == Kind::Mask.code();
        Some((word.get(SLOT), if mask { in_use & !(1 << self.slot) } else { word.get(TARGETS) }))
    }

    /// Whether a word that is the oldest may begin: at once with an empty wait mask, else a cycle behind the first in
    /// which all that it waits for has ended.
    fn begins(&self, entry: &Entry) -> bool {
        entry.word.get(WAIT) == 0 || self.cleared
    }

    /// The word of memory that can have its next step, if it is the turn of the one with this number.
    pub fn memory_meets(&self, number: u16) -> Option<&Entry> {
        let entry = self.words.head().filter(|_| self.free())?;
        let waits = self.state == State::Meets || self.state == State::Ready && self.begins(entry);
        (waits && entry.word.get(KIND) == Kind::Memory.code() && entry.memory == number).then_some(entry)
    }

    /// Whether rows go to memory or come from there, and come; the last one has a cycle behind the pass.
    pub fn memory_port(&self) -> Option<bool> {
        self.memory_runs().or(self.ported)
    }

    fn memory_runs(&self) -> Option<bool> {
        let Some(Step::Pass(pass)) = self.steps.first() else { return None };
        let memory = self.words.head().is_some_and(|entry| entry.word.get(KIND) == Kind::Memory.code());
        (self.state == State::Runs && memory).then_some(pass.pass == Pass::Merge)
    }

    /// Whether its turn has come, if a command is held.
    pub fn held(&self) -> Option<bool> {
        (self.early == Early::Held).then_some(self.state == State::Offers)
    }

    /// Whether a command runs here, or is about to.
    pub fn commands(&self) -> bool {
        self.flying > u8::from(self.early == Early::Held)
    }

    /// Whether an operation or a pass runs here, that of a word of memory apart.
    pub fn computes(&self) -> bool {
        self.commands() || self.rows.busy() && self.memory_runs().is_none()
    }

    /// Whether the next word is held by words of other windows.
    pub fn waits(&self) -> bool {
        self.state == State::Meets && self.free()
    }

    /// Whether the answer of a look at a row is there.
    pub fn answers(&self) -> bool {
        self.state == State::Answers(0)
    }

    /// One clock edge. Returns what the arrays do.
    ///
    /// # Panics
    /// If a word is not legal.
    pub fn step(&mut self, inputs: &WindowInputs) -> Issue {
        let free = self.free();
        let busy = self.rows.busy();
        let mut issue = self.rows.issue();
        let (mut start, mut finished, mut popped, mut passed, mut issued) = (None, false, false, false, false);
        let mut stopped = None;
        self.ported = self.memory_runs();
        let (before, flying) = (self.state, self.flying);
        let held = self.early == Early::Held;
        let next = self.next().map(|(entry, ahead)| (*entry, ahead));
        let may = self.state == State::Ready && self.words.head().is_some_and(|entry| self.begins(entry));
        let begins = may && next.is_some_and(|next| !next.1) && self.early.shaped();
        let turn = self.state == State::Offers;
        let early = self.early == Early::Offers && !begins && !turn;
        let offered = next.filter(|_| early || turn && !held);
        let offered = offered.map(|(entry, _)| Waiting::new(&self.command(&entry), None));
        let activity = self.sequencer.step(&self.code, offered.as_ref(), inputs.tag_any, [true, true], held);
        if !busy {
            issue = activity.issue;
        }
        match self.state {
            State::Ready | State::Meets if inputs.memory == Some(MemoryStep::End) => finished = true,
            State::Ready | State::Meets if inputs.memory.is_some() => {
                self.steps = inputs.memory.map(|step| memory(self.head().word, step)).unwrap_or_default();
                if let Some(&Step::Pass(pass)) = self.steps.first() {
                    start = Some(pass);
                }
                self.state = State::Runs;
            }
            State::Ready if begins => {
                let entry = *self.head();
                self.steps = compute(entry.word, entry.scalar, &self.shape(&entry));
                self.go_on();
            }
            State::Ready if may => self.begin(),
            State::Works => match self.steps.first() {
                Some(Step::Pass(pass)) if pass.count == 0 => passed = true,
                Some(Step::Pass(pass)) if free && self.wrong(pass.pass).is_some() => {
                    let pc = self.head().pc;
                    stopped = self.wrong(pass.pass).map(|code| (code, pc));
                    finished = true;
                }
                Some(&Step::Pass(pass)) if free => {
                    start = Some(pass);
                    self.state = State::Runs;
                }
                _ => {}
            },
            State::Runs => passed = self.rows.ends(),
            State::Offers if activity.accepted || held && activity.refusal.is_none() => {
                issued = true;
                self.steps.remove(0);
                popped = self.steps.is_empty();
                self.state = if popped { State::Ready } else { State::Drains };
            }
            State::Drains if free => {
                self.state = State::Works;
                finished = self.dropped;
            }
            State::Meets if inputs.go => {
                let word = self.head().word;
                let sends = word.get(SLOT) == self.slot;
                self.steps = shared(word, sends);
                self.state = if sends { State::Works } else { State::Receives };
            }
            State::Receives => self.state = State::Works,
            State::Answers(0) => finished = true,
            State::Answers(left) => self.state = State::Answers(left - 1),
            State::Ready | State::Offers | State::Drains | State::Meets => {}
        }
        if passed {
            self.steps.remove(0);
            let kind = self.head().word.get(KIND);
            match self.steps.is_empty() {
                true if kind == Kind::Memory.code() => self.state = State::Meets,
                true if kind == Kind::Jump.code() => self.state = State::Answers(2),
                true => finished = true,
                false => self.go_on(),
            }
        }
        if finished {
            self.state = State::Ready;
            self.steps.clear();
        }
        if inputs.start {
            self.refused = None;
        }
        let seen = EarlyInputs {
            waits: next.is_some_and(|(_, ahead)| ahead || before == State::Ready),
            accepted: activity.accepted && early,
            refused: activity.refusal.is_some(),
            ends: issued || finished && next.is_some_and(|(_, ahead)| !ahead),
        };
        let mut looked = self.early;
        looked.step(seen, || next.is_some_and(|(entry, _)| self.shape(&entry).direct.is_none()));
        self.early = looked;
        let drained = before == State::Drains;
        if let Some(refusal) = activity.refusal.filter(|_| !held) {
            self.refused = self.refused.or(Some((refusal.code, self.last_pc)));
            self.dropped |= drained;
        }
        self.refused = self.refused.or(stopped);
        if before == State::Ready {
            self.dropped = false;
        }
        if activity.accepted {
            self.last_pc = next.expect("it was offered").0.pc;
        }
        self.rows.step(start);
        let clear = self.words.head().is_some_and(|entry| !entry.late(&inputs.ended, inputs.memory_ended));
        self.cleared = clear && !popped && !finished;
        self.words.step(inputs.push, popped || finished);
        // The last row of a command is the end of its word, but for one whose result is still to be chosen: that is the
        // last command that the sequencer has.
        let counts = activity.last && !(drained && flying == 1);
        let lost = activity.refusal.is_some() && !drained && !held;
        self.ended = self.ended.wrapping_add(u16::from(counts) + u16::from(lost) + u16::from(finished));
        self.flying += u8::from(activity.accepted);
        self.flying -= u8::from(activity.last) + u8::from(activity.refusal.is_some());
        issue
    }

    fn head(&self) -> &Entry {
        self.words.head().expect("there is a word in work")
    }

    fn shape(&self, entry: &Entry) -> Shape {
        self.operations.asked(entry.word).unwrap_or_else(|illegal| panic!("{illegal}"))
    }

    /// Why the oldest word is refused, if its operation is this pass: what the array's rules say of its rows.
    fn wrong(&self, pass: Pass) -> Option<u64> {
        self.head().word.kind().ok().filter(|&kind| kind == Kind::Compute)?;
        let shape = self.shape(self.head());
        shape.direct.filter(|&direct| direct == pass)?;
        shape.pass_fits(self.operations.array()).map(|code| code as u64)
    }

    /// The command of a word.
    fn command(&self, entry: &Entry) -> Command {
        command(entry.word, entry.scalar, &self.shape(entry))
    }

    /// The oldest word begins, if it is none that computes.
    fn begin(&mut self) {
        let word = self.head().word;
        match word.kind().expect("words are legal") {
            Kind::Compute => {}
            Kind::Move | Kind::Memory => self.state = State::Meets,
            Kind::Mask => match MaskOp::from_code(word.get(MASK_OP)).expect("words are legal") {
                MaskOp::Taken | MaskOp::Other => self.state = State::Meets,
                op => {
                    self.steps = alone(word, op);
                    self.state = State::Works;
                }
            },
            Kind::Jump => {
                let test = RowPass { from: row(word, A), extra: Some(LAUNCH_ROW as u16), ..one(Pass::Test) };
                self.steps = vec![Step::Pass(test)];
                self.state = State::Works;
            }
            Kind::Scalar | Kind::End => unreachable!("it is in no window"),
        }
    }

    /// The next step is looked at.
    fn go_on(&mut self) {
        self.state = if self.steps[0] == Step::Command { State::Offers } else { State::Works };
    }

    /// A clock edge with the reset on has passed: memories keep their words.
    pub fn reset(&mut self) {
        self.words.reset();
        let mut sequencer = Sequencer::new(self.operations.array());
        sequencer.setup.bases = self.sequencer.setup.bases;
        sequencer.setup.counts = self.sequencer.setup.counts;
        self.sequencer = sequencer;
        self.rows = RowUnit::default();
        (self.state, self.flying, self.ended) = (State::Ready, 0, 0);
        (self.refused, self.last_pc, self.dropped) = (None, 0, false);
        (self.ported, self.cleared, self.early) = (None, false, Early::Nothing);
        self.steps.clear();
    }

    /// Registers that are judged by what the window does.
    pub fn judged(path: &str) -> bool {
        let name = path.rsplit('.').next().unwrap_or(path);
        let own = ["state", "step", "timer", "cursor", "dropped", "command_pc"];
        path.contains(".shape.") || path.contains(".early.") || own.contains(&name)
    }
}

state! {
    Window(self, params: &Params) {
        in words = self.words, (Entry::pack);
        in rows = self.rows;
        in sequencer = self.sequencer, (params, &self.code);
        self => flying, cleared;
        count = self.ended;
        in refusals {
            bad = self.refused.is_some();
            bad_code = self.refused.map(|refused| refused.0);
            bad_pc = self.refused.map(|refused| refused.1);
        }
        sent_last = self.ported.is_some();
        got_last = self.ported == Some(true);
    }
}
