//! `sim cuda`: a kernel, launched. `ptx`: the table of instructions, and what a file holds.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use bitline_compile::interpret::LIMIT;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx;
use bitline_compile::ptx::ast::Module;
use bitline_compile::words::{Compiled, Executed, Words, profile};
use bitline_kernel::error::{Error, Result};
use bitline_sim::data::output::{self, print, write_files};
use bitline_sim::data::source::STANDARD;
use bitline_sim::units::duality::kernel_errors::told;
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::disassemble::disassemble;
use clap::{Args, ValueEnum};

use crate::bar::Bar;
use crate::cuda_board::BoardArgs;
use crate::cuda_device::{Launched, hardware, on_hardware};
use crate::cuda_profile::{self, Profile};
use crate::cuda_progress::{Progress, follow};
use crate::cuda_report::{Seconds, report, words_report};
use crate::cuda_source::{ClangArgs, Text};
use crate::duality::{WayArgs, WordMode};
use crate::sim_arguments::ReportFormat;

/// What runs a kernel.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Engine {
    /// Thread by thread, on plain numbers
    Interpreter,
    /// Compiled to words of the Duality Cache's control block, which run on their interpreter; it knows no cycles
    Words,
    /// The same words on the control block's hardware, compared with its model in every cycle, and with the interpreter
    /// of words at the end; what is behind its port to memory is software
    Rtl,
    /// The same words on the whole unit, launched by its registers, with memory behind its bus; compared with the
    /// interpreter of words at the end
    Unit,
    /// The same words on the interpreter of words, with the cycles of a model of as many control blocks as wanted
    System,
    /// The same words on a board with a Duality Cache, or a simulated one, over its line; compared with the interpreter
    /// of words at the end
    Board,
}

#[derive(Args)]
pub struct CudaArgs {
    /// Kernels: CUDA C++ (.cu) or OpenCL C (.cl), which clang compiles, or PTX; - is the standard input, PTX
    file: PathBuf,
    #[command(flatten)]
    clang: ClangArgs,
    /// The kernel: its name in the source, or in PTX where several have that
    #[arg(long)]
    pub(crate) kernel: String,
    /// Blocks: X,Y,Z; Y and Z are 1 unless given
    #[arg(long, default_value = "1", value_parser = triple)]
    pub(crate) grid: [u32; 3],
    /// Threads of a block: X,Y,Z; Y and Z are 1 unless given
    #[arg(long, default_value = "1", value_parser = triple)]
    pub(crate) block: [u32; 3],
    /// An argument, in order: TYPE:NUMBER, zero:TYPE:COUNT, steps:TYPE:COUNT:STEP,
    /// random:TYPE:COUNT:SEED[:LOW..HIGH], csv:TYPE:FILE, raw:TYPE:FILE, or local:TYPE:COUNT for a pointer to __local;
    /// TYPE is u8 … s64, f32, f64; a structure gets the bytes of a buffer
    #[arg(long, value_name = "KIND:VALUE")]
    arg: Vec<String>,
    /// Write the buffer of an argument, counted from 0, when the kernel has ended: a number on each line, or raw bytes
    /// if the name ends in .bin; - is the standard output
    #[arg(long, value_name = "INDEX:FILE")]
    out: Vec<String>,
    /// Bytes of extern shared memory
    #[arg(long, default_value_t = 0)]
    shared: u64,
    /// Instructions of all threads, or words, after which the kernel is given up
    #[arg(long, default_value_t = LIMIT)]
    limit: u64,
    /// What runs the kernel
    #[arg(long, value_enum, default_value = "interpreter")]
    engine: Engine,
    /// Control block that the kernel is compiled for: preset (tiny, pair, small, cb or slice) or TOML file (.toml); cb
    /// unless given, and the board's own on `board`
    #[arg(long)]
    preset: Option<String>,
    /// Arrays of a thread: 1, 2 or 4; unless given, as many as take the fewest cycles by the compiler's estimate
    #[arg(long)]
    arrays: Option<usize>,
    /// The plain translation, for comparison: one array a thread, words in the order of the text
    #[arg(long)]
    simple: bool,
    /// How words leave the dispatcher, on `rtl`, `unit`, `system` and `board`; decoupled unless given
    #[arg(long, value_enum)]
    mode: Option<WordMode>,
    #[command(flatten)]
    way: WayArgs,
    /// Write the kernel as words: a program file (.dcp), or assembler text (.dcs; - is the standard output)
    #[arg(long, value_name = "FILE")]
    emit: Option<PathBuf>,
    /// Write where the time goes, by lines of PTX and of the source: a table (.txt, or - for the standard output),
    /// .json, or a flame graph (.svg); words, and cycles by the tables of operations
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Form of the report; it goes to the standard error where a buffer is written to -
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    board: BoardArgs,
}

