//! Floating-point operations of the sets `skip` and `baseline`, on columns that are alike: what only a few operands
//! need is left out where no column has such operands, so that random columns, of which one always has, would say
//! nothing about the rows that follow. Operands are sorted by what they are and what becomes of them; among them, in
//! every other command, are columns with zeros, infinities and NaN, which must not ask for anything.

use std::collections::BTreeMap;

use rand::Rng;

use super::bench::Bench;
use super::exhaustive::one;
use super::float::Class;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::assemble::assemble;
use crate::isa::format::{FORMATS, Format, Mode};
use crate::isa::operation::{Context, Operation};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode, Set};
use crate::model::arith::Inputs;
use crate::model::float::questions;
use crate::vectors::Case;

/// What the columns of a command have in common: classes of operands and result, and how far the result's exponent is
/// below that of the larger operand.
fn kind(format: Format, inputs: &Inputs, result: u64) -> (Class, Class, Class, Class, i64) {
    let exponent = |bits: u64| (bits >> format.fraction & ((1 << format.exponent) - 1)) as i64;
    let class = |bits| Class::of(bits, format);
    let largest = [inputs.a, inputs.b, inputs.e].into_iter().map(exponent).max().unwrap_or(0);
    (class(inputs.a), class(inputs.b), class(inputs.e), class(result), largest - exponent(result))
}

/// Every operation on floating-point numbers whose cycles depend on the data, in a set and in every format that the
/// rows have room for: all pairs of 8 bits, `rounds` times as many random operands of other formats as there are
/// columns, each command in a random mode; no more than `most` commands for each, with what lies evenly among them.
/// Commands of the set `skip` whose columns want the same take the same cycles. Tells how many commands took fewer
/// cycles than the most.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn every_operation<E: Engine>(bench: &mut Bench<E>, set: Set, rounds: usize, most: usize) -> Result<u64> {
    let params = bench.params().clone();
    let context = Context::of(&params, set);
    let mut shorter = 0;
    for opcode in params.opcodes().into_iter().filter(|opcode| opcode.is_float()) {
        let operation = bench.operation(opcode, set);
        let depends = operation.variants.iter().any(|one| assemble(&one.program, context).data_dependent());
        for format in FORMATS.into_iter().filter(|format| depends && operation.check_width(format.n()).is_ok()) {
            let mut command = Command { set, ..Command::new(opcode, format.n()) };
            command.second = format.m();
            Case::place(&operation, &mut command, 1);
            command.check(&params).map_err(|error| Failure::Wrong(error.to_string()))?;
            shorter += of_format(bench, &operation, command, format, (rounds, most))?;
        }
    }
    Ok(shorter)
}

/// The same in both sets whose cycles depend on the data, in so many commands that all rows have their turn.
///
/// # Errors
/// The first failure; an operation that does not fit.
pub fn every_set<E: Engine>(bench: &mut Bench<E>) -> Result {
    every_operation(bench, Set::Skip, 64, 64)?;
    every_operation(bench, Set::Baseline, 128, 128).map(|_| ())
}

fn of_format<E: Engine>(
    bench: &mut Bench<E>,
    operation: &Operation,
    mut command: Command,
    format: Format,
    (rounds, commands): (usize, usize),
) -> Result<u64> {
    let (columns, small) = (bench.params().columns, format.bits() == 8);
    let second = operation.extent_of(Operand::B).is_some();
    let mut all: Vec<Inputs> = if small {
        let pairs = 0..if second { 1 << 16 } else { 1 << 8 };
        pairs.map(|pair: u64| Inputs { a: pair & 255, b: pair >> 8, ..Inputs::default() }).collect()
    } else {
        let (n, m) = (command.width.into(), command.second.into());
        (0..rounds * columns).map(|_| bench.stimulus.inputs(command.opcode, n, m, 0)).collect()
    };
    if command.opcode == Opcode::FFma {
        for inputs in all.iter_mut().filter(|_| small) {
            inputs.e = bench.stimulus.third(command.width.into(), command.second.into(), *inputs);
        }
    }
    let results = Case { command, inputs: all.clone() }.expected();
    let mut sorted: Vec<_> = all.iter().zip(results).collect();
    sorted.sort_by_cached_key(|(inputs, output)| kind(format, inputs, output.d.map_or(0, |d| d.0 as u64)));
    let special = |inputs: &Inputs| {
        let operands = if second { vec![inputs.a, inputs.b] } else { vec![inputs.a] };
        operands.iter().any(|bits| matches!(Class::of(*bits, format), Class::Zero | Class::Infinite | Class::Nan))
    };
    let specials: Vec<Inputs> = all.iter().copied().filter(special).collect();
    let (mut shorter, mut most, mut taken) = (0, 0, BTreeMap::new());
    let step = (sorted.len() / columns).div_ceil(commands).max(1);
    // Few numbers of 8 bits are subnormal: of one operand both ways to take them.
    let ways: &[Option<u64>] = if second { &[None] } else { &[Some(0), Some(1)] };
    let batches = sorted.chunks(columns).step_by(step).enumerate();
    for ((number, batch), flush) in batches.flat_map(|batch| ways.iter().map(move |flush| (batch, flush))) {
        command.key = bench.rng().random();
        command.key = flush.map_or(command.key, |flush| command.key & !1 | flush);
        let mut inputs: Vec<Inputs> = batch.iter().map(|one| *one.0).collect();
        inputs.resize(columns, inputs[0]);
        for index in (0..columns).filter(|_| number % 2 == 1 && !specials.is_empty()) {
            if bench.rng().random_range(0..8) == 0 {
                inputs[index] = specials[bench.rng().random_range(0..specials.len())];
            }
        }
        let before = bench.unit.cycle_count();
        let wants = |one: &Inputs| {
            questions::wants(command.opcode, command.width.into(), command.second.into(), command.key, one)
        };
        let wanted = inputs.iter().map(wants).fold(0, |all, one| all | one);
        let case = Case { command, inputs };
        one(bench, operation, case.clone())?;
        let cycles = bench.unit.cycle_count() - before;
        // Micro-programs for one mode alone ask nothing; where there are none for the format, setup finds it out.
        let own = Mode::of_key(command.key) == Mode::FLUSHED && operation.flushed.is_some();
        let known = *taken.entry((wanted, own)).or_insert(cycles);
        if command.set == Set::Skip && known != cycles {
            let first = case.inputs.iter().find(|one| wanted == 0 || wants(one) != 0);
            let rule = format!("{cycles} cycles, and {known} of others that want the same ({wanted:#b}): {first:x?}");
            return Err(Failure::Wrong(format!("{} in {format}, key {:#x}: {rule}", command.opcode, command.key)));
        }
        if !own {
            shorter += u64::from(cycles < most);
            most = most.max(cycles);
        }
    }
    Ok(shorter)
}
