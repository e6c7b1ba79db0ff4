//! The page on the cache compute system against its hardware: what commands cost with lines in the cache and from
//! memory, with one and with two read ports.

use bitline::ccs::registers::REG_CYCLES_LOW;
use bitline::ccs::{CcsCommand, CcsGeometry};
use bitline::sim::engine::Native;
use bitline::sim::units::ccs::host::CcsHost;
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};

use super::{read, root};

/// Rows of the table, and a command of each.
const ROWS: [(&str, &str); 4] = [
    ("map of two vectors", "ADDVV"),
    ("other maps", "ADDVC"),
    ("reduction of two vectors", "IPVV"),
    ("other reductions", "SUMV"),
];

/// Cycles of a command whose first lines are in the cache, or whose lines are all in memory.
fn cycles(machine: &mut CcsMachine<Native>, launch: &Launch, cached: bool) -> f64 {
    let line = machine.geometry().line_bytes() as u32;
    // What is read last is in the cache; lines far away take the places of all others.
    let far = (0..16).map(|k| (400 + k) * line);
    let near = launch.bases.into_iter().flat_map(|base| [base, base + line]);
    far.chain(near.filter(|_| cached)).for_each(|address| {
        machine.read(address).expect("answered");
    });
    let before = machine.register(REG_CYCLES_LOW).expect("answered");
    assert_eq!(machine.run(launch).expect("answered"), None);
    let took = machine.register(REG_CYCLES_LOW).expect("answered") - before;
    machine.idle(64).expect("answered");
    f64::from(took)
}

/// A line in the cache, a line from memory, and what is besides, with lines in the cache and from memory.
fn measured(name: &str, read_ports: usize) -> [f64; 4] {
    let geometry = CcsGeometry { read_ports, ..CcsGeometry::preset("vc709").expect("named") };
    let (line, lanes) = (geometry.line_bytes() as u32, geometry.lanes as u32);
    let mut machine = CcsMachine::native(&geometry, 512 * line as usize, 5).expect("legal");
    let code = CcsCommand::named(name).expect("a command").code;
    let lines = |count: u32, apart: u32| Launch::new(code, [0, apart * line, 2 * apart * line], count * lanes);
    let rows = |count| Launch { count, ..lines(2, 18) };
    let cached = (cycles(&mut machine, &rows(320), true) - cycles(&mut machine, &rows(64), true)) / 512.0;
    let streamed = cycles(&mut machine, &lines(64, 100), false) - cycles(&mut machine, &lines(16, 100), false);
    let besides = [true, false].map(|cached| cycles(&mut machine, &lines(1, 18), cached) - 1.0);
    [cached, streamed / 48.0, besides[0], besides[1]]
}

#[test]
fn cycles_of_commands_are_as_the_page_says() {
    let page = read(&root("docs/ccs.md"));
    assert!(page.contains("The last column is with lines in the cache; from memory it is 1 more"));
    for (row, name) in ROWS {
        let line = page.lines().find(|line| line.starts_with(&format!("| {row} |"))).expect("a row");
        let told: Vec<f64> = line.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        let [cached, one, two, besides] = told[..] else { panic!("four numbers: {line}") };
        for (read_ports, streamed) in [(1, one), (2, two)] {
            let found = measured(name, read_ports);
            println!("{name}, {read_ports} ports: {found:?}");
            let close = |a: f64, b: f64| (a - b).abs() < 0.05;
            assert!(close(found[0], cached) && close(found[1], streamed), "{line}, {read_ports} ports: {found:?}");
            assert!(close(found[2], besides), "{line}, {read_ports} ports: {found:?}");
            // Its only line takes what a line takes.
            let from_memory = besides + 1.0 + streamed - 1.0;
            assert!(close(found[3], from_memory), "{line}, {read_ports} ports: {found:?}");
        }
    }
}

/// Cycles a line of a map whose result lies so many lines behind its operand: each line needs what the one so many
/// lines before it has left.
fn behind(distance: u32, read_ports: usize, cached: bool) -> f64 {
    let preset = CcsGeometry::preset("vc709").expect("named");
    // Most lines that a cache may have, so that the vectors are in it.
    let geometry = CcsGeometry { read_ports, lines: if cached { 32 } else { preset.lines }, ..preset };
    let (line, lanes) = (geometry.line_bytes() as u32, geometry.lanes as u32);
    let mut machine = CcsMachine::native(&geometry, 512 * line as usize, 6).expect("legal");
    let code = CcsCommand::named("ADDVC").expect("a command").code;
    let mut run = |count: u32| {
        let places = if cached { 0..32 } else { 400..432 };
        for at in places {
            machine.read(at * line).expect("answered");
        }
        let before = machine.memory.bytes.clone();
        let launch = Launch { constant: 3, ..Launch::new(code, [0, 0, distance * line], count * lanes) };
        let start = machine.register(REG_CYCLES_LOW).expect("answered");
        assert_eq!(machine.run(&launch).expect("answered"), None);
        let took = machine.register(REG_CYCLES_LOW).expect("answered") - start;
        machine.idle(64).expect("answered");
        // Element by element, in order.
        let mut after = before;
        for at in (0..(count * line) as usize).step_by(4) {
            let element = u32::from_le_bytes(after[at..at + 4].try_into().expect("four")).wrapping_add(3);
            let to = at + (distance * line) as usize;
            after[to..to + 4].copy_from_slice(&element.to_le_bytes());
        }
        assert!(machine.memory.bytes == after, "memory differs, {distance} lines behind");
        f64::from(took)
    };
    let (few, many) = if cached { (12, 20) } else { (64, 192) };
    (run(many) - run(few)) / f64::from(many - few)
}

#[test]
fn results_behind_their_operands_take_what_the_page_says() {
    let page = read(&root("docs/ccs.md"));
    let rows = [1, 2, 4, 8, 12].map(|distance| {
        let found = [behind(distance, 1, true), behind(distance, 1, false), behind(distance, 2, false)];
        format!("| {distance} | {:.2} | {:.2} | {:.2} |", found[0], found[1], found[2])
    });
    println!("{}", rows.join("\n"));
    for row in rows {
        assert!(page.lines().any(|line| line == row), "the page lacks {row}");
    }
}
