//! Model of the tags: which line a row of the cache holds.

use crate::state::{Contents, Words};
use bitline_units::ccs::CcsGeometry;

/// Copies of the tags in the hardware.
const LOOKUPS: usize = 4;

/// The tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// For each row, the number of its line.
    pub rows: Vec<Option<u32>>,
    /// With two read ports, rows whose line the store's first copy has, too.
    pub first: Vec<bool>,
}

impl Tags {
    /// An empty cache.
    pub fn new(geometry: &CcsGeometry) -> Tags {
        let two = geometry.read_ports == 2;
        Tags { rows: vec![None; geometry.lines], first: vec![false; if two { geometry.lines } else { 0 }] }
    }

    /// A line's row.
    pub fn row(&self, line: u32) -> usize {
        line as usize % self.rows.len()
    }

    /// Whether a line is there.
    pub fn hit(&self, line: u32) -> bool {
        self.rows[self.row(line)] == Some(line)
    }

    /// Whether a line is there for the first operand.
    pub fn first_hit(&self, line: u32) -> bool {
        self.hit(line) && self.first.get(self.row(line)).is_none_or(|&first| first)
    }

    /// The first copy loses the line in the row of `line` if it is to be written there; has it again if it is filled;
    /// and loses the one whose row in the second copy is written. A row may lose its line altogether.
    pub fn step_first(&mut self, line: u32, set: bool, spoils: bool, changed: Option<usize>, evicted: Option<usize>) {
        if let Some(row) = evicted {
            self.rows[row] = None;
        }
        let row = self.row(line);
        if let Some(first) = self.first.get_mut(row) {
            *first = *first && !spoils || set;
        }
        if let Some(first) = changed.and_then(|row| self.first.get_mut(row)) {
            *first = false;
        }
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
            self.rows.fill(None);
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.rows.fill(None);
        self.first.fill(false);
    }
}

state! {
    Tags(self) {
        valid[] = self.rows.iter().map(Option::is_some);
        first[] = &self.first;
        let rows = self.rows.len();
        let tag = |row: usize| self.rows[row].map(|line| u64::from(line) / rows as u64);
        still (self.rows) {
            memory (copies) [copy in 0..LOOKUPS] = Contents::always(rows, Words::Narrow(&tag));
        }
    }
}
