//! Model of the queue whose oldest word is in a register.

use crate::state::{Contents, Path, Touched, Value, Walk, Words};

/// Numbers of places, whatever the depth is.
const PLACES: u8 = 64;

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadQueue<T> {
    /// What its memory holds; `None` was never written.
    slots: Vec<Option<T>>,
    /// Where the next word goes, and where the oldest one is, modulo 64.
    tail: u8,
    front: u8,
    /// Words that wait.
    pub count: u8,
}

impl<T: Clone> HeadQueue<T> {
    /// An empty queue of `depth` words.
    pub fn new(depth: usize) -> HeadQueue<T> {
        HeadQueue { slots: vec![None; depth], tail: 0, front: 0, count: 0 }
    }

    /// There is room.
    pub fn ready(&self) -> bool {
        usize::from(self.count) < self.slots.len()
    }

    /// One clock edge: a word that is offered, and whether the oldest leaves. Returns whether the word was taken.
    pub fn step(&mut self, word: Option<T>, pop: bool) -> bool {
        let taken = word.is_some() && self.ready();
        if taken {
            let depth = self.slots.len();
            self.slots[usize::from(self.tail) % depth] = word;
            self.tail = (self.tail + 1) % PLACES;
        }
        if pop {
            self.front = (self.front + 1) % PLACES;
        }
        self.count = self.count + u8::from(taken) - u8::from(pop);
        taken
    }

    /// A clock edge with the reset on has passed: the memory keeps its words.
    pub fn reset(&mut self) {
        (self.tail, self.front, self.count) = (0, 0, 0);
    }
}

impl<T> HeadQueue<T> {
    /// The oldest word.
    pub fn head(&self) -> Option<&T> {
        let slot = &self.slots[usize::from(self.front) % self.slots.len()];
        slot.as_ref().filter(|_| self.count > 0)
    }

    /// The word behind it.
    pub fn second(&self) -> Option<&T> {
        let slot = &self.slots[usize::from(self.front + 1) % self.slots.len()];
        slot.as_ref().filter(|_| self.count > 1)
    }

    /// Passes on the queue's registers, and its memory with the words as they are packed.
    #[inline]
    pub fn state<const N: usize, W: Walk>(&self, pack: impl Fn(&T) -> [u64; N], at: &Path<'_>, mut to: W) -> W {
        for (name, value) in [("tail", self.tail), ("front", self.front), ("count", self.count)] {
            to = value.show(&at.at(name), to);
        }
        to = (self.count > 0).show(&at.at("some"), to);
        to = self.head().map(&pack).show(&at.at("oldest"), to);
        let depth = self.slots.len();
        let word = |slot: usize, to: &mut dyn FnMut(&[u64])| {
            if let Some(word) = &self.slots[slot] {
                to(&pack(word));
            }
        };
        // Nothing is written but the slot before the tail.
        let touched = |to: &mut dyn FnMut(usize)| to(usize::from(self.tail.wrapping_sub(1) % PLACES) % depth);
        let contents = Contents { depth, words: Words::Wide(&word), touched: Touched::These(&touched) };
        to.memory(&[at.at("memory")], &contents)
    }
}
