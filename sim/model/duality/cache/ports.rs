//! Ports of the cache ways.

use bitline_units::duality::cache_params::LINE_WORDS;

use crate::memory::core::{MemoryInputs, MemoryOutputs};
use crate::memory::master::{MasterConstants, MasterInputs, MasterSeen};

/// A request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheRequest {
    /// A byte's address.
    pub address: u32,
    /// What is written.
    pub write: Option<u64>,
    /// Bytes of it that are.
    pub strobes: u8,
    /// Only its line is meant.
    pub hint: bool,
    /// The line is written as a whole.
    pub whole: bool,
}

/// What becomes of the line of a request that writes it as a whole, when its turn has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStore {
    /// What it holds then.
    pub line: [u64; LINE_WORDS],
    /// Nothing is written.
    pub drop: bool,
}

impl CacheRequest {
    /// The line's number.
    pub fn line(&self) -> u32 {
        self.address >> 6
    }

    /// The word's number in the line.
    pub fn word(&self) -> usize {
        self.address as usize >> 3 & 7
    }

    /// A word with the bytes that are written replaced.
    pub fn merged(&self, word: u64, data: u64) -> u64 {
        let (mut bytes, data) = (word.to_le_bytes(), data.to_le_bytes());
        (0..8).filter(|byte| self.strobes >> byte & 1 == 1).for_each(|byte| bytes[byte] = data[byte]);
        u64::from_le_bytes(bytes)
    }
}

/// What comes in in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheInputs {
    /// A request that is offered.
    pub request: Option<CacheRequest>,
    /// Ways that serve, a bit each.
    pub enabled: u32,
    /// Ways to be emptied.
    pub drain: Option<u32>,
    /// Everything is forgotten.
    pub restart: bool,
    /// In a design in which lines are written as a whole: what becomes of them.
    pub store: Option<CacheStore>,
    /// The note of a failed write-back is cleared.
    pub clear_failed: bool,
    /// The bus.
    pub bus: MemoryInputs,
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheOutputs {
    /// A request is taken if offered.
    pub ready: bool,
    /// An answer: the word, or none if its line could not be fetched.
    pub answer: Option<Option<u64>>,
    /// With a word: its line; in a design in which lines are written as a whole, that of the last word.
    pub answer_line: Option<[u64; LINE_WORDS]>,
    /// Ways to be emptied are taken if offered.
    pub drain_ready: bool,
    /// They are empty.
    pub drained: bool,
    /// A write-back has failed.
    pub write_failed: bool,
    /// The line of a request was there.
    pub hit: bool,
    /// It was not.
    pub miss: bool,
    /// It is being fetched.
    pub merged: bool,
    /// A write-back was answered.
    pub written_back: bool,
    /// The bus.
    pub bus: MemoryOutputs,
}

seen! {
    /// What the hardware shows.
    CacheSeen {
        /// A request is taken if offered.
        ready: bool = "port_ready";
        /// An answer comes.
        answer: bool = "port_answer";
        /// It tells of an error.
        answer_failed: bool = "port_answer_failed";
        /// Ways to be emptied are taken if offered.
        drain_ready: bool = "drain_ready";
        /// They are empty.
        drained: bool = "drained";
        /// The line of a request was there.
        hit: bool = "hit";
        /// It was not, and gets a way.
        miss: bool = "miss";
        /// It is being fetched.
        merged: bool = "merged";
        /// A request is done.
        serves: bool = "serves";
        /// The way of a line that comes or leaves.
        way: u32 = "way";
        /// A line is written back.
        note: bool = "notes";
        /// This one.
        note_line: u32 = "old";
        /// A line leaves a way that is drained.
        drops: bool = "drops";
        /// A line of its set.
        place: u32 = "place";
        /// The bus.
        bus: MasterSeen = "m_axi_";
    }
}

state! {
    CacheInputs(self) {
        let request = self.request.unwrap_or_default();
        bus port {
            valid = self.request.is_some();
            request => address, hint, strobes;
            write = request.write.is_some();
            data = request.write.unwrap_or_default();
        }
        self => enabled, restart, clear_failed;
        if (self.store.is_some()) {
            let store = self.store.unwrap_or_default();
            bus stores_0 {
                whole = request.whole;
                store => line, drop;
            }
        }
        bus drain {
            valid = self.drain.is_some();
            ways = self.drain.unwrap_or_default();
        }
        bus m_axi = MasterInputs(&self.bus);
    }

    CacheOutputs(self) {
        bus port {
            answer = self.answer.is_some();
            answer_failed = self.answer == Some(None);
            when (let Some(Some(word)) = self.answer) {
                answer_data = word;
            }
        }
        answer_line = self.answer_line;
        self => write_failed, written_back;
        bus m_axi = MasterConstants;
    }
}
