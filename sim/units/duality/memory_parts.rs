//! Blocks of the memory unit, each alone beside its model: inputs at random, as far as its contract lets them come, and
//! resets; everything is compared in every cycle.

use bitline_units::duality::DualityParams;
use bitline_units::duality::blocks::duality_memory_parts;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{GENERIC_SHARED, Special};
use bitline_units::duality::isa::field::{IMMEDIATE, MEMORY_OP};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, engine};
use crate::kernel::netlist::Netlist;
use crate::lockstep::driver::{Driver, Unit};
use crate::model::duality::memory::answers::{Answers, AnswersInputs};
use crate::model::duality::memory::chosen::{Chosen, ChosenInputs};
use crate::model::duality::memory::float_add::{FloatAdd, FloatAddInputs};
use crate::model::duality::memory::look::{Look, LookInputs, LookItem};
use crate::model::duality::memory::sequence::{Doing, Sequence, SequenceInputs};
use crate::model::duality::memory::spill::{Spill, SpillInputs};
use crate::model::duality::memory::store_merge::{StoreMerge, StoreMergeInputs};
use crate::model::duality::memory::threads::{LaunchPorts, Threads, ThreadsInputs};
use crate::model::duality::memory::translate::{Item, Translate, TranslateInputs};

mod access;

fn design(columns: usize, banks: usize) -> DualityParams {
    DualityParams { columns, banks, ..DualityParams::preset("tiny").expect("it is there") }
}

/// Runs a block for so many cycles. `inputs` makes those of a cycle from the model, and what was shown in the last
/// one; nothing behind a reset.
fn play<U: Unit<Params = ()>>(
    name: &str,
    params: &DualityParams,
    model: U,
    seed_and_cycles: (u64, u64),
    inputs: impl FnMut(&mut ChaCha8Rng, &U, Option<U::Outputs>) -> U::Inputs,
) {
    play_one(duality_memory_parts(params).expect("legal"), name, model, seed_and_cycles, inputs);
}

