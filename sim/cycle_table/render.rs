//! The cycle table as text.

use std::fmt::Write;

use super::{CycleRow, Verdict};

/// A JSON array, one object a line.
pub fn json(rows: &[CycleRow]) -> String {
    let lines: Vec<String> =
        rows.iter().map(|row| serde_json::to_string(row).expect("plain values have a JSON form")).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// What a row that needs more cycles than its target gets for them.
fn trade_off(row: &CycleRow) -> &'static str {
    if row.target_cycles.is_some_and(|target| row.formula_cycles <= target) {
        return ": block RAM, a row read right after it was written waits";
    }
    match row.op {
        "div" => ": leaves the dividend as it was, n cycles for the copy",
        "divrem" => ": gives both results their signs, n cycles for the second",
        _ => "",
    }
}

const HEADING: &str =
    "| op | n | scratch | rtl | latency | formula | paper | target | read | written | latches | pJ | pJ a bit | |";

/// Markdown: one table for each sensing mode, memory, radix and set.
pub fn markdown(rows: &[CycleRow]) -> String {
    let mut text = String::new();
    let mut heading = None;
    for row in rows {
        let now = (row.sensing, row.memory, row.radix, row.set, row.flushed, row.exception_flags);
        if heading != Some(now) {
            let gap = if heading.is_some() { "\n" } else { "" };
            heading = Some(now);
            let radix = if row.radix == 2 { "" } else { ", radix 4" };
            let mode = if row.flushed { ", subnormal numbers flushed" } else { "" };
            let flags = if row.exception_flags { ", exception flags" } else { "" };
            let (sensing, memory, set) = (row.sensing, row.memory, row.set);
            let _ = writeln!(text, "{gap}### {sensing} sensing, {memory} memory{radix}, set {set}{mode}{flags}\n");
            let _ = writeln!(text, "{HEADING}");
            let _ = writeln!(text, "|---|{}---|", "--:|".repeat(HEADING.matches(" | ").count() - 1));
        }
        let number = |cycles: Option<u64>| cycles.map_or("–".into(), |c| c.to_string());
        let twin = rows.iter().any(|r| r.op == row.op && r.signed != row.signed);
        let op = if twin && row.signed { format!("{} signed", row.op) } else { row.op.to_string() };
        let note = match (row.verdict(), row.target_cycles) {
            (Verdict::Allowed, Some(target)) => format!("{} above target{}", row.rtl_cycles - target, trade_off(row)),
            (Verdict::Known, Some(target)) => format!("{} above target: see DESIGN.md", row.rtl_cycles - target),
            (Verdict::Missed, Some(target)) => format!("**{} above target**", row.rtl_cycles - target),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "| {op} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} | {:.2} | {note} |",
            // A conversion has its format in its name; n is the integer's width.
            row.format
                .filter(|format| !row.op.starts_with(format) || !row.op.ends_with("int"))
                .map_or(row.width.to_string(), str::to_string),
            row.scratch_rows,
            row.rtl_cycles,
            row.latency_cycles,
            row.formula_cycles,
            number(row.paper_cycles),
            number(row.target_cycles),
            row.rows_read,
            row.rows_written,
            row.latch_updates,
            row.energy_pj,
            row.energy_pj_per_bit,
        );
    }
    text
}
