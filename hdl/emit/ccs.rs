//! A cache compute system's files: Verilog, C header, guide, register map, SystemRDL, manifest.

use serde::Serialize;

use super::Target;
use super::manifest::hexadecimal;
use super::output::Files;
use super::package::{Region, Scenario};
use super::software::{Named, add_register_parts, named, register_view};
use super::unit::Unit;
use crate::kernel::netlist::Netlist;
use bitline_units::ccs::registers::{
    ADDRESS_BITS, BASE, CONTROL_DONE_ENABLE_LSB, LAUNCH_COMMAND_LSB, LAUNCH_LENGTH_LSB, MAGIC, REG_B, REG_CONTROL,
    REG_LAUNCH, REG_R, REGISTERS, SPAN, configuration_hash, reset_value,
};
use bitline_units::ccs::{COMMANDS, CcsCommand, CcsError, CcsGeometry, Kind, Operands};

const HEADER: &str = include_str!("../../templates/ccs/bitline_ccs.h.tera");
const GUIDE: &str = include_str!("../../templates/ccs/guide.md.tera");
const MAP: &str = include_str!("../../templates/ccs/registers.md.tera");
const RDL: &str = include_str!("../../templates/ccs/registers.rdl.tera");

/// The header's path below the output folder. It holds the whole driver.
pub const HEADER_PATH: &str = "software/bitline_ccs.h";
/// The guide's path below the output folder.
pub const GUIDE_PATH: &str = "doc/guide.md";
/// The module with the clock and reset of an AXI system.
pub const AXI_MODULE: &str = "bl_ccs_axi";
const PREFIX: &str = "BITLINE_CCS";
/// What users should know before they rely on it.
pub(super) const LIMITATIONS: &[&str] = &[
    "Elements are integers of 8, 16 or 32 bits, one width for a design; there is no floating point.",
    "All vectors of a command lie on multiples of an element and at the same place of a line: a command that does not keep to this is refused.",
    "One command runs at a time: `status.ready` tells whether a start would be taken.",
    "Addresses have 32 bits; the upper half is the registers'. Memory is what is behind the port, up to 2 GiB.",
    "The cache sees its own processor port and its own commands only: it is not coherent with other masters of the same memory.",
    "A read of `wait` keeps the bus until the command has ended.",
    "Contents of cache and memory are undefined after power-up; there is neither parity nor ECC.",
    "After an error `bus` the cache may hold a line that memory has refused: a soft reset empties it.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before routing.",
];
const TEMPLATES: [(&str, &str); 4] =
    [(HEADER_PATH, HEADER), (GUIDE_PATH, GUIDE), ("doc/registers.md", MAP), ("doc/registers.rdl", RDL)];

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

/// The configuration hash as headers print it.
pub fn hash(geometry: &CcsGeometry) -> String {
    hexadecimal(configuration_hash(geometry))
}

/// Every file, the manifest included. `netlist` is the top.
pub fn files(geometry: &CcsGeometry, netlist: &Netlist, target: Target) -> Files {
    unit(geometry).files(geometry, netlist, target)
}

/// Header, guide and register map alone, which do not ask for the hardware.
pub fn software(geometry: &CcsGeometry) -> Files {
    let mut files = Files::default();
    unit(geometry).add_templates(&mut files);
    files
}

fn unit(geometry: &CcsGeometry) -> Unit<'_> {
    Unit {
        name: "ccs",
        preset: &geometry.name,
        hash: hash(geometry),
        axi_module: AXI_MODULE,
        context: context(geometry),
        templates: &TEMPLATES,
        names: ("bitline_ccs", "bitline cache compute system"),
        regions: vec![Region::memory(0, BASE), Region::registers(BASE, (1 << ADDRESS_BITS) - BASE)],
        scenario: scenario(geometry),
        limitations: LIMITATIONS,
    }
}

/// A map of two vectors of two lines each.
pub(super) fn scenario(geometry: &CcsGeometry) -> Scenario {
    let two = |command: &&CcsCommand| command.operands == Operands::Vv && command.kind == Kind::Map;
    let command = COMMANDS.iter().find(two).unwrap_or(&COMMANDS[0]);
    let line = geometry.line_bytes() as u32;
    let elements = 2 * geometry.lanes as u32;
    Scenario {
        title: format!("{} of {elements} elements: a and b from lines 0 and 4 on, the result to line 8", command.name),
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

/// Names that its templates may use.
pub(super) fn context(geometry: &CcsGeometry) -> tera::Context {
    let errors: Vec<Named> =
        CcsError::ALL.iter().map(|e| named("CCS_ERR", e.name(), *e as u64, e.description().trim())).collect();
    let registers: Vec<_> = REGISTERS.iter().map(|r| register_view(PREFIX, r, reset_value(geometry, r))).collect();
    let commands: Vec<CommandView> = COMMANDS.iter().map(CommandView::of).collect();
    let word = |value: u32| format!("{value:#05x}");
    let mut context = tera::Context::new();
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("preset", &geometry.name);
    context.insert("hash", &hash(geometry));
    context.insert("registers", &registers);
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
    context.insert("lanes", &geometry.lanes);
    context.insert("element_bits", &geometry.element_bits);
    context.insert("element_bytes", &geometry.element_bytes());
    context.insert("line_bytes", &geometry.line_bytes());
    context.insert("lines", &geometry.lines);
    context.insert("mask_words", &geometry.lanes.div_ceil(32));
    add_register_parts(&mut context);
    context
}
