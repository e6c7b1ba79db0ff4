//! The crossbar alone, and its blocks, beside their models: random words with rows that come at any time, compared in
//! every cycle.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{Kind, MemoryOp, Predicate, Source, Space};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::passes::MemoryStep;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, Lookup};
use crate::model::duality::crossbar::Bits;
use crate::model::duality::crossbar::unit::{Crossbar, CrossbarInputs};

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossbarCoverage {
    /// Words, by their operation.
    pub words: [u64; 16],
    /// Threads that got their own number because there is none of that number, and those that got another's.
    pub named: [u64; 2],
    /// Rows of results, and cycles.
    pub rows: u64,
    /// See `rows`.
    pub cycles: u64,
    /// Words of memory that are none of the crossbar's.
    pub others: u64,
}

impl CrossbarCoverage {
    /// Whether every operation was met, and threads that name one of their segment and none.
    pub fn all(&self) -> bool {
        let ops = MemoryOp::ALL.iter().filter(|&&op| op == MemoryOp::Load || op.reduces());
        let mut counts = ops.map(|op| self.words[op.code() as usize]);
        counts.all(|count| count > 0) && self.named.iter().all(|&count| count > 0) && self.others > 0
    }
}

/// A block that is driven by the names of its ports.
pub struct Block<E: Engine> {
    /// What runs it.
    pub engine: E,
}

impl<E: Engine> Block<E> {
    /// The block out of reset, all inputs 0; memories hold anything.
    pub fn new(mut engine: E, rng: &mut ChaCha8Rng) -> Block<E> {
        let memories: Vec<(usize, u32)> = engine.design().memories.iter().map(|m| (m.depth, m.width)).collect();
        for (at, (depth, width)) in memories.into_iter().enumerate() {
            for word in 0..depth {
                let mut value: Vec<u64> = (0..(width as usize).div_ceil(64)).map(|_| rng.random()).collect();
                if let Some(last) = value.last_mut().filter(|_| width % 64 > 0) {
                    *last &= (1 << (width % 64)) - 1;
                }
                engine.set_word(at, word, &value);
            }
        }
        engine.design().inputs.clone().into_iter().for_each(|net| {
            let limbs = (engine.design().nets[net.0 as usize].width as usize).div_ceil(64);
            engine.set_input(net, &vec![0; limbs]);
        });
        engine.tick(true);
        Block { engine }
    }

    fn set(&mut self, name: &str, value: &[u64]) {
        let net = self.engine.design().find_net(name).unwrap_or_else(|| panic!("there is no {name}"));
        self.engine.set_input(net, value);
    }

    fn row(&mut self, name: &str, row: &[bool]) {
        let limbs = row.chunks(64).map(|bits| bits.iter().rfold(0, |all, bit| all << 1 | u64::from(*bit)));
        self.set(name, &limbs.collect::<Vec<_>>());
    }

    fn get(&mut self, name: &str) -> u64 {
        let net = self.engine.design().find_net(name).unwrap_or_else(|| panic!("there is no {name}"));
        self.engine.low(net)
    }

    fn bits(&mut self, name: &str, count: usize) -> Bits {
        let net = self.engine.design().find_net(name).unwrap_or_else(|| panic!("there is no {name}"));
        let value = self.engine.value(net);
        (0..count).map(|bit| value[bit / 64] >> (bit % 64) & 1 == 1).collect()
    }
}

/// A random row.
fn any(rng: &mut ChaCha8Rng, columns: usize) -> Bits {
    let share = [1, 4, 7][rng.random_range(0..3)];
    (0..columns).map(|_| rng.random_range(0..8) < share).collect()
}

/// A word of the crossbar, which is this one in fields that do not matter.
pub(super) fn word(word: Word, rng: &mut ChaCha8Rng, columns: usize) -> Word {
    let ops: Vec<MemoryOp> = MemoryOp::ALL.iter().copied().filter(|op| op.reduces()).collect();
    let op = if rng.random() { MemoryOp::Load } else { ops[rng.random_range(0..ops.len())] };
    let rows = [rng.random_range(1..=64), rng.random_range(1..=6)][rng.random_range(0..2)];
    let mut word = word.with(KIND, Kind::Memory.code()).with(SPACE, Space::Bank.code()).with(MEMORY_OP, op.code());
    word = word.with(S, rng.random_range(0..=u64::from(columns.ilog2()))).with(WIDTH, rows - 1);
    word = word.with(PREDICATE, Predicate::ALL[rng.random_range(0..4)].code()).with(DATA_SLOT, rng.random_range(0..4));
    word = word.with(SLOT, rng.random_range(0..4));
    if op == MemoryOp::Load {
        word = word.with(SOURCE, Source::ALL[rng.random_range(0..4)].code());
        let near = rng.random_range(0..2 * columns as u64 + 8).wrapping_sub(8) & 0xffff_ffff;
        word = word.with(IMMEDIATE, if rng.random_ratio(1, 8) { rng.random::<u32>().into() } else { near });
        word = word.with(WIDTH_A, if rng.random() { rng.random_range(0..32) } else { rng.random_range(0..9) });
    }
    word
}

