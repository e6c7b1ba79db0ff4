//! The Duality Cache of a board: launches over the line, on the double and on hardware.

use std::time::Instant;

use super::{ANSWER, SEED};
use bitline::duality::isa::assemble::assemble;
use bitline::duality::isa::codes::Trap;
use bitline::sim::host_link::double::{Broken, Double};
use bitline::sim::host_link::duality::DualityPort;
use bitline::sim::host_link::self_test::{self, Effort, Report};
use bitline::sim::host_link::simulate::{SimulatedBy, from_params};
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{Board, Wire};
use bitline::sim::model::duality::{FlatMemory, Launch, Stop};
use bitline::sim::units::duality::kernels::{KERNELS, Places};
use bitline::sim::units::duality::launching::Ended;
use bitline::sim::units::duality::machine::Mode;
use bitline::system::SystemParams;

/// The tiny system with a Duality Cache and the fastest line that there is.
fn params() -> SystemParams {
    SystemParams { timeout_bits: 1024, baud: 25_000_000, ..SystemParams::preset("duality-tiny").expect("named") }
}

fn connect(wire: impl Wire + 'static) -> Board {
    Board::connect(Box::new(InProcess::new(wire)), &params(), ANSWER).unwrap_or_else(|e| panic!("{e}"))
}

fn double(broken: Option<Broken>) -> Board {
    let double = Double::new(&params(), SEED).expect("legal");
    connect(match broken {
        Some(how) => double.broken(how),
        None => double,
    })
}

fn self_test(broken: Option<Broken>, effort: Effort) -> Report {
    let mut last = (0, 0);
    let mut board = double(broken);
    let report = self_test::run(&mut board, effort, SEED, &mut |done, total| last = (done, total));
    assert_eq!(last.0, last.1, "progress ends with all");
    report.unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_good_board_passes_with_its_kernels() {
    for (effort, kernels) in [(Effort::Quick, 4), (Effort::Full, KERNELS.len())] {
        let report = self_test(None, effort);
        assert!(report.passed, "{report}\n{:?}", report.failures());
        assert_eq!(report.kernels, Some([kernels, KERNELS.len()]), "{report}");
        assert!(report.left_out.is_empty(), "{:?}", report.left_out);
        assert_eq!(report.board.duality_memory_bytes, Some(1 << 16));
        assert!(report.to_string().contains(&format!("kernels of the Duality Cache: {kernels} of 9\n")), "{report}");
    }
}

#[test]
fn wrong_stores_are_found() {
    let report = self_test(Some(Broken::Store), Effort::Quick);
    assert!(!report.passed);
    let failures = report.failures();
    assert!(failures.iter().all(|failure| failure.starts_with("duality, ")) && failures.len() == 4, "{failures:?}");
}

/// A kernel of those that check themselves.
fn kernel(board: &mut Board, port: &mut DualityPort, name: &str, mode: Mode) {
    let kernel = KERNELS.iter().find(|kernel| kernel.name == name).expect("it is there");
    let mut task = kernel.task_at(port.unit(), SEED, Places::close(0x20_0000, 0x1000));
    let program = assemble(kernel.text, name, port.unit()).expect("a program");
    for launch in &task.launches {
        let ran = port.run(&mut board.session, &program, launch, &mut task.memory, mode);
        let (ended, counts) = ran.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((ended, counts.waves > 0), (Ended::Code(0), true), "{name}");
    }
    for (at, words) in &task.expected {
        assert_eq!(task.memory.words(*at, words.len()), *words, "{name} at {at:#x}");
    }
}

/// Threads that leave their buffer for a page that is not there.
fn trap(board: &mut Board, port: &mut DualityPort) {
    let text = ".name faults\n.arrays 4\n.special thread 0:2:10\n    add 0:20:32 0:2:10<<2 %0 scratch=100\n    \
                add 0:60:32 0:2:10 0x1\n    st.global.32 [0:20:32] 0:60:32\n    end 0\n";
    let program = assemble(text, "faults.dcs", port.unit()).expect("a program");
    let launch = |base: u32| Launch { grid: [1, 1, 1], block: [8, 1, 1], parameters: vec![base], ..Launch::default() };
    let mut memory = FlatMemory::default();
    memory.map(0x1_f000, 0x1000, true);
    let before = memory.clone();
    let mut run = |base, memory: &mut FlatMemory| {
        let ran = port.run(&mut board.session, &program, &launch(base), memory, Mode::Decoupled);
        ran.unwrap_or_else(|e| panic!("{e}")).0
    };
    let stop = Stop { trap: Some(Trap::Unmapped), pc: 2, thread: Some(5), address: Some(0x2_0000) };
    assert_eq!(run(0x1_ffec, &mut memory), Ended::Stopped(stop));
    assert_eq!(memory, before, "no thread has written");
    assert_eq!(run(0x1_ffe0, &mut memory), Ended::Code(0));
    assert_eq!(memory.words(0x1_ffe0, 8), [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Kernels, a trap, and a launch again, for which only what is new goes to the board.
fn launches(mut board: Board, names: &[&str]) {
    let begin = Instant::now();
    let mut port = DualityPort::new(&params()).unwrap_or_else(|e| panic!("{e}"));
    for (at, name) in names.iter().enumerate() {
        let mode = if at % 2 == 0 { Mode::Decoupled } else { Mode::Lockstep };
        kernel(&mut board, &mut port, name, mode);
    }
    trap(&mut board, &mut port);
    kernel(&mut board, &mut port, names[0], Mode::Decoupled);
    let sent = board.session.traffic.bytes_sent;
    kernel(&mut board, &mut port, names[0], Mode::Decoupled);
    let again = board.session.traffic.bytes_sent - sent;
    println!("{:?}, {again} bytes the second time, {:.1} s", board.session.traffic, begin.elapsed().as_secs_f64());
    assert!(again < 700, "{again} bytes the second time");
    // A port that knows nothing finds the unit as another has left it.
    kernel(&mut board, &mut DualityPort::new(&params()).expect("it has one"), names[0], Mode::Decoupled);
}

#[test]
fn launches_over_the_line() {
    launches(double(None), &["vecadd", "bfs", "histogram", "matmul"]);
}

#[test]
fn launches_over_the_line_on_hardware() {
    println!("seed {SEED:#x}");
    let wire = from_params(&params(), SimulatedBy::Native, SEED).unwrap_or_else(|e| panic!("{e}"));
    launches(connect(wire), &["vecadd", "histogram"]);
}

#[test]
fn what_cannot_be_launched_is_refused() {
    let tiny = SystemParams::preset("tiny").expect("named");
    let error = DualityPort::new(&tiny).err().expect("it has none").to_string();
    assert!(error.starts_with("preset = tiny: this board has no Duality Cache"), "{error}");
    let mut board = double(None);
    let mut port = DualityPort::new(&params()).expect("it has one");
    let program = assemble(KERNELS[0].text, "vecadd", port.unit()).expect("a program");
    let one = Launch { grid: [1, 1, 1], block: [8, 1, 1], ..Launch::default() };
    let mut memory = FlatMemory::default();
    memory.map(0x10_0000, 0x1_0000, true);
    let sent = board.session.traffic;
    for (launch, message) in [
        (Launch { block: [9, 1, 1], ..one.clone() }, "block = [9, 1, 1]: must be 1 to 8 threads"),
        (one, "memory = 65536: bytes of buffers, and 176 of program"),
    ] {
        let refused = port.run(&mut board.session, &program, &launch, &mut memory, Mode::Decoupled);
        let error = refused.expect_err(message).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(board.session.traffic, sent, "nothing was sent");
}
