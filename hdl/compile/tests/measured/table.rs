//! Tables of results: text, and what of a GPU's results goes there.
//!
//! ```text
//! operands 0 1 2|ffff 3 7f            three numbers for each thread
//! add.s32: 1 10002                    a result of each
//! setp.lt.s32: {1 2} 01               where there are few: which they are, and the place of each among them
//! ```

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::PathBuf;

use bitline_compile::ptx::table::TABLE;

use super::operands::Kind;
use super::sweep::{BLOCK, Line};

/// What there is: integers and logic, comparisons, floating point, conversions, memory and threads.
pub const FILES: [&str; 5] = ["integers.txt", "comparisons.txt", "floats.txt", "conversions.txt", "memory.txt"];

/// Threads of a table whose lines do not look at each other, beside those that are forced.
const MOST: usize = 14;

/// Lines that read the same operands.
pub struct Table {
    pub numbers: Vec<[u64; 3]>,
    /// Of each line its name, and a result for each thread.
    pub results: Vec<(String, Vec<u64>)>,
}

/// Where tables are.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/measured"))
}

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The tables of a file.
pub fn read(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(operands) = line.strip_prefix("operands ") {
            let three = |text: &str| {
                let mut words = text.split(' ').map(hexadecimal);
                [(); 3].map(|()| words.next().unwrap_or_else(|| panic!("{text}: three operands")))
            };
            tables.push(Table { numbers: operands.split('|').map(three).collect(), results: Vec::new() });
            continue;
        }
        let (name, words) = line.rsplit_once(": ").unwrap_or_else(|| panic!("{line}: no results"));
        let table = tables.last_mut().expect("operands come first");
        let words: Vec<u64> = match words.strip_prefix('{').and_then(|few| few.split_once("} ")) {
            Some((few, places)) => {
                let few: Vec<u64> = few.split(' ').map(hexadecimal).collect();
                places.bytes().map(|place| few[usize::from(place - b'0')]).collect()
            }
            None => words.split(' ').map(hexadecimal).collect(),
        };
        assert_eq!(words.len(), table.numbers.len(), "{line}");
        table.results.push((name.to_string(), words));
    }
    tables
}

fn written(words: &[u64]) -> String {
    let mut few = words.to_vec();
    few.sort_unstable();
    few.dedup();
    let joined = |words: &[u64]| words.iter().map(|word| format!("{word:x}")).collect::<Vec<_>>().join(" ");
    if few.len() > 5 {
        return joined(words);
    }
    let place = |word: &u64| few.iter().position(|own| own == word).unwrap_or_default().to_string();
    format!("{{{}}} {}", joined(&few), words.iter().map(place).collect::<String>())
}

/// Which file an instruction is in.
fn file(line: &Line) -> usize {
    let ends = TABLE.iter().scan(0, |end, (_, rows)| {
        *end += rows.len();
        Some(*end)
    });
    let section = ends.take_while(|end| *end <= line.row).count();
    match section {
        0 | 1 | 4 => 0,
        3 => 1,
        2 => 2,
        _ if line.name.contains("cvt.") && !line.name.contains('[') => 3,
        _ => 4,
    }
}

/// Whether what a thread finds depends on its neighbours; then how many there must be.
fn neighbours(line: &Line) -> Option<usize> {
    let has = |word: &str| line.name.contains(word);
    match line {
        _ if has("bar.") || has("barrier.") && !has("bar.warp") => Some(BLOCK),
        _ if has("sync") || has("%lane") => Some(32),
        _ => None,
    }
}

/// Comparisons and functions of three bits are too many: some of those that are joined or make numbers.
fn is_taken(line: &Line) -> bool {
    let name = line.name.as_str();
    let words: Vec<&str> = name.split('.').collect();
    if let Some(table) = name.strip_prefix("lop3.b32 ") {
        return table.parse::<u32>().is_ok_and(|table| table.is_multiple_of(17));
    }
    let some = ["lt", "hs", "nan", "equ"].iter().any(|word| words.contains(word));
    let joined = ["and", "or", "xor"].iter().any(|word| words.get(2) == Some(word));
    // How many blocks there are.
    let alone = !name.contains("%nctaid");
    match words[0] {
        "set" => some && !joined && words.len() > 2 || words.contains(&"xor") && words[1] == "lt" || words[2] == "u32",
        "setp" => !joined || some,
        _ => alone,
    }
}

