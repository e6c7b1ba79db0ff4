//! Test vectors: rows before, commands, rows after, for every operation of a design.
//!
//! Rows after come from the cycle model, which has every row of the array; results are held against the arithmetic
//! model before anything is written, so a vector is right or there is none. The text format is one item a line:
//!
//! ```text
//! case add.fast n=8 …      a new case; the rest of the line says what it is
//! row 12 00ff              row 12 before; hexadecimal, column 0 in the lowest bit
//! command 16 0 8 0 0 8 16 0 0 0    opcode set width second a b d e s key
//! refused 5 2              the command before this line is refused with this error code and operand
//! cycles 61                it makes the unit busy for so many cycles, if it runs alone
//! reset 20                 the unit is reset so many cycles after the command before this line was pushed
//! tags 1                   whether some column's T is 1 after the last command, where that is known
//! expect 12 00ff           row 12 afterwards
//! ```
//!
//! The vectors execute every word of the micro-programs that a command of the design can reach (`cover`).

pub(crate) mod cover;
mod refusals;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use rand::Rng;

use self::cover::{Executed, Ran, placed, placed_last};
use super::cycles::usual_second;
use super::output::Files;
use super::unit::hash;
use crate::error::{Error, Result};
use bitline_model::compute_unit::ComputeUnit;
use bitline_model::vectors::{Case, Rows, Stimulus, read_elements};
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::format::FORMATS;
use bitline_units::array::isa::operation::{Context, Operation, Role};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::{MemoryPort, Params};

/// The vectors' path below the output folder.
pub const VECTORS: &str = "vectors/vectors.txt";

/// Adds the vectors.
///
/// # Errors
/// [`Error::Command`] if the two models disagree, which would be a bug of this crate.
pub fn files(params: &Params, seed: u64, files: &mut Files) -> Result<()> {
    let mut text = format!(
        "# Test vectors of bitline {}, preset {}, configuration {}, seed {}.\n\
         # SPDX-License-Identifier: MIT OR Apache-2.0. Copyright The bitline authors.\n\
         columns {}\nrows {}\n",
        env!("CARGO_PKG_VERSION"),
        params.name,
        hash(params),
        seed,
        params.columns,
        params.rows,
    );
    for vector in vectors(params, seed)? {
        vector.print(params.columns, &mut text);
    }
    files.add(VECTORS, text);
    Ok(())
}

/// A command of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The command.
    pub command: Command,
    /// Opcode and set in place of the command's: codes of no operation.
    pub codes: Option<(u8, u8)>,
    /// Error code and operand with which the hardware must refuse it.
    pub refusal: Option<(u64, u64)>,
    /// Cycles in which the unit is busy with it, if it runs alone. It has no count if it is reset.
    pub cycles: Option<u64>,
    /// Cycles after which the unit is reset.
    pub reset: Option<u64>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// What it is.
    pub name: String,
    /// Rows before: number and words, column k in bit k.
    pub before: Vec<(usize, Vec<u64>)>,
    /// Commands, in order.
    pub steps: Vec<Step>,
    /// Whether some column's T is 1 afterwards, where that is known.
    pub tags: Option<bool>,
    /// Rows afterwards.
    pub after: Vec<(usize, Vec<u64>)>,
}

impl Vector {
    fn print(&self, columns: usize, text: &mut String) {
        let mut line = |words: std::fmt::Arguments| {
            let _ = writeln!(text, "{words}");
        };
        line(format_args!("case {}", self.name));
        for (row, bits) in &self.before {
            line(format_args!("row {row} {}", hexadecimal(bits, columns)));
        }
        for step in &self.steps {
            let c = &step.command;
            let (opcode, set) = step.codes.unwrap_or((c.opcode as u8, c.set as u8));
            let rows = Operand::ALL.map(|o| c.row(o).to_string()).join(" ");
            line(format_args!("command {opcode} {set} {} {} {rows} {:x}", c.width, c.second, c.key));
            if let Some((code, operand)) = step.refusal {
                line(format_args!("refused {code} {operand}"));
            }
            if let Some(cycles) = step.cycles {
                line(format_args!("cycles {cycles}"));
            }
            if let Some(cycles) = step.reset {
                line(format_args!("reset {cycles}"));
            }
        }
        if let Some(tags) = self.tags {
            line(format_args!("tags {}", u8::from(tags)));
        }
        for (row, bits) in &self.after {
            line(format_args!("expect {row} {}", hexadecimal(bits, columns)));
        }
    }
}

