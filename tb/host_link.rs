//! The host's side of a board, against the board's software double and against simulated hardware.

mod duality;
mod faults;
mod hardware;
mod session;
mod whole;

use std::time::Duration;

use bitline::isa::Set;
use bitline::params::{Latch, Params, Sensing};
use bitline::sim::host_link::double::{Broken, Double};
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{Board, Transport};
use bitline::system::SystemParams;

/// Seed of what boards and tests draw.
const SEED: u64 = 0x0b0a_4d01;
/// How long tests wait for an answer, on the board's clock.
const ANSWER: Duration = Duration::from_millis(20);

/// The tiny system, with a time-out that tests can afford.
fn params() -> SystemParams {
    SystemParams { timeout_bits: 1024, baud: 20_000_000, ..SystemParams::preset("tiny").expect("named") }
}

/// An array like this one, with floating point and rows for all of it.
fn with_floats(array: &Params) -> Params {
    Params { rows: 512, float: true, latches: Latch::of(Sensing::TwoPort), sets: vec![Set::Fast], ..array.clone() }
}

fn double(broken: Option<Broken>) -> Double {
    let double = Double::new(&params(), SEED).expect("legal");
    match broken {
        Some(how) => double.broken(how),
        None => double,
    }
}

/// A board at the end of a transport.
fn connect(transport: impl Transport + 'static) -> Board {
    Board::connect(Box::new(transport), &params(), ANSWER).unwrap_or_else(|e| panic!("{e}"))
}

/// The double in this process.
fn in_process(broken: Option<Broken>) -> Board {
    connect(InProcess::new(double(broken)))
}
