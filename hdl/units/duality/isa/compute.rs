//! What a compute word asks of its array.
//!
//! An array's command has one width n, and its operands lie in rows of their own. A word says more: a source may have
//! fewer rows and be extended, may be shifted up by a few rows, may be an immediate or a scalar register, and the
//! result may be written in some threads only. What a command cannot say becomes rows of the scratch area, in this
//! order: a as it is wanted, b as it is wanted, the result before it is chosen, the second result before it is chosen,
//! the operation's own scratch rows. The scratch area shares no row with anything else that the word names. A simple
//! operation on an immediate or a scalar is a pass over the rows of a, without b as rows and without a command.

use std::sync::Arc;

use super::codes::{Predicate, Source, Trap};
use super::field::*;
use super::word::{Illegal, Word};
use super::word_sources::{First, first, second};
use crate::array::isa::command::ErrorCode;
use crate::array::isa::format::{FORMATS, Format};
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::isa::row::Operand;
use crate::array::isa::{Command, Opcode, Set};
use crate::array::params::Params;
use crate::duality::params::{DualityParams, MASK_ROWS};
use crate::duality::passes::Pass;
use crate::error::Error;

/// Operations that no word has: rows come and go by moves and memory words, and T is nothing that a word can see. Nor
/// has it a field for steps of CORDIC. Operations of the library's user are those of commands alone.
const OTHERS: [Opcode; 5] = [Opcode::Load, Opcode::Store, Opcode::TagLoad, Opcode::TagStore, Opcode::Search];

/// Whether words have an operation.
pub fn has(opcode: Opcode) -> bool {
    !OTHERS.contains(&opcode) && !opcode.is_cordic() && !opcode.is_custom() && !opcode.is_unpacked()
}

/// Whether the word names a format, which is that of the result. Conversions between integers and floating-point
/// numbers have their format in the opcode: the word's width is the integer's.
pub fn names_format(opcode: Opcode) -> bool {
    opcode.is_float() && opcode.conversion().is_none()
}

/// First row and number of rows.
pub type Rows = (u64, u64);

/// What a compute word says, with what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The operation on the array that computes, with every operand in rows.
    pub command: Command,
    /// Rows of the result.
    pub d: Rows,
    /// Rows of a as the word names them, and how many the operation takes.
    pub a: Option<(Rows, u64)>,
    /// Whether a goes to scratch rows first.
    pub prepared: bool,
    /// Rows of b as the word names them; none of an immediate or a scalar.
    pub b: Option<Rows>,
    /// Bits of b that the operation takes, if it has b.
    pub b_wanted: Option<u64>,
    /// The pass that the operation is: its command is none that the array gets, and says where rows are.
    pub direct: Option<Pass>,
    /// Rows of the second result or of a third source, or the row of a selection.
    pub e: Option<Rows>,
    /// Scratch rows in all.
    pub scratch: u64,
}

impl Shape {
    /// Why the array's rules refuse an operation that is a pass: rows that are not there, or a result that overlaps its
    /// source. A comparison's result may be any row.
    pub fn pass_fits(&self, array: &Params) -> Option<ErrorCode> {
        self.direct?;
        let ((_, own), n) = self.a?;
        let (a, d) = (u64::from(self.command.a), u64::from(self.command.d));
        let (from_a, from_d) = (a..a + if self.prepared { n } else { own }, d..d + self.d.1);
        if from_a.end.max(from_d.end) > array.rows as u64 {
            return Some(ErrorCode::Rows);
        }
        let overlap = from_a.start < from_d.end && from_d.start < from_a.end;
        (self.d.1 == n && a != d && overlap).then_some(ErrorCode::Overlap)
    }
}

/// Operations of a design.
#[derive(Clone)]
pub struct Operations {
    array: Params,
}

pub(super) fn refuse<T>(code: Trap, field: Field, value: impl ToString, rule: impl Into<String>) -> Result<T, Illegal> {
    Err(Illegal::new(code, field.name, value, rule))
}

/// Fields that mean nothing in a word, and must be 0.
pub(super) fn idle(word: Word, fields: &[Field], why: &str) -> Result<(), Illegal> {
    match fields.iter().find(|&&field| word.get(field) != 0) {
        Some(&field) => refuse(Trap::Unused, field, word.get(field), format!("{why}: must be 0")),
        None => Ok(()),
    }
}

impl Operations {
    /// Those of a design.
    pub fn new(params: &DualityParams) -> Operations {
        Operations { array: params.array() }
    }

    /// Parameters of the arrays.
    pub fn array(&self) -> &Params {
        &self.array
    }

    /// The description of an operation.
    pub fn operation(&self, opcode: Opcode, set: Set) -> Arc<Operation> {
        Operation::of(opcode, Context::of(&self.array, set))
    }

