//! The cache compute system: lanes beside a cache, behind registers.

use serde::Serialize;

use super::Target;
use super::manifest;
use super::output::Files;
use super::software::{Named, named};
use super::unit::{self, Cost, Costed, Output, Proof, Region, Scenario, Unit, boxed};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use bitline_units::ccs::blocks::ccs_top;
use bitline_units::ccs::registers::{
    ADDRESS_BITS, BASE, CONTROL_DONE_ENABLE_LSB, LAUNCH_COMMAND_LSB, LAUNCH_LENGTH_LSB, MAGIC, REG_B, REG_CONTROL,
    REG_LAUNCH, REG_R, REGISTERS, SPAN, configuration_hash, reset_value,
};
use bitline_units::ccs::{CCS_PRESETS, COMMANDS, CcsCommand, CcsError, CcsGeometry, Kind, Operands};
use bitline_units::regmap::Register;

/// The header's path below the output folder. It holds the whole driver.
pub const HEADER_PATH: &str = "software/bitline_ccs.h";
/// The guide's path below the output folder.
pub const GUIDE_PATH: &str = "doc/guide.md";

/// The cache compute system.
pub const KIND: unit::Kind = unit::Kind {
    name: "ccs",
    summary: "the cache compute system",
    ip: "bitline_ccs",
    title: "bitline cache compute system",
    axi_module: "bl_ccs_axi",
    prefix: "BITLINE_CCS",
    presets: || CCS_PRESETS.map(|(name, summary, _)| (name, summary)).to_vec(),
    default_preset: "vc709",
    preset: |name| boxed(CcsGeometry::preset(name)),
    load: |path| boxed(CcsGeometry::load(path)),
    registers: REGISTERS,
    regions: &[
        Region { name: "memory", base: 0, bytes: BASE },
        Region { name: "registers", base: BASE, bytes: (1 << ADDRESS_BITS) - BASE },
    ],
    limitations: LIMITATIONS,
    templates: &[
        (HEADER_PATH, include_str!("templates/ccs/bitline_ccs.h.tera")),
        (GUIDE_PATH, include_str!("templates/ccs/guide.md.tera")),
        ("doc/registers.md", include_str!("templates/ccs/registers.md.tera")),
        ("doc/registers.rdl", include_str!("templates/ccs/registers.rdl.tera")),
    ],
    targets: &[Target::Generic, Target::GenericAsic],
    samples: &[("tiny", "base = \"tiny\"\n"), ("axi", "base = \"tiny\"\nmemory = \"axi128\"\n")],
    cost: Cost {
        modules: &["bl_ccs_unit_*", "bl_ccs", "bl_ccs_axi_adapter*", "bl_ccs_axi_top"],
        // Delay lines stay in flip-flops: their paths start at a register's output then, not at a shift register's,
        // which yosys takes to be five times as slow, and LUT are what it is compared in.
        options: &["-nosrl"],
        beside: "Table I of the paper (Vivado, routed; unit, cache and control): \
                 87675 LUT, 13014 FF, 128 BRAM, 192 DSP, 100 MHz (10 ns)",
        table: &[costed("tiny"), costed("small"), costed("vc709")],
    },
    proof: Proof {
        config: "base = \"tiny\"\nelement_bits = 8\nlines = 2\n",
        // Not the lanes, some of whose registers synthesis finds to be constant, and not the store.
        modules: &[
            "bl_ccs_launcher",
            "bl_ccs_registers",
            "bl_ccs_generator_4_8",
            "bl_ccs_fetch",
            "bl_ccs_tags_2",
            "bl_ccs_scoreboard",
            "bl_ccs_requests",
            "bl_ccs_waiting",
            "bl_ccs_flight",
            "bl_ccs_conflicts",
            "bl_ccs_masks_4",
            "bl_ccs_tree_4x8",
            "bl_ccs_writer_4_1",
            "bl_ccs_write_merge_4_8",
            "bl_ccs_processor",
            "bl_ccs_axil_bridge",
        ],
        keep: true,
    },
};

const fn costed(name: &'static str) -> Costed {
    Costed { name, config: "", target: Target::Generic }
}

/// What users should know before they rely on it.
const LIMITATIONS: &[&str] = &[
    "Elements are integers of 8, 16 or 32 bits, one width for a design; there is no floating point.",
    "All vectors of a command lie on multiples of an element and at the same place of a line: a command that does not \
     keep to this is refused.",
    "One command runs at a time: `status.ready` tells whether a start would be taken.",
    "Addresses have 32 bits; the upper half is the registers'. Memory is what is behind the port, up to 2 GiB.",
    "The cache sees its own processor port and its own commands only: it is not coherent with other masters of the \
     same memory.",
    "A read of `wait` keeps the bus until the command has ended.",
    "Contents of cache and memory are undefined after power-up; there is neither parity nor ECC.",
    "After an error `bus` the cache may hold a line that memory has refused: a soft reset empties it.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before \
     routing.",
];

