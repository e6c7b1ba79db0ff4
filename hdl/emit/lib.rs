//! Netlist ─▶ files: Verilog, test vectors, tool scripts, software.
//!
//! Everything here works on a [`Project`] in memory and gives [`output::Files`]; only [`output`] touches the disk. Templates are
//! part of the binary.

pub mod asic;
pub mod axi;
pub mod ccs;
pub mod compute_cache;
pub mod fpga;
pub mod generate;
pub mod manifest;
pub mod output;
pub mod package;
pub mod pcie;
pub mod software;
pub mod system;
pub mod unit;
mod unit_package;
pub mod vectors;
pub mod verilator;

pub use bitline_kernel::verilog;
use bitline_kernel::{self as kernel, error};
use std::fmt;

use crate::error::{Error, Result};
use crate::kernel::macros;
use crate::kernel::netlist::Netlist;
use bitline_units::board::{ARTY_A7, BOARDS, Board, ECP5_EVN, VC709};
use bitline_units::isa::microcode::Microcode;
use bitline_units::params::Params;
use bitline_units::registers::configuration_hash;
use manifest::{MANIFEST, hexadecimal, manifest};
use output::Files;
use verilog::Header;

/// The list of Verilog files, children before parents, as most tools take with `-f`.
pub const FILE_LIST: &str = "bitline.f";

/// What kind of output to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Verilog for any tool, test vectors, software.
    Generic,
    /// The same with a test bench for Verilator.
    Verilator,
    /// A system for the Xilinx VC709 board, with all that it takes to build it: see [`system`].
    Vc709,
    /// The same for the Digilent Arty A7.
    ArtyA7,
    /// The same for the Lattice ECP5 Evaluation Board.
    Ecp5Evn,
    /// As generic, with SRAM macros in the place of its RAMs: see [`asic`].
    GenericAsic,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 6] =
        [Target::Generic, Target::Verilator, Target::Vc709, Target::ArtyA7, Target::Ecp5Evn, Target::GenericAsic];

    /// Name on the command line and of the default output folder.
    pub fn name(self) -> &'static str {
        match self {
            Target::Generic => "generic",
            Target::Verilator => "verilator",
            Target::Vc709 => VC709.name,
            Target::ArtyA7 => ARTY_A7.name,
            Target::Ecp5Evn => ECP5_EVN.name,
            Target::GenericAsic => "generic-asic",
        }
    }

    /// One line that says what it writes.
    pub fn summary(self) -> &'static str {
        match self {
            Target::Generic => "Verilog, file list, C header, register map, test vectors",
            Target::Verilator => "the same with a test bench and a Makefile that replays the vectors",
            Target::Vc709 => {
                "a system for the Xilinx VC709: board top, constraints, Vivado scripts, simulation, software"
            }
            Target::ArtyA7 => "the same for the Digilent Arty A7 with the XC7A35T",
            Target::Ecp5Evn => "the same for the Lattice ECP5 Evaluation Board: yosys and nextpnr instead of Vivado",
            Target::GenericAsic => "as generic, RAMs as modules of their own, for the SRAM macros of a memory compiler",
        }
    }

    /// The board, of targets that are one.
    pub fn board(self) -> Option<&'static Board> {
        BOARDS.into_iter().find(|board| board.name == self.name())
    }

    /// The target of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn named(name: &str) -> Result<Target> {
        Target::ALL.into_iter().find(|t| t.name() == name).ok_or_else(|| {
            let names = Target::ALL.map(Target::name).join(", ");
            Error::parameter("target", name, format!("must be one of {names}"))
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A design ready to be written.
#[derive(Clone, Debug)]
pub struct Project<'a> {
    /// Parameters.
    pub params: &'a Params,
    /// The elaborated design.
    pub netlist: &'a Netlist,
    /// Contents of its sequencer's ROMs.
    pub code: Microcode,
    /// Seed of the test vectors.
    pub seed: u64,
}

impl<'a> Project<'a> {
    /// The project of a design.
    pub fn new(params: &'a Params, netlist: &'a Netlist, seed: u64) -> Project<'a> {
        Project { params, netlist, code: Microcode::assemble(params), seed }
    }

    /// The configuration hash as headers print it.
    pub fn hash(&self) -> String {
        hexadecimal(configuration_hash(self.params))
    }

    /// Names that every template may use.
    fn context(&self) -> tera::Context {
        let mut context = tera::Context::new();
        context.insert("version", env!("CARGO_PKG_VERSION"));
        context.insert("preset", &self.params.name);
        context.insert("hash", &self.hash());
        context.insert("rows", &self.params.rows);
        context.insert("columns", &self.params.columns);
        context.insert("file_list", FILE_LIST);
        context
    }

    /// Every file of a target, the manifest included.
    ///
    /// # Errors
    /// [`Error::Netlist`] if the design lacks ports that the target needs; [`Error::Parameter`] for a board, which takes a [`system::System`].
    pub fn files(&self, target: Target) -> Result<Files> {
        if target.board().is_some() {
            return Err(Error::parameter("target", target, "takes a board system, not a unit alone"));
        }
        let mut files = Files::default();
        let header = Header { preset: self.params.name.clone(), hash: self.hash() };
        let mut list = modules(self.netlist, &header, &mut files);
        if let Some(path) = axi::files(self, &mut files) {
            list += &format!("{path}\n");
            if target != Target::Verilator {
                unit_package::files(self, &list, &mut files);
            }
        }
        if target == Target::GenericAsic {
            asic::files(self.netlist, &list, &header, &mut files);
        }
        files.add(FILE_LIST, list);
        software::files(self, &mut files);
        vectors::files(self, &mut files)?;
        if target == Target::Verilator {
            verilator::files(self, &mut files)?;
        }
        let manifest = manifest(self, target, &files).text();
        files.add(MANIFEST, manifest);
        Ok(files)
    }
}

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
