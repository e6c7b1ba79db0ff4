//! Applications of the compute cache, natively and under Verilator, against plain Rust and published values.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline::compute_cache::CacheGeometry;
use bitline::compute_cache::blocks::compute_cache;
use bitline::sim::engine::Engine;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::compute_cache::apps::bitmaps::{BitmapIndex, Query};
use bitline::sim::units::compute_cache::apps::ghash::{Ghash, VECTORS, bytes};
use bitline::sim::units::compute_cache::apps::matrix::{BitMatrix, multiply};
use bitline::sim::units::compute_cache::apps::words::{count, find, split};
use bitline::sim::units::compute_cache::machine::CacheMachine;

/// The first chapter of a novel.
const TEXT: &str = include_str!("../examples/data/novel.txt");

/// Small, but with room for a dictionary.
fn geometry() -> CacheGeometry {
    CacheGeometry {
        name: "applications".into(),
        rows: 256,
        banks: 4,
        issue: 4,
        ..CacheGeometry::preset("l1").expect("named")
    }
}

fn words<E: Engine>(machine: &mut CacheMachine<E>, most: usize) {
    let mut words = split(TEXT);
    words.truncate(most);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    words.iter().for_each(|word| *expected.entry(word.clone()).or_default() += 1);
    assert_eq!(count(machine, &words).expect("it fits").counts, expected);
    for wanted in ["bennet", "it", "acknowle", "nowhere"] {
        let places: Vec<usize> = (0..words.len()).filter(|&i| words[i] == wanted).collect();
        assert_eq!(find(machine, &words, wanted).expect("short"), places, "{wanted}");
    }
}

fn bitmaps<E: Engine>(machine: &mut CacheMachine<E>) {
    let records = split(TEXT);
    let kinds: [fn(&str) -> bool; 4] =
        [|w| w.len() > 4, |w| w.starts_with('m'), |w| w.contains('e'), |w| w.ends_with('s')];
    let bitmaps: Vec<Vec<bool>> = kinds.iter().map(|kind| records.iter().map(|w| kind(w)).collect()).collect();
    let index = BitmapIndex::load(machine, &bitmaps).expect("it fits");
    let [long, m, e, s] = [0, 1, 2, 3].map(Query::Bitmap);
    let query =
        long.clone().and(m.clone().or(s.clone().and(e.clone().negated()))).or(m.negated().and(s.negated()).and(e));
    let expected: Vec<usize> = (0..records.len())
        .filter(|&i| {
            let [long, m, e, s] = kinds.map(|kind| kind(&records[i]));
            long && (m || s && !e) || !m && !s && e
        })
        .collect();
    assert_eq!(index.query(machine, &query).expect("it fits").0, expected);
    assert!(index.query(machine, &Query::Bitmap(4)).is_err());
}

fn matrices<E: Engine>(machine: &mut CacheMachine<E>, sizes: &[usize]) {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for &size in sizes {
        let [a, b] = [0, 1].map(|_| BitMatrix::from_bits(size, |_, _| rng.random()));
        let product = multiply(machine, &a, &b).expect("legal");
        let expected =
            BitMatrix::from_bits(size, |i, j| (0..size).filter(|&k| a.bit(i, k) && b.bit(k, j)).count() % 2 == 1);
        assert!(product == expected, "{size}");
    }
}

fn ghash<E: Engine>(machine: &mut CacheMachine<E>) {
    for case in &VECTORS {
        let [additional, cipher, counter, tag] = [case.additional, case.cipher, case.counter, case.tag].map(bytes);
        let ghash = Ghash::load(machine, &bytes(case.key).try_into().expect("16 bytes")).expect("it fits");
        let hash = ghash.hash(machine, &additional, &cipher).expect("hardware and model agree");
        let actual: Vec<u8> = hash.iter().zip(counter).map(|(h, c)| h ^ c).collect();
        assert_eq!(actual, tag);
    }
}

#[test]
fn applications_natively() {
    let mut machine = CacheMachine::native(&geometry(), 1).expect("legal");
    words(&mut machine, usize::MAX);
    bitmaps(&mut machine);
    matrices(&mut machine, &[64, 128, 256]);
    ghash(&mut machine);
}

#[test]
fn applications_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let netlist = compute_cache(&geometry()).expect("legal");
    let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut machine = CacheMachine::around(model, &geometry(), 2);
    words(&mut machine, 60);
    bitmaps(&mut machine);
    matrices(&mut machine, &[64]);
    ghash(&mut machine);
}

#[test]
fn what_does_not_fit_is_refused() {
    let tiny = CacheGeometry::preset("tiny").expect("named");
    let mut machine = CacheMachine::native(&tiny, 1).expect("legal");
    assert!(count(&mut machine, &split("a word")).is_err());
    let small = CacheGeometry { rows: 2, ..CacheGeometry::preset("l1").expect("named") };
    let mut machine = CacheMachine::native(&small, 1).expect("legal");
    assert!(Ghash::load(&mut machine, &[1; 16]).is_err());
    assert!(BitmapIndex::load(&mut machine, &[vec![true], vec![]]).is_err());
    let unit = |size| BitMatrix::from_bits(size, |i, j| i == j);
    assert!(multiply(&mut machine, &unit(64), &unit(128)).is_err());
}
