//! The arguments of `sim`.

use std::path::PathBuf;

use bitline_sim::bench::DESIGNS;
use bitline_sim::cycle_table::Data;
use bitline_sim::data::element::{whole, within};
use bitline_sim::machine::Engine;
use bitline_sim::units::ccs::system as ccs_system;
use bitline_units::array::isa::Set;
use bitline_units::array::params::{Memory, Sensing};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::coverage::CoverageArgs;
use crate::cuda::CudaArgs;
use crate::cuda_device::DeviceArgs;
use crate::cuda_figures::FiguresArgs;
use crate::duality::{AsmArgs, DisasmArgs, DualityArgs};
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
    /// Run kernels on the Duality Cache's control block by its interpreter, and count the words executed by kind
    Duality(DualityArgs),
    /// Assemble a program of the control block (.dcs) into a program file (.dcp)
    DualityAsm(AsmArgs),
    /// Print a program file of the control block (.dcp) as assembler text
    DualityDisasm(DisasmArgs),
    /// Measure loads, an addition and stores: cycles of bus, transpose memory unit and array, and how they overlap
    Transfers(TransfersArgs),
    /// Print how cost grows with columns and arrays, as ./scripts/scaling.sh has measured it, and how many an XC7VX690T
    /// holds
    Scaling(ScalingArgs),
    /// Run campaigns with many seeds, on all cores, in shards or under Slurm, and report
    Regress(Box<RegressArgs>),
    /// Run campaigns and tell which bits, branches and states of a design they cover
    Coverage(CoverageArgs),
    /// Run a kernel in CUDA C++, OpenCL C or PTX: thread by thread, as words, or on hardware
    Cuda(Box<CudaArgs>),
    /// Print Figures 6 to 14 of Duality Cache for CUDA programs, by the model of the system, beside this machine's CPU
    CudaReport(FiguresArgs),
    /// Be the device of a CUDA program with host code, over standard input and output (scripts/cu starts it)
    CudaDevice(DeviceArgs),
    /// Explain program files
    HelpFormat,
    /// List the words of the Duality Cache's control block: fields, codes, traps
    HelpDuality,
    /// List a design's operations: meaning, widths, operands
    HelpOperations {
        /// The preset
        #[arg(long, default_value = "default", conflicts_with = "config")]
        preset: String,
        /// A configuration file instead
        #[arg(long)]
        config: Option<PathBuf>,
    },
}

#[derive(Args)]
pub struct RunArgs {
    /// Program file; - is the standard input
    pub file: PathBuf,
    /// Form of the report; it goes to the standard error where the program stores a result to -
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Run on this preset instead of the program's design
    #[arg(long, conflicts_with = "config")]
    pub preset: Option<String>,
    /// Run on the design of a configuration file (TOML)
    #[arg(long)]
    pub config: Option<PathBuf>,
    /// Write result files below this folder instead of the program's
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write a wave of every cycle (.fst or .vcd): clock, command, sequencer, latches, rows of the program's vectors
    #[arg(long)]
    pub wave: Option<PathBuf>,
    /// With --wave: only from this cycle on
    #[arg(long, value_name = "CYCLE", requires = "wave")]
    pub wave_from: Option<u64>,
    /// With --wave: only up to this cycle
    #[arg(long, value_name = "CYCLE", requires = "wave")]
    pub wave_to: Option<u64>,
    /// With --wave: only the last so many cycles, and only if the run fails
    #[arg(long, value_name = "CYCLES", requires = "wave", conflicts_with_all = ["wave_from", "wave_to"],
        value_parser = |text: &str| within::<u64>(text, 1, 10_000_000))]
    pub wave_last: Option<u64>,
    /// With --wave: every row of the array, too
    #[arg(long, requires = "wave")]
    pub all_rows: bool,
    /// Seed of what memories hold at power-up
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
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
    /// Designs to run: default, tiny, paper, ccs-unit, ccs-system, board
    #[arg(long, value_delimiter = ',', default_values = DESIGNS)]
    pub design: Vec<String>,
    /// Leave Verilator out, which takes a minute or two to build a large design
    #[arg(long)]
    pub native_only: bool,
    /// Run so many data sets in a batch, too: one stream of commands for all of them. Only arrays have batches
    #[arg(long, value_name = "SETS", value_parser = |text: &str| within::<u64>(text, 1, 1024))]
    pub batch: Option<u64>,
    /// Write waves of everything in lock step, too, and say what they cost. Only arrays have waves
    #[arg(long)]
    pub trace: bool,
    /// Instead: how the native engine's time grows from 1 to 64 arrays, and from 8 to 128 lanes
    #[arg(long, conflicts_with_all = ["design", "native_only", "batch", "trace"])]
    pub growth: bool,
    /// Write a plot (.svg)
    #[arg(long)]
    pub plot: Option<PathBuf>,
    /// Cycles of one run of an array; larger designs and checked runs take a part of them
    #[arg(long, default_value_t = 2_000_000, value_parser = |text: &str| within::<u64>(text, 1000, 1_000_000_000))]
    pub cycles: u64,
    /// Runs of each simulator; the median counts
    #[arg(long, default_value_t = 5, value_parser = |text: &str| within::<u64>(text, 1, 1000))]
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
    #[arg(long, value_parser = issue)]
    pub issue: Option<usize>,
    /// Seed of the memory's contents
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
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
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    pub seed: u64,
}

