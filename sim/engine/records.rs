//! Records: what instructions of one kind do one after the other.

use super::code::Slot;

/// `n` words from `a` up, compared with those at `seen`, which become the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LookRecord {
    pub a: Slot,
    pub seen: Slot,
    pub masks: u32,
    pub n: u32,
}

/// What is compared only after cycles in which a group was due: the groups, a bit each, and the number of each one's
/// record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct After {
    pub groups: u64,
    pub looks: [u32; 64],
}

impl Default for After {
    fn default() -> After {
        After { groups: 0, looks: [0; 64] }
    }
}

/// Numbers of values: a hash table without collisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cases {
    factor: u64,
    shift: u32,
    /// Value and number.
    entries: Vec<(u64, u32)>,
    /// The number of all other values.
    other: u32,
}

impl Cases {
    pub fn new(values: &[u64]) -> Cases {
        let mut factor = 0x9e37_79b9_7f4a_7c15u64;
        let other = values.len() as u32;
        let mut bits = values.len().next_power_of_two().ilog2() + 1;
        'search: loop {
            for _ in 0..256 {
                let mut entries = vec![(0, other); 1 << bits];
                let at = |value: u64| (value.wrapping_mul(factor) >> (64 - bits)) as usize;
                let fits = values.iter().zip(0..).all(|(&value, number)| {
                    let entry = &mut entries[at(value)];
                    let free = entry.1 == other;
                    *entry = (value, number);
                    free
                });
                if fits {
                    break 'search Cases { factor, shift: 64 - bits, entries, other };
                }
                factor = factor.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2) | 1;
            }
            bits += 1;
        }
    }

    #[inline(always)]
    pub fn number(&self, value: u64) -> u64 {
        let (known, number) = self.entries[(value.wrapping_mul(self.factor) >> self.shift) as usize];
        u64::from(if known == value { number } else { self.other })
    }
}

/// A record of most kinds of instructions, which say what the fields stand for. One kind of record for many kinds of
/// instructions: a processor has few registers for the addresses of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    pub low: u8,
    pub k: u8,
    pub flag: bool,
}

/// `d` ← `c` ? `a` : `b`, of `n` limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WideMuxRecord {
    pub d: Slot,
    pub c: Slot,
    pub a: Slot,
    pub b: Slot,
    pub n: u32,
}

/// One-bit full adders side by side, of `n` limbs: sum and majority of `x`, `y` and `c`, and what they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AdderRecord {
    pub x: Slot,
    pub y: Slot,
    pub c: Slot,
    /// x ⊕ y.
    pub differ: Slot,
    /// x + y.
    pub either: Slot,
    /// x · y.
    pub both: Slot,
    /// c · (x + y).
    pub carried: Slot,
    pub sum: Slot,
    pub majority: Slot,
    pub n: u32,
    /// Nobody needs the values between: only sum and majority are written.
    pub short: bool,
}

/// `d` ← function of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableRecord {
    pub d: Slot,
    pub inputs: [Slot; 5],
    pub table: u32,
}
