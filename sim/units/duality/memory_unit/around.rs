//! What is around a memory unit: launches and words at random, and a stand-in for the control block.

use std::rc::Rc;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{Element, GENERIC_SHARED, Kind, MemoryOp, Predicate, Source, Space, Special};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::SLOTS;
use bitline_units::duality::passes::MemoryStep;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::super::crossbar;
use super::ways::{Ways, float};
use super::{MemoryCoverage, TRAPS};
use crate::model::duality::memory::threads::LaunchPorts;
use crate::model::duality::memory::unit::{MemoryUnit, Row, UnitInputs, UnitOutputs};

/// What stands for the control block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    /// A wave begins.
    Fill,
    /// Its rows are filled; so many cycles pass, then so many rows are taken.
    Fills(u64, u8),
    /// No word waits, for so many cycles more.
    Idle(u64),
    /// A word waits for a step.
    Waits,
    /// So many cycles pass, then rows of a step come or are taken; how many have.
    Rows(u64, MemoryStep, u64),
}

/// The launch and the word that are under way.
pub struct Around {
    /// What happens.
    pub rng: ChaCha8Rng,
    /// The table of pages.
    table: Vec<u64>,
    params: DualityParams,
    arrays: u8,
    launch: LaunchPorts,
    wave: [u32; 3],
    specials: [u32; 8],
    spill_base: u32,
    spill_rows: u16,
    port: Port,
    word: Word,
    scalar: u32,
    /// What rows of addresses and data hold for each thread.
    addresses: Vec<u32>,
    data: Vec<u64>,
    /// The cache ways.
    ways: Ways,
}

/// An entry of the table of pages: most map something, and are written.
pub fn entry(rng: &mut ChaCha8Rng) -> u32 {
    let tag = if rng.random_ratio(1, 32) { rng.random::<u32>() & 0x3fff } else { 0 };
    let (valid, writable) = (!rng.random_ratio(1, 32), rng.random_ratio(7, 8));
    u32::from(valid) << 31 | u32::from(writable) << 30 | tag << 16 | rng.random_range(0..0x1_0000)
}

impl Around {
    /// A launch of which a wave is filled.
    pub fn new(params: &DualityParams, table: Vec<u64>, rng: ChaCha8Rng) -> Around {
        let threads = params.threads(1);
        let mut around = Around {
            table,
            rng,
            params: params.clone(),
            arrays: 0,
            launch: LaunchPorts::default(),
            wave: [0; 3],
            specials: [0; 8],
            spill_base: 0,
            spill_rows: 0,
            port: Port::Fill,
            word: Word::default(),
            scalar: 0,
            addresses: vec![0; threads],
            data: vec![0; threads],
            ways: Ways::default(),
        };
        around.new_launch();
        around
    }

    fn threads(&self) -> u32 {
        self.params.threads(SLOTS >> self.arrays) as u32
    }

    /// A reset: nothing is under way, and another launch begins.
    pub fn reset(&mut self) {
        self.ways.reset();
        self.new_launch();
    }

    /// Another launch, of which a wave is filled.
    fn new_launch(&mut self) {
        self.arrays = self.rng.random_range(0..3);
        let threads = self.threads();
        let rng = &mut self.rng;
        let x = rng.random_range(1..=threads);
        let y = rng.random_range(1..=threads / x);
        let z = rng.random_range(1..=threads / (x * y));
        let most = threads / (x * y * z);
        let grid = [0; 3].map(|_: u32| rng.random_range(1..4));
        self.launch = LaunchPorts {
            block: [x, y, z].map(|count| count as u16),
            grid,
            at_once: if rng.random() { most } else { rng.random_range(1..=most) } as u16,
            shared_base: rng.random_range(0..0x100) << 16 | rng.random_range(0..0x100) << 6,
            shared_bytes: 8 * rng.random_range(0..32),
        };
        self.wave = grid.map(|count| rng.random_range(0..count));
        // Many threads take many cycles to fill.
        let entries = if threads > 64 { rng.random_range(0..2) } else { rng.random_range(0..=8) };
        for (number, special) in self.specials.iter_mut().enumerate() {
            let code = Special::ALL[rng.random_range(0..Special::ALL.len())].code() as u32;
            let slot = rng.random_range(0..(SLOTS as u32 >> self.arrays));
            let rows = if rng.random() { rng.random_range(0..64) } else { rng.random_range(0..8) };
            let row: u32 = rng.random_range(0..512);
            *special = u32::from(number < entries) << 31 | rows << 25 | row << 16 | slot << 8 | code;
        }
        self.spill_base = rng.random_range(0..0x100) << 16 | rng.random_range(0..0x200) << 6;
        self.spill_rows = rng.random_range(0..128);
        self.port = Port::Fill;
    }

