//! Values of Verilator's model, read and written in place.

use std::ffi::c_void;

use crate::external::names::limbs;

/// Where a value lies in Verilator's model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub at: *mut c_void,
    pub width: u32,
}

impl Place {
    /// Bytes of one value: Verilator uses the smallest integer that holds it, and 32-bit words above 64 bits.
    pub fn stride(self) -> usize {
        match self.width {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            wide => 4 * wide.div_ceil(32) as usize,
        }
    }

    /// Reads element `index` of an array of values.
    pub fn read(self, index: usize, limbs: &mut [u64]) {
        // SAFETY: `at` is a variable of this width, or an array with an element `index`, in a model that lives as long
        // as its engine. It is aligned; reading as if it were not is what costs no check in unoptimised builds.
        unsafe {
            let at = self.at.cast::<u8>().wrapping_add(index * self.stride());
            match self.width {
                0..=8 => limbs[0] = u64::from(at.read_unaligned()),
                9..=16 => limbs[0] = u64::from(at.cast::<u16>().read_unaligned()),
                17..=32 => limbs[0] = u64::from(at.cast::<u32>().read_unaligned()),
                33..=64 => limbs[0] = at.cast::<u64>().read_unaligned(),
                wide => {
                    // 32-bit words, lowest first, lie as limbs do, of which the last one may be half a word's.
                    let bytes = 4 * wide.div_ceil(32) as usize;
                    assert!(bytes <= 8 * limbs.len(), "{wide} bits into {} limbs", limbs.len());
                    limbs[limbs.len() - 1] = 0;
                    at.copy_to_nonoverlapping(limbs.as_mut_ptr().cast(), bytes);
                }
            }
        }
    }

    /// Reads an array of values, each into so many limbs.
    pub fn read_all(self, words: &mut [u64], limbs: usize) {
        if self.stride() == 8 * limbs {
            // SAFETY: the array has as many elements, which lie as limbs do: lowest 32 bits first.
            unsafe { self.at.cast::<u8>().copy_to_nonoverlapping(words.as_mut_ptr().cast(), 8 * words.len()) };
            return;
        }
        words.chunks_exact_mut(limbs).enumerate().for_each(|(index, word)| self.read(index, word));
    }

    /// The words of an array of values where they lie, if they lie as limbs do, so many for each value. They stay as
    /// they are as long as the engine is not changed.
    pub fn limbs(&self, words: usize, limbs: usize) -> Option<&[u64]> {
        let at = self.at.cast::<u64>().cast_const();
        // SAFETY: the array has as many words, in a model that lives as long as its engine, which has this place and
        // lends it; the model runs only when the engine is changed, and so not as long as anybody has them.
        (self.stride() == 8 * limbs && at.is_aligned()).then(|| unsafe { std::slice::from_raw_parts(at, words) })
    }

    /// Writes element `index` of an array of values; bits that it lacks are dropped.
    pub fn write(self, index: usize, value: &[u64]) {
        // SAFETY: as in `read`.
        unsafe {
            let at = self.at.cast::<u8>().wrapping_add(index * self.stride());
            if self.width > 64 {
                let value = limbs(value, self.width);
                let word = |i: usize| (value[i / 2] >> (32 * (i % 2))) as u32;
                let words = self.width.div_ceil(32) as usize;
                return (0..words).for_each(|i| at.cast::<u32>().wrapping_add(i).write_unaligned(word(i)));
            }
            let value = value.first().copied().unwrap_or(0) & (u64::MAX >> (64 - self.width));
            match self.width {
                0..=8 => at.write_unaligned(value as u8),
                9..=16 => at.cast::<u16>().write_unaligned(value as u16),
                17..=32 => at.cast::<u32>().write_unaligned(value as u32),
                _ => at.cast::<u64>().write_unaligned(value),
            }
        }
    }
}
