//! `sim cuda-report`: figures of Duality Cache on the model of the system, beside the CPU of this machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use bitline_kernel::error::{Error, Result};
use bitline_sim::data::output::{print, write_files};
use bitline_sim::units::duality::report::{Table, Wanted, plots, report};
use clap::Args;

use crate::bar::Bar;
use crate::sim_arguments::Format;

/// The table of programs in the sources.
const TABLE: &str = "examples/cuda/report.toml";

#[derive(Args)]
pub struct FiguresArgs {
    /// Server, programs and sizes (TOML); PTX and sources are beside it
    #[arg(default_value = TABLE)]
    table: PathBuf,
    /// Only these figures of the paper, 6 to 14
    #[arg(long, value_delimiter = ',', value_name = "NUMBER")]
    figure: Vec<u32>,
    /// Only these programs of the table
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    program: Vec<String>,
    /// Small sizes: whether everything runs takes seconds, and figures say nothing
    #[arg(long)]
    quick: bool,
    /// Form of what is printed
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
    /// Also write tables, JSON and plots (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `sim cuda-report`.
pub fn run(args: &FiguresArgs) -> Result<ExitCode> {
    let wanted = Wanted::new(&args.figure, args.quick)?;
    let table = Table::read(&args.table)?;
    table.chosen(&args.program)?;
    // It takes minutes: a folder that cannot be must be known before.
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    }
    let bar = Mutex::new(Bar::new("programs"));
    let at = |done: u64, total: u64| {
        if let Ok(mut bar) = bar.lock() {
            bar.at(done, total);
        }
    };
    let found = report(&table, &args.program, &wanted, &at);
    if let Ok(bar) = bar.lock() {
        bar.clear();
    }
    let found = found?;
    if let Some(folder) = &args.out {
        let texts = [("report.md".to_string(), found.markdown()), ("report.json".to_string(), found.json())];
        let files = texts.into_iter().chain(plots::plots(&found));
        let files: Vec<_> = files.map(|(name, text)| (folder.join(name), text.into_bytes())).collect();
        write_files(&files)?;
    }
    print(&match args.format {
        Format::Json => found.json(),
        Format::Md => found.markdown(),
    })?;
    Ok(ExitCode::SUCCESS)
}
