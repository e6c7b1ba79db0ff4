//! Words and lines that are written, as one array of lanes: a word's elements are in every group of lanes that holds a word.
//!
//! ```text
//!  word ─▶ elements ─┐
//!  line ─────────────┴─▶ data
//! ```
//!
//! Combinational. Which lanes count is for the writer to say.

use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct CcsWriteMerge {
    /// A word is written, no line.
    pub word: Signal<In, Bit>,
    /// The word.
    pub value: Signal<In, Bits<32>>,
    /// The line.
    pub line: Vec<Signal<In, Bits<32>>>,
    /// What is written.
    pub data: Vec<Signal<Out, Bits<32>>>,
    rests: Vec<Signal<Local, Bits<32>>>,
    parts: Vec<Signal<Local, Bits<32>>>,
    _lanes: usize,
    _words: usize,
    _parts: usize,
    _element_bits: u64,
    _ones: u64,
}

impl CcsWriteMerge {
    /// For lines of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let parts = 32 / geometry.element_bits;
        CcsWriteMerge {
            line: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            data: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            rests: (0..parts).map(|_| Signal::default()).collect(),
            parts: (0..parts).map(|_| Signal::default()).collect(),
            _lanes: geometry.lanes,
            _words: geometry.lanes / parts,
            _parts: parts,
            _element_bits: geometry.element_bits as u64,
            _ones: geometry.ones().into(),
            ..Self::default()
        }
    }
}

impl Logic for CcsWriteMerge {
    #[hdl_gen]
    fn update(&mut self) {
        self.rests[0].next = self.value.val();
        self.parts[0].next = self.rests[0].val() & self._ones;
        for p in 1..self._parts {
            self.rests[p].next = self.rests[p - 1].val() >> self._element_bits;
            self.parts[p].next = self.rests[p].val() & self._ones;
        }
        for w in 0..self._words {
            for p in 0..self._parts {
                self.data[self._parts * w + p].next = self.line[self._parts * w + p].val();
                if self.word.val() {
                    self.data[self._parts * w + p].next = self.parts[p].val();
                }
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_write_merge_{}_{}", self._lanes, self._element_bits),
            "Words and lines that are written, as lanes.",
            constants![; self._words, self._parts, self._element_bits, self._ones],
        )
    }
}
