//! Operations on values of several limbs that are too rare or too large for code of their own: compiled code calls
//! them.

use crate::lanes::each::{Each, pick};
use crate::lanes::grid::Grid;
use crate::memory::Word;

/// An operation: where its operands and its result are, and their widths.
#[derive(Clone, Debug)]
pub(crate) enum Called {
    /// Adds, or subtracts.
    Sum {
        d: usize,
        a: usize,
        b: usize,
        width: u32,
        subtract: bool,
    },
    /// Multiplies; signed operands have these widths.
    Product {
        d: usize,
        a: (usize, usize),
        b: (usize, usize),
        width: u32,
        signed: Option<(u32, u32)>,
    },
    /// Less, or less or equal.
    Less {
        d: usize,
        a: usize,
        b: usize,
        limbs: usize,
        signed: Option<u32>,
        or_equal: bool,
    },
    /// Bits from a fixed position up.
    Bits {
        d: usize,
        a: usize,
        limbs: usize,
        low: u32,
        width: u32,
    },
    /// Bits from a variable position up; with `up`, moves bits up instead.
    Shift {
        d: usize,
        a: usize,
        limbs: usize,
        by: usize,
        width: u32,
        up: bool,
    },
    SetBit {
        d: usize,
        a: usize,
        bit: usize,
        at: usize,
        width: u32,
    },
    Sext {
        d: usize,
        a: usize,
        old: u32,
        width: u32,
    },
    /// AND over selected words, or NOR.
    Search {
        d: usize,
        select: usize,
        memory: Word,
        width: u32,
        nor: bool,
    },
    /// Single lanes that are kept in so many bits: to and from, counted in lanes of this size.
    Pick {
        bits: u32,
        lanes: Vec<(u32, u32)>,
    },
    /// Lanes from places at equal distances, in blocks.
    Grid(Grid),
    /// A function of lanes.
    Each(Each),
}

/// An operation that stays where it is: compiled code has its address.
pub(crate) struct Fixed(Box<Called>);

impl Fixed {
    /// Puts it somewhere.
    pub fn new(operation: Called) -> Fixed {
        Fixed(Box::new(operation))
    }

    /// Where it is as long as this lives.
    pub fn address(&self) -> u64 {
        &raw const *self.0 as u64
    }
}

/// Ones in the top limb of a value.
fn top(width: u32) -> u64 {
    u64::MAX >> ((64 - width % 64) % 64)
}

