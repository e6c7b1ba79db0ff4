//! The rows of a control block: for each thread and array a string of bits.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// 64-bit words that hold the rows of a thread in one array.
const LIMBS: usize = 8;

/// Rows of all threads. What they hold at power-up comes from a seed.
#[derive(Clone, Debug)]
pub struct Rows {
    arrays: usize,
    bits: Vec<[u64; LIMBS]>,
}

impl Rows {
    /// Rows of so many threads with so many arrays.
    pub fn new(threads: usize, arrays: usize, seed: u64) -> Rows {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Rows { arrays, bits: (0..threads * arrays).map(|_| rng.random()).collect() }
    }

    fn at(&self, thread: usize, slot: u64) -> usize {
        thread * self.arrays + slot as usize
    }

    /// The number in `count` rows from `row` on, at most 128.
    pub fn get(&self, thread: usize, slot: u64, row: u64, count: u64) -> u128 {
        let limbs = &self.bits[self.at(thread, slot)];
        let bit = |i: u64| u128::from(limbs[((row + i) / 64) as usize] >> ((row + i) % 64) & 1);
        if count <= 64 && row % 64 + count <= 64 {
            // All in one word.
            let ones = if count == 64 { u64::MAX } else { (1 << count) - 1 };
            return (limbs[(row / 64) as usize] >> (row % 64) & ones).into();
        }
        (0..count).fold(0, |value, i| value | bit(i) << i)
    }

    /// One row.
    pub fn bit(&self, thread: usize, slot: u64, row: u64) -> bool {
        self.get(thread, slot, row, 1) == 1
    }

    /// Puts a number into `count` rows.
    pub fn set(&mut self, thread: usize, slot: u64, row: u64, count: u64, value: u128) {
        let at = self.at(thread, slot);
        for i in 0..count {
            let (limb, bit) = (((row + i) / 64) as usize, (row + i) % 64);
            let word = &mut self.bits[at][limb];
            *word = *word & !(1 << bit) | ((value >> i & 1) as u64) << bit;
        }
    }
}

/// The low bits of a value, extended to 64 with zeros or with their sign.
pub fn extend(value: u64, bits: u64, signed: bool) -> u64 {
    let up = 64 - bits;
    let value = value << up;
    if signed { ((value as i64) >> up) as u64 } else { value >> up }
}
