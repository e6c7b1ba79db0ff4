//! Functions of lanes. The loops are plain, and of a kind that the compiler makes vector instructions from: for the processor that
//! everything is compiled for, and for two that have more. Which one there is, is asked once.

/// What is done with the operands `a`, `b`, `c` of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::sim::engine) enum Function {
    Copy,
    And,
    Or,
    Xor,
    AndNot,
    Add,
    Sub,
    Mul,
    /// Of operands of up to 32 bits.
    MulShort,
    /// The signs of the operands are `k` and `l`.
    MulSigned,
    Eq,
    Ne,
    /// Less, after the sign `k` of both operands was turned over.
    Lt,
    /// Greater or equal.
    Ge,
    /// The same of operands of less than 64 bits.
    LtShort,
    GeShort,
    Parity,
    /// From `k` up.
    Bits,
    /// The sign is `k`.
    Sext,
    /// `a` with the bits `l` replaced by those of `b`, which is moved up by `k`. The result may be at the place of `a`.
    Insert,
    Shl,
    Shr,
    /// `a` ? `b` : `c`.
    Mux,
    /// `a` with bit number `c`, if it is below `k`, replaced by `b`.
    SetBit,
}

/// The same function of each of `n` lanes. The result is at none of the operands' places.
#[derive(Clone, Copy)]
pub(in crate::sim::engine) struct Each {
    pub function: Function,
    /// Operands that have lanes, a bit each; the others are the same for all lanes.
    pub shape: u8,
    pub d: usize,
    pub n: usize,
    /// Places of the operands.
    pub from: [usize; 3],
    /// Ones in the bits of a lane.
    pub mask: u64,
    pub k: u64,
    pub l: u64,
    code: Code,
}

impl std::fmt::Debug for Each {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Each { function, shape, d, n, from, mask, k, l, .. } = self;
        write!(
            f,
            "{function:?} {{ d: {d}, n: {n}, from: {from:?}, lanes: {shape:#05b}, mask: {mask:#x}, k: {k}, l: {l} }}"
        )
    }
}

/// Code for a function and a shape.
type Code = unsafe fn(&Each, &mut [u64]);

/// Where the result is, and what is before and behind it.
struct Parts<'a> {
    each: &'a Each,
    d: &'a mut [u64],
    before: &'a [u64],
    behind: &'a [u64],
}

/// An operand.
#[derive(Clone, Copy)]
enum Source<'a> {
    Lanes(&'a [u64]),
    One(u64),
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn new(each: &'a Each, s: &'a mut [u64]) -> Parts<'a> {
        let (before, rest) = s.split_at_mut(each.d);
        let (d, behind) = rest.split_at_mut(each.n);
        Parts { each, d, before, behind }
    }

    /// Operand number `I`; of a shape that is known here.
    #[inline(always)]
    fn source<const I: usize, const SHAPE: u8>(&self) -> Source<'a> {
        let at = self.each.from[I];
        if const { SHAPE >> I & 1 == 1 } {
            let n = self.d.len();
            let behind = self.before.len() + n;
            Source::Lanes(if at < behind { &self.before[at..][..n] } else { &self.behind[at - behind..][..n] })
        } else {
            let behind = self.before.len() + self.d.len();
            Source::One(if at < behind { self.before[at] } else { self.behind[at - behind] })
        }
    }

    #[inline(always)]
    fn one<const SHAPE: u8>(&mut self, f: impl Fn(u64) -> u64) {
        one(self.d, self.source::<0, SHAPE>(), f);
    }

    #[inline(always)]
    fn two<const SHAPE: u8>(&mut self, f: impl Fn(u64, u64) -> u64) {
        two(self.d, self.source::<0, SHAPE>(), self.source::<1, SHAPE>(), f);
    }

    #[inline(always)]
    fn three<const SHAPE: u8>(&mut self, f: impl Fn(u64, u64, u64) -> u64) {
        let (a, b, c) = (self.source::<0, SHAPE>(), self.source::<1, SHAPE>(), self.source::<2, SHAPE>());
        three(self.d, a, b, c, f);
    }
}

/// The highest level of code.
const BEST: usize = 2;
/// Lanes from which on rows begin with a line of the processor's memory and end with a block.
pub(in crate::sim::engine) const LARGE: usize = 8;

/// Words that a row of lanes has.
pub(in crate::sim::engine) fn padded(lanes: usize) -> usize {
    if lanes < LARGE { lanes } else { lanes.next_multiple_of(BLOCK) }
}

/// Lanes that are computed together.
const BLOCK: usize = 16;

