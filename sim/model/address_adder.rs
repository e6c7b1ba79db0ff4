//! Model of the address adder: base and index of each row address, then their sum.

use super::compute_array::Issue;
use bitline_units::array::params::{Memory, Params, ROW_ADDRESS_BITS};

/// A row on its way from the address generator to issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// There is one.
    pub valid: bool,
    /// What the array is to do. Before the sums, rows that are used count as 0.
    pub issue: Issue,
    /// Bases of row A, row B and the row written.
    pub bases: [u16; 3],
    /// Their indices.
    pub indices: [u16; 3],
    /// Use of the wired-OR.
    pub token: u8,
    /// First of its command.
    pub first: bool,
    /// Last of its command.
    pub last: bool,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
}

impl Row {
    /// Sum of a base and its index.
    pub fn sum(&self, which: usize) -> usize {
        usize::from(self.bases[which].wrapping_add(self.indices[which])) & ((1 << ROW_ADDRESS_BITS) - 1)
    }

    /// The row with its addresses.
    #[must_use]
    pub fn summed(mut self) -> Row {
        let [a, b, write] = [self.sum(0), self.sum(1), self.sum(2)];
        let issue = &mut self.issue;
        issue.lines.a = issue.lines.a.map(|_| a);
        issue.lines.b = issue.lines.b.map(|_| b);
        issue.write = issue.write.map(|_| write);
        self
    }
}

/// The two stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressAdder {
    /// Bases and indices.
    pub sum: Row,
    /// Row addresses.
    pub row: Row,
}

impl AddressAdder {
    /// The stages move, `row` comes in.
    pub fn step(&mut self, row: Row) {
        (self.row, self.sum) = (self.sum.summed(), row);
    }
}

state! {
    Row(self, params: &Params) {
        let (issue, lines) = (&self.issue, &self.issue.lines);
        self => valid;
        when (self.valid) {
            column = issue.column.encode();
            lines => merge;
            a_enable = lines.a.is_some();
            b_enable = lines.b.is_some();
            write_enable = issue.write.is_some();
            issue => load, store;
            self => token, first, last, carry, keep_tag;
            if (params.memory == Memory::Behavioural) {
                multi = lines.multi.code();
                multi_rows = lines.mask;
            }
        }
    }

    AddressAdder(self, params: &Params) {
        bus sum = self.sum, (params);
        bus row = self.row, (params);
        when (self.sum.valid) {
            sum_a_base = self.sum.bases[0];
            sum_a_index = self.sum.indices[0];
            sum_b_base = self.sum.bases[1];
            sum_b_index = self.sum.indices[1];
            sum_write_base = self.sum.bases[2];
            sum_write_index = self.sum.indices[2];
        }
        when (self.row.valid) {
            row_a = self.row.sum(0);
            row_b = self.row.sum(1);
            row_write = self.row.sum(2);
        }
    }
}
