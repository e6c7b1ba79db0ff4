//! What other tools say about the emitted Verilog: nothing, or it is an error.

use std::path::Path;

use bitline::error::{Error, Result};
use bitline::kernel::netlist::Netlist;
use bitline::kernel::verilog::{Header, emit};
use bitline::sim::external::tool::{require, run, write_files};

/// Verilator's lint, Icarus and yosys on a netlist's Verilog, as far as they are installed; any word from them is an
/// error.
///
/// # Errors
/// [`Error::Tool`] with what the tool said.
pub fn quiet(netlist: &Netlist) -> Result<()> {
    simulators(netlist)?;
    yosys(netlist)
}

/// The same without yosys, which takes its time on large ROMs.
///
/// # Errors
/// [`Error::Tool`] with what the tool said.
pub fn simulators(netlist: &Netlist) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    let files = emit(netlist, &Header::default());
    write_files(folder.path(), &files)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let top = &netlist.top().name;
    if require("verilator").is_some() {
        let arguments = ["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", top];
        silent("verilator", &[&arguments, &names[..]].concat(), folder.path())?;
    }
    if require("iverilog").is_some() {
        let arguments = ["-Wall", "-g2005", "-t", "null", "-s", top];
        silent("iverilog", &[&arguments, &names[..]].concat(), folder.path())?;
    }
    Ok(())
}

fn yosys(netlist: &Netlist) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    let files = emit(netlist, &Header::default());
    write_files(folder.path(), &files)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let top = &netlist.top().name;
    if require("yosys").is_some() {
        // `check -assert` fails on undriven and multiply driven wires and on loops; latches are an error of their own.
        let script = format!(
            "read_verilog {}; hierarchy -check -top {top}; proc; check -assert; select -assert-none t:$dlatch",
            names.join(" ")
        );
        silent("yosys", &["-q", "-p", &script], folder.path())?;
    }
    Ok(())
}

fn silent(program: &str, arguments: &[&str], folder: &Path) -> Result<()> {
    let said = run(program, arguments, folder)?;
    if said.trim().is_empty() { Ok(()) } else { Err(Error::Tool { tool: program.into(), reason: said }) }
}
