//! `gen`: writes a design for a target. Parse ─▶ resolve ─▶ elaborate ─▶ write.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use bitline::blocks::{Top, design};
use bitline::emit::output::{self, Change};
use bitline::emit::{Project, Target};
use bitline::params::Params;
use bitline::presets::{self, PRESETS};
use bitline::sim::data::output::print;
use clap::Parser;

/// Writes a compute array as Verilog, with what its target needs.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// What to write: vc709, verilator or generic
    #[arg(long, required_unless_present = "list")]
    target: Option<String>,
    /// Named parameters
    #[arg(long, default_value = "default", conflicts_with = "config")]
    preset: String,
    /// Parameters from a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output folder [default: build/<target>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the test vectors
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
    /// Tell what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// List targets and presets
    #[arg(long)]
    list: bool,
}

/// What to do, with everything looked up and checked.
struct Job {
    params: Params,
    target: Target,
    top: Top,
    out: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments).and_then(|text| Ok(print(&text)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<String> {
    if arguments.list {
        return Ok(list());
    }
    let begin = Instant::now();
    let job = resolve(arguments)?;
    let netlist = design(&job.params, job.top).with_context(|| format!("design {}", job.params.name))?;
    let project = Project::new(&job.params, &netlist, arguments.seed);
    let files = project.files(job.target).with_context(|| format!("target {}", job.target))?;
    let plan = output::plan(&job.out, &files)?;
    let mut text = String::new();
    if arguments.dry_run {
        for (path, change) in &plan.changes {
            text += &format!("{change:8} {}\n", job.out.join(path).display());
        }
    } else {
        plan.install()?;
    }
    let changed = plan.changes.iter().filter(|c| c.1 != Change::Same).count();
    let verb = if arguments.dry_run { "would change" } else { "changed" };
    text += &format!(
        "{} for {}: {} files in {} ({changed} {verb}), {} modules, configuration {}, {} ms\n",
        job.params.name,
        job.target,
        files.len(),
        job.out.display(),
        netlist.modules.len(),
        project.hash(),
        begin.elapsed().as_millis(),
    );
    Ok(text)
}

fn resolve(arguments: &Arguments) -> Result<Job> {
    let target = Target::named(arguments.target.as_deref().unwrap_or_default())?;
    let params = match &arguments.config {
        Some(path) => presets::load(path)?,
        None => presets::preset(&arguments.preset)?,
    };
    params.check()?;
    let top = if target == Target::Vc709 { Top::Vc709 } else { Top::Registers };
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("build").join(target.name()));
    Ok(Job { params, target, top, out })
}

fn list() -> String {
    let mut text = String::from("targets:\n");
    for target in Target::ALL {
        text += &format!("  {target:10} {}\n", target.summary());
    }
    text += "presets:\n";
    for preset in &PRESETS {
        text += &format!("  {:10} {}\n", preset.name, preset.summary);
    }
    text
}
