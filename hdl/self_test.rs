//! A self-test for boards: a script of register accesses, the rows that go with it, and the signature of the rows that must come
//! back.
//!
//! For every operation that the design has and its rows allow: load rows of a pseudo-random sequence, run the operation, store the
//! rows. All beats of all stores go into one signature, which the cycle model gives in advance. Identification and error reporting are
//! read and compared. The block [`crate::blocks::self_test`] plays the script.

use crate::isa::command::ErrorCode;
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode};
use crate::params::Params;
use crate::registers::*;
use crate::sim::model::compute_unit::{ComputeUnit, Inputs};
use crate::sim::vectors::Case;

/// First value of the sequence and of the signature: any but 0.
pub const SEED: u64 = 0x1e37_79b9_7f4a_7c15;
/// An opcode that names no operation.
const NO_OPCODE: u32 = (1 << OPCODE_BITS) - 1;
/// Rows that one load or store moves at most.
const ROWS_A_COMMAND: usize = 64;
/// Widths of elements, the first that fits the rows.
const WIDTHS: [u8; 4] = [8, 4, 2, 1];

/// A step of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes a register.
    Write(u64, u32),
    /// Reads a register, which must have this value.
    Expect(u64, u32),
    /// Reads `status` until the unit is idle.
    Wait,
    /// The script ends.
    End,
}

/// Code of [`Step::Write`].
pub const WRITE: u64 = 0;
/// Code of [`Step::Expect`].
pub const EXPECT: u64 = 1;
/// Code of [`Step::Wait`].
pub const WAIT: u64 = 2;
/// Code of [`Step::End`].
pub const END: u64 = 3;
/// Lowest bit of the register's number in a step's word; the code is below it.
pub const NUMBER_LSB: usize = 2;
/// Lowest bit of the data.
pub const DATA_LSB: usize = NUMBER_LSB + ADDRESS_BITS - 2;
/// Bits of a step's word.
pub const STEP_BITS: usize = DATA_LSB + 32;

impl Step {
    /// The word in the script's ROM.
    pub fn encode(self) -> u64 {
        let word = |code: u64, offset: u64, data: u32| code | (offset / 4) << NUMBER_LSB | u64::from(data) << DATA_LSB;
        match self {
            Step::Write(offset, data) => word(WRITE, offset, data),
            Step::Expect(offset, data) => word(EXPECT, offset, data),
            Step::Wait => word(WAIT, REG_STATUS, 0),
            Step::End => word(END, 0, 0),
        }
    }
}

/// The next value of the sequence; the signature takes a beat by an exclusive or before it.
pub fn next(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ x << 17
}

/// The self-test of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The script.
    pub steps: Vec<Step>,
    /// Beats that go in.
    pub beats_in: u64,
    /// Beats that come out.
    pub beats_out: u64,
    /// Their signature.
    pub signature: u64,
}

impl SelfTest {
    /// The self-test of the design that `params` describe.
    ///
    /// # Panics
    /// If the cycle model refuses or never ends one of the commands, which would be a bug of this crate.
    pub fn new(params: &Params) -> SelfTest {
        let mut writer = Writer {
            test: SelfTest { steps: vec![], beats_in: 0, beats_out: 0, signature: SEED },
            unit: ComputeUnit::new(params),
            value: SEED,
            mask: if params.columns < 64 { (1 << params.columns) - 1 } else { u64::MAX },
            staged: Vec::new(),
        };
        writer.greet(params);
        for command in commands(params) {
            writer.test_one(params, command);
        }
        writer.refuse();
        writer.test.steps.push(Step::End);
        writer.test
    }
}

/// One command for each operation. The first fills the tag latches, so that nothing depends on what they held before.
fn commands(params: &Params) -> Vec<Command> {
    let set = params.sets[0];
    let first = [Opcode::TagLoad];
    let all = first.iter().chain(Opcode::ALL).filter(|o| !matches!(o, Opcode::Load | Opcode::Store));
    let fits = |&opcode: &Opcode| {
        let op = Operation::of(opcode, Context::of(params, set));
        WIDTHS.iter().find_map(|&n| {
            let m = op.second.map_or(0, |(low, _)| low.value(n.into(), 0)) as u8;
            let mut command = Command { set, second: m, key: SEED >> 32, ..Command::new(opcode, n) };
            Case::place(&op, &mut command, 0);
            command.check(params).is_ok().then_some(command)
        })
    };
    all.filter_map(fits).collect()
}

struct Writer {
    test: SelfTest,
    unit: ComputeUnit,
    value: u64,
    mask: u64,
    /// What the staged registers hold.
    staged: Vec<(u64, u32)>,
}

impl Writer {
    fn greet(&mut self, params: &Params) {
        let constant = REGISTERS.iter().filter(|r| r.offset < REG_CONTROL);
        self.test.steps.extend(constant.map(|r| Step::Expect(r.offset, reset_value(params, r))));
        self.clear();
    }

