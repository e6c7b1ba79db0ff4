//! The board that `sim cuda` and `sim cuda-device` run kernels on.

use std::path::PathBuf;

use bitline_kernel::error::{Error, Result};
use bitline_sim::data::element::whole;
use bitline_sim::host_link::duality::BoardUnit;
use bitline_sim::units::duality::hardware::Hardware;
use bitline_units::duality::DualityParams;
use clap::{Args, ValueEnum};

use crate::cuda::Engine;
use crate::host_arguments::Link;

/// The control block that kernels are compiled for unless another is asked for.
const PRESET: &str = "cb";
/// The system on the board unless another is asked for.
const BOARD: &str = "duality";
/// Seconds that an answer may take.
const PATIENCE: f64 = 2.0;

#[derive(Args)]
#[command(next_help_heading = "Board")]
pub struct BoardArgs {
    /// On `board`: serial port, or the pseudo-terminal of a simulated board
    #[arg(long)]
    port: Option<String>,
    /// On `board`: preset or TOML file (.toml) that it was made from; duality unless given
    #[arg(long, value_name = "PRESET")]
    board: Option<String>,
    /// On `board`: output folder of gen that it was made from, in place of --board, --clock and --baud
    #[arg(long, value_name = "DIR", conflicts_with_all = ["board", "clock", "baud"])]
    folder: Option<PathBuf>,
    /// On `board`: its clock in MHz; the preset's unless given
    #[arg(long, value_name = "MHZ", value_parser = whole::<u32>)]
    clock: Option<u32>,
    /// On `board`: bits a second on its line; the preset's unless given
    #[arg(long, value_parser = whole::<u32>)]
    baud: Option<u32>,
    /// On `board`: how long to wait for an answer, in seconds; 2 unless given, a simulated board may take minutes
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
}

impl BoardArgs {
    fn link(&self) -> Link {
        let board = self.board.as_deref().unwrap_or(BOARD);
        let config = board.ends_with(".toml").then(|| board.into());
        Link {
            port: self.port.clone(),
            folder: self.folder.clone(),
            preset: board.into(),
            config,
            clock: self.clock,
            baud: self.baud,
            timeout: self.timeout.unwrap_or(PATIENCE),
        }
    }

    /// Whether nothing was said of it.
    fn is_default(&self) -> bool {
        let words = [self.port.is_some(), self.board.is_some(), self.folder.is_some()];
        !words.contains(&true) && self.clock.is_none() && self.baud.is_none() && self.timeout.is_none()
    }

    /// The board's control block.
    ///
    /// # Errors
    /// [`Error::Tool`] for what the line says; [`Error::Parameter`] if the board is none with a Duality Cache.
    pub fn hardware(&self) -> Result<Hardware> {
        let told = |error: bitline_sim::host_link::LinkError| {
            let advice: String = error.advice().iter().map(|line| format!("\n  try: {line}")).collect();
            match Error::from(error) {
                Error::Tool { tool, reason } => Error::Tool { tool, reason: reason + &advice },
                other => other,
            }
        };
        let board = self.link().connect().map_err(told)?;
        let unit = BoardUnit::new(board).map_err(told)?;
        Ok(Hardware::Board(Box::new(unit)))
    }

    /// The control block that kernels are compiled for: the board's on `board`, a preset's elsewhere.
    ///
    /// # Errors
    /// [`Error::Parameter`] for options that the engine does not have, and for presets that there are not.
    pub fn unit(&self, engine: Engine, preset: Option<&str>) -> Result<DualityParams> {
        if !matches!(engine, Engine::Board) {
            if !self.is_default() {
                let name = engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
                let rule = "--port, --board, --folder, --clock, --baud and --timeout are about board";
                return Err(Error::parameter("engine", name, rule));
            }
            return DualityParams::named(preset.unwrap_or(PRESET));
        }
        if let Some(preset) = preset {
            let rule = "the control block is the board's: --board names the board";
            return Err(Error::parameter("preset", preset, rule));
        }
        let system = self.link().params()?;
        let rule = "this board has no Duality Cache: take a preset with one, such as duality or duality-tiny";
        let none = || Error::parameter("board", &system.name, rule);
        system.duality.as_ref().map(|duality| duality.unit.clone()).ok_or_else(none)
    }
}
