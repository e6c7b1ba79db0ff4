//! The compute cache: operations on blocks inside the sub-arrays that hold them, behind registers.

use serde::Serialize;

use super::Target;
use super::manifest;
use super::output::Files;
use super::software::{Named, named};
use super::unit::{Cost, Costed, Kind, Output, Proof, Region, Scenario, Unit, boxed};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use bitline_units::compute_cache::blocks::compute_cache_top;
use bitline_units::compute_cache::registers::{
    ADDRESS_BITS, CONTROL_RESULT_ENABLE_LSB, MAGIC, OPERATION_OPCODE_LSB, REG_B, REG_CONTROL, REG_D, REG_OPERATION,
    REG_PUSH, REG_SIZE, REGISTERS, WINDOW, configuration_hash, reset_value,
};
use bitline_units::compute_cache::{CACHE_PRESETS, CacheError, CacheGeometry, CacheOp, control};
use bitline_units::regmap::Register;

/// The header's path below the output folder.
pub const HEADER_PATH: &str = "software/bitline_cc.h";
/// The driver's path below the output folder.
pub const DRIVER_PATH: &str = "software/bitline_cc.c";

/// The compute cache.
pub const KIND: Kind = Kind {
    name: "compute-cache",
    summary: "a memory that computes on its blocks",
    ip: "bitline_compute_cache",
    title: "bitline compute cache",
    axi_module: "bl_compute_cache_axi",
    prefix: "BITLINE_CC",
    presets: || CACHE_PRESETS.map(|(name, summary, _)| (name, summary)).to_vec(),
    default_preset: "l2",
    preset: |name| boxed(CacheGeometry::preset(name)),
    load: |path| boxed(CacheGeometry::load(path)),
    registers: REGISTERS,
    regions: &[
        Region { name: "registers", base: 0, bytes: WINDOW },
        Region { name: "memory", base: WINDOW, bytes: WINDOW },
    ],
    limitations: LIMITATIONS,
    templates: &[
        (HEADER_PATH, include_str!("templates/compute_cache/bitline_cc.h.tera")),
        (DRIVER_PATH, include_str!("templates/compute_cache/bitline_cc.c.tera")),
        ("doc/registers.md", include_str!("templates/compute_cache/registers.md.tera")),
        ("doc/registers.rdl", include_str!("templates/compute_cache/registers.rdl.tera")),
    ],
    targets: &[Target::Generic, Target::GenericAsic],
    samples: &[("small", "base = \"l1\"\nrows = 16\n")],
    cost: Cost {
        modules: &["bl_cc_sub_array", "bl_compute_cache"],
        options: &[],
        beside: "",
        table: &[Costed {
            name: "16k",
            config: "base = \"l1\"\nname = \"cc\"\nbanks = 4\npartitions = 1\nrows = 64\n",
            target: Target::Generic,
        }],
    },
    proof: Proof { config: "base = \"tiny\"\n", modules: &[], keep: false },
};

/// What users should know before they rely on it.
const LIMITATIONS: &[&str] = &[
    "The memory is a scratchpad: tags, misses, coherence and ECC, which the paper discusses, are not there.",
    "Operands are multiples of a block at multiples of a block, up to 16 KiB; less for compare, search and carry-less \
     products (see the registers' page).",
    "Operands that do not share their place in a page go over the interconnect, two or three accesses a block, instead \
     of in place.",
    "Rows are read in the cycle that asks, so they become LUT RAM or a macro; on block RAM the design does not work as \
     it is.",
    "Results leave in the order of the instructions, one register set for all: take each before the table is full.",
    "Contents of the memory are undefined after power-up.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before \
     routing.",
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

impl Unit for CacheGeometry {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn hash(&self) -> u64 {
        configuration_hash(self)
    }

    fn netlist(&self) -> Result<Netlist> {
        compute_cache_top(self)
    }

    fn reset_value(&self, register: &Register) -> u32 {
        reset_value(self, register)
    }

    fn describe(&self, context: &mut tera::Context) {
        let opcodes: Vec<Named> =
            CacheOp::ALL.iter().map(|op| constant("OP", op.name(), *op as u64, op.description().trim())).collect();
        let errors: Vec<Named> =
            CacheError::ALL.iter().map(|e| constant("ERR", e.name(), *e as u64, e.description())).collect();
        context.insert("opcodes", &opcodes);
        context.insert("errors", &errors);
        context.insert("functions", &CacheOp::ALL.map(Function::of));
        context.insert("address_bits", &ADDRESS_BITS);
        context.insert("size", &format!("{:#x}", 1u64 << ADDRESS_BITS));
        context.insert("window", &format!("{WINDOW:#x}"));
        context.insert("magic", &format!("{MAGIC:#010x}"));
        context.insert("bytes", &self.bytes());
        context.insert("entries", &(self.bytes() / 4));
        context.insert("block", &self.block_bytes);
        context.insert("page", &self.page());
        context.insert("instructions", &self.instructions);
    }

    /// An AND of two blocks into a third, all at the same place of their pages.
    fn scenario(&self) -> Scenario {
        let (block, page) = (self.block_bytes as u32, self.page() as u32);
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

    fn manifest(&self, output: Output<'_>, files: &Files) -> String {
        manifest::text(KIND.name, self.hash(), self, output.netlist, files)
    }
}

/// A code with the constants' prefix of this header.
fn constant(kind: &str, name: &str, code: u64, doc: &str) -> Named {
    named(&format!("CC_{kind}"), name.trim_start_matches("cc_"), code, doc)
}