#[inline(always)]
fn block(d: &mut [u64; BLOCK], f: impl Fn(usize) -> u64) {
    let mut all = [0; BLOCK];
    for i in 0..BLOCK {
        all[i] = f(i);
    }
    *d = all;
}

/// A function of one operand.
#[inline(always)]
fn one(d: &mut [u64], a: Source, f: impl Fn(u64) -> u64) {
    match a {
        Source::Lanes(a) => {
            let ((blocks, rest), (a, a_rest)) = (d.as_chunks_mut::<BLOCK>(), a.as_chunks::<BLOCK>());
            for (d, a) in blocks.iter_mut().zip(a) {
                block(
                    d,
                    #[inline(always)]
                    |i| f(a[i]),
                );
            }
            for (d, a) in rest.iter_mut().zip(a_rest) {
                *d = f(*a);
            }
        }
        Source::One(a) => d.fill(f(a)),
    }
}

/// Of two.
#[inline(always)]
fn two(d: &mut [u64], a: Source, b: Source, f: impl Fn(u64, u64) -> u64) {
    match (a, b) {
        (Source::Lanes(a), Source::Lanes(b)) => {
            let (blocks, rest) = d.as_chunks_mut::<BLOCK>();
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
            for ((d, a), b) in blocks.iter_mut().zip(a).zip(b) {
                block(
                    d,
                    #[inline(always)]
                    |i| f(a[i], b[i]),
                );
            }
            for ((d, a), b) in rest.iter_mut().zip(a_rest).zip(b_rest) {
                *d = f(*a, *b);
            }
        }
        (_, Source::One(b)) => one(
            d,
            a,
            #[inline(always)]
            |a| f(a, b),
        ),
        (Source::One(a), _) => one(
            d,
            b,
            #[inline(always)]
            |b| f(a, b),
        ),
    }
}

/// Of three.
#[inline(always)]
fn three(d: &mut [u64], a: Source, b: Source, c: Source, f: impl Fn(u64, u64, u64) -> u64) {
    match (a, b, c) {
        (Source::Lanes(a), Source::Lanes(b), Source::Lanes(c)) => {
            let (blocks, rest) = d.as_chunks_mut::<BLOCK>();
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
            let (c, c_rest) = c.as_chunks::<BLOCK>();
            for (((d, a), b), c) in blocks.iter_mut().zip(a).zip(b).zip(c) {
                block(
                    d,
                    #[inline(always)]
                    |i| f(a[i], b[i], c[i]),
                );
            }
            for (((d, a), b), c) in rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest) {
                *d = f(*a, *b, *c);
            }
        }
        (.., Source::One(c)) => two(
            d,
            a,
            b,
            #[inline(always)]
            |a, b| f(a, b, c),
        ),
        (_, Source::One(b), _) => two(
            d,
            a,
            c,
            #[inline(always)]
            |a, c| f(a, b, c),
        ),
        (Source::One(a), ..) => two(
            d,
            b,
            c,
            #[inline(always)]
            |b, c| f(a, b, c),
        ),
    }
}

