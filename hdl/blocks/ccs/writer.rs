//! What is written, to the store and to memory: results, the processor's words, lines that arrive.
//!
//! Results never wait. A processor's word is written in the first cycle without one; a line that arrives in the first cycle in which
//! nothing else goes to the store. Results and words go to memory in every case (write-through) and to the store if their line is in the
//! cache (no allocation). A word that covers an element of the store in part takes its line out of the cache instead: enables of single
//! bytes would take four times the RAMs.
//!
//! A word reaches memory by a way of its own, 32 bits with byte strobes (`write_word` = 1): so the lanes' results go to memory as they come.

use super::types::{CONSTANT_ROW, LaneNumber, LineNumber, RowNumber, UNACKNOWLEDGED};
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
    /// A reduction's result leaves the tree.
    pub result_valid: Signal<In, Bit>,
    /// The result.
    pub result: Signal<In, Bits<32>>,
    /// It goes to memory.
    pub store: Signal<In, Bit>,
    /// First result line on its way.
    pub head_line: Signal<In, LineNumber>,
    /// It is in the cache.
    pub head_hit: Signal<In, Bit>,
    /// Place of a reduction's result in it.
    pub head_place: Signal<In, LaneNumber>,
    /// It is written.
    pub pop: Signal<Out, Bit>,
    /// The constant row is written.
    pub constant_write: Signal<In, Bit>,
    /// With this word.
    pub constant_word: Signal<In, Bits<32>>,
    /// The processor writes a word.
    pub word_valid: Signal<In, Bit>,
    /// It is written.
    pub word_granted: Signal<Out, Bit>,
    /// Its line.
    pub word_line: Signal<In, LineNumber>,
    /// Its place in it, in words.
    pub word_place: Signal<In, LaneNumber>,
    /// The word.
    pub word_data: Signal<In, Bits<32>>,
    /// Its bytes that count.
    pub word_strobes: Signal<In, Bits<4>>,
    /// Its line is in the cache.
    pub word_hit: Signal<In, Bit>,
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
    pub word: Signal<Out, Bits<32>>,
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
    element: Signal<Local, Bit>,
    write_sent: Signal<Local, Bit>,
    head: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    is_word: Signal<Local, Bit>,
    partial: Signal<Local, Bit>,
    to_store: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    words: Signal<Local, Bit>,
    place: Signal<Local, LaneNumber>,
    strobes: Signal<Local, Bits<4>>,
    spread: Signal<Local, Bits<4>>,
    line: Signal<Local, LineNumber>,
    replicated: Signal<Local, Bits<32>>,
    pair: Signal<Local, Bits<32>>,
    value: Signal<Local, Bits<32>>,
    reached: Vec<Signal<Local, Bit>>,
    at: Vec<Signal<Local, Bit>>,
    chosen: Vec<Signal<Local, Bit>>,
    stores: Signal<Local, Bit>,
    _lanes: usize,
    _words: usize,
    _parts: usize,
    _bytes: usize,
    _element_bytes: u64,
    _part_log: u64,
    _index_mask: u64,
    _narrow: bool,
    _byte: bool,
}

