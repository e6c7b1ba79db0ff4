//! Simulated boards of every kind, and serving them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::double::Double;
use super::error::Result;
use super::simulated::{EnginePins, Simulated};
use super::wire::Wire;
use crate::engine::{Engine, engine};
use crate::error::{Error, Result as LibraryResult};
use crate::external::tool::cache_folder;
use crate::external::verilator::board::BoardFolder;
use crate::external::verilator::{Build, Verilated};
use crate::system::SystemParams;
use crate::system::blocks::system_top;

/// What runs a simulated board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedBy {
    /// The software double: no hardware at all.
    Model,
    /// The hardware on the native engine.
    Native,
    /// The hardware's Verilog under Verilator.
    Verilator,
}

impl SimulatedBy {
    /// Every kind.
    pub const ALL: [SimulatedBy; 3] = [SimulatedBy::Model, SimulatedBy::Native, SimulatedBy::Verilator];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SimulatedBy::Model => "model",
            SimulatedBy::Native => "native",
            SimulatedBy::Verilator => "verilator",
        }
    }
}

impl fmt::Display for SimulatedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SimulatedBy {
    type Err = Error;

    fn from_str(text: &str) -> LibraryResult<SimulatedBy> {
        let found = SimulatedBy::ALL.into_iter().find(|by| by.name() == text);
        found.ok_or_else(|| Error::parameter("engine", text, "must be model, native or verilator"))
    }
}

/// A board of these parameters.
///
/// # Errors
/// [`Error::Parameter`] if they break a rule; [`Error::Tool`] if a simulator is missing.
pub fn from_params(params: &SystemParams, by: SimulatedBy, seed: u64) -> Result<Box<dyn Wire>> {
    match by {
        SimulatedBy::Model => Ok(Box::new(Double::new(params, seed)?)),
        SimulatedBy::Native => {
            let netlist = system_top(params)?;
            let name = format!("simulated board {} on the native engine", params.name);
            let mut hardware = engine(&netlist);
            fill(&mut hardware, seed);
            Ok(Box::new(Simulated::new(EnginePins::new(hardware, &name)?, params)))
        }
        SimulatedBy::Verilator => {
            let netlist = system_top(params)?;
            let name = format!("simulated board {} under Verilator", params.name);
            let hardware = Verilated::build_with(&netlist, &cache_folder(), Build::Fast)?;
            Ok(Box::new(Simulated::new(EnginePins::new(hardware, &name)?, params)))
        }
    }
}

/// Memories hold anything at power-up.
fn fill(hardware: &mut impl Engine, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let memories: Vec<(usize, usize, u32)> = hardware
        .design()
        .memories
        .iter()
        .enumerate()
        .filter(|(_, memory)| memory.contents.is_none())
        .map(|(index, memory)| (index, memory.depth, memory.width))
        .collect();
    for (index, depth, width) in memories {
        for word in 0..depth {
            let mut limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
            if width % 64 != 0 {
                *limbs.last_mut().expect("a word has limbs") &= (1 << (width % 64)) - 1;
            }
            hardware.set_word(index, word, &limbs);
        }
    }
}

/// The whole board top in an output folder of `gen`, under Verilator, and what it was written for.
///
/// # Errors
/// As [`BoardFolder::read`] and [`BoardFolder::build`].
pub fn from_folder(folder: &Path) -> Result<(SystemParams, Box<dyn Wire>)> {
    let board = BoardFolder::read(folder)?;
    let pins = board.build(&cache_folder())?;
    let wire = Simulated::new(pins, &board.params);
    Ok((board.params, Box::new(wire)))
}

/// Serves a board on a pseudo-terminal until `stop`; `ready` hears its name.
///
/// # Errors
/// [`super::LinkError::Port`] if there is no pseudo-terminal.
#[cfg(unix)]
pub fn serve(
    wire: &mut dyn Wire,
    params: &SystemParams,
    ready: &mut dyn FnMut(&str) -> LibraryResult<()>,
    stop: &AtomicBool,
) -> Result<()> {
    let mut terminal = super::serve::PseudoTerminal::open()?;
    ready(&terminal.name())?;
    terminal.serve(wire, params.timeout_bits, stop)
}

/// There are no pseudo-terminals on this system.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn serve(
    _wire: &mut dyn Wire,
    _params: &SystemParams,
    _ready: &mut dyn FnMut(&str) -> LibraryResult<()>,
    _stop: &AtomicBool,
) -> Result<()> {
    let reason = "needs pseudo-terminals, which this system does not have".into();
    Err(Error::Tool { tool: "simulate".into(), reason }.into())
}
