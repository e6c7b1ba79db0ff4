//! Model of the rows and their sense amplifiers.

use bitline_units::array::isa::uop::Multi;
use bitline_units::array::params::Sensing;

/// Which rows are raised in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wordlines {
    /// Row on port A.
    pub a: Option<usize>,
    /// Row on port B.
    pub b: Option<usize>,
    /// Row B takes no part in sensing.
    pub merge: bool,
    /// Further rows of port A.
    pub multi: Multi,
    /// Which of the rows from row A up are raised by `multi`.
    pub mask: u64,
}

/// The bits of every row, as 64-bit words; column k is bit k of a row.
#[derive(Clone, Debug)]
pub struct SramArray {
    sensing: Sensing,
    rows: usize,
    columns: usize,
    limbs: usize,
    last: u64,
    /// Row after row.
    pub bits: Vec<u64>,
    /// Rows that [`SramArray::write`] has written since somebody last cleared this, a bit each.
    pub written: Vec<u64>,
}

impl SramArray {
    /// All rows zero.
    pub fn new(rows: usize, columns: usize, sensing: Sensing) -> SramArray {
        let limbs = columns.div_ceil(64);
        let last = if columns.is_multiple_of(64) { u64::MAX } else { (1 << (columns % 64)) - 1 };
        SramArray {
            sensing,
            rows,
            columns,
            limbs,
            last,
            bits: vec![0; rows * limbs],
            written: vec![0; rows.div_ceil(64)],
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A power of two of rows is addressed modulo it.
    fn wrapped(&self, row: usize) -> usize {
        if self.rows.is_power_of_two() { row & (self.rows - 1) } else { row }
    }

    /// Words of a row. Rows that do not exist read as 0.
    pub fn row(&self, row: usize) -> &[u64] {
        let row = self.wrapped(row);
        if row < self.rows { &self.bits[row * self.limbs..(row + 1) * self.limbs] } else { &ZERO[..self.limbs] }
    }

    /// Writes a row, if it exists, in the columns that `select` names (all without it).
    pub fn write(&mut self, row: usize, value: &[u64], select: Option<&[u64]>) {
        let row = self.wrapped(row);
        if row >= self.rows {
            return;
        }
        self.written[row / 64] |= 1 << (row % 64);
        let old = &mut self.bits[row * self.limbs..(row + 1) * self.limbs];
        for i in 0..self.limbs {
            let select = select.map_or(!0, |s| s[i]);
            old[i] = (old[i] & !select) | (value[i] & select);
        }
    }

    /// Passes on the rows that were written.
    pub fn touched(&self, to: &mut dyn FnMut(usize)) {
        each_one(&self.written, to);
    }

    /// What the columns see: the sensed bits *a* and *b* (see [`bitline_units::array::isa::uop`]), and the raw row on
    /// port B.
    pub fn sense(&self, lines: &Wordlines, a: &mut [u64], b: &mut [u64], raw_b: &mut [u64]) {
        let zero = &ZERO[..self.limbs];
        raw_b.copy_from_slice(lines.b.map_or(zero, |row| self.row(row)));
        match (lines.multi, lines.a) {
            (Multi::Off, row) => a.copy_from_slice(row.map_or(zero, |row| self.row(row))),
            (multi, row) => {
                let base = row.expect("multi-row sensing names its first row");
                let rows =
                    (0..64).filter(|k| lines.mask >> k & 1 == 1 && base + k < self.rows).map(|k| self.row(base + k));
                if multi == Multi::And {
                    a.fill(!0);
                    rows.for_each(|r| a.iter_mut().zip(r).for_each(|(a, r)| *a &= r));
                } else {
                    a.fill(0);
                    rows.for_each(|r| a.iter_mut().zip(r).for_each(|(a, r)| *a |= r));
                    a.iter_mut().for_each(|a| *a = !*a);
                }
                a[self.limbs - 1] &= self.last;
            }
        }
        self.combine(lines, raw_b, a, b);
    }

    /// The same from two rows that were read before (block RAM): row A is 0 if it was not read, likewise row B.
    pub fn sense_latched(&self, lines: &Wordlines, rows: &[Vec<u64>; 2], a: &mut [u64], b: &mut [u64]) {
        a.copy_from_slice(&rows[0]);
        self.combine(lines, &rows[1], a, b);
    }

    fn combine(&self, lines: &Wordlines, raw_b: &[u64], a: &mut [u64], b: &mut [u64]) {
        let sensed_b = lines.b.is_some() && !lines.merge;
        match self.sensing {
            Sensing::TwoPort => b.copy_from_slice(raw_b),
            Sensing::AndNor => match (lines.a.is_some(), sensed_b) {
                (true, true) => {
                    for i in 0..self.limbs {
                        (a[i], b[i]) = (a[i] & raw_b[i], a[i] | raw_b[i]);
                    }
                }
                (false, true) => {
                    a.copy_from_slice(raw_b);
                    b.copy_from_slice(raw_b);
                }
                (_, false) => b.copy_from_slice(a),
            },
        }
    }
}

/// Passes on the numbers of the bits that are 1.
pub fn each_one(words: &[u64], mut to: impl FnMut(usize)) {
    for (limb, &word) in words.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            to(64 * limb + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

const ZERO: [u64; 8] = [0; 8];
