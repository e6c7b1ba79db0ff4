//! Model of the scoreboard: a queue of result lines on their way.

use std::collections::VecDeque;

/// Result lines that may be on their way.
pub const RESULTS: usize = 32;
/// Lines agree if their numbers do in so many lower bits.
const COMPARED: u32 = 10;

/// A result line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultLine {
    /// Its number.
    pub line: u32,
    /// It is in the cache.
    pub hit: bool,
    /// A reduction's place in it.
    pub place: u8,
}

/// The scoreboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    /// Result lines, the first one first.
    pub queue: VecDeque<ResultLine>,
    /// Place of the first one in the ring.
    pub front: usize,
    /// There were nearly as many as fit, a cycle ago.
    pub tight: bool,
}

impl Scoreboard {
    /// What is compared of a line's number.
    pub fn key(line: u32) -> u32 {
        line % (1 << COMPARED)
    }

    /// One of the lines may be on its way.
    pub fn conflict(&self, lines: &[u32; 3], vectors: &[bool; 3]) -> bool {
        let waits = |line: u32| self.queue.iter().any(|result| Scoreboard::key(result.line) == Scoreboard::key(line));
        (0..2).any(|i| vectors[i] && waits(lines[i]))
    }

    /// The first one.
    pub fn head(&self) -> ResultLine {
        self.queue.front().copied().unwrap_or_default()
    }

    /// A clock cycle.
    pub fn step(&mut self, push: Option<ResultLine>, pop: bool) {
        self.tight = self.queue.len() >= RESULTS - 2;
        if pop {
            self.queue.pop_front();
            self.front = (self.front + 1) % RESULTS;
        }
        self.queue.extend(push);
    }
}
