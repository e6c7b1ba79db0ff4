//! Exhaustive and structured numbers on the array's netlist.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::external::tool::deep;
use crate::isa::format::{BF16, F32};
use crate::params::{Columns, Memory};

/// A line of the table that `scripts/figures.sh exhaustive` puts into the manual.
fn row(what: &str, columns: Columns, mode: &str, results: u64, time: Duration, processors: usize) {
    let minutes = time.as_secs_f64() / 60.0;
    println!("| {what} | {columns:?} | {mode} | {results} | {minutes:.1} | {processors} |");
}

fn numbers(columns: Columns) -> Numbers {
    let params = super::super::params(columns, Memory::Behavioural, 256, 512);
    Numbers::new(&params).unwrap_or_else(|error| panic!("{error}"))
}

/// All pairs with `BITLINE_DEEP=1`, on all processors, else all numbers beside a few.
fn pairs(opcode: Opcode, key: u64, columns: Columns) {
    let started = Instant::now();
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
    println!("seed {seed}");
    let (what, mode) = (format!("`{opcode}`, pairs of `f16`"), said(Some(Mode::of_key(key))));
    row(&what, columns, mode, count, started.elapsed(), processors);
    assert_eq!(count, if deep() { HALVES * HALVES } else { 6 * HALVES });
}

fn said(mode: Option<Mode>) -> &'static str {
    match mode {
        None => "any",
        Some(Mode::FLUSHED) => "to nearest, flushed",
        Some(_) => "to nearest",
    }
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
    let started = Instant::now();
    for command in &commands {
        for mode in Mode::all() {
            let command = Command { key: mode.key(), ..*command };
            numbers.take(command).unwrap_or_else(|error| panic!("{command}: {error}"));
            count += numbers.halves([0].into_iter()).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let what = format!("all of one operand, {} forms, numbers of `f16`", commands.len());
    row(&what, Columns::TwoPort, "each of 16", count, started.elapsed(), 1);
    assert_eq!(count, 16 * commands.len() as u64 * HALVES);
}

/// Functions of all numbers of both formats of 16 bits: to nearest, with `BITLINE_DEEP=1` in all modes.
#[test]
fn functions_of_all_halves() {
    let mut numbers = numbers(Columns::TwoPort);
    let modes: Vec<Mode> = if deep() { Mode::all().collect() } else { vec![Mode::default()] };
    for format in [F16, BF16] {
        let (started, mut count, mut functions) = (Instant::now(), 0, 0);
        for opcode in numbers.params.opcodes().into_iter().filter(|opcode| opcode.is_function()) {
            let operation = Operation::of(opcode, Context::of(&numbers.params, numbers.params.sets[0]));
            if !operation.own_formats().any(|own| own == format) {
                continue;
            }
            functions += 1;
            for mode in &modes {
                let command = Command { key: mode.key(), second: format.m(), ..Command::new(opcode, format.n()) };
                numbers.take(command).unwrap_or_else(|error| panic!("{command}: {error}"));
                count += numbers.halves([0].into_iter()).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        let what = format!("all of `fexp2` to `fatan`, {functions} functions, numbers of `{format}`");
        let mode = if deep() { "each of 16" } else { "to nearest" };
        row(&what, Columns::TwoPort, mode, count, started.elapsed(), 1);
        assert!(functions >= 8 && count == functions * modes.len() as u64 * HALVES, "{functions} functions, {count}");
    }
}

/// Every operation on binary32 numbers at the edges, with close exponents, ties, cancellation and subnormal ones,
/// in a mode or modes at random: ten millions with `BITLINE_DEEP=1`.
fn singles(columns: Columns, mode: Option<Mode>, which: impl Fn(&Operation) -> bool) {
    let (mut numbers, seed) = (numbers(columns), 41);
    let mut stimulus = Stimulus::new(seed);
    let (width, each) = (numbers.params.columns, if deep() { 10_000_000 } else { 20_000 });
    for opcode in numbers.params.opcodes().into_iter().filter(|opcode| opcode.is_float()) {
        let operation = Operation::of(opcode, Context::of(&numbers.params, numbers.params.sets[0]));
        let forms = if which(&operation) { forms(&operation, F32) } else { vec![] };
        let (started, mut results) = (Instant::now(), 0);
        for (n, second) in &forms {
            let command = Command { second: *second, ..Command::new(opcode, *n) };
            numbers.take(command).unwrap_or_else(|error| panic!("{command}: {error}"));
            for _ in 0..(each / forms.len()).div_ceil(width) {
                numbers.set_key(mode.map_or_else(|| stimulus.value(64), Mode::key));
                let key = numbers.command.key;
                let mut one = || stimulus.inputs(opcode, (*n).into(), (*second).into(), key);
                let inputs: Vec<Inputs> = (0..width).map(|_| one()).collect();
                numbers.some(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                results += width as u64;
            }
        }
        if !forms.is_empty() {
            println!("seed {seed}");
            let what = match forms.len() {
                1 => format!("`{opcode}`, numbers of `f32` at edges"),
                count => format!("`{opcode}`, {count} forms, numbers of `f32` at edges"),
            };
            row(&what, columns, said(mode), results, started.elapsed(), 1);
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
