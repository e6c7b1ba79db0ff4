//! Netlist ─▶ shared library: Verilog, Verilator, a generated C interface, the C++ compiler.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Build;
use super::compiler::Compiler;
use super::contents::{Contents, taken};
use super::units::{Units, include_flags};
use crate::error::{Error, Result};
use crate::external::names::{Names, Spot};
use crate::external::tool::{build_once, content_folder, find, run, write_files};
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Direction, Netlist};
use crate::kernel::verilog::{Header, emit};

/// A shared library, and what its model's ROMs must be filled with.
pub(super) type Compiled = (PathBuf, Vec<Contents>);

/// Builds the shared library, or finds it.
pub(super) fn compile(
    netlist: &Netlist,
    flat: &Flat,
    names: &Names,
    folder: &Path,
    how: Build,
    watchers: &[(&str, &str)],
) -> Result<Compiled> {
    let tool = |reason: &str| Error::Tool { tool: "verilator".into(), reason: reason.into() };
    let version = find("verilator").ok_or_else(|| tool("is not installed"))?.version;
    let folder = &std::path::absolute(folder).map_err(|e| Error::file(folder, e))?;
    let mut files = emit(netlist, &Header::default());
    let mut contents = vec![];
    for (name, text) in files.iter_mut().filter(|_| how != Build::Fast) {
        let (rest, own) = taken(name, text);
        *text = rest;
        contents.extend(own);
    }
    let verilog: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    files.push(("shim.cpp".into(), shim(netlist)));
    files.extend(watchers.iter().map(|(name, text)| (name.to_string(), text.to_string())));
    if how != Build::Fast {
        let filled = |module: &str, name: &str| contents.iter().any(|contents| contents.fills(module, name));
        files.push(("access.vlt".into(), access(netlist, flat, names, how, filled)));
    }
    let compiler = how.compiler()?;
    let key = format!("{version} {how:?} {}", compiler.key());
    let target = content_folder(folder, &netlist.top().name, &files, &key);
    build_once(&target, |work| {
        write_files(work, &files)?;
        let root = run("verilator", &["--getenv", "VERILATOR_ROOT"], work)?;
        let include = Path::new(root.trim()).join("include");
        let mut arguments = vec!["--cc", "-Wall", "--language", "1364-2005", "--prefix", "Vdut", "--Mdir", "cpp"];
        arguments.extend(compiler.verilator_flags());
        arguments.extend(["--top-module", &netlist.top().name]);
        if how == Build::Covered {
            arguments.extend(["--coverage-toggle", "--coverage-max-width", "1024"]);
        }
        arguments.extend((how != Build::Fast).then_some("access.vlt"));
        arguments.extend(verilog.iter().map(String::as_str));
        if !watchers.is_empty() {
            arguments.extend(["--assert", "+1800-2017ext+sv"]);
            arguments.extend(watchers.iter().map(|(name, _)| *name));
        }
        let said = run("verilator", &arguments, work)?;
        if !said.trim().is_empty() {
            return Err(tool(&said));
        }
        let runtime = runtime(folder, &include, &version, how, &compiler)?;
        compile_cpp(work, &include, &runtime, how, &compiler)
    })?;
    Ok((target.join(LIBRARY), contents))
}

pub(super) const LIBRARY: &str = "libdut.so";

/// The header that everything includes, in a compiler's own form: clang takes half of the time for a small design.
pub(super) const HEADERS: &str = "verilated.h.pch";

/// The shared library, from Verilator's C++ and the shim.
pub(super) fn compile_cpp(work: &Path, include: &Path, runtime: &Path, how: Build, compiler: &Compiler) -> Result<()> {
    let flags: &[&str] = if how == Build::Covered { &["-DVM_COVERAGE=1"] } else { &[] };
    let link = ["-shared", "-Wl,-Bsymbolic", "-o", LIBRARY];
    let units = Units { folder: "cpp", main: "shim.cpp", flags, compiler, link: &link, written: how != Build::Fast };
    units.compile(work, include, runtime)
}

/// Verilator's runtime, compiled once for all designs, and beside it [its header](HEADERS), compiled by clang.
pub(super) fn runtime(
    folder: &Path,
    include: &Path,
    version: &str,
    how: Build,
    compiler: &Compiler,
) -> Result<PathBuf> {
    let key = format!("{version} {how:?} {} {HEADERS}", compiler.key());
    let target = content_folder(folder, "verilator-runtime", &[], &key);
    build_once(&target, |work| {
        let mut text = vec!["verilated.cpp", "verilated_threads.cpp", "verilated_dpi.cpp"];
        text.extend((how == Build::Covered).then_some("verilated_cov.cpp"));
        let text: String = text.iter().map(|name| format!("#include \"{}\"\n", include.join(name).display())).collect();
        write_files(work, &[("runtime.cpp".into(), text)])?;
        let folders = include_flags(include);
        let mut arguments = vec!["-c", "-o", "runtime.o", compiler.effort, "runtime.cpp"];
        let flags = (how == Build::Covered).then_some("-DVM_COVERAGE=1");
        arguments.extend(flags.into_iter().chain(folders.iter().map(String::as_str)));
        compiler.run(&arguments, work)?;
        let header = include.join("verilated.h").display().to_string();
        let mut arguments = vec!["-x", "c++-header", "-o", HEADERS, compiler.effort, header.as_str()];
        arguments.extend(flags.into_iter().chain(folders.iter().map(String::as_str)));
        if compiler.precompiles() { compiler.run(&arguments, work) } else { Ok(()) }
    })?;
    Ok(target.join("runtime.o"))
}