#[derive(Args)]
pub struct PtxArgs {
    /// PTX file, or CUDA C++ (.cu) or OpenCL C (.cl), which clang compiles: its kernels, parameters and registers are
    /// listed; - is the standard input, PTX
    #[arg(required_unless_present = "instructions")]
    file: Option<PathBuf>,
    #[command(flatten)]
    clang: ClangArgs,
    /// Print the PTX itself: lines of it are in messages and profiles
    #[arg(long, requires = "file")]
    text: bool,
    /// Print the table of every instruction of PTX: works, lowered or refused, with counts
    #[arg(long, conflicts_with = "file")]
    instructions: bool,
}

/// `X`, `X,Y` or `X,Y,Z`.
pub(crate) fn triple(text: &str) -> std::result::Result<[u32; 3], String> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x]) => Ok([*x, 1, 1]),
        Some([x, y]) => Ok([*x, *y, 1]),
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err("must be one to three whole numbers, such as 16,16".into()),
    }
}

fn module(source: &Text) -> Result<Module> {
    ptx::parse(&source.name, &source.text).map_err(|error| source.told(told(error)))
}

/// Runs `ptx`.
pub fn ptx(args: &PtxArgs) -> Result<()> {
    let Some(path) = &args.file else { return print(&ptx::table::markdown()) };
    let source = args.clang.text(path)?;
    if args.text {
        return print(&source.text);
    }
    let module = module(&source)?;
    let mut text = String::new();
    for kernel in &module.kernels {
        let instructions = kernel.body.len();
        text += &format!("{}: {instructions} instructions, {} registers\n", kernel.name, kernel.registers.len());
        for (number, parameter) in kernel.parameters.iter().enumerate() {
            text += &format!("    {number}: .{} {}\n", parameter.ty.name(), parameter.name);
        }
    }
    print(&text)
}

/// A file to write: which argument, and where to.
fn target(text: &str, arguments: &[Argument]) -> Result<(usize, PathBuf)> {
    let found = text.split_once(':').and_then(|(index, path)| Some((index.parse::<usize>().ok()?, path)));
    match found {
        Some((index, path)) if matches!(arguments.get(index), Some(Argument::Buffer(_))) && !path.is_empty() => {
            Ok((index, PathBuf::from(path)))
        }
        _ => Err(Error::parameter("out", text, "must be INDEX:FILE, and the argument INDEX, from 0, a buffer")),
    }
}

/// The compiler that the options ask for.
fn compiler<'p>(args: &CudaArgs, params: &'p DualityParams) -> Result<Words<'p>> {
    if let Some(arrays) = args.arrays {
        DualityParams::check_arrays(arrays)?;
    }
    if matches!(args.engine, Engine::Interpreter) && args.emit.is_none() && (args.arrays.is_some() || args.simple) {
        let rule = "--arrays and --simple are about words: words, rtl, unit, system or board, or --emit";
        return Err(Error::parameter("engine", "interpreter", rule));
    }
    if args.simple && args.arrays.is_some_and(|arrays| arrays != 1) {
        return Err(Error::parameter("arrays", args.arrays.unwrap_or(1), "must be 1 with --simple"));
    }
    let arrays = if args.simple { Some(1) } else { args.arrays };
    // What is behind the control block's port on `rtl` has no turns.
    let turns = !matches!(args.engine, Engine::Rtl);
    let port_a_bank = args.way.port_a_bank();
    Ok(Words { arrays, turns, port_a_bank, simple: args.simple, ..Words::new(params) })
}

