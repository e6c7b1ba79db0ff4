//! The disassembler: a program as text, which assembles to the same words. Registers are written by their places,
//! targets of jumps get labels.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::assemble::{default_bits, default_width, reduction};
use super::codes::{Condition, Element, Kind, MaskOp, MemoryOp, Predicate, ScalarOp, Source, Space};
use super::field::*;
use super::legal::{Rules, jumps};
use super::program::Program;
use super::word::{Illegal, Word};
use crate::array::isa::format::{FORMATS, Mode, Rounding};
use crate::array::isa::operation::Role;
use crate::array::isa::row::Operand;
use crate::array::isa::{Opcode, Set};
use crate::duality::params::{DualityParams, SLOTS};

/// A whole program.
///
/// # Errors
/// [`Illegal`] if one of its words may not run: programs from files are legal.
pub fn disassemble(program: &Program, params: &DualityParams) -> Result<String, Illegal> {
    let rules = Rules::new(params, program.arrays);
    let targets: BTreeSet<usize> = jumps(&program.words).map(|jump| jump.2).collect();
    let mut text = format!(".name {}\n.arrays {}\n", program.name, program.arrays);
    for (special, slot, row, rows) in &program.specials {
        let _ = writeln!(text, ".special {special} {slot}:{row}:{rows}");
    }
    for (pc, &word) in program.words.iter().enumerate() {
        if targets.contains(&pc) {
            let _ = writeln!(text, "w{pc}:");
        }
        let _ = writeln!(text, "    {}", statement(word, &rules)?);
    }
    if targets.contains(&program.words.len()) {
        let _ = writeln!(text, "w{}:", program.words.len());
    }
    Ok(text)
}

/// The statement of a word; the target of a jump to word 7 is `w7`.
///
/// # Errors
/// [`Illegal`] if it may not run.
pub fn statement(word: Word, rules: &Rules) -> Result<String, Illegal> {
    let mut text = match rules.check(word)? {
        Kind::Compute => compute(word, rules)?,
        Kind::Move => {
            let rows = word.get(WIDTH) + 1;
            let to = register(&slots(word.get(TARGETS)), word.get(D), rows, false);
            format!("move {to} {}", register(&word.get(SLOT).to_string(), word.get(A), rows, false))
        }
        Kind::Memory => memory(word),
        Kind::Scalar => scalar(word),
        Kind::Mask => mask(word),
        Kind::Jump => jump(word),
        Kind::End => format!("end {}", word.get(CODE)),
    };
    if word.get(WAIT) != 0 {
        let port = if word.get(WAIT) >> SLOTS & 1 == 1 { "m" } else { "" };
        let _ = write!(text, " wait={}{port}", slots(word.get(WAIT) & ((1 << SLOTS) - 1)));
    }
    Ok(text)
}

fn slots(mask: u64) -> String {
    (0..SLOTS).filter(|slot| mask >> slot & 1 == 1).map(|slot| slot.to_string()).collect()
}

fn register(slots: &str, row: u64, rows: u64, signed: bool) -> String {
    format!("{slots}:{row}:{rows}{}", if signed { ".s" } else { "" })
}

/// The threads that take part, of a word that writes an array.
fn predicate(word: Word, slot: u64) -> String {
    match Predicate::from_code(word.get(PREDICATE)) {
        Some(Predicate::Active) => " if=active".into(),
        Some(Predicate::Where) => format!(" if={slot}:{}:1", word.get(E)),
        Some(Predicate::Unless) => format!(" unless={slot}:{}:1", word.get(E)),
        _ => String::new(),
    }
}

fn compute(word: Word, rules: &Rules) -> Result<String, Illegal> {
    let shape = rules.shape(word)?;
    let opcode = Opcode::from_code(word.get(OPCODE)).expect("the word is legal");
    let operation = rules.operations().operation(opcode, shape.command.set);
    let slot = word.get(SLOT);
    let array = slot.to_string();
    let format = (word.get(FORMAT) as usize).checked_sub(1).map(|number| FORMATS[number]);
    let mut text = opcode.mnemonic();
    if let Some(format) = format {
        let _ = write!(text, ".{format}");
    }
    // Of a pass the set says nothing, but is a field of the word.
    if let Some(set) = Set::ALL.into_iter().find(|&set| set != Set::Fast && set as u64 == word.get(SET)) {
        let _ = write!(text, ".{set}");
    }
    let mut operand = |written: String| {
        let _ = write!(text, " {written}");
    };
    operand(register(&array, shape.d.0, shape.d.1, false));
    let role = |operand| operation.extent_of(operand).map(|extent| extent.role);
    let e = shape.e.map(|(row, rows)| register(&array, row, rows, false));
    if role(Operand::E) == Some(Role::Result) {
        operand(e.clone().expect("it has a second result"));
    }
    let shift = if opcode.is_float() { 0 } else { word.get(MODIFIER) };
    if let Some(((row, rows), _)) = shape.a {
        let a = register(&array, row, rows, word.get(SIGN_A) == 1);
        operand(if shift == 0 { a } else { format!("{a}<<{shift}") });
    }
    let n = word.get(WIDTH) + 1;
    if let Some(wanted) = shape.b_wanted {
        let (bits, signed) = (word.get(WIDTH_B) + 1, word.get(SIGN_B) == 1);
        let plain = bits == default_bits(&operation, n, format).min(32) && !signed;
        let suffix = || match plain {
            true => String::new(),
            false => format!(":{bits}{}", if signed { ".s" } else { "" }),
        };
        operand(match Source::from_code(word.get(SOURCE)) {
            Some(Source::Immediate) => format!("{:#x}{}", word.get(IMMEDIATE), suffix()),
            Some(Source::Scalar) => format!("%{}{}", word.get(B), suffix()),
            _ => {
                let (row, rows) = shape.b.unwrap_or((word.get(B), wanted));
                register(&array, row, rows, signed)
            }
        });
    }
    if role(Operand::E) == Some(Role::Source) {
        operand(e.expect("it has a row that chooses"));
    }
    let shifts = operation.second.is_some() && role(Operand::D) != Some(Role::Accumulator);
    let from_a = shape.a.map_or(0, |a| a.0.1 + shift);
    let from_b = if shifts { 0 } else { shape.b.map_or(0, |b| b.1) };
    if format.is_none() && default_width(&operation, shape.d.1, from_a.max(from_b)) != n {
        let _ = write!(text, " n={n}");
    }
    if shape.scratch > 0 {
        let _ = write!(text, " scratch={}", word.get(S));
    }
    if opcode.is_float() {
        let mode = Mode::of_key(word.get(MODIFIER));
        if mode.rounding != Rounding::NearestEven {
            let _ = write!(text, " round={}", mode.rounding.name());
        }
        match (mode.flush_operands, mode.flush_results) {
            (false, false) => {}
            (true, false) => text += " flush=operands",
            (false, true) => text += " flush=results",
            (true, true) => text += " flush=both",
        }
    }
    Ok(text + &predicate(word, slot))
}

