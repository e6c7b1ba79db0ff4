//! Finds groups of measurements by k-means with floating-point commands: a column is a sample, and commands work out
//! how far all of them are from each centre and which one is closest. Distances are compared with the processor's own.
//!
//! `cargo run --release --example k_means [GROUPS]`, 2 to 6
//!
//! The CSV file's last column is a class, which the groups are shown beside; nothing is learned from it.

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/floats.rs"]
mod floats;
#[path = "common/measurements.rs"]
mod measurements;

use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::{Command, Opcode};
use common::say;
use floats::{Floats, ROWS};
use measurements::{Measurements, VALUE, integer};

const MOST_TURNS: usize = 50;

// Rows: a measurement, that of a centre, what is between them, its square, the sum of squares, the least one so far,
// whether a sum is less, numbers of groups: the one at hand, the best one so far, and what a choice has made of them.
const X: u16 = 0;
const CENTRE: u16 = X + ROWS;
const APART: u16 = CENTRE + ROWS;
const SQUARE: u16 = APART + ROWS;
const DISTANCE: u16 = SQUARE + ROWS;
const LEAST: u16 = DISTANCE + ROWS;
const CHOSEN: u16 = LEAST + ROWS;
const LESS: u16 = CHOSEN + ROWS;
const GROUP: u16 = LESS + 1;
const BEST: u16 = GROUP + GROUP_BITS as u16;
const NUMBER: u16 = BEST + GROUP_BITS as u16;
const GROUP_BITS: u8 = 3;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// Measurements, feature by feature, of a mean of 0 and a variance of 1, and classes.
struct Samples {
    features: Vec<Vec<f32>>,
    classes: Vec<u128>,
}

impl Samples {
    fn read() -> Result<Samples> {
        let Measurements { names, values, classes } = Measurements::read()?;
        say!("of each: {}", names.join(", "));
        Ok(Samples { features: values.iter().map(|values| standard(values)).collect(), classes })
    }

    fn count(&self) -> usize {
        self.classes.len()
    }

    fn sample(&self, number: usize) -> Vec<f32> {
        self.features.iter().map(|values| values[number]).collect()
    }
}

/// Measurements less their mean, over their deviation.
fn standard(values: &[u128]) -> Vec<f32> {
    let numbers: Vec<f64> = values.iter().map(|&bits| integer(VALUE.decode(bits)) as f64).collect();
    let count = values.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    numbers.iter().map(|number| ((number - mean) / deviation) as f32).collect()
}

