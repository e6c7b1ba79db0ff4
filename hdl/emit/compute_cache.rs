//! A compute cache's files: Verilog, C header and driver, register map, SystemRDL, manifest.

use serde::Serialize;

use super::Target;
use super::manifest::hexadecimal;
use super::output::Files;
use super::package::{Region, Scenario};
use super::software::{Named, add_register_parts, named, register_view};
use super::unit::Unit;
use crate::kernel::netlist::Netlist;
use bitline_units::cache::registers::{
    ADDRESS_BITS, CONTROL_RESULT_ENABLE_LSB, MAGIC, OPERATION_OPCODE_LSB, REG_B, REG_CONTROL, REG_D, REG_OPERATION,
    REG_PUSH, REG_SIZE, REGISTERS, WINDOW, configuration_hash, reset_value,
};
use bitline_units::cache::{CacheError, CacheGeometry, CacheOp, control};

const HEADER: &str = include_str!("../../templates/compute_cache/bitline_cc.h.tera");
const DRIVER: &str = include_str!("../../templates/compute_cache/bitline_cc.c.tera");
const MAP: &str = include_str!("../../templates/compute_cache/registers.md.tera");
const RDL: &str = include_str!("../../templates/compute_cache/registers.rdl.tera");

/// The header's path below the output folder.
pub const HEADER_PATH: &str = "software/bitline_cc.h";
/// The driver's path below the output folder.
pub const DRIVER_PATH: &str = "software/bitline_cc.c";
/// The module with the clock and reset of an AXI system.
pub const AXI_MODULE: &str = "bl_compute_cache_axi";
const PREFIX: &str = "BITLINE_CC";
/// What users should know before they rely on it.
const LIMITATIONS: &[&str] = &[
    "The memory is a scratchpad: tags, misses, coherence and ECC, which the paper discusses, are not there.",
    "Operands are multiples of a block at multiples of a block, up to 16 KiB; less for compare, search and carry-less products (see the registers' page).",
    "Operands that do not share their place in a page go over the interconnect, two or three accesses a block, instead of in place.",
    "Rows are read in the cycle that asks, so they become LUT RAM or a macro; on block RAM the design does not work as it is.",
    "Results leave in the order of the instructions, one register set for all: take each before the table is full.",
    "Contents of the memory are undefined after power-up.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before routing.",
];

/// An operation as a function in C.
#[derive(Serialize)]
struct Function {
    name: &'static str,
    constant: String,
    doc: &'static str,
    parameters: String,
    a: &'static str,
    b: &'static str,
    d: &'static str,
    mask: bool,
    grain: bool,
}

impl Function {
    /// Parameters are the operands that the operation has: sources, destination, size, then what only some have.
    fn of(op: CacheOp) -> Function {
        let pick = |bit, name: &'static str| if op.has(bit) { name } else { "0" };
        let (a, d) = (pick(control::A, "a"), pick(control::D, "d"));
        let b = if op.has(control::KEY) { "key" } else { pick(control::B, "b") };
        let (mask, grain) = (op.has(control::MASK), op.has(control::GRAIN));
        let addresses = [a, b, d].into_iter().filter(|name| *name != "0").chain(["size"]);
        let numbers = addresses.chain(grain.then_some("bits")).map(|name| format!("uint32_t {name}"));
        let all: Vec<String> = numbers.chain(mask.then(|| "uint64_t *mask".into())).collect();
        let name = op.name();
        Function {
            name,
            constant: constant("OP", name, 0, "").constant,
            doc: op.description().trim(),
            parameters: all.join(", "),
            a,
            b,
            d,
            mask,
            grain,
        }
    }
}

/// The configuration hash as headers print it.
pub fn hash(geometry: &CacheGeometry) -> String {
    hexadecimal(configuration_hash(geometry))
}

/// Every file, the manifest included. `netlist` is the top with its registers.
pub fn files(geometry: &CacheGeometry, netlist: &Netlist, target: Target) -> Files {
    let templates =
        [(HEADER_PATH, HEADER), (DRIVER_PATH, DRIVER), ("doc/registers.md", MAP), ("doc/registers.rdl", RDL)];
    let unit = Unit {
        name: "compute-cache",
        preset: &geometry.name,
        hash: hash(geometry),
        axi_module: AXI_MODULE,
        context: context(geometry),
        templates: &templates,
        names: ("bitline_compute_cache", "bitline compute cache"),
        regions: vec![Region::registers(0, WINDOW), Region::memory(WINDOW, WINDOW)],
        scenario: scenario(geometry),
        limitations: LIMITATIONS,
    };
    unit.files(geometry, netlist, target)
}

/// An AND of two blocks into a third, all at the same place of their pages.
fn scenario(geometry: &CacheGeometry) -> Scenario {
    let (block, page) = (geometry.block_bytes as u32, geometry.page() as u32);
    Scenario {
        title: "cc_and of two blocks, in place".into(),
        writes: vec![
            (REG_CONTROL, 1 << CONTROL_RESULT_ENABLE_LSB),
            (REG_B, page),
            (REG_D, 2 * page),
            (REG_SIZE, 2 * block),
            (REG_OPERATION, (CacheOp::And as u32) << OPERATION_OPCODE_LSB),
            (REG_PUSH, 1),
        ],
        drawn: 2,
        until: "irq",
        show: vec!["s_axil_awvalid", "s_axil_awaddr", "s_axil_wdata", "s_axil_bvalid", "busy", "irq"],
    }
}

fn context(geometry: &CacheGeometry) -> tera::Context {
    let opcodes: Vec<Named> =
        CacheOp::ALL.iter().map(|op| constant("OP", op.name(), *op as u64, op.description().trim())).collect();
    let errors: Vec<Named> =
        CacheError::ALL.iter().map(|e| constant("ERR", e.name(), *e as u64, e.description())).collect();
    let registers: Vec<_> = REGISTERS.iter().map(|r| register_view(PREFIX, r, reset_value(geometry, r))).collect();
    let mut context = tera::Context::new();
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("preset", &geometry.name);
    context.insert("hash", &hash(geometry));
    context.insert("registers", &registers);
    context.insert("opcodes", &opcodes);
    context.insert("errors", &errors);
    context.insert("functions", &CacheOp::ALL.map(Function::of));
    context.insert("address_bits", &ADDRESS_BITS);
    context.insert("size", &format!("{:#x}", 1u64 << ADDRESS_BITS));
    context.insert("window", &format!("{WINDOW:#x}"));
    context.insert("magic", &format!("{MAGIC:#010x}"));
    context.insert("bytes", &geometry.bytes());
    context.insert("entries", &(geometry.bytes() / 4));
    context.insert("block", &geometry.block_bytes);
    context.insert("page", &geometry.page());
    context.insert("instructions", &geometry.instructions);
    add_register_parts(&mut context);
    context
}

/// A code with the constants' prefix of this header.
fn constant(kind: &str, name: &str, code: u64, doc: &str) -> Named {
    named(&format!("CC_{kind}"), name.trim_start_matches("cc_"), code, doc)
}
