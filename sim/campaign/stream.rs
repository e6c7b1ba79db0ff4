//! Rows in and out over the streams, between commands that compute with them, with gaps on every side.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::bench::{Bench, Work};
use super::boundary::judged;
use super::place::place;
use super::random::{gaps, shapes};
use super::scoreboard::Scoreboard;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::isa::{Command, Opcode};

/// `count` stretches of loads, stores and other commands, queued back to back.
///
/// # Errors
/// The first failure.
pub fn rows<E: Engine>(bench: &mut Bench<E>, count: usize) -> Result {
    let shapes = shapes(bench, &[1, 2, 3, 4]);
    for _ in 0..count {
        bench.refill();
        let (work, board) = stretch(bench, &shapes)?;
        let described = format!("{:?}", work.commands.iter().map(|s| s.command.to_string()).collect::<Vec<_>>());
        bench.run(work)?;
        bench.compare(&board).map_err(|e| Failure::Wrong(format!("{e}; {described}")))?;
    }
    Ok(())
}

/// A stretch of work and the state that it must lead to.
///
/// # Errors
/// Encoder and model of legality do not agree.
pub fn stretch<E: Engine>(bench: &mut Bench<E>, shapes: &[Command]) -> Result<(Work, Scoreboard)> {
    let params = bench.params().clone();
    let mut board = Scoreboard::of(&bench.unit);
    let mut work = Work { gaps: gaps(bench), ..Work::default() };
    let sets = params.sets.clone();
    for _ in 0..bench.rng().random_range(2..8) {
        let width = bench.rng().random_range(1..=8);
        let set = *sets.choose(bench.rng()).expect("a design has a set");
        let shape = match bench.rng().random_range(0..3) {
            0 => Command { set, ..Command::new(Opcode::Load, width) },
            1 => Command { set, ..Command::new(Opcode::Store, width) },
            _ => *shapes.choose(bench.rng()).expect("every design has operations"),
        };
        let operation = bench.operation(shape.opcode, shape.set);
        let mut command = Command { key: bench.rng().random(), ..shape };
        if !place(bench.rng(), &params, &operation, &mut command) || !board.knows(&command) {
            continue;
        }
        // What the encoder takes is legal.
        judged(&params, &command)?;
        add(bench, &mut board, &mut work, command);
    }
    Ok((work, board))
}

/// Adds a legal command whose sources are known to the work and to what it must lead to, with the beats that it moves.
pub fn add<E: Engine>(bench: &mut Bench<E>, board: &mut Scoreboard, work: &mut Work, command: Command) {
    work.run(command);
    match command.opcode {
        Opcode::Load => {
            for bit in 0..usize::from(command.width) {
                let words = bench.random_row();
                work.beats.extend(words.iter().copied());
                board.set_row(usize::from(command.d) + bit, words);
            }
        }
        Opcode::Store => {
            for bit in 0..usize::from(command.width) {
                let words = board.row(usize::from(command.a) + bit).expect("sources are known").to_vec();
                let last_row = bit + 1 == usize::from(command.width);
                let beats = words.len();
                work.expected.extend(words.into_iter().enumerate().map(|(i, w)| (w, last_row && i + 1 == beats)));
            }
        }
        _ => board.apply(&command),
    }
}
