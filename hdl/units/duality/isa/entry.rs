//! What waits in an issue window: a word, with what was known of it when it was put there.

use crate::array::isa::word::{Field, layout};
use crate::duality::params::{PC_BITS, SLOTS};

/// Bits of a number that counts words of a window, modulo 2^16: no window gets half as far ahead of another.
pub const COUNT_BITS: usize = 16;

layout! {
    /// A word that waits.
    entry {
        /// The word.
        WORD: crate::duality::isa::field::WORD_BITS => WORD_LSB, WORD_BITS;
        /// The scalar register that it names.
        SCALAR: 32 => SCALAR_LSB, SCALAR_BITS;
        /// Its number in the program.
        PC: super::PC_BITS => PC_LSB, PC_WIDTH;
        /// How many words of each window it may wait for: those put there before it.
        BEFORE: super::COUNT_BITS * super::SLOTS => BEFORE_LSB, BEFORE_BITS;
        /// How many words of memory came before it.
        MEMORY: super::COUNT_BITS => MEMORY_LSB, MEMORY_BITS;
    }
}
