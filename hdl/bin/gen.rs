//! `gen`: writes a design for a target. Parse ─▶ resolve ─▶ elaborate ─▶ write.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use bitline_emit::generate::{Request, generate};
use bitline_emit::list;
use bitline_emit::output::{self, Change};
use bitline_kernel::error::visible;
use bitline_sim::data::element::whole;
use bitline_sim::data::output::print;
use clap::Parser;

/// Writes a design as Verilog, with what its target needs.
#[derive(Clone, Parser)]
#[command(version)]
pub struct Arguments {
    #[arg(long, required_unless_present = "list", help = list::target_help())]
    target: Option<String>,
    #[arg(long, help = list::unit_help())]
    unit: Option<String>,
    #[arg(long, conflicts_with = "config", help = list::preset_help())]
    preset: Option<String>,
    /// Parameters from a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[arg(long, value_name = "MHZ", help = list::clock_help(), value_parser = whole::<u32>)]
    clock: Option<u32>,
    #[arg(long, value_name = "N", help = list::baud_help(), value_parser = whole::<u32>)]
    baud: Option<u32>,
    #[arg(long, help = list::pcie_help())]
    pcie: bool,
    /// Output folder [default: build/<target>; build/<unit> or build/<unit>-asic for other units]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the test vectors [default: 1]
    #[arg(long, allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Tell what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// List targets, units and presets
    #[arg(long)]
    list: bool,
    /// With --list: for programs, a fact a line, words apart by tabs
    #[arg(long, requires = "list")]
    facts: bool,
}

pub fn main(arguments: Arguments) -> ExitCode {
    match run(arguments).and_then(|text| Ok(print(&text)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {}", visible(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<String> {
    let Arguments { target, unit, preset, config, clock, baud, pcie, out, seed, dry_run, list: listed, facts } =
        arguments;
    if listed {
        return Ok(if facts { list::facts() } else { list::list() });
    }
    let begin = Instant::now();
    let made =
        generate(&Request { target: target.unwrap_or_default(), unit, preset, config, clock, baud, seed, pcie })?;
    let out = out.unwrap_or(made.folder);
    let plan = output::plan(&out, &made.files)?;
    let mut text = String::new();
    let keeps = if dry_run { "would keep" } else { "kept" };
    for (path, copy) in &plan.kept {
        text += &format!("{keeps} {}, which was edited, as {copy}\n", out.join(path).display());
    }
    if dry_run {
        for (path, change) in &plan.changes {
            text += &format!("{change:8} {}\n", out.join(path).display());
        }
    } else {
        plan.install()?;
    }
    let changed = plan.changes.iter().filter(|c| c.1 != Change::Same).count();
    let verb = if dry_run { "would change" } else { "changed" };
    text += &format!(
        "{}: {} files in {} ({changed} {verb}), {} modules, configuration {}, {} ms\n",
        made.what,
        made.files.len(),
        out.display(),
        made.modules,
        made.hash,
        begin.elapsed().as_millis(),
    );
    Ok(text)
}
