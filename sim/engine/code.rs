//! Instructions and the loop that runs them.

use super::wide::Rare;

/// Number of a word of the state.
pub(super) type Slot = u32;

/// Where the words of a memory are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// First limb.
    pub base: usize,
    pub depth: u64,
    /// ANDed to addresses.
    pub mask: u64,
    /// Limbs of a word.
    pub limbs: usize,
}

/// An instruction. `d` is the result, `a`, `b`, `c` are operands, `n` a number of limbs, `k` leading zeros of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instr {
    End,
    Jump { to: u32 },
    JumpIf { c: Slot, to: u32 },
    JumpUnless { c: Slot, to: u32 },
    /// `d` is whether `n` words from `a` up differ from those at `seen`, which become the same; or what is at `before`, unless that
    /// is the same place.
    Wake { d: Slot, a: Slot, seen: Slot, before: Slot, n: u16 },
    // One limb.
    Copy { d: Slot, a: Slot },
    And { d: Slot, a: Slot, b: Slot },
    Or { d: Slot, a: Slot, b: Slot },
    Xor { d: Slot, a: Slot, b: Slot },
    AndNot { d: Slot, a: Slot, b: Slot },
    Add { d: Slot, a: Slot, b: Slot, k: u8 },
    Sub { d: Slot, a: Slot, b: Slot, k: u8 },
    Mul { d: Slot, a: Slot, b: Slot, k: u8 },
    /// `i`, `j`: leading zeros of the operands.
    MulSigned { d: Slot, a: Slot, b: Slot, i: u8, j: u8, k: u8 },
    Eq { d: Slot, a: Slot, b: Slot },
    Ne { d: Slot, a: Slot, b: Slot },
    Lt { d: Slot, a: Slot, b: Slot },
    Le { d: Slot, a: Slot, b: Slot },
    LtSigned { d: Slot, a: Slot, b: Slot, k: u8 },
    LeSigned { d: Slot, a: Slot, b: Slot, k: u8 },
    Mux { d: Slot, c: Slot, a: Slot, b: Slot },
    Parity { d: Slot, a: Slot },
    Bits { d: Slot, a: Slot, low: u8, k: u8 },
    /// Bits that lie in two limbs; `low` is not 0.
    Across { d: Slot, a: Slot, low: u8, k: u8 },
    Shl { d: Slot, a: Slot, b: Slot, k: u8 },
    Shr { d: Slot, a: Slot, b: Slot, k: u8 },
    /// First with bits from `low` up replaced by those of the second.
    Insert { d: Slot, a: Slot, b: Slot, low: u8, k: u8 },
    SetBit { d: Slot, a: Slot, b: Slot, at: Slot, k: u8 },
    /// `j`: leading zeros of the operand.
    Sext { d: Slot, a: Slot, j: u8, k: u8 },
    Word { d: Slot, a: Slot, m: u16 },
    Store { c: Slot, a: Slot, b: Slot, m: u16 },
    // Several limbs.
    CopyN { d: Slot, a: Slot, n: u16 },
    AndN { d: Slot, a: Slot, b: Slot, n: u16 },
    OrN { d: Slot, a: Slot, b: Slot, n: u16 },
    XorN { d: Slot, a: Slot, b: Slot, n: u16 },
    AndNotN { d: Slot, a: Slot, b: Slot, n: u16 },
    MuxN { d: Slot, c: Slot, a: Slot, b: Slot, n: u16 },
    WordN { d: Slot, a: Slot, m: u16 },
    StoreN { c: Slot, a: Slot, b: Slot, m: u16 },
    /// Only where the mask is 1.
    StoreMasked { c: Slot, a: Slot, b: Slot, mask: Slot, m: u16 },
    Rare { at: u32 },
}

/// What code refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub rare: Vec<Rare>,
    pub memories: Vec<Word>,
}

/// Runs code up to its end.
pub(super) fn run(code: &[Instr], start: usize, tables: &Tables, s: &mut [u64], words: &mut [u64]) {
    run_watched(code, start, tables, s, words, |_| {});
}

