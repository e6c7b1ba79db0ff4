//! The operations of a design as a table for people: what each computes, its widths, its operands' rows, what may
//! overlap.

use std::fmt::Write;

use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::params::Params;

/// Markdown: a line for each operation, and one more for each set in which its operands differ.
pub fn markdown(params: &Params) -> String {
    let mut text = format!(
        "# Operations of design {}\n\nn is a command's width, m its second width; element k is column k, bit i of an \
         operand is in its row i. T is the tag \
         latch. Scratch rows hold nothing afterwards. Operands must not share rows where the last column says so; *a d \
         or same* allows\n\
         operands that start at the same row.\n\n\
         | operation | computes | n | m | operands: rows | scratch rows | must not share rows \
         |\n|---|---|---|---|---|---|---|\n",
        params.name
    );
    for &opcode in Opcode::ALL {
        let mut known: Vec<String> = Vec::new();
        for &set in &params.sets {
            let operation = Operation::of(opcode, Context::of(params, set));
            let line = match operation.latches().into_iter().find(|&l| !params.has(l)) {
                Some(latch) => format!("not in this design, which lacks latch {latch:?} | | | |"),
                None => line(&operation),
            };
            if known.contains(&line) {
                continue;
            }
            let mnemonic = opcode.mnemonic();
            let name = if known.is_empty() { mnemonic } else { format!("{mnemonic}.{set}") };
            let _ =
                writeln!(text, "| `{name}` | {} | {line}", opcode.meaning().trim_end_matches('.').replace('|', "\\|"));
            known.push(line);
        }
    }
    text
}

fn line(operation: &Operation) -> String {
    let (low, high) = operation.widths;
    let widths = format!("{low} to {high}{}", if operation.power_of_two { ", powers of two" } else { "" });
    let second = operation.second.map_or(String::new(), |(low, high)| format!("{low} to {high}"));
    let rows = |scratch: bool| -> String {
        let extents = operation.extents.iter().filter(|e| (e.role == Role::Scratch) == scratch);
        extents.map(|e| format!("{}: {}", e.operand.name(), e.rows)).collect::<Vec<_>>().join(", ")
    };
    let apart = operation.disjoint.iter().map(|rule| {
        format!("{} {}{}", rule.first.name(), rule.second.name(), if rule.same_start { " or same" } else { "" })
    });
    format!("{widths} | {second} | {} | {} | {} |", rows(false), rows(true), apart.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::presets::PRESETS;

    #[test]
    fn every_operation_has_its_line() {
        for params in PRESETS.iter().map(|preset| preset.params()) {
            let (name, text) = (&params.name, markdown(&params));
            for opcode in Opcode::ALL {
                assert!(text.contains(&format!("| `{}` | ", opcode.mnemonic())), "{name}: {opcode}");
            }
            let cells = |line: &str| line.matches(" |").count();
            let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("| ")).collect();
            assert!(lines.iter().all(|l| cells(l) == cells(lines[0])), "{name}: {text}");
        }
    }
}