    /// What a compute word asks for.
    ///
    /// # Errors
    /// [`Illegal`] with the first rule that it breaks.
    #[inline]
    pub fn shape(&self, word: Word) -> Result<Shape, Illegal> {
        let shape = self.asked(word)?;
        let opcode = shape.command.opcode;
        let operation = self.operation(opcode, shape.command.set);
        self.places(word, &shape, is_result(&operation, Operand::E))?;
        let fits = match shape.direct {
            None => shape.command.fits(&operation, &self.array),
            Some(_) => shape.pass_fits(&self.array).map_or(Ok(()), |code| {
                let (command, rows) = (shape.command, self.array.rows);
                let reason = match code {
                    ErrorCode::Rows => {
                        format!("a = row {}, d = row {}: the array has {rows} rows", command.a, command.d)
                    }
                    _ => format!("a = row {}, d = row {}: must be the same rows, or apart", command.a, command.d),
                };
                Err(Error::Command { command: command.to_string(), code: code as u8, reason })
            }),
        };
        fits.map_err(|error| of_array(opcode, error))?;
        Ok(shape)
    }

    /// What a compute word asks for, wherever its rows are: the array may refuse the command.
    ///
    /// # Errors
    /// [`Illegal`] with the first rule that it breaks besides.
    #[inline]
    pub fn asked(&self, word: Word) -> Result<Shape, Illegal> {
        let (opcode, set, format) = self.names(word)?;
        let direct = Pass::of(opcode).filter(|_| word.get(SOURCE) != Source::Row.code());
        // A pass is the same whatever the set.
        let set = if direct.is_some() { Set::Fast } else { set };
        let operation = self.operation(opcode, set);
        let (n, m) = widths(word, &operation, format)?;
        let rows = |operand| {
            operation.extent_of(operand).map(|extent| extent.rows.value(i32::from(n), i32::from(m)).max(0) as u64)
        };
        let a = first(word, rows(Operand::A), First::of(opcode))?;
        let accumulates = operation.extent_of(Operand::D).is_some_and(|extent| extent.role == Role::Accumulator);
        let wanted = if opcode == Opcode::MulConst { Some(u64::from(n)) } else { rows(Operand::B) };
        let b = second(word, opcode, wanted, format, accumulates)?;
        let d = (word.get(D), rows(Operand::D).unwrap_or(0));
        let predicate = predicate(word)?;
        let e = match (rows(Operand::E), predicate) {
            (Some(_), Predicate::Where | Predicate::Unless) => {
                let rule = format!("{opcode} has an operand e, and no word has two");
                return refuse(Trap::Code, PREDICATE, predicate, rule);
            }
            (Some(rows), _) => Some((word.get(E), rows)),
            (None, Predicate::Where | Predicate::Unless) => Some((word.get(E), 1)),
            (None, _) => {
                idle(word, &[E], "neither operand nor predicate is in e")?;
                None
            }
        };
        if accumulates && predicate != Predicate::All {
            return refuse(Trap::Code, PREDICATE, predicate, format!("{opcode} adds to what d holds: in all threads"));
        }
        let e_result = rows(Operand::E).filter(|_| is_result(&operation, Operand::E));
        // The scratch area, and the command that finds its operands there.
        let mut next = word.get(S);
        let mut place = |rows: u64| {
            next += rows;
            next - rows
        };
        let (mut command, mut prepared) = (Command::new(opcode, n), false);
        (command.set, command.second) = (set, m);
        let row = |row: u64| row.min(u64::from(u16::MAX)) as u16;
        if let Some(((from, rows), wanted)) = a {
            let shifted = !opcode.is_float() && word.get(MODIFIER) != 0;
            // A pass reads zeros above the rows of a that are there.
            let extended = rows != wanted && (direct.is_none() || word.get(SIGN_A) == 1);
            prepared = extended || shifted;
            command.a = row(if prepared { place(wanted) } else { from });
        }
        if let Some(wanted) = wanted.filter(|_| direct.is_none() && opcode != Opcode::MulConst) {
            command.b = row(if b.is_some_and(|(_, rows)| rows == wanted) { word.get(B) } else { place(wanted) });
        }
        let chosen = predicate != Predicate::All;
        command.d = row(if chosen { place(d.1) } else { d.0 });
        command.e = match e_result.filter(|_| chosen) {
            Some(rows) => row(place(rows)),
            None => row(e.map_or(0, |e| e.0)),
        };
        command.s = row(place(rows(Operand::S).unwrap_or(0)));
        command.key = match opcode {
            Opcode::MulConst => word.get(IMMEDIATE),
            _ if opcode.is_float() => word.get(MODIFIER),
            _ => 0,
        };
        let scratch = next - word.get(S);
        Ok(Shape { command, d, a, prepared, b, b_wanted: wanted, direct, e, scratch })
    }

