//! Designs with SRAM macros are the same designs: from random states and on random inputs, outputs and memories are the
//! same in every cycle, and every tool takes their Verilog without a word.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lint::simulators;
use bitline::array::blocks::{Top, design};
use bitline::ccs::blocks::ccs;
use bitline::compute_cache::CacheGeometry;
use bitline::compute_cache::blocks::compute_cache_top;
use bitline::kernel::check::check;
use bitline::kernel::flat::{Flat, FlatMemory};
use bitline::kernel::macros::{PREFIX, with_macros};
use bitline::kernel::netlist::Netlist;
use bitline::presets::{parse, preset};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::units::ccs::launches::test_geometry;

/// Outputs and memories of the two are the same from random states on random inputs, and change.
fn agree(netlist: &Netlist, cycles: usize, seed: u64) {
    let other = with_macros(netlist);
    check(&other).unwrap_or_else(|e| panic!("{e}"));
    let macros: Vec<&str> =
        other.modules.iter().map(|m| m.name.as_str()).filter(|name| name.starts_with(PREFIX)).collect();
    assert!(!macros.is_empty());
    println!("{}: {macros:?}, seed {seed}", netlist.top().name);
    let (mut one, mut two) = (engine(netlist), engine(&other));
    let inputs: Vec<_> = one.design().inputs.iter().copied().zip(two.design().inputs.iter().copied()).collect();
    let outputs: Vec<_> = one.design().outputs.iter().copied().zip(two.design().outputs.iter().copied()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut changes, mut written) = (0, 0);
    let mut last = Vec::new();
    let memories = memories(one.design(), two.design());
    for cycle in 0..cycles {
        // From any state: few random inputs alone would ever get a command as far as the memory.
        if cycle % 20 == 0 {
            for at in 0..one.design().registers.len() {
                let value = random(&mut rng, one.design().net(one.design().registers[at].net).width);
                one.set_register(at, &value);
                two.set_register(at, &value);
            }
            for &(a, b) in &memories {
                for word in 0..one.design().memories[a].depth {
                    let value = random(&mut rng, one.design().memories[a].width);
                    one.set_word(a, word, &value);
                    two.set_word(b, word, &value);
                }
            }
        }
        for &(a, b) in &inputs {
            let value = random(&mut rng, one.design().net(a).width);
            one.set_input(a, &value);
            two.set_input(b, &value);
        }
        let mut all = Vec::new();
        for &(a, b) in &outputs {
            let value = one.value(a);
            assert_eq!(value, two.value(b), "{} in cycle {cycle}", one.design().net(a).path);
            all.push(value);
        }
        changes += usize::from(all != last);
        last = all;
        let reset = rng.random_range(0..500) == 0;
        let before: Vec<Vec<u64>> = memories.iter().map(|&(a, _)| one.memory(a).to_vec()).collect();
        one.tick(reset);
        two.tick(reset);
        for (&(a, b), before) in memories.iter().zip(before) {
            let what = &one.design().memories[a].path;
            assert!(one.memory(a).to_vec() == two.memory(b).to_vec(), "{what} after cycle {cycle}");
            written += usize::from(one.memory(a).to_vec() != before);
        }
    }
    println!("outputs change in {changes} cycles of {cycles}, {written} words written");
    assert!(changes > cycles / 10, "outputs have hardly changed: {changes}");
    assert!(written > 20, "memories have hardly been written: {written}");
}

/// A value of so many bits.
fn random(rng: &mut ChaCha8Rng, width: u32) -> Vec<u64> {
    let mut value: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
    if !width.is_multiple_of(64) {
        *value.last_mut().expect("one limb") &= u64::MAX >> (64 - width % 64);
    }
    value
}

/// Memories that are written, of the two designs: those of macros have a name more in their paths.
fn memories(one: &Flat, two: &Flat) -> Vec<(usize, usize)> {
    let at = |path: &str| two.memories.iter().position(|m| m.path == path);
    let pair = |(a, m): (usize, &FlatMemory)| {
        let b = at(&m.path).or_else(|| at(&format!("{}.words", m.path)));
        (a, b.unwrap_or_else(|| panic!("{} is gone", m.path)))
    };
    one.memories.iter().enumerate().filter(|(_, m)| m.contents.is_none()).map(pair).collect()
}

#[test]
fn macros_change_nothing() {
    agree(&design(&preset("tiny").expect("a preset"), Top::ComputeUnit).expect("legal"), 3000, 1);
    let small = parse("base = \"paper\"\nrows = 128\ncolumns = 16\n", "", "small").expect("legal");
    agree(&design(&small, Top::ComputeUnit).expect("legal"), 3000, 2);
    agree(&ccs(&test_geometry(4, 16, 4)).expect("legal"), 3000, 3);
    let text = "base = \"l1\"\nbanks = 2\npartitions = 1\nrows = 16\n";
    let cache = CacheGeometry::parse(text, "", "cache").expect("legal");
    agree(&compute_cache_top(&cache).expect("legal"), 600, 4);
}

#[test]
fn tools_take_macros_without_a_word() {
    let small = parse("base = \"paper\"\nrows = 64\ncolumns = 64\n", "", "small").expect("legal");
    let netlist = with_macros(&design(&small, Top::ComputeUnit).expect("legal"));
    simulators(&netlist).unwrap_or_else(|e| panic!("{e}"));
}