    /// Another word.
    fn new_word(&mut self) {
        let spills = self.rng.random_ratio(1, 5);
        let rng = &mut self.rng;
        let mut op = MemoryOp::ALL[rng.random_range(0..MemoryOp::ALL.len())];
        if rng.random_ratio(1, 8) {
            op = MemoryOp::FAdd;
        }
        if spills || rng.random() {
            op = if rng.random() { MemoryOp::Load } else { MemoryOp::Store };
        }
        let own = SLOTS as u64 >> self.arrays;
        let any = u128::from(rng.random::<u64>()) | u128::from(rng.random::<u64>()) << 64;
        let rows = if rng.random_ratio(1, 4) { rng.random_range(1..=64) } else { rng.random_range(1..=16) };
        let mut word = Word(any).with(KIND, Kind::Memory.code()).with(MEMORY_OP, op.code()).with(WIDTH, rows - 1);
        word = word.with(SLOT, rng.random_range(0..own)).with(DATA_SLOT, rng.random_range(0..own));
        word = word.with(SOURCE, Source::Row.code()).with(PREDICATE, Predicate::All.code()).with(EXTEND, 0);
        self.scalar = rng.random();
        self.ways.change(rng);
        if self.params.crossbar > 0 && rng.random() {
            // The arrays of a thread are as many as it has.
            let slots = [SLOT, DATA_SLOT].map(|slot| (slot, word.get(slot)));
            let crossing = crossbar::word(word, rng, self.params.columns);
            self.word = slots.into_iter().fold(crossing, |word, (slot, own)| word.with(slot, own));
            crossbar::place(self.word, self.scalar, rng, &mut self.addresses);
            self.data.fill_with(|| rng.random());
            return;
        }
        if spills {
            let first = rng.random_range(0..u64::from(self.spill_rows) + 4).saturating_sub(rows);
            self.word = word.with(SPACE, Space::Spill.code()).with(IMMEDIATE, first).with(WIDTH_A, 0).with(ELEMENT, 0);
            if rng.random_ratio(1, 16) {
                self.word = self.word.with(IMMEDIATE, rng.random::<u32>().into());
            }
            return;
        }
        let spaces = [Space::Global, Space::Shared, Space::Generic, Space::Const];
        let count = if op == MemoryOp::Load { 4 } else { 3 };
        let space = spaces[rng.random_range(0..count)];
        let element = match op {
            MemoryOp::Load | MemoryOp::Store => Element::ALL[rng.random_range(0..4)],
            MemoryOp::FAdd => Element::B32,
            _ => Element::ALL[rng.random_range(2..4)],
        };
        word = word.with(SPACE, space.code()).with(ELEMENT, element.code());
        word = word.with(PREDICATE, Predicate::ALL[rng.random_range(0..4)].code());
        if op.is_atomic() {
            word = word.with(WIDTH, 8 * u64::from(element.bytes()) - 1);
        } else {
            word = word.with(EXTEND, rng.random_range(0..2));
        }
        let source = if rng.random() { Source::Row } else { Source::ALL[rng.random_range(0..4)] };
        let narrow = rng.random_ratio(1, 16);
        let by_row = matches!(source, Source::Row | Source::Indexed);
        let scale = if by_row && rng.random() { rng.random_range(0..=SCALE.most()) } else { 0 };
        let rows = if narrow { rng.random_range(0..32 - scale) } else { 31 - scale };
        word = word.with(SOURCE, source.code()).with(WIDTH_A, rows).with(SCALE, scale);
        // Where most threads are: near each other, and the first of them at an element.
        let bytes = element.bytes();
        let page = rng.random_range(0..0x100) << 16;
        let within = |rng: &mut ChaCha8Rng, bytes: u32| rng.random_range(0..(self.launch.shared_bytes / bytes).max(1));
        let window = match space {
            Space::Shared => Some(0),
            Space::Generic => rng.random::<bool>().then_some(GENERIC_SHARED),
            _ => None,
        };
        let first = match window {
            Some(from) => from + bytes * within(rng, bytes),
            None => page + bytes * rng.random_range(0..0x1_0000 / bytes),
        };
        let start = if rng.random() { 0 } else { rng.random::<u32>() >> scale << scale };
        let adds = matches!(source, Source::Scalar | Source::Indexed);
        let offset = if by_row { start } else { first }.wrapping_sub(if adds { self.scalar } else { 0 });
        word = word.with(IMMEDIATE, offset.into());
        let stride = bytes * [0, 1, 1, 2, 16][rng.random_range(0..5)];
        let (jumps, bad) = (rng.random_ratio(1, 3), rng.random_ratio(1, 5));
        for (thread, (address, datum)) in self.addresses.iter_mut().zip(&mut self.data).enumerate() {
            let mut at = match window {
                Some(from) => from + bytes * within(rng, bytes),
                None if jumps => page + bytes * rng.random_range(0..0x1_0000 / bytes),
                None => page | (first + stride * thread as u32) & 0xffff,
            };
            if bad && rng.random_ratio(1, 16) {
                at = match rng.random_range(0..3) {
                    0 if window.is_some() => at & !0xffff | rng.random_range(0..2 * self.launch.shared_bytes.max(1)),
                    0 => rng.random(),
                    1 => at ^ rng.random_range(1..8),
                    _ => at ^ 1 << rng.random_range(0..32),
                };
            }
            *address = at.wrapping_sub(start) >> scale;
            *datum = if op == MemoryOp::FAdd { float(rng).into() } else { rng.random() };
            if window.is_none() && rng.random() {
                // What is there, unless a thread before it changes that, or nearly its opposite.
                let place = (self.table[(at >> 16) as usize % 256] as u32) << 16 | at & 0xffff;
                let there = self.ways.word(place / 8) >> (8 * (place % 8));
                match op {
                    MemoryOp::FAdd => *datum = there ^ 1 << 31 ^ rng.random_range(0..4) ^ rng.random_range(0..4) << 22,
                    MemoryOp::Compare | MemoryOp::MinS | MemoryOp::MaxU => *datum = there,
                    _ => {}
                }
            }
        }
        self.word = word;
    }

