//! The cache's data, and what the unit reads beside it.
//!
//! Every lane has two mirrored RAMs of 512 elements, each half a block RAM (RAMB18): two rows are read and one written
//! in every cycle. One copy with both ports used for reading would leave none for writing, and banks by row would make
//! two operands wait for each other whenever they meet in a bank; a second copy costs 64 RAMB18 of the 2,940 of an
//! XC7VX690T. A RAMB18 has 512 rows and the cache takes 16: the others hold lines on their way to the unit and the
//! constant, so that the lanes need no multiplexer before their operands.
//!
//! `a` and `b` are there in the cycle after their rows. A row that is read while it is written is what it was before.
//! For the processor, a word of `a` is chosen in two stages: `place` belongs to the cycle of `a`, `word_read` to the
//! one after.

use crate::ccs::blocks::types::{GROUPS, LaneNumber, PARTS, ROWS, RowNumber, Shape, WORDS, describes};
use crate::ccs::blocks::writer::{FROM_MEMORY, FROM_WORD};
use crate::kernel::prelude::*;

/// The store.
#[derive(LogicBlock, Default)]
pub struct CcsStore {
    pub(super) clock: Signal<In, Domain>,
    pub(super) row_a: Signal<In, RowNumber>, // Row to read as first operand.
    pub(super) row_b: Signal<In, RowNumber>, // Row to read as second operand.
    pub(super) a: Array<Signal<Out, Bits<32>>, LANES>, // First operand, a lane each.
    pub(super) b: Array<Signal<Out, Bits<32>>, LANES>, // Second operand.
    pub(super) place: Signal<In, LaneNumber>, // Place of a word in the line that `a` is, in words.
    pub(super) word_read: Signal<Out, Bits<32>>, // The word, a cycle later.
    pub(super) row: Signal<In, RowNumber>,   // Row to write.
    pub(super) enables: Array<Signal<In, Bit>, LANES>, // Lanes to write.
    pub(super) source: Signal<In, Bits<2>>,  // What to write.
    pub(super) results: Array<Signal<In, Bits<32>>, LANES>, // Results.
    pub(super) word: Signal<In, Bits<32>>,   // A word for all lanes.
    pub(super) line: Array<Signal<In, Bits<32>>, LANES>, // A line from memory.
    first: Vec<Ram<Bits<32>, RowNumber>>,    // First copy.
    second: Vec<Ram<Bits<32>, RowNumber>>,   // Second copy.
    candidates: Array<Pipe<Bits<32>>, GROUPS>, // Words of which one is the one asked for.
    which: Pipe<LaneNumber>,                 // Which.
    rests: Array<Signal<Local, Bits<32>>, PARTS>,
    parts: Array<Signal<Local, Bits<32>>, PARTS>,
    words: Array<Signal<Local, Bits<32>>, WORDS>,
    data: Array<Signal<Local, Bits<32>>, LANES>,
    quarter: Signal<Local, LaneNumber>,
    _g: Shape,
}

impl CcsStore {
    /// The store.
    pub fn new() -> Self {
        let Shape { lanes, .. } = Shape::default();
        let rams = || (0..lanes).map(|_| Ram::new(ROWS, RamStyle::Block)).collect();
        CcsStore { first: rams(), second: rams(), ..Self::default() }
    }
}

impl Logic for CcsStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, which, candidates);
        // A word's elements.
        self.rests[0].next = self.word.val();
        self.parts[0].next = self.rests[0].val() & self._g.ones;
        for p in 1..self._g.parts {
            self.rests[p].next = self.rests[p - 1].val() >> self._g.bits;
            self.parts[p].next = self.rests[p].val() & self._g.ones;
        }
        for w in 0..self._g.words {
            for p in 0..self._g.parts {
                self.data[self._g.parts * w + p].next = self.results[self._g.parts * w + p].val();
                if self.source.val() == FROM_WORD {
                    self.data[self._g.parts * w + p].next = self.parts[p].val();
                }
                if self.source.val() == FROM_MEMORY {
                    self.data[self._g.parts * w + p].next = self.line[self._g.parts * w + p].val();
                }
            }
        }
        for k in 0..self._g.lanes {
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
        for w in 0..self._g.words {
            self.words[w].next = self.first[self._g.parts * w + self._g.last_part].read_data.val();
            for p in 1..self._g.parts {
                self.words[w].next = (self.words[w].val() << self._g.bits)
                    | self.first[self._g.parts * w + self._g.last_part - p].read_data.val();
            }
        }
        self.quarter.next = self.place.val() >> self._g.group_log;
        for g in 0..self._g.groups {
            self.candidates[g].d.next = self.words[g].val();
            for q in 1..self._g.group_words {
                if self.quarter.val().index() == q {
                    self.candidates[g].d.next = self.words[self._g.groups * q + g].val();
                }
            }
        }
        self.which.d.next = self.place.val() & self._g.group_mask;
        self.word_read.next = self.candidates[0].q.val();
        for g in 1..self._g.groups {
            if self.which.q.val().index() == g {
                self.word_read.next = self.candidates[g].q.val();
            }
        }
    }

    describes!(block: format!("ccs_store_{}_{}", block._g.lanes, block._g.bits),
        "Data of the cache and lines on their way, two copies.", [FROM_WORD, FROM_MEMORY]);
}
