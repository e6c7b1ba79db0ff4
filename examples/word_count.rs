//! Counts the words of a novel, and finds one of them, by searches inside a compute cache.
//!
//! `cargo run --release --example word_count -- [--words 4000] [--find bennet] [--geometry l2]`
//!
//! Hardware and model run side by side; the results are checked against plain Rust.

#[path = "common/novel.rs"]
mod novel;

use std::collections::BTreeMap;
use std::process::ExitCode;

use bitline::compute_cache::CacheGeometry;
use bitline::error::Result;
use bitline::sim::data::output::print;
use bitline::sim::units::compute_cache::apps::words::{count, find};
use bitline::sim::units::compute_cache::machine::CacheMachine;
use clap::Parser;
use novel::novel;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { print(&(format!($($text)*) + "\n"))? };
}

/// Counts the words of a novel inside a compute cache.
#[derive(Parser)]
struct Arguments {
    /// Words to take from the text's beginning
    #[arg(long, default_value_t = 4000)]
    words: usize,
    /// Word to find, of at most 8 letters
    #[arg(long, default_value = "bennet")]
    find: String,
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
    let (words, name) = novel(arguments.words)?;
    let mut machine = CacheMachine::native(&CacheGeometry::preset(&arguments.geometry)?, 1)?;
    let result = count(&mut machine, &words)?;
    let (loads, runs) = (machine.load_cycles, machine.run_cycles);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    words.iter().for_each(|word| *expected.entry(word.clone()).or_default() += 1);
    assert!(result.counts == expected, "the counts are not those of plain Rust");
    say!("{} words of {}, {} different ones; the counts are right", words.len(), name, expected.len());
    let mut most: Vec<(&String, &u64)> = result.counts.iter().collect();
    most.sort_by_key(|(word, times)| (std::cmp::Reverse(**times), word.as_str()));
    let list: Vec<String> = most.iter().take(8).map(|(word, times)| format!("{word} {times}")).collect();
    say!("most often: {}", list.join(", "));
    say!("{} searches of 512 bytes, {} pages of dictionary", result.searches, result.pages);
    say!("{runs} cycles in instructions, {loads} for keys and new words: {:.1} a word", per(loads + runs, words.len()));
    let places = find(&mut machine, &words, &arguments.find)?;
    let same: Vec<usize> = (0..words.len()).filter(|&i| words[i] == arguments.find).collect();
    assert!(places == same, "the places are not those of plain Rust");
    let cycles = machine.run_cycles - runs;
    say!(
        "{:?} is found {} times, in {cycles} cycles of one stream of searches: {:.1} words a cycle",
        arguments.find,
        places.len(),
        per(words.len() as u64, cycles as usize)
    );
    Ok(())
}

fn per(what: u64, each: usize) -> f64 {
    what as f64 / each.max(1) as f64
}
