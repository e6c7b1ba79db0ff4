//! The cycle table as the manual has it: a line for each group of operations, at three widths, for the `fast` set of
//! the presets `default` and `paper`.

use std::fmt::Write;

use super::{CycleRow, Selection, WIDTHS};
use crate::isa::Set;
use crate::params::{Memory, Sensing};

/// A line: its heading, its operations, and which of their signed and unsigned forms; none for both.
type Line = (&'static str, &'static [&'static str], Option<bool>);

const LINES: [Line; 22] = [
    ("copy, not", &["copy", "not"], None),
    ("and, or, xor, nand, nor, xnor", &["and", "or", "xor", "nand", "nor", "xnor"], None),
    ("add", &["add"], None),
    ("sub", &["sub"], None),
    ("neg", &["neg"], None),
    ("eq, ne", &["eq", "ne"], None),
    ("lt, le, gt, ge (both signs)", &["lt", "le", "gt", "ge"], None),
    ("min, max (both signs)", &["min", "max"], None),
    ("abs", &["abs"], None),
    ("mul n×n→2n", &["mul"], Some(false)),
    ("mul signed", &["mul"], Some(true)),
    ("mul_low (n×n→n)", &["mul_low"], None),
    ("div", &["div"], Some(false)),
    ("divrem", &["divrem"], Some(false)),
    ("divrem signed", &["divrem"], Some(true)),
    ("shl, shr, sar by a register", &["shl", "shr", "sar"], None),
    ("rotl, rotr", &["rotl", "rotr"], None),
    ("popcount", &["popcount"], None),
    ("clz", &["clz"], None),
    ("search for a key", &["search"], None),
    ("dot, 2n-bit accumulator", &["dot"], Some(false)),
    ("select", &["select"], None),
];

/// The designs, as the heads of columns.
const DESIGNS: [(&str, Sensing, Memory); 2] = [
    ("`default`: TwoPort, BlockRam", Sensing::TwoPort, Memory::BlockRam),
    ("`paper`: AndNor, Behavioural", Sensing::AndNor, Memory::Behavioural),
];

/// What is to be measured for it.
pub fn summary_selections() -> Vec<Selection> {
    let mut ops: Vec<String> = LINES.iter().flat_map(|line| line.1).map(|op| op.to_string()).collect();
    ops.dedup();
    let of = |(_, sensing, memory): (&str, Sensing, Memory)| Selection {
        ops: ops.clone(),
        sensing: vec![sensing],
        memory: vec![memory],
        sets: vec![Set::Fast],
        radices: vec![2],
        ..Selection::default()
    };
    DESIGNS.into_iter().map(of).collect()
}

/// Counts of a line at each width: one number if all of its operations agree, else the least and the greatest; `–`
/// where none has one.
fn counts(rows: &[&CycleRow], of: impl Fn(&CycleRow) -> Option<u64>) -> String {
    let at = |width: u8| {
        let found: Vec<u64> = rows.iter().filter(|row| row.width == width).filter_map(|row| of(row)).collect();
        match (found.iter().min(), found.iter().max()) {
            (Some(least), Some(most)) if least == most => Some(least.to_string()),
            (Some(least), Some(most)) => Some(format!("{least}–{most}")),
            _ => None,
        }
    };
    let counts: Option<Vec<String>> = WIDTHS.iter().map(|&width| at(width)).collect();
    counts.map_or("–".into(), |counts| counts.join(" / "))
}

/// Markdown from the measurements of [`summary_selections`].
pub fn summary(rows: &[CycleRow]) -> String {
    let mut text = String::from("| operation | papers |");
    DESIGNS.iter().for_each(|design| text += &format!(" {} | target |", design.0));
    text += &format!("\n|---|--:|{}\n", "--:|--:|".repeat(DESIGNS.len()));
    for (heading, ops, signed) in LINES {
        let of_line = |row: &&CycleRow| ops.contains(&row.op) && signed.is_none_or(|signed| signed == row.signed);
        let all: Vec<&CycleRow> = rows.iter().filter(of_line).collect();
        let _ = write!(text, "| {heading} | {} |", counts(&all, |row| row.paper_cycles));
        for (_, sensing, memory) in DESIGNS {
            let own: Vec<&CycleRow> =
                all.iter().copied().filter(|row| (row.sensing, row.memory) == (sensing, memory)).collect();
            let (measured, target) = (counts(&own, |row| Some(row.rtl_cycles)), counts(&own, |row| row.target_cycles));
            let _ = write!(text, " {measured} | {target} |");
        }
        text += "\n";
    }
    text
}
