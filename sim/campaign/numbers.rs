//! Floating-point operations on the hardware's netlist alone: no model runs beside it, so that millions of numbers pass
//! in seconds, and what comes out is held against the arithmetic model.
//!
//! In all pairs of binary16 numbers, columns differ in the low bits of one operand, so that rows of operands hardly
//! change from command to command.

use std::collections::HashMap;

use super::{Failure, Result};
use crate::array::blocks::{Top, design};
use crate::engine::{Engine, Lookup, Native, engine};
use crate::isa::format::{F16, Mode};
use crate::isa::operation::{Context, Operation};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode};
use crate::kernel::netlist::NetId;
use crate::model::arith::{Inputs, evaluate};
use crate::params::Params;
use crate::vectors::Case;

/// How many binary16 numbers there are.
pub const HALVES: u64 = 1 << 16;
/// Cycles within which a command ends.
const MOST: u64 = 100_000;

/// An array that does one operation.
pub struct Numbers {
    engine: Native,
    params: Params,
    command: Command,
    /// Operands that the operation reads: first row, and rows.
    sources: Vec<(Operand, usize, usize)>,
    /// The memory that holds the rows.
    rows: usize,
    valid: NetId,
    busy: NetId,
    /// Cycles of a command in each mode in which one has run.
    cycles: HashMap<u64, u64>,
}