/// The function with number `F`.
#[inline(always)]
fn lanes<const F: u8, const SHAPE: u8>(each: &Each, s: &mut [u64]) {
    let Each { mask, k, l, d, n, from, .. } = *each;
    // A sign bit is extended by turning it into a borrow.
    let signed = |x: u64, sign: u64| (x ^ sign).wrapping_sub(sign);
    let short = |x: u64| x & u64::from(u32::MAX);
    let difference = |a: u64, b: u64| (a ^ k).wrapping_sub(b ^ k) >> 63;
    if const { F == Function::Insert as u8 && SHAPE & 1 == 1 } && from[0] == d {
        // In place.
        let parts = Parts::new(each, s);
        match parts.source::<1, SHAPE>() {
            Source::Lanes(b) => (0..n).for_each(|i| parts.d[i] = parts.d[i] & !l | b[i] << (k & 63) & l),
            Source::One(b) => parts.d.iter_mut().for_each(|d| *d = *d & !l | b << (k & 63) & l),
        }
        return;
    }
    let p = &mut Parts::new(each, s);
    macro_rules! functions {
        ($($name:ident $count:ident |$($x:ident),+| $body:expr;)+) => {
            $(if const { F == Function::$name as u8 } {
                return p.$count::<SHAPE>(#[inline(always)] |$($x),+| $body);
            })+
        };
    }
    functions! {
        Copy one |a| a;
        And two |a, b| a & b;
        Or two |a, b| a | b;
        Xor two |a, b| a ^ b;
        AndNot two |a, b| a & !b;
        Add two |a, b| a.wrapping_add(b) & mask;
        Sub two |a, b| a.wrapping_sub(b) & mask;
        Mul two |a, b| a.wrapping_mul(b) & mask;
        MulShort two |a, b| short(a).wrapping_mul(short(b)) & mask;
        MulSigned two |a, b| signed(a, k).wrapping_mul(signed(b, l)) & mask;
        Eq two |a, b| u64::from(a == b);
        Ne two |a, b| u64::from(a != b);
        Lt two |a, b| u64::from(a ^ k < b ^ k);
        Ge two |a, b| u64::from(a ^ k >= b ^ k);
        LtShort two |a, b| difference(a, b);
        GeShort two |a, b| difference(a, b) ^ 1;
        Parity one |a| u64::from(a.count_ones() & 1);
        Bits one |a| a >> (k & 63) & mask;
        Sext one |a| signed(a, k) & mask;
        Insert two |a, b| a & !l | b << (k & 63) & l;
        Shl two |a, by| if by < 64 { a << by & mask } else { 0 };
        Shr two |a, by| if by < 64 { a >> by & mask } else { 0 };
        Mux three |a, b, c| c ^ (b ^ c) & u64::from(a != 0).wrapping_neg();
        SetBit three |a, bit, at| if at < k { a & !(1 << at) | bit << at } else { a };
    }
}

/// For any processor.
fn plain<const F: u8, const SHAPE: u8>(each: &Each, s: &mut [u64]) {
    lanes::<F, SHAPE>(each, s);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<const F: u8, const SHAPE: u8>(each: &Each, s: &mut [u64]) {
    lanes::<F, SHAPE>(each, s);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<const F: u8, const SHAPE: u8>(each: &Each, s: &mut [u64]) {
    lanes::<F, SHAPE>(each, s);
}

/// The code for a function and a shape.
macro_rules! code {
    ($level:ident, $function:expr, $shape:expr) => {
        code!($level, $function, $shape,
            [Copy 1, And 1 2 3, Or 1 2 3, Xor 1 2 3, AndNot 1 2 3, Add 1 2 3, Sub 1 2 3, Mul 1 2 3, MulShort 1 2 3, MulSigned 1 2 3,
             Eq 1 2 3, Ne 1 2 3, Lt 1 2 3, Ge 1 2 3, LtShort 1 2 3, GeShort 1 2 3, Parity 1, Bits 1, Sext 1, Insert 1 2 3,
             Shl 1 2 3, Shr 1 2 3, Mux 1 3 5 7, SetBit 1 2 3 4 5 6 7])
    };
    ($level:ident, $function:expr, $shape:expr, [$($name:ident $($number:literal)+),+]) => {
        match ($function, $shape) {
            $($((Function::$name, $number) => $level::<{ Function::$name as u8 }, $number>,)+)+
            (function, shape) => unreachable!("{function:?} of operands {shape}"),
        }
    };
}

impl Each {
    /// The lanes of `d` are a function of operands at these places.
    pub fn new(
        function: Function,
        shape: u8,
        (d, n): (usize, usize),
        from: [usize; 3],
        mask: u64,
        (k, l): (u64, u64),
    ) -> Each {
        // Tests run all of them.
        let level = if cfg!(test) { d % 3 } else { BEST };
        Each { function, shape, d, n, from, mask, k, l, code: Each::code(function, shape, level) }
    }

    /// The lanes of `d` are those at `a`, which are not the same.
    pub fn copy(d: usize, a: usize, n: usize) -> Each {
        Each::new(Function::Copy, 1, (d, n), [a, 0, 0], 0, (0, 0))
    }

    /// The best code of a level that this processor has.
    fn code(function: Function, shape: u8, level: usize) -> Code {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            let wide = wide && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl");
            match level {
                2 if wide => return code!(avx512, function, shape),
                1.. if is_x86_feature_detected!("avx2") => return code!(avx2, function, shape),
                _ => {}
            }
        }
        code!(plain, function, shape)
    }

    /// Carries it out.
    #[inline(always)]
    pub fn run(&self, s: &mut [u64]) {
        // SAFETY: code for particular processors was chosen only if this one is of their kind.
        unsafe { (self.code)(self, s) }
    }
}

/// Lanes from places at equal distances.
pub(in crate::sim::engine) fn run(s: &mut [u64], d: usize, a: usize, step: usize, n: usize) {
    match step {
        0 => {
            let value = s[a];
            s[d..d + n].fill(value);
        }
        1 => s.copy_within(a..a + n, d),
        _ => {
            let (low, high) = s.split_at_mut(d.max(a));
            let (from, to) = if a < d { (&low[a..], &mut high[..n]) } else { (&high[..], &mut low[d..d + n]) };
            to.iter_mut().zip(from.iter().step_by(step)).for_each(|(d, &a)| *d = a);
        }
    }
}
