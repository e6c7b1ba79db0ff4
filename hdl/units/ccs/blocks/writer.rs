//! What is written, to the store and to memory: results, the processor's words, lines that arrive.
//!
//! Results never wait. A word out of [`crate::ccs::blocks::word_stage`] is written in the first cycle without one; a
//! line that arrives in the first cycle in which nothing else goes to the store. Results and words go to memory in
//! every case (write-through) and to the store if their line is in the cache (no allocation). A word that covers an
//! element of the store in part takes its line out of the cache instead: enables of single bytes would take four times
//! the RAMs.
//!
//! A word reaches memory by a way of its own, 32 bits with byte strobes (`write_word` = 1): so the lanes' results go to
//! memory as they come.

use crate::ccs::blocks::types::{CONSTANT_ROW, LineNumber, RowNumber, Shape, UNACKNOWLEDGED, describes};
use crate::kernel::prelude::*;

/// What goes to the store: results.
pub const FROM_RESULTS: u64 = 0;
/// A word, in all lanes.
pub const FROM_WORD: u64 = 1;
/// A line from memory.
pub const FROM_MEMORY: u64 = 2;
const EVERY_BYTE: u64 = 15;

/// The writer.
#[derive(LogicBlock, Default)]
pub struct CcsWriter {
    pub(super) clock: Signal<In, Domain>,
    pub(super) lanes_valid: Signal<In, Bit>,         // A step leaves the lanes.
    pub(super) lanes: Array<Signal<In, Bit>, LANES>, // Its lanes that count.
    pub(super) map: Signal<In, Bit>,                 // The command is a map.
    pub(super) element: Signal<In, Bit>,             // A reduction's result goes to the word stage.
    pub(super) head_line: Signal<In, LineNumber>,    // First result line on its way.
    pub(super) head_hit: Signal<In, Bit>,            // It is in the cache.
    pub(super) pop: Signal<Out, Bit>,                // It is written, or goes to the word stage.
    pub(super) constant_write: Signal<In, Bit>,      // The constant row is written.
    pub(super) constant_word: Signal<In, Bits<32>>,  // With this word.
    pub(super) word_held: Signal<In, Bit>,           // A word is to be written.
    pub(super) word_go: Signal<Out, Bit>,            // It is.
    pub(super) word_line: Signal<In, LineNumber>,    // Its line.
    pub(super) word_stores: Signal<In, Bit>,         // It is there and goes to the store.
    pub(super) word_drops_line: Signal<In, Bit>,     // It is there, and its line is to be taken out of the cache.
    pub(super) word_value: Signal<In, Bits<32>>,     // The word.
    pub(super) word_strobes: Signal<In, Bits<4>>,    // Its bytes that count.
    pub(super) word_lanes: Array<Signal<In, Bit>, LANES>, // Lanes that it reaches.
    pub(super) word_drops: Signal<Out, Bit>,         // Its line is to be taken out of the cache.
    pub(super) reply_valid: Signal<In, Bit>,         // A line arrives.
    pub(super) reply_ready: Signal<Out, Bit>,        // It is written.
    pub(super) reply_row: Signal<In, RowNumber>,     // To this row.
    pub(super) row: Signal<Out, RowNumber>,          // Row of the store to write.
    pub(super) enables: Array<Signal<Out, Bit>, LANES>, // Its lanes to write.
    pub(super) source: Signal<Out, Bits<2>>,         // From where: [`FROM_RESULTS`], [`FROM_WORD`], [`FROM_MEMORY`].
    pub(super) word_out: Signal<Out, Bits<32>>,      // The word.
    pub(super) write_valid: Signal<Out, Bit>,        // Memory is written.
    pub(super) write_line: Signal<Out, LineNumber>,  // Which line.
    pub(super) write_lanes: Array<Signal<Out, Bit>, LANES>, // Which lanes.
    pub(super) write_bytes: Signal<Out, Bits<4>>,    // Which bytes of each word.
    pub(super) write_word: Signal<Out, Bit>,         // With `word`, not with results.
    pub(super) ack_valid: Signal<In, Bit>,           // Memory has written the oldest line or word.
    pub(super) line_written: Signal<Out, Bit>,       // A result line is written.
    pub(super) slow: Signal<Out, Bit>,               // Memory lags behind.
    pub(super) settled: Signal<Out, Bit>,            // Memory has written everything.
    unacknowledged: Register<Bits<6>>,               // Writes up to the cycle before that memory has not acknowledged.
    sent: Register<Bit>,                             // Memory was written, a cycle ago.
    many: Register<Bit>,                             // Too many of them.
    results: Signal<Local, Bit>,
    to_store: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    words: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    _g: Shape,
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
        self.words.next = self.word_stores.val() & !self.results.val() & !self.constant_write.val();
        self.word_drops.next = self.word_drops_line.val() & !self.results.val() & !self.constant_write.val();
        self.to_store.next = self.stores.val() | self.words.val() | self.constant_write.val();
        self.reply_ready.next = !self.to_store.val();
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
        self.settled.next = !self.word_held.val() & !self.sent.q.val() & !self.unacknowledged.q.val().any();
    }

    describes!(block: format!("ccs_writer_{}_{}", block._g.lanes, block._g.bytes),
        "Writes results, words and lines to the store and to memory.",
        [FROM_RESULTS, FROM_WORD, FROM_MEMORY, CONSTANT_ROW, UNACKNOWLEDGED, EVERY_BYTE]);
}
