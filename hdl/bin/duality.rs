//! `sim duality`, `sim duality-asm`, `sim duality-disasm`: kernels of the control block, its assembler and its
//! disassembler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::{Error, Result, visible};
use bitline_kernel::input::TEXT_BYTES;
use bitline_sim::data::element::whole;
use bitline_sim::data::output::{self, print, write_files};
use bitline_sim::data::source::{self, STANDARD};
use bitline_sim::units::duality::figures;
use bitline_sim::units::duality::hardware::Hardware;
use bitline_sim::units::duality::machine::Mode;
use bitline_sim::units::duality::memory_side::Timing;
use bitline_sim::units::duality::system::{self, SystemMachine};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::assemble::assemble;
use bitline_units::duality::isa::disassemble::disassemble;
use bitline_units::duality::isa::{Program, reference};
use clap::{Args, ValueEnum};

use crate::sim_arguments::Format;

/// Options that an engine without hardware does not have.
pub const OF_HARDWARE: &str = "--mode and --latency are about rtl, unit and system, --port-a-bank about rtl, --blocks, \
    --slices, --ways and --memory about system, --compare about rtl";

#[derive(Args)]
pub struct DualityArgs {
    /// Kernel: vecadd, pathfinder, bfs, histogram, nn, gaussian, backprop, hotspot, matmul, or all
    #[arg(long)]
    kernel: String,
    /// What runs it
    #[arg(long, value_enum, default_value_t = Engine::Interpreter)]
    engine: Engine,
    /// How words leave the dispatcher, on `rtl`, `unit` and `system`: without this in both ways
    #[arg(long, value_enum)]
    mode: Option<WordMode>,
    #[command(flatten)]
    way: WayArgs,
    /// On `unit`: ways become caches and control blocks again while kernels run, at random times of this seed, and a
    /// processor reads and writes words through them
    #[arg(long, value_name = "SEED", value_parser = whole::<u64>)]
    modes: Option<u64>,
    /// Control block: preset (tiny, pair, small, cb or slice) or TOML file (.toml)
    #[arg(long, default_value = "cb")]
    preset: String,
    /// Seed of the data, and of what rows hold at power-up
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    seed: u64,
    /// Form of the table
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
}

/// The way to memory.
#[derive(Args)]
pub struct WayArgs {
    /// On `rtl`: every bank has a port to memory, in place of one for all banks
    #[arg(long)]
    port_a_bank: bool,
    /// On `rtl`: when registers and rows are compared with the model's; outputs are in every cycle. In every cycle
    /// unless given
    #[arg(long, value_enum)]
    compare: Option<Compared>,
    /// Cycles that memory takes, 0 to 10000: on `rtl` from the last address of a word to its first data, on `unit` and
    /// on the bus of `system` from a burst's address to its first beat
    #[arg(long, value_name = "CYCLES", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    latency: u64,
    /// On `system`: control blocks in place of those of the preset, 1 to 1120
    #[arg(long, value_name = "COUNT")]
    blocks: Option<usize>,
    /// On `system`: slices, each with cache ways and a port of its own, 1 to 56; 1 unless given
    #[arg(long, value_name = "COUNT")]
    slices: Option<usize>,
    /// On `system`: ways of a slice that serve as a cache, 1 to 20; those of the preset that are no control blocks
    /// unless given
    #[arg(long, value_name = "COUNT")]
    ways: Option<usize>,
    /// On `system`: what is behind the cache ways: bus (the unit's, 8 bytes a cycle), ddr4 or gddr5
    #[arg(long, value_name = "NAME")]
    memory: Option<String>,
}

impl WayArgs {
    /// Whether every bank has a port to memory.
    pub fn port_a_bank(&self) -> bool {
        self.port_a_bank
    }

    /// What it takes.
    fn timing(&self) -> Timing {
        Timing { port_a_bank: self.port_a_bank, latency: self.latency }
    }

    /// The whole unit with it.
    pub fn unit(&self, params: &DualityParams, seed: u64) -> Result<Hardware> {
        self.one_port("unit")?;
        self.no_system("unit")?;
        Hardware::unit(params, seed, self.latency)
    }

