//! All pairs of 8-bit operands under Verilator, in all four modes; of floating-point numbers on block RAM, in one
//! direction of rounding without subnormal operands, and on both memories in all modes with `BITLINE_DEEP=1`, as always
//! on the native engine. These tests take longest; the harness begins with the first by name, so that none of them runs
//! alone at the end.

use bitline::params::{Memory, Sensing};
use bitline::sim::campaign::{Bench, exhaustive, params};
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::Verilated;

use crate::regression::{netlist, passes, report};

/// All pairs of 8-bit operands, in rows of several limbs.
fn bytes(sensing: Sensing, memory: Memory) {
    let Some(_) = require("verilator") else { return };
    let params = params(sensing, memory, 64, 512);
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, &params, 9);
    // Down, without subnormal operands.
    passes(exhaustive::bytes_of(&mut bench, |command| {
        let float = command.opcode.is_float();
        deep() || !float || memory == Memory::BlockRam && exhaustive::is_in_mode(command, 2, true)
    }));
    report("Verilator", &bench);
}

#[test]
fn and_nor_behavioural_bytes() {
    bytes(Sensing::AndNor, Memory::Behavioural);
}

#[test]
fn and_nor_block_ram_bytes() {
    bytes(Sensing::AndNor, Memory::BlockRam);
}

#[test]
fn two_port_behavioural_bytes() {
    bytes(Sensing::TwoPort, Memory::Behavioural);
}

#[test]
fn two_port_block_ram_bytes() {
    bytes(Sensing::TwoPort, Memory::BlockRam);
}