/// Runs `sim cuda`.
pub fn cuda(args: &CudaArgs) -> Result<ExitCode> {
    let params = args.board.unit(args.engine, args.preset.as_deref())?;
    if matches!(args.engine, Engine::Interpreter | Engine::Words) && args.mode.is_some() {
        let name = args.engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
        return Err(Error::parameter("engine", name, "--mode is about hardware: rtl, unit, system or board"));
    }
    let words = compiler(args, &params)?;
    if let Some(path) = &args.profile {
        cuda_profile::check(path)?;
        if matches!(args.engine, Engine::Interpreter) {
            let rule = "--profile is about words: words, rtl, unit, system or board";
            return Err(Error::parameter("engine", "interpreter", rule));
        }
    }
    let source = args.clang.text(&args.file)?;
    let module = module(&source)?;
    let told = |error| source.told(told(error));
    let arguments: Vec<Argument> =
        args.arg.iter().map(|text| text.parse()).collect::<std::result::Result<_, _>>().map_err(told)?;
    let targets: Vec<(usize, PathBuf)> = args.out.iter().map(|text| target(text, &arguments)).collect::<Result<_>>()?;
    let outputs: Vec<&Path> =
        targets.iter().map(|(_, path)| path).chain(&args.emit).chain(&args.profile).map(PathBuf::as_path).collect();
    let named = |text: &'_ String| {
        let (kind, rest) = text.split_once(':')?;
        let (_, path) = rest.split_once(':').filter(|_| ["csv", "raw"].contains(&kind))?;
        Some(PathBuf::from(path))
    };
    let inputs: Vec<PathBuf> = args.arg.iter().filter_map(named).chain([args.file.clone()]).collect();
    output::check(&outputs, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>(), None)?;
    let plan = Plan {
        kernel: args.kernel.clone(),
        grid: args.grid,
        block: args.block,
        shared: args.shared,
        arguments,
        limit: args.limit,
    };
    let mut hardware = hardware(args.engine, &params, &args.way, &args.board, words.seed)?;
    let program = match &args.emit {
        Some(path) => {
            // A file is for launches with other arguments, too.
            let compiled = plan.compile(&module, &Words { arguments: false, ..words.clone() }).map_err(told)?;
            Some((path.clone(), emitted(path, &compiled, &params)?))
        }
        None => None,
    };
    let (mut executed, mut seconds, begin) = (Executed::default(), Seconds::default(), Instant::now());
    let (buffers, report, compiled) = match &mut hardware {
        None if matches!(args.engine, Engine::Interpreter) => {
            let mut bar = Bar::new("blocks");
            let outcome = plan.interpret(&module, &mut |done, total| bar.at(done, total));
            bar.clear();
            let outcome = outcome.map_err(told)?;
            let report = report(args, &module, &outcome);
            (outcome.buffers, report, None)
        }
        None => {
            let ran = plan.words_on(&module, &words, &mut |compiled, launch, memory| {
                seconds.compile = begin.elapsed().as_secs_f64();
                let mut watch = Progress::new(&mut executed, launch, params.threads(compiled.program.arrays));
                words.run_watched(&module, compiled, launch, memory, plan.limit, &mut watch)
            });
            let ran = ran.map_err(told)?;
            seconds.run = begin.elapsed().as_secs_f64() - seconds.compile;
            let report = words_report(args, &params, &ran, &executed, None, seconds);
            (ran.buffers, report, Some(ran.compiled))
        }
        Some(hardware) => {
            let mut found = None;
            let mode = args.mode.unwrap_or(WordMode::Decoupled).into();
            follow(hardware);
            let ran = plan.words_on(&module, &words, &mut |compiled, launch, memory| {
                seconds.compile = begin.elapsed().as_secs_f64();
                let launched = Launched { module: &module, compiled, launch, limit: plan.limit };
                let mut watch = Progress::new(&mut executed, launch, params.threads(compiled.program.arrays));
                let (outcome, took) = on_hardware(hardware, &words, &launched, memory, mode, &mut watch)?;
                found = Some(took);
                Ok(outcome)
            });
            let ran = ran.map_err(told)?;
            seconds.run = begin.elapsed().as_secs_f64() - seconds.compile;
            let report = words_report(args, &params, &ran, &executed, found.as_ref(), seconds);
            (ran.buffers, report, Some(ran.compiled))
        }
    };
    let kernel = module.kernel(&args.kernel).ok();
    let profiled = args.profile.iter().zip(kernel.zip(compiled)).map(|(path, (kernel, compiled))| {
        let lines = profile(kernel, &compiled, &executed, &params);
        (path.clone(), Profile { kernel: &kernel.name, text: &source.text, lines: &lines }.written(path))
    });
    let profiled: Vec<(PathBuf, Vec<u8>)> = profiled.collect();
    let content = |path: &Path, buffer: &Buffer| match path.extension().is_some_and(|ending| ending == "bin") {
        true => buffer.bytes.clone(),
        false => buffer.csv().into_bytes(),
    };
    let files: Vec<(PathBuf, Vec<u8>)> = targets
        .into_iter()
        .filter_map(|(index, path)| {
            let content = content(&path, buffers[index].as_ref()?);
            Some((path, content))
        })
        .chain(program)
        .chain(profiled)
        .collect();
    write_files(&files)?;
    if files.iter().any(|(path, _)| path.as_os_str() == "-") {
        // If it cannot be written, nobody can be told.
        let _ = write!(std::io::stderr(), "{report}");
    } else {
        print(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A program in the form that the file's name asks for.
fn emitted(path: &Path, compiled: &Compiled, params: &DualityParams) -> Result<Vec<u8>> {
    let text = || {
        let text = disassemble(&compiled.program, params);
        text.map(String::into_bytes).map_err(|illegal| Error::file(path, illegal.to_string()))
    };
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("dcp") => Ok(compiled.program.to_bytes(params)),
        Some("dcs") => text(),
        _ if path.as_os_str() == STANDARD => text(),
        _ => Err(Error::parameter("emit", path.display(), "must end in .dcp (program file) or .dcs (text), or be -")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_to_three_numbers() {
        assert_eq!((triple("4"), triple("4,2"), triple("4, 2,3")), (Ok([4, 1, 1]), Ok([4, 2, 1]), Ok([4, 2, 3])));
        for text in ["", "4,", "1,2,3,4", "-1", "4294967296", "x"] {
            assert!(triple(text).is_err(), "{text}");
        }
    }

    #[test]
    fn results_name_a_buffer_and_a_file() {
        let arguments = ["zero:u8:4", "s32:1"].map(|text| text.parse().expect("an argument"));
        assert_eq!(target("0:a:b.csv", &arguments).expect("a target"), (0, PathBuf::from("a:b.csv")));
        for text in ["0", "0:", "1:a", "2:a", "-:a"] {
            let error = target(text, &arguments).expect_err(text).to_string();
            assert!(error.starts_with(&format!("out = {text}: must be INDEX:FILE")), "{error}");
        }
    }

    /// A program file reads back, a text assembles to the same words; other names are refused.
    #[test]
    fn programs_are_written_as_the_name_says() {
        let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 out) {
            .reg .b32 %r<4>; ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r2, 4, %r1;
            st.global.u32 [%r3], %r2; ret; }";
        let module = ptx::parse("k.ptx", text).expect("a module");
        let params = DualityParams::preset("tiny").expect("a preset");
        let arguments = vec!["zero:u32:32".parse().expect("an argument")];
        let plan = Plan { block: [32, 1, 1], arguments, ..Plan::new("k") };
        let compiled = plan.compile(&module, &Words::new(&params)).expect("words");
        let written = |name: &str| emitted(Path::new(name), &compiled, &params);
        let read = bitline_units::duality::isa::Program::from_bytes(&written("k.dcp").expect("bytes"), "k", &params);
        assert_eq!(read.expect("a program"), compiled.program);
        for name in ["k.dcs", "-"] {
            let text = String::from_utf8(written(name).expect("text")).expect("text");
            let program = bitline_units::duality::isa::assemble::assemble(&text, "k", &params).expect("a program");
            assert_eq!(program.words, compiled.program.words, "{text}");
        }
        let error = written("k.txt").expect_err("no such form").to_string();
        assert_eq!(error, "emit = k.txt: must end in .dcp (program file) or .dcs (text), or be -");
    }
}
