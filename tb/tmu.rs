//! The transpose memory unit: every tile of small words, random transfers with stalls and resets, natively and in other
//! simulators, in lock step with the model; what comes out, against a transposition by plain integers.

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lint::{quiet, simulators};
use bitline::kernel::mem::RamStyle;
use bitline::parts::tmu::{TILE_WORDS, Tiles, TmuParams, transpose_unit};
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require, some_of};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::lockstep::tmu::TmuLockstep;
use bitline::sim::model::tmu::{TmuInputs, Transfer};

/// A beat, and whether it is a transfer's last.
type Beat = (Vec<u64>, bool);

fn params(words: usize, bits: usize, tiles: Tiles) -> TmuParams {
    // Either kind of memory somewhere.
    let style = if words == 16 { RamStyle::Block } else { RamStyle::Distributed };
    TmuParams { words, bits, tiles, style }
}

/// How often each thing happened.
type Coverage = BTreeMap<&'static str, u64>;

/// A host that offers transfers and beats and takes beats, with pauses.
struct Host<E: Engine> {
    unit: TmuLockstep<E>,
    rng: ChaCha8Rng,
    words: usize,
    /// One chance in this many to offer, and to take.
    pace: (u32, u32),
    start: Option<Transfer>,
    beat: Option<Vec<u64>>,
    beats: VecDeque<Vec<u64>>,
    expected: VecDeque<Beat>,
    coverage: Coverage,
}

impl<E: Engine> Host<E> {
    fn new(engine: E, params: &TmuParams, seed: u64) -> Host<E> {
        Host {
            unit: TmuLockstep::new(engine, params.words as u16, params.bits as u16, seed),
            rng: ChaCha8Rng::seed_from_u64(seed),
            words: params.words,
            pace: (1, 1),
            start: None,
            beat: None,
            beats: VecDeque::new(),
            expected: VecDeque::new(),
            coverage: Coverage::new(),
        }
    }

    fn count(&mut self, what: &'static str, happened: bool) {
        *self.coverage.entry(what).or_default() += u64::from(happened);
    }

    /// Cycle with what is on offer; an offer stays until it is taken.
    fn cycle(&mut self) {
        let (offer, take) = (self.rng.random_range(0..self.pace.0) == 0, self.rng.random_range(0..self.pace.1) == 0);
        if self.beat.is_none() && offer {
            self.beat = self.beats.pop_front();
        }
        let inputs = TmuInputs { start: self.start, beat: self.beat.clone(), take };
        let outputs = self.unit.cycle(&inputs).unwrap_or_else(|d| panic!("{d}"));
        self.count("a beat waits to come in", inputs.beat.is_some() && !outputs.beat_ready);
        self.count("a beat waits to go out", outputs.beat.is_some() && !take);
        self.count("both tiles full", self.unit.model.tiles.iter().all(|t| t.full));
        self.count(
            "a beat in and one out",
            inputs.beat.is_some() && outputs.beat_ready && outputs.beat.is_some() && take,
        );
        self.count("refused", outputs.refused);
        if outputs.start_ready {
            self.start = None;
        }
        if outputs.beat_ready {
            self.beat = None;
        }
        if let Some(beat) = outputs.beat.filter(|_| take) {
            let beat = Some((beat.bits, beat.last));
            assert_eq!(beat, self.expected.pop_front(), "cycle {}", self.unit.cycle_count());
        }
    }

    /// Queues a transfer's beats, and what must come out; runs until the unit has taken the transfer.
    fn transfer(&mut self, transfer: Transfer, elements: &[u64]) {
        let Transfer { store, width, count } = transfer;
        let limbs = self.words.div_ceil(64);
        for (number, tile) in elements.chunks(self.words).enumerate() {
            let mut words: Vec<Vec<u64>> = tile.iter().map(|&e| vec![e]).collect();
            let mut slices = vec![vec![0; limbs]; width.into()];
            for (bit, slice) in slices.iter_mut().enumerate() {
                for (k, element) in tile.iter().enumerate() {
                    slice[k / 64] |= (element >> bit & 1) << (k % 64);
                }
            }
            words.iter_mut().for_each(|word| word.resize(limbs, 0));
            let all = (number + 1) * self.words >= usize::from(count);
            let (mut enter, leave) = if store { (slices, words) } else { (words, slices) };
            // What does not count may be anything.
            let used = if store { tile.len() } else { width.into() };
            enter.iter_mut().for_each(|beat| noise(beat, used, self.words, &mut self.rng));
            self.beats.extend(enter);
            let beats = leave.len();
            self.expected.extend(leave.into_iter().enumerate().map(|(i, beat)| (beat, all && i + 1 == beats)));
        }
        self.start = Some(transfer);
        while self.start.is_some() {
            self.cycle();
        }
    }

    fn finish(&mut self) {
        for _ in 0..100_000 {
            if self.expected.is_empty() && self.unit.model.filling.is_none() {
                return;
            }
            self.cycle();
        }
        panic!("beats stay inside");
    }
}

/// Fills bits from `used` up to `words` with anything.
fn noise(beat: &mut [u64], used: usize, words: usize, rng: &mut impl Rng) {
    for bit in used..words {
        beat[bit / 64] |= u64::from(rng.random::<bool>()) << (bit % 64);
    }
}

fn element(rng: &mut impl Rng, width: u8) -> u64 {
    rng.random::<u64>() >> (64 - u32::from(width))
}

