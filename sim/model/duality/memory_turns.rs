//! Model of the turns of words of memory, from their contract: words that have left and not ended, in their order.

use bitline_units::duality::isa::field::{DATA_SLOT, KIND, SLOT};
use bitline_units::duality::isa::{Word, codes::Kind};
use bitline_units::duality::params::SLOTS;

use crate::head_queue::HeadQueue;

/// The turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTurns {
    /// The windows of addresses and of data of each word.
    words: HeadQueue<[u64; 2]>,
}

impl MemoryTurns {
    /// For windows with room for `depth` words.
    pub fn new(depth: usize) -> MemoryTurns {
        MemoryTurns { words: HeadQueue::new(SLOTS * depth) }
    }

    /// One clock edge: a word that leaves the dispatcher, and whether the oldest one of memory ends.
    pub fn step(&mut self, leaves: Option<Word>, ends: bool) {
        let comes = leaves.filter(|word| word.get(KIND) == Kind::Memory.code());
        self.words.step(comes.map(|word| [word.get(SLOT), word.get(DATA_SLOT)]), ends);
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.words.reset();
    }
}

state! {
    MemoryTurns(self) {
        in words = self.words, (|&[slot, data]: &[u64; 2]| [slot | 1 << slot << 2 | 1 << data << (2 + SLOTS)]);
    }
}
