//! What other people's tools take a design by: IP-XACT for Vivado's IP catalogue, FuseSoC, LiteX, a Verilog template;
//! and its documents as pages: registers, block diagram, timing diagram, known limitations.
//!
//! Made for the top with the clock and reset of an AXI system, `bl_…_axi`.

pub mod interface;

mod diagram;
mod labels;
mod run;
mod timing;

use serde::Serialize;

use super::output::Files;
use super::render;
use super::unit::Kind;
use crate::kernel::netlist::Netlist;
use interface::{Bus, Interface, Pin, Protocol};
pub use run::Scenario;

/// The FuseSoC description's path below the output folder.
pub const CORE_PATH: &str = "bitline.core";
/// The IP-XACT description's path: Vivado looks for this name.
pub const COMPONENT_PATH: &str = "component.xml";
/// The registers' page.
pub const PAGE_PATH: &str = "doc/registers.html";
/// The block diagram.
pub const DIAGRAM_PATH: &str = "doc/block_diagram.svg";
/// The timing diagram.
pub const TIMING_PATH: &str = "doc/timing.svg";
/// The bench that reads the registers; its module has the file's name.
pub const BENCH_PATH: &str = "sim/bl_axi_bench.v";

const COMPONENT: &str = include_str!("templates/package/component.xml.tera");
const CORE: &str = include_str!("templates/package/bitline.core.tera");
const LITEX: &str = include_str!("templates/package/litex.py.tera");
const INSTANCE: &str = include_str!("templates/package/instance.veo.tera");
const PAGE: &str = include_str!("templates/package/registers.html.tera");
/// Known limitations, from `title` and `limitations`.
pub(super) const LIMITATIONS: &str = include_str!("templates/package/limitations.md.tera");
const BENCH: &str = include_str!("templates/package/bl_axi_bench.v.tera");

/// Addresses of one kind. Those of `registers` hold the registers, whose offsets count from there.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// What is there: `registers` or `memory`.
    pub name: &'static str,
    /// The first address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The same for templates.
#[derive(Serialize)]
struct RegionView {
    name: &'static str,
    base: String,
    range: String,
    registers: bool,
}

impl From<&Region> for RegionView {
    fn from(&Region { name, base, bytes }: &Region) -> RegionView {
        RegionView { name, base: format!("{base:#x}"), range: bytes.to_string(), registers: name == "registers" }
    }
}

/// A design to package.
pub(super) struct Package<'a> {
    /// What it is.
    pub(super) kind: &'static Kind,
    /// What is inside.
    pub(super) netlist: &'a Netlist,
    /// Verilog files, children first, the wrapper last.
    pub(super) sources: Vec<&'a str>,
    /// For the timing diagram.
    pub(super) scenario: Scenario,
    /// What headers say: see [`super::unit::context`].
    pub(super) context: tera::Context,
}

/// A port of a bus or of the module, and what LiteX calls it.
#[derive(Serialize)]
struct Connection {
    prefix: &'static str,
    name: String,
    signal: String,
}

/// Adds every file of the package.
pub(super) fn files(package: Package<'_>, files: &mut Files) {
    let Package { kind, netlist, sources, scenario, mut context } = package;
    let Kind { ip, title, axi_module: module, limitations, .. } = *kind;
    let regions: Vec<RegionView> = kind.regions.iter().map(RegionView::from).collect();
    let interface = Interface::of(netlist.top());
    let pin = |name: &str| Pin { name: name.into(), input: true, width: 1, msb: 0, logical: String::new() };
    let all: Vec<Pin> = [pin("aclk"), pin("aresetn")].into_iter().chain(interface.pins.iter().cloned()).collect();
    let spaces: Vec<_> =
        interface.buses.iter().filter(|b| b.master && b.protocol != Protocol::Stream).map(space).collect();
    let names: Vec<&str> = interface.buses.iter().map(|bus| bus.name.as_str()).collect();
    let text = |name: &str| context.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_string();
    let origin = origin(&text("preset"), &text("hash"));
    let version: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').collect();
    context.insert("ip", ip);
    context.insert("ip_version", &format!("{}.{}", version[0], version[1]));
    context.insert("title", title);
    context.insert("class", &class_name(ip));
    context.insert("module", module);
    context.insert("top", &netlist.top().name);
    context.insert("summary", &netlist.top().summary);
    context.insert("sources", &sources);
    context.insert("all_pins", &all);
    context.insert("buses", &interface.buses);
    context.insert("bus_names", &names);
    context.insert("interrupts", &interface.interrupts);
    context.insert("others", &interface.others);
    context.insert("address_spaces", &spaces);
    context.insert("register_base", &regions.iter().find(|r| r.registers).map(|r| r.base.clone()).unwrap_or_default());
    context.insert("regions", &regions);
    context.insert("connections", &connections(&interface));
    context.insert("limitations", limitations);
    context.insert("timing_title", &scenario.title);
    context.insert("bench", BENCH_PATH);
    let address_bits = interface.buses.iter().find(|bus| bus.name == "s_axil").map_or(0, |bus| bus.address_bits);
    context.insert("address_bits", &address_bits);
    context.insert("size_hint", &format!("{:#x}", 1u64 << address_bits));
    context.insert("diagrams", &true);
    context.insert("bench_pins", &interface.pins.iter().map(bench_pin).collect::<Vec<_>>());
    files.add(COMPONENT_PATH, render(COMPONENT, &context));
    files.add(CORE_PATH, render(CORE, &context));
    files.add(format!("litex/{ip}.py"), render(LITEX, &context));
    files.add(format!("instantiation/{module}.veo"), render(INSTANCE, &context));
    files.add(PAGE_PATH, render(PAGE, &context));
    files.add("doc/limitations.md", render(LIMITATIONS, &context));
    files.add(BENCH_PATH, render(BENCH, &context));
    add_diagrams("doc/", netlist, title, &scenario, &origin, files);
}

