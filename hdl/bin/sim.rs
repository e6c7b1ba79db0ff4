//! `sim`: runs programs on the array, and measures how many cycles operations take.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::{Error, Result, visible};
use bitline_sim::bench::{self, growth};
use bitline_sim::cycle_table::{self, Selection, Verdict};
use bitline_sim::data::output::{self, print, write_files};
use bitline_sim::data::source::is_standard;
use bitline_sim::job;
use bitline_sim::scaling;
use bitline_sim::units::array::memory::figures;
use bitline_sim::units::ccs::figures as ccs_figures;
use bitline_sim::units::ccs::system::{self as ccs_system, Beside, Core, Extent};
use bitline_sim::units::compute_cache::figures as cache_figures;
use bitline_sim::wave::{Wave, WaveWriter, Window};
use bitline_units::array::isa::reference;
use bitline_units::array::params::Params;
use bitline_units::array::presets;
use bitline_units::ccs::CcsGeometry;
use bitline_units::compute_cache::CacheGeometry;

use crate::bar::Bar;
use crate::sim_arguments::{
    Action, BenchArgs, CcArgs, CcsArgs, CcsSystemArgs, Cli, CyclesArgs, Format, ReportFormat, RunArgs, ScalingArgs,
    TransfersArgs,
};
use crate::{coverage, cuda, cuda_device, cuda_figures, duality, regress};

pub fn main(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Action::Run(args) => run(args),
        Action::Cycles(args) => cycles(args),
        Action::Bench(args) => bench(args),
        Action::Transfers(args) => transfers(args),
        Action::Cc(args) => cc(args),
        Action::Ccs(args) => ccs(args),
        Action::CcsSystem(args) => ccs_system(args),
        Action::Duality(args) => duality::run(args),
        Action::DualityAsm(args) => duality::asm(args),
        Action::DualityDisasm(args) => duality::disasm(args),
        Action::Scaling(args) => scale(args),
        Action::Regress(args) => regress::regress(args),
        Action::Coverage(args) => coverage::coverage(args),
        Action::Cuda(args) => cuda::cuda(args),
        Action::CudaDevice(args) => cuda_device::device(args),
        Action::CudaReport(args) => cuda_figures::run(args),
        Action::HelpOperations { preset, config } => {
            let params = config.as_ref().map_or_else(|| presets::preset(preset), |path| presets::load(path));
            params.and_then(|params| print(&reference::markdown(&params))).map(|()| ExitCode::SUCCESS)
        }
        Action::HelpDuality => duality::help(),
        Action::HelpFormat => print(job::FORMAT).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| {
        complain(format_args!("error: {error}"));
        ExitCode::from(2)
    })
}

fn scale(args: &ScalingArgs) -> Result<ExitCode> {
    let points = scaling::read(&args.table)?;
    if let Some(path) = svg(&args.plot)? {
        write_files(&[(path.clone(), scaling::plot(&points).into_bytes())])?;
    }
    print(&scaling::markdown(&points, &scaling::XC7VX690T))?;
    Ok(ExitCode::SUCCESS)
}

/// Where a plot is to go.
fn svg(path: &Option<PathBuf>) -> Result<&Option<PathBuf>> {
    match path {
        Some(path) if path.extension().is_none_or(|extension| extension != "svg") => {
            Err(Error::parameter("plot", path.display(), "must be a file with the ending .svg"))
        }
        _ => Ok(path),
    }
}

