//! A second project of a board with PCI Express: compute unit and cache compute system as Vivado IP, and a script that
//! makes a block design of them with XDMA and the memory controller for DDR3.
//!
//! ```text
//!  pcie/build.tcl, pcie.xdc    block design, pins
//!  pcie/bl_pcie_signals.v      interrupts, fan
//!  pcie/units/…                the units, as the target generic writes them
//!  pcie/bitline_pcie.h         addresses as a host sees them
//! ```
//!
//! Names of pins, parameters and address segments are those of the product guides PG195 (XDMA), UG586 (MIG), PG247
//! (SmartConnect), PG065 and PG164 (clock, reset); commands are those of UG835.

use serde::Serialize;

use super::manifest::MANIFEST;
use super::output::Files;
use super::unit::{self, Output, Unit};
use super::{Target, render};
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;
use bitline_units::array::registers::ADDRESS_BITS;
use bitline_units::boards::board::{Board, Family, Pcie, PinDirection, Signal};
use bitline_units::ccs::registers::BASE;
use bitline_units::ccs::{CcsGeometry, CcsMemory};
use bitline_units::system::SystemParams;

const TEMPLATES: [(&str, &str); 5] = [
    ("pcie/build.tcl", include_str!("templates/pcie/build.tcl.tera")),
    ("pcie/pcie.xdc", include_str!("templates/pcie/pcie.xdc.tera")),
    ("pcie/bl_pcie_signals.v", include_str!("templates/pcie/bl_pcie_signals.v.tera")),
    ("pcie/bitline_pcie.h", include_str!("templates/pcie/bitline_pcie.h.tera")),
    ("pcie/README.md", include_str!("templates/pcie/README.md.tera")),
];

/// Bytes of registers that a host sees.
const WINDOW: u64 = 1 << 20;
/// The compute unit's place among them; the cache compute system is at their beginning, for it knows its registers by
/// an address bit.
const COMPUTE_OFFSET: u64 = 0x1000;

/// The units for the bus: see [`on_bus`].
#[derive(Clone, Copy, Debug)]
pub struct Units<'a> {
    /// The compute unit with its registers.
    pub compute: &'a Netlist,
    /// The cache compute system's geometry.
    pub geometry: &'a CcsGeometry,
    /// The cache compute system.
    pub ccs: &'a Netlist,
}

/// A system's cache compute system with the widest AXI4 master that its lines allow.
///
/// # Errors
/// [`Error::Parameter`] if they are narrower than any.
pub fn on_bus(params: &SystemParams) -> Result<CcsGeometry> {
    let line = 8 * params.ccs.line_bytes();
    let fits = |memory: &CcsMemory| (1..=line).contains(&memory.bus_bits());
    let memory = CcsMemory::ALL.into_iter().filter(fits).max_by_key(|memory| memory.bus_bits());
    let rule =
        || format!("must be at least {} with pcie: a line is no narrower than its bus", CcsMemory::Axi128.bus_bits());
    let memory = memory.ok_or_else(|| Error::parameter("lanes * element_bits", line, rule()))?;
    Ok(CcsGeometry { memory, ..params.ccs.clone() })
}

/// The board's connector.
///
/// # Errors
/// [`Error::Parameter`] if it has none.
pub fn connector(board: &Board) -> Result<&Pcie> {
    let rule = || format!("must not be given with target {}, which has no PCI Express connector", board.name);
    board.pcie.as_ref().ok_or_else(|| Error::parameter("pcie", "true", rule()))
}

/// A port as the constraints have it.
#[derive(Serialize)]
struct Port {
    name: &'static str,
    pin: &'static str,
    input: bool,
    pull_up: bool,
    standard: &'static str,
    drive: Option<(&'static str, u32)>,
    doc: &'static str,
}

fn port(name: &'static str, signal: &Signal, bit: usize) -> Port {
    Port {
        name,
        pin: signal.pins[bit],
        input: signal.direction == PinDirection::Input,
        pull_up: false,
        standard: signal.standard,
        drive: signal.drive,
        doc: signal.doc,
    }
}

/// Adds the project. `context` has what headers say.
///
/// # Errors
/// [`Error::Parameter`] if the board has no PCI Express; [`Error::Netlist`] if a unit lacks ports.
pub(super) fn files(
    params: &SystemParams,
    board: &Board,
    units: Units<'_>,
    mut context: tera::Context,
    files: &mut Files,
) -> Result<()> {
    let pcie = connector(board)?;
    let parts: [(&str, &dyn Unit, &Netlist); 2] =
        [("compute_unit", &params.array, units.compute), ("ccs", units.geometry, units.ccs)];
    for (unit, parameters, netlist) in parts {
        let made = unit::files(parameters, Output { netlist, target: Target::Generic, seed: 0 })?;
        for (path, text) in made.iter().filter(|(path, _)| *path != MANIFEST && !path.starts_with("vectors/")) {
            files.add(format!("pcie/units/{unit}/{path}"), text);
        }
    }
    let signal = |port_name: &'static str, name: &str, bit: usize| board.signal(name).map(|s| port(port_name, s, bit));
    let ports: Vec<Port> = [
        Some(Port { pull_up: true, ..port(pcie.reset.name, &pcie.reset, 0) }),
        Some(port(board.reset.name, &board.reset, 0)),
        signal("fan_pwm", "fan_pwm", 0),
        signal("led_link", "led", 0),
        signal("led_memory", "led", 1),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Family::Xilinx7 { cfgbvs, config_voltage, .. } = board.family {
        context.insert("cfgbvs", cfgbvs);
        context.insert("config_voltage", config_voltage);
    }
    context.insert("board", board.name);
    context.insert("part", board.part);
    context.insert("board_part", pcie.board_part);
    context.insert("block", pcie.block);
    context.insert("lanes", &pcie.lanes);
    context.insert("speed", pcie.speed);
    context.insert("clock_pins", &pcie.clock_pins);
    context.insert("memory", pcie.memory);
    context.insert("memory_bytes", &pcie.memory_bytes);
    context.insert("memory_gib", &(pcie.memory_bytes >> 30));
    context.insert("ccs_memory_bytes", &pcie.memory_bytes.min(BASE));
    context.insert("reset_name", board.reset.name);
    context.insert("reset_low", &board.reset.low);
    context.insert("ports", &ports);
    context.insert("core_mhz", &params.clock_mhz);
    context.insert("array", &params.array.name);
    context.insert("ccs", &params.ccs.name);
    context.insert("ccs_bus", &units.geometry.memory.bus_bits());
    context.insert("window", &format!("{BASE:#010x}"));
    context.insert("window_mib", &(WINDOW >> 20));
    context.insert("window_bytes", &format!("{WINDOW:#x}"));
    context.insert("ccs_base", &format!("{BASE:#010x}"));
    context.insert("ccs_offset", "0x0");
    context.insert("compute_base", &format!("{:#010x}", BASE + COMPUTE_OFFSET));
    context.insert("compute_bytes", &(1u64 << ADDRESS_BITS));
    context.insert("compute_offset", &format!("{COMPUTE_OFFSET:#x}"));
    for (path, template) in TEMPLATES {
        files.add(path, render(template, &context));
    }
    Ok(())
}
