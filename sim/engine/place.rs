//! Where leaves' values are, as the outside sees them.

use super::Limbs;
use super::graph::{Leaf, limbs};
use super::image::Spot;
use super::lanes::element::Element;
use super::layout::Layout;
use crate::kernel::netlist::NetId;
use crate::layout::Slot;

/// Where a leaf's value is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    slot: Slot,
    /// Words.
    limbs: u32,
    /// Its bits in the last word, moved down.
    mask: u64,
    /// How far they were moved, as lanes may lie before them; the same as a factor; and the other bits of the word.
    shift: u32,
    unit: u64,
    others: u64,
    /// Something depends on it that is not evaluated in every cycle.
    pub(super) told: bool,
    /// Nothing else can be in its words.
    alone: bool,
}

impl Place {
    /// A register that has whole words for itself, from this one on.
    pub fn whole(slot: u32, width: u32) -> Place {
        let limbs = limbs(width) as u32;
        let mask = u64::MAX >> (64 * limbs - width);
        Place { slot, limbs, mask, shift: 0, unit: 1, others: !mask, told: false, alone: true }
    }

    pub(super) fn new(layout: &Layout, leaf: Leaf, width: u32) -> Place {
        let (mask, shift) = (u64::MAX >> (64 * limbs(width) as u32 - width), layout.shift(leaf));
        Place {
            slot: layout.leaf(leaf),
            limbs: limbs(width) as u32,
            mask,
            shift: shift.into(),
            unit: 1 << shift,
            others: !(mask << shift),
            told: !layout.free(leaf),
            alone: layout.is_alone(leaf),
        }
    }

    /// Bits.
    pub(super) fn width(&self) -> usize {
        64 * self.limbs as usize - self.mask.leading_zeros() as usize
    }

    /// A word with this value in its place, where it is the only one.
    #[inline(always)]
    fn merged(&self, word: u64, value: u64) -> u64 {
        word & self.others | (value & self.mask).wrapping_mul(self.unit)
    }

    /// The same for an image of the state.
    pub(super) fn spot(&self) -> Spot {
        Spot { at: self.slot, limbs: self.limbs, mask: self.mask, shift: self.shift, alone: self.alone }
    }

    /// Writes a value; whether that may have changed it.
    #[inline(always)]
    pub(super) fn put(&self, state: &mut [u64], value: &[u64]) -> bool {
        let slot = self.slot as usize;
        if let (1, &[value]) = (self.limbs, value) {
            let word = &mut state[slot];
            let new = self.merged(*word, value);
            return std::mem::replace(word, new) != new;
        }
        self.put_words(state, value);
        true
    }

    fn put_words(&self, state: &mut [u64], value: &[u64]) {
        if self.limbs == 1 {
            self.put(state, &[value.first().copied().unwrap_or_default()]);
        } else {
            assign(&mut state[self.slot as usize..][..self.limbs as usize], value, self.mask);
        }
    }

    #[inline(always)]
    pub(super) fn get<'a>(&self, state: &'a [u64]) -> Limbs<'a> {
        if self.limbs == 1 {
            let word = state[self.slot as usize];
            return Limbs::One([(word >> self.shift) & self.mask]);
        }
        Limbs::Kept(&state[self.slot as usize..][..self.limbs as usize])
    }
}

/// Writes values to places one after the other. Lanes share words: each word is read and written once for all that lie
/// in it in a row.
pub(super) struct Row<'a> {
    state: &'a mut [u64],
    /// The word under work, and where it belongs.
    word: u64,
    slot: usize,
    /// Bits that have changed; those of them on which something depends that is not evaluated in every cycle.
    changed: u64,
    told: u64,
    /// 1 as long as no place had more words.
    limbs: u32,
}

