//! Words whose width is set at run time, under types of their own: rustc tells a row from a beat, the elaborator checks
//! their widths.
//!
//! A width holds for a thread from [`Widths::set`] until that is dropped: blocks are built, updated and elaborated in
//! between. rust-hdl's `Synth::BITS` is a constant, which is 0 here: what asks for a width asks [`Packed::width`] or
//! the type's descriptor.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

use super::bits::MAX_BITS;
use super::packed::{Packed, RowWord};

/// What words are for.
pub trait Kind: Copy + fmt::Debug + PartialEq + 'static {
    /// Its place in the table.
    const AT: usize;
    /// Its name.
    const NAME: &'static str;
}

/// A word with a place in the table.
pub trait Named {
    /// The place.
    const AT: usize;
    /// The most bits.
    const MOST: usize;
    /// Its name.
    const NAME: &'static str;
}

impl<K: Kind, const LIMBS: usize> Named for Nominal<K, LIMBS> {
    const AT: usize = K::AT;
    const MOST: usize = 64 * LIMBS;
    const NAME: &'static str = K::NAME;
}

const KINDS: usize = 10;

macro_rules! kinds {
    ($($(#[$doc:meta])* $word:ident $kind:ident $at:literal $limbs:literal;)+) => {$(
        /// Kind of word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $kind;
        impl Kind for $kind {
            const AT: usize = $at;
            const NAME: &'static str = stringify!($word);
        }
        $(#[$doc])*
        pub type $word = Nominal<$kind, $limbs>;
    )+};
}

kinds! {
    /// A row of an array: a bit for each column.
    Row RowKind 0 8;
    /// A beat of a row port.
    Beat BeatKind 1 8;
    /// A beat of the memory bus.
    Bus BusKind 2 8;
    /// A bit for each byte of it.
    Strobe StrobeKind 3 1;
    /// Number of a word or slice of a tile.
    TileIndex TileIndexKind 4 1;
    /// A block of a compute cache.
    CacheBlock CacheBlockKind 5 8;
    /// A bit for each way of a cache.
    CacheWays CacheWaysKind 6 1;
    /// A tag of a cache with the state of its line.
    CacheTag CacheTagKind 7 1;
    /// What a cache knows of the order of accesses to a set.
    CacheOrder CacheOrderKind 8 1;
    /// A bit for each port of a cache.
    CachePorts CachePortsKind 9 1;
}

thread_local! {
    static WIDTHS: Cell<[u16; KINDS]> = const { Cell::new([0; KINDS]) };
}

/// Widths of kinds, for as long as it lives.
#[must_use]
pub struct Widths([u16; KINDS]);

impl Widths {
    /// Widths of a bus.
    pub fn bus(self, bits: usize) -> Self {
        self.set::<Bus>(bits).set::<Strobe>(bits / 8)
    }

    /// Keeps the widths that hold.
    pub fn keep() -> Self {
        Widths(WIDTHS.get())
    }

    /// Sets a width.
    pub fn set<T: Named>(self, bits: usize) -> Self {
        assert!(bits > 0 && bits <= T::MOST, "{bits} bits of a {}", T::NAME);
        let mut widths = WIDTHS.get();
        widths[T::AT] = bits as u16;
        WIDTHS.set(widths);
        self
    }
}

/// The widths that held when it was taken.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot([u16; KINDS]);

impl Snapshot {
    /// Takes it.
    pub fn take() -> Self {
        Snapshot(WIDTHS.get())
    }

    /// Lets them hold again.
    pub fn enter(self) -> Widths {
        let before = Widths::keep();
        WIDTHS.set(self.0);
        before
    }
}

/// A type's bits. `Atom::bits` is a constant of the type, which words of run-time width do not know.
pub fn bits_of(descriptor: &TypeDescriptor) -> u32 {
    match &descriptor.kind {
        TypeKind::Bits(bits) | TypeKind::Signed(bits) => *bits as u32,
        TypeKind::Enum(names) => usize::BITS - (names.len() - 1).leading_zeros(),
        TypeKind::Composite(fields) => fields.iter().map(|field| bits_of(&field.kind)).sum(),
    }
}

impl Drop for Widths {
    fn drop(&mut self) {
        WIDTHS.set(self.0);
    }
}

#[inline(never)]
fn width(at: usize, name: &str) -> usize {
    let bits = WIDTHS.get()[at];
    assert!(bits > 0, "no width is set for {name}");
    bits.into()
}

/// A word of at most 64 · `LIMBS` bits; bits above its width are always 0.
#[derive(Clone, Copy, PartialEq)]
pub struct Nominal<K: Kind, const LIMBS: usize> {
    limbs: [u64; LIMBS],
    bits: u16,
    kind: PhantomData<K>,
}

impl<K: Kind, const LIMBS: usize> Nominal<K, LIMBS> {
    fn make(mut limbs: [u64; LIMBS], bits: u16) -> Self {
        cut(&mut limbs, bits.into());
        Nominal { limbs, bits, kind: PhantomData }
    }

    fn zip(self, rhs: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.bits, rhs.bits, "widths of {}", K::NAME);
        Self::make(std::array::from_fn(|i| f(self.limbs[i], rhs.limbs[i])), self.bits)
    }

    fn like(self, value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[0] = value;
        Self::make(limbs, self.bits)
    }

    /// The value as an index.
    pub fn index(&self) -> usize {
        self.limbs[0] as usize
    }
}

#[inline(never)]
fn cut(limbs: &mut [u64], bits: usize) {
    for (i, limb) in limbs.iter_mut().enumerate() {
        let kept = bits.saturating_sub(64 * i);
        if kept < 64 {
            *limb &= (1 << kept) - 1;
        }
    }
}

#[inline(never)]
fn up(limbs: &mut [u64], by: u64) {
    let (whole, bits) = ((by / 64) as usize, by % 64);
    for i in (0..limbs.len()).rev() {
        let at = |from: Option<usize>| from.map_or(0, |from| limbs[from]);
        let low = if bits > 0 { at(i.checked_sub(whole + 1)) >> (64 - bits) } else { 0 };
        limbs[i] = at(i.checked_sub(whole)) << bits | low;
    }
}

#[inline(never)]
fn down(limbs: &mut [u64], by: u64) {
    let (whole, bits) = ((by / 64) as usize, by % 64);
    for i in 0..limbs.len() {
        let at = |from: usize| limbs.get(from).copied().unwrap_or(0);
        let high = if bits > 0 { at(i + whole + 1) << (64 - bits) } else { 0 };
        limbs[i] = at(i + whole) >> bits | high;
    }
}

impl<K: Kind, const LIMBS: usize> Default for Nominal<K, LIMBS> {
    #[inline(never)]
    fn default() -> Self {
        Nominal { limbs: [0; LIMBS], bits: width(K::AT, K::NAME) as u16, kind: PhantomData }
    }
}

impl<K: Kind, const LIMBS: usize> fmt::Debug for Nominal<K, LIMBS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'h{:x}", self.bits, big(&self.limbs))
    }
}

