//! The word that is written next: a processor's, or a reduction's result.
//!
//! It is decoded when it comes, so that everything it is written with comes out of registers. `held` = 1 from the next cycle to the one with
//! `go`. A result is always taken: there is one in a cycle at most, and while a reduction runs the stage is left in every cycle. The
//! processor's word is taken (`word_granted`) in a cycle without a result if the stage is empty or left. `fresh` = 1 for the first cycle of a processor's word.

use super::types::{LaneNumber, LineNumber};
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The stage.
#[derive(LogicBlock, Default)]
pub struct CcsWordStage {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A result comes.
    pub element: Signal<In, Bit>,
    /// The result.
    pub result: Signal<In, Bits<32>>,
    /// Its line.
    pub head_line: Signal<In, LineNumber>,
    /// It is in the cache.
    pub head_hit: Signal<In, Bit>,
    /// Its place in it, in elements.
    pub head_place: Signal<In, LaneNumber>,
    /// The processor writes a word.
    pub word_valid: Signal<In, Bit>,
    /// It is taken.
    pub word_granted: Signal<Out, Bit>,
    /// Its line.
    pub word_line: Signal<In, LineNumber>,
    /// It is in the cache.
    pub word_hit: Signal<In, Bit>,
    /// Its place in it, in words.
    pub word_place: Signal<In, LaneNumber>,
    /// The word.
    pub word_data: Signal<In, Bits<32>>,
    /// Its bytes that count.
    pub word_strobes: Signal<In, Bits<4>>,
    /// The word held is written.
    pub go: Signal<In, Bit>,
    /// There is one.
    pub held: Signal<Out, Bit>,
    /// It came from the processor, a cycle ago.
    pub fresh: Signal<Out, Bit>,
    /// Its line.
    pub line: Signal<Out, LineNumber>,
    /// It goes to the store.
    pub stores: Signal<Out, Bit>,
    /// Its line is to be taken out of the cache.
    pub drops: Signal<Out, Bit>,
    /// The word; a result once for each element of it.
    pub value: Signal<Out, Bits<32>>,
    /// Its bytes that count.
    pub strobes: Signal<Out, Bits<4>>,
    /// Lanes that it reaches.
    pub lanes: Vec<Signal<Out, Bit>>,
    /// There is a word.
    pub valid: Register<Bit>,
    /// It came from the processor, a cycle ago.
    pub young: Register<Bit>,
    /// Its line.
    pub line_held: Pipe<LineNumber>,
    /// It goes to the store.
    pub to_store: Register<Bit>,
    /// Its line is to be taken out of the cache.
    pub to_drop: Register<Bit>,
    /// The word.
    pub value_held: Pipe<Bits<32>>,
    /// Bytes.
    pub strobes_held: Pipe<Bits<4>>,
    /// Lanes.
    pub lanes_held: Vec<Pipe<Bit>>,
    granted: Signal<Local, Bit>,
    place: Signal<Local, LaneNumber>,
    bytes: Signal<Local, Bits<4>>,
    spread: Signal<Local, Bits<4>>,
    word: Signal<Local, Bits<32>>,
    replicated: Signal<Local, Bits<32>>,
    pair: Signal<Local, Bits<32>>,
    part: Signal<Local, Bit>,
    reached: Vec<Signal<Local, Bit>>,
    at: Vec<Signal<Local, Bit>>,
    _lanes: usize,
    _words: usize,
    _parts: usize,
    _bytes: usize,
    _element_bytes: u64,
    _part_log: u64,
    _narrow: bool,
    _byte: bool,
}

impl CcsWordStage {
    /// The stage of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let parts = 32 / geometry.element_bits;
        CcsWordStage {
            lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            lanes_held: (0..geometry.lanes).map(|_| Pipe::default()).collect(),
            reached: (0..parts).map(|_| Signal::default()).collect(),
            at: (0..geometry.lanes / parts).map(|_| Signal::default()).collect(),
            _lanes: geometry.lanes,
            _words: geometry.lanes / parts,
            _parts: parts,
            _bytes: geometry.element_bytes(),
            _element_bytes: (1 << geometry.element_bytes()) - 1,
            _part_log: parts.ilog2().into(),
            _narrow: geometry.element_bits < 32,
            _byte: geometry.element_bits == 8,
            ..Self::default()
        }
    }
}

impl Logic for CcsWordStage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, young, line_held, to_store, to_drop, value_held, strobes_held);
        self.granted.next = self.word_valid.val() & !self.element.val() & (!self.valid.q.val() | self.go.val());
        self.word_granted.next = self.granted.val();
        // A result's bytes in its word.
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
        self.bytes.next = self.word_strobes.val();
        self.word.next = self.word_data.val();
        if self.element.val() {
            self.place.next = self.head_place.val() >> self._part_log;
            self.bytes.next = self.spread.val();
            self.word.next = self.replicated.val();
        }
        self.part.next = self.bytes.val().any() & !self.bytes.val().all();
        if self._narrow {
            self.part.next = (self.bytes.val().get_bit(0) ^ self.bytes.val().get_bit(1))
                | (self.bytes.val().get_bit(2) ^ self.bytes.val().get_bit(3));
        }
        if self._byte {
            self.part.next = false;
        }
        for p in 0..self._parts {
            self.reached[p].next = false;
            for b in 0..self._bytes {
                if self.bytes.val().get_bit(self._bytes * p + b) {
                    self.reached[p].next = true;
                }
            }
        }
        for w in 0..self._words {
            self.at[w].next = self.place.val().index() == w;
        }
        // What is kept.
        if self.go.val() {
            self.valid.d.next = false;
            self.to_store.d.next = false;
            self.to_drop.d.next = false;
        }
        self.young.d.next = self.granted.val();
        for k in 0..self._lanes {
            self.lanes_held[k].clock.next = self.clock.val();
            self.lanes_held[k].d.next = self.lanes_held[k].q.val();
            self.lanes[k].next = self.lanes_held[k].q.val();
        }
        if self.element.val() | self.granted.val() {
            self.valid.d.next = true;
            self.line_held.d.next = self.word_line.val();
            self.to_store.d.next = self.word_hit.val() & !self.part.val();
            self.to_drop.d.next = self.word_hit.val() & self.part.val();
            if self.element.val() {
                self.line_held.d.next = self.head_line.val();
                self.to_store.d.next = self.head_hit.val();
                self.to_drop.d.next = false;
            }
            self.value_held.d.next = self.word.val();
            self.strobes_held.d.next = self.bytes.val();
            for w in 0..self._words {
                for p in 0..self._parts {
                    self.lanes_held[self._parts * w + p].d.next = self.at[w].val() & self.reached[p].val();
                }
            }
        }
        self.held.next = self.valid.q.val();
        self.fresh.next = self.young.q.val();
        self.line.next = self.line_held.q.val();
        self.stores.next = self.to_store.q.val();
        self.drops.next = self.to_drop.q.val();
        self.value.next = self.value_held.q.val();
        self.strobes.next = self.strobes_held.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_word_stage_{}_{}", self._lanes, self._bytes),
            "The word that is written next.",
            constants![; self._lanes, self._words, self._parts, self._bytes, self._element_bytes, self._part_log, self._narrow,
                self._byte],
        )
    }
}
