//! Campaigns on the compute unit alone, rows in and out over its streams.

use bitline_units::array::registers::configuration_hash;

use super::{Campaign, Done, Mismatch, Outcome, Subject, smallest_first};
use crate::array::blocks::{Top, design};
use crate::campaign::{Bench, Result, boundary, exhaustive, illegal, random, restart, stream};
use crate::engine::Engine;
use crate::presets::{PRESETS, preset};

/// The compute unit alone, rows in and out over its streams.
pub(super) static SUBJECT: Subject = Subject {
    name: "array",
    presets: || smallest_first(PRESETS.iter().map(|preset| preset.name).collect()),
    hash: |name| preset(name).map(|params| configuration_hash(&params)),
    netlist: |name| design(&preset(name)?, Top::ComputeUnit),
    open: false,
};

/// What campaigns on the compute unit have in common.
const COMMON: Campaign = Campaign {
    name: "",
    subject: &SUBJECT,
    summary: "",
    counted: "",
    size: 1,
    largest: 1,
    usual: true,
    run: |name, engine, seed, _| on_bench(name, engine, seed, |_| Ok(())),
};

pub(super) const RANDOM: Campaign = Campaign {
    name: "array.random",
    summary: "operations on random operands and placements, several commands back to back",
    counted: "commands",
    size: 200,
    largest: 1_000_000,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| random::sample(bench, size as usize)),
    ..COMMON
};

pub(super) const WIDTHS: Campaign = Campaign {
    name: "array.widths",
    summary: "every operation at every legal width up to the size",
    counted: "bits of an element",
    size: 16,
    largest: 64,
    run: |name, engine, seed, size| {
        on_bench(name, engine, seed, |bench| {
            let mut widths = random::widths(bench.params().rows);
            widths.retain(|&width| u64::from(width) <= size);
            random::every_width(bench, &widths)
        })
    },
    ..COMMON
};

pub(super) const ILLEGAL: Campaign = Campaign {
    name: "array.illegal",
    summary: "commands with every field drawn at random, which must be refused, between others",
    counted: "rounds of four commands",
    size: 100,
    largest: 1_000_000,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| illegal::anything(bench, size as usize)),
    ..COMMON
};

pub(super) const RULES: Campaign = Campaign {
    name: "array.rules",
    summary: "every rule of every operation broken, every code that does not exist",
    counted: "passes",
    size: 1,
    largest: 1000,
    run: |name, engine, seed, size| {
        on_bench(name, engine, seed, |bench| {
            (0..size).try_for_each(|_| illegal::every_rule(bench).and_then(|()| illegal::unknown_codes(bench)))
        })
    },
    ..COMMON
};

pub(super) const BOUNDARY: Campaign = Campaign {
    name: "array.boundary",
    summary: "commands on both sides of every rule, whose operands touch and share rows",
    counted: "commands",
    size: 300,
    largest: 1_000_000,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| boundary::random(bench, size as usize)),
    ..COMMON
};

pub(super) const STREAMS: Campaign = Campaign {
    name: "array.streams",
    summary: "rows in and out over the streams, with gaps on both, between commands",
    counted: "stretches of commands",
    size: 30,
    largest: 1_000_000,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| stream::rows(bench, size as usize)),
    ..COMMON
};

pub(super) const RESETS: Campaign = Campaign {
    name: "array.resets",
    summary: "resets in the middle of all this",
    counted: "resets",
    size: 30,
    largest: 1_000_000,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| restart::resets(bench, size as usize)),
    ..COMMON
};

pub(super) const PLACEMENTS: Campaign = Campaign {
    name: "array.placements",
    summary: "every two operands at every distance, at every width up to the size",
    counted: "bits of an element",
    size: 2,
    largest: 8,
    usual: false,
    run: |name, engine, seed, size| {
        let widths: Vec<u8> = (1..=size as u8).collect();
        on_bench(name, engine, seed, |bench| boundary::every_placement(bench, &widths))
    },
    ..COMMON
};

pub(super) const EXHAUSTIVE: Campaign = Campaign {
    name: "array.exhaustive",
    summary: "every operand pair, tag and key of elements up to the size",
    counted: "bits of an element",
    size: 2,
    largest: 4,
    usual: false,
    run: |name, engine, seed, size| on_bench(name, engine, seed, |bench| exhaustive::up_to(bench, size as u8)),
    ..COMMON
};

/// Runs something on a bench around the compute unit.
fn on_bench(
    name: &str,
    engine: Box<dyn Engine>,
    seed: u64,
    run: impl FnOnce(&mut Bench<Box<dyn Engine>>) -> Result,
) -> Outcome {
    let params = preset(name).map_err(Mismatch::said)?;
    let mut bench = Bench::new(engine, &params, seed);
    run(&mut bench)?;
    Ok(Done { commands: bench.commands, cycles: bench.unit.cycle_count() })
}
