//! Software's side of a board system: headers, registers and guides of every unit on its bus, the protocol, diagrams,
//! known limitations.

use serde::Serialize;

use super::bench::context;
use crate::kernel::netlist::Netlist;
use crate::manifest::hexadecimal;
use crate::output::Files;
use crate::package;
use crate::software::{Named, RegisterView, add_register_parts, named, register_view};
use crate::unit::{self, Unit};
use crate::{ccs, compute_unit, duality, render};
use bitline_units::array::registers;
use bitline_units::ccs::registers as ccs_registers;
use bitline_units::duality::registers as duality_registers;
use bitline_units::system::SystemParams;
use bitline_units::system::protocol::{
    ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE, DUALITY_BASE, DUALITY_MEMORY_BASE, Status,
};
use bitline_units::system::registers::{ADDRESS_BITS, MAGIC, REGISTERS, reset_value};

const HEADER: &str = include_str!("../templates/board/bitline_board.h.tera");
const MAP: &str = include_str!("../templates/board/registers.md.tera");
const PROTOCOL: &str = include_str!("../templates/board/protocol.md.tera");
const RDL: &str = include_str!("../templates/board/registers.rdl.tera");

const BOARD_TITLE: &str = "bitline board system";

/// A unit on the board.
struct Part<'a> {
    /// Its folder.
    folder: &'static str,
    title: &'static str,
    /// Where its registers begin.
    base: u32,
    unit: &'a dyn Unit,
    /// The module with its registers.
    module: &'static str,
}

fn parts(params: &SystemParams) -> Vec<Part<'_>> {
    let mut parts = vec![
        Part {
            folder: "array",
            title: "bitline compute array",
            base: ARRAY_BASE,
            unit: &params.array,
            module: "bl_memory_top",
        },
        Part { folder: "ccs", title: ccs::KIND.title, base: CCS_BASE, unit: &params.ccs, module: "bl_ccs_on_chip" },
    ];
    parts.extend(params.duality.iter().map(|duality| Part {
        folder: "duality",
        title: duality::KIND.title,
        base: DUALITY_BASE,
        unit: &duality.unit,
        module: "bl_duality_top",
    }));
    parts
}

/// What users should know before they rely on it, beside what is known of the units.
const LIMITATIONS: &[&str] = &[
    "USB bridges of the CP210x family are specified for up to 1 or 2 Mbaud. Where the board's is one, and the default \
     of 3 Mbaud gives nothing but silence or wrong checksums, generate and talk with `--baud 1000000`.",
    "The host reaches the board over one UART, without flow control and with one request under way at a time: some \
     hundred kilobytes a second. PCIe, DDR3 and \
     Ethernet of the board are not used by it: `gen --pcie` writes a second project that uses the first two.",
    "A read of the cache compute system's `wait` over the UART holds the bus, and ends with status `slow` if the \
     command takes longer than the bus may.",
    "Array and cache compute system have a memory of their own each, on the chip; neither sees the other's.",
    "Buttons and switches are synchronised and not debounced.",
    "`make program` loads the FPGA over JTAG: after power-off the design is gone. There is no script for the board's \
     flash.",
    "Models of the primitives in `sim` are without delays, and their clock manager passes its input clock on: \
     simulations say nothing about clocks and timing.",
    "Vivado's scripts were run with stubbed commands and the Verilog through yosys, Verilator and Icarus. Nobody has \
     built this project with Vivado or run it on a board in \
     the project's own tests: utilisation, timing and power are for you to look at in `vivado/out`.",
];

/// What users of a Duality Cache should know besides.
const DUALITY_LIMITATIONS: &[&str] = &[
    "The Duality Cache of a board has a memory of its own, on the chip. It may be smaller than a DC-page: what lies \
     beyond its end is refused by the bus, and a launch that goes there is stopped.",
    "Its busy state and its interrupt are shown by the LED of the cache compute system; the interrupt goes nowhere \
     else.",
];

/// A status as documents and headers have it.
fn statuses() -> Vec<Named> {
    let doc = |status: Status| match status {
        Status::Ok => "all words were read or written",
        Status::Checksum => "a checksum is wrong; nothing was written",
        Status::Timeout => "the frame stopped in the middle; nothing was written",
        Status::Operation => "no such operation",
        Status::Count => "count is 0, or more than a frame may have",
        Status::Alignment => "the address is not a multiple of 4",
        Status::Bus => "the bus refused a word: there is nothing at its address, or what is there reports an error",
        Status::Slow => "the bus has not answered in time; until it has, every request ends so",
    };
    Status::ALL.iter().map(|&s| named("BOARD_STATUS", s.name(), s as u64, doc(s))).collect()
}

/// Part of the address space.
#[derive(Serialize)]
struct Addresses {
    constant: &'static str,
    base: String,
    bytes: u64,
    size: String,
    what: &'static str,
}

