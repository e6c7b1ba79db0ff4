//! What all registers must hold, laid out as an engine keeps them: comparing them is one pass over words, without a
//! look at which register is where.

use super::place::Place;

/// Registers as an engine keeps them: for those that compare all of them in every cycle.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    pub(super) state: &'a [u64],
    pub(super) places: &'a [Place],
    /// Another number whenever registers are kept elsewhere.
    pub version: u64,
}

impl<'a> Kept<'a> {
    /// Registers that always stay where they are.
    pub fn new(state: &'a [u64], places: &'a [Place]) -> Kept<'a> {
        Kept { state, places, version: 0 }
    }

    /// Bits of a register.
    pub fn width(&self, register: usize) -> usize {
        self.places[register].width()
    }
}

/// Where an engine keeps a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// First word, or the only one.
    pub at: u32,
    pub limbs: u32,
    /// Bits of the last word, moved down, and how far they were moved.
    pub mask: u64,
    pub shift: u32,
}

/// Words between two that matter which are passed over rather than skipped.
const GAP: usize = 8;

/// What registers must hold.
#[derive(Clone, Debug, Default)]
pub struct Image {
    version: u64,
    /// First word of each register in the image, and how many it has.
    places: Vec<u32>,
    limbs: Vec<u32>,
    /// Those of several words.
    large: Vec<bool>,
    /// What words must be, and which of their bits matter.
    words: Vec<u64>,
    cares: Vec<u64>,
    /// Ranges of the state's words in which there are registers that have their words for themselves: the image has
    /// them at the same places.
    runs: Vec<(usize, usize)>,
    /// Those that share a word, or are equal and kept once: the image has each for itself, one after the other behind
    /// the others, from this word on.
    shared: Vec<Spot>,
    first_shared: usize,
    /// A value had words other than 0 that its register lacks.
    beyond: bool,
}

impl Image {
    /// Where these registers are; nothing of them matters yet.
    pub fn new(kept: &Kept<'_>, registers: &[usize]) -> Image {
        let spots: Vec<Spot> = registers.iter().map(|&register| kept.places[register].spot()).collect();
        let size = spots.iter().map(|spot| (spot.at + spot.limbs) as usize).max().unwrap_or(0);
        let mut users = vec![0u32; size];
        let words = |spot: &Spot| spot.at as usize..(spot.at + spot.limbs) as usize;
        spots.iter().for_each(|spot| words(spot).for_each(|word| users[word] += 1));
        let mut image = Image { version: kept.version, first_shared: size, ..Image::default() };
        let (mut taken, mut end) = (vec![false; size], size);
        for spot in &spots {
            image.limbs.push(spot.limbs);
            image.large.push(spot.limbs > 1);
            if spot.shift == 0 && words(spot).all(|word| users[word] == 1) {
                words(spot).for_each(|word| taken[word] = true);
                image.places.push(spot.at);
            } else {
                image.places.push(end as u32);
                let limbs = (0..spot.limbs).map(|limb| Spot { at: spot.at + limb, limbs: 1, ..*spot });
                let last = spot.limbs - 1;
                image.shared.extend(limbs.enumerate().map(|(limb, spot)| match limb as u32 == last {
                    true => spot,
                    false => Spot { mask: u64::MAX, ..spot },
                }));
                end += spot.limbs as usize;
            }
        }
        for at in (0..size).filter(|&at| taken[at]) {
            match image.runs.last_mut() {
                Some((_, end)) if at - *end <= GAP => *end = at + 1,
                _ => image.runs.push((at, at + 1)),
            }
        }
        (image.words, image.cares) = (vec![0; end], vec![0; end]);
        image
    }

    /// Whether it is for these registers, as many, where they are now.
    pub fn fits(&self, kept: &Kept<'_>, registers: usize) -> bool {
        (self.version, self.places.len()) == (kept.version, registers)
    }

    /// For whoever says what registers must hold.
    pub fn writer(&mut self) -> Writer<'_> {
        let Image { places, limbs, large, words, cares, beyond, .. } = self;
        Writer { places, limbs, large, words, cares, beyond }
    }

    /// Whether all registers hold what they must.
    pub fn same(&mut self, kept: &Kept<'_>) -> bool {
        let mut wrong = u64::from(std::mem::take(&mut self.beyond));
        for &(from, to) in &self.runs {
            let words = self.words[from..to].iter().zip(&self.cares[from..to]);
            wrong |= kept.state[from..to].iter().zip(words).fold(0, |wrong, (a, (b, care))| wrong | (a ^ b) & care);
        }
        let words = self.words[self.first_shared..].iter().zip(&self.cares[self.first_shared..]);
        for (spot, (word, care)) in self.shared.iter().zip(words) {
            wrong |= (kept.state[spot.at as usize] >> spot.shift & spot.mask ^ word) & care;
        }
        wrong == 0
    }
}

/// Says what registers of an [`Image`] must hold.
pub struct Writer<'a> {
    // Slices of its own: the compiler knows that writing words changes none of them.
    places: &'a [u32],
    limbs: &'a [u32],
    large: &'a [bool],
    words: &'a mut [u64],
    cares: &'a mut [u64],
    beyond: &'a mut bool,
}

impl Writer<'_> {
    /// Says what a register must hold; words that it lacks must be 0. `number` counts the registers of
    /// [`Image::new`]. Only what [`Writer::matters`] is compared.
    #[inline(always)]
    pub fn put(&mut self, number: usize, value: &[u64]) {
        // Short on purpose: a table's walk has this code for each of its rows, and must stay in the processor's cache.
        let &[value] = value else { return self.put_words(number, value) };
        if let Some(&place) = self.places.get(number)
            && let Some(word) = self.words.get_mut(place as usize)
        {
            *word = value;
        }
    }

    #[inline(never)]
    fn put_words(&mut self, number: usize, value: &[u64]) {
        let (place, limbs) = (self.places[number] as usize, self.limbs[number] as usize);
        let words = &mut self.words[place..][..limbs];
        words.iter_mut().enumerate().for_each(|(limb, word)| *word = value.get(limb).copied().unwrap_or(0));
        *self.beyond |= value.iter().skip(limbs).any(|&word| word != 0);
    }

    /// Says whether it matters what a register holds.
    #[inline(always)]
    pub fn matters(&mut self, number: usize, matters: bool) {
        let Some(&place) = self.places.get(number) else { return };
        if let Some(care) = self.cares.get_mut(place as usize) {
            *care = 0u64.wrapping_sub(u64::from(matters));
        }
        if self.large.get(number) == Some(&true) {
            self.matters_all(number, matters);
        }
    }

    #[inline(never)]
    fn matters_all(&mut self, number: usize, matters: bool) {
        let care = if matters { u64::MAX } else { 0 };
        self.cares[self.places[number] as usize..][..self.limbs[number] as usize].fill(care);
    }

    /// Says what some bits of a register must be, and that the others may be anything.
    pub fn put_bits(&mut self, number: usize, width: usize, bit: impl Fn(usize) -> Option<bool>) {
        let (place, limbs) = (self.places[number] as usize, self.limbs[number] as usize);
        for limb in 0..limbs {
            let (mut word, mut care) = (0, 0);
            for at in 64 * limb..width.min(64 * limb + 64) {
                if let Some(value) = bit(at) {
                    word |= u64::from(value) << (at % 64);
                    care |= 1 << (at % 64);
                }
            }
            (self.words[place + limb], self.cares[place + limb]) = (word, care);
        }
    }
}
