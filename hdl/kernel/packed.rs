//! Types that are a bit pattern, whatever they mean: what registers, memories and casts are made for.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use rust_hdl_core::prelude::*;

/// Types that are a bit pattern: rust-hdl's `Bits` and `bool`, and [`Word`](super::bits::Word).
pub trait Packed: Synth {
    /// Bits; not always the constant `BITS`.
    fn width() -> usize {
        Self::BITS
    }
    /// The pattern, lowest limb first.
    fn limbs_into(&self, limbs: &mut [u64]);
    /// The value with this pattern; bits above its width are dropped, missing limbs are 0.
    fn from_packed(limbs: &[u64]) -> Self;
}

/// Types that hold a row of an array, a bit for each column: [`Word`](super::bits::Word) of any width.
pub trait RowWord:
    Packed
    + From<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u64, Output = Self>
    + Shl<Bits<9>, Output = Self>
    + Shr<u64, Output = Self>
    + Shr<Bits<9>, Output = Self>
{
    /// Whether any bit is 1.
    fn any(&self) -> bool;
    /// One bit.
    fn get_bit(&self, index: usize) -> bool;
    /// The word with bit `index` replaced.
    #[must_use]
    fn replace_bit(&self, index: usize, value: bool) -> Self;
}

impl<const N: usize> Packed for Bits<N> {
    fn limbs_into(&self, limbs: &mut [u64]) {
        limbs.fill(0);
        match self {
            Bits::Short(_) => limbs[0] = self.to_u64(),
            Bits::Long(long) => (0..N.min(64 * limbs.len())).for_each(|i| {
                limbs[i / 64] |= u64::from(long.get_bit(i)) << (i % 64);
            }),
        }
    }

    fn from_packed(limbs: &[u64]) -> Self {
        let limb = |i: usize| limbs.get(i).copied().unwrap_or(0);
        if N <= 32 {
            return Bits::from(limb(0) & ((1 << N) - 1));
        }
        let mut bits = [false; N];
        for (i, bit) in bits.iter_mut().enumerate() {
            *bit = limb(i / 64) >> (i % 64) & 1 == 1;
        }
        Bits::Long(bits.into())
    }
}

impl Packed for bool {
    fn limbs_into(&self, limbs: &mut [u64]) {
        limbs.fill(0);
        limbs[0] = u64::from(*self);
    }

    fn from_packed(limbs: &[u64]) -> Self {
        limbs.first().is_some_and(|limb| limb & 1 == 1)
    }
}

impl<const N: usize> Packed for Signed<N> {
    fn limbs_into(&self, limbs: &mut [u64]) {
        self.inner().limbs_into(limbs);
    }

    fn from_packed(limbs: &[u64]) -> Self {
        signed_cast(Bits::from_packed(limbs))
    }
}

/// Makes an enum with `LogicState` a [`Packed`] type, so that registers and memories can hold it:
/// `packed_enum!(State: Idle, Busy, Done)`, with its variants in order. A pattern without a variant is the last one,
/// which is what an exhaustive `match` makes of it in hardware.
#[macro_export]
macro_rules! packed_enum {
    ($name:ident: $first:ident $(, $variant:ident)* $(,)?) => {
        impl $crate::packed::Packed for $name {
            fn limbs_into(&self, limbs: &mut [u64]) {
                limbs.fill(0);
                limbs[0] = *self as u64;
            }

            fn from_packed(limbs: &[u64]) -> Self {
                let variants = [$name::$first $(, $name::$variant)*];
                let index = limbs.first().map_or(0, |&limb| limb as usize);
                variants[index.min(variants.len() - 1)]
            }
        }
    };
}
pub use crate::packed_enum;

/// `x` as a `T`: truncated or extended with zeros. (The name begins with `bits` because `#[hdl_gen]` knows casts by
/// it.)
#[inline(never)]
pub fn bits_to<T: Packed, S: Packed>(x: S) -> T {
    let mut limbs = vec![0; S::width().max(T::width()).div_ceil(64)];
    x.limbs_into(&mut limbs);
    T::from_packed(&limbs)
}
