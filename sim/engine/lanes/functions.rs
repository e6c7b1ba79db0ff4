//! What is done with lanes. The loops are plain, and of a kind that the compiler makes vector instructions from.

use super::each::Each;
use super::element::Element;
use crate::layout::Slot;

/// What is done with the operands `a`, `b`, `c` of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Function {
    /// Words as they are; `n` counts words.
    Copy,
    /// Lanes from places that are `k` apart. `n` counts lanes, `d` and `a` count from the state's first one of this
    /// size.
    Run,
    And,
    Or,
    Xor,
    AndNot,
    Add,
    Sub,
    Mul,
    /// The signs of the operands are `k` and `l`.
    MulSigned,
    Eq,
    Ne,
    /// Less, after the sign `k` of both operands was turned over.
    Lt,
    /// Greater or equal.
    Ge,
    Parity,
    /// From `k` up.
    Bits,
    /// The sign is `k`.
    Sext,
    /// `a` with the bits `l` replaced by those of `b`, which is moved up by `k`.
    Insert,
    Shl,
    Shr,
    /// `a` ? `b` : `c`; `a` may be smaller than the others.
    Mux,
    /// The field of `a` from `k` up chooses: `b`, or one of the three operands behind it if the field is the one of
    /// three bytes in `l` that is for it. The byte above them are the ones in the field.
    Choose,
    /// `a` with bit number `c`, if it is below `k`, replaced by `b`.
    SetBit,
}

/// The words of a result, and what is before and behind them.
struct Parts<'a> {
    d: &'a mut [u64],
    before: &'a [u64],
    behind: &'a [u64],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn new(s: &'a mut [u64], d: Slot, words: usize) -> Parts<'a> {
        let (before, rest) = s.split_at_mut(d as usize);
        let (d, behind) = rest.split_at_mut(words);
        Parts { d, before, behind }
    }

    /// The words of an operand.
    #[inline(always)]
    fn source(&self, at: Slot, words: usize) -> &'a [u64] {
        let (at, behind) = (at as usize, self.before.len() + self.d.len());
        if at < behind { &self.before[at..][..words] } else { &self.behind[at - behind..][..words] }
    }
}

/// `N` lanes from a place up.
#[inline(always)]
fn get<T: Element, const N: usize>(s: &[u64], at: usize) -> &[T; N] {
    T::of(&s[at..at + const { N * T::BITS / 64 }]).first_chunk().expect("as many lanes as the words have")
}

/// Puts `N` lanes, which are all computed first.
#[inline(always)]
fn put<T: Element, const N: usize>(s: &mut [u64], at: usize, lanes: [T; N]) {
    let to = T::of_mut(&mut s[at..at + const { N * T::BITS / 64 }]);
    *to.first_chunk_mut().expect("as many lanes as the words have") = lanes;
}

/// `N` lanes of a result from those of its operands.
#[inline(always)]
fn block<T: Element, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [T::cut(0); N];
    for i in 0..N {
        all[i] = f(i);
    }
    all
}

/// A function of one operand, `N` lanes at a time.
#[inline(always)]
fn one<S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64], f: impl Fn(S) -> D) {
    let (mut d, mut a) = (each.d as usize, each.from[0] as usize);
    for _ in 0..each.n {
        let x = get::<S, N>(s, a);
        let lanes = block(
            #[inline(always)]
            |i| f(x[i]),
        );
        put::<D, N>(s, d, lanes);
        d += const { N * D::BITS / 64 };
        a += const { N * S::BITS / 64 };
    }
}

/// Of two.
#[inline(always)]
fn two<S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64], f: impl Fn(S, S) -> D) {
    let (mut d, mut a, mut b) = (each.d as usize, each.from[0] as usize, each.from[1] as usize);
    for _ in 0..each.n {
        let (x, y) = (get::<S, N>(s, a), get::<S, N>(s, b));
        let lanes = block(
            #[inline(always)]
            |i| f(x[i], y[i]),
        );
        put::<D, N>(s, d, lanes);
        d += const { N * D::BITS / 64 };
        a += const { N * S::BITS / 64 };
        b += const { N * S::BITS / 64 };
    }
}

/// Of three; the last two are as large as the result.
#[inline(always)]
fn three<S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64], f: impl Fn(S, D, D) -> D) {
    let (mut d, mut a, mut at) = (each.d as usize, each.from[0] as usize, 0);
    for _ in 0..each.n {
        let x = get::<S, N>(s, a);
        let (y, z) = (get::<D, N>(s, each.from[1] as usize + at), get::<D, N>(s, each.from[2] as usize + at));
        let lanes = block(
            #[inline(always)]
            |i| f(x[i], y[i], z[i]),
        );
        put::<D, N>(s, d, lanes);
        d += const { N * D::BITS / 64 };
        at += const { N * D::BITS / 64 };
        a += const { N * S::BITS / 64 };
    }
}

/// Of five; all but the first are as large as the result.
#[inline(always)]
fn five<S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64], f: impl Fn(S, D, D, D, D) -> D) {
    let (mut d, mut a, mut at) = (each.d as usize, each.from[0] as usize, 0);
    for _ in 0..each.n {
        let x = get::<S, N>(s, a);
        // One by one: the `map` of arrays would be a function of its own, for any processor.
        let place = |operand: usize| each.from[operand] as usize + at;
        let (y, z) = (get::<D, N>(s, place(1)), get::<D, N>(s, place(2)));
        let (v, w) = (get::<D, N>(s, place(3)), get::<D, N>(s, place(4)));
        let lanes = block(
            #[inline(always)]
            |i| f(x[i], y[i], z[i], v[i], w[i]),
        );
        put::<D, N>(s, d, lanes);
        d += const { N * D::BITS / 64 };
        at += const { N * D::BITS / 64 };
        a += const { N * S::BITS / 64 };
    }
}