/// Bits of a command's macro above those that go to the register: which operands it has.
const HAS_A: u32 = 1 << 8;
const HAS_B: u32 = 1 << 9;
const HAS_R: u32 = 1 << 10;
const HAS_CONSTANT: u32 = 1 << 11;

/// A command as software sees it.
#[derive(Serialize)]
struct CommandView {
    code: u8,
    name: &'static str,
    word: String,
    doc: &'static str,
    operands: &'static str,
    kind: &'static str,
    sign: bool,
}

impl CommandView {
    fn of(command: &CcsCommand) -> CommandView {
        let (operands, mut word) = match command.operands {
            Operands::Vv => ("a, b", HAS_A | HAS_B),
            Operands::Vc => ("a, constant", HAS_A | HAS_CONSTANT),
            Operands::V => ("a", HAS_A),
            Operands::C => ("constant", HAS_CONSTANT),
        };
        let kind = match command.kind {
            Kind::Map => "map",
            Kind::Reduce => "reduce",
        };
        if command.kind == Kind::Map {
            word |= HAS_R;
        }
        CommandView {
            code: command.code,
            name: command.name,
            word: format!("{:#05x}", word | u32::from(command.code)),
            doc: command.doc,
            operands,
            kind,
            sign: command.has_sign(),
        }
    }
}

impl Unit for CcsGeometry {
    fn kind(&self) -> &'static unit::Kind {
        &KIND
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn hash(&self) -> u64 {
        configuration_hash(self)
    }

    fn netlist(&self) -> Result<Netlist> {
        ccs_top(self)
    }

    fn reset_value(&self, register: &Register) -> u32 {
        reset_value(self, register)
    }

    fn describe(&self, context: &mut tera::Context) {
        let errors: Vec<Named> =
            CcsError::ALL.iter().map(|e| named("CCS_ERR", e.name(), *e as u64, e.description().trim())).collect();
        let commands: Vec<CommandView> = COMMANDS.iter().map(CommandView::of).collect();
        let word = |value: u32| format!("{value:#05x}");
        context.insert("errors", &errors);
        context.insert("commands", &commands);
        context.insert("has_a", &word(HAS_A));
        context.insert("has_b", &word(HAS_B));
        context.insert("has_r", &word(HAS_R));
        context.insert("has_constant", &word(HAS_CONSTANT));
        context.insert("base", &format!("{BASE:#x}"));
        // The last of the places where the registers repeat.
        context.insert("top", &format!("{:#x}", (1 << ADDRESS_BITS) - SPAN));
        context.insert("span", &SPAN);
        context.insert("magic", &format!("{MAGIC:#010x}"));
        context.insert("lanes", &self.lanes);
        context.insert("element_bits", &self.element_bits);
        context.insert("element_bytes", &self.element_bytes());
        context.insert("line_bytes", &self.line_bytes());
        context.insert("lines", &self.lines);
        context.insert("mask_words", &self.lanes.div_ceil(32));
    }

    /// A map of two vectors of two lines each.
    fn scenario(&self) -> Scenario {
        let two = |command: &&CcsCommand| command.operands == Operands::Vv && command.kind == Kind::Map;
        let command = COMMANDS.iter().find(two).unwrap_or(&COMMANDS[0]);
        let line = self.line_bytes() as u32;
        let elements = 2 * self.lanes as u32;
        Scenario {
            title: format!(
                "{} of {elements} elements: a and b from lines 0 and 4 on, the result to line 8",
                command.name
            ),
            writes: vec![
                (BASE + REG_CONTROL, 1 << CONTROL_DONE_ENABLE_LSB),
                (BASE + REG_B, 4 * line),
                (BASE + REG_R, 8 * line),
                (BASE + REG_LAUNCH, u32::from(command.code) << LAUNCH_COMMAND_LSB | elements << LAUNCH_LENGTH_LSB),
            ],
            drawn: 1,
            until: "irq",
            show: vec![
                "s_axil_awvalid",
                "s_axil_awaddr",
                "s_axil_wdata",
                "s_axil_bvalid",
                "read_valid",
                "read_line",
                "reply_valid",
                "write_valid",
                "write_line",
                "ack_valid",
                "m_axi_arvalid",
                "m_axi_araddr",
                "m_axi_rvalid",
                "m_axi_rlast",
                "m_axi_awvalid",
                "m_axi_awaddr",
                "m_axi_wvalid",
                "m_axi_bvalid",
                "irq",
            ],
        }
    }

    fn manifest(&self, output: Output<'_>, files: &Files) -> String {
        manifest::text(KIND.name, self.hash(), self, output.netlist, files)
    }
}
