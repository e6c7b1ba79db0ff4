//! What all registers must hold, laid out as an engine keeps them: comparing them is one pass over words, without a
//! look at which register is where.

mod rows;
mod writer;

use self::rows::Rows;
pub use self::writer::Writer;
use super::lanes::each::differs;
use super::lanes::element::Element;
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
    /// Nothing else can be in its words.
    pub alone: bool,
}

/// Words between two that matter which are passed over rather than skipped.
const GAP: usize = 8;
/// Lanes from which on a loop of their own is worth it.
const LANES: usize = 8;
/// Where the image has a register that is written word by word: nowhere that could be looked up.
const LARGE: u32 = u32::MAX;

/// What registers must hold.
#[derive(Clone, Debug, Default)]
pub struct Image {
    version: u64,
    at: Places,
    words: Words,
    /// Ranges of the state's words in which there are registers that have their words for themselves: the image has
    /// them at the same places.
    runs: Vec<(usize, usize)>,
    /// Registers that lie side by side in smaller places than words. The image has each of them, as all that follow, in
    /// a word for itself, one after the other behind those of the runs.
    lanes: Vec<Lanes>,
    /// All others that share a word, or are equal and kept once.
    shared: Vec<Spot>,
    first_shared: usize,
    rows: Rows,
    /// What was said does not show whether registers hold it.
    open: bool,
}

/// Where an image has its registers.
#[derive(Clone, Debug, Default)]
struct Places {
    /// First word of each, and how many it has.
    all: Vec<(u32, u32)>,
    /// The word of each register that has one, [`LARGE`] for the others.
    narrow: Vec<u32>,
}

/// What words must be, and which of their bits matter.
#[derive(Clone, Debug, Default)]
struct Words {
    values: Vec<u64>,
    cares: Vec<u64>,
}

/// Registers in places of so many bits, side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lanes {
    bits: u32,
    /// The first one, counted in such places from the state's first word on.
    first: usize,
    count: usize,
    /// Ones in the bits of each.
    mask: u64,
    /// The image's word for the first one.
    at: usize,
}

impl Spot {
    /// The first of its bits.
    fn bit(&self) -> u64 {
        64 * u64::from(self.at) + u64::from(self.shift)
    }

    fn words(&self) -> std::ops::Range<usize> {
        self.at as usize..(self.at + self.limbs) as usize
    }
}

impl Image {
    /// Where these registers are; nothing of them matters yet.
    pub fn new(kept: &Kept<'_>, registers: &[usize]) -> Image {
        Image::default().again(kept, registers)
    }

    /// The same anew, for whoever says of the same registers side by side what they must hold.
    #[must_use]
    pub fn again(&self, kept: &Kept<'_>, registers: &[usize]) -> Image {
        let mut spots: Vec<Spot> = registers.iter().map(|&register| kept.places[register].spot()).collect();
        let rows = Rows::new(&self.rows.said, &mut spots);
        let size = spots.iter().map(|spot| (spot.at + spot.limbs) as usize).max().unwrap_or(0);
        let mut users = vec![0u32; size];
        spots.iter().for_each(|spot| spot.words().for_each(|word| users[word] += 1));
        let mut image = Image { version: kept.version, rows, ..Image::default() };
        image.at.all = spots.iter().map(|spot| (spot.at, spot.limbs)).collect();
        let (mut taken, mut apart, mut large) = (vec![false; size], vec![], vec![]);
        for (number, spot) in spots.iter().enumerate().filter(|(_, spot)| spot.limbs > 0) {
            if spot.alone && spot.shift == 0 && spot.words().all(|word| users[word] == 1) {
                spot.words().for_each(|word| taken[word] = true);
            } else if spot.limbs == 1 {
                apart.push((number, *spot));
            } else {
                large.push((number, *spot));
            }
        }
        for at in (0..size).filter(|&at| taken[at]) {
            match image.runs.last_mut() {
                Some((_, end)) if at - *end <= GAP => *end = at + 1,
                _ => image.runs.push((at, at + 1)),
            }
        }
        let end = image.place_lanes(apart, size);
        image.place_large(large, end);
        let words = vec![0; image.first_shared + image.shared.len()];
        image.words = Words { values: words.clone(), cares: words };
        image.at.narrow = image.at.all.iter().map(|&(at, limbs)| if limbs == 1 { at } else { LARGE }).collect();
        image
    }