/// The same with the block of this name among others.
pub(super) fn play_one<U: Unit<Params = ()>>(
    parts: Vec<(&str, Netlist)>,
    name: &str,
    model: U,
    (seed, cycles): (u64, u64),
    mut inputs: impl FnMut(&mut ChaCha8Rng, &U, Option<U::Outputs>) -> U::Inputs,
) {
    println!("{name}: seed {seed}");
    let (_, netlist) = parts.into_iter().find(|part| part.0 == name).expect("it is a part");
    let mut block = Driver::around(engine(&netlist), model, (), seed);
    assert_eq!(block.unseen(), Vec::<&str>::new(), "not compared");
    assert_eq!(block.counts()[2], block.engine.design().outputs.len(), "outputs of {name}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut shown = None;
    while block.cycle_count() < cycles {
        let inputs = inputs(&mut rng, &block.model, shown.take());
        if rng.random_ratio(1, 1000) {
            block.reset(&inputs).unwrap_or_else(|d| panic!("{name}: {d}"));
        } else {
            shown = Some(block.cycle(&inputs).unwrap_or_else(|d| panic!("{name}: {d}")));
        }
    }
}

#[test]
fn duality_stores_in_a_word_are_merged() {
    let mut both = 0;
    play("store_merge", &design(8, 1), StoreMerge::default(), (1, 30_000), |rng, merge: &StoreMerge, _| {
        let (number, drop) = (rng.random_range(0..3), rng.random_ratio(1, 16));
        let sent = merge.held.is_some() && rng.random();
        let put = (merge.shown(number).fits || sent) && !drop && rng.random();
        both += u64::from(put && sent);
        StoreMergeInputs { number, data: rng.random(), strobes: rng.random(), put, sent, drop }
    });
    assert!(both > 0, "a word leaves as the next one comes");
}

#[test]
fn duality_lines_are_in_use_one_behind_the_other() {
    let (mut most, mut at_once) = (0, 0);
    play("answers", &design(8, 1), Answers::default(), (11, 30_000), |rng, answers: &Answers, _| {
        let waiting = answers.waiting();
        let comes = (waiting < 16 && rng.random()).then(|| std::array::from_fn(|_| rng.random()));
        let wants = rng.random_ratio(1 + u32::from(waiting > 8), 4);
        most = most.max(waiting);
        at_once += u64::from(comes.is_some() && wants && waiting == 0);
        let from = rng.random::<bool>().then(|| rng.random_range(0..8));
        AnswersInputs { comes, wants, from }
    });
    assert!(most > 8 && at_once > 0, "many wait ({most}), some do not ({at_once})");
}

#[test]
fn duality_sums_of_floats_take_the_cycles_that_they_need() {
    let mut flush = false;
    let mut last: u32 = 0;
    play("float_add", &design(8, 1), FloatAdd::default(), (2, 100_000), |rng, sum: &FloatAdd, _| {
        let mut inputs = FloatAddInputs { start: None, flush };
        if !sum.busy() {
            flush = rng.random();
            let a = rng.random::<u32>() & [u32::MAX, 0x807f_ffff, 0x81ff_ffff][rng.random_range(0..3)];
            let near = last ^ 1 << 31 ^ rng.random_range(0..16) ^ rng.random_range(0..32) << 23;
            let b = if rng.random() { near } else { rng.random() };
            inputs = FloatAddInputs { start: rng.random::<bool>().then_some((a, b)), flush };
            last = if rng.random() { a } else { b };
        }
        inputs
    });
}

#[test]
fn duality_threads_of_a_group_are_chosen() {
    for (columns, seed) in [(8, 3), (128, 4)] {
        play("chosen", &design(columns, 1), Chosen::new(columns), (seed, 20_000), |rng, _: &Chosen, _| {
            let turn: bool = rng.random();
            let mut row: Vec<u64> = (0..columns.div_ceil(64)).map(|_| rng.random()).collect();
            row[columns.div_ceil(64) - 1] &= u64::MAX >> (64 - columns.min(64));
            let unless = rng.random();
            let all = !turn && rng.random_ratio(1, 8);
            let comes = (!turn && !all && rng.random_ratio(1, 4)).then_some((row, unless));
            ChosenInputs { all, comes, turn, given: rng.random::<bool>().then(|| rng.random()) }
        });
    }
}

#[test]
fn duality_walks_are_where_division_says() {
    let (mut launch, mut begins) = (LaunchPorts::default(), false);
    play("threads", &design(8, 1), Threads::default(), (5, 60_000), |rng, _: &Threads, shown| {
        let mut inputs = ThreadsInputs { first: begins || rng.random_ratio(1, 200), ..Default::default() };
        begins = !inputs.first && rng.random_ratio(1, 100);
        if begins {
            let count =
                |rng: &mut ChaCha8Rng| [rng.random_range(1..3), rng.random_range(1..20)][rng.random_range(0..2)];
            let wave = [0; 3].map(|_: u32| rng.random_range(0..4));
            launch = LaunchPorts {
                block: [0; 3].map(|_: u16| count(rng)),
                grid: wave.map(|from| from + rng.random_range(1..3)),
                at_once: count(rng),
                shared_base: rng.random(),
                shared_bytes: rng.random_range(0..1000),
            };
            inputs.wave = Some(wave);
        }
        // A launch has come a cycle before the first step.
        inputs.step = shown.is_some() && !begins && !rng.random_ratio(1, 4);
        inputs.special = Special::ALL[rng.random_range(0..Special::ALL.len())].code() as u8;
        ThreadsInputs { launch, ..inputs }
    });
}

/// An address near what is special: windows, pages, ends of both.
fn address(rng: &mut ChaCha8Rng) -> u32 {
    let from = [0, GENERIC_SHARED, 0x1_0000, rng.random()][rng.random_range(0..4)];
    from.wrapping_add(rng.random_range(0..600)).wrapping_sub(20)
}

fn table(rng: &mut ChaCha8Rng) -> Vec<u64> {
    (0..256).map(|_| u64::from(entry(rng))).collect()
}

fn entry(rng: &mut ChaCha8Rng) -> u32 {
    let tags = [0, 0, 0xff, rng.random::<u32>() & 0x3fff];
    rng.random::<u32>() & 0xffff | rng.random::<u32>() & 3 << 30 | tags[rng.random_range(0..4)] << 16
}

#[test]
fn duality_addresses_are_translated() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let model = Translate::new(table(&mut rng));
    play("translate", &design(8, 1), model, (6, 60_000), |rng, _: &Translate, _| TranslateInputs {
        page: rng.random_ratio(1, 16).then(|| (rng.random_range(0..4), entry(rng))),
        space: rng.random_range(0..4),
        element: rng.random_range(0..4),
        writes: rng.random(),
        shared_bytes: rng.random_range(0..500),
        advance: rng.random_range(0..4) > 0,
        item: (rng.random_range(0..4) > 0).then(|| Item {
            chosen: rng.random(),
            address: address(rng),
            window: [0x2_0000, rng.random()][rng.random_range(0..2)],
            thread: rng.random_range(0..4096),
        }),
    });
}

#[test]
fn duality_addresses_are_looked_at() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let model = Look::new(table(&mut rng));
    let mut word = LookInputs::default();
    play("look", &design(8, 1), model, (7, 100_000), |rng, look: &Look, shown| {
        if shown.is_none_or(|shown| shown.empty && !shown.turn && rng.random_ratio(1, 8)) {
            let any = u128::from(rng.random::<u64>()) | u128::from(rng.random::<u64>()) << 64;
            let start = [0, 0, 64 * rng.random_range(0..4)][rng.random_range(0..3)];
            word = LookInputs {
                shared_bytes: rng.random_range(0..500),
                word: Word(any).with(IMMEDIATE, start).with(MEMORY_OP, rng.random_range(0..3)),
                scalar: rng.random_range(0..100),
                begin: rng.random_ratio(7, 8),
                spills: rng.random_ratio(1, 4),
                log_piece: rng.random_range(0..4),
                direct: rng.random_ratio(1, 4),
                ..LookInputs::default()
            };
            word.direct &= !word.spills;
            word.numbers = word.spills && rng.random();
            return word;
        }
        let item = LookItem {
            there: rng.random_range(0..8) > 0,
            chosen: rng.random_range(0..8) > 0,
            element: address(rng),
            thread: rng.random_range(0..4096),
            window: 0x2_0000,
            piece_address: address(rng),
        };
        let item = (rng.random_range(0..4) > 0).then_some(item);
        let mut inputs = LookInputs { begin: false, item, hint_ready: rng.random(), ..word };
        inputs.direct_goes = inputs.direct && look.shown(&inputs).place.is_some() && rng.random();
        inputs
    });
}

