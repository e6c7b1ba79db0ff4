//! What cells of a block design have: pins, buses, address segments.
//!
//! Those of Vivado's own IP are written down here from the product guides (PG195, UG586, PG247, PG065, PG164), apart
//! from the script that uses them; those of the project's units are read from their IP-XACT descriptions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use roxmltree::Document;

use super::board::ports;
use super::packages::{all, at, child, number};

/// What a cell has: pins, buses with the clock pin that they belong to, and segments of its slaves with base and bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind {
    pub(super) inputs: BTreeSet<String>,
    pub(super) outputs: BTreeSet<String>,
    pub(super) masters: BTreeMap<String, String>,
    pub(super) slaves: BTreeMap<String, String>,
    pub(super) segments: BTreeMap<String, (u64, u64)>,
}

/// Inputs that must be driven, outputs, masters and slaves; a bus has its clock behind `@`.
const CATALOGUE: [(&str, &str, &str, &str, &str); 5] = [
    ("util_ds_buf", "", "IBUF_OUT", "", "CLK_IN_D"),
    (
        "xdma",
        "sys_clk sys_rst_n usr_irq_req",
        "axi_aclk axi_aresetn user_lnk_up usr_irq_ack",
        "M_AXI@axi_aclk M_AXI_LITE@axi_aclk pcie_mgt",
        "",
    ),
    (
        "mig_7series",
        "sys_rst aresetn",
        "ui_clk ui_clk_sync_rst mmcm_locked init_calib_complete",
        // Apart from what the board's automation connects.
        "",
        "S_AXI@ui_clk",
    ),
    ("clk_wiz", "clk_in1", "clk_out1 locked", "", ""),
    (
        "proc_sys_reset",
        "slowest_sync_clk ext_reset_in aux_reset_in dcm_locked",
        "peripheral_aresetn interconnect_aresetn peripheral_reset",
        "",
        "",
    ),
];
/// DDR3 on the board.
const MEMORY_BYTES: u64 = 1 << 32;

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(String::from)
}

fn buses(text: &str) -> BTreeMap<String, String> {
    words(text)
        .map(|bus| bus.split_once('@').map_or((bus.clone(), String::new()), |(b, c)| (b.into(), c.into())))
        .collect()
}

impl Kind {
    pub(super) fn vendor(ip: &str, properties: &BTreeMap<String, String>) -> Result<Kind, String> {
        if ip == "smartconnect" {
            let count = |name: &str| {
                properties.get(name).and_then(|n| n.parse::<usize>().ok()).ok_or(format!("{name} is not set"))
            };
            let clock = |i: usize| if i == 0 { "aclk".into() } else { format!("aclk{i}") };
            return Ok(Kind {
                inputs: (0..count("CONFIG.NUM_CLKS")?).map(clock).chain(["aresetn".into()]).collect(),
                masters: (0..count("CONFIG.NUM_MI")?).map(|i| (format!("M{i:02}_AXI"), "*".into())).collect(),
                slaves: (0..count("CONFIG.NUM_SI")?).map(|i| (format!("S{i:02}_AXI"), "*".into())).collect(),
                ..Kind::default()
            });
        }
        let (_, inputs, outputs, masters, slaves) =
            CATALOGUE.iter().find(|known| known.0 == ip).ok_or_else(|| format!("no IP {ip}"))?;
        let segments =
            if ip == "mig_7series" { [("memmap/memaddr".into(), (0, MEMORY_BYTES))].into() } else { BTreeMap::new() };
        Ok(Kind {
            inputs: words(inputs).collect(),
            outputs: words(outputs).collect(),
            masters: buses(masters),
            slaves: buses(slaves),
            segments,
        })
    }

    /// From `component.xml`. Inputs of buses are the buses' own.
    pub(super) fn unit(folder: &Path) -> Kind {
        let text = fs::read_to_string(folder.join("component.xml")).unwrap();
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        let mut kind = Kind { inputs: words("aclk aresetn").collect(), ..Kind::default() };
        for bus in all(root, "busInterface").filter(|bus| at(*bus, "name").contains("axi")) {
            let side = if child(bus, "master").is_some() { &mut kind.masters } else { &mut kind.slaves };
            side.insert(at(bus, "name").into(), "aclk".into());
        }
        for port in all(root, "port").filter(|p| !at(*p, "name").contains("_axi") && at(*p, "wire/direction") == "out")
        {
            kind.outputs.insert(at(port, "name").into());
        }
        for map in all(root, "memoryMap") {
            for block in all(map, "addressBlock") {
                let name = format!("{}/{}", at(map, "name"), at(block, "name"));
                kind.segments.insert(name, (number(at(block, "baseAddress")), number(at(block, "range"))));
            }
        }
        kind
    }

    /// A Verilog module of the project.
    pub(super) fn module(file: &Path) -> Kind {
        let found = ports(&fs::read_to_string(file).unwrap());
        let named = |wanted: &str| found.iter().filter(|p| p.1.0 == wanted).map(|p| p.0.clone()).collect();
        Kind { inputs: named("input"), outputs: named("output"), ..Kind::default() }
    }
}
