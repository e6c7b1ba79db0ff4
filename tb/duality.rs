//! Blocks of the Duality Cache's control block under Verilator, compared with their models in every cycle.

use bitline::duality::DualityParams;
use bitline::duality::blocks::duality_instruction_ring;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::duality::ring;

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
