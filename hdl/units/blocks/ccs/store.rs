//! The cache's data, and what the unit reads beside it.
//!
//! Every lane has two mirrored RAMs of 512 elements, each half a block RAM (RAMB18): two rows are read and one written in every cycle. One
//! copy with both ports used for reading would leave none for writing, and banks by row would make two operands wait for each other
//! whenever they meet in a bank; a second copy costs 64 RAMB18 of the 2,940 of an XC7VX690T. A RAMB18 has 512 rows and the cache takes 16: the
//! others hold lines on their way to the unit and the constant, so that the lanes need no multiplexer before their operands.
//!
//! `a` and `b` are there in the cycle after their rows. A row that is read while it is written is what it was before. For the processor, a
//! word of `a` is chosen in two stages: `place` belongs to the cycle of `a`, `word_read` to the one after.

use super::types::{LaneNumber, ROWS, RowNumber};
use super::writer::{FROM_MEMORY, FROM_WORD};
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The store.
#[derive(LogicBlock, Default)]
pub struct CcsStore {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Row to read as first operand.
    pub row_a: Signal<In, RowNumber>,
    /// Row to read as second operand.
    pub row_b: Signal<In, RowNumber>,
    /// First operand, a lane each.
    pub a: Vec<Signal<Out, Bits<32>>>,
    /// Second operand.
    pub b: Vec<Signal<Out, Bits<32>>>,
    /// Place of a word in the line that `a` is, in words.
    pub place: Signal<In, LaneNumber>,
    /// The word, a cycle later.
    pub word_read: Signal<Out, Bits<32>>,
    /// Row to write.
    pub row: Signal<In, RowNumber>,
    /// Lanes to write.
    pub enables: Vec<Signal<In, Bit>>,
    /// What to write.
    pub source: Signal<In, Bits<2>>,
    /// Results.
    pub results: Vec<Signal<In, Bits<32>>>,
    /// A word for all lanes.
    pub word: Signal<In, Bits<32>>,
    /// A line from memory.
    pub line: Vec<Signal<In, Bits<32>>>,
    /// First copy.
    pub first: Vec<Ram<Bits<32>, RowNumber>>,
    /// Second copy.
    pub second: Vec<Ram<Bits<32>, RowNumber>>,
    /// Words of which one is the one asked for.
    pub candidates: Vec<Pipe<Bits<32>>>,
    /// Which.
    pub which: Pipe<LaneNumber>,
    rests: Vec<Signal<Local, Bits<32>>>,
    parts: Vec<Signal<Local, Bits<32>>>,
    words: Vec<Signal<Local, Bits<32>>>,
    data: Vec<Signal<Local, Bits<32>>>,
    quarter: Signal<Local, LaneNumber>,
    chosen: Signal<Local, Bits<32>>,
    _lanes: usize,
    _words: usize,
    _parts: usize,
    _last_part: usize,
    _groups: usize,
    _group_words: usize,
    _group_log: u64,
    _group_mask: u64,
    _element_bits: u64,
    _ones: u64,
}

impl CcsStore {
    /// The store of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let parts = 32 / geometry.element_bits;
        let words = geometry.lanes / parts;
        // The first stage chooses one of up to four.
        let groups = words.div_ceil(4);
        fn lanes<T: Default>(number: usize) -> Vec<T> {
            (0..number).map(|_| T::default()).collect()
        }
        let rams = || (0..geometry.lanes).map(|_| Ram::new(ROWS, RamStyle::Block)).collect();
        CcsStore {
            a: lanes(geometry.lanes),
            b: lanes(geometry.lanes),
            enables: lanes(geometry.lanes),
            results: lanes(geometry.lanes),
            line: lanes(geometry.lanes),
            first: rams(),
            second: rams(),
            candidates: lanes(groups),
            rests: lanes(parts),
            parts: lanes(parts),
            words: lanes(words),
            data: lanes(geometry.lanes),
            _lanes: geometry.lanes,
            _words: words,
            _parts: parts,
            _last_part: parts - 1,
            _groups: groups,
            _group_words: words / groups,
            _group_log: groups.ilog2().into(),
            _group_mask: groups as u64 - 1,
            _element_bits: geometry.element_bits as u64,
            _ones: geometry.ones().into(),
            ..Self::default()
        }
    }
}

impl Logic for CcsStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, which);
        // A word's elements.
        self.rests[0].next = self.word.val();
        self.parts[0].next = self.rests[0].val() & self._ones;
        for p in 1..self._parts {
            self.rests[p].next = self.rests[p - 1].val() >> self._element_bits;
            self.parts[p].next = self.rests[p].val() & self._ones;
        }
        for w in 0..self._words {
            for p in 0..self._parts {
                self.data[self._parts * w + p].next = self.results[self._parts * w + p].val();
                if self.source.val() == FROM_WORD {
                    self.data[self._parts * w + p].next = self.parts[p].val();
                }
                if self.source.val() == FROM_MEMORY {
                    self.data[self._parts * w + p].next = self.line[self._parts * w + p].val();
                }
            }
        }
        for k in 0..self._lanes {
            self.first[k].clock.next = self.clock.val();
            self.second[k].clock.next = self.clock.val();
            self.first[k].read_enable.next = true;
            self.second[k].read_enable.next = true;
            self.first[k].read_address.next = self.row_a.val();
            self.second[k].read_address.next = self.row_b.val();
            self.first[k].write_address.next = self.row.val();
            self.second[k].write_address.next = self.row.val();
            self.first[k].write_enable.next = self.enables[k].val();
            self.second[k].write_enable.next = self.enables[k].val();
            self.first[k].write_data.next = self.data[k].val();
            self.second[k].write_data.next = self.data[k].val();
            self.a[k].next = self.first[k].read_data.val();
            self.b[k].next = self.second[k].read_data.val();
        }
        // The word asked for.
        for w in 0..self._words {
            self.words[w].next = self.first[self._parts * w + self._last_part].read_data.val();
            for p in 1..self._parts {
                self.words[w].next = (self.words[w].val() << self._element_bits)
                    | self.first[self._parts * w + self._last_part - p].read_data.val();
            }
        }
        self.quarter.next = self.place.val() >> self._group_log;
        for g in 0..self._groups {
            self.candidates[g].clock.next = self.clock.val();
            self.candidates[g].d.next = self.words[g].val();
            for q in 1..self._group_words {
                if self.quarter.val().index() == q {
                    self.candidates[g].d.next = self.words[self._groups * q + g].val();
                }
            }
        }
        self.which.d.next = self.place.val() & self._group_mask;
        self.chosen.next = self.candidates[0].q.val();
        for g in 1..self._groups {
            if self.which.q.val().index() == g {
                self.chosen.next = self.candidates[g].q.val();
            }
        }
        self.word_read.next = self.chosen.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_store_{}_{}", self._lanes, self._element_bits),
            "Data of the cache and lines on their way, two copies.",
            constants![FROM_WORD, FROM_MEMORY; self._lanes, self._words, self._parts, self._last_part, self._groups,
                self._group_words, self._group_log, self._group_mask, self._element_bits, self._ones],
        )
    }
}
