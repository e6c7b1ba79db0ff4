//! What kind of output to write.

use std::fmt;

use crate::error::{Error, Result};
use bitline_units::boards::BOARDS;
use bitline_units::boards::board::Board;

/// What kind of output to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Verilog for any tool, test vectors, software.
    Generic,
    /// The same with a test bench for Verilator.
    Verilator,
    /// A system for a board, with all that it takes to build it: see [`crate::system`].
    Board(&'static Board),
    /// As generic, with SRAM macros in the place of its RAMs: see [`crate::asic`].
    GenericAsic,
}

impl Target {
    /// Every target.
    pub fn all() -> Vec<Target> {
        let boards = BOARDS.iter().map(|board| Target::Board(board));
        [Target::Generic, Target::Verilator].into_iter().chain(boards).chain([Target::GenericAsic]).collect()
    }

    /// Name on the command line and of the default output folder.
    pub fn name(self) -> &'static str {
        match self {
            Target::Generic => "generic",
            Target::Verilator => "verilator",
            Target::Board(board) => board.name,
            Target::GenericAsic => "generic-asic",
        }
    }

    /// One line that says what it writes.
    pub fn summary(self) -> String {
        match self {
            Target::Generic => "Verilog, file list, C header, register map, test vectors".into(),
            Target::Verilator => "the same with a test bench and a Makefile that replays the vectors".into(),
            Target::Board(board) => format!(
                "a system for the {}: board top, constraints, scripts for {}, simulation, software",
                board.title,
                board.family.tools()
            ),
            Target::GenericAsic => {
                "as generic, RAMs as modules of their own, for the SRAM macros of a memory compiler".into()
            }
        }
    }

    /// The target of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn named(name: &str) -> Result<Target> {
        let all = Target::all();
        all.iter().copied().find(|target| target.name() == name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|target| target.name()).collect();
            Error::parameter("target", name, format!("must be one of {}", names.join(", ")))
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
