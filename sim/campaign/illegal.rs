//! Commands that the hardware must refuse: with the code that [`Command::check`] predicts and the model of legality
//! confirms, and with rows and latches left as they were. Commands behind them run.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::bench::{Bench, Sent, Work};
use super::boundary::judged;
use super::place::{lengths, place, set_row};
use super::random::{gaps, operands, seconds, shapes};
use super::scoreboard::Scoreboard;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::command::ErrorCode;
use crate::isa::operation::Operation;
use crate::isa::word::OPCODES;
use crate::isa::{Command, Opcode, Set};

/// Breaks every rule of every operation's table, one at a time.
///
/// # Errors
/// The first failure.
pub fn every_rule<E: Engine>(bench: &mut Bench<E>) -> Result {
    let mut broken = broken(bench);
    broken.shuffle(bench.rng());
    for chunk in broken.chunks(4) {
        for (command, code) in chunk {
            let says = judged(bench.params(), command)?;
            if says != Some(*code) {
                return Err(Failure::Wrong(format!("{command}: meant to break {code:?}, the encoder says {says:?}")));
            }
        }
        let sent = chunk.iter().map(|&(command, code)| Sent { command, codes: None, refusal: Some(code) });
        refused(bench, sent.collect())?;
    }
    Ok(())
}

/// Commands that break every rule of every operation's table, one at a time, and the code of that rule.
pub fn broken<E: Engine>(bench: &mut Bench<E>) -> Vec<(Command, ErrorCode)> {
    let mut broken = Vec::new();
    for set in Set::ALL {
        for opcode in [Opcode::ALL, &bench.params().custom].concat() {
            let command = Command { set, key: bench.rng().random(), ..Command::new(opcode, 1) };
            if !bench.params().sets.contains(&set) || !bench.params().knows(opcode) {
                broken.push((Command { width: 8, ..command }, ErrorCode::Opcode));
                continue;
            }
            let operation = bench.operation(opcode, set);
            if operation.latches().iter().any(|&latch| !bench.params().has(latch)) {
                broken.push((Command { width: 8, ..command }, ErrorCode::Latch));
            } else {
                rules(bench, &operation, command, &mut broken);
            }
        }
    }
    broken
}

/// Each rule of one operation, broken.
fn rules<E: Engine>(bench: &mut Bench<E>, op: &Operation, command: Command, out: &mut Vec<(Command, ErrorCode)>) {
    let params = bench.params().clone();
    let (low, high) = op.widths;
    let legal = |n: u8| op.check_width(n).is_ok();
    // A width whose operands fit, the rows of which can be placed at random.
    let fitting: Vec<u8> = (low..=high.min(low.max(9))).filter(|&n| legal(n)).collect();
    let fits = |bench: &mut Bench<E>| -> Option<Command> {
        let n = *fitting.choose(bench.rng())?;
        let second = *seconds(op, n).choose(bench.rng())?;
        let mut c = Command { width: n, second, ..command };
        place(bench.rng(), &params, op, &mut c).then_some(c)
    };
    // Widths: none, too large, too small, not a power of two.
    let mut wrong: Vec<u8> = vec![0, 65, 100, 127];
    wrong.extend([low - 1, high + 1].into_iter().filter(|&n| !legal(n)));
    wrong.extend([3, 6, 12, 24].into_iter().filter(|&n| op.power_of_two && usize::from(n) * 3 < params.rows));
    wrong.extend([low + 2, high - 1].into_iter().filter(|&n| op.formats && !legal(n)));
    for n in wrong {
        let second = op.second.map_or(0, |(least, _)| least.value(n.into(), 0).clamp(0, 127) as u8);
        let mut c = Command { width: n, second, ..command };
        // What does not fit is refused for that before it is noticed that a width is no power of two.
        if Placed::apart(op, &mut c) <= params.rows as u16 || !(low..=high).contains(&n) {
            out.push((c, ErrorCode::Width));
        }
    }
    if op.has_second() {
        // Each format has a rule of its own; of other operations, two widths do.
        let commands: Vec<Command> = if op.formats {
            op.own_formats().map(|format| Command { width: format.n(), ..command }).collect()
        } else {
            (0..2).filter_map(|_| fits(bench)).collect()
        };
        for c in commands {
            let Some((least, most)) = op.seconds(c.width) else { continue };
            for second in [0, least - 1, most + 1, 127].into_iter().filter(|m| (0..128).contains(m)) {
                if second < least || second > most {
                    out.push((Command { second: second as u8, ..c }, ErrorCode::SecondWidth));
                }
            }
        }
    }
    // Each operand one row beyond the end, and far beyond.
    for index in 0..op.extents.len() {
        let Some(mut c) = fits(bench) else { continue };
        let (operand, _, length) = lengths(&c, op)[index];
        if length == 0 {
            continue;
        }
        let end = params.rows as u16;
        let first =
            if bench.rng().random() { end + 1 - length } else { bench.rng().random_range(end..1024.max(end + 1)) };
        set_row(&mut c, operand, first.min(1023));
        if c.row(operand) + length > end {
            out.push((c, ErrorCode::Rows));
        }
    }
    for rule in &op.disjoint {
        for _ in 0..2 {
            let Some(mut c) = fits(bench) else { continue };
            let extents = lengths(&c, op);
            let of = |operand| extents.iter().find(|e| e.0 == operand).map_or(0, |e| e.2);
            let (p, q) = (of(rule.first), of(rule.second));
            // The second operand begins inside of the first one, or the other way round.
            let (inner, outer, room) =
                if bench.rng().random() { (rule.second, rule.first, p) } else { (rule.first, rule.second, q) };
            let least = u16::from(rule.same_start);
            if p == 0 || q == 0 || room <= least {
                continue;
            }
            let offset = bench.rng().random_range(least..room);
            let at = c.row(outer) + offset;
            set_row(&mut c, inner, at);
            if usize::from(at + of(inner)) <= params.rows {
                out.push((c, ErrorCode::Overlap));
            }
        }
    }
}