    /// The control block with it.
    pub fn block(&self, params: &DualityParams, seed: u64) -> Result<Hardware> {
        self.no_system("rtl")?;
        let mut hardware = Hardware::block(params, seed, self.timing())?;
        hardware.compare_every_cycle(self.compare != Some(Compared::Wave));
        Ok(hardware)
    }

    /// The model of the system with it.
    pub fn system(&self, params: &DualityParams, seed: u64) -> Result<Hardware> {
        self.one_port("system")?;
        let name = self.memory.as_deref().unwrap_or("bus");
        if name != "bus" && self.latency != 0 {
            return Err(Error::parameter("latency", self.latency, format!("is about the bus: {name} has its own")));
        }
        let memory = system::memory(name, self.latency)?;
        let counts = [self.blocks.unwrap_or(params.blocks), self.slices.unwrap_or(1)];
        SystemMachine::new(params, counts, self.ways, memory, seed).map(Hardware::System)
    }

    fn one_port(&self, engine: &str) -> Result<()> {
        let rule = "--port-a-bank is about rtl: the unit has one for all banks";
        if self.port_a_bank {
            return Err(Error::parameter("engine", engine, rule));
        }
        let rule = "--compare is about rtl: other engines compare what they compare";
        if self.compare.is_some() { Err(Error::parameter("engine", engine, rule)) } else { Ok(()) }
    }

    fn no_system(&self, engine: &str) -> Result<()> {
        let counts = [self.blocks, self.slices, self.ways];
        let plain = counts.iter().all(Option::is_none) && self.memory.is_none();
        let rule = "--blocks, --slices, --ways and --memory are about system: hardware has what its preset says";
        if plain { Ok(()) } else { Err(Error::parameter("engine", engine, rule)) }
    }

    /// Whether nothing was said of it.
    pub fn is_default(&self) -> bool {
        !self.port_a_bank && self.compare.is_none() && self.latency == 0 && self.no_system("").is_ok()
    }
}

#[derive(Args)]
pub struct AsmArgs {
    /// Assembler text (.dcs); - is the standard input
    file: PathBuf,
    /// Program file (.dcp) to write; - is the standard output. Without it the program is checked only
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Control block that it is for: preset or TOML file (.toml)
    #[arg(long, default_value = "cb")]
    preset: String,
}

#[derive(Args)]
pub struct DisasmArgs {
    /// Program file (.dcp); - is the standard input
    file: PathBuf,
    /// Assembler text (.dcs) to write
    #[arg(long, value_name = "FILE", default_value = STANDARD)]
    out: PathBuf,
    /// Control block that it is for: preset or TOML file (.toml)
    #[arg(long, default_value = "cb")]
    preset: String,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Engine {
    /// Thread by thread, on plain integers and numbers; it knows no cycles
    Interpreter,
    /// The control block's hardware, compared with its model in every cycle; what is behind its port to memory is
    /// software
    Rtl,
    /// The whole unit, launched by its registers: memory unit and cache ways are hardware, too, and memory is behind
    /// their bus
    Unit,
    /// A model that counts words in place of cycles, of as many control blocks as wanted; docs/duality.md says how far
    /// it is from the unit
    System,
}

/// When everything is compared.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Compared {
    /// In every cycle
    Cycle,
    /// Behind each wave of threads, which is faster
    Wave,
}

/// How words leave the dispatcher.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum WordMode {
    /// In bundles that start when the last has ended, as in the paper
    Lockstep,
    /// As far ahead as the windows can
    Decoupled,
}

impl From<WordMode> for Mode {
    fn from(mode: WordMode) -> Mode {
        match mode {
            WordMode::Lockstep => Mode::Lockstep,
            WordMode::Decoupled => Mode::Decoupled,
        }
    }
}

