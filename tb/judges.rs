//! Assertions on the buses of a top, bound to its Verilog under Verilator: AXI4-Lite where it is a slave, AXI4 where it
//! is a master.

use bitline::kernel::netlist::Netlist;
use bitline::sim::external::tool::cache_folder;
use bitline::sim::external::verilator::{Build, Verilated};

/// The checkers: names and texts.
pub const CHECKERS: [(&str, &str); 3] = [
    ("axil_checker.sv", include_str!("axi4/axil_checker.sv")),
    ("axi4_read_checker.sv", include_str!("axi4/axi4_read_checker.sv")),
    ("axi4_write_checker.sv", include_str!("axi4/axi4_write_checker.sv")),
];
/// Signals of AXI4-Lite.
pub const AXIL: [&str; 17] = [
    "awaddr", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready", "araddr",
    "arvalid", "arready", "rdata", "rresp", "rvalid", "rready",
];
const READ: [&str; 7] = ["arlen", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"];
const WRITE: [&str; 11] =
    ["awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready"];

/// Bits of a port; nothing if there is none.
fn width(netlist: &Netlist, name: &str) -> Option<u32> {
    let top = netlist.top();
    top.ports.iter().map(|port| top.net(port.net)).find(|net| net.name == name).map(|net| net.width)
}

fn ports(prefix: &str, names: &[&str]) -> String {
    names.iter().map(|name| format!(".{name}({prefix}_{name})")).collect::<Vec<_>>().join(", ")
}

/// Binds the checker `slave` to an AXI4-Lite slave, `reads` and `writes` to an AXI4 master.
pub fn bindings(netlist: &Netlist) -> String {
    let top = &netlist.top().name;
    let mut text = String::new();
    if let Some(address) = width(netlist, "s_axil_awaddr") {
        text += &format!(
            "bind {top} axil_checker #(.ADDRESS({address})) slave (.clk(clk), .rst(rst), {});\n",
            ports("s_axil", &AXIL)
        );
    }
    if let (Some(address), Some(data)) = (width(netlist, "m_axi_araddr"), width(netlist, "m_axi_wdata")) {
        let (bytes, zeros) = (data / 8, 64 - address);
        text += &format!(
            "bind {top} axi4_read_checker #(.BYTES({bytes})) reads (.clk(clk), .rst(rst), .araddr({{{zeros}'d0, \
             m_axi_araddr}}), {});\n\
             bind {top} axi4_write_checker #(.BYTES({bytes})) writes (.clk(clk), .rst(rst), .awaddr({{{zeros}'d0, \
             m_axi_awaddr}}), {});\n",
            ports("m_axi", &READ),
            ports("m_axi", &WRITE)
        );
    }
    text
}

/// A top under Verilator, every bus of it judged.
pub fn judged(netlist: &Netlist) -> Verilated {
    bound(netlist, &bindings(netlist))
}

/// A top under Verilator with these bindings of the checkers.
pub fn bound(netlist: &Netlist, bindings: &str) -> Verilated {
    let needed = CHECKERS.into_iter().filter(|(name, _)| bindings.contains(name.trim_end_matches(".sv")));
    let watchers: Vec<(&str, &str)> = needed.chain([("bind.sv", bindings)]).collect();
    Verilated::watched(netlist, &cache_folder(), Build::Open, &watchers).unwrap_or_else(|e| panic!("{e}"))
}

/// Accesses or bursts, errors and violations that a judge has seen.
pub fn seen(model: &Verilated, judge: &str) -> [u32; 3] {
    let all = ["bursts", "errors", "violations"]
        .map(|name| model.variable(judge, name).unwrap_or_else(|e| panic!("{judge}: {e}")));
    println!("{judge}: {} bursts, {} errors, {} violations", all[0], all[1], all[2]);
    all
}

/// The judges have seen no violation, and at least so many accesses or bursts each.
pub fn innocent(model: &Verilated, judges: &[&str], least: u32) {
    for judge in judges {
        let [bursts, _, violations] = seen(model, judge);
        assert!(violations == 0 && bursts >= least, "{judge}: {bursts} bursts, {violations} violations");
    }
}