impl CcsWriter {
    /// The writer of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let parts = 32 / geometry.element_bits;
        CcsWriter {
            lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            enables: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            write_lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            chosen: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            reached: (0..parts).map(|_| Signal::default()).collect(),
            at: (0..(geometry.lanes / parts).max(1)).map(|_| Signal::default()).collect(),
            _lanes: geometry.lanes,
            _words: geometry.lanes / parts,
            _parts: parts,
            _bytes: geometry.element_bytes(),
            _element_bytes: (1 << geometry.element_bytes()) - 1,
            _part_log: parts.ilog2().into(),
            _index_mask: geometry.lines as u64 - 1,
            _narrow: geometry.element_bits < 32,
            _byte: geometry.element_bits == 8,
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
        self.element.next = self.result_valid.val() & self.store.val();
        self.head.next = self.results.val() | self.element.val();
        self.pop.next = self.head.val();
        self.line_written.next = self.head.val();
        self.granted.next = self.word_valid.val() & !self.head.val() & !self.constant_write.val();
        self.word_granted.next = self.granted.val();
        self.is_word.next = self.element.val() | self.granted.val();
        // A word: what, where, which bytes.
        self.spread.next = self._element_bytes.into();
        self.pair.next = self.result.val();
        if self._byte {
            self.pair.next = self.result.val() | (self.result.val() << 8);
        }
        self.replicated.next = self.pair.val();
        if self._narrow {
            self.replicated.next = self.pair.val() | (self.pair.val() << 16);
            if self._byte {
                if self.head_place.val().get_bit(0) {
                    self.spread.next = self.spread.val() << 1;
                }
                if self.head_place.val().get_bit(1) {
                    self.spread.next = self.spread.val() << 2;
                }
            } else {
                if self.head_place.val().get_bit(0) {
                    self.spread.next = self.spread.val() << 2;
                }
            }
        }
        self.place.next = self.word_place.val();
        self.strobes.next = self.word_strobes.val();
        self.value.next = self.word_data.val();
        self.line.next = self.word_line.val();
        if self.head.val() {
            self.place.next = self.head_place.val() >> self._part_log;
            self.strobes.next = self.spread.val();
            self.value.next = self.replicated.val();
            self.line.next = self.head_line.val();
        }
        self.partial.next = self.strobes.val().any() & !self.strobes.val().all();
        if self._narrow {
            self.partial.next = (self.strobes.val().get_bit(0) ^ self.strobes.val().get_bit(1))
                | (self.strobes.val().get_bit(2) ^ self.strobes.val().get_bit(3));
        }
        if self._byte {
            self.partial.next = false;
        }
        // Elements of the word that it reaches.
        for p in 0..self._parts {
            self.reached[p].next = false;
            for b in 0..self._bytes {
                if self.strobes.val().get_bit(self._bytes * p + b) {
                    self.reached[p].next = true;
                }
            }
        }
        for w in 0..self._words {
            self.at[w].next = self.is_word.val() & (self.place.val().index() == w);
            for p in 0..self._parts {
                self.chosen[self._parts * w + p].next = self.at[w].val() & self.reached[p].val();
            }
        }
        // To memory.
        self.write_sent.next = self.head.val() | self.granted.val();
        self.write_valid.next = self.write_sent.val();
        self.write_word.next = self.is_word.val();
        self.write_line.next = self.line.val();
        self.write_bytes.next = EVERY_BYTE.into();
        if self.is_word.val() {
            self.write_bytes.next = self.strobes.val();
        }
        // To the store.
        self.to_store.next = (self.head.val() & self.head_hit.val())
            | (self.granted.val() & self.word_hit.val() & !self.partial.val())
            | self.constant_write.val();
        self.word_drops.next = self.granted.val() & self.word_hit.val() & self.partial.val();
        self.reply_ready.next = !self.to_store.val();
        self.whole.next = self.constant_write.val() | (self.reply_valid.val() & !self.to_store.val());
        self.words.next = self.is_word.val() & self.to_store.val();
        self.stores.next = self.results.val() & self.head_hit.val();
        for k in 0..self._lanes {
            self.write_lanes[k].next = (self.results.val() & self.lanes[k].val()) | self.chosen[k].val();
            self.enables[k].next = (self.stores.val() & self.lanes[k].val())
                | (self.words.val() & self.chosen[k].val())
                | self.whole.val();
        }
        self.row.next = self.reply_row.val();
        self.source.next = FROM_MEMORY.into();
        self.word.next = self.value.val();
        if self.to_store.val() {
            self.row.next = bit_cast::<7, 30>(self.line.val() & self._index_mask);
            self.source.next = FROM_WORD.into();
            if self.results.val() {
                self.source.next = FROM_RESULTS.into();
            }
        }
        if self.constant_write.val() {
            self.row.next = CONSTANT_ROW.into();
            self.source.next = FROM_WORD.into();
            self.word.next = self.constant_word.val();
        }
        // Acknowledgements.
        self.sent.d.next = self.write_sent.val();
        if self.sent.q.val() & !self.ack_valid.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() + 1;
        }
        if self.ack_valid.val() & !self.sent.q.val() {
            self.unacknowledged.d.next = self.unacknowledged.q.val() - 1;
        }
        self.many.d.next = self.unacknowledged.q.val() >= UNACKNOWLEDGED;
        self.slow.next = self.many.q.val();
        self.settled.next = !self.sent.q.val() & !self.unacknowledged.q.val().any();
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            format!("ccs_writer_{}_{}", self._lanes, self._bytes),
            "Writes results, words and lines to the store and to memory.",
            constants![FROM_RESULTS, FROM_WORD, FROM_MEMORY, CONSTANT_ROW, UNACKNOWLEDGED, EVERY_BYTE;
                self._lanes, self._words, self._parts, self._bytes, self._element_bytes, self._part_log, self._index_mask, self._narrow, self._byte],
        )
    }
}