impl<'a> Row<'a> {
    pub fn new(state: &'a mut [u64]) -> Row<'a> {
        let word = state[0];
        Row { state, word, slot: 0, changed: 0, told: 0, limbs: 1 }
    }

    #[inline(always)]
    pub fn put(&mut self, place: &Place, value: u64) {
        let slot = place.slot as usize;
        if slot != self.slot {
            self.state[self.slot] = self.word;
            (self.slot, self.word) = (slot, self.state[slot]);
        }
        let new = place.merged(self.word, value);
        let differs = new ^ self.word;
        self.word = new;
        self.changed |= differs;
        self.told |= if place.told { differs } else { 0 };
        self.limbs |= place.limbs;
    }

    /// Whether something has changed; and whether that must be told.
    ///
    /// # Panics
    /// If a place had more than 64 bits.
    pub fn end(self) -> (bool, bool) {
        assert_eq!(self.limbs, 1, "an input has more than 64 bits");
        self.state[self.slot] = self.word;
        (self.changed != 0, self.told != 0)
    }
}

/// Places that are written together, again and again: lanes that lie side by side are written in one loop, which the
/// compiler makes vector instructions from.
#[derive(Debug, Default)]
pub(super) struct Together {
    inputs: Vec<NetId>,
    parts: Vec<Part>,
}

/// Some of the places, one after the other.
#[derive(Debug)]
enum Part {
    /// Wherever they are.
    Apart(Vec<(usize, Place)>),
    /// So many, from this one on, which are kept in so many bits from the state's first place of this size up.
    Lanes { from: usize, count: usize, bits: u32, first: usize, mask: u64, told: bool },
}

/// Lanes from which on a loop is worth it.
const LANES: usize = 8;

impl Together {
    /// These inputs, which are at these places.
    pub fn new(inputs: &[NetId], place: impl Fn(NetId) -> Option<Place>) -> Together {
        let places: Vec<Option<Place>> = inputs.iter().map(|&input| place(input)).collect();
        let lane = |at: usize| places[at].filter(|place| place.limbs == 1);
        let bit = |place: &Place| 64 * u64::from(place.slot) + u64::from(place.shift);
        // How far the next one is, if it is a lane like this one.
        let apart = |at: usize| {
            let (this, next) = (lane(at)?, lane(at + 1)?);
            let alike = (this.mask, this.told) == (next.mask, next.told);
            bit(&next).checked_sub(bit(&this)).filter(|_| alike)
        };
        let (mut at, mut parts) = (0, vec![]);
        while at < places.len() {
            let bits = if at + 1 < places.len() { apart(at) } else { None };
            let more = (at + 1..places.len()).take_while(|&next| apart(next - 1) == bits).count();
            match (places[at], bits) {
                (Some(place), Some(bits @ (8 | 32 | 64))) if more + 1 >= LANES && bit(&place) % bits == 0 => {
                    let first = (bit(&place) / bits) as usize;
                    let (bits, count) = (bits as u32, more + 1);
                    parts.push(Part::Lanes { from: at, count, bits, first, mask: place.mask, told: place.told });
                    at += count;
                }
                (place, _) => {
                    if !matches!(parts.last(), Some(Part::Apart(_))) {
                        parts.push(Part::Apart(vec![]));
                    }
                    if let (Some(Part::Apart(apart)), Some(place)) = (parts.last_mut(), place) {
                        apart.push((at, place));
                    }
                    at += 1;
                }
            }
        }
        Together { inputs: inputs.to_vec(), parts }
    }

    /// Whether they are for these inputs.
    pub fn are(&self, inputs: &[NetId]) -> bool {
        self.inputs == inputs
    }

    /// Writes values, one for each; whether something has changed, and whether that must be told.
    ///
    /// # Panics
    /// If there are more inputs than values, or one has more than 64 bits.
    pub(super) fn put(&self, state: &mut [u64], values: &[u64]) -> (bool, bool) {
        let mut all = (false, false);
        for part in &self.parts {
            let (changed, told) = match part {
                Part::Apart(places) => {
                    let mut row = Row::new(state);
                    places.iter().for_each(|(at, place)| row.put(place, values[*at]));
                    row.end()
                }
                &Part::Lanes { from, count, bits, first, mask, told } => {
                    let values = &values[from..][..count];
                    let changed = match bits {
                        8 => put_lanes::<u8>(state, first, values, mask),
                        32 => put_lanes::<u32>(state, first, values, mask),
                        _ => put_lanes::<u64>(state, first, values, mask),
                    };
                    (changed, changed && told)
                }
            };
            all = (all.0 | changed, all.1 | told);
        }
        all
    }
}

/// Writes lanes that are kept in elements of this size, or are so far apart: what is between them stays. Whether one
/// has changed.
fn put_lanes<T: Element>(state: &mut [u64], first: usize, values: &[u64], mask: u64) -> bool {
    let (lanes, mask, zero) = (&mut T::of_mut(state)[first..][..values.len()], T::cut(mask), T::cut(0));
    let differ = lanes.iter_mut().zip(values).fold(zero, |differ, (lane, &value)| {
        let differs = (*lane ^ T::cut(value)) & mask;
        *lane = *lane ^ differs;
        differ | differs
    });
    differ.word() != 0
}

/// Copies a value; missing limbs are 0, bits of the last one that are not in the mask are dropped.
pub(super) fn assign(target: &mut [u64], value: &[u64], mask: u64) {
    for (i, limb) in target.iter_mut().enumerate() {
        *limb = value.get(i).copied().unwrap_or(0);
    }
    if let Some(last) = target.last_mut() {
        *last &= mask;
    }
}
