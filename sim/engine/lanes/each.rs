//! Functions of lanes. The loops are plain, and of a kind that the compiler makes vector instructions from.

/// An operand: lanes from a place up, or the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim::engine) enum Operand {
    Lanes(usize),
    One(usize),
}

/// What is done with the operands `a`, `b`, `c` of a lane. Signs are given as the value of the highest bit of a signed operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim::engine) enum Function {
    And,
    Or,
    Xor,
    AndNot,
    Add,
    Sub,
    Mul,
    /// Of operands of up to 32 bits.
    MulShort,
    MulSigned(u64, u64),
    Eq,
    Ne,
    /// Less; of signed operands, both are changed by the sign bit first.
    Lt(u64),
    /// Greater or equal.
    Ge(u64),
    /// The same of operands of less than 64 bits.
    LtShort(u64),
    GeShort(u64),
    /// `a` ? `b` : `c`.
    Mux,
    Parity,
    Bits(u32),
    Shl,
    Shr,
    /// `a` with bit number `c`, of so many, replaced by `b`.
    SetBit(u32),
    /// `a` with the bits of the mask replaced by those of `b`, which is moved up.
    Insert(u32, u64),
    Sext(u64),
}

/// The same function of each of `n` lanes. The result is at none of the operands' places, but for parts that are inserted one after
/// the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim::engine) struct Each {
    pub function: Function,
    pub d: usize,
    pub n: usize,
    pub a: Operand,
    pub b: Operand,
    pub c: Operand,
    /// Ones in the bits of a lane.
    pub mask: u64,
    pub level: Level,
}

/// Instructions that a processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim::engine) enum Level {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best that this processor has.
    pub fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            if std::env::var_os("PLAIN").is_some() { return Level::Plain; }
            if std::env::var_os("AVX2").is_some() { return Level::Avx2; }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Plain
    }
}

/// Lanes of an operand.
#[derive(Clone, Copy)]
enum Source<'a> {
    Lanes(&'a [u64]),
    One(u64),
}

/// The result's lanes, and what is before and behind them.
struct Parts<'a> {
    d: &'a mut [u64],
    from: usize,
    before: &'a [u64],
    behind: &'a [u64],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn new(s: &'a mut [u64], from: usize, n: usize) -> Parts<'a> {
        let (before, rest) = s.split_at_mut(from);
        let (d, behind) = rest.split_at_mut(n);
        Parts { d, from, before, behind }
    }

    /// The words from a place up, as many as the result has.
    #[inline(always)]
    fn words(&self, at: usize, n: usize) -> &'a [u64] {
        if at < self.from { &self.before[at..][..n] } else { &self.behind[at - self.from - self.d.len()..][..n] }
    }

    #[inline(always)]
    fn source(&self, operand: Operand) -> Source<'a> {
        match operand {
            Operand::Lanes(at) => Source::Lanes(self.words(at, self.d.len())),
            Operand::One(at) => Source::One(self.words(at, 1)[0]),
        }
    }
}

/// Lanes that are computed together.
const BLOCK: usize = 16;

