//! Floating-point operations on the hardware's netlist alone: no model runs beside it, so that millions of numbers pass
//! in seconds, and what comes out is held against the arithmetic model.
//!
//! In all pairs of binary16 numbers, columns differ in the low bits of one operand, so that rows of operands hardly
//! change from command to command.

use std::collections::HashMap;

use super::{Failure, Result};
use crate::array::blocks::{Top, design};
use crate::engine::{Engine, Lookup, Native, engine};
use crate::isa::format::{Conversion, F16, FORMATS, Format, Mode};
use crate::isa::operation::{Context, Operation, Role};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode};
use crate::kernel::netlist::NetId;
use crate::model::arith::{Inputs, evaluate};
use crate::params::Params;
use crate::vectors::{Case, Stimulus};

/// How many binary16 numbers there are.
pub const HALVES: u64 = 1 << 16;
/// Cycles within which a command ends.
const MOST: u64 = 100_000;

/// An array that does one operation.
pub struct Numbers<E = Native> {
    engine: E,
    params: Params,
    command: Command,
    /// Operands that the operation reads: first row, and rows.
    sources: Vec<(Operand, usize, usize)>,
    /// Memories that hold the rows.
    rows: Vec<usize>,
    valid: NetId,
    busy: NetId,
    /// Cycles of a command in each mode in which one has run.
    cycles: HashMap<u64, u64>,
}

/// Widths of an operation's forms that take numbers of a format, or integers of as many bits.
pub fn forms(operation: &Operation, format: Format) -> Vec<(u8, u8)> {
    let opcode = operation.opcode;
    match (opcode.conversion(), opcode.source_format()) {
        (Some(Conversion::ToInteger(own)), _) if own == format => {
            [8, 16, 32, 64].map(|width| (width, format.m())).to_vec()
        }
        (Some(Conversion::FromInteger(own)), _) => vec![(format.bits() as u8, own.m())],
        (None, Some(own)) if own == format => FORMATS.map(|to| (to.n(), to.m())).to_vec(),
        (None, None) => vec![(format.n(), format.m())],
        _ => vec![],
    }
}

impl Numbers {
    /// An array on the native engine; it has no command yet.
    ///
    /// # Errors
    /// A design that cannot be built.
    pub fn new(params: &Params) -> Result<Numbers> {
        let netlist = design(params, Top::ComputeUnit).map_err(|error| Failure::Wrong(error.to_string()))?;
        Numbers::on(engine(&netlist), params)
    }
}

impl<E: Engine> Numbers<E> {
    /// The same on any engine, which has the compute unit of these parameters.
    ///
    /// # Errors
    /// A design without the memories of the array's rows.
    pub fn on(mut engine: E, params: &Params) -> Result<Numbers<E>> {
        let inputs = engine.design().inputs.clone();
        inputs.iter().for_each(|&input| engine.set_input(input, &[0]));
        engine.tick(true);
        let net = |path: &str| engine.design().find_net(path).expect("the unit has it");
        let (valid, busy) = (net("cmd_valid"), net("busy"));
        let rows = ["sram_0.rows", "block_ram_0.rows", "block_ram_0.mirror"];
        let rows = rows.iter().filter_map(|memory| engine.design().find_memory(&format!("array.{memory}")));
        let rows: Vec<usize> = rows.collect();
        if rows.is_empty() {
            return Err(Failure::Wrong("the design has no memory of rows".into()));
        }
        let (params, command) = (params.clone(), Command::new(Opcode::FAdd, F16.n()));
        Ok(Numbers { engine, params, command, sources: Vec::new(), rows, valid, busy, cycles: HashMap::new() })
    }

