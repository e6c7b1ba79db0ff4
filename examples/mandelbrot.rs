//! Draws the Mandelbrot set by floating-point commands: a column is a point, and commands iterate z ← z² + c in all of
//! them. Each count is compared with that of the processor's own arithmetic.
//!
//! `cargo run --release --example mandelbrot [WIDTH [TURNS]]`: 16 to 1024 points a line, of which there are three
//! quarters as many, and 1 to 255 turns; the picture is target/mandelbrot.png.

mod common;
#[path = "common/floats.rs"]
mod floats;

use std::path::Path;
use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::{Command, Opcode};
use bitline::sim::data::output::write_files;
use common::say;
use floats::{Floats, ROWS};

// Rows: the point, z, the squares of its two parts, their product, the limit, whether z is within it, and in how many
// turns it was: numbers of eight bits.
const CX: u16 = 0;
const CY: u16 = CX + ROWS;
const X: u16 = CY + ROWS;
const Y: u16 = X + ROWS;
const XX: u16 = Y + ROWS;
const YY: u16 = XX + ROWS;
const XY: u16 = YY + ROWS;
const SUM: u16 = XY + ROWS;
const LIMIT: u16 = SUM + ROWS;
const WITHIN: u16 = LIMIT + ROWS;
const COUNT: u16 = WITHIN + COUNT_BITS as u16;
const COUNT_BITS: u8 = 8;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// The argument with this number, of these bounds.
fn argument(number: usize, name: &str, otherwise: usize, bounds: std::ops::RangeInclusive<usize>) -> Result<usize> {
    let Some(text) = std::env::args().nth(number) else { return Ok(otherwise) };
    let value = text.parse::<usize>().ok().filter(|value| bounds.contains(value));
    value.ok_or_else(|| Error::parameter(name, &text, format!("must be {} to {}", bounds.start(), bounds.end())))
}

fn run() -> Result<ExitCode> {
    let width = argument(1, "WIDTH", 64, 16..=1024)?;
    let turns = argument(2, "TURNS", 24, 1..=255)?;
    let height = width * 3 / 4;
    say!("{width} × {height} points, {turns} turns");
    let step = 3.0 / width as f32;
    let point = |at: usize| ((at % width) as f32 * step - 2.25, (at / width) as f32 * step - 1.125);
    let points: Vec<(f32, f32)> = (0..width * height).map(point).collect();

    let mut floats = Floats::new()?;
    let mut counts = Vec::new();
    for points in points.chunks(floats.columns()) {
        counts.extend(iterate(&mut floats, points, turns)?);
    }
    floats.print(points.len());

    let wrong = points.iter().zip(&counts).filter(|(point, count)| own(**point, turns) != **count).count();
    say!("{wrong} of {} counts differ from the processor's", counts.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&folder).map_err(|e| Error::file(&folder, e))?;
    let path = folder.join("mandelbrot.png");
    let picture = picture(&counts, width, height, turns).map_err(|e| Error::file(&path, e.to_string()))?;
    write_files(&[(path.clone(), picture)])?;
    say!("wrote {}", path.display());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// In how many turns each point's z was within a distance of 2.
fn iterate(floats: &mut Floats, points: &[(f32, f32)], turns: usize) -> Result<Vec<u128>> {
    let (cx, cy): (Vec<f32>, Vec<f32>) = points.iter().copied().unzip();
    // Columns without a point have one that leaves at once.
    [CX, CY].into_iter().for_each(|row| floats.write_same(row, 4.0));
    floats.write_numbers(CX, &cx);
    floats.write_numbers(CY, &cy);
    floats.write_same(LIMIT, 4.0);
    let zero = |d, width| Command { d, ..Command::new(Opcode::Zero, width) };
    for (rows, width) in [(X, ROWS as u8), (Y, ROWS as u8), (WITHIN, COUNT_BITS), (COUNT, COUNT_BITS)] {
        floats.execute(zero(rows, width))?;
    }
    for _ in 0..turns {
        floats.run(Opcode::FMul, XX, X, X)?;
        floats.run(Opcode::FMul, YY, Y, Y)?;
        floats.run(Opcode::FMul, XY, X, Y)?;
        floats.run(Opcode::FAdd, SUM, XX, YY)?;
        floats.run(Opcode::FLe, WITHIN, SUM, LIMIT)?;
        if floats.read(WITHIN, 1).iter().all(|&within| within == 0) {
            break;
        }
        floats.execute(Command { a: COUNT, b: WITHIN, d: COUNT, ..Command::new(Opcode::Add, COUNT_BITS) })?;
        floats.run(Opcode::FSub, SUM, XX, YY)?;
        floats.run(Opcode::FAdd, X, SUM, CX)?;
        floats.run(Opcode::FAdd, SUM, XY, XY)?;
        floats.run(Opcode::FAdd, Y, SUM, CY)?;
    }
    let mut counts = floats.read(COUNT, COUNT_BITS.into());
    counts.truncate(points.len());
    Ok(counts)
}

/// The same by the processor.
fn own((cx, cy): (f32, f32), turns: usize) -> u128 {
    let (mut x, mut y, mut count) = (0f32, 0f32, 0);
    for _ in 0..turns {
        let (xx, yy, xy) = (x * x, y * y, x * y);
        if xx + yy <= 4.0 {
            count += 1;
        }
        (x, y) = (xx - yy + cx, xy + xy + cy);
    }
    count
}

type Encoded = std::result::Result<Vec<u8>, png::EncodingError>;

/// Points that never leave are black, others the brighter the sooner they do.
fn picture(counts: &[u128], width: usize, height: usize, turns: usize) -> Encoded {
    let shade = |&count: &u128| {
        let left = 255 - (255 * count as usize / turns) as u8;
        if count as usize == turns { [0; 3] } else { [left / 2, left, 128 + left / 2] }
    };
    let pixels: Vec<u8> = counts.iter().flat_map(shade).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(file)
}