/// Of one operand.
#[inline(always)]
fn one(p: &mut Parts, a: Operand, f: impl Fn(u64) -> u64) {
    match p.source(a) {
        Source::Lanes(a) => {
            let (blocks, rest) = p.d.as_chunks_mut::<BLOCK>();
            let (a, a_rest) = a.as_chunks::<BLOCK>();
            for (d, a) in blocks.iter_mut().zip(a) {
                block(d, #[inline(always)] |i| f(a[i]));
            }
            for (d, a) in rest.iter_mut().zip(a_rest) {
                *d = f(*a);
            }
        }
        Source::One(a) => p.d.fill(f(a)),
    }
}

#[inline(always)]
fn block(d: &mut [u64; BLOCK], f: impl Fn(usize) -> u64) {
    let mut all = [0; BLOCK];
    for i in 0..BLOCK {
        all[i] = f(i);
    }
    *d = all;
}

/// Of two.
#[inline(always)]
fn two(p: &mut Parts, a: Operand, b: Operand, f: impl Fn(u64, u64) -> u64) {
    match (p.source(a), p.source(b)) {
        (Source::Lanes(a), Source::Lanes(b)) => {
            let (blocks, rest) = p.d.as_chunks_mut::<BLOCK>();
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
            for ((d, a), b) in blocks.iter_mut().zip(a).zip(b) {
                block(d, #[inline(always)] |i| f(a[i], b[i]));
            }
            for ((d, a), b) in rest.iter_mut().zip(a_rest).zip(b_rest) {
                *d = f(*a, *b);
            }
        }
        (_, Source::One(b)) => one(p, a, #[inline(always)] |a| f(a, b)),
        (Source::One(a), _) => one(p, b, #[inline(always)] |b| f(a, b)),
    }
}

/// Of three.
#[inline(always)]
fn three(p: &mut Parts, a: Operand, b: Operand, c: Operand, f: impl Fn(u64, u64, u64) -> u64) {
    match (p.source(a), p.source(b), p.source(c)) {
        (Source::Lanes(a), Source::Lanes(b), Source::Lanes(c)) => {
            let (blocks, rest) = p.d.as_chunks_mut::<BLOCK>();
            let ((a, a_rest), (b, b_rest), (c, c_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>(), c.as_chunks::<BLOCK>());
            for (((d, a), b), c) in blocks.iter_mut().zip(a).zip(b).zip(c) {
                block(d, #[inline(always)] |i| f(a[i], b[i], c[i]));
            }
            for (((d, a), b), c) in rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest) {
                *d = f(*a, *b, *c);
            }
        }
        (_, _, Source::One(c)) => two(p, a, b, #[inline(always)] |a, b| f(a, b, c)),
        (_, Source::One(b), _) => two(p, a, c, #[inline(always)] |a, c| f(a, b, c)),
        (Source::One(a), ..) => two(p, b, c, #[inline(always)] |b, c| f(a, b, c)),
    }
}

impl Each {
    /// Carries it out.
    pub fn run(&self, s: &mut [u64]) {
        match self.level {
            Level::Plain => self.lanes(s),
            // SAFETY: the processor was asked for these when the level was chosen.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { self.avx2(s) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Level::Avx512 => unsafe { self.avx512(s) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn avx2(&self, s: &mut [u64]) {
        self.lanes(s);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512(&self, s: &mut [u64]) {
        self.lanes(s);
    }

    #[inline(always)]
    fn lanes(&self, s: &mut [u64]) {
        let Each { function, d, n, a, b, c, mask, .. } = *self;
        if let Function::Insert(low, field) = function {
            return insert(s, self, low, field);
        }
        let p = &mut Parts::new(s, d, n);
        // A sign bit is extended by turning it into a borrow.
        let signed = |x: u64, sign: u64| (x ^ sign).wrapping_sub(sign);
        match function {
            Function::And => two(p, a, b, |a, b| a & b),
            Function::Or => two(p, a, b, |a, b| a | b),
            Function::Xor => two(p, a, b, |a, b| a ^ b),
            Function::AndNot => two(p, a, b, |a, b| a & !b),
            Function::Add => two(p, a, b, |a, b| a.wrapping_add(b) & mask),
            Function::Sub => two(p, a, b, |a, b| a.wrapping_sub(b) & mask),
            Function::Mul => two(p, a, b, |a, b| a.wrapping_mul(b) & mask),
            Function::MulShort => two(p, a, b, |a, b| (a & u64::from(u32::MAX)) * (b & u64::from(u32::MAX)) & mask),
            Function::MulSigned(i, j) => two(p, a, b, |a, b| signed(a, i).wrapping_mul(signed(b, j)) & mask),
            Function::Eq => two(p, a, b, |a, b| u64::from(a == b)),
            Function::Ne => two(p, a, b, |a, b| u64::from(a != b)),
            Function::Lt(sign) => two(p, a, b, |a, b| u64::from(a ^ sign < b ^ sign)),
            Function::Ge(sign) => two(p, a, b, |a, b| u64::from(a ^ sign >= b ^ sign)),
            Function::LtShort(sign) => two(p, a, b, |a, b| (a ^ sign).wrapping_sub(b ^ sign) >> 63),
            Function::GeShort(sign) => two(p, a, b, |a, b| ((a ^ sign).wrapping_sub(b ^ sign) >> 63) ^ 1),
            Function::Mux => three(p, a, b, c, |a, b, c| c ^ (b ^ c) & u64::from(a != 0).wrapping_neg()),
            Function::Parity => one(p, a, |a| u64::from(a.count_ones() & 1)),
            Function::Bits(low) => one(p, a, |a| a >> (low & 63) & mask),
            Function::Shl => two(p, a, b, |a, by| if by < 64 { a << by & mask } else { 0 }),
            Function::Shr => two(p, a, b, |a, by| if by < 64 { a >> by & mask } else { 0 }),
            Function::SetBit(width) => three(p, a, b, c, |a, bit, at| {
                if at < u64::from(width) { a & !(1 << at) | bit << at } else { a }
            }),
            Function::Sext(sign) => one(p, a, |a| signed(a, sign) & mask),
            Function::Insert(..) => {}
        }
    }
}

/// Replaces bits, also in the result's own lanes.
#[inline(always)]
fn insert(s: &mut [u64], each: &Each, low: u32, field: u64) {
    let Each { d, n, a, b, .. } = *each;
    let p = &mut Parts::new(s, d, n);
    if a == Operand::Lanes(d) {
        match p.source(b) {
            Source::Lanes(b) => p.d.iter_mut().zip(b).for_each(|(d, &b)| *d = *d & !field | b << low & field),
            Source::One(b) => p.d.iter_mut().for_each(|d| *d = *d & !field | b << low & field),
        }
    } else {
        two(p, a, b, |a, b| a & !field | b << low & field);
    }
}

/// Lanes from places at equal distances.
pub(in crate::sim::engine) fn run(s: &mut [u64], d: usize, a: usize, step: usize, n: usize) {
    let p = &mut Parts::new(s, d, n);
    match step {
        0 => p.d.fill(p.words(a, 1)[0]),
        1 => p.d.copy_from_slice(p.words(a, n)),
        _ => {
            let from = p.words(a, step * (n - 1) + 1);
            p.d.iter_mut().zip(from.iter().step_by(step)).for_each(|(d, &a)| *d = a);
        }
    }
}
