//! The same under Verilator and in Icarus, and what tools say about the emitted text.

use super::campaign::Campaign;
use super::machine::{alone, netlist};
use super::reference::Reference;
use super::{system, tiny};
use crate::lint::quiet;
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;

#[test]
fn a_board_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let (params, seed) = (tiny(), 31);
    let model = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let (mut machine, memories) = alone(model, &params, seed);
    let mut reference = Reference::new(&params, memories);
    system::everything(&mut machine, &mut reference, seed);
    let model = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let (machine, memories) = alone(model, &params, seed);
    Campaign::new(machine, memories, seed).rounds(150);
}

#[test]
fn a_board_in_icarus() {
    if require("iverilog").is_none() {
        return;
    }
    let (params, seed) = (tiny(), 32);
    let model = Icarus::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let (mut machine, memories) = alone(model, &params, seed);
    let mut reference = Reference::new(&params, memories);
    system::identification(&mut machine);
    system::array_command(&mut machine, &mut reference);
}

#[test]
fn tools_are_quiet() {
    quiet(&netlist(&tiny())).unwrap_or_else(|e| panic!("{e}"));
}
