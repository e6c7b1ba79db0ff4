//! Packed words for signals. rust-hdl's `Bits<N>` is an array of `bool` above 32 bits, which makes wide blocks two
//! orders of magnitude slower to simulate; `Word` is an array of 64-bit limbs and works in any signal and in
//! `#[hdl_gen]`.

use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

use super::packed::{Packed, RowWord};

/// Widest word.
pub const MAX_BITS: usize = 2048;

/// A word of `BITS` bits in `LIMBS` limbs; bits above `BITS` are always 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word<const BITS: usize, const LIMBS: usize>([u64; LIMBS]);

impl<const BITS: usize, const LIMBS: usize> Word<BITS, LIMBS> {
    const SHAPE: () = assert!(
        BITS > 0 && BITS <= MAX_BITS && LIMBS == BITS.div_ceil(64),
        "BITS must be 1 to 2048, LIMBS BITS / 64, rounded up"
    );

    /// The word with these limbs, lowest first; bits above `BITS` are dropped.
    #[inline(never)]
    pub fn from_limbs(limbs: [u64; LIMBS]) -> Self {
        let () = Self::SHAPE;
        let mut word = Word(limbs);
        if !BITS.is_multiple_of(64) {
            word.0[LIMBS - 1] &= (1 << (BITS % 64)) - 1;
        }
        word
    }

    /// The limbs, lowest first.
    pub fn limbs(&self) -> &[u64; LIMBS] {
        &self.0
    }

    #[inline(never)]
    fn zip(self, rhs: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self::from_limbs(std::array::from_fn(|i| f(self.0[i], rhs.0[i])))
    }

    /// Whether any bit is 1.
    #[inline(never)]
    pub fn any(&self) -> bool {
        self.0.iter().any(|&limb| limb != 0)
    }

    /// Whether all bits are 1.
    #[inline(never)]
    pub fn all(&self) -> bool {
        *self == !Word([0; LIMBS])
    }

    /// The parity.
    #[inline(never)]
    pub fn xor(&self) -> bool {
        self.0.iter().fold(0, |acc, limb| acc ^ limb).count_ones() % 2 == 1
    }

    /// The value as an index.
    #[inline(never)]
    pub fn index(&self) -> usize {
        self.0[0] as usize
    }

    /// Bit `index`.
    #[inline(never)]
    pub fn get_bit(&self, index: usize) -> bool {
        assert!(index < BITS, "bit {index} of a word of {BITS}");
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// `M` bits from bit `index` up.
    #[inline(never)]
    pub fn get_bits<const M: usize>(&self, index: usize) -> Bits<M> {
        assert!(index + M <= BITS, "bits {index} to {} of a word of {BITS}", index + M - 1);
        let shifted = *self >> (index as u64);
        Bits::from_packed(&shifted.0)
    }

    /// The word with bit `index` replaced.
    #[inline(never)]
    pub fn replace_bit(&self, index: usize, value: bool) -> Self {
        let mut word = *self;
        let bit = 1 << (index % 64);
        word.0[index / 64] = if value { word.0[index / 64] | bit } else { word.0[index / 64] & !bit };
        Self::from_limbs(word.0)
    }

    #[inline(never)]
    fn big(&self) -> BigUint {
        BigUint::from_slice(&self.0.iter().flat_map(|&l| [l as u32, (l >> 32) as u32]).collect::<Vec<_>>())
    }
}

impl<const BITS: usize, const LIMBS: usize> Default for Word<BITS, LIMBS> {
    #[inline(never)]
    fn default() -> Self {
        Word([0; LIMBS])
    }
}

impl<const BITS: usize, const LIMBS: usize> fmt::Debug for Word<BITS, LIMBS> {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BITS}'h{:x}", self.big())
    }
}

impl<const BITS: usize, const LIMBS: usize> From<u64> for Word<BITS, LIMBS> {
    #[inline(never)]
    fn from(value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = value;
        Self::from_limbs(limbs)
    }
}

macro_rules! bitwise {
    ($($trait:ident $method:ident $op:tt),+) => {$(
        impl<const BITS: usize, const LIMBS: usize> $trait for Word<BITS, LIMBS> {
            type Output = Self;
            #[inline(never)]
            fn $method(self, rhs: Self) -> Self { self.zip(rhs, |a, b| a $op b) }
        }
    )+};
}

bitwise!(BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl<const BITS: usize, const LIMBS: usize> Not for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn not(self) -> Self {
        Self::from_limbs(self.0.map(|limb| !limb))
    }
}

impl<const BITS: usize, const LIMBS: usize> Add for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn add(self, rhs: Self) -> Self {
        let mut carry = false;
        Self::from_limbs(std::array::from_fn(|i| {
            let (sum, c1) = self.0[i].overflowing_add(rhs.0[i]);
            let (sum, c2) = sum.overflowing_add(carry.into());
            carry = c1 || c2;
            sum
        }))
    }
}

impl<const BITS: usize, const LIMBS: usize> Sub for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn sub(self, rhs: Self) -> Self {
        self + !rhs + Self::from(1)
    }
}

impl<const BITS: usize, const LIMBS: usize> Add<u64> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn add(self, rhs: u64) -> Self {
        self + Self::from(rhs)
    }
}

impl<const BITS: usize, const LIMBS: usize> Sub<u64> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn sub(self, rhs: u64) -> Self {
        self - Self::from(rhs)
    }
}

