//! Model of the memory unit, from its contract: its blocks' models, and what passes between them in a cycle.

use std::rc::Rc;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{MemoryOp, Predicate, Space};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::SLOTS;
use bitline_units::duality::passes::MemoryStep;

use super::access::{Access, AccessInputs, AccessOutputs};
use super::chosen::{Chosen, ChosenInputs};
use super::look::{Look, LookInputs, LookItem, LookOutputs};
use super::sequence::{Doing, Sequence, SequenceInputs, SequenceOutputs};
use super::spill::{Spill, SpillInputs};
use super::threads::{Threads, ThreadsInputs};
use crate::duality::crossbar::unit::{Crossbar, CrossbarInputs, bits, limbs};
use crate::tmu::{Tiling, Tmu, TmuInputs, Transfer};

mod ports;

pub use ports::{UnitInputs, UnitOutputs};

/// An array's row.
pub type Row = Vec<u64>;

/// Launch mask and active mask of a thread that exists.
const MASK_BITS: u64 = 3;
/// Rows of masks.
const MASK_ROWS: u8 = 2;

/// The unit.
#[derive(Clone, Debug)]
pub struct MemoryUnit {
    params: Rc<DualityParams>,
    /// What is done.
    pub sequence: Sequence,
    /// Rows to elements and back.
    pub transpose: Tmu,
    /// The threads of the wave.
    pub threads: Threads,
    /// Those of a group that take part.
    pub chosen: Chosen,
    /// Addresses.
    pub look: Look,
    /// Accesses.
    pub access: Access,
    /// Spill rows.
    pub spill: Spill,
    /// Words between threads of a bank, if the design has them.
    pub crossbar: Option<Crossbar>,
    /// The word, and its scalar register.
    word: Word,
    scalar: u32,
    /// Its rows.
    rows: u8,
}

/// What the memories of a unit hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitMemories {
    /// The table of pages.
    pub table: Vec<u64>,
    /// A place for each thread, of 35 bits.
    pub places: Vec<u64>,
    /// Data for each thread of a group.
    pub operands: Vec<u64>,
    /// Spill rows.
    pub buffer: Vec<Row>,
}

/// What a crossbar has shown in a cycle; nothing if there is none.
#[derive(Clone, Debug, Default)]
struct Crossing {
    /// The word at the port is the crossbar's.
    mine: bool,
    /// It does a word.
    busy: bool,
    /// The step that it asks for.
    asked: Option<MemoryStep>,
    /// A row that is taken: its group, the row, and threads that get it.
    offers: Option<(u8, Row, Row)>,
}

impl MemoryUnit {
    /// For a control block with these parameters, and what its memories hold.
    ///
    /// # Panics
    /// If that is not what the design has.
    pub fn new(params: &DualityParams, memories: UnitMemories) -> MemoryUnit {
        let tile = params.columns.max(64) as u16;
        let mut transpose = Tmu::new(tile, 64);
        transpose.tiling = Tiling { banked: true, often: false };
        MemoryUnit {
            sequence: Sequence::default(),
            transpose,
            threads: Threads::default(),
            chosen: Chosen::new(params.columns),
            look: Look::new(memories.table),
            access: Access::new(params, memories.places, memories.operands),
            spill: Spill::new(params, memories.buffer),
            crossbar: (params.crossbar > 0).then(|| Crossbar::new(params)),
            word: Word::default(),
            scalar: 0,
            rows: 0,
            params: Rc::new(params.clone()),
        }
    }

    /// What is done.
    pub fn doing(&self) -> Doing {
        self.sequence.doing
    }

    /// The group whose rows are wanted: the crossbar's, while it does a word.
    pub fn group(&self) -> u8 {
        let crossing = self.crossbar.as_ref().filter(|crossbar| crossbar.busy());
        crossing.map_or(self.sequence.group, Crossbar::group)
    }

    /// Arrays of the control block.
    pub fn members(&self) -> usize {
        SLOTS * self.params.banks
    }

    /// Groups of the control block.
    fn groups(&self, arrays: u8) -> u8 {
        (self.params.banks << arrays.min(2)) as u8
    }

