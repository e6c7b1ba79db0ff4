//! Blocks of the Duality Cache's control block under Verilator, compared with their models in every cycle.

use bitline::array::isa::microcode::Microcode;
use bitline::duality::DualityParams;
use bitline::duality::blocks::{duality_control_block, duality_instruction_ring};
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::duality::{block, ring};

#[test]
fn ring_runs_the_program() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 4;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_instruction_ring(&params).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = ring::run(hardware, &params, seed, 30_000).unwrap_or_else(|d| panic!("{d}"));
    assert!(covered.all(), "{covered:?}");
}

#[test]
fn control_block_runs_random_programs() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 5;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_control_block(&params, &Microcode::assemble(&params.array())).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = block::run(hardware, &params, seed, 20_000, 16).unwrap_or_else(|d| panic!("{d}"));
    assert!(covered.programs > 5 && covered.waits > 0, "{covered:?}");
}
