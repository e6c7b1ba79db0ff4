//! `bitline`: the other programs as its subcommands, completions for shells, manual pages.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::{Error, Result};
use bitline_sim::data::output::{print, write_files};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{cuda, r#gen, host, host_arguments, sim, sim_arguments};

/// Compute arrays inside caches: writes their hardware, simulates it, and talks to boards that have it.
#[derive(Parser)]
#[command(name = "bitline", version, about, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    Gen(r#gen::Arguments),
    Sim(sim_arguments::Cli),
    Host(host_arguments::Cli),
    /// Read PTX, the assembly language of CUDA, as sim cuda does, or list all its instructions
    Ptx(cuda::PtxArgs),
    /// Print the completions of a shell, for a file that it reads: `bitline completions bash`
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of this program, or write those of all its commands
    Man {
        /// Write a page for every command into this folder, such as /usr/local/share/man/man1
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Runs it.
pub fn main(cli: &Cli) -> ExitCode {
    let done = match &cli.command {
        Action::Gen(arguments) => return r#gen::main(arguments.clone()),
        Action::Sim(arguments) => return sim::main(arguments),
        Action::Host(arguments) => return host::main(arguments),
        Action::Ptx(arguments) => cuda::ptx(arguments),
        Action::Completions { shell } => print(&completions(*shell)),
        Action::Man { out } => man(out.as_deref()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bitline", &mut text);
    String::from_utf8(text).expect("names and help are text")
}

/// A page for a command and for each one below it, under the names that `man` knows them by: `bitline-sim-run.1`.
fn pages(command: &clap::Command, name: &str, into: &mut Vec<(String, Vec<u8>)>) {
    let mut page = Vec::new();
    Man::new(command.clone()).title(name.to_uppercase()).render(&mut page).expect("memory takes all that is written");
    into.push((format!("{name}.1"), page));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        pages(below, &format!("{name}-{}", below.get_name()), into);
    }
}

fn man(out: Option<&Path>) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let mut found = Vec::new();
    pages(&command, "bitline", &mut found);
    let Some(folder) = out else {
        return print(&String::from_utf8_lossy(&found[0].1));
    };
    std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    let files: Vec<_> = found.into_iter().map(|(name, page)| (folder.join(name), page)).collect();
    write_files(&files)?;
    print(&format!("{} pages in {}\n", files.len(), folder.display()))
}
