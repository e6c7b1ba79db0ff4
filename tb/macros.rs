//! Designs with SRAM macros are the same designs: on random inputs their outputs are the same in every cycle, and every tool takes their Verilog without
//! a word.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::ccs::launches::test_geometry;
use super::lint::simulators;
use crate::blocks::ccs::ccs;
use crate::blocks::compute_cache::compute_cache_top;
use crate::blocks::{Top, design};
use crate::cache::CacheGeometry;
use crate::kernel::check::check;
use crate::kernel::macros::{PREFIX, with_macros};
use crate::kernel::netlist::Netlist;
use crate::presets::{parse, preset};
use crate::sim::engine::{Engine, engine};

/// Outputs of the two are the same on random inputs, and change.
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
    let mut changes = 0;
    let mut last = Vec::new();
    for cycle in 0..cycles {
        for &(a, b) in &inputs {
            let width = one.design().net(a).width as usize;
            let mut value: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
            if !width.is_multiple_of(64) {
                *value.last_mut().expect("one limb") &= u64::MAX >> (64 - width % 64);
            }
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
        let reset = cycle == 0 || rng.random_range(0..500) == 0;
        one.tick(reset);
        two.tick(reset);
    }
    assert!(changes > cycles / 10, "outputs have hardly changed: {changes}");
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
