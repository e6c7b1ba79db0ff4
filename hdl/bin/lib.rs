//! The programs: arguments, and what is printed. All else is in the library.
//!
//! `bitline` has the subcommands `gen`, `sim`, `host` and `ptx`. It alone is installed: a program called `host` would
//! hide the tool of this name that asks name servers. In the sources each of the three also runs under its own name.

mod bar;
mod coverage;
mod cuda;
mod cuda_board;
mod cuda_device;
mod cuda_figures;
mod cuda_profile;
mod cuda_progress;
mod cuda_report;
mod cuda_source;
mod duality;
mod r#gen;
mod host;
mod host_arguments;
mod host_duality;
mod program;
mod regress;
mod sim;
mod sim_arguments;

use std::process::ExitCode;

use clap::Parser;

/// The program `bitline`.
#[must_use]
pub fn bitline() -> ExitCode {
    program::main(&program::Cli::parse())
}

/// The program `gen`.
#[must_use]
pub fn r#gen() -> ExitCode {
    r#gen::main(r#gen::Arguments::parse())
}

/// The program `sim`.
#[must_use]
pub fn sim() -> ExitCode {
    sim::main(&sim_arguments::Cli::parse())
}

/// The program `host`.
#[must_use]
pub fn host() -> ExitCode {
    host::main(&host_arguments::Cli::parse())
}

/// How a program of the sources is called where this one runs: `host`, or `bitline host` where that is what was
/// started.
fn called(name: &str) -> String {
    let own = std::env::args_os().next().map(std::path::PathBuf::from);
    match own.as_ref().and_then(|path| path.file_stem()) {
        Some(stem) if stem == name => name.to_string(),
        _ => format!("bitline {name}"),
    }
}