impl Numbers {
    /// An array with behavioural memory; it has no command yet.
    ///
    /// # Errors
    /// A design that cannot be built, or has its rows in blocks.
    pub fn new(params: &Params) -> Result<Numbers> {
        let wrong = |error: &dyn std::fmt::Display| Failure::Wrong(error.to_string());
        let netlist = design(params, Top::ComputeUnit).map_err(|error| wrong(&error))?;
        let mut engine = engine(&netlist);
        let inputs = engine.design().inputs.clone();
        inputs.iter().for_each(|&input| engine.set_input(input, &[0]));
        engine.tick(true);
        let net = |path: &str| engine.design().find_net(path).expect("the unit has it");
        let (valid, busy) = (net("cmd_valid"), net("busy"));
        let rows = engine.design().find_memory("array.sram_0.rows").ok_or_else(|| wrong(&"the rows are in blocks"))?;
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
        self.engine.set_word(self.rows, row, &row_of);
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

    /// Compares results.
    fn compare(&self, inputs: impl Fn(usize) -> Inputs) -> Result {
        let limbs = self.limbs();
        let memory = self.engine.memory(self.rows);
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
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::external::tool::deep;
    use crate::isa::format::{Conversion, F32, FORMATS, Format};
    use crate::params::{Columns, Memory};
    use crate::vectors::Stimulus;

    fn numbers(columns: Columns) -> Numbers {
        let params = super::super::params(columns, Memory::Behavioural, 256, 512);
        Numbers::new(&params).unwrap_or_else(|error| panic!("{error}"))
    }

    /// All pairs with `BITLINE_DEEP=1`, on all processors, else all numbers beside a few.
    fn pairs(opcode: Opcode, key: u64, columns: Columns) {
        let command = Command { key, second: F16.m(), ..Command::new(opcode, F16.n()) };
        let seed = 40;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let some: Vec<u64> = (0..if deep() { 0 } else { 6 }).map(|_| random.random_range(0..HALVES)).collect();
        let beside: Vec<u64> = some.into_iter().chain(0..if deep() { HALVES } else { 0 }).collect();
        let processors = std::thread::available_parallelism().map_or(1, |count| if deep() { count.get() } else { 1 });
        // A processor takes every so many-th number, so that each has as many subnormal ones as the others.
        let share = |which: usize| {
            let mut numbers = numbers(columns);
            numbers.take(command).unwrap_or_else(|error| panic!("{error}"));
            let own = beside.iter().copied().skip(which).step_by(processors);
            numbers.halves(own).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        };
        let count: u64 = std::thread::scope(|scope| {
            let share = &share;
            let shares: Vec<_> = (0..processors).map(|which| scope.spawn(move || share(which))).collect();
            shares.into_iter().map(|share| share.join().expect("no result is wrong")).sum()
        });
        println!("{opcode}, key {key:#x}, {columns:?}: {count} pairs, on {processors} processors");
        assert_eq!(count, if deep() { HALVES * HALVES } else { 6 * HALVES });
    }

    #[test]
    fn sums_of_all_pairs() {
        pairs(Opcode::FAdd, 0, Columns::TwoPort);
    }

    #[test]
    fn differences_of_all_pairs() {
        pairs(Opcode::FSub, 0, Columns::TwoPort);
    }

    #[test]
    fn products_of_all_pairs() {
        pairs(Opcode::FMul, 0, Columns::TwoPort);
    }

    #[test]
    fn quotients_of_all_pairs() {
        pairs(Opcode::FDiv, 0, Columns::TwoPort);
    }

    #[test]
    fn flushed_products_of_all_pairs() {
        pairs(Opcode::FMul, Mode::FLUSHED.key(), Columns::Radix4);
    }

    #[test]
    fn flushed_quotients_of_all_pairs() {
        for columns in [Columns::TwoPort, Columns::Radix4] {
            pairs(Opcode::FDiv, Mode::FLUSHED.key(), columns);
        }
    }

    /// Widths of an operation's forms that take numbers of a format.
    fn forms(operation: &Operation, format: Format) -> Vec<(u8, u8)> {
        let opcode = operation.opcode;
        match (opcode.conversion(), opcode.source_format()) {
            (Some(Conversion::ToInteger(own)), _) if own == format => {
                [8, 16, 32, 64].map(|width| (width, format.m())).to_vec()
            }
            (None, Some(own)) if own == format => FORMATS.map(|to| (to.n(), to.m())).to_vec(),
            (None, None) => vec![(format.n(), format.m())],
            _ => vec![],
        }
    }

    /// Every operation that has one operand, in all modes, on all binary16 numbers.
    #[test]
    fn all_halves() {
        let (mut numbers, mut commands, mut count) = (numbers(Columns::TwoPort), Vec::new(), 0);
        for opcode in numbers.params.opcodes().into_iter().filter(|opcode| opcode.is_float() && !opcode.is_function()) {
            let operation = Operation::of(opcode, Context::of(&numbers.params, numbers.params.sets[0]));
            if operation.extent_of(Operand::B).is_none() {
                let of = |(width, second)| Command { second, ..Command::new(opcode, width) };
                commands.extend(forms(&operation, F16).into_iter().map(of));
            }
        }
        for command in &commands {
            for mode in Mode::all() {
                let command = Command { key: mode.key(), ..*command };
                numbers.take(command).unwrap_or_else(|error| panic!("{command}: {error}"));
                count += numbers.halves([0].into_iter()).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        println!("{} forms of operations, {count} results", commands.len());
        assert_eq!(count, 16 * commands.len() as u64 * HALVES);
    }

    /// Every operation on binary32 numbers at the edges, with close exponents, ties, cancellation and subnormal ones,
    /// in a mode or modes at random: ten millions with `BITLINE_DEEP=1`.
    fn singles(columns: Columns, mode: Option<Mode>, which: impl Fn(&Operation) -> bool) {
        let (mut numbers, seed) = (numbers(columns), 41);
        let mut stimulus = Stimulus::new(seed);
        let (width, each) = (numbers.params.columns, if deep() { 10_000_000 } else { 20_000 });
        for opcode in numbers.params.opcodes().into_iter().filter(|opcode| opcode.is_float() && !opcode.is_function()) {
            let operation = Operation::of(opcode, Context::of(&numbers.params, numbers.params.sets[0]));
            let forms = if which(&operation) { forms(&operation, F32) } else { vec![] };
            for (n, second) in &forms {
                let command = Command { second: *second, ..Command::new(opcode, *n) };
                numbers.take(command).unwrap_or_else(|error| panic!("{command}: {error}"));
                for _ in 0..(each / forms.len()).div_ceil(width) {
                    numbers.set_key(mode.map_or_else(|| stimulus.value(64), Mode::key));
                    let key = numbers.command.key;
                    let mut one = || stimulus.inputs(opcode, (*n).into(), (*second).into(), key);
                    let inputs: Vec<Inputs> = (0..width).map(|_| one()).collect();
                    numbers.some(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                }
            }
            if !forms.is_empty() {
                println!("{opcode}: {each} results in {} forms", forms.len());
            }
        }
    }

    #[test]
    fn binary32() {
        singles(Columns::TwoPort, None, |_| true);
    }

    /// The mode that has micro-programs of its own.
    #[test]
    fn flushed_binary32() {
        for columns in Columns::ALL {
            singles(columns, Some(Mode::FLUSHED), |operation| operation.flushed.is_some());
        }
    }

    #[test]
    fn binary32_with_radix_4() {
        singles(Columns::Radix4, None, Operation::uses_radix_4);
    }
}