impl<const BITS: usize, const LIMBS: usize> Shl<u64> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shl(self, by: u64) -> Self {
        let (limbs, bits) = ((by / 64) as usize, by % 64);
        let limb = |i: usize| if i < LIMBS { self.0[i] } else { 0 };
        Self::from_limbs(std::array::from_fn(|i| {
            let Some(from) = i.checked_sub(limbs) else {
                return 0;
            };
            let low = if bits > 0 && from > 0 { limb(from - 1) >> (64 - bits) } else { 0 };
            limb(from) << bits | low
        }))
    }
}

impl<const BITS: usize, const LIMBS: usize> Shr<u64> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shr(self, by: u64) -> Self {
        let (limbs, bits) = ((by / 64) as usize, by % 64);
        let limb = |i: usize| if i < LIMBS { self.0[i] } else { 0 };
        Self::from_limbs(std::array::from_fn(|i| {
            let high = if bits > 0 { limb(i + limbs + 1) << (64 - bits) } else { 0 };
            limb(i + limbs) >> bits | high
        }))
    }
}

impl<const BITS: usize, const LIMBS: usize, const M: usize> Shl<Bits<M>> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shl(self, by: Bits<M>) -> Self {
        self << by.to_u64()
    }
}

impl<const BITS: usize, const LIMBS: usize, const M: usize> Shr<Bits<M>> for Word<BITS, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shr(self, by: Bits<M>) -> Self {
        self >> by.to_u64()
    }
}

impl<const BITS: usize, const LIMBS: usize> PartialOrd for Word<BITS, LIMBS> {
    #[inline(never)]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl<const BITS: usize, const LIMBS: usize> PartialEq<u64> for Word<BITS, LIMBS> {
    #[inline(never)]
    fn eq(&self, other: &u64) -> bool {
        *self == Self::from(*other)
    }
}

impl<const BITS: usize, const LIMBS: usize> Synth for Word<BITS, LIMBS> {
    const BITS: usize = BITS;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("Word::<{BITS}>"), kind: TypeKind::Bits(BITS) }
    }

    #[inline(never)]
    fn vcd(self) -> VCDValue {
        // rust-hdl does not export the crate that its wave values come from; its conversion from `bool` gives them.
        let bit = |i| match VCDValue::from(self.get_bit(i)) {
            VCDValue::Single(value) => value,
            _ => unreachable!("a bool is a single value"),
        };
        VCDValue::Vector((0..BITS).rev().map(bit).collect())
    }

    #[inline(never)]
    fn verilog(self) -> VerilogLiteral {
        // Literals can be made from rust-hdl's own types only. Their width does not matter: signals name theirs.
        if BITS <= 64 { self.0[0].into() } else { Bits::<MAX_BITS>::from(self.big()).into() }
    }
}

impl<const BITS: usize, const LIMBS: usize> RowWord for Word<BITS, LIMBS> {
    fn any(&self) -> bool {
        self.any()
    }

    fn get_bit(&self, index: usize) -> bool {
        self.get_bit(index)
    }

    fn replace_bit(&self, index: usize, value: bool) -> Self {
        self.replace_bit(index, value)
    }
}

impl<const BITS: usize, const LIMBS: usize> Packed for Word<BITS, LIMBS> {
    fn limbs_into(&self, limbs: &mut [u64]) {
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = self.0.get(i).copied().unwrap_or(0);
        }
    }

    fn from_packed(limbs: &[u64]) -> Self {
        Self::from_limbs(std::array::from_fn(|i| limbs.get(i).copied().unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::bits_to;
    use proptest::prelude::{any, proptest};

    type W = Word<100, 2>;

    fn word(value: u128) -> W {
        W::from_limbs([value as u64, (value >> 64) as u64])
    }

    fn value(word: W) -> u128 {
        u128::from(word.limbs()[1]) << 64 | u128::from(word.limbs()[0])
    }

    const MASK: u128 = (1 << 100) - 1;

    proptest! {
        #[test]
        fn arithmetic_is_that_of_integers(a in any::<u128>(), b in any::<u128>(), by in 0u64..130) {
            let (x, y) = (word(a), word(b));
            let (a, b) = (a & MASK, b & MASK);
            assert_eq!(value(x + y), a.wrapping_add(b) & MASK);
            assert_eq!(value(x - y), a.wrapping_sub(b) & MASK);
            assert_eq!(value(x & y), a & b);
            assert_eq!(value(x | y), a | b);
            assert_eq!(value(x ^ y), a ^ b);
            assert_eq!(value(!x), !a & MASK);
            assert_eq!(value(x << by), if by < 128 { a << by & MASK } else { 0 });
            assert_eq!(value(x >> by), if by < 128 { a >> by } else { 0 });
            assert_eq!(x < y, a < b);
            assert_eq!(x.any(), a != 0);
            assert_eq!(x.xor(), a.count_ones() % 2 == 1);
            let at = by as usize % 60;
            assert_eq!(x.get_bits::<40>(at).to_u64(), (a >> at) as u64 & ((1 << 40) - 1));
            assert_eq!(bits_to::<Bits<40>, _>(x).to_u64(), a as u64 & ((1 << 40) - 1));
            assert_eq!(value(bits_to::<W, _>(bits_to::<Bits<70>, _>(x))), a & ((1 << 70) - 1));
            assert_eq!(x.get_bit(at), a >> at & 1 == 1);
            assert_eq!(value(x.replace_bit(at, true)), a | 1 << at);
            assert_eq!(value(x.replace_bit(at, false)), a & !(1 << at));
        }
    }
}