/// Runs kernels. The exit status is 1 if memory is not what plain Rust computes.
pub fn run(args: &DualityArgs) -> Result<ExitCode> {
    let params = DualityParams::named(&args.preset)?;
    let kernels = figures::named(&args.kernel)?;
    if args.engine == Engine::Interpreter && (args.mode.is_some() || !args.way.is_default()) {
        return Err(Error::parameter("engine", "interpreter", OF_HARDWARE));
    }
    let mut hardware = match args.engine {
        Engine::Interpreter => None,
        Engine::Rtl => Some(args.way.block(&params, args.seed)?),
        Engine::Unit => Some(args.way.unit(&params, args.seed)?),
        Engine::System => Some(args.way.system(&params, args.seed)?),
    };
    if let Some(seed) = args.modes {
        match &mut hardware {
            Some(Hardware::Unit(machine, _)) => {
                machine.compare_modes()?;
                machine.modes_change(seed);
                machine.processor(seed);
            }
            _ => return Err(Error::parameter("modes", seed, "only the unit has ways that change: --engine unit")),
        }
    }
    let found: Vec<_> = match &mut hardware {
        None => kernels.into_iter().map(|kernel| figures::run(kernel, &params, args.seed)).collect::<Result<_>>()?,
        Some(hardware) => {
            let modes = [WordMode::Lockstep, WordMode::Decoupled];
            let modes = modes.into_iter().filter(|&mode| args.mode.is_none_or(|wanted| wanted == mode));
            let runs = kernels.into_iter().flat_map(|kernel| modes.clone().map(move |mode| (kernel, mode.into())));
            let mut run = |(kernel, mode)| figures::run_hardware(kernel, hardware, &params, args.seed, mode);
            runs.map(&mut run).collect::<Result<_>>()?
        }
    };
    print(&match (args.format, args.engine) {
        (Format::Json, _) => serde_json::to_string_pretty(&found).expect("numbers and strings always serialise") + "\n",
        (Format::Md, Engine::Interpreter) => figures::markdown(&found),
        (Format::Md, Engine::Rtl | Engine::Unit | Engine::System) => figures::markdown_of_hardware(&found),
    })?;
    let wrong: Vec<_> = found.iter().filter(|figures| !figures.correct || !figures.mask_rows_left.is_empty()).collect();
    for figures in &wrong {
        let left = &figures.mask_rows_left;
        let reason = if left.is_empty() {
            "memory is not what plain Rust computes".into()
        } else {
            format!("threads are left in mask rows {left:?}")
        };
        let _ = writeln!(std::io::stderr(), "failed: {}, seed {}: {reason}", figures.kernel, figures.seed);
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Assembles a text.
pub fn asm(args: &AsmArgs) -> Result<ExitCode> {
    let params = DualityParams::named(&args.preset)?;
    let text = source::text(&args.file)?;
    known_before(&args.file, args.out.as_deref())?;
    let program = assemble(&text, &source::name(&args.file).display().to_string(), &params)?;
    let Some(out) = &args.out else {
        let (words, rows) = (program.words.len(), program.rows(&params));
        let summary = format!("{}: {words} words, {} arrays a thread, {rows} rows\n", program.name, program.arrays);
        return print(&summary).map(|()| ExitCode::SUCCESS);
    };
    write_files(&[(out.clone(), program.to_bytes(&params))])?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a program file as text.
pub fn disasm(args: &DisasmArgs) -> Result<ExitCode> {
    let params = DualityParams::named(&args.preset)?;
    let bytes = source::bytes(&args.file, TEXT_BYTES)?;
    known_before(&args.file, Some(&args.out))?;
    let origin = source::name(&args.file).display().to_string();
    let program = Program::from_bytes(&bytes, &origin, &params)?;
    let text = disassemble(&program, &params).map_err(|illegal| Error::file(&origin, visible(&illegal.to_string())))?;
    write_files(&[(args.out.clone(), text.into_bytes())])?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the tables of words.
pub fn help() -> Result<ExitCode> {
    print(&reference::markdown()).map(|()| ExitCode::SUCCESS)
}

fn known_before(input: &Path, out: Option<&Path>) -> Result<()> {
    let outputs: Vec<&Path> = out.into_iter().collect();
    output::check(&outputs, &[input], None)
}
