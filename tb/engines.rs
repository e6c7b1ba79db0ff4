//! The native engine against the reference, which evaluates a netlist as its documentation reads: every preset of every
//! unit, and the system of a board, from the same random state with the same random inputs; all outputs, registers and
//! memories in every cycle.

use super::agree::agree_on_state;
use bitline::emit::unit::UNITS;
use bitline::kernel::flat::Flat;
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::{Engine, Reference, engine};
use bitline::system::SystemParams;
use bitline::system::blocks::system_top;

/// Cycles of a design with few registers, and of one with many: a big integer a value takes its time.
const CYCLES: [u64; 2] = [60, 12];
/// What is many.
const MANY: usize = 1500;

fn agree(name: &str, netlist: &Netlist, seed: u64) {
    let (mut native, mut reference) = (engine(netlist), Reference::new(Flat::new(netlist)));
    let cycles = CYCLES[usize::from(native.design().registers.len() > MANY)];
    let mut engines: [(&'static str, &mut dyn Engine); 2] = [("reference", &mut reference), ("native", &mut native)];
    agree_on_state(&mut engines, seed, cycles).unwrap_or_else(|difference| panic!("{name}: {difference}"));
}

#[test]
fn every_unit_runs_alike() {
    for unit in UNITS {
        for (preset, _) in (unit.presets)() {
            let design = (unit.preset)(preset).unwrap_or_else(|e| panic!("{} {preset}: {e}", unit.name));
            let netlist = design.netlist().unwrap_or_else(|e| panic!("{} {preset}: {e}", unit.name));
            agree(&format!("{} {preset}", unit.name), &netlist, 71);
        }
    }
}

#[test]
fn the_system_of_a_board_runs_alike() {
    let params = SystemParams::preset("small").unwrap_or_else(|e| panic!("{e}"));
    let netlist = system_top(&params).unwrap_or_else(|e| panic!("{e}"));
    agree("system small", &netlist, 72);
}
