//! Blurs a photograph by a CUDA kernel, `blur` of examples/cuda/gaussblur.cu, through the Rust API: the whole of it as
//! words of the control block, its upper rows on the control block's hardware, in lock step with its model; both are
//! checked against integers.
//!
//! `cargo run --release --example cuda_blur [ROWS]`, how many rows hardware does, 1 to 64, 8 unless given; the result is
//! target/cuda_blur.pgm.

#[expect(dead_code, reason = "what is for arrays by themselves")]
mod common;
#[path = "common/data.rs"]
mod data;

use std::path::Path;
use std::process::ExitCode;

use bitline::compile::error::Error as CompileError;
use bitline::compile::launch::{Argument, Buffer, Plan};
use bitline::compile::ptx::{self, ast::Module};
use bitline::compile::words::{Compiled, Words};
use bitline::duality::DualityParams;
use bitline::error::{Error, Result};

use bitline::sim::data::ElementType;
use bitline::sim::data::output::write_files;
use bitline::sim::data::pgm::Image;
use bitline::sim::model::duality::{FlatMemory, Launch};
use bitline::sim::units::duality::kernel_errors::told;
use bitline::sim::units::duality::machine::{Machine, Mode};
use bitline::sim::units::duality::memory_side::Timing;

use common::say;
use data::data;

const PIXEL: ElementType = ElementType { width: 8, signed: false, format: None };

/// Threads of a block, as in examples/cuda/gaussblur.cu.
const BLOCK: [u32; 3] = [16, 8, 1];

/// The kernel's arguments that are buffers: the picture, and what becomes of it.
const TO: usize = 1;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode> {
    let text = std::env::args().nth(1).unwrap_or("8".into());
    let rows = text.parse::<usize>().ok().filter(|rows| (1..=64).contains(rows));
    let rows = rows.ok_or_else(|| Error::parameter("ROWS", &text, "must be 1 to 64"))?;
    let [path] = data(["camera.pgm"], ["rings.pgm"]);
    let image = Image::read(&path)?;
    let picture: Vec<u64> = image.elements(&path, PIXEL)?.iter().map(|pixel| *pixel as u64).collect();
    let rows = rows.min(image.height);
    say!("{}, {} × {} pixels", path.display(), image.width, image.height);

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cuda/gaussblur.ptx");
    let kernel = std::fs::read_to_string(&file).map_err(|error| Error::file(&file, error))?;
    let module = ptx::parse("gaussblur.ptx", &kernel).map_err(told)?;

    let params = DualityParams::preset("cb").expect("a preset");
    let words = Words::new(&params);
    let mut blurred = picture.clone();
    for across in [true, false] {
        let plan = plan(&blurred, image.width, across)?;
        let ran = plan.words(&module, &words).map_err(told)?;
        say!("{}: {} words executed, {} rows", name(across), ran.outcome.words.iter().sum::<u64>(), ran.compiled.rows);
        blurred = bits(ran.buffers[TO].as_ref());
    }
    let expected = blur(&blur(&picture, image.width, true), image.width, false);

    let upper = &picture[..rows * image.width];
    let found = on_hardware(&module, upper, image.width)?;
    let checked = [blurred == expected, found == blur(upper, image.width, true)];
    say!("As words: {}; on hardware: {}", verdict(checked[0]), verdict(checked[1]));

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
    let path = folder.join("cuda_blur.pgm");
    let pixels: Vec<u128> = blurred.iter().map(|pixel| u128::from(*pixel)).collect();
    write_files(&[(path.clone(), Image::of(&pixels, image.width, PIXEL)?.encode())])?;
    say!("wrote {}", path.display());
    Ok(if checked == [true; 2] { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn name(across: bool) -> &'static str {
    if across { "across" } else { "down" }
}

fn verdict(right: bool) -> &'static str {
    if right { "what integers are" } else { "WRONG" }
}

fn bits(buffer: Option<&Buffer>) -> Vec<u64> {
    buffer.map_or(Vec::new(), |buffer| buffer.bits().collect())
}

/// A launch of the kernel for a picture.
fn plan(picture: &[u64], width: usize, across: bool) -> Result<Plan> {
    let height = picture.len() / width;
    let element = "u8".parse().expect("a type");
    let numbers = [width, height, usize::from(across)].map(|number| format!("s32:{number}"));
    let buffer = |bits: Vec<u64>| Argument::Buffer(Buffer::of(element, bits));
    let mut arguments = vec![buffer(picture.to_vec()), buffer(vec![0; picture.len()])];
    for number in numbers {
        arguments.push(number.parse().map_err(told)?);
    }
    let grid = [(width as u32).div_ceil(BLOCK[0]), (height as u32).div_ceil(BLOCK[1]), 1];
    Ok(Plan { grid, block: BLOCK, arguments, ..Plan::new("blur") })
}

/// The picture blurred across on the control block's hardware, a smaller one.
fn on_hardware(module: &Module, picture: &[u64], width: usize) -> Result<Vec<u64>> {
    let params = DualityParams::preset("small").expect("a preset");
    // A control block by itself: words of memory take no turns.
    let words = Words { turns: false, ..Words::new(&params) };
    let mut machine = Machine::new(&params, 1)?;
    let timing = Timing { port_a_bank: false, latency: 0 };
    let mut run = |compiled: &Compiled, launch: &Launch, memory: &mut FlatMemory| {
        // The interpreter of words says what the launch executes.
        let mut judged = memory.clone();
        let outcome = words.run(module, compiled, launch, &mut judged, u64::MAX)?;
        let ran = machine.run(&compiled.program, launch, memory, Mode::Decoupled, timing);
        let cycles = ran.map_err(|error| CompileError::parameter("hardware", "small", error.to_string()))?;
        say!("On hardware: {} cycles in {} waves, {} pixels", cycles.all, cycles.waves, picture.len());
        Ok(outcome)
    };
    let ran = plan(picture, width, true)?.words_on(module, &words, &mut run).map_err(told)?;
    Ok(bits(ran.buffers[TO].as_ref()))
}

/// Five points with the weights 1 4 6 4 1, in a row or in a column; beyond the edge is the last point.
fn blur(picture: &[u64], width: usize, across: bool) -> Vec<u64> {
    let height = picture.len() / width;
    let inside = |at: usize, by: usize, count: usize| (at + by).saturating_sub(2).min(count - 1);
    let point = |at: usize| {
        let (x, y) = (at % width, at / width);
        let one = |by: usize| if across { y * width + inside(x, by, width) } else { inside(y, by, height) * width + x };
        let weighed = [1, 4, 6, 4, 1].iter().enumerate().map(|(by, weight)| weight * picture[one(by)]);
        (weighed.sum::<u64>() + 8) >> 4
    };
    (0..picture.len()).map(point).collect()
}
