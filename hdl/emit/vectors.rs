//! Test vectors: rows before, commands, rows after, for every operation of a design.
//!
//! Rows after come from the cycle model, which has every row of the array; results are held against the arithmetic
//! model before anything is written, so a vector is right or there is none. The text format is one item a line:
//!
//! ```text
//! case add.fast n=8 …      a new case; the rest of the line says what it is
//! row 12 00ff              row 12 before; hexadecimal, column 0 in the lowest bit
//! command 16 0 8 0 0 8 16 0 0 0    opcode set width second a b d e s key
//! refused 5                the command before this line is refused with this error code
//! expect 12 00ff           row 12 afterwards
//! ```

use std::fmt::Write as _;

use rand::Rng;

use super::manifest::usual_second;
use super::output::Files;
use super::unit::hash;
use crate::error::{Error, Result};
use bitline_model::compute_unit::ComputeUnit;
use bitline_model::vectors::{Case, Rows, Stimulus};
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::format::FORMATS;
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::Params;

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

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// What it is.
    pub name: String,
    /// Rows before: number and words, column k in bit k.
    pub before: Vec<(usize, Vec<u64>)>,
    /// Commands, in order; with the error code if the hardware must refuse it.
    pub commands: Vec<(Command, Option<ErrorCode>)>,
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
        for (c, refusal) in &self.commands {
            let (opcode, set) = (c.opcode.code(), c.set as u8);
            let rows = Operand::ALL.map(|o| c.row(o).to_string()).join(" ");
            line(format_args!("command {opcode} {set} {} {} {rows} {:x}", c.width, c.second, c.key));
            if let Some(code) = refusal {
                line(format_args!("refused {}", code.code()));
            }
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

/// Vectors for every operation that the design has, in every set, and for every refusal. Deterministic.
///
/// # Errors
/// As [`files`].
pub fn vectors(params: &Params, seed: u64) -> Result<Vec<Vector>> {
    let mut maker = Maker { params, stimulus: Stimulus::new(seed), unit: ComputeUnit::new(params) };
    let mut all = vec![maker.rows_only()];
    for &set in &params.sets {
        for opcode in params.opcodes() {
            all.extend(maker.operation(opcode, set)?);
        }
    }
    all.extend(maker.refusals());
    Ok(all)
}

struct Maker<'a> {
    params: &'a Params,
    stimulus: Stimulus,
    unit: ComputeUnit,
}

