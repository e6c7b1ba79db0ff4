//! Registers and codes as the templates of C headers, register maps and SystemRDL see them.

use serde::Serialize;

use super::render;
use bitline_units::regmap::{Access, Field, Register, Reset};

const TABLES: &str = include_str!("templates/registers/tables.md.tera");
const FIELDS: &str = include_str!("templates/registers/fields.rdl.tera");

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
    reset: String,
    doc: &'static str,
    html: String,
}

#[derive(Serialize)]
pub(super) struct RegisterView {
    name: &'static str,
    constant: String,
    offset: String,
    reset: String,
    doc: &'static str,
    html: String,
    fields: Vec<FieldView>,
}

#[derive(Serialize)]
pub(super) struct Named {
    name: String,
    pub(super) constant: String,
    code: u64,
    doc: String,
    html: String,
}

/// A text with its names in backquotes as a page has it.
pub(super) fn html(text: &str) -> String {
    let escaped = text.trim().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let part = |(i, part): (usize, &str)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part.into() };
    escaped.split('`').enumerate().map(part).collect()
}

/// Adds what every unit's register map and SystemRDL have in common, made from `registers` and `errors`.
pub(super) fn add_register_parts(context: &mut tera::Context) {
    let (tables, fields) = (render(TABLES, context), render(FIELDS, context));
    context.insert("register_tables", &tables);
    context.insert("register_fields", &fields);
}

/// A register of any table; `prefix` begins its constants.
pub(super) fn register_view(prefix: &str, r: &Register, reset: u32) -> RegisterView {
    RegisterView {
        name: r.name,
        constant: format!("{prefix}_{}", r.name.to_uppercase()),
        offset: format!("{:#04x}", r.offset),
        reset: format!("{reset:#010x}"),
        doc: r.doc.trim(),
        html: html(r.doc),
        fields: r.fields.iter().map(|f| field(prefix, r, f, reset)).collect(),
    }
}

fn field(prefix: &str, register: &Register, f: &Field, reset: u32) -> FieldView {
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
        constant: format!("{prefix}_{}_{}", register.name.to_uppercase(), f.name.to_uppercase()),
        lsb: f.lsb,
        msb,
        bits: f.bits,
        range: if f.bits == 1 { f.lsb.to_string() } else { format!("{msb}:{}", f.lsb) },
        mask: format!("{:#010x}", f.mask()),
        access: f.access.name(),
        software,
        hardware,
        // As the register's own value, in hexadecimal.
        reset: format!("{:#x}", (reset & f.mask()) >> f.lsb),
        doc: f.doc.trim(),
        html: html(f.doc),
    }
}

pub(super) fn named(kind: &str, name: &str, code: u64, doc: impl Into<String>) -> Named {
    let constant = format!("BITLINE_{kind}_{}", name.replace('.', "_").to_uppercase());
    let doc = doc.into();
    Named { name: name.into(), constant, code, html: html(&doc), doc }
}
