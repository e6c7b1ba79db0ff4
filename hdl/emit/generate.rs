//! What `gen` does, without its arguments and its disk: look up and check what is asked for, elaborate, make every
//! file.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::list::any_of;
use crate::output::Files;
use crate::system::System;
use crate::unit::{self, Kind, Output, UNITS, Unit};
use crate::{Target, pcie};
use bitline_kernel::netlist::Netlist;
use bitline_units::boards::BOARDS;
use bitline_units::boards::board::Board;
use bitline_units::ccs::CcsGeometry;
use bitline_units::config_file::Keys;
use bitline_units::system::SystemParams;
use bitline_units::system::blocks::system_top;

/// Seed of the test vectors where none is given.
pub const DEFAULT_SEED: u64 = 1;

/// What is asked for, as the user writes it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Target.
    pub target: String,
    /// What to build, for targets that are no boards: the first of [`UNITS`] unless given.
    pub unit: Option<String>,
    /// Name of parameters.
    pub preset: Option<String>,
    /// File with parameters.
    pub config: Option<PathBuf>,
    /// A board's clock in MHz.
    pub clock: Option<u32>,
    /// A board's bits a second on the UART.
    pub baud: Option<u32>,
    /// Seed of the test vectors.
    pub seed: Option<u64>,
    /// For a board: a second project, behind PCI Express.
    pub pcie: bool,
}

/// An output folder in memory.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What it is, for messages.
    pub what: String,
    /// Where it goes unless the user says so.
    pub folder: PathBuf,
    /// Every file.
    pub files: Files,
    /// Number of Verilog modules of the design.
    pub modules: usize,
    /// Configuration hash as headers print it.
    pub hash: String,
}

/// Makes what is asked for.
///
/// # Errors
/// [`Error`] naming what is wrong with the request; nothing has been written.
pub fn generate(request: &Request) -> Result<Generated> {
    let target = Target::named(&request.target)?;
    match (&request.unit, target) {
        (None, Target::Board(board)) => system(request, board),
        (name, _) => alone(request, name.as_deref().map_or(Ok(UNITS[0]), Kind::named)?, target),
    }
}

/// A system for a board.
fn system(request: &Request, board: &Board) -> Result<Generated> {
    if let Some(seed) = request.seed {
        let rule = format!("must not be given with target {}, which has no test vectors", board.name);
        return Err(Error::parameter("seed", seed, rule));
    }
    if request.pcie {
        pcie::connector(board)?;
    }
    let mut params = match &request.config {
        Some(path) => SystemParams::load(path)?,
        None => SystemParams::preset(request.preset.as_deref().unwrap_or(board.preset))?,
    };
    // A file says what clock it wants; a preset does not know the board.
    let clock_mhz = if request.config.is_some() { None } else { board.design_mhz };
    params.clock_mhz = request.clock.or(clock_mhz).unwrap_or(params.clock_mhz);
    params.baud = request.baud.unwrap_or(params.baud);
    // What the arguments say is on no line of the file.
    let overridden = request.clock.is_some() || request.baud.is_some();
    params.check().map_err(|error| match &request.config {
        Some(path) if overridden => Error::file(path, error),
        Some(path) => {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            Keys::of(&text, &path.display().to_string()).placed(error)
        }
        None => error,
    })?;
    let behind = request.pcie.then(|| behind_pcie(&params)).transpose().map_err(|error| match &request.config {
        Some(path) => Error::file(path, error),
        None => error,
    })?;
    let units = behind.as_ref().map(|(compute, geometry, ccs)| pcie::Units { compute, geometry, ccs });
    let netlist = system_top(&params)?;
    let system = System { params: &params, netlist: &netlist, board, pcie: units };
    Ok(Generated {
        what: format!("{} for {}", params.name, board.name),
        folder: PathBuf::from("build").join(board.name),
        files: system.files()?,
        modules: netlist.modules.len(),
        hash: system.hash(),
    })
}

/// The units of a board's second project: compute unit, and cache compute system with its geometry.
fn behind_pcie(params: &SystemParams) -> Result<(Netlist, CcsGeometry, Netlist)> {
    let geometry = pcie::on_bus(params)?;
    let ccs = geometry.netlist()?;
    Ok((params.array.netlist()?, geometry, ccs))
}

/// Makes a unit, whatever the request calls it: units alone go to targets that are no boards.
///
/// # Errors
/// As [`generate`].
pub fn alone(request: &Request, kind: &Kind, target: Target) -> Result<Generated> {
    fits(request, kind, target)?;
    let unit = kind.make(request.preset.as_deref(), request.config.as_deref())?;
    let netlist = unit::netlist(&*unit, target)?;
    let output = Output { netlist: &netlist, target, seed: request.seed.unwrap_or(DEFAULT_SEED) };
    let folder = match target {
        _ if kind.name == UNITS[0].name => target.name().into(),
        Target::GenericAsic => format!("{}-asic", kind.name),
        _ => kind.name.into(),
    };
    Ok(Generated {
        what: format!("{} for {target}", unit.name()),
        folder: PathBuf::from("build").join(folder),
        files: unit::files(&*unit, output)?,
        modules: netlist.modules.len(),
        hash: unit::hash(&*unit),
    })
}

/// Units alone go to no board and know neither its clock nor its UART.
fn fits(request: &Request, kind: &Kind, target: Target) -> Result<()> {
    if !kind.targets.contains(&target) {
        let names: Vec<&str> = kind.targets.iter().map(|target| target.name()).collect();
        let mut rule = format!("must be {} for this unit ({})", any_of(&names), kind.name);
        if let Target::Board(_) = target {
            rule += ": a board's system holds array and cache compute system";
        }
        return Err(Error::parameter("target", target, rule));
    }
    let boards = |able: fn(&Board) -> bool| {
        BOARDS.iter().filter(|board| able(board)).map(|board| board.name).collect::<Vec<_>>().join(", ")
    };
    for (name, value) in [("clock", request.clock), ("baud", request.baud)] {
        if let Some(value) = value {
            return Err(Error::parameter(name, value, format!("is for boards alone: {}", boards(|_| true))));
        }
    }
    if request.pcie {
        let rule = format!("is for boards alone, with PCI Express: {}", boards(|board| board.pcie.is_some()));
        return Err(Error::parameter("pcie", "true", rule));
    }
    Ok(())
}
