//! Looks up words in a dictionary on the array: every column holds a word, and one search compares all of them with a
//! key.
//!
//! `cargo run --release --example dictionary [WORD...]`
//!
//! A letter takes five bits, a word of up to 24 letters two vectors of 60 bits. Both halves are searched, and the tags
//! of the two searches combined.

mod common;
#[path = "common/data.rs"]
mod data;

use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::{Command, Opcode};
use bitline::presets;
use bitline::sim::machine::{Machine, MachineRows};
use bitline::sim::vectors::write_elements;
use common::{Cycles, say};
use data::data;

const LETTERS: usize = 12;
const BITS: u8 = 60;

// Rows: the halves of a word, the tags of each search, both.
const LOW: u16 = 0;
const HIGH: u16 = 60;
const TAG_LOW: u16 = 120;
const TAG_HIGH: u16 = 121;
const BOTH: u16 = 122;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode> {
    let [path] = data(["words"], ["words.txt"]);
    let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
    let lines: Vec<&str> = text.lines().collect();
    let words: Vec<(usize, [u64; 2])> =
        (1..).zip(&lines).filter_map(|(line, word)| Some((line, encode(word)?))).collect();
    say!(
        "{}: {} words ({} with other characters or above 24 letters left out)",
        path.display(),
        words.len(),
        lines.len() - words.len()
    );
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.is_empty() {
        wanted = ["array", "zero", "electroencephalograph", "bitlyne"].map(String::from).into();
    }
    let mut keys = Vec::new();
    for word in &wanted {
        let rule = "must be 1 to 24 letters a to z, hyphens or apostrophes";
        keys.push(encode(word).ok_or_else(|| Error::parameter("WORD", word, rule))?);
    }

    let mut machine = common::machine(&presets::preset("default")?)?;
    let mut cycles = Cycles::default();
    let columns = machine.params().columns;
    let mut found = vec![Vec::new(); keys.len()];
    for chunk in words.chunks(columns) {
        for (half, row) in [(0, LOW), (1, HIGH)] {
            // Columns without a word hold 0, which no word is.
            let mut elements: Vec<u128> = chunk.iter().map(|(_, code)| code[half].into()).collect();
            elements.resize(columns, 0);
            write_elements(&mut MachineRows(machine.as_mut()), row.into(), BITS.into(), &elements);
        }
        for (key, found) in keys.iter().zip(&mut found) {
            let tags = search(machine.as_mut(), &mut cycles, *key)?;
            found.extend(chunk.iter().enumerate().filter(|(k, _)| tags[k / 64] >> (k % 64) & 1 == 1).map(|(_, w)| w.0));
        }
    }
    cycles.print(machine.as_ref(), words.len() * keys.len());

    let mut right = true;
    for ((word, key), found) in wanted.iter().zip(&keys).zip(&found) {
        let expected: Vec<usize> = words.iter().filter(|(_, code)| code == key).map(|(line, _)| *line).collect();
        right &= expected == *found;
        let places: Vec<String> = found.iter().map(|line| format!("line {line} ({})", lines[line - 1])).collect();
        say!("{word}: {}", if places.is_empty() { "not found".into() } else { places.join(", ") });
    }
    say!("{}", if right { "a plain search finds the same" } else { "a plain search finds something else" });
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The tags of the words that equal the key.
fn search(machine: &mut dyn Machine, cycles: &mut Cycles, key: [u64; 2]) -> Result<Vec<u64>> {
    for (half, a, d) in [(0, LOW, TAG_LOW), (1, HIGH, TAG_HIGH)] {
        cycles.execute(machine, Command { a, key: key[half], ..Command::new(Opcode::Search, BITS) })?;
        cycles.execute(machine, Command { d, ..Command::new(Opcode::TagStore, 1) })?;
    }
    cycles.execute(machine, Command { a: TAG_LOW, b: TAG_HIGH, d: BOTH, ..Command::new(Opcode::And, 1) })?;
    Ok(machine.row(BOTH.into()))
}

/// Five bits a letter, capitals like small letters; `None` for other characters, no letter, or too many.
fn encode(word: &str) -> Option<[u64; 2]> {
    let mut code = [0; 2];
    for (index, c) in word.chars().enumerate() {
        let digit = match c.to_ascii_lowercase() {
            c @ 'a'..='z' => u64::from(c) - u64::from('a') + 1,
            '\'' => 27,
            '-' => 28,
            _ => return None,
        };
        *code.get_mut(index / LETTERS)? |= digit << (5 * (index % LETTERS));
    }
    (!word.is_empty()).then_some(code)
}
