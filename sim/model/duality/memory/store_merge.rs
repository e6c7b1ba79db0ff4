//! Model of the merging of stores, from its contract: the word that is held, byte by byte.

use crate::state::Masked;

/// The word that is held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreMerge {
    /// Its number, and the bytes that threads have stored.
    pub held: Option<(u32, [Option<u8>; 8])>,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreMergeInputs {
    /// The number of a thread's word.
    pub number: u32,
    /// What is stored in it.
    pub data: u64,
    /// Bytes of it.
    pub strobes: u8,
    /// They are added.
    pub put: bool,
    /// The word that is held is taken.
    pub sent: bool,
    /// It is forgotten.
    pub drop: bool,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreMergeOutputs {
    /// The thread's bytes can be added.
    pub fits: bool,
    /// A word is held: its number and its bytes.
    pub held: Option<(u32, [Option<u8>; 8])>,
}

/// Bytes as a word, of which the others do not matter.
pub fn masked(bytes: &[Option<u8>; 8]) -> Masked {
    Masked::low(
        u64::from_le_bytes(bytes.map(Option::unwrap_or_default)),
        u64::from_le_bytes(bytes.map(|byte| if byte.is_some() { 0xff } else { 0 })),
    )
}

/// Which bytes there are.
pub fn strobes(bytes: &[Option<u8>; 8]) -> u8 {
    bytes.iter().rfold(0, |strobes, byte| strobes << 1 | u8::from(byte.is_some()))
}

impl StoreMerge {
    /// What is shown in this cycle.
    pub fn shown(&self, number: u32) -> StoreMergeOutputs {
        StoreMergeOutputs { fits: self.held.is_none_or(|(held, _)| held == number), held: self.held }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &StoreMergeInputs) -> StoreMergeOutputs {
        let shown = self.shown(inputs.number);
        let stays = self.held.filter(|_| !inputs.sent);
        self.held = if inputs.put {
            let mut bytes = stays.map_or([None; 8], |(_, bytes)| bytes);
            for (at, byte) in bytes.iter_mut().enumerate().filter(|(at, _)| inputs.strobes >> at & 1 == 1) {
                *byte = Some(inputs.data.to_le_bytes()[at]);
            }
            Some((inputs.number, bytes))
        } else {
            stays.filter(|_| !inputs.drop)
        };
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.held = None;
    }
}

state! {
    StoreMerge(self) {
        some = self.held.is_some();
        at = self.held.map(|held| held.0);
        word = self.held.map_or_else(Masked::default, |held| masked(&held.1));
        bytes = self.held.map(|held| strobes(&held.1));
    }

    StoreMergeInputs(self) {
        self => number, data, strobes, put, sent, drop;
    }

    StoreMergeOutputs(self) {
        self => fits;
        held = self.held.is_some();
        held_number = self.held.map(|held| held.0);
        held_data = self.held.map_or_else(Masked::default, |held| masked(&held.1));
        held_strobes = self.held.map(|held| strobes(&held.1));
    }
}