    /// Forgets errors and events.
    fn clear(&mut self) {
        self.test.steps.extend([
            Step::Write(REG_CONTROL, 1 << CONTROL_ERROR_CLEAR_LSB),
            Step::Write(REG_INTERRUPT, 1 << INTERRUPT_DONE_LSB | 1 << INTERRUPT_ERROR_LSB),
            Step::Expect(REG_ERROR, 0),
            Step::Expect(REG_INTERRUPT, 0),
        ]);
    }

    fn stage(&mut self, offset: u64, data: u32) {
        let before = self.staged.iter_mut().find(|s| s.0 == offset);
        if before.as_ref().is_some_and(|s| s.1 == data) {
            return;
        }
        match before {
            Some(staged) => staged.1 = data,
            None => self.staged.push((offset, data)),
        }
        self.test.steps.push(Step::Write(offset, data));
    }

    /// Loads the command's rows, runs it, stores the rows.
    fn test_one(&mut self, params: &Params, command: Command) {
        let op = Operation::of(command.opcode, Context::of(params, command.set));
        let rows = Case::place(&op, &mut command.clone(), 0).into();
        let part = |first: usize| Command {
            width: ROWS_A_COMMAND.min(rows - first) as u8,
            second: 0,
            a: first as u16,
            d: first as u16,
            ..command
        };
        let parts: Vec<Command> = (0..rows).step_by(ROWS_A_COMMAND).map(part).collect();
        parts.iter().for_each(|&part| self.run(Command { opcode: Opcode::Load, ..part }));
        self.run(command);
        parts.iter().for_each(|&part| self.run(Command { opcode: Opcode::Store, ..part }));
    }

    fn run(&mut self, c: Command) {
        let pair = |low: u16, high: u16| u32::from(low) << COMMAND_A_LSB | u32::from(high) << COMMAND_B_LSB;
        let codes = (c.opcode as u32) << COMMAND_OPCODE_LSB | (c.set as u32) << COMMAND_SET_LSB;
        let widths = u32::from(c.width) << COMMAND_WIDTH_LSB | u32::from(c.second) << COMMAND_SECOND_LSB;
        self.stage(REG_COMMAND, codes | widths);
        self.stage(REG_COMMAND_AB, pair(c.a, c.b));
        self.stage(REG_COMMAND_DE, pair(c.d, c.e));
        self.stage(REG_COMMAND_S, pair(c.s, 0));
        self.stage(REG_KEY_LOW, c.key as u32);
        self.stage(REG_KEY_HIGH, (c.key >> 32) as u32);
        self.test.steps.extend([Step::Write(REG_PUSH, 0), Step::Wait]);
        self.simulate(c);
    }

    fn simulate(&mut self, command: Command) {
        let mut inputs = Inputs { command: Some(command), take: true, ..Inputs::default() };
        let loads = command.opcode == Opcode::Load;
        let mut left = if loads { u64::from(command.width) * self.unit.loader.data.len() as u64 } else { 0 };
        self.test.beats_in += left;
        for _ in 0..1_000_000 {
            inputs.beat = (left > 0).then_some(self.value & self.mask);
            let outputs = self.unit.step(&inputs);
            assert_eq!(outputs.activity.refusal, None, "{command}");
            if inputs.command.is_none() && !outputs.busy && outputs.beat.is_none() && !self.unit.storer.busy {
                return;
            }
            if outputs.command_ready {
                inputs.command = None;
            }
            if inputs.beat.is_some() && outputs.beat_ready {
                self.value = next(self.value);
                left -= 1;
            }
            if let Some((beat, _)) = outputs.beat {
                self.test.signature = next(self.test.signature ^ beat);
                self.test.beats_out += 1;
            }
        }
        panic!("{command} does not end");
    }

    /// An opcode that does not exist is refused, and the refusal can be seen and cleared.
    fn refuse(&mut self) {
        self.stage(REG_COMMAND, NO_OPCODE << COMMAND_OPCODE_LSB | 8 << COMMAND_WIDTH_LSB);
        self.test.steps.extend([
            Step::Write(REG_PUSH, 0),
            Step::Wait,
            Step::Expect(REG_ERROR, (ErrorCode::Opcode.code() as u32) << ERROR_CODE_LSB),
            Step::Expect(REG_INTERRUPT, 1 << INTERRUPT_DONE_LSB | 1 << INTERRUPT_ERROR_LSB),
        ]);
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::PRESETS;
    use std::collections::HashSet;

    #[test]
    fn every_operation_that_fits_is_in_the_script() {
        for preset in &PRESETS {
            let params = preset.params();
            let test = SelfTest::new(&params);
            let written: HashSet<u32> = test
                .steps
                .iter()
                .filter_map(|s| match s {
                    Step::Write(REG_COMMAND, data) => Some(data & NO_OPCODE),
                    _ => None,
                })
                .collect();
            println!("{}: {} steps, {} operations", params.name, test.steps.len(), written.len());
            assert!(written.len() > Opcode::ALL.len() * 2 / 3, "{}: {}", params.name, written.len());
            assert!(test.beats_in > 0 && test.beats_in == test.beats_out);
            assert!(test.steps.iter().all(|s| s.encode() >> STEP_BITS == 0));
        }
    }
}
