//! What is written, to the store and to memory: results, the processor's words, lines that arrive.
//!
//! Results never wait. A word out of [`crate::ccs::blocks::word_stage`] is written in the first cycle without one; a
//! line that arrives in the first cycle in which nothing else goes to the store. Results and words go to memory in
//! every case (write-through) and to the store if their line is in the cache (no allocation). A word that covers an
//! element of the store in part takes its line out of the cache instead: enables of single bytes would take four times
//! the RAMs.
//!
//! With two read ports these are the second port's lines, and `changes` tells of results and words that go to the
//! store: the first copy does not get them. A line that arrives goes before a result there, whose line is taken out of
//! the cache instead (`evicts`): so vectors from memory come at full rate whatever the cache holds.
//!
//! A word reaches memory by a way of its own, 32 bits with byte strobes (`write_word` = 1): so the lanes' results go to
//! memory as they come.

use crate::ccs::blocks::types::{CONSTANT_ROW, LineNumber, MORE, RowNumber, Shape, UNACKNOWLEDGED, describes};
use crate::kernel::prelude::*;

/// What goes to the store: results.
pub const FROM_RESULTS: u64 = 0;
/// A word, in all lanes.
pub const FROM_WORD: u64 = 1;
/// A line from memory.
pub const FROM_MEMORY: u64 = 2;
const EVERY_BYTE: u64 = 15;

hdl_block! {
    /// The writer.
    pub CcsWriter {
        In clock: Domain; /// Clock and reset.
        In lanes_valid: Bit; /// A step leaves the lanes.
        Bus lanes: Array<Signal<In, Bit>, LANES>; /// Its lanes that count.
        In map, element: Bit; /// The command is a map. A reduction's result goes to the word stage.
        In head_line: LineNumber; /// First result line on its way.
        In head_hit: Bit; /// It is in the cache.
        Out pop: Bit; /// It is written, or goes to the word stage.
        In constant_write: Bit; /// The constant row is written.
        In constant_word: Bits<32>; /// With this word.
        In word_held: Bit; /// A word is to be written.
        Out word_go: Bit; /// It is.
        In word_line: LineNumber; /// Its line.
        In word_stores: Bit; /// It is there and goes to the store.
        In word_drops_line: Bit; /// It is there, and its line is to be taken out of the cache.
        In word_value: Bits<32>; /// The word.
        In word_strobes: Bits<4>; /// Its bytes that count.
        Bus word_lanes: Array<Signal<In, Bit>, LANES>; /// Lanes that it reaches.
        Out word_drops: Bit; /// Its line is to be taken out of the cache.
        In reply_valid: Bit; /// A line arrives.
        Out reply_ready: Bit; /// It is written.
        In reply_row: RowNumber; /// To this row.
        Out row: RowNumber; /// Row of the store to write.
        Bus enables: Array<Signal<Out, Bit>, LANES>; /// Its lanes to write.
        Out source: Bits<2>; /// From where: [`FROM_RESULTS`], [`FROM_WORD`], [`FROM_MEMORY`].
        Out word_out: Bits<32>; /// The word.
        Bus changes, evicts: Array<Signal<Out, Bit>, MORE>; /// A line of the cache is written. One is to be taken out.
        Bus changed, evicted: Array<Signal<Out, RowNumber>, MORE>; /// Its row. That of the one to be taken out.
        Out write_valid: Bit; /// Memory is written.
        Out write_line: LineNumber; /// Which line.
        Bus write_lanes: Array<Signal<Out, Bit>, LANES>; /// Which lanes.
        Out write_bytes: Bits<4>; /// Which bytes of each word.
        Out write_word: Bit; /// With `word`, not with results.
        In ack_valid: Bit; /// Memory has written the oldest line or word.
        Out line_written, slow: Bit; /// A result line is written. Memory lags behind.
        Out settled: Bit; /// Memory has written everything.
    } inside {
        Register unacknowledged: Bits<6>; // Writes up to the cycle before that memory has not acknowledged.
        Register sent, many: Bit; // Memory was written, a cycle ago. Too many of them.
        Local results, to_store, whole, words, stores: Bit;
        Value _g: Shape;
    }
}

