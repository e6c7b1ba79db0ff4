//! Streams numbers through a transpose memory unit and back, counting cycles; writes the unit's Verilog if asked.
//!
//! `cargo run --release --example transpose -- [--words 64] [--bits 64] [--tiles rotated] [--verilog DIR]`
//!
//! Hardware and model run side by side. The slices are checked against plain shifts, and what comes back against what
//! went in.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline::emit::verilog::{Header, emit};
use bitline::error::{Error, Result};
use bitline::kernel::mem::RamStyle;
use bitline::kernel::netlist::Netlist;
use bitline::parts::tmu::{Tiles, TmuParams, transpose_unit};
use bitline::sim::data::output::print;
use bitline::sim::engine::{Native, engine};
use bitline::sim::lockstep::tmu::TmuLockstep;
use bitline::sim::model::tmu::{TmuInputs, Transfer};
use clap::Parser;

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { print(&(format!($($text)*) + "\n"))? };
}

/// Tiles of each transfer.
const LENGTH: usize = 32;

/// Streams numbers through a transpose memory unit and back.
#[derive(Parser)]
struct Arguments {
    /// Words of a tile: 8, 16, 32, 64, 128 or 256
    #[arg(long, default_value_t = 64)]
    words: usize,
    /// Bits of a word: 8, 16, 32 or 64, at most as many as words
    #[arg(long, default_value_t = 64)]
    bits: usize,
    /// How the tiles are made: flop or rotated
    #[arg(long, default_value = "rotated")]
    tiles: String,
    /// Writes the unit's Verilog to a new folder
    #[arg(long, value_name = "DIR")]
    verilog: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let tiles = match arguments.tiles.as_str() {
        "flop" => Tiles::Flop,
        "rotated" => Tiles::Rotated,
        other => return Err(Error::parameter("tiles", other, "must be flop or rotated")),
    };
    let params = TmuParams { words: arguments.words, bits: arguments.bits, tiles, style: RamStyle::Distributed };
    let netlist = transpose_unit(&params)?;
    if let Some(folder) = &arguments.verilog {
        write(&netlist, folder)?;
    }
    say!("tiles of {} words of {} bits, {}", params.words, params.bits, arguments.tiles);
    say!(
        "{:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>14}",
        "width",
        "",
        "elements",
        "beats in",
        "beats out",
        "cycles",
        "busiest port"
    );
    let mut unit = TmuLockstep::new(engine(&netlist), params.words as u16, params.bits as u16, 1);
    let mut number = 0x9e37_79b9_7f4a_7c15u64;
    for width in [8, 16, 32, 64].into_iter().filter(|&width| width <= params.bits) {
        let elements: Vec<Vec<u64>> = (0..LENGTH * params.words)
            .map(|_| {
                number = number.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                let mut beat = vec![0; params.words.div_ceil(64)];
                beat[0] = number >> (64 - width);
                beat
            })
            .collect();
        let slices = transfer(&mut unit, width, false, elements.len(), &elements)?;
        let expected = elements.chunks(params.words).flat_map(|tile| (0..width).map(move |bit| slice(tile, bit)));
        if !slices.iter().cloned().eq(expected) {
            return Err(wrong("slices are not the elements' bits"));
        }
        if transfer(&mut unit, width, true, elements.len(), &slices)? != elements {
            return Err(wrong("elements did not come back"));
        }
    }
    Ok(())
}

fn wrong(reason: impl Into<String>) -> Error {
    Error::Tool { tool: "transpose".into(), reason: reason.into() }
}

/// Bit `bit` of every word, one beside the other.
fn slice(tile: &[Vec<u64>], bit: usize) -> Vec<u64> {
    let mut slice = vec![0; tile.len().div_ceil(64)];
    for (k, word) in tile.iter().enumerate() {
        slice[k / 64] |= (word[0] >> bit & 1) << (k % 64);
    }
    slice
}

/// One transfer without pauses; prints its cycles and returns what came out.
fn transfer(
    unit: &mut TmuLockstep<Native>,
    width: usize,
    store: bool,
    count: usize,
    beats: &[Vec<u64>],
) -> Result<Vec<Vec<u64>>> {
    let mut start = Some(Transfer { store, width: width as u8, count: count as u16 });
    let (mut sent, mut out, begin) = (0, Vec::new(), unit.cycle_count());
    loop {
        let inputs = TmuInputs { start, beat: beats.get(sent).cloned(), take: true };
        let outputs = unit.cycle(&inputs).map_err(|d| wrong(d.to_string()))?;
        if outputs.start_ready {
            start = None;
        }
        sent += usize::from(outputs.beat_ready && inputs.beat.is_some());
        if let Some(beat) = outputs.beat {
            out.push(beat.bits);
            if beat.last {
                break;
            }
        }
    }
    let cycles = unit.cycle_count() - begin;
    say!(
        "{width:>6} {:>9} {count:>9} {:>9} {:>9} {cycles:>8} {:>6.3} a cycle",
        if store { "store" } else { "load" },
        beats.len(),
        out.len(),
        beats.len().max(out.len()) as f64 / cycles as f64
    );
    Ok(out)
}

/// Writes the modules, all of them or none.
fn write(netlist: &Netlist, folder: &Path) -> Result<()> {
    let draft = folder.with_extension("draft");
    std::fs::create_dir(&draft).map_err(|e| Error::file(&draft, e))?;
    let files = emit(netlist, &Header::default());
    let written = files.iter().try_for_each(|(name, text)| {
        let path = draft.join(name);
        std::fs::write(&path, text).map_err(|e| Error::file(&path, e))
    });
    let done = written.and_then(|()| match folder.exists() {
        true => Err(Error::file(folder, "is there already")),
        false => std::fs::rename(&draft, folder).map_err(|e| Error::file(folder, e)),
    });
    if done.is_err() {
        // What is left of the draft is of no use.
        let _ = std::fs::remove_dir_all(&draft);
    }
    done?;
    say!("{} modules in {}", files.len(), folder.display());
    Ok(())
}
