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
        text += &format!("check {} 8 right\ncommand {} 64 3000 700 50 9\n", command.name, command.name);
        text += &format!("command {} 1024 48000 11000 80 9\n", command.name);
    }
    for (name, _) in PAPER_APPLICATIONS {
        text += &format!("application {name} 64 10000 2000 100 20\n");
    }
    text + "done\nend after 1000000 cycles, code 0\n"
}

fn parse(said: &str) -> Result<Report> {
    Report::parse(&CcsGeometry::preset("vc709").expect("named"), said, Duration::from_secs(2))
}

#[test]
fn reports_are_read() {
    let report = parse(&said()).expect("complete");
    assert_eq!(report.commands.len(), 96);
    assert_eq!(report.command("NOTV", 64).map(|c| (c.speedup, c.speedup_ideal)), Some((60.0, 14.0)));
    assert_eq!(report.sizes(), [64, 1024]);
    assert_eq!(report.rate, 500_000.0);
    assert_eq!(report.missed().len(), 2, "{:?}", report.missed());
    let text = report.text();
    assert!(text.contains("| matrix | 10000 | 2000 | 100 | 100.0 | 20.0 | 54 |"), "{text}");
    assert!(report.json().contains("\"speedup_ideal\": 14.0"));
    for (name, text) in plots(&report) {
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{name}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
    }
}

#[test]
fn what_is_missing_is_an_error() {
    assert!(parse(&said().replace("done\n", "failed\n")).is_err());
    assert!(parse(&said().replace("check NOTV 8 right\n", "")).is_err());
    assert!(parse(&said().replace("NOTV 64 3000", "NOTV 64 three")).is_err());
}

/// Every command on the processor, at every size and place, and the applications, right and faster than in C.
#[test]
fn a_processor_computes_with_commands() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join(CORE);
    if !core.exists() {
        return skip(&format!("{} is not there (scripts/host-core.sh fetches it)", core.display()));
    }
    if require("verilator").is_none() || require(COMPILER).is_none() {
        return;
    }
    let report = measure(&core, Extent::Quick).unwrap_or_else(|e| panic!("{e}"));
    println!("{}", report.text());
    assert_eq!(report.checks.len(), COMMANDS.len());
    assert_eq!(report.missed(), Vec::<String>::new());
}
