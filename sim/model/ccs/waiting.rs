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
    /// Lines that it waits for; with two read ports on that of b.
    pub lines: u8,
    /// With two read ports, lines that it waits for on that of a.
    pub more_lines: u8,
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
    /// Lines that are here for steps that have not gone.
    pub here: u32,
    /// The same of the port of a, if there are two.
    pub more_here: Option<u32>,
    /// A step goes to the unit.
    pub issued: bool,
    /// Which; without one, what would have gone.
    pub out: WaitingStep,
}

impl Waiting {
    /// After reset, for so many read ports.
    pub fn new(ports: usize) -> Waiting {
        Waiting { more_here: (ports == 2).then_some(0), ..Waiting::default() }
    }

    /// There are some.
    pub fn busy(&self) -> bool {
        self.valid || !self.queue.is_empty()
    }

    /// A clock cycle: the step that is held, which comes if `enters`; a line has arrived, on each
    /// port; none goes, all are dropped.
    pub fn step(&mut self, held: WaitingStep, enters: bool, arrive: [bool; 2], pause: bool, stop: bool) {
        let (here, more) = (self.here + u32::from(arrive[0]), self.more_here.unwrap_or(0) + u32::from(arrive[1]));
        let there = u32::from(self.head.lines) <= here && u32::from(self.head.more_lines) <= more;
        let goes = self.valid && there && !pause && !stop;
        // One that waits for nothing passes by.
        let direct = enters && !self.valid && held.lines + held.more_lines == 0 && !pause;
        (self.issued, self.out) = (goes || direct, if self.valid { self.head } else { held });
        self.many = self.queue.len() >= WAITING - 2;
        self.here = here - if goes { u32::from(self.head.lines) } else { 0 };
        let more = more - if goes { u32::from(self.head.more_lines) } else { 0 };
        self.more_here = self.more_here.map(|_| if stop { 0 } else { more });
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
        let more_here = self.more_here.map(|_| 0);
        *self = Waiting { head: self.head, out: self.out, more_here, ..Waiting::default() };
    }
}

impl WaitingStep {
    /// The word in which the hardware keeps it: rows, lanes, first, last, waits for a line, waits for two or for one
    /// on the port of a.
    fn word(&self) -> u64 {
        let WaitingStep { rows: [a, b], step, lines, more_lines } = *self;
        let numbers = [a, b, step.low, step.high].into_iter().rev();
        let numbers = numbers.fold(0, |word, number| word << 7 | u64::from(number));
        let flags = [step.first, step.last, lines > 0, lines == 2 || more_lines > 0].into_iter().zip(28..);
        flags.fold(numbers, |word, (flag, at)| word | u64::from(flag) << at)
    }
}

state! {
    Waiting(self) {
        self => valid, many, here, issued, front;
        one = self.here >= 1;
        two = self.more_here.map_or(self.here >= 2, |more| more >= 1);
        more_here[] = self.more_here;
        head = self.head.word();
        out = self.out.word() & ((1 << 30) - 1);
        back = (self.front + self.queue.len()) % WAITING;
        some = !self.queue.is_empty();
        let word = |k: usize| self.queue.get((k + WAITING - self.front) % WAITING).map(WaitingStep::word);
        memory (ring) = Contents::always(WAITING, Words::Narrow(&word));
    }
}
