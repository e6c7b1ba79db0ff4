//! Dot products of measurements with weights: a column is a sample, and one command a feature accumulates in all of
//! them.
//!
//! `cargo run --release --example dot_product`
//!
//! The CSV file's last column is a class. The weights tell class 0 from the highest class (difference of the means over
//! the variance); scores from the array are checked against integers.

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/measurements.rs"]
mod measurements;

use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::{Command, Opcode};
use bitline::presets;
use bitline::sim::data::{ElementType, Number};
use bitline::sim::machine::MachineRows;
use bitline::sim::vectors::{read_elements, write_elements};
use common::{Cycles, say};
use measurements::{Measurements, VALUE, integer};

const SCORE: ElementType = ElementType { width: 48, signed: true, format: None };

// Rows: a feature, its weight, the scores.
const X: u16 = 0;
const W: u16 = 20;
const ACCUMULATOR: u16 = 40;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode> {
    let Measurements { names, values: samples, classes } = Measurements::read()?;
    let high = classes.iter().copied().max().unwrap_or(0);
    let weights: Vec<i64> = samples.iter().map(|values| weight(values, &classes, high)).collect();
    for (name, weight) in names.iter().zip(&weights) {
        say!("{name:>24} {weight:8}");
    }

    let mut machine = common::machine(&presets::preset("default")?)?;
    let mut cycles = Cycles::default();
    let columns = machine.params().columns;
    let mut scores = Vec::new();
    for first in (0..classes.len()).step_by(columns) {
        let count = columns.min(classes.len() - first);
        let (n, m) = (VALUE.width as u8, SCORE.width as u8);
        cycles.execute(machine.as_mut(), Command { d: ACCUMULATOR, ..Command::new(Opcode::Zero, m) })?;
        for (values, &weight) in samples.iter().zip(&weights) {
            let same = VALUE
                .encode(Number::from(weight))
                .ok_or_else(|| Error::parameter("weight", weight, format!("must be {VALUE}")))?;
            write_elements(&mut MachineRows(machine.as_mut()), X.into(), n.into(), &values[first..first + count]);
            write_elements(&mut MachineRows(machine.as_mut()), W.into(), n.into(), &vec![same; columns]);
            let dot = Command { a: X, b: W, d: ACCUMULATOR, second: m, ..Command::new(Opcode::DotS, n) };
            cycles.execute(machine.as_mut(), dot)?;
        }
        let read = read_elements(&MachineRows(machine.as_mut()), ACCUMULATOR.into(), m.into());
        scores.extend(read[..count].iter().map(|&bits| integer(SCORE.decode(bits))));
    }
    cycles.print(machine.as_ref(), classes.len() * names.len());

    let expected = |k: usize| -> i128 {
        samples.iter().zip(&weights).map(|(values, &w)| integer(VALUE.decode(values[k])) * i128::from(w)).sum()
    };
    let wrong = (0..scores.len()).filter(|&k| scores[k] != expected(k)).count();
    say!("{wrong} of {} scores differ from integer arithmetic", scores.len());
    let mean = |class: u128| {
        let of: Vec<i128> = scores.iter().zip(&classes).filter(|(_, c)| **c == class).map(|(s, _)| *s).collect();
        of.iter().sum::<i128>() / of.len().max(1) as i128
    };
    let limit = (mean(0) + mean(high)) / 2;
    let of_both: Vec<_> = scores.iter().zip(&classes).filter(|(_, c)| **c == 0 || **c == high).collect();
    let told = of_both.iter().filter(|(score, class)| (**score > limit) == (**class == 0)).count();
    say!("the scores tell class 0 from class {high} in {told} of {} samples", of_both.len());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Difference of the two classes' means over the variance, as an integer of at most 19 bits.
fn weight(values: &[u128], classes: &[u128], high: u128) -> i64 {
    let numbers: Vec<f64> = values.iter().map(|&bits| integer(VALUE.decode(bits)) as f64).collect();
    let mean_of = |wanted: &dyn Fn(u128) -> bool| {
        let chosen: Vec<f64> = numbers.iter().zip(classes).filter(|(_, c)| wanted(**c)).map(|(v, _)| *v).collect();
        chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
    };
    let mean = mean_of(&|_| true);
    let variance = numbers.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    let difference = mean_of(&|c| c == 0) - mean_of(&|c| c == high);
    (100_000.0 * difference / variance.max(1.0)).round().clamp(-500_000.0, 500_000.0) as i64
}