/// Runs code up to its end and tells the number of each instruction that is carried out.
#[inline(always)]
pub(super) fn run_watched(
    code: &[Instr],
    start: usize,
    tables: &Tables,
    s: &mut [u64],
    words: &mut [u64],
    mut watch: impl FnMut(usize),
) {
    let mut pc = start;
    macro_rules! at {
        ($slot:expr) => {
            s[$slot as usize]
        };
    }
    macro_rules! set {
        ($d:expr, $value:expr) => {{
            let value = $value;
            s[$d as usize] = value
        }};
    }
    macro_rules! each {
        ($n:expr, $d:expr, $a:expr, $b:expr, $f:expr) => {
            each($n.into(), s, $d as usize, $a as usize, $b as usize, $f)
        };
    }
    let ones = |k: u8| u64::MAX >> k;
    let signed = |value: u64, k: u8| (value << k) as i64;
    loop {
        let instr = code[pc];
        watch(pc);
        pc += 1;
        match instr {
            Instr::End => return,
            Instr::Jump { to } => pc = to as usize,
            Instr::JumpIf { c, to } => {
                if at!(c) != 0 {
                    pc = to as usize;
                }
            }
            Instr::JumpUnless { c, to } => {
                if at!(c) == 0 {
                    pc = to as usize;
                }
            }
            Instr::Wake { d, a, seen, before, n } => {
                let (now, rest) = s.split_at_mut(seen as usize);
                let (now, seen) = (&now[a as usize..][..n.into()], &mut rest[..n.into()]);
                let changed = now != seen;
                if changed {
                    seen.copy_from_slice(now);
                }
                set!(d, u64::from(changed || (before != d && at!(before) != 0)))
            }
            Instr::Copy { d, a } => set!(d, at!(a)),
            Instr::And { d, a, b } => set!(d, at!(a) & at!(b)),
            Instr::Or { d, a, b } => set!(d, at!(a) | at!(b)),
            Instr::Xor { d, a, b } => set!(d, at!(a) ^ at!(b)),
            Instr::AndNot { d, a, b } => set!(d, at!(a) & !at!(b)),
            Instr::Add { d, a, b, k } => set!(d, at!(a).wrapping_add(at!(b)) & ones(k)),
            Instr::Sub { d, a, b, k } => set!(d, at!(a).wrapping_sub(at!(b)) & ones(k)),
            Instr::Mul { d, a, b, k } => set!(d, at!(a).wrapping_mul(at!(b)) & ones(k)),
            Instr::MulSigned { d, a, b, i, j, k } => {
                let (a, b) = (signed(at!(a), i) >> i, signed(at!(b), j) >> j);
                set!(d, a.wrapping_mul(b) as u64 & ones(k))
            }
            Instr::Eq { d, a, b } => set!(d, u64::from(at!(a) == at!(b))),
            Instr::Ne { d, a, b } => set!(d, u64::from(at!(a) != at!(b))),
            Instr::Lt { d, a, b } => set!(d, u64::from(at!(a) < at!(b))),
            Instr::Le { d, a, b } => set!(d, u64::from(at!(a) <= at!(b))),
            Instr::LtSigned { d, a, b, k } => set!(d, u64::from(signed(at!(a), k) < signed(at!(b), k))),
            Instr::LeSigned { d, a, b, k } => set!(d, u64::from(signed(at!(a), k) <= signed(at!(b), k))),
            Instr::Mux { d, c, a, b } => {
                let (a, b) = (at!(a), at!(b));
                set!(d, if at!(c) != 0 { a } else { b })
            }
            Instr::Parity { d, a } => set!(d, u64::from(at!(a).count_ones() & 1)),
            Instr::Bits { d, a, low, k } => set!(d, at!(a) >> low & ones(k)),
            Instr::Across { d, a, low, k } => set!(d, (at!(a) >> low | at!(a + 1) << (64 - low)) & ones(k)),
            Instr::Shl { d, a, b, k } => {
                let by = at!(b);
                set!(d, if by < 64 { at!(a) << by & ones(k) } else { 0 })
            }
            Instr::Shr { d, a, b, k } => {
                let by = at!(b);
                set!(d, if by < 64 { at!(a) >> by & ones(k) } else { 0 })
            }
            Instr::Insert { d, a, b, low, k } => {
                let mask = ones(k) << low;
                set!(d, at!(a) & !mask | at!(b) << low & mask)
            }
            Instr::SetBit { d, a, b, at, k } => {
                let (value, bit, at) = (at!(a), at!(b), at!(at));
                let there = at < u64::from(64 - k);
                set!(d, if there { value & !(1 << at) | bit << at } else { value })
            }
            Instr::Sext { d, a, j, k } => set!(d, (signed(at!(a), j) >> j) as u64 & ones(k)),
            Instr::Word { d, a, m } => {
                let m = &tables.memories[m as usize];
                let address = at!(a) & m.mask;
                set!(d, if address < m.depth { words[m.base + address as usize] } else { 0 })
            }
            Instr::Store { c, a, b, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        words[m.base + address as usize] = at!(b);
                    }
                }
            }
            Instr::CopyN { d, a, n } => each!(n, d, a, a, |a, _| a),
            Instr::AndN { d, a, b, n } => each!(n, d, a, b, |a, b| a & b),
            Instr::OrN { d, a, b, n } => each!(n, d, a, b, |a, b| a | b),
            Instr::XorN { d, a, b, n } => each!(n, d, a, b, |a, b| a ^ b),
            Instr::AndNotN { d, a, b, n } => each!(n, d, a, b, |a, b| a & !b),
            Instr::MuxN { d, c, a, b, n } => {
                let a = if at!(c) != 0 { a } else { b };
                each!(n, d, a, a, |a, _| a)
            }
            Instr::WordN { d, a, m } => {
                let m = &tables.memories[m as usize];
                let address = at!(a) & m.mask;
                let target = &mut s[d as usize..][..m.limbs];
                if address < m.depth {
                    target.copy_from_slice(&words[m.base + address as usize * m.limbs..][..m.limbs]);
                } else {
                    target.fill(0);
                }
            }
            Instr::StoreN { c, a, b, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        let word = &mut words[m.base + address as usize * m.limbs..][..m.limbs];
                        word.copy_from_slice(&s[b as usize..][..m.limbs]);
                    }
                }
            }
            Instr::StoreMasked { c, a, b, mask, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        let word = &mut words[m.base + address as usize * m.limbs..][..m.limbs];
                        for (i, limb) in word.iter_mut().enumerate() {
                            let mask = s[mask as usize + i];
                            *limb = *limb & !mask | s[b as usize + i] & mask;
                        }
                    }
                }
            }
            Instr::Rare { at } => tables.rare[at as usize].run(s, &tables.memories, words),
        }
    }
}

/// Limb by limb; operands and result may be the same value.
#[inline(always)]
fn each(n: usize, s: &mut [u64], d: usize, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) {
    if n == 4 {
        let x: [u64; 4] = s[a..a + 4].try_into().expect("four limbs");
        let y: [u64; 4] = s[b..b + 4].try_into().expect("four limbs");
        for (i, limb) in s[d..d + 4].iter_mut().enumerate() {
            *limb = f(x[i], y[i]);
        }
        return;
    }
    for i in 0..n {
        s[d + i] = f(s[a + i], s[b + i]);
    }
}