/// What threads ask for with a word: most name a place at the edges of what is there.
pub(super) fn place(word: Word, scalar: u32, rng: &mut ChaCha8Rng, addresses: &mut [u32]) {
    let sum = word.get(SOURCE) == Source::Indexed.code();
    let offset = (word.get(IMMEDIATE) as u32).wrapping_add(if sum { scalar } else { 0 });
    for address in addresses {
        let place: u32 = rng.random_range(0..(1 << word.get(S)) + 4u32).wrapping_sub(2);
        *address = if rng.random_ratio(1, 8) { rng.random() } else { place.wrapping_sub(offset) };
    }
}

/// What stands for the control block.
enum Port {
    /// No word waits, for so many cycles more.
    Idle(u64),
    /// A word waits for a step.
    Waits,
    /// So many cycles pass, then rows of a step come or are taken; how many are done.
    Rows(u64, MemoryStep, u64),
}

/// Runs so many words.
///
/// # Panics
/// If the crossbar shows something else than its model.
pub fn run<E: Engine>(engine: E, params: &DualityParams, seed: u64, words: u64) -> CrossbarCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut block = Block::new(engine, &mut rng);
    let mut model = Crossbar::new(params);
    let columns = params.columns;
    let mut covered = CrossbarCoverage::default();
    let (mut port, mut word_here, mut scalar, mut groups) = (Port::Idle(2), Word::default(), 0, 1);
    let mut addresses: Vec<u32> = vec![0; columns];
    let (mut done, mut other) = (0, false);
    while done < words {
        let told = |covered: &CrossbarCoverage| format!("seed {seed}, cycle {}, word {word_here}", covered.cycles);
        let mut inputs = CrossbarInputs { groups, ..CrossbarInputs::default() };
        let mut row = any(&mut rng, columns);
        match &mut port {
            Port::Idle(0) => {
                groups = rng.random_range(1..=4);
                scalar = if rng.random() { rng.random() } else { rng.random_range(0..4) };
                word_here = word(Word::default(), &mut rng, columns);
                other = rng.random_ratio(1, 8);
                if other {
                    word_here = word_here.with(SPACE, Space::Global.code());
                }
                port = Port::Waits;
                continue;
            }
            Port::Idle(left) => *left -= 1,
            Port::Waits => inputs.word = Some((word_here, scalar)),
            Port::Rows(0, MemoryStep::Result, _) => inputs.taken = true,
            Port::Rows(0, step, at) => {
                if *step == MemoryStep::Address {
                    if *at == 0 {
                        place(word_here, scalar, &mut rng, &mut addresses);
                    }
                    row = addresses.iter().map(|address| address >> *at & 1 == 1).collect();
                }
                inputs.sent = Some(row.clone());
            }
            Port::Rows(left, ..) => *left -= 1,
        }
        let limbs = |word: Word| [word.0 as u64, (word.0 >> 64) as u64];
        let garbage = Word(u128::from(rng.random::<u64>()) << 64 | u128::from(rng.random::<u64>()));
        block.set("valid", &[inputs.word.is_some().into()]);
        block.set("word", &limbs(inputs.word.map_or(garbage, |word| word.0)));
        block.set("scalar", &[inputs.word.map_or(rng.random::<u32>(), |word| word.1).into()]);
        block.set("groups", &[groups]);
        block.set("sent", &[inputs.sent.is_some().into()]);
        block.set("taken", &[inputs.taken.into()]);
        block.row("row", &row);
        let expected = model.shown(&inputs);
        let asked = block.get("asked");
        assert_eq!(block.get("mine") == 1, expected.mine, "mine: {}", told(&covered));
        assert_eq!(block.get("busy") == 1, expected.busy, "busy: {}", told(&covered));
        assert_eq!(asked, expected.asked.map_or(0, |step| step as u64), "asked: {}", told(&covered));
        if let Some((group, slot)) = expected.rows {
            assert_eq!([block.get("group"), block.get("slot")], [group, slot], "group, slot: {}", told(&covered));
        }
        let (sends, takes) = (inputs.sent.is_some(), inputs.taken);
        if let Some((offered, places)) = expected.offered.filter(|_| takes) {
            let chosen = |row: Bits| row.iter().zip(&places).map(|(bit, place)| bit & place).collect::<Bits>();
            assert_eq!(block.bits("places", columns), places, "places: {}", told(&covered));
            let is = chosen(block.bits("offered", columns));
            assert_eq!(is, chosen(offered), "offered: {}", told(&covered));
            covered.rows += 1;
        }
        port = match port {
            Port::Waits if other && rng.random() => {
                covered.others += 1;
                Port::Idle(rng.random_range(0..4))
            }
            Port::Waits => match expected.asked {
                Some(MemoryStep::End) => {
                    covered.words[word_here.get(MEMORY_OP) as usize] += 1;
                    done += 1;
                    Port::Idle(rng.random_range(0..4))
                }
                Some(step) => Port::Rows(rng.random_range(1..4), step, 0),
                None => Port::Waits,
            },
            Port::Rows(0, step, at) if sends || takes => {
                let count = match step {
                    MemoryStep::Address => word_here.get(WIDTH_A) + 1,
                    MemoryStep::Data | MemoryStep::Result => word_here.get(WIDTH) + 1,
                    _ => 1,
                };
                match at + 1 == count {
                    true => Port::Waits,
                    false => Port::Rows(if rng.random_ratio(1, 16) { 1 } else { 0 }, step, at + 1),
                }
            }
            port => port,
        };
        let before = matches!(port, Port::Waits).then(|| model.clone());
        model.step(&inputs);
        if let Some(named) = before.and_then(|before| before.names(&model)) {
            covered.named[0] += named[0];
            covered.named[1] += named[1];
        }
        block.engine.tick(false);
        covered.cycles += 1;
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::model::duality::crossbar::network::picked;
    use crate::model::duality::crossbar::numbers::{Numbers, NumbersInputs};
    use crate::model::duality::crossbar::reduce::{Making, Reduce, ReduceInputs};
    use bitline_units::duality::blocks::{
        duality_crossbar, duality_crossbar_network, duality_crossbar_numbers, duality_crossbar_reduce,
    };

    /// Designs: threads of a bank, and threads that the crossbar serves at a time.
    const DESIGNS: [(usize, usize); 6] = [(8, 8), (8, 1), (8, 4), (64, 8), (256, 256), (256, 32)];

    fn design(columns: usize, crossbar: usize) -> DualityParams {
        let tiny = DualityParams::preset("tiny").expect("it is there");
        DualityParams { columns, crossbar, ..tiny }
    }

    #[test]
    fn duality_crossbar_does_what_words_say() {
        for ((columns, crossbar), seed) in DESIGNS.into_iter().zip(1..) {
            println!("{columns} threads, {crossbar} at a time: seed {seed}");
            let params = design(columns, crossbar);
            let netlist = duality_crossbar(&params).expect("legal");
            let covered = run(engine(&netlist), &params, seed, if columns > 64 { 60 } else { 200 });
            println!("{covered:?}");
            assert!(covered.all(), "{covered:?}");
        }
    }

    #[test]
    fn duality_crossbar_network_gives_each_thread_the_bit_that_it_names() {
        for ((columns, crossbar), seed) in DESIGNS.into_iter().zip(11..) {
            println!("{columns} threads, {crossbar} at a time: seed {seed}");
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut block =
                Block::new(engine(&duality_crossbar_network(&design(columns, crossbar)).expect("legal")), &mut rng);
            for _ in 0..200 {
                let row = any(&mut rng, columns);
                let named: Vec<usize> = (0..columns).map(|_| rng.random_range(0..columns)).collect();
                block.row("row", &row);
                for bit in 0..columns.ilog2() {
                    let bits: Bits = named.iter().map(|number| number >> bit & 1 == 1).collect();
                    block.row(&format!("numbers_{bit}"), &bits);
                }
                assert_eq!(block.bits("picked", columns), picked(crossbar, &row, &named));
            }
        }
    }

    /// Addresses of any number of bits with any offset, settled and turned all the way round.
    #[test]
    fn duality_crossbar_numbers_are_places_in_segments() {
        for ((columns, crossbar), seed) in DESIGNS.into_iter().zip(21..) {
            println!("{columns} threads, {crossbar} at a time: seed {seed}");
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut block =
                Block::new(engine(&duality_crossbar_numbers(&design(columns, crossbar)).expect("legal")), &mut rng);
            let mut model = Numbers::new(crossbar, columns);
            let mut others = [0; 2];
            for _ in 0..100 {
                let segment = rng.random_range(0..=columns.ilog2());
                let offset = if rng.random() { rng.random() } else { rng.random_range(0..20u32).wrapping_sub(10) };
                let rows = rng.random_range(segment..=32);
                let addresses: Vec<u32> =
                    (0..columns).map(|_| rng.random_range(0..2u32 << segment).wrapping_sub(offset)).collect();
                let mut cycles = vec![NumbersInputs { begin: Some(offset), ..NumbersInputs::default() }];
                cycles.extend((0..rows).map(|bit| {
                    let row = addresses.iter().map(|address| address >> bit & 1 == 1).collect();
                    NumbersInputs { put: Some(row), segment, ..NumbersInputs::default() }
                }));
                cycles.push(NumbersInputs { settle: true, segment, ..NumbersInputs::default() });
                if rng.random() {
                    let absent = Some(any(&mut rng, columns));
                    cycles.push(NumbersInputs { absent, segment, ..NumbersInputs::default() });
                }
                let turns = if crossbar < columns { columns / crossbar } else { 0 };
                cycles.extend((0..turns).map(|_| NumbersInputs { turn: true, segment, ..NumbersInputs::default() }));
                for inputs in cycles {
                    block.set("opens", &[inputs.begin.is_some().into()]);
                    block.set("offset", &[inputs.begin.unwrap_or_else(|| rng.random()).into()]);
                    block.set("segment", &[segment.into()]);
                    block.set("put", &[inputs.put.is_some().into()]);
                    let row = inputs.put.clone().unwrap_or_else(|| any(&mut rng, columns));
                    block.row("row", &row);
                    block.set("settle", &[inputs.settle.into()]);
                    block.set("exclude", &[inputs.absent.is_some().into()]);
                    block.row("absent", &inputs.absent.clone().unwrap_or_else(|| any(&mut rng, columns)));
                    block.set("turn", &[inputs.turn.into()]);
                    block.engine.tick(false);
                    model.step(&inputs);
                    let bits: Vec<Bits> =
                        (0..columns.ilog2()).map(|bit| block.bits(&format!("numbers_{bit}"), columns)).collect();
                    for (thread, named) in model.named.iter().enumerate() {
                        let Some(named) = named else { continue };
                        let is = bits.iter().rfold(0, |all, bit| all << 1 | usize::from(bit[thread]));
                        assert_eq!(is, *named, "thread {thread}, 2^{segment} threads, offset {offset:#x}, {rows} rows");
                        others[usize::from(is == thread)] += 1;
                    }
                }
            }
            assert!(others.iter().all(|&count| count > 0), "{others:?}");
        }
    }

    /// Sums of numbers of any length, and other bits among them, which leave them as they are.
    #[test]
    fn duality_crossbar_reduces_segments() {
        for ((columns, crossbar), seed) in DESIGNS.into_iter().zip(31..) {
            println!("{columns} threads: seed {seed}");
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut block =
                Block::new(engine(&duality_crossbar_reduce(&design(columns, crossbar)).expect("legal")), &mut rng);
            for _ in 0..40 {
                let mut model = Reduce::new(columns);
                let segment = rng.random_range(0..=columns.ilog2());
                let makings = [Making::Sum, Making::Sum, Making::Or, Making::And, Making::Xor];
                let making = makings[rng.random_range(0..5)];
                for cycle in 0..rng.random_range(2..80) {
                    let (begin, put) = (cycle == 0, cycle > 0 && (making == Making::Sum || rng.random()));
                    let row = any(&mut rng, columns);
                    let inputs = ReduceInputs { segment, making, begin, put, row };
                    block.set("segment", &[segment.into()]);
                    for (name, own) in [("sums", Making::Sum), ("ors", Making::Or), ("ands", Making::And)] {
                        block.set(name, &[(making == own).into()]);
                    }
                    block.set("opens", &[begin.into()]);
                    block.set("put", &[put.into()]);
                    block.row("row", &inputs.row);
                    block.engine.tick(false);
                    model.step(&inputs);
                    if cycle > 0 {
                        let told = format!("{making:?} of 2^{segment} threads, cycle {cycle}");
                        assert_eq!(block.bits("result", columns), model.result, "{told}");
                    }
                }
            }
        }
    }
}
