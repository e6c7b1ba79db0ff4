//! Registers that lie side by side in an engine's state, and of which whoever says what they must hold says so side by
//! side, too: their values are kept as the state has them, in so many bits each, and whole words are compared.

use std::ops::BitOr;

use super::{LANES, Spot};
use crate::lanes::element::Element;

/// All rows of an image.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// First register of each row that anybody has said, and how many it has.
    pub said: Vec<(usize, usize)>,
    /// One of them was said for the first time: there may be a place for it.
    pub new: bool,
    /// The row that begins with each register, counted from 1.
    of: Vec<u32>,
    rows: Vec<Row>,
    /// Their values, one row after the other.
    words: Vec<u64>,
}

/// Registers side by side, which fill their words.
#[derive(Clone, Copy, Debug)]
struct Row {
    count: usize,
    /// Bits that each is kept in, and ones in those that it has.
    bits: u32,
    mask: u64,
    /// First word of the state, and of the row's values.
    from: usize,
    at: usize,
    words: usize,
}

impl Rows {
    /// Places for those of these rows that lie side by side. Their spots are taken away.
    pub fn new(said: &[(usize, usize)], spots: &mut [Spot]) -> Rows {
        let mut rows = Rows { said: said.to_vec(), of: vec![0; spots.len()], ..Rows::default() };
        for &(first, count) in said {
            let Some(bits) = spots.get(first..first + count).and_then(side_by_side) else { continue };
            let (spot, words) = (spots[first], count * bits as usize / 64);
            let (from, at) = (spot.at as usize, rows.words.len());
            rows.rows.push(Row { count, bits, mask: spot.mask, from, at, words });
            rows.of[first] = rows.rows.len() as u32;
            rows.words.resize(at + words, 0);
            // Nothing else says what they must hold.
            spots[first..first + count].iter_mut().for_each(|spot| spot.limbs = 0);
        }
        rows
    }

    /// Registers from this one on must hold these words, of which none is larger than `most`; nothing if there is no
    /// place for such a row. Whether a value has bits that its register lacks.
    #[inline(never)]
    pub fn put<T>(&mut self, first: usize, values: &[T], most: u64) -> Option<bool>
    where
        T: Copy + Into<u64> + BitOr<Output = T>,
    {
        let number = *self.of.get(first)? as usize;
        let Some(&row) = self.rows.get(number.wrapping_sub(1)).filter(|row| row.count == values.len()) else {
            if !self.said.contains(&(first, values.len())) {
                self.said.push((first, values.len()));
                self.new = true;
            }
            return None;
        };
        let words = &mut self.words[row.at..][..row.words];
        match row.bits {
            8 => fill::<u8, T>(words, values),
            32 => fill::<u32, T>(words, values),
            _ => fill::<u64, T>(words, values),
        }
        if most & !row.mask == 0 {
            return Some(false);
        }
        let bits = values.iter().copied().reduce(|all, value| all | value).map_or(0, Into::into);
        Some(bits & !row.mask != 0)
    }

    /// Whether one of them is not what it must be.
    #[inline(always)]
    pub fn wrong(&self, state: &[u64]) -> u64 {
        self.rows.iter().fold(0, |wrong, row| {
            let (held, words) = (&state[row.from..][..row.words], &self.words[row.at..][..row.words]);
            held.iter().zip(words).fold(wrong, |wrong, (held, word)| wrong | held ^ word)
        })
    }
}

/// The bits that each of these is kept in, if they follow each other in words that have room for nothing else.
fn side_by_side(spots: &[Spot]) -> Option<u32> {
    let [first, second, ..] = spots else { return None };
    let bits = second.bit().checked_sub(first.bit()).filter(|bits| matches!(bits, 8 | 32 | 64))?;
    let follows = |(number, spot): (usize, &Spot)| {
        (spot.limbs, spot.mask, spot.bit()) == (1, first.mask, first.bit() + number as u64 * bits)
    };
    let whole = first.bit().is_multiple_of(64) && (spots.len() as u64 * bits).is_multiple_of(64);
    (whole && spots.len() >= LANES && spots.iter().enumerate().all(follows)).then_some(bits as u32)
}

fn fill<E: Element, T: Copy + Into<u64>>(words: &mut [u64], values: &[T]) {
    E::of_mut(words).iter_mut().zip(values).for_each(|(lane, &value)| *lane = E::cut(value.into()));
}
