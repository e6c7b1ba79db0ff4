//! Model of the scoreboard: a queue of result lines on their way.

use crate::state::{Contents, Words};
use std::collections::VecDeque;

/// Result lines that may be on their way.
pub const RESULTS: usize = 32;
/// For each group of four places, whether it holds a line that may be the one asked for.
pub type Groups = [bool; RESULTS / 4];
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
    /// One has come, a cycle ago: the last one, of which it is not yet known whether it is in the cache.
    pub came: bool,
    /// What was offered a cycle ago, come or not: line, and place in it.
    pub new: (u32, u8),
    /// Place in the ring for it.
    pub new_at: usize,
}

impl Scoreboard {
    /// What is compared of a line's number.
    pub fn key(line: u32) -> u32 {
        line % (1 << COMPARED)
    }

    /// Groups that may hold the line.
    pub fn alike(&self, line: u32) -> Groups {
        let mut groups = Groups::default();
        for (i, result) in self.queue.iter().enumerate() {
            groups[(self.front + i) % RESULTS / 4] |= Scoreboard::key(result.line) == Scoreboard::key(line);
        }
        groups
    }

    /// The first one.
    pub fn head(&self) -> ResultLine {
        self.queue.front().copied().unwrap_or_default()
    }

    /// A clock cycle: what is offered, and whether it comes; whether what came a cycle ago is in the cache; the first
    /// one is written.
    pub fn step(&mut self, offer: (u32, u8), push: bool, hit: bool, pop: bool) {
        self.tight = self.queue.len() >= RESULTS - 3;
        self.new_at = (self.front + self.queue.len()) % RESULTS;
        if let Some(last) = self.queue.back_mut().filter(|_| self.came) {
            last.hit = hit;
        }
        (self.came, self.new) = (push, offer);
        if pop {
            self.queue.pop_front();
            self.front = (self.front + 1) % RESULTS;
        }
        self.queue.extend(push.then_some(ResultLine { line: offer.0, place: offer.1, hit: false }));
    }

    /// Reset: what was offered stays.
    pub fn reset(&mut self) {
        *self = Scoreboard { new: self.new, new_at: self.new_at, ..Scoreboard::default() };
    }
}

state! {
    Scoreboard(self) {
        let (front, length) = (self.front, self.queue.len());
        let back = (front + length) % RESULTS;
        let number = |k: usize| (k + RESULTS - front) % RESULTS;
        self => tight, came, front, new_at;
        back = back;
        some = length > 0;
        new_line = self.new.0;
        new_place = self.new.1;
        valid[] = (0..RESULTS).map(|k| number(k) < length);
        keys[] = (0..RESULTS).map(|k| self.queue.get(number(k)).map(|result| Scoreboard::key(result.line)));
        first[] = (0..RESULTS).map(|k| k == front);
        next[] = (0..RESULTS).map(|k| k == back);
        // The last one is written a cycle after it has come.
        let written = length - usize::from(self.came && length > 0);
        let result = |k: usize| self.queue.get(number(k)).filter(|_| number(k) < written);
        memory (lines) = Contents::always(RESULTS, Words::Narrow(&|k| result(k).map(|result| result.line.into())));
        memory (places) = Contents::always(
            RESULTS,
            Words::Narrow(&|k| result(k).map(|result| u64::from(result.place) | u64::from(result.hit) << 7)),
        );
    }
}
