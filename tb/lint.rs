//! What other tools say about the emitted Verilog: nothing, or it is an error.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use bitline::error::{Error, Result};
use bitline::kernel::netlist::Netlist;
use bitline::kernel::verilog::{Header, emit};
use bitline::sim::external::tool::{deep, require, run, write_files};

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
    let files = emitted(netlist);
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

/// A netlist's Verilog, as the tools are given it.
fn emitted(netlist: &Netlist) -> Vec<(String, String)> {
    emit(netlist, &Header::default()).into_iter().map(|(name, text)| (name, shortened(&text))).collect()
}

/// Verilog with the first words of each ROM alone. Tools spend most of their time on the others, of which each is a
/// statement like the first: what they are, the models that are built of the text compare. With `BITLINE_DEEP=1` all
/// stay.
pub fn shortened(text: &str) -> String {
    const BEGIN: &str = "\n  initial begin\n";
    const END: &str = "  end\n";
    // `    NAME[64] = 42'h69;`
    let memory =
        |block: &str| Some(block.trim_start().split_once('[').filter(|(_, rest)| rest.contains("] = "))?.0.to_string());
    let mut blocks = text.split(BEGIN);
    let mut short = blocks.next().unwrap_or_default().to_string();
    let mut last = None;
    for block in blocks {
        let name = memory(block.lines().next().unwrap_or_default());
        match block.split_once(END) {
            Some((_, rest)) if !deep() && name.is_some() && name == last => short += rest,
            _ => short = short + BEGIN + block,
        }
        last = name;
    }
    short
}

/// A copy of a folder that was generated, with Verilog that is [`shortened`].
pub fn shortened_copy(out: &Path) -> TempDir {
    fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let (path, to) = {
                let entry = entry?;
                (entry.path(), to.join(entry.file_name()))
            };
            if path.is_dir() {
                copy(&path, &to)?;
            } else if path.extension().is_some_and(|kind| kind == "v") {
                fs::write(to, shortened(&fs::read_to_string(path)?))?;
            } else {
                fs::copy(path, to)?;
            }
        }
        Ok(())
    }
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    copy(out, folder.path()).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
    folder
}

fn yosys(netlist: &Netlist) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    let files = emitted(netlist);
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

#[test]
fn roms_are_shortened_and_nothing_else() {
    let block = |name: &str, from: usize| {
        let words: String = (from..from + 64).map(|at| format!("    {name}[{at}] = 8'h{at:x};\n")).collect();
        format!("\n  initial begin\n{words}  end\n")
    };
    let plain = "\n  initial begin\n    a = 1;\n  end\n";
    let text = |more: &[String]| format!("module m;\n{}{plain}{}\n  assign a = 1;\nendmodule\n", more[0], more[1]);
    let long = text(&[block("rom", 0) + &block("rom", 64) + &block("rom", 128), block("other", 0) + plain]);
    let short = text(&[block("rom", 0), block("other", 0) + plain]);
    assert_eq!(shortened(&long), if deep() { long } else { short.clone() });
    assert_eq!(shortened(&short), short);
}