/// What diagrams say about where they come from.
pub(super) fn origin(preset: &str, hash: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "SPDX-License-Identifier: MIT OR Apache-2.0. Copyright The bitline authors. Generated by bitline {version}, \
         preset {preset}, \
         configuration {hash}."
    )
}

/// The page of the registers in `context`, with the block diagram beside it and the timing diagram of a run.
pub(super) fn page(mut context: tera::Context, title: &str, base: u64, scenario: Option<&Scenario>) -> String {
    context.insert("title", title);
    context.insert("diagrams", &true);
    context.insert("timing_title", &scenario.map(|s| &s.title));
    context.insert("register_base", &format!("{base:#x}"));
    render(PAGE, &context)
}

/// The block diagram of a design.
pub(super) fn block_diagram(netlist: &Netlist, title: &str, origin: &str) -> String {
    diagram::svg(netlist, title, origin)
}

/// Adds the block diagram, and the timing diagram of a run, below `folder`.
pub(super) fn add_diagrams(
    folder: &str,
    netlist: &Netlist,
    title: &str,
    scenario: &Scenario,
    origin: &str,
    files: &mut Files,
) {
    files.add(format!("{folder}block_diagram.svg"), diagram::svg(netlist, title, origin));
    let trace = run::run(netlist, scenario);
    files.add(format!("{folder}timing.svg"), timing::svg(&trace, &scenario.title, origin));
}

/// A port as the bench connects it.
#[derive(Serialize)]
struct BenchPin {
    name: String,
    range: String,
    width: u32,
    /// `driven`, `constant`, `read` or `unused`.
    role: &'static str,
    value: u32,
    net: String,
}

fn bench_pin(pin: &Pin) -> BenchPin {
    let role = match pin.name.as_str() {
        "s_axil_araddr" | "s_axil_arvalid" => "driven",
        "s_axil_arready" | "s_axil_rvalid" | "s_axil_rdata" | "s_axil_rresp" => "read",
        _ if pin.input => "constant",
        _ => "unused",
    };
    let net = if role == "unused" { format!("unused_{}", pin.name) } else { pin.name.clone() };
    let range = if pin.width == 1 { String::new() } else { format!("[{}:0] ", pin.msb) };
    let value = u32::from(pin.name == "s_axil_rready");
    BenchPin { name: pin.name.clone(), range, width: pin.width, role, value, net }
}

/// What a master can reach.
#[derive(Serialize)]
struct Space {
    name: String,
    range: String,
    width: u32,
}

fn space(bus: &Bus) -> Space {
    Space { name: bus.name.clone(), range: (1u128 << bus.address_bits).to_string(), width: bus.data_bits }
}

/// `compute_unit` as a class in Python.
fn class_name(ip: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    ip.split('_').map(capital).collect()
}

/// Every port as LiteX's `Instance` takes it, with the signal of its bus records.
fn connections(interface: &Interface) -> Vec<Connection> {
    let mut all = Vec::new();
    for pin in &interface.pins {
        let bus = interface.buses.iter().find(|bus| bus.pins.contains(pin));
        let signal = bus
            .map_or_else(|| format!("self.{}", pin.name), |bus| format!("{}.{}", bus.name, record(bus, &pin.logical)));
        all.push(Connection { prefix: if pin.input { "i" } else { "o" }, name: pin.name.clone(), signal });
    }
    all
}

/// The name in LiteX's records: `AWADDR` is `aw.addr`, `TDATA` is `data`.
fn record(bus: &Bus, logical: &str) -> String {
    let small = logical.to_lowercase();
    if bus.protocol == Protocol::Stream {
        return small[1..].to_string();
    }
    let channel = if small.starts_with("aw") || small.starts_with("ar") { 2 } else { 1 };
    format!("{}.{}", &small[..channel], &small[channel..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_each_tool_s_custom() {
        assert_eq!(class_name("bitline_compute_unit"), "BitlineComputeUnit");
        let bus =
            |protocol| Bus { name: "x".into(), protocol, master: true, pins: vec![], data_bits: 0, address_bits: 0 };
        for (protocol, logical, name) in [
            (Protocol::AxiLite, "AWADDR", "aw.addr"),
            (Protocol::AxiLite, "WSTRB", "w.strb"),
            (Protocol::Axi, "RLAST", "r.last"),
            (Protocol::Axi, "BRESP", "b.resp"),
            (Protocol::Axi, "ARLEN", "ar.len"),
            (Protocol::Stream, "TVALID", "valid"),
        ] {
            assert_eq!(record(&bus(protocol), logical), name);
        }
    }
}
