//! All pairs of 8-bit operands under Verilator, on all four kinds of columns and memory, with the model beside them; of
//! floating-point numbers in a direction of rounding for each memory, with subnormal operands and without, and in the
//! others with `BITLINE_DEEP=1`, as always on the native engine. In all other modes results alone are compared. These tests take longest; the harness begins with the first by name, so that none of them runs alone
//! at the end.

use bitline::isa::Opcode;
use bitline::isa::format::Mode;
use bitline::params::{Memory, Sensing};
use bitline::sim::campaign::numbers::Numbers;
use bitline::sim::campaign::{Bench, exhaustive, params};
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::Verilated;

use crate::regression::{netlist, passes, report};

/// Operations of floating-point numbers that do not round.
const EXACT: [Opcode; 12] = [
    Opcode::FEq,
    Opcode::FLt,
    Opcode::FLe,
    Opcode::FUnordered,
    Opcode::FMin,
    Opcode::FMax,
    Opcode::FMinimum,
    Opcode::FMaximum,
    Opcode::FNeg,
    Opcode::FAbs,
    Opcode::FCopySign,
    Opcode::FClass,
];

/// All pairs of 8-bit operands, in rows of several limbs.
fn bytes(sensing: Sensing, memory: Memory) {
    let Some(_) = require("verilator") else { return };
    let params = params(sensing, memory, 64, 512);
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut bench = Bench::new(engine, &params, 9);
    // To the nearest number with subnormal operands, down without.
    let (direction, flush) = if memory == Memory::Behavioural { (0, 0) } else { (2, 1) };
    passes(exhaustive::bytes_of(&mut bench, |command| {
        // What does not round looks at bit 0 alone, or at none: the others are any.
        let mode = command.key >> 1 & 3 == direction && command.key & 1 == flush;
        // A quotient has micro-programs of its own for one mode.
        let own = command.opcode == Opcode::FDiv && command.key & 15 == Mode::FLUSHED.key();
        deep() || mode || own || !command.opcode.is_float() || EXACT.contains(&command.opcode)
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

/// Floating-point operations in every direction of rounding, with and without subnormal operands and results: half of
/// the modes on each memory, all of them on both with `BITLINE_DEEP=1`.
fn every_mode(memory: Memory) {
    let Some(_) = require("verilator") else { return };
    let (params, seed) = (params(Sensing::TwoPort, memory, 256, 512), 44);
    let engine = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut numbers = Numbers::on(engine, &params).unwrap_or_else(|e| panic!("{e}"));
    let which = |mode: Mode| deep() || (mode.flush_operands == mode.flush_results) == (memory == Memory::Behavioural);
    let results = numbers.bytes(seed, which).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    println!("seed {seed}, {memory}: {results} results");
    assert!(results > 10_000_000);
}

#[test]
fn every_mode_behavioural() {
    every_mode(Memory::Behavioural);
}

#[test]
fn every_mode_block_ram() {
    every_mode(Memory::BlockRam);
}
