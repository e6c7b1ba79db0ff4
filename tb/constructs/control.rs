//! Order of assignments, conditions, matches, loops, hierarchy.

use super::four_ways;
use crate::kernel::prelude::*;
use crate::sim::oracle::oracle;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Mode {
    Idle,
    Load,
    Run,
    Done,
}
packed_enum!(Mode: Idle, Load, Run, Done);

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Three {
    First,
    Second,
    Third,
}
packed_enum!(Three: First, Second, Third);

/// A child for blocks that read what they have just assigned.
#[derive(LogicBlock, Default)]
struct Adder {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
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

/// Outputs and locals read what was assigned last; inputs read their settled value.
#[derive(LogicBlock, Default)]
struct Order {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    local: Signal<Local, Bits<8>>,
    early: Signal<Local, Bits<8>>,
    first: Signal<Out, Bits<8>>,
    second: Signal<Out, Bits<8>>,
    third: Signal<Out, Bits<8>>,
    fourth: Signal<Out, Bits<8>>,
    fifth: Signal<Out, Bits<8>>,
    sixth: Signal<Out, Bits<8>>,
    seventh: Signal<Out, Bits<8>>,
    eighth: Signal<Out, Bits<8>>,
    child: Adder,
}

impl Logic for Order {
    #[hdl_gen]
    fn update(&mut self) {
        self.fifth.next = self.early.val() ^ 1;
        self.local.next = self.a.val() + self.b.val();
        self.first.next = self.local.val() + 1;
        self.local.next = self.local.val() ^ self.a.val();
        self.second.next = self.local.val();
        self.third.next = self.first.val() & self.b.val();
        self.first.next = self.first.val() - self.second.val();
        self.fourth.next = self.sixth.val() + 1;
        self.sixth.next = self.a.val() | self.b.val();
        self.early.next = self.b.val() - self.a.val();
        self.child.a.next = self.a.val();
        self.child.b.next = self.a.val();
        self.seventh.next = self.child.a.val() - self.child.b.val();
        self.child.b.next = self.b.val();
        self.eighth.next = self.child.y.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("order", "Assignments in order.", constants![])
    }
}

#[test]
fn order() {
    four_ways(oracle!(Order::default(); a, b), 11);
}

const THRESHOLD: u64 = 100;
const COUNT: u64 = 3;

/// Conditions and matches, nested, with and without default.
#[derive(LogicBlock)]
struct Choices {
    mode: Signal<In, Mode>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    s: Signal<In, Bit>,
    t: Signal<In, Bit>,
    simple: Signal<Out, Bits<8>>,
    chain: Signal<Out, Bits<8>>,
    nested: Signal<Out, Bits<8>>,
    overridden: Signal<Out, Bits<8>>,
    exhaustive: Signal<Out, Bits<8>>,
    defaulted: Signal<Out, Bits<8>>,
    partial: Signal<Out, Bits<8>>,
    inner: Signal<Out, Bits<8>>,
    next_mode: Signal<Out, Mode>,
    is_run: Signal<Out, Bit>,
    through: Signal<Out, Bits<8>>,
    by_bool: Signal<Out, Bits<8>>,
    by_constant: Signal<Out, Bits<8>>,
    several: Signal<Out, Bits<8>>,
    state: Signal<Local, Mode>,
    _flag: bool,
    enabled: Constant<Bit>,
    offset: Constant<Bits<8>>,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            mode: Default::default(),
            a: Default::default(),
            b: Default::default(),
            s: Default::default(),
            t: Default::default(),
            simple: Default::default(),
            chain: Default::default(),
            nested: Default::default(),
            overridden: Default::default(),
            exhaustive: Default::default(),
            defaulted: Default::default(),
            partial: Default::default(),
            inner: Default::default(),
            next_mode: Default::default(),
            is_run: Default::default(),
            through: Default::default(),
            by_bool: Default::default(),
            by_constant: Default::default(),
            several: Default::default(),
            state: Default::default(),
            _flag: true,
            enabled: Constant::new(true),
            offset: Constant::new(0x2a.into()),
        }
    }
}