/// Every tile with one bit, and with all but one, in both directions; then random ones.
fn every_bit<E: Engine>(engine: E, params: &TmuParams) {
    let mut host = Host::new(engine, params, 1);
    for store in [false, true] {
        for word in 0..params.words {
            for bit in 0..params.bits {
                let ones = u64::MAX >> (64 - params.bits);
                for inverted in [0, ones] {
                    let elements: Vec<u64> =
                        (0..params.words).map(|w| u64::from(w == word) << bit ^ inverted).collect();
                    let transfer = Transfer { store, width: params.bits as u8, count: params.words as u16 };
                    host.transfer(transfer, &elements);
                }
            }
        }
    }
    host.finish();
}

/// Transfers of all kinds with stalls on every port, refusals, and resets in their middle.
fn random<E: Engine>(engine: E, params: &TmuParams, seed: u64, transfers: usize) -> Coverage {
    println!("{params:?}, seed {seed}");
    let mut host = Host::new(engine, params, seed);
    for _ in 0..transfers {
        host.pace = (host.rng.random_range(1..4), host.rng.random_range(1..4));
        let store = host.rng.random();
        if host.rng.random_range(0..8) == 0 {
            let (width, count) = [(0, 1), (params.bits as u8 + 1, 1), (1, 0)][host.rng.random_range(0..3)];
            host.start = Some(Transfer { store, width, count });
            while host.start.is_some() {
                host.cycle();
            }
            continue;
        }
        let width = host.rng.random_range(1..=params.bits as u8);
        let count = host.rng.random_range(1..=3 * params.words as u16 + 1);
        let elements: Vec<u64> = (0..count).map(|_| element(&mut host.rng, width)).collect();
        host.transfer(Transfer { store, width, count }, &elements);
        if host.rng.random_range(0..10) == 0 {
            (0..host.rng.random_range(0..20)).for_each(|_| host.cycle());
            host.unit.reset(&TmuInputs::default()).unwrap_or_else(|d| panic!("{d}"));
            host.beats.clear();
            host.expected.clear();
            host.beat = None;
        }
    }
    host.finish();
    host.coverage
}

fn sizes() -> impl Iterator<Item = TmuParams> {
    let sizes = TILE_WORDS.into_iter().flat_map(|words| [8, 16, 32, 64].map(|bits| (words, bits)));
    let legal = sizes.filter(|(words, bits)| bits <= words);
    legal.flat_map(|(words, bits)| [Tiles::Flop, Tiles::Rotated].map(|tiles| params(words, bits, tiles)))
}

#[test]
fn every_register_is_compared() {
    for tiles in [Tiles::Flop, Tiles::Rotated] {
        let params = params(8, 8, tiles);
        let unit = TmuLockstep::new(engine(&transpose_unit(&params).expect("legal")), 8, 8, 1);
        assert_eq!(unit.unseen(), Vec::<&str>::new(), "{params:?}");
    }
}

#[test]
fn every_bit_of_the_smallest() {
    for tiles in [Tiles::Flop, Tiles::Rotated] {
        let params = params(8, 8, tiles);
        every_bit(engine(&transpose_unit(&params).expect("legal")), &params);
    }
}

#[test]
fn every_size_natively() {
    for params in sizes() {
        let netlist = transpose_unit(&params).expect("legal");
        let transfers = if params.words > 256 {
            3
        } else if params.words > 64 {
            some_of(12, 2)
        } else {
            some_of(60, 2)
        };
        let coverage = random(engine(&netlist), &params, 7, transfers);
        if params.words == 16 {
            assert!(coverage.values().all(|&count| count > 0), "{params:?}: {coverage:?}");
        }
    }
}

#[test]
fn verilator_and_icarus() {
    for (words, bits) in [(8, 8), (16, 8), (64, 64)] {
        for tiles in [Tiles::Flop, Tiles::Rotated] {
            let params = params(words, bits, tiles);
            let netlist = transpose_unit(&params).expect("legal");
            if require("verilator").is_some() {
                let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
                random(model, &params, 3, 60);
            }
            if require("iverilog").is_some() && words < 64 {
                let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
                random(model, &params, 3, 8);
            }
        }
    }
}

#[test]
fn tools_are_quiet() {
    for params in sizes().filter(|p| [8, 16, 64].contains(&p.words)) {
        let netlist = transpose_unit(&params).expect("legal");
        let said = if params.words < 64 || deep() { quiet(&netlist) } else { simulators(&netlist) };
        said.unwrap_or_else(|e| panic!("{params:?}: {e}"));
    }
}

/// With elements as wide as a tile is long, a beat goes in and one comes out in every cycle.
#[test]
fn streams_at_full_rate() {
    for tiles in [Tiles::Flop, Tiles::Rotated] {
        for store in [false, true] {
            let params = params(64, 64, tiles);
            let mut host = Host::new(engine(&transpose_unit(&params).expect("legal")), &params, 5);
            let elements: Vec<u64> = (0..64 * 20).map(|_| element(&mut host.rng, 64)).collect();
            host.transfer(Transfer { store, width: 64, count: elements.len() as u16 }, &elements);
            let begin = host.unit.cycle_count();
            host.finish();
            // A tile of latency, and a cycle for the read.
            assert_eq!(host.unit.cycle_count() - begin, 64 * 20 + 64 + 1, "{tiles:?} store {store}");
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    for (words, bits, name) in
        [(0, 8, "words"), (24, 8, "words"), (8, 16, "bits"), (64, 12, "bits"), (256, 128, "bits")]
    {
        let error = transpose_unit(&params(words, bits, Tiles::Flop)).map(|_| ()).expect_err("not legal").to_string();
        assert!(error.starts_with(&format!("{name} = ")), "{error}");
    }
}