    /// The array of a group's threads that this slot is.
    fn member(group: u8, arrays: u8, slot: u64) -> usize {
        usize::from(group) * (SLOTS >> arrays.min(2)) + slot as usize
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &UnitInputs) -> UnitOutputs {
        use Doing::*;
        let Sequence { doing, group, masks, direct, column, .. } = self.sequence;
        let idle = doing == Idle;
        let busy = !doing.fills();
        // In its first cycle the word is where it comes from.
        let offered = inputs.memory.map_or(Word::default(), |memory| memory.0);
        let (word, current) = (self.word, if idle { offered } else { self.word });
        let spills = busy && current.get(SPACE) == Space::Spill.code();
        let op = MemoryOp::from_code(word.get(MEMORY_OP)).unwrap_or(MemoryOp::Load);
        let row = inputs.sent.as_ref().map(|rows| {
            let slot = if matches!(doing, Look | Direct) { SLOT } else { DATA_SLOT };
            rows[Self::member(group, inputs.arrays, word.get(slot))].clone()
        });
        let crossing = self.cross(inputs);
        // What the transpose unit offers and takes.
        let beat = self.transpose.read.clone();
        let element = beat.as_ref().filter(|beat| beat.element).map(|beat| beat.bits[0]);
        let start_ready = self.transpose.filling.is_none();
        let enters = !start_ready && !self.transpose.tiles[self.transpose.entering.0].full;
        let tmu_busy = !start_ready || self.transpose.tiles.iter().any(|tile| tile.full) || beat.is_some();
        // Threads, and spill rows.
        let pieces = matches!(doing, SpillLook | SpillPlace);
        let mut threads = ThreadsInputs { launch: inputs.launch, wave: inputs.fill, ..ThreadsInputs::default() };
        threads.special = (inputs.special & 7) as u8;
        let thread = self.threads.shown(&threads);
        let mut spill = SpillInputs {
            arrays: inputs.arrays,
            first_row: word.get(IMMEDIATE) as u32,
            rows: self.rows,
            base: inputs.spill_base,
            there: inputs.spill_rows,
            begin: doing == Choose,
            by_group: doing == SpillPlace,
            pop: doing == Taken && inputs.taken,
            push: row.clone().filter(|_| spills),
            ..SpillInputs::default()
        };
        let spilled = self.spill.shown(&spill);
        // Addresses, and the threads that they are of.
        let item = match doing {
            Look => !current.address_in_rows() || element.is_some(),
            _ => pieces,
        };
        let mut look = LookInputs {
            page: inputs.page,
            shared_bytes: inputs.launch.shared_bytes,
            word,
            scalar: self.scalar,
            item: item.then(|| LookItem {
                there: thread.there,
                chosen: self.chosen.takes_part(),
                element: element.unwrap_or_default() as u32,
                thread: thread.number,
                window: thread.window,
                piece_address: spilled.piece_at.map_or(0, |at| at.0),
            }),
            spills,
            log_piece: self.spill.log_piece(),
            numbers: doing == SpillPlace,
            hint_ready: inputs.ready,
            direct,
            ..LookInputs::default()
        };
        let looked = self.look.shown(&look);
        let mut access = AccessInputs {
            op,
            log_bytes: word.get(ELEMENT) as u8,
            extends: word.get(EXTEND) == 1,
            last: word.get(WIDTH) as u8,
            hint: looked.hint,
            active: doing == Do,
            direct,
            offered: looked.place.map(|place| place.1),
            asks: looked.asks,
            column,
            keep: doing == Keep,
            data: element,
            ready: inputs.ready,
            answer: inputs.answer,
            ..AccessInputs::default()
        };
        if busy && word.get(SPACE) == Space::Spill.code() {
            access.log_bytes = self.spill.log_piece();
            access.last = 63;
            access.data = Some(spilled.piece);
        }
        let done: AccessOutputs = self.access.shown(&access);
        look.direct_goes = done.goes.is_some();
        let looked: LookOutputs = self.look.shown(&look);
        access.note = looked.place.filter(|_| looked.note);
        // What comes next.
        let last = beat.as_ref().is_some_and(|beat| beat.last);
        let popped = spills && doing == Taken;
        let sequence: SequenceOutputs = self.sequence.step(&SequenceInputs {
            groups: self.groups(inputs.arrays),
            columns: if spills { spilled.pieces } else { self.params.columns as u16 },
            fill: inputs.fill.is_some(),
            valid: inputs.memory.is_some() && !crossing.mine,
            spills,
            beyond: !spilled.fits,
            last_piece: spilled.piece_at.is_some_and(|at| at.1),
            full: spilled.full,
            all: current.get(PREDICATE) == Predicate::All.code(),
            by_row: current.address_in_rows(),
            writes: current.get(MEMORY_OP) != MemoryOp::Load.code(),
            stores: op == MemoryOp::Store,
            compares: op == MemoryOp::Compare,
            sent: row.is_some(),
            last_row: inputs.taken && if popped { spilled.pops_last } else { last },
            start_ready,
            offers: beat.is_some() || spills && doing == Result,
            is_element: element.is_some(),
            takes: enters,
            tmu_busy,
            look_turn: looked.turn,
            looked: looked.empty,
            trap: looked.trap,
            do_turn: done.goes.is_some(),
            done: done.empty,
            settles: done.settles,
            failed: done.failed,
            special_there: inputs.special >> 31 == 1,
        });
        // Rows of a transfer.
        let count = match doing {
            Address | Choose | Idle => current.get(WIDTH_A) as u8 + 1,
            _ if busy => self.rows,
            _ if masks => MASK_ROWS,
            _ => (inputs.special >> 25 & 63) as u8 + 1,
        };
        let asks = doing == FillAsk && beat.is_some();
        let outputs = UnitOutputs {
            special: sequence.special,
            filled: sequence.filled,
            refused: looked.refused,
            working: busy && !idle || crossing.busy,
            waits: inputs.memory.is_some(),
            step: if crossing.mine { crossing.asked } else { sequence.asked },
            trap: if crossing.mine { 0 } else { sequence.told },
            rows: inputs.taken.then(|| {
                let columns = self.params.columns;
                let (group, row, places) = match crossing.offers {
                    Some(offers) => offers,
                    // Of spill rows all threads get theirs, whether they are there or not.
                    None if spills => (group, spilled.row, limbs(&vec![true; columns])),
                    None => (group, beat.map(|beat| beat.bits).unwrap_or_default(), self.chosen.getting()),
                };
                (row, self.places(group, inputs.arrays, places))
            }),
            fills: asks.then(|| {
                let slots = (1 << (SLOTS >> inputs.arrays.min(2))) - 1;
                let (slot, first) = (inputs.special >> 8 & 3, inputs.special >> 16 & 0x1ff);
                if masks { (slots, 0, count) } else { (1 << slot, first as u16, count) }
            }),
            request: done.request,
        };
        // What each block gets of it.
        let gives = doing == FillWalk && enters;
        threads.first = sequence.walks;
        threads.step = looked.turn || gives;
        self.threads.step(&threads);
        let there = thread.there;
        self.chosen.step(&ChosenInputs {
            all: matches!(doing, Choose | Idle),
            comes: row.clone().filter(|_| doing == Chosen).map(|row| {
                let unless = current.get(PREDICATE) == Predicate::Unless.code();
                (row, unless)
            }),
            turn: looked.turn,
            given: if gives { Some(there || masks) } else { done.goes },
        });
        let value = if masks { if there { MASK_BITS } else { 0 } } else { thread.value.unwrap_or_default() };
        let enter = match doing {
            FillWalk => Some(value),
            _ => done.value.filter(|_| !spills),
        };
        let words = usize::from(self.transpose.words()).div_ceil(64);
        let sent = row.filter(|_| doing != Chosen && !spills && !crossing.busy);
        self.transpose.step(&TmuInputs {
            start: sequence.opens.map(|store| Transfer { store, width: count, count: self.params.columns as u16 }),
            beat: enter.map(|value| vec![value]).or(sent).map(|mut beat| {
                beat.resize(words, 0);
                beat
            }),
            take: looked.turn
                || done.goes.is_some() && element.is_some() && !direct
                || matches!(doing, Keep | Flush)
                || inputs.taken,
        });
        look.begin = sequence.takes_word;
        self.look.step(&look);
        access.first = sequence.rewinds;
        self.access.step(&access);
        spill.begin_group = sequence.begins_group;
        spill.step = pieces && looked.turn;
        spill.give = done.value.filter(|_| spills);
        spill.take = spills && done.goes.is_some() && op != MemoryOp::Load;
        self.spill.step(&spill);
        if let (true, Some(memory)) = (sequence.takes_word, inputs.memory) {
            (self.word, self.scalar) = memory;
            self.rows = self.word.get(WIDTH) as u8 + 1;
        }
        outputs
    }