    /// Operation, set and format.
    #[inline]
    fn names(&self, word: Word) -> Result<(Opcode, Set, Option<Format>), Illegal> {
        let code = word.get(OPCODE);
        let Some(opcode) = Opcode::from_code(code).filter(|&opcode| has(opcode)) else {
            return refuse(Trap::Code, OPCODE, code, "is no operation of words");
        };
        if !self.array.knows(opcode) {
            return refuse(Trap::Missing, OPCODE, opcode, "this design has no floating point (float = true adds it)");
        }
        let set = Set::ALL.into_iter().find(|&set| set as u64 == word.get(SET));
        let Some(set) = set.filter(|set| self.array.sets.contains(set)) else {
            let names: Vec<&str> = self.array.sets.iter().map(|set| set.name()).collect();
            let given = set.map_or(word.get(SET).to_string(), |set| set.to_string());
            return refuse(Trap::Missing, SET, given, format!("this design has {}", names.join(", ")));
        };
        let format = match (word.get(FORMAT) as usize, names_format(opcode)) {
            (0, false) => None,
            (number, true) if (1..=FORMATS.len()).contains(&number) => Some(FORMATS[number - 1]),
            (number, true) => {
                let rule = format!("{opcode} needs one of the {} formats", FORMATS.len());
                return refuse(Trap::Code, FORMAT, number, rule);
            }
            (number, false) if opcode.is_float() => {
                return refuse(Trap::Unused, FORMAT, number, format!("{opcode} has its format in its name"));
            }
            (number, false) => return refuse(Trap::Unused, FORMAT, number, format!("{opcode} is for integers")),
        };
        Ok((opcode, set, format))
    }

    /// Whether all rows are there, those that are written are no masks, and the scratch area is apart.
    #[inline]
    fn places(&self, word: Word, shape: &Shape, e_written: bool) -> Result<(), Illegal> {
        let count = self.array.rows as u64;
        let named = [(D, Some(shape.d), true), (A, shape.a.map(|a| a.0), false), (B, shape.b, false)];
        let named = named.into_iter().chain([(E, shape.e, e_written)]);
        let scratch = (word.get(S), shape.scratch);
        if scratch.1 == 0 {
            idle(word, &[S], "there is nothing in scratch rows")?;
        }
        for (field, rows, written) in named.chain([(S, Some(scratch).filter(|s| s.1 > 0), true)]) {
            let Some((from, number)) = rows else { continue };
            within(field, from, number, count, written)?;
            let apart = from + number <= scratch.0 || scratch.0 + scratch.1 <= from;
            if field != S && scratch.1 > 0 && !apart {
                let rule = format!(
                    "rows {} to {} are scratch, and shared with {} = rows {from} to {}",
                    scratch.0,
                    scratch.0 + scratch.1 - 1,
                    field.name,
                    from + number - 1
                );
                return refuse(Trap::Overlap, S, scratch.0, rule);
            }
        }
        Ok(())
    }
}

/// Refuses rows that are not there, or that are written and hold masks.
#[inline]
pub(super) fn within(field: Field, from: u64, number: u64, count: u64, written: bool) -> Result<(), Illegal> {
    if from + number > count {
        let rule = format!("rows {from} to {}: the array has {count} rows", (from + number).saturating_sub(1));
        return refuse(Trap::Rows, field, from, rule);
    }
    if written && from < MASK_ROWS {
        let rule = "rows 0 and 1 hold the launch mask and the active mask: mask words alone write them";
        return refuse(Trap::Rows, field, from, rule);
    }
    Ok(())
}

/// Threads that take part.
pub(super) fn predicate(word: Word) -> Result<Predicate, Illegal> {
    Ok(Predicate::from_code(word.get(PREDICATE)).expect("every code of two bits is one"))
}

fn is_result(operation: &Operation, operand: Operand) -> bool {
    operation.extent_of(operand).is_some_and(|extent| extent.role == Role::Result)
}

/// The command's widths n and m.
#[inline]
fn widths(word: Word, operation: &Operation, format: Option<Format>) -> Result<(u8, u8), Illegal> {
    let width = word.get(WIDTH) as u8 + 1;
    if let Some(format) = format {
        if u32::from(width) != format.bits() {
            return refuse(
                Trap::Width,
                WIDTH,
                width,
                format!("a number of format {format} has {} bits", format.bits()),
            );
        }
        return Ok((format.n(), format.m()));
    }
    operation.check_width(width).or_else(|rule| {
        let rule = rule.split_once(": ").map_or(rule.as_str(), |(_, rule)| rule).to_string();
        refuse(Trap::Width, WIDTH, width, format!("{}: {rule}", operation.opcode))
    })?;
    let Some((low, high)) = operation.seconds(width) else { return Ok((width, 0)) };
    let accumulates = operation.extent_of(Operand::D).is_some_and(|extent| extent.role == Role::Accumulator);
    let (field, m) = if accumulates { (IMMEDIATE, word.get(IMMEDIATE)) } else { (WIDTH_B, word.get(WIDTH_B) + 1) };
    if !(low.max(0) as u64..=high.max(0) as u64).contains(&m) {
        return refuse(Trap::Width, field, m, format!("{} of {width} bits: must be {low} to {high}", operation.opcode));
    }
    Ok((width, m as u8))
}

/// What an array would say about its command, as a rule of the word.
fn of_array(opcode: Opcode, error: Error) -> Illegal {
    let Error::Command { code, reason, .. } = error else {
        return Illegal::new(Trap::Code, OPCODE.name, opcode, error.to_string());
    };
    let trap = match code {
        1 | 2 => Trap::Missing,
        3 | 4 => Trap::Width,
        5 => Trap::Rows,
        _ => Trap::Overlap,
    };
    Illegal::new(trap, OPCODE.name, opcode, reason)
}
