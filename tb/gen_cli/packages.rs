//! Packages of the generic target: IP-XACT against the schema's rules that matter, pages and diagrams as XML, FuseSoC's
//! and LiteX's files, the bench.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bitline::emit::unit::{Kind, UNITS};
use bitline::regmap::Register;
use bitline::sim::external::tool::{require, run};
use pretty_assertions::assert_eq;
use roxmltree::{Document, Node, ParsingOptions};
use tempfile::TempDir;

use super::board::ports;
use super::{good, scratch};
use crate::lint::shortened_copy;

/// Every unit with each of its samples.
fn samples() -> impl Iterator<Item = (&'static Kind, &'static str)> {
    UNITS.iter().flat_map(|unit| unit.samples.iter().map(|sample| (*unit, sample.1)))
}

fn made(unit: &Kind, config: &str) -> (TempDir, PathBuf) {
    let folder = scratch();
    fs::write(folder.path().join("sample.toml"), config).unwrap();
    good(folder.path(), &["--target", "generic", "--out", "out", "--unit", unit.name, "--config", "sample.toml"]);
    let out = folder.path().join("out");
    (folder, out)
}

/// What may be inside of an element of IEEE 1685-2009, in its order; names with `!` must be there.
const SCHEMA: [(&str, &str); 27] = [
    (
        "component",
        "vendor! library! name! version! busInterfaces addressSpaces memoryMaps model fileSets description parameters \
         vendorExtensions",
    ),
    ("busInterfaces", "busInterface!"),
    ("busInterface", "name! busType! abstractionType master slave portMaps parameters"),
    ("master", "addressSpaceRef"),
    ("slave", "memoryMapRef"),
    ("portMaps", "portMap!"),
    ("portMap", "logicalPort! physicalPort!"),
    ("logicalPort", "name!"),
    ("physicalPort", "name!"),
    ("parameters", "parameter!"),
    ("parameter", "name! value!"),
    ("addressSpaces", "addressSpace!"),
    ("addressSpace", "name! range! width!"),
    ("memoryMaps", "memoryMap!"),
    ("memoryMap", "name! addressBlock addressUnitBits"),
    ("addressBlock", "name! baseAddress! range! width! usage access register"),
    ("register", "name! description addressOffset! size! reset field"),
    ("reset", "value!"),
    ("field", "name! description bitOffset! bitWidth! volatile access modifiedWriteValue"),
    ("model", "views ports"),
    ("views", "view!"),
    ("view", "name! displayName envIdentifier! language modelName fileSetRef"),
    ("ports", "port!"),
    ("port", "name! wire!"),
    ("wire", "direction! vector wireTypeDefs driver"),
    ("fileSet", "name! file!"),
    ("file", "name! fileType!"),
];

pub(super) fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|c| c.is_element() && c.tag_name().name() == name)
}

/// Text at a path of elements.
pub(super) fn at<'a>(node: Node<'a, 'a>, path: &str) -> &'a str {
    let found = path.split('/').try_fold(node, |node, name| child(node, name));
    found.and_then(|n| n.text()).unwrap_or_else(|| panic!("{path} in {:?}", node.tag_name()))
}

pub(super) fn all<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.descendants().filter(move |n| n.is_element() && n.tag_name().name() == name)
}

pub(super) fn number(text: &str) -> u64 {
    text.strip_prefix("0x").map_or_else(|| text.parse().unwrap(), |hex| u64::from_str_radix(hex, 16).unwrap())
}

/// Elements are known, in order, and complete.
fn orderly(node: Node<'_, '_>) {
    let name = node.tag_name().name();
    let Some((_, rule)) = SCHEMA.iter().find(|s| s.0 == name) else { return };
    let names: Vec<&str> = rule.split(' ').map(|n| n.trim_end_matches('!')).collect();
    let present: Vec<&str> = node.children().filter(Node::is_element).map(|c| c.tag_name().name()).collect();
    let places: Vec<usize> = present
        .iter()
        .map(|p| names.iter().position(|n| n == p).unwrap_or_else(|| panic!("{p} does not belong into {name}")))
        .collect();
    assert!(places.is_sorted(), "{name}: {present:?} out of order");
    for needed in rule.split(' ').filter_map(|n| n.strip_suffix('!')) {
        assert!(present.contains(&needed), "{name} has no {needed}: {present:?}");
    }
}

