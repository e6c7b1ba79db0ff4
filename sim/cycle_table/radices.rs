//! Cycles with both radices beside each other, for the operations that have micro-programs of their own with radix 4.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{CycleRow, Selection};
use crate::isa::Set;
use crate::params::{Memory, Sensing};

/// What is to be measured for it, with the widths that are asked for.
pub fn radices_selection(widths: &[u8]) -> Selection {
    Selection {
        ops: ["mul", "mul_low", "dot", "fmul", "ffma"].map(String::from).to_vec(),
        widths: widths.to_vec(),
        sensing: vec![Sensing::TwoPort],
        sets: vec![Set::Fast],
        ..Selection::default()
    }
}

/// Markdown from those measurements: a line for each operation and width; the speed-up is that on block RAM.
pub fn radices(rows: &[CycleRow]) -> String {
    let counts: BTreeMap<_, _> = rows.iter().map(|row| (key(row, row.memory, row.radix), row.rtl_cycles)).collect();
    let mut text =
        String::from("| operation | n, format | block RAM, radix 2 | 4 | behavioural, radix 2 | 4 | speed-up |\n");
    text += "|---|--:|--:|--:|--:|--:|--:|\n";
    for row in rows.iter().filter(|row| row.memory == Memory::BlockRam && row.radix == 2) {
        let of = |memory, radix| counts.get(&key(row, memory, radix)).copied().unwrap_or_default();
        let width = row.format.map_or(row.width.to_string(), String::from);
        let name = if row.signed && row.format.is_none() { format!("{} signed", row.op) } else { row.op.to_string() };
        let (two, four) = (of(Memory::BlockRam, 2), of(Memory::BlockRam, 4));
        let [slow, fast] = [2, 4].map(|radix| of(Memory::Behavioural, radix));
        let speed_up = two as f64 / four as f64;
        let _ = writeln!(text, "| `{name}` | {width} | {two} | {four} | {slow} | {fast} | {speed_up:.2} |");
    }
    text
}

/// What tells a measurement from all others.
fn key(row: &CycleRow, memory: Memory, radix: u8) -> (&'static str, bool, u8, Option<&str>, &'static str, u8) {
    (row.op, row.signed, row.width, row.format, memory.name(), radix)
}
