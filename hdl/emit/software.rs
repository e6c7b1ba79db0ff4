//! Software's view of a design: C header, register map, SystemRDL.

use serde::Serialize;

use super::Project;
use super::output::Files;
use super::render;
use crate::isa::command::ErrorCode;
use crate::isa::{Opcode, Set};
use crate::params::Params;
use crate::registers::{ADDRESS_BITS, Access, Field, REGISTERS, Register, Reset, identification, reset_value};

const HEADER: &str = include_str!("../../templates/software/bitline.h.tera");
const MAP: &str = include_str!("../../templates/software/registers.md.tera");
const RDL: &str = include_str!("../../templates/software/registers.rdl.tera");

/// The header's path below the output folder.
pub const HEADER_PATH: &str = "software/bitline.h";

#[derive(Serialize)]
struct FieldView {
    name: &'static str,
    constant: String,
    lsb: usize,
    msb: usize,
    bits: usize,
    range: String,
    mask: String,
    access: &'static str,
    software: &'static str,
    hardware: &'static str,
    reset: u32,
    doc: &'static str,
}

#[derive(Serialize)]
struct RegisterView {
    name: &'static str,
    constant: String,
    offset: String,
    reset: String,
    doc: &'static str,
    fields: Vec<FieldView>,
}

#[derive(Serialize)]
struct Named {
    name: String,
    constant: String,
    code: u64,
    doc: String,
}

/// Adds header, register map and SystemRDL.
pub fn files(project: &Project, files: &mut Files) {
    let params = project.params;
    let mut context = project.context();
    context.insert("registers", &REGISTERS.iter().map(|r| register(params, r)).collect::<Vec<_>>());
    context.insert("address_bits", &ADDRESS_BITS);
    context.insert("size", &format!("{:#x}", 1 << ADDRESS_BITS));
    context.insert("opcodes", &opcodes());
    context.insert("sets", &sets(params));
    context.insert("errors", &errors());
    context.insert("constants", &constants(params));
    files.add(HEADER_PATH, render(HEADER, &context));
    files.add("doc/registers.md", render(MAP, &context));
    files.add("doc/operations.md", crate::isa::reference::markdown(params));
    files.add("doc/registers.rdl", render(RDL, &context));
}

fn register(params: &Params, r: &Register) -> RegisterView {
    let reset = reset_value(params, r);
    RegisterView {
        name: r.name,
        constant: format!("BITLINE_{}", r.name.to_uppercase()),
        offset: format!("{:#04x}", r.offset),
        reset: format!("{reset:#010x}"),
        doc: r.doc.trim(),
        fields: r.fields.iter().map(|f| field(r, f, reset)).collect(),
    }
}

fn field(register: &Register, f: &Field, reset: u32) -> FieldView {
    let msb = f.lsb + f.bits - 1;
    let (software, hardware) = match (f.access, f.reset) {
        (Access::ReadOnly, Reset::Design) if register.name != "status" => ("sw = r; ", "hw = na; "),
        (Access::ReadOnly, _) if register.name == "id" => ("sw = r; ", "hw = na; "),
        (Access::ReadOnly, _) => ("sw = r; ", "hw = w; "),
        (Access::ReadWrite, _) => ("sw = rw; ", "hw = r; "),
        (Access::WriteOneToClear, _) => ("sw = rw; onwrite = woclr; ", "hw = w; hwset; "),
        (Access::WriteOnly, _) => ("sw = w; ", "hw = r; "),
    };
    FieldView {
        name: f.name,
        constant: format!("BITLINE_{}_{}", register.name.to_uppercase(), f.name.to_uppercase()),
        lsb: f.lsb,
        msb,
        bits: f.bits,
        range: if f.bits == 1 { f.lsb.to_string() } else { format!("{msb}:{}", f.lsb) },
        mask: format!("{:#010x}", f.mask()),
        access: f.access.name(),
        software,
        hardware,
        reset: (reset & f.mask()) >> f.lsb,
        doc: f.doc.trim(),
    }
}

fn named(kind: &str, name: &str, code: u64, doc: impl Into<String>) -> Named {
    let constant = format!("BITLINE_{kind}_{}", name.replace('.', "_").to_uppercase());
    Named { name: name.into(), constant, code, doc: doc.into() }
}

fn opcodes() -> Vec<Named> {
    Opcode::ALL.iter().map(|o| named("OP", &o.mnemonic(), o.code(), "")).collect()
}

fn sets(params: &Params) -> Vec<Named> {
    let doc = |s: Set| if params.sets.contains(&s) { "in this design" } else { "not in this design" };
    Set::ALL.iter().map(|&s| named("SET", s.name(), s as u64, doc(s))).collect()
}

fn errors() -> Vec<Named> {
    ErrorCode::ALL.iter().map(|e| named("ERR", e.name(), e.code(), e.description())).collect()
}

/// What the design answers in its identification registers, for software that wants to know at compile time.
fn constants(params: &Params) -> Vec<Named> {
    let fields = identification(params).into_iter().filter(|(register, ..)| *register != "status");
    fields.map(|(register, field, value)| named("DESIGN", &format!("{register}_{field}"), value.into(), "")).collect()
}