#[test]
fn ip_xact_follows_the_schema_and_fits_the_verilog() {
    for (unit, config) in samples() {
        let (_folder, out) = made(unit, config);
        let module = unit.axi_module;
        let base = unit.regions.iter().find(|region| region.name == "registers").unwrap().base;
        let text = fs::read_to_string(out.join("component.xml")).unwrap();
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", unit.name));
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"));
        document
            .descendants()
            .filter(|n| n.is_element() && n.tag_name().namespace() == root.tag_name().namespace())
            .for_each(orderly);
        let ids: Vec<&str> = document
            .descendants()
            .flat_map(|n| n.attributes())
            .filter(|a| a.name() == "id")
            .map(|a| a.value())
            .collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no id twice");
        check_ports(root, &out, module);
        check_buses(root);
        check_files(root, &out, module);
        check_registers(root, unit.registers, base);
    }
}

/// The same ports as the Verilog module.
fn check_ports(root: Node<'_, '_>, out: &Path, module: &str) {
    let verilog = ports(&fs::read_to_string(out.join(format!("rtl/{module}.v"))).unwrap());
    let described: BTreeMap<String, (String, usize)> = all(root, "port")
        .map(|port| {
            let wire = child(port, "wire").unwrap();
            let bits = child(wire, "vector").map_or(1, |v| number(at(v, "left")) - number(at(v, "right")) + 1);
            let direction = if at(wire, "direction") == "in" { "input" } else { "output" };
            (at(port, "name").into(), (direction.into(), bits as usize))
        })
        .collect();
    assert_eq!(described, verilog);
}

/// Logical signals that a slave drives.
const ANSWERS: [&str; 10] =
    ["AWREADY", "WREADY", "BRESP", "BVALID", "ARREADY", "RDATA", "RRESP", "RLAST", "RVALID", "TREADY"];

fn check_buses(root: Node<'_, '_>) {
    let directions: BTreeMap<&str, &str> =
        all(root, "port").map(|p| (at(p, "name"), at(p, "wire/direction"))).collect();
    let mut mapped = BTreeSet::new();
    let mut associated = Vec::new();
    let mut buses = BTreeSet::new();
    let parameter = |bus, name: &str| {
        all(bus, "parameter").find(|p| at(*p, "name") == name).map(|p| at(p, "value").to_string()).unwrap_or_default()
    };
    for bus in all(root, "busInterface") {
        let (name, master) = (at(bus, "name"), child(bus, "master").is_some());
        assert!(master != child(bus, "slave").is_some(), "{name} is one of both");
        let kind = child(bus, "busType").unwrap().attributes().find(|a| a.name() == "name").unwrap().value();
        for map in all(bus, "portMap") {
            let (logical, physical) = (at(map, "logicalPort/name"), at(map, "physicalPort/name"));
            let direction = directions.get(physical).unwrap_or_else(|| panic!("{name}: {physical} is no port"));
            assert!(mapped.insert(physical), "{physical} is mapped twice");
            let out = ANSWERS.contains(&logical) != master;
            assert_eq!(*direction, if out { "out" } else { "in" }, "{name}: {logical}");
        }
        match kind {
            "aximm" | "axis" => assert!(buses.insert(name)),
            "clock" => {
                associated = parameter(bus, "ASSOCIATED_BUSIF").split(':').map(String::from).collect();
                assert_eq!(parameter(bus, "ASSOCIATED_RESET"), "aresetn");
            }
            "reset" => assert_eq!(parameter(bus, "POLARITY"), "ACTIVE_LOW"),
            "interrupt" => assert_eq!((name, parameter(bus, "SENSITIVITY").as_str()), ("irq", "LEVEL_HIGH")),
            other => panic!("{name}: {other}"),
        }
        if kind == "aximm" {
            let (list, reference) =
                if master { ("addressSpace", "addressSpaceRef") } else { ("memoryMap", "memoryMapRef") };
            let node = all(bus, reference).next().unwrap();
            let wanted = node.attributes().next().unwrap().value();
            assert!(all(root, list).any(|n| at(n, "name") == wanted), "{name} refers to {wanted}");
            assert_eq!(parameter(bus, "PROTOCOL"), if name == "s_axil" { "AXI4LITE" } else { "AXI4" });
        }
    }
    assert_eq!(associated.iter().map(String::as_str).collect::<BTreeSet<_>>(), buses);
    let left: Vec<&&str> = directions.keys().filter(|p| p.contains("_axi") && !mapped.contains(**p)).collect();
    assert!(left.is_empty(), "bus signals in no bus: {left:?}");
}

fn check_files(root: Node<'_, '_>, out: &Path, module: &str) {
    let list = fs::read_to_string(out.join("bitline.f")).unwrap();
    let sets: BTreeMap<&str, Vec<&str>> =
        all(root, "fileSet").map(|set| (at(set, "name"), all(set, "file").map(|f| at(f, "name")).collect())).collect();
    for view in all(root, "view") {
        assert_eq!(at(view, "modelName"), module);
        let files = &sets[at(view, "fileSetRef/localName")];
        assert_eq!(*files, list.lines().collect::<Vec<_>>());
        assert!(files.iter().all(|file| out.join(file).is_file()));
    }
}

