//! Says what registers of an image must hold.

use std::ops::BitOr;

use super::{Places, Rows};

/// Says what registers of an [`Image`](super::Image) must hold, one after the other. Only what matters is compared.
///
/// It is made to be handed on by value: all that it has at hand, the compiler then keeps in the processor's registers.
/// Functions are short on purpose: a table's walk has their code for each of its rows, and must stay in the processor's
/// cache.
pub struct Writer<'a> {
    // A slice of its own: the compiler knows that writing words does not change it.
    /// Places of the registers to come.
    rest: std::slice::Iter<'a, u32>,
    values: &'a mut [u64],
    cares: &'a mut [u64],
    at: &'a Places,
    rows: &'a mut Rows,
    // Not a `bool`: what is handed on is whole words, which processors read back soon after they were written.
    open: u64,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    pub(super) fn new(at: &'a Places, values: &'a mut [u64], cares: &'a mut [u64], rows: &'a mut Rows) -> Writer<'a> {
        Writer { rest: at.narrow.iter(), at, values, cares, rows, open: 0 }
    }

    /// How many registers came before.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.at.narrow.len() - self.rest.len()
    }

    /// Whether a value had other words than its register has: what the image has for it tells nothing then.
    #[inline(always)]
    pub fn open(&self) -> bool {
        self.open != 0
    }

    /// The place of the next register, however large it is.
    #[inline(always)]
    fn next(&mut self) -> (u32, u32) {
        let number = self.number();
        self.rest.next();
        let place = self.at.all[number];
        self.open |= u64::from(place.1 == 0);
        place
    }

    /// Goes on with this register.
    #[inline(always)]
    pub fn seek(&mut self, number: usize) {
        self.rest = self.at.narrow[number..].iter();
    }

    /// The next register must hold this word. Whether it matters stays as it is.
    #[inline(always)]
    pub fn put(&mut self, value: u64) {
        if let Some(&place) = self.rest.next()
            && let Some(word) = self.values.get_mut(place as usize)
        {
            *word = value;
        } else {
            self.open = 1;
        }
    }

    /// The next register must hold this word and matters; without one, it does not.
    #[inline(always)]
    pub fn put_seldom(&mut self, value: Option<u64>) {
        if let Some(&place) = self.rest.next()
            && let Some(word) = self.values.get_mut(place as usize)
            && let Some(care) = self.cares.get_mut(place as usize)
        {
            (*word, *care) = value.map_or((0, 0), |value| (value, u64::MAX));
        } else {
            self.open = 1;
        }
    }

    /// The next register must hold these words; those that it lacks must be 0. Whether it matters stays as it is.
    #[inline(always)]
    pub fn put_words(&mut self, value: &[u64]) {
        let place = self.next();
        self.open |= put_words(self.values, place, value);
    }

    /// The same; without a value, it does not matter.
    #[inline(always)]
    pub fn put_words_seldom(&mut self, value: Option<&[u64]>) {
        let place = self.next();
        matter(self.cares, place, value.is_some());
        if let Some(value) = value {
            self.open |= put_words(self.values, place, value);
        }
    }

    /// The next registers must hold these words, one each, of which none is larger than `most`. Whether they matter
    /// stays as it is.
    pub fn put_row<T: Copy + Into<u64> + BitOr<Output = T>>(&mut self, values: &[T], most: u64) {
        match self.rows.put(self.number(), values, most) {
            Some(open) => {
                self.open |= u64::from(open);
                self.rest = self.rest.as_slice()[values.len()..].iter();
            }
            None => values.iter().for_each(|&value| self.put(value.into())),
        }
    }

    /// Says what some bits of the next register must be, and that the others may be anything.
    pub fn put_bits(&mut self, width: usize, bit: impl Fn(usize) -> Option<bool>) {
        let place = self.next();
        let words = of(self.values, place).iter_mut().zip(of(self.cares, place));
        for (limb, word) in words.enumerate() {
            let (mut value, mut care) = (0, 0);
            for at in 64 * limb..width.min(64 * limb + 64) {
                if let Some(bit) = bit(at) {
                    value |= u64::from(bit) << (at % 64);
                    care |= 1 << (at % 64);
                }
            }
            (*word.0, *word.1) = (value, care);
        }
    }
}

// What follows has slices rather than a writer, which would have to be in memory for it.

fn of(words: &mut [u64], (at, limbs): (u32, u32)) -> &mut [u64] {
    &mut words[at as usize..][..limbs as usize]
}

/// 1 if the value has words other than 0 that the register lacks.
#[inline(never)]
fn put_words(words: &mut [u64], place: (u32, u32), value: &[u64]) -> u64 {
    let words = of(words, place);
    if let Ok(words) = <&mut [u64; 4]>::try_from(&mut *words)
        && let Ok(value) = <&[u64; 4]>::try_from(value)
    {
        *words = *value;
        return 0;
    }
    let held = value.len().min(words.len());
    let (words, rest) = words.split_at_mut(held);
    words.copy_from_slice(&value[..held]);
    rest.fill(0);
    value[held..].iter().any(|&word| word != 0).into()
}

#[inline(never)]
pub(super) fn matter(cares: &mut [u64], place: (u32, u32), matters: bool) {
    of(cares, place).fill(0u64.wrapping_sub(u64::from(matters)));
}
