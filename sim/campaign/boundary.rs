//! Commands on both sides of every rule: the model of legality, the encoder and the hardware must agree about each, and
//! those that run must do what they mean, whatever rows their operands share.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::bench::{Bench, Work};
use super::random::gaps;
use super::scoreboard::Scoreboard;
use super::stream::add;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::error::Error;
use crate::isa::command::ErrorCode;
use crate::isa::format::{FORMATS, Format};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::model::legality::{Region, faults, regions, seconds, widths};
use crate::params::Params;

#[cfg(test)]
mod tests;

/// What the encoder says about a command.
///
/// # Errors
/// The model of legality does not agree.
pub fn judged(params: &Params, command: &Command) -> Result<Option<ErrorCode>> {
    let says = match command.check(params) {
        Ok(_) => None,
        Err(Error::Command { code, .. }) => ErrorCode::from_code(code.into()),
        Err(other) => unreachable!("commands are refused with a code, not {other}"),
    };
    let broken = faults(command, params);
    let agree = says.map_or(broken.is_empty(), |code| broken.contains(&code));
    if agree {
        return Ok(says);
    }
    Err(Failure::Wrong(format!(
        "{command}: the encoder says {says:?}, the rules broken are {broken:?}; design {}: {:?}",
        params.name,
        regions(command, params)
    )))
}

/// Moves an operand.
fn put(command: &mut Command, operand: char, row: u32) {
    let field = match operand {
        'a' => &mut command.a,
        'b' => &mut command.b,
        'd' => &mut command.d,
        'e' => &mut command.e,
        _ => &mut command.s,
    };
    *field = row.min(1023) as u16;
}

/// Puts operands one after the other; returns the first row behind them.
fn stack<'a>(command: &mut Command, from: u32, regions: impl IntoIterator<Item = &'a Region>) -> u32 {
    let mut next = from;
    for region in regions {
        put(command, region.operand, next);
        next += region.rows.len() as u32;
    }
    next
}

/// Every two operands of a command at every distance at which they touch, apart from the others; and each operand
/// around the array's last row, apart from the others where they fit.
pub fn placements(shape: &Command, params: &Params) -> Vec<Command> {
    let all = regions(shape, params);
    let mut placed = Vec::new();
    for (at, fixed) in all.iter().enumerate() {
        let others = || all.iter().filter(|region| region.operand != fixed.operand);
        let mut command = *shape;
        stack(&mut command, 0, others());
        for end in params.rows as u32 - 1..=params.rows as u32 + 1 {
            if let Some(first) = end.checked_sub(fixed.rows.len() as u32) {
                put(&mut command, fixed.operand, first);
                placed.push(command);
            }
        }
        for moved in &all[..at] {
            let mut command = *shape;
            let before = stack(&mut command, 0, others().filter(|region| region.operand != moved.operand));
            let middle = before + moved.rows.len() as u32;
            put(&mut command, fixed.operand, middle);
            for first in before..=middle + fixed.rows.len() as u32 {
                put(&mut command, moved.operand, first);
                placed.push(command);
            }
        }
    }
    placed
}

/// Widths on both sides of the operation's bounds, and a few between.
pub fn widths_around(shape: &Command, params: &Params) -> Vec<u8> {
    let (range, _) = widths(shape, params);
    let (low, high) = (*range.start() as u8, *range.end() as u8);
    let mut all = vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 63, 64, 65, 127];
    all.extend([low - 1, low, low + 1, high - 1, high, high + 1]);
    all.sort_unstable();
    all.dedup();
    all
}

/// Second widths on both sides of the operation's bounds; any if it has none.
pub fn seconds_around(shape: &Command, params: &Params) -> Vec<u8> {
    let Some(range) = seconds(shape, params) else { return vec![shape.second] };
    let (low, high) = (*range.start(), *range.end());
    let mut all = vec![0, 1, 2, 3, low.saturating_sub(1), low, low + 1, high.saturating_sub(1), high, high + 1, 127];
    all.retain(|&second| second < 128);
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|second| second as u8).collect()
}

