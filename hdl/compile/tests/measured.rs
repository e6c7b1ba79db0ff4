//! What instructions do on a GPU, held against the interpreter and the words of the array. No GPU is needed: what one
//! left stands in `measured/`. Its header says how that was measured, and how to do it again:
//!
//! ```sh
//! BITLINE_MEASURE=FOLDER cargo test -p bitline-compile --test compile measured::launches
//! scripts/cuda-replay.py --level 0 --jobs 8 --write FOLDER                       # where the GPU is
//! BITLINE_MEASURE=FOLDER cargo test -p bitline-compile --test compile measured::tables
//! ```

mod open;
mod operands;
mod sweep;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::ptx::table::rows;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use open::{is_just_below, is_left_open, is_same};
use operands::{Kind, triples};
use sweep::{BLOCK, Line, kernel, lines};
use table::{FILES, Table};

/// Threads that each instruction is done by on the GPU.
const THREADS: usize = 1024;
/// Lines of a kernel.
const TOGETHER: usize = 16;

/// Lines that read the same numbers, a few at a time.
fn groups(lines: &[Line]) -> Vec<([Kind; 3], Vec<&Line>)> {
    let mut by_kinds: BTreeMap<[Kind; 3], Vec<&Line>> = BTreeMap::new();
    lines.iter().for_each(|line| by_kinds.entry(line.kinds).or_default().push(line));
    let mut groups = Vec::new();
    for (kinds, all) in by_kinds {
        groups.extend(all.chunks(TOGETHER).map(|some| (kinds, some.to_vec())));
    }
    groups
}

/// A launch for numbers, a thread for each three of them. Behind the results there is room for what lines keep.
fn plan(numbers: &[[u64; 3]], block: usize, lines: usize) -> Plan {
    let buffer = |bits: Vec<u64>| Argument::Buffer(Buffer::of("u64".parse().expect("a type"), bits));
    let mut arguments: Vec<Argument> =
        (0..3).map(|at| buffer(numbers.iter().map(|three| three[at]).collect())).collect();
    arguments.push(buffer(vec![0; numbers.len() * (lines + 1)]));
    let grid = [(numbers.len() / block) as u32, 1, 1];
    Plan { grid, block: [block as u32, 1, 1], arguments, ..Plan::new("k") }
}

/// Results of each line.
fn results(buffers: &[Option<Buffer>], lines: usize, count: usize) -> Vec<Vec<u64>> {
    let all: Vec<u64> = buffers[3].as_ref().expect("a buffer").bits().collect();
    all.chunks(count).take(lines).map(<[u64]>::to_vec).collect()
}

/// All lines by their names.
fn named() -> &'static BTreeMap<String, Line> {
    static LINES: OnceLock<BTreeMap<String, Line>> = OnceLock::new();
    LINES.get_or_init(|| lines().into_iter().map(|line| (line.name.clone(), line)).collect())
}

/// The folder with launches, if there is one.
fn folder() -> Option<PathBuf> {
    std::env::var_os("BITLINE_MEASURE").map(PathBuf::from)
}

/// Writes all launches for a GPU.
#[test]
fn launches() {
    let Some(folder) = folder().filter(|folder| !path(folder, 0).exists()) else { return };
    let all = lines();
    std::fs::create_dir_all(&folder).expect("a folder");
    for (number, (kinds, lines)) in groups(&all).into_iter().enumerate() {
        let text = kernel(&lines, THREADS);
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let plan = plan(&triples(kinds, THREADS), BLOCK, lines.len());
        let record = plan.record(&module).unwrap_or_else(|error| panic!("{error}"));
        let ran = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let after: Vec<&[u8]> = ran.buffers.iter().flatten().map(|buffer| &buffer.bytes[..]).collect();
        record.write(&path(&folder, number), &text, &after).unwrap_or_else(|error| panic!("{error}"));
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number:04}"))
}

/// Makes the tables of what a GPU has left.
#[test]
fn tables() {
    let Some(folder) = folder().filter(|folder| path(folder, 0).join("found.bin").exists()) else { return };
    let all = lines();
    let mut found = Vec::new();
    for (number, (kinds, lines)) in groups(&all).into_iter().enumerate() {
        let bytes = std::fs::read(path(&folder, number).join("found.bin")).expect("what the GPU has left");
        let words: Vec<u64> =
            bytes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect();
        let numbers = triples(kinds, THREADS);
        let before = words.chunks(THREADS).take(3).enumerate();
        for (at, before) in before {
            assert!(before.iter().zip(&numbers).all(|(word, three)| *word == three[at]), "{number}: other operands");
        }
        let after = words.chunks(THREADS).skip(3);
        found.extend(lines.into_iter().zip(after).map(|(line, words)| (line, numbers.clone(), words.to_vec())));
    }
    for (name, text) in table::chosen(&found) {
        std::fs::write(table::folder().join(name), text).expect("written");
    }
}

