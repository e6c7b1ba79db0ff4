//! A cache compute system on a real processor: programs in C, measured beside plain C on the same processor, under
//! Verilator.
//!
//! ```text
//!  program RAM ─▶ processor ─▶ cache compute system ─▶ line memory, 512 KiB
//! ```
//!
//! Two processors take turns; `scripts/host-core.sh` fetches them. PicoRV32 has its fast multiplier, barrel shifter and
//! divider. Its instructions come without wait states from a RAM of their own, over the look-ahead interface; its data
//! go through the system's cache, over the plain interface. It is a state machine that takes three to five cycles an
//! instruction, and a load that finds its line in the cache takes eight; the paper's MB-Lite is a pipeline of five
//! stages that retires up to one instruction a cycle. VexRiscv is such a pipeline, with caches of 4 KiB, a barrel
//! shifter and a multiplier that takes one in a cycle. Its loops work on a RAM of its own that answers every beat of a
//! burst at once: as fast as such a core can be. Commands it gives over its Wishbone port for data, uncached; operands
//! that fit the system's cache are there. So its figures are the harder ones, and the exit status looks at them: it
//! is measured with one read port to memory and with two, and the better of both designs counts. Beside
//! every speed-up stands the same beside an ideal core, whose cycles are the instructions that this one retires in the
//! loop.
//!
//! System, programs and counters are in `sim/units/ccs/system`; what is compiled is what `gen` writes. Compiler: `-O2
//! -march=rv32im`, vectors `restrict`, every loop as a C programmer writes it, without calls of `memcpy` or `memset` in
//! its place. A command's cycles are those of all of its call, from the first store to its result in a register; how
//! long vectors are is known to the compiler, where they are is not. Vectors that fit the cache are there for loop and
//! command.

mod account;
mod beside;
mod plots;
mod report;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::{ccs, line_memory::ccs_line_memory};
use crate::emit::ccs::HEADER_PATH;
use crate::emit::unit::{hash, software};
use crate::error::{Error, Result};
use crate::external::tool::{cache_folder, run, write_files};
use crate::external::verilator::program::Program;
use crate::kernel::netlist::{Direction, Netlist};
use crate::kernel::verilog::{Header, emit};

pub use account::Account;
pub use beside::Beside;
pub use plots::plots;
pub use report::{Application, Check, Command, Cost, PAPER_APPLICATIONS, PAPER_COMMANDS, Report};

/// The compiler for the processor.
pub const COMPILER: &str = "riscv64-unknown-elf-gcc";
const COPIER: &str = "riscv64-unknown-elf-objcopy";
/// Bytes of main memory.
pub const MEMORY: usize = 512 * 1024;
/// Where `scripts/host-core.sh` puts PicoRV32.
pub const CORE: &str = "build/host-core/picorv32.v";
/// Where it puts VexRiscv.
pub const PIPELINED_CORE: &str = "build/host-core/VexRiscv_Full.v";
/// The module of VexRiscv with its RAMs, in the place of PicoRV32's.
const PIPELINED_HOST: &str = include_str!("system/pipelined_host.v");

/// Text of the system that is measured, by file name.
pub const SYSTEM: [(&str, &str); 4] = [
    ("ccs_system.v", include_str!("system/ccs_system.v")),
    ("processor_host.v", include_str!("system/processor_host.v")),
    ("external.vlt", include_str!("system/external.vlt")),
    ("main.cpp", include_str!("system/main.cpp")),
];
/// Its program.
pub const FIRMWARE: [(&str, &str); 6] = [
    ("firmware.h", include_str!("system/firmware.h")),
    ("firmware.c", include_str!("system/firmware.c")),
    ("commands.c", include_str!("system/commands.c")),
    ("applications.c", include_str!("system/applications.c")),
    ("start.S", include_str!("system/start.S")),
    ("link.ld", include_str!("system/link.ld")),
];

/// A processor that the system is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Core {
    /// A state machine.
    PicoRv32,
    /// A pipeline with caches.
    VexRiscv,
}

impl Core {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Core::PicoRv32 => "PicoRV32",
            Core::VexRiscv => "VexRiscv",
        }
    }

    /// The port that is measured, and what its loops in C work on.
    pub fn port(self) -> &'static str {
        match self {
            Core::PicoRv32 => {
                "its plain memory interface, which is the cache compute system's processor port; loops find their \
                 vectors in the system's cache, if they fit"
            }
            Core::VexRiscv => {
                "its Wishbone port for data, behind a data cache of 4 KiB that writes through; commands are given \
                 uncached over it, loops find their vectors in that cache, if they fit, or in a RAM that answers \
                 every beat at once"
            }
        }
    }

    /// Name of the file in which the simulator looks for it.
    fn file(self) -> &'static str {
        match self {
            Core::PicoRv32 => "picorv32.v",
            Core::VexRiscv => "VexRiscv_Full.v",
        }
    }
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every command at 64 elements, and the paper's best at its 1024; the applications, but the matrix product without
    /// its loop in C.
    Quick,
    /// Every command at 64 to 4096 elements too.
    Full,
}

/// Builds the system, with so many read ports, and its program, runs it and reads what it says. `verilog` is the
/// processor's file.
///
/// # Errors
/// [`Error::File`] if the core is not there; [`Error::Tool`] if a tool is missing or fails, or if a result is wrong.
pub fn measure(core: Core, verilog: &Path, read_ports: usize, extent: Extent) -> Result<Report> {
    let geometry = CcsGeometry { read_ports, ..CcsGeometry::preset("vc709")? };
    let text = fs::read_to_string(verilog).map_err(|e| Error::file(verilog, e))?;
    let simulator = simulator(&geometry, core, text)?;
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    compile(&geometry, core, extent, folder.path())?;
    let begin = Instant::now();
    let said = run(&simulator.display().to_string(), &[], folder.path())?;
    Report::parse(&geometry, core, &said, begin.elapsed())
}

