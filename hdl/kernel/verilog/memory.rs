//! Memories as Verilog that synthesis tools recognise.

use std::fmt::Write as _;

use num_bigint::BigUint;

use super::contents;
use super::expr::Printer;
use super::range;
use super::text::{constant, index_bits};
use crate::mem::RamStyle;
use crate::netlist::{ExprId, Memory, Read};

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
        contents::print(memory, words, text);
    }
    for (net, read) in &memory.reads {
        let target = printer.net_name(*net);
        printer.set_context(&target);
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
        printer.set_context(name);
        let address = index(memory, printer, w.address);
        let inside = bound(memory, printer, w.address);
        let condition = match inside {
            Some(inside) => format!("{} && ({inside})", printer.operand(w.enable)),
            None => printer.full(w.enable),
        };
        let data = match w.mask {
            Some(mask) => {
                let (mask, data) = (printer.operand(mask), printer.operand(w.data));
                format!("({data} & {mask}) | ({name}[{address}] & ~{mask})")
            }
            None => printer.full(w.data),
        };
        let _ =
            writeln!(text, "\n  always @(posedge clk) begin\n    if ({condition}) {name}[{address}] <= {data};\n  end");
    }
}

/// Address bits that matter.
fn index(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> String {
    if memory.depth == 1 { "0".to_string() } else { printer.low_bits(address, index_bits(memory.depth)) }
}

/// A condition that the address lies within the memory, where it might not.
fn bound(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> Option<String> {
    if memory.depth.is_power_of_two() {
        return None;
    }
    let width = printer.width(address);
    let depth = constant(&BigUint::from(memory.depth), width);
    Some(format!("{} < {depth}", printer.operand(address)))
}

fn word(memory: &Memory, printer: &mut Printer<'_>, address: ExprId) -> String {
    let at = index(memory, printer, address);
    let word = format!("{}[{at}]", memory.name);
    match bound(memory, printer, address) {
        Some(inside) => format!("({inside}) ? {word} : {}", constant(&BigUint::default(), memory.width)),
        None => word,
    }
}

/// AND or NOR over any set of rows, row by row: constant indices, because Icarus would read the whole memory at every
/// change; a wire of its own for each row, because Verilator takes an array of wires for one.
fn search(memory: &Memory, printer: &mut Printer<'_>, target: &str, read: &Read, select: ExprId, text: &mut String) {
    let (name, depth, width) = (&memory.name, memory.depth, memory.width);
    let select = printer.named_low(select, depth as u32);
    let rows = printer.unique(&format!("{target}_rows"));
    let (row, declared) = printer.genvar();
    let and = matches!(read, Read::And { .. });
    let index = format!("{select}[{row}]");
    let (operator, term) = if and {
        ("&", format!("{name}[{row}] | ~{{{width}{{{index}}}}}"))
    } else {
        ("|", format!("{name}[{row}] & {{{width}{{{index}}}}}"))
    };
    let _ = writeln!(text);
    if !declared {
        let _ = writeln!(text, "  genvar {row};");
    }
    let _ = writeln!(text, "  generate");
    let _ = writeln!(text, "    for ({row} = 0; {row} < {depth}; {row} = {row} + 1) begin : {rows}");
    let _ = writeln!(text, "      wire {}upto;", range(width));
    let _ = writeln!(text, "      if ({row} == 0) begin : first\n        assign upto = {term};");
    let _ = writeln!(
        text,
        "      end else begin : next\n        assign upto = {rows}[{row} - 1].upto {operator} ({term});"
    );
    let _ = writeln!(text, "      end\n    end\n  endgenerate");
    let last = format!("{rows}[{}].upto", depth - 1);
    let _ = writeln!(text, "  assign {target} = {}{last};", if and { "" } else { "~" });
}