impl Logic for CcsWriter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, unacknowledged, sent, many);
        // Who writes.
        self.results.next = self.lanes_valid.val() & self.map.val();
        self.word_go.next = self.word_held.val() & !self.results.val() & !self.constant_write.val();
        self.pop.next = self.results.val() | self.element.val();
        self.line_written.next = self.results.val() | self.element.val();
        // To memory.
        self.write_valid.next = self.results.val() | (self.word_held.val() & !self.constant_write.val());
        self.write_word.next = self.word_go.val();
        self.write_line.next = self.word_line.val();
        self.write_bytes.next = self.word_strobes.val();
        if self.results.val() {
            self.write_line.next = self.head_line.val();
            self.write_bytes.next = EVERY_BYTE.into();
        }
        // To the store.
        self.stores.next = self.results.val() & self.head_hit.val();
        for i in 0..self._g.more {
            self.evicts[i].next = self.results.val() & self.head_hit.val() & self.reply_valid.val();
            self.evicted[i].next = bit_cast::<7, 30>(self.head_line.val() & self._g.index_mask);
            self.stores.next = self.results.val() & self.head_hit.val() & !self.reply_valid.val();
        }
        self.words.next = self.word_stores.val() & !self.results.val() & !self.constant_write.val();
        self.word_drops.next = self.word_drops_line.val() & !self.results.val() & !self.constant_write.val();
        self.to_store.next = self.stores.val() | self.words.val() | self.constant_write.val();
        self.reply_ready.next = !self.to_store.val();
        for i in 0..self._g.more {
            self.changes[i].next = self.stores.val() | self.words.val();
            // As `row`, which is late.
            self.changed[i].next = bit_cast::<7, 30>(self.head_line.val() & self._g.index_mask);
            if self.words.val() {
                self.changed[i].next = bit_cast::<7, 30>(self.word_line.val() & self._g.index_mask);
            }
        }
        self.whole.next = self.constant_write.val() | (self.reply_valid.val() & !self.to_store.val());
        for k in 0..self._g.lanes {
            self.write_lanes[k].next =
                (self.results.val() & self.lanes[k].val()) | (self.word_go.val() & self.word_lanes[k].val());
            self.enables[k].next = (self.stores.val() & self.lanes[k].val())
                | (self.words.val() & self.word_lanes[k].val())
                | self.whole.val();
        }
        self.row.next = self.reply_row.val();
        self.source.next = FROM_MEMORY.into();
        self.word_out.next = self.word_value.val();
        if self.stores.val() {
            self.row.next = bit_cast::<7, 30>(self.head_line.val() & self._g.index_mask);
            self.source.next = FROM_RESULTS.into();
        }
        if self.words.val() {
            self.row.next = bit_cast::<7, 30>(self.word_line.val() & self._g.index_mask);
            self.source.next = FROM_WORD.into();
        }
        if self.constant_write.val() {
            self.row.next = CONSTANT_ROW.into();
            self.source.next = FROM_WORD.into();
            self.word_out.next = self.constant_word.val();
        }
        // Acknowledgements.
        self.sent.d.next = self.write_valid.val();
        if self.sent.q.val() & !self.ack_valid.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() + 1;
        }
        if self.ack_valid.val() & !self.sent.q.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() - 1;
        }
        self.many.d.next = self.unacknowledged.q.val() >= UNACKNOWLEDGED;
        self.slow.next = self.many.q.val();
        self.settled.next = !self.word_held.val()
            & ((!self.unacknowledged.q.val().any() & (!self.sent.q.val() | self.ack_valid.val()))
                | ((self.unacknowledged.q.val() == 1) & !self.sent.q.val() & self.ack_valid.val()));
    }

    describes!(block: format!("ccs_writer_{}_{}", block._g.lanes, block._g.bytes),
        "Writes results, words and lines to the store and to memory.",
        [FROM_RESULTS, FROM_WORD, FROM_MEMORY, CONSTANT_ROW, UNACKNOWLEDGED, EVERY_BYTE]);
}
