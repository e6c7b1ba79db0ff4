//! Fuzzers: programs, configurations and data that are nearly right, and a serial endpoint that lies. Whatever comes
//! in, nothing panics, nothing hangs, and what is accepted is right.
//!
//! Some seconds each; with `BITLINE_DEEP=1` in the environment, as `scripts/check-deep.sh` sets it, some
//! minutes each. The fuzzers of arguments and of killed runs are beside the tests of the programs (`tb/sim_cli`,
//! `tb/gen_cli`).

mod configurations;
mod data;
mod endpoint;
pub mod hold;
mod programs;

use hold::{Effort, hold};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// A change of a text.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A word becomes another.
    Word(usize, String),
    /// A word goes.
    Drop(usize),
    /// A word comes twice.
    Twice(usize),
    /// Two lines change places.
    Swap(usize, usize),
    /// A line goes.
    Cut(usize),
    /// A line comes once more, elsewhere.
    Copy(usize, usize),
    /// Characters at a place.
    Insert(usize, String),
    /// The text ends here.
    End(usize),
}

/// Words that programs and configurations stumble over.
const WORDS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "7",
    "8",
    "9",
    "64",
    "65",
    "128",
    "129",
    "255",
    "256",
    "511",
    "512",
    "1023",
    "65536",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x",
    "0xff",
    "0b102",
    "1_0",
    "1.5",
    "1e9",
    "x",
    "y",
    "[0..1]",
    "x[3..]",
    "=",
    "\"",
    "#",
    "[",
    "]]",
    "{",
    "true",
    "\u{1b}[2J",
    "ä",
    "\u{0}",
];

/// Changes of any kind.
pub fn edits(most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<usize>;
    let word = prop_oneof![prop::sample::select(WORDS.to_vec()).prop_map(String::from), "[ -~]{0,6}", "\\PC{1,3}"];
    let edit = prop_oneof![
        4 => (at(), word.clone()).prop_map(|(at, word)| Edit::Word(at, word)),
        2 => at().prop_map(Edit::Drop),
        1 => at().prop_map(Edit::Twice),
        2 => (at(), at()).prop_map(|(a, b)| Edit::Swap(a, b)),
        2 => at().prop_map(Edit::Cut),
        1 => (at(), at()).prop_map(|(a, b)| Edit::Copy(a, b)),
        1 => (at(), word).prop_map(|(at, word)| Edit::Insert(at, word)),
        1 => at().prop_map(Edit::End),
    ];
    prop::collection::vec(edit, 0..most)
}

/// Parts of a text between which white space and signs stand, with the signs as parts of their own.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut kind = None;
    for c in text.chars() {
        let now = if c.is_alphanumeric() || c == '_' {
            0
        } else if c == ' ' {
            1
        } else {
            2
        };
        match parts.last_mut() {
            Some(last) if kind == Some(now) && now < 2 => last.push(c),
            _ => parts.push(c.into()),
        }
        kind = Some(now);
    }
    parts
}

/// The text with changes.
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_string();
    for edit in edits {
        let mut words = parts(&text);
        let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
        if words.is_empty() || lines.is_empty() {
            break;
        }
        let (some_words, some_lines) = (words.len(), lines.len());
        text = match edit {
            Edit::Word(at, word) => {
                words[at % some_words] = word.clone();
                words.concat()
            }
            Edit::Drop(at) => {
                words.remove(at % some_words);
                words.concat()
            }
            Edit::Twice(at) => {
                let word = words[at % some_words].clone();
                words.insert(at % some_words, format!("{word} "));
                words.concat()
            }
            Edit::Swap(a, b) => {
                lines.swap(a % some_lines, b % some_lines);
                lines.concat()
            }
            Edit::Cut(at) => {
                lines.remove(at % some_lines);
                lines.concat()
            }
            Edit::Copy(from, to) => {
                let line = lines[from % some_lines].clone();
                lines.insert(to % some_lines, line);
                lines.concat()
            }
            Edit::Insert(at, word) => {
                words.insert(at % some_words, word.clone());
                words.concat()
            }
            Edit::End(at) => words[..at % some_words].concat(),
        };
    }
    text
}

/// A message that a user can do something with: one line, and it names where.
pub fn is_told(message: &str, origin: &str) -> TestCaseResult {
    prop_assert!(!message.trim().is_empty() && !message.contains('\n'), "one line: {message:?}");
    prop_assert!(message.contains(origin), "{message:?} does not name {origin}");
    Ok(())
}