fn addresses(params: &SystemParams) -> Vec<Addresses> {
    let part = |constant, base: u32, bytes: u64, what| {
        let (base, size) = (format!("{base:#010x}"), format!("{bytes:#x}"));
        Addresses { constant, base, bytes, size, what }
    };
    let ccs_memory = (params.ccs_memory_lines * params.ccs.line_bytes()) as u64;
    let mut all = vec![
        part("BITLINE_BOARD_BASE", BOARD_BASE, 1 << ADDRESS_BITS, "[registers of the board](registers.md)"),
        part(
            "BITLINE_ARRAY_BASE",
            ARRAY_BASE,
            1 << registers::ADDRESS_BITS,
            "[registers of the array](../array/registers.md)",
        ),
        part(
            "BITLINE_ARRAY_MEMORY_BASE",
            ARRAY_MEMORY_BASE,
            8 * params.array_memory_words as u64,
            "the array's memory; its own bus sees it from 0",
        ),
        part(
            "BITLINE_CCS_MEMORY_BASE",
            CCS_MEMORY_BASE,
            ccs_memory,
            "the cache compute system's memory; it sees it from 0",
        ),
        part(
            "BITLINE_CCS_BASE",
            CCS_BASE,
            ccs_registers::SPAN,
            "[its registers](../ccs/registers.md), which it sees from 2^31",
        ),
    ];
    if let Some(duality) = &params.duality {
        all.extend([
            part(
                "BITLINE_DUALITY_BASE",
                DUALITY_BASE,
                1 << duality_registers::ADDRESS_BITS,
                "[registers of the Duality Cache](../duality/registers.md)",
            ),
            part(
                "BITLINE_DUALITY_MEMORY_BASE",
                DUALITY_MEMORY_BASE,
                8 * duality.memory_words as u64,
                "the Duality Cache's memory; its own bus sees it from 0",
            ),
        ]);
    }
    all
}

/// Adds headers, drivers and documents. Those of a unit go to a folder of this name.
pub(super) fn files(params: &SystemParams, netlist: &Netlist, files: &mut Files) {
    for Part { folder, title, base, unit, .. } in parts(params) {
        let page = package::page(unit::context(unit), title, base.into(), Some(&unit.scenario()));
        add(folder, &unit::software(unit), page, files);
    }
    let mut board = Files::default();
    let page = own(params, &mut board);
    add("board", &board, page, files);
    limitations(params, files);
    diagrams(params, netlist, files);
}

/// Adds what was made, documents in a folder of their own, with the page of the registers.
fn add(folder: &str, made: &Files, page: String, files: &mut Files) {
    for (path, text) in made.iter() {
        let path = path.strip_prefix("doc/").map_or_else(|| path.to_string(), |name| format!("doc/{folder}/{name}"));
        files.add(path, text);
    }
    files.add(format!("doc/{folder}/registers.html"), page);
}

/// The board's own files, and the page of its registers.
fn own(params: &SystemParams, files: &mut Files) -> String {
    let mut context = context(params);
    let registers: Vec<RegisterView> =
        REGISTERS.iter().map(|r| register_view("BITLINE_BOARD", r, reset_value(params, r))).collect();
    context.insert("registers", &registers);
    context.insert("statuses", &statuses());
    context.insert("addresses", &addresses(params));
    context.insert("board_base", &format!("{BOARD_BASE:#010x}"));
    context.insert("magic", &format!("{MAGIC:#010x}"));
    let page = package::page(context.clone(), BOARD_TITLE, BOARD_BASE.into(), None);
    add_register_parts(&mut context);
    files.add("software/bitline_board.h", render(HEADER, &context));
    files.add("doc/registers.md", render(MAP, &context));
    files.add("doc/registers.rdl", render(RDL, &context));
    files.add("doc/protocol.md", render(PROTOCOL, &context));
    page
}

fn limitations(params: &SystemParams, files: &mut Files) {
    let mut context = context(params);
    let mut all: Vec<&str> = [LIMITATIONS, compute_unit::KIND.limitations, ccs::KIND.limitations].concat();
    let mut title = "bitline board system, and the array and cache compute system in it";
    if params.duality.is_some() {
        all.extend([DUALITY_LIMITATIONS, duality::KIND.limitations].concat());
        title = "bitline board system, and the array, the cache compute system and the Duality Cache in it";
    }
    context.insert("title", title);
    context.insert("limitations", &all);
    files.add("doc/limitations.md", render(package::LIMITATIONS, &context));
}

/// Block diagrams of the system and of its units; timing diagrams of runs of the units.
fn diagrams(params: &SystemParams, netlist: &Netlist, files: &mut Files) {
    let origin = package::origin(&params.name, &hexadecimal(params.hash()));
    files.add("doc/board/block_diagram.svg", package::block_diagram(netlist, BOARD_TITLE, &origin));
    for Part { folder, title, unit, module, .. } in parts(params) {
        if let Some(found) = part(netlist, module) {
            package::add_diagrams(&format!("doc/{folder}/"), &found, title, &unit.scenario(), &origin, files);
        }
    }
}

/// A module of the system as a design of its own.
fn part(netlist: &Netlist, module: &str) -> Option<Netlist> {
    let at = netlist.modules.iter().position(|found| found.name == module)?;
    // Children come before parents: what is needed is before it.
    Some(Netlist { modules: netlist.modules[..=at].to_vec(), arms: vec![] })
}
