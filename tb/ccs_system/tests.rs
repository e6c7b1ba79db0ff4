use std::path::Path;
use std::time::Duration;

use bitline::ccs::CcsGeometry;
use bitline::error::Result;

use bitline::ccs::COMMANDS;
use bitline::sim::external::tool::{require, skip};
use bitline::sim::units::ccs::system::*;

/// What a run would print.
fn said() -> String {
    let mut text = String::new();
    for command in &COMMANDS {
        text += &format!("check {} 8 right\ncommand {} 64 3000 700 50 9 3 7 1 8 2\n", command.name, command.name);
        text += &format!("command {} 1024 48000 11000 80 9 3 7 20 8 2\n", command.name);
    }
    for (name, _) in PAPER_APPLICATIONS {
        text += &format!("application {name} 64 10000 2000 100 20\n");
    }
    text + "done\nend after 1000000 cycles, code 0\n"
}

fn parse(said: &str) -> Result<Report> {
    Report::parse(&CcsGeometry::preset("vc709").expect("named"), Core::PicoRv32, said, Duration::from_secs(2))
}

#[test]
fn reports_are_read() {
    let report = parse(&said()).expect("complete");
    assert_eq!(report.commands.len(), 2 * COMMANDS.len());
    assert_eq!(report.command("NOTV", 64).map(|c| (c.speedup, c.speedup_ideal)), Some((60.0, 14.0)));
    assert_eq!(report.sizes(), [64, 1024]);
    assert_eq!(report.rate, 500_000.0);
    let text = report.text();
    assert!(text.contains(&format!("The port: {}", Core::PicoRv32.port())), "the port that is measured: {text}");
    assert!(text.contains("| matrix | 10000 | 2000 | 100 | 100.0 | 20.0 | 54 |"), "{text}");
    assert_eq!(report.command("NOTV", 64).map(|c| c.account.processor), Some(29));
    // 29 of the processor, 3 writes, a launch, a step, 8 of the unit, an end; from memory, 16 or 32 lines.
    let rows = ["| RORVV | 64 | 3000 | 50 | 29 | 3 | 7 | 1 | 8 | 2 | 45 | 42: 71 × | 42: 71 × |", "| SUMV | 64 |"];
    assert!(rows.into_iter().all(|row| text.contains(row)), "{text}");
    assert!(parse(&said().replace(" 50 9 3 7 ", " 50 9 3 47 ")).is_err(), "more than the call");
    for (name, text) in plots(&report) {
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{name}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
    }
}

/// The exit status looks at the harder column: the pipelined core's, or without one the ideal core's.
#[test]
fn the_harder_column_counts() {
    let plain = parse(&said()).expect("complete");
    let alone = Beside { plain: plain.clone(), pipelined: None, two_ports: None };
    // Ideal: 14 at 64 elements, 137.5 at 1024, 20 for applications.
    let missed = ["ROLVV at 64: 14.0, paper 66", "RORVV at 64", "best: INITC at 1024", "knn at 64", "matrix at 64"];
    let found = alone.missed();
    let begins = |what: &str| found.iter().any(|found| found.starts_with(what));
    assert!(found.len() == 5 && missed[..2].iter().chain(&missed[3..]).all(|what| begins(what)), "{found:?}");
    assert!(alone.text().contains("| INITC | 64 | 4 | 60.0 | 14.0 | – | – | above |"), "{}", alone.text());
    assert!(alone.json().contains("\"speedup_ideal\": 14.0"));
    let faster = said().replace(" 64 3000 700 ", " 64 2000 700 ").replace(" 64 10000 ", " 64 300 ");
    let geometry = CcsGeometry::preset("vc709").expect("named");
    let pipelined = Report::parse(&geometry, Core::VexRiscv, &faster, Duration::from_secs(2)).expect("complete");
    let both = Beside { plain, pipelined: Some(pipelined.clone()), two_ports: None };
    let text = both.text();
    assert!(text.contains("| INITC | 64 | 4 | 60.0 | 14.0 | 40.0 | – | above |"), "{text}");
    assert!(text.contains("| regression | 64 | 3 | 100.0 | 20.0 | 3.0 | – | below |"), "{text}");
    // Forty at 64 elements, 600 at 1024, 3 for applications.
    assert_eq!(both.missed().len(), 5, "{:?}", both.missed());
    // The better design counts.
    let better = Report {
        geometry: CcsGeometry { read_ports: 2, ..pipelined.geometry.clone() },
        ..parse(&said()).expect("all")
    };
    let both = Beside { two_ports: Some(better), ..both };
    assert!(both.text().contains("| regression | 64 | 3 | 100.0 | 20.0 | 3.0 | 100.0 | above |"), "{}", both.text());
    // What was not measured at a size that was is missed.
    let without = said().replace("command ROLVV 64", "command ROLVC 64");
    let missing = Beside { plain: parse(&without).expect("complete"), pipelined: None, two_ports: None };
    assert!(missing.missed().contains(&"ROLVV at 64: not measured, paper 66".into()), "{:?}", missing.missed());
}

#[test]
fn what_is_missing_is_an_error() {
    assert!(parse(&said().replace("done\n", "failed\n")).is_err());
    assert!(parse(&said().replace("check NOTV 8 right\n", "")).is_err());
    assert!(parse(&said().replace("NOTV 64 3000", "NOTV 64 three")).is_err());
}

/// Every command on a processor, at every size and place, and the applications, right, and faster than in C by what is
/// said of them.
fn computes(core: Core, path: &str, read_ports: usize) -> Option<Report> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if !path.exists() {
        skip(&format!("{} is not there (scripts/host-core.sh fetches it)", path.display()));
        return None;
    }
    if require("verilator").is_none() || require(COMPILER).is_none() {
        return None;
    }
    let report = measure(core, &path, read_ports, Extent::Quick).unwrap_or_else(|e| panic!("{e}"));
    println!("{}", report.text());
    assert_eq!(report.checks.len(), COMMANDS.len());
    Some(report)
}

/// At least so much faster than in C.
fn at_least(report: &Report, commands: &[(&str, u32, f64)], applications: &[(&str, f64)]) {
    for &(name, elements, least) in commands {
        let found = report.command(name, elements).expect("measured");
        assert!(found.speedup >= least, "{found:?}");
    }
    for &(name, least) in applications {
        let found = report.applications.iter().find(|found| found.application == name).expect("measured");
        assert!(found.speedup >= least, "{found:?}");
    }
}

#[test]
fn a_processor_computes_with_commands() {
    if let Some(report) = computes(Core::PicoRv32, CORE, 1) {
        let commands = [("INITC", 64, 4.0), ("ROLVV", 64, 66.0), ("RORVV", 64, 66.0)];
        at_least(&report, &commands, &[("knn", 68.0), ("regression", 3.0)]);
    }
}

#[test]
fn a_pipelined_processor_computes_with_commands() {
    // With two read ports the paper's best is reached, at its size.
    if let Some(report) = computes(Core::VexRiscv, PIPELINED_CORE, 2) {
        let commands = [("INITC", 64, 9.0), ("ROLVV", 64, 34.0), ("RORVV", 64, 34.0), ("RORVV", 1024, 408.0)];
        at_least(&report, &commands, &[("knn", 111.0), ("regression", 3.2)]);
    }
}
