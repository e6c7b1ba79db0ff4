//! The loop that runs instructions.

use super::code::{Instr, Slot, Tables};
use super::layout::{CHANGES, DUE, SEEN, WERE};
use super::records::AdderRecord;

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
        let at = pc;
        watch(at);
        pc += 1;
        match code[at] {
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
            Instr::Switch { c, from } => pc = tables.targets[(u64::from(from) + at!(c)) as usize] as usize,
            Instr::Case { d, a, at } => set!(d, tables.cases[at as usize].number(at!(a))),
            Instr::JumpUnlessDue { group, to, mask, end } => {
                let due = at!(DUE);
                if due & (u64::from(mask[0]) | u64::from(mask[1]) << 32) == 0 {
                    pc = end as usize;
                } else if due >> group & 1 == 0 {
                    pc = to as usize;
                }
            }
            Instr::Look { from, n, first } => {
                let mut due = 0;
                if first {
                    let changed = at!(CHANGES) != at!(SEEN);
                    set!(SEEN, at!(CHANGES));
                    due = u64::from(changed).wrapping_neg();
                    set!(WERE, at!(DUE) | due);
                    set!(DUE, 0);
                }
                let were = at!(WERE);
                for r in &tables.looks[from as usize..][..n as usize] {
                    if r.after == 64 || were >> (r.after & 63) & 1 == 1 {
                        due |=
                            look(s, r.a as usize, r.seen as usize, &tables.masks[r.masks as usize..][..r.n as usize]);
                    }
                }
                set!(DUE, due | at!(DUE))
            }
            Instr::And { d, a, b } => set!(d, at!(a) & at!(b)),
            Instr::Or { d, a, b } => set!(d, at!(a) | at!(b)),
            Instr::Xor { d, a, b } => set!(d, at!(a) ^ at!(b)),
            Instr::AndNot { d, a, b } => set!(d, at!(a) & !at!(b)),
            Instr::Mul { d, a, b, k } => set!(d, at!(a).wrapping_mul(at!(b)) & ones(k)),
            Instr::MulSigned { d, a, b, i, j, k } => {
                let (a, b) = (signed(at!(a), i) >> i, signed(at!(b), j) >> j);
                set!(d, a.wrapping_mul(b) as u64 & ones(k))
            }
            Instr::Lt { d, a, b } => set!(d, u64::from(at!(a) < at!(b))),
            Instr::Le { d, a, b } => set!(d, u64::from(at!(a) <= at!(b))),
            Instr::LtSigned { d, a, b, k } => set!(d, u64::from(signed(at!(a), k) < signed(at!(b), k))),
            Instr::LeSigned { d, a, b, k } => set!(d, u64::from(signed(at!(a), k) <= signed(at!(b), k))),
            Instr::Parity { d, a } => set!(d, u64::from(at!(a).count_ones() & 1)),
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
            Instr::Store { c, a, b, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        words[m.written + (address >> 6) as usize] |= 1 << (address & 63);
                        words[m.base + address as usize] = at!(b);
                    }
                }
            }
            Instr::CopyN { d, a, n } => each!(n, d, a, a, |a, _| a),
            Instr::AndN { d, a, b, n } => each!(n, d, a, b, |a, b| a & b),
            Instr::OrN { d, a, b, n } => each!(n, d, a, b, |a, b| a | b),
            Instr::XorN { d, a, b, n } => each!(n, d, a, b, |a, b| a ^ b),
            Instr::AndNotN { d, a, b, n } => each!(n, d, a, b, |a, b| a & !b),
            Instr::WideMuxes { from, n } => {
                for r in &tables.wide_muxes[from as usize..][..n as usize] {
                    let a = if at!(r.c) != 0 { r.a } else { r.b };
                    if a != r.d {
                        each(r.n as usize, s, r.d as usize, a as usize, a as usize, |a, _| a);
                    }
                }
            }
            Instr::WideWords { from, n } => {
                for r in &tables.wide_words[from as usize..][..n as usize] {
                    let m = &tables.memories[r.m as usize];
                    let address = at!(r.a) & m.mask;
                    let target = &mut s[r.d as usize..][..m.limbs];
                    if address < m.depth {
                        copy(target, &words[m.base + address as usize * m.limbs..][..m.limbs]);
                    } else {
                        target.fill(0);
                    }
                }
            }
            Instr::Adder { at } => add(s, &tables.adders[at as usize]),
            Instr::StoreN { c, a, b, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        words[m.written + (address >> 6) as usize] |= 1 << (address & 63);
                        let word = &mut words[m.base + address as usize * m.limbs..][..m.limbs];
                        copy(word, &s[b as usize..][..m.limbs]);
                    }
                }
            }
            Instr::StoreMasked { c, a, b, mask, m } => {
                if at!(c) != 0 {
                    let m = &tables.memories[m as usize];
                    let address = at!(a) & m.mask;
                    if address < m.depth {
                        words[m.written + (address >> 6) as usize] |= 1 << (address & 63);
                        let word = &mut words[m.base + address as usize * m.limbs..][..m.limbs];
                        for (i, limb) in word.iter_mut().enumerate() {
                            let mask = s[mask as usize + i];
                            *limb = *limb & !mask | s[b as usize + i] & mask;
                        }
                    }
                }
            }
            Instr::Copies { from, n } => {
                for r in &tables.copies[from as usize..][..n as usize] {
                    set!(r.d, at!(r.a));
                }
            }
            Instr::Fields { from, n } => {
                for r in &tables.fields[from as usize..][..n as usize] {
                    set!(r.d, at!(r.a) >> r.low & ones(r.k));
                }
            }
            Instr::Tests { from, n } => {
                for r in &tables.tests[from as usize..][..n as usize] {
                    let equal = at!(r.a) >> r.low & ones(r.k) == at!(r.b);
                    set!(r.d, u64::from(equal != r.unequal));
                }
            }
            Instr::Muxes { from, n } => {
                for r in &tables.muxes[from as usize..][..n as usize] {
                    // Without a branch, which would be taken one way or the other at random.
                    let (a, b) = (at!(r.a), at!(r.b));
                    set!(r.d, b ^ ((a ^ b) & at!(r.c).wrapping_neg()));
                }
            }
            Instr::Sums { from, n } => {
                for r in &tables.sums[from as usize..][..n as usize] {
                    let flip = u64::from(r.subtract).wrapping_neg();
                    let sum = at!(r.a).wrapping_add((at!(r.b) ^ flip).wrapping_sub(flip));
                    set!(r.d, sum & ones(r.k));
                }
            }
            Instr::Choices { from, n } => {
                for r in &tables.choices[from as usize..][..n as usize] {
                    let number = at!(r.a) >> r.low & ones(r.k);
                    set!(r.d, at!(tables.places[(u64::from(r.from) + number) as usize]));
                }
            }
            Instr::ChooseN { d, a, from, low, k, n } => {
                let number = at!(a) >> low & ones(k);
                let a = tables.places[(u64::from(from) + number) as usize];
                each!(n, d, a, a, |a, _| a)
            }
            Instr::Words { from, n } => {
                for r in &tables.words[from as usize..][..n as usize] {
                    let m = &tables.memories[r.m as usize];
                    let address = at!(r.a) & m.mask;
                    set!(r.d, if address < m.depth { words[m.base + address as usize] } else { 0 });
                }
            }
            Instr::Tables3 { from, n } => {
                for r in &tables.tables3[from as usize..][..n as usize] {
                    let [a, b, c] = r.inputs;
                    let at = at!(a) | at!(b) << 1 | at!(c) << 2;
                    set!(r.d, u64::from(r.table >> (at & 31) & 1));
                }
            }
            Instr::Tables5 { from, n } => {
                for r in &tables.tables5[from as usize..][..n as usize] {
                    let [a, b, c, d, e] = r.inputs;
                    let at = at!(a) | at!(b) << 1 | at!(c) << 2 | at!(d) << 3 | at!(e) << 4;
                    set!(r.d, u64::from(r.table >> (at & 31) & 1));
                }
            }
            Instr::Rare { at } => tables.rare[at as usize].run(s, &tables.memories, words),
        }
    }
}

