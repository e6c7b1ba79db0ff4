//! Memory test: patterns into all memories and back.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::board::Board;
use super::error::Result;
use super::place::{PARTS, bytes};

/// Words between two calls of the progress function.
const BLOCK: usize = 1024;

/// What a pattern has shown in one memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Pattern {
    /// The memory.
    pub memory: &'static str,
    /// The pattern.
    pub pattern: &'static str,
    /// Bytes written and read.
    pub bytes: u64,
    /// Words that came back wrong.
    pub wrong: u64,
    /// The first of them: address, what was read, what was written.
    pub first: Option<(u32, u32, u32)>,
}

/// Patterns: each word its address, its complement, random words. An address line that is stuck shows in the first, a
/// data line in the first two.
const PATTERNS: [&str; 3] = ["address", "complement", "random"];

fn word(pattern: &str, rng: &mut ChaCha8Rng, address: u32) -> u32 {
    match pattern {
        "address" => address,
        "complement" => !address,
        _ => rng.random(),
    }
}

/// Tests all memories, each from its beginning up to `most` bytes. What they hold is lost.
///
/// # Errors
/// Anything about the line; memory that is wrong is no error.
pub fn run(board: &mut Board, most: u64, seed: u64, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<Pattern>> {
    let there = |part: &&(&str, u32, &str)| part.0.ends_with("memory") && bytes(&board.params, part.0) > 0;
    let memories = PARTS.iter().filter(there);
    let sized: Vec<(&str, u32, usize)> = memories
        .map(|&(name, base, _)| (name, base, (bytes(&board.params, name).min(most.max(4)) / 4) as usize))
        .collect();
    let total: usize = sized.iter().map(|m| 2 * PATTERNS.len() * m.2).sum();
    let (mut done, mut found) = (0, Vec::new());
    for (memory, base, words) in sized {
        for pattern in PATTERNS {
            let data = {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                (0..words).map(|i| word(pattern, &mut rng, base + 4 * i as u32)).collect::<Vec<u32>>()
            };
            let mut result = Pattern { memory, pattern, bytes: 4 * words as u64, wrong: 0, first: None };
            // All of it is written before any of it is read.
            for (i, block) in data.chunks(BLOCK).enumerate() {
                board.session.write(base + (4 * BLOCK * i) as u32, block)?;
                done += block.len();
                progress(done as u64, total as u64);
            }
            for (i, block) in data.chunks(BLOCK).enumerate() {
                let from = base + (4 * BLOCK * i) as u32;
                let seen = board.session.read(from, block.len())?;
                for (k, (&seen, &wanted)) in seen.iter().zip(block).enumerate().filter(|(_, (a, b))| a != b) {
                    result.wrong += 1;
                    result.first.get_or_insert((from + 4 * k as u32, seen, wanted));
                }
                done += block.len();
                progress(done as u64, total as u64);
            }
            found.push(result);
        }
    }
    Ok(found)
}

/// As a table.
pub fn table(patterns: &[Pattern]) -> String {
    let mut text = format!("{:<13} {:<11} {:>9} {:>7}\n", "memory", "pattern", "bytes", "wrong");
    for p in patterns {
        text += &format!("{:<13} {:<11} {:>9} {:>7}", p.memory, p.pattern, p.bytes, p.wrong);
        if let Some((address, seen, wanted)) = p.first {
            text += &format!("  first at {address:#010x}: {seen:#010x}, must be {wanted:#010x}");
        }
        text.push('\n');
    }
    text
}