    /// Gives registers that share words their places from `end` on: first those that lie in lanes, then the others.
    /// Where the places end.
    fn place_lanes(&mut self, mut apart: Vec<(usize, Spot)>, mut end: usize) -> usize {
        // Registers that are kept once lie at one place: the second of each such place comes after all of the first.
        apart.sort_by_key(|(_, spot)| spot.bit());
        let mut times = vec![0usize; apart.len()];
        for at in 1..apart.len() {
            let again = apart[at].1.bit() == apart[at - 1].1.bit();
            times[at] = if again { times[at - 1] + 1 } else { 0 };
        }
        let mut apart: Vec<(usize, (usize, Spot))> = times.into_iter().zip(apart).collect();
        apart.sort_by_key(|(time, (_, spot))| (*time, spot.bit()));
        let apart: Vec<(usize, Spot)> = apart.into_iter().map(|(_, register)| register).collect();
        let (mut at, mut single) = (0, vec![]);
        while at < apart.len() {
            let (first, bits) =
                (apart[at].1, apart.get(at + 1).map(|next| next.1.bit().wrapping_sub(apart[at].1.bit())));
            let follows = |next: &usize| {
                let (this, next) = (apart[next - 1].1, apart[*next].1);
                Some(next.bit().wrapping_sub(this.bit())) == bits && this.mask == next.mask
            };
            let count = 1 + (at + 1..apart.len()).take_while(follows).count();
            match bits {
                Some(bits @ (8 | 32 | 64)) if count >= LANES && first.bit().is_multiple_of(bits) => {
                    let (first, mask) = ((first.bit() / bits) as usize, first.mask);
                    self.lanes.push(Lanes { bits: bits as u32, first, count, mask, at: end });
                    (0..count).for_each(|lane| self.at.all[apart[at + lane].0].0 = (end + lane) as u32);
                    (at, end) = (at + count, end + count);
                }
                _ => {
                    single.push(apart[at]);
                    at += 1;
                }
            }
        }
        self.first_shared = end;
        for (number, spot) in single {
            self.at.all[number].0 = (self.first_shared + self.shared.len()) as u32;
            self.shared.push(spot);
        }
        self.first_shared + self.shared.len()
    }

    /// The same for registers of several words that are kept once for more than one of them.
    fn place_large(&mut self, large: Vec<(usize, Spot)>, mut end: usize) {
        for (number, spot) in large {
            self.at.all[number].0 = end as u32;
            let last = spot.limbs - 1;
            self.shared.extend((0..spot.limbs).map(|limb| {
                let mask = if limb == last { spot.mask } else { u64::MAX };
                Spot { at: spot.at + limb, limbs: 1, mask, ..spot }
            }));
            end += spot.limbs as usize;
        }
    }

    /// Whether it is for these registers, as many, where they are now.
    pub fn fits(&self, kept: &Kept<'_>, registers: usize) -> bool {
        (self.version, self.at.all.len()) == (kept.version, registers) && !self.rows.new
    }

    /// Everything matters in all registers.
    pub fn matter(&mut self) {
        self.at.all.iter().for_each(|&place| writer::matter(&mut self.words.cares, place, true));
    }

    /// For whoever says what registers must hold, from the first one on.
    #[inline(always)]
    pub fn writer(&mut self) -> Writer<'_> {
        let Image { at, words, rows, .. } = self;
        Writer::new(at, &mut words.values, &mut words.cares, rows)
    }

    /// Everything was said; what [`Writer::open`] tells.
    pub fn said(&mut self, open: bool) {
        self.open = open;
    }

    /// Whether all registers hold what they must, for certain.
    pub fn same(&self, kept: &Kept<'_>) -> bool {
        !self.open && !differs(self, kept.state)
    }

    /// Whether one of these words is not what it must be.
    #[inline(always)]
    pub(super) fn wrong(&self, state: &[u64]) -> bool {
        let mut wrong = self.rows.wrong(state);
        for &(from, to) in &self.runs {
            wrong |= self.wrong_lanes::<u64>(&state[from..to], u64::MAX, from);
        }
        for lanes in &self.lanes {
            let to = lanes.first + lanes.count;
            wrong |= match lanes.bits {
                8 => self.wrong_lanes(&u8::of(state)[lanes.first..to], lanes.mask, lanes.at),
                32 => self.wrong_lanes(&u32::of(state)[lanes.first..to], lanes.mask, lanes.at),
                _ => self.wrong_lanes(&state[lanes.first..to], lanes.mask, lanes.at),
            };
        }
        let (values, cares) = (&self.words.values[self.first_shared..], &self.words.cares[self.first_shared..]);
        for ((spot, value), care) in self.shared.iter().zip(values).zip(cares) {
            wrong |= (state[spot.at as usize] >> spot.shift & spot.mask ^ value) & care;
        }
        wrong != 0
    }

    /// The same for places of some size, and as many of the image's words from `at` on.
    #[inline(always)]
    fn wrong_lanes<T: Element>(&self, held: &[T], mask: u64, at: usize) -> u64 {
        let (values, cares) = (&self.words.values[at..][..held.len()], &self.words.cares[at..][..held.len()]);
        let words = held.iter().zip(values).zip(cares);
        words.fold(0, |wrong, ((held, value), care)| wrong | (held.word() & mask ^ value) & care)
    }
}