/// Words that are copied together.
const LINE: usize = 8;

#[inline(always)]
fn copy(s: &mut [u64], d: Slot, a: Slot, words: usize) {
    let p = Parts::new(s, d, words);
    let (from, from_rest) = p.source(a, words).as_chunks::<LINE>();
    let (to, to_rest) = p.d.as_chunks_mut::<LINE>();
    for (d, a) in to.iter_mut().zip(from) {
        *d = block(
            #[inline(always)]
            |i| a[i],
        );
    }
    to_rest.iter_mut().zip(from_rest).for_each(|(d, a)| *d = *a);
}

/// Lanes that are taken from pairs together.
const HALF: usize = 16;

/// Lanes from places at equal distances.
#[inline(always)]
fn run<T: Element>(each: &Each, s: &mut [u64]) {
    let (s, n, step) = (T::of_mut(s), each.n as usize, each.k as usize);
    let (d, a) = (each.d as usize, each.from[0] as usize);
    match step {
        0 => {
            let value = s[a];
            s[d..d + n].fill(value);
        }
        1 if n == 1 => s[d] = s[a],
        1 => s.copy_within(a..a + n, d),
        _ => {
            let (low, high) = s.split_at_mut(d.max(a));
            let (from, to) = if a < d { (&low[a..], &mut high[..n]) } else { (&high[..], &mut low[d..d + n]) };
            if step == 2 && n >= HALF && from.len() >= 2 * n {
                // As in a tree. The last ones may be fetched twice.
                for i in (0..n - HALF).step_by(HALF).chain([n - HALF]) {
                    let pairs: &[T; 2 * HALF] = from[2 * i..].first_chunk().expect("there are as many");
                    to[i..i + HALF].copy_from_slice(&block::<T, HALF>(
                        #[inline(always)]
                        |k| pairs[2 * k],
                    ));
                }
            } else {
                to.iter_mut().zip(from.iter().step_by(step)).for_each(|(d, &a)| *d = a);
            }
        }
    }
}

/// The function with number `F`, of operands that are kept in `S`; its result is kept in `D`.
#[inline(always)]
pub(super) fn lanes<const F: u8, S: Element, D: Element, const N: usize>(each: &Each, s: &mut [u64]) {
    let Each { mask, k, l, from, .. } = *each;
    // A sign bit is extended by turning it into a borrow.
    let signed = |x: S, sign: u64| (x ^ S::cut(sign)).minus(S::cut(sign));
    // The same in as many bits as the result is kept in.
    let long = |x: S, sign: u64| D::cut(signed(x, sign).extended());
    let to = |x: S| D::cut(x.word());
    let bit = |x: bool| D::cut(x.into());
    let (mask, turn, field) = (D::cut(mask), S::cut(k), D::cut(l));
    match F {
        _ if const { F == Function::Copy as u8 } => return copy(s, each.d, from[0], each.n as usize),
        _ if const { F == Function::Run as u8 } => return run::<D>(each, s),
        _ => {}
    }
    macro_rules! functions {
        ($($name:ident $count:ident |$($x:ident),+| $body:expr;)+) => {
            $(if const { F == Function::$name as u8 } {
                return $count::<S, D, N>(each, s, #[inline(always)] |$($x),+| $body);
            })+
        };
    }
    functions! {
        And two |a, b| to(a & b);
        Or two |a, b| to(a | b);
        Xor two |a, b| to(a ^ b);
        AndNot two |a, b| to(a & !b);
        Add two |a, b| to(a.plus(b)) & mask;
        Sub two |a, b| to(a.minus(b)) & mask;
        Mul two |a, b| to(a).times(to(b)) & mask;
        MulSigned two |a, b| long(a, k).times(long(b, l)) & mask;
        Eq two |a, b| bit(a == b);
        Ne two |a, b| bit(a != b);
        Lt two |a, b| bit(a ^ turn < b ^ turn);
        Ge two |a, b| bit(a ^ turn >= b ^ turn);
        Parity one |a| D::cut(a.parity());
        Bits one |a| to(a.down(k)) & mask;
        Sext one |a| to(signed(a, k)) & mask;
        Insert two |a, b| to(a) & !field | to(b).up(k) & field;
        Shl two |a, by| if by.word() < S::BITS as u64 { to(a.up(by.word())) & mask } else { D::cut(0) };
        Shr two |a, by| if by.word() < S::BITS as u64 { to(a.down(by.word())) & mask } else { D::cut(0) };
        Mux three |a, b, c| c ^ (b ^ c) & D::cut(u64::from(a.word() != 0).wrapping_neg());
        Choose five |a, b, x, y, z| {
            let is = |i: u64| a.down(k) & S::cut(l >> 24) == S::cut(l >> (8 * i) & 0xff);
            let b = if is(0) { x } else { b };
            let b = if is(1) { y } else { b };
            if is(2) { z } else { b }
        };
        SetBit three |a, bit, at| {
            let a = to(a);
            if at.word() < k { a & !D::cut(1).up(at.word()) | bit.up(at.word()) } else { a }
        };
    }
}
