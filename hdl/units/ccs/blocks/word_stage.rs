//! The word that is written next: a processor's, or a reduction's result.
//!
//! It is decoded when it comes, so that everything it is written with comes out of registers. `held` = 1 from the next
//! cycle to the one with `go`. A result is always taken: there is one in a cycle at most, and while a reduction runs
//! the stage is left in every cycle. The processor's word is taken (`word_granted`) in a cycle without a result if the
//! stage is empty or left. `fresh` = 1 for the first cycle of a processor's word.

use crate::ccs::blocks::bundles::HeadSink;
use crate::ccs::blocks::types::{LaneNumber, LineNumber, PARTS, Shape, WORDS, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The stage.
    pub CcsWordStage {
        In clock: Domain; /// Clock and reset.
        In element: Bit; /// A result comes.
        In result: Bits<32>; /// The result.
        Bus head: HeadSink; /// The first result line.
        In word_valid: Bit; /// The processor writes a word.
        Out word_granted: Bit; /// It is taken.
        In word_line: LineNumber; /// Its line.
        In word_hit: Bit; /// It is in the cache.
        In word_place: LaneNumber; /// Its place in it, in words.
        In word_data: Bits<32>; /// The word.
        In word_strobes: Bits<4>; /// Its bytes that count.
        In go: Bit; /// The word held is written.
        Out held, fresh: Bit; /// There is one. It came from the processor, a cycle ago.
        Out line: LineNumber; /// Its line.
        Out stores, drops: Bit; /// It goes to the store. Its line is to be taken out of the cache.
        Out value: Bits<32>; /// The word; a result once for each element of it.
        Out strobes: Bits<4>; /// Its bytes that count.
        Bus lanes: Array<Signal<Out, Bit>, LANES>; /// Lanes that it reaches.
    } inside {
        Register valid, young: Bit; // There is a word. It came from the processor, a cycle ago.
        Pipe line_held: LineNumber; // Its line.
        Register to_store, to_drop: Bit; // It goes to the store. Its line is to be taken out of the cache.
        Pipe value_held: Bits<32>; // The word.
        Pipe strobes_held: Bits<4>; // Bytes.
        Child lanes_held: Array<Pipe<Bit>, LANES>; // Lanes.
        Local place: LaneNumber;
        Local bytes, spread: Bits<4>;
        Local word, replicated, pair: Bits<32>;
        Local part: Bit;
        Child reached: Array<Signal<Local, Bit>, PARTS>;
        Child at: Array<Signal<Local, Bit>, WORDS>;
        Value _g: Shape;
    }
}

impl Logic for CcsWordStage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, young, line_held, to_store, to_drop, value_held, strobes_held);
        dff_setup!(self, clock, lanes_held);
        self.word_granted.next = self.word_valid.val() & !self.element.val() & (!self.valid.q.val() | self.go.val());
        // A result's bytes in its word.
        self.spread.next = self._g.strobes.into();
        self.pair.next = self.result.val();
        if self._g.byte {
            self.pair.next = self.result.val() | (self.result.val() << 8);
        }
        self.replicated.next = self.pair.val();
        if self._g.narrow {
            self.replicated.next = self.pair.val() | (self.pair.val() << 16);
            if self._g.byte {
                if self.head.place.val().get_bit(0) {
                    self.spread.next = self.spread.val() << 1;
                }
                if self.head.place.val().get_bit(1) {
                    self.spread.next = self.spread.val() << 2;
                }
            } else {
                if self.head.place.val().get_bit(0) {
                    self.spread.next = self.spread.val() << 2;
                }
            }
        }
        self.place.next = self.word_place.val();
        self.bytes.next = self.word_strobes.val();
        self.word.next = self.word_data.val();
        if self.element.val() {
            self.place.next = self.head.place.val() >> self._g.part_log;
            self.bytes.next = self.spread.val();
            self.word.next = self.replicated.val();
        }
        self.part.next = self.bytes.val().any() & !self.bytes.val().all();
        if self._g.narrow {
            self.part.next = (self.bytes.val().get_bit(0) ^ self.bytes.val().get_bit(1))
                | (self.bytes.val().get_bit(2) ^ self.bytes.val().get_bit(3));
        }
        if self._g.byte {
            self.part.next = false;
        }
        for p in 0..self._g.parts {
            self.reached[p].next = false;
            for b in 0..self._g.bytes {
                if self.bytes.val().get_bit(self._g.bytes * p + b) {
                    self.reached[p].next = true;
                }
            }
        }
        for w in 0..self._g.words {
            self.at[w].next = self.place.val().index() == w;
        }
        // What is kept.
        if self.go.val() {
            self.valid.d.next = false;
            self.to_store.d.next = false;
            self.to_drop.d.next = false;
        }
        self.young.d.next = self.word_granted.val();
        for k in 0..self._g.lanes {
            self.lanes[k].next = self.lanes_held[k].q.val();
        }
        if self.element.val() | self.word_granted.val() {
            self.valid.d.next = true;
            self.line_held.d.next = self.word_line.val();
            self.to_store.d.next = self.word_hit.val() & !self.part.val();
            self.to_drop.d.next = self.word_hit.val() & self.part.val();
            if self.element.val() {
                self.line_held.d.next = self.head.line.val();
                self.to_store.d.next = self.head.hit.val();
                self.to_drop.d.next = false;
            }
            self.value_held.d.next = self.word.val();
            self.strobes_held.d.next = self.bytes.val();
            for w in 0..self._g.words {
                for p in 0..self._g.parts {
                    self.lanes_held[self._g.parts * w + p].d.next = self.at[w].val() & self.reached[p].val();
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

    describes!(block: format!("ccs_word_stage_{}_{}", block._g.lanes, block._g.bytes),
        "The word that is written next.", []);
}
