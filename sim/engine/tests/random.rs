//! Random designs: the engine and the reference agree on every net in every cycle.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::text;
use super::image::{Beside, compare_shown};
use super::maker::{Step, digits, make, value};
use super::some_of;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::observe::Cycles;
use crate::{Engine, Native, Reference};

/// Runs both and compares every net, register and memory.
pub(super) fn compare(flat: &Flat, mut engine: Native, seed: u64, cycles: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut reference = Reference::new(flat.clone());
    for (m, memory) in flat.memories.iter().enumerate().filter(|(_, m)| m.contents.is_none()) {
        for word in 0..memory.depth {
            // The same in all memories: mirrors begin equal.
            let value = value(&mut ChaCha8Rng::seed_from_u64(seed ^ word as u64), memory.width);
            engine.set_word(m, word, &digits(&value, memory.width));
            reference.set_word(m, word, &digits(&value, memory.width));
        }
    }
    let (mut quiet, mut beside, mut shown) = (false, Beside::default(), 0);
    for cycle in 0..cycles {
        // In some cycles nothing comes from outside: then only what has changed inside is evaluated anew.
        quiet ^= rng.random_range(0..4) == 0;
        let mut together = (Vec::new(), Vec::new());
        for &input in flat.inputs.iter().filter(|_| !quiet) {
            let width = flat.net(input).width;
            // Quiet inputs, too.
            if rng.random_range(0..3) == 0 {
                continue;
            }
            let value = value(&mut rng, width);
            if width <= 64 && seed.is_multiple_of(2) {
                together.0.push(input);
                together.1.push(digits(&value, width)[0]);
            } else {
                engine.set_input(input, &digits(&value, width));
            }
            reference.set_input(input, &digits(&value, width));
        }
        engine.set_inputs(&together.0, &together.1);
        if !quiet && rng.random_range(0..8) == 0 && !flat.registers.is_empty() {
            let register = rng.random_range(0..flat.registers.len());
            let width = flat.net(flat.registers[register].net).width;
            let value = value(&mut rng, width);
            engine.set_register(register, &digits(&value, width));
            reference.set_register(register, &digits(&value, width));
        }
        if !quiet && rng.random_range(0..10) == 0 {
            let share = rng.random_range(0.0..1.0);
            // One of a few patterns, so that groups have several members, and some nodes that change often.
            let patterns: [Cycles; 4] = std::array::from_fn(|_| {
                std::array::from_fn(|_| rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>())
            });
            engine.shake(|| if rng.random_bool(share) { patterns[rng.random_range(0..4)] } else { [u64::MAX; 16] });
        }
        for index in 0..flat.nets.len() {
            let net = NetId(index as u32);
            // Sometimes nobody looks.
            if rng.random_range(0..4) != 0 {
                let (path, expected) = (&flat.net(net).path, reference.value(net));
                assert_eq!(engine.value(net), expected, "seed {seed}, cycle {cycle}, net {path}\n{}", text(flat));
            }
        }
        let place = format!("seed {seed}, cycle {cycle}");
        shown += usize::from(compare_shown(flat, &mut engine, &mut reference, &place));
        let reset = !quiet && rng.random_range(0..12) == 0;
        let before: Vec<Vec<u64>> = (0..flat.memories.len()).map(|m| engine.memory(m).to_vec()).collect();
        engine.forget_written();
        let more = if reset { 0 } else { rng.random_range(0..3) };
        if reset {
            engine.tick(true);
        } else {
            engine.run(1 + more);
        }
        for (m, (memory, before)) in flat.memories.iter().zip(&before).enumerate() {
            let limbs = memory.width.div_ceil(64) as usize;
            let written = engine.written(m).expect("the engine knows what it writes");
            for (word, (old, new)) in before.chunks(limbs).zip(engine.memory(m).chunks(limbs)).enumerate() {
                let told = written[word / 64] >> (word % 64) & 1 == 1;
                assert!(old == new || told, "seed {seed}, cycle {cycle}, memory {m}, word {word}\n{}", text(flat));
            }
        }
        reference.tick(reset);
        for _ in 0..more {
            reference.tick(false);
        }
        for index in 0..flat.registers.len() {
            assert_eq!(
                *engine.register(index),
                *reference.register(index),
                "seed {seed}, cycle {cycle}, register {index}\n{}",
                text(flat)
            );
        }
        beside.compare(flat, &engine, &mut rng, &place);
        for index in 0..flat.memories.len() {
            let expected = reference.memory(index);
            assert_eq!(engine.memory(index), expected, "seed {seed}, cycle {cycle}, memory {index}\n{}", text(flat));
        }
    }
    // Not before they were asked for often, nor in every cycle in which code was made.
    assert!(
        4 * (shown + 4) > cycles || engine.interpreted().is_some(),
        "seed {seed}: shown in {shown} of {cycles} cycles"
    );
}

fn step() -> impl Strategy<Value = Step> {
    (any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>())
}

/// Kinds of operations that a design may have: those of `Op` but leaves and constants.
const KINDS: [&str; 26] = [
    "And", "Or", "Xor", "AndNot", "Add", "Sub", "Mul", "Eq", "Ne", "Lt", "Le", "Mux", "Parity", "Bits", "Shl", "Shr",
    "Select", "SetBit", "Build", "Zext", "Sext", "Clamp", "Word", "AllOf", "NoneOf", "Gather",
];

/// Random designs. Every kind of operation must be among them.
#[test]
fn random_designs_agree_with_the_reference() {
    let config = ProptestConfig { cases: some_of(3000), failure_persistence: None, ..ProptestConfig::default() };
    let steps = |size| prop::collection::vec(step(), size);
    let designs = (steps(1..12), steps(0..60), steps(1..12), any::<u64>());
    let seen = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let compared = TestRunner::new(config).run(&designs, |(heads, steps, ends, seed)| {
        let flat = make(&heads, &steps, &ends);
        // In some of them, whatever is there twice has lanes.
        let engine = match seed % 16 {
            0 | 4 | 8 | 12 => Native::with_lanes(flat.clone(), 2),
            // Without a compiler.
            7 => Native::refused(flat.clone()),
            _ => Native::new(flat.clone()),
        };
        assert_eq!(engine.interpreted().is_some(), seed % 16 == 7);
        seen.borrow_mut().extend(engine.operations());
        compare(&flat, engine, seed, 40);
        Ok(())
    });
    compared.unwrap_or_else(|e| panic!("{e}"));
    let seen = seen.into_inner();
    let missing: Vec<&str> = KINDS.into_iter().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no design had {missing:?}");
}
