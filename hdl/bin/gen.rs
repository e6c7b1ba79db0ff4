//! `gen`: writes a design for a target. Parse ─▶ resolve ─▶ elaborate ─▶ write.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use bitline::blocks::ccs::ccs_top;
use bitline::blocks::compute_cache::compute_cache_top;
use bitline::blocks::{Top, design};
use bitline::cache::{CACHE_PRESETS, CacheGeometry};
use bitline::ccs::{CCS_PRESETS, CcsGeometry};
use bitline::emit::output::{self, Change, Files};
use bitline::emit::{self, Project, Target, compute_cache};
use bitline::error::Error;
use bitline::params::{MemoryPort, Params};
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
    /// What to build: compute-unit, the bit-serial array; for the target generic also compute-cache, or ccs, the cache compute system
    #[arg(long, default_value = "compute-unit")]
    unit: String,
    /// Named parameters [default: default; l2 for compute-cache; vc709 for ccs]
    #[arg(long, conflicts_with = "config")]
    preset: Option<String>,
    /// Parameters from a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output folder [default: build/<target>; build/<unit> for other units]
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
    match arguments.unit.as_str() {
        "compute-unit" => {}
        "compute-cache" => return cache(arguments, begin),
        "ccs" => return cache_compute_system(arguments, begin),
        other => return Err(Error::parameter("unit", other, "must be compute-unit, compute-cache or ccs").into()),
    }
    let job = resolve(arguments)?;
    let netlist = design(&job.params, job.top).with_context(|| format!("design {}", job.params.name))?;
    let project = Project::new(&job.params, &netlist, arguments.seed);
    let files = project.files(job.target).with_context(|| format!("target {}", job.target))?;
    let what = format!("{} for {}", job.params.name, job.target);
    write(arguments, &what, &job.out, &files, netlist.modules.len(), &project.hash(), begin)
}

/// A compute cache.
fn cache(arguments: &Arguments, begin: Instant) -> Result<String> {
    let target = Target::named(arguments.target.as_deref().unwrap_or_default())?;
    generic(target)?;
    let geometry = match &arguments.config {
        Some(path) => CacheGeometry::load(path)?,
        None => CacheGeometry::preset(arguments.preset.as_deref().unwrap_or("l2"))?,
    };
    let netlist = compute_cache_top(&geometry).with_context(|| format!("geometry {}", geometry.name))?;
    let files = compute_cache::files(&geometry, &netlist);
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("build/compute-cache"));
    let what = format!("{} for {target}", geometry.name);
    write(arguments, &what, &out, &files, netlist.modules.len(), &compute_cache::hash(&geometry), begin)
}

/// A cache compute system.
fn cache_compute_system(arguments: &Arguments, begin: Instant) -> Result<String> {
    let target = Target::named(arguments.target.as_deref().unwrap_or_default())?;
    generic(target)?;
    let geometry = match &arguments.config {
        Some(path) => CcsGeometry::load(path)?,
        None => CcsGeometry::preset(arguments.preset.as_deref().unwrap_or("vc709"))?,
    };
    let netlist = ccs_top(&geometry).with_context(|| format!("geometry {}", geometry.name))?;
    let files = emit::ccs::files(&geometry, &netlist);
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("build/ccs"));
    let what = format!("{} for {target}", geometry.name);
    write(arguments, &what, &out, &files, netlist.modules.len(), &emit::ccs::hash(&geometry), begin)
}

/// Other units than the bit-serial one are for the generic target.
fn generic(target: Target) -> Result<()> {
    if target != Target::Generic {
        return Err(Error::parameter("target", target, "must be generic for this unit").into());
    }
    Ok(())
}

fn write(
    arguments: &Arguments,
    what: &str,
    out: &Path,
    files: &Files,
    modules: usize,
    hash: &str,
    begin: Instant,
) -> Result<String> {
    let plan = output::plan(out, files)?;
    let mut text = String::new();
    if arguments.dry_run {
        for (path, change) in &plan.changes {
            text += &format!("{change:8} {}\n", out.join(path).display());
        }
    } else {
        plan.install()?;
    }
    let changed = plan.changes.iter().filter(|c| c.1 != Change::Same).count();
    let verb = if arguments.dry_run { "would change" } else { "changed" };
    text += &format!(
        "{what}: {} files in {} ({changed} {verb}), {modules} modules, configuration {hash}, {} ms\n",
        files.len(),
        out.display(),
        begin.elapsed().as_millis(),
    );
    Ok(text)
}

fn resolve(arguments: &Arguments) -> Result<Job> {
    let target = Target::named(arguments.target.as_deref().unwrap_or_default())?;
    let params = match &arguments.config {
        Some(path) => presets::load(path)?,
        None => presets::preset(arguments.preset.as_deref().unwrap_or("default"))?,
    };
    params.check()?;
    if target == Target::Vc709 && params.memory_port != MemoryPort::None {
        let rule = "must be none with target vc709: the board's top has no memory yet";
        return Err(Error::parameter("memory_port", params.memory_port.name(), rule).into());
    }
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
    text += "geometries (--unit compute-cache):\n";
    for (name, summary, _) in &CACHE_PRESETS {
        text += &format!("  {name:10} {summary}\n");
    }
    text += "geometries (--unit ccs):\n";
    for (name, summary, _) in &CCS_PRESETS {
        text += &format!("  {name:10} {summary}\n");
    }
    text
}
