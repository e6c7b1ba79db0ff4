//! What instructions do with a record, or with operands of several limbs.

use super::code::{Slot, Tables};
use super::state::{State, WIDE};
use super::stream::AHEAD;

/// The number of which these are the halves.
#[inline(always)]
pub(super) fn long(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// `d` ← `a`.
#[inline(always)]
pub(super) fn copy<S: State + ?Sized>(s: &mut S, &[d, a]: &[u32; 2]) {
    s.put(d, s.get(a));
}

/// `d` ← bits of `a` from `low` up.
#[inline(always)]
pub(super) fn field<S: State + ?Sized>(s: &mut S, &[d, a, low, m0, m1]: &[u32; 5]) {
    s.put(d, s.get(a) >> (low & 63) & long(m0, m1));
}

/// `d` ← whether bits of `a` from `low` up equal `b`, or differ.
#[inline(always)]
pub(super) fn test<S: State + ?Sized>(s: &mut S, &[d, a, b, low, unequal, m0, m1]: &[u32; 7]) {
    let equal = s.get(a) >> (low & 63) & long(m0, m1) == s.get(b);
    s.put(d, u64::from(u32::from(equal) ^ unequal));
}

/// `d` ← `c` ? `a` : `b`, without a branch, which would be taken one way or the other at random.
#[inline(always)]
pub(super) fn mux<S: State + ?Sized>(s: &mut S, &[d, c, a, b]: &[u32; 4]) {
    let (a, b) = (s.get(a), s.get(b));
    s.put(d, b ^ ((a ^ b) & s.get(c).wrapping_neg()));
}

/// The same with `n` limbs.
#[inline(always)]
pub(super) fn wide_mux<S: State + ?Sized>(s: &mut S, &[d, c, a, b, n]: &[u32; 5]) {
    let a = if s.get(c) != 0 { a } else { b };
    if a != d {
        each(n, s, d, a, a, |a, _| a);
    }
}

/// `d` ← `a` + `sign` · `b`.
#[inline(always)]
pub(super) fn sum<S: State + ?Sized>(s: &mut S, &[d, a, b, sign, m0, m1]: &[u32; 6]) {
    s.put(d, s.get(a).wrapping_add(s.get(b).wrapping_mul(sign as i32 as u64)) & long(m0, m1));
}

/// `d` ← word `a` of memory `m`.
#[inline(always)]
pub(super) fn word<S: State + ?Sized>(s: &mut S, tables: &Tables, words: &[u64], &[d, a, m]: &[u32; 3]) {
    let word = tables.memories[m as usize].read(words, s.get(a));
    s.put(d, word.map_or(0, |word| word[0]));
}

/// The same with several limbs.
#[inline(always)]
pub(super) fn wide_word<S: State + ?Sized>(s: &mut S, tables: &Tables, words: &[u64], &[d, a, m]: &[u32; 3]) {
    let m = &tables.memories[m as usize];
    match m.read(words, s.get(a)).map(|word| (<[u64; WIDE]>::try_from(word), word)) {
        Some((Ok(four), _)) => s.put_four(d, four),
        Some((_, word)) => s.all()[d as usize..][..m.limbs].copy_from_slice(word),
        None => s.all()[d as usize..][..m.limbs].fill(0),
    }
}

/// `d` ← what is at the place that stands in the table of places, from `from` up, at the number that is in `a` from
/// `low` up.
#[inline(always)]
pub(super) fn choice<S: State + ?Sized>(s: &mut S, tables: &Tables, &[d, a, from, low, m0, m1]: &[u32; 6]) {
    let number = s.get(a) >> (low & 63) & long(m0, m1);
    s.put(d, s.get(tables.places[from as usize + number as usize]));
}

/// `d` ← the bit of a table at the number that three bits are.
#[inline(always)]
pub(super) fn table3<S: State + ?Sized>(s: &mut S, &[d, a, b, c, table]: &[u32; 5]) {
    let at = s.get(a) | s.get(b) << 1 | s.get(c) << 2;
    s.put(d, u64::from(table >> (at & 31) & 1));
}

/// The same with five bits.
#[inline(always)]
pub(super) fn table5<S: State + ?Sized>(s: &mut S, &[d, table, a, b, c, e, f]: &[u32; 7]) {
    let at = s.get(a) | s.get(b) << 1 | s.get(c) << 2 | s.get(e) << 3 | s.get(f) << 4;
    s.put(d, u64::from(table >> (at & 31) & 1));
}

/// Full adders, limb by limb: operands x, y, c; results sum, majority and, with `all`, x ⊕ y, x + y, x · y, c · (x +
/// y).
#[inline(always)]
pub(super) fn add<S: State + ?Sized>(s: &mut S, n: u32, w: &[u32; AHEAD], all: bool) {
    let results = if all { 6 } else { 2 };
    let mut from = 0;
    while from + WIDE as u32 <= n {
        let (x, y, c) = (s.four(w[2] + from), s.four(w[3] + from), s.four(w[4] + from));
        let mut four = [[0; WIDE]; 6];
        for i in 0..WIDE {
            for (result, value) in four.iter_mut().zip(full_adder(x[i], y[i], c[i])) {
                result[i] = value;
            }
        }
        for (i, value) in four.into_iter().take(results).enumerate() {
            s.put_four(w[5 + i] + from, value);
        }
        from += WIDE as u32;
    }
    for limb in from..n {
        let values = full_adder(s.get(w[2] + limb), s.get(w[3] + limb), s.get(w[4] + limb));
        for (i, value) in values.into_iter().take(results).enumerate() {
            s.put(w[5 + i] + limb, value);
        }
    }
}

#[inline(always)]
fn full_adder(x: u64, y: u64, c: u64) -> [u64; 6] {
    let (differ, either, both) = (x ^ y, x | y, x & y);
    [differ ^ c, both | c & either, differ, either, both, c & either]
}

/// The masks of the words that differ, together; remembers the words.
#[inline(always)]
pub(super) fn look<S: State + ?Sized>(s: &mut S, &[a, seen, masks_at, n]: &[u32; 4], masks: &[u64]) -> u64 {
    let (now, rest) = s.all().split_at_mut(seen as usize);
    let n = n as usize;
    let (now, seen, masks) = (&now[a as usize..][..n], &mut rest[..n], &masks[masks_at as usize..][..n]);
    let mut due = 0;
    // Word by word: most of them were just written so, and a processor waits when it reads more at once than was
    // written.
    for ((now, seen), mask) in now.iter().zip(seen).zip(masks) {
        if now != seen {
            due |= mask;
            *seen = *now;
        }
    }
    due
}

/// Limb by limb; operands and result may be the same value.
#[inline(always)]
pub(super) fn each<S: State + ?Sized>(n: u32, s: &mut S, d: Slot, a: Slot, b: Slot, f: impl Fn(u64, u64) -> u64) {
    if n as usize == WIDE {
        let (x, y) = (s.four(a), s.four(b));
        return s.put_four(d, std::array::from_fn(|i| f(x[i], y[i])));
    }
    let mut from = 0;
    while from + WIDE as u32 <= n {
        let (x, y) = (s.four(a + from), s.four(b + from));
        s.put_four(d + from, std::array::from_fn(|i| f(x[i], y[i])));
        from += WIDE as u32;
    }
    for i in from..n {
        s.put(d + i, f(s.get(a + i), s.get(b + i)));
    }
}
