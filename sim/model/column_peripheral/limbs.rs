//! Some limbs of a row, computed side by side: a limb has a bit of each of 64 columns.

use std::ops::{BitAnd, BitOr, BitXor};

/// Limbs that are computed side by side.
pub const SIDE: usize = 4;

/// Some limbs of a row.
#[derive(Clone, Copy)]
pub struct Limbs([u64; SIDE]);

impl Limbs {
    /// Zeros.
    pub const ZERO: Limbs = Limbs([0; SIDE]);
    /// Ones.
    pub const ONE: Limbs = Limbs([!0; SIDE]);

    /// Limbs of a row from this one up; those that the row lacks are 0.
    #[inline(always)]
    pub fn of(row: &[u64], at: usize) -> Limbs {
        let mut limbs = [0; SIDE];
        match row.get(at..at + SIDE) {
            Some(row) => limbs.copy_from_slice(row),
            None => limbs.iter_mut().zip(row.iter().skip(at)).for_each(|(limb, row)| *limb = *row),
        }
        Limbs(limbs)
    }

    /// The same into a row.
    #[inline(always)]
    pub fn put(self, row: &mut [u64], at: usize) {
        match row.get_mut(at..at + SIDE) {
            Some(row) => row.copy_from_slice(&self.0),
            None => row.iter_mut().skip(at).zip(self.0).for_each(|(row, limb)| *row = limb),
        }
    }
}

impl Default for Limbs {
    fn default() -> Limbs {
        Limbs::ZERO
    }
}

macro_rules! bitwise {
    ($($trait:ident $function:ident)+) => {$(
        impl $trait for Limbs {
            type Output = Limbs;

            #[inline(always)]
            fn $function(self, other: Limbs) -> Limbs {
                let (Limbs([a, b, c, d]), Limbs([e, f, g, h])) = (self, other);
                Limbs([a.$function(e), b.$function(f), c.$function(g), d.$function(h)])
            }
        }
    )+};
}
bitwise! { BitAnd bitand BitOr bitor BitXor bitxor }

impl std::ops::Not for Limbs {
    type Output = Limbs;

    #[inline(always)]
    fn not(self) -> Limbs {
        self ^ Limbs::ONE
    }
}

/// Two of three bits, or all, are 1.
#[inline(always)]
pub fn majority(x: Limbs, y: Limbs, z: Limbs) -> Limbs {
    (x & y) | (z & (x | y))
}

/// One where `which` is 1, else the other.
#[inline(always)]
pub fn choose(which: Limbs, one: Limbs, zero: Limbs) -> Limbs {
    (which & one) | (!which & zero)
}
