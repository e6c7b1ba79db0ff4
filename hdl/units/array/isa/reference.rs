//! The operations of a design as a table for people: what each computes, its widths, its operands' rows, what may
//! overlap, what becomes of the tags.

use std::fmt::Write;

use crate::array::isa::format::Format;
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::isa::transfer;
use crate::array::isa::uop::TagAction;
use crate::array::params::{Latch, MemoryPort, Params};

/// Empty cells behind what is told of an operation that is not there.
const NOTHING: &str = "| | | | | |";

/// Markdown: a line for each operation, and one more for each set in which its operands differ.
pub fn markdown(params: &Params) -> String {
    let mut text = format!(
        "# Operations of design {}\n\nn is a command's width, m its second width; element k is column k, bit i of an \
         operand is in its row i. T is the tag \
         latch. Scratch rows hold nothing afterwards. Operands must not share rows where the column before the last \
         says so; *a d or same* allows\n\
         operands that start at the same row. The last column says what T holds afterwards: *kept* what it held before, \
         *result* what the operation computes, *lost* nothing that means something. A name with a set behind it, such \
         as `div.skip`, is the\n\
         operation in that set, where its operands are others or it is not in every set of the design.\n\n\
         | operation | computes | n | m | operands: rows | scratch rows | must not share rows | T \
         |\n|---|---|---|---|---|---|---|---|\n",
        params.name
    );
    for opcode in params.opcodes() {
        for (name, line) in lines(opcode, params) {
            let meaning = opcode.meaning().trim_end_matches('.').replace('|', "\\|");
            let _ = writeln!(text, "| `{name}` | {meaning} | {line}");
        }
    }
    for (name, code, meaning) in transfer::OPCODES {
        let operand = if code == transfer::STORE_MEMORY { "a: n" } else { "d: n" };
        let line = match params.memory_port {
            MemoryPort::None => format!("not in this design, which has no way to memory {NOTHING}"),
            _ => format!("1 to {} | | {operand} | | | kept |", transfer::widest(params)),
        };
        let _ = writeln!(text, "| `{name}` | {meaning} | {line}");
    }
    text
}

/// Lines of an operation: a name, and what stands behind its meaning.
fn lines(opcode: Opcode, params: &Params) -> Vec<(String, String)> {
    if [Opcode::Load, Opcode::Store].contains(&opcode) && params.memory_port != MemoryPort::None {
        let by = transfer::OPCODES[usize::from(opcode == Opcode::Store)].0;
        return vec![(opcode.mnemonic(), format!("not in this design, whose rows come and go by `{by}` {NOTHING}"))];
    }
    let of_set = |set: Set| -> Result<String, Latch> {
        let operation = Operation::of(opcode, Context::of(params, set));
        match operation.latches().iter().find(|&&latch| !params.has(latch)) {
            Some(&latch) => Err(latch),
            None => Ok(line(&operation)),
        }
    };
    let found: Vec<(Set, Result<String, Latch>)> = params.sets.iter().map(|&set| (set, of_set(set))).collect();
    let everywhere = found.iter().all(|(_, line)| line.is_ok());
    let nowhere = found.iter().all(|(_, line)| line.is_err());
    let mut lines: Vec<(String, String)> = Vec::new();
    for (set, found) in found {
        let line =
            found.unwrap_or_else(|latch| format!("not in this design, which lacks latch `{}` {NOTHING}", latch.name()));
        if lines.iter().any(|(_, other)| *other == line) && (everywhere || nowhere) {
            continue;
        }
        let plain = lines.is_empty() && (everywhere || nowhere);
        let name = if plain { opcode.mnemonic() } else { format!("{}.{set}", opcode.mnemonic()) };
        lines.push((name, line));
    }
    lines
}

fn line(operation: &Operation) -> String {
    let (low, high) = operation.widths;
    let formats = |of: fn(Format) -> u8| {
        operation.own_formats().map(|format| format!("{} {}", format, of(format))).collect::<Vec<_>>().join(", ")
    };
    let widths = format!("{low} to {high}{}", if operation.power_of_two { ", powers of two" } else { "" });
    let widths = if operation.formats { formats(Format::n) } else { widths };
    let second = match operation.second {
        Some((low, high)) => format!("{low} to {high}"),
        None if operation.formats => formats(Format::m),
        None => String::new(),
    };
    let rows = |scratch: bool| -> String {
        let extents = operation.extents.iter().filter(|e| (e.role == Role::Scratch) == scratch);
        extents.map(|e| format!("{}: {}", e.operand.name(), e.rows)).collect::<Vec<_>>().join(", ")
    };
    let apart = operation.disjoint.iter().map(|rule| {
        format!("{} {}{}", rule.first.name(), rule.second.name(), if rule.same_start { " or same" } else { "" })
    });
    let (apart, tag) = (apart.collect::<Vec<_>>().join(", "), tag(operation));
    format!("{widths} | {second} | {} | {} | {apart} | {tag} |", rows(false), rows(true))
}

/// What becomes of the tags.
fn tag(operation: &Operation) -> &'static str {
    let programs = || operation.variants.iter().map(|variant| &variant.program);
    let written = programs().any(|p| p.rows().iter().any(|row| row.column.t != TagAction::Hold));
    if programs().all(|program| program.keep_tag) && !written {
        "kept"
    } else if operation.opcode.gives_tag() {
        "result"
    } else {
        "lost"
    }
}
