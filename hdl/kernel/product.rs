//! Signed numbers that blocks multiply. rust-hdl multiplies 16 by 16 bits only; multipliers of FPGAs are wider.

use rust_hdl_core::prelude::*;

use super::bits::Word;
use super::packed::Packed;

/// A signed number of at most 64 bits, in two's complement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Integer<const BITS: usize>(i64);

impl<const BITS: usize> Integer<BITS> {
    const SHAPE: () = assert!(BITS > 0 && BITS <= 64, "BITS must be 1 to 64");

    /// The number with this pattern; bits above its width are dropped.
    #[inline(never)]
    pub fn from_pattern(pattern: u64) -> Self {
        let () = Self::SHAPE;
        let spare = 64 - BITS;
        Integer((pattern << spare) as i64 >> spare)
    }

    /// The number.
    pub fn value(self) -> i64 {
        self.0
    }

    /// Its pattern.
    pub fn pattern(self) -> u64 {
        self.0 as u64 & (u64::MAX >> (64 - BITS))
    }
}

impl<const BITS: usize> Synth for Integer<BITS> {
    const BITS: usize = BITS;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("Integer::<{BITS}>"), kind: TypeKind::Signed(BITS) }
    }

    #[inline(never)]
    fn vcd(self) -> VCDValue {
        Word::<BITS, 1>::from(self.pattern()).vcd()
    }

    #[inline(never)]
    fn verilog(self) -> VerilogLiteral {
        self.pattern().into()
    }
}

impl<const BITS: usize> Packed for Integer<BITS> {
    fn limbs_into(&self, limbs: &mut [u64]) {
        limbs.fill(0);
        limbs[0] = self.pattern();
    }

    fn from_packed(limbs: &[u64]) -> Self {
        Integer::from_pattern(limbs.first().copied().unwrap_or(0))
    }
}

macro_rules! products {
    ($($a:literal $b:literal $product:literal;)+) => {$(
        impl std::ops::Mul<Integer<$b>> for Integer<$a> {
            type Output = Integer<$product>;
            #[inline(never)]
            fn mul(self, rhs: Integer<$b>) -> Integer<$product> {
                Integer::from_pattern(self.0.wrapping_mul(rhs.0) as u64)
            }
        }
    )+};
}

// Rust has no sums of constant parameters: a line for each pair of widths that a block needs.
products! {
    18 18 36;
}

/// A word as a signed number. (`#[hdl_gen]` knows this cast, and the next, by how their names begin.)
#[inline(never)]
pub fn signed_cast_word<const BITS: usize>(x: Word<BITS, 1>) -> Integer<BITS> {
    Integer::from_pattern(x.limbs()[0])
}

/// A signed number's pattern.
#[inline(never)]
pub fn unsigned_cast_integer<const BITS: usize>(x: Integer<BITS>) -> Word<BITS, 1> {
    Word::from(x.pattern())
}

/// A signed number with more bits, or fewer; `#[hdl_gen]` wants it alone on the right of an assignment.
#[inline(never)]
pub fn signed_bit_cast_integer<const TO: usize, const FROM: usize>(x: Integer<FROM>) -> Integer<TO> {
    Integer::from_pattern(x.0 as u64)
}
