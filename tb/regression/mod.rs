//! The standard campaigns ([`bitline::sim::campaign`]) on the emitted Verilog: under Verilator in all four modes, under
//! Icarus on small designs, with the seeds of the native runs. Every cycle's state is compared with the cycle model.

mod list;
mod menu;

use bitline::array::blocks::{Top, design};
use bitline::isa::format::{BF16, E4M3, F16, F32, Mode};
use bitline::isa::{Command, Opcode};
use bitline::kernel::flat::FlatRegister;
use bitline::kernel::netlist::Netlist;
use bitline::params::{Columns, Memory, Params, Sensing};
use bitline::presets::preset;
use bitline::sim::campaign::numbers::Numbers;
use bitline::sim::campaign::params;
use bitline::sim::campaign::{Bench, Effort, Failure, exhaustive, random, standard};
use bitline::sim::engine::Engine;
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::model::compute_unit::Inputs;
use bitline::sim::vectors::Stimulus;

pub fn netlist(params: &Params) -> Netlist {
    design(params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{}: {e}", params.name))
}

pub fn passes(result: Result<(), Failure>) {
    result.unwrap_or_else(|f| panic!("{f}"));
}

pub fn report<E: Engine>(tool: &str, bench: &Bench<E>) {
    let p = bench.params();
    println!(
        "{tool}, {} x {} {} {}: {} commands, {} cycles",
        p.rows,
        p.columns,
        p.sensing,
        p.memory,
        bench.commands,
        bench.unit.cycle_count()
    );
}

/// All of it under Verilator: short elements exhaustively, then everything that coverage asks for, as natively; of
/// behavioural memory a sample, all with `BITLINE_DEEP=1`.
fn verilator(sensing: Sensing, memory: Memory, rows: usize) {
    let Some(_) = require("verilator") else { return };
    let params = params(sensing, memory, rows, 16);
    let seed = 21;
    println!("seed {seed}");
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, &params, seed);
    passes(exhaustive::short(&mut bench));
    passes(exhaustive::uniform(&mut bench));
    let all = deep() || memory == Memory::BlockRam;
    passes(standard(&mut bench, if all { Effort::Full } else { Effort::Sample }));
    report("Verilator", &bench);
}

/// A register that no output shows holds something else in Verilator's model: the next cycle finds it, or what it
/// feeds.
#[test]
fn a_wrong_register_under_verilator_is_noticed() {
    let Some(_) = require("verilator") else { return };
    let params = preset("tiny").unwrap_or_else(|e| panic!("{e}"));
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, &params, 3);
    passes(random::sample(&mut bench, 2));
    let (unit, wrong) = (&mut bench.unit, "sequencer.flow.scanner.width");
    let path = |register: &FlatRegister| unit.engine.design().net(register.net).path == wrong;
    let register = unit.engine.design().registers.iter().position(path).expect("it is there");
    unit.cycle(&Inputs::default()).unwrap_or_else(|d| panic!("{d}"));
    let held = unit.engine.register(register)[0];
    unit.engine.set_register(register, &[held ^ 1]);
    let found = unit.cycle(&Inputs::default()).expect_err("a register is wrong");
    assert!(found.path.starts_with("sequencer.flow."), "{found}");
}

#[test]
fn verilator_and_nor_behavioural() {
    verilator(Sensing::AndNor, Memory::Behavioural, 500);
}

#[test]
fn verilator_and_nor_block_ram() {
    verilator(Sensing::AndNor, Memory::BlockRam, 512);
}

#[test]
fn verilator_two_port_behavioural() {
    verilator(Sensing::TwoPort, Memory::Behavioural, 500);
}

/// A second adder in every column, in fewer rows: what is not a product is as with radix 2.
#[test]
fn verilator_radix_4() {
    let Some(_) = require("verilator") else { return };
    let params = Params { float: false, unpacked: false, ..params(Columns::Radix4, Memory::BlockRam, 64, 8) };
    let seed = 22;
    println!("seed {seed}");
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, &params, seed);
    passes(exhaustive::short(&mut bench));
    passes(standard(&mut bench, Effort::Sample));
    report("Verilator", &bench);
}

#[test]
fn verilator_two_port_block_ram() {
    verilator(Sensing::TwoPort, Memory::BlockRam, 512);
}

fn icarus(params: &Params) {
    let Some(_) = require("iverilog") else { return };
    let seed = 3;
    println!("seed {seed}");
    let engine = Icarus::build(&netlist(params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, params, seed);
    passes(random::sample(&mut bench, 12));
    passes(standard(&mut bench, Effort::Sample));
    report("Icarus", &bench);
}

#[test]
fn icarus_tiny() {
    icarus(&preset("tiny").unwrap_or_else(|e| panic!("{e}")));
}

#[test]
fn icarus_paper_in_small() {
    let paper = preset("paper").unwrap_or_else(|e| panic!("{e}"));
    icarus(&Params { rows: 40, columns: 8, command_fifo: 2, ..paper });
}

/// Floating point under Icarus: sums, products, quotients, comparisons and conversions, in a mode each.
#[test]
fn icarus_float() {
    let Some(_) = require("iverilog") else { return };
    let tiny = preset("tiny").unwrap_or_else(|e| panic!("{e}"));
    let params = Params { rows: 256, columns: 64, float: true, ..tiny };
    let engine = Icarus::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut numbers = Numbers::on(engine, &params).unwrap_or_else(|e| panic!("{e}"));
    let seed = 7;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for (opcode, format, key) in [
        (Opcode::FAdd, F16, 0),
        (Opcode::FSub, F32, Mode::FLUSHED.key()),
        (Opcode::FMul, F32, 4),
        (Opcode::FDiv, E4M3, 9),
        (Opcode::FLe, BF16, 1),
        (Opcode::F32ToFloat, F16, 2),
    ] {
        let (n, m) = (format.n(), format.m());
        let wrong = |error| panic!("seed {seed}, {opcode}: {error}");
        numbers.take(Command { second: m, ..Command::new(opcode, n) }).unwrap_or_else(wrong);
        numbers.set_key(key);
        let draw = |_| stimulus.inputs(opcode, n.into(), m.into(), key);
        let inputs: Vec<_> = (0..params.columns).map(draw).collect();
        numbers.some(&inputs).unwrap_or_else(wrong);
    }
}