    /// Takes a command; its rows are chosen here.
    ///
    /// # Errors
    /// One that the design does not have, or has no rows for.
    pub fn take(&mut self, mut command: Command) -> Result {
        let operation = Operation::of(command.opcode, Context::of(&self.params, command.set));
        Case::place(&operation, &mut command, 0);
        command.check(&self.params).map_err(|error| Failure::Wrong(error.to_string()))?;
        let sources = [Operand::A, Operand::B, Operand::E].into_iter().filter_map(|operand| {
            let rows = operation.extent_of(operand)?.rows.value(command.width.into(), command.second.into());
            Some((operand, usize::from(command.row(operand)), rows as usize))
        });
        (self.sources, self.command) = (sources.collect(), command);
        self.cycles.clear();
        self.set_key(command.key);
        Ok(())
    }

    /// The same command with another key.
    pub fn set_key(&mut self, key: u64) {
        self.command.key = key;
        for (path, value) in self.command.signals() {
            let input = self.engine.design().find_net(path).expect("the unit has a command port");
            self.engine.set_input(input, &[value]);
        }
    }

    fn limbs(&self) -> usize {
        self.params.columns.div_ceil(64)
    }

    fn set_row(&mut self, row: usize, limb: impl Fn(usize) -> u64) {
        let row_of: Vec<u64> = (0..self.limbs()).map(limb).collect();
        self.rows.iter().for_each(|&memory| self.engine.set_word(memory, row, &row_of));
    }

    /// The command, from an idle unit to an idle unit.
    fn execute(&mut self) {
        self.engine.set_input(self.valid, &[1]);
        self.engine.tick(false);
        self.engine.set_input(self.valid, &[0]);
        let mode = Mode::of_key(self.command.key).key();
        if let Some(&cycles) = self.cycles.get(&mode) {
            self.engine.run(cycles);
            assert_eq!(self.engine.low(self.busy), 0, "a command takes as long as ever in its mode");
            return;
        }
        let ends = (0..MOST).find(|_| {
            let idle = self.engine.low(self.busy) == 0;
            if !idle {
                self.engine.tick(false);
            }
            idle
        });
        self.cycles.insert(mode, ends.expect("it ends"));
    }

    /// Runs all binary16 numbers as the last operand, beside each of these as the first, if there are two; returns how
    /// many results there were.
    ///
    /// # Errors
    /// The first result that is wrong.
    pub fn halves(&mut self, beside: impl Iterator<Item = u64>) -> Result<u64> {
        let [varying, others @ ..] = &self.sources.iter().rev().copied().collect::<Vec<_>>()[..] else {
            return Err(Failure::Wrong(format!("{}: no operand", self.command.opcode)));
        };
        let ((_, varying, rows), first) = (*varying, others.first().copied());
        let low = self.params.columns.ilog2() as usize;
        for bit in 0..low {
            self.set_row(varying + bit, |limb| {
                (0..64).filter(|place| (64 * limb + place) >> bit & 1 == 1).map(|place| 1 << place).sum()
            });
        }
        let all = |number: u64, bit: usize| if number >> bit & 1 == 1 { u64::MAX } else { 0 };
        let mut results = 0;
        for number in beside.take(if first.is_some() { usize::MAX } else { 1 }) {
            if let Some((_, first, rows)) = first {
                (0..rows).for_each(|bit| self.set_row(first + bit, |_| all(number, bit)));
            }
            for from in (0..HALVES).step_by(self.params.columns) {
                (low..rows).for_each(|bit| self.set_row(varying + bit, |_| all(from, bit)));
                self.execute();
                self.compare(|column| {
                    let varied = from + column as u64;
                    let (a, b) = if first.is_some() { (number, varied) } else { (varied, 0) };
                    Inputs { a, b, ..Inputs::default() }
                })?;
                results += self.params.columns as u64;
            }
        }
        Ok(results)
    }

    /// Runs these operands, one for each column.
    ///
    /// # Errors
    /// The first result that is wrong.
    pub fn some(&mut self, inputs: &[Inputs]) -> Result {
        for (operand, first, rows) in self.sources.clone() {
            let of = |inputs: &Inputs| match operand {
                Operand::A => inputs.a,
                Operand::B => inputs.b,
                _ => inputs.e,
            };
            for bit in 0..rows {
                self.set_row(first + bit, |limb| {
                    let columns = inputs[64 * limb..].iter().take(64).enumerate();
                    columns.fold(0, |row, (place, inputs)| row | (of(inputs) >> bit & 1) << place)
                });
            }
        }
        self.execute();
        self.compare(|column| inputs[column])
    }

