//! `gen`: writes a design for a target. Parse ─▶ resolve ─▶ elaborate ─▶ write.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use bitline::emit::output::{self, Change};
use bitline::generate::{Request, generate, list};
use bitline::sim::data::output::print;
use clap::Parser;

/// Writes a design as Verilog, with what its target needs.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// What to write: a board (vc709, arty-a7 or ecp5-evn), verilator, generic, or generic-asic
    #[arg(long, required_unless_present = "list")]
    target: Option<String>,
    /// What to build: compute-unit, the bit-serial array (default); for the targets generic and generic-asic also compute-cache, or ccs, the cache compute system.
    /// A board is a system of array and cache compute system, and takes no unit
    #[arg(long)]
    unit: Option<String>,
    /// Named parameters [default: default; vc709 for the board of this name and for ccs; tiny for other boards; l2 for compute-cache]
    #[arg(long, conflicts_with = "config")]
    preset: Option<String>,
    /// Parameters from a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Boards: clock of the design in MHz [default: 100; 60 for arty-a7 and ecp5-evn]
    #[arg(long, value_name = "MHZ")]
    clock: Option<u32>,
    /// Boards: bits a second on the UART [default: 3000000]
    #[arg(long, value_name = "N")]
    baud: Option<u32>,
    /// Boards with PCI Express (vc709): also write a Vivado project that has the units behind XDMA, with DDR3 as their memory, into the folder pcie
    #[arg(long)]
    pcie: bool,
    /// Output folder [default: build/<target>; build/<unit> or build/<unit>-asic for other units]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the test vectors [default: 1]
    #[arg(long, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Tell what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// List targets and presets
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments).and_then(|text| Ok(print(&text)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<String> {
    let Arguments { target, unit, preset, config, clock, baud, pcie, out, seed, dry_run, list: listed } = arguments;
    if listed {
        return Ok(list());
    }
    let begin = Instant::now();
    let made =
        generate(&Request { target: target.unwrap_or_default(), unit, preset, config, clock, baud, seed, pcie })?;
    let out = out.unwrap_or(made.folder);
    let plan = output::plan(&out, &made.files)?;
    let mut text = String::new();
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
