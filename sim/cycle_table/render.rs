//! The cycle table as text.

use std::fmt::Write;

use super::{CycleRow, Verdict};

/// A JSON array, one object a line.
pub fn json(rows: &[CycleRow]) -> String {
    let lines: Vec<String> =
        rows.iter().map(|row| serde_json::to_string(row).expect("plain values have a JSON form")).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Markdown: one table for each sensing mode, memory and set.
pub fn markdown(rows: &[CycleRow]) -> String {
    let mut text = String::new();
    let mut heading = None;
    for row in rows {
        let now = (row.sensing, row.memory, row.set);
        if heading != Some(now) {
            let gap = if heading.is_some() { "\n" } else { "" };
            heading = Some(now);
            let _ = writeln!(text, "{gap}### {} sensing, {} memory, set {}\n", row.sensing, row.memory, row.set);
            let _ = writeln!(text, "| op | n | rtl | latency | formula | paper | target | |");
            let _ = writeln!(text, "|---|--:|--:|--:|--:|--:|--:|---|");
        }
        let number = |cycles: Option<u64>| cycles.map_or("–".into(), |c| c.to_string());
        let twin = rows.iter().any(|r| r.op == row.op && r.signed != row.signed);
        let op = if twin && row.signed { format!("{} signed", row.op) } else { row.op.to_string() };
        let note = match (row.verdict(), row.target_cycles) {
            (Verdict::Allowed, Some(target)) => format!("{} above target", row.rtl_cycles - target),
            (Verdict::Missed, Some(target)) => format!("**{} above target**", row.rtl_cycles - target),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "| {op} | {} | {} | {} | {} | {} | {} | {note} |",
            row.width,
            row.rtl_cycles,
            row.latency_cycles,
            row.formula_cycles,
            number(row.paper_cycles),
            number(row.target_cycles),
        );
    }
    text
}
