//! The Duality Cache: control blocks that share cache ways, behind registers.

use super::Target;
use super::manifest;
use super::output::Files;
use super::software::{Named, named};
use super::unit::{Cost, Costed, Kind, Output, Proof, Region, Scenario, Unit, boxed};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::duality::blocks::duality_top;
use bitline_units::duality::isa::Kind as WordKind;
use bitline_units::duality::isa::codes::{Special, Trap};
use bitline_units::duality::params::SCALARS;
use bitline_units::duality::registers::{
    ADDRESS_BITS, COMMAND_START_LSB, INTERRUPT_ENABLE_DONE_LSB, MAGIC, MOST_PAGES, MOST_SPECIALS, PAGE_LOG, PAGES,
    PARAMETERS, REG_AT_ONCE, REG_BLOCK_X, REG_BLOCK_Y, REG_BLOCK_Z, REG_CODE, REG_COMMAND, REG_COUNTS, REG_GRID_X,
    REG_GRID_Y, REG_GRID_Z, REG_INTERRUPT_ENABLE, REG_WAY_MODES, REG_WORDS, REGISTERS, SPECIALS,
    WAY_MODES_ACCELERATOR_LSB, configuration_hash, reset_value,
};
use bitline_units::duality::{DUALITY_PRESETS, DualityParams};
use bitline_units::regmap::Register;

/// The header's path below the output folder.
pub const HEADER_PATH: &str = "software/bitline_duality.h";
/// The driver's path below the output folder.
pub const DRIVER_PATH: &str = "software/bitline_duality.c";

/// The Duality Cache.
pub const KIND: Kind = Kind {
    name: "duality",
    summary: "the Duality Cache, ways of a cache that run threads",
    ip: "bitline_duality",
    title: "bitline Duality Cache",
    axi_module: "bl_duality_axi",
    prefix: "BITLINE_DC",
    presets: || DUALITY_PRESETS.map(|(name, summary, _)| (name, summary)).to_vec(),
    default_preset: "small",
    preset: |name| boxed(DualityParams::preset(name)),
    load: |path| boxed(DualityParams::load(path)),
    registers: REGISTERS,
    regions: &[
        Region { name: "registers", base: 0, bytes: PAGES },
        Region { name: "memory", base: PAGES, bytes: (1 << ADDRESS_BITS) - PAGES },
    ],
    limitations: LIMITATIONS,
    templates: &[
        (HEADER_PATH, include_str!("templates/duality/bitline_duality.h.tera")),
        (DRIVER_PATH, include_str!("templates/duality/bitline_duality.c.tera")),
        ("doc/registers.md", include_str!("templates/duality/registers.md.tera")),
        ("doc/registers.rdl", include_str!("templates/duality/registers.rdl.tera")),
    ],
    targets: &[Target::Generic, Target::GenericAsic],
    samples: &[("tiny", "base = \"tiny\"\n"), ("lines", "base = \"tiny\"\nline_operations = true\n")],
    cost: Cost {
        modules: &["bl_duality_front", "bl_duality_memory_unit", "bl_duality_cache_*", "bl_duality_top"],
        options: &[],
        beside: "",
        table: &[Costed { name: "tiny", config: "", target: Target::Generic }],
    },
    proof: Proof {
        config: "base = \"tiny\"\n",
        modules: &[
            "bl_duality_launch",
            "bl_duality_modes",
            "bl_duality_arbiter_3",
            "bl_duality_cta_queue",
            "bl_duality_counters",
        ],
        keep: false,
    },
};

