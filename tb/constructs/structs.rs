//! Structures, interfaces, many equal blocks, positions out of range.

use rand::{Rng, SeedableRng};

use super::{CYCLES, four_ways, netlist, three_ways};
use crate::agree::agree;
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Fields {
    key: Bits<5>,
    valid: Bit,
    value: Bits<10>,
}

/// Fields of a structure, read and assigned.
#[derive(LogicBlock, Default)]
struct Structure {
    clock: Signal<In, Domain>,
    key: Signal<In, Bits<5>>,
    value: Signal<In, Bits<10>>,
    valid: Signal<In, Bit>,
    all: Signal<Local, Fields>,
    copy: Signal<Local, Fields>,
    key_out: Signal<Out, Bits<5>>,
    value_out: Signal<Out, Bits<10>>,
    valid_out: Signal<Out, Bit>,
    whole: Signal<Out, Fields>,
}

impl Logic for Structure {
    #[hdl_gen]
    fn update(&mut self) {
        self.all.next.key = self.key.val();
        self.all.next.valid = self.valid.val();
        self.all.next.value = self.value.val() + 1;
        self.copy.next = self.all.val();
        if self.valid.val() {
            self.copy.next.key = !self.key.val();
        }
        self.key_out.next = self.copy.val().key;
        self.value_out.next = self.copy.val().value;
        self.valid_out.next = self.all.val().valid;
        self.whole.next = self.copy.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("structure", "Fields.", constants![])
    }
}

#[test]
fn structure() {
    four_ways(oracle!(Structure::default(), clock; key, value, valid), 41);
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Sink"]
struct Source {
    valid: Signal<Out, Bit>,
    data: Signal<Out, Bits<8>>,
    ready: Signal<In, Bit>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Source"]
struct Sink {
    valid: Signal<In, Bit>,
    data: Signal<In, Bits<8>>,
    ready: Signal<Out, Bit>,
}

/// One stage that holds a word.
#[derive(LogicBlock, Default)]
struct Stage {
    clock: Signal<In, Domain>,
    sink: Sink,
    source: Source,
    full: Register<Bit>,
    held: Register<Bits<8>>,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, full, held);
        self.sink.ready.next = !self.full.q.val() | self.source.ready.val();
        if self.sink.ready.val() {
            self.full.d.next = self.sink.valid.val();
            self.held.d.next = self.sink.data.val() + 1;
        }
        self.source.valid.next = self.full.q.val();
        self.source.data.next = self.held.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("stage", "One stage of a pipeline.", constants![])
    }
}

/// Stages joined by their interfaces, the outer ones linked to ports.
#[derive(LogicBlock, Default)]
pub(super) struct Pipeline {
    clock: Signal<In, Domain>,
    from: Sink,
    to: Source,
    first: Stage,
    second: Stage,
    third: Stage,
}

impl Logic for Pipeline {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, first, second, third);
        Sink::link(&mut self.from, &mut self.first.sink);
        Source::join(&mut self.first.source, &mut self.second.sink);
        Source::join(&mut self.second.source, &mut self.third.sink);
        Source::link(&mut self.to, &mut self.third.source);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("pipeline", "Stages.", constants![])
    }
}

#[test]
fn interfaces() {
    four_ways(oracle!(Pipeline::default(), clock; from.valid, from.data, to.ready), 42);
}

/// A register with a name that Verilog reserves, and ports with such names.
#[derive(LogicBlock, Default)]
struct Cell {
    clock: Signal<In, Domain>,
    always: Signal<In, Bit>,
    case: Signal<In, Bit>,
    begin: Signal<Out, Bit>,
    integer: Register<Bit>,
}

impl Logic for Cell {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, integer);
        if self.case.val() {
            self.integer.d.next = self.always.val();
        }
        self.begin.next = self.integer.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cell", "One bit.", constants![])
    }
}

/// 256 equal blocks.
#[derive(LogicBlock)]
pub(super) struct Cells {
    clock: Signal<In, Domain>,
    data: Signal<In, Word<256, 4>>,
    mask: Signal<In, Word<256, 4>>,
    held: Signal<Out, Word<256, 4>>,
    cells: Vec<Cell>,
}

