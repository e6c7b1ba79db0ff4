//! A small design with a bit of everything, and the presets: every tool takes their Verilog without a warning, and
//! computes the same from the same state.

use super::agree::agree_on_state;
use super::lint::quiet;
use bitline::array::blocks::design;
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::flat::Flat;
use bitline::kernel::netlist::Netlist;
use bitline::kernel::prelude::*;
use bitline::params::Params;
use bitline::presets::preset;
use bitline::sim::engine::{Engine, Lookup, Reference, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::{Build, Verilated};

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Op {
    Add,
    Sub,
    And,
    Pass,
}
packed_enum!(Op: Add, Sub, And, Pass);

#[derive(LogicBlock, Default)]
struct Alu {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    op: Signal<In, Op>,
    y: Signal<Out, Bits<8>>,
    zero: Signal<Out, Bit>,
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        match self.op.val() {
            Op::Add => self.y.next = self.a.val() + self.b.val(),
            Op::Sub => self.y.next = self.a.val() - self.b.val(),
            Op::And => self.y.next = self.a.val() & self.b.val(),
            Op::Pass => self.y.next = self.a.val(),
        }
        self.zero.next = !self.y.val().any();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("smoke_alu", "Adds, subtracts, ANDs.", constants![])
    }
}

#[derive(LogicBlock, Default)]
struct Counter {
    clock: Signal<In, Domain>,
    enable: Signal<In, Bit>,
    value: Signal<Out, Bits<8>>,
    count: Register<Bits<8>>,
}

const STEP: u64 = 3;

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        if self.enable.val() {
            self.count.d.next = self.count.q.val() + STEP;
        }
        self.value.next = self.count.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("smoke_counter", "Counts in steps.", constants![STEP])
    }
}

#[derive(LogicBlock)]
struct Top {
    clock: Signal<In, Domain>,
    enable: Signal<In, Bits<4>>,
    op: Signal<In, Op>,
    wide: Signal<In, Word<256, 4>>,
    address: Signal<In, Bits<4>>,
    write: Signal<In, Bit>,
    sum: Signal<Out, Bits<8>>,
    zero: Signal<Out, Bit>,
    wide_out: Signal<Out, Word<256, 4>>,
    parity: Signal<Out, Bit>,
    counters: Vec<Counter>,
    alus: Vec<Alu>,
    ram: Ram<Word<256, 4>, Bits<4>>,
    held: Register<Word<256, 4>>,
}

impl Default for Top {
    fn default() -> Self {
        Top {
            clock: Default::default(),
            enable: Default::default(),
            op: Default::default(),
            wide: Default::default(),
            address: Default::default(),
            write: Default::default(),
            sum: Default::default(),
            zero: Default::default(),
            wide_out: Default::default(),
            parity: Default::default(),
            counters: (0..4).map(|_| Counter::default()).collect(),
            alus: (0..3).map(|_| Alu::default()).collect(),
            ram: Ram::new(16, RamStyle::Block),
            held: Register::default(),
        }
    }
}

impl Logic for Top {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ram);
        dff_setup!(self, clock, held);
        for i in 0..4 {
            self.counters[i].clock.next = self.clock.val();
            self.counters[i].enable.next = self.enable.val().get_bit(i);
        }
        for i in 0..3 {
            self.alus[i].op.next = self.op.val();
            self.alus[i].b.next = self.counters[i + 1].value.val();
        }
        self.alus[0].a.next = self.counters[0].value.val();
        for i in 0..2 {
            self.alus[i + 1].a.next = self.alus[i].y.val();
        }
        self.sum.next = self.alus[2].y.val();
        self.zero.next = self.alus[0].zero.val() | self.alus[1].zero.val() & self.alus[2].zero.val();
        self.ram.read_address.next = self.address.val();
        self.ram.write_address.next = self.address.val();
        self.ram.read_enable.next = true;
        self.ram.write_enable.next = self.write.val();
        self.ram.write_data.next = self.wide.val() ^ self.held.q.val();
        self.held.d.next = self.ram.read_data.val();
        self.wide_out.next = self.held.q.val();
        self.parity.next = self.held.q.val().xor();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("smoke", "A bit of everything.", constants![])
    }
}