/// Operands one after the other from row 0, whether they fit or not.
struct Placed;

impl Placed {
    /// Returns the row behind them.
    fn apart(op: &Operation, c: &mut Command) -> u16 {
        let mut next = 0;
        for (operand, _, length) in lengths(c, op) {
            set_row(c, operand, next);
            next += length;
        }
        next
    }
}

/// Sends opcodes and sets that do not exist: every one of them.
///
/// # Errors
/// The first failure.
pub fn unknown_codes<E: Engine>(bench: &mut Bench<E>) -> Result {
    let mut codes: Vec<(u8, u8)> = Vec::new();
    let opcodes = bench.params().opcodes();
    let exists = |code: u8| opcodes.iter().any(|&opcode| opcode as u8 == code);
    for set in 0..4u8 {
        let known = bench.params().sets.iter().any(|&s| s as u8 == set);
        // Opcodes that the directory has no room for need no set.
        let room = bench.params().pages() * OPCODES;
        let last = if set == 0 { u8::MAX } else { room as u8 - 1 };
        codes.extend((0..=last).filter(|&op| !known || !exists(op)).map(|op| (op, set)));
    }
    codes.shuffle(bench.rng());
    for chunk in codes.chunks(3) {
        let command = Command { b: 8, d: 16, ..Command::new(Opcode::Add, 4) };
        let sent = |&codes: &(u8, u8)| Sent { command, codes: Some(codes), refusal: Some(ErrorCode::Opcode) };
        refused(bench, chunk.iter().map(sent).collect())?;
    }
    Ok(())
}

/// Commands with every field drawn at random: the encoder tells what the hardware does with them.
///
/// # Errors
/// The first failure.
pub fn anything<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    let rows = bench.params().rows as u16;
    let all = [Opcode::ALL, &bench.params().custom].concat();
    for _ in 0..count {
        let mut pending = Vec::new();
        while pending.len() < 4 {
            let rng = bench.rng();
            let near = rng.random_range(1..=2 * rows.min(64));
            let mut row =
                || if rng.random_range(0..8) == 0 { rng.random_range(0..1024) } else { rng.random_range(0..near) };
            let [a, b, d, e, s] = [row(), row(), row(), row(), row()];
            let width = if rng.random_range(0..6) == 0 { rng.random_range(0..128) } else { rng.random_range(0..10) };
            let second = if rng.random() { rng.random_range(0..128) } else { rng.random_range(0..20) };
            let opcode = all[rng.random_range(0..all.len())];
            let (set, key) = (Set::ALL[rng.random_range(0..3)], rng.random());
            let command = Command { opcode, set, width, second, a, b, d, e, s, key };
            if let Some(code) = judged(bench.params(), &command)? {
                pending.push(Sent { command, codes: None, refusal: Some(code) });
            }
        }
        refused(bench, pending)?;
    }
    Ok(())
}

/// A few of all.
///
/// # Errors
/// The first failure.
pub fn sample<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    anything(bench, count.div_ceil(4))
}

/// Sends refused commands: first alone, with all state compared, then with a command before and behind them.
fn refused<E: Engine>(bench: &mut Bench<E>, sent: Vec<Sent>) -> Result {
    let before = state(bench);
    let work = Work { commands: sent.clone(), gaps: gaps(bench), ..Work::default() };
    bench.run(work)?;
    if state(bench) != before {
        let commands: Vec<String> = sent.iter().map(|s| s.command.to_string()).collect();
        return Err(Failure::Wrong(format!("refused commands changed rows or latches: {commands:?}")));
    }
    // One command in front, one behind.
    let adds: Vec<Command> = shapes(bench, &[2]).into_iter().filter(|c| c.opcode == Opcode::AddCarry).collect();
    let mut commands = Vec::new();
    let params = bench.params().clone();
    for _ in 0..2 {
        let Some(&shape) = adds.choose(bench.rng()) else { return Ok(()) };
        let operation = bench.operation(shape.opcode, shape.set);
        let mut command = shape;
        if place(bench.rng(), &params, &operation, &mut command) {
            operands(bench, &command, &operation);
            commands.push(command);
        }
    }
    let mut board = Scoreboard::of(&bench.unit);
    commands.iter().for_each(|command| board.apply(command));
    let mut all = sent;
    for (at, command) in commands.iter().enumerate() {
        let at = if at == 0 { 0 } else { all.len() };
        all.insert(at, Sent { command: *command, codes: None, refusal: None });
    }
    let described: Vec<String> = all.iter().map(|s| s.command.to_string()).collect();
    let work = Work { commands: all, gaps: gaps(bench), ..Work::default() };
    bench.run(work)?;
    bench.compare(&board).map_err(|e| Failure::Wrong(format!("{e}; {described:?}")))
}

/// Rows and latches.
fn state<E: Engine>(bench: &Bench<E>) -> Vec<Vec<u64>> {
    let array = &bench.unit.model.array;
    [&array.sram.bits].into_iter().chain(array.column.latches()).cloned().collect()
}