#[inline(never)]
fn big(limbs: &[u64]) -> BigUint {
    BigUint::from_slice(&limbs.iter().flat_map(|&l| [l as u32, (l >> 32) as u32]).collect::<Vec<_>>())
}

impl<K: Kind, const LIMBS: usize> From<u64> for Nominal<K, LIMBS> {
    #[inline(never)]
    fn from(value: u64) -> Self {
        Self::default().like(value)
    }
}

macro_rules! bitwise {
    ($($trait:ident $method:ident $op:tt),+) => {$(
        impl<K: Kind, const LIMBS: usize> $trait for Nominal<K, LIMBS> {
            type Output = Self;
            #[inline(never)]
            fn $method(self, rhs: Self) -> Self { self.zip(rhs, |a, b| a $op b) }
        }
    )+};
}

bitwise!(BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl<K: Kind, const LIMBS: usize> Not for Nominal<K, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn not(self) -> Self {
        Self::make(self.limbs.map(|limb| !limb), self.bits)
    }
}

impl<K: Kind, const LIMBS: usize> Add for Nominal<K, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn add(self, rhs: Self) -> Self {
        let mut carry = false;
        let limbs = std::array::from_fn(|i| {
            let (sum, c1) = self.limbs[i].overflowing_add(rhs.limbs[i]);
            let (sum, c2) = sum.overflowing_add(carry.into());
            carry = c1 || c2;
            sum
        });
        Self::make(limbs, self.bits)
    }
}