    /// The operations on numbers of 8 bits that `which` chooses, in the modes that it chooses for them: all pairs, to
    /// each of which there is a third number where an operation takes three; returns how many results there were.
    ///
    /// # Errors
    /// The first result that is wrong.
    pub fn bytes(&mut self, seed: u64, which: impl Fn(&Operation, Mode) -> bool) -> Result<u64> {
        let (mut stimulus, mut results) = (Stimulus::new(seed), 0);
        let (columns, set) = (self.params.columns, self.params.sets[0]);
        for opcode in self.params.opcodes().into_iter().filter(|opcode| opcode.is_float() && !opcode.is_function()) {
            let operation = Operation::of(opcode, Context::of(&self.params, set));
            for format in FORMATS.into_iter().filter(|format| format.bits() == 8) {
                let all: u64 = if operation.extent_of(Operand::B).is_some() { 1 << 16 } else { 1 << 8 };
                let third = operation.extent_of(Operand::E).is_some_and(|extent| extent.role == Role::Source);
                for (width, second) in forms(&operation, format) {
                    if operation.check_width(width).is_err() {
                        continue;
                    }
                    self.take(Command { set, second, ..Command::new(opcode, width) })?;
                    let firsts = |mode| (0..all as usize).step_by(columns).map(move |first| (mode, first));
                    for (mode, first) in Mode::all().filter(|&mode| which(&operation, mode)).flat_map(firsts) {
                        self.set_key(mode.key());
                        let mut one = |place: usize| {
                            let at = (first + place) as u64 % all;
                            let inputs = Inputs { a: at & 0xff, b: at >> 8, ..Inputs::default() };
                            let e = if third { stimulus.third(width.into(), second.into(), inputs) } else { 0 };
                            Inputs { e, ..inputs }
                        };
                        let inputs: Vec<Inputs> = (0..columns).map(&mut one).collect();
                        self.some(&inputs)?;
                        results += columns as u64;
                    }
                }
            }
        }
        Ok(results)
    }

    /// Compares results.
    fn compare(&self, inputs: impl Fn(usize) -> Inputs) -> Result {
        let limbs = self.limbs();
        let memory = self.engine.memory(self.rows[0]);
        for limb in 0..limbs {
            let (mut expected, mut bits) = ([0u64; 64], 0);
            for place in 0..64 {
                let (result, rows) = self.expected(&inputs(64 * limb + place));
                bits = rows;
                (0..bits).for_each(|bit| expected[bit] |= (result >> bit & 1) << place);
            }
            let held = |bit: usize| memory[(usize::from(self.command.d) + bit) * limbs + limb];
            let differ = (0..bits).fold(0, |all, bit| all | (expected[bit] ^ held(bit)));
            if differ != 0 {
                let place = differ.trailing_zeros() as usize;
                let inputs = inputs(64 * limb + place);
                let held = (0..bits).fold(0, |all, bit| all | (held(bit) >> place & 1) << bit);
                let (expected, Command { opcode, key, .. }) = (self.expected(&inputs).0, self.command);
                let what = format!("{opcode}, key {key:#x}: {held:#x}, must be {expected:#x}, of {inputs:x?}");
                return Err(Failure::Wrong(what));
            }
        }
        Ok(())
    }

    /// The result, and its bits.
    fn expected(&self, inputs: &Inputs) -> (u64, usize) {
        let Command { opcode, key, width, second, .. } = self.command;
        let result = evaluate(opcode, width.into(), second.into(), key, *inputs).d;
        result.map_or((0, 0), |(bits, rows)| (bits as u64, rows as usize))
    }
}

#[cfg(test)]
mod tests;
