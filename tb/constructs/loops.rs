//! Loops, arrays of signals and of blocks, constants passed through the hierarchy.

use super::four_ways;
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

const COUNT: u64 = 3;

/// A child for blocks that read what they have just assigned.
#[derive(LogicBlock, Default)]
pub(super) struct Adder {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub y: Signal<Out, Bits<8>>,
}

impl Logic for Adder {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + self.b.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("adder", "Adds.", constants![])
    }
}

/// Loops with constant and run-time bounds, index arithmetic, two indices, arrays of signals and of blocks.
#[derive(LogicBlock)]
struct Loops {
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<8>>,
    reversed: Signal<Out, Bits<16>>,
    shuffled: Signal<Out, Bits<16>>,
    prefix: Signal<Out, Bits<16>>,
    total: Signal<Out, Bits<8>>,
    nibbles: Signal<Out, Bits<4>>,
    matrix_sum: Signal<Out, Bits<8>>,
    tree: Signal<Out, Bits<8>>,
    named: Signal<Out, Bits<8>>,
    outputs: Vec<Signal<Out, Bits<4>>>,
    chain: Vec<Signal<Local, Bit>>,
    matrix: Vec<Vec<Adder>>,
    nodes: Vec<Adder>,
    _count: usize,
}

impl Default for Loops {
    fn default() -> Self {
        Loops {
            a: Default::default(),
            b: Default::default(),
            reversed: Default::default(),
            shuffled: Default::default(),
            prefix: Default::default(),
            total: Default::default(),
            nibbles: Default::default(),
            matrix_sum: Default::default(),
            tree: Default::default(),
            named: Default::default(),
            outputs: (0..4).map(|_| Signal::default()).collect(),
            chain: (0..17).map(|_| Signal::default()).collect(),
            matrix: (0..2).map(|_| (0..3).map(|_| Adder::default()).collect()).collect(),
            nodes: (0..7).map(|_| Adder::default()).collect(),
            _count: 16,
        }
    }
}

impl Logic for Loops {
    #[hdl_gen]
    fn update(&mut self) {
        self.reversed.next = 0.into();
        self.shuffled.next = 0.into();
        for i in 0..16 {
            self.reversed.next = self.reversed.val().replace_bit(15 - i, self.a.val().get_bit(i));
        }
        self.chain[0].next = false;
        self.prefix.next = 0.into();
        for i in 0..self._count {
            self.chain[i + 1].next = self.chain[i].val() ^ self.a.val().get_bit(i);
            self.prefix.next = self.prefix.val().replace_bit(i, self.chain[i + 1].val());
        }
        for i in 0..16 {
            self.shuffled.next = self.shuffled.val().replace_bit(i, self.chain[(i * 7 + 3) % 17].val());
        }
        self.total.next = 0.into();
        for i in 0..8 {
            if self.a.val().get_bit(2 * i) {
                self.total.next = self.total.val() + self.b.val();
            }
        }
        self.nibbles.next = 0.into();
        for i in 0..4 {
            self.outputs[i].next = self.a.val().get_bits::<4>(4 * (3 - i));
            self.nibbles.next = self.nibbles.val() ^ self.outputs[i].val();
        }
        self.matrix_sum.next = 0.into();
        for i in 0..2 {
            for j in 0..3 {
                if j == 0 {
                    self.matrix[i][j].a.next = self.b.val();
                } else {
                    self.matrix[i][j].a.next = self.matrix[i][j - 1].y.val();
                }
                self.matrix[i][j].b.next = self.a.val().get_bits::<8>(i * 4 + j);
            }
            self.matrix_sum.next = self.matrix_sum.val() ^ self.matrix[i][2].y.val();
        }
        for i in 0..4 {
            self.nodes[i].a.next = self.b.val();
            self.nodes[i].b.next = self.a.val().get_bits::<8>(2 * i);
        }
        for i in 0..3 {
            self.nodes[4 + i].a.next = self.nodes[2 * i].y.val();
            self.nodes[4 + i].b.next = self.nodes[2 * i + 1].y.val();
        }
        self.tree.next = self.nodes[6].y.val();
        self.named.next = self.b.val();
        for i in 0..COUNT {
            self.named.next = self.named.val() + (self.b.val() << i);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("loops", "Loops and arrays.", constants![COUNT])
    }
}

#[test]
fn loops() {
    four_ways(oracle!(Loops::default(); a, b), 14);
}

/// A block whose outputs are all constant, which `always @*` would never compute, and one that only passes on.
#[derive(LogicBlock, Default)]
struct Fixed {
    k: Signal<Out, Bits<8>>,
    yes: Signal<Out, Bit>,
}

impl Logic for Fixed {
    #[hdl_gen]
    fn update(&mut self) {
        self.k.next = bits::<8>(0x5a);
        self.yes.next = true;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("fixed", "Constants.", constants![])
    }
}

/// Uses constants from a block, passes an input through, and ties inputs of a block to constants.
#[derive(LogicBlock, Default)]
struct Ties {
    a: Signal<In, Bits<8>>,
    k: Signal<Out, Bits<8>>,
    yes: Signal<Out, Bit>,
    same: Signal<Out, Bits<8>>,
    tied: Signal<Out, Bits<8>>,
    fixed: Fixed,
    other: Fixed,
    adder: Adder,
    unused_yes: Signal<Local, Bit>,
}

impl Logic for Ties {
    #[hdl_gen]
    fn update(&mut self) {
        self.k.next = self.fixed.k.val() + self.other.k.val();
        self.yes.next = self.fixed.yes.val();
        self.unused_yes.next = self.other.yes.val();
        self.same.next = self.a.val();
        self.adder.a.next = 0x11.into();
        self.adder.b.next = self.a.val();
        self.tied.next = self.adder.y.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("ties", "Constants and wires.", constants![])
    }
}

#[test]
fn constants_and_wires() {
    four_ways(oracle!(Ties::default(); a), 15);
}
