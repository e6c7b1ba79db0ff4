//! The words of a state, addressed by their places.

use super::code::Slot;

/// Words of a state whose places are all below 2¹⁶.
pub(super) const SMALL: usize = (1 << 16) + WIDE;
/// Limbs that are taken at once.
pub(super) const WIDE: usize = 4;

/// The words of a state.
///
/// Most of what an instruction does is to fetch and to put words. In a state of [`SMALL`] words, 16 bits of a place
/// cannot lead outside, and nothing has to be checked; larger designs have a state that checks.
pub(super) trait State {
    fn get(&self, at: Slot) -> u64;
    fn put(&mut self, at: Slot, value: u64);
    /// Four words from a place up.
    fn four(&self, at: Slot) -> [u64; WIDE];
    fn put_four(&mut self, at: Slot, value: [u64; WIDE]);
    fn all(&mut self) -> &mut [u64];
}

impl State for [u64; SMALL] {
    #[inline(always)]
    fn get(&self, at: Slot) -> u64 {
        self[at as u16 as usize]
    }

    #[inline(always)]
    fn put(&mut self, at: Slot, value: u64) {
        self[at as u16 as usize] = value;
    }

    #[inline(always)]
    fn four(&self, at: Slot) -> [u64; WIDE] {
        let at = at as u16 as usize;
        self[at..at + WIDE].try_into().expect("four words")
    }

    #[inline(always)]
    fn put_four(&mut self, at: Slot, value: [u64; WIDE]) {
        let at = at as u16 as usize;
        self[at..at + WIDE].copy_from_slice(&value);
    }

    #[inline(always)]
    fn all(&mut self) -> &mut [u64] {
        self
    }
}

impl State for [u64] {
    #[inline(always)]
    fn get(&self, at: Slot) -> u64 {
        self[at as usize]
    }

    #[inline(always)]
    fn put(&mut self, at: Slot, value: u64) {
        self[at as usize] = value;
    }

    #[inline(always)]
    fn four(&self, at: Slot) -> [u64; WIDE] {
        self[at as usize..][..WIDE].try_into().expect("four words")
    }

    #[inline(always)]
    fn put_four(&mut self, at: Slot, value: [u64; WIDE]) {
        self[at as usize..][..WIDE].copy_from_slice(&value);
    }

    #[inline(always)]
    fn all(&mut self) -> &mut [u64] {
        self
    }
}

/// Words to have for places below `size`.
pub(super) fn length(size: usize) -> usize {
    if size <= 1 << 16 { SMALL } else { size.max(SMALL + 1) }
}
