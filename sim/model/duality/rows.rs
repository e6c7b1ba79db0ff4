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
        let mut value = 0;
        for Piece { limb, shift, from, mask } in pieces(row, count) {
            value |= u128::from(limbs[limb] >> shift & mask) << from;
        }
        value
    }

    /// One row.
    pub fn bit(&self, thread: usize, slot: u64, row: u64) -> bool {
        self.get(thread, slot, row, 1) == 1
    }

    /// Puts a number into `count` rows.
    pub fn set(&mut self, thread: usize, slot: u64, row: u64, count: u64, value: u128) {
        let at = self.at(thread, slot);
        let limbs = &mut self.bits[at];
        for Piece { limb, shift, from, mask } in pieces(row, count) {
            limbs[limb] = limbs[limb] & !(mask << shift) | ((value >> from) as u64 & mask) << shift;
        }
    }
}

/// Rows that lie in one limb.
struct Piece {
    limb: usize,
    /// The first of them in the limb, and in the number.
    shift: u64,
    from: u64,
    /// As many ones.
    mask: u64,
}

/// The pieces of `count` rows from `row` on.
fn pieces(row: u64, count: u64) -> impl Iterator<Item = Piece> {
    let mut from = 0;
    std::iter::from_fn(move || {
        if from == count {
            return None;
        }
        let shift = (row + from) % 64;
        let bits = (64 - shift).min(count - from);
        let piece = Piece { limb: ((row + from) / 64) as usize, shift, from, mask: u64::MAX >> (64 - bits) };
        from += bits;
        Some(piece)
    })
}

/// The low bits of a value, extended to 64 with zeros or with their sign.
pub fn extend(value: u64, bits: u64, signed: bool) -> u64 {
    let up = 64 - bits;
    let value = value << up;
    if signed { ((value as i64) >> up) as u64 } else { value >> up }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all lengths at all places come back, and nothing beside them changes.
    #[test]
    fn numbers_lie_in_rows() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut rows = Rows::new(2, 2, 3);
        for _ in 0..4000 {
            let count = random.random_range(0..=128);
            let row = random.random_range(0..=64 * LIMBS as u64 - count);
            let value: u128 = random.random();
            let before: Vec<bool> = (0..64 * LIMBS as u64).map(|row| rows.bit(1, 1, row)).collect();
            rows.set(1, 1, row, count, value);
            for (at, before) in (0..).zip(before) {
                let inside = (row..row + count).contains(&at);
                assert_eq!(
                    rows.bit(1, 1, at),
                    if inside { value >> (at - row) & 1 == 1 } else { before },
                    "{row} {count}"
                );
            }
            let mask = if count == 128 { u128::MAX } else { (1 << count) - 1 };
            assert_eq!(rows.get(1, 1, row, count), value & mask);
        }
    }
}
