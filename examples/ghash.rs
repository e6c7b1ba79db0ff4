//! GHASH inside a compute cache, with carry-less products of 128 bits, on published test cases of GCM (NIST SP
//! 800-38D).
//!
//! `cargo run --release --example ghash -- [--geometry l2]`
//!
//! Hardware and model run side by side; each tag is compared with the published one.

use std::process::ExitCode;

use bitline::compute_cache::CacheGeometry;
use bitline::error::Result;
use bitline::sim::data::output::print;
use bitline::sim::units::compute_cache::apps::ghash::{Ghash, VECTORS, bytes};
use bitline::sim::units::compute_cache::machine::CacheMachine;
use clap::Parser;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { print(&(format!($($text)*) + "\n"))? };
}

/// GHASH inside a compute cache.
#[derive(Parser)]
struct Arguments {
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
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut machine = CacheMachine::native(&CacheGeometry::preset(&arguments.geometry)?, 1)?;
    for case in &VECTORS {
        let key: [u8; 16] = bytes(case.key).try_into().expect("a key has 16 bytes");
        let ghash = Ghash::load(&mut machine, &key)?;
        let before = machine.load_cycles + machine.run_cycles;
        let (additional, cipher) = (bytes(case.additional), bytes(case.cipher));
        let hash = ghash.hash(&mut machine, &additional, &cipher)?;
        let cycles = machine.load_cycles + machine.run_cycles - before;
        let tag: Vec<u8> = hash.iter().zip(bytes(case.counter)).map(|(h, c)| h ^ c).collect();
        assert_eq!(hex(&tag), case.tag, "the tag is not the published one");
        let blocks = additional.len().div_ceil(16) + cipher.len().div_ceil(16) + 1;
        let each = cycles as f64 / blocks as f64;
        say!("H {}: tag {}, as published; {blocks} blocks, {each:.0} cycles each", case.key, hex(&tag));
    }
    Ok(())
}
