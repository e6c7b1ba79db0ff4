//! The compute cache: random instructions and word accesses with stalls and resets, natively and in other simulators,
//! in lock step with the model; memory and results, against plain operations on bytes.

use super::lint::quiet;
use bitline::compute_cache::blocks::compute_cache;
use bitline::compute_cache::{CacheError, CacheGeometry, CacheOp, control};
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::units::compute_cache::campaign::{Coverage, Host};

fn campaign<E: Engine>(engine: E, geometry: &CacheGeometry, seed: u64, instructions: usize) -> Coverage {
    println!("{geometry:?}, seed {seed}");
    let mut host = Host::new(engine, geometry, seed);
    assert_eq!(host.unit.unseen(), Vec::<&str>::new(), "not compared");
    host.random(instructions).unwrap_or_else(|failure| panic!("{failure}"));
    host.coverage
}

fn geometry(name: &str, sizes: [usize; 7]) -> CacheGeometry {
    let [block_bytes, banks, sub_arrays, partitions, rows, instructions, issue] = sizes;
    CacheGeometry { name: name.into(), block_bytes, banks, sub_arrays, partitions, rows, instructions, issue }
}

/// Small ones in which every parameter takes each of its small values.
fn small() -> Vec<CacheGeometry> {
    vec![
        CacheGeometry::preset("tiny").expect("named"),
        geometry("one of each", [8, 1, 1, 1, 8, 2, 1]),
        geometry("banks", [8, 8, 1, 1, 4, 8, 8]),
        geometry("few issues", [8, 8, 2, 2, 2, 8, 2]),
        geometry("wide", [64, 2, 1, 2, 8, 4, 2]),
        geometry("one issue", [64, 4, 2, 1, 4, 8, 1]),
    ]
}

/// The smallest one.
pub(crate) fn tiny() -> (Netlist, CacheGeometry) {
    let geometry = CacheGeometry::preset("tiny").expect("named");
    (compute_cache(&geometry).expect("legal"), geometry)
}

/// Random instructions on one that may be broken.
pub(crate) fn play(netlist: &Netlist, geometry: &CacheGeometry, long: bool) {
    campaign(engine(netlist), geometry, 11, if long { 5000 } else { 300 });
}

#[test]
fn random_natively() {
    let mut all = Coverage::new();
    for geometry in small() {
        let netlist = compute_cache(&geometry).expect("legal");
        for (what, times) in campaign(engine(&netlist), &geometry, 11, 1500) {
            *all.entry(what).or_default() += times;
        }
    }
    for op in CacheOp::ALL {
        assert!(all.contains_key(&format!("{} in place", op.name())), "{op:?}: {all:?}");
        let two_places = op.has(control::B) || op.has(control::A) && op.has(control::D);
        assert_eq!(all.contains_key(&format!("{} near", op.name())), two_places, "{op:?}");
    }
    assert!(CacheError::ALL.iter().all(|e| all.contains_key(e.name())), "{all:?}");
    assert!(all.values().all(|&times| times > 0), "{all:?}");
}

#[test]
fn presets_natively() {
    for (name, instructions) in [("l1", 300), ("l2", 200), ("l3_slice", 60)] {
        let geometry = CacheGeometry::preset(name).expect("named");
        campaign(engine(&compute_cache(&geometry).expect("legal")), &geometry, 12, instructions);
    }
}

#[test]
fn verilator_and_icarus() {
    for (i, geometry) in small().into_iter().enumerate() {
        let netlist = compute_cache(&geometry).expect("legal");
        if require("verilator").is_some() && [0, 3, 4].contains(&i) {
            let model = Verilated::build_with(&netlist, &cache_folder(), Build::Open).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 13, 400);
        }
        if require("iverilog").is_some() && i == 0 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 14, 20);
        }
    }
}

#[test]
fn tools_are_quiet() {
    for geometry in small() {
        quiet(&compute_cache(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