/// A row's bits, column 0 in the lowest.
fn hexadecimal(bits: &[u64], columns: usize) -> String {
    let digits: String = bits.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    digits[digits.len() - columns.div_ceil(4)..].to_string()
}

/// Vectors for every operation that the design has, in every set, for every path of its programs, for every refusal,
/// and for resets. Deterministic.
///
/// # Errors
/// As [`files`].
pub fn vectors(params: &Params, seed: u64) -> Result<Vec<Vector>> {
    let unit = ComputeUnit::new(params);
    let mut maker = Maker { params, stimulus: Stimulus::new(seed), unit, executed: Executed::default() };
    let mut all = vec![maker.rows_only()];
    for &set in &params.sets {
        for opcode in params.opcodes() {
            all.extend(maker.operation(opcode, set)?);
        }
    }
    all.extend(maker.refusals()?);
    all.push(maker.unknown());
    all.push(maker.rows_beyond()?);
    all.extend(maker.resets()?);
    for (operation, (command, end)) in cover::search(params, seed, &maker.executed) {
        all.push(maker.case(&operation, command, [end, end + 1], false)?);
    }
    Ok(all)
}

struct Maker<'a> {
    params: &'a Params,
    stimulus: Stimulus,
    unit: ComputeUnit,
    executed: Executed,
}

