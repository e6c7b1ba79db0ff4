//! Reduction of the crossbar: bits of the threads of each segment become one bit, which all of them get a cycle later.
//!
//! ```text
//!  row ─▶ pairs ─▶ fours ─▶ … ─▶ all      each level an adder of one bit for two nodes below, with a carry latch
//!           └────────┴────────────┴──▶ level of the segment ─▶ register ─▶ spread over its threads ─▶ result
//! ```
//!
//! `sums`, `ors` and `ands` say what is made of the bits, one of them or none: the sum of numbers whose bits come from
//! the lowest on, one with each `put`, modulo as many bits as come; all bits together by OR, by AND, or, if none is 1,
//! by XOR. `opens` = 1 clears the carries. What comes with `put` = 0 leaves them, and is reduced just the same.
//! `segment` is log2 of the threads of a segment, at most those of a bank; it stays the same until the last result.
//!
//! Source: ours; a tree of bit-serial adders has one full adder and one latch for each pair, as columns have.

use crate::kernel::prelude::*;

hdl_block! {
    /// The reduction.
    pub DualityCrossbarReduce {
        In clock: Domain; /// Clock and reset.
        In segment: Bits<4>; /// log2 of the threads of a segment.
        In sums, ors, ands: Bit; /// What is made of the bits.
        In opens: Bit; /// Carries are cleared.
        In put: Bit; /// The row is the next one of numbers.
        In row: Row; /// A bit of each thread.
        Out result: Row; /// What became of the bits of the cycle before.
    } inside {
        Child carries: Vec<Register<Row>>; // Of each level, at the lowest thread of two nodes.
        Child nodes: Vec<Signal<Local, Row>>; // Each level, at the lowest thread of a node; the first is the row.
        Child firsts: Vec<Signal<Local, Row>>; // The lowest thread of each node that a level makes.
        Child others: Vec<Signal<Local, Row>>; // What is added at each level.
        Register chosen: Row; // The level of the segment.
        Local spread: Row;
        Value _levels: usize;
    }
}

impl DualityCrossbarReduce {
    /// For a bank of so many threads.
    pub fn new(columns: usize) -> Self {
        let levels = columns.ilog2() as usize;
        let row = |_| Signal::default();
        DualityCrossbarReduce {
            carries: (0..levels).map(|_| Register::default()).collect(),
            nodes: (0..=levels).map(row).collect(),
            firsts: (0..levels).map(row).collect(),
            others: (0..levels).map(row).collect(),
            _levels: levels,
            ..Self::default()
        }
    }
}

impl Logic for DualityCrossbarReduce {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, chosen);
        // From the whole bank down: the lowest threads of nodes half as large.
        self.firsts[self._levels - 1].next = 1.into();
        for l in 0..(self._levels - 1) {
            self.firsts[self._levels - 2 - l].next = self.firsts[self._levels - 1 - l].val()
                | (self.firsts[self._levels - 1 - l].val() << (1 << (self._levels - 1 - l)));
        }
        self.nodes[0].next = self.row.val();
        for l in 0..self._levels {
            dff_setup!(self, clock, carries[l]);
            self.others[l].next = self.nodes[l].val() >> (1 << l);
            self.nodes[l + 1].next =
                (self.nodes[l].val() ^ self.others[l].val() ^ self.carries[l].q.val()) & self.firsts[l].val();
            if self.ors.val() {
                self.nodes[l + 1].next = (self.nodes[l].val() | self.others[l].val()) & self.firsts[l].val();
            } else if self.ands.val() {
                self.nodes[l + 1].next = self.nodes[l].val() & self.others[l].val() & self.firsts[l].val();
            }
            if self.put.val() & self.sums.val() {
                self.carries[l].d.next = ((self.nodes[l].val() & self.others[l].val())
                    | (self.carries[l].q.val() & (self.nodes[l].val() | self.others[l].val())))
                    & self.firsts[l].val();
            }
            if self.opens.val() {
                self.carries[l].d.next = 0.into();
            }
        }
        self.chosen.d.next = 0.into();
        for l in 0..self._levels {
            if self.segment.val().index() == l {
                self.chosen.d.next = self.nodes[l].val();
            }
        }
        if self.segment.val().index() == self._levels {
            self.chosen.d.next = self.nodes[self._levels].val();
        }
        // Each level gives what its lower half has to its upper half, if both are of one segment.
        self.spread.next = self.chosen.q.val();
        for l in 0..self._levels {
            if self.segment.val().index() > (self._levels - 1 - l) {
                self.spread.next = self.spread.val() | (self.spread.val() << (1 << (self._levels - 1 - l)));
            }
        }
        self.result.next = self.spread.val();
    }

    described! {
        "duality_crossbar_reduce", "Bits of the threads of each segment become one."; ; _levels
    }
}
