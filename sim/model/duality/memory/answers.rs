//! Model of the lines that the cache ways answer with, from its contract: one is in use, others wait.

use super::access::Line;
use crate::queue::Queue;

/// Lines that wait at most.
const DEPTH: usize = 16;

/// The lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Lines that wait.
    waiting: Queue<Line>,
    /// The line that is in use.
    line: Option<Line>,
    /// It has been since the last clock edge.
    fresh: bool,
    /// The word of it whose number was told in the cycle before.
    picked: Option<u64>,
}

/// What they get in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswersInputs {
    /// A line comes.
    pub comes: Option<Line>,
    /// The next line is wanted.
    pub wants: bool,
    /// The number of the word that is shown in the next cycle, if that matters.
    pub from: Option<u8>,
}

/// What they show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswersOutputs {
    /// The next line has been taken into use.
    pub there: bool,
    /// Lines wait.
    pub more: bool,
    /// That word of the line in use; anything before there is one.
    pub word: Option<u64>,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { waiting: Queue::new(DEPTH), line: None, fresh: false, picked: None }
    }
}

impl Answers {
    /// The line that is in use.
    pub fn line(&self) -> Option<&Line> {
        self.line.as_ref()
    }

    /// Lines that wait.
    pub fn waiting(&self) -> u8 {
        self.waiting.count
    }

    /// What is shown in this cycle.
    pub fn shown(&self) -> AnswersOutputs {
        AnswersOutputs { there: self.fresh, more: self.waiting.count > 0, word: self.picked }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &AnswersInputs) -> AnswersOutputs {
        let shown = self.shown();
        let waits = self.waiting.head().copied();
        let next = waits.or(inputs.comes).filter(|_| inputs.wants);
        // What is taken into use as it comes does not wait.
        let stays = inputs.comes.filter(|_| next.is_none() || waits.is_some());
        self.waiting.step(stays, next.is_some() && waits.is_some());
        self.fresh = next.is_some();
        self.line = next.or(self.line);
        self.picked = inputs.from.and_then(|from| self.line.map(|line| line[usize::from(from)]));
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.waiting.reset();
        self.fresh = false;
    }
}

state! {
    Answers(self) {
        in waiting = self.waiting, (|line: &Line| *line);
        line = self.line;
        fresh = self.fresh;
        picked = self.picked;
    }

    AnswersInputs(self) {
        comes = self.comes.is_some();
        new_line = self.comes;
        self => wants;
        from = self.from;
    }

    AnswersOutputs(self) {
        self => there, more, word;
    }
}