/// Full adders, limb by limb.
#[inline(always)]
fn add(s: &mut [u64], r: &AdderRecord) {
    let at = |slot: Slot| slot as usize;
    for i in 0..r.n as usize {
        let (x, y, c) = (s[at(r.x) + i], s[at(r.y) + i], s[at(r.c) + i]);
        let (differ, either, both) = (x ^ y, x | y, x & y);
        s[at(r.differ) + i] = differ;
        s[at(r.either) + i] = either;
        s[at(r.both) + i] = both;
        s[at(r.carried) + i] = c & either;
        s[at(r.sum) + i] = differ ^ c;
        s[at(r.majority) + i] = both | c & either;
    }
}

/// Copies words of the same number; four at once without a call.
#[inline(always)]
fn copy(target: &mut [u64], source: &[u64]) {
    match (<&mut [u64; 4]>::try_from(&mut *target), <&[u64; 4]>::try_from(source)) {
        (Ok(target), Ok(source)) => *target = *source,
        _ => target.copy_from_slice(source),
    }
}

/// The masks of the words that differ, together; remembers the words.
fn look(s: &mut [u64], a: usize, seen: usize, masks: &[u64]) -> u64 {
    let (now, rest) = s.split_at_mut(seen);
    let (now, seen) = (&now[a..a + masks.len()], &mut rest[..masks.len()]);
    let mut due = 0;
    // Word by word: most of them were just written so, and a processor waits when it reads more at once than was written.
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
