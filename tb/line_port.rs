//! What is behind the line port of a cache compute system: the line memory and the AXI4 adapter, in lock step with
//! their models, every line that is read compared with plain bytes, natively and with the emitted Verilog; the
//! adapter's bus judged by assertions, and timed.

mod master;

use super::judges::{innocent, judged, seen};
use super::lint::quiet;
use bitline::ccs::blocks::axi_adapter::ccs_axi_adapter;
use bitline::ccs::blocks::line_memory::ccs_line_memory;
use bitline::ccs::{CcsGeometry, CcsMemory};
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::lockstep::line_port::LineMemoryLockstep;
use bitline::sim::model::ccs::line_port::{LineRequests, LineWrite};
use master::{Bus, Coverage, Lines, Master, Memory as _, UNACKNOWLEDGED};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn geometry(lanes: usize, element_bits: usize, memory: CcsMemory) -> CcsGeometry {
    CcsGeometry { lanes, element_bits, memory, ..CcsGeometry::preset("vc709").expect("named") }
}

fn memories() -> Vec<CcsGeometry> {
    let one = [(4, 32), (8, 16), (16, 8)].map(|(lanes, bits)| geometry(lanes, bits, CcsMemory::Line));
    let two = CcsGeometry { read_ports: 2, ..one[1].clone() };
    one.into_iter().chain([two]).collect()
}

fn buses() -> Vec<CcsGeometry> {
    use CcsMemory::{Axi128, Axi256, Axi512};
    let all = [(4, 32, Axi128), (16, 32, Axi128), (64, 8, Axi256), (16, 16, Axi128), (64, 32, Axi512)];
    all.map(|(lanes, bits, memory)| geometry(lanes, bits, memory)).to_vec()
}

fn line_memory<E: Engine>(engine: E, geometry: &CcsGeometry, lines: usize, seed: u64, rounds: usize) -> Coverage {
    let unit = LineMemoryLockstep::new(engine, geometry, lines, seed);
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let mut master = Master::new(Lines { unit, geometry: geometry.clone(), rng }, geometry, lines, seed);
    for _ in 0..rounds {
        master.random(1, 400);
        master.memory.unit.reset(&LineRequests::default()).unwrap_or_else(|d| panic!("{d}"));
    }
    master.coverage
}

fn adapter<E: Engine>(engine: E, geometry: &CcsGeometry, seed: u64, rounds: usize) -> Coverage {
    let mut master = Master::new(Bus::new(engine, geometry, 80, seed), geometry, 80, seed);
    assert_eq!(master.memory.unit.unseen(), Vec::<&str>::new(), "not compared");
    for _ in 0..rounds {
        master.random(1, 300);
        master.memory.unit.reset(&Default::default()).unwrap_or_else(|d| panic!("{d}"));
    }
    master.coverage
}

/// An adapter of a few lanes.
pub(crate) fn small() -> (Netlist, CcsGeometry) {
    let geometry = geometry(16, 32, CcsMemory::Axi128);
    (ccs_axi_adapter(&geometry).expect("legal"), geometry)
}

/// Random lines through one that may be broken.
pub(crate) fn play(netlist: &Netlist, geometry: &CcsGeometry, long: bool) {
    adapter(engine(netlist), geometry, 5, if long { 30 } else { 3 });
}

#[test]
fn line_memory_natively() {
    for (seed, geometry) in memories().into_iter().enumerate() {
        let netlist = ccs_line_memory(&geometry, 32).expect("legal");
        let coverage = line_memory(engine(&netlist), &geometry, 32, seed as u64, 10);
        // A memory answers before a write could be in the way.
        let all = coverage.iter().filter(|(what, _)| **what != "read behind a write to its line");
        assert!(all.clone().all(|(_, &times)| times > 0), "{coverage:?}");
    }
}

