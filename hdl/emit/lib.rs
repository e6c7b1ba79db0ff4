//! Netlist ─▶ files: Verilog, test vectors, tool scripts, software.
//!
//! Everything here works in memory and gives [`output::Files`]; only [`output`] touches the disk. What there is to
//! build is in the lists [`unit::UNITS`] and [`bitline_units::boards::BOARDS`]. Templates are part of the binary.

pub mod asic;
pub mod axi;
pub mod ccs;
pub mod compute_cache;
pub mod compute_unit;
pub mod cycles;
pub mod duality;
pub mod fpga;
pub mod generate;
pub mod list;
pub mod manifest;
pub mod output;
pub mod package;
pub mod pcie;
pub mod software;
pub mod system;
mod target;
pub mod unit;
pub mod vectors;
pub mod verilator;

pub use bitline_kernel::verilog;
use bitline_kernel::{self as kernel, error};
pub use target::Target;

use crate::kernel::macros;
use crate::kernel::netlist::Netlist;
use output::Files;
use verilog::Header;

/// The list of Verilog files, children before parents, as most tools take with `-f`.
pub const FILE_LIST: &str = "bitline.f";

/// Adds the Verilog of every module and gives the list of their paths, a line each, children first.
fn modules(netlist: &Netlist, header: &Header, files: &mut Files) -> String {
    let mut list = String::new();
    for (name, text) in verilog::emit(netlist, header) {
        let folder = if name.starts_with(macros::PREFIX) { asic::FOLDER } else { "rtl" };
        list += &format!("{folder}/{name}\n");
        files.add(format!("{folder}/{name}"), text);
    }
    list
}

/// A template filled in.
///
/// # Panics
/// If the template is wrong: templates are part of this crate, and tests fill in each of them.
fn render(template: &str, context: &tera::Context) -> String {
    tera::Tera::one_off(template, context, false).unwrap_or_else(|e| {
        let cause = std::error::Error::source(&e).map(ToString::to_string).unwrap_or_default();
        panic!("template: {e}: {cause}")
    })
}
