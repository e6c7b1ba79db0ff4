//! Model of the scoreboard: a queue of result lines on their way.

use crate::state::{Contents, Words};
use std::collections::VecDeque;

/// Result lines that may be on their way.
pub const RESULTS: usize = 32;
/// A place in the ring.
pub type Place = usize;
/// Lines agree if their numbers do in so many lower bits.
const COMPARED: u32 = 10;

/// A set of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places(u32);

impl Places {
    /// There are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The place is among them.
    pub fn has(self, place: Place) -> bool {
        self.0 >> place & 1 == 1
    }

    /// These and others.
    pub fn with(self, others: Places) -> Places {
        Places(self.0 | others.0)
    }

    /// These but for others.
    pub fn without(self, others: Places) -> Places {
        Places(self.0 & !others.0)
    }
}

impl FromIterator<Place> for Places {
    fn from_iter<I: IntoIterator<Item = Place>>(places: I) -> Places {
        Places(places.into_iter().fold(0, |all, place| all | 1 << place))
    }
}

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
    /// The first one is written in this cycle, by a map: it was told a cycle ago.
    pub told: bool,
    /// Places whose last results are written in this cycle, or were before.
    pub gone: Places,
    /// A reduction's result that has left the queue, a cycle ago, with its place: it is written in this cycle.
    pub left: Option<(Place, ResultLine)>,
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

    /// Place of the first one that was not told.
    fn first(&self) -> Place {
        (self.front + usize::from(self.told)) % RESULTS
    }

    /// The place whose result is written in the next cycle, if one is.
    pub fn going(&self, soon: bool) -> Option<Place> {
        soon.then_some(self.first())
    }

    /// Places of results that may be the line.
    pub fn same(&self, line: u32) -> Places {
        let queued = self.queue.iter().enumerate().map(|(i, result)| ((self.front + i) % RESULTS, *result));
        let same = queued.chain(self.left).filter(|(_, result)| Scoreboard::key(result.line) == Scoreboard::key(line));
        same.map(|(place, _)| place).collect()
    }

    /// What each place of the ring has: results on their way, and the one that has left.
    fn ring(&self) -> [Option<ResultLine>; RESULTS] {
        let mut ring = [None; RESULTS];
        if let Some((place, result)) = self.left {
            ring[place] = Some(result);
        }
        let queued = (0..RESULTS).map(|k| (self.front + k) % RESULTS).zip(&self.queue);
        queued.for_each(|(place, result)| ring[place] = Some(*result));
        ring
    }

    /// The first one.
    pub fn head(&self) -> ResultLine {
        self.queue.front().copied().unwrap_or_default()
    }

    /// A clock cycle: what is offered, and whether it comes; whether what came a cycle ago is in the cache; the first
    /// one leaves, since a map writes it now (`pop`) or a reduction in the next cycle (`element`); a map writes one in
    /// the next cycle (`soon`).
    pub fn step(&mut self, offer: (u32, u8), push: bool, hit: bool, [pop, element, soon]: [bool; 3]) {
        assert!(pop == self.told, "a map's results are told before they are written");
        assert!(!(element && (soon || pop)), "a reduction's result beside a map's");
        self.gone = self.gone.with(self.going(soon || element).into_iter().collect());
        self.left = self.queue.front().filter(|_| element).map(|&result| (self.front, result));
        self.told = soon;
        self.tight = self.queue.len() >= RESULTS - 3;
        self.new_at = (self.front + self.queue.len()) % RESULTS;
        if let Some(last) = self.queue.back_mut().filter(|_| self.came) {
            last.hit = hit;
        }
        (self.came, self.new) = (push, offer);
        if pop || element {
            self.queue.pop_front();
            self.front = (self.front + 1) % RESULTS;
        }
        if push {
            self.gone = self.gone.without([(self.front + self.queue.len()) % RESULTS].into_iter().collect());
        }
        self.queue.extend(push.then_some(ResultLine { line: offer.0, place: offer.1, hit: false }));
    }

    /// Nothing is on its way: its steps were dropped.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.left = None;
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
        self => tight, came, front, new_at;
        back = back;
        some = length > 0;
        new_line = self.new.0;
        new_place = self.new.1;
        let ring = self.ring();
        valid[] = ring.iter().map(Option::is_some);
        told[] = (0..RESULTS).map(|k| self.gone.has(k));
        keys[] = ring.iter().map(|result| result.map(|result| Scoreboard::key(result.line)));
        let first = self.first();
        first[] = (0..RESULTS).map(|k| k == first);
        next[] = (0..RESULTS).map(|k| k == back);
        // The last one is written a cycle after it has come; one that has left is not known any more.
        let young = (self.came && length > 0).then_some((back + RESULTS - 1) % RESULTS);
        let left = self.left.map(|(place, _)| place);
        let result = |k: usize| ring[k].filter(|_| Some(k) != young && Some(k) != left);
        memory (lines) = Contents::always(RESULTS, Words::Narrow(&|k| result(k).map(|result| result.line.into())));
        memory (places) = Contents::always(
            RESULTS,
            Words::Narrow(&|k| result(k).map(|result| u64::from(result.place) | u64::from(result.hit) << 7)),
        );
    }
}
