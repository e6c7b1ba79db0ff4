//! The cache's data, and what the unit reads beside it.
//!
//! Every lane has two mirrored RAMs of 512 elements, each half a block RAM (RAMB18): two rows are read and one written
//! in every cycle. One copy with both ports used for reading would leave none for writing, and banks by row would make
//! two operands wait for each other whenever they meet in a bank; a second copy costs 64 RAMB18 of the 2,940 of an
//! XC7VX690T. A RAMB18 has 512 rows and the cache takes 16: the others hold lines on their way to the unit and the
//! constant, so that the lanes need no multiplexer before their operands.
//!
//! With two read ports each copy has its own lines: those of the first port, which are a's, are all that the first copy
//! gets; results, words and the lines of the second port go to the second. So no copy has more sources than the one
//! port's copies have, and words are read from the second.
//!
//! `a` and `b` are there in the cycle after their rows. A row that is read while it is written is what it was before.
//! For the processor, a word of `a`, with two ports of `b`, is chosen in two stages: `place` belongs to the cycle of
//! `a`, `word_read` to the one after.

use crate::ccs::blocks::bundles::StoreLineSink;
use crate::ccs::blocks::types::{GROUPS, LaneNumber, MORE, PARTS, ROWS, RowNumber, Shape, WORDS, describes};
use crate::ccs::blocks::writer::{FROM_MEMORY, FROM_WORD};
use crate::kernel::prelude::*;

hdl_block! {
    /// The store.
    pub CcsStore {
        In clock: Domain; /// Clock and reset.
        In row_a, row_b: RowNumber; /// Row to read as first operand. Row to read as second operand.
        Bus a, b: Array<Signal<Out, Bits<32>>, LANES>; /// First operand, a lane each. Second operand.
        In place: LaneNumber; /// Place of a word in the line that was read, in words.
        Out word_read: Bits<32>; /// The word, a cycle later.
        In row: RowNumber; /// Row to write.
        Bus enables: Array<Signal<In, Bit>, LANES>; /// Lanes to write.
        In source: Bits<2>; /// What to write.
        Bus results: Array<Signal<In, Bits<32>>, LANES>; /// Results.
        In word: Bits<32>; /// A word for all lanes.
        Bus line: Array<Signal<In, Bits<32>>, LANES>; /// A line from memory, the second port's if there are two.
        Bus more: Array<StoreLineSink, MORE>; /// With two ports, the first one's line, for the first copy.
    } inside {
        Child first, second: Vec<Ram<Bits<32>, RowNumber>>; // First copy. Second copy.
        Child read: Array<Signal<Local, Bits<32>>, LANES>; // What the processor's word is in.
        Child candidates: Array<Pipe<Bits<32>>, GROUPS>; // Words of which one is the one asked for.
        Pipe which: LaneNumber; // Which.
        Child rests, parts: Array<Signal<Local, Bits<32>>, PARTS>;
        Child words: Array<Signal<Local, Bits<32>>, WORDS>;
        Child data: Array<Signal<Local, Bits<32>>, LANES>;
        Local quarter: LaneNumber;
        Value _g: Shape;
    }
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
            self.read[k].next = self.first[k].read_data.val();
            for i in 0..self._g.more {
                self.first[k].write_address.next = self.more[i].row.val();
                self.first[k].write_enable.next = self.more[i].valid.val();
                self.first[k].write_data.next = self.more[i].data[k].val();
                self.read[k].next = self.second[k].read_data.val();
            }
        }
        // The word asked for.
        for w in 0..self._g.words {
            self.words[w].next = self.read[self._g.parts * w + self._g.last_part].val();
            for p in 1..self._g.parts {
                self.words[w].next =
                    (self.words[w].val() << self._g.bits) | self.read[self._g.parts * w + self._g.last_part - p].val();
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
