//! The arguments of `host`, and the board that they name.

use std::path::PathBuf;
use std::time::Duration;

use bitline_kernel::error::Error;
use bitline_sim::data::element::{whole, within};
use bitline_sim::external::verilator::board::BoardFolder;
use bitline_sim::host_link::simulate::SimulatedBy;
use bitline_sim::host_link::{Board, Result, Transport, transport};
use bitline_units::system::SystemParams;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::host_duality::DualityLaunchArgs;

/// Talks to a board over its UART.
#[derive(Parser)]
#[command(version, about)]
pub struct Cli {
    #[command(flatten)]
    pub link: Link,
    #[command(subcommand)]
    pub command: Action,
}

/// Which board, and where: behind a command's own options.
#[derive(Args)]
#[command(next_help_heading = "Board")]
pub struct Link {
    /// Serial port, or the pseudo-terminal of a simulated board
    #[arg(long, global = true)]
    pub port: Option<String>,
    /// Output folder of gen that the board was made from; instead of the options below
    #[arg(long, global = true, value_name = "DIR", conflicts_with_all = ["preset", "config", "clock", "baud"])]
    pub folder: Option<PathBuf>,
    /// Preset that the board was made from
    #[arg(long, global = true, default_value = "vc709")]
    pub preset: String,
    /// Parameters from a TOML file, as gen takes it
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "preset")]
    pub config: Option<PathBuf>,
    /// Its clock in MHz [default: the preset's]
    #[arg(long, global = true, value_name = "MHZ", value_parser = whole::<u32>)]
    pub clock: Option<u32>,
    /// Bits a second on the line [default: the preset's]
    #[arg(long, global = true, value_parser = whole::<u32>)]
    pub baud: Option<u32>,
    /// How long to wait for an answer, in seconds; a simulated board may take minutes
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 2.0)]
    pub timeout: f64,
}

#[derive(Subcommand)]
pub enum Action {
    /// List serial ports
    Ports,
    /// Say what the board is, and its address map
    Info(Form),
    /// Test everything that the board can do, on random data
    SelfTest(SelfTestArgs),
    /// Write patterns to all memories and read them back
    MemoryTest(MemoryTestArgs),
    /// Measure bytes and requests a second
    Throughput(ThroughputArgs),
    /// Read words
    Read {
        /// Address: a number, or board, array, array-memory, duality, duality-memory, ccs-memory, ccs, with +OFFSET or
        /// without
        address: String,
        /// Words
        #[arg(default_value = "1")]
        count: String,
    },
    /// Write words to consecutive addresses
    Write {
        /// Address, as for read
        address: String,
        /// Words, decimal or with 0x
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Load a file's bytes into memory
    Load {
        /// Address, as for read
        address: String,
        /// The file
        file: PathBuf,
    },
    /// Store bytes of memory into a file
    Store {
        /// Address, as for read
        address: String,
        /// Bytes
        bytes: String,
        /// The file
        file: PathBuf,
    },
    /// Run a program file (.bl or .toml) on the board's array; see `sim help-format`
    Run {
        /// The program
        file: PathBuf,
        /// Write result files below this folder instead of the program's
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Run a command of the cache compute system on vectors in its memory
    Launch(LaunchArgs),
    /// Run a program of the Duality Cache on data from files
    DualityLaunch(DualityLaunchArgs),
    /// Serve a simulated board on a pseudo-terminal until this program is ended
    Simulate(SimulateArgs),
}

#[derive(Args)]
pub struct Form {
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args)]
pub struct SelfTestArgs {
    #[command(flatten)]
    pub form: Form,
    /// Each operation and command once, with few bytes: for simulated boards
    #[arg(long)]
    pub quick: bool,
    /// Print a line for everything tested
    #[arg(long)]
    pub details: bool,
    /// Seed of all data
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub seed: u64,
}

#[derive(Args)]
pub struct MemoryTestArgs {
    #[command(flatten)]
    pub form: Form,
    /// Bytes of each memory, from its beginning [default: all]
    #[arg(long, value_parser = |text: &str| within::<u64>(text, 4, u64::MAX.into()))]
    pub bytes: Option<u64>,
    /// Seed of the random pattern
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub seed: u64,
}

#[derive(Args)]
pub struct ThroughputArgs {
    #[command(flatten)]
    pub form: Form,
    /// Requests of 1 KiB each way
    #[arg(long, default_value_t = 100, value_parser = |text: &str| within::<u64>(text, 1, 1_000_000))]
    pub blocks: u64,
}

#[derive(Args)]
pub struct LaunchArgs {
    /// The command, such as ADDVV
    pub command: String,
    /// Elements that count
    #[arg(long)]
    pub length: String,
    /// Vector a: its place in the system's memory, in bytes
    #[arg(long, default_value = "0")]
    pub a: String,
    /// Vector b
    #[arg(long, default_value = "0")]
    pub b: String,
    /// The result
    #[arg(long, default_value = "0")]
    pub r: String,
    /// The constant; below 0 unless --unsigned
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    pub constant: String,
    /// From an element to the next that counts
    #[arg(long, default_value_t = 1, value_parser = whole::<u8>)]
    pub stride: u8,
    /// Elements have no sign
    #[arg(long)]
    pub unsigned: bool,
    /// A reduction's result goes to memory, too
    #[arg(long)]
    pub store: bool,
}

#[derive(Args)]
pub struct SimulateArgs {
    /// What runs the board: model, native or verilator
    #[arg(long, default_value_t = SimulatedBy::Native)]
    pub engine: SimulatedBy,
    /// Build from the files of this output folder of gen, with Verilator: the whole board top
    #[arg(long, value_name = "DIR")]
    pub rtl: Option<PathBuf>,
    /// Seed of what memories hold at power-up
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Json,
    Text,
}

impl Link {
    /// The board's parameters, as the user has told them.
    pub fn params(&self) -> Result<SystemParams> {
        if let Some(folder) = &self.folder {
            return Ok(BoardFolder::params(folder)?);
        }
        let preset = match &self.config {
            Some(path) => SystemParams::load(path)?,
            None => SystemParams::preset(&self.preset)?,
        };
        let params = SystemParams {
            clock_mhz: self.clock.unwrap_or(preset.clock_mhz),
            baud: self.baud.unwrap_or(preset.baud),
            ..preset
        };
        params.check()?;
        Ok(params)
    }

    pub fn patience(&self) -> Result<Duration> {
        let legal = (0.001..=1e6).contains(&self.timeout);
        let rule = "must be from 0.001 to 1000000 seconds";
        if legal {
            Ok(Duration::from_secs_f64(self.timeout))
        } else {
            Err(Error::parameter("timeout", self.timeout, rule).into())
        }
    }

    pub fn open(&self, params: &SystemParams) -> Result<Box<dyn Transport>> {
        let Some(port) = &self.port else {
            let found = transport::ports();
            let known = if found.is_empty() { "none".into() } else { found.join(", ") };
            return Err(
                Error::parameter("port", "", format!("must be given (--port); serial ports here: {known}")).into()
            );
        };
        Ok(Box::new(transport::serial(port, params.baud, self.patience()?)?))
    }

    pub fn connect(&self) -> Result<Board> {
        let params = self.params()?;
        Board::connect(self.open(&params)?, &params, self.patience()?)
    }
}
