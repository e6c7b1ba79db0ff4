//! What `gen` does, without its arguments and its disk: look up and check what is asked for, elaborate, make every file.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::output::Files;
use crate::system::System;
use crate::{Project, Target, compute_cache, pcie};
use bitline_kernel::macros::with_macros;
use bitline_kernel::netlist::Netlist;
use bitline_units::blocks::board::system_top;
use bitline_units::blocks::ccs::ccs_top;
use bitline_units::blocks::compute_cache::compute_cache_top;
use bitline_units::blocks::{Top, design};
use bitline_units::board::{BOARDS, Board};
use bitline_units::cache::{CACHE_PRESETS, CacheGeometry};
use bitline_units::ccs::{CCS_PRESETS, CcsGeometry};
use bitline_units::config_file::placed;
use bitline_units::presets::{self, PRESETS};
use bitline_units::system::{SYSTEM_PRESETS, SystemParams};

/// Seed of the test vectors where none is given.
pub const DEFAULT_SEED: u64 = 1;

/// What is asked for, as the user writes it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Target.
    pub target: String,
    /// What to build, for targets that are no boards: compute-unit unless given.
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
    if let (None, Some(target)) = (&request.unit, target.board()) {
        return board(request, target);
    }
    match request.unit.as_deref() {
        None | Some("compute-unit") => unit(request, target),
        Some("compute-cache") => cache(request, target),
        Some("ccs") => cache_compute_system(request, target),
        Some(other) => Err(Error::parameter("unit", other, "must be compute-unit, compute-cache or ccs")),
    }
}

/// A system for a board.
fn board(request: &Request, board: &Board) -> Result<Generated> {
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
        Some(path) => placed(&std::fs::read_to_string(path).unwrap_or_default(), &path.display().to_string(), error),
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
    let ccs = ccs_top(&geometry)?;
    Ok((design(&params.array, Top::Registers)?, geometry, ccs))
}

/// A compute unit with its registers.
fn unit(request: &Request, target: Target) -> Result<Generated> {
    for_generic(request, target, "compute-unit")?;
    let params = match &request.config {
        Some(path) => presets::load(path)?,
        None => presets::preset(request.preset.as_deref().unwrap_or("default"))?,
    };
    params.check()?;
    let netlist = for_target(design(&params, Top::Registers)?, target);
    let project = Project::new(&params, &netlist, request.seed.unwrap_or(DEFAULT_SEED));
    Ok(Generated {
        what: format!("{} for {target}", params.name),
        folder: PathBuf::from("build").join(target.name()),
        files: project.files(target)?,
        modules: netlist.modules.len(),
        hash: project.hash(),
    })
}

/// A compute cache.
fn cache(request: &Request, target: Target) -> Result<Generated> {
    for_generic(request, target, "compute-cache")?;
    let geometry = match &request.config {
        Some(path) => CacheGeometry::load(path)?,
        None => CacheGeometry::preset(request.preset.as_deref().unwrap_or("l2")).map_err(|e| e.about("preset"))?,
    };
    let netlist = for_target(compute_cache_top(&geometry)?, target);
    Ok(Generated {
        what: format!("{} for {target}", geometry.name),
        folder: unit_folder("compute-cache", target),
        files: compute_cache::files(&geometry, &netlist, target),
        modules: netlist.modules.len(),
        hash: compute_cache::hash(&geometry),
    })
}

/// A cache compute system.
fn cache_compute_system(request: &Request, target: Target) -> Result<Generated> {
    for_generic(request, target, "ccs")?;
    let geometry = match &request.config {
        Some(path) => CcsGeometry::load(path)?,
        None => CcsGeometry::preset(request.preset.as_deref().unwrap_or("vc709")).map_err(|e| e.about("preset"))?,
    };
    let netlist = for_target(ccs_top(&geometry)?, target);
    Ok(Generated {
        what: format!("{} for {target}", geometry.name),
        folder: unit_folder("ccs", target),
        files: crate::ccs::files(&geometry, &netlist, target),
        modules: netlist.modules.len(),
        hash: crate::ccs::hash(&geometry),
    })
}

/// The netlist as a target has it.
fn for_target(netlist: Netlist, target: Target) -> Netlist {
    if target == Target::GenericAsic { with_macros(&netlist) } else { netlist }
}

/// A unit's output folder unless the user says so.
fn unit_folder(unit: &str, target: Target) -> PathBuf {
    PathBuf::from("build").join(if target == Target::GenericAsic { format!("{unit}-asic") } else { unit.into() })
}

/// Units alone go to no board and know neither its clock nor its UART; only the compute unit has a bench.
fn for_generic(request: &Request, target: Target, unit: &str) -> Result<()> {
    let names = BOARDS.map(|board| board.name).join(", ");
    let rule = format!("is for boards alone: {names}");
    if target.board().is_some() {
        let rule = format!(
            "must be generic or generic-asic for this unit ({unit}): a board's system holds array and cache compute system"
        );
        return Err(Error::parameter("target", target, rule));
    }
    if unit != "compute-unit" && target == Target::Verilator {
        let rule = format!("must be generic or generic-asic for this unit ({unit})");
        return Err(Error::parameter("target", target, rule));
    }
    if let Some(clock) = request.clock {
        return Err(Error::parameter("clock", clock, rule));
    }
    if let Some(baud) = request.baud {
        return Err(Error::parameter("baud", baud, rule));
    }
    if request.pcie {
        let able: Vec<&str> = BOARDS.iter().filter(|board| board.pcie.is_some()).map(|board| board.name).collect();
        return Err(Error::parameter(
            "pcie",
            "true",
            format!("is for boards alone, with PCI Express: {}", able.join(", ")),
        ));
    }
    Ok(())
}

/// Targets, presets and geometries, for people to read.
pub fn list() -> String {
    let section = |title: &str, lines: Vec<(&str, &str)>| {
        let lines = lines.into_iter().map(|(name, summary)| format!("  {name:12} {summary}\n"));
        format!("{title}:\n{}", lines.collect::<String>())
    };
    section("targets", Target::ALL.map(|t| (t.name(), t.summary())).to_vec())
        + &section("presets", PRESETS.iter().map(|p| (p.name, p.summary)).collect())
        + &section("systems (boards)", SYSTEM_PRESETS.map(|p| (p.0, p.1)).to_vec())
        + &section("geometries (--unit compute-cache)", CACHE_PRESETS.iter().map(|p| (p.0, p.1)).collect())
        + &section("geometries (--unit ccs)", CCS_PRESETS.map(|p| (p.0, p.1)).to_vec())
}
