//! What lanes are kept in: a byte, half a word or a word, whichever is the smallest that has room for a lane. Half as
//! many bits are half as many vector instructions.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use zerocopy::{transmute_mut, transmute_ref};

/// Most lanes that are kept in words of their own, whatever their width: two of these fill a vector, and a value with
/// lanes always has more than one word.
const FEW: usize = 8;

/// Bits that each of so many lanes of this width is kept in.
pub(crate) fn element_bits(width: u32, lanes: usize) -> u32 {
    // The first lane is the lowest bits of a word.
    let narrow = cfg!(target_endian = "little") && lanes > FEW;
    [8, 32].into_iter().find(|&bits| narrow && width <= bits).unwrap_or(64)
}

/// An unsigned integer that a lane is kept in. Arithmetic is modulo its range.
pub(crate) trait Element:
    Copy + PartialOrd + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    const BITS: usize;
    /// Words as elements.
    fn of(words: &[u64]) -> &[Self];
    fn of_mut(words: &mut [u64]) -> &mut [Self];
    /// The low bits of a word.
    fn cut(value: u64) -> Self;
    fn word(self) -> u64;
    /// Its highest bit is a sign.
    fn extended(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn parity(self) -> u64;
    /// Moved up by less than its bits.
    fn up(self, by: u64) -> Self;
    /// Moved down.
    fn down(self, by: u64) -> Self;
}

macro_rules! elements {
    ($($kind:ty, $signed:ty;)+) => {
        $(impl Element for $kind {
            const BITS: usize = <$kind>::BITS as usize;

            #[inline(always)]
            fn of(words: &[u64]) -> &[$kind] {
                transmute_ref!(words)
            }

            #[inline(always)]
            fn of_mut(words: &mut [u64]) -> &mut [$kind] {
                transmute_mut!(words)
            }

            #[inline(always)]
            fn cut(value: u64) -> $kind {
                value as $kind
            }

            #[inline(always)]
            fn word(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn extended(self) -> u64 {
                self as $signed as i64 as u64
            }

            #[inline(always)]
            fn plus(self, other: $kind) -> $kind {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: $kind) -> $kind {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: $kind) -> $kind {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn parity(self) -> u64 {
                u64::from(self.count_ones() & 1)
            }

            #[inline(always)]
            fn up(self, by: u64) -> $kind {
                self << (by as $kind & (<$kind>::BITS as $kind - 1))
            }

            #[inline(always)]
            fn down(self, by: u64) -> $kind {
                self >> (by as $kind & (<$kind>::BITS as $kind - 1))
            }
        })+
    };
}

elements!(u8, i8; u32, i32; u64, i64;);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_kept_in_as_little_as_has_room_for_them() {
        assert_eq!([1, 8, 9, 32, 33, 64].map(|width| element_bits(width, 9)), [8, 8, 32, 32, 64, 64]);
        assert_eq!(element_bits(1, FEW), 64);
    }

    #[test]
    fn the_first_lane_is_in_the_lowest_bits() {
        let words = [0x8877_6655_4433_2211, 1];
        assert_eq!(u8::of(&words)[..4], [0x11, 0x22, 0x33, 0x44]);
        assert_eq!(u32::of(&words), [0x4433_2211, 0x8877_6655, 1, 0]);
        let mut words = [0; 2];
        u32::of_mut(&mut words)[3] = 7;
        assert_eq!(words, [0, 7 << 32]);
    }
}