fn limbs(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// A limb of a sign-extended value of `width` bits.
fn signed_limb(value: &[u64], width: u32, i: usize) -> u64 {
    let last = limbs(width) - 1;
    let shift = (64 - width % 64) % 64;
    let high = ((value[last] << shift) as i64 >> shift) as u64;
    match i {
        i if i < last => value[i],
        i if i == last => high,
        _ => ((high as i64) >> 63) as u64,
    }
}

/// The limb that begins at bit `at`.
fn limb_at(value: &[u64], at: u64) -> u64 {
    let (limb, bit) = ((at / 64) as usize, at % 64);
    let get = |i: usize| value.get(i).copied().unwrap_or(0);
    let low = get(limb) >> bit;
    if bit == 0 { low } else { low | get(limb + 1) << (64 - bit) }
}

impl Called {
    /// Carries it out.
    pub fn run(&self, s: &mut [u64], words: &[u64]) {
        match *self {
            Called::Each(ref each) => each.execute(s),
            Called::Grid(ref grid) => grid.execute(s),
            Called::Pick { bits, ref lanes } => pick(s, bits, lanes),
            Called::Sum { d, a, b, width, subtract } => {
                let (n, flip) = (limbs(width), if subtract { u64::MAX } else { 0 });
                let mut carry = subtract;
                for i in 0..n {
                    let (sum, c1) = s[a + i].overflowing_add(s[b + i] ^ flip);
                    let (sum, c2) = sum.overflowing_add(carry.into());
                    carry = c1 || c2;
                    s[d + i] = sum;
                }
                s[d + n - 1] &= top(width);
            }
            Called::Product { d, a, b, width, signed } => product(s, d, a, b, width, signed),
            Called::Less { d, a, b, limbs, signed, or_equal } => {
                let limb = |at: usize, i: usize| match signed {
                    Some(width) if i == limbs - 1 => signed_limb(&s[at..at + limbs], width, i) ^ 1 << 63,
                    _ => s[at + i],
                };
                let order = (0..limbs).rev().map(|i| limb(a, i).cmp(&limb(b, i))).find(|o| o.is_ne());
                s[d] = u64::from(order.map_or(or_equal, |o| o.is_lt()));
            }
            Called::Bits { d, a, limbs: n, low, width } => {
                for i in 0..limbs(width) {
                    s[d + i] = limb_at(&s[a..a + n], u64::from(low) + 64 * i as u64);
                }
                s[d + limbs(width) - 1] &= top(width);
            }
            Called::Shift { d, a, limbs: n, by, width, up } => {
                let by = s[by].min(64 * (n as u64 + 1));
                let m = limbs(width);
                if up {
                    // Downwards: source and target may be the same.
                    for i in (0..m).rev() {
                        let at = (64 * i as u64).checked_sub(by);
                        s[d + i] = match at {
                            Some(at) => limb_at(&s[a..a + n], at),
                            None if by < 64 * (i as u64 + 1) => s[a] << (by - 64 * i as u64),
                            None => 0,
                        };
                    }
                } else {
                    for i in 0..m {
                        s[d + i] = limb_at(&s[a..a + n], by + 64 * i as u64);
                    }
                }
                s[d + m - 1] &= top(width);
            }
            Called::SetBit { d, a, bit, at, width } => {
                let (bit, at) = (s[bit], s[at]);
                s.copy_within(a..a + limbs(width), d);
                if at < u64::from(width) {
                    let (limb, at) = (d + (at / 64) as usize, at % 64);
                    s[limb] = s[limb] & !(1 << at) | bit << at;
                }
            }
            Called::Sext { d, a, old, width } => {
                for i in 0..limbs(width) {
                    s[d + i] = signed_limb(&s[a..a + limbs(old)], old, i);
                }
                s[d + limbs(width) - 1] &= top(width);
            }
            Called::Search { d, select, memory, width, nor } => {
                let (m, n) = (memory, limbs(width));
                s[d..d + n].fill(if nor { 0 } else { u64::MAX });
                let selected = (m.depth as usize).div_ceil(64);
                for i in 0..selected {
                    let mut bits = s[select + i];
                    while bits != 0 {
                        let row = 64 * i + bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        if row >= m.depth as usize {
                            break;
                        }
                        let word = &words[m.base + row * n..][..n];
                        for (limb, &w) in s[d..d + n].iter_mut().zip(word) {
                            *limb = if nor { *limb | w } else { *limb & w };
                        }
                    }
                }
                if nor {
                    s[d..d + n].iter_mut().for_each(|limb| *limb = !*limb);
                }
                s[d + n - 1] &= top(width);
            }
        }
    }
}

fn product(s: &mut [u64], d: usize, a: (usize, usize), b: (usize, usize), width: u32, signed: Option<(u32, u32)>) {
    let n = limbs(width);
    let mut result = vec![0u64; n];
    let limb = |(at, limbs): (usize, usize), width: Option<u32>, i: usize| match width {
        Some(width) => signed_limb(&s[at..at + limbs], width, i),
        None if i < limbs => s[at + i],
        None => 0,
    };
    for i in 0..n {
        let x = u128::from(limb(a, signed.map(|w| w.0), i));
        let mut carry = 0u128;
        for j in 0..n - i {
            let y = u128::from(limb(b, signed.map(|w| w.1), j));
            let sum = x * y + u128::from(result[i + j]) + carry;
            result[i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    result[n - 1] &= top(width);
    s[d..d + n].copy_from_slice(&result);
}