#[test]
fn duality_spill_rows_wait_in_their_order() {
    for (columns, banks, seed) in [(8, 1, 8), (32, 3, 9), (256, 4, 10), (128, 3, 11)] {
        let params = design(columns, banks);
        let limbs = columns.div_ceil(64);
        let row = |rng: &mut ChaCha8Rng| -> Vec<u64> {
            (0..limbs).map(|_| rng.random::<u64>() & u64::MAX >> (64 - columns.min(64))).collect()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = Spill::new(&params, (0..64).map(|_| row(&mut rng)).collect());
        let mut word = SpillInputs::default();
        // Groups left; pieces that may come and go; whether they do, or rows.
        let (mut groups, mut comes, mut goes, mut by_piece) = (0, 0, 0, [false; 2]);
        play("spill", &params, model, (seed, 40_000), |rng, spill: &Spill, shown| {
            let reset = shown.is_none();
            let mut inputs = SpillInputs { rows: word.rows.max(1), ..word.clone() };
            if reset || rng.random_ratio(1, 400) {
                word = SpillInputs {
                    arrays: rng.random_range(0..3),
                    first_row: if rng.random() { rng.random_range(0..300) } else { rng.random() },
                    rows: [rng.random_range(1..=64), rng.random_range(1..=5)][rng.random_range(0..2)],
                    base: rng.random(),
                    there: rng.random_range(0..400),
                    ..SpillInputs::default()
                };
                groups = banks << word.arrays;
                (comes, goes) = (0, 0);
                return SpillInputs { begin: true, ..word.clone() };
            }
            let left = spill.shown(&inputs).piece_at.is_some();
            if groups > 0 && rng.random_ratio(1, if left { 200 } else { 20 }) {
                groups -= 1;
                word.by_group = true;
                by_piece = [rng.random(), rng.random()];
                comes = u64::from(inputs.rows) * if by_piece[0] { limbs as u64 } else { 1 };
                goes = 0;
                return SpillInputs { begin_group: true, ..inputs };
            }
            inputs.step = left && rng.random();
            if comes > 0 && rng.random() {
                comes -= 1;
                if by_piece[0] {
                    inputs.give = Some(rng.random());
                } else {
                    inputs.push = Some(row(rng));
                }
                goes += if by_piece[0] == by_piece[1] { 1 } else { 0 };
            } else if goes > 0 && rng.random() {
                goes -= 1;
                inputs.take = by_piece[1];
                inputs.pop = !by_piece[1];
            }
            inputs
        });
    }
}

#[test]
fn duality_memory_sequences_follow_what_they_are_told() {
    let mut word = SequenceInputs::default();
    let mut states = [0; Doing::COUNT];
    play("sequence", &design(8, 1), Sequence::default(), (12, 200_000), |rng, sequence: &Sequence, _| {
        states[sequence.doing as usize] += 1;
        let mut inputs = word;
        if sequence.doing == Doing::Idle {
            word = SequenceInputs {
                groups: rng.random_range(1..=16),
                columns: rng.random_range(1..=4),
                spills: rng.random_ratio(1, 4),
                all: rng.random(),
                by_row: rng.random(),
                writes: rng.random(),
                ..SequenceInputs::default()
            };
            if rng.random_ratio(1, 2) {
                word.groups = rng.random_range(1..=2);
            }
            word.stores = word.writes && rng.random();
            word.compares = word.writes && !word.stores && rng.random();
            inputs = word;
            inputs.fill = rng.random_ratio(1, 8);
        }
        let trap = if rng.random_ratio(1, 64) { rng.random_range(1..20) } else { 0 };
        let mut often = || rng.random_range(0..4) > 0;
        SequenceInputs {
            valid: often(),
            last_piece: often(),
            full: often(),
            sent: often(),
            last_row: often(),
            start_ready: often(),
            offers: often(),
            is_element: often(),
            takes: often(),
            tmu_busy: often(),
            look_turn: often(),
            looked: often(),
            do_turn: often(),
            done: often(),
            settles: often(),
            special_there: often(),
            beyond: rng.random_ratio(1, 8),
            failed: rng.random_ratio(1, 16),
            trap,
            ..inputs
        }
    });
    println!("{states:?}");
    assert!(states.iter().all(|&count| count > 0), "{states:?}");
}
