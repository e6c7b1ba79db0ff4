//! Changed operators, conditions and enables of blocks whose models follow the hardware: what only passes things on
//! must be noticed as surely as what has a model of its own. Some changes mean the same, or cost time that nobody was
//! promised: those that survive are printed, and their number may not grow.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::stride;
use super::structure::{describe, mutated, places};
use bitline::duality::DualityParams;
use bitline::duality::blocks::{duality_lines, duality_memory_unit};
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::engine;
use bitline::sim::units::duality::lines::alone;
use bitline::sim::units::duality::memory_unit;

/// Changes modules of a netlist, `count` places of them unless all are asked for, and lets `play` run a few things,
/// and then many, which panics where hardware and model differ. At most `unseen` of `count` may survive.
fn all_noticed(netlist: &Netlist, blocks: &[&str], count: usize, unseen: usize, play: impl Fn(&Netlist, bool)) {
    let seed = 29;
    let named = |index: usize| blocks.iter().any(|block| netlist.modules[index].name.contains(block));
    let mut places = places(netlist);
    places.retain(|place| named(place.0));
    let total = places.len();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    if stride(2) > 1 {
        places.truncate(count);
    }
    play(netlist, true);
    let (mut by_model, mut survivors) = (0, vec![]);
    for &place in &places {
        let mutant = mutated(netlist, place);
        let both = || [false, true].map(|long| play(&mutant, long));
        match catch_unwind(AssertUnwindSafe(both)) {
            Err(why) => {
                let told = why.downcast_ref::<String>().is_some_and(|text| text.contains("hardware and model differ"));
                by_model += usize::from(told);
            }
            Ok(_) => survivors.push(describe(netlist, place)),
        }
    }
    let text = survivors.join("\n");
    println!(
        "seed {seed}: {} of {} noticed, {by_model} by the model, {total} places",
        places.len() - survivors.len(),
        places.len()
    );
    println!("{text}");
    // If all places are tried, as large a share of them.
    assert!(survivors.len() * count.min(total) <= unseen * places.len(), "{text}");
}

#[test]
fn memory_path() {
    let (netlist, params) = crate::memory::small();
    let blocks = [
        "memory_reader",
        "memory_writer",
        "beat_splitter",
        "element_unpacker",
        "element_packer",
        "beat_joiner",
        "burst_generator",
        "memory_dispatch",
        "transfer_stages",
        "memory_path",
        "scoreboard",
    ];
    all_noticed(&netlist, &blocks, 60, 15, |netlist, long| crate::memory::play(netlist, &params, long));
}

#[test]
fn axi_adapter() {
    let (netlist, geometry) = crate::line_port::small();
    all_noticed(&netlist, &["axi"], 80, 4, |netlist, long| crate::line_port::play(netlist, &geometry, long));
}

#[test]
fn compute_cache() {
    let (netlist, geometry) = crate::compute_cache::tiny();
    all_noticed(&netlist, &["cc_", "compute_cache"], 120, 18, |netlist, long| {
        crate::compute_cache::play(netlist, &geometry, long)
    });
}

/// The memory unit of a Duality Cache, its transpose unit apart: that has a campaign of its own. Of all 1,193 places 27
/// survive. Some mean the same: enables around a next value that holds by itself, equal numbers of which one is the
/// smaller, rows that the transpose unit does not take at that time, data that are read again before they are used.
/// Others are of pieces of spill rows, of which eight threads have one, or of sums of infinities and subnormal numbers
/// and windows next to none, which are rare here: the blocks' own campaigns (`memory_parts.rs`) are about them.
#[test]
fn duality_memory_unit_alone() {
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_memory_unit(&params).expect("legal");
    all_noticed(&netlist, &["duality_"], 80, 5, |netlist, long| {
        let cycles = if long { 60_000 } else { 3_000 };
        memory_unit::run(engine(netlist), &params, 1, cycles).unwrap_or_else(|d| panic!("{d}"));
    });
}

/// The crossbar of a memory unit, which serves some threads at a time, and where it has the unit's port. Of all 588
/// places 8 survive. Three mean the same: two only feed a net that nobody reads, and a register is read behind a whole
/// turn alone. Of the other five, one in numbers and four in the memory unit, that has not been shown.
#[test]
fn duality_crossbar_in_its_memory_unit() {
    let params = DualityParams { crossbar: 2, ..DualityParams::preset("tiny").expect("it is there") };
    let netlist = duality_memory_unit(&params).expect("legal");
    all_noticed(&netlist, &["crossbar", "memory_unit", "row_switch"], 60, 1, |netlist, long| {
        let cycles = if long { 120_000 } else { 3_000 };
        memory_unit::run(engine(netlist), &params, 1, cycles).unwrap_or_else(|d| panic!("{d}"));
    });
}

/// The unit of operations on lines, its logic apart: that has a campaign of its own. Of all 307 places one survives,
/// which means the same: an enable around a next value that holds by itself.
#[test]
fn duality_line_unit_alone() {
    let netlist = duality_lines().expect("legal");
    all_noticed(&netlist, &["duality_line"], 80, 1, |netlist, long| {
        let cycles = if long { 60_000 } else { 3_000 };
        alone::run(engine(netlist), 1, cycles).unwrap_or_else(|d| panic!("{d}"));
    });
}