/// A random command near the rules' boundaries: mostly one that would be legal, with one operand moved.
pub fn near(rng: &mut impl Rng, params: &Params) -> Command {
    let all = [Opcode::ALL, &params.custom].concat();
    let opcode = *all.choose(rng).expect("there are operations");
    let known = *params.sets.choose(rng).expect("a design has a set");
    let set = if rng.random_range(0..16) == 0 { Set::ALL[rng.random_range(0..3)] } else { known };
    let mut command = Command { set, key: rng.random(), second: rng.random_range(0..128), ..Command::new(opcode, 1) };
    let around = widths_around(&command, params);
    let (legal, powers) = widths(&command, params);
    command.width = match rng.random_range(0..8) {
        0 => *around.choose(rng).expect("there are widths"),
        _ => rng.random_range(*legal.start()..=(*legal.end()).min(9.max(*legal.start()))) as u8,
    };
    let format = command.opcode.is_float() && command.opcode.conversion().is_none();
    if format && rng.random_range(0..8) > 0 {
        let own = Operation::of(command.opcode, Context::of(params, command.set));
        let formats: Vec<Format> = own.own_formats().collect();
        command.width = formats.choose(rng).expect("there are formats").n();
    }
    if powers && rng.random_range(0..8) > 0 {
        command.width = 1 << rng.random_range(0..4);
        if command.opcode.conversion().is_some() {
            command.width = 8 << rng.random_range(0..3);
        }
        if command.opcode.is_cordic() {
            command.width = 16 << rng.random_range(0..2);
        }
    }
    if let Some(range) = seconds(&command, params) {
        command.second = match rng.random_range(0..4) {
            0 => *seconds_around(&command, params).choose(rng).expect("there are second widths"),
            _ => rng.random_range(*range.start()..=range.start() + 6).min(127) as u8,
        };
    }
    for operand in ['a', 'b', 'd', 'e', 's'] {
        put(&mut command, operand, rng.random_range(0..1024));
    }
    let mut all = regions(&command, params);
    all.shuffle(rng);
    let rows: u32 = all.iter().map(|region| region.rows.len() as u32).sum();
    let slack = (params.rows as u32).saturating_sub(rows);
    let from = rng.random_range(0..=slack);
    stack(&mut command, from, &all);
    // One operand, seldom two, goes to the array's end or onto another one.
    for _ in 0..[0, 1, 1, 1, 2][rng.random_range(0..5)] {
        let all = regions(&command, params);
        let (Some(moved), Some(other)) = (all.choose(rng), all.choose(rng)) else { break };
        let (length, step) = (moved.rows.len() as u32, rng.random_range(0..3));
        let first = match rng.random_range(0..6) {
            0 => params.rows as u32 + step - length.min(params.rows as u32),
            1 => other.rows.start + step,
            2 => other.rows.end + step,
            3 => (other.rows.start + step).saturating_sub(length),
            4 => rng.random_range(other.rows.clone()),
            _ => other.rows.start + 1,
        };
        put(&mut command, moved.operand, first.saturating_sub(1));
    }
    command
}

/// Random commands near the boundaries, legal and illegal ones in one queue.
///
/// # Errors
/// The first failure.
pub fn random<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    let params = bench.params().clone();
    let commands = (0..count).map(|_| near(bench.rng(), &params)).collect();
    run(bench, commands)
}

/// Every operation with every two operands at every distance, and at the array's end.
///
/// # Errors
/// The first failure.
pub fn every_placement<E: Engine>(bench: &mut Bench<E>, widths: &[u8]) -> Result {
    let params = bench.params().clone();
    let mut commands = Vec::new();
    for &set in &params.sets {
        for &opcode in Opcode::ALL.iter().chain(&params.custom) {
            let formats: Vec<u8> = FORMATS.iter().map(|format| format.n()).filter(|&n| n < 8).collect();
            let widths = match opcode.conversion() {
                Some(_) => &[8],
                None if opcode.is_float() => &formats[..],
                None => widths,
            };
            for &width in widths {
                let mut shape = Command { set, key: bench.rng().random(), ..Command::new(opcode, width) };
                shape.second = seconds(&shape, &params).map_or(0, |range| (*range.start()).max(3) as u8);
                commands.extend(placements(&shape, &params));
            }
        }
    }
    commands.shuffle(bench.rng());
    run(bench, commands)
}

/// Sends the commands, as many in a row as their operands are known; compares all rows behind each stretch.
fn run<E: Engine>(bench: &mut Bench<E>, mut commands: Vec<Command>) -> Result {
    let params = bench.params().clone();
    while !commands.is_empty() {
        bench.refill();
        let mut board = Scoreboard::of(&bench.unit);
        let mut work = Work { gaps: gaps(bench), ..Work::default() };
        while let Some(command) = commands.pop() {
            match judged(&params, &command)? {
                Some(code) => work.refuse(command, code),
                None if board.knows(&command) => add(bench, &mut board, &mut work, command),
                None => {
                    commands.push(command);
                    break;
                }
            }
            if work.commands.len() == 6 {
                break;
            }
        }
        let described: Vec<String> = work.commands.iter().map(|sent| sent.command.to_string()).collect();
        bench.run(work)?;
        bench.compare(&board).map_err(|e| Failure::Wrong(format!("{e}; {described:?}")))?;
    }
    Ok(())
}
