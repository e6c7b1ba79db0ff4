//! Model of the waiting steps: the first one, and a queue behind it.

use std::collections::VecDeque;

use super::unit::Step;
use crate::state::{Contents, Words};

/// Places behind the first one.
pub const WAITING: usize = 8;

/// A step that waits for its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingStep {
    /// Rows of the operands.
    pub rows: [u8; 2],
    /// What the unit gets.
    pub step: Step,
    /// Lines that it waits for.
    pub lines: u8,
}

/// The block. What went stays visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// There is a first step.
    pub valid: bool,
    /// Which.
    pub head: WaitingStep,
    /// Steps behind it.
    pub queue: VecDeque<WaitingStep>,
    /// Place of the oldest of them in the ring.
    pub front: usize,
    /// Nearly as many as fit, a cycle ago.
    pub many: bool,
    /// A line arrived, a cycle ago.
    pub came: bool,
    /// Lines that are here for steps that have not gone.
    pub here: u32,
    /// A step goes to the unit.
    pub issued: bool,
    /// Which; without one, what would have gone.
    pub out: WaitingStep,
}

impl Waiting {
    /// There are some.
    pub fn busy(&self) -> bool {
        self.valid || !self.queue.is_empty()
    }

    /// A clock cycle: the step that is held, which comes if `enters`; a line has arrived; none goes, all are dropped.
    pub fn step(&mut self, held: WaitingStep, enters: bool, arrive: bool, pause: bool, stop: bool) {
        let goes = self.valid && u32::from(self.head.lines) <= self.here && !pause && !stop;
        // One that waits for nothing passes by.
        let direct = enters && !self.valid && held.lines == 0 && !pause;
        (self.issued, self.out) = (goes || direct, if self.valid { self.head } else { held });
        self.many = self.queue.len() >= WAITING - 2;
        self.here = self.here + u32::from(self.came) - if goes { u32::from(self.head.lines) } else { 0 };
        self.came = arrive;
        if goes || !self.valid {
            if let Some(oldest) = self.queue.pop_front() {
                (self.valid, self.head) = (true, oldest);
                self.front += 1;
                self.queue.extend(enters.then_some(held));
            } else {
                (self.valid, self.head) = (enters && !direct, held);
            }
        } else {
            self.queue.extend(enters.then_some(held));
        }
        if stop {
            self.front += self.queue.len();
            self.queue.clear();
            (self.valid, self.here) = (false, 0);
        }
        self.front %= WAITING;
    }

    /// Reset: steps stay visible.
    pub fn reset(&mut self) {
        *self = Waiting { head: self.head, out: self.out, ..Waiting::default() };
    }
}

impl WaitingStep {
    /// The word in which the hardware keeps it: rows, lanes, first, last, waits for a line, waits for two.
    fn word(&self) -> u64 {
        let WaitingStep { rows: [a, b], step, lines } = *self;
        let numbers = [a, b, step.low, step.high].into_iter().rev();
        let numbers = numbers.fold(0, |word, number| word << 7 | u64::from(number));
        let flags = [step.first, step.last, lines > 0, lines == 2].into_iter().zip(28..);
        flags.fold(numbers, |word, (flag, at)| word | u64::from(flag) << at)
    }
}

state! {
    Waiting(self) {
        self => valid, many, came, here, issued, front;
        one = self.here >= 1;
        two = self.here >= 2;
        head = self.head.word();
        out = self.out.word() & ((1 << 30) - 1);
        back = (self.front + self.queue.len()) % WAITING;
        some = !self.queue.is_empty();
        let word = |k: usize| self.queue.get((k + WAITING - self.front) % WAITING).map(WaitingStep::word);
        memory (ring) = Contents::always(WAITING, Words::Narrow(&word));
    }
}
