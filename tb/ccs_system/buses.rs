//! A processor and a cache compute system on buses: AXI4-Lite between them, AXI4 to a memory that pauses, with
//! assertions on both. Its program works with strides, rows, errors and the interrupt.

use std::path::{Path, PathBuf};

use crate::judges::{CHECKERS, bindings};
use bitline::ccs::blocks::ccs_top;
use bitline::ccs::{CcsGeometry, CcsMemory};
use bitline::emit::unit::hash;
use bitline::error::Result;
use bitline::kernel::verilog::{Header, emit};
use bitline::sim::external::tool::{cache_folder, require, run, skip, write_files};
use bitline::sim::external::verilator::program::Program;
use bitline::sim::units::ccs::system::{COMPILER, CORE, FIRMWARE, SYSTEM, image};

const MORE: [(&str, &str); 2] =
    [("ccs_axi_system.v", include_str!("ccs_axi_system.v")), ("axi_memory.v", include_str!("axi_memory.v"))];
const PROGRAM: (&str, &str) = ("buses.c", include_str!("buses.c"));

/// 64 lanes, so that masks have two words; of bytes, so that it is small.
fn geometry() -> CcsGeometry {
    let vc709 = CcsGeometry::preset("vc709").expect("named");
    CcsGeometry { name: "buses".into(), element_bits: 8, lines: 8, memory: CcsMemory::Axi128, ..vc709 }
}

/// The system under Verilator, as a program.
fn simulator(geometry: &CcsGeometry, core: String) -> Result<PathBuf> {
    let netlist = ccs_top(geometry)?;
    let mut files = emit(&netlist, &Header { preset: geometry.name.clone(), hash: hash(geometry) });
    files.push(("picorv32.v".into(), core));
    files.push(("bind.sv".into(), bindings(&netlist)));
    files.extend(SYSTEM.into_iter().chain(MORE).chain(CHECKERS).map(|(name, text)| (name.into(), text.into())));
    let program = Program {
        name: "ccs-buses",
        arguments: "-Wall --x-assign fast --x-initial fast --assert --timescale 1ns/1ps --top-module ccs_axi_system \
                    -y . external.vlt ccs_axi_system.v axi_memory.v axil_checker.sv axi4_read_checker.sv \
                    axi4_write_checker.sv bind.sv picorv32.v",
        prefix: "Vccs_system",
        main: "main.cpp",
        flags: &[],
        effort: "-O1",
    };
    program.build(&cache_folder(), &files)
}

#[test]
fn a_processor_computes_with_strides_over_buses() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join(CORE);
    let Ok(core) = std::fs::read_to_string(&core) else {
        return skip(&format!("{} is not there (scripts/host-core.sh fetches it)", core.display()));
    };
    if require("verilator").is_none() || require(COMPILER).is_none() {
        return;
    }
    let geometry = geometry();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = FIRMWARE.into_iter().chain([PROGRAM]).map(|(name, text)| (name.into(), text.into()));
    write_files(folder.path(), &files.collect::<Vec<_>>()).expect("writable");
    let sources = ["-DELEMENT=uint8_t", "start.S", "buses.c"];
    image(&geometry, &sources, folder.path()).unwrap_or_else(|e| panic!("{e}"));
    let simulator = simulator(&geometry, core).unwrap_or_else(|e| panic!("{e}"));
    let said = run(&simulator.display().to_string(), &[], folder.path()).unwrap_or_else(|e| panic!("{e}"));
    println!("{said}");
    // Checkers print what they find.
    assert!(said.contains("\ndone\n") && !said.contains("checker"), "{said}");
    let checks =
        said.lines().find_map(|line| line.strip_suffix(" checks")).and_then(|number| number.parse::<u32>().ok());
    assert!(checks.is_some_and(|checks| checks > 1500), "{said}");
}