#[test]
fn axi_adapter_natively() {
    let mut all = Coverage::new();
    for (seed, geometry) in buses().into_iter().enumerate() {
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        for (what, times) in adapter(engine(&netlist), &geometry, seed as u64, 12) {
            *all.entry(what).or_default() += times;
        }
    }
    println!("{all:?}");
    // A read is not taken while a write to its line is on the way.
    assert_eq!(all.remove("read behind a write to its line"), Some(0));
    assert!(all.values().all(|&times| times > 0), "{all:?}");
}

/// Lines one after the other, in both directions at once: cycles of each.
fn stream<E: Engine>(engine: E, geometry: &CcsGeometry, latency: u64) -> f64 {
    const LINES: u32 = 256;
    let mut bus = Bus::new(engine, geometry, 2 * LINES as usize, 1);
    bus.memory.latency = latency;
    let (mut next, mut replies, mut written, mut acks, mut cycles) = (0, 0, 0, 0, 0);
    while replies < LINES || acks < LINES {
        let write = (written < LINES && written - acks < UNACKNOWLEDGED as u32).then(|| LineWrite {
            line: LINES + written,
            lanes: vec![true; geometry.lanes],
            bytes: 15,
            word: None,
            data: vec![written & geometry.ones(); geometry.lanes],
        });
        written += u32::from(write.is_some());
        let requests =
            LineRequests { read: (next < LINES).then_some(next), take: true, write, ..LineRequests::default() };
        let answers = bus.cycle(&requests);
        next += u32::from(requests.read.is_some() && answers.ready);
        replies += u32::from(answers.reply.is_some());
        acks += u32::from(answers.ack.is_some());
        cycles += 1;
    }
    f64::from(cycles) / f64::from(LINES)
}

/// As many cycles a line as it has beats, reads and writes at once, whatever the latency up to what the addresses ahead
/// cover.
#[test]
fn lines_follow_each_other_without_a_gap() {
    for memory in [CcsMemory::Axi128, CcsMemory::Axi256, CcsMemory::Axi512] {
        let geometry = geometry(64, 32, memory);
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        let beats = 2048 / memory.bus_bits();
        for latency in [0, 20] {
            let measured = stream(engine(&netlist), &geometry, latency);
            println!("{memory:?}: {measured:.2} cycles a line of {beats} beats, both ways, latency {latency}");
            assert!(measured < beats as f64 + 0.3, "{measured}");
        }
    }
}

#[test]
fn with_verilator_and_icarus() {
    for (number, geometry) in buses().into_iter().enumerate().filter(|(number, _)| [1, 2].contains(number)) {
        let netlist = ccs_axi_adapter(&geometry).expect("legal");
        if require("verilator").is_some() {
            let mut master = Master::new(Bus::new(judged(&netlist), &geometry, 80, 31), &geometry, 80, 31);
            master.random(12, 300);
            let model = &master.memory.unit.engine;
            innocent(model, &["reads", "writes"], 100);
            assert!(["reads", "writes"].iter().all(|judge| seen(model, judge)[1] > 0), "errors");
        }
        if require("iverilog").is_some() && number == 1 {
            let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
            let mut master = Master::new(Bus::new(model, &geometry, 80, 32), &geometry, 80, 32);
            master.random(1, 60);
        }
    }
    let geometry = &memories()[1];
    let netlist = ccs_line_memory(geometry, 32).expect("legal");
    if require("verilator").is_some() {
        let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        line_memory(model, geometry, 32, 33, 2);
    }
    if require("iverilog").is_some() {
        let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let unit = LineMemoryLockstep::new(model, geometry, 32, 34);
        let rng = ChaCha8Rng::seed_from_u64(34);
        Master::new(Lines { unit, geometry: geometry.clone(), rng }, geometry, 32, 34).random(1, 60);
    }
}

#[test]
fn tools_are_quiet() {
    for geometry in memories() {
        quiet(&ccs_line_memory(&geometry, 32).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
    for geometry in buses() {
        quiet(&ccs_axi_adapter(&geometry).expect("legal")).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}
