//! The arguments of `sim`.

use std::path::PathBuf;

use bitline::isa::Set;
use bitline::params::{Memory, Sensing};
use bitline::sim::machine::Engine;
use bitline::sim::units::ccs::system as ccs_system;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::regress::RegressArgs;

/// Simulates the bit-serial compute array.
#[derive(Parser)]
#[command(version, about)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Action,
}

#[derive(Subcommand)]
pub enum Action {
    /// Run a program file (.bl or .toml) and print results and cycles
    Run(RunArgs),
    /// Measure every operation's cycles and compare them with formulas and targets
    Cycles(CyclesArgs),
    /// Race the native engine, with and without the model's check, against Verilator
    Bench(BenchArgs),
    /// Measure the Compute Cache's operations beside loops on a processor
    Cc(CcArgs),
    /// Check the cache compute system's commands on every simulator, and measure their cycles
    Ccs(CcsArgs),
    /// Measure the cache compute system's commands and applications beside C on a processor, under Verilator: minutes
    CcsSystem(CcsSystemArgs),
    /// Measure loads, an addition and stores: cycles of bus, transpose memory unit and array, and how they overlap
    Transfers(TransfersArgs),
    /// Print how cost grows with columns and arrays, as ./scripts/scaling.sh has measured it, and how many an XC7VX690T
    /// holds
    Scaling(ScalingArgs),
    /// Run campaigns with many seeds, on all cores, in shards or under Slurm, and report
    Regress(Box<RegressArgs>),
    /// Explain program files
    HelpFormat,
    /// List a preset's operations: meaning, widths, operands
    HelpOperations {
        /// The preset
        #[arg(long, default_value = "default")]
        preset: String,
    },
}

#[derive(Args)]
pub struct RunArgs {
    /// Program file
    pub file: PathBuf,
    /// Run on this preset instead of the program's design
    #[arg(long, conflicts_with = "config")]
    pub preset: Option<String>,
    /// Run on the design of a configuration file (TOML)
    #[arg(long)]
    pub config: Option<PathBuf>,
    /// Write result files below this folder instead of the program's
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write a wave of every cycle (.fst or .vcd)
    #[arg(long)]
    pub wave: Option<PathBuf>,
    /// Seed of what memories hold at power-up
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What runs the commands: model or native
    #[arg(long, default_value_t = Engine::DEFAULT)]
    pub engine: Engine,
}

#[derive(Args)]
pub struct ScalingArgs {
    /// Table of measurements (CSV)
    #[arg(default_value = "build/synth/scaling.csv")]
    pub table: PathBuf,
    /// Write a plot (.svg)
    #[arg(long)]
    pub plot: Option<PathBuf>,
}

#[derive(Args)]
pub struct TransfersArgs {
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
}

#[derive(Args)]
pub struct BenchArgs {
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// Designs to run
    #[arg(long, value_delimiter = ',', default_value = "default,tiny")]
    pub preset: Vec<String>,
    /// Cycles of one run; the checked run takes a tenth
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000))]
    pub cycles: u64,
    /// Runs of each simulator; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub runs: u64,
}

#[derive(Args)]
pub struct CcArgs {
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// Geometries: l3_slice, l2 or l1
    #[arg(long, value_delimiter = ',', default_value = "l3_slice")]
    pub geometry: Vec<String>,
    /// Block operations that may start in a cycle, instead of one in every bank
    #[arg(long)]
    pub issue: Option<usize>,
    /// Seed of the memory's contents
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Args)]
pub struct CcsArgs {
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// Geometry: vc709, small or tiny
    #[arg(long, default_value = "vc709")]
    pub geometry: String,
    /// Seed of the memory's contents
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Race the native engine against Verilator, too
    #[arg(long)]
    pub speed: bool,
}

#[derive(Args)]
pub struct CcsSystemArgs {
    /// Form of the tables
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// The processor's Verilog, which scripts/host-core.sh fetches
    #[arg(long, value_name = "FILE", default_value = ccs_system::CORE)]
    pub core: PathBuf,
    /// Also write tables, JSON and plots (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only 64 elements, without the matrix product in C
    #[arg(long)]
    pub quick: bool,
}

#[derive(Args)]
pub struct CyclesArgs {
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    pub op: Vec<String>,
    /// Only these widths (8, 16 and 32 unless given)
    #[arg(long, value_delimiter = ',')]
    pub width: Vec<u8>,
    /// Only these sensing modes (and_nor, two_port)
    #[arg(long, value_delimiter = ',', value_parser = sensing)]
    pub sensing: Vec<Sensing>,
    /// Only these memories (behavioural, block_ram)
    #[arg(long, value_delimiter = ',', value_parser = memory)]
    pub memory: Vec<Memory>,
    /// Only these sets (fast, skip, baseline)
    #[arg(long, value_delimiter = ',', value_parser = set)]
    pub set: Vec<Set>,
    /// Seed of the operands
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What runs the commands: model or native
    #[arg(long, default_value_t = Engine::DEFAULT)]
    pub engine: Engine,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Json,
    Md,
}

fn sensing(text: &str) -> std::result::Result<Sensing, String> {
    Sensing::ALL.into_iter().find(|s| s.name() == text).ok_or("must be and_nor or two_port".into())
}

fn memory(text: &str) -> std::result::Result<Memory, String> {
    Memory::ALL.into_iter().find(|m| m.name() == text).ok_or("must be behavioural or block_ram".into())
}

fn set(text: &str) -> std::result::Result<Set, String> {
    Set::ALL.into_iter().find(|s| s.name() == text).ok_or("must be fast, skip or baseline".into())
}
