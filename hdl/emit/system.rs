//! A board system's files: the FPGA's Verilog with all that its tools need, and the software's side of everything on
//! the bus.
//!
//! ```text
//!  rtl/, bitline.f        the system and the board top around it
//!  constraints/, vivado/  what Vivado needs; Makefile
//!  sim/                   models of primitives, a bench over the UART pins
//!  software/              headers and drivers of array, cache compute system, board
//!  doc/                   known limitations, and a folder for each unit with its registers
//!  pcie/                  if asked for: a second project, see [`super::pcie`]
//!  bitline.core           for FuseSoC
//! ```

mod bench;
mod documents;

use super::manifest::{self, MANIFEST, hexadecimal};
use super::output::Files;
use super::verilog::Header;
use super::{FILE_LIST, fpga, modules, pcie};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use bitline_units::boards::board::Board;
use bitline_units::system::SystemParams;

pub(super) use bench::context;

/// A board system ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    /// Parameters.
    pub params: &'a SystemParams,
    /// The elaborated system.
    pub netlist: &'a Netlist,
    /// The board.
    pub board: &'a Board,
    /// The units of a second project behind PCI Express, if there is to be one.
    pub pcie: Option<pcie::Units<'a>>,
}

impl System<'_> {
    /// The configuration hash as headers print it.
    pub fn hash(&self) -> String {
        hexadecimal(self.params.hash())
    }

    /// Every file, the manifest included.
    ///
    /// # Errors
    /// [`crate::error::Error::Netlist`] if the board has no pin for a port of the system;
    /// [`crate::error::Error::Parameter`] if its clock cannot be made exactly, or if it has no PCI Express and is to
    /// use it.
    pub fn files(&self) -> Result<Files> {
        let mut files = Files::default();
        let header = Header { preset: self.params.name.clone(), hash: self.hash() };
        let sources = modules(self.netlist, &header, &mut files).lines().map(String::from).collect();
        let mut context = context(self.params);
        context.insert("pcie", &self.pcie.is_some());
        if let Some(units) = self.pcie {
            pcie::files(self.params, self.board, units, context.clone(), &mut files)?;
        }
        let around = fpga::Around {
            top: self.netlist.top(),
            board: self.board,
            clock_mhz: self.params.clock_mhz,
            context,
            sources,
        };
        let list = fpga::files(around, &mut files)?;
        files.add(FILE_LIST, list.iter().map(|path| format!("{path}\n")).collect::<String>());
        documents::files(self.params, self.netlist, &mut files);
        let manifest = manifest::text(self.board.name, self.params.hash(), self.params, self.netlist, &files);
        files.add(MANIFEST, manifest);
        Ok(files)
    }
}