#[derive(Args)]
pub struct CcsSystemArgs {
    /// Form of the tables
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// PicoRV32's Verilog, which scripts/host-core.sh fetches
    #[arg(long, value_name = "FILE", default_value = ccs_system::CORE)]
    pub core: PathBuf,
    /// VexRiscv's Verilog, likewise; without it an ideal core takes its place
    #[arg(long, value_name = "FILE", default_value = ccs_system::PIPELINED_CORE)]
    pub pipelined: PathBuf,
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
    /// The table of the manual: groups of operations at 8, 16 and 32 bits, on the hardware of `default` and `paper`
    #[arg(long, conflicts_with_all = ["format", "op", "width", "sensing", "memory", "set", "data", "radix"])]
    pub summary: bool,
    /// Operations with micro-programs of their own with radix 4, both radices beside each other
    #[arg(long, conflicts_with_all = ["summary", "format", "op", "sensing", "memory", "set", "data", "radix"])]
    pub radices: bool,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    pub op: Vec<String>,
    /// Only these widths (8, 16 and 32 unless given)
    #[arg(long, value_delimiter = ',', value_parser = whole::<u8>)]
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
    /// What columns hold: worst (nothing can be skipped), near (floating-point numbers with close exponents), uniform
    #[arg(long, default_value = "worst", value_parser = data)]
    pub data: Data,
    /// Only columns of this radix (2, 4)
    #[arg(long, value_delimiter = ',', value_parser = radix)]
    pub radix: Vec<u8>,
    /// Floating point to nearest with subnormal numbers flushed, where that has micro-programs of its own
    #[arg(long, conflicts_with_all = ["summary", "radices"])]
    pub flushed: bool,
    /// On designs whose floating-point operations report exceptions, those that do
    #[arg(long, conflicts_with_all = ["summary", "radices", "flushed"])]
    pub exception_flags: bool,
    /// Seed of the operands
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
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

/// Form of the report of a run.
#[derive(Clone, Copy, ValueEnum)]
pub enum ReportFormat {
    Json,
    Text,
}

fn issue(text: &str) -> std::result::Result<usize, String> {
    whole::<u32>(text).map(|number| number as usize)
}

fn sensing(text: &str) -> std::result::Result<Sensing, String> {
    Sensing::ALL.into_iter().find(|s| s.name() == text).ok_or("must be and_nor or two_port".into())
}

fn data(text: &str) -> std::result::Result<Data, String> {
    Data::ALL.into_iter().find(|kind| kind.0 == text).map(|kind| kind.1).ok_or("must be worst, near or uniform".into())
}

fn radix(text: &str) -> std::result::Result<u8, String> {
    [2, 4].into_iter().find(|radix| radix.to_string() == text).ok_or("must be 2 or 4".into())
}

fn memory(text: &str) -> std::result::Result<Memory, String> {
    Memory::ALL.into_iter().find(|m| m.name() == text).ok_or("must be behavioural or block_ram".into())
}

fn set(text: &str) -> std::result::Result<Set, String> {
    Set::ALL.into_iter().find(|s| s.name() == text).ok_or("must be fast, skip or baseline".into())
}
