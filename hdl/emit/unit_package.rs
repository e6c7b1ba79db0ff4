//! The compute unit's package: see [`super::package`].

use super::output::Files;
use super::package::{self, Package, Region, Scenario};
use super::{Project, axi, software};
use bitline_units::isa::{Command, Opcode};
use bitline_units::params::Params;
use bitline_units::registers::{
    ADDRESS_BITS, COMMAND_A_LSB, COMMAND_B_LSB, COMMAND_D_LSB, COMMAND_OPCODE_LSB, COMMAND_SET_LSB, COMMAND_WIDTH_LSB,
    CONTROL_DONE_ENABLE_LSB, CONTROL_ERROR_ENABLE_LSB, REG_COMMAND, REG_COMMAND_AB, REG_COMMAND_DE, REG_CONTROL,
    REG_PUSH,
};

/// What users should know before they rely on it.
pub(super) const LIMITATIONS: &[&str] = &[
    "One clock and one synchronous reset. Crossing to other clock domains is the surroundings' work.",
    "Rows, latches' start values apart, hold anything after power-up and after reset: write before you read.",
    "Elements have at most 64 bits, and all elements of a command the same width.",
    "A refused command changes nothing and is recorded, the first one since the record was cleared; commands after it run.",
    "A command that is pushed into a full queue is dropped with error code `overflow`.",
    "The queue's commands cannot be taken back; a reset ends what runs and leaves its rows undefined.",
    "With a way to memory: incrementing bursts of whole beats, without identifiers; a hard reset may break one.",
    "There is neither parity nor ECC.",
    "Never built with Vivado nor run in an FPGA by the project's own tests; clock figures are logic delays before routing.",
];

/// Adds the package; `list` has the Verilog files, the wrapper last.
pub(super) fn files(project: &Project, list: &str, files: &mut Files) {
    let package = Package {
        ip: "bitline_compute_unit",
        title: "bitline compute unit",
        module: axi::AXI_MODULE,
        netlist: project.netlist,
        sources: list.lines().collect(),
        regions: vec![Region::registers(0, 1 << ADDRESS_BITS)],
        scenario: scenario(project.params),
        limitations: LIMITATIONS,
        context: software::context(project),
    };
    package::files(package, files);
}

/// A command of the design's first set: rows 0 to 7 and 8 to 15 into rows 16 to 23.
pub(super) fn scenario(params: &Params) -> Scenario {
    let set = params.sets.first().copied().unwrap_or_default();
    let command = |opcode| Command { set, b: 8, d: 16, ..Command::new(opcode, 8) };
    let fits = |opcode: &Opcode| command(*opcode).check(params).is_ok();
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