/// A line, what threads had, and what each of them has left.
pub type Found<'l> = (&'l Line, Vec<[u64; 3]>, Vec<u64>);

/// Operands at which instructions go wrong, even if no line tells them from others: zeros, and results just below the
/// smallest normal number, which are flushed, and just as large, which are not.
fn forced(lines: &[&Found<'_>]) -> Vec<usize> {
    let kinds = lines[0].0.kinds;
    let (least, sign) = match kinds[0] {
        Kind::F16 => (0x400, 0x8000),
        Kind::F32 => (0x0080_0000, 1 << 31),
        Kind::F64 => (1 << 52, 1 << 63),
        _ => return Vec::new(),
    };
    let numbers = &lines[0].1;
    let mut chosen: Vec<usize> =
        [0, sign].iter().filter_map(|zero| numbers.iter().position(|x| x[0] == *zero)).collect();
    let rounded =
        ["mul.rn.ftz.", "mul.rp.ftz.", "div.rm.ftz.", "fma.rn.ftz.", "fma.rp.ftz.", "rcp.rp.ftz.", "cvt.rn.ftz."];
    for flushed in lines.iter().filter(|own| rounded.iter().any(|prefix| own.0.name.starts_with(prefix))) {
        let plain = flushed.0.name.replace(".ftz", "");
        let Some(plain) = lines.iter().find(|own| own.0.name == plain) else { continue };
        for kept in [false, true] {
            let is = |at: &usize| {
                let (with, without) = (flushed.2[*at] & !sign, plain.2[*at] & !sign);
                let other = numbers[*at].iter().all(|number| number & !sign != least && *number & !sign != 0);
                without == least && if kept { with == least && other } else { with == 0 }
            };
            chosen.extend((0..numbers.len()).find(is));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Operands that tell lines apart, as far as there are such, and others.
fn telling(lines: &[&Found<'_>]) -> Vec<usize> {
    let count = lines[0].1.len();
    let mut classes = vec![0_usize; lines.len()];
    let mut chosen = forced(lines);
    let most = MOST + chosen.len();
    let split = |classes: &[usize], at: usize| {
        let mut known = BTreeMap::new();
        let each = classes.iter().zip(lines).map(|(class, line)| {
            let next = known.len();
            *known.entry((*class, line.2[at])).or_insert(next)
        });
        let each: Vec<usize> = each.collect();
        (known.len(), each)
    };
    let mut seen: HashSet<(usize, u64)> = HashSet::new();
    while chosen.len() < most {
        // More lines told apart first, then more results that no line has had.
        let worth = |at: usize| {
            let new = lines.iter().enumerate().filter(|(line, own)| !seen.contains(&(*line, own.2[at]))).count();
            (split(&classes, at).0, new, count - at)
        };
        let Some(best) = (0..count).filter(|at| !chosen.contains(at)).max_by_key(|at| worth(*at)) else { break };
        classes = split(&classes, best).1;
        lines.iter().enumerate().for_each(|(line, own)| {
            seen.insert((line, own.2[best]));
        });
        chosen.push(best);
    }
    chosen
}

/// The tables of what a GPU has left of each line: the files and their text.
pub fn chosen(found: &[Found<'_>]) -> Vec<(&'static str, String)> {
    let header = std::fs::read_to_string(folder().join("header.txt")).expect("the header is there");
    let mut files = FILES.map(|name| (name, header.clone()));
    type Key = (usize, [Kind; 3], Option<usize>);
    let mut groups: BTreeMap<Key, Vec<&Found<'_>>> = BTreeMap::new();
    for one in found.iter().filter(|one| is_taken(one.0)) {
        groups.entry((file(one.0), one.0.kinds, neighbours(one.0))).or_default().push(one);
    }
    for ((file, _, neighbours), lines) in groups {
        let places = neighbours.map_or_else(|| telling(&lines), |count| (0..count).collect());
        let three = |at: &usize| lines[0].1[*at].map(|word| format!("{word:x}")).join(" ");
        let text = &mut files[file].1;
        let _ = writeln!(text, "operands {}", places.iter().map(three).collect::<Vec<_>>().join("|"));
        for (line, _, words) in lines {
            let words: Vec<u64> = places.iter().map(|at| words[*at]).collect();
            let _ = writeln!(text, "{}: {}", line.name, written(&words));
        }
    }
    files.into()
}
