//! What goes with SRAM macros: which there are, what a replacement must do, and a yosys script in which they are black
//! boxes. Needs no library of cells or timings.

use std::fmt::Write as _;

use serde::Serialize;

use super::output::Files;
use super::render;
use super::verilog::Header;
use crate::kernel::macros::PREFIX;
use crate::kernel::netlist::{Direction, Module, Netlist};

/// The folder of the macros' models.
pub const FOLDER: &str = "macros";
/// The page about them.
pub const PAGE_PATH: &str = "macros/README.md";
/// The same for programs.
pub const LIST_PATH: &str = "macros/macros.json";
/// The yosys script.
pub const SCRIPT_PATH: &str = "asic/synth.ys";

const PAGE: &str = include_str!("templates/asic/macros.md.tera");
const SCRIPT: &str = include_str!("templates/asic/synth.ys.tera");

/// A port of a macro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MacroPort {
    /// Name.
    pub name: String,
    /// Into the macro.
    pub input: bool,
    /// Bits.
    pub width: u32,
}

/// A macro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Macro {
    /// Its module.
    pub module: String,
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub bits: u32,
    /// How many there are in the design.
    pub instances: usize,
    /// What it does.
    pub contract: String,
    /// Ports besides `clk`, in order.
    pub ports: Vec<MacroPort>,
}

/// The macros of a netlist.
pub fn macros(netlist: &Netlist) -> Vec<Macro> {
    // Instances of each module in the whole design: parents come behind their children.
    let mut counts = vec![0; netlist.modules.len()];
    counts[netlist.modules.len() - 1] = 1;
    for (at, module) in netlist.modules.iter().enumerate().rev() {
        for instance in &module.instances {
            counts[instance.module.0 as usize] += counts[at];
        }
    }
    let modules = netlist.modules.iter().zip(counts).filter(|(m, _)| m.name.starts_with(PREFIX));
    modules.map(|(m, instances)| of(m, instances)).collect()
}

fn of(m: &Module, instances: usize) -> Macro {
    let memory = &m.memories[0];
    let ports = m.ports.iter().map(|port| {
        let net = m.net(port.net);
        MacroPort { name: net.name.clone(), input: port.direction == Direction::Input, width: net.width }
    });
    Macro {
        module: m.name.clone(),
        words: memory.depth,
        bits: memory.width,
        instances,
        contract: m.summary.clone(),
        ports: ports.collect(),
    }
}

/// Adds the files; `list` has the paths of the Verilog files.
pub(super) fn files(netlist: &Netlist, list: &str, header: &Header, files: &mut Files) {
    let macros = macros(netlist);
    let mut table = String::new();
    for m in &macros {
        let ports: Vec<String> = m.ports.iter().map(|p| format!("`{}` {}", p.name, p.width)).collect();
        let total = m.instances * m.words * m.bits as usize;
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} | {total} | {} |",
            m.module,
            m.words,
            m.bits,
            m.instances,
            ports.join(", ")
        );
    }
    let mut context = tera::Context::new();
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("preset", &header.preset);
    context.insert("hash", &header.hash);
    context.insert("macros", &macros);
    context.insert("table", &table);
    context.insert("top", &netlist.top().name);
    let (models, sources): (Vec<&str>, Vec<&str>) = list.lines().partition(|path| path.starts_with(FOLDER));
    context.insert("models", &models);
    context.insert("sources", &sources);
    files.add(PAGE_PATH, render(PAGE, &context));
    files.add(SCRIPT_PATH, render(SCRIPT, &context));
    let text = serde_json::to_string_pretty(&macros).expect("numbers and strings always serialise") + "\n";
    files.add(LIST_PATH, text);
}