fn transfers(args: &TransfersArgs) -> Result<ExitCode> {
    let figures: Vec<_> = figures::settings().iter().map(figures::measure).collect::<Result<_>>()?;
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&figures).expect("numbers and strings always serialise") + "\n",
        Format::Md => figures::markdown(&figures),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn bench(args: &BenchArgs) -> Result<ExitCode> {
    let (cycles, runs, batch) = (args.cycles, args.runs as usize, args.batch.map(|sets| sets as usize));
    let effort = bench::Effort { cycles, runs, verilator: !args.native_only, batch, trace: args.trace };
    // It takes minutes: what cannot be must be known before.
    let plot = svg(&args.plot)?;
    args.design.iter().try_for_each(|name| bench::known(name))?;
    if args.growth {
        let mut bar = Bar::new("sizes");
        let points = growth::measure(effort, &mut |done, total| bar.at(done as u64, total as u64));
        bar.clear();
        let points = points?;
        if let Some(path) = plot {
            write_files(&[(path.clone(), growth::plot(&points).into_bytes())])?;
        }
        print(&match args.format {
            Format::Json => serde_json::to_string_pretty(&points).expect("numbers and strings always serialise") + "\n",
            Format::Md => growth::markdown(&points),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let speeds: Vec<_> = args.design.iter().map(|name| bench::measure(name, effort)).collect::<Result<_>>()?;
    if let Some(path) = plot {
        write_files(&[(path.clone(), bench::plot(&speeds).into_bytes())])?;
    }
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&speeds).expect("numbers and strings always serialise") + "\n",
        Format::Md => bench::markdown(&speeds),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn cc(args: &CcArgs) -> Result<ExitCode> {
    let mut texts = Vec::new();
    for name in &args.geometry {
        let preset = CacheGeometry::preset(name)?;
        let geometry = CacheGeometry { issue: args.issue.unwrap_or(preset.issue), ..preset };
        let figures = cache_figures::figures(&geometry, args.seed)?;
        texts.push(match args.format {
            Format::Json => cache_figures::json(&geometry, &figures),
            Format::Md => cache_figures::markdown(&geometry, &figures),
        });
    }
    print(&match args.format {
        Format::Json => format!("[\n{}]\n", texts.join(",\n")),
        Format::Md => texts.join("\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn ccs(args: &CcsArgs) -> Result<ExitCode> {
    let geometry = CcsGeometry::preset(&args.geometry)?;
    if bitline_sim::external::tool::find("verilator").is_none() {
        complain(format_args!(
            "SKIPPED: verilator is not installed; the commands are checked on the native engine only"
        ));
    }
    let mut bar = Bar::new("measurements");
    let figures = ccs_figures::figures(&geometry, args.seed, &mut |done, total| bar.at(done, total));
    bar.clear();
    let figures = figures?;
    print(&match args.format {
        Format::Json => serde_json::to_string_pretty(&figures).expect("numbers and strings always serialise") + "\n",
        Format::Md => ccs_figures::markdown(&figures),
    })?;
    Ok(if figures.correct() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ccs_system(args: &CcsSystemArgs) -> Result<ExitCode> {
    let extent = if args.quick { Extent::Quick } else { Extent::Full };
    // It takes minutes: a folder that cannot be must be known before.
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    }
    let plain = ccs_system::measure(Core::PicoRv32, &args.core, 1, extent)?;
    let pipelined = |ports| ccs_system::measure(Core::VexRiscv, &args.pipelined, ports, extent);
    let [pipelined, two_ports] = if args.pipelined.exists() {
        [Some(pipelined(1)?), Some(pipelined(2)?)]
    } else {
        complain(format_args!(
            "note: {} is not there (scripts/host-core.sh fetches it): the ideal core takes its place",
            args.pipelined.display()
        ));
        [None, None]
    };
    let report = Beside { plain, pipelined, two_ports };
    let text = match args.format {
        Format::Json => report.json(),
        Format::Md => report.text(),
    };
    if let Some(folder) = &args.out {
        let mut files = vec![("ccs-system.md", report.text()), ("ccs-system.json", report.json())];
        files.extend(ccs_system::plots(report.two_ports.as_ref().unwrap_or(&report.plain)));
        let files: Vec<_> = files.into_iter().map(|(name, text)| (folder.join(name), text.into_bytes())).collect();
        write_files(&files)?;
    }
    print(&text)?;
    let missed = report.missed();
    for what in &missed {
        complain(format_args!("failed: {what}"));
    }
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes a line to the standard error; if that fails, nobody can be told.
fn complain(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&line.to_string()));
}

fn run(args: &RunArgs) -> Result<ExitCode> {
    let source = job::read(&args.file)?;
    let params = params(args, &source)?;
    let plan = job::plan(&source, &params, args.out.as_deref())?;
    let wave = args.wave.iter().map(PathBuf::as_path);
    let outputs: Vec<&Path> = plan.outputs().into_iter().chain(wave).collect();
    let inputs: Vec<&Path> = plan.inputs().iter().map(PathBuf::as_path).chain([args.file.as_path()]).collect();
    output::check(&outputs, &inputs, args.out.as_deref())?;
    // The wave is there before a new folder is.
    args.wave.iter().try_for_each(|path| output::check(&[path], &inputs, None))?;
    let mut machine = args.engine.machine(&params, args.seed)?;
    if let Some(path) = &args.wave {
        let view = plan.wave_view(args.all_rows);
        let wave = Wave::new(WaveWriter::create(path, &machine.wave_signals(&view))?, window(args))?;
        machine.record(wave, &view);
    }
    let mut bar = Bar::new("commands");
    let outcome = job::run(&plan, machine.as_mut(), &mut |done, total| bar.at(done, total));
    bar.clear();
    // The wave of a run that failed is wanted most.
    let failed = outcome.as_ref().map_or(true, |outcome| !outcome.failures.is_empty());
    let written = machine.finish_wave(failed);
    let wave = args.wave.as_deref().filter(|_| matches!(written, Ok(true)));
    if let Some(path) = wave.filter(|_| failed) {
        complain(format_args!("wave: {}", path.display()));
    }
    let outcome = outcome?;
    written?;
    if outcome.failures.is_empty() {
        if let Some(folder) = &args.out {
            std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        }
        write_files(&outcome.files)?;
    }
    let files = outcome.files.iter().map(|(path, _)| path.as_path()).filter(|path| !is_standard(path));
    let wrote: Vec<&Path> = if outcome.failures.is_empty() { files.chain(wave).collect() } else { Vec::new() };
    let text = match args.format {
        ReportFormat::Json => outcome.json(&wrote),
        ReportFormat::Text => outcome.text(&wrote),
    };
    // A result on the standard output is alone there.
    if plan.outputs().into_iter().any(is_standard) {
        complain(format_args!("{}", text.trim_end()));
    } else {
        print(&text)?;
    }
    for failure in &outcome.failures {
        complain(format_args!("failed: {failure}"));
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The cycles that a wave is to show.
fn window(args: &RunArgs) -> Window {
    match args.wave_last {
        Some(cycles) => Window::Last(cycles as usize),
        None => Window::Cycles(args.wave_from.unwrap_or(0), args.wave_to.unwrap_or(u64::MAX)),
    }
}

/// The design asked for on the command line, else the program's.
fn params(args: &RunArgs, source: &job::Source) -> Result<Params> {
    match (&args.preset, &args.config, &source.design) {
        (Some(name), _, _) => bitline_units::array::presets::preset(name),
        (_, Some(path), _) => bitline_units::array::presets::load(path),
        (_, _, Some(design)) => design.value.params().map_err(|error| source.error(design.line, error)),
        _ => bitline_units::array::presets::preset("default"),
    }
}

fn cycles(args: &CyclesArgs) -> Result<ExitCode> {
    let selection = Selection {
        ops: args.op.clone(),
        widths: args.width.clone(),
        sensing: args.sensing.clone(),
        memory: args.memory.clone(),
        sets: args.set.clone(),
        data: args.data,
        radices: args.radix.clone(),
        flushed: args.flushed,
        exception_flags: args.exception_flags,
    };
    let selections = match (args.summary, args.radices) {
        (true, _) => cycle_table::summary_selections(),
        (_, true) => vec![cycle_table::radices_selection(&args.width)],
        _ => vec![selection],
    };
    let mut rows = Vec::new();
    for selection in &selections {
        let mut bar = Bar::new("measurements");
        let found = cycle_table::measure(selection, args.engine, args.seed, &mut |done, total| bar.at(done, total));
        bar.clear();
        rows.extend(found?);
    }
    print(&match args.format {
        _ if args.summary => cycle_table::summary(&rows),
        _ if args.radices => cycle_table::radices(&rows),
        Format::Json => cycle_table::json(&rows),
        Format::Md => format!("{}\n{}", cycle_table::markdown(&rows), cycle_table::Energies::read()?.text()),
    })?;
    let missed: Vec<_> = rows.iter().filter(|row| row.verdict() == Verdict::Missed).collect();
    for row in &missed {
        let target = row.target_cycles.unwrap_or_default();
        complain(format_args!(
            "failed: {} (signed: {}) n = {}, {}, {}, {}: rtl_cycles = {}: must be at most {target} + 5 % + 4",
            row.op, row.signed, row.width, row.sensing, row.memory, row.set, row.rtl_cycles
        ));
    }
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
