//! The compute unit: the bit-serial array with its sequencer, behind registers.

use serde::Serialize;

use super::cycles::cycles;
use super::manifest;
use super::output::Files;
use super::software::{Named, named};
use super::unit::{Cost, Costed, Kind, Output, Proof, Region, Scenario, Unit, boxed};
use super::{Target, vectors, verilator};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use bitline_units::array::blocks::{Top, design};
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::format::{FORMATS, Format, Mode, Rounding};
use bitline_units::array::isa::{Command, Opcode, Set, reference, transfer};
use bitline_units::array::params::{MemoryPort, Params};
use bitline_units::array::presets::{self, PRESETS};
use bitline_units::array::registers::{
    ADDRESS_BITS, COMMAND_A_LSB, COMMAND_B_LSB, COMMAND_D_LSB, COMMAND_OPCODE_LSB, COMMAND_SET_LSB, COMMAND_WIDTH_LSB,
    CONTROL_DONE_ENABLE_LSB, CONTROL_ERROR_ENABLE_LSB, REG_COMMAND, REG_COMMAND_AB, REG_COMMAND_DE, REG_CONTROL,
    REG_PUSH, REGISTERS, configuration_hash, identification, reset_value,
};
use bitline_units::regmap::Register;

/// The header's path below the output folder.
pub const HEADER_PATH: &str = "software/bitline.h";
/// The driver's path below the output folder.
pub const DRIVER_PATH: &str = "software/bitline.c";

/// The compute unit.
pub const KIND: Kind = Kind {
    name: "compute-unit",
    summary: "the bit-serial array",
    ip: "bitline_compute_unit",
    title: "bitline compute unit",
    axi_module: "bl_compute_axi",
    prefix: "BITLINE",
    presets: || PRESETS.iter().map(|preset| (preset.name, preset.summary)).collect(),
    default_preset: "default",
    preset: |name| boxed(presets::preset(name)),
    load: |path| boxed(presets::load(path)),
    registers: REGISTERS,
    regions: &[Region { name: "registers", base: 0, bytes: 1 << ADDRESS_BITS }],
    limitations: LIMITATIONS,
    templates: &[
        (HEADER_PATH, include_str!("templates/software/bitline.h.tera")),
        (DRIVER_PATH, include_str!("templates/software/bitline.c.tera")),
        ("doc/registers.md", include_str!("templates/software/registers.md.tera")),
        ("doc/operations.md", include_str!("templates/software/operations.md.tera")),
        ("doc/registers.rdl", include_str!("templates/software/registers.rdl.tera")),
    ],
    targets: &[Target::Generic, Target::Verilator, Target::GenericAsic],
    samples: &[("tiny", "base = \"tiny\"\n"), ("axi", "base = \"tiny\"\nmemory_port = \"axi64\"\n")],
    cost: Cost {
        modules: &[
            "bl_compute_array",
            "bl_sequencer",
            "bl_compute_unit",
            "bl_memory_reader",
            "bl_memory_writer",
            "bl_memory_path",
            "bl_compute_top",
            "bl_stream_top",
            "bl_memory_top",
        ],
        options: &[],
        beside: "",
        table: &[
            costed("tiny", Target::Generic),
            costed("default", Target::Generic),
            // Its cells are no FPGA's: its rows are a macro.
            costed("paper", Target::GenericAsic),
        ],
    },
    // Array, sequencer and register block.
    proof: Proof { config: "base = \"tiny\"\n", modules: &["bl_compute_top"], keep: true },
};

const fn costed(name: &'static str, target: Target) -> Costed {
    Costed { name, config: "", target }
}

/// What users should know before they rely on it.
const LIMITATIONS: &[&str] = &[
    "One clock and one synchronous reset. Crossing to other clock domains is the surroundings' work.",
    "Rows, latches' start values apart, hold anything after power-up and after reset: write before you read.",
    "Elements have at most 64 bits, and all elements of a command the same width.",
    "A refused command changes nothing and is recorded, the first one since the record was cleared; commands after it \
     run.",
    "A command that is pushed into a full queue is dropped with error code `overflow`.",
    "The queue's commands cannot be taken back; a reset ends what runs and leaves its rows undefined.",
    "With a way to memory: incrementing bursts of whole beats, without identifiers; a hard reset may break one.",
    "There is neither parity nor ECC.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before \
     routing.",
];

/// How a kind of command uses a field.
#[derive(Serialize)]
struct Use {
    field: &'static str,
    doc: &'static str,
}

