//! Self-test of a board: everything it can do, on random data, against the models.
//!
//! | part | what |
//! |---|---|
//! | bridge | requests that must be refused, and what they leave; with [`Effort::Full`] also damaged and stopped frames
//! |
//! | registers | identification of the board and of its units; registers that keep what is written |
//! | transfers | `load_memory` and `store_memory`: widths, counts, strides, alignments, and what lies beside them |
//! | array | every operation of every set of the design, against [`crate::model::arith`] |
//! | array errors | commands that must be refused, and their codes |
//! | ccs | every command, against [`crate::units::ccs::reference`]: lengths, alignments, strides, masks, rows |
//! | ccs errors | commands that must be refused, and their codes |
//! | duality | kernels of the Duality Cache, if there is one, against plain Rust |
//!
//! Random operands go to the memories once; loads and commands take them from anywhere there. With [`Effort::Quick`]
//! every operation runs at one width and a window of its results comes back, and of what commands leave in memory a
//! weighted sum, which the board makes itself: a board simulated with a few ten thousand cycles a second is done within
//! minutes. With [`Effort::Full`] everything comes back.

mod array;
mod bridge;
mod ccs;
mod duality;
mod pool;
mod refusals;
mod registers;
mod report;
mod transfers;

use super::array::ArrayPort;
use super::board::Board;
use super::ccs::CcsPort;
use super::error::Result;
use crate::vectors::Stimulus;

pub use report::{Item, Report};

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Each thing once, with few bytes on the line.
    Quick,
    /// Many widths, lengths and alignments; all results.
    Full,
}

/// Hears how many of all steps are done.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A test under way.
struct Tester<'a> {
    board: &'a mut Board,
    array: ArrayPort,
    ccs: CcsPort,
    stimulus: Stimulus,
    effort: Effort,
    report: Report,
    progress: Progress<'a>,
    done: u64,
    total: u64,
}

impl Tester<'_> {
    fn full(&self) -> bool {
        self.effort == Effort::Full
    }

    /// Records a case; `elements` is how many values were compared.
    fn record(&mut self, part: &'static str, name: &str, detail: &str, elements: u64, outcome: Outcome) {
        self.report.record(part, name, detail, elements, outcome);
    }

    /// A step is done.
    fn step(&mut self) {
        self.done += 1;
        (self.progress)(self.done.min(self.total), self.total);
    }
}

/// What a case has shown: nothing wrong, or what.
type Outcome = std::result::Result<(), String>;

/// Compares values, the wanted one behind.
fn same<T: PartialEq + std::fmt::LowerHex>(what: &str, actual: T, wanted: T) -> Outcome {
    if actual == wanted { Ok(()) } else { Err(format!("{what} is {actual:#x}, must be {wanted:#x}")) }
}

/// Tests a board. What its memories, rows and registers hold is lost.
///
/// # Errors
/// What the line says; a board that computes wrongly is no error, but a [`Report`] that has not passed.
pub fn run(board: &mut Board, effort: Effort, seed: u64, progress: Progress) -> Result<Report> {
    let report = Report::new(board, effort, seed);
    let before = board.session.traffic;
    let mut tester = Tester {
        array: ArrayPort::default(),
        ccs: CcsPort::default(),
        stimulus: Stimulus::new(seed),
        effort,
        report,
        progress,
        done: 0,
        total: 0,
        board,
    };
    let operations = array::plan(&mut tester);
    let commands = ccs::plan(&mut tester);
    let transfers = transfers::CASES[usize::from(effort == Effort::Full)];
    let kernels = duality::plan(&mut tester);
    tester.total = (operations.len() + commands.len() + transfers + kernels.len() + 4) as u64;
    bridge::test(&mut tester)?;
    tester.step();
    registers::test(&mut tester)?;
    tester.step();
    transfers::test(&mut tester, transfers)?;
    array::test(&mut tester, &operations)?;
    refusals::array(&mut tester)?;
    tester.step();
    let memory = ccs::test(&mut tester, &commands)?;
    refusals::ccs(&mut tester, memory)?;
    tester.step();
    duality::test(&mut tester, &kernels)?;
    let traffic = tester.board.session.traffic;
    let mut report = tester.report;
    report.close(before, traffic);
    Ok(report)
}
