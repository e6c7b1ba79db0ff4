//! Memories as Verilog that synthesis tools recognise.

use std::fmt::Write as _;

use num_bigint::BigUint;

use super::expr::{Printer, constant};
use super::range;
use crate::kernel::mem::RamStyle;
use crate::kernel::netlist::{ExprId, Memory, Read};

pub(super) fn declare(memory: &Memory, text: &mut String) {
    let kind = if memory.contents.is_some() { "rom" } else { "ram" };
    let style = match memory.style {
        RamStyle::Auto => String::new(),
        RamStyle::Block => format!("(* {kind}_style = \"block\" *) "),
        RamStyle::Distributed => format!("(* {kind}_style = \"distributed\" *) "),
    };
    let _ = writeln!(text, "  {style}reg {}{} [0:{}];", range(memory.width), memory.name, memory.depth - 1);
}

pub(super) fn print(memory: &Memory, printer: &mut Printer<'_>, text: &mut String) {
    let name = &memory.name;
    if let Some(words) = &memory.contents {
        let _ = writeln!(text, "\n  initial begin");
        for (at, word) in words.iter().enumerate() {
            let _ = writeln!(text, "    {name}[{at}] = {};", constant(word, memory.width));
        }
        let _ = writeln!(text, "  end");
    }
    for (net, read) in &memory.reads {
        let target = printer.net_name(*net);
        match read {
            Read::Now { address } => {
                let value = word(memory, printer, *address);
                let _ = writeln!(text, "\n  assign {target} = {value};");
            }
            Read::Clocked { address, enable } => {
                let value = word(memory, printer, *address);
                let enable = printer.full(*enable);
                let condition = if enable == "1'b1" { String::new() } else { format!("if ({enable}) ") };
                let _ = writeln!(text, "\n  always @(posedge clk) begin\n    {condition}{target} <= {value};\n  end");
            }
            Read::And { select } | Read::Nor { select } => search(memory, printer, &target, read, *select, text),
        }
    }
    if let Some(w) = &memory.write {
        let address = index(memory, printer, w.address);
        let inside = bound(memory, printer, w.address);
        let enable = printer.full(w.enable);
        let condition = match inside {
            Some(inside) => format!("({enable}) && ({inside})"),
            None => enable,
        };
        let data = match w.mask {
            Some(mask) => {
                let (mask, data) = (printer.full(mask), printer.full(w.data));
                format!("(({data}) & ({mask})) | ({name}[{address}] & ~({mask}))")
            }
            None => printer.full(w.data),
        };
        let _ =
            writeln!(text, "\n  always @(posedge clk) begin\n    if ({condition}) {name}[{address}] <= {data};\n  end");
    }
}

/// Address bits that matter.
fn index(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> String {
    printer.low_bits(address, bits(memory.depth))
}

fn bits(depth: usize) -> u32 {
    (usize::BITS - (depth - 1).leading_zeros()).max(1)
}

/// A condition that the address lies within the memory, where it might not.
fn bound(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> Option<String> {
    if memory.depth.is_power_of_two() {
        return None;
    }
    let width = printer.width(address);
    let depth = constant(&BigUint::from(memory.depth), width);
    Some(format!("{} < {depth}", printer.operand_text(address)))
}

fn word(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> String {
    let at = index(memory, printer, address);
    let word = format!("{}[{at}]", memory.name);
    match bound(memory, printer, address) {
        Some(inside) => format!("({inside}) ? {word} : {}", constant(&BigUint::default(), memory.width)),
        None => word,
    }
}

/// AND or NOR over any set of rows: a chain with one link for each row, because Icarus handles constant indices only without
/// reading the whole memory at every change.
fn search(memory: &Memory, printer: &mut Printer<'_>, target: &str, read: &Read, select: ExprId, text: &mut String) {
    let (name, depth, width) = (&memory.name, memory.depth, memory.width);
    let select = printer.named_text(select);
    // Genvars share the module's names.
    let (chain, row) = (format!("{target}_chain"), format!("{target}_row"));
    let and = matches!(read, Read::And { .. });
    let start = if and { format!("{{{width}{{1'b1}}}}") } else { format!("{{{width}{{1'b0}}}}") };
    let mask = format!("{{{width}{{{select}[{row}]}}}}");
    let link = if and {
        format!("{chain}[{row}] & ({name}[{row}] | ~{mask})")
    } else {
        format!("{chain}[{row}] | ({name}[{row}] & {mask})")
    };
    let end = if and { format!("{chain}[{depth}]") } else { format!("~{chain}[{depth}]") };
    let _ = writeln!(text, "\n  wire {}{chain} [0:{depth}];", range(width));
    let _ = writeln!(text, "  assign {chain}[0] = {start};");
    let _ = writeln!(text, "  generate\n    genvar {row};");
    let _ = writeln!(text, "    for ({row} = 0; {row} < {depth}; {row} = {row} + 1) begin : {target}_rows");
    let _ = writeln!(text, "      assign {chain}[{row} + 1] = {link};\n    end\n  endgenerate");
    let _ = writeln!(text, "  assign {target} = {end};");
}