/// The system under Verilator, as a program.
fn simulator(geometry: &CcsGeometry, core: Core, verilog: String) -> Result<PathBuf> {
    let netlist = ccs(geometry)?;
    let memory = ccs_line_memory(geometry, MEMORY / geometry.line_bytes())?;
    let header = Header { preset: geometry.name.clone(), hash: hash(geometry) };
    let mut files = emit(&netlist, &header);
    files.extend(emit(&memory, &header));
    files.push(("ccs_with_memory.v".into(), together(&netlist, &memory)));
    files.push((core.file().into(), verilog));
    files.extend(SYSTEM.map(|(name, text)| match (core, name) {
        (Core::VexRiscv, "processor_host.v") => (name.into(), PIPELINED_HOST.into()),
        _ => (name.into(), text.into()),
    }));
    let arguments = format!(
        "-Wall --x-assign fast --x-initial fast --noassert --timescale 1ns/1ps --top-module ccs_system -y . \
         external.vlt ccs_system.v {}",
        core.file()
    );
    let program = Program {
        name: "ccs-system",
        arguments: &arguments,
        prefix: "Vccs_system",
        main: "main.cpp",
        flags: &["-DACCOUNT"],
        effort: "-O1",
    };
    program.build(&cache_folder(), &files)
}

/// A module with both: their ports of the same name are connected, the others are its own.
fn together(system: &Netlist, memory: &Netlist) -> String {
    let ports = |netlist: &Netlist| -> Vec<(String, u32, Direction)> {
        let top = netlist.top();
        let port = |p: &crate::kernel::netlist::Port| (top.net(p.net).name.clone(), top.net(p.net).width, p.direction);
        top.ports.iter().map(port).collect()
    };
    let (own, inner) = (ports(system), ports(memory));
    let range = |width: u32| if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) };
    let shared = |name: &str| inner.iter().any(|(other, ..)| other == name);
    let outer = own.iter().filter(|(name, ..)| !shared(name)).map(|(name, width, direction)| {
        let direction = if *direction == Direction::Input { "input " } else { "output" };
        format!("  {direction} wire {}{name}", range(*width))
    });
    let mut text = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n// A cache compute system with its memory.\n\n`default_nettype \
         none\n\n\
         module ccs_with_memory (\n  input  wire clk,\n  input  wire rst,\n{}\n);\n",
        outer.collect::<Vec<_>>().join(",\n")
    );
    let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
    for (name, width, _) in own.iter().filter(|(name, ..)| shared(name)) {
        line(format!("  wire {}{name};", range(*width)));
    }
    for (netlist, ports, instance) in [(system, &own, "system"), (memory, &inner, "memory")] {
        let connections: Vec<String> = ports.iter().map(|(name, ..)| format!(".{name}({name})")).collect();
        line(format!(
            "\n  {} {instance} (\n    .clk(clk),\n    .rst(rst),\n    {}\n  );",
            netlist.top().name,
            connections.join(",\n    ")
        ));
    }
    line("endmodule\n\n`default_nettype wire".into());
    text
}

/// Compiles the program into `firmware.hex`.
fn compile(geometry: &CcsGeometry, core: Core, extent: Extent, folder: &Path) -> Result<()> {
    write_files(folder, &FIRMWARE.map(|(name, text)| (name.into(), text.into())))?;
    let quick = format!("-DQUICK={}", u8::from(extent == Extent::Quick));
    let mut sources = vec![&quick[..], "start.S", "firmware.c", "commands.c", "applications.c"];
    if core == Core::VexRiscv {
        // Its variables and its stack are in its own RAM.
        let script = FIRMWARE[5].1.replace("ORIGIN = 0x400,", "ORIGIN = 0x50000400,").replace("0x7ff00", "0x5007ff00");
        write_files(folder, &[("link.ld".into(), script)])?;
        sources.push("-DPIPELINED");
    }
    image(geometry, &sources, folder)
}

/// Compiles sources in the folder, with the geometry's header beside them, into `firmware.hex`.
///
/// # Errors
/// [`Error::Tool`] if a tool is missing or fails.
pub fn image(geometry: &CcsGeometry, sources: &[&str], folder: &Path) -> Result<()> {
    let written = software(geometry);
    let header = written.get(HEADER_PATH).unwrap_or_default();
    write_files(folder, &[("bitline_ccs.h".into(), header.into())])?;
    let arguments = "-march=rv32im -mabi=ilp32 -O2 -std=c99 -Wall -Wextra -Werror -pedantic -ffreestanding -nostdlib \
                     -fno-tree-loop-distribute-patterns -I. -T link.ld -o firmware.elf";
    let all: Vec<&str> = arguments.split_whitespace().chain(sources.iter().copied()).chain(["-lgcc"]).collect();
    run(COMPILER, &all, folder)?;
    run(COPIER, &["-O", "binary", "firmware.elf", "firmware.bin"], folder)?;
    let path = folder.join("firmware.bin");
    let program = fs::read(&path).map_err(|e| Error::file(&path, e))?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |all, &byte| all << 8 | u32::from(byte));
    let image: String = program.chunks(4).map(|bytes| format!("{:08x}\n", word(bytes))).collect();
    write_files(folder, &[("firmware.hex".into(), image)])
}
