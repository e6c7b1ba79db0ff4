//! Every operation of every set on random operands, placements and offsets, in chains of commands queued back to back.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::bench::{Bench, Gaps, Work};
use super::boundary::judged;
use super::place::place;
use super::scoreboard::Scoreboard;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::format::FORMATS;
use crate::isa::operation::{Operation, Role};
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode};
use crate::vectors::write_elements;

/// Widths worth running on an array with this many rows: all short ones, then some.
pub fn widths(rows: usize) -> Vec<u8> {
    let all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 24, 27, 31, 32, 33, 48, 61, 63, 64];
    all.into_iter().filter(|&n| usize::from(n) < rows).collect()
}

/// Legal second widths worth running.
pub fn seconds(operation: &Operation, n: u8) -> Vec<u8> {
    let Some((low, high)) = operation.seconds(n) else { return vec![0] };
    let log = crate::isa::linear::ceil_log2(n.into());
    let mut all = vec![low, low + 1, low + 5, log - 1, log, log + 1, log + 3];
    if operation.opcode.is_cordic() {
        // Programs differ by whether the number of steps is even, or half of it, and whether they are many; loops have
        // about half as many, or a quarter.
        all.extend([low + 2, high - 1, high]);
    }
    // Amounts and accumulators of more than 64 bits are more than operands hold.
    all.retain(|m| (low..=high).contains(m) && (1..=64.max(low)).contains(m));
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|m| m as u8).collect()
}

/// Every legal form of every operation of the design's sets at these widths, of floating point in every format; rows
/// not yet placed.
pub fn shapes<E: Engine>(bench: &mut Bench<E>, widths: &[u8]) -> Vec<Command> {
    let mut shapes = Vec::new();
    for set in bench.params().sets.clone() {
        for opcode in bench.params().opcodes() {
            let operation = bench.operation(opcode, set);
            let missing = operation.latches().iter().any(|&latch| !bench.params().has(latch));
            if missing || matches!(opcode, Opcode::Load | Opcode::Store) {
                continue;
            }
            let formats: Vec<u8> = FORMATS.iter().map(|format| format.n()).collect();
            let widths = if operation.formats { &formats } else { widths };
            for &n in widths.iter().filter(|&&n| operation.check_width(n).is_ok()) {
                let forms = seconds(&operation, n).into_iter();
                shapes.extend(forms.map(|second| Command { set, second, ..Command::new(opcode, n) }));
            }
        }
    }
    shapes
}

/// Every shape once, shuffled, in chains.
///
/// # Errors
/// The first failure.
pub fn every_width<E: Engine>(bench: &mut Bench<E>, widths: &[u8]) -> Result {
    let mut shapes = shapes(bench, widths);
    shapes.shuffle(bench.rng());
    let mut shapes = &shapes[..];
    let mut left_out = Vec::new();
    while !shapes.is_empty() {
        let count = bench.rng().random_range(1..=6).min(shapes.len());
        left_out.extend(chain(bench, &shapes[..count])?);
        shapes = &shapes[count..];
    }
    // What had no place beside others has one alone.
    left_out.iter().try_for_each(|shape| chain(bench, std::slice::from_ref(shape)).map(|_| ()))
}

/// Chains of `count` shapes altogether, drawn from all.
///
/// # Errors
/// The first failure.
pub fn sample<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    let widths: Vec<u8> = (1..=if bench.params().rows < 64 { 8 } else { 20 }).collect();
    let shapes = shapes(bench, &widths);
    let chosen: Vec<Command> = shapes.choose_multiple(bench.rng(), count).copied().collect();
    chosen.chunks(5).try_for_each(|commands| chain(bench, commands).map(|_| ()))
}

/// Places the commands, gives their sources interesting values, and runs them back to back; those whose operands do not
/// fit, or would read scratch rows of an earlier one, are left out and returned.
///
/// # Errors
/// The first failure.
pub fn chain<E: Engine>(bench: &mut Bench<E>, shapes: &[Command]) -> Result<Vec<Command>> {
    bench.refill();
    let params = bench.params().clone();
    let (mut placed, mut left_out) = (Vec::new(), Vec::new());
    for &shape in shapes {
        let operation = bench.operation(shape.opcode, shape.set);
        let mut command = Command { key: bench.stimulus.value(64), ..shape };
        if place(bench.rng(), &params, &operation, &mut command) {
            judged(&params, &command)?;
            placed.push((command, operation));
        } else {
            left_out.push(shape);
        }
    }
    // The first command's operands win where commands share rows.
    placed.iter().rev().for_each(|(command, operation)| operands(bench, command, operation));
    let mut board = Scoreboard::of(&bench.unit);
    let mut work = Work { gaps: gaps(bench), ..Work::default() };
    for (command, _) in &placed {
        if board.knows(command) {
            board.apply(command);
            work.run(*command);
        } else {
            left_out.push(*command);
        }
    }
    let described = format!("{:?}", work.commands.iter().map(|s| s.command.to_string()).collect::<Vec<_>>());
    bench.run(work)?;
    bench.compare(&board).map_err(|e| Failure::Wrong(format!("{e}; {described}")))?;
    Ok(left_out)
}

/// Mostly none.
pub fn gaps<E: Engine>(bench: &mut Bench<E>) -> Gaps {
    let percents = [0, 0, 0, 20, 60, 95];
    let mut draw = || percents[bench.rng().random_range(0..percents.len())];
    Gaps { command: draw(), beat: draw(), take: draw() }
}

/// Bits that may be set in any column: all, only low ones, few, or none.
fn common<E: Engine>(bench: &mut Bench<E>) -> u64 {
    match bench.rng().random_range(0..8) {
        0 => 0,
        1 | 2 => (1 << bench.rng().random_range(0..20)) - 1,
        3 => bench.rng().random::<u64>() & bench.rng().random::<u64>(),
        _ => u64::MAX,
    }
}

/// Gives every column of a command's sources values.
pub fn operands<E: Engine>(bench: &mut Bench<E>, command: &Command, operation: &Operation) {
    let (n, m) = (command.width.into(), command.second.into());
    let columns = bench.params().columns;
    let mut inputs: Vec<_> = (0..columns).map(|_| bench.stimulus.inputs(command.opcode, n, m, command.key)).collect();
    // Programs that skip depend on what all columns have in common.
    let common = [common(bench), common(bench), common(bench)];
    for i in &mut inputs {
        (i.a, i.b, i.d) = (i.a & common[0], i.b & common[1], i.d & u128::from(common[2]));
    }
    for (operand, role, first, end) in command.ranges(operation) {
        if !matches!(role, Role::Source | Role::Accumulator) {
            continue;
        }
        let elements: Vec<u128> = inputs
            .iter()
            .map(|i| match operand {
                Operand::A => i.a.into(),
                Operand::B => i.b.into(),
                Operand::D => i.d,
                Operand::E => i.e.into(),
                Operand::S => 0,
            })
            .collect();
        write_elements(&mut bench.unit, first as usize, (end - first) as usize, &elements);
    }
}