fn check_registers(root: Node<'_, '_>, registers: &[Register], base: u64) {
    let block = all(root, "addressBlock").find(|b| at(*b, "usage") == "register").unwrap();
    assert_eq!(number(at(block, "baseAddress")), base);
    let range = number(at(block, "range"));
    let described: Vec<Node<'_, '_>> = all(block, "register").collect();
    assert_eq!(described.len(), registers.len());
    for (node, register) in described.iter().zip(registers) {
        assert_eq!((at(*node, "name"), number(at(*node, "addressOffset"))), (register.name, register.offset));
        assert!(register.offset + 4 <= range, "{}", register.name);
        let fields: Vec<(&str, u64, u64)> = all(*node, "field")
            .map(|f| (at(f, "name"), number(at(f, "bitOffset")), number(at(f, "bitWidth"))))
            .collect();
        let expected: Vec<_> = register.fields.iter().map(|f| (f.name, f.lsb as u64, f.bits as u64)).collect();
        assert_eq!(fields, expected, "{}", register.name);
    }
}

#[test]
fn pages_and_diagrams_are_well_formed() {
    for (unit, config) in samples() {
        let (_folder, out) = made(unit, config);
        let page = fs::read_to_string(out.join("doc/registers.html")).unwrap();
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&page, options).unwrap_or_else(|e| panic!("{}: {e}", unit.name));
        let ids: BTreeSet<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
        for link in document.descendants().filter_map(|n| n.attribute("href")) {
            assert!(ids.contains(link.strip_prefix('#').unwrap()), "{link}");
        }
        assert!(unit.registers.iter().all(|r| ids.contains(r.name)));
        for image in document.descendants().filter_map(|n| n.attribute("src")) {
            let text = fs::read_to_string(out.join("doc").join(image)).unwrap();
            let svg = Document::parse(&text).unwrap_or_else(|e| panic!("{image}: {e}"));
            assert_eq!(svg.root_element().tag_name().name(), "svg");
        }
        // The run has come to its end: the interrupt's line ends up high.
        let timing = fs::read_to_string(out.join("doc/timing.svg")).unwrap();
        let irq = timing.split(">irq</text>").nth(1).unwrap();
        let path = irq.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let heights: BTreeSet<&str> = path.split(" L").filter_map(|p| p.split(' ').nth(1)).collect();
        assert_eq!(heights.len(), 2, "{path}");
    }
}

#[test]
fn python_takes_the_litex_module_and_the_bench_passes() {
    for (unit, config) in samples() {
        let (_folder, out) = made(unit, config);
        let module = unit.axi_module;
        let python = fs::read_dir(out.join("litex")).unwrap().next().unwrap().unwrap().path();
        let text = fs::read_to_string(&python).unwrap();
        let verilog = ports(&fs::read_to_string(out.join(format!("rtl/{module}.v"))).unwrap());
        let template = fs::read_to_string(out.join(format!("instantiation/{module}.veo"))).unwrap();
        for (name, (direction, _)) in &verilog {
            assert!(text.contains(&format!("            {}_{name}=", &direction[..1])), "{name} in {text}");
            assert!(template.contains(&format!(".{name}({name})")), "{name} in {template}");
        }
        if require("python3").is_some() {
            run("python3", &["-m", "py_compile", python.to_str().unwrap()], &out).unwrap();
        }
        let list = fs::read_to_string(out.join("bitline.f")).unwrap();
        let core = fs::read_to_string(out.join("bitline.core")).unwrap();
        for path in list.lines().chain(["sim/bl_axi_bench.v"]) {
            assert!(core.contains(&format!("      - {path}\n")), "{path} in {core}");
        }
        let files: Vec<&str> = list.lines().chain(["sim/bl_axi_bench.v"]).collect();
        if require("verilator").is_some() {
            let lint = ["--lint-only", "--timing", "-Wall", "--top-module", "bl_axi_bench"];
            let short = shortened_copy(&out);
            assert_eq!(run("verilator", &[&lint[..], &files].concat(), short.path()).unwrap().trim(), "");
        }
        if require("iverilog").is_some() {
            let build = ["-g2005", "-Wall", "-s", "bl_axi_bench", "-o", "bench.vvp"];
            assert_eq!(run("iverilog", &[&build[..], &files].concat(), &out).unwrap().trim(), "");
            assert_eq!(run("vvp", &["-N", "bench.vvp"], &out).unwrap().trim(), "PASS");
        }
    }
}