impl Unit for Params {
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
        design(self, Top::Registers)
    }

    fn reset_value(&self, register: &Register) -> u32 {
        reset_value(self, register)
    }

    fn describe(&self, context: &mut tera::Context) {
        context.insert("rows", &self.rows);
        context.insert("columns", &self.columns);
        context.insert("address_bits", &ADDRESS_BITS);
        context.insert("size", &format!("{:#x}", 1 << ADDRESS_BITS));
        context.insert("opcodes", &opcodes(self));
        context.insert("sets", &sets(self));
        context.insert("errors", &errors());
        context.insert("constants", &constants(self));
        context.insert("formats", &if self.float { formats() } else { Vec::new() });
        context.insert("modes", &modes());
        context.insert("operations", &reference::markdown(self));
        context.insert("cycles", &cycles(self));
        context.insert("stride_bits", &transfer::STRIDE_BITS);
        context.insert("transfers", &transfer::FIELDS.map(|(field, doc)| Use { field, doc }));
        context.insert("transfers_in_design", &!matches!(self.memory_port, MemoryPort::None));
        context.insert("stream", &matches!(self.memory_port, MemoryPort::Stream));
        context.insert("bus_bytes", &(self.memory_port.bus_bits() / 8));
        context.insert("widest", &transfer::widest(self));
    }

    /// A command of the design's first set: rows 0 to 7 and 8 to 15 into rows 16 to 23.
    fn scenario(&self) -> Scenario {
        let set = self.sets.first().copied().unwrap_or_default();
        let command = |opcode| Command { set, b: 8, d: 16, ..Command::new(opcode, 8) };
        let fits = |opcode: &Opcode| command(*opcode).check(self).is_ok();
        let opcode = [Opcode::Add, Opcode::Xor].into_iter().find(fits).unwrap_or(Opcode::Copy);
        let Command { width, a, b, d, .. } = command(opcode);
        Scenario {
            title: format!("{} of two vectors of 8-bit elements", opcode.name()),
            writes: vec![
                (REG_CONTROL, 1 << CONTROL_DONE_ENABLE_LSB | 1 << CONTROL_ERROR_ENABLE_LSB),
                (REG_COMMAND_AB, u32::from(a) << COMMAND_A_LSB | u32::from(b) << COMMAND_B_LSB),
                (REG_COMMAND_DE, u32::from(d) << COMMAND_D_LSB),
                (
                    REG_COMMAND,
                    (opcode.code() as u32) << COMMAND_OPCODE_LSB
                        | (set as u32) << COMMAND_SET_LSB
                        | u32::from(width) << COMMAND_WIDTH_LSB,
                ),
                (REG_PUSH, 1),
            ],
            drawn: 2,
            until: "irq",
            show: vec!["s_axil_awvalid", "s_axil_awaddr", "s_axil_wdata", "s_axil_bvalid", "busy", "tag_any", "irq"],
        }
    }

    fn manifest(&self, output: Output<'_>, files: &Files) -> String {
        manifest::manifest(self, output, files).text()
    }

    fn extra(&self, output: Output<'_>, files: &mut Files) -> Result<()> {
        vectors::files(self, output.seed, files)?;
        if output.target == Target::Verilator {
            verilator::files(self, output.netlist, files)?;
        }
        Ok(())
    }
}

fn opcodes(params: &Params) -> Vec<Named> {
    let operations = params.opcodes().into_iter().map(|o| named("OP", &o.mnemonic(), o.code(), ""));
    operations.chain(transfer::OPCODES.map(|(name, code, doc)| named("OP", name, code.into(), doc))).collect()
}

fn sets(params: &Params) -> Vec<Named> {
    let doc = |s: Set| if params.sets.contains(&s) { "in this design" } else { "not in this design" };
    Set::ALL.iter().map(|&s| named("SET", s.name(), s as u64, doc(s))).collect()
}

/// The two widths of a command for each format of floating point.
fn formats() -> Vec<Named> {
    let of = |format: Format| {
        let name = |width: &str| format!("{}_{width}", format.name);
        [named("FORMAT", &name("n"), format.n().into(), ""), named("FORMAT", &name("m"), format.m().into(), "")]
    };
    FORMATS.into_iter().flat_map(of).collect()
}

/// What the key of a floating-point command adds up.
fn modes() -> Vec<Named> {
    let round = |rounding: Rounding| {
        let (name, doc) = match rounding {
            Rounding::NearestEven => ("nearest", "to nearest, of two equally near ones to the even one"),
            Rounding::TowardZero => ("zero", "toward zero"),
            Rounding::Down => ("down", "toward negative infinity"),
            Rounding::Up => ("up", "toward positive infinity"),
        };
        named("ROUND", name, Mode { rounding, ..Mode::default() }.key(), doc)
    };
    let flushes = [
        ("operands", Mode { flush_operands: true, ..Mode::default() }, "subnormal operands count as zeros"),
        ("results", Mode { flush_results: true, ..Mode::default() }, "subnormal results become zeros"),
    ];
    let flushes = flushes.map(|(name, mode, doc)| named("FLUSH", name, mode.key(), doc));
    Rounding::ALL.into_iter().map(round).chain(flushes).collect()
}

fn errors() -> Vec<Named> {
    ErrorCode::ALL.iter().map(|e| named("ERR", e.name(), e.code(), e.description())).collect()
}

/// What the design answers in its identification registers, for software that wants to know at compile time.
fn constants(params: &Params) -> Vec<Named> {
    let fields = identification(params).into_iter().filter(|(register, ..)| *register != "status");
    fields.map(|(register, field, value)| named("DESIGN", &format!("{register}_{field}"), value.into(), "")).collect()
}
