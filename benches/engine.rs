//! Speed of the native engine on the compute unit: 32-bit multiplies without end on 512 rows and 256 columns.
//!
//! `cargo bench --bench engine`; with `-- --checked` in lock step with the model instead.

use std::time::Instant;

use bitline::array::blocks::{Top, design};
use bitline::isa::{Command, Opcode, Set};
use bitline::kernel::flat::Flat;
use bitline::params::{Latch, Memory, MemoryPort, Params, Sensing};
use bitline::sim::engine::{Engine, Lookup, Native, engine};
use bitline::sim::lockstep::Lockstep;
use bitline::sim::model::compute_unit::Inputs;

fn params(sensing: Sensing, memory: Memory) -> Params {
    Params {
        name: "bench".into(),
        rows: 512,
        columns: 256,
        sensing,
        memory,
        latches: Latch::ALL.to_vec(),
        sets: Set::ALL.to_vec(),
        command_fifo: 8,
        memory_port: MemoryPort::None,
        float: false,
        radix: 2,
        custom: Vec::new(),
        exception_flags: false,
        unpacked: false,
    }
}

/// A compute unit to which the same command is offered in every cycle.
fn unit(params: &Params, command: Command) -> Native {
    let netlist = design(params, Top::ComputeUnit).expect("the parameters are legal");
    let start = Instant::now();
    let mut engine = Native::new(Flat::new(&netlist));
    println!("compiled in {:.1} ms: {:?}", start.elapsed().as_secs_f64() * 1e3, engine.statistics());
    for (path, value) in std::iter::once(("cmd_valid", 1)).chain(command.signals()) {
        let net = engine.design().find_net(path).expect("the command port has this field");
        engine.set_input(net, &[value]);
    }
    // Rows with bits in them.
    let mut x = 1u64;
    for memory in 0..engine.design().memories.len() {
        let (contents, depth) =
            (engine.design().memories[memory].contents.is_some(), engine.design().memories[memory].depth);
        for word in (0..depth).filter(|_| !contents) {
            let value = std::array::from_fn::<u64, 8, _>(|i| {
                x = (word as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * i as u32) ^ x.rotate_left(5);
                x
            });
            engine.set_word(memory, word, &value);
        }
    }
    (0..4).for_each(|_| engine.tick(true));
    engine
}

/// The same with the model beside it, all state compared after every cycle.
fn checked(params: &Params, command: Command) {
    let netlist = design(params, Top::ComputeUnit).expect("the parameters are legal");
    let mut unit = Lockstep::new(engine(&netlist), params, 1);
    let inputs = Inputs { command: Some(command), ..Inputs::default() };
    let mut best = f64::MAX;
    for _ in 0..400 {
        let cycles = 1000;
        let start = Instant::now();
        (0..cycles).for_each(|_| _ = unit.cycle(&inputs).expect("hardware and model agree"));
        best = best.min(start.elapsed().as_secs_f64() / f64::from(cycles));
    }
    println!("  checked: {:.1} ns/cycle, {:.2} M cycles/s", best * 1e9, 1e-6 / best);
}

fn main() {
    let has = |option: &str| std::env::args().any(|a| a == option);
    let multiply = Command {
        a: 0,
        b: 32,
        d: 64,
        s: 128,
        ..Command::new(Opcode::ALL.iter().copied().find(|o| o.name() == "mul").expect("mul"), 32)
    };
    for (sensing, memory) in [(Sensing::TwoPort, Memory::BlockRam), (Sensing::AndNor, Memory::Behavioural)] {
        println!("{sensing} {memory}");
        let params = params(sensing, memory);
        multiply.check(&params).expect("the command fits");
        if has("--checked") {
            checked(&params, multiply);
            continue;
        }
        let mut engine = unit(&params, multiply);
        let issued = engine.design().find_net("issued").expect("the unit tells when it issues");
        let busy = (0..40_000)
            .filter(|_| {
                engine.tick(false);
                engine.value(issued)[0] == 1
            })
            .count();
        println!("  issues in {:.1} % of the cycles", busy as f64 / 400.0);
        println!("  {:?}", engine.statistics());
        let start = Instant::now();
        engine.run(1_000_000);
        println!("  {:.1} ns/cycle over a million cycles", start.elapsed().as_secs_f64() * 1e3);
        let mut best = f64::MAX;
        // Short runs, so that some of them are not interrupted.
        for _ in 0..2000 {
            let cycles: u32 = 500;
            let start = Instant::now();
            engine.run(cycles.into());
            best = best.min(start.elapsed().as_secs_f64() / f64::from(cycles));
        }
        println!("  {:.1} ns/cycle, {:.2} M cycles/s", best * 1e9, 1e-6 / best);
    }
}