fn memory(word: Word) -> String {
    let op = MemoryOp::from_code(word.get(MEMORY_OP)).expect("the word is legal");
    let space = Space::from_code(word.get(SPACE)).expect("the word is legal");
    let element = Element::from_code(word.get(ELEMENT)).expect("every code is one");
    let (slot, rows) = (word.get(DATA_SLOT), word.get(WIDTH) + 1);
    let data = |field| register(&slot.to_string(), word.get(field), rows, false);
    let reduces = word.reduces();
    let mut text = match space {
        Space::Bank if reduces => format!("reduce.{}", reduction(op)),
        Space::Bank => "shuffle".into(),
        _ => format!("{op}.{space}"),
    };
    if !matches!(space, Space::Spill | Space::Bank) {
        let _ = write!(text, ".{}{element}", if word.get(EXTEND) == 1 { "s" } else { "" });
    }
    if op != MemoryOp::Store {
        let _ = write!(text, " {}", data(D));
    }
    let offset = word.get(IMMEDIATE) as u32 as i32;
    let behind = match offset {
        0 => String::new(),
        offset if offset < 0 => format!(" - {}", offset.unsigned_abs()),
        offset => format!(" + {offset}"),
    };
    let _ = match Source::from_code(word.get(SOURCE)) {
        _ if reduces => Ok(()),
        _ if space == Space::Spill => write!(text, " [{}]", word.get(IMMEDIATE)),
        Some(Source::Immediate) => write!(text, " [{}]", word.get(IMMEDIATE)),
        Some(Source::Scalar) => write!(text, " [%{}{behind}]", word.get(A)),
        _ => {
            let address = register(&word.get(SLOT).to_string(), word.get(A), word.get(WIDTH_A) + 1, false);
            let indexed = word.get(SOURCE) == Source::Indexed.code();
            let base = if indexed { format!(" + %{}", word.get(MODIFIER)) } else { String::new() };
            let scale = match word.get(SCALE) {
                0 => String::new(),
                scale => format!("<<{scale}"),
            };
            write!(text, " [{address}{scale}{base}{behind}]")
        }
    };
    if op != MemoryOp::Load || word.crosses() {
        let _ = write!(text, " {}", data(B));
    }
    if op == MemoryOp::Compare {
        let _ = write!(text, " {}", data(S));
    }
    if word.crosses() {
        let _ = write!(text, " segment={}", 1 << word.get(S));
    }
    text + &predicate(word, slot)
}

fn scalar(word: Word) -> String {
    let op = ScalarOp::from_code(word.get(SCALAR_OP)).expect("the word is legal");
    let mut text = format!("s.{op} %{}", word.get(SCALAR_D));
    if op == ScalarOp::Select {
        let _ = write!(text, " %{}", word.get(SCALAR_C));
    }
    if op != ScalarOp::Set {
        let _ = write!(text, " %{}", word.get(SCALAR_A));
    }
    let _ = match Source::from_code(word.get(SOURCE)) {
        Some(Source::Immediate) => write!(text, " {}", word.get(IMMEDIATE)),
        _ => write!(text, " %{}", word.get(SCALAR_B)),
    };
    text
}

fn mask(word: Word) -> String {
    let op = MaskOp::from_code(word.get(MASK_OP)).expect("the word is legal");
    let row = |slot: u64, row: u64| register(&slot.to_string(), row, 1, false);
    match op {
        MaskOp::Open => format!("mask.{op}"),
        MaskOp::Enter => format!("mask.{op} {}", row(0, word.get(A))),
        MaskOp::Join | MaskOp::Clear => format!("mask.{op} {}", row(0, word.get(D))),
        MaskOp::Taken | MaskOp::Other => {
            format!("mask.{op} {} {}", row(0, word.get(D)), row(word.get(SLOT), word.get(A)))
        }
    }
}

fn jump(word: Word) -> String {
    let condition = Condition::from_code(word.get(CONDITION)).expect("the word is legal");
    let target = format!("w{}", word.get(TARGET));
    match condition {
        Condition::Always | Condition::Loop => format!("{condition} {target}"),
        Condition::Zero | Condition::NotZero => format!("{condition} %{} {target}", word.get(A)),
        Condition::Any | Condition::None => {
            format!("{condition} {} {target}", register(&word.get(SLOT).to_string(), word.get(A), 1, false))
        }
    }
}