/// The same kernel as words, or nothing where there are none.
fn words_of(lines: &[&Line], numbers: &[[u64; 3]], params: &DualityParams) -> Option<Vec<Vec<u64>>> {
    let text = kernel(lines, numbers.len());
    let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let words = Words { arrays: Some(1), tries: 0, ..Words::new(params) };
    let ran = plan(numbers, numbers.len(), lines.len()).words(&module, &words).ok()?;
    Some(results(&ran.buffers, lines.len(), numbers.len()))
}

/// Interpreter and words do what the GPU did.
fn held(file: &str) {
    let text = std::fs::read_to_string(table::folder().join(file)).expect("the file is there");
    let params = DualityParams::preset("cb").expect("a preset");
    let (mut compared, mut left_open, mut of_words) = (0, 0, 0);
    let mut without = BTreeSet::new();
    let all = named();
    for Table { numbers, results: measured } in table::read(&text) {
        let known: Vec<(&Line, &Vec<u64>)> = measured
            .iter()
            .map(|(name, words)| (all.get(name).unwrap_or_else(|| panic!("{file}: {name} is no line")), words))
            .collect();
        for some in known.chunks(TOGETHER) {
            let lines: Vec<&Line> = some.iter().map(|(line, _)| *line).collect();
            let text = kernel(&lines, numbers.len());
            let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let ran = plan(&numbers, numbers.len(), lines.len()).interpret(&module, &mut |_, _| ());
            let ran = ran.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let interpreted = results(&ran.buffers, lines.len(), numbers.len());
            // All together, or one by one if some have no words.
            let worded: Vec<Option<Vec<u64>>> = match words_of(&lines, &numbers, &params) {
                Some(words) => words.into_iter().map(Some).collect(),
                None => lines.iter().map(|line| Some(words_of(&[line], &numbers, &params)?.remove(0))).collect(),
            };
            for (at, (line, measured)) in some.iter().enumerate() {
                if worded[at].is_none() {
                    without.insert(line.name.clone());
                }
                of_words += usize::from(worded[at].is_some());
                for (thread, three) in numbers.iter().enumerate() {
                    if is_left_open(line, *three) {
                        left_open += 1;
                        continue;
                    }
                    compared += 1;
                    let (theirs, own) = (measured[thread], interpreted[at][thread]);
                    let what = || format!("{} of {three:x?}", line.name);
                    assert!(is_same(line, own, theirs), "{}: {own:#x}, on the GPU {theirs:#x}", what());
                    let Some(words) = &worded[at] else { continue };
                    let own = words[thread];
                    let same = is_same(line, own, theirs) || is_just_below(line, own, theirs);
                    assert!(same, "words, {}: {own:#x}, GPU {theirs:#x}", what());
                }
            }
        }
    }
    println!("{file}: {compared} results as on the GPU, {left_open} left open; {of_words} lines have words");
    assert!(compared > 20 * left_open && of_words > 0, "{compared} {left_open} {of_words}");
    assert!(without.is_empty(), "without words: {without:?}");
}

#[test]
fn integers_are_the_gpus() {
    held(FILES[0]);
}

#[test]
fn comparisons_are_the_gpus() {
    held(FILES[1]);
}

#[test]
fn floats_are_the_gpus() {
    held(FILES[2]);
}

#[test]
fn conversions_are_the_gpus() {
    held(FILES[3]);
}

#[test]
fn memory_and_threads_are_the_gpus() {
    held(FILES[4]);
}

/// Each row that is read has been measured, but for those that only lead somewhere else.
#[test]
fn every_row_is_measured() {
    let all = named();
    let mut measured = BTreeSet::new();
    for file in FILES {
        let text = std::fs::read_to_string(table::folder().join(file)).expect("the file is there");
        measured.extend(table::read(&text).iter().flat_map(|table| table.results.iter().map(|one| all[&one.0].row)));
    }
    let missing = rows().enumerate().filter(|(at, row)| !row.forms.is_empty() && !measured.contains(at));
    let missing: Vec<String> = missing.map(|(_, row)| format!("{} {}", row.name, row.part)).collect();
    assert_eq!(missing, ["st param of a function", "call ", "ret ", "exit ", "trap "]);
}
