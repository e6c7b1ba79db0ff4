//! The page on ports against the tops: it has every port of every unit, and each that it names is somewhere.

use std::collections::BTreeSet;

use bitline::emit::unit::UNITS;
use bitline::kernel::netlist::Netlist;

use super::{read, root};

/// Ports of a top.
fn ports(netlist: &Netlist) -> BTreeSet<String> {
    let top = netlist.top();
    top.ports.iter().map(|port| top.net(port.net).name.clone()).collect()
}

/// Names in backquotes in the first cell of every row, where these are ports: `*` stands for anything, and a number
/// at the end with `…` behind the name for any number.
fn named(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let tables = ["port", "signal"].map(|head| format!("| {head} |"));
    let mut inside = false;
    for line in page.lines() {
        inside = line.starts_with('|') && (inside || tables.iter().any(|head| line.starts_with(head)));
        if inside {
            let cell = line.trim_start_matches('|').split(" | ").next().unwrap_or_default();
            let parts: Vec<&str> = cell.split('`').collect();
            for pair in parts[1..].chunks(2) {
                let several = pair.get(1).is_some_and(|behind| behind.starts_with(" …"));
                let name = if several { pair[0].trim_end_matches(|c: char| c.is_ascii_digit()) } else { pair[0] };
                found.insert(if several { format!("{name}*") } else { name.to_string() });
            }
        }
    }
    found
}

fn fits(pattern: &str, port: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(begin) => port.starts_with(begin),
        None => port == pattern,
    }
}

#[test]
fn ports_are_those_of_the_tops() {
    let patterns = named(&read(&root("docs/ports.md")));
    assert!(patterns.contains("read_line") && patterns.contains("reply_data_*"), "{patterns:?}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("c.toml");
    let mut seen = BTreeSet::new();
    let more =
        [("compute-unit", "base = \"tiny\"\nmemory_port = \"stream\"\n"), ("ccs", "base = \"tiny\"\nread_ports = 2\n")];
    for unit in UNITS {
        let samples = unit.samples.iter().map(|sample| sample.1);
        for config in samples.chain(more.iter().filter(|(name, _)| *name == unit.name).map(|(_, config)| *config)) {
            std::fs::write(&file, config).expect("a file");
            let design = (unit.load)(&file).unwrap_or_else(|e| panic!("{config}: {e}"));
            for port in ports(&design.netlist().expect("it elaborates")) {
                let known = patterns.iter().filter(|pattern| fits(pattern, &port)).cloned().collect::<Vec<_>>();
                assert!(!known.is_empty() || ["clk", "rst"].contains(&&port[..]), "{}, {config:?}: {port}", unit.name);
                seen.extend(known);
            }
        }
    }
    assert_eq!(seen, patterns, "names without a port");
}
