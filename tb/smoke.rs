//! A first look: small blocks elaborate, keep the rules, and print Verilog that every tool takes without a warning.

use crate::kernel::prelude::*;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Op {
    Add,
    Sub,
    And,
    Pass,
}

#[derive(LogicBlock)]
struct Alu {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    op: Signal<In, Op>,
    y: Signal<Out, Bits<8>>,
    zero: Signal<Out, Bit>,
}

impl Default for Alu {
    fn default() -> Self {
        Alu { a: Default::default(), b: Default::default(), op: Default::default(), y: Default::default(), zero: Default::default() }
    }
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

#[test]
fn tools_take_the_verilog() {
    let netlist = crate::kernel::elaborate::elaborate(&Top::default()).unwrap();
    super::lint::quiet(&netlist).unwrap_or_else(|e| panic!("{e}"));
}

fn drive(e: &mut dyn crate::sim::engine::Engine) -> Vec<Vec<u64>> {
    use crate::sim::engine::Lookup;
    let net = |e: &mut dyn crate::sim::engine::Engine, p: &str| e.design().find_net(p).unwrap();
    let (en, op, sum) = (net(e, "enable"), net(e, "op"), net(e, "sum"));
    let mut got = vec![];
    e.tick(true);
    e.set_input(en, &[0b0101]);
    e.set_input(op, &[0]);
    for _ in 0..5 {
        e.tick(false);
    }
    got.push(e.value(sum));
    let c = e.design().find_register("counters_0.count").unwrap();
    got.push(e.register(c).to_vec());
    e.set_register(c, &[200]);
    got.push(e.value(sum));
    let m = e.design().find_memory("ram").unwrap();
    e.set_word(m, 3, &[1, 2, 3, 4]);
    got.push(e.memory(m).to_vec());
    let a = net(e, "address");
    e.set_input(a, &[3]);
    e.tick(false);
    e.tick(false);
    let w = net(e, "wide_out");
    got.push(e.value(w));
    let z = net(e, "alus_1.zero");
    got.push(e.value(z));
    got
}

#[test]
fn verilator_and_icarus_agree() {
    let netlist = crate::kernel::elaborate::elaborate(&Top::default()).unwrap();
    let folder = super::tool::cache_folder();
    let mut v = super::verilator::Verilated::build(&netlist, &folder).unwrap_or_else(|e| panic!("{e}"));
    let mut i = super::icarus::Icarus::build(&netlist, &folder).unwrap_or_else(|e| panic!("{e}"));
    let (a, b) = (drive(&mut v), drive(&mut i));
    assert_eq!(a, b);
    assert_eq!(a[0], [30]);
    assert_eq!(a[2], [215]);
    assert_eq!(a[4], [1, 2, 3, 4]);
}
