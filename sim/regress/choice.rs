//! Engines by name, as a plan has them.

use std::path::Path;

use crate::emit::list::any_of;
use crate::engine::{Engine, Reference, engine};
use crate::error::{Error, Result};
use crate::external::icarus::Icarus;
use crate::external::tool::find;
use crate::external::verilator::{Build, Verilated};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::Netlist;

/// What a case can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Compiled to machine code.
    Native,
    /// Evaluated as the netlist's documentation reads: slow.
    Reference,
    /// The emitted Verilog under Verilator.
    Verilator,
    /// The emitted Verilog under Icarus: slow.
    Icarus,
}

impl Choice {
    /// All of them.
    pub const ALL: [Choice; 4] = [Choice::Native, Choice::Reference, Choice::Verilator, Choice::Icarus];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Native => "native",
            Choice::Reference => "reference",
            Choice::Verilator => "verilator",
            Choice::Icarus => "icarus",
        }
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn named(name: &str) -> Result<Choice> {
        Choice::ALL.into_iter().find(|choice| choice.name() == name).ok_or_else(|| {
            Error::parameter("engine", name, format!("must be {}", any_of(&Choice::ALL.map(Choice::name))))
        })
    }

    /// Cases do one part in so many of a campaign's usual size on it.
    pub fn share(self) -> u64 {
        match self {
            Choice::Native | Choice::Verilator => 1,
            Choice::Reference | Choice::Icarus => 10,
        }
    }

    /// The program that it needs.
    pub fn program(self) -> Option<&'static str> {
        match self {
            Choice::Native | Choice::Reference => None,
            Choice::Verilator => Some("verilator"),
            Choice::Icarus => Some("iverilog"),
        }
    }

    /// Looks for the program that it needs.
    ///
    /// # Errors
    /// [`Error::Tool`] if it is not installed.
    pub fn available(self) -> Result<()> {
        match self.program() {
            Some(program) if find(program).is_none() => {
                let reason = format!("is not installed, and the engine {} needs it", self.name());
                Err(Error::Tool { tool: program.into(), reason })
            }
            _ => Ok(()),
        }
    }

    /// A netlist on it. What simulators build goes to a folder below `folder`, or is found there. `open`: every net can
    /// be looked at, for models that follow the hardware.
    ///
    /// # Errors
    /// [`Error::Tool`] or [`Error::File`] if a simulator cannot be built.
    pub fn engine(self, netlist: &Netlist, open: bool, folder: &Path) -> Result<Box<dyn Engine>> {
        let build = if open { Build::Open } else { Build::State };
        Ok(match self {
            Choice::Native => Box::new(engine(netlist)),
            Choice::Reference => Box::new(Reference::new(Flat::new(netlist))),
            Choice::Verilator => Box::new(Verilated::build_with(netlist, folder, build)?),
            Choice::Icarus => Box::new(Icarus::build(netlist, folder)?),
        })
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