    /// How many rows a step has.
    fn count(&self, step: MemoryStep) -> u64 {
        match step {
            MemoryStep::Address => self.word.get(WIDTH_A) + 1,
            MemoryStep::Data | MemoryStep::Second | MemoryStep::Result => self.word.get(WIDTH) + 1,
            _ => 1,
        }
    }

    /// The rows that arrays send: of the threads of a group what they hold, of others anything.
    fn rows(&mut self, group: usize, step: MemoryStep, at: u64) -> Rc<Vec<Row>> {
        let (columns, members) = (self.params.columns, SLOTS * self.params.banks);
        let limbs = columns.div_ceil(64);
        let top = u64::MAX >> (64 * limbs - columns);
        let mut rows: Vec<Row> = (0..members).map(|_| (0..limbs).map(|_| self.rng.random()).collect()).collect();
        rows.iter_mut().for_each(|row| row[limbs - 1] &= top);
        let slot = if step == MemoryStep::Address { SLOT } else { DATA_SLOT };
        let member = group * (SLOTS >> self.arrays) + self.word.get(slot) as usize;
        for column in 0..columns {
            let thread = group * columns + column;
            let bit = match step {
                MemoryStep::Address => u64::from(self.addresses[thread]) >> at & 1,
                MemoryStep::Data => self.data[thread] >> at & 1,
                MemoryStep::Chooser => u64::from(!self.rng.random_ratio(1, 4)),
                _ => continue,
            };
            let limb = &mut rows[member][column / 64];
            *limb = *limb & !(1 << (column % 64)) | bit << (column % 64);
        }
        Rc::new(rows)
    }

