//! The reduction tree: the lanes' results of a step become one value, and the accumulator that of all steps.
//!
//! ```text
//!  y of all lanes ─▶ level: lanes / 2 nodes ─▶ … ─▶ level: one node ─▶ node ─▶ accumulator, total ─▶ ⊕ flip ─▶ result
//! ```
//!
//! A level takes a cycle. Lanes that do not count, and steps that are none, bring 0, the identity: so the accumulator
//! takes something in every cycle. `clear` = 1 in the cycle before a reduction's first step comes out of the last level
//! empties it; `take` = 1 in the cycle in which its last step does. The result is there two cycles later. Registers are
//! not reset.

use crate::ccs::blocks::node::CcsNode;
use crate::ccs::blocks::types::{NODES, Shape, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The tree.
    pub CcsTree {
        In clock: Domain; /// Clock and reset.
        In operation: Bits<2>; /// What the nodes do.
        In flip: Bits<32>; /// What the result is combined with by exclusive or.
        In clear, take: Bit; /// The next value is a reduction's first. This value is a reduction's last.
        Bus y: Array<Signal<In, Bits<32>>, LANES>; /// The lanes' results.
        Out result: Bits<32>; /// The reduction's.
    } inside {
        Child nodes: Array<CcsNode, NODES>; // The nodes, level by level.
        Child values: Array<Pipe<Bits<32>>, NODES>; // Their values.
        Child last: CcsNode; // Node of the accumulator.
        Pipe accumulator: Bits<32>; // What has come, without the cycle before; 0 before a reduction.
        Pipe total, flipped: Bits<32>; // A reduction's value. The same with the flip.
        Value _g: Shape;
    }
}

impl Logic for CcsTree {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, accumulator, total, flipped, values);
        for i in 0..self._g.last {
            self.nodes[i].operation.next = self.operation.val();
            self.values[i].d.next = self.nodes[i].value.val();
        }
        for i in 0..self._g.half_lanes {
            self.nodes[i].a.next = self.y[2 * i].val();
            self.nodes[i].b.next = self.y[2 * i + 1].val();
        }
        // Nodes of a level follow those of the level before, and so do their operands.
        for i in 0..self._g.inner {
            self.nodes[self._g.half_lanes + i].a.next = self.values[2 * i].q.val();
            self.nodes[self._g.half_lanes + i].b.next = self.values[2 * i + 1].q.val();
        }
        self.last.operation.next = self.operation.val();
        self.last.a.next = self.accumulator.q.val();
        self.last.b.next = self.values[self._g.top].q.val();
        self.accumulator.d.next = self.last.value.val();
        if self.clear.val() {
            self.accumulator.d.next = 0.into();
        }
        if self.take.val() {
            self.total.d.next = self.last.value.val();
        }
        self.flipped.d.next = self.total.q.val() ^ self.flip.val();
        self.result.next = self.flipped.q.val();
    }

    describes!(block: format!("ccs_tree_{}x{}", block._g.lanes, block._g.bits),
        "Reduction tree and accumulator of a compute unit.", []);
}