impl Default for Cells {
    fn default() -> Self {
        Cells {
            clock: Default::default(),
            data: Default::default(),
            mask: Default::default(),
            held: Default::default(),
            cells: (0..256).map(|_| Cell::default()).collect(),
        }
    }
}

impl Logic for Cells {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.next = bits_to::<Word<256, 4>, Bits<1>>(bits::<1>(0));
        for i in 0..256 {
            self.cells[i].clock.next = self.clock.val();
            self.cells[i].always.next = self.data.val().get_bit(i);
            self.cells[i].case.next = self.mask.val().get_bit(i);
            self.held.next = self.held.val().replace_bit(i, self.cells[i].begin.val());
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cells", "Many equal blocks.", constants![])
    }
}

#[test]
fn equal_blocks_are_one_module() {
    let oracle = oracle!(Cells::default(), clock; data, mask);
    assert_eq!(netlist(oracle.block()).modules.len(), 2);
    four_ways(oracle, 43);
}

/// Positions that may lie beyond a value, which rust-hdl's own types do not take.
#[derive(LogicBlock, Default)]
struct Beyond {
    a: Signal<In, Bits<13>>,
    one: Signal<In, Bits<1>>,
    at: Signal<In, Bits<4>>,
    distant: Signal<In, Bits<32>>,
    s: Signal<In, Bit>,
    bit: Signal<Out, Bit>,
    bit_far: Signal<Out, Bit>,
    bit_of_one: Signal<Out, Bit>,
    part: Signal<Out, Bits<6>>,
    part_far: Signal<Out, Bits<6>>,
    replaced: Signal<Out, Bits<13>>,
    replaced_far: Signal<Out, Bits<13>>,
}

impl Logic for Beyond {
    #[hdl_gen]
    fn update(&mut self) {
        self.bit.next = self.a.val().get_bit(self.at.val().index());
        self.bit_far.next = (self.a.val() + 1).get_bit((self.distant.val() + 1).index());
        self.bit_of_one.next = self.one.val().get_bit(self.at.val().index());
        self.part.next = self.a.val().get_bits::<6>(self.at.val().index());
        self.part_far.next = self.a.val().get_bits::<6>(self.distant.val().index());
        self.replaced.next = self.a.val().replace_bit(self.at.val().index(), self.s.val());
        self.replaced_far.next = self.a.val().replace_bit(self.distant.val().index(), self.s.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("beyond", "Positions out of range.", constants![])
    }
}

#[test]
fn positions_out_of_range() {
    let mut engines = three_ways(&netlist(&Beyond::default()));
    agree(&mut engines, 44, CYCLES).unwrap_or_else(|difference| panic!("{difference}"));
    // Bits beyond the value read as 0, and are not replaced.
    let seed = 45;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..CYCLES {
        let (a, at, s) = (rng.random_range(0..1u64 << 13), rng.random_range(0..16u64), rng.random_range(0..2u64));
        let far = if rng.random() { at } else { u64::from(rng.random::<u32>()) };
        for engine in &mut engines {
            let ports = &mut engine.ports;
            [("a", a), ("at", at), ("distant", far), ("s", s)]
                .iter()
                .for_each(|(name, value)| ports.drive(name, &[*value]));
            let bit = |value: u64, at: u64| if at < 13 { value >> at & 1 } else { 0 };
            let part = |at: u64| if at < 13 { a >> at & 63 } else { 0 };
            let replaced = |at: u64| if at < 13 { a & !(1 << at) | s << at } else { a };
            let next = (a + 1) % (1 << 13);
            let expected =
                [bit(a, at), bit(next, (far + 1) % (1 << 32)), part(at), part(far), replaced(at), replaced(far)];
            let mut seen: Vec<u64> = ports.look().iter().map(|limbs| limbs[0]).collect();
            seen.remove(2);
            assert_eq!(seen, expected, "{}, seed {seed}: a={a:x} at={at} far={far} s={s}", engine.name);
        }
    }
}
