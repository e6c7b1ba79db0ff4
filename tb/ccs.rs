//! The cache compute system against plain integers: random commands with the processor at work beside them.

use super::lint::quiet;
use bitline::ccs::blocks::ccs;
use bitline::ccs::{COMMANDS, CcsGeometry};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require, some_of};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::ccs::campaign::{Coverage, Host};
use bitline::sim::units::ccs::launches::{test_geometry, two_ports};

pub(super) mod bench;

fn campaign<E: Engine>(engine: E, geometry: &CcsGeometry, seed: u64, commands: usize) -> Coverage {
    println!("{geometry:?}, seed {seed}");
    let mut host = Host::new(engine, geometry, seed);
    assert_eq!(host.machine.system.unseen(), Vec::<&str>::new());
    let ended = host.random(commands).and_then(|()| host.reset()).and_then(|()| host.random(2));
    ended.unwrap_or_else(|failure| panic!("{failure}"));
    let events = host.machine.events();
    let [hits, misses] = [events.hits, events.misses];
    let counts = [
        ("hit of a", hits[0]),
        ("hit of b", hits[1]),
        ("hit of r", hits[2]),
        ("miss of a", misses[0]),
        ("miss of b", misses[1]),
        ("miss of r", misses[2]),
        ("conflict", events.conflicts),
        ("both fetched", events.two_fetches),
        ("line for the processor beside a command", events.fills_beside),
        ("line dropped", events.drops),
    ];
    host.coverage.extend(counts.map(|(what, times)| (what.to_string(), times)));
    host.coverage
}

#[test]
fn random_commands_natively() {
    let mut all = Coverage::new();
    let one = [(4, 32, 4), (8, 16, 2), (16, 8, 8), (4, 8, 4), (16, 32, 16), (128, 8, 2)];
    let one = one.map(|(lanes, bits, lines)| test_geometry(lanes, bits, lines));
    let two = [(4, 32, 4), (8, 16, 2), (16, 8, 8)].map(|(lanes, bits, lines)| two_ports(lanes, bits, lines));
    for (i, geometry) in one.into_iter().chain(two).enumerate() {
        for (what, times) in
            campaign(engine(&ccs(&geometry).expect("legal")), &geometry, 21 + i as u64, some_of(120, 2))
        {
            *all.entry(what).or_default() += times;
        }
    }
    for command in &COMMANDS {
        assert!(all.contains_key(command.name), "{}: {all:?}", command.name);
    }
    for (what, times) in &all {
        assert!(*times > 0, "{what}: {all:?}");
    }
}

#[test]
fn verilator_and_icarus() {
    for geometry in [test_geometry(4, 32, 4), test_geometry(8, 16, 2), two_ports(4, 32, 4)] {
        let netlist = ccs(&geometry).expect("legal");
        if require("verilator").is_some() {
            let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 31, some_of(30, 2));
        }
        // With two read ports natively and under Verilator, with `BITLINE_DEEP=1` in Icarus, too.
        if require("iverilog").is_some() && geometry.lanes == 4 && (deep() || geometry.read_ports == 1) {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            campaign(model, &geometry, 32, some_of(6, 3));
        }
    }
}

#[test]
fn tools_are_quiet() {
    for geometry in [test_geometry(4, 8, 4), test_geometry(4, 16, 2), test_geometry(8, 32, 8), two_ports(4, 8, 4)] {
        quiet(&ccs(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
