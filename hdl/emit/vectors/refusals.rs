//! Vectors of what must not happen: commands that are refused, codes of no operation, resets in the middle.

use std::collections::BTreeSet;

use super::cover::{Ran, placed};
use super::{Maker, Step, Vector, disagree};
use crate::cycles::usual_second;
use crate::error::{Error, Result};
use bitline_model::vectors::Case;
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::transfer::LOAD_MEMORY;
use bitline_units::array::isa::word::OPCODES;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::registers::ROW_BITS;

impl Maker<'_> {
    /// Commands that must leave every row as it was, one for each rule that can be broken here.
    pub(super) fn refusals(&mut self) -> Result<Vec<Vector>> {
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
            // Any operation that needs a latch which the design lacks; second widths, operands and rows out of bounds.
            wrong.push(Command { opcode, second: 2, ..add });
            wrong.push(Command { opcode, second: 127, ..add });
            wrong.push(Command { opcode, width: 64, second: 64, a: last, b: last, d: last, ..add });
            wrong.push(Command { opcode, second: 4, b: 0, d: 0, e: 0, s: 0, ..add });
            wrong.push(Command { opcode, second: 2, b: 3, d: 1, e: 1, s: 1, ..add });
        }
        for opcode in self.params.opcodes() {
            let operation = Operation::of(opcode, Context::of(self.params, set));
            let mut command = Command { set, second: usual_second(&operation, 3), ..Command::new(opcode, 3) };
            Case::place(&operation, &mut command, 0);
            wrong.push(command);
        }
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        // With a way to memory these are refused before the unit sees them.
        wrong.retain(|command| !self.has_memory() || !matches!(command.opcode, Opcode::Load | Opcode::Store));
        for command in wrong {
            let Err(Error::Command { code, .. }) = command.check(self.params) else { continue };
            let code = ErrorCode::from_code(code.into()).expect("refused with a code of the hardware");
            let picked: Vec<usize> = (0..self.params.rows.min(16)).collect();
            let before = self.fill(&picked);
            let known = self.executed.words();
            let Ran { cycles, refusal, .. } = self.executed.run(&mut self.unit, command, None);
            let refusal = refusal.map(|r| (r.code, r.operand));
            if refusal.map(|r| r.0) != Some(code.code()) {
                return Err(disagree(command, format!("refused with {refusal:?}, not {}", code.code())));
            }
            if !seen.insert(refusal) && self.executed.words() == known {
                // Another one shows the same.
                continue;
            }
            // A command after the refused one runs.
            let copy = self.run(Command { set, a: 0, d: 6, ..Command::new(Opcode::Copy, 2) })?;
            let name = format!("refused {code:?}: {} n={}", command.opcode, command.width);
            let step = Step { command, codes: None, refusal, cycles: Some(cycles), reset: None };
            all.push(Vector { name, before, steps: vec![step, copy], tags: self.tags(), after: self.read(&picked) });
        }
        Ok(all)
    }

    /// Codes that name no operation of any design, and codes of sets.
    pub(super) fn unknown(&mut self) -> Vector {
        let command = Command { d: 4, ..Command::new(Opcode::Add, 2) };
        let known = |opcode: u8, set: u8| {
            let set = Set::ALL.into_iter().find(|&s| s as u8 == set);
            let opcode = self.params.opcodes().into_iter().any(|known| known as u8 == opcode);
            opcode && set.is_some_and(|set| self.params.sets.contains(&set))
        };
        let room = (self.params.pages() * OPCODES) as u8;
        let opcodes = (0..room).chain([64, 65, 127, 128, 192, 255].into_iter().filter(|&code| code >= room));
        let codes = opcodes.flat_map(|o| (0..4).map(move |s| (o, s))).filter(|&(o, s)| !known(o, s));
        let elsewhere = |o: u8| self.has_memory() && (o < 2 || o & !1 == LOAD_MEMORY);
        let codes: Vec<_> = codes.filter(|&(o, _)| !elsewhere(o)).collect();
        let picked: Vec<usize> = (0..self.params.rows.min(16)).collect();
        let before = self.fill(&picked);
        let steps = codes.into_iter().map(|codes| {
            let Ran { cycles, refusal, .. } = self.executed.run(&mut self.unit, command, Some(codes));
            let refusal = refusal.map(|r| (r.code, r.operand));
            Step { command, codes: Some(codes), refusal, cycles: Some(cycles), reset: None }
        });
        let steps = steps.collect();
        Vector { name: "codes of no operation".into(), before, steps, tags: self.tags(), after: self.read(&picked) }
    }

    /// Rows that no array of this size has: each bit of each operand's row above the last row, and all of them.
    pub(super) fn rows_beyond(&mut self) -> Result<Vector> {
        let set = self.params.sets[0];
        let rows = (0..ROW_BITS).map(|bit| 1 << bit).chain([(1 << ROW_BITS) - 1]);
        let beyond: Vec<u16> = rows.filter(|&row| usize::from(row) >= self.params.rows).collect();
        let picked: Vec<usize> = (0..self.params.rows.min(16)).collect();
        let before = self.fill(&picked);
        let mut steps = Vec::new();
        for operand in Operand::ALL {
            let legal = self.params.opcodes().into_iter().find_map(|opcode| {
                let operation = Operation::of(opcode, Context::of(self.params, set));
                let has = operation.extents.iter().any(|extent| extent.operand == operand);
                let narrow = (operation.widths.0..).take(8).find_map(|width| {
                    let second = usual_second(&operation, width);
                    placed(self.params, &operation, Command { set, second, ..Command::new(opcode, width) })
                });
                let elsewhere = matches!(opcode, Opcode::Load | Opcode::Store);
                narrow.filter(|_| has && !elsewhere)
            });
            let Some((legal, _)) = legal else { continue };
            for &row in &beyond {
                let command = match operand {
                    Operand::A => Command { a: row, ..legal },
                    Operand::B => Command { b: row, ..legal },
                    Operand::D => Command { d: row, ..legal },
                    Operand::E => Command { e: row, ..legal },
                    Operand::S => Command { s: row, ..legal },
                };
                let Ran { cycles, refusal, .. } = self.executed.run(&mut self.unit, command, None);
                let refusal = refusal.map(|r| (r.code, r.operand));
                if refusal != Some((ErrorCode::Rows.code(), operand as u64)) {
                    return Err(disagree(command, format!("row {row} gives {refusal:?}")));
                }
                steps.push(Step { command, codes: None, refusal, cycles: Some(cycles), reset: None });
            }
        }
        Ok(Vector { name: "rows beyond the array".into(), before, steps, tags: self.tags(), after: self.read(&picked) })
    }

    /// Resets while a command is set up, while it runs, and after its end. Rows that it does not write stay.
    pub(super) fn resets(&mut self) -> Result<Vec<Vector>> {
        let set = self.params.sets[0];
        let command = Command { set, a: 0, b: 4, d: 8, ..Command::new(Opcode::Add, 4) };
        let mut all = Vec::new();
        for cycles in [1, 4, 9, 14, 18, 22, 30] {
            let picked: Vec<usize> = (0..self.params.rows.min(16)).collect();
            let before = self.fill(&picked);
            let reset = Step { command, codes: None, refusal: None, cycles: None, reset: Some(cycles) };
            // T is not reset; the command after it sets it.
            let clears = self.run(Command { set, a: 0, b: 4, ..Command::new(Opcode::Eq, 4) })?;
            let copy = self.run(Command { set, a: 0, d: 14, ..Command::new(Opcode::Copy, 2) })?;
            let after = self.read(&picked).into_iter().filter(|(row, _)| !(8..12).contains(row)).collect();
            let name = format!("reset after {cycles} cycles");
            all.push(Vector { name, before, steps: vec![reset, clears, copy], tags: self.tags(), after });
        }
        Ok(all)
    }
}
