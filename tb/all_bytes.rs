//! All pairs of 8-bit operands under Verilator, on all four kinds of columns and memory, with the model beside them; of
//! floating-point numbers in a direction of rounding for each memory, with subnormal operands and without, and in the
//! others with `BITLINE_DEEP=1`, as always on the native engine. In all other modes results alone are compared, with
//! `and_nor` sensing and with radix 4, too. These tests take longest; the harness begins with the first by name, so
//! that none of them runs alone at the end.

use bitline::isa::Opcode;
use bitline::isa::format::Mode;
use bitline::isa::operation::Operation;
use bitline::params::{Columns, Memory, Params, Sensing};
use bitline::sim::campaign::numbers::Numbers;
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
    // To the nearest number with subnormal operands, down without.
    let (direction, flush) = if memory == Memory::Behavioural { (0, 0) } else { (2, 1) };
    passes(exhaustive::bytes_of(&mut bench, |command| {
        // What does not round looks at bit 0 alone, or at none: the others are any.
        let mode = command.key >> 1 & 3 == direction && command.key & 1 == flush;
        // A quotient has micro-programs of its own for one mode.
        let own = command.opcode == Opcode::FDiv && command.key & 15 == Mode::FLUSHED.key();
        deep() || mode || own || !command.opcode.is_float() || exhaustive::EXACT.contains(&command.opcode)
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

/// Floating-point operations in every direction of rounding, with and without subnormal operands and results: results
/// alone, of those that `which` chooses.
fn every_mode(params: &Params, which: impl Fn(&Operation, Mode) -> bool, least: u64) {
    let Some(_) = require("verilator") else { return };
    let seed = 44;
    let engine = Verilated::build(&netlist(params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut numbers = Numbers::on(engine, params).unwrap_or_else(|e| panic!("{e}"));
    let results = numbers.bytes(seed, which).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    println!("seed {seed}, {}, {}: {results} results", params.sensing, params.memory);
    assert!(results > least, "{results}");
}

/// A quarter of the modes on each memory, those of two directions of rounding, all of them on both with
/// `BITLINE_DEEP=1`.
fn quarter(memory: Memory) -> impl Fn(&Operation, Mode) -> bool {
    let behavioural = memory == Memory::Behavioural;
    move |_, mode| {
        let here = (mode.flush_operands == mode.flush_results) == behavioural;
        deep() || here && (mode.key() >> 1 & 1 == 0) == behavioural
    }
}

/// Results that these modes have at least.
fn least() -> u64 {
    if deep() { 10_000_000 } else { 5_000_000 }
}

#[test]
fn every_mode_behavioural() {
    let params = params(Sensing::TwoPort, Memory::Behavioural, 256, 512);
    every_mode(&params, quarter(Memory::Behavioural), least());
}

#[test]
fn every_mode_block_ram() {
    every_mode(&params(Sensing::TwoPort, Memory::BlockRam, 256, 512), quarter(Memory::BlockRam), least());
}

/// The papers' own cell: one operation of each kind in every mode, all of them with `BITLINE_DEEP=1`.
#[test]
fn every_mode_and_nor() {
    const KINDS: [Opcode; 6] =
        [Opcode::FAdd, Opcode::FMul, Opcode::FDiv, Opcode::FLe, Opcode::E4M3ToIntS, Opcode::E5M2FromIntU];
    let params = Params { float: true, ..params(Sensing::AndNor, Memory::BlockRam, 256, 512) };
    every_mode(&params, |operation, _| deep() || KINDS.contains(&operation.opcode), 6_000_000);
}

/// Columns that take two bits of a multiplier in a cycle: operations whose micro-programs differ for that, in every
/// mode in which they do.
#[test]
fn every_mode_radix_4() {
    let params = params(Columns::Radix4, Memory::BlockRam, 256, 512);
    let own = |operation: &Operation, mode: Mode| {
        operation.takes_two_bits() || operation.uses_radix_4() && mode == Mode::FLUSHED
    };
    every_mode(&params, own, 4_000_000);
}
