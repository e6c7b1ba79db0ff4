//! How arrays and the order of words are chosen.

/// 2⁶⁴ over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// How arrays and order are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Words change their order.
    pub reorder: bool,
    /// How much a move that a result will need counts, in percent of its cycles.
    pub lookahead: u64,
    /// Cycles by which a word may begin later than another and still come first.
    pub slack: u64,
    /// Rows of an array that may be full before another one is better.
    pub full: u64,
    /// Which of the choices at random that are made beside: in the mean by a quarter of a word's cycles. None if 0.
    pub seed: u64,
}

impl Policy {
    /// How much worse a way is made, of so many cycles.
    pub fn noise(&self, line: Option<usize>, array: u64, cycles: u64) -> u64 {
        let mixed = mixed(self.seed.wrapping_mul(GOLDEN) ^ (line.unwrap_or(0) as u64) << 8 ^ array);
        if self.seed == 0 { 0 } else { (mixed >> 33) % (cycles / 2 + 1) }
    }
}

/// Numbers at random from numbers in a row: SplitMix64 (Steele, Lea and Flood 2014).
pub fn mixed(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
