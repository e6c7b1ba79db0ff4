//! Blurs a photograph by floating-point commands: a column is a pixel, and each pass multiplies its neighbours, two by
//! two, with the weights of a Gaussian. Every pixel is compared with the processor's own arithmetic.
//!
//! `cargo run --release --example gaussian_blur [SIGMA]`, 0.5 to 3 pixels; the result is target/gaussian_blur.pgm.

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/floats.rs"]
mod floats;

use std::path::Path;
use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::format::F32;
use bitline::isa::{Command, Opcode};
use bitline::sim::data::ElementType;
use bitline::sim::data::output::write_files;
use bitline::sim::data::pgm::Image;
use common::say;
use data::data;
use floats::{Floats, ROWS};

const PIXEL: ElementType = ElementType { width: 8, signed: false, format: None };
/// Neighbours on each side.
const REACH: usize = 3;

// Rows: the pixel or the sum, two neighbours, their sum, the weight, the product, and a pixel as an integer.
const SUM: u16 = 0;
const LEFT: u16 = SUM + ROWS;
const RIGHT: u16 = LEFT + ROWS;
const PAIR: u16 = RIGHT + ROWS;
const WEIGHT: u16 = PAIR + ROWS;
const PRODUCT: u16 = WEIGHT + ROWS;
const INTEGER: u16 = PRODUCT + ROWS;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode> {
    let text = std::env::args().nth(1).unwrap_or("1.5".into());
    let sigma = text.parse::<f32>().ok().filter(|sigma| (0.5..=3.0).contains(sigma));
    let sigma = sigma.ok_or_else(|| Error::parameter("SIGMA", &text, "must be 0.5 to 3"))?;
    let [path] = data(["camera.pgm"], ["rings.pgm"]);
    let image = Image::read(&path)?;
    say!("{}, {} × {} pixels, sigma = {sigma}", path.display(), image.width, image.height);
    let weights = weights(sigma);

    let mut floats = Floats::new()?;
    let pixels = image.elements(&path, PIXEL)?;
    let numbers = numbers(&mut floats, &pixels)?;
    let lines = blurred(&mut floats, &numbers, &weights, |at, by| aside(at, by, image.width))?;
    let both = blurred(&mut floats, &lines, &weights, |at, by| above(at, by, image.width, image.height))?;
    let out = integers(&mut floats, &both)?;
    floats.print(out.len());

    let own: Vec<f32> = pixels.iter().map(|&pixel| pixel as f32).collect();
    let own = processor(&own, &weights, |at, by| aside(at, by, image.width));
    let own = processor(&own, &weights, |at, by| above(at, by, image.width, image.height));
    let integer = |number: f32| number.round_ties_even().clamp(0.0, 255.0) as u128;
    let same = |&at: &usize| own[at].to_bits() == both[at].to_bits() && integer(own[at]) == out[at];
    let wrong = out.len() - (0..out.len()).filter(same).count();
    say!("{wrong} of {} pixels differ from the processor's", out.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&folder).map_err(|e| Error::file(&folder, e))?;
    let path = folder.join("gaussian_blur.pgm");
    write_files(&[(path.clone(), Image::of(&out, image.width, PIXEL)?.encode())])?;
    say!("wrote {}", path.display());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Weights of a pixel and of its neighbours on either side, which sum up to 1.
fn weights(sigma: f32) -> [f32; REACH + 1] {
    let curve: [f32; REACH + 1] = std::array::from_fn(|by| (-0.5 * (by as f32 / sigma).powi(2)).exp());
    let all = curve[0] + 2.0 * curve[1..].iter().sum::<f32>();
    curve.map(|weight| weight / all)
}

/// The pixel so many places to the right in its line of so many; the last one of the line where there is none.
fn aside(at: usize, by: isize, width: usize) -> usize {
    let place = (at % width).saturating_add_signed(by).min(width - 1);
    at - at % width + place
}

/// The pixel so many lines below.
fn above(at: usize, by: isize, width: usize, height: usize) -> usize {
    (at / width).saturating_add_signed(by).min(height - 1) * width + at % width
}

/// The numbers that columns hold.
fn sums(floats: &mut Floats) -> Vec<f32> {
    floats.read(SUM, ROWS.into()).into_iter().map(|bits| f32::from_bits(bits as u32)).collect()
}

/// Pixels as numbers.
fn numbers(floats: &mut Floats, pixels: &[u128]) -> Result<Vec<f32>> {
    let mut out = Vec::new();
    for pixels in pixels.chunks(floats.columns()) {
        floats.write(INTEGER, 8, pixels);
        floats.execute(Command { a: INTEGER, d: SUM, second: F32.m(), ..Command::new(Opcode::F32FromIntU, 8) })?;
        out.extend(&sums(floats)[..pixels.len()]);
    }
    Ok(out)
}

/// Numbers as pixels, rounded to nearest.
fn integers(floats: &mut Floats, numbers: &[f32]) -> Result<Vec<u128>> {
    let mut out = Vec::new();
    for numbers in numbers.chunks(floats.columns()) {
        floats.write_numbers(SUM, numbers);
        floats.execute(Command { a: SUM, d: INTEGER, second: F32.m(), ..Command::new(Opcode::F32ToIntU, 8) })?;
        out.extend(&floats.read(INTEGER, 8)[..numbers.len()]);
    }
    Ok(out)
}

/// One pass; `beside` says which is the neighbour of a pixel so many places on.
fn blurred(
    floats: &mut Floats,
    numbers: &[f32],
    weights: &[f32],
    beside: impl Fn(usize, isize) -> usize,
) -> Result<Vec<f32>> {
    let mut out = Vec::new();
    let columns = floats.columns();
    for first in (0..numbers.len()).step_by(columns) {
        let here = first..numbers.len().min(first + columns);
        let moved = |by: isize| here.clone().map(|at| numbers[beside(at, by)]).collect::<Vec<f32>>();
        floats.write_same(WEIGHT, weights[0]);
        floats.write_numbers(LEFT, &moved(0));
        floats.run(Opcode::FMul, SUM, LEFT, WEIGHT)?;
        for (by, &weight) in (1..).zip(&weights[1..]) {
            floats.write_numbers(LEFT, &moved(-by));
            floats.write_numbers(RIGHT, &moved(by));
            floats.write_same(WEIGHT, weight);
            floats.run(Opcode::FAdd, PAIR, LEFT, RIGHT)?;
            floats.run(Opcode::FMul, PRODUCT, PAIR, WEIGHT)?;
            floats.run(Opcode::FAdd, SUM, SUM, PRODUCT)?;
        }
        out.extend(&sums(floats)[..here.len()]);
    }
    Ok(out)
}

/// The same by the processor.
fn processor(numbers: &[f32], weights: &[f32], beside: impl Fn(usize, isize) -> usize) -> Vec<f32> {
    let one = |at: usize| {
        (1..).zip(&weights[1..]).fold(numbers[at] * weights[0], |sum, (by, weight)| {
            sum + (numbers[beside(at, -by)] + numbers[beside(at, by)]) * weight
        })
    };
    (0..numbers.len()).map(one).collect()
}
