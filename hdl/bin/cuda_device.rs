//! `sim cuda-device`: a device for a CUDA program with host code, which talks to it through standard input and output;
//! and runs of compiled kernels on hardware, for it and for `sim cuda`.

use std::io::{BufReader, BufWriter, stdin, stdout};
use std::process::ExitCode;

use bitline_compile::error::{Error as CompileError, Result as Compile};
use bitline_compile::interpret::LIMIT;
use bitline_compile::ptx::ast::Module;
use bitline_compile::runtime::{self, Device, serve};
use bitline_compile::words::{Compiled, Words};
use bitline_kernel::error::{Error, Result};
use bitline_sim::model::duality::watch::{Nobody, Watch};
use bitline_sim::model::duality::{FlatMemory, Launch, Outcome};
use bitline_sim::units::duality::hardware::{Hardware, Took};
use bitline_sim::units::duality::machine::Mode;
use bitline_units::duality::DualityParams;
use clap::{Args, ValueEnum};

use crate::cuda::Engine;
use crate::cuda_board::BoardArgs;
use crate::duality::{OF_HARDWARE, WayArgs};

#[derive(Args)]
pub struct DeviceArgs {
    /// What runs the kernels
    #[arg(long, value_enum, default_value = "words")]
    engine: Engine,
    /// Control block that they are compiled for: preset (tiny, pair, small, cb or slice) or TOML file (.toml); cb
    /// unless given, and the board's own on `board`
    #[arg(long)]
    preset: Option<String>,
    #[command(flatten)]
    way: WayArgs,
    #[command(flatten)]
    board: BoardArgs,
}

/// A kernel that is compiled, and how it is to run.
pub struct Launched<'a> {
    /// Where it is from.
    pub module: &'a Module,
    /// The kernel as words.
    pub compiled: &'a Compiled,
    /// Its launch.
    pub launch: &'a Launch,
    /// Words that the interpreter may execute.
    pub limit: u64,
}

/// The hardware that an engine is, if it is any.
///
/// # Errors
/// [`Error::Parameter`] for ways to memory that the engine does not have; what a board's line says.
pub fn hardware(
    engine: Engine,
    params: &DualityParams,
    way: &WayArgs,
    board: &BoardArgs,
    seed: u64,
) -> Result<Option<Hardware>> {
    match engine {
        Engine::Board if way.is_default() => board.hardware().map(Some),
        Engine::Rtl => way.block(params, seed).map(Some),
        Engine::Unit => way.unit(params, seed).map(Some),
        Engine::System => way.system(params, seed).map(Some),
        _ if way.is_default() => Ok(None),
        _ => {
            let name = engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
            Err(Error::parameter("engine", name, OF_HARDWARE))
        }
    }
}

/// Runs a kernel on hardware, and compares what it leaves in memory with what the interpreter of words leaves.
pub fn on_hardware(
    hardware: &mut Hardware,
    words: &Words<'_>,
    launched: &Launched<'_>,
    memory: &mut FlatMemory,
    mode: Mode,
    watch: &mut dyn Watch,
) -> Compile<(Outcome, Took)> {
    let Launched { module, compiled, launch, limit } = *launched;
    let mut judged = memory.clone();
    let outcome = words.run_watched(module, compiled, launch, &mut judged, limit, watch)?;
    let name = hardware.name();
    let refuse = |said: String| CompileError::parameter("engine", name, said);
    let ran = hardware.run(&compiled.program, launch, memory, mode);
    let took = ran.map_err(|error| refuse(error.to_string()))?;
    // Spill rows hold what rows of threads that do not exist held at power-up.
    let spilled = launch.spill_rows * words.params.threads(compiled.program.arrays) as u32 / 8;
    let mut left = memory.clone();
    for at in (launch.spill_base..).take(spilled as usize) {
        [&mut left, &mut judged].into_iter().for_each(|memory| memory.write(at, 1, 0));
    }
    if left == judged {
        return Ok((outcome, took));
    }
    Err(refuse("memory is not what the interpreter of words leaves: the hardware is wrong".into()))
}

/// Runs `sim cuda-device`.
pub fn device(args: &DeviceArgs) -> Result<ExitCode> {
    let params = args.board.unit(args.engine, args.preset.as_deref())?;
    let engine = match hardware(args.engine, &params, &args.way, &args.board, 1)? {
        None if matches!(args.engine, Engine::Interpreter) => runtime::Engine::Interpreter,
        None => runtime::Engine::Words,
        Some(mut hardware) => {
            let own = params.clone();
            runtime::Engine::Hardware(Box::new(move |module, compiled, launch, memory| {
                let launched = Launched { module, compiled, launch, limit: LIMIT };
                let words = Words::new(&own);
                let ran = on_hardware(&mut hardware, &words, &launched, memory, Mode::Decoupled, &mut Nobody)?;
                Ok((ran.0, ran.1.cycles))
            }))
        }
    };
    let mut device = Device::new(params, engine);
    if let Some(folder) = std::env::var_os("BITLINE_RECORD") {
        device.record(folder.into());
    }
    let (from, to) = (stdin().lock(), stdout().lock());
    let served = serve(&mut device, &mut BufReader::new(from), &mut BufWriter::new(to));
    served.map_err(|error| Error::file("-", error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
