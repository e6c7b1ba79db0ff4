//! All registers of Verilator's model, copied after every edge. They are sorted by the size of their variables: a loop
//! for each size takes a fraction of the time that asking each register for its width does.

use std::ops::Range;

use super::place::Place;

/// Where registers are, and where their values go.
#[derive(Default)]
pub(super) struct Fetch {
    bytes: Vec<(*const u8, u32)>,
    halves: Vec<(*const u16, u32)>,
    words: Vec<(*const u32, u32)>,
    longs: Vec<(*const u64, u32)>,
    /// Those above 64 bits.
    wide: Vec<(Place, Range<usize>)>,
}

impl Fetch {
    /// Adds a register whose value goes there.
    pub fn add(&mut self, place: Place, to: Range<usize>) {
        let word = to.start as u32;
        match place.width {
            0..=8 => self.bytes.push((place.at.cast(), word)),
            9..=16 => self.halves.push((place.at.cast(), word)),
            17..=32 => self.words.push((place.at.cast(), word)),
            33..=64 => self.longs.push((place.at.cast(), word)),
            _ => self.wide.push((place, to)),
        }
    }

    /// Copies all values.
    pub fn fetch(&self, state: &mut [u64]) {
        // SAFETY: each is a variable of this size, in a model that lives as long as its engine.
        unsafe {
            copy(&self.bytes, state, |at| u64::from(at.read_unaligned()));
            copy(&self.halves, state, |at| u64::from(at.read_unaligned()));
            copy(&self.words, state, |at| u64::from(at.read_unaligned()));
            copy(&self.longs, state, |at| at.read_unaligned());
        }
        self.wide.iter().for_each(|(place, to)| place.read(0, &mut state[to.clone()]));
    }
}

fn copy<T>(places: &[(*const T, u32)], state: &mut [u64], read: impl Fn(*const T) -> u64) {
    for &(at, word) in places {
        state[word as usize] = read(at);
    }
}
