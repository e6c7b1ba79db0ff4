//! The same on hardware: the tiny board system through its UART, natively and under Verilator.

use std::time::Instant;

use super::{ANSWER, SEED};
use bitline::ccs::COMMANDS;
use bitline::sim::host_link::self_test::{self, Effort};
use bitline::sim::host_link::simulate::{SimulatedBy, from_params};
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{Board, memory_test};
use bitline::system::SystemParams;

/// The tiny system with the fastest line that there is.
fn fast() -> SystemParams {
    let tiny = SystemParams::preset("tiny").expect("named");
    SystemParams { timeout_bits: 256, baud: tiny.clock_mhz * 1_000_000 / 4, ..tiny }
}

fn board(by: SimulatedBy) -> Board {
    board_of(&fast(), by)
}

fn board_of(params: &SystemParams, by: SimulatedBy) -> Board {
    let wire = from_params(params, by, SEED).unwrap_or_else(|e| panic!("{e}"));
    Board::connect(Box::new(InProcess::new(wire)), params, ANSWER).unwrap_or_else(|e| panic!("{e}"))
}

fn passes(board: &mut Board, effort: Effort) {
    let begin = Instant::now();
    let report = self_test::run(board, effort, SEED, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    println!("{report}\n{:.1} s", begin.elapsed().as_secs_f64());
    assert!(report.passed, "{:#?}", report.failures());
    assert_eq!((report.operations, report.commands), ([53; 2], [COMMANDS.len(); 2]));
}

#[test]
fn a_simulated_board_passes_the_quick_test_natively() {
    println!("seed {SEED:#x}");
    let mut board = board(SimulatedBy::Native);
    passes(&mut board, Effort::Quick);
    let patterns = memory_test::run(&mut board, 256, SEED, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(patterns.iter().all(|pattern| pattern.wrong == 0), "{patterns:?}");
}

#[test]
fn a_simulated_board_passes_the_self_test_under_verilator() {
    if bitline::sim::external::tool::require("verilator").is_none() {
        return;
    }
    println!("seed {SEED:#x}");
    passes(
        &mut board(SimulatedBy::Verilator),
        if bitline::sim::external::tool::deep() { Effort::Full } else { Effort::Quick },
    );
}

/// The whole board with floating point in its array.
#[test]
fn a_simulated_board_with_floating_point_passes_the_quick_test_natively() {
    println!("seed {SEED:#x}");
    let fast = fast();
    let params = SystemParams { array: super::with_floats(&fast.array), ..fast };
    let mut board = board_of(&params, SimulatedBy::Native);
    let report = self_test::run(&mut board, Effort::Quick, SEED, &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(report.passed, "{:#?}", report.failures());
    assert!(report.left_out.is_empty() && report.operations[0] == report.operations[1], "{report}");
    assert!(report.items.iter().any(|item| item.part == "array" && item.name == "ffma"), "{report}");
}
