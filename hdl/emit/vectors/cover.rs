//! Which words of the micro-program ROMs commands execute, and commands that execute as many of them as there can be:
//! a word that no vector executes could hold anything.
//!
//! Paths through programs depend on widths, on operands that share rows, and on data. Candidates run on a model with
//! few columns, which takes the same paths; what executes nothing new is left out.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::cycles::usual_second;
use bitline_model::command_setup::Refusal;
use bitline_model::compute_unit::{ComputeUnit, Inputs, Outputs};
use bitline_model::vectors::{Case, Rows, Stimulus};
use bitline_units::array::isa::format::{MODE_BITS, Mode};
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::Params;

/// Columns of the model on which candidates run.
const COLUMNS: usize = 8;
/// Candidates of an operation in sequence that execute nothing new, before the search goes on with the next operation.
const IN_VAIN: usize = 24;

/// Bits of a key that are a mode.
const MODES: u64 = (1 << MODE_BITS) - 1;

/// Addresses of the words that commands have executed.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// Of flow and control words.
    pub rows: BTreeSet<u16>,
    /// Of setup words.
    pub setup: BTreeSet<u16>,
    /// Setup words that have been fetched and not yet executed.
    pipeline: VecDeque<u16>,
}

/// What has become of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Cycles in which the unit is busy with it: what its registers count.
    pub cycles: u64,
    /// Rows that it issues.
    pub rows: u64,
    /// Cycles between its first and its last row in which it issues none.
    pub waits: u64,
    /// Its refusal.
    pub refusal: Option<Refusal>,
}

impl Executed {
    /// One cycle of the unit.
    fn step(&mut self, unit: &mut ComputeUnit, inputs: &Inputs) -> Outputs {
        let (fetched, flow) = (unit.sequencer.setup.address, &unit.sequencer.flow);
        if flow.active {
            self.rows.insert(flow.pc);
        }
        let outputs = unit.step(inputs);
        let setup = &unit.sequencer.setup;
        if outputs.activity.accepted || !setup.rom.valid {
            // A command begins, or a jump drops what was fetched behind it.
            self.pipeline.clear();
        } else if setup.address == fetched + 1 {
            self.pipeline.push_back(fetched);
            if setup.verdict.valid {
                self.setup.extend(self.pipeline.pop_front());
            }
        }
        outputs
    }

    /// Runs a command alone, from an idle unit to an idle unit; with these codes in place of its opcode and set.
    pub fn run(&mut self, unit: &mut ComputeUnit, command: Command, codes: Option<(u8, u8)>) -> Ran {
        let mut inputs = Inputs { command: Some(command), codes, ..Inputs::default() };
        let (mut ran, mut gap) = (Ran::default(), 0);
        loop {
            let outputs = self.step(unit, &inputs);
            ran.cycles += 1;
            ran.refusal = ran.refusal.or(outputs.activity.refusal);
            if outputs.activity.issued {
                ran.waits += gap;
                ran.rows += 1;
            }
            gap = if outputs.activity.issued || ran.rows == 0 { 0 } else { gap + 1 };
            if inputs.command.take().is_none() && !outputs.busy {
                // The cycle in which it enters the queue counts, the one after its end does not.
                return Ran { cycles: ran.cycles - 1, ..ran };
            }
        }
    }

    /// Their number.
    pub fn words(&self) -> usize {
        self.rows.len() + self.setup.len()
    }
}

/// A legal command, and the first row after its operands, or of them.
pub type Placed = (Command, usize);

/// The command with operands from row 1 up, if it is legal and leaves two rows for tags.
pub fn placed(params: &Params, operation: &Operation, mut command: Command) -> Option<Placed> {
    let end = usize::from(Case::place(operation, &mut command, 1));
    let legal = command.check(params).is_ok() && end + 2 <= params.rows;
    legal.then_some((command, end))
}

/// The command with operands on the last rows, if it is legal, and its first row.
pub fn placed_last(params: &Params, operation: &Operation, mut command: Command) -> Option<Placed> {
    let size = usize::from(Case::place(operation, &mut command, 0));
    let first = params.rows.checked_sub(size)?;
    Case::place(operation, &mut command, first as u16);
    command.check(params).is_ok().then_some((command, first))
}

/// Commands of an operation that may take different paths: widths, second widths, operands on the same rows. Those with
/// a key are for a mode that has micro-programs of its own.
fn candidates(params: &Params, operation: &Operation, set: Set) -> Vec<Placed> {
    let (low, high) = operation.widths;
    // Small ones, those around powers of two, and the widest.
    let near = |n: u8| (2..7).any(|k| n.abs_diff(1 << k) <= 1) || n.is_multiple_of(5);
    let widths = (low..=high).filter(|&n| n < 10 || near(n));
    let mut all = Vec::new();
    for width in widths {
        let mut seconds = vec![usual_second(operation, width)];
        if let Some((low, high)) = operation.seconds(width) {
            seconds.extend([low, low + 1, (low + high) / 2, high - 1, high].map(|m| m.clamp(0, 127) as u8));
        }
        seconds.dedup();
        for second in seconds {
            let command = Command { set, second, ..Command::new(operation.opcode, width) };
            let Some((command, end)) = placed(params, operation, command) else { continue };
            all.push((command, end));
            if operation.has_flushed(width) {
                all.push((Command { key: Mode::FLUSHED.key(), ..command }, end));
            }
            for (operand, of) in [(Operand::D, Operand::A), (Operand::D, Operand::B), (Operand::E, Operand::A)] {
                let mut shared = command;
                let row = command.row(of);
                match operand {
                    Operand::E => shared.e = row,
                    _ => shared.d = row,
                }
                if shared != command && shared.check(params).is_ok() {
                    all.push((shared, end));
                }
            }
        }
    }
    all
}

/// Commands that execute words which those in `executed` do not, with the operations' descriptions.
pub fn search(params: &Params, seed: u64, executed: &Executed) -> Vec<(Arc<Operation>, Placed)> {
    let narrow = Params { columns: COLUMNS, ..params.clone() };
    let (mut unit, mut executed) = (ComputeUnit::new(&narrow), executed.clone());
    let mut stimulus = Stimulus::new(seed);
    let mut found = Vec::new();
    for &set in &params.sets {
        for opcode in params.opcodes() {
            let operation = Operation::of(opcode, Context::of(params, set));
            let lacks = operation.latches().iter().any(|&latch| !params.has(latch));
            if lacks || matches!(opcode, Opcode::Load | Opcode::Store) {
                continue;
            }
            let mut in_vain = 0;
            for (mut command, end) in candidates(params, &operation, set) {
                let random = stimulus.value(64);
                command.key = if command.key == 0 { random } else { random & !MODES | command.key };
                let (n, m) = (command.width.into(), command.second.into());
                let mut one = || stimulus.inputs(opcode, n, m, command.key);
                let case = Case { command, inputs: (0..COLUMNS).map(|_| one()).collect() };
                case.load(&operation, &mut unit.array.sram as &mut dyn Rows);
                let before = executed.words();
                executed.run(&mut unit, command, None);
                in_vain += 1;
                if executed.words() > before {
                    found.push((operation.clone(), (command, end)));
                    in_vain = 0;
                } else if in_vain == IN_VAIN {
                    break;
                }
            }
        }
    }
    found
}
