//! How much every lock step compares: a place that drops out of a table is missed here, and by the check that nothing
//! stays unseen. Blocks that are judged by what leaves them have no places of their own.

use super::array::{Lockstep, MemoryLockstep, StreamLockstep, TopLockstep};
use super::board::BoardLockstep;
use super::ccs::{CcsLockstep, UnitLockstep};
use super::compute_cache::CacheLockstep;
use super::line_port::{AxiAdapterLockstep, BridgeLockstep, LineMemoryLockstep};
use super::tests::params;
use super::tmu::TmuLockstep;
use crate::array::blocks::{Top, design};
use crate::ccs::blocks::axi_adapter::ccs_axi_adapter;
use crate::ccs::blocks::line_memory::ccs_line_memory;
use crate::ccs::blocks::{ccs, ccs_axil_bridge, ccs_unit};
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::compute_cache;
use crate::engine::{Native, engine};
use crate::error::Result;
use crate::kernel::mem::RamStyle;
use crate::kernel::netlist::Netlist;
use crate::params::{Memory, MemoryPort, Params, Sensing};
use crate::system::SystemParams;
use crate::system::blocks::system_top_with;
use bitline_units::parts::tmu::{Tiles, TmuParams, transpose_unit};

fn run(netlist: Result<Netlist>) -> Native {
    engine(&netlist.unwrap_or_else(|e| panic!("{e}")))
}

fn ccs_geometry(memory: CcsMemory) -> CcsGeometry {
    CcsGeometry { name: "counts".into(), lanes: 4, element_bits: 32, lines: 16, memory, read_ports: 1 }
}

/// Nothing may be unseen, and this many registers, memories and outputs are compared.
fn holds(unit: &str, unseen: Vec<&str>, counts: [usize; 3], expected: [usize; 3]) -> bool {
    let same = unseen.is_empty() && counts == expected;
    if !same {
        println!("{unit}: {counts:?}, must be {expected:?}; unseen: {unseen:?}");
    }
    same
}

macro_rules! counted {
    ($good:ident: $($name:literal, $unit:expr => $expected:expr;)+) => {$(
        let unit = $unit;
        $good &= holds($name, unit.unseen(), unit.counts(), $expected);
    )+};
}

#[test]
fn every_lock_step_compares_as_much_as_ever() {
    let mut good = true;
    let top = |params: &Params, top| run(design(params, top));
    for (memory, sensing, expected) in ARRAYS {
        let params = params(sensing, memory, 128, 16);
        counted! { good:
            "compute unit", Lockstep::new(top(&params, Top::ComputeUnit), &params, 1) => expected[0];
            "registers", TopLockstep::new(top(&params, Top::Registers), &params, 1) => expected[1];
        }
    }
    let params = params(Sensing::TwoPort, Memory::BlockRam, 128, 64);
    let [axi, stream] =
        [MemoryPort::Axi64, MemoryPort::Stream].map(|memory_port| Params { memory_port, ..params.clone() });
    let (lines, bus) = (ccs_geometry(CcsMemory::Line), ccs_geometry(CcsMemory::Axi128));
    let cache = CacheGeometry::preset("tiny").expect("named");
    let tiles = |tiles| TmuParams { words: 8, bits: 8, tiles, style: RamStyle::Distributed };
    let board = SystemParams::preset("tiny").expect("named");
    counted! { good:
        "memory", MemoryLockstep::new(top(&axi, Top::Registers), &axi, 1) => [328, 75, 15];
        "stream", StreamLockstep::new(top(&stream, Top::Registers), &stream, 1) => [329, 75, 16];
        "ccs", CcsLockstep::new(run(ccs(&lines)), &lines, 1) => [676, 15, 21];
        "ccs unit", UnitLockstep::new(run(ccs_unit(&lines)), &lines, 1) => [206, 0, 12];
        "bridge", BridgeLockstep::new(run(ccs_axil_bridge()), 1) => [13, 0, 13];
        "line memory", LineMemoryLockstep::new(run(ccs_line_memory(&lines, 16)), &lines, 16, 1) => [4, 16, 9];
        "adapter", AxiAdapterLockstep::new(run(ccs_axi_adapter(&bus)), &bus, 1) => [0, 0, 12];
        "cache", CacheLockstep::new(run(compute_cache(&cache)), &cache, 1) => [34, 8, 10];
        "flops", TmuLockstep::new(run(transpose_unit(&tiles(Tiles::Flop))), 8, 8, 1) => [39, 0, 8];
        "banks", TmuLockstep::new(run(transpose_unit(&tiles(Tiles::Rotated))), 8, 8, 1) => [23, 8, 8];
        "board", BoardLockstep::new(run(system_top_with(&board, 10)), &board, 10, 1) => [104, 8, 2];
    }
    assert!(good);
}

/// For each memory and sensing: the compute unit alone, and behind its registers.
const ARRAYS: [(Memory, Sensing, [[usize; 3]; 2]); 4] = [
    (Memory::Behavioural, Sensing::TwoPort, [[221, 7, 15], [284, 8, 16]]),
    (Memory::Behavioural, Sensing::AndNor, [[220, 7, 15], [283, 8, 16]]),
    (Memory::BlockRam, Sensing::TwoPort, [[233, 8, 15], [296, 9, 16]]),
    (Memory::BlockRam, Sensing::AndNor, [[236, 8, 15], [299, 9, 16]]),
];
