//! Blends two photographs on the array: out = (a · alpha + b · (256 − alpha)) / 256 for every pixel, checked against
//! integers.
//!
//! `cargo run --release --example alpha_blend [ALPHA]`, 1 to 255; the result is target/alpha_blend.pgm.

mod common;
#[path = "common/data.rs"]
mod data;

use std::path::Path;
use std::process::ExitCode;

use bitline::error::{Error, Result};
use bitline::isa::{Command, Opcode};
use bitline::presets;
use bitline::sim::data::ElementType;
use bitline::sim::data::output::write_files;
use bitline::sim::data::pgm::Image;
use bitline::sim::machine::{Machine, MachineRows};
use bitline::sim::vectors::{read_elements, write_elements};
use common::{Cycles, say};
use data::data;

const PIXEL: ElementType = ElementType { width: 8, signed: false, format: None };

// Rows of the array: the two pixels, the two products, their sum.
const A: u16 = 0;
const B: u16 = 8;
const LEFT: u16 = 16;
const RIGHT: u16 = 32;
const SUM: u16 = 48;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode> {
    let text = std::env::args().nth(1).unwrap_or("160".into());
    let alpha = text.parse::<u64>().ok().filter(|alpha| (1..=255).contains(alpha));
    let alpha = alpha.ok_or_else(|| Error::parameter("ALPHA", &text, "must be 1 to 255"))?;
    let [first, second] = data(["camera.pgm", "astronaut.pgm"], ["rings.pgm", "ramp.pgm"]);
    let (a, b) = (Image::read(&first)?, Image::read(&second)?);
    if (a.width, a.height) != (b.width, b.height) {
        let size = format!("{} × {}", b.width, b.height);
        return Err(Error::parameter(
            second.display().to_string(),
            size,
            format!("must be {} × {}", a.width, a.height),
        ));
    }
    say!("{} and {}, {} × {} pixels, alpha = {alpha}", first.display(), second.display(), a.width, a.height);

    let mut machine = common::machine(&presets::preset("default")?)?;
    let mut cycles = Cycles::default();
    let (pixels_a, pixels_b) = (a.elements(&first, PIXEL)?, b.elements(&second, PIXEL)?);
    let mut out = Vec::new();
    let columns = machine.params().columns;
    for (pa, pb) in pixels_a.chunks(columns).zip(pixels_b.chunks(columns)) {
        out.extend(blend(machine.as_mut(), &mut cycles, pa, pb, alpha)?);
    }
    cycles.print(machine.as_ref(), out.len());

    let expected = |(a, b): (&u128, &u128)| (a * u128::from(alpha) + b * u128::from(256 - alpha)) >> 8;
    let wrong = pixels_a.iter().zip(&pixels_b).map(expected).zip(&out).filter(|(must, is)| must != *is).count();
    say!("{wrong} of {} pixels differ from integer arithmetic", out.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&folder).map_err(|e| Error::file(&folder, e))?;
    let path = folder.join("alpha_blend.pgm");
    write_files(&[(path.clone(), Image::of(&out, a.width, PIXEL)?.encode())])?;
    say!("wrote {}", path.display());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One row of pixels after the other goes in, as many as there are columns; the blended ones come out.
fn blend(machine: &mut dyn Machine, cycles: &mut Cycles, a: &[u128], b: &[u128], alpha: u64) -> Result<Vec<u128>> {
    write_elements(&mut MachineRows(machine), A.into(), 8, a);
    write_elements(&mut MachineRows(machine), B.into(), 8, b);
    let times = |source, key, d| Command { a: source, key, d, ..Command::new(Opcode::MulConst, 8) };
    cycles.execute(machine, times(A, alpha, LEFT))?;
    cycles.execute(machine, times(B, 256 - alpha, RIGHT))?;
    cycles.execute(machine, Command { a: LEFT, b: RIGHT, d: SUM, ..Command::new(Opcode::Add, 16) })?;
    // Division by 256 is free: the upper eight rows of the sum.
    let mut pixels = read_elements(&MachineRows(machine), usize::from(SUM) + 8, 8);
    pixels.truncate(a.len());
    Ok(pixels)
}