    /// What goes in in a cycle.
    pub fn inputs(&mut self, unit: &MemoryUnit) -> UnitInputs {
        let (ready, answer) = self.ways.shown(&mut self.rng);
        let mut inputs = UnitInputs {
            arrays: self.arrays,
            launch: self.launch,
            spill_base: self.spill_base,
            spill_rows: self.spill_rows,
            special: self.specials[usize::from(unit.sequence.entry) % 8],
            ready,
            answer,
            noise: self.rng.random(),
            ..UnitInputs::default()
        };
        let soon = self.rng.random_ratio(1, 2);
        match self.port {
            Port::Fill => inputs.fill = Some(self.wave),
            Port::Fills(0, left) => inputs.taken = left > 0,
            Port::Idle(_) if self.rng.random_ratio(1, 4) => {
                let (number, entry) = (self.rng.random::<u8>(), entry(&mut self.rng));
                self.table[usize::from(number)] = entry.into();
                inputs.page = Some((number, entry));
            }
            Port::Fills(..) | Port::Idle(_) => {}
            Port::Waits => inputs.memory = Some((self.word, self.scalar)),
            Port::Rows(wait, step, at) => {
                if wait == 0 && step == MemoryStep::Result {
                    inputs.taken = true;
                } else if wait == 0 {
                    inputs.sent = Some(self.rows(unit.group().into(), step, at));
                }
                // The next step may be asked for with the last row.
                if wait == 0 && at + 1 == self.count(step) && soon {
                    inputs.memory = Some((self.word, self.scalar));
                }
            }
        }
        inputs
    }

    /// What follows what was shown.
    pub fn take(&mut self, inputs: &UnitInputs, shown: &UnitOutputs, covered: &mut MemoryCoverage) {
        covered.failed += u64::from(inputs.answer.is_some_and(|(_, failed)| failed));
        covered.waits += u64::from(shown.request.is_some() && !inputs.ready);
        if let Some(kind) = self.ways.take(shown.request.filter(|_| inputs.ready), &mut self.rng) {
            covered.requests[kind] += 1;
        }
        let gap = if self.rng.random_ratio(1, 16) { self.rng.random_range(0..4) } else { 0 };
        let asked = shown.step.filter(|_| inputs.memory.is_some());
        self.port = match self.port {
            Port::Fill => Port::Fills(0, 0),
            Port::Fills(0, 0) => match shown.fills {
                Some((.., count)) => Port::Fills(self.rng.random_range(0..4), count),
                None if shown.filled => {
                    covered.waves += 1;
                    Port::Idle(gap)
                }
                None => self.port,
            },
            Port::Fills(0, 1) => Port::Fills(0, 0),
            Port::Fills(0, left) => Port::Fills(gap, left - 1),
            Port::Fills(wait, left) => Port::Fills(wait - 1, left),
            Port::Idle(0) => {
                if self.rng.random_ratio(1, 24) {
                    self.new_launch();
                    self.port
                } else {
                    self.new_word();
                    Port::Waits
                }
            }
            Port::Idle(wait) => Port::Idle(wait - 1),
            Port::Rows(0, step, at) if at + 1 < self.count(step) => Port::Rows(gap, step, at + 1),
            Port::Waits | Port::Rows(0, ..) => match asked {
                Some(MemoryStep::End) => {
                    self.ended(shown.trap, covered);
                    Port::Idle(gap)
                }
                // Arrays of block RAM need three cycles until a row that comes is wanted.
                Some(step) => {
                    let least = if step == MemoryStep::Result { 2 } else { 0 };
                    Port::Rows(least + gap, step, 0)
                }
                None => Port::Waits,
            },
            Port::Rows(wait, step, at) => Port::Rows(wait - 1, step, at),
        };
    }

    fn ended(&self, trap: u8, covered: &mut MemoryCoverage) {
        let op = self.word.get(MEMORY_OP) as usize;
        match TRAPS.iter().position(|&known| known as u8 == trap) {
            Some(at) => covered.traps[at] += 1,
            None if self.word.crosses() => covered.crossing[op] += 1,
            None if self.word.get(SPACE) == Space::Spill.code() => covered.spills[op] += 1,
            None => covered.words[op] += 1,
        }
        assert!(trap == 0 || TRAPS.iter().any(|&known| known as u8 == trap), "{}: trap {trap}", self.word);
    }
}
