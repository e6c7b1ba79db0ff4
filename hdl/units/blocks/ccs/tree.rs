//! The reduction tree: the lanes' results of a step become one value, and the accumulator that of all steps.
//!
//! ```text
//!  y of all lanes ─▶ level: lanes / 2 nodes ─▶ … ─▶ level: one node ─▶ node ─▶ accumulator, total ─▶ ⊕ flip ─▶ result
//! ```
//!
//! A level takes a cycle. Lanes that do not count, and steps that are none, bring 0, the identity: so the accumulator takes
//! something in every cycle. `clear` = 1 in the cycle before a reduction's first step comes out of the last level empties it; `take` = 1 in the cycle
//! in which its last step does. The result is there two cycles later. Registers are not reset.

use super::node::CcsNode;
use crate::kernel::prelude::*;

/// The tree.
#[derive(LogicBlock, Default)]
pub struct CcsTree {
    /// Clock.
    pub clock: Signal<In, Domain>,
    /// What the nodes do.
    pub operation: Signal<In, Bits<2>>,
    /// What the result is combined with by exclusive or.
    pub flip: Signal<In, Bits<32>>,
    /// The next value is a reduction's first.
    pub clear: Signal<In, Bit>,
    /// This value is a reduction's last.
    pub take: Signal<In, Bit>,
    /// The lanes' results.
    pub y: Vec<Signal<In, Bits<32>>>,
    /// The reduction's.
    pub result: Signal<Out, Bits<32>>,
    /// The nodes, level by level.
    pub nodes: Vec<CcsNode>,
    /// Their values.
    pub values: Vec<Pipe<Bits<32>>>,
    /// Node of the accumulator.
    pub last: CcsNode,
    /// What has come, without the cycle before; 0 before a reduction.
    pub accumulator: Pipe<Bits<32>>,
    /// A reduction's value.
    pub total: Pipe<Bits<32>>,
    /// The same with the flip.
    pub flipped: Pipe<Bits<32>>,
    _lanes: usize,
    _half: usize,
    _nodes: usize,
    _inner: usize,
    _top: usize,
    _bits: usize,
}

impl CcsTree {
    /// A tree for so many lanes and elements of so many bits.
    pub fn new(lanes: usize, element_bits: usize) -> Self {
        CcsTree {
            y: (0..lanes).map(|_| Signal::default()).collect(),
            nodes: (1..lanes).map(|_| CcsNode::new(element_bits)).collect(),
            values: (1..lanes).map(|_| Pipe::default()).collect(),
            last: CcsNode::new(element_bits),
            _lanes: lanes,
            _half: lanes / 2,
            _nodes: lanes - 1,
            _inner: lanes / 2 - 1,
            _top: lanes - 2,
            _bits: element_bits,
            ..Self::default()
        }
    }
}

impl Logic for CcsTree {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, accumulator, total, flipped);
        for i in 0..self._nodes {
            self.nodes[i].operation.next = self.operation.val();
            self.values[i].clock.next = self.clock.val();
            self.values[i].d.next = self.nodes[i].value.val();
        }
        for i in 0..self._half {
            self.nodes[i].a.next = self.y[2 * i].val();
            self.nodes[i].b.next = self.y[2 * i + 1].val();
        }
        // Nodes of a level follow those of the level before, and so do their operands.
        for i in 0..self._inner {
            self.nodes[self._half + i].a.next = self.values[2 * i].q.val();
            self.nodes[self._half + i].b.next = self.values[2 * i + 1].q.val();
        }
        self.last.operation.next = self.operation.val();
        self.last.a.next = self.accumulator.q.val();
        self.last.b.next = self.values[self._top].q.val();
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

    fn timing(&self) -> Vec<TimingInfo> {
        let module = format!("ccs_tree_{}x{}", self._lanes, self._bits);
        describe(
            module,
            "Reduction tree and accumulator of a compute unit.",
            constants![; self._half, self._nodes, self._inner, self._top],
        )
    }
}
