//! What is written, to the store and to memory: results, the processor's words, lines that arrive.
//!
//! Results never wait. A word out of [`super::word_stage`] is written in the first cycle without one; a line that arrives in the first cycle in which
//! nothing else goes to the store. Results and words go to memory in every case (write-through) and to the store if their line is in the
//! cache (no allocation). A word that covers an element of the store in part takes its line out of the cache instead: enables of single
//! bytes would take four times the RAMs.
//!
//! A word reaches memory by a way of its own, 32 bits with byte strobes (`write_word` = 1): so the lanes' results go to memory as they come.

use super::types::{CONSTANT_ROW, LineNumber, RowNumber, UNACKNOWLEDGED};
use crate::ccs::CcsGeometry;
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
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A step leaves the lanes.
    pub lanes_valid: Signal<In, Bit>,
    /// Its lanes that count.
    pub lanes: Vec<Signal<In, Bit>>,
    /// The command is a map.
    pub map: Signal<In, Bit>,
    /// A reduction's result goes to the word stage.
    pub element: Signal<In, Bit>,
    /// First result line on its way.
    pub head_line: Signal<In, LineNumber>,
    /// It is in the cache.
    pub head_hit: Signal<In, Bit>,
    /// It is written, or goes to the word stage.
    pub pop: Signal<Out, Bit>,
    /// The constant row is written.
    pub constant_write: Signal<In, Bit>,
    /// With this word.
    pub constant_word: Signal<In, Bits<32>>,
    /// A word is to be written.
    pub word_held: Signal<In, Bit>,
    /// It is.
    pub word_go: Signal<Out, Bit>,
    /// Its line.
    pub word_line: Signal<In, LineNumber>,
    /// It is there and goes to the store.
    pub word_stores: Signal<In, Bit>,
    /// It is there, and its line is to be taken out of the cache.
    pub word_drops_line: Signal<In, Bit>,
    /// The word.
    pub word_value: Signal<In, Bits<32>>,
    /// Its bytes that count.
    pub word_strobes: Signal<In, Bits<4>>,
    /// Lanes that it reaches.
    pub word_lanes: Vec<Signal<In, Bit>>,
    /// Its line is to be taken out of the cache.
    pub word_drops: Signal<Out, Bit>,
    /// A line arrives.
    pub reply_valid: Signal<In, Bit>,
    /// It is written.
    pub reply_ready: Signal<Out, Bit>,
    /// To this row.
    pub reply_row: Signal<In, RowNumber>,
    /// Row of the store to write.
    pub row: Signal<Out, RowNumber>,
    /// Its lanes to write.
    pub enables: Vec<Signal<Out, Bit>>,
    /// From where: [`FROM_RESULTS`], [`FROM_WORD`], [`FROM_MEMORY`].
    pub source: Signal<Out, Bits<2>>,
    /// The word.
    pub word_out: Signal<Out, Bits<32>>,
    /// Memory is written.
    pub write_valid: Signal<Out, Bit>,
    /// Which line.
    pub write_line: Signal<Out, LineNumber>,
    /// Which lanes.
    pub write_lanes: Vec<Signal<Out, Bit>>,
    /// Which bytes of each word.
    pub write_bytes: Signal<Out, Bits<4>>,
    /// With `word`, not with results.
    pub write_word: Signal<Out, Bit>,
    /// Memory has written the oldest line or word.
    pub ack_valid: Signal<In, Bit>,
    /// A result line is written.
    pub line_written: Signal<Out, Bit>,
    /// Memory lags behind.
    pub slow: Signal<Out, Bit>,
    /// Memory has written everything.
    pub settled: Signal<Out, Bit>,
    /// Writes up to the cycle before that memory has not acknowledged.
    pub unacknowledged: Register<Bits<6>>,
    /// Memory was written, a cycle ago.
    pub sent: Register<Bit>,
    /// Too many of them.
    pub many: Register<Bit>,
    results: Signal<Local, Bit>,
    word: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    to_store: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    words: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    _lanes: usize,
    _bytes: usize,
    _index_mask: u64,
}

impl CcsWriter {
    /// The writer of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsWriter {
            lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            enables: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            write_lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            word_lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            _lanes: geometry.lanes,
            _bytes: geometry.element_bytes(),
            _index_mask: geometry.lines as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcsWriter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, unacknowledged, sent, many);
        // Who writes.
        self.results.next = self.lanes_valid.val() & self.map.val();
        self.word.next = self.word_held.val() & !self.results.val() & !self.constant_write.val();
        self.word_go.next = self.word.val();
        self.pop.next = self.results.val() | self.element.val();
        self.line_written.next = self.results.val() | self.element.val();
        // To memory.
        self.sends.next = self.results.val() | (self.word_held.val() & !self.constant_write.val());
        self.write_valid.next = self.sends.val();
        self.write_word.next = self.word.val();
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
        for k in 0..self._lanes {
            self.write_lanes[k].next =
                (self.results.val() & self.lanes[k].val()) | (self.word.val() & self.word_lanes[k].val());
            self.enables[k].next = (self.stores.val() & self.lanes[k].val())
                | (self.words.val() & self.word_lanes[k].val())
                | self.whole.val();
        }
        self.row.next = self.reply_row.val();
        self.source.next = FROM_MEMORY.into();
        self.word_out.next = self.word_value.val();
        if self.stores.val() {
            self.row.next = bit_cast::<7, 30>(self.head_line.val() & self._index_mask);
            self.source.next = FROM_RESULTS.into();
        }
        if self.words.val() {
            self.row.next = bit_cast::<7, 30>(self.word_line.val() & self._index_mask);
            self.source.next = FROM_WORD.into();
        }
        if self.constant_write.val() {
            self.row.next = CONSTANT_ROW.into();
            self.source.next = FROM_WORD.into();
            self.word_out.next = self.constant_word.val();
        }
        // Acknowledgements.
        self.sent.d.next = self.sends.val();
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_writer_{}_{}", self._lanes, self._bytes),
            "Writes results, words and lines to the store and to memory.",
            constants![FROM_RESULTS, FROM_WORD, FROM_MEMORY, CONSTANT_ROW, UNACKNOWLEDGED, EVERY_BYTE;
                self._lanes, self._index_mask],
        )
    }
}
