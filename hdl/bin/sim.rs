//! `sim`: runs programs on the array, and measures how many cycles operations take.

mod bar;
mod regress;
mod sim_arguments;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bar::Bar;
use bitline::ccs::CcsGeometry;
use bitline::compute_cache::CacheGeometry;
use bitline::error::{Error, Result};
use bitline::isa::reference;
use bitline::params::Params;
use bitline::presets;
use bitline::sim::bench;
use bitline::sim::cycle_table::{self, Selection, Verdict};
use bitline::sim::data::output::{self, print, write_files};
use bitline::sim::job;
use bitline::sim::scaling;
use bitline::sim::units::array::memory::figures;
use bitline::sim::units::ccs::system::{self as ccs_system, Extent};
use bitline::sim::units::ccs::{figures as ccs_figures, speed as ccs_speed};
use bitline::sim::units::compute_cache::figures as cache_figures;
use bitline::sim::wave::WaveWriter;
use clap::Parser;
use sim_arguments::{
    Action, BenchArgs, CcArgs, CcsArgs, CcsSystemArgs, Cli, CyclesArgs, Format, RunArgs, ScalingArgs, TransfersArgs,
};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Action::Run(args) => run(&args),
        Action::Cycles(args) => cycles(&args),
        Action::Bench(args) => bench(&args),
        Action::Transfers(args) => transfers(&args),
        Action::Cc(args) => cc(&args),
        Action::Ccs(args) => ccs(&args),
        Action::CcsSystem(args) => ccs_system(&args),
        Action::Scaling(args) => scale(&args),
        Action::Regress(args) => regress::regress(&args),
        Action::HelpOperations { preset } => {
            presets::preset(&preset).and_then(|params| print(&reference::markdown(&params))).map(|()| ExitCode::SUCCESS)
        }
        Action::HelpFormat => print(job::FORMAT).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| {
        complain(format_args!("error: {error}"));
        ExitCode::from(2)
    })
}

fn scale(args: &ScalingArgs) -> Result<ExitCode> {
    let points = scaling::read(&args.table)?;
    if let Some(path) = &args.plot {
        if path.extension().is_none_or(|extension| extension != "svg") {
            return Err(Error::parameter("plot", path.display(), "must be a file with the ending .svg"));
        }
        write_files(&[(path.clone(), scaling::plot(&points).into_bytes())])?;
    }
    print(&scaling::markdown(&points, &scaling::XC7VX690T))?;
    Ok(ExitCode::SUCCESS)
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
    let effort = bench::Effort { cycles: args.cycles, runs: args.runs as usize };
    let designs: Vec<_> = args.preset.iter().map(|name| presets::preset(name)).collect::<Result<_>>()?;
    let speeds: Vec<_> = designs.iter().map(|params| bench::measure(params, effort)).collect::<Result<_>>()?;
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
    if bitline::sim::external::tool::find("verilator").is_none() {
        complain(format_args!(
            "SKIPPED: verilator is not installed; the commands are checked on the native engine only"
        ));
    }
    let mut bar = Bar::new("measurements");
    let figures = ccs_figures::figures(&geometry, args.seed, &mut |done, total| bar.at(done, total));
    bar.clear();
    let figures = figures?;
    let speeds = if args.speed { Some(ccs_speed::speed(&geometry, 200_000, 9)?) } else { None };
    print(&match args.format {
        Format::Json => {
            let mut value = serde_json::to_value(&figures).expect("numbers and strings always serialise");
            if let Some(speeds) = &speeds {
                value["speed"] = serde_json::to_value(speeds).expect("numbers and strings always serialise");
            }
            serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
        }
        Format::Md => {
            let speeds = speeds.map_or(String::new(), |speeds| format!("\n{}", ccs_speed::markdown(&speeds)));
            ccs_figures::markdown(&figures) + &speeds
        }
    })?;
    Ok(if figures.correct() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ccs_system(args: &CcsSystemArgs) -> Result<ExitCode> {
    let extent = if args.quick { Extent::Quick } else { Extent::Full };
    // It takes minutes: a folder that cannot be must be known before.
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    }
    let report = ccs_system::measure(&args.core, extent)?;
    let text = match args.format {
        Format::Json => report.json(),
        Format::Md => report.text(),
    };
    if let Some(folder) = &args.out {
        let mut files = vec![("ccs-system.md", report.text()), ("ccs-system.json", report.json())];
        files.extend(ccs_system::plots(&report));
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
    let _ = writeln!(std::io::stderr(), "{line}");
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
        let wave = WaveWriter::create(path, &machine.wave_signals())?;
        machine.record(wave);
    }
    let mut bar = Bar::new("commands");
    let outcome = job::run(&plan, machine.as_mut(), &mut |done, total| bar.at(done, total));
    bar.clear();
    // The wave of a run that failed is wanted most.
    let wave = machine.finish_wave();
    let outcome = outcome?;
    wave?;
    if outcome.failures.is_empty() {
        if let Some(folder) = &args.out {
            std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        }
        write_files(&outcome.files)?;
    }
    let mut text = outcome.printed.join("\n");
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&format!("{}\n", outcome.report));
    if outcome.failures.is_empty() {
        let wave = args.wave.iter().map(PathBuf::as_path);
        for path in outcome.files.iter().map(|(path, _)| Path::new(path)).chain(wave) {
            text.push_str(&format!("wrote {}\n", path.display()));
        }
    }
    print(&text)?;
    for failure in &outcome.failures {
        complain(format_args!("failed: {failure}"));
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The design asked for on the command line, else the program's.
fn params(args: &RunArgs, source: &job::Source) -> Result<Params> {
    match (&args.preset, &args.config, &source.design) {
        (Some(name), _, _) => bitline::presets::preset(name),
        (_, Some(path), _) => bitline::presets::load(path),
        (_, _, Some(design)) => design.value.params().map_err(|error| source.error(design.line, error)),
        _ => bitline::presets::preset("default"),
    }
}

fn cycles(args: &CyclesArgs) -> Result<ExitCode> {
    let selection = Selection {
        ops: args.op.clone(),
        widths: args.width.clone(),
        sensing: args.sensing.clone(),
        memory: args.memory.clone(),
        sets: args.set.clone(),
    };
    let mut bar = Bar::new("measurements");
    let rows = cycle_table::measure(&selection, args.engine, args.seed, &mut |done, total| bar.at(done, total));
    bar.clear();
    let rows = rows?;
    print(&match args.format {
        Format::Json => cycle_table::json(&rows),
        Format::Md => cycle_table::markdown(&rows),
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
