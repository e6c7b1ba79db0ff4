//! Speed of the native engine on the compute unit of a cache compute system: 64 lanes of 32 bits, random steps of
//! random commands.
//!
//! `cargo bench --bench ccs_unit`.

use std::time::Instant;

use bitline::ccs::blocks::ccs_unit;
use bitline::ccs::control::{reduce_latency, unit_control};
use bitline::ccs::{COMMANDS, CcsGeometry};
use bitline::kernel::flat::Flat;
use bitline::kernel::netlist::NetId;
use bitline::sim::engine::{Engine, Lookup, Native};

const LANES: usize = 64;
/// Steps of a command.
const STEPS: usize = 64;
/// Sets of operands.
const VALUES: usize = 97;
/// Measurements, of 8 commands each, and those before them, in which the engine observes and compiles.
const RUNS: usize = 2000;
const BEFORE: usize = 200;

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
    engine: Native,
    random: Random,
    /// control, flip, step, step_low, step_high, step_first, step_last.
    inputs: [NetId; 7],
    mask: Vec<NetId>,
    operands: Vec<NetId>,
    /// Operands of all lanes, to draw from: making them anew would take longer than a cycle's work on them.
    values: Vec<Vec<u64>>,
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
                let values = &self.values[(random >> 32) as usize % VALUES];
                self.engine.set_inputs(&self.operands, values);
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
        CcsGeometry { name: "unit".into(), lanes: LANES, lines: 4, ..CcsGeometry::preset("vc709").expect("named") };
    let netlist = ccs_unit(&geometry).expect("the geometry is legal");
    let start = Instant::now();
    let mut engine = Native::new(Flat::new(&netlist));
    println!("compiled in {:.1} ms: {:?}", start.elapsed().as_secs_f64() * 1e3, engine.statistics());
    let find = |path: &str| engine.design().find_net(path).expect("the unit has this port");
    let inputs = ["control", "flip", "step", "step_low", "step_high", "step_first", "step_last"].map(find);
    let mask = (0..LANES).map(|k| find(&format!("mask_{k}"))).collect();
    let operands: Vec<NetId> = (0..LANES).flat_map(|k| ["a", "b"].map(|name| find(&format!("{name}_{k}")))).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let values = (0..VALUES).map(|_| operands.iter().map(|_| random.next() >> 32).collect()).collect();
    let result = find("result");
    (0..4).for_each(|_| engine.tick(true));
    let mut bench = Bench { engine, random, inputs, mask, operands, values, result, sum: 0 };
    // Short runs, so that some of them are not interrupted.
    let mut times: Vec<f64> = (0..BEFORE + RUNS)
        .map(|_| {
            let start = Instant::now();
            let count: u32 = (0..8).map(|_| bench.command()).sum();
            start.elapsed().as_secs_f64() / f64::from(count)
        })
        .skip(BEFORE)
        .collect();
    times.sort_by(f64::total_cmp);
    println!("  {:?}, results {:016x}", bench.engine.statistics(), bench.sum);
    for (what, time) in [("median", times[RUNS / 2]), ("best", times[0])] {
        println!("  {what}: {:.1} ns/cycle, {:.3} M cycles/s", time * 1e9, 1e-6 / time);
    }
}
