//! Model of the instruction ring, from its contract.

use crate::state::{Contents, Touched, Words};

/// Words that a program may have.
const MOST_INDEX: u32 = 1 << 16;

/// The ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionRing {
    /// What its places hold.
    pub words: Vec<u128>,
    /// Why the words in them may not run, or 0, as far as it was written.
    traps: Vec<Option<u8>>,
    /// The word to execute.
    pub at: u32,
    /// The word to write.
    pub filled: u32,
    /// First word of the outermost open loop, and the first word behind it.
    pub open: Option<(u32, u32)>,
    /// The word to execute is there.
    pub there: bool,
    /// The word that is read ahead: the one to execute until it is there, then the one behind; whether it is read.
    ahead: u32,
    read: bool,
    /// The place that the last cycle has written.
    touched: Option<usize>,
}

/// What a ring gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingInputs {
    /// A program begins.
    pub restart: bool,
    /// A word that the host offers.
    pub write: Option<u128>,
    /// Why it may not run, or 0.
    pub trap: u8,
    /// The word at the program counter is done: the next one.
    pub step: Option<u32>,
    /// It need not be the word behind.
    pub away: bool,
    /// It begins a loop that ends before this word.
    pub open: Option<u32>,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingOutputs {
    /// A word is taken if offered.
    pub ready: bool,
    /// The word at the program counter, if it is there.
    pub word: Option<u128>,
    /// What was written with it.
    pub trap: Option<u8>,
    /// The program counter.
    pub pc: u32,
    /// The oldest word that may run again.
    pub frontier: u32,
    /// The word that is written next.
    pub tail: u32,
    /// At most half of the places are in use.
    pub doorbell: bool,
}

impl InstructionRing {
    /// An empty ring with these places.
    pub fn new(words: Vec<u128>) -> InstructionRing {
        let traps = vec![None; words.len()];
        InstructionRing {
            words,
            traps,
            at: 0,
            filled: 0,
            open: None,
            there: false,
            ahead: 0,
            read: false,
            touched: None,
        }
    }

    fn place(&self, number: u32) -> usize {
        number as usize % self.words.len()
    }

    /// The word at the program counter, if it is there.
    pub fn word(&self) -> Option<u128> {
        self.there.then(|| self.words[self.place(self.at)])
    }

    /// Why it may not run, or 0.
    pub fn trap(&self) -> Option<u8> {
        self.traps[self.place(self.at)].filter(|_| self.there)
    }

    /// The oldest word that may run again.
    pub fn frontier(&self) -> u32 {
        self.open.map_or(self.at, |(entry, _)| entry)
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &RingInputs) -> RingOutputs {
        let depth = self.words.len() as u32;
        let frontier = self.frontier();
        let outputs = RingOutputs {
            ready: !inputs.restart && self.filled < MOST_INDEX && self.filled < frontier + depth,
            word: self.word(),
            trap: self.trap(),
            pc: self.at,
            frontier,
            tail: self.filled,
            doorbell: self.filled <= frontier + depth / 2,
        };
        self.touched = None;
        if inputs.restart {
            self.reset();
            return outputs;
        }
        let before = self.filled;
        if let Some(word) = inputs.write.filter(|_| outputs.ready) {
            let place = self.place(self.filled);
            self.words[place] = word;
            self.traps[place] = Some(inputs.trap);
            self.touched = Some(place);
            self.filled += 1;
        }
        if let Some(next) = inputs.step {
            match (self.open, inputs.open) {
                (Some((entry, limit)), _) if !(entry..limit).contains(&next) => self.open = None,
                (None, Some(until)) => self.open = Some((self.at, until)),
                _ => {}
            }
            self.at = next;
        }
        // The word behind is read while this one is there; one that is elsewhere, when it is known where.
        let leaves = inputs.step.is_some();
        if let Some(next) = inputs.step.filter(|_| inputs.away) {
            (self.there, self.ahead, self.read) = (false, next, next < before);
        } else if leaves || !self.there {
            assert!(!leaves || self.at == self.ahead, "the word behind follows");
            self.there = self.read;
            self.ahead += u32::from(self.read);
            self.read = self.ahead < before;
        } else {
            self.read |= self.ahead < before;
        }
        outputs
    }

    /// A clock edge with the reset on has passed: the places keep their words.
    pub fn reset(&mut self) {
        (self.at, self.filled, self.open, self.there) = (0, 0, None, false);
        (self.ahead, self.read) = (0, false);
    }
}

state! {
    InstructionRing(self) {
        self => at, filled, there, ahead, read;
        shown = self.word();
        shown_trap = self.trap().map(|trap| u16::from(trap) | u16::from(trap != 0) << 8);
        held = self.open.is_some();
        when (let Some((entry, limit)) = self.open) {
            entry = entry;
            limit = limit;
        }
        let touched = |to: &mut dyn FnMut(usize)| self.touched.into_iter().for_each(to);
        let word = |place: usize, to: &mut dyn FnMut(&[u64])| {
            to(&[self.words[place] as u64, (self.words[place] >> 64) as u64]);
        };
        memory (words) = Contents {
            depth: self.words.len(),
            words: Words::Wide(&word),
            touched: Touched::These(&touched),
        };
        memory (traps) = Contents::always(
            self.traps.len(),
            Words::Narrow(&|place| self.traps[place].map(|trap| u64::from(trap) | u64::from(trap != 0) << 8)),
        );
    }

    RingInputs(self) {
        self => restart;
        write_valid = self.write.is_some();
        write_data = self.write.unwrap_or_default();
        write_trap = self.trap;
        step = self.step.is_some();
        to = self.step.unwrap_or_default();
        self => away;
        open = self.open.is_some();
        behind = self.open.unwrap_or_default();
    }

    RingOutputs(self) {
        write_ready = self.ready;
        fetch_valid = self.word.is_some();
        when (let Some(word) = self.word) {
            fetch_data = word;
        }
        fetch_trap = self.trap;
        fetch_refused = self.trap.map(|trap| trap != 0);
        self => pc, frontier, tail, doorbell;
    }
}