/// Which variables Verilator keeps: those that hold state to be read and written, nets to be read. ROMs are written if
/// they are `filled` once the model is there.
fn access(netlist: &Netlist, flat: &Flat, names: &Names, how: Build, filled: impl Fn(&str, &str) -> bool) -> String {
    let mut text = "`verilator_config\n".to_string();
    let mut lines: Vec<String> = Vec::new();
    let module = |instance: usize| &netlist.module(names.instances[instance].1).name;
    for (net, spot) in flat.nets.iter().zip(&names.nets) {
        if let Spot::Variable(instance, name) = spot {
            let register = matches!(net.driver, FlatDriver::Register(_));
            if !register && !how.opens() {
                continue;
            }
            let access = if register { "rw" } else { "rd" };
            lines.push(format!("public_flat_{access} -module \"{}\" -var \"{name}\"", module(*instance)));
        }
    }
    for (memory, (instance, name)) in flat.memories.iter().zip(&names.memories) {
        let module = module(*instance);
        let access = if memory.contents.is_none() || filled(module, name) { "rw" } else { "rd" };
        lines.push(format!("public_flat_{access} -module \"{module}\" -var \"{name}\""));
    }
    lines.sort();
    lines.dedup();
    lines.iter().for_each(|line| _ = writeln!(text, "{line}"));
    text
}

/// The C interface. Ports are numbered: clock 0, reset 1, then the module's own.
fn shim(netlist: &Netlist) -> String {
    let top = netlist.top();
    let mut cases = String::new();
    // Verilator spells two underscores in a row in its own way.
    let spelled = |name: &str| name.replace("__", "___05F");
    let mut case =
        |number: usize, name: &str| _ = writeln!(cases, "    case {number}: return (void*)&s->dut.{};", spelled(name));
    if top.clocked {
        case(0, "clk");
    }
    if top.resettable {
        case(1, "rst");
    }
    for (number, port) in top.ports.iter().enumerate() {
        assert!(matches!(port.direction, Direction::Input | Direction::Output));
        case(number + 2, &top.net(port.net).name);
    }
    let tick =
        if top.clocked { "s->dut.clk = 1; s->dut.eval(); s->dut.clk = 0; s->dut.eval();" } else { "s->dut.eval();" };
    format!(
        r#"#include "Vdut.h"
#include "verilated.h"
#include "verilated_sym_props.h"
#define BITLINE extern "C" __attribute__((visibility("default")))
double sc_time_stamp() {{ return 0; }}
struct Sim {{
    VerilatedContext context;
    Vdut dut;
    Sim() : dut{{&context, "TOP"}} {{ }}
    // The runtime asks the thread for its context, when a model is destroyed, too: it must be this model's, and never
    // one that is gone.
    Sim* use() {{ Verilated::threadContextp(&context); return this; }}
    ~Sim() {{ use(); }}
}};
BITLINE void* bitline_new() {{
    Sim* s = new Sim;
    bitline_written = true;
    s->dut.eval();
    return s;
}}
BITLINE void bitline_delete(void* p) {{ delete (Sim*)p; Verilated::threadContextp(nullptr); }}
BITLINE void bitline_eval(void* p, int written) {{
    bitline_written = written;
    ((Sim*)p)->use()->dut.eval();
}}
BITLINE void bitline_run(void* p, unsigned long long cycles) {{
    Sim* s = ((Sim*)p)->use();
    bitline_written = false;
    for (unsigned long long i = 0; i < cycles; ++i) {{ {tick} }}
}}
BITLINE void* bitline_port(void* p, int number) {{
    Sim* s = (Sim*)p;
    (void)s;
    switch (number) {{
{cases}    }}
    return nullptr;
}}
BITLINE void* bitline_find(void* p, const char* scope, const char* name, size_t* size) {{
    const VerilatedScope* found = ((Sim*)p)->context.scopeFind(scope);
    VerilatedVar* var = found ? found->varFind(name) : nullptr;
    if (!var) return nullptr;
    *size = var->entSize();
    return var->datap();
}}
#if VM_COVERAGE
#include "verilated_cov.h"
BITLINE void bitline_coverage(void* p, const char* file) {{ ((Sim*)p)->use()->context.coveragep()->write(file); }}
#endif
"#
    )
}
