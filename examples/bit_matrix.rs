//! Multiplies bit matrices over GF(2) inside a compute cache, with carry-less products.
//!
//! `cargo run --release --example bit_matrix -- [--size 256] [--seed 1] [--geometry l2]`
//!
//! Hardware and model run side by side; the product is checked against plain Rust.

use std::process::ExitCode;

use bitline::compute_cache::CacheGeometry;
use bitline::error::Result;
use bitline::sim::data::output::print;
use bitline::sim::units::compute_cache::apps::matrix::{BitMatrix, multiply};
use bitline::sim::units::compute_cache::machine::CacheMachine;
use clap::Parser;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { print(&(format!($($text)*) + "\n"))? };
}

/// Multiplies bit matrices inside a compute cache.
#[derive(Parser)]
struct Arguments {
    /// Rows and columns: 64, 128 or 256
    #[arg(long, default_value_t = 256)]
    size: usize,
    /// Seed of the matrices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Geometry: l3_slice, l2 or l1
    #[arg(long, default_value = "l2")]
    geometry: String,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let size = arguments.size;
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    // A size that the product refuses gives no matrix either.
    let [a, b] = [0, 1].map(|_| BitMatrix::from_bits(size.min(256), |_, _| rng.random()));
    let mut machine = CacheMachine::native(&CacheGeometry::preset(&arguments.geometry)?, 1)?;
    let product = multiply(&mut machine, &BitMatrix { size, ..a.clone() }, &BitMatrix { size, ..b.clone() })?;
    let plain = |i: usize, j: usize| (0..size).fold(false, |sum, k| sum ^ (a.bit(i, k) & b.bit(k, j)));
    assert!(product == BitMatrix::from_bits(size, plain), "the product is not that of plain Rust");
    let (loads, runs) = (machine.load_cycles, machine.run_cycles);
    say!("{size} × {size} bits by {size} × {size} bits, seed {}: the product is right", arguments.seed);
    say!("{runs} cycles in instructions, {loads} for the operands: {:.1} a row", (loads + runs) as f64 / size as f64);
    Ok(())
}