impl Maker<'_> {
    /// Random rows, written and read back.
    fn rows_only(&mut self) -> Vector {
        let rows = self.params.rows;
        let picked: Vec<usize> = (0..rows.min(40)).chain(rows.saturating_sub(4).max(40)..rows).collect();
        let before = self.fill(&picked);
        Vector { name: "rows".into(), after: before.clone(), before, steps: vec![], tags: None }
    }

    /// The design has a way to memory.
    fn has_memory(&self) -> bool {
        self.params.memory_port != MemoryPort::None
    }

    /// Some column's T is 1.
    fn tags(&self) -> Option<bool> {
        Some(self.unit.array.column.t.iter().any(|&word| word != 0))
    }

    /// One case of an operation at the largest width of 8, 4, 2 and 1 that it and the array allow, of one that is no
    /// power of two if it may be, and, in the first set, of the widest, on the last rows; of floating point, one in
    /// each format that the array has the rows for.
    fn operation(&mut self, opcode: Opcode, set: Set) -> Result<Vec<Vector>> {
        let operation = Operation::of(opcode, Context::of(self.params, set));
        let lacks = operation.latches().iter().any(|&l| !self.params.has(l));
        if lacks || matches!(opcode, Opcode::Load | Opcode::Store) {
            return Ok(vec![]);
        }
        let mut all = Vec::new();
        let command = |width| Command { set, second: usual_second(&operation, width), ..Command::new(opcode, width) };
        let formats = FORMATS.map(|format| [format.n()]);
        let formats: Vec<&[u8]> = formats.iter().map(|width| width.as_slice()).collect();
        for widths in if operation.formats { formats } else { vec![&[8, 4, 2, 1][..], &[13, 5, 3]] } {
            let fits = widths.iter().find_map(|&width| placed(self.params, &operation, command(width)));
            if let Some((command, end)) = fits {
                all.push(self.case(&operation, command, [end, end + 1], true)?);
                // What a program leaves out depends on the data, of which wide arrays have more.
                for _ in 0..if set == Set::Skip && self.params.columns <= 32 { 3 } else { 0 } {
                    all.push(self.case(&operation, command, [end, end + 1], false)?);
                }
            }
        }
        let widest = (1..=64).rev().find_map(|width| placed_last(self.params, &operation, command(width)));
        if let Some((command, first)) = widest.filter(|_| set == self.params.sets[0]) {
            // Half of a key's bits are 1, and a search tells a wrong bit only where the rest is found.
            for _ in 0..if opcode == Opcode::Search { 6 } else { 1 } {
                all.push(self.case(&operation, command, [first; 2], false)?);
            }
        }
        Ok(all)
    }

    /// Random inputs for a command, with the rows that T is loaded from before it and stored to after it: the two rows
    /// behind its operands, or one of theirs. With `whole`, all rows up to there are filled and compared, else those of
    /// its operands.
    fn case(&mut self, operation: &Operation, mut command: Command, tags: [usize; 2], whole: bool) -> Result<Vector> {
        // What the search has found keeps its key, which may choose the micro-program.
        if command.key == 0 {
            command.key = self.stimulus.value(64);
        }
        let (n, m) = (command.width.into(), command.second.into());
        let used = |row: usize| {
            operation.extents.iter().any(|e| {
                let first = usize::from(command.row(e.operand));
                (first..first + e.rows.value(n as i32, m as i32).max(0) as usize).contains(&row)
            })
        };
        // Row 0 is a neighbour that must not change.
        let wanted = |&row: &usize| row == 0 || tags.contains(&row) || used(row) || (whole && row < tags[0]);
        let picked: Vec<usize> = (0..self.params.rows).filter(wanted).collect();
        self.fill(&picked);
        let mut one = || self.stimulus.inputs(command.opcode, n, m, command.key);
        let case = Case { command, inputs: (0..self.params.columns).map(|_| one()).collect() };
        case.load(operation, &mut self.unit.array.sram);
        let mut case = self.as_loaded(operation, case);
        if used(tags[0]) {
            let row = Rows::row(&self.unit.array.sram, tags[0]);
            for (column, input) in case.inputs.iter_mut().enumerate() {
                input.tag = row[column / 64] >> (column % 64) & 1 == 1;
            }
        } else {
            let mut row = vec![0u64; self.params.columns.div_ceil(64)];
            for (column, input) in case.inputs.iter().enumerate() {
                row[column / 64] |= u64::from(input.tag) << (column % 64);
            }
            self.unit.array.sram.set_row(tags[0], &row);
        }
        let before = self.read(&picked);
        let [a, d] = tags.map(|row| row as u16);
        let tag = |opcode| Command { set: command.set, a, d, ..Command::new(opcode, 1) };
        let mut steps = Vec::new();
        for c in [tag(Opcode::TagLoad), command, tag(Opcode::TagStore)] {
            steps.push(self.run(c)?);
            if c == command {
                let tags = self.unit.array.column.t.clone();
                case.compare(&self.unit.array.sram, &tags).map_err(|reason| disagree(c, reason))?;
            }
        }
        let name = format!("{}.{} n={} m={}", command.opcode, command.set, command.width, command.second);
        Ok(Vector { name, before, steps, tags: self.tags(), after: self.read(&picked) })
    }

    /// The inputs that the rows hold: operands on the same rows have the value that was written last.
    fn as_loaded(&self, operation: &Operation, mut case: Case) -> Case {
        let (n, m) = (case.command.width.into(), case.command.second.into());
        for extent in operation.extents.iter().filter(|e| matches!(e.role, Role::Source | Role::Accumulator)) {
            let base = case.command.row(extent.operand).into();
            let held = read_elements(&self.unit.array.sram, base, extent.rows.value(n, m) as usize);
            for (inputs, value) in case.inputs.iter_mut().zip(held) {
                match extent.operand {
                    Operand::A => inputs.a = value as u64,
                    Operand::B => inputs.b = value as u64,
                    Operand::D => inputs.d = value,
                    Operand::E => inputs.e = value as u64,
                    Operand::S => {}
                }
            }
        }
        case
    }

    fn run(&mut self, command: Command) -> Result<Step> {
        let Ran { cycles, refusal, .. } = self.executed.run(&mut self.unit, command, None);
        match refusal {
            None => Ok(Step { command, codes: None, refusal: None, cycles: Some(cycles), reset: None }),
            Some(r) => Err(disagree(command, format!("refused by the model: {r:?}"))),
        }
    }

    /// Random contents for rows.
    fn fill(&mut self, rows: &[usize]) -> Vec<(usize, Vec<u64>)> {
        let columns = self.params.columns;
        for &row in rows {
            let mut bits: Vec<u64> = (0..columns.div_ceil(64)).map(|_| self.stimulus.rng().random()).collect();
            bits[0] &= if columns < 64 { (1 << columns) - 1 } else { u64::MAX };
            self.unit.array.sram.set_row(row, &bits);
        }
        self.read(rows)
    }

    fn read(&self, rows: &[usize]) -> Vec<(usize, Vec<u64>)> {
        rows.iter().map(|&row| (row, Rows::row(&self.unit.array.sram, row))).collect()
    }
}

fn disagree(command: Command, reason: String) -> Error {
    let code = ErrorCode::Opcode as u8;
    Error::Command { command: command.to_string(), code, reason: format!("the models disagree: {reason}") }
}