impl Logic for Choices {
    #[hdl_gen]
    fn update(&mut self) {
        if self.s.val() {
            self.simple.next = self.a.val();
        } else {
            self.simple.next = self.b.val();
        }
        if self.a.val() == 0 {
            self.chain.next = 1.into();
        } else if self.a.val() < self.b.val() {
            self.chain.next = self.a.val();
        } else if self.s.val() & !self.t.val() {
            self.chain.next = self.b.val();
        } else {
            self.chain.next = bits::<8>(7);
        }
        self.nested.next = self.a.val();
        if self.s.val() {
            if self.t.val() {
                self.nested.next = self.b.val();
            }
            if self.b.val().any() {
                self.nested.next = self.nested.val() + 1;
            } else {
                self.nested.next = self.nested.val() - 1;
            }
        }
        self.overridden.next = self.a.val();
        if self.s.val() {
            self.overridden.next = self.b.val();
        }
        if self.t.val() {
            self.overridden.next = self.overridden.val() ^ 0x55;
        }
        match self.mode.val() {
            Mode::Idle => self.exhaustive.next = self.a.val(),
            Mode::Load => self.exhaustive.next = self.b.val(),
            Mode::Run => {
                self.exhaustive.next = self.a.val() + self.b.val();
            }
            Mode::Done => self.exhaustive.next = 0.into(),
        }
        match self.mode.val() {
            Mode::Run => self.defaulted.next = self.a.val(),
            _ => self.defaulted.next = self.b.val(),
        }
        self.partial.next = self.a.val();
        self.several.next = 1.into();
        match self.mode.val() {
            Mode::Idle => {}
            Mode::Load => {
                self.partial.next = self.b.val();
                self.several.next = self.partial.val() + 1;
            }
            Mode::Run => {
                if self.s.val() {
                    self.partial.next = 3.into();
                }
            }
            Mode::Done => self.several.next = 9.into(),
        }
        self.inner.next = 0.into();
        if self.s.val() {
            match self.mode.val() {
                Mode::Idle => self.inner.next = 1.into(),
                Mode::Load => self.inner.next = 2.into(),
                Mode::Run => match self.t.val() {
                    true => self.inner.next = self.a.val(),
                    false => self.inner.next = self.b.val(),
                },
                Mode::Done => self.inner.next = 4.into(),
            }
        }
        self.state.next = self.mode.val();
        if self.t.val() {
            self.state.next = Mode::Run;
        }
        self.next_mode.next = self.state.val();
        self.is_run.next = self.state.val() == Mode::Run;
        match self.state.val() {
            Mode::Idle => self.through.next = self.a.val(),
            Mode::Load => self.through.next = self.b.val(),
            Mode::Run => self.through.next = 0xf0.into(),
            Mode::Done => self.through.next = 0x0f.into(),
        }
        match self.s.val() {
            true => self.by_bool.next = self.a.val() + THRESHOLD,
            false => self.by_bool.next = self.b.val(),
        }
        if self.enabled.val() {
            self.by_constant.next = self.a.val() + self.offset.val();
        } else {
            self.by_constant.next = self.b.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("choices", "Conditions and matches.", constants![THRESHOLD])
    }
}

#[test]
fn choices() {
    four_ways(oracle!(Choices::default(); mode, a, b, s, t), 12);
}

/// A state machine with three states: the pattern without a state must never be reached, nor make a latch.
#[derive(LogicBlock, Default)]
struct Machine {
    clock: Signal<In, Domain>,
    go: Signal<In, Bit>,
    busy: Signal<Out, Bit>,
    last: Signal<Out, Bit>,
    state: Register<Three>,
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.busy.next = true;
        match self.state.q.val() {
            Three::First => {
                self.busy.next = false;
                if self.go.val() {
                    self.state.d.next = Three::Second;
                }
            }
            Three::Second => self.state.d.next = Three::Third,
            Three::Third => self.state.d.next = Three::First,
        }
        self.last.next = self.state.q.val() == Three::Third;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("machine", "Three states.", constants![])
    }
}

#[test]
fn machine() {
    four_ways(oracle!(Machine::default(), clock; go), 13);
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