impl<K: Kind, const LIMBS: usize> Add<u64> for Nominal<K, LIMBS> {
    type Output = Self;
    fn add(self, rhs: u64) -> Self {
        self + self.like(rhs)
    }
}

impl<K: Kind, const LIMBS: usize> Sub<u64> for Nominal<K, LIMBS> {
    type Output = Self;
    fn sub(self, rhs: u64) -> Self {
        self + !self.like(rhs) + self.like(1)
    }
}

impl<K: Kind, const LIMBS: usize> Shl<u64> for Nominal<K, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shl(mut self, by: u64) -> Self {
        up(&mut self.limbs, by);
        Self::make(self.limbs, self.bits)
    }
}

impl<K: Kind, const LIMBS: usize> Shr<u64> for Nominal<K, LIMBS> {
    type Output = Self;
    #[inline(never)]
    fn shr(mut self, by: u64) -> Self {
        down(&mut self.limbs, by);
        self
    }
}

impl<K: Kind, const LIMBS: usize, const M: usize> Shl<Bits<M>> for Nominal<K, LIMBS> {
    type Output = Self;
    fn shl(self, by: Bits<M>) -> Self {
        self << by.to_u64()
    }
}

impl<K: Kind, const LIMBS: usize, const M: usize> Shr<Bits<M>> for Nominal<K, LIMBS> {
    type Output = Self;
    fn shr(self, by: Bits<M>) -> Self {
        self >> by.to_u64()
    }
}

impl<K: Kind, const LIMBS: usize> PartialEq<u64> for Nominal<K, LIMBS> {
    fn eq(&self, other: &u64) -> bool {
        *self == self.like(*other)
    }
}

impl<K: Kind, const LIMBS: usize> Synth for Nominal<K, LIMBS> {
    const BITS: usize = 0;

    fn descriptor() -> TypeDescriptor {
        let bits = width(K::AT, K::NAME);
        TypeDescriptor { name: format!("{}::<{bits}>", K::NAME), kind: TypeKind::Bits(bits) }
    }

    /// What `#[hdl_gen]` asks of a cast's value.
    fn bits(self) -> usize {
        self.bits.into()
    }

    #[inline(never)]
    fn vcd(self) -> VCDValue {
        let bit = |i: usize| match VCDValue::from(self.limbs[i / 64] >> (i % 64) & 1 == 1) {
            VCDValue::Single(value) => value,
            _ => unreachable!("a bool is a single value"),
        };
        VCDValue::Vector((0..self.bits.into()).rev().map(bit).collect())
    }

    #[inline(never)]
    fn verilog(self) -> VerilogLiteral {
        if self.bits <= 64 { self.limbs[0].into() } else { Bits::<MAX_BITS>::from(big(&self.limbs)).into() }
    }
}

impl<K: Kind, const LIMBS: usize> Packed for Nominal<K, LIMBS> {
    fn width() -> usize {
        width(K::AT, K::NAME)
    }

    fn limbs_into(&self, limbs: &mut [u64]) {
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = self.limbs.get(i).copied().unwrap_or(0);
        }
    }

    fn from_packed(limbs: &[u64]) -> Self {
        let limbs = std::array::from_fn(|i| limbs.get(i).copied().unwrap_or(0));
        Self::make(limbs, Self::width() as u16)
    }
}

impl<K: Kind, const LIMBS: usize> RowWord for Nominal<K, LIMBS> {
    fn any(&self) -> bool {
        self.limbs.iter().any(|&limb| limb != 0)
    }

    fn get_bit(&self, index: usize) -> bool {
        assert!(index < self.bits.into(), "bit {index} of a {} of {}", K::NAME, self.bits);
        self.limbs[index / 64] >> (index % 64) & 1 == 1
    }

    fn replace_bit(&self, index: usize, value: bool) -> Self {
        let mut limbs = self.limbs;
        let bit = 1 << (index % 64);
        limbs[index / 64] = if value { limbs[index / 64] | bit } else { limbs[index / 64] & !bit };
        Self::make(limbs, self.bits)
    }
}
