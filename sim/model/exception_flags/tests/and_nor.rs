//! Programs that are made for `AndNor` columns report what those that they are made of do.

use super::others::{COMPARISONS, fused, on_one, reports};
use super::*;
use crate::tests::memories;

/// A design for each set.
fn designs(memory: Memory) -> [Params; 3] {
    let latches = vec![Latch::Hold, Latch::Delay];
    [Set::Fast, Set::Skip, Set::Baseline].map(|set| {
        let params = params(memory, 2);
        Params { sensing: Sensing::AndNor, latches: latches.clone(), sets: vec![set], ..params }
    })
}

#[test]
fn every_pair_on_and_nor() {
    let [fast, skip, baseline] = designs(Memory::Behavioural);
    for opcode in [Opcode::FAdd, Opcode::FMul, Opcode::FDiv] {
        every_pair(&fast, E5M2, opcode);
        every_pair(&skip, E4M3, opcode);
        every_pair(&baseline, E5M2, opcode);
    }
}

/// All pairs of factors, with a third number at random, or all triples, as with two ports.
#[test]
fn every_pair_of_factors_on_and_nor() {
    let seed = 74;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for params in designs(Memory::Behavioural) {
        for format in [E5M2, E4M3] {
            fused(&params, &params.sets, format, &mut rng);
        }
    }
}

#[test]
fn structured_operands_on_and_nor() {
    let seed = 73;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let forms = || ROUNDED.into_iter().chain(COMPARISONS).flat_map(Form::all).chain(on_one());
    for params in memories(Memory::BlockRam).into_iter().flat_map(designs) {
        let mut unit = ComputeUnit::new(&params);
        for form in forms() {
            for mode in modes(form.opcode) {
                let case = Case { params: &params, form, set: params.sets[0], key: mode.key() };
                check_or_shown(&case, &mut unit, &numbers(form, &mut rng));
            }
        }
    }
}

#[test]
fn a_wrong_report_in_any_row_on_and_nor_is_noticed() {
    let [fast, ..] = designs(Memory::Behavioural);
    let (tried, missed) = mutants::mutants(&fast, reports);
    assert!(tried > 600 && missed.is_empty(), "{tried} mutants, missed {missed:?}");
}

#[test]
fn a_design_has_all_sets() {
    let [fast, ..] = designs(Memory::Behavioural);
    let params = Params { sets: Set::ALL.to_vec(), ..fast };
    params.check().unwrap_or_else(|e| panic!("{e}"));
    every_pair(&params, E5M2, Opcode::FAdd);
}