/// What users should know before they rely on it.
const LIMITATIONS: &[&str] = &[
    "The arrays of a control block and the lines of its way are memories of their own, one of which is in use at a \
     time: the paper has one memory for both.",
    "A way that is to be a control block waits until some other way of those in use serves as a cache.",
    "Waves of several control blocks have no order among each other: what depends on one is not defined. Atomic \
     operations are whole in any case.",
    "The hardware does not check that the steps between windows and spill rows of control blocks leave room for them: \
     the driver does.",
    "The cache ways are not coherent with other masters of the same memory: flush them before others read what a \
     launch has written, and after others have written what it reads. Who uses the word port sees what launches do.",
    "Words of a program are at physical addresses; addresses of threads go through the table of DC-pages, whose \
     entries hold anything after power-up: write all of them.",
    "The hardware does not check that `at_once` CTAs of `block` threads fit into the control block, nor that special \
     registers and shared windows fit where they are put: the driver does.",
    "A launch that waits for memory that does not answer cannot be ended but by a reset.",
    "A word of memory whose line could not be fetched stops the program; groups of threads before it have their \
     results.",
    "Operations on lines are at physical addresses, one at a time; each line is one with respect to others' requests, \
     the whole of an operation is not.",
    "Contents of memories, rows and the page table are undefined after power-up; there is neither parity nor ECC.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before \
     routing.",
];

impl Unit for DualityParams {
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
        duality_top(self, &Microcode::assemble(&self.array()))
    }

    fn reset_value(&self, register: &Register) -> u32 {
        reset_value(self, register)
    }

    fn describe(&self, context: &mut tera::Context) {
        let traps: Vec<Named> =
            Trap::ALL.iter().map(|t| named("DC_TRAP", t.name(), t.code(), t.meaning().trim())).collect();
        let specials: Vec<Named> = Special::ALL
            .iter()
            .map(|s| named("DC_SPECIAL", &s.name().replace('.', "_"), s.code(), s.meaning().trim()))
            .collect();
        context.insert("traps", &traps);
        context.insert("specials", &specials);
        context.insert("address_bits", &ADDRESS_BITS);
        context.insert("size", &format!("{:#x}", 1u64 << ADDRESS_BITS));
        for (name, value) in [("parameters", PARAMETERS), ("specials_at", SPECIALS), ("pages_at", PAGES)] {
            context.insert(name, &format!("{value:#x}"));
        }
        for (name, value) in [
            ("scalars", SCALARS),
            ("most_specials", MOST_SPECIALS),
            ("most_pages", MOST_PAGES),
            ("page_log", PAGE_LOG),
            ("pages_log", MOST_PAGES.ilog2() as usize),
            ("blocks", self.blocks),
            ("columns", self.columns),
            ("banks", self.banks),
            ("rows", self.rows),
            ("ring", self.ring),
            ("threads", self.threads(4)),
            ("cache_ways", self.cache_ways),
            ("cache_sets", self.cache_sets),
        ] {
            context.insert(name, &value);
        }
        context.insert("magic", &format!("{MAGIC:#010x}"));
        context.insert("program_low", &format!("{:#010x}", DualityParams::hash(self) as u32));
        context.insert("program_high", &format!("{:#010x}", (DualityParams::hash(self) >> 32) as u32));
    }

    /// A launch of one CTA whose program memory does not hold: it is fetched, and stopped before its first word.
    fn scenario(&self) -> Scenario {
        let ones = [REG_BLOCK_X, REG_BLOCK_Y, REG_BLOCK_Z, REG_GRID_X, REG_GRID_Y, REG_GRID_Z, REG_AT_ONCE];
        let mut writes = vec![(REG_WAY_MODES, 1 << WAY_MODES_ACCELERATOR_LSB)];
        writes.extend(ones.map(|offset| (offset, 1)));
        writes.extend([
            (REG_COUNTS, 0),
            (REG_CODE, 0x40),
            (REG_WORDS, 1),
            (REG_INTERRUPT_ENABLE, 1 << INTERRUPT_ENABLE_DONE_LSB),
            (REG_COMMAND, 1 << COMMAND_START_LSB),
        ]);
        Scenario {
            title: format!("A launch; its word of zeros ({}) is stopped by a trap", WordKind::ALL[0].name()),
            writes,
            drawn: 1,
            until: "irq",
            show: vec![
                "s_axil_awvalid",
                "s_axil_awaddr",
                "s_axil_wdata",
                "s_axil_bvalid",
                "busy",
                "m_axi_arvalid",
                "m_axi_araddr",
                "m_axi_rvalid",
                "m_axi_rlast",
                "irq",
            ],
        }
    }

    fn manifest(&self, output: Output<'_>, files: &Files) -> String {
        manifest::text(KIND.name, configuration_hash(self), self, output.netlist, files)
    }
}
