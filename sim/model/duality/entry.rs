//! A word as it waits in a window, with what the dispatcher has put beside it.

use bitline_units::duality::isa::entry::{COUNT_BITS, entry};
use bitline_units::duality::isa::field::{SLOT, WAIT};
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::SLOTS;

/// A word that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The word.
    pub word: Word,
    /// What the scalar register holds that it names; nothing if nobody has written that.
    pub scalar: Option<u32>,
    /// Its number.
    pub pc: u32,
    /// Words that each window had got before it.
    pub before: [u16; SLOTS],
    /// Words of memory that came before it.
    pub memory: u16,
}

impl Entry {
    /// The array whose rows others get.
    pub fn source(&self) -> usize {
        self.word.get(SLOT) as usize
    }

    /// Whether words have not ended that it waits for, when so many have in each window, and so many of memory.
    pub fn late(&self, ended: &[u16; SLOTS], memory: u16) -> bool {
        let before = |ended: u16, number: u16| (ended.wrapping_sub(number) as i16) < 0;
        let waits = self.word.get(WAIT);
        (0..SLOTS).any(|window| waits >> window & 1 == 1 && before(ended[window], self.before[window]))
            || waits >> SLOTS == 1 && before(memory, self.memory)
    }

    /// The word in which the hardware keeps it; a scalar register that was never written reads 0 here.
    pub fn pack(&self) -> [u64; entry::WIDTH.div_ceil(64)] {
        let mut bits = [0; entry::WIDTH.div_ceil(64)];
        let mut put = |lsb: usize, width: usize, value: u128| {
            for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                bits[(lsb + bit) / 64] |= 1 << ((lsb + bit) % 64);
            }
        };
        put(entry::WORD_LSB, entry::WORD_BITS, self.word.0);
        put(entry::SCALAR_LSB, entry::SCALAR_BITS, self.scalar.unwrap_or_default().into());
        put(entry::PC_LSB, entry::PC_WIDTH, self.pc.into());
        for (window, &count) in self.before.iter().enumerate() {
            put(entry::BEFORE_LSB + COUNT_BITS * window, COUNT_BITS, count.into());
        }
        put(entry::MEMORY_LSB, COUNT_BITS, self.memory.into());
        bits
    }
}
