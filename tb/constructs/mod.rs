//! Every construct that the elaborator takes, run four ways: rust-hdl's own loop, the native engine, Verilator and
//! Icarus; and every construct that it must refuse.

mod arithmetic;
mod bundles;
mod control;
mod emitted;
mod errors;
mod loops;
mod state;
mod structs;
mod unknown;
mod wide;

use rust_hdl_core::prelude::Block;

use super::agree::{Contestant, agree, external};
use super::lint::quiet;
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::engine;
use bitline::sim::oracle::Oracle;

/// Cycles of random stimulus for each design.
const CYCLES: u64 = 300;

/// The netlist of a block, which every tool takes in silence.
fn netlist(block: &dyn Block) -> Netlist {
    let netlist = elaborate(block).unwrap_or_else(|e| panic!("{e}"));
    if std::env::var_os("BITLINE_SHOW").is_some() {
        for (name, text) in bitline::kernel::verilog::emit(&netlist, &Default::default()) {
            println!("==== {name}\n{text}");
        }
    }
    quiet(&netlist).unwrap_or_else(|e| panic!("{e}"));
    netlist
}

/// Runs a block in rust-hdl's loop, and its netlist everywhere.
fn four_ways<B: Block>(oracle: Oracle<B>, seed: u64) {
    let netlist = netlist(oracle.block());
    let mut contestants = vec![Contestant::new("rust-hdl", oracle)];
    contestants.extend(three_ways(&netlist));
    agree(&mut contestants, seed, CYCLES).unwrap_or_else(|difference| panic!("{difference}"));
}

/// A netlist in the native engine, Verilator and Icarus.
fn three_ways(netlist: &Netlist) -> Vec<Contestant<'static>> {
    let mut found = vec![Contestant::new("native", engine(netlist))];
    found.extend(external(netlist).unwrap_or_else(|e| panic!("{e}")));
    found
}