/// Runs a netlist natively and under the tools that are there, from the same random state, and compares all state.
fn everywhere(netlist: &Netlist, seed: u64, cycles: u64, icarus: bool) {
    let folder = cache_folder();
    let mut native = engine(netlist);
    let mut verilated =
        require("verilator").map(|_| Verilated::build(netlist, &folder).unwrap_or_else(|e| panic!("{e}")));
    let mut interpreted = if icarus { require("iverilog") } else { None }
        .map(|_| Icarus::build(netlist, &folder).unwrap_or_else(|e| panic!("{e}")));
    let mut reference = Reference::new(Flat::new(netlist));
    let mut engines: Vec<(&'static str, &mut dyn Engine)> = vec![("native", &mut native)];
    // A big integer a value: large designs take too long.
    if icarus {
        engines.push(("reference", &mut reference));
    }
    engines.extend(verilated.as_mut().map(|v| ("Verilator", v as &mut dyn Engine)));
    engines.extend(interpreted.as_mut().map(|i| ("Icarus", i as &mut dyn Engine)));
    agree_on_state(&mut engines, seed, cycles).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn a_bit_of_everything_everywhere() {
    let netlist = elaborate(&Top::default()).unwrap();
    quiet(&netlist).unwrap_or_else(|e| panic!("{e}"));
    everywhere(&netlist, 51, 300, true);
}

#[test]
fn state_is_read_and_written_everywhere() {
    let netlist = elaborate(&Top::default()).unwrap();
    let seen = |engine: &mut dyn Engine| {
        let net = |engine: &dyn Engine, path: &str| engine.design().find_net(path).unwrap();
        let (enable, sum) = (net(engine, "enable"), net(engine, "sum"));
        let (address, wide) = (net(engine, "address"), net(engine, "wide_out"));
        let count = engine.design().find_register("counters_0.count").unwrap();
        let ram = engine.design().find_memory("ram").unwrap();
        engine.tick(true);
        engine.set_input(enable, &[0b0101]);
        (0..5).for_each(|_| engine.tick(false));
        assert_eq!(engine.value(sum), [30]);
        assert_eq!(engine.register(count), [15]);
        engine.set_register(count, &[200]);
        assert_eq!(engine.value(sum), [215]);
        assert_eq!(engine.register(count), [200]);
        engine.set_word(ram, 3, &[1, 2, 3, 4]);
        assert_eq!(engine.memory(ram)[12..16], [1, 2, 3, 4]);
        engine.set_input(address, &[3]);
        engine.tick(false);
        engine.tick(false);
        assert_eq!(engine.value(wide), [1, 2, 3, 4]);
        assert_eq!(engine.value(net(engine, "counters_2.count_next")), [24]);
    };
    seen(&mut engine(&netlist));
    seen(&mut Reference::new(Flat::new(&netlist)));
    if require("verilator").is_some() {
        let open = Verilated::build_with(&netlist, &cache_folder(), Build::Open);
        seen(&mut open.unwrap_or_else(|e| panic!("{e}")));
    }
    if require("iverilog").is_some() {
        seen(&mut Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}")));
    }
}

#[test]
fn presets_everywhere() {
    // yosys takes long over 256 searched rows: `paper` is shown to it as its small twin.
    let twin = Params { name: "twin".into(), rows: 32, columns: 8, command_fifo: 2, ..preset("paper").unwrap() };
    for (params, cycles) in [(preset("tiny").unwrap(), 300), (twin, 300), (preset("default").unwrap(), 60)] {
        let netlist =
            design::design(&params, design::Top::ComputeUnit).unwrap_or_else(|e| panic!("{}: {e}", params.name));
        quiet(&netlist).unwrap_or_else(|e| panic!("{}: {e}", params.name));
        everywhere(&netlist, 52, cycles, params.rows == 32);
    }
    let paper = design::design(&preset("paper").unwrap(), design::Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    everywhere(&paper, 53, 60, false);
}
