//! A bitmap index over the words of a novel, queried inside a compute cache: AND, OR and NOT of whole bitmaps.
//!
//! `cargo run --release --example bitmap_index -- [--records 20000] [--geometry l2]`
//!
//! Hardware and model run side by side; the results are checked against plain Rust.

#[path = "common/novel.rs"]
mod novel;

use std::process::ExitCode;

use bitline::compute_cache::CacheGeometry;
use bitline::error::Result;
use bitline::sim::data::output::print;
use bitline::sim::units::compute_cache::apps::bitmaps::{BitmapIndex, Query};
use bitline::sim::units::compute_cache::machine::CacheMachine;
use clap::Parser;
use novel::novel;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { print(&(format!($($text)*) + "\n"))? };
}

/// Queries a bitmap index over the words of a novel inside a compute cache.
#[derive(Parser)]
struct Arguments {
    /// Records: words from the text's beginning
    #[arg(long, default_value_t = 20_000)]
    records: usize,
    /// Geometry: l3_slice, l2 or l1
    #[arg(long, default_value = "l2")]
    geometry: String,
}

/// What a bitmap says of a word.
type Kind = (&'static str, fn(&str) -> bool);

const KINDS: [Kind; 4] = [
    ("more than six letters", |w| w.len() > 6),
    ("begins with a vowel", |w| w.starts_with(['a', 'e', 'i', 'o', 'u'])),
    ("ends in -ing", |w| w.ends_with("ing")),
    ("has an e", |w| w.contains('e')),
];

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
    let (records, name) = novel(arguments.records)?;
    let bitmaps: Vec<Vec<bool>> = KINDS.iter().map(|(_, kind)| records.iter().map(|w| kind(w)).collect()).collect();
    let mut machine = CacheMachine::native(&CacheGeometry::preset(&arguments.geometry)?, 1)?;
    let index = BitmapIndex::load(&mut machine, &bitmaps)?;
    say!("{} records of {}, {} bitmaps, loaded in {} cycles", records.len(), name, KINDS.len(), machine.load_cycles);
    let [long, vowel, ing, e] = [0, 1, 2, 3].map(Query::Bitmap);
    let query = long.and(vowel).and(ing.or(e.negated()));
    let (selected, cycles) = index.query(&mut machine, &query)?;
    let wanted = |word: &String| {
        let [long, vowel, ing, e] = KINDS.map(|(_, kind)| kind(word));
        long && vowel && (ing || !e)
    };
    let expected: Vec<usize> = (0..records.len()).filter(|&i| wanted(&records[i])).collect();
    assert!(selected == expected, "the records are not those of plain Rust");
    let [long, vowel, ing, e] = KINDS.map(|(name, _)| name);
    say!("{long}, and {vowel}, and ({ing}, or not: {e}): {} records, the right ones", selected.len());
    let first: Vec<&str> = selected.iter().take(6).map(|&i| records[i].as_str()).collect();
    say!("the first: {}", first.join(", "));
    say!(
        "{cycles} cycles: {:.0} records a cycle in each of four operations",
        4.0 * records.len() as f64 / cycles as f64
    );
    Ok(())
}
