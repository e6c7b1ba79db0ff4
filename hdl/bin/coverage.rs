//! `sim coverage`: what campaigns make a design do.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::Result;
use bitline_sim::coverage::verilator::beside;
use bitline_sim::coverage::{Order, Plan, html, markdown, missing};
use bitline_sim::data::output::{print, write_files};
use bitline_sim::regress::choice::Choice;
use clap::Args;

use crate::bar::Bar;
use crate::sim_arguments::Format;

/// The project from which the program was built: sources of blocks are read from there, if they are.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[derive(Args)]
pub struct CoverageArgs {
    /// Unit: array, compute-cache, ccs
    #[arg(long, default_value = "array")]
    unit: String,
    /// Preset
    #[arg(long, default_value = "tiny")]
    preset: String,
    /// Campaigns; the unit's usual ones unless given (see sim regress list)
    #[arg(long, value_delimiter = ',')]
    campaign: Vec<String>,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Size of each case, in what its campaign counts; the usual one unless given
    #[arg(long)]
    size: Option<u64>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
    /// List what was not covered, too
    #[arg(long)]
    missing: bool,
    /// Write a page with the lines of the blocks
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Run the same under Verilator, and compare its count of changed bits
    #[arg(long)]
    verilator: bool,
    /// Where the sources of the blocks are
    #[arg(long, value_name = "DIR", default_value = ROOT, hide_default_value = true)]
    source: PathBuf,
    /// Folder in which a simulator is built, and found again
    #[arg(long, value_name = "DIR", default_value = "build/simulators")]
    simulators: PathBuf,
}

pub fn coverage(args: &CoverageArgs) -> Result<ExitCode> {
    if args.verilator {
        Choice::Verilator.available()?;
    }
    let plan = Plan::new(Order {
        unit: args.unit.clone(),
        preset: args.preset.clone(),
        campaigns: args.campaign.clone(),
        seed: args.seed,
        seeds: args.seeds,
        size: args.size,
    })?;
    let mut bar = Bar::new("cases");
    let counted = plan.measure(&mut |done, total| bar.at(done, total));
    bar.clear();
    let counted = counted?;
    let second = if args.verilator {
        let mut bar = Bar::new("cases under Verilator");
        let second = beside(&plan, &counted, &args.simulators, &mut |done, total| bar.at(done, total));
        bar.clear();
        Some(second?)
    } else {
        None
    };
    if let Some(path) = &args.html {
        write_files(&[(path.clone(), html(&counted, Path::new(&args.source)).into_bytes())])?;
    }
    let text = match args.format {
        Format::Json => {
            let value = serde_json::json!({ "native": counted, "verilator": second });
            serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
        }
        Format::Md => {
            let mut text = markdown(&counted);
            text += &second.as_ref().map(|second| format!("\n{}", second.markdown())).unwrap_or_default();
            text += &if args.missing { missing(&counted, Path::new(&args.source)) } else { String::new() };
            text
        }
    };
    print(&text)?;
    let contradicted = second.is_some_and(|second| !second.wrong.is_empty());
    Ok(if contradicted { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
