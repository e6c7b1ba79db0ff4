//! Time of the steps between parameters and results: elaboration, emission, the making of an engine, and a thousand
//! cycles of 32-bit multiplication on the native engine, alone and in lock step with the model.
//!
//! `cargo bench --bench speed`. `sim bench` sets the engine beside Verilator; the bench `engine` tells what its
//! instructions cost.

use bitline::array::blocks::{Top, design};
use bitline::emit::verilog::{Header, emit};
use bitline::presets::preset;
use bitline::sim::bench::array::{load, offer};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::lockstep::Lockstep;
use bitline::sim::model::compute_unit::Inputs;
use criterion::{Criterion, Throughput};

const CYCLES: u64 = 1000;

fn steps(c: &mut Criterion) {
    let params = preset("default").expect("a preset");
    let netlist = design(&params, Top::ComputeUnit).expect("presets are legal");
    let mut group = c.benchmark_group("steps");
    group.sample_size(10);
    group.bench_function("elaborate", |b| b.iter(|| design(&params, Top::ComputeUnit).expect("presets are legal")));
    group.bench_function("emit", |b| b.iter(|| emit(&netlist, &Header::default())));
    group.bench_function("engine", |b| b.iter(|| engine(&netlist)));
    group.finish();
}

fn cycles(c: &mut Criterion) {
    let mut group = c.benchmark_group("cycles");
    group.throughput(Throughput::Elements(CYCLES)).sample_size(20);
    for name in ["default", "paper"] {
        let params = preset(name).expect("a preset");
        let netlist = design(&params, Top::ComputeUnit).expect("presets are legal");
        let command = load(&params).expect("a multiplication fits");
        let mut native = engine(&netlist);
        offer(&mut native, &command);
        group.bench_function(format!("{name}, native"), |b| b.iter(|| native.run(CYCLES)));
        let mut checked = Lockstep::new(engine(&netlist), &params, 1);
        let inputs = Inputs { command: Some(command), ..Inputs::default() };
        group.bench_function(format!("{name}, checked"), |b| {
            b.iter(|| (0..CYCLES).for_each(|_| _ = checked.cycle(&inputs).expect("hardware and model agree")));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    steps(&mut criterion);
    cycles(&mut criterion);
    criterion.final_summary();
}
