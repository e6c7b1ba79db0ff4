//! A real host: a processor that nobody here has written runs C programs on the drivers that `gen` writes, against a
//! compute unit with its way to memory and a compute cache, under Verilator.
//!
//! The system is in `tb/host/*.v`, the program in `tb/host/firmware.c`; `tb/duality_host.rs` has another one of each.
//! The processor, PicoRV32, comes from `scripts/host-core.sh`.

use std::fs;
use std::path::{Path, PathBuf};

use bitline::compute_cache::CacheGeometry;
use bitline::emit::output::Files;
use bitline::emit::unit::{Output, Unit, files};
use bitline::emit::{Target, compute_cache, compute_unit};
use bitline::params::{MemoryPort, Params};
use bitline::presets::preset;
use bitline::sim::external::tool::{cache_folder, require, run, skip, write_files};
use bitline::sim::external::verilator::program::Program;

pub const COMPILER: &str = "riscv64-unknown-elf-gcc";
const COPIER: &str = "riscv64-unknown-elf-objcopy";

fn params() -> Params {
    let tiny = preset("tiny").expect("the preset is there");
    Params { name: "host".into(), columns: 64, rows: 128, command_fifo: 8, memory_port: MemoryPort::Axi64, ..tiny }
}

fn geometry() -> CacheGeometry {
    CacheGeometry { name: "host".into(), rows: 16, ..CacheGeometry::preset("l1").expect("named") }
}

/// What `gen` writes for both.
fn generated() -> [Files; 2] {
    let units: [&dyn Unit; 2] = [&params(), &geometry()];
    units.map(|unit| {
        let netlist = unit.netlist().expect("legal");
        files(unit, Output { netlist: &netlist, target: Target::Generic, seed: 1 }).expect("the target fits")
    })
}

/// A module without the lines that say which design it was written for.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("//")).collect()
}

/// Every Verilog module. Some are in both designs, and must be the same there.
pub fn modules(designs: &[Files]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (path, text) in designs.iter().flat_map(|files| files.iter()) {
        let Some(name) = path.strip_prefix("rtl/") else { continue };
        match all.iter().find(|(other, _)| other == name) {
            Some((_, other)) => assert_eq!(code(text), code(other), "{name} is not the same in both designs"),
            None => all.push((name.into(), text.into())),
        }
    }
    all
}

/// A file of `tb`.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tb").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The processor; `None`, said loudly, if nobody has fetched it.
pub fn core() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("build/host-core/picorv32.v");
    let text = fs::read_to_string(&path).ok();
    if text.is_none() {
        skip(&format!("{} is not there (scripts/host-core.sh fetches it)", path.display()));
    }
    text
}

/// A processor's system under Verilator, as a program: the modules that were generated, and its own in `system`.
pub fn simulator(name: &str, system: &str, mut files: Vec<(String, String)>, core: String) -> PathBuf {
    files.push(("picorv32.v".into(), core));
    let shared =
        ["host/host_processor.v", "host/host_bridge.v", "host/host_ram.v", "host/external.vlt", "host/main.cpp"];
    for path in shared.into_iter().chain([system]) {
        let (_, file) = path.split_once('/').expect("in a folder");
        files.push((file.into(), read(&source(path))));
    }
    // The program is short: the compiler shall be, too.
    let program = Program {
        name,
        arguments: "-Wall --timescale 1ns/1ps --top-module host_system -y . external.vlt host_system.v picorv32.v",
        prefix: "Vhost_system",
        main: "main.cpp",
        flags: &[],
        effort: "-O0",
    };
    program.build(&cache_folder(), &files).unwrap_or_else(|e| panic!("{e}"))
}

/// A program's memory image in 64-bit words, as `$readmemh` takes it.
fn image(program: &[u8]) -> String {
    let word =
        |bytes: &[u8]| format!("{:016x}\n", bytes.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte)));
    program.chunks(8).map(word).collect()
}

/// Compiles a program of `tb` with the files that it is given, drivers among them, into `firmware.hex`.
pub fn compile(firmware: &str, files: &[(String, String)], defines: &[&str], folder: &Path) {
    write_files(folder, files).unwrap_or_else(|e| panic!("{e}"));
    let sources = [firmware, "host/start.S", "host/link.ld"].map(|path| source(path).display().to_string());
    let mut arguments: Vec<&str> =
        "-march=rv32im -mabi=ilp32 -O2 -std=c99 -Wall -Wextra -Werror -pedantic -ffreestanding -nostdlib -I."
            .split(' ')
            .collect();
    arguments.extend_from_slice(defines);
    // What begins comes first in memory.
    arguments.extend(["-T", &sources[2], &sources[1], &sources[0]]);
    arguments.extend(files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(".c")));
    arguments.extend(["-lgcc", "-o", "firmware.elf"]);
    run(COMPILER, &arguments, folder).unwrap_or_else(|e| panic!("{e}"));
    run(COPIER, &["-O", "binary", "firmware.elf", "firmware.bin"], folder).unwrap_or_else(|e| panic!("{e}"));
    let program = fs::read(folder.join("firmware.bin")).expect("it was just written");
    fs::write(folder.join("firmware.hex"), image(&program)).expect("the folder can be written");
}

/// A file that `gen` writes into its folder `software`, by its name there.
pub fn software(files: &Files, path: &str) -> (String, String) {
    let name = path.strip_prefix("software/").expect("there is all software");
    (name.to_string(), files.get(path).expect("gen writes it").to_string())
}

#[test]
fn words_have_their_first_byte_lowest() {
    assert_eq!(image(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), "0807060504030201\n0000000000000009\n");
}

/// The program loads vectors, adds, multiplies, searches and stores, provokes errors, waits for interrupts, and uses
/// the cache; and it notices when a product is not what it expects.
#[test]
fn a_processor_computes_through_the_drivers() {
    let tools = [require("verilator"), require(COMPILER)];
    let (Some(core), true) = (core(), tools.iter().all(Option::is_some)) else { return };
    let designs = generated();
    let simulator = simulator("host", "host/host_system.v", modules(&designs), core).display().to_string();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [unit, cache] = &designs;
    let drivers = [
        software(unit, compute_unit::HEADER_PATH),
        software(unit, compute_unit::DRIVER_PATH),
        software(cache, compute_cache::HEADER_PATH),
        software(cache, compute_cache::DRIVER_PATH),
    ];
    compile("host/firmware.c", &drivers, &[], folder.path());
    let said = run(&simulator, &[], folder.path()).unwrap_or_else(|e| panic!("{e}"));
    println!("{said}");
    assert!(said.starts_with("PASS\n"), "{said}");
    compile("host/firmware.c", &drivers, &["-DWRONG=1"], folder.path());
    let error = run(&simulator, &[], folder.path()).expect_err("wrong products are expected").to_string();
    assert!(error.contains("FAIL product: 0x"), "{error}");
}
