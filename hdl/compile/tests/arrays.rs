//! The example kernels with two and four arrays a thread, and with one in an order that is not that of the text, each
//! against the interpreter of PTX.

mod common;

use bitline_compile::words::Words;
use common::launches::{LAUNCHES, both, preset};

/// Launches on a preset, with so many arrays a thread.
fn all(name: &str, arrays: usize) {
    let params = preset(name);
    let mut spread = 0;
    for launch in LAUNCHES {
        let words = Words { arrays: Some(arrays), checked: true, ..Words::new(&params) };
        let ran = match both(launch, &words) {
            Err(error) if error.contains("must be 1 to ") => continue,
            ran => ran.unwrap_or_else(|error| panic!("{} {}, {arrays} arrays: {error}", launch.0, launch.1)),
        };
        let plain = both(launch, &Words { arrays: Some(arrays), simple: true, checked: true, ..Words::new(&params) });
        let plain = plain.map(|ran| (ran.compiled.estimate, ran.compiled.spilled));
        println!(
            "{name}, {} {}, {arrays} arrays: {} words, {} moves, {} rows, {} spill rows, {} cycles; plain {plain:?}",
            launch.0,
            launch.1,
            ran.compiled.program.words.len(),
            ran.outcome.words[1],
            ran.compiled.rows,
            ran.compiled.spilled,
            ran.compiled.estimate
        );
        if let Ok((estimate, _)) = plain {
            assert!(ran.compiled.estimate <= estimate);
        }
        spread += u64::from(ran.outcome.words[1] > 0);
    }
    assert!(arrays == 1 || spread > 5, "{spread} kernels use several arrays");
}

#[test]
fn one_array_in_another_order() {
    all("small", 1);
    all("cb", 1);
}

#[test]
fn two_arrays() {
    all("small", 2);
    all("cb", 2);
}

#[test]
fn four_arrays() {
    all("small", 4);
    all("cb", 4);
}
