//! Model of the store: rows of elements, the operands that were read, and the processor's word.

use super::writer::{Data, StoreWrite};
use crate::state::Touched;
use bitline_units::ccs::CcsGeometry;

/// Rows.
pub const ROWS: usize = 128;

/// The store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    bits: usize,
    ones: u32,
    /// For each lane, its elements in all rows.
    pub lanes: Vec<Vec<u32>>,
    /// With two read ports, what the first copy has in their place; else empty.
    pub first: Vec<Vec<u32>>,
    /// Operands that were read.
    pub operands: [Vec<u32>; 2],
    /// Words of which one is the processor's.
    pub candidates: Vec<u32>,
    /// Which.
    pub which: usize,
}

impl Store {
    /// Zeros.
    pub fn new(geometry: &CcsGeometry) -> Store {
        let lanes = geometry.lanes;
        let words = geometry.line_bytes() / 4;
        Store {
            bits: geometry.element_bits,
            ones: geometry.ones(),
            lanes: vec![vec![0; ROWS]; lanes],
            first: vec![vec![0; ROWS]; if geometry.read_ports == 2 { lanes } else { 0 }],
            operands: [vec![0; lanes], vec![0; lanes]],
            candidates: vec![0; words.div_ceil(4)],
            which: 0,
        }
    }

    /// The word whose place was given a cycle ago.
    pub fn word(&self) -> u32 {
        self.candidates[self.which]
    }

    /// A clock cycle: rows to read, place of a word in the row read before, a write, and where its data come from; with
    /// two read ports a line for the first copy.
    pub fn step(
        &mut self,
        rows: [u8; 2],
        place: usize,
        write: Option<&StoreWrite>,
        results: &[u32],
        reply: Option<&[u32]>,
        more: Option<(u8, &[u32])>,
    ) {
        let groups = self.candidates.len();
        let parts = 32 / self.bits;
        self.which = place % groups;
        // The operand that the processor's words are in.
        let from = usize::from(!self.first.is_empty());
        for (group, candidate) in self.candidates.iter_mut().enumerate() {
            let word = place / groups * groups + group;
            let elements = self.operands[from][word * parts..][..parts].iter().rev();
            *candidate = elements.fold(0, |word, &element| word.checked_shl(self.bits as u32).unwrap_or(0) | element);
        }
        for (operand, row) in self.operands.iter_mut().zip(rows) {
            *operand = self.lanes.iter().map(|lane| lane[usize::from(row)]).collect();
        }
        if !self.first.is_empty() {
            self.operands[0] = self.first.iter().map(|lane| lane[usize::from(rows[0])]).collect();
        }
        if let Some((row, line)) = more {
            self.first.iter_mut().zip(line).for_each(|(lane, &element)| lane[usize::from(row)] = element);
        }
        let Some(write) = write else { return };
        for (k, lane) in self.lanes.iter_mut().enumerate().filter(|(k, _)| write.lanes[*k]) {
            lane[usize::from(write.row)] = match write.data {
                Data::Results => results[k],
                Data::Word(word) => word >> (k % parts * self.bits) & self.ones,
                Data::Reply => reply.map_or(0, |line| line[k]),
            };
        }
    }
}

state! {
    Store(self, written: Option<usize>, more: Option<usize>) {
        candidates[] = &self.candidates;
        if (self.candidates.len() > 1) {
            which = self.which;
        }
        let depth = self.lanes[0].len();
        let touched = |to: &mut dyn FnMut(usize)| written.into_iter().for_each(to);
        memories (second) [self.lanes.len()], (Touched::These(&touched), depth) =
            |lane: usize, row: usize| self.lanes[lane][row].into();
        let alone = !self.first.is_empty();
        let first = if alone { &self.first } else { &self.lanes };
        let touched = |to: &mut dyn FnMut(usize)| {
            if alone { more } else { written }.into_iter().for_each(to)
        };
        memories (first) [self.lanes.len()], (Touched::These(&touched), depth) =
            |lane: usize, row: usize| first[lane][row].into();
    }
}