    /// A cycle of the crossbar, if there is one.
    fn cross(&mut self, inputs: &UnitInputs) -> Crossing {
        let groups = self.groups(inputs.arrays).into();
        let Some(crossbar) = &mut self.crossbar else { return Crossing::default() };
        let mut own = CrossbarInputs { word: inputs.memory, groups, sent: None, taken: inputs.taken };
        let shown = crossbar.shown(&own);
        own.sent = inputs.sent.as_ref().zip(shown.rows).map(|(rows, (group, slot))| {
            bits(&rows[Self::member(group as u8, inputs.arrays, slot)], self.params.columns)
        });
        let group = crossbar.group();
        let offers = shown.offered.filter(|_| inputs.taken).map(|(row, places)| (group, limbs(&row), limbs(&places)));
        crossbar.step(&own);
        Crossing { mine: shown.mine, busy: shown.busy, asked: shown.asked, offers }
    }

    /// Threads of each array that get a row: these of a group.
    fn places(&self, group: u8, arrays: u8, places: Row) -> Vec<Row> {
        let own = SLOTS >> arrays.min(2);
        let none = vec![0; places.len()];
        let gets = |member: usize| if member / own == usize::from(group) { places.clone() } else { none.clone() };
        (0..self.members()).map(gets).collect()
    }

    /// A clock edge with the reset on has passed: memories keep what they hold.
    pub fn reset(&mut self) {
        self.sequence.reset();
        self.transpose.reset();
        self.threads.reset();
        self.chosen.reset();
        self.look.reset();
        self.access.reset();
        self.spill.reset();
        self.crossbar.iter_mut().for_each(Crossbar::reset);
        (self.word, self.scalar, self.rows) = (Word::default(), 0, 0);
    }

    /// Registers that are judged by what leaves the unit.
    pub fn judged(path: &str) -> bool {
        path.strip_prefix("access.").is_some_and(Access::judged)
            || path.strip_prefix("crossbar_0.").is_some_and(Crossbar::judged)
    }
}

state! {
    MemoryUnit(self) {
        in sequence_ = self.sequence;
        in transpose = self.transpose;
        in threads = self.threads;
        in chosen = self.chosen;
        in look = self.look;
        in access = self.access;
        in spill = self.spill;
        in crossbar[] = self.crossbar.iter();
        word = self.word.0;
        self => scalar, rows;
    }
}
