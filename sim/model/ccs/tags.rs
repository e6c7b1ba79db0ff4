//! Model of the tags: which line a row of the cache holds.

use crate::state::{Contents, Words};

/// Copies of the tags in the hardware.
const LOOKUPS: usize = 4;

/// The tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// For each row, the number of its line.
    pub rows: Vec<Option<u32>>,
}

impl Tags {
    /// An empty cache.
    pub fn new(lines: usize) -> Tags {
        Tags { rows: vec![None; lines] }
    }

    /// A line's row.
    pub fn row(&self, line: u32) -> usize {
        line as usize % self.rows.len()
    }

    /// Whether a line is there.
    pub fn hit(&self, line: u32) -> bool {
        self.rows[self.row(line)] == Some(line)
    }

    /// A clock cycle: a line is filled, what is in its row is dropped, or the cache is emptied.
    pub fn step(&mut self, line: u32, set: bool, drop: bool, clear: bool) {
        let row = self.row(line);
        if set {
            self.rows[row] = Some(line);
        } else if drop {
            self.rows[row] = None;
        }
        if clear {
            self.reset();
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.rows.fill(None);
    }
}

state! {
    Tags(self) {
        valid[] = self.rows.iter().map(Option::is_some);
        let rows = self.rows.len();
        let tag = |row: usize| self.rows[row].map(|line| u64::from(line) / rows as u64);
        memory (copies) [copy in 0..LOOKUPS] = Contents::always(rows, Words::Narrow(&tag));
    }
}
