//! The example kernels with two and four arrays a thread, and with one in an order that is not that of the text, each
//! against the interpreter of PTX.

use crate::common::launches::{LAUNCHES, both, preset};
use bitline_compile::words::Words;

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
        // Turns of loops overlap, which the bound of pieces does not know; more than all arrays do cannot be done.
        let bound = ran.compiled.bound;
        assert!(0 < bound.least && bound.least <= bound.serial, "{bound:?}");
        assert!(bound.serial <= ran.compiled.estimate * arrays as u64, "{bound:?}, {}", ran.compiled.estimate);
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

/// A launch that leaves most of the control block empty gets several arrays a thread; one that fills it again and again
/// has one.
#[test]
fn arrays_are_chosen_by_the_launch() {
    let params = preset("small");
    let launch = |kernel: &str| LAUNCHES.iter().find(|launch| launch.1 == kernel).expect("a launch");
    let few = both(launch("multipliers"), &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
    let one = Words { arrays: Some(1), ..Words::new(&params) };
    let one = both(launch("multipliers"), &one).unwrap_or_else(|error| panic!("{error}"));
    assert!(few.compiled.program.arrays > 1 && few.compiled.estimate < one.compiled.estimate);
    let wide = (launch("vecadd").0, "vecadd", [64, 1, 1], [16, 1, 1], launch("vecadd").4);
    let many = both(&wide, &Words::new(&params)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(many.compiled.program.arrays, 1);
    let error = both(&wide, &Words { arrays: Some(3), ..Words::new(&params) }).expect_err("no such number");
    assert!(error.starts_with("arrays = 3: "), "{error}");
}
