//! Everything that uses a board: self-test, memory test, throughput, programs.

use std::collections::BTreeSet;

use super::{SEED, connect, double, in_process};
use bitline::ccs::COMMANDS;
use bitline::isa::format::FORMATS;
use bitline::sim::host_link::Board;
use bitline::sim::host_link::double::{Broken, Double};
use bitline::sim::host_link::self_test::{self, Effort, Report};
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{memory_test, throughput};
use bitline::system::SystemParams;

fn self_test(broken: Option<Broken>, effort: Effort, seed: u64) -> Report {
    let mut last = (0, 0);
    let mut board = in_process(broken);
    let report = self_test::run(&mut board, effort, seed, &mut |done, total| last = (done, total));
    assert_eq!(last.0, last.1, "progress ends with all");
    report.unwrap_or_else(|e| panic!("{e}"))
}

/// Everything is tested, and a good board passes.
#[test]
fn a_good_board_passes() {
    for (effort, seed) in [(Effort::Quick, SEED), (Effort::Quick, 2), (Effort::Full, 3)] {
        println!("seed {seed:#x}");
        let report = self_test(None, effort, seed);
        assert!(report.passed, "{report}\n{:?}", report.failures());
        assert_eq!(report.operations, [53; 2], "{report}\n{:?}", report.left_out);
        assert_eq!(report.commands, [COMMANDS.len(); 2]);
        assert!(report.left_out.is_empty(), "{:?}", report.left_out);
        let parts = ["bridge", "registers", "transfers", "array", "array errors", "ccs", "ccs errors"];
        assert!(parts.iter().all(|part| report.items.iter().any(|item| item.part == *part)));
        let codes = |part: &str| {
            let items = report.items.iter().filter(|item| item.part == part);
            items.flat_map(|item| item.forms.iter().map(String::as_str)).collect::<std::collections::BTreeSet<_>>()
        };
        let array = codes("array errors");
        for code in ["opcode", "width", "second_width", "rows", "overlap", "overflow", "count", "address", "decode"] {
            assert!(array.contains(code), "{array:?} lacks {code}");
        }
        let ccs = codes("ccs errors");
        // No board can make its memory fall silent: `ccs_reset` does.
        let told = bitline::ccs::CcsError::ALL.into_iter().filter(|error| error.name() != "silent");
        for error in told {
            assert!(ccs.contains(error.name()), "{ccs:?} lacks {}", error.name());
        }
        let json: serde_json::Value = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(json["passed"], true);
        if effort == Effort::Quick {
            let bytes = report.traffic.bytes_sent + report.traffic.bytes_received;
            assert!(bytes < 45_000, "{bytes} bytes are minutes of simulation");
        }
    }
}

/// A board whose array has floating point: every operation of it runs in a format, and in the full test in each.
#[test]
fn floating_point_is_tested() {
    let tiny = super::params();
    let params = SystemParams { array: super::with_floats(&tiny.array), ..tiny };
    for effort in [Effort::Quick, Effort::Full] {
        let double = Double::new(&params, SEED).unwrap_or_else(|e| panic!("{e}"));
        let wire = Box::new(InProcess::new(double));
        let mut board = Board::connect(wire, &params, super::ANSWER).unwrap_or_else(|e| panic!("{e}"));
        let report = self_test::run(&mut board, effort, SEED, &mut |_, _| ()).unwrap_or_else(|e| panic!("{e}"));
        assert!(report.passed, "{report}\n{:?}", report.failures());
        assert!(report.left_out.is_empty(), "{:?}", report.left_out);
        assert_eq!(report.operations[0], report.operations[1], "{report}");
        let forms = |name: &str| {
            let items = report.items.iter().filter(|item| item.part == "array" && item.name == name);
            items.flat_map(|item| item.forms.iter().map(String::as_str)).collect::<BTreeSet<_>>()
        };
        let all: BTreeSet<String> = FORMATS.iter().map(|format| format!("fast n={}", format.n())).collect();
        let all: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        for name in ["fadd", "fmul", "fdiv", "fsqrt", "ffma", "flt", "fclass"] {
            match effort {
                Effort::Quick => assert_eq!(forms(name), BTreeSet::from(["fast n=26"]), "{name}"),
                Effort::Full => assert_eq!(forms(name), all, "{name}"),
            }
        }
    }
}

/// Each fault of a board is found, and where it is.
#[test]
fn broken_boards_fail() {
    for (broken, part) in [
        (Broken::Adder, "array, add:"),
        (Broken::Multiplier, "ccs, MULVV:"),
        (Broken::Memory(0x5), "array"),
        (Broken::AddressLine, "ccs"),
        (Broken::ErrorCode, "array errors"),
    ] {
        let effort = if matches!(broken, Broken::Memory(_)) { Effort::Full } else { Effort::Quick };
        let report = self_test(Some(broken), effort, SEED);
        let failures = report.failures();
        assert!(!report.passed && failures.iter().any(|failure| failure.contains(part)), "{broken:?}: {failures:?}");
        if matches!(broken, Broken::Adder | Broken::Multiplier) {
            assert_eq!(failures.len(), 1, "{broken:?}: {failures:?}");
        }
    }
}

#[test]
fn memory_test_finds_lines_and_bits() {
    let run = |broken| memory_test::run(&mut in_process(broken), 4096, SEED, &mut |_, _| {}).expect("a good line");
    let good = run(None);
    assert_eq!(good.len(), 6);
    assert!(good.iter().all(|pattern| pattern.wrong == 0 && pattern.bytes == 4096), "{good:?}");
    let bit = run(Some(Broken::Memory(0x105)));
    assert!(
        bit.iter().any(|p| p.memory == "array-memory" && p.first.is_some_and(|first| first.0 == 0x2000_0104)),
        "{bit:?}"
    );
    let line = run(Some(Broken::AddressLine));
    assert!(line.iter().all(|p| (p.memory == "ccs-memory") == (p.wrong > 0)), "{line:?}");
    assert!(memory_test::table(&line).contains("must be 0x4000"), "{}", memory_test::table(&line));
}

#[test]
fn throughput_is_measured() {
    let measured = throughput::measure(&mut in_process(None), 3, &mut |_, _| {}).expect("a good line");
    assert!(measured.correct && measured.bytes == 3072 && measured.write > 0.0, "{measured:?}");
    assert!(measured.limit < 2e6 && measured.limit > 1.9e6, "{measured:?}");
}

/// A program on the board gives what it gives on the machine without one.
#[test]
fn programs_run() {
    use bitline::sim::host_link::program::BoardMachine;
    use bitline::sim::job;
    let text = "vector x width=8\nvector y width=8\nvector z width=9\nload x list 1 2 3 4 5 6 7 8 250 100\nload y \
                value 7\n\
                addc d=z a=x b=y\nprint z\nlt d=z[0..1] a=x b=y\nprint z[0..1]\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("p.bl");
    std::fs::write(&path, text).expect("the folder can be written");
    let source = job::read(&path).unwrap_or_else(|e| panic!("{e}"));
    let mut board = connect(InProcess::new(double(None)));
    let plan = job::plan(&source, &board.params.array, None).unwrap_or_else(|e| panic!("{e}"));
    let mut machine = BoardMachine::new(&mut board);
    let outcome = job::run(&plan, &mut machine, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(machine.take_error().is_none());
    let mut model = bitline::sim::machine::ModelMachine::new(&plan_params());
    let wanted = job::run(&plan, &mut model, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome.printed, wanted.printed);
}

fn plan_params() -> bitline::params::Params {
    super::params().array
}