fn run() -> Result<ExitCode> {
    let text = std::env::args().nth(1).unwrap_or("3".into());
    let groups = text.parse::<usize>().ok().filter(|groups| (2..=6).contains(groups));
    let groups = groups.ok_or_else(|| Error::parameter("GROUPS", &text, "must be 2 to 6"))?;
    let samples = Samples::read()?;
    if samples.count() < groups {
        return Err(Error::parameter("GROUPS", groups, format!("there are {} samples", samples.count())));
    }
    let mut floats = Floats::new()?;
    let mut centres = first_centres(&samples, groups);
    let (mut of, mut wrong, mut turns) = (vec![], 0, 0);
    while turns < MOST_TURNS {
        turns += 1;
        let (now, off) = closest(&mut floats, &samples, &centres)?;
        wrong += off;
        let settled = now == of;
        of = now;
        if settled {
            break;
        }
        centres = means(&samples, &of, &centres);
    }
    floats.print(turns * samples.count() * samples.features.len() * groups);

    let mut classes = samples.classes.clone();
    classes.sort_unstable();
    classes.dedup();
    say!("after {turns} turns:");
    for group in 0..groups {
        let count =
            |class: &u128| (of.iter().zip(&samples.classes)).filter(|&(g, c)| (*g, c) == (group, class)).count();
        let counts = classes.iter().map(|class| format!("{} of class {class}", count(class)));
        say!("  group {group}: {}", counts.collect::<Vec<_>>().join(", "));
    }
    say!("{wrong} of {} choices differ from the processor's", turns * samples.count());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The sum of squares that the array works out, in its order.
fn distance(sample: &[f32], centre: &[f32]) -> f32 {
    sample.iter().zip(centre).fold(0.0, |sum, (x, c)| sum + (x - c) * (x - c))
}

/// The first sample, and then each time the one that is farthest from all centres so far.
fn first_centres(samples: &Samples, groups: usize) -> Vec<Vec<f32>> {
    let mut centres = vec![samples.sample(0)];
    while centres.len() < groups {
        let far = |number: usize| {
            let sample = samples.sample(number);
            centres.iter().map(|centre| distance(&sample, centre)).fold(f32::INFINITY, f32::min)
        };
        let farthest = (0..samples.count()).max_by(|&a, &b| far(a).total_cmp(&far(b)));
        centres.push(samples.sample(farthest.expect("there are samples")));
    }
    centres
}

/// Means of the groups' samples; a group without one keeps its centre.
fn means(samples: &Samples, of: &[usize], centres: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let mean = |(group, centre): (usize, &Vec<f32>)| {
        let members: Vec<usize> = (0..of.len()).filter(|&number| of[number] == group).collect();
        let one = |values: &Vec<f32>| {
            let sum: f64 = members.iter().map(|&number| f64::from(values[number])).sum();
            (sum / members.len() as f64) as f32
        };
        if members.is_empty() { centre.clone() } else { samples.features.iter().map(one).collect() }
    };
    centres.iter().enumerate().map(mean).collect()
}

/// The group whose centre is closest to each sample, and how many are not what the processor finds, distance included.
fn closest(floats: &mut Floats, samples: &Samples, centres: &[Vec<f32>]) -> Result<(Vec<usize>, usize)> {
    let (mut of, mut wrong) = (Vec::new(), 0);
    for first in (0..samples.count()).step_by(floats.columns()) {
        let here = first..samples.count().min(first + floats.columns());
        floats.write_same(LEAST, f32::INFINITY);
        for (group, centre) in centres.iter().enumerate() {
            floats.write_same(DISTANCE, 0.0);
            for (values, &of_centre) in samples.features.iter().zip(centre) {
                floats.write_numbers(X, &values[here.clone()]);
                floats.write_same(CENTRE, of_centre);
                floats.run(Opcode::FSub, APART, X, CENTRE)?;
                floats.run(Opcode::FMul, SQUARE, APART, APART)?;
                floats.run(Opcode::FAdd, DISTANCE, DISTANCE, SQUARE)?;
            }
            floats.run(Opcode::FLt, LESS, DISTANCE, LEAST)?;
            floats.write(GROUP, GROUP_BITS.into(), &vec![group as u128; floats.columns()]);
            // What is less, or else what was there.
            for (new, old, chosen, rows) in [(DISTANCE, LEAST, CHOSEN, ROWS as u8), (GROUP, BEST, NUMBER, GROUP_BITS)] {
                let select = Command { a: new, b: old, d: chosen, e: LESS, ..Command::new(Opcode::Select, rows) };
                floats.execute(select)?;
                floats.execute(Command { a: chosen, d: old, ..Command::new(Opcode::Copy, rows) })?;
            }
        }
        let (best, least) = (floats.read(BEST, GROUP_BITS.into()), floats.read(LEAST, ROWS.into()));
        for (column, number) in here.enumerate() {
            let sample = samples.sample(number);
            let distances = centres.iter().map(|centre| distance(&sample, centre));
            let own = distances.enumerate().reduce(|best, one| if one.1 < best.1 { one } else { best });
            let (group, far) = own.expect("there are centres");
            wrong += usize::from((group as u128, u128::from(far.to_bits())) != (best[column], least[column]));
            of.push(best[column] as usize);
        }
    }
    Ok((of, wrong))
}