impl Maker<'_> {
    /// Random rows, written and read back.
    fn rows_only(&mut self) -> Vector {
        let rows = self.params.rows;
        let picked: Vec<usize> = (0..rows.min(40)).chain(rows.saturating_sub(4).max(40)..rows).collect();
        let before = self.fill(&picked);
        Vector { name: "rows".into(), after: before.clone(), before, commands: vec![] }
    }

    /// One case of an operation at the largest width of 8, 4, 2 and 1 that it and the array allow, and of one that is
    /// no power of two if it may be; of floating point, one in each format that the array has the rows for.
    fn operation(&mut self, opcode: Opcode, set: Set) -> Result<Vec<Vector>> {
        let operation = Operation::of(opcode, Context::of(self.params, set));
        let lacks = operation.latches().iter().any(|&l| !self.params.has(l));
        if lacks || matches!(opcode, Opcode::Load | Opcode::Store) {
            return Ok(vec![]);
        }
        let mut all = Vec::new();
        let formats = FORMATS.map(|format| [format.n()]);
        let formats: Vec<&[u8]> = formats.iter().map(|width| width.as_slice()).collect();
        for widths in if operation.formats { formats } else { vec![&[8, 4, 2, 1][..], &[13, 5, 3]] } {
            let fits = widths.iter().find_map(|&width| self.placed(&operation, opcode, set, width));
            if let Some((command, end)) = fits {
                all.push(self.case(&operation, command, end)?);
            }
        }
        Ok(all)
    }

    /// The command with operands from row 1 up, if it is legal and leaves two rows for tags.
    fn placed(&self, operation: &Operation, opcode: Opcode, set: Set, width: u8) -> Option<(Command, usize)> {
        let mut command = Command { set, second: usual_second(operation, width), ..Command::new(opcode, width) };
        let end = usize::from(Case::place(operation, &mut command, 1));
        let legal = command.check(self.params).is_ok() && end + 2 <= self.params.rows;
        legal.then_some((command, end))
    }

    fn case(&mut self, operation: &Operation, mut command: Command, end: usize) -> Result<Vector> {
        command.key = self.stimulus.value(64);
        let (n, m) = (command.width.into(), command.second.into());
        // Row 0 is a neighbour that must not change; two rows after the operands hold the tags before and after.
        let picked: Vec<usize> = (0..end + 2).collect();
        self.fill(&picked);
        let mut one = || self.stimulus.inputs(command.opcode, n, m, command.key);
        let case = Case { command, inputs: (0..self.params.columns).map(|_| one()).collect() };
        case.load(operation, &mut self.unit.array.sram);
        let mut tags = vec![0u64; self.params.columns.div_ceil(64)];
        for (column, input) in case.inputs.iter().enumerate() {
            tags[column / 64] |= u64::from(input.tag) << (column % 64);
        }
        self.unit.array.sram.set_row(end, &tags);
        let before = self.read(&picked);
        let tag = |opcode| Command { set: command.set, a: end as u16, d: end as u16 + 1, ..Command::new(opcode, 1) };
        let commands = [tag(Opcode::TagLoad), command, tag(Opcode::TagStore)];
        for &c in &commands {
            self.run(c)?;
            if c == command {
                let tags = self.unit.array.column.t.clone();
                case.compare(&self.unit.array.sram, &tags).map_err(|reason| disagree(c, reason))?;
            }
        }
        let name = format!("{}.{} n={} m={}", command.opcode, command.set, command.width, command.second);
        let commands = commands.into_iter().map(|c| (c, None)).collect();
        Ok(Vector { name, before, commands, after: self.read(&picked) })
    }

    fn run(&mut self, command: Command) -> Result<()> {
        let refused = |r| disagree(command, format!("refused by the model: {r:?}"));
        self.unit.run(command).map(|_| ()).map_err(refused)
    }

    /// Commands that must leave every row as it was, one for each rule that can be broken here.
    fn refusals(&mut self) -> Vec<Vector> {
        let set = self.params.sets[0];
        let last = self.params.rows as u16 - 1;
        let add = Command { set, a: 0, b: 2, d: 4, e: 9, s: 12, ..Command::new(Opcode::Add, 2) };
        let mut wrong = vec![
            Command { width: 0, ..add },
            Command { width: 65, ..add },
            Command { a: last, ..add },
            Command { d: last, ..add },
            Command { d: 1, ..add },
            Command { opcode: Opcode::Popcount, width: 3, ..add },
            Command { opcode: Opcode::DotU, second: 1, ..add },
        ];
        wrong.extend(Set::ALL.into_iter().filter(|s| !self.params.sets.contains(s)).map(|set| Command { set, ..add }));
        for opcode in self.params.opcodes() {
            // Any operation that needs a latch which the design lacks.
            wrong.push(Command { opcode, second: 2, ..add });
        }
        let mut seen = Vec::new();
        let mut all = Vec::new();
        for (index, command) in wrong.into_iter().enumerate() {
            let Err(Error::Command { code, .. }) = command.check(self.params) else { continue };
            let code = ErrorCode::from_code(code.into()).expect("refused with a code of the hardware");
            if index >= 8 && seen.contains(&code) {
                continue;
            }
            seen.push(code);
            let picked: Vec<usize> = (0..self.params.rows.min(16)).collect();
            let before = self.fill(&picked);
            // A command after the refused one runs.
            let copy = Command { set, a: 0, d: 6, ..Command::new(Opcode::Copy, 2) };
            let mut after = before.clone();
            after[6].1 = before[0].1.clone();
            after[7].1 = before[1].1.clone();
            let name = format!("refused {code:?}: {} n={}", command.opcode, command.width);
            all.push(Vector { name, before, commands: vec![(command, Some(code)), (copy, None)], after });
        }
        all
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

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_units::array::presets::{PRESETS, preset};

    #[test]
    fn every_operation_of_every_preset_has_a_vector() {
        for p in &PRESETS {
            let params = p.params();
            let all = vectors(&params, 1).unwrap();
            let with = |test: &dyn Fn(&Command) -> bool| {
                all.iter().any(|v| v.commands.iter().any(|(c, refused)| refused.is_none() && test(c)))
            };
            for opcode in params.opcodes() {
                let rows = matches!(opcode, Opcode::Load | Opcode::Store);
                assert!(rows || with(&|c| c.opcode == opcode), "{}: {opcode}", p.name);
            }
            for &set in &params.sets {
                assert!(with(&|c| c.set == set));
            }
            let refused = |code| all.iter().any(|v| v.commands.iter().any(|c| c.1 == Some(code)));
            for code in [ErrorCode::Width, ErrorCode::Rows, ErrorCode::Overlap, ErrorCode::SecondWidth] {
                assert!(refused(code), "{}: {code:?}", p.name);
            }
        }
    }

    #[test]
    fn refused_commands_are_refused_by_the_cycle_model_too() {
        let params = preset("paper").unwrap();
        for vector in vectors(&params, 3).unwrap() {
            let mut unit = ComputeUnit::new(&params);
            for (command, refused) in vector.commands {
                let code = unit.run(command).err().map(|r| r.code);
                assert_eq!(code, refused.map(ErrorCode::code), "{command}");
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        let params = preset("tiny").unwrap();
        assert_eq!(vectors(&params, 5).unwrap(), vectors(&params, 5).unwrap());
        assert_ne!(vectors(&params, 5).unwrap(), vectors(&params, 6).unwrap());
    }

    #[test]
    fn rows_are_printed_with_column_0_last() {
        assert_eq!(hexadecimal(&[0x1], 8), "01");
        assert_eq!(hexadecimal(&[0xab, 0xf], 128), "000000000000000f00000000000000ab");
    }
}
