//! Speed of the native engine on the compute unit of a cache compute system: 64 lanes of 32 bits, random steps of random commands.
//!
//! `cargo bench --bench ccs_unit`; with `-- --list` also the code and how often each instruction was carried out.

use std::time::Instant;

use bitline::blocks::ccs::ccs_unit;
use bitline::ccs::control::{reduce_latency, unit_control};
use bitline::ccs::{COMMANDS, CcsGeometry, CcsMemory};
use bitline::kernel::flat::Flat;
use bitline::kernel::netlist::NetId;
use bitline::sim::engine::{Bytecode, Engine, Lookup};

const LANES: usize = 64;
/// Steps of a command.
const STEPS: usize = 64;

/// Numbers that are random enough, and cheap.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A unit and the commands that it is given.
struct Bench {
    engine: Bytecode,
    random: Random,
    /// control, flip, step, step_low, step_high, step_first, step_last.
    inputs: [NetId; 7],
    mask: Vec<NetId>,
    operands: Vec<[NetId; 2]>,
    result: NetId,
    /// Changes with everything that comes out.
    sum: u64,
}

impl Bench {
    /// A command with some pauses, and the cycles until it has left the unit. Returns the cycles.
    fn command(&mut self) -> u32 {
        let command = &COMMANDS[(self.random.next() % COMMANDS.len() as u64) as usize];
        let control = unit_control(command, self.random.next() & 1 == 1);
        let [word, flip, step, low, high, first, last] = self.inputs;
        self.engine.set_input(word, &[control]);
        let flips = self.random.next() & 1;
        self.engine.set_input(flip, &[flips * 0xffff_ffff]);
        for net in &self.mask {
            self.engine.set_input(*net, &[u64::from(!self.random.next().is_multiple_of(8))]);
        }
        let (mut done, mut cycles) = (0, 0);
        while done < STEPS {
            let busy = !self.random.next().is_multiple_of(8);
            self.engine.set_input(step, &[busy.into()]);
            let random = self.random.next();
            let bounds =
                if random & 3 == 0 { (random >> 8 & 31, 32 + (random >> 16 & 31)) } else { (0, LANES as u64 - 1) };
            self.engine.set_input(low, &[bounds.0]);
            self.engine.set_input(high, &[bounds.1]);
            self.engine.set_input(first, &[u64::from(busy && done == 0)]);
            self.engine.set_input(last, &[u64::from(busy && done == STEPS - 1)]);
            if busy {
                for [a, b] in &self.operands {
                    let value = self.random.next();
                    self.engine.set_input(*a, &[value & 0xffff_ffff]);
                    self.engine.set_input(*b, &[value >> 32]);
                }
            }
            self.engine.tick(false);
            (done, cycles) = (done + usize::from(busy), cycles + 1);
        }
        self.engine.set_input(step, &[0]);
        for _ in 0..reduce_latency(LANES) {
            self.engine.tick(false);
        }
        self.sum = self.sum.rotate_left(7) ^ self.engine.low(self.result);
        cycles + reduce_latency(LANES) as u32
    }
}

fn main() {
    let geometry =
        CcsGeometry { name: "unit".into(), lanes: LANES, element_bits: 32, lines: 4, memory: CcsMemory::Line };
    let netlist = ccs_unit(&geometry).expect("the geometry is legal");
    let start = Instant::now();
    let mut engine = Bytecode::new(Flat::new(&netlist));
    println!("compiled in {:.1} ms: {:?}", start.elapsed().as_secs_f64() * 1e3, engine.statistics());
    let find = |path: &str| engine.design().find_net(path).expect("the unit has this port");
    let inputs = ["control", "flip", "step", "step_low", "step_high", "step_first", "step_last"].map(find);
    let mask = (0..LANES).map(|k| find(&format!("mask_{k}"))).collect();
    let operands = (0..LANES).map(|k| ["a", "b"].map(|name| find(&format!("{name}_{k}")))).collect();
    let result = find("result");
    (0..4).for_each(|_| engine.tick(true));
    let mut bench = Bench { engine, random: Random(0x9e37_79b9_7f4a_7c15), inputs, mask, operands, result, sum: 0 };
    let (mut best, mut total, mut cycles) = (f64::MAX, 0.0, 0);
    // Short runs, so that some of them are not interrupted; the first ones observe and compile.
    for run in 0..2000 {
        let start = Instant::now();
        let count: u32 = (0..8).map(|_| bench.command()).sum();
        let time = start.elapsed().as_secs_f64();
        if run >= 200 {
            best = best.min(time / f64::from(count));
            (total, cycles) = (total + time, cycles + count);
        }
    }
    let mean = total / f64::from(cycles);
    println!("  {:?}, results {:016x}", bench.engine.statistics(), bench.sum);
    println!("  {:.1} ns/cycle in the mean", mean * 1e9);
    println!("  {:.1} ns/cycle, {:.3} M cycles/s", best * 1e9, 1e-6 / best);
    if std::env::args().any(|a| a == "--list") {
        print!("{}", bench.engine.profile(1000));
    }
}
